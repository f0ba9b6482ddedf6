"""What a bad peer gets, and that no other table notices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec
import pytest
import trio
import trio.testing
from trio.testing import MockClock

from hollywood.bots import Bot
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.connection import ServerConnection, hello
from hollywood.bots.local import play_game
from hollywood.protocol.errors import ErrorCode, HollywoodError, SessionClosedError
from hollywood.protocol.rules import Pass, Phase, Play, PlayerView, WindowOptions
from hollywood.protocol.rules.offers import default_play
from hollywood.protocol.wire import Session, Side
from hollywood.protocol.wire import messages as m
from hollywood.protocol.wire.frames import encode_frame
from hollywood.server import connection as connection_module
from hollywood.server.config import Clocks, ServerConfig
from hollywood.server.listener import serve
from house import RULES, SEED, Guest, House, den, open_house

T = TypeVar("T")
HELLO = Session(Side.CLIENT).send(hello("eve", m.Role.BOT))


async def told(stream: trio.abc.Stream) -> m.Error:
    """Everything the server says until it closes; the last must be a fatal error."""
    session, last = Session(Side.CLIENT), None
    session.send(hello("eve", m.Role.BOT))
    while data := await stream.receive_some():
        session.receive_data(bytes(data))
        while (message := session.next_message()) is not None:
            last = message
    assert isinstance(last, m.Error)
    assert last.fatal
    assert last.text
    return last


async def playing(house: House) -> Guest:
    """Somebody in the middle of a game with a house bot."""
    guest = await house.enter("ada")
    await guest.join()
    await guest.hear(m.Decide)
    return guest


RUBBISH = {
    "http": (b"GET / HTTP/1.1\r\n\r\n", ErrorCode.FRAME_TOO_LARGE),
    "too large": (HELLO + b"\x00\x00\x40\x01", ErrorCode.FRAME_TOO_LARGE),
    "negative": (HELLO + b"\xff\xff\xff\xff", ErrorCode.FRAME_TOO_LARGE),
    "not msgpack": (HELLO + encode_frame(b"\xc1\xc1"), ErrorCode.BAD_FRAME),
    "deep": (HELLO + encode_frame(b"\x91" * 9000), ErrorCode.BAD_FRAME),
    "no message": (HELLO + encode_frame(b"\x93\x01\x02\x03"), ErrorCode.BAD_MESSAGE),
    "second hello": (HELLO + HELLO, ErrorCode.UNEXPECTED_MESSAGE),
    "join before hello": (
        encode_frame(msgspec.msgpack.encode(m.Join(cid=1, table="den"))),
        ErrorCode.UNEXPECTED_MESSAGE,
    ),
}


@pytest.mark.parametrize("name", RUBBISH)
async def test_rubbish_ends_its_own_connection_only(autojump_clock: MockClock, name: str) -> None:
    data, code = RUBBISH[name]
    async with open_house(den(seats=2, house=(GreedyBot,))) as house:
        ada = await playing(house)
        eve = house.connect()
        await eve.send_all(data)
        assert (await told(eve)).code == code
        await ada.play_on(until_deal=1)


async def test_a_client_that_says_nothing_is_sent_away(autojump_clock: MockClock) -> None:
    async with open_house(den(seats=2, house=(GreedyBot,))) as house:
        began = trio.current_time()
        silent = house.connect()
        assert (await told(silent)).code == ErrorCode.TIMED_OUT
        assert trio.current_time() == began + connection_module.HELLO_SECONDS


async def test_a_client_that_does_not_read_is_cut_and_keeps_its_seat(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T15: the others play on; a resume heals."""
    monkeypatch.setattr(connection_module, "MAX_OWED", 3000)
    async with open_house(den(seats=3, house=(GreedyBot,))) as house:
        lazy_end, server_end = trio.testing.lockstep_stream_pair()
        house.nursery.start_soon(connection_module.Connection(server_end, house.lobby).run)
        lazy = Guest(ServerConnection(lazy_end), lazy_end)
        await lazy.connection.greet(hello("lazy", m.Role.BOT))
        await lazy.join()
        token = lazy.joined.token
        ada = await house.enter("ada")
        await ada.join()
        await ada.play_on(until_deal=1)
        seat = house.lobby.tables["den"].seats[0]
        assert (seat.kind, seat.link) == ("bot", None)
        monkeypatch.undo()
        back = await house.enter("lazy", token=token, resume=m.Resume(table="den", seq=0))
        async with trio.open_nursery() as nursery:
            await back.hear(m.Events)
            nursery.start_soon(back.play_on)
            nursery.start_soon(ada.play_on)
        assert back.view.totals == ada.view.totals


class Broken(Bot):
    """Cannot play."""

    def wants(self, view: PlayerView) -> bool:
        raise ZeroDivisionError

    def play(self, view: PlayerView) -> Play:
        return Play()


async def test_a_broken_house_bot_plays_the_default_and_then_no_more(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_house(den(seats=2, house=(Broken,))) as house:
        ada = await playing(house)
        await ada.play_on(until_deal=1)
        assert len(ada.view.scores) == 1
    strikes = [record for record in caplog.records if "failed: Broken" in record.getMessage()]
    assert len(strikes) == 3


class Slow(GreedyBot):
    """Thinks long, as far as it knows."""

    is_quick = False


async def test_a_bot_that_thinks_long_keeps_nobody_waiting(autojump_clock: MockClock) -> None:
    """Its thoughts are taken when they come; what they come too late for, is played without."""
    clocks = Clocks(window=None, turn=None, start_up=0, pause=0)
    async with open_house(den(seats=3, house=(Slow, Slow), clocks=clocks)) as house:
        thinks = trio.Event()

        async def at_leisure(work: Callable[[], T]) -> T:
            thinks.set()
            await trio.sleep(3)
            return work()

        house.lobby._in_thread = at_leisure
        ada = await house.enter("ada")
        await ada.join()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ada.play_on)
            await thinks.wait()
            began = trio.current_time()
            eve = await house.enter("eve")
            await eve.connection.send(m.ListTables(cid=1))
            await eve.hear(m.Tables)
            assert trio.current_time() == began
        assert ada.view.phase is Phase.GAME_OVER
        undisturbed = play_game(RULES, (_Passive, GreedyBot, GreedyBot), SEED)
        assert ada.view.totals == undisturbed.scores


class _Passive(Bot):
    """Does what `Guest.play_on` does."""

    def wants(self, view: PlayerView) -> bool:
        return False

    def play(self, view: PlayerView) -> Play:
        return default_play(view)


async def test_a_fault_in_one_table_ends_that_table_only(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house(den(seats=2, house=(GreedyBot,))) as house:
        ada = await playing(house)
        bea = await house.enter("bea")
        await bea.join("attic")
        monkeypatch.setattr(house.lobby.tables["den"].referee, "answer", lambda *_: 1 / 0)
        await ada.connection.send(m.AnswerDecision(cid=1, did=1, action=Pass()))
        error = await ada.hear(m.Error)
        assert (error.code, error.fatal) == (ErrorCode.INTERNAL, True)
        with pytest.raises(SessionClosedError):
            await ada.hear(m.Events)
        assert list(house.lobby.tables) == ["attic"]
        await bea.connection.send(m.ListTables(cid=2))
        assert len((await bea.hear(m.Tables)).tables) == 1


async def test_a_port_in_use_is_said(nursery: trio.Nursery) -> None:
    config = ServerConfig(port=0, rules=den().rules)
    port = await nursery.start(serve, config)
    with pytest.raises(HollywoodError) as refused:
        await serve(msgspec.structs.replace(config, port=port))
    assert refused.value.code is ErrorCode.PORT_IN_USE
    nursery.cancel_scope.cancel()


async def test_a_full_server_says_so(nursery: trio.Nursery) -> None:
    config = ServerConfig(port=0, rules=den().rules, max_connections=1)
    port = await nursery.start(serve, config)
    async with await trio.open_tcp_stream("127.0.0.1", port) as first:
        await first.send_all(HELLO)
        await first.receive_some()
        async with await trio.open_tcp_stream("127.0.0.1", port) as second:
            session = Session(Side.CLIENT)
            session.receive_data(bytes(await second.receive_some()))
            message = session.next_message()
            assert isinstance(message, m.Error)
            assert message.code == ErrorCode.SERVER_FULL
    nursery.cancel_scope.cancel()


async def test_decisions_say_what_is_legal(autojump_clock: MockClock) -> None:
    async with open_house(den(seats=2, house=(GreedyBot,))) as house:
        ada = await playing(house)
        decide = next(msg for msg in ada.heard if isinstance(msg, m.Decide))
        assert decide.seq == len(ada.events)
        assert isinstance(decide.legal, WindowOptions)
        assert decide.legal.is_free is ada.view.is_my_turn
