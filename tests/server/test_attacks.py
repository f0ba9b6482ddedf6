"""What somebody who means harm can try. SECURITY.md says which test stands for what."""

from __future__ import annotations

import secrets

import msgspec
import pytest
import trio
from trio.testing import MockClock

from hollywood.bots.connection import ServerConnection, hello
from hollywood.protocol.errors import ErrorCode, RefusedError, SessionClosedError
from hollywood.protocol.rules import Claim, Pass
from hollywood.protocol.wire import messages as m
from hollywood.protocol.wire.frames import encode_frame
from hollywood.server.config import Clocks, Limits, ServerConfig
from hollywood.server.limits import AddressBook, Allowance, TooOftenError
from hollywood.server.listener import Server
from hollywood.server.passwords import hash_password, is_password
from house import RULES, Guest, House, den, open_house

UNHURRIED = Clocks(window=None, turn=None, start_up=0)
THERE = "192.0.2.66"


async def two_at_the_den(house: House) -> tuple[Guest, Guest]:
    """The seat in turn first."""
    guests = [await house.enter(name) for name in ("ada", "bea")]
    for guest in guests:
        await guest.join()
    for guest in guests:
        await guest.hear(m.Events)
    first = guests[0].view.turn
    return guests[first], guests[1 - first]


async def steal(house: House, token: str, table: str = "den") -> m.Error:
    thief = await house.enter(
        "eve", token=token, resume=m.Resume(table=table, seq=0), address=THERE
    )
    return await thief.hear(m.Error)


async def test_tokens_cannot_be_guessed(autojump_clock: MockClock) -> None:
    """colyseus#354: 128 bits of chance, ten wrong ones a minute, and no name opens a seat."""
    async with open_house(den(seats=2, clocks=UNHURRIED)) as house:
        first, _ = await two_at_the_den(house)
        tokens = ["ada", "0" * 32, first.joined.token[:-1], first.joined.token.upper()]
        tokens += [secrets.token_hex(16) for _ in range(6)]
        for token in tokens:
            assert (await steal(house, token)).code == ErrorCode.BAD_TOKEN
        refused = await steal(house, first.joined.token)
        assert refused.code == ErrorCode.TOO_OFTEN, "not even the right one, for a while"
        assert refused.retry_after_ms
        assert house.lobby.tables["den"].seats[first.seat].link is not None
        seat = house.lobby.tables["den"].seats[first.seat]
        assert first.joined.token not in (seat.token_hash, seat.shown_hash)


async def test_an_old_token_opens_nothing(autojump_clock: MockClock) -> None:
    async with open_house(den(seats=2, clocks=UNHURRIED)) as house:
        ada, _ = await two_at_the_den(house)
        tokens = [ada.joined.token]
        for _ in range(3):
            resume = m.Resume(table="den", seq=0)
            ada = await house.enter("ada", token=tokens[-1], resume=resume)
            tokens.append((await ada.hear(m.Joined)).token)
        assert len(set(tokens)) == 4
        for old in tokens[:-2]:
            assert (await steal(house, old)).code == ErrorCode.BAD_TOKEN


async def test_nobody_answers_for_another_seat(autojump_clock: MockClock) -> None:
    async with open_house(den(seats=2, clocks=UNHURRIED)) as house:
        first, second = await two_at_the_den(house)
        did = (await first.hear(m.Decide)).did
        before = house.lobby.tables["den"].state
        verdict = await second.answer(did, Claim())
        assert verdict.status is m.VerdictStatus.NOT_YOURS
        stranger = await house.enter("eve")
        await stranger.connection.send(m.AnswerDecision(cid=1, did=did, action=Claim()))
        assert (await stranger.hear(m.Error)).code == ErrorCode.NOT_SEATED
        assert house.lobby.tables["den"].state is before


async def test_answers_that_cannot_be_end_the_connection_not_the_seat(
    autojump_clock: MockClock,
) -> None:
    async with open_house(
        den(seats=2, clocks=UNHURRIED), limits=Limits(refused=(20, 10.0))
    ) as house:
        first, second = await two_at_the_den(house)
        theirs = (await second.hear(m.Decide)).did
        for cid in range(100, 200):
            await first.connection.send(m.AnswerDecision(cid=cid, did=9999, action=Pass()))
        await trio.sleep(1)
        assert house.lobby.tables["den"].seats[first.seat].link is not None, "late is no fault"
        for cid in range(200, 221):
            await first.connection.send(m.AnswerDecision(cid=cid, did=theirs, action=Pass()))
        error = await first.hear(m.Error)
        assert (error.code, error.fatal) == (ErrorCode.TOO_OFTEN, True)
        with pytest.raises(SessionClosedError):
            await first.hear(m.Error)
        resume = m.Resume(table="den", seq=0)
        back = await house.enter("ada", token=first.joined.token, resume=resume)
        await back.hear(m.Decide)


async def test_commands_have_a_pace(autojump_clock: MockClock) -> None:
    async with open_house(limits=Limits(commands=(5, 10.0))) as house:
        eve = await house.enter("eve")
        for cid in range(7):
            await eve.connection.send(m.ListTables(cid=cid))
        refused = await eve.hear(m.Error)
        assert (refused.code, refused.klass, refused.ref) == ("too_often", m.ErrorClass.LIMIT, 5)
        assert refused.retry_after_ms is not None
        await trio.sleep(refused.retry_after_ms / 1000 + 0.01)
        await eve.connection.send(m.ListTables(cid=70))
        while (await eve.hear(m.Tables)).cid != 70:
            pass


async def test_a_password_cannot_be_tried_out(autojump_clock: MockClock) -> None:
    async with open_house(clocks=UNHURRIED, limits=Limits(guesses=(3, 60.0))) as house:
        ada = await house.enter("ada")
        create = m.Create(cid=1, table="attic", rules="hollywood", seats=3, password="17")
        await ada.connection.send(create)
        await ada.hear(m.Joined)
        eve = await house.enter("eve", address=THERE)
        codes = []
        for guess in range(14, 19):
            join = m.Join(cid=guess, table="attic", password=str(guess))
            await eve.connection.send(join)
            codes.append((await eve.hear(m.Error)).code)
        assert codes == [ErrorCode.BAD_PASSWORD] * 3 + [ErrorCode.TOO_OFTEN] * 2
        other = await house.enter("bea", address="192.0.2.1")
        await other.connection.send(m.Join(cid=1, table="attic", password="17"))
        await other.hear(m.Joined)


def test_a_kept_password_tells_nothing() -> None:
    kept = hash_password("pssst")
    assert "pssst" not in kept
    assert kept != hash_password("pssst"), "each has its own salt"
    assert is_password("pssst", kept)
    assert not is_password("psst", kept)
    assert hash_password("") == ""


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a/b", "\x1b[2Jx", "x\x00", " x", "", "x" * 25]
)
async def test_names_are_no_paths_and_move_no_cursor(autojump_clock: MockClock, name: str) -> None:
    async with open_house(clocks=UNHURRIED) as house:
        with pytest.raises(RefusedError) as refused:
            await house.enter(name)
        assert refused.value.code is ErrorCode.BAD_NAME
        eve = await house.enter("eve")
        for message in (
            m.Join(cid=1, table=name),
            m.Create(cid=2, table=name, rules="hollywood", seats=3),
            m.Watch(cid=3, table=name),
            m.Create(cid=4, table="attic", rules=name, seats=3),
        ):
            await eve.connection.send(message)
            error = await eve.hear(m.Error)
            assert error.ref == message.cid
            assert error.text.isprintable()
        assert house.lobby.tables == {}


async def test_a_client_that_sends_byte_by_byte_is_sent_away(autojump_clock: MockClock) -> None:
    """Slow-loris: the whole hello must come in time, however lively the bytes are."""
    async with open_house() as house:
        stream = house.connect()
        began = trio.current_time()
        frame = encode_frame(msgspec.msgpack.encode(hello("eve", m.Role.BOT)))
        sent = 0
        try:
            for byte in frame:
                await stream.send_all(bytes([byte]))
                await trio.sleep(1)
                sent += 1
        except trio.BrokenResourceError:
            pass
        assert 8 < sent < len(frame)
        assert trio.current_time() - began < 20


async def test_a_flood_of_hellos_is_turned_away(nursery: trio.Nursery) -> None:
    limits = Limits(hellos=(5, 1000.0), connections=3, trusts_loopback=False)
    server = Server(ServerConfig(port=0, rules=RULES, limits=limits))
    port = await nursery.start(server.run)
    held = [await _greet(port) for _ in range(3)]
    assert await _refused(port) == ErrorCode.TOO_OFTEN, "three are open"
    for stream in held:
        await stream.aclose()
    for _ in range(2):
        await _until_empty(server)
        await (await _greet(port)).aclose()
    await _until_empty(server)
    assert await _refused(port) == ErrorCode.TOO_OFTEN, "five came lately"
    assert server.lobby.metrics.refused == {"too_often": 2}
    await _until_empty(server)
    server.stop()


async def _greet(port: int) -> trio.abc.Stream:
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    try:
        await ServerConnection(stream).greet(hello("eve", m.Role.BOT))
    except RefusedError:
        await stream.aclose()
        raise
    return stream


async def _refused(port: int) -> str:
    with pytest.raises(RefusedError) as refused:
        await _greet(port)
    return refused.value.code


async def _until_empty(server: Server) -> None:
    with trio.fail_after(20):
        while server.connections:
            await trio.lowlevel.checkpoint()


def test_an_address_book_does_not_grow() -> None:
    book = AddressBook(Limits())
    for n in range(30_000):
        address = f"2001:db8::{n:x}"
        book.enter(address, float(n))
        book.leave(address, float(n))
    assert len(book) <= 10_000


def test_an_allowance_fills_up_again() -> None:
    allowance = Allowance(2, 10.0)
    assert [allowance.take(0.0), allowance.take(0.0)] == [0.0, 0.0]
    assert allowance.take(0.0) == 5.0
    assert allowance.take(5.0) == 0.0
    assert not allowance.is_full(6.0)
    assert allowance.is_full(40.0)


def test_too_often_says_how_long() -> None:
    book = AddressBook(Limits(guesses=(1, 60.0)))
    book.guess(THERE, 0.0)
    with pytest.raises(TooOftenError) as refused:
        book.guess(THERE, 30.0)
    assert refused.value.wait == pytest.approx(30.0)
