"""A server in memory for tests: lobby and clients in one nursery, no sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import trio
import trio.testing

from hollywood.bots import Bot
from hollywood.bots.connection import ServerConnection, hello
from hollywood.protocol.rules import (
    Action,
    Event,
    Pass,
    Phase,
    PlayerView,
    WindowOptions,
    fold,
    load_rules,
    new_view,
    seed_from_text,
)
from hollywood.protocol.wire import ServerMessage
from hollywood.protocol.wire import messages as m
from hollywood.server.config import Clocks, HouseBot, Limits, ServerConfig, TableConfig
from hollywood.server.connection import Connection
from hollywood.server.journal import Journal
from hollywood.server.lobby import Lobby
from hollywood.server.store import Store

RULES = load_rules("hollywood")
SEED = seed_from_text("tests")
M = TypeVar("M")
T = TypeVar("T")


def den(
    seats: int = 3,
    house: Sequence[type[Bot]] = (),
    clocks: Clocks | None = None,
    seed: bytes = SEED,
) -> TableConfig:
    """A table called den."""
    return TableConfig(
        name="den",
        rules=RULES,
        seats=seats,
        house=tuple(HouseBot(bot.__name__, bot) for bot in house),
        seed=seed,
        clocks=clocks or Clocks(start_up=0),
    )


class Guest:
    """A client that remembers all it was told and folds its view."""

    def __init__(self, connection: ServerConnection, stream: trio.abc.Stream) -> None:
        self.connection = connection
        self.stream = stream
        self._joined: m.Joined | None = None
        self._view: PlayerView | None = None
        self.events: list[Event | m.Unknown] = []
        self.heard: list[ServerMessage] = []
        self._cid = 0

    @property
    def joined(self) -> m.Joined:
        """The last word about our seat."""
        assert self._joined is not None, "not seated yet"
        return self._joined

    @property
    def seat(self) -> int:
        return self.joined.seat

    @property
    def view(self) -> PlayerView:
        """What our seat knows by now."""
        assert self._view is not None, "not seated yet"
        return self._view

    def remember(self, before: Guest) -> None:
        """Go on where an earlier connection to the same seat stopped."""
        self.events, self._view = before.events, before.view

    async def hear(self, kind: type[M]) -> M:
        """Read until a message of that kind comes."""
        while True:
            # virtual seconds: a test that waits for what never comes fails at once
            with trio.fail_after(3600):
                message = await self.connection.receive()
            if isinstance(message, m.Ping):
                await self.connection.send(m.Pong(n=message.n))
                continue
            self.heard.append(message)
            if isinstance(message, m.Joined):
                self._joined = message
                if message.seq == 0:
                    self.events.clear()
                    self._view = new_view(message.rules, len(message.seats), message.seat)
            if isinstance(message, m.Events):
                assert message.seq == len(self.events) + 1, "events without a gap"
                self.events.extend(message.events)
                for event in message.events:
                    self._view = fold(self.view, event)
            if isinstance(message, kind):
                return message

    async def join(self, table: str = "den") -> m.Joined:
        self._cid += 1
        await self.connection.send(m.Join(cid=self._cid, table=table))
        return await self.hear(m.Joined)

    async def answer(self, did: int, action: Action, cid: int | None = None) -> m.Verdict:
        """Answer and wait for the verdict."""
        if cid is None:
            self._cid += 1
            cid = self._cid
        await self.connection.send(m.AnswerDecision(cid=cid, did=did, action=action))
        return await self.hear(m.Verdict)

    async def play_on(self, until_deal: int = 99) -> None:
        """Answer everything with the default until a deal or the game is over."""
        while self.view.phase is not Phase.GAME_OVER and len(self.view.scores) < until_deal:
            message = await self.hear(object)
            if isinstance(message, m.Decide):
                legal = message.legal
                action = Pass() if isinstance(legal, WindowOptions) else legal.default
                self._cid += 1
                await self.connection.send(
                    m.AnswerDecision(cid=self._cid, did=message.did, action=action)
                )


class House:
    """A lobby with its sweeper; `enter` brings a guest in."""

    def __init__(self, lobby: Lobby, nursery: trio.Nursery) -> None:
        self.lobby = lobby
        self.nursery = nursery

    def connect(self, address: str = "") -> trio.abc.Stream:
        """Open a connection that has not said anything yet; return our end."""
        ours, theirs = trio.testing.memory_stream_pair()
        self.nursery.start_soon(Connection(theirs, self.lobby, address).run)
        return ours

    async def enter(
        self,
        name: str = "bea",
        role: m.Role = m.Role.BOT,
        token: str = "",
        resume: m.Resume | None = None,
        address: str = "",
    ) -> Guest:
        stream = self.connect(address)
        connection = ServerConnection(stream)
        await connection.greet(hello(name, role, token, resume))
        return Guest(connection, stream)


async def at_once(work: Callable[[], T]) -> T:
    """Do in this thread what the server does in another: a virtual clock waits for no thread."""
    await trio.lowlevel.checkpoint()
    return work()


@asynccontextmanager
async def open_house(
    *tables: TableConfig,
    max_tables: int = 5,
    data: Path | None = None,
    limits: Limits | None = None,
    clocks: Clocks | None = None,
) -> AsyncIterator[House]:
    """Run a lobby with these tables; with a data folder it keeps a journal.

    To leave it is to kill it: what was not committed is lost.
    """
    config = ServerConfig(
        rules=RULES,
        tables=tables,
        max_tables=max_tables,
        limits=limits or Limits(),
        clocks=clocks or Clocks(),
    )
    store = None if data is None else Store(data)
    journal = None if store is None else Journal(store, at_once)
    async with trio.open_nursery() as nursery:
        lobby = Lobby(config, journal, at_once)
        house = House(lobby, nursery)
        nursery.start_soon(lobby.sweep)
        nursery.start_soon(lobby.write_out)
        nursery.start_soon(lobby.tell_changes)
        nursery.start_soon(lobby.think_for_bots)
        if journal is not None:
            nursery.start_soon(lobby.write_journal)
        yield house
        nursery.cancel_scope.cancel()
    if store is not None:
        store.close()
