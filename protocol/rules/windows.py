"""Who may claim the upcard: public facts only, so a window tells nothing by itself."""

from __future__ import annotations

from functools import lru_cache

from .views import PlayerView, buys_left


def window_order(view: PlayerView) -> tuple[int, ...]:
    """Return the seats that may claim the upcard, the first in priority first.

    The seat in turn comes first (0-46), then the others in turn order (0-45); a
    seat that discarded the card, where it may claim at all, is last (1-14).
    `view` may be a spectator's.
    """
    if not view.is_upcard_live:
        return ()
    rules, turn = view.rules, view.turn
    order: tuple[int, ...] = (turn,) if _may_take(view, turn) else ()
    buy, discarder = rules.buy, view.discarder
    if not buy.enabled or (discarder is None and not rules.upcard.buyable):
        return order
    supply, rounds = drawable(view), len(rules.rounds)
    barred = view.last_buyer if buy.successive == "not_twice_running" else None
    last: tuple[int, ...] = ()
    for seat in _others(turn, view.seats):
        round_ = view.contracts[seat]
        if seat == barred or round_ >= rounds or supply <= rules.buy_penalty(round_):
            continue
        if view.went_down[seat] is not None and not (buy.down_players and view.hand_sizes[seat]):
            continue
        if buys_left(rules, round_, view.buys[seat], view.game_buys[seat]) == 0:
            continue
        if seat != discarder:
            order += (seat,)
        elif buy.discarder:
            last = (seat,)
    return order + last


@lru_cache
def _others(turn: int, seats: int) -> tuple[int, ...]:
    """The other seats from the one after `turn` on."""
    return (*range(turn + 1, seats), *range(turn))


def _may_take(view: PlayerView, seat: int) -> bool:
    if view.went_down[seat] is None:
        return True
    return view.hand_sizes[seat] > 0 and view.rules.draw.down_may_take_discard


def drawable(view: PlayerView) -> int:
    """How many cards the stock can still give, a rebuild included (0-49, 0-54)."""
    rules = view.rules.stock
    if rules.empty == "end":
        return view.stock
    if rules.max_reshuffles is not None and view.reshuffles >= rules.max_reshuffles:
        return view.stock
    return view.stock + len(view.discards) - view.is_upcard_live


def why_not_asked(view: PlayerView) -> str:
    """Say why this seat is not in the open window's order."""
    if view.is_floating:
        return "you float: with an empty hand you draw from the stock (0-40)"
    if view.is_my_turn:
        return "you are down and must draw from the stock (0-24, 3-10)"
    if not view.rules.buy.enabled:
        return "there is no buying here (3-11)"
    if view.seat == view.discarder and not view.rules.buy.discarder:
        return "you discarded this card and may not buy it back (0-42)"
    if view.is_down and not view.rules.buy.down_players:
        return "you are down and may not buy any more (0-41, 1-17)"
    if view.buys_left == 0:
        return "you have no buys left (0-44, 1-15)"
    if view.rules.buy.successive != "allow" and view.last_buyer == view.seat:
        return "you bought the last card and may not buy twice running"
    return "the stock cannot give the penalty card and the next draw (0-49)"
