"""Whole games over real sockets, in this process."""

from __future__ import annotations

import pytest
import trio

from hollywood.bots import Bot
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.local import play_game
from hollywood.bots.runner import Outcome, SeatRunner
from hollywood.protocol.errors import UnreachableError
from hollywood.protocol.rules import load_rules, seed_from_text
from hollywood.server.config import HouseBot, ServerConfig, TableConfig
from hollywood.server.listener import serve

RULES = load_rules("hollywood")
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


async def test_nobody_there_is_one_sentence() -> None:
    async with trio.open_nursery() as nursery:
        port = await nursery.start(serve, ServerConfig(port=0, rules=RULES))
        nursery.cancel_scope.cancel()
    with pytest.raises(UnreachableError, match="no server answers"):
        await SeatRunner(GreedyBot, "bea", "den").run("127.0.0.1", port)
