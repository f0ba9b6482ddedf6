"""Opponents for people: easy, normal, hard."""

from __future__ import annotations

from hollywood.bots.options import option
from hollywood.protocol.rules import PlayerView

from .greedy import GreedyBot
from .planner import PlannerBot
from .sampler import SamplerBot


class EasyBot(GreedyBot):
    """For beginners: plays greedily and overlooks half of the cards it could claim."""

    def wants(self, view: PlayerView) -> bool:
        """Claim what helps, but not always."""
        return super().wants(view) and self.rng.random() < 1 / 2


class NormalBot(PlannerBot):
    """For those who know the game: the planner."""


class HardBot(SamplerBot):
    """Watches what you take, pass on and throw, and bides its time: a sampler in a hurry."""

    is_quick = True
    decisions: int = option(20, "hands it imagines for one of its own", least=1)
