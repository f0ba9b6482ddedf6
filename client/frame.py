"""The whole screen as lines: a pure function of model, desk, size and time.

When room is short things go in this order: the log, seats without melds, the
history of discards, the row of marks above the hand. Prompt, hand and key bar
never go.
"""

from __future__ import annotations

from hollywood.protocol.rules import PlayerView

from . import board
from .composer import CardKey, Spot
from .desk import Desk
from .hand import CELL, cards_per_row
from .keys import bar
from .model import ClientModel
from .narrate import describe_meld
from .prompt import prompt
from .reading import cover, log_lines
from .text import (
    Fragment,
    Line,
    Look,
    card_sign,
    card_style,
    fit,
    line_width,
    paint,
    spread,
    to_ascii,
    wrap,
)

MIN_COLS, MIN_ROWS = 40, 10
"""Below this size only prompt and hand are promised."""

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
    lines = [*_top(model, desk, cols, room, look), *bottom][:rows]
    if look.ascii:
        lines = [to_ascii(line) for line in lines]
    return lines


def _bottom(
    model: ClientModel, desk: Desk, cols: int, rows: int, now: float, look: Look
) -> list[Line]:
    """Prompt, hand, key bar. Where even these do not fit, the hand gives way."""
    keys = _key_bar(desk, cols, look)
    if model.view is None or not model.is_seated:
        return [*prompt(desk, cols, max(1, min(3, rows - 1)), now, look), keys][-rows:]
    count = -(-len(desk.hand.keys) // cards_per_row(cols)) or 1
    spare = rows - 1 - count
    # a short screen keeps header, discards and two lines of the board before marks
    has_marks = spare - count - 1 >= 4
    hand = _hand(model, desk, cols, look, has_marks)
    left = max(1, rows - 1 - len(hand))
    asked = prompt(desk, cols, max(1, min(left, 4 if rows >= 16 else 2)), now, look)
    hand = hand[: max(1, rows - 1 - len(asked))]
    return [*asked, *hand, keys][-rows:]


def _key_bar(desk: Desk, cols: int, look: Look) -> Line:
    """The keys that work now, as many as fit; help is always at the right."""
    right: Line = [("class:key", "?"), ("class:bar.text", " help ")]
    room = cols - line_width(right) - 1
    line: Line = []
    for written, label in bar(desk.contexts()):
        item: Line = [("class:key", f" {written}"), ("class:bar.text", f" {label} ")]
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
    marks: dict[CardKey, str] = {}
    for key in desk.hand.keys:
        place = _spot_mark(desk, spots[key]) if key in spots else ""
        chosen = "^" if key in desk.hand.selected else ""
        marks[key] = f"{place}{chosen}{'+' if key in fresh and not place else ''}"
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
    before = "[" if is_cursor else mark[:1] or " "
    after = (mark[:1] or "]") if is_cursor else mark[1:2] or " "
    style = card_style(card)
    if is_cursor:
        style += " class:cursor"
    if key in desk.hand.selected:
        style += " class:selected"
    edge = "class:cursor" if is_cursor else "class:mark"
    return [(edge, before), (style, card_sign(card, look)), (edge, after)]


# above the prompt


def _top(model: ClientModel, desk: Desk, cols: int, rows: int, look: Look) -> list[Line]:
    if rows <= 0:
        return []
    if cols < MIN_COLS or rows < 3:
        room = f" give this window {MIN_COLS}x{MIN_ROWS} or more"
        return [fit([("class:alarm", room)], cols), *[fit([], cols)] * (rows - 1)]
    head = board.header(model, cols, look)
    covered = cover(desk, cols, rows - 1, look)
    if covered is not None:
        return [head, *covered]
    view = model.view
    if view is None or view.deal < 0:
        return [head, *_waiting(model, cols, rows - 1, look)]
    if cols >= SIDE_COLS:
        return [head, *_wide(model, view, desk, cols, rows - 1, look)]
    return [head, *_stacked(model, view, desk, cols, rows - 1, look)]


def _waiting(model: ClientModel, cols: int, rows: int, look: Look) -> list[Line]:
    lines = [fit([], cols)]
    if model.table:
        lines.append(fit([("", f" table {model.table}")], cols))
    for number, seat in enumerate(model.seats, 1):
        name = "(free)" if seat.kind == "open" else seat.name
        lines.append(fit([("", f" seat {number}  {name}")], cols))
    return _filled(lines, rows, cols)


def _stacked(
    model: ClientModel, view: PlayerView, desk: Desk, cols: int, rows: int, look: Look
) -> list[Line]:
    """Players, discards, then the composer or the log."""
    pile = board.discards(view, model, cols, look)
    if desk.is_composing:
        pane = _composer_pane(desk, cols, max(2, rows - 3), look)
        players = board.players(desk, cols, max(0, rows - 1 - len(pane)), look)
        lines = [*players, pile][: max(0, rows - len(pane))]
        return [*_filled(lines, rows - len(pane), cols), *pane][:rows]
    players = board.players(desk, cols, rows - 1, look)
    lines = [*players, pile]
    room = rows - len(lines) - 1
    if room <= 0:
        return _filled(lines, rows, cols)
    log = log_lines(model, cols, room, look)
    rule = fit([("class:rule", "─" * cols)], cols)
    return [*lines, rule, *_filled(log, room, cols)]


def _wide(
    model: ClientModel, view: PlayerView, desk: Desk, cols: int, rows: int, look: Look
) -> list[Line]:
    """The log at the right; the composer under the players."""
    side = max(38, cols // 3)
    width = cols - side - 1
    pane = _composer_pane(desk, width, max(2, rows - 6), look) if desk.is_composing else []
    room = rows - len(pane)
    lines = board.players(desk, width, max(0, room - 2), look)
    lines = [*lines, fit([], width), board.discards(view, model, width, look)]
    left = [*_filled(lines, room, width), *pane]
    log = _filled(log_lines(model, side, rows, look), rows, side)
    bar_: Fragment = ("class:rule", "│")
    return [[*one, bar_, *other] for one, other in zip(left, log, strict=True)]


def _filled(lines: list[Line], rows: int, cols: int) -> list[Line]:
    """Cut or fill lines at the end to exactly so many."""
    return [*lines[: max(0, rows)], *([fit([], cols)] * max(0, rows - len(lines)))]


# the composer


def _composer_pane(desk: Desk, cols: int, rows: int, look: Look) -> list[Line]:
    """The draft in at most so many rows; the title goes first, then empty parts."""
    composer = desk.composer
    model, view = desk.model, composer.view
    lines: list[Line] = []
    title = "You are down: lay off" if view.is_down else "Go down"
    head = f"── {title}: nothing is sent until Enter "
    lines.append(fit([("class:title", head + "─" * max(0, cols - len(head)))], cols))
    narrow = cols < 60
    for i, (spec, state) in enumerate(zip(composer.contract, composer.pile_states(), strict=True)):
        pile = composer.draft.piles[i]
        chosen = composer.draft.chosen[i]
        name = str(spec) if narrow else f"{spec.kind} of {spec.size}"
        said = (
            f"OK: {describe_meld(chosen)}"
            if chosen is not None and len(state.readings) > 1
            else state.text
        )
        style = "class:good" if state.is_legal else "class:dim"
        cards = " ".join(pile)
        line = [("class:key", f" {i + 1}"), ("", f" {name:<{4 if narrow else 10}} ")]
        line += [*paint(f"{cards}  " if cards else "", look), *paint(said, look, style)]
        lines.append(fit(line, cols))
    lines += _lay_off_lines(desk, cols, look)
    discard = composer.discard()
    free = list(composer.free_cards())
    if discard is not None and discard in free:
        free.remove(discard)
    left = f"  {len(free)} {'card stays' if len(free) == 1 else 'cards stay'} in hand"
    shown = discard if discard is not None else "none yet"
    lines.append(
        fit([("class:key", " x"), *paint(f" discard {shown}", look), ("class:dim", left)], cols)
    )
    check = composer.check()
    if check.play is not None:
        verdict, style = "This is legal: Enter plays it.", "class:good"
    else:
        verdict, style = model.words(check.text), "class:notice"
    lines += [fit(paint(f" {line}", look, style), cols) for line in wrap(verdict, cols - 2)[:2]]
    if len(lines) > rows:
        lines = lines[1:]
    return lines[:rows]


def _lay_off_lines(desk: Desk, cols: int, look: Look) -> list[Line]:
    composer = desk.composer
    lay_offs = composer.draft.lay_offs
    if not lay_offs and not composer.view.table:
        return []
    planned = ", ".join(f"{lay.card} on {composer.letter(lay.target)}" for lay in lay_offs)
    return [
        fit([("class:key", "  " if i else " l"), *paint(f" {line}", look)], cols)
        for i, line in enumerate(wrap(f"lay off {planned or 'nothing yet'}", cols - 5))
    ]
