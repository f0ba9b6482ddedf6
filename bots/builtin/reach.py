"""Whether a contract can still be met: some ask for more cards than a hand ever holds.

Eleven cards and the one that is drawn are too few for three sets of three and a run of
four. Only buying brings more, and between two players there is one card to buy in a
deal, the first: nobody buys its own discard back, and the other takes it free.
"""

from __future__ import annotations

from hollywood.protocol.rules import Phase, PlayerView
from hollywood.protocol.rules.views import buys_left

_MANY = 9
"""Buys where the rules do not limit them."""


def is_in_reach(view: PlayerView, seat: int) -> bool:
    """Whether a seat can come to hold the cards that its contract asks for."""
    return _missing(view, seat) <= _buys(view, seat) * (
        1 + view.rules.buy_penalty(view.contracts[seat])
    )


def must_buy(view: PlayerView, seat: int) -> bool:
    """Whether the contract asks for more cards than the seat holds in its next turn."""
    return _missing(view, seat) > 0


def spare_cards(view: PlayerView, seat: int) -> int:
    """Return how many cards a seat has in its next turn beside those that its contract asks for."""
    has_drawn = view.phase is Phase.PLAY and view.turn == seat
    holds = view.hand_sizes[seat] + (not has_drawn)
    return holds - sum([spec.size for spec in view.rules.contracts[view.contracts[seat]]])


def _missing(view: PlayerView, seat: int) -> int:
    keeps = view.rules.out.empty_hand == "illegal"
    return keeps - spare_cards(view, seat)


def _buys(view: PlayerView, seat: int) -> int:
    """How many buys are left to a seat that will have something to buy."""
    rules = view.rules
    if not rules.buy.enabled:
        return 0
    if view.seats == 2 and not rules.buy.discarder:
        # only what was turned up after the deal, before the other takes it
        is_first = view.phase is Phase.WINDOW and view.discarder is None
        return int(is_first and view.turn != seat)
    left = buys_left(rules, view.contracts[seat], view.buys[seat], view.game_buys[seat])
    return _MANY if left is None else left
