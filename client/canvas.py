"""Lines on a prompt_toolkit screen, written without the steps that only text needs.

A window of prompt_toolkit copies a text cell by cell on every redraw, as if it could
wrap and scroll. Frames are cells already: here each line becomes a row of the screen
once, and is used again for as long as the line stays the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING

from prompt_toolkit.layout import DummyControl, Window
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.screen import _CHAR_CACHE, Char, Screen, WritePosition
from prompt_toolkit.mouse_events import MouseEvent

from .text import Line, cell_width

if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone

_Row = defaultdict[int, Char]

_BLANK = _CHAR_CACHE[" ", ""]
_RIGHT_HALF = _CHAR_CACHE["", ""]
"""Stands in the second cell of a wide character."""


class Canvas(Window):
    """A window that shows lines as they are.

    Args:
        draw: Returns the lines for a width and a height.
        on_mouse: Takes a click or the wheel.
        has_ground: Whether blanks have a colour of their own.
    """

    def __init__(
        self,
        draw: Callable[[int, int], list[Line]],
        on_mouse: Callable[[MouseEvent], NotImplementedOrNone],
        has_ground: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(DummyControl(), always_hide_cursor=True)
        self._draw = draw
        self._on_mouse = on_mouse
        self._has_ground = has_ground
        self._rows: list[tuple[Line, _Row]] = []

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,
        erase_bg: bool,
        z_index: int | None,
    ) -> None:
        """Write the lines of now; rows of lines that are as before are used again."""
        at = write_position
        lines = self._draw(at.width, at.height)
        rows = self._rows + [([], _Row(lambda: _BLANK))] * (len(lines) - len(self._rows))
        fills = self._has_ground()
        self._rows = [
            kept if kept[0] == line else (line, _row(line, fills=fills))
            for line, kept in zip(lines, rows, strict=False)
        ]
        for y, (_, row) in enumerate(self._rows, at.ypos):
            screen.data_buffer[y] = row
        screen.width, screen.height = at.width, at.height
        screen.show_cursor = False
        screen.visible_windows_to_write_positions[self] = at
        mouse_handlers.set_mouse_handler_for_range(
            x_min=at.xpos,
            x_max=at.xpos + at.width,
            y_min=at.ypos,
            y_max=at.ypos + at.height,
            handler=self._on_mouse,
        )


def _row(line: Line, *, fills: bool) -> _Row:
    """Return a line as cells; blanks are left out unless they have a colour."""
    row: _Row = defaultdict(lambda: _BLANK)
    x = 0
    for style, text in line:
        if not fills and not style and not text.strip():
            x += len(text)
            continue
        for char in text:
            row[x] = _CHAR_CACHE[char, style]
            x += 1
            if not char.isascii() and cell_width(char) == 2:
                row[x] = _RIGHT_HALF
                x += 1
    return row
