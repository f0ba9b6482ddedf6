"""Plays for the contract: takes what brings it closer, throws what costs most."""

from __future__ import annotations

from hollywood.bots.api import Bot
from hollywood.protocol.rules import Play, PlayerView, suggest_play, wants_upcard


class GreedyBot(Bot):
    """Looks one card ahead: the distance to its contract, then points in hand."""

    def wants(self, view: PlayerView) -> bool:
        """Claim what brings the contract closer; once down, only a free card that plays."""
        return wants_upcard(view)

    def play(self, view: PlayerView) -> Play:
        """Go down as soon as possible, lay off all that fits, throw the least useful card."""
        return suggest_play(view)
