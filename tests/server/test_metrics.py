"""What is counted, and that Prometheus reads the same."""

from __future__ import annotations

import re
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families
from trio.testing import MockClock

from hollywood.protocol.errors import ErrorCode, HollywoodError
from hollywood.server.exposition import families
from hollywood.server.metrics import (
    LAG_SECONDS,
    SECONDS,
    Histogram,
    Metrics,
    serve_metrics,
    watch_lag,
)

OPERATIONS = (Path(__file__).parents[2] / "docs" / "operations.md").read_text("utf-8")


def a_busy_server() -> Metrics:
    metrics = Metrics()
    metrics.connections, metrics.connections_open = 7, 2
    metrics.refused[ErrorCode.SERVER_FULL] += 3
    metrics.bytes_in, metrics.bytes_out = 1000, 2**40
    metrics.slow_consumers, metrics.resumes, metrics.stand_ins = 1, 4, 5
    metrics.games_finished = 6
    metrics.verdicts["accepted", ""] += 100
    metrics.verdicts["rejected", ErrorCode.NOT_IN_HAND] += 2
    metrics.errors[ErrorCode.BAD_FRAME] += 9
    metrics.tables_by_phase = lambda: {"waiting": 1, "play": 3}
    metrics.rules_seconds.observe(0.0002)
    metrics.rules_seconds.observe(3.0)
    metrics.commit_group.observe(16)
    return metrics


async def read(port: int) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Every sample by its name and labels, as Prometheus' own parser reads them."""

    def fetch() -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            return str(answer.read().decode())

    text = await trio.to_thread.run_sync(fetch)
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def labels(**given: str) -> frozenset[tuple[str, str]]:
    return frozenset(given.items())


async def test_prometheus_reads_what_was_counted() -> None:
    metrics = a_busy_server()
    async with trio.open_nursery() as nursery:
        port = await nursery.start(serve_metrics, metrics, 0)
        first = await read(port)
        metrics.games_finished += 1
        second = await read(port)
        nursery.cancel_scope.cancel()
    none = labels()
    expected = {
        ("hollywood_connections_total", none): 7,
        ("hollywood_connections_open", none): 2,
        ("hollywood_connections_refused_total", labels(code="server_full")): 3,
        ("hollywood_received_bytes_total", none): 1000,
        ("hollywood_sent_bytes_total", none): 2**40,
        ("hollywood_slow_consumers_cut_total", none): 1,
        ("hollywood_resumes_total", none): 4,
        ("hollywood_stand_ins_started_total", none): 5,
        ("hollywood_games_finished_total", none): 6,
        ("hollywood_verdicts_total", labels(status="accepted", code="")): 100,
        ("hollywood_verdicts_total", labels(status="rejected", code="not_in_hand")): 2,
        ("hollywood_errors_total", labels(code="bad_frame")): 9,
        ("hollywood_tables", labels(phase="waiting")): 1,
        ("hollywood_tables", labels(phase="play")): 3,
        ("hollywood_decision_seconds_count", labels(part="rules")): 2,
        ("hollywood_decision_seconds_count", labels(part="queue")): 0,
        ("hollywood_decision_seconds_sum", labels(part="rules")): 3.0002,
        ("hollywood_decision_seconds_bucket", labels(part="rules", le="0.0001")): 0,
        ("hollywood_decision_seconds_bucket", labels(part="rules", le="0.00025")): 1,
        ("hollywood_decision_seconds_bucket", labels(part="rules", le="2.5")): 1,
        ("hollywood_decision_seconds_bucket", labels(part="rules", le="+Inf")): 2,
        ("hollywood_journal_commit_tables_bucket", labels(le="8.0")): 0,
        ("hollywood_journal_commit_tables_bucket", labels(le="16.0")): 1,
    }
    assert {key: first.get(key) for key in expected} == expected
    assert second["hollywood_games_finished_total", none] == 7


async def test_the_port_is_free_again_after_the_end() -> None:
    port = 0
    for _ in range(2):
        async with trio.open_nursery() as nursery:
            port = await nursery.start(serve_metrics, Metrics(), port)
            await read(port)
            nursery.cancel_scope.cancel()
    with pytest.raises(urllib.error.URLError):
        await read(port)


async def test_a_taken_port_is_said_in_a_sentence() -> None:
    listener = (await trio.open_tcp_listeners(0, host="127.0.0.1"))[0]
    async with listener:
        port = listener.socket.getsockname()[1]
        with pytest.raises(HollywoodError, match="choose another --metrics-port") as refused:
            await serve_metrics(Metrics(), port)
    assert refused.value.code is ErrorCode.PORT_IN_USE


async def test_without_the_extra_a_sentence_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "hollywood.server.exposition", None)
    with pytest.raises(
        HollywoodError, match=r"pip install 'hollywood-rummy\[metrics\]'"
    ) as missing:
        await serve_metrics(Metrics(), 0)
    assert missing.value.code is ErrorCode.MISSING_EXTRA


def test_every_metric_is_explained_to_operators() -> None:
    """No metric without a row of the table in operations.md, no row without a metric."""
    kinds = {"counter": "_total", "gauge": "", "histogram": ""}
    told = set(re.findall(r"^\| `(hollywood_\w+)", OPERATIONS, flags=re.M))
    assert told == {family.name + kinds[family.type] for family in families(Metrics())}


@given(st.lists(st.floats(0, 10)), st.sampled_from([SECONDS, (1.0, 2.0)]))
def test_a_histogram_counts_like_a_plain_count(
    numbers: list[float], bounds: tuple[float, ...]
) -> None:
    histogram = Histogram(bounds)
    for number in numbers:
        histogram.observe(number)
    plain = [sum(n <= bound for n in numbers) for bound in (*bounds, float("inf"))]
    assert [n for _, n in histogram.cumulative()] == plain
    assert histogram.count == len(numbers)
    assert histogram.sum == pytest.approx(sum(numbers))


async def test_the_lag_of_the_loop_is_how_late_it_wakes(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics = Metrics()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch_lag, metrics)
        await trio.sleep(LAG_SECONDS / 2)
        autojump_clock.jump(LAG_SECONDS / 2 + 0.25)  # the loop was busy so long
        await trio.testing.wait_all_tasks_blocked()
        assert metrics.lag_seconds.count == 1
        assert metrics.lag_seconds.sum == pytest.approx(0.25)
        await trio.sleep(LAG_SECONDS * 10.5)
        assert metrics.lag_seconds.count == 11
        assert metrics.lag_seconds.sum == pytest.approx(0.25)
        nursery.cancel_scope.cancel()
