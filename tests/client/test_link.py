"""The link and a server in one nursery, on a virtual clock: it comes back, it says goodbye."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.connection import ServerConnection
from hollywood.client import link as link_module
from hollywood.client.link import SILENCE_SECONDS, Link
from hollywood.client.model import ClientModel, LinkStatus
from hollywood.client.seats import KeptSeat, SeatKeeper
from hollywood.protocol.errors import ErrorCode, RefusedError, UnreachableError
from hollywood.protocol.rules import CARDS, PlayOptions
from hollywood.protocol.wire import ServerMessage
from hollywood.protocol.wire import messages as m
from hollywood.server.config import Clocks
from house import House, den, open_house

Connect = Callable[..., AbstractAsyncContextManager[ServerConnection]]


class Wire:
    """Stands for the network between the links of a test and its house."""

    def __init__(self) -> None:
        self.house: House | None = None
        self.streams: list[trio.abc.Stream] = []

    @asynccontextmanager
    async def connect(
        self, host: str, port: int, greeting: m.Hello, tls: object = None
    ) -> AsyncIterator[ServerConnection]:
        await trio.lowlevel.checkpoint()
        if self.house is None:
            raise UnreachableError(f"no server answers at {host}:{port}")
        stream = self.house.connect()
        self.streams.append(stream)
        async with stream:
            connection = ServerConnection(stream)
            await connection.greet(greeting)
            yield connection

    async def cut(self) -> None:
        """Break every connection."""
        for stream in self.streams:
            await trio.aclose_forcefully(stream)
        self.streams.clear()


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    made = Wire()
    monkeypatch.setattr(link_module, "connect", made.connect)
    return made


class Player:
    """A link with a model behind it."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.model = ClientModel()
        self.heard: list[ServerMessage | LinkStatus] = []
        self._news = trio.Event()

    def take(self, message: ServerMessage | LinkStatus) -> None:
        self.heard.append(message)
        if isinstance(message, LinkStatus):
            self.model.set_link(message, trio.current_time())
        else:
            self.model.receive(message, trio.current_time())
        self._news.set()
        self._news = trio.Event()

    async def run(self) -> None:
        await self.link.run(self.take, self.take)

    async def until(self, happened: Callable[[], object]) -> None:
        with trio.fail_after(3600):
            while not happened():
                await self._news.wait()

    def statuses(self) -> list[str]:
        return [one.state for one in self.heard if isinstance(one, LinkStatus)]


def player(table: str = "den", name: str = "ann", keeper: SeatKeeper | None = None) -> Player:
    return Player(Link("den.local", 7878, name, table, keeper=keeper, caps=("hints",)))


async def test_it_sits_down_and_hears_the_game(autojump_clock: MockClock, wire: Wire) -> None:
    ann = player()
    async with open_house(den(2, [RandomBot])) as wire.house:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.run)
            await ann.until(lambda: ann.model.decision is not None)
            assert ann.model.allows_hints
            assert ann.statuses() == ["connecting", "online"]
            nursery.cancel_scope.cancel()
        wire.house.nursery.cancel_scope.cancel()


async def test_nobody_there_the_first_time_is_said_at_once(wire: Wire) -> None:
    with pytest.raises(UnreachableError):
        await player().run()


async def test_a_refused_join_comes_out(autojump_clock: MockClock, wire: Wire) -> None:
    full = den(2, [RandomBot])
    async with open_house(full) as wire.house:
        async with trio.open_nursery() as nursery:
            ann = player()
            nursery.start_soon(ann.run)
            await ann.until(lambda: ann.model.is_seated)
            with pytest.raises(RefusedError) as caught:
                await player(name="bea").run()
            assert caught.value.code is ErrorCode.TABLE_FULL
            nursery.cancel_scope.cancel()
        wire.house.nursery.cancel_scope.cancel()


async def test_a_broken_connection_is_made_anew_and_the_decision_asked_again(
    autojump_clock: MockClock, wire: Wire
) -> None:
    ann = player()
    async with open_house(den(2, [RandomBot])) as wire.house:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.run)
            await ann.until(lambda: ann.model.decision is not None)
            decision = ann.model.decision
            view, hand = ann.model.seq, ann.model.view and ann.model.view.hand
            assert decision is not None
            await wire.cut()
            await ann.until(lambda: "lost" in ann.statuses())
            assert ann.model.decision is None
            assert not ann.link.send(m.Ready(cid=9))
            await ann.until(lambda: ann.model.decision is not None)
            assert ann.model.decision is not None
            assert ann.model.decision.did == decision.did
            assert ann.model.seq == view
            assert ann.model.view is not None
            assert ann.model.view.hand == hand
            nursery.cancel_scope.cancel()
        wire.house.nursery.cancel_scope.cancel()


async def test_waits_grow_while_the_server_is_gone(autojump_clock: MockClock, wire: Wire) -> None:
    ann = player()
    async with open_house(den(2, [RandomBot])) as house:
        wire.house = house
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.run)
            await ann.until(lambda: ann.model.is_seated)
            wire.house = None
            await wire.cut()
            await ann.until(lambda: ann.statuses().count("lost") == 7)
            waits = [s.retry_in for s in ann.heard if isinstance(s, LinkStatus)]
            assert [wait for wait in waits if wait] == [0.25, 0.5, 1, 2, 4, 5, 5]
            wire.house = house
            await ann.until(lambda: ann.statuses()[-1] == "online")
            nursery.cancel_scope.cancel()
        house.nursery.cancel_scope.cancel()


async def test_a_server_that_stops_and_comes_back_goes_on(
    autojump_clock: MockClock, wire: Wire, tmp_path: Path
) -> None:
    ann = player()
    data = tmp_path / "data"
    async with trio.open_nursery() as nursery:
        async with open_house(den(2, [RandomBot]), data=data) as wire.house:
            nursery.start_soon(ann.run)
            await ann.until(lambda: ann.model.decision is not None)
            held = ann.model.view and ann.model.view.hand
            connections = list(wire.house.lobby.tables["den"].audience.links())
            for connection in connections:
                connection.close(
                    m.Error(
                        code=ErrorCode.SHUTTING_DOWN,
                        klass=m.ErrorClass.STATE,
                        text="the server stops",
                        fatal=True,
                    )
                )
            await ann.until(lambda: "lost" in ann.statuses())
            house, wire.house = wire.house, None
            house.nursery.cancel_scope.cancel()
        async with open_house(data=data) as wire.house:
            await ann.until(lambda: ann.model.decision is not None)
            assert ann.model.view is not None
            assert ann.model.view.hand == held
            nursery.cancel_scope.cancel()
            wire.house.nursery.cancel_scope.cancel()


async def test_a_seat_that_the_server_forgot_is_taken_anew(
    autojump_clock: MockClock, wire: Wire
) -> None:
    ann = player()
    async with trio.open_nursery() as nursery:
        async with open_house(den(2, [RandomBot])) as wire.house:
            nursery.start_soon(ann.run)
            await ann.until(lambda: ann.model.decision is not None)
            wire.house.nursery.cancel_scope.cancel()
        async with open_house(den(3)) as wire.house:
            await wire.cut()
            await ann.until(lambda: "unseated" in ann.statuses())
            await ann.until(lambda: len(ann.model.seats) == 3)
            assert ann.model.seats[0].name == "ann"
            nursery.cancel_scope.cancel()
            wire.house.nursery.cancel_scope.cancel()


async def test_leaving_is_heard_before_the_link_closes(
    autojump_clock: MockClock, wire: Wire
) -> None:
    ann = player()
    async with open_house(den(2, [RandomBot])) as wire.house:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.run)
            await ann.until(lambda: ann.model.decision is not None)
            assert ann.link.send(m.Leave(cid=7))
            nursery.cancel_scope.cancel()  # in the same moment, as when a program ends
        seat = wire.house.lobby.tables["den"].seats[0]
        assert seat.kind == "house"
        wire.house.nursery.cancel_scope.cancel()


async def test_a_silent_server_is_given_up(autojump_clock: MockClock, wire: Wire) -> None:
    ann = player()
    async with open_house(den(2, [RandomBot], Clocks(turn=None, window=None))) as wire.house:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.run)
            await ann.until(lambda: ann.model.decision is not None)
            began = trio.current_time()
            # the server hears everything and says nothing any more
            for connection in wire.house.lobby.tables["den"].audience.links():
                connection.send = lambda _message: None  # type: ignore[assignment, method-assign]
            await ann.until(lambda: "lost" in ann.statuses())
            assert trio.current_time() - began > SILENCE_SECONDS
            nursery.cancel_scope.cancel()
        wire.house.nursery.cancel_scope.cancel()


async def test_the_way_there_and_back_is_measured(autojump_clock: MockClock, wire: Wire) -> None:
    ann = player()
    async with open_house(den(2, [RandomBot], Clocks(turn=None, window=None))) as wire.house:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.run)
            await ann.until(
                lambda: (
                    any(isinstance(s, LinkStatus) and s.rtt for s in ann.heard)
                    or ann.model.link.rtt == 0.0
                )
            )
            nursery.cancel_scope.cancel()
        wire.house.nursery.cancel_scope.cancel()


async def test_a_standing_order_is_kept_by_the_server(
    autojump_clock: MockClock, wire: Wire
) -> None:
    ann = player()
    model = ann.model

    def answer_own_turns(message: ServerMessage | LinkStatus) -> None:
        ann.take(message)
        options = model.decision.options if model.decision is not None else None
        if isinstance(message, m.Decide) and isinstance(options, PlayOptions):
            answer = model.answer(options.default)
            assert answer is not None
            ann.link.send(answer)
            model.was_sent(answer)

    async with open_house(den(2, [RandomBot])) as wire.house:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.link.run, answer_own_turns, ann.take)
            await ann.until(lambda: model.decision is not None)
            every = tuple(card for card in CARDS if card != "JK")
            assert ann.link.send(m.Order(cid=90, claim=every))
            await ann.until(lambda: "your standing order claimed" in model.log)
            nursery.cancel_scope.cancel()
        wire.house.nursery.cancel_scope.cancel()


# seats that are kept


async def test_a_killed_client_comes_back_to_its_seat(
    autojump_clock: MockClock, wire: Wire, tmp_path: Path
) -> None:
    keeper = SeatKeeper(tmp_path / "seats")
    ann = player(keeper=keeper)
    async with open_house(den(2, [RandomBot])) as wire.house:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.run)
            await ann.until(lambda: ann.model.decision is not None)
            # somebody else on this machine gets nothing while ann's program runs
            assert keeper.take("den.local:7878", "ann") is None
            nursery.cancel_scope.cancel()
        assert keeper.tables("den.local:7878", "bea") == frozenset()
        assert keeper.tables("den.local:7878", "ann") == {"den"}
        seat = keeper.take("den.local:7878", "ann", "den")
        assert seat is not None
        again = Player(Link("den.local", 7878, "ann", "den", keeper=keeper, seat=seat))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(again.run)
            await again.until(lambda: again.model.decision is not None)
            assert again.model.view == ann.model.view
            assert again.model.decision is not None
            assert ann.model.decision is not None
            assert again.model.decision.did == ann.model.decision.did
            again.link.send(m.Leave(cid=3))
            nursery.cancel_scope.cancel()
        assert keeper.tables("den.local:7878", "ann") == frozenset()
        wire.house.nursery.cancel_scope.cancel()


async def test_a_kept_seat_of_a_server_that_is_gone_is_no_reason_to_wait(
    autojump_clock: MockClock, wire: Wire, tmp_path: Path
) -> None:
    keeper = SeatKeeper(tmp_path / "seats")
    held = keeper.hold(KeptSeat("den.local:7878", "den", 0, "ann", "token"))
    assert held is not None
    held.release()
    seat = keeper.take("den.local:7878", "ann", "den")
    again = Link("den.local", 7878, "ann", "den", keeper=keeper, seat=seat)
    with pytest.raises(UnreachableError):
        await Player(again).run()
    assert keeper.tables("den.local:7878", "ann") == {"den"}  # for when it is there again


def test_rubbish_in_the_folder_is_no_seat(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(b"\xff{")
    (tmp_path / "empty.json").write_bytes(b"")
    keeper = SeatKeeper(tmp_path)
    assert keeper.take("den:1", "ann") is None
    assert keeper.tables("den:1", "ann") == frozenset()
    assert SeatKeeper(tmp_path / "bad.json").tables("den:1", "ann") == frozenset()
