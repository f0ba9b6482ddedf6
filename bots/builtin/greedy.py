"""Plays for the contract: takes what brings it closer, throws what costs most."""

from __future__ import annotations

from hollywood.bots.api import Bot
from hollywood.protocol.rules import (
    Card,
    Meld,
    Play,
    PlayerView,
    best_laydown,
    lay_offs,
    next_discards,
)
from hollywood.protocol.rules.cards import add_cards
from hollywood.protocol.rules.laydowns import distance, distance_after_discards
from hollywood.protocol.rules.melds import places_for
from hollywood.protocol.rules.turns import is_target, position_after

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
        now = distance(view.hand, view.contract, view.rules, view.deal)
        then = distance(add_cards(view.hand, (upcard,)), view.contract, view.rules, view.deal)
        return then is not None and (now is None or then < now)

    def play(self, view: PlayerView) -> Play:
        """Go down as soon as possible, lay off all that fits, throw the least useful card."""
        melds: tuple[Meld, ...] = ()
        if not view.is_down:
            laydown = best_laydown(view.hand, view.contract, view.rules, view.deal)
            if laydown is None:
                return Play(discard=self._throw(view))
            melds = laydown.melds
        table, rest = position_after(view, Play(melds))
        play = Play(melds, lay_offs(rest, table, view.rules))
        cards = next_discards(view, play)
        points = view.rules.points
        return Play(
            play.melds,
            play.lay_offs,
            min(cards, key=lambda card: (-points[card], card), default=None),
        )

    def _throw(self, view: PlayerView) -> Card:
        """The card whose loss leaves the contract nearest, the dearest of these."""
        rules = view.rules
        after = distance_after_discards(view.hand, view.contract, rules, view.deal)

        def cost(card: Card) -> tuple[int, bool, int, Card]:
            left = after[card]
            return (
                _NEVER if left is None else left,
                rules.is_wild(card),
                -rules.points[card],
                card,
            )

        return min(next_discards(view, Play()), key=cost)


def _plays(view: PlayerView, card: Card) -> bool:
    return any(
        is_target(view, target) and places_for(target.meld, card, view.rules)
        for target in view.table
    )
