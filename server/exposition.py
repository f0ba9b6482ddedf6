"""The server's metrics as Prometheus reads them, over HTTP.

Needs the extra `[metrics]`; `metrics.serve_metrics` is the way in. The library answers
HTTP in threads of its own. What they tell is put together in the event loop's thread,
so that nothing is read while it changes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import version

import trio
from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from hollywood.protocol.errors import ErrorCode, HollywoodError

from .logs import event
from .metrics import Histogram, Metrics

log = logging.getLogger("hollywood.server.metrics")


class Exposition(Collector):
    """Metrics of one server, served on a port of their own."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._token: trio.lowlevel.TrioToken | None = None

    def describe(self) -> Iterable[Metric]:
        """Return the families without asking the event loop; the registry wants names."""
        return families(Metrics())

    def collect(self) -> Iterable[Metric]:
        """Return all families as they are now; called in a thread of the library."""
        assert self._token is not None, "collected before serving"
        return trio.from_thread.run_sync(_all_families, self._metrics, trio_token=self._token)

    async def serve(
        self,
        port: int,
        host: str,
        *,
        task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Answer until cancelled. `nursery.start` returns the port.

        Raises:
            HollywoodError: the port is taken, or the address is not ours.
        """
        self._token = trio.lowlevel.current_trio_token()
        registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        registry.register(self)
        try:
            server, thread = await trio.to_thread.run_sync(start_http_server, port, host, registry)
        except OSError as error:
            raise HollywoodError(
                f"cannot serve metrics on {host}, port {port}: {error.strerror or error}; "
                "choose another --metrics-port",
                ErrorCode.PORT_IN_USE,
            ) from None
        try:
            event(log, "metrics_served", host=host, port=server.server_port)
            task_status.started(server.server_port)
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(server.shutdown)
                await trio.to_thread.run_sync(thread.join)
                server.server_close()


def _all_families(metrics: Metrics) -> list[Metric]:
    return list(families(metrics))


def families(metrics: Metrics) -> Iterator[Metric]:
    """Yield what Prometheus calls families, one for each name."""
    yield _gauge("build_info", "The version that runs.", _build(), "version")
    yield _gauge("connections_open", "Connections now.", metrics.connections_open)
    yield _counter("connections", "Connections accepted.", metrics.connections)
    yield _counter("connections_refused", "Connections not let in.", metrics.refused, "code")
    yield _counter("received_bytes", "Bytes read from clients.", metrics.bytes_in)
    yield _counter("sent_bytes", "Bytes written to clients.", metrics.bytes_out)
    yield _counter("slow_consumers_cut", "Clients cut for not reading.", metrics.slow_consumers)
    yield _counter("resumes", "Seats that players came back to.", metrics.resumes)
    yield _counter("stand_ins_started", "Seats that a house bot took over.", metrics.stand_ins)
    yield _gauge("tables", "Tables now.", metrics.tables_by_phase(), "phase")
    yield _counter("games_finished", "Games played to their end.", metrics.games_finished)
    yield _verdicts(metrics.verdicts)
    yield _counter("errors", "Errors sent to clients.", metrics.errors, "code")
    parts = {
        "queue": metrics.queue_seconds,
        "rules": metrics.rules_seconds,
        "send": metrics.send_seconds,
    }
    yield _histogram("decision_seconds", "Where the time of an answer goes.", parts, "part")
    yield _histogram("journal_commit_seconds", "Commits of the journal.", metrics.commit_seconds)
    yield _histogram("journal_commit_tables", "Tables in a commit.", metrics.commit_group)
    yield _histogram("loop_lag_seconds", "Lateness of the event loop.", metrics.lag_seconds)
    yield _histogram("ping_seconds", "From a ping to its pong.", metrics.ping_seconds)


_PREFIX = "hollywood_"


@cache
def _build() -> Mapping[str, int]:
    return {version("hollywood-rummy"): 1}


def _counter(
    name: str, told: str, value: int | Mapping[str, int], label: str = ""
) -> CounterMetricFamily:
    family = CounterMetricFamily(_PREFIX + name, told, labels=[label] if label else [])
    for labels, number in _samples(value):
        family.add_metric(labels, number)
    return family


def _gauge(
    name: str, told: str, value: int | Mapping[str, int], label: str = ""
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(_PREFIX + name, told, labels=[label] if label else [])
    for labels, number in _samples(value):
        family.add_metric(labels, number)
    return family


def _samples(value: int | Mapping[str, int]) -> Iterator[tuple[list[str], int]]:
    if isinstance(value, int):
        yield [], value
        return
    for key, number in value.items():
        yield [key], number


def _verdicts(verdicts: Mapping[tuple[str, str], int]) -> CounterMetricFamily:
    told = "Answers to decisions by what became of them."
    family = CounterMetricFamily(f"{_PREFIX}verdicts", told, labels=["status", "code"])
    for (status, code), number in verdicts.items():
        family.add_metric([status, code], number)
    return family


def _histogram(
    name: str, told: str, value: Histogram | Mapping[str, Histogram], label: str = ""
) -> HistogramMetricFamily:
    family = HistogramMetricFamily(_PREFIX + name, told, labels=[label] if label else [])
    labelled = [([], value)] if isinstance(value, Histogram) else _labelled(value)
    for labels, histogram in labelled:
        buckets = [(_bound(bound), float(n)) for bound, n in histogram.cumulative()]
        family.add_metric(labels, buckets, histogram.sum)
    return family


def _labelled(value: Mapping[str, Histogram]) -> list[tuple[list[str], Histogram]]:
    return [([key], histogram) for key, histogram in value.items()]


def _bound(bound: float) -> str:
    return "+Inf" if bound == float("inf") else repr(bound)
