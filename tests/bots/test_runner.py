"""Bots over TCP: the same game as in process, and a bad bot only spoils its own."""

from __future__ import annotations

from unittest import mock

import pytest
import trio
from msgspec.structs import replace

from hollywood.bots import Bot
from hollywood.bots import runner as runner_module
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.loading import load_bot
from hollywood.bots.local import play_game
from hollywood.bots.runner import Outcome, SeatRunner
from hollywood.protocol.rules import Play, PlayerView, load_rules, seed_from_text
from hollywood.server.config import HouseBot, ServerConfig, TableConfig
from hollywood.server.listener import serve

FULL = load_rules("hollywood")
RULES = replace(FULL, rounds=FULL.rounds[:2], buy=replace(FULL.buy, limit_round=3))
SEED = seed_from_text("runner")


class Raises(Bot):
    def wants(self, view: PlayerView) -> bool:
        raise KeyError("lost")

    def play(self, view: PlayerView) -> Play:
        raise KeyError("lost")


class Illegal(Bot):
    def wants(self, view: PlayerView) -> bool:
        return False

    def play(self, view: PlayerView) -> Play:
        return Play()


async def play_over_tcp(bot: type[Bot]) -> tuple[Outcome, list[str]]:
    """Play against two house bots; return how it ended and what the runner reported."""
    told: list[str] = []
    table = TableConfig(
        name="den", rules=RULES, seats=3, house=(HouseBot("greedy", GreedyBot),) * 2, seed=SEED
    )
    with trio.fail_after(120):
        async with trio.open_nursery() as nursery:
            port = await nursery.start(serve, ServerConfig(port=0, rules=RULES, tables=(table,)))
            outcome = await SeatRunner(bot, "bea", "den", told.append).run("127.0.0.1", port)
            nursery.cancel_scope.cancel()
    return outcome, told


@pytest.mark.parametrize("spec", ["counter", "child:counter"])
async def test_a_bot_that_observes_plays_the_same_game_over_tcp(spec: str) -> None:
    outcome, told = await play_over_tcp(load_bot(spec))
    assert not [line for line in told if "strike" in line]
    seats: list[type[Bot]] = [GreedyBot, GreedyBot]
    seats.insert(outcome.seat, load_bot("counter"))
    assert outcome.totals == play_game(RULES, seats, SEED).scores


@pytest.mark.parametrize(("bot", "why"), [(Raises, "exception"), (Illegal, "rejected")])
async def test_a_bad_bot_has_its_strikes_and_the_game_ends(bot: type[Bot], why: str) -> None:
    outcome, told = await play_over_tcp(bot)
    assert len([line for line in told if why in line]) == 3
    seats: list[type[Bot]] = [GreedyBot, GreedyBot]
    seats.insert(outcome.seat, bot)
    local = play_game(RULES, seats, SEED)
    assert len(local.strikes[outcome.seat]) == 3
    assert outcome.totals == local.scores


async def test_a_seat_lost_before_its_game_began_is_played_by_the_seed_of_the_next_game() -> None:
    """A server that is killed keeps no seat of a game that had not begun."""
    waiting = TableConfig(name="den", rules=RULES, seats=2, seed=seed_from_text("another"))
    complete = replace(waiting, house=(HouseBot("greedy", GreedyBot),), seed=SEED)
    runner = SeatRunner(RandomBot, "bea", "den")
    outcomes: list[Outcome] = []

    async def play(port: int) -> None:
        outcomes.append(await runner.run("127.0.0.1", port))

    with trio.fail_after(120), mock.patch.object(runner_module, "_FIRST_WAIT", 0.01):
        async with trio.open_nursery() as games:
            async with trio.open_nursery() as nursery:
                config = ServerConfig(port=0, rules=RULES, tables=(waiting,))
                port = await nursery.start(serve, config)
                games.start_soon(play, port)
                while runner.seat < 0:
                    await trio.sleep(0.001)
                nursery.cancel_scope.cancel()
            async with trio.open_nursery() as nursery:
                config = ServerConfig(port=port, rules=RULES, tables=(complete,))
                await nursery.start(serve, config)
                while not outcomes:
                    await trio.sleep(0.001)
                nursery.cancel_scope.cancel()
    assert outcomes[0].seat == 0
    assert outcomes[0].totals == play_game(RULES, [RandomBot, GreedyBot], SEED).scores
