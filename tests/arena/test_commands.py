"""`hollywood tournament` as its users call it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner, Result

from arena import harness
from hollywood.bots.arena.event import load_event
from hollywood.bots.arena.executors import Workers
from hollywood.bots.arena.lines import SetLine, decode_set
from hollywood.bots.arena.outputs import fold_journal
from hollywood.bots.arena.runner import Runner
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.runner import RETRY_SECONDS, SeatRunner
from hollywood.client.cli import cli
from hollywood.client.tournament_serve import LIMITS, WireExecutor, play_on, seat_tokens
from hollywood.protocol.errors import RefusedError
from hollywood.protocol.rules import decode_record, verify
from hollywood.server.config import Clocks, ServerConfig

EVENT = """
name = "commands"
rules = "dash.toml"
seats = 3
format = "round_robin"
deals = 3
seed = "commands"
{more}
[[bots]]
name = "guest"
bot = "{guest}"
[[bots]]
name = "random"
bot = "random"
[[bots]]
name = "second"
bot = "greedy"
"""
AT_ONCE = "arena.test_commands:at_once"


def at_once() -> harness.AtOnce:
    """An executor that the command line can name."""
    return harness.AtOnce()


@pytest.fixture
def event(tmp_path: Path) -> Path:
    return write(tmp_path)


def write(folder: Path, guest: str = "greedy", more: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "dash.toml").write_bytes((harness.HERE / "dash.toml").read_bytes())
    path = folder / "event.toml"
    path.write_text(EVENT.format(guest=guest, more=more))
    return path


def call(*words: object) -> Result:
    result = CliRunner().invoke(cli, ["tournament", *map(str, words)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_plan_prints_schedule_games_and_cost(event: Path) -> None:
    text = call("plan", event, "--pilot", 4, "--executor", AT_ONCE).output
    assert "3 deal sets and 18 games in all" in text
    assert "against itself   guest, guest, guest" in text
    assert "a margin spreads by" in text
    assert "±5    points" in text
    plan = json.loads(call("plan", event, "--pilot", 2, "--executor", AT_ONCE, "--json").output)
    assert plan["plan"]["games"] == 18
    assert [need["points"] for need in plan["cost"]["needs"]] == [20, 10, 5, 2]
    games = [need["games"] for need in plan["cost"]["needs"]]
    assert games == sorted(games)


def test_run_then_report_give_the_same_results(event: Path) -> None:
    out = event.parent / "out"
    ran = call("run", event, "--out", out, "--executor", AT_ONCE)
    assert ran.exit_code == 0
    assert "guest" in ran.output
    before = (out / "results.json").read_bytes()
    (out / "results.json").unlink()
    call("report", event, "--out", out, "--no-records")
    assert (out / "results.json").read_bytes() == before
    assert json.loads(call("report", event, "--out", out, "--json").output)["games"] == 9
    again = call("run", event, "--out", out, "--executor", AT_ONCE)
    assert again.exit_code == 0
    assert (out / "results.json").read_bytes() == before
    path = Path(call("record", event, 4, 1, "--out", out).output.strip())
    verify(decode_record(path.read_bytes()))


def test_json_lines_end_with_the_result(event: Path) -> None:
    out = event.parent / "out"
    ran = call("run", event, "--out", out, "--executor", AT_ONCE, "--json")
    lines = [json.loads(line) for line in ran.output.splitlines()]
    assert lines[-1]["type"] == "end"
    assert lines[-1]["is_over"] is True
    assert lines[-1]["games"] == 9


def test_wrong_use_is_one_sentence(event: Path, tmp_path: Path) -> None:
    cases = [
        (["run", event, "--shard", "3/2"], 2, "is no part of an event"),
        (["run", tmp_path / "none.toml"], 2, "cannot read"),
        (["run", event, "--tls-ca", event], 2, "go together"),
        (["run", write(tmp_path / "w", "wire")], 2, "say rated = false"),
    ]
    for words, code, sentence in cases:
        result = call(*words)
        assert result.exit_code == code, result.output
        assert sentence in result.output
    with pytest.raises(Exception, match="speaks the wire only: use hollywood tournament serve"):
        call("run", write(tmp_path / "w", "wire", "rated = false"), "--executor", AT_ONCE)


def test_shards_and_merge(event: Path) -> None:
    parts = []
    for number in (1, 2):
        out = event.parent / f"part{number}"
        call("run", event, "--out", out, "--executor", AT_ONCE, "--shard", f"{number}/2")
        parts.append(out / "journal.jsonl")
    merged = call("merge", event, *parts, "--out", event.parent / "all")
    assert "6 deal sets of 2 journals" in merged.output


def test_ctrl_c_finishes_what_is_under_way_and_says_how_to_go_on(event: Path) -> None:
    event.write_text(event.read_text().replace("deals = 3", "deals = 100000"))
    out = event.parent / "out"
    main = "from hollywood.client.cli import main; main()"
    words = ["tournament", "run", str(event), "--out", str(out), "--executor", "local:1", "--json"]
    child = subprocess.Popen(
        [sys.executable, "-c", main, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    journal = out / "journal.jsonl"
    assert child.stdout is not None
    next(line for line in child.stdout if json.loads(line)["games"] > 0)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=300)
    assert child.returncode == 130, said
    assert "Finishing the games that are under way" in said
    assert f"To go on: hollywood {' '.join(words)}" in said
    document = json.loads((out / "results.json").read_bytes())
    assert document["is_over"] is False
    whole = journal.read_bytes()
    assert whole.endswith(b"\n")
    assert document["sets"] == whole.count(b"\n") - 1 - 3


def test_a_missing_extra_is_one_sentence(event: Path) -> None:
    main = "import sys; sys.modules['scipy'] = None; from hollywood.client.cli import main; main()"
    words = ["tournament", "report", str(event)]
    done = subprocess.run(
        [sys.executable, "-c", main, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "pip install 'hollywood-rummy[tournament]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def scores(path: Path) -> list[tuple[tuple[int, ...], ...]]:
    lines: list[SetLine] = [
        decode_set(json.dumps(json.loads(raw)["set"])) for raw in path.read_bytes().splitlines()[1:]
    ]
    return [tuple(game.scores for game in line.games) for line in lines if line.round]


def test_an_event_over_tcp_is_the_same_event(tmp_path: Path) -> None:
    """A guest that speaks the wire scores what it scores in process."""
    setup = load_event(write(tmp_path / "wire", "wire", "rated = false"))
    own = load_event(write(tmp_path / "own"))
    tokens = seat_tokens(setup, tmp_path)
    assert seat_tokens(setup, tmp_path) == tokens
    config = ServerConfig(port=0, rules=setup.rules, limits=LIMITS)
    clocks = Clocks(window=60.0, turn=60.0, pause=0.0)
    executor = WireExecutor(setup, tokens, tmp_path, config, clocks, lambda _: None)
    played: list[int] = []

    async def guest() -> None:
        async def once() -> object:
            runner = SeatRunner(GreedyBot, "guest", next(iter(tokens)))
            return await runner.run("127.0.0.1", executor.port)

        played.append(await play_on(once, lambda _: None))

    thread = threading.Thread(target=partial(trio.run, guest))
    try:
        with pytest.raises(RefusedError, match="no seat token"):
            trio.run(SeatRunner(GreedyBot, "x", "nobody").run, "127.0.0.1", executor.port)
        thread.start()
        workers = Workers(executor, 1, executor.shutdown)
        Runner(setup, tmp_path / "wire" / "journal.jsonl", workers).run()
    finally:
        executor.shutdown()
    # who asks for its next game as the server goes looks for it so long
    thread.join(60 + RETRY_SECONDS)
    harness.run(own, tmp_path / "own")
    assert scores(tmp_path / "wire" / "journal.jsonl") == scores(tmp_path / "own" / "journal.jsonl")
    assert played == [9]
    records = sorted((tmp_path / "records").iterdir())
    assert len(records) == 9
    verify(decode_record(records[0].read_bytes()))
    assert fold_journal(setup, tmp_path / "wire" / "journal.jsonl").is_over


def test_dask_plays_the_same_event(tmp_path: Path, event: Path) -> None:
    distributed = pytest.importorskip("distributed")
    setup = load_event(event)
    (tmp_path / "dask").mkdir()
    (tmp_path / "here").mkdir()
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        workers = Workers(client.get_executor(pure=False), 2, lambda: None)
        harness.run(setup, tmp_path / "dask", workers=workers)
    harness.run(setup, tmp_path / "here")
    dask, here = (tmp_path / name / "journal.jsonl" for name in ("dask", "here"))
    assert dask.read_bytes() == here.read_bytes()
