"""What the server counts as it runs.

`Metrics` is always there and costs next to nothing: plain numbers that whoever does
the thing adds to. `exposition` turns them into what Prometheus reads, where that is
asked for and its library installed; nothing else imports the library.

Labels are our own words only (codes, phases, reasons), never what a client sent, so
that no client can make a table of them grow.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING

import trio

from hollywood.protocol.errors import ErrorCode, HollywoodError

if TYPE_CHECKING:
    from .exposition import Exposition

SECONDS = (
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01,
    0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
)  # fmt: skip
"""Upper bounds of the buckets of times, from 50 microseconds to 2.5 seconds."""
SIZES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
"""Upper bounds of the buckets of group sizes."""

LAG_SECONDS = 0.5
"""How often the lag of the event loop is measured."""

METRICS_HOST = "127.0.0.1"
"""Metrics tell who plays when; they stay on the machine unless asked otherwise."""


class Histogram:
    """How often a number lay in each of some ranges, and the sum of all."""

    __slots__ = ("_bounds", "_counts", "sum")

    def __init__(self, bounds: tuple[float, ...] = SECONDS) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def observe(self, value: float) -> None:
        """Count one number; a number on a bound belongs to the range below it."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self.sum += value

    @property
    def count(self) -> int:
        """How many numbers there were."""
        return sum(self._counts)

    def cumulative(self) -> list[tuple[float, int]]:
        """Return each upper bound, infinity last, with how many numbers were not above it."""
        bounds = (*self._bounds, float("inf"))
        return list(zip(bounds, accumulate(self._counts), strict=True))

    def quantile(self, share: float) -> float:
        """Return the bound below which at least that share of the numbers was.

        >>> times = Histogram((1.0, 2.0, 4.0))
        >>> for time in (0.5, 1.5, 1.5, 3.0):
        ...     times.observe(time)
        >>> times.quantile(0.5), times.quantile(0.99)
        (2.0, 4.0)
        """
        total = self.count
        return next(bound for bound, n in self.cumulative() if n >= share * total)


class Metrics:
    """Everything a server counts. Add to the attributes; nothing here ever waits."""

    def __init__(self) -> None:
        self.connections = 0
        """Connections accepted since the start."""
        self.connections_open = 0
        self.refused: Counter[str] = Counter()
        """Connections that were not let in, by code."""
        self.bytes_in = 0
        self.bytes_out = 0
        self.slow_consumers = 0
        """Connections cut because they did not read."""
        self.resumes = 0
        """Seats that their players came back to."""
        self.stand_ins = 0
        """Times a house bot took over the seat of a player who was away or left."""
        self.games_finished = 0
        self.verdicts: Counter[tuple[str, str]] = Counter()
        """Answers to decisions, by status and code; `""` where all is well."""
        self.errors: Counter[str] = Counter()
        """Errors sent, by code."""
        self.queue_seconds = Histogram()
        """From reading the bytes of an answer until it was handled."""
        self.rules_seconds = Histogram()
        """In the table: judging the answer and applying it."""
        self.send_seconds = Histogram()
        """From there until what it caused was written, the journal's commit included."""
        self.commit_seconds = Histogram()
        """One commit of the journal."""
        self.commit_group = Histogram(SIZES)
        """For how many tables one commit was: what they share is why a group is cheap."""
        self.lag_seconds = Histogram()
        """How much later than it wanted the event loop woke up."""
        self.ping_seconds = Histogram()
        """From a ping to its pong."""
        self.tables_by_phase: Callable[[], Mapping[str, int]] = dict
        """Asked in the event loop whenever somebody wants to know."""


async def watch_lag(metrics: Metrics) -> None:
    """Measure for ever how late the event loop is."""
    while True:
        due = trio.current_time() + LAG_SECONDS
        await trio.sleep_until(due)
        metrics.lag_seconds.observe(trio.current_time() - due)


async def serve_metrics(
    metrics: Metrics,
    port: int,
    host: str = METRICS_HOST,
    *,
    task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Let Prometheus read the metrics until cancelled. `nursery.start` returns the port.

    Raises:
        HollywoodError: the extra is not installed, or the port is taken.
    """
    exposition = load_exposition()
    await exposition(metrics).serve(port, host, task_status=task_status)


def load_exposition() -> type[Exposition]:
    """Return what needs Prometheus' library.

    Raises:
        HollywoodError: it is not installed.
    """
    try:
        from .exposition import Exposition  # an extra, and slow to load
    except ImportError:
        raise HollywoodError(
            "metrics need another package: pip install 'hollywood-rummy[metrics]'",
            ErrorCode.MISSING_EXTRA,
        ) from None
    return Exposition
