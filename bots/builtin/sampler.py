"""Looks ahead: what the cards to come will bring, to itself and to the others.

Between two a contract that it has is held back while the other cannot be out soon: that
gives it nothing to lay off on. Once down, it keeps the cards that will fit soonest. And
where the deal may be over soon before it is down, some of the unseen cards are drawn
again and again, as many as this seat may still see. If too few of these draws have its
contract, it gives the contract up and throws what costs most. Soon is when a seat that
is down has hardly a card left; where going down takes the whole hand, it is whenever
two rounds of turns are over. Whole deals played on in sampled worlds would tell more,
but two discards differ by some points and chance by sixty: that takes hundreds of deals
for one decision.
"""

from __future__ import annotations

from collections.abc import Callable

from hollywood.bots.options import option
from hollywood.protocol.rules import (
    Card,
    Hand,
    Play,
    PlayerView,
    next_discards,
    position_after,
)
from hollywood.protocol.rules.cards import add_cards
from hollywood.protocol.rules.laydowns import distance
from hollywood.protocol.rules.offers import dearest

from .counter import CounterBot
from .godown import cards_left, is_out
from .patience import chances_to_fit, is_laid, may_wait
from .reach import is_in_reach

_FEWEST_DRAWS = 8
_LAST_CARDS = 1
"""With so few cards a seat that is down is about to go out."""
_EARLY = 2
"""Rounds of turns in which nobody is expected to go down with the whole hand."""
_TURNS = 2
"""Turns that are left to the others then, about."""
_CARDS_TO_COME = 3
"""Cards of which a seat may have its choice in that time: what it draws, and an upcard."""


class SamplerBot(CounterBot):
    """Goes down late; gives up where the cards to come will hardly bring its contract in time."""

    is_quick = False
    decisions: int = option(100, "hands it imagines for one of its own", least=1)
    seconds: float = option(0.0, "seconds for one of its own, 0: no limit", least=0.0)
    per_chance = 100.0
    """What it is worth to keep a card that the next unseen card surely makes fit a meld."""

    def wants(self, view: PlayerView) -> bool:
        """Claim as the counter does, unless it is too early or too late for the contract."""
        if self._waits(view) and view.upcard is not None and view.is_my_turn:
            return is_laid(view, view.upcard)
        wanted = super().wants(view)
        if view.upcard is None or not (wanted or view.is_my_turn) or not self._gives_up(view):
            return wanted
        return self._wants_out_of_reach(view, view.upcard)

    def play(self, view: PlayerView) -> Play:
        """Play as the counter does, but give a round up in which the whole hand must go."""
        if view.takes_all_cards and self._gives_up(view):
            return Play(discard=self._dearest(view, next_discards(view, Play()))[0])
        return super().play(view)

    def _waits(self, view: PlayerView) -> bool:
        """Whether it has its contract and holds it back."""
        if view.is_down or self._outlook(view, view.hand).distance != 0:
            return False
        return may_wait(view)

    def _go_down(self, view: PlayerView) -> Play | None:
        """Go down as the planner does, but not before it has to."""
        play = super()._go_down(view)
        if play is None or not may_wait(view):
            return play
        left = cards_left(view, play)
        discards = tuple([card for card in next_discards(view, Play()) if card in left])
        if len(left) < 2 or is_out(view, left) or not discards:
            return play
        return Play(discard=dearest(discards, view))

    def _hope(self, view: PlayerView, play: Play, cards: Hand) -> Callable[[Card], float]:
        table, _ = position_after(view, play)
        chances = chances_to_fit(view, table, set(cards))
        return lambda card: self.per_chance * chances[card]

    def _throws(self, view: PlayerView) -> list[Card]:
        if self._gives_up(view):
            return self._dearest(view, next_discards(view, Play()))
        return super()._throws(view)

    def _gives_up(self, view: PlayerView) -> bool:
        """Whether what throwing points saves is more than what the contract may still save."""
        if not _ends_soon(view) or view.is_down or not is_in_reach(view, view.me):
            return False
        away = self._outlook(view, view.hand).distance
        if away is not None and away < 2:
            return False
        points = sorted([view.rules.points[card] for card in view.hand], reverse=True)
        saves = sum(points[:_TURNS]) - _TURNS * sum(points) / len(points)
        chance = self._chance(view, _CARDS_TO_COME)
        return saves * (1 - chance) > sum(points) * chance

    def _chance(self, view: PlayerView, many: int) -> float:
        """Return how likely the hand has its contract with so many more cards."""
        unseen = [card for card, left in view.unseen().items() for _ in range(left)]
        many = min(many, len(unseen))
        draws = has_it = 0
        while draws < _FEWEST_DRAWS or self.budget.is_left:
            hand = add_cards(view.hand, self._draw(unseen, many))
            # not asked of the round: the cards that are drawn would have to be laid, too
            has_it += distance(hand, view.contract, view.rules) == 0
            draws += 1
            self.budget.spend()
        return has_it / draws

    def _draw(self, cards: list[Card], many: int) -> Hand:
        """Draw so many of the cards, which change their order."""
        for n in range(many):
            i = n + int(self.rng.random() * (len(cards) - n))
            cards[n], cards[i] = cards[i], cards[n]
        return tuple(cards[:many])


def _ends_soon(view: PlayerView) -> bool:
    """Whether somebody may be about to go out."""
    if view.takes_all_cards:
        return view.turns >= _EARLY * view.seats
    if view.seats == 2:
        return False  # between two nothing was gained by giving up, see bots/LADDER.md
    hands = zip(view.hand_sizes, view.went_down, strict=True)
    return any(n <= _LAST_CARDS and turn is not None for n, turn in hands)
