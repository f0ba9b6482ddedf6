"""A place of a game as lines of a screen: a pure function of the player, size and look.

The table is drawn as at a table one sits at; below it stand the hands that may be
seen, each with how far it was from going down, turn by turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from hollywood.protocol.rules import Phase, PlayerView
from hollywood.protocol.wire.messages import SeatInfo

from . import board
from .chart import MAX_ROWS, chart, running_totals
from .desk import Desk
from .model import ClientModel, LinkStatus
from .narrate import describe_contract, join_words, name_deal
from .replay import DOWN, Eyes, Player, Tape
from .text import (
    Line,
    Look,
    cell_width,
    fit,
    line_width,
    pack,
    pad,
    paint,
    spot,
    spread,
    to_ascii,
    wrap,
)

BARS = "▁▂▃▄▅▆▇█"

MIN_COLS, MIN_ROWS = 40, 10
"""Below this size a line asks for room."""


class Pane(StrEnum):
    """What is shown above the bar."""

    TABLE = "table"
    CHART = "chart"
    LOG = "log"
    HELP = "help"


KEYS: tuple[tuple[str, str, str, str], ...] = (
    ("←→", "step", "right", "a step back, a step on"),
    ("↑↓", "turn", "down", "to the end of the turn before, of this turn"),
    ("[ ]", "deal", "]", "to the deal before, to the next deal (also p and n; 1 to 9: that one)"),
    ("space", "play", "space", "play, stop"),
    ("+-", "speed", "+", "faster, more slowly"),
    ("v", "eyes", "v", "whose cards are seen: everybody's, one seat's, nobody's (V: back)"),
    ("c", "chart", "c", "points over the deals, and how each hand came along"),
    ("L", "log", "L", "all that has happened up to here (↑↓ scroll)"),
    ("g G", "ends", "G", "to the beginning, to the end"),
    ("q", "quit", "q", "leave"),
)
"""How keys are written, their word in the bar, the key of a click, and what they do."""


class Seen(ClientModel):
    """A model of a game in which nobody is "you"."""

    def __init__(self, tape: Tape, place: int, eyes: Eyes) -> None:
        super().__init__()
        self.link = LinkStatus("online")
        self.view = tape.view(place, eyes)
        self.seats = tuple(SeatInfo(name, "player") for name in tape.names)

    def who(self, seat: int) -> str:
        """Return the name of a seat."""
        return self.name(seat)


def replay_frame(
    player: Player, pane: Pane, scroll: int, cols: int, rows: int, look: Look
) -> list[Line]:
    """Draw the screen.

    Args:
        player: Where we are in what.
        pane: What is shown.
        scroll: Lines that the log is scrolled back.
        cols: Cells of a line.
        rows: Lines.
        look: How to draw.

    Returns:
        Exactly `rows` lines of exactly `cols` cells.
    """
    if cols <= 0 or rows <= 0:
        return []
    if cols < MIN_COLS or rows < MIN_ROWS:
        told = f" give this window {MIN_COLS}x{MIN_ROWS} or more"
        lines = [fit([("class:alarm", told)], cols), *[fit([], cols)] * (rows - 1)]
        return [to_ascii(line) for line in lines] if look.ascii else lines
    bottom = [*_present(player, cols, look), _bar(cols)]
    room = rows - 1 - len(bottom)
    match pane:
        case Pane.HELP:
            body = help_lines(cols)
        case Pane.CHART:
            body = chart_lines(player, cols, room, look)
        case Pane.LOG:
            body = _log(player, cols, room, look, scroll, before=1)
        case _:
            body = _table(player, cols, room, look)
    lines = [header(player, cols), *_filled(body, room, cols), *bottom]
    return [to_ascii(line) for line in lines] if look.ascii else lines


def _filled(lines: list[Line], rows: int, cols: int) -> list[Line]:
    return [*lines[:rows], *([fit([], cols)] * max(0, rows - len(lines)))]


def header(player: Player, cols: int) -> Line:
    """Which deal, what must be laid, whose cards are seen; where we are at the right."""
    tape = player.tape
    view = tape.view(player.place)
    deal = tape.deal_at(player.place)
    name = name_deal(tape.rules, deal - 1) if deal else tape.rules.title
    need = ""
    if deal and len(set(view.contracts)) == 1 and view.contracts[0] < len(tape.rules.rounds):
        need = f"  {describe_contract(tape.rules.contracts[view.contracts[0]])}"
    left: Line = [("class:header", f" {name}"), ("class:dim", need)]
    right: Line = [
        ("class:turn", f"{_eyes_text(player)} "),
        ("class:header", f"{_state_text(player)} {player.step_number}/{player.steps} "),
    ]
    if line_width(left) + line_width(right) >= cols:
        left = [("class:header", f" {name.split(' of ')[0]}")]
    return spread(left, right, cols)


def _eyes_text(player: Player) -> str:
    match player.eyes:
        case "all":
            return "all hands"
        case "public":
            return "no hands"
    return f"{player.tape.name(player.eyes)}'s hand"


def _state_text(player: Player) -> str:
    if player.is_live and player.is_at_end:
        return "live"
    return f"▸ {player.speed:g}x" if player.is_playing else "step"


# the table


def _table(player: Player, cols: int, rows: int, look: Look) -> list[Line]:
    tape, place = player.tape, player.place
    view = tape.view(place)
    if view.deal < 0:
        return [fit([], cols), *opening(tape, cols)]
    seen = Seen(tape, place, "public")
    hands = hand_lines(player, cols, look, max(rows - 6, 2))
    room = rows - len(hands) - (2 if rows > 8 else 1)  # the line above the log goes first
    table = board.players(Desk(seen, lambda _message: False), cols, max(2, room), look)
    lines = [*table, board.discards(view, seen, cols, look), *hands]
    spare = rows - len(lines) - 1
    if spare < 1:
        return lines
    rule = fit([("class:rule", "─" * cols)], cols)
    return [*lines, rule, *_log(player, cols, spare, look, 0, before=1)]


def opening(tape: Tape, cols: int) -> list[Line]:
    """Say what game this is and who plays."""
    lines = [fit([("", " "), ("class:title", tape.rules.title)], cols)]
    lines += [fit([("", f" seat {seat}  {name}")], cols) for seat, name in enumerate(tape.names, 1)]
    if tape.is_over:
        view = tape.view(len(tape))
        won = join_words([tape.name(seat) for seat in view.winners])
        count = f"{len(tape.deals)} deals, {len(tape)} events"
        lines.append(fit([("class:dim", f" {count}; won by {won}")], cols))
    return lines


def hand_lines(player: Player, cols: int, look: Look, rows: int) -> list[Line]:
    """The hands that may be seen, each with its strength so far in this deal.

    A long hand goes on in the next line where all of them fit in so many rows.
    """
    seats = _seats_seen(player)
    blocks = [_hand_block(player, seat, cols, look) for seat in seats]
    if sum(map(len, blocks)) <= rows:
        return [line for block in blocks for line in block]
    return [fit([part for line in block for part in line], cols) for block in blocks]


def _seats_seen(player: Player) -> tuple[int, ...]:
    match player.eyes:
        case "all":
            return player.tape.known
        case "public":
            return ()
    return (player.eyes,)


def _hand_block(player: Player, seat: int, cols: int, look: Look) -> list[Line]:
    """One hand in as many lines as it takes; the last one is not filled up."""
    tape, place = player.tape, player.place
    width = max(6, min(14 if cols >= 60 else 8, max(cell_width(name) for name in tape.names)))
    spark = 10 if cols >= 60 else 6
    strengths = tape.strengths(place, seat)
    style = "class:turn" if tape.view(place).turn == seat else ""
    head: Line = [
        (style, f" {pad(tape.name(seat), width)} "),
        ("class:good", sparkline(strengths[-spark:], look).rjust(spark)),
        ("class:dim", f" {strength_text(strengths):>4}  "),
    ]
    fresh = tape.new_cards(place).get(seat, ())
    cards = _hand_cards(tape.hand(place, seat) or (), fresh, look)
    indent = line_width(head)
    lines = pack(cards, cols - indent, gap=0) or [[]]
    rest = [fit([("", " " * indent), *line], cols) for line in lines[1:]]
    return [fit([*head, *lines[0]], cols), *rest] if rest else [fit([*head, *lines[0]], cols)]


def _hand_cards(hand: Sequence[str], fresh: Sequence[str], look: Look) -> list[Line]:
    """Cards of a hand; those that came just now in brackets."""
    left = list(fresh)
    cards: list[Line] = []
    # of several copies the last one is the new one
    for card in reversed(hand):
        is_new = card in left
        if is_new:
            left.remove(card)
        edge = ("[", "]") if is_new else (" ", " ")
        cards.append([("class:mark", edge[0]), *paint(card, look), ("class:mark", edge[1])])
    return cards[::-1]


def sparkline(strengths: Sequence[int | None], look: Look) -> str:
    """Draw how far a hand was: a low bar is near, the lowest complete; `v` is down.

    >>> sparkline([6, 4, 1, 0, DOWN], Look()), sparkline([12, 4, DOWN], Look(ascii=True))
    ('▇▅▂▁v', '94v')
    """
    return "".join(_bar_of(strength, look) for strength in strengths)


def _bar_of(strength: int | None, look: Look) -> str:
    if strength is None:
        return "?"
    if strength == DOWN:
        return "v"
    return str(min(9, strength)) if look.ascii else BARS[min(len(BARS) - 1, strength)]


def strength_text(strengths: Sequence[int | None]) -> str:
    """Say the last one: cards short, down, or out of reach."""
    if not strengths:
        return ""
    last = strengths[-1]
    return "down" if last == DOWN else "-" if last is None else str(last)


# charts, the log, help


def chart_lines(player: Player, cols: int, rows: int, look: Look) -> list[Line]:
    """Points over the deals, who stands where, and each hand of this deal turn by turn."""
    tape, place = player.tape, player.place
    view = tape.view(place)
    seats = list(range(view.seats))
    order = sorted(seats, key=lambda seat: (view.totals[seat], seat))
    rank = {seat: i for i, seat in enumerate(order, 1)}
    marks = [str(rank[seat]) if rank[seat] < 10 else "+" for seat in seats]
    hands = _strength_lines(player, cols, look)
    legend = [_standing(tape, view, seat, marks[seat], cols) for seat in order]
    lines = [_title("Points over the deals: the fewest are the lowest", cols)]
    room = rows - len(lines) - len(legend) - len(hands)
    if view.scores and room >= 5:
        lines += chart(running_totals(view.scores, view.seats), marks, cols, min(room, MAX_ROWS))
    elif not view.scores:
        lines.append(fit([("class:dim", " no deal has been scored yet")], cols))
    return [*lines, *legend, *hands]


def _standing(tape: Tape, view: PlayerView, seat: int, mark: str, cols: int) -> Line:
    deals = " ".join(f"{points[seat]:>3}" for points in view.scores)
    text = f"{pad(tape.name(seat), 14)} {view.totals[seat]:>5}   "
    return fit([("class:key", f" {mark} "), ("", text), ("class:dim", deals)], cols)


def _strength_lines(player: Player, cols: int, look: Look) -> list[Line]:
    tape = player.tape
    seats = _seats_seen(player)
    if not seats or not tape.deal_at(player.place):
        return []
    lines = [_title("Cards short of going down, turn by turn (v: down)", cols)]
    for seat in seats:
        strengths = tape.strengths(player.place, seat)
        shown = strengths[-(cols - 26) :]
        head: Line = [
            ("", f"   {pad(tape.name(seat), 14)} "),
            ("class:good", sparkline(shown, look)),
        ]
        lines.append(fit([*head, ("class:dim", f" {strength_text(strengths)}")], cols))
    return lines


def log_length(player: Player, cols: int) -> int:
    """Return how many lines the log up to here has, without the last, which stands below it."""
    return len(_log_texts(player, cols, before=1))


def _log_texts(player: Player, cols: int, least: int = 0, before: int = 0) -> list[str]:
    """Return the log's lines up to here, wrapped; the last ones only where `least` is given."""
    tape, lines = player.tape, list[str]()
    for stop in reversed(tape.stops[1 : player.step_number + 1 - before]):
        wrapped = wrap(tape.tell(stop, player.eyes), cols - 3)
        block = [f"{'  ' if i else ''}{text}" for i, text in enumerate(wrapped)]
        lines += reversed(block)
        if least and len(lines) >= least:
            break
    return lines[::-1]


def _log(
    player: Player, cols: int, rows: int, look: Look, scroll: int, before: int = 0
) -> list[Line]:
    texts = _log_texts(player, cols, rows + scroll, before)
    last = len(texts) - scroll
    shown = texts[max(0, last - rows) : max(rows, last)]
    return [fit(paint(f" {text}", look), cols) for text in shown]


def help_lines(cols: int) -> list[Line]:
    """Return what the keys do."""
    lines = [_title("Keys", cols)]
    for written, _, _, text in KEYS:
        first, *rest = wrap(text, cols - 12)
        lines.append(fit([("class:key", f"  {written:<8}"), ("", f" {first}")], cols))
        lines += [fit([("", " " * 11 + more)], cols) for more in rest]
    marks = "[ ] a card that came just now   > in turn   ? asked about the upcard"
    return [*lines, fit([], cols), *(fit([("", f" {m}")], cols) for m in wrap(marks, cols - 2))]


def _title(text: str, cols: int) -> Line:
    text = f"── {text} "
    return fit([("class:title", text + "─" * max(0, cols - len(text)))], cols)


# below


def _present(player: Player, cols: int, look: Look) -> list[Line]:
    """What has just happened, and how far along that is."""
    text = player.tape.tell(player.place, player.eyes)
    lines = wrap(text, cols - 2)[:2] or [""]
    done = player.step_number / player.steps if player.steps else 1.0
    width = cols - 2
    filled = round(width * done)
    progress = "█" * filled + "░" * (width - filled)
    over = player.tape.view(player.place).phase is Phase.GAME_OVER
    style = "class:good" if over else "class:ask"
    return [
        *(fit(paint(f" {line}", look, style), cols, style) for line in lines),
        fit([("class:dim", f" {progress}")], cols),
    ]


def _bar(cols: int) -> Line:
    """The keys, as many as fit; help stands at the right."""
    right: Line = [(spot("class:key", "key:?"), "?"), (spot("class:bar.text", "key:?"), " help ")]
    room = cols - line_width(right) - 1
    line: Line = []
    for written, word, key, _ in KEYS:
        target = f"key:{key}"
        item: Line = [
            (spot("class:key", target), f" {written}"),
            (spot("class:bar.text", target), f" {word} "),
        ]
        if line_width(line) + line_width(item) <= room:
            line += item
    return spread(line, right, cols)
