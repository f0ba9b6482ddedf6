"""Bots over TCP: the same game as in process, and a bad bot only spoils its own."""

from __future__ import annotations

import pytest
import trio
from msgspec.structs import replace

from hollywood.bots import Bot
from hollywood.bots.builtin.greedy import GreedyBot
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
