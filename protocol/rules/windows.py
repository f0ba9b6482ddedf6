"""Who may claim the upcard: public facts only, so a window tells nothing by itself."""

from __future__ import annotations

from functools import lru_cache

from .state import GameState
from .views import PlayerView

Facts = GameState | PlayerView
"""What all may see is asked of either by the same names; nothing else may be asked here."""


def window_order(facts: Facts, turn: int) -> tuple[int, ...]:
    """Return the seats that may claim the upcard in a turn, the first in priority first.

    The seat in turn comes first (0-46), then the others in turn order (0-45); a
    seat that discarded the card, where it may claim at all, is last (1-14).

    Args:
        facts: The state, or anybody's view of it.
        turn: The seat whose turn it is, or will be next.
    """
    if not facts.is_upcard_live:
        return ()
    rules, went_down, discarder = facts.rules, facts.went_down, facts.discarder
    order: tuple[int, ...] = ()
    if went_down[turn] is None or (rules.draw.down_may_take_discard and facts.hand_size(turn) > 0):
        order = (turn,)
    buy = rules.buy
    if not buy.enabled or (discarder is None and not rules.upcard.buyable):
        return order
    contracts, buys, limits, most = facts.contracts, facts.buys, rules.buy_limits, buy.limit_game
    barred = facts.last_buyer if buy.successive == "not_twice_running" else None
    supply = -1  # not counted yet: often nobody may buy any more
    for seat in _others(turn, facts.seats, discarder, buy.discarder):
        if buys[seat] >= limits[contracts[seat]] or seat == barred:
            continue
        if went_down[seat] is not None and not (buy.down_players and facts.hand_size(seat)):
            continue
        if most is not None and facts.game_buys[seat] >= most:
            continue
        if supply < 0:
            supply, penalties = drawable(facts), rules.buy_penalties
        if supply > penalties[contracts[seat]]:
            order += (seat,)
    return order


@lru_cache(maxsize=1024)
def _others(turn: int, seats: int, discarder: int | None, may_buy_back: bool) -> tuple[int, ...]:
    """The other seats from the one after `turn` on, the discarder last or left out."""
    others = [seat for seat in (*range(turn + 1, seats), *range(turn)) if seat != discarder]
    if may_buy_back and discarder is not None and discarder != turn:
        others.append(discarder)
    return tuple(others)


def drawable(facts: Facts) -> int:
    """How many cards the stock can still give, a rebuild included (0-49, 0-54)."""
    rules = facts.rules.stock
    if rules.empty == "end":
        return facts.stock_size
    if rules.max_reshuffles is not None and facts.reshuffles >= rules.max_reshuffles:
        return facts.stock_size
    return facts.stock_size + len(facts.discards) - facts.is_upcard_live


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
