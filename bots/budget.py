"""How much a bot may think about one decision."""

from __future__ import annotations

import math
import time


class Budget:
    """What is left to think for one decision.

    Counted in *decisions* that the bot plays through in its head, it gives the same
    answer on every machine. Counted in seconds it does not: a busy machine plays
    worse. So shipped bots count decisions, and seconds are for people who want that.
    """

    def __init__(self, decisions: int = 0, seconds: float = 0.0) -> None:
        """Begin a budget; 0 stands for no limit."""
        self.decisions = decisions
        self.spent = 0
        """Decisions played through so far."""
        self._end = time.monotonic() + seconds if seconds else math.inf

    def spend(self, decisions: int = 1) -> None:
        """Note that decisions were played through."""
        self.spent += decisions

    @property
    def is_left(self) -> bool:
        """Whether there is anything left."""
        if self.decisions and self.spent >= self.decisions:
            return False
        return self._end == math.inf or time.monotonic() < self._end
