"""The journal: what was accepted outlives the server, and tables go on as they were."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
import trio
from trio.testing import MockClock

from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.local import play_game
from hollywood.protocol.errors import ErrorCode, StoreError
from hollywood.protocol.rules import Claim, Pass, Phase, decode_record, load_rules, verify
from hollywood.protocol.wire import messages as m
from hollywood.server.config import Clocks, ServerConfig, TableConfig
from hollywood.server.entries import Started
from hollywood.server.journal import Journal
from hollywood.server.lobby import Lobby
from hollywood.server.restore import stored
from hollywood.server.store import FILE_NAME, Batch, Store
from house import RULES, SEED, Guest, House, at_once, den, open_house

T = TypeVar("T")
WAITING = Clocks(window=None, turn=None, start_up=0, grace=float("inf"), away=float("inf"))


def short_den(clocks: Clocks = WAITING, **changes: object) -> TableConfig:
    """A table for two whose game has two deals."""
    rules = load_rules("hollywood")
    buy = msgspec.structs.replace(rules.buy, limit_round=2)
    short = msgspec.structs.replace(rules, name="two", rounds=rules.rounds[:2], buy=buy)
    return msgspec.structs.replace(den(seats=2, clocks=clocks), rules=short, **changes)


async def enter_two(house: House) -> list[Guest]:
    guests = [await house.enter(name) for name in ("ada", "bea")]
    for guest in guests:
        await guest.join()
    return guests


async def come_back(house: House, before: Guest) -> Guest:
    resume = m.Resume(table="den", seq=len(before.events))
    guest = await house.enter("ada", token=before.joined.token, resume=resume)
    guest.remember(before)
    await guest.hear(m.Joined)
    return guest


async def test_a_table_goes_on_after_the_server_was_killed(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    """T22: the same events, the same open decision, clocks not larger, the claim is kept."""
    clocks = Clocks(window=50, turn=50, start_up=0)
    async with open_house(short_den(clocks), data=tmp_path) as house:
        guests = await enter_two(house)
        await guests[0].hear(m.Events)
        first = guests[guests[0].view.turn]
        other = next(g for g in guests if g is not first)
        await trio.sleep(4)
        asked = await other.hear(m.Decide)
        kept = await other.answer(asked.did, Claim(), cid=40)
        assert kept.status is m.VerdictStatus.ACCEPTED
        decide = await first.hear(m.Decide)
    async with open_house(data=tmp_path) as house:
        table = house.lobby.tables["den"]
        assert table.referee.is_parked
        back = await come_back(house, first)
        again = await back.hear(m.Decide)
        assert (again.did, again.n, again.legal) == (decide.did, decide.n, decide.legal)
        assert again.remaining_ms is not None
        assert decide.remaining_ms is not None
        assert again.remaining_ms <= decide.remaining_ms
        late = await come_back(house, other)
        assert await late.answer(asked.did, Claim(), cid=40) == kept, "a retry is still safe"
        changed = await late.answer(asked.did, Pass(), cid=41)
        assert changed.status is m.VerdictStatus.ALREADY_ANSWERED
        await back.answer(again.did, Pass())
        await late.hear(m.Events)
        assert late.view.buys[late.seat] == 1


async def test_killed_at_every_commit_the_game_ends_as_undisturbed(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    table = short_den()
    undisturbed = play_game(table.rules, (GreedyBot, GreedyBot), SEED)
    guests: list[Guest] = []
    lives = 0
    while not guests or guests[0].view.phase is not Phase.GAME_OVER:
        lives += 1
        async with open_house(*(() if guests else (table,)), data=tmp_path) as house:
            if guests:
                guests = [await come_back(house, guest) for guest in guests]
            else:
                guests = await enter_two(house)
            await _one_more_answer(guests)
    assert lives > 50
    assert guests[0].view.totals == guests[1].view.totals == undisturbed.scores
    with_store = Store(tmp_path)
    (result,) = with_store.results()
    assert (result.scores, result.is_finished) == (undisturbed.scores, True)
    record = decode_record(with_store.record(result.game))
    assert verify(record).totals() == undisturbed.scores
    with_store.close()


async def _one_more_answer(guests: list[Guest]) -> None:
    """Let whoever is asked first answer as greedy would; the server dies right after."""
    for guest in guests:
        with trio.move_on_after(0.1):
            decide = await guest.hear(m.Decide)
            bot = GreedyBot(bytes.fromhex(guest.joined.rng))
            bot.begin_decision(decide.n)
            if guest.view.phase is Phase.WINDOW:
                wants = bot.wants(guest.view)
                await guest.answer(decide.did, Claim() if wants else Pass(), cid=decide.did)
            else:
                await guest.answer(decide.did, bot.play(guest.view), cid=decide.did)
            with trio.move_on_after(0.1):
                for other in guests:
                    await other.hear(m.Events)
            return


async def test_nobody_hears_what_is_not_written(autojump_clock: MockClock, tmp_path: Path) -> None:
    async with open_house(short_den(), data=tmp_path) as house:
        first, _ = await enter_two(house)
        await first.hear(m.Decide)
        journal = house.lobby._journal
        assert journal is not None
        hold = trio.Event()

        async def slowly(work: Callable[[], T]) -> T:
            await hold.wait()
            return work()

        journal._run = slowly
        journal._left_to_thread = 99
        decide = next(d for d in reversed(first.heard) if isinstance(d, m.Decide))
        await first.connection.send(m.AnswerDecision(cid=9, did=decide.did, action=Pass()))
        with trio.move_on_after(5) as waiting:
            await first.hear(m.Verdict)
        assert waiting.cancelled_caught, "the verdict waits for its commit"
        hold.set()
        assert (await first.hear(m.Verdict)).status is m.VerdictStatus.ACCEPTED


async def test_a_rejection_and_a_standing_order_are_kept(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with open_house(short_den(), data=tmp_path) as house:
        guests = await enter_two(house)
        await guests[0].hear(m.Events)
        first = guests[guests[0].view.turn]
        decide = await first.hear(m.Decide)
        assert (await first.answer(decide.did, Claim(), cid=4)).status is m.VerdictStatus.ACCEPTED
        decide = await first.hear(m.Decide)
        refused = await first.answer(decide.did, Pass(), cid=5)
        assert refused.status is m.VerdictStatus.REJECTED
        await first.connection.send(m.Order(cid=6, pass_until_turn=True))
        await first.hear(m.Done)
    async with open_house(data=tmp_path) as house:
        back = await come_back(house, first)
        again = await back.hear(m.Decide)
        assert (again.did, again.attempts) == (decide.did, 2)
        assert await back.answer(decide.did, Pass(), cid=5) == refused
        order = house.lobby.tables["den"].seats[first.seat].order
        assert order is not None
        assert order.pass_until_turn


async def test_a_journal_that_does_not_fit_sets_a_table_aside_and_the_others_go_on(
    autojump_clock: MockClock, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """T20: refused, never reinterpreted."""
    attic = msgspec.structs.replace(short_den(), name="attic")
    async with open_house(short_den(), attic, data=tmp_path) as house:
        for table in ("den", "attic"):
            guests = [await house.enter(name) for name in ("ada", "bea")]
            for guest in guests:
                await guest.join(table)
            await guests[1].hear(m.Decide)
    with sqlite3.connect(tmp_path / FILE_NAME) as db:
        db.execute("UPDATE games SET seed = zeroblob(31) WHERE name = 'attic'")
    async with open_house(data=tmp_path) as house:
        assert set(house.lobby.tables) == {"den"}
    assert "attic" in caplog.text
    assert "set aside" in caplog.text


async def test_a_full_disk_stops_the_server_without_a_half_turn(
    autojump_clock: MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house(short_den(), data=tmp_path) as house:
        guests = await enter_two(house)
        await guests[0].hear(m.Events)
        first = guests[guests[0].view.turn]
        decide = await first.hear(m.Decide)
        events = len(first.events)
    store = Store(tmp_path)

    def full(batch: Batch, at: float) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store, "_write", full)
    lobby = Lobby(ServerConfig(rules=RULES), Journal(store, at_once), at_once)
    house2 = House(lobby, None)  # type: ignore[arg-type]
    failed: list[StoreError] = []

    async def write() -> None:
        try:
            await lobby.write_journal()
        except StoreError as error:
            failed.append(error)

    async with trio.open_nursery() as nursery:
        house2.nursery = nursery
        nursery.start_soon(write)
        resume = m.Resume(table="den", seq=events)
        with trio.move_on_after(10) as silence:
            back = await house2.enter("ada", token=first.joined.token, resume=resume)
            await back.hear(m.Joined)
        assert silence.cancelled_caught, "a new token that is not written is not told"
        nursery.cancel_scope.cancel()
    assert failed
    assert failed[0].code is ErrorCode.STORE_FAILED
    assert "make room" in str(failed[0])
    store.close()
    async with open_house(data=tmp_path) as house:
        back = await come_back(house, first)
        assert (await back.hear(m.Decide)).did == decide.did


@pytest.mark.parametrize(
    ("spoil", "remedy"),
    [
        (lambda path: path.write_bytes(b"no database" * 99), "backup"),
        (lambda path: _set_format(path, 99), "format 99"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000] + b"\xff" * 9000), "backup"),
    ],
)
def test_a_store_that_cannot_be_used_is_said(tmp_path: Path, spoil: object, remedy: str) -> None:
    store = Store(tmp_path)
    store.write(Batch(is_alive=True))
    store.close()
    for path in tmp_path.glob("*-wal"):
        path.unlink()
    spoil(tmp_path / FILE_NAME)  # type: ignore[operator]
    with pytest.raises(StoreError, match=remedy):
        Store(tmp_path)


def test_a_store_can_be_copied_while_it_is_used(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write(Batch(is_alive=True), at=77.0)
    store.backup(tmp_path / "copy.db")
    store.close()
    (tmp_path / "copied").mkdir()
    (tmp_path / "copy.db").rename(tmp_path / "copied" / FILE_NAME)
    copied = Store(tmp_path / "copied")
    assert copied.last_alive() == 77.0
    copied.close()


def _set_format(path: Path, number: int) -> None:
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {number}")
    db.close()


async def test_a_seat_whose_first_token_was_lost_is_opened_by_its_secret(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    """The answer to the join that began the game never arrived."""
    secret = "5ec2e7" * 4
    async with open_house(short_den(), data=tmp_path) as house:
        ada = await house.enter("ada")
        await ada.join()
        bea = await house.enter("bea")
        await bea.connection.send(m.Join(cid=1, table="den", secret=secret))
        await ada.hear(m.Events)
        await bea.stream.aclose()
    async with open_house(data=tmp_path) as house:
        resume = m.Resume(table="den", seq=0)
        back = await house.enter("bea", token=secret, resume=resume)
        assert (await back.hear(m.Joined)).seat == 1
        again = await house.enter("bea", token=back.joined.token, resume=resume)
        await again.hear(m.Joined)
        thief = await house.enter("eve", token=secret, resume=resume)
        assert (await thief.hear(m.Error)).code == ErrorCode.BAD_TOKEN
        eve = await house.enter("eve")
        await eve.connection.send(m.Join(cid=1, table="attic", secret="short"))
        assert (await eve.hear(m.Error)).code == ErrorCode.BAD_TOKEN


def test_rows_that_no_game_needs_are_deleted(tmp_path: Path) -> None:
    store = Store(tmp_path)
    table = stored(short_den())

    def rows() -> int:
        return int(store._db.execute("SELECT count(*) FROM entries").fetchone()[0])

    store.write(Batch(opened=[(1, table, SEED), (2, table, SEED)], entries={1: [Started()]}))
    for _ in range(300):
        store.write(Batch(entries={2: [Started()]}))
    assert rows() == 301, "the first game still needs the first row"
    store.write(Batch(forgotten=[1]))
    for _ in range(300):
        store.write(Batch(entries={2: [Started()]}))
    assert rows() == 600
    store.write(Batch(forgotten=[2]))
    for _ in range(300):
        store.write(Batch(is_alive=True))
    assert rows() == 0
    store.close()
