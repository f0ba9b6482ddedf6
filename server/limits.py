"""How often somebody may do something."""

from __future__ import annotations


class Allowance:
    """So many times in so many seconds (a token bucket)."""

    def __init__(self, times: int, seconds: float) -> None:
        self._times = times
        self._per_second = times / seconds
        self._left = float(times)
        self._asked_at: float | None = None

    def take(self, now: float) -> float:
        """Use it once; return 0, or the seconds to wait if it is used up."""
        if self._asked_at is not None:
            self._left = min(self._times, self._left + (now - self._asked_at) * self._per_second)
        self._asked_at = now
        if self._left >= 1:
            self._left -= 1
            return 0.0
        return (1 - self._left) / self._per_second
