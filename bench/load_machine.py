"""Whether the machine itself runs at its usual speed while something is measured.

On a virtual machine all cores may be slowed down at once, several times over for a tenth
of a second, with nothing to see in its own accounts: a loop simply takes longer. What is
late then says nothing of a server. A loop of fixed length, timed every few milliseconds,
tells such moments from others.
"""

from __future__ import annotations

import statistics
import time

EVERY = 0.004
"""Seconds between two looks."""

_LOOPS = 1500
_BIN = 0.02
_SLOW = 1.8
"""A moment is slow in which the loop takes so many times its median."""
_AFTER = 2
"""Bins in which what has gathered in a slow one is worked off."""


class Machine:
    """Looks, and what they have shown."""

    def __init__(self) -> None:
        self._looks: list[tuple[float, float]] = []
        self.next_at = 0.0

    def look(self, now: float) -> None:
        """Time the loop."""
        began = time.perf_counter()
        sum(range(_LOOPS))
        self._looks.append((began, time.perf_counter() - began))
        self.next_at = now + EVERY

    def forget(self) -> None:
        """Begin anew."""
        self._looks.clear()

    def steady(self, spans: list[tuple[float, float]]) -> list[float]:
        """Return the seconds of those (begin, seconds) that no slow moment has touched."""
        slow = self._slow_bins()
        return [
            took
            for began, took in spans
            if slow.isdisjoint(range(int(began / _BIN), int((began + took) / _BIN) + 1))
        ]

    def _slow_bins(self) -> set[int]:
        if not self._looks:
            return set()
        usual = statistics.median([took for _, took in self._looks])
        bins: dict[int, list[float]] = {}
        for at, took in self._looks:
            bins.setdefault(int(at / _BIN), []).append(took)
        slow = {
            number for number, looks in bins.items() if statistics.median(looks) > _SLOW * usual
        }
        return slow.union(*(range(number, number + _AFTER + 1) for number in slow))
