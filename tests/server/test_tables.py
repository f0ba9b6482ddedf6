"""Joining, answering, verdicts, clocks: one table seen through the wire."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import trio
import trio.testing
from trio.testing import MockClock

from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.connection import ServerConnection, hello
from hollywood.protocol.errors import ErrorCode, RefusedError, SessionClosedError
from hollywood.protocol.rules import Card, Claim, Pass, Phase, Play, PlayOptions
from hollywood.protocol.rules import events as ev
from hollywood.protocol.wire import messages as m
from hollywood.server.config import Clocks
from house import Guest, House, den, open_house

ACCEPTED, REJECTED = m.VerdictStatus.ACCEPTED, m.VerdictStatus.REJECTED


async def three_guests(house: House) -> list[Guest]:
    guests = [await house.enter(name) for name in ("ada", "bea", "cleo")]
    for guest in guests:
        await guest.join()
    for guest in guests:
        await guest.hear(m.Events)
    return guests


def in_turn(guests: list[Guest]) -> list[Guest]:
    """The guests in the order of the first window."""
    first = guests[0].view.turn
    return [guests[(first + i) % len(guests)] for i in range(len(guests))]


async def test_the_game_starts_when_every_seat_is_taken(autojump_clock: MockClock) -> None:
    async with open_house(den()) as house:
        ada = await house.enter("ada")
        joined = await ada.join()
        assert (joined.seat, joined.rules_hash) == (0, joined.rules.hash)
        assert [seat.kind for seat in joined.seats] == ["bot", "open", "open"]
        bea = await house.enter("bea")
        await bea.join()
        seated = await ada.hear(m.Seated)
        assert [seat.name for seat in seated.seats] == ["ada", "bea", ""]
        assert house.lobby.tables["den"].state is None
        cleo = await house.enter("cleo")
        await cleo.join()
        events = (await ada.hear(m.Events)).events
        assert [type(event) for event in events] == [ev.GameStarted, ev.Dealt, ev.WindowOpened]
        assert len(ada.view.hand) == 11
        assert ada.view.phase is Phase.WINDOW


async def test_names_are_told_apart(autojump_clock: MockClock) -> None:
    async with open_house(den()) as house:
        for expected in ("bea", "bea 2", "bea 3"):
            guest = await house.enter("bea")
            joined = await guest.join()
            assert joined.seats[joined.seat].name == expected


async def test_the_nearest_seat_wins_whoever_answers_first(autojump_clock: MockClock) -> None:
    """A claim is lost on priority, not on speed (0-45, T26)."""
    async with open_house(den()) as house:
        first, second, third = in_turn(await three_guests(house))
        windows = {g: await g.hear(m.Decide) for g in (first, second, third)}
        assert (await third.answer(windows[third].did, Claim())).status is ACCEPTED
        assert (await second.answer(windows[second].did, Claim())).status is ACCEPTED
        assert not [e for e in second.events if isinstance(e, ev.WindowClosed)]
        assert (await first.answer(windows[first].did, Pass())).status is ACCEPTED
        await third.hear(m.Events)
        closed = next(e for e in third.events if isinstance(e, ev.WindowClosed))
        assert closed.winner == second.seat
        bought = next(e for e in third.events if isinstance(e, ev.Bought))
        assert (bought.seat, bought.penalty, bought.penalty_count) == (second.seat, None, 1)
        await second.hear(m.Events)
        assert len(second.view.hand) == 13
        assert len(third.view.hand) == 11
        assert third.view.buys[third.seat] == 0


async def test_a_window_closes_as_soon_as_it_is_decided_and_not_before(
    autojump_clock: MockClock,
) -> None:
    """T4: a claim of the nearest closes at once; the others' answers are late."""
    async with open_house(den()) as house:
        first, second, third = in_turn(await three_guests(house))
        dids = [(await g.hear(m.Decide)).did for g in (first, second, third)]
        await first.answer(dids[0], Claim())
        decide = await first.hear(m.Decide)
        assert isinstance(decide.legal, PlayOptions)
        late = await third.answer(dids[2], Claim())
        assert (late.status, late.code) == (m.VerdictStatus.LATE, ErrorCode.LATE)
        assert third.view.buys == (0, 0, 0)


async def test_one_answer_a_decision(autojump_clock: MockClock) -> None:
    async with open_house(den()) as house:
        first, second, _ = in_turn(await three_guests(house))
        did = (await second.hear(m.Decide)).did
        verdict = await second.answer(did, Pass(), cid=50)
        assert verdict.status is ACCEPTED
        assert await second.answer(did, Pass(), cid=50) == verdict, "a retry is safe"
        again = await second.answer(did, Claim(), cid=51)
        assert again.status is m.VerdictStatus.ALREADY_ANSWERED
        foreign = await first.answer(did, Claim())
        assert foreign.status is m.VerdictStatus.NOT_YOURS
        nothing = await first.answer(999, Claim())
        assert nothing.status is m.VerdictStatus.LATE


async def test_a_wrong_answer_leaves_the_decision_open_three_times(
    autojump_clock: MockClock,
) -> None:
    async with open_house(den()) as house:
        first, *_ = in_turn(await three_guests(house))
        did = (await first.hear(m.Decide)).did
        await first.answer(did, Claim())
        decide = await first.hear(m.Decide)
        assert isinstance(decide.legal, PlayOptions)
        for wrong, code in (
            (Play(), ErrorCode.MUST_DISCARD),
            (Play(discard=Card("XX")), ErrorCode.BAD_CARD),
        ):
            verdict = await first.answer(decide.did, wrong)
            assert (verdict.status, verdict.code) == (REJECTED, code)
            assert verdict.remaining_ms == decide.remaining_ms == 90_000
        verdict = await first.answer(decide.did, Pass())
        assert (verdict.status, verdict.code) == (REJECTED, ErrorCode.WRONG_PHASE)
        closed = await first.hear(m.Closed)
        assert closed.did == decide.did
        await first.hear(m.Events)
        discarded = next(e for e in first.events if isinstance(e, ev.Discarded))
        assert closed.default == decide.legal.default
        assert decide.legal.default == Play(discard=discarded.card)
        assert discarded.timed_out


async def test_silence_is_a_pass_and_the_event_says_so(autojump_clock: MockClock) -> None:
    """T5, T6: all time out in one tick, and the game goes on."""
    clocks = Clocks(window=5, turn=5, start_up=0)
    async with open_house(den(clocks=clocks)) as house:
        first, second, third = in_turn(await three_guests(house))
        began = trio.current_time()
        decide = await second.hear(m.Decide)
        assert decide.remaining_ms == 5000
        await third.answer((await third.hear(m.Decide)).did, Pass())
        closed = await second.hear(m.Closed)
        assert (closed.code, closed.default) == (ErrorCode.TIMED_OUT, Pass())
        await second.hear(m.Events)
        window = next(e for e in second.events if isinstance(e, ev.WindowClosed))
        assert (window.winner, window.silent) == (None, (first.seat, second.seat))
        assert trio.current_time() == began + 5
        while not [e for e in second.events if isinstance(e, ev.Discarded)]:
            await second.hear(m.Events)
        assert trio.current_time() == began + 10
        late = await first.answer(decide.did, Pass())
        assert late.status in (m.VerdictStatus.LATE, m.VerdictStatus.NOT_YOURS)


async def test_the_seat_in_turn_has_a_longer_clock(autojump_clock: MockClock) -> None:
    clocks = Clocks(window=5, turn=60, start_up=0)
    async with open_house(den(clocks=clocks)) as house:
        first, second, third = in_turn(await three_guests(house))
        assert (await first.hear(m.Decide)).remaining_ms == 60_000
        window = await second.hear(m.Decide)
        assert window.remaining_ms == 5_000
        await second.hear(m.Closed)
        await third.hear(m.Closed)
        assert not [e for e in first.events if isinstance(e, ev.WindowClosed)]
        assert (await second.answer(window.did, Claim())).status is m.VerdictStatus.LATE


async def test_a_game_over_the_wire_ends_alike_for_all(autojump_clock: MockClock) -> None:
    async with open_house(den(seats=4, house=(GreedyBot,))) as house:
        guests = [await house.enter(name) for name in ("ada", "bea", "cleo")]
        async with trio.open_nursery() as nursery:
            for guest in guests:
                await guest.join()
                nursery.start_soon(guest.play_on)
        assert len({guest.view.totals for guest in guests}) == 1
        assert len({guest.view.winners for guest in guests}) == 1
        assert len(guests[0].view.scores) == 10
        assert house.lobby.tables["den"].is_over


async def test_people_read_the_result_before_the_next_deal(autojump_clock: MockClock) -> None:
    clocks = Clocks(pause=30, start_up=0)
    table = den(seats=2, house=(GreedyBot,), clocks=clocks)
    async with open_house(table) as house:
        ada = await house.enter("ada", m.Role.PLAYER)
        await ada.join()
        await ada.play_on(until_deal=1)
        ended = trio.current_time()
        await ada.connection.send(m.Ready(cid=77))
        await ada.hear(m.Events)
        assert trio.current_time() == ended
        await ada.play_on(until_deal=2)
        ended = trio.current_time()
        await ada.hear(m.Events)
        assert trio.current_time() == ended + 30


async def test_a_lost_player_comes_back_to_the_same_decision(autojump_clock: MockClock) -> None:
    """T11, T12: within the grace the seat, the decision and its time are kept."""
    clocks = Clocks(window=50, turn=50, grace=20, start_up=0)
    async with open_house(den(clocks=clocks)) as house:
        first, second, _ = in_turn(await three_guests(house))
        decide = await first.hear(m.Decide)
        assert decide.remaining_ms == 50_000
        await first.stream.aclose()
        seated = await second.hear(m.Seated)
        assert seated.seats[first.seat].is_away
        await trio.sleep(19)
        resume = m.Resume(table="den", seq=len(first.events))
        back = await house.enter("ada", token=first.joined.token, resume=resume)
        back.remember(first)
        joined = await back.hear(m.Joined)
        assert (joined.seat, joined.seq) == (first.seat, len(first.events))
        assert joined.token != first.joined.token
        again = await back.hear(m.Decide)
        assert (again.did, again.n) == (decide.did, decide.n)
        assert again.remaining_ms == 31_000
        assert (await back.answer(again.did, Claim())).status is ACCEPTED


async def test_after_the_grace_a_house_bot_plays_until_the_player_is_back(
    autojump_clock: MockClock,
) -> None:
    clocks = Clocks(window=None, turn=None, grace=20, start_up=0)
    async with open_house(den(seats=2, clocks=clocks)) as house:
        ada, bea = [await house.enter(name) for name in ("ada", "bea")]
        await ada.join()
        await bea.join()
        await ada.hear(m.Events)
        token, seen = ada.joined.token, len(ada.events)
        await ada.stream.aclose()
        began = trio.current_time()
        await bea.play_on(until_deal=1)
        assert trio.current_time() == began + 20
        back = await house.enter("ada", token=token, resume=m.Resume(table="den", seq=seen))
        back.remember(ada)
        assert (await back.hear(m.Joined)).seat == ada.seat
        async with trio.open_nursery() as nursery:
            nursery.start_soon(back.play_on)
            nursery.start_soon(bea.play_on)
        assert back.view.totals == bea.view.totals
        assert not house.lobby.tables["den"].seats[ada.seat].bot


async def test_the_newest_connection_of_a_token_wins(autojump_clock: MockClock) -> None:
    async with open_house(den(seats=2)) as house:
        ada, bea = [await house.enter(name) for name in ("ada", "bea")]
        await ada.join()
        await bea.join()
        await ada.hear(m.Decide)
        resume = m.Resume(table="den", seq=0)
        back = await house.enter("ada", token=ada.joined.token, resume=resume)
        assert len((await back.hear(m.Events)).events) == len(ada.events)
        replaced = await ada.hear(m.Error)
        assert (replaced.code, replaced.fatal) == (ErrorCode.REPLACED, True)
        with pytest.raises(SessionClosedError):
            await ada.hear(m.Events)
        await trio.testing.wait_all_tasks_blocked()
        assert house.lobby.tables["den"].seats[ada.seat].link is not None


async def test_a_wrong_token_opens_no_seat(autojump_clock: MockClock) -> None:
    async with open_house(den(seats=2)) as house:
        ada, bea = [await house.enter(name) for name in ("ada", "bea")]
        old = (await ada.join()).token
        await bea.join()
        for token in ("", "0" * 32):
            thief = await house.enter("eve", token=token, resume=m.Resume(table="den", seq=0))
            assert (await thief.hear(m.Error)).code == ErrorCode.BAD_TOKEN
        back = await house.enter("ada", token=old, resume=m.Resume(table="den", seq=0))
        new = (await back.hear(m.Joined)).token
        await house.enter("ada", token=new, resume=m.Resume(table="den", seq=0))
        stale = await house.enter("ada", token=old, resume=m.Resume(table="den", seq=0))
        assert (await stale.hear(m.Error)).code == ErrorCode.BAD_TOKEN


async def test_who_leaves_is_replaced_for_good(autojump_clock: MockClock) -> None:
    clocks = Clocks(window=None, turn=None, start_up=0)
    async with open_house(den(seats=2, clocks=clocks)) as house:
        ada, bea = [await house.enter(name) for name in ("ada", "bea")]
        await ada.join()
        await bea.join()
        await ada.connection.send(m.Leave(cid=9))
        await bea.play_on()
        assert house.lobby.tables["den"].seats[ada.seat].kind == "house"
        thief = await house.enter(
            "ada", token=ada.joined.token, resume=m.Resume(table="den", seq=0)
        )
        assert (await thief.hear(m.Error)).code == ErrorCode.BAD_TOKEN


async def test_requests_that_cannot_be_done(autojump_clock: MockClock) -> None:
    """Each is one error with the command's number; the conversation goes on."""
    async with open_house(den(seats=2), max_tables=2) as house:
        ada, bea, cleo = [await house.enter(name) for name in ("ada", "bea", "cleo")]
        await ada.connection.send(m.Ready(cid=1))
        assert (await ada.hear(m.Error)).code == ErrorCode.NOT_SEATED
        await ada.connection.send(m.Join(cid=2, table="../etc"))
        assert (await ada.hear(m.Error)).code == ErrorCode.BAD_NAME
        await ada.join()
        await ada.connection.send(m.Join(cid=3, table="den"))
        error = await ada.hear(m.Error)
        assert (error.code, error.ref, error.fatal) == (ErrorCode.ALREADY_SEATED, 3, False)
        await bea.join()
        await cleo.connection.send(m.Join(cid=4, table="den"))
        assert (await cleo.hear(m.Error)).code == ErrorCode.TABLE_FULL
        await cleo.join("attic")
        dan = await house.enter("dan")
        await dan.connection.send(m.Join(cid=5, table="cellar"))
        assert (await dan.hear(m.Error)).code == ErrorCode.SERVER_FULL
        await dan.connection.send(m.ListTables(cid=6))
        tables = (await dan.hear(m.Tables)).tables
        assert [(t.name, t.free, t.has_started) for t in tables] == [
            ("den", 0, True),
            ("attic", 3, False),
        ]


async def test_a_deserted_table_is_forgotten(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ada = await house.enter("ada")
        await ada.join("attic")
        assert "attic" in house.lobby.tables
        await ada.stream.aclose()
        await trio.testing.wait_all_tasks_blocked()
        assert house.lobby.tables == {}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"v": (2, 9)}, ErrorCode.VERSION_MISMATCH),
        ({"caps": ("+teleport", "hints")}, ErrorCode.MISSING_CAPABILITY),
        ({"name": "\x1b[2J"}, ErrorCode.BAD_NAME),
        ({"name": ""}, ErrorCode.BAD_NAME),
    ],
)
async def test_a_hello_that_does_not_fit_is_rejected(
    change: dict[str, Any], code: ErrorCode
) -> None:
    async with open_house() as house:
        greeting = msgspec.structs.replace(hello("bea", m.Role.BOT), **change)
        with pytest.raises(RefusedError) as refused:
            await ServerConnection(house.connect()).greet(greeting)
        assert refused.value.code is code
