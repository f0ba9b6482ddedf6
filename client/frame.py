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
from .keys import Action, bar, find
from .model import ClientModel
from .narrate import describe_meld
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


def scroll_limit(
    model: ClientModel, desk: Desk, cols: int, rows: int, now: float, look: Look
) -> int:
    """How far what is read can be scrolled on this screen."""
    found = page(desk, cols, look)
    if found is None:
        return 0
    room = rows - len(_bottom(model, desk, cols, rows, now, look)) - 2
    return max(0, len(found[1]) - max(0, room))


def _bottom(
    model: ClientModel, desk: Desk, cols: int, rows: int, now: float, look: Look
) -> list[Line]:
    """Prompt, hand, key bar. Where even these do not fit, the hand gives way."""
    keys = _key_bar(desk, cols, look)
    if not model.is_seated or model.result is not None or model.is_game_over:
        return [*prompt(desk, cols, max(1, min(3, rows - 1)), now, look), keys][-rows:]
    count = -(-len(desk.hand.keys) // cards_per_row(cols)) or 1
    spare = rows - 1 - count
    # a short screen keeps header, discards and two lines of the board before marks
    needed = len(desk.composer.contract) + 3 if desk.is_composing else 4
    has_marks = spare - count - 1 >= needed
    hand = _hand(model, desk, cols, look, has_marks)
    left = max(1, rows - 1 - len(hand))
    asked = prompt(desk, cols, max(1, min(left, 4 if rows >= 16 else 3)), now, look)
    hand = hand[: max(1, rows - 1 - len(asked))]
    return [*asked, *hand, keys][-rows:]


def _key_bar(desk: Desk, cols: int, look: Look) -> Line:
    """The keys that work now, as many as fit; help stands at the right."""
    active = desk.contexts()
    has_help = find("?", active) is Action.HELP
    right: Line = [("class:key", "?"), ("class:bar.text", " help ")] if has_help else []
    room = cols - line_width(right) - 1
    line: Line = []
    for written, label in bar(active):
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
    """Players, discards, the log; the composer below them all."""
    pane = _composer_pane(desk, cols, rows, look) if desk.is_composing else []
    room = rows - len(pane)
    if room < 1:
        return pane
    players = board.players(desk, cols, room - 1, look)
    lines = [*players, board.discards(view, model, cols, look)]
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
    """The draft in at most so many rows; the title goes first where room is short."""
    composer = desk.composer
    if composer.view.is_down:
        head = "── Lay off: space selects, l and a letter lays off, x marks the discard "
    else:
        head = "── Go down: space selects, a number puts on that pile, x marks the discard "
    title = fit([("class:title", head + "─" * max(0, cols - len(head)))], cols)
    lines = [_pile_line(desk, i, cols, look) for i in range(len(composer.contract))]
    lines += _lay_off_lines(desk, cols, look)
    lines.append(_discard_line(desk, cols, look))
    return [title, *lines] if len(lines) < rows else lines[:rows]


def _pile_line(desk: Desk, pile: int, cols: int, look: Look) -> Line:
    composer = desk.composer
    spec, state = composer.contract[pile], composer.pile_states()[pile]
    cards, chosen = composer.draft.piles[pile], composer.draft.chosen[pile]
    width, name = (10, f"{spec.kind} of {spec.size}") if cols >= 60 else (3, str(spec))
    is_chosen = chosen is not None and len(state.readings) > 1
    said = f"OK: {describe_meld(chosen)}" if is_chosen and chosen is not None else state.text
    return fit(
        [
            ("class:key", f" {pile + 1}"),
            ("", f" {name:<{width}} "),
            *paint(f"{' '.join(cards)}  " if cards else "", look),
            *paint(said, look, "class:good" if state.is_legal else "class:dim"),
        ],
        cols,
    )


def _lay_off_lines(desk: Desk, cols: int, look: Look) -> list[Line]:
    composer = desk.composer
    lay_offs = composer.draft.lay_offs
    if not lay_offs:
        return []
    planned = ", ".join(f"{lay.card} on {composer.letter(lay.target)}" for lay in lay_offs)
    return [
        fit([("class:key", "  " if i else " l"), *paint(f" {line}", look)], cols)
        for i, line in enumerate(wrap(f"lay off {planned}", cols - 5))
    ]


def _discard_line(desk: Desk, cols: int, look: Look) -> Line:
    composer = desk.composer
    discard = composer.discard()
    # a single card left over is the discard without having been marked
    is_marked = composer.draft.discard is not None
    stay = len(composer.free_cards()) - (discard is not None and not is_marked)
    if stay == 0 and (composer.view.is_down or composer.draft.has_melds):
        said = "  no card stays: you float" if discard is None else "  no card stays: you go out"
    else:
        said = f"  {stay} {'card stays' if stay == 1 else 'cards stay'} in hand"
    return fit(
        [
            ("class:key", " x"),
            *paint(f" discard {discard or 'not marked yet'}", look),
            ("class:dim", said),
        ],
        cols,
    )
