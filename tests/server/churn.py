"""Thousands of short games whose players come and go, and what is left of them: nothing.

    python tests/server/churn.py --games 10000

Players play steadily, lose their connections and come back in time or too late, open a
second connection beside the first, say nothing, leave, or vanish for ever; others watch
or sit down at tables of their own and go. On a virtual clock, in memory. Afterwards all
tables, seats, connections, tasks, timers and what was kept of games must be gone, and
memory must be about as large as after the first tenth. The test suite plays some of them.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

import msgspec
import trio
import trio.testing

sys.path.insert(0, str(Path(__file__).parent.parent))

from hollywood.protocol.errors import SessionClosedError
from hollywood.protocol.rules import Pass, RuleSet, WindowOptions
from hollywood.protocol.wire import messages as m
from hollywood.protocol.wire.session import last_framed
from hollywood.server.config import Clocks, TableConfig
from house import RULES, Guest, House, open_house

TABLES = 8
"""So many games go on at once."""

BRIEF: RuleSet = msgspec.structs.replace(
    RULES,
    name="brief",
    rounds=RULES.rounds[:1],
    buy=msgspec.structs.replace(RULES.buy, limit_round=3),
    game=msgspec.structs.replace(RULES.game, max_turns=12),
)
CLOCKS = Clocks(
    window=15, turn=30, start_up=0, grace=20, away=60, park=120, linger=60, idle=math.inf
)

WAYS = ("steady", "steady", "flaky", "flaky", "double", "silent", "leaver", "deserter")

COUNTED = (
    "hollywood.server",
    "hollywood.bots",
    "hollywood.protocol.wire",
    "hollywood.protocol.rules.events",
    "hollywood.protocol.rules.state",
    "hollywood.protocol.rules.views",
)
"""Where the classes are whose objects must go. The laydown search keeps what it has
worked out, up to a limit of its own."""

MOST_GROWTH = 0.1
"""Of resident memory after the first tenth: the laydown search fills up what it keeps."""


class Census(msgspec.Struct):
    """What there is at a quiet moment."""

    tables: tuple[tuple[str, bool, bool], ...]
    """The lobby's tables, whether a game has begun there, and whether one has a deadline."""
    tasks: int
    has_timer: bool
    """Whether anything at all waits for a time."""
    files: int
    objects: Counter[str]
    """Live objects of this project by class."""


def census(house: House) -> Census:
    """Count everything but the message that was framed last, which the next one replaces."""
    last_framed.message = None
    gc.collect()
    statistics = trio.lowlevel.current_statistics()
    kinds = (type(thing) for thing in gc.get_objects())
    return Census(
        tables=tuple(
            (name, table.state is not None, math.isfinite(table.next_deadline()))
            for name, table in sorted(house.lobby.tables.items())
        ),
        tasks=statistics.tasks_living,
        has_timer=math.isfinite(statistics.seconds_to_next_deadline),
        files=len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0,
        objects=Counter(
            f"{kind.__module__}.{kind.__qualname__}"
            for kind in kinds
            if str(kind.__module__).startswith(COUNTED)
        ),
    )


def check(before: Census, objects: Counter[str], after: Census) -> None:
    """There must not be more than at first, and no more objects than after some games."""
    assert after.tables == before.tables
    assert after.tasks == before.tasks
    assert after.has_timer == before.has_timer
    assert after.files == before.files
    left = after.objects - objects
    assert not left, f"left behind: {dict(left)}"


class Visitor:
    """One player of one game, who behaves in one of the ways."""

    def __init__(self, house: House, table: str, name: str, way: str, rng: Random) -> None:
        self.house = house
        self.table = table
        self.name = name
        self.way = way
        self.rng = rng
        self.guest: Guest | None = None
        self.cid = 100
        self.done: Counter[str] = Counter()

    async def sit_down(self) -> None:
        self.guest = await self.house.enter(self.name)
        await self.guest.join(self.table)

    async def play(self) -> None:
        """Behave until the game is over or this player has gone."""
        patience = self.rng.randrange(40)
        guest: Guest | None = self.guest
        while guest is not None and not guest.view.winners:
            try:
                message = await guest.hear(object)
            except SessionClosedError:
                guest = await self._come_back(guest)
                continue
            patience -= 1
            if self.way in ("leaver", "deserter") and patience < 0:
                break
            if isinstance(message, m.Decide) and self.way != "silent":
                await self._answer(guest, message)
            if self.way in ("flaky", "double") and self.rng.random() < 0.1:
                guest = await self._come_back(guest)
        await self._go(guest)

    async def _answer(self, guest: Guest, message: m.Decide) -> None:
        legal = message.legal
        action = Pass() if isinstance(legal, WindowOptions) else legal.default
        self.cid += 1
        await guest.connection.send(m.AnswerDecision(cid=self.cid, did=message.did, action=action))

    async def _come_back(self, before: Guest) -> Guest | None:
        """Lose the connection and resume, perhaps too late; None: the seat is gone."""
        self.done[self.way] += 1
        if self.way == "double":
            self.house.nursery.start_soon(_close_later, before.stream, self.rng.random() * 60)
        else:
            await before.stream.aclose()
            await trio.sleep(self.rng.choice((0, 1, 5, 19, 21, 60)))
        resume = m.Resume(table=self.table, seq=len(before.events))
        guest = await self.house.enter(self.name, token=before.joined.token, resume=resume)
        guest.remember(before)
        while True:
            message = await guest.hear(object)
            if isinstance(message, m.Error):
                await guest.stream.aclose()
                return None
            if isinstance(message, m.Joined):
                return guest

    async def _go(self, guest: Guest | None) -> None:
        if guest is None:
            return
        if self.way == "leaver":
            self.done["leaver"] += 1
            self.cid += 1
            await guest.connection.send(m.Leave(cid=self.cid))
            await guest.hear(m.Done)
        self.done["closed"] += 1
        await guest.stream.aclose()


async def _close_later(stream: trio.abc.Stream, seconds: float) -> None:
    await trio.sleep(seconds)
    await stream.aclose()


async def one_game(house: House, name: str, rng: Random) -> Counter[str]:
    """Play one game and wait until the table has no use for it any more."""
    table = house.lobby.tables[name]
    seats = table.config.seats
    players = [Visitor(house, name, f"p{n}", rng.choice(WAYS), rng) for n in range(seats)]
    for player in players:
        await player.sit_down()
    table = house.lobby.tables[name]
    async with trio.open_nursery() as nursery:
        for player in players:
            nursery.start_soon(player.play)
        for _ in range(rng.choice((0, 0, 1, 2))):
            nursery.start_soon(_watch, house, name, rng)
        if rng.random() < 0.2:
            nursery.start_soon(_pass_by, house, f"own {name}", rng)
    while house.lobby.tables.get(name) is table and not table.is_over:
        await trio.sleep(10)
    return sum((player.done for player in players), Counter[str]())


async def _watch(house: House, name: str, rng: Random) -> None:
    """Watch some of the game, then go without a word."""
    guest = await house.enter("eye", m.Role.WATCHER)
    await guest.connection.send(m.Watch(cid=1, table=name))
    await guest.connection.receive()
    with trio.move_on_after(rng.random() * 100):
        while True:
            await guest.connection.receive()
    await guest.stream.aclose()


async def _pass_by(house: House, name: str, rng: Random) -> None:
    """Sit down at a table of one's own, and go before anybody comes."""
    guest = await house.enter("loner")
    await guest.join(name)
    await trio.sleep(rng.random() * 30)
    await guest.stream.aclose()


async def churn(games: int, seed: str, *, is_loud: bool = False) -> Counter[str]:
    """Play so many games and compare what there is before and after."""
    tables = [
        TableConfig(name=f"t{n}", rules=BRIEF, seats=2 + n % 3, clocks=CLOCKS)
        for n in range(TABLES)
    ]
    done: Counter[str] = Counter()
    early = 0
    async with open_house(*tables, max_tables=3 * TABLES) as house:

        async def play_on(name: str, numbers: Iterator[int]) -> None:
            nonlocal early
            for number in numbers:
                done.update(await one_game(house, name, Random(f"{seed}/{number}")))
                done["games"] += 1
                if done["games"] == max(TABLES, games // 10):
                    early = resident()
                if is_loud and done["games"] % max(1, games // 10) == 0:
                    print(f"{done['games']} games, {resident() / 2**20:.1f} MiB", flush=True)

        async def play_at_all(numbers: range) -> None:
            shared = iter(numbers)
            async with trio.open_nursery() as nursery:
                for table in tables:
                    nursery.start_soon(play_on, table.name, shared)
            await _quiet()

        await _quiet()
        at_first = census(house)
        # what is kept for good, and does not grow, is there after the first games
        await play_at_all(range(TABLES))
        early_objects = census(house).objects
        await play_at_all(range(TABLES, games))
        check(at_first, early_objects, census(house))
        growth = resident() / early - 1
        assert games < 1000 or growth < MOST_GROWTH, f"memory has grown by {growth:.1%}"
        if is_loud:
            print(f"memory grew by {growth:.1%} after the first tenth")
    return done


async def _quiet() -> None:
    """Wait until every grace and every linger is over."""
    await trio.sleep(4000)
    await trio.testing.wait_all_tasks_blocked()


def resident() -> int:
    """This process's resident bytes, 0 where the system does not say."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 0


def main() -> None:
    """Play many, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", default="1")
    args = parser.parse_args()
    began = time.perf_counter()
    run = partial(churn, is_loud=True)
    clock = trio.testing.MockClock(autojump_threshold=0)
    done = trio.run(run, args.games, args.seed, clock=clock)
    took = time.perf_counter() - began
    print(", ".join(f"{what} {count:,}" for what, count in sorted(done.items())))
    print(f"{args.games} games in {took:.0f} s: nothing is left of them")


if __name__ == "__main__":
    main()
