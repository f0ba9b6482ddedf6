"""The whole screen as lines: a pure function of model, desk, size and time.

When room is short things go in this order: the log, seats without melds, the
history of discards, the row of marks above the hand. Prompt, hand and key bar
never go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from hollywood.protocol.rules import PlayerView

from . import board
from .composer import CardKey, Spot
from .desk import Desk
from .hand import CELL, cards_per_row
from .keys import Action, bar, find
from .model import ClientModel
from .pane import composer_pane
from .prompt import prompt
from .reading import cover, log_lines, page
from .text import (
    Fragment,
    Line,
    Look,
    card_sign,
    card_style,
    fit,
    line_width,
    spot,
    spread,
    to_ascii,
)
from .waiting import waiting_room

MIN_COLS, MIN_ROWS = 40, 10
"""Below this size only prompt and hand are promised."""

SHORT_ROWS = 16
"""Below this height what is read takes the place of the hand."""

SIDE_COLS = 110
"""From this width on the log stands at the side."""


def frame(
    model: ClientModel, desk: Desk, cols: int, rows: int, now: float, look: Look
) -> list[Line]:
    """Draw the screen.

    Returns:
        Exactly `rows` lines of exactly `cols` cells.
    """
    if cols <= 0 or rows <= 0:
        return []
    bottom = _bottom(model, desk, cols, rows, now, look)
    room = rows - len(bottom)
    if cols < MIN_COLS or rows < MIN_ROWS:
        top = _too_small(cols, room)
    else:
        top = _top(model, desk, cols, room, look)
    lines = [*top, *bottom][:rows]
    if look.ascii:
        lines = [to_ascii(line) for line in lines]
    return lines


def scroll_limit(
    model: ClientModel, desk: Desk, cols: int, rows: int, now: float, look: Look
) -> int:
    """How far what is read can be scrolled on this screen."""
    room = rows - len(_bottom(model, desk, cols, rows, now, look)) - 2
    found = page(desk, cols, room, look)
    if found is None:
        return 0
    return max(0, len(found[1]) - max(0, room))


def _bottom(
    model: ClientModel, desk: Desk, cols: int, rows: int, now: float, look: Look
) -> list[Line]:
    """Prompt, hand, key bar. Where even these do not fit, the hand gives way."""
    keys = _key_bar(desk, cols, look)
    covered = model.result is not None or model.is_game_over
    if not model.is_seated or model.is_watching or covered:
        return [*prompt(desk, cols, max(1, min(3, rows - 1)), now, look), keys][-rows:]
    if desk.reading is not None and rows < SHORT_ROWS:
        return [*prompt(desk, cols, 1, now, look), keys][-rows:]
    count = -(-len(desk.hand.keys) // cards_per_row(cols)) or 1
    spare = rows - 1 - count
    # a short screen keeps header, discards and two lines of the board before marks
    needed = len(desk.composer.contract) + 3 if desk.is_composing else 4
    has_marks = spare - count - 1 >= needed
    hand = _hand(model, desk, cols, look, has_marks)
    left = max(1, rows - 1 - len(hand))
    most = 4 if rows >= SHORT_ROWS else 2 if desk.is_composing else 3
    asked = prompt(desk, cols, max(1, min(left, most)), now, look)
    hand = hand[: max(1, rows - 1 - len(asked))]
    return [*asked, *hand, keys][-rows:]


def _key_bar(desk: Desk, cols: int, look: Look) -> Line:
    """The keys that work now; where one of several things is asked, a number for each."""
    if desk.question is not None and desk.question.options:
        numbers = [str(i + 1) for i in range(len(desk.question.options))]
        return keys_line([*((n, "", n) for n in numbers), ("Esc", "back", "escape")], False, cols)
    active = desk.contexts()
    return keys_line(bar(active), find("?", active) is Action.HELP, cols)


def keys_line(keys: Iterable[tuple[str, str, str]], has_help: bool, cols: int) -> Line:
    """As many keys as fit, each to be clicked; help stands at the right."""
    help_: Line = [(spot("class:key", "key:?"), "?"), (spot("class:bar.text", "key:?"), " help ")]
    right: Line = help_ if has_help else []
    room = cols - line_width(right) - 1
    line: Line = []
    for written, label, key in keys:
        target = f"key:{'space' if key == ' ' else key}"
        item: Line = [
            (spot("class:key", target), f" {written}"),
            (spot("class:bar.text", target), f" {label} " if label else " "),
        ]
        if line_width(line) + line_width(item) <= room:
            line += item
    return spread(line, right, cols)


# the hand


def _hand(model: ClientModel, desk: Desk, cols: int, look: Look, has_marks: bool) -> list[Line]:
    """Rows of cards, each with a row of marks above it where there is room."""
    keys = desk.hand.keys
    if not keys:
        return [fit([("class:dim", " no cards in hand")], cols)]
    per_row = cards_per_row(cols)
    marks = _marks(model, desk)
    lines: list[Line] = []
    for first in range(0, len(keys), per_row):
        row = keys[first : first + per_row]
        if has_marks:
            text = "".join(f"{marks.get(key, ''):^{CELL}}" for key in row)
            lines.append(fit([("class:mark", f" {text}")], cols))
        cells: Line = [("", " ")]
        for key in row:
            cells += _card(key, desk, "" if has_marks else marks.get(key, ""), look)
        lines.append(fit(cells, cols))
    return lines


def _marks(model: ClientModel, desk: Desk) -> dict[CardKey, str]:
    """What stands above each card: its place in the draft, ^ selected, + new."""
    fresh = desk.hand.marks_of_new(model.new_cards)
    spots = desk.composer.spots() if desk.is_composing else {}
    counts = Counter(desk.glance.needed if desk.shows_hints and desk.glance is not None else ())
    marks: dict[CardKey, str] = {}
    for key in desk.hand.keys:
        place = _spot_mark(desk, spots[key]) if key in spots else ""
        chosen = "^" if key in desk.hand.selected else ""
        new = "+" if key in fresh and not place else ""
        helps = "!" if key[1] < counts[key[0]] and not place else ""
        marks[key] = f"{place}{chosen}{new}{helps}"
    return marks


def _spot_mark(desk: Desk, spot: Spot) -> str:
    if spot.kind == "pile":
        return str(spot.index + 1)
    if spot.kind == "discard":
        return "x"
    return desk.composer.letter(desk.composer.draft.lay_offs[spot.index].target)


def _card(key: CardKey, desk: Desk, mark: str, look: Look) -> Line:
    """One card in its cell; without a row of marks the mark stands beside it."""
    card, _ = key
    is_cursor = key == desk.hand.cursor
    if mark[:1].isalnum() and mark[:1] != "x":
        mark = "·" + mark[1:]  # a digit beside a rank would read as one number
    before = "[" if is_cursor else mark[:1] or " "
    after = (mark[:1] or "]") if is_cursor else mark[1:2] or " "
    style = card_style(card)
    if is_cursor:
        style += " class:cursor"
    if key in desk.hand.selected:
        style += " class:selected"
    edge = "class:cursor" if is_cursor else "class:mark"
    line: Line = [(edge, before), (style, card_sign(card, look)), (edge, after)]
    return [(spot(style, f"card:{key[0]}:{key[1]}"), text) for style, text in line]


# above the prompt


def _too_small(cols: int, rows: int) -> list[Line]:
    text = f" give this window {MIN_COLS}x{MIN_ROWS} or more"
    return _filled([fit([("class:alarm", text)], cols)], rows, cols)


def _top(model: ClientModel, desk: Desk, cols: int, rows: int, look: Look) -> list[Line]:
    if rows <= 0:
        return []
    head = board.header(model, cols, look)
    covered = cover(desk, cols, rows - 1, look)
    if covered is not None:
        return [head, *covered]
    view = model.view
    if view is None or view.deal < 0:
        return [head, *_filled(waiting_room(model, cols, rows - 1, look), rows - 1, cols)]
    if cols >= SIDE_COLS:
        return [head, *_wide(model, view, desk, cols, rows - 1, look)]
    return [head, *_stacked(model, view, desk, cols, rows - 1, look)]


def _stacked(
    model: ClientModel, view: PlayerView, desk: Desk, cols: int, rows: int, look: Look
) -> list[Line]:
    """Players, discards, the log; the composer below them all."""
    pane = composer_pane(desk, cols, rows, look) if desk.is_composing else []
    if rows - len(pane) < 4 and desk.question is not None:
        pane = []  # a meld is asked for: those on the table have to be seen
    room = rows - len(pane)
    if room < 1:
        return pane
    players = board.players(desk, cols, room - 1, look)
    lines = [*players, _discards(desk, view, cols, look)]
    spare = room - len(lines) - 1
    if spare < (3 if pane else 1):
        return [*_filled(lines, room, cols), *pane]
    log = log_lines(model, cols, spare, look)
    rule = fit([("class:rule", "─" * cols)], cols)
    return [*lines, rule, *_filled(log, spare, cols), *pane]


def _wide(
    model: ClientModel, view: PlayerView, desk: Desk, cols: int, rows: int, look: Look
) -> list[Line]:
    """The log at the right; the composer under the players."""
    side = max(38, cols // 3)
    width = cols - side - 1
    pane = composer_pane(desk, width, max(2, rows - 6), look) if desk.is_composing else []
    room = rows - len(pane)
    lines = board.players(desk, width, max(0, room - 2), look)
    lines = [*lines, fit([], width), _discards(desk, view, width, look)]
    left = [*_filled(lines, room, width), *pane]
    log = _filled(log_lines(model, side, rows, look), rows, side)
    bar_: Fragment = ("class:rule", "│")
    return [[*one, bar_, *other] for one, other in zip(left, log, strict=True)]


def _discards(desk: Desk, view: PlayerView, cols: int, look: Look) -> Line:
    useful = desk.glance.useful if desk.shows_hints and desk.glance is not None else ()
    return board.discards(view, desk.model, cols, look, is_useful=view.upcard in useful)


def _filled(lines: list[Line], rows: int, cols: int) -> list[Line]:
    """Cut or fill lines at the end to exactly so many."""
    return [*lines[: max(0, rows)], *([fit([], cols)] * max(0, rows - len(lines)))]
