"""What a seat can work out from its own view: the short way for bots to ask.

The methods of `PlayerView` with these names lead here.
"""

from __future__ import annotations

from collections import Counter

from .actions import Play
from .cards import CARDS, Card, add_cards, remove_cards
from .laydowns import Laydown
from .laydowns import best_laydown as best_laydown_of
from .laydowns import distance as distance_of
from .laydowns import lay_offs as lay_offs_of
from .melds import LayOff
from .prospects import may_hold
from .rulesets import RuleSet
from .turns import is_target, may_go_down, may_lay_off_now, position_after
from .views import PlayerView


def best_laydown(view: PlayerView) -> Laydown | None:
    """Return the best way to go down in this turn, None if there is none or it is too soon."""
    # what most hands fail comes first
    if view.is_down or not may_hold(view.hand, view.contract, view.rules):
        return None
    if not may_go_down(view):
        return None
    return best_laydown_of(view.hand, view.contract, view.rules, view.round)


def distance(view: PlayerView, more: Card | None = None, less: Card | None = None) -> int | None:
    """Return how many cards the hand lacks for the contract, None if none could help.

    Args:
        view: The seat's view.
        more: A card to add first, as if it were drawn.
        less: A card to take away first, as if it were thrown.

    Raises:
        ValueError: the hand has no such card to take away.
    """
    hand = view.hand if more is None else add_cards(view.hand, (more,))
    if less is not None:
        left = remove_cards(hand, (less,))
        if left is None:
            raise ValueError(f"the hand has no {less} to take away")
        hand = left
    return distance_of(hand, view.contract, view.rules, view.round)


def lay_offs(view: PlayerView, play: Play | None = None) -> tuple[LayOff, ...]:
    """Return the lay-offs that shed most, in a legal order, after what the Play has so far.

    () where this seat may not lay off in this turn.
    """
    play = Play() if play is None else play
    went_down_now = bool(play.melds) and not view.is_down
    if not (view.is_down or went_down_now) or view.takes_all_cards:
        return ()
    if not may_lay_off_now(view, went_down_now):
        return ()
    table, rest = position_after(view, play)
    return lay_offs_of(rest, tuple(t for t in table if is_target(view, t)), view.rules)


def unseen(view: PlayerView) -> dict[Card, int]:
    """Return how many copies of each card the seat has not seen, in the order of `CARDS`.

    They are in the stock and in the other hands. Discards that went back into the
    stock are unseen again. Cards that were all seen count 0.
    """
    left = dict(_deck(view.rules, view.seats))
    for card in view.hand:
        left[card] -= 1
    for card in view.discards:
        left[card] -= 1
    for laid in view.table:
        for card in laid.meld.cards:
            left[card] -= 1
    return left


def _deck(rules: RuleSet, seats: int) -> dict[Card, int]:
    """The whole deck, counted once for each rule set and number of seats."""
    kept: dict[int, dict[Card, int]] = rules.__dict__.setdefault("_deck_counts", {})
    if seats not in kept:
        counts = Counter(rules.deck_for(seats))
        kept[seats] = {card: counts[card] for card in CARDS if counts[card]}
    return kept[seats]
