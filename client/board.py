"""The table above the hand: header, players with their melds, the discards."""

from __future__ import annotations

from collections.abc import Callable

from hollywood.protocol.rules import Meld, MeldKind, Phase, PlayerView, RuleSet, format_contract
from hollywood.protocol.rules.cards import PLACE_RANKS, SUIT
from hollywood.protocol.rules.melds import is_natural

from .desk import Desk
from .model import ClientModel
from .narrate import describe_contract, meld_letter, name_deal
from .text import (
    Fragment,
    Line,
    Look,
    card_sign,
    card_style,
    cell_width,
    fit,
    line_width,
    pack,
    pad,
    paint,
    spot,
    spread,
    suit_sign,
)

HISTORY = 8
"""Discards shown under the upcard at most."""

WriteMeld = Callable[[Meld, int, RuleSet, Look], Line]

_WIDE_NAME, _NARROW_NAME = 14, 8


def header(model: ClientModel, cols: int, look: Look) -> Line:
    """Round, what is needed, buys left; stock and link at the right."""
    view = model.view
    link = _link(model)
    quiet: Line = [] if model.link.state == "online" else link
    if view is None or view.deal < 0:
        return spread([("class:header", " Hollywood rummy")], link, cols)
    stock: Fragment = (spot("class:header", "stock:"), f"stock {view.stock} ")
    if view.seat is None:
        watched = f" you watch   {name_deal(view.rules, view.deal)}"
        if view.rules.progress != "per_player":
            contracts = view.rules.contracts
            need = f"   {describe_contract(contracts[min(view.deal, len(contracts) - 1)])}"
            has_room = len(watched + need) + line_width([stock, *link]) < cols
            watched += need if has_room else ""
        has_room = len(watched) + line_width([stock, *link]) < cols
        return spread([("class:header", watched)], [stock, *(link if has_room else quiet)], cols)
    of = len(view.rules.rounds)
    is_over = model.is_game_over or model.result is not None
    if is_over:
        over = "game" if model.is_game_over else "round"
        needs = [f"the {over} is over", f"{over} over"]
    elif view.is_down:
        needs = ["you are down: lay off and discard", "you are down"]
    else:
        short = format_contract(view.contract).replace(" ", "")
        needs = [f"need {describe_contract(view.contract)}", f"need {short}"]
    left = view.buys_left
    has_buys = left is not None and view.rules.buy.enabled and not is_over
    buys = [f"buys left {left}", f"buys {left}"] if has_buys else ["", ""]
    rounds = [f" round {view.round + 1}/{of}", f" R{view.round + 1}/{of}"]
    for round_, need, buy, gap, end in (
        (rounds[0], needs[0], buys[0], "   ", link),
        (rounds[0], needs[0], buys[0], "  ", link),
        (rounds[0], needs[1], buys[0], "  ", link),
        (rounds[1], needs[1], buys[1], "  ", link),
        (rounds[1], needs[1], buys[1], "  ", quiet),
    ):
        text = gap.join(part for part in (round_, need, buy) if part)
        line = [("class:header", text)]
        right = [stock, *end]
        if line_width(line) + line_width(right) + 1 <= cols:
            break
    return spread(line, right, cols)


def _link(model: ClientModel) -> Line:
    match model.link.state:
        case "online":
            return [("class:header", "online ")]
        case "connecting":
            return [("class:alarm", " connecting ")]
    return [("class:alarm", " LINK LOST ")]


def discards(
    view: PlayerView, model: ClientModel, cols: int, look: Look, *, is_useful: bool = False
) -> Line:
    """The upcard in brackets, who left it, and what lies under it; ! on one that helps."""
    pile = list(view.discards)
    line: Line = [("", " discard ")]
    if view.upcard is not None:
        pile.pop()
        target = spot("class:upcard", "upcard:")
        sign = (f"{target} {card_style(view.upcard)}", card_sign(view.upcard, look))
        line += [(target, "["), sign, (target, "]")]
        if is_useful:
            line.append(("class:mark", "!"))
        by = "turned up" if view.discarder is None else f"by {model.who(view.discarder)}"
        line.append(("class:dim", f" {by}"))
    else:
        line.append(("class:dim", "none to take"))
    if pile:
        more = len(pile) - HISTORY
        under = " ".join(reversed(pile[-HISTORY:]))
        line += [("class:dim", "   under "), *paint(under, look, "class:dim")]
        if more > 0:
            line.append(("class:dim", f" +{more}"))
    return fit(line, cols)


def players(desk: Desk, cols: int, rows: int, look: Look) -> list[Line]:
    """One line or more for each seat, in at most so many rows.

    Where room is short, seats without melds go first, then everything but the melds.
    """
    model, view = desk.model, desk.model.view
    if view is None or rows <= 0:
        return []
    seats = [(view.me + i) % view.seats if view.seat is not None else i for i in range(view.seats)]
    blocks = [_player(model, view, seat, cols, look, meld_full) for seat in seats]
    if any(len(block) > 1 for block in blocks):
        blocks = [_player(model, view, seat, cols, look, meld_short) for seat in seats]
    if sum(map(len, blocks)) < rows:
        return [_titles(model, cols), *(line for block in blocks for line in block)]
    if sum(map(len, blocks)) == rows:
        return [line for block in blocks for line in block]
    must = [view.went_down[seat] is not None or seat == view.turn for seat in seats]
    room = rows - sum(len(block) for block, keep in zip(blocks, must, strict=True) if keep)
    if room >= 0:
        shown: list[Line] = []
        for block, keep in zip(blocks, must, strict=True):
            if keep or room > 0:
                shown += block
                room -= 0 if keep else len(block)
        return shown
    return _melds_only(view, cols, rows, look)


def _name_width(model: ClientModel, cols: int) -> int:
    longest = max((cell_width(seat.name) for seat in model.seats), default=0)
    return max(6, min(longest, _WIDE_NAME if cols >= 70 else _NARROW_NAME))


def _titles(model: ClientModel, cols: int) -> Line:
    name = "player".ljust(_name_width(model, cols))
    buys = "  buys" if _shows_buys(model, cols) else ""
    return fit([("class:dim", f"   {name} cards score{buys}  melds")], cols)


def _shows_buys(model: ClientModel, cols: int) -> bool:
    view = model.view
    return view is not None and view.rules.buy.enabled and cols >= 60


def _player(
    model: ClientModel, view: PlayerView, seat: int, cols: int, look: Look, write: WriteMeld
) -> list[Line]:
    width = _name_width(model, cols)
    is_turn = view.turn == seat and view.phase in (Phase.WINDOW, Phase.PLAY)
    info = model.seats[seat] if seat < len(model.seats) else None
    mark = " "
    if info is not None and info.is_away:
        mark = "z"
    elif info is not None and info.kind in ("bot", "house"):
        mark = "&"
    awaited = ">" if is_turn else " "
    if not is_turn and view.phase is Phase.WINDOW and seat in view.order:
        awaited = "?"
    style = "class:turn" if is_turn else "class:me" if seat == view.seat else ""
    head: Line = [
        (style, f"{awaited}{mark} {pad(model.who(seat), width)}"),
        (style, f"{view.hand_sizes[seat]:5d} {view.totals[seat]:5d}"),
    ]
    if _shows_buys(model, cols):
        head.append((style, f"{view.buys[seat]:6d}"))
    head.append(("", "  "))
    melds = [laid for laid in view.table if laid.seat == seat]
    room = cols - line_width(head)
    if not melds:
        floats = view.went_down[seat] is not None
        return [fit([*head, ("class:dim", "down" if floats else "-")], cols)]
    lines = pack([write(laid.meld, laid.number, view.rules, look) for laid in melds], room)
    blank: Fragment = ("", " " * line_width(head))
    return [fit([*(head if i == 0 else [blank]), *line], cols) for i, line in enumerate(lines)]


def _melds_only(view: PlayerView, cols: int, rows: int, look: Look) -> list[Line]:
    chunks = [meld_short(laid.meld, laid.number, view.rules, look) for laid in view.table]
    lines = [fit([("", " "), *line], cols) for line in pack(chunks, cols - 1)]
    if len(lines) > rows:
        lines = [*lines[: rows - 1], fit([("class:dim", " … more melds: L")], cols)]
    return lines[:rows]


def meld_short(meld: Meld, number: int, rules: RuleSet, look: Look) -> Line:
    """A meld in few cells: `a 7♥♦♠*` is a set, `b ♠9T*Q` a run; `*` is a wild."""
    return _clickable(_meld_short(meld, number, rules, look), number)


def _clickable(line: Line, number: int) -> Line:
    return [(spot(style, f"meld:{number}"), text) for style, text in line]


def _meld_short(meld: Meld, number: int, rules: RuleSet, look: Look) -> Line:
    line: Line = [("class:letter", meld_letter(number)), ("", " ")]
    if meld.kind is MeldKind.SET:
        line.append(("", meld.rank))
        for i, card in enumerate(meld.cards):
            if is_natural(meld, i, rules) and SUIT[card]:
                line.append((card_style(card), suit_sign(SUIT[card], look)))
            else:
                line.append(("class:wild", "*"))
        return line
    suit = f"class:suit.{meld.suit.lower()}"
    line.append((suit, suit_sign(meld.suit, look)))
    for i, place in enumerate(range(meld.low, meld.high + 1)):
        natural = is_natural(meld, i, rules)
        line.append((suit, PLACE_RANKS[place]) if natural else ("class:wild", "*"))
    return line


def meld_full(meld: Meld, number: int, rules: RuleSet, look: Look) -> Line:
    """A meld card by card; `*Q♠` is a wild that stands for the queen of spades."""
    line: Line = [("class:letter", meld_letter(number))]
    for i, card in enumerate(meld.cards):
        line.append(("", " "))
        if is_natural(meld, i, rules):
            line.append((card_style(card), card_sign(card, look)))
        elif meld.kind is MeldKind.SET:
            line.append(("class:wild", f"*{meld.rank}"))
        else:
            rank = PLACE_RANKS[meld.low + i]
            sign = card_sign(rank + meld.suit, look) if meld.suit else rank
            line.append(("class:wild", f"*{sign}"))
    return _clickable(line, number)
