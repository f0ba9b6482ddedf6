"""What covers the table while it is read: help, scores, the log, results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from hollywood.protocol.rules import PlayerView, RuleSet
from hollywood.protocol.rules import events as ev

from .chart import MAX_ROWS, chart, running_totals
from .desk import Desk, Reading
from .keys import help_sections
from .model import ClientModel
from .narrate import describe_contract, join_words, name_deal
from .rulespage import in_short, rules_texts
from .text import Line, Look, cell_width, clip, fit, pad, paint, wrap

MARKS = (
    "Hand: [ ] cursor, ^ selected, + new card, ! counts (hints), 1-9 its pile, a-z its meld, "
    "x the discard.",
    "Players: > to play, ? may still take the upcard, & a bot, z away.",
    "Melds: a 7♥♦♠* is a set of sevens, * a wild; b ♠9T*Q a run, its wild stands for J♠.",
    "Cards: T is ten, JK a joker. Larger cards: make the terminal's font larger.",
)

STEPS = (
    "Each turn: first the upcard is offered. On your turn p takes it free, n draws from the "
    "stock instead. On another's turn b buys it, with a penalty card.",
    "Then you play: x discards the card under the cursor. To go down press g (or a for advice): "
    "select cards with space, put them on piles with 1, 2, ..., lay others off with l and "
    "a meld's letter, mark the discard with x, and send all of it with Enter.",
)


WHERE_THE_RULES_ARE = "R shows all rules of this table; a number like (0-31) is a row of RULES.md"


def cover(desk: Desk, cols: int, rows: int, look: Look) -> list[Line] | None:
    """Return what covers the table, in exactly so many rows; None if nothing does."""
    found = page(desk, cols, rows - 1, look)
    if found is None:
        return None
    title, lines = found
    room = max(0, rows - 1)
    spare = max(0, len(lines) - room)
    first = min(desk.scroll, spare)
    if desk.reading is Reading.LOG:
        first = spare - first
    if spare:
        title += f"  {first + 1}-{first + room} of {len(lines)} ↑↓"
    shown = lines[first : first + room]
    blank: list[Line] = [fit([], cols)] * (room - len(shown))
    return [_title(title, cols), *shown, *blank][:rows]


class _Texts(Sequence[Line]):
    """Lines of a long text, each painted only when it is shown."""

    def __init__(self, texts: list[str], cols: int, look: Look) -> None:
        self._texts = texts
        self._cols = cols
        self._look = look

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, at: int) -> Line: ...
    @overload
    def __getitem__(self, at: slice) -> list[Line]: ...
    def __getitem__(self, at: int | slice) -> Line | list[Line]:
        if isinstance(at, slice):
            return [_text(text, self._cols, self._look) for text in self._texts[at]]
        return _text(self._texts[at], self._cols, self._look)


def page(desk: Desk, cols: int, rows: int, look: Look) -> tuple[str, Sequence[Line]] | None:
    """Return the title and every line of what is read, None if nothing is.

    There may be more lines than `rows`, which are there for them.
    """
    model, view = desk.model, desk.model.view
    match desk.reading:
        case Reading.HELP:
            return "Help", help_lines(cols, look, None if view is None else view.rules)
        case Reading.RULES:
            return "Rules", _rules(view, cols)
        case Reading.SCORES if view is not None:
            return "Scores", scores(model, view, cols, look)
        case Reading.LOG:
            texts = [line for text in model.log for line in _wrap_entry(text, cols)]
            return "Log", _Texts(texts, cols, look)
    if view is None:
        return None
    if model.is_game_over:
        return "The game is over", _game_over(model, view, cols, rows, look)
    if model.result is not None:
        title = f"{name_deal(view.rules, model.result.deal)} is over"
        return title, result(model, view, model.result, cols, look)
    return None


def _title(text: str, cols: int) -> Line:
    text = clip(f"── {text} ", cols)
    return fit([("class:title", text + "─" * (cols - len(text)))], cols)


def help_lines(cols: int, look: Look, rules: RuleSet | None = None) -> list[Line]:
    """Return the help: the aim, how a turn goes, what the marks mean, every key there is.

    Where no table is, and so no rules, the keys of the lists come first.
    """
    *at_table, of_lists = help_sections()
    lines = [] if rules is not None else [*_keys(*of_lists, cols), fit([], cols)]
    if rules is not None:
        told = [*in_short(rules), f"{WHERE_THE_RULES_ARE}."]
        lines += [_text(line, cols, look) for text in told for line in wrap(text, cols - 2)]
        lines.append(fit([], cols))
    lines += [_text(line, cols, look) for step in STEPS for line in wrap(step, cols - 2)]
    lines += [fit([], cols), fit([("class:title", " Marks")], cols)]
    lines += [_text(line, cols, look) for mark in MARKS for line in wrap(mark, cols - 2)]
    for section in at_table if rules is None else (*at_table, of_lists):
        lines += [fit([], cols), *_keys(*section, cols)]
    return lines


def _keys(heading: str, entries: Sequence[tuple[str, str]], cols: int) -> list[Line]:
    """What the keys of one heading do."""
    width = 14 if cols >= 60 else 9
    lines = [fit([("class:title", f" {heading}")], cols)]
    for written, text in entries:
        first, *rest = wrap(text, cols - width - 4)
        lines.append(fit([("class:key", f"  {written:<{width}}"), ("", f" {first}")], cols))
        lines += [fit([("", " " * (width + 3) + more)], cols) for more in rest]
    return lines


def _rules(view: PlayerView | None, cols: int) -> list[Line]:
    if view is None:
        return [fit([("class:dim", " the server has not told yet what is played here")], cols)]
    told = rules_texts(view.rules, cols - 2)
    return [fit([("class:title" if is_title else "", f" {line}")], cols) for line, is_title in told]


def _text(text: str, cols: int, look: Look, style: str = "") -> Line:
    return fit(paint(f" {text}", look, style), cols)


def log_lines(model: ClientModel, cols: int, rows: int, look: Look) -> list[Line]:
    """Return the newest lines of the log, wrapped."""
    texts: list[str] = []
    for text in reversed(model.log):
        if len(texts) >= rows:
            break
        texts = [*_wrap_entry(text, cols), *texts]
    return [_text(text, cols, look) for text in texts[max(0, len(texts) - rows) :]]


def _wrap_entry(text: str, cols: int) -> list[str]:
    return [f"{'  ' if i else ''}{line}" for i, line in enumerate(wrap(text, cols - 3))]


def result(
    model: ClientModel, view: PlayerView, ended: ev.DealEnded, cols: int, look: Look
) -> list[Line]:
    """Return the points of one deal, totals, and what everybody held."""
    if ended.went_out is None:
        how = "The stock ran out."
    else:
        how = f"{model.who(ended.went_out)} went out."
    lines = [_text(how[:1].upper() + how[1:], cols, look)]
    following = _next_contract(view)
    if following is not None:
        need = describe_contract(view.rules.contracts[following])
        lines += [_text(line, cols, look) for line in wrap(f"Next: {need}.", cols - 2)]
    width = _names_width(model, view, cols)
    lines.append(_text(f"{'player':<{width}}  points  total  cards left", cols, look, "class:dim"))
    best = min(ended.totals)
    for seat in sorted(range(view.seats), key=lambda seat: (ended.totals[seat], seat)):
        head = (
            f" {pad(model.who(seat), width)} {ended.points[seat]:7d} "
            f"{ended.totals[seat]:6d}{'*' if ended.totals[seat] == best else ' '} "
        )
        style = "class:me" if seat == view.seat else ""
        cards = " ".join(ended.hands[seat]) or "-"
        lines.append(fit([(style, head), *paint(cards, look)], cols))
    lines.append(_text("* fewest points so far", cols, look, "class:dim"))
    return lines


def _next_contract(view: PlayerView) -> int | None:
    """The contract of the next deal, our own where each player has one; None of the last."""
    if view.seat is not None and view.rules.progress == "per_player":
        following = view.round + view.is_down
    else:
        following = view.deal + 1 if view.rules.progress != "per_player" else len(view.rules.rounds)
    return following if following < len(view.rules.rounds) else None


def _game_over(
    model: ClientModel, view: PlayerView, cols: int, rows: int, look: Look
) -> list[Line]:
    names = join_words([model.who(seat) for seat in view.winners])
    best = min(view.totals, default=0)
    won = f"{names[:1].upper()}{names[1:]} won with {best} points, the fewest."
    shared = " Equal points share the win." if len(view.winners) > 1 else ""
    lines = [fit([("class:ask", f" {line}")], cols) for line in wrap(won + shared, cols - 2)]
    rank = {seat: i for i, seat in enumerate(_ranking(view), 1)}
    marks = [str(rank[seat]) if rank[seat] < 10 else "+" for seat in range(view.seats)]
    totals = running_totals(view.scores, view.seats)
    table = _score_table(model, view, cols, look, is_numbered=True)
    gap = [fit([], cols)]
    room = rows - len(lines) - len(table) - 2
    drawn = chart(totals, marks, cols, max(12 if cols >= 60 else 9, min(room, MAX_ROWS)), view.seat)
    return [*lines, *gap, *table, *gap, *[fit(line, cols) for line in drawn]]


def _ranking(view: PlayerView) -> list[int]:
    return sorted(range(view.seats), key=lambda seat: (view.totals[seat], seat))


def scores(model: ClientModel, view: PlayerView, cols: int, look: Look) -> list[Line]:
    """Return a row for each seat, how to win, and what each round asks for."""
    lines = _score_table(model, view, cols, look)
    lines += [_text(line, cols, look, "class:dim") for line in _how_to_win(model, view, cols)]
    at = None if view.seat is None else view.round
    for deal, contract in enumerate(view.rules.contracts):
        now = "  <- now" if deal == at else ""
        lines.append(_text(f"r{deal + 1:<3} {describe_contract(contract)}{now}", cols, look))
    return lines


def _score_table(
    model: ClientModel, view: PlayerView, cols: int, look: Look, *, is_numbered: bool = False
) -> list[Line]:
    """A row for each seat: points by deal, the total; the best total first.

    On a narrow screen the oldest deals are left out.
    """
    width = _names_width(model, view, cols)
    deals = list(range(len(view.scores)))
    shown = deals[-max(1, (cols - width - 12) // 4) :]
    gap = " …" if len(shown) < len(deals) else "  "
    head = "".join(f"{f'r{deal + 1}':>4}" for deal in shown)
    lead = "  " if is_numbered else ""
    lines = [_text(f"{lead}{'player':<{width}}{gap}{head}  total", cols, look, "class:dim")]
    for place, seat in enumerate(_ranking(view), 1):
        points = "".join(f"{view.scores[deal][seat]:4d}" for deal in shown)
        mark = "*" if view.totals[seat] == min(view.totals) else " "
        number = f"{place} " if is_numbered else ""
        text = f"{number}{pad(model.who(seat), width)}  {points} {view.totals[seat]:6d}{mark}"
        lines.append(_text(text, cols, look, "class:me" if seat == view.seat else ""))
    return lines


def _how_to_win(model: ClientModel, view: PlayerView, cols: int) -> list[str]:
    """What the points mean, and how far each player is where that differs."""
    if view.rules.game.winner == "lowest":
        lines = ["Fewest points win (*)."]
    else:
        lines = [
            f"Fewest points win (*), of those who have made contract {len(view.rules.rounds)}."
        ]
    if view.rules.progress == "per_player" and view.contracts:
        at = ", ".join(f"{model.who(s)} {i + 1}" for s, i in enumerate(view.contracts))
        lines.append(f"Contract of each player: {at}.")
    return [part for line in lines for part in wrap(line, cols - 2)]


def _names_width(model: ClientModel, view: PlayerView, cols: int) -> int:
    longest = max((cell_width(model.who(seat)) for seat in range(view.seats)), default=6)
    return max(6, min(longest, 16 if cols >= 60 else 8))
