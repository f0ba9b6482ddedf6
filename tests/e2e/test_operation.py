"""`hollywood serve` as its operator runs it: in a process of its own, stopped and started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
import trio
import trustme

from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.connection import connect, hello, trust
from hollywood.bots.local import play_game
from hollywood.bots.runner import Outcome, SeatRunner
from hollywood.protocol.errors import HollywoodError, UnreachableError
from hollywood.protocol.rules import decode_record, game_seed, load_rules, seed_from_text, verify
from hollywood.protocol.wire import messages as m
from hollywood.server.certificates import server_context
from hollywood.server.config import Clocks, ServerConfig, TableConfig
from hollywood.server.listener import Server
from house import RULES, den

FOUR_DEALS = """
extend = "hollywood"
title = "Four deals"
rounds = [
  { deal = 11, contract = "2xS3" },
  { deal = 11, contract = "S3 + R4" },
  { deal = 11, contract = "2xR4" },
  { deal = 11, contract = "3xS3" },
]
buy.limit_round = 2
"""
CONSOLE = "from hollywood.client.cli import main; main()"


def hollywood(*words: str | Path) -> list[str]:
    """The command as a new process runs it."""
    return [sys.executable, "-c", CONSOLE, *map(str, words)]


@contextmanager
def running(folder: Path, port: int) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server with a table for two; its process and port."""
    rules = folder / "four.toml"
    rules.write_text(FOUR_DEALS)
    words = hollywood(
        "serve", "--host", "127.0.0.1", "--port", str(port), "--data", folder / "data",
        "--rules", rules, "--table", "den", "--seats", "2", "--seed", "7", "--no-discovery",
    )  # fmt: skip
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        yield process, int(process.stdout.readline().split()[3].rstrip("."))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def said(*words: str | Path) -> str:
    done = subprocess.run(hollywood(*words), capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_stopped_in_the_middle_it_goes_on_where_it_was(tmp_path: Path, number: int) -> None:
    (tmp_path / "four.toml").write_text(FOUR_DEALS)
    rules = load_rules(tmp_path / "four.toml")
    seed = game_seed(seed_from_text("7"), 0)
    undisturbed = play_game(rules, (GreedyBot, GreedyBot), seed)
    outcomes = trio.run(_play_through, tmp_path, number)
    assert {outcome.totals for outcome in outcomes} == {undisturbed.scores}


async def _play_through(folder: Path, number: int) -> list[Outcome]:
    outcomes: list[Outcome] = []
    stopped = trio.Event()
    seen: list[str] = []

    class Pausing(GreedyBot):
        """Stops before its twentieth decision until the server has been stopped."""

        def begin_decision(self, number: int) -> None:
            super().begin_decision(number)
            if number == 20 and not stopped.is_set():
                seen.append("twenty")

    async def sit(name: str, port: int) -> None:
        runner = SeatRunner(Pausing, name, "den")
        outcomes.append(await runner.run("127.0.0.1", port))

    with trio.fail_after(120):
        with running(folder, 0) as (process, port):
            async with trio.open_nursery() as nursery:
                for name in ("ada", "bea"):
                    nursery.start_soon(sit, name, port)
                while not seen:
                    await trio.sleep(0.01)
                process.send_signal(number)
                code = await trio.to_thread.run_sync(process.wait)
                assert code == (0 if number == signal.SIGTERM else -signal.SIGKILL)
                stopped.set()
                with running(folder, port):
                    while len(outcomes) < 2:
                        await trio.sleep(0.05)
                    if number == signal.SIGTERM:
                        await trio.to_thread.run_sync(_look_at_the_store, folder / "data", outcomes)
    return outcomes


def _look_at_the_store(data: Path, outcomes: list[Outcome]) -> None:
    """While the server runs: status, results, export, a copy, and a second server refused."""
    status = msgspec.json.decode(said("admin", "--data", data, "status", "--json"))
    assert status["games_finished"] == 1
    results = msgspec.json.decode(said("results", "--data", data, "--json"))["games"]
    assert [tuple(result["scores"]) for result in results] == [outcomes[0].totals]
    said("export", "den", "--data", data, "--output", data / "den.json")
    record = decode_record((data / "den.json").read_bytes())
    assert verify(record).totals() == outcomes[0].totals
    ratings = msgspec.json.decode(said("results", "--data", data, "--ratings", "--json"))
    assert sorted(rating["name"] for rating in ratings["ratings"]) == ["ada", "bea"]
    said("admin", "--data", data, "backup", data / "copy.db")
    assert (data / "copy.db").stat().st_mode & 0o077 == 0
    second = subprocess.run(
        hollywood("serve", "--port", "0", "--data", data, "--no-discovery"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert second.returncode == 1
    assert "runs already" in second.stderr


def test_what_was_never_kept_is_said(tmp_path: Path) -> None:
    for words in (("results",), ("export", "den")):
        done = subprocess.run(
            hollywood(*words, "--data", tmp_path), capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert "no server has kept games" in done.stderr


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anything")
def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    done = subprocess.run(
        hollywood("serve", "--port", "0", "--data", tmp_path / "data", "--no-discovery"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "data directory" in done.stderr


async def test_a_game_over_tls(tmp_path: Path, nursery: trio.Nursery) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    issued = authority.issue_cert("127.0.0.1", "localhost")
    issued.private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "server.pem"))
    context = server_context(tmp_path / "server.pem", tmp_path / "server.pem")
    table: TableConfig = den(seats=2, house=(GreedyBot,), clocks=Clocks(start_up=0))
    server = Server(ServerConfig(port=0, rules=RULES, tables=(table,), tls=context))
    port = await nursery.start(server.run)
    with trio.fail_after(60):
        greeting = hello("eve", m.Role.BOT)
        with pytest.raises(UnreachableError):
            async with connect("127.0.0.1", port, greeting):
                pass
        with pytest.raises(UnreachableError, match="certificate one we trust"):
            async with connect("127.0.0.1", port, greeting, trust()):
                pass
        runner = SeatRunner(GreedyBot, "ada", "den")
        outcome = await runner.run("127.0.0.1", port, trust(tmp_path / "ca.pem"))
    assert len(outcome.totals) == 2
    server.stop()


def test_a_certificate_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "no.pem").write_text("no certificate")
    with pytest.raises(HollywoodError, match="PEM"):
        server_context(tmp_path / "no.pem", tmp_path / "no.pem")
    with pytest.raises(HollywoodError, match="PEM"):
        trust(tmp_path / "no.pem")
