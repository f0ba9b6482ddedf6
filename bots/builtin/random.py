"""Plays anything legal: the floor of every ladder, and a fuzzer with manners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hollywood.bots.api import Bot
from hollywood.protocol.rules import (
    Play,
    PlayerView,
    best_laydown,
    explain,
    may_go_down,
    next_discards,
    next_lay_offs,
)
from hollywood.protocol.rules.offers import default_play

T = TypeVar("T")


class RandomBot(Bot):
    """Claims one card in four, goes down every other time it can, discards uniformly."""

    def wants(self, view: PlayerView) -> bool:
        """Claim with probability 1/4."""
        return self.rng.random() < 1 / 4

    def play(self, view: PlayerView) -> Play:
        """Go down with probability 1/2 where possible, then lay off and discard anyhow."""
        play = Play()
        if not view.is_down and self.rng.random() < 1 / 2 and may_go_down(view):
            laydown = best_laydown(view.hand, view.contract, view.rules, view.round)
            play = Play(laydown.melds) if laydown else play
        while found := next_lay_offs(view, play):
            if not view.rules.layoff.mandatory and self.rng.random() < 1 / 2:
                break
            play = Play(play.melds, (*play.lay_offs, self._pick(found)))
        cards = next_discards(view, play)
        play = Play(play.melds, play.lay_offs, self._pick(cards) if cards else None)
        return play if explain(view, play) is None else default_play(view)

    def _pick(self, items: Sequence[T]) -> T:
        return items[int(self.rng.random() * len(items))]
