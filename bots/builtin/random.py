"""Plays anything legal: the floor of every ladder, and a fuzzer with manners."""

from __future__ import annotations

from hollywood.bots.api import Bot
from hollywood.protocol.rules import (
    Play,
    PlayerView,
    explain,
    next_discards,
    next_lay_offs,
)
from hollywood.protocol.rules.offers import default_play
from hollywood.protocol.rules.reckoning import best_laydown

_NOTHING = Play()


class RandomBot(Bot):
    """Claims one card in four, goes down every other time it can, discards uniformly."""

    def wants(self, view: PlayerView) -> bool:
        """Claim with probability 1/4."""
        return self.rng.random() < 1 / 4

    def play(self, view: PlayerView) -> Play:
        """Go down with probability 1/2 where possible, then lay off and discard anyhow."""
        play, random = _NOTHING, self.rng.random
        is_down = view.is_down
        if not is_down and random() < 1 / 2 and (laydown := best_laydown(view)):
            play = Play(laydown.melds)
        while (is_down or play.melds) and (found := next_lay_offs(view, play)):
            if not view.rules.layoff.mandatory and random() < 1 / 2:
                break
            play = Play(play.melds, (*play.lay_offs, found[int(random() * len(found))]))
        cards = next_discards(view, play)
        discard = cards[int(random() * len(cards))] if cards else None
        play = Play(play.melds, play.lay_offs, discard)
        return play if explain(view, play) is None else default_play(view)
