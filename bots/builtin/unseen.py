"""The cards that a seat has not seen: the stock and the other hands together."""

from __future__ import annotations

from hollywood.protocol.rules import Card, PlayerView, RuleSet
from hollywood.protocol.rules.cards import RANK


class Unseen:
    """The unseen cards, counted by what bots ask for."""

    def __init__(self, view: PlayerView) -> None:
        self.cards = view.unseen()
        self.total = max(1, sum(self.cards.values()))
        self._ranks: dict[str, int] = {}
        for card, left in self.cards.items():
            rank = RANK[card]
            self._ranks[rank] = self._ranks.get(rank, 0) + left

    def share(self, cards: tuple[Card, ...]) -> float:
        """Return how likely an unseen card is one of these."""
        left = self.cards
        return sum([left.get(card, 0) for card in cards]) / self.total

    def rank_share(self, rank: str) -> float:
        """Return how likely an unseen card is of that rank."""
        return self._ranks.get(rank, 0) / self.total

    def points(self, rules: RuleSet) -> float:
        """Return what an unseen card costs in hand, on average."""
        return sum([rules.points[card] * left for card, left in self.cards.items()]) / self.total
