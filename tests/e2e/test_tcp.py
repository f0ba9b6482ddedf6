"""Whole games over real sockets, in this process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace

from hollywood.bots import Bot
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.connection import format_address, parse_address
from hollywood.bots.local import play_game
from hollywood.bots.runner import Outcome, SeatRunner
from hollywood.protocol.errors import UnreachableError
from hollywood.protocol.rules import load_rules, seed_from_text
from hollywood.server.config import HouseBot, ServerConfig, TableConfig
from hollywood.server.listener import serve

RULES = load_rules("hollywood")
SEVEN = load_rules("hollywood_seven")
SHORT = replace(SEVEN, rounds=(SEVEN.rounds[0], SEVEN.rounds[-1]))
SEED = seed_from_text("tcp")


async def test_the_same_seed_and_bots_play_the_same_game_over_tcp() -> None:
    """Every score is the one that the game in process has (design, section 8)."""
    bots: tuple[type[Bot], ...] = (GreedyBot, RandomBot, RandomBot, GreedyBot)
    local = play_game(RULES, bots, SEED)
    house = (HouseBot("greedy", GreedyBot),)
    table = TableConfig(name="den", rules=RULES, seats=4, house=house, seed=SEED)
    outcomes: dict[int, Outcome] = {}

    async def play(runner: SeatRunner, port: int) -> None:
        outcome = await runner.run("127.0.0.1", port)
        outcomes[outcome.seat] = outcome

    with trio.fail_after(120):
        async with trio.open_nursery() as nursery:
            port = await nursery.start(serve, ServerConfig(port=0, rules=RULES, tables=(table,)))
            async with trio.open_nursery() as players:
                for seat, bot in enumerate(bots[:3]):
                    runner = SeatRunner(bot, f"bot {seat}", "den")
                    players.start_soon(play, runner, port)
                    while runner.seat != seat:
                        await trio.sleep(0)
            nursery.cancel_scope.cancel()
    assert sorted(outcomes) == [0, 1, 2]
    for outcome in outcomes.values():
        assert outcome.totals == local.scores
        assert outcome.winners == local.winners


def has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="no IPv6 on this machine")
async def test_a_game_over_ipv6(tmp_path: Path) -> None:
    """An address of IPv6 is written in brackets, on the command line and where it is remembered."""
    house = (HouseBot("greedy", GreedyBot),) * 2
    tables = tuple(
        TableConfig(name=name, rules=SHORT, seats=3, house=house) for name in ("den", "attic")
    )
    config = ServerConfig(host="::1", port=0, rules=RULES, tables=tables)
    command = [sys.executable, "-c", "from hollywood.client.cli import main; main()", "join"]
    with trio.fail_after(300):
        async with trio.open_nursery() as nursery:
            port = await nursery.start(serve, config)
            address = format_address("::1", port)
            assert address == f"[::1]:{port}"
            outcome = await SeatRunner(GreedyBot, "bea", "den").run(*parse_address(address))
            done = await trio.run_process(
                [*command, address, "--table", "attic", "--name", "bea", "--plain"],
                stdin=subprocess.DEVNULL,
                capture_stdout=True,
                capture_stderr=True,
                env=os.environ
                | {"XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)},
            )
            nursery.cancel_scope.cancel()
    assert outcome.winners
    assert done.stdout.decode().startswith("You are at table attic")
    remembered = (tmp_path / "hollywood-rummy" / "settings.toml").read_text()
    assert f'servers = ["[::1]:{port}"]' in remembered


async def test_nobody_there_is_one_sentence() -> None:
    async with trio.open_nursery() as nursery:
        port = await nursery.start(serve, ServerConfig(port=0, rules=RULES))
        nursery.cancel_scope.cancel()
    with pytest.raises(UnreachableError, match="no server answers"):
        await SeatRunner(GreedyBot, "bea", "den").run("127.0.0.1", port)
