"""The scores over the deals as a chart of characters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from .text import Line, fit

MIN_COLS, MIN_ROWS = 30, 5
MAX_ROWS = 26
MAX_STEP = 16
"""Cells from one deal to the next at most; a line much longer than high says nothing."""


def running_totals(scores: Sequence[Sequence[int]], seats: int) -> list[list[int]]:
    """Return each seat's total before the first deal and after each one.

    >>> running_totals([(5, 0), (10, 20)], 2)
    [[0, 5, 15], [0, 0, 20]]
    """
    return [[0, *accumulate(deal[seat] for deal in scores)] for seat in range(seats)]


def chart(
    totals: Sequence[Sequence[int]],
    marks: Sequence[str],
    cols: int,
    rows: int,
    own: int | None = None,
) -> list[Line]:
    """Draw one line of marks for each seat; the fewest points are at the bottom.

    Args:
        totals: For each seat its points after each deal, 0 first.
        marks: One character for each seat.
        cols: Cells of a line.
        rows: Lines to be used, the axis included.
        own: The seat that is drawn over the others.
    """
    deals = max((len(line) for line in totals), default=0) - 1
    if deals < 1 or cols < MIN_COLS or rows < MIN_ROWS:
        return []
    low = min(0, *(min(line) for line in totals))
    high = max(low + 1, *(max(line) for line in totals))
    gutter = max(len(str(high)), len(str(low))) + 2
    width, height = min(cols - gutter - 2, deals * min(MAX_STEP, rows)), rows - 2
    grid = [[" "] * (width + 1) for _ in range(height)]
    seats = sorted(range(len(totals)), key=lambda seat: (seat == own, -totals[seat][-1]))

    def row(points: float) -> int:
        return round((height - 1) * (high - points) / (high - low))

    columns = [round(deal * width / deals) for deal in range(deals + 1)]
    for seat in seats:
        line = totals[seat]
        for deal in range(1, len(line)):
            first, last = columns[deal - 1], columns[deal]
            for x in range(first, last):
                part = (x - first) / (last - first)
                y = row(line[deal - 1] + part * (line[deal] - line[deal - 1]))
                if grid[y][x] == " ":
                    grid[y][x] = "·"
    for seat in seats:
        for deal in range(1, len(totals[seat])):
            grid[row(totals[seat][deal])][columns[deal]] = marks[seat]
    own_mark = "" if own is None else marks[own]
    lines = [
        fit(
            [("class:dim", _label(y, height, low, high, gutter)), *_coloured(cells, own_mark)], cols
        )
        for y, cells in enumerate(grid)
    ]
    return [*lines, *_axis(columns, gutter, cols)]


def _label(y: int, height: int, low: int, high: int, gutter: int) -> str:
    told = {0: high, height - 1: low, (height - 1) // 2: None}
    points = told.get(y, "")
    if points is None:
        points = round(high - (high - low) * y / max(1, height - 1)) if height > 4 else ""
    return f"{points:>{gutter - 1}} "


def _coloured(cells: Sequence[str], own_mark: str) -> Line:
    """Split a row into dots, marks of others, and our own."""
    line: Line = []
    for cell in cells:
        style = "class:dim" if cell in " ·" else "class:me" if cell == own_mark else "class:turn"
        if line and line[-1][0] == style:
            line[-1] = (style, line[-1][1] + cell)
        else:
            line.append((style, cell))
    return line


def _axis(columns: Sequence[int], gutter: int, cols: int) -> list[Line]:
    """The line under the chart, and the numbers of the deals as far as they fit."""
    rule = fit([("class:dim", " " * gutter + "─" * (columns[-1] + 1))], cols)
    text = ""
    for deal, x in list(enumerate(columns))[1:]:
        number = str(deal)
        at = gutter + x - len(number) + 1
        if at > len(text):
            text = text.ljust(at) + number
    return [rule, fit([("class:dim", text)], cols)]
