"""Opponents for people: easy, normal, hard."""

from __future__ import annotations

from hollywood.protocol.rules import PlayerView

from .counter import CounterBot
from .greedy import GreedyBot
from .planner import PlannerBot


class EasyBot(GreedyBot):
    """For beginners: plays greedily and overlooks half of the cards it could claim."""

    def wants(self, view: PlayerView) -> bool:
        """Claim what helps, but not always."""
        return super().wants(view) and self.rng.random() < 1 / 2


class NormalBot(PlannerBot):
    """For those who know the game: the planner."""


class HardBot(CounterBot):
    """Watches what you take, pass on and throw: the counter."""
