"""Plays for the contract: takes what brings it closer, throws what costs most."""

from __future__ import annotations

from hollywood.bots.api import Bot
from hollywood.protocol.rules import (
    Card,
    Hand,
    Meld,
    Play,
    PlayerView,
    best_laydown,
    distance,
    lay_offs,
    may_go_down,
    next_discards,
    next_lay_offs,
    position_after,
)
from hollywood.protocol.rules.cards import add_cards
from hollywood.protocol.rules.laydowns import distance_after_discards
from hollywood.protocol.rules.melds import places_for
from hollywood.protocol.rules.turns import is_target

_NEVER = 99


class GreedyBot(Bot):
    """Looks one card ahead: the distance to its contract, then points in hand."""

    def wants(self, view: PlayerView) -> bool:
        """Claim what brings the contract closer; once down, only a free card that plays."""
        upcard = view.upcard
        if upcard is None:
            return False
        if view.is_down:
            return view.is_my_turn and _plays(view, upcard)
        more = add_cards(view.hand, (upcard,))
        now, then = (distance(hand, view.contract, view.rules) for hand in (view.hand, more))
        if view.takes_all_cards and now == 0:
            return view.is_my_turn and len(_left_over(view, more)) <= len(
                _left_over(view, view.hand)
            )
        return then is not None and (now is None or then < now)

    def play(self, view: PlayerView) -> Play:
        """Go down as soon as possible, lay off all that fits, throw the least useful card."""
        melds: tuple[Meld, ...] = ()
        if not view.is_down:
            laydown = best_laydown(view.hand, view.contract, view.rules, view.round)
            if laydown is None or not may_go_down(view):
                return Play(discard=self._throw(view))
            melds = laydown.melds
        play = Play(melds)
        if next_lay_offs(view, play):
            table, rest = position_after(view, play)
            play = Play(melds, lay_offs(rest, table, view.rules))
        cards = next_discards(view, play)
        points = view.rules.points
        discard = min(cards, key=lambda card: (-points[card], card), default=None)
        return Play(play.melds, play.lay_offs, discard)

    def _throw(self, view: PlayerView) -> Card:
        """The card whose loss leaves the contract nearest, the dearest of these."""
        rules = view.rules
        after = distance_after_discards(view.hand, view.contract, rules)
        cards = next_discards(view, Play())
        if view.takes_all_cards:
            left_over = _left_over(view, view.hand)
            cards = tuple(card for card in cards if card in left_over) or cards

        def cost(card: Card) -> tuple[int, bool, int, Card]:
            left = after[card]
            return (
                _NEVER if left is None else left,
                rules.is_wild(card),
                -rules.points[card],
                card,
            )

        return min(cards, key=cost)


def _plays(view: PlayerView, card: Card) -> bool:
    return any(
        is_target(view, target) and places_for(target.meld, card, view.rules)
        for target in view.table
    )


def _left_over(view: PlayerView, hand: Hand) -> Hand:
    """What the best laydown would leave, where it must leave nothing (1-36)."""
    laydown = best_laydown(hand, view.contract, view.rules)
    return laydown.cards_left if laydown is not None else hand
