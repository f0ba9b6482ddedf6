"""Who may claim the upcard: public facts only, so a window tells nothing by itself."""

from __future__ import annotations

from .views import PlayerView, buys_left


def window_order(view: PlayerView) -> tuple[int, ...]:
    """Return the seats that may claim the upcard, the first in priority first.

    The seat in turn comes first (0-46), then the others in turn order (0-45); a
    seat that discarded the card, where it may claim at all, is last (1-14).
    `view` may be a spectator's.
    """
    if not view.is_upcard_live:
        return ()
    seats = [(view.turn + i) % view.seats for i in range(view.seats)]
    order = [seats[0]] if _may_take(view, seats[0]) else []
    if view.rules.buy.enabled and (view.discarder is not None or view.rules.upcard.buyable):
        supply = drawable(view)
        buyers = [seat for seat in seats[1:] if _may_buy(view, seat, supply)]
        order += [seat for seat in buyers if seat != view.discarder]
        if view.rules.buy.discarder:
            order += [seat for seat in buyers if seat == view.discarder]
    return tuple(order)


def _may_take(view: PlayerView, seat: int) -> bool:
    if view.went_down[seat] is None:
        return True
    return view.hand_sizes[seat] > 0 and view.rules.draw.down_may_take_discard


def _may_buy(view: PlayerView, seat: int, supply: int) -> bool:
    """Whether the seat may buy, and the stock can give its penalty and the next draw (0-49)."""
    rules, round_ = view.rules, view.contracts[seat]
    if not view.is_playing(seat) or supply < rules.buy_penalty(round_) + 1:
        return False
    is_down = view.went_down[seat] is not None
    if is_down and (view.hand_sizes[seat] == 0 or not rules.buy.down_players):
        return False
    if rules.buy.successive == "not_twice_running" and view.last_buyer == seat:
        return False
    return buys_left(rules, round_, view.buys[seat], view.game_buys[seat]) != 0


def drawable(view: PlayerView) -> int:
    """How many cards the stock can still give, a rebuild included (0-49, 0-54)."""
    rules = view.rules.stock
    cards = view.stock
    if rules.empty != "end" and (
        rules.max_reshuffles is None or view.reshuffles < rules.max_reshuffles
    ):
        cards += len(view.discards) - view.is_upcard_live
    return cards


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
