"""Clients that lose their connection, repeat themselves and come too late.

    python tests/server/interleavings.py --runs 10000

plays so many short games of flaky clients against the undisturbed game of the same
seed: no decision may be answered twice, no event be missed or told twice, and the
scores must be the same. A few of these run in the test suite.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from random import Random

import msgspec
import trio
import trio.testing

sys.path.insert(0, str(Path(__file__).parent.parent))

from hollywood.bots.api import Bot, decide
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.local import play_game
from hollywood.protocol.errors import SessionClosedError
from hollywood.protocol.rules import Pass, RuleSet, redact, seed_from_text
from hollywood.protocol.wire import messages as m
from hollywood.server.config import Clocks, TableConfig
from house import RULES, Guest, House, open_house

SHORT: RuleSet = msgspec.structs.replace(
    RULES,
    name="short",
    rounds=RULES.rounds[:1],
    buy=msgspec.structs.replace(RULES.buy, limit_round=3),
)
BOTS: tuple[type[Bot], ...] = (GreedyBot, RandomBot, RandomBot)
PATIENT = Clocks(window=None, turn=None, grace=float("inf"), start_up=0)


class FlakyPlayer:
    """Plays a bot's decisions over connections that break."""

    def __init__(self, house: House, seat: int, rng: Random) -> None:
        self.house = house
        self.rng = rng
        self.name = f"bot {seat}"
        self.bot_class = BOTS[seat]
        self.bot: Bot | None = None
        self.guest: Guest | None = None
        self.cid = 0
        self.accepted: dict[int, set[int]] = {}
        """By decision the commands whose answer was accepted."""
        self.dids: list[int] = []
        self.breaks = 0

    async def connect(self) -> Guest:
        """Join, or come back to the seat."""
        before = self.guest
        if before is None:
            self.guest = guest = await self.house.enter(self.name)
            await guest.join()
            self.bot = self.bot_class(bytes.fromhex(guest.joined.rng))
            return guest
        resume = m.Resume(table="den", seq=len(before.events))
        self.guest = guest = await self.house.enter(
            self.name, token=before.joined.token, resume=resume
        )
        guest.remember(before)
        await guest.hear(m.Joined)
        self.breaks += 1
        return guest

    async def play(self) -> None:
        """Play until the game is over."""
        guest = self.guest or await self.connect()
        while not guest.view.winners:
            try:
                message = await guest.hear(object)
                if isinstance(message, m.Verdict):
                    self.note(message)
                elif isinstance(message, m.Decide):
                    await self.answer(guest, message)
                if self.rng.random() < 0.03:
                    await guest.stream.aclose()
            except SessionClosedError:
                guest = await self.connect()

    def note(self, verdict: m.Verdict) -> None:
        """An answer may be accepted once; a repeated command repeats its verdict."""
        if verdict.status is m.VerdictStatus.ACCEPTED:
            cids = self.accepted.setdefault(verdict.did, set())
            cids.add(verdict.cid)
            assert len(cids) == 1, f"decision {verdict.did} was answered twice"
        assert verdict.status is not m.VerdictStatus.REJECTED, verdict

    async def answer(self, guest: Guest, message: m.Decide) -> None:
        """Answer, and sometimes say more than is good."""
        assert self.bot is not None
        action = decide(self.bot, guest.view, message.n)
        self.cid += 1
        answer = m.AnswerDecision(cid=self.cid, did=message.did, action=action)
        await guest.connection.send(answer)
        chance = self.rng.random()
        if chance < 0.05:
            await guest.connection.send(answer)  # the same command again
        elif chance < 0.10:
            self.cid += 1
            await guest.connection.send(
                m.AnswerDecision(cid=self.cid, did=message.did, action=Pass())
            )
        elif chance < 0.15 and self.dids:
            self.cid += 1
            late = self.rng.choice(self.dids)
            await guest.connection.send(m.AnswerDecision(cid=self.cid, did=late, action=Pass()))
        elif chance < 0.20:
            await guest.stream.aclose()
        self.dids.append(message.did)


async def disturbed(number: int) -> int:
    """Play one game of flaky clients; return how often a connection broke."""
    seed = seed_from_text(f"interleaving {number % 50}")
    undisturbed = play_game(SHORT, BOTS, seed)
    table = TableConfig(name="den", rules=SHORT, seats=len(BOTS), seed=seed, clocks=PATIENT)
    async with open_house(table) as house:
        players = [FlakyPlayer(house, s, Random(f"{number}/{s}")) for s in range(len(BOTS))]
        for player in players:
            await player.connect()
        played = house.lobby.tables["den"]
        async with trio.open_nursery() as nursery:
            for player in players:
                nursery.start_soon(player.play)
    assert played.state is not None
    assert played.state.totals() == undisturbed.scores, f"run {number}"
    for seat, player in enumerate(players):
        assert player.guest is not None
        told = [redact(event, seat) for event in played.audience.events]
        assert player.guest.events == told, f"run {number}: seat {seat} was told something else"
    return sum(player.breaks for player in players)


def main() -> None:
    """Play many, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    runs = parser.parse_args().runs
    began, breaks = time.perf_counter(), 0
    for number in range(runs):
        clock = trio.testing.MockClock(autojump_threshold=0)
        breaks += trio.run(disturbed, number, clock=clock)
    took = time.perf_counter() - began
    print(f"{runs} games, {breaks} broken connections, {took:.0f} s: all as undisturbed")


if __name__ == "__main__":
    main()
