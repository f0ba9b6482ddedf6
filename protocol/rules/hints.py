"""Hints: what a hand is worth, and a good turn, for people and for bots without a solver.

Looks one card ahead: the distance to the contract first, then points in hand.
"""

from __future__ import annotations

import msgspec

from .actions import Play
from .cards import Card, Hand, add_cards
from .fitting import fits
from .laydowns import (
    Laydown,
    best_laydown,
    distance,
    distance_after_discards,
    lay_offs,
    outlook,
)
from .legality import explain
from .melds import Meld
from .offers import dearest, default_play
from .state import Phase
from .turns import is_target, may_go_down, next_discards, next_lay_offs, position_after
from .views import PlayerView

_NEVER = 99

_MOST_HANDS = 1024


class Hints(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a seat is told about its own hand, where the table allows hints."""

    distance: int | None = None
    """Fewest cards missing for the contract; null when down, or when no card could help."""
    useful: Hand = ()
    """Cards that would bring the contract nearer."""
    laydown: Laydown | None = None
    """The best way to go down, if the hand has the contract."""
    claim: bool | None = None
    """In a window: whether the upcard helps."""
    play: Play | None = None
    """In a play: a good whole turn."""


def hints(view: PlayerView) -> Hints:
    """Return the hints for the decision that this seat is asked for."""
    play = suggest_play(view) if view.phase is Phase.PLAY and view.is_my_turn else None
    claim = wants_upcard(view) if view.phase is Phase.WINDOW else None
    if view.is_down:
        return Hints(claim=claim, play=play)
    hand, contract, rules = view.hand, view.contract, view.rules
    ahead = outlook(hand, contract, rules)
    return Hints(
        distance=ahead.distance,
        useful=ahead.useful,
        laydown=best_laydown(hand, contract, rules, view.round),
        claim=claim,
        play=play,
    )


def wants_upcard(view: PlayerView) -> bool:
    """Whether the upcard brings the contract closer; once down, whether it plays and is free."""
    upcard = view.upcard
    if upcard is None:
        return False
    if view.is_down:
        return view.is_my_turn and _plays(view, upcard)
    hand, contract, rules = view.hand, view.contract, view.rules
    more = add_cards(hand, (upcard,))
    now, then = _distance(view, hand), distance(more, contract, rules)
    if view.takes_all_cards and now == 0:
        return view.is_my_turn and len(_left_over(view, more)) <= len(_left_over(view, hand))
    if then is None or (now is not None and then >= now):
        return False
    if view.is_my_turn and then:
        # a card of this hand has to go: what counts is what is left then, or two
        # players could take each other's discards for ever
        after = distance_after_discards(more, contract, rules).values()
        then = min((away for away in after if away is not None), default=None)
    return then is not None and (now is None or then < now)


def suggest_play(view: PlayerView) -> Play:
    """Go down as soon as possible, lay off all that fits, throw the least useful card."""
    melds: tuple[Meld, ...] = ()
    if not view.is_down:
        laydown = None
        if may_go_down(view):
            laydown = best_laydown(view.hand, view.contract, view.rules, view.round)
        if laydown is None:
            return Play(discard=least_useful(view))
        melds = laydown.melds
    play = Play(melds)
    if next_lay_offs(view, play):
        table, rest = position_after(view, play)
        play = Play(melds, lay_offs(rest, table, view.rules))
    play = Play(play.melds, play.lay_offs, dearest(next_discards(view, play), view))
    # where the last card may not be discarded, laying off one too many leaves no way to end
    return play if explain(view, play) is None else default_play(view)


def least_useful(view: PlayerView) -> Card:
    """Return the card whose loss leaves the contract nearest, the dearest of these."""
    rules = view.rules
    after = distance_after_discards(view.hand, view.contract, rules)
    cards = next_discards(view, Play())
    if view.takes_all_cards:
        left_over = _left_over(view, view.hand)
        cards = tuple(card for card in cards if card in left_over) or cards

    def cost(card: Card) -> tuple[int, bool, int, Card]:
        left = after[card]
        away = _NEVER if left is None else left
        return away, rules.is_wild(card), -rules.points[card], card

    return min(cards, key=cost)


def _plays(view: PlayerView, card: Card) -> bool:
    return any(
        is_target(view, target) and card in fits(target.meld, view.rules) for target in view.table
    )


def _distance(view: PlayerView, hand: Hand) -> int | None:
    """The distance of a hand, kept: a seat is asked in many windows with the same hand."""
    kept: dict[tuple[int, Hand], int | None]
    kept = view.rules.__dict__.setdefault("_distances_of_hands", {})
    key = view.round, hand
    if key not in kept:
        if len(kept) >= _MOST_HANDS:
            kept.clear()
        kept[key] = distance(hand, view.contract, view.rules)
    return kept[key]


def _left_over(view: PlayerView, hand: Hand) -> Hand:
    """What the best laydown would leave, where it must leave nothing (1-36)."""
    laydown = best_laydown(hand, view.contract, view.rules)
    return laydown.cards_left if laydown is not None else hand
