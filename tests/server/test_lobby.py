"""Making, locking, moderating, following and playing again: what people do around games."""

from __future__ import annotations

import msgspec
import pytest
import trio
from trio.testing import MockClock

from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.protocol.errors import ErrorCode, SessionClosedError
from hollywood.protocol.rules import Claim, Pass, Phase
from hollywood.protocol.rules import events as ev
from hollywood.protocol.wire import messages as m
from hollywood.server.config import Clocks
from house import Guest, House, den, open_house

UNHURRIED = Clocks(window=None, turn=None, start_up=0)
OURS = """
extend = "hollywood"
title = "One meld"
rounds = [{ deal = 6, contract = "S3" }]
buy.limit_round = 3
"""


async def make(house: House, **wishes: object) -> Guest:
    """Ada makes the table attic."""
    guest = await house.enter("ada", m.Role.PLAYER)
    wanted: dict[str, object] = {"rules": "hollywood", "seats": 3, **wishes}
    await guest.connection.send(m.Create(cid=1, table="attic", **wanted))  # type: ignore[arg-type]
    return guest


async def ask(guest: Guest, message: m.ClientMessage) -> m.ServerMessage:
    """Send a command and return what answers it."""
    await guest.connection.send(message)
    cid = getattr(message, "cid", None)
    while True:
        answer = await guest.hear(object)
        if cid in (getattr(answer, "cid", None), getattr(answer, "ref", None)):
            return answer  # type: ignore[return-value]


async def code_of(guest: Guest, message: m.ClientMessage) -> str:
    answer = await ask(guest, message)
    assert isinstance(answer, m.Error)
    assert not answer.fatal
    return answer.code


async def test_a_locked_table_asks_for_its_password(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ada = await make(house, password="pssst")
        await ada.hear(m.Joined)
        bea = await house.enter("bea")
        listed = await ask(bea, m.ListTables(cid=1))
        assert isinstance(listed, m.Tables)
        assert listed.tables[0].locked
        wrong = await ask(bea, m.Join(cid=2, table="attic", password="psst"))
        assert isinstance(wrong, m.Error)
        assert (wrong.code, wrong.klass) == (ErrorCode.BAD_PASSWORD, m.ErrorClass.AUTH)
        assert await code_of(bea, m.Watch(cid=3, table="attic")) == ErrorCode.BAD_PASSWORD
        assert isinstance(await ask(bea, m.Join(cid=4, table="attic", password="pssst")), m.Joined)
        kept = house.lobby.tables["attic"].config.password
        assert "pssst" not in kept


async def test_a_password_opens_no_table_that_is_not_there(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ada = await house.enter("ada")
        refused = await code_of(ada, m.Join(cid=1, table="atic", password="pssst"))
        assert refused == ErrorCode.NO_SUCH_TABLE
        assert "atic" not in house.lobby.tables


async def test_commands_wait_for_the_password_before_them(autojump_clock: MockClock) -> None:
    """T18: pipelined commands are done one after the other."""
    async with open_house() as house:
        await (await make(house, password="pssst")).hear(m.Joined)
        bea = await house.enter("bea")
        await bea.connection.send(m.Join(cid=2, table="attic", password="pssst"))
        await bea.connection.send(m.Leave(cid=3))
        await bea.connection.send(m.ListTables(cid=4))
        order = [await bea.hear(kind) for kind in (m.Joined, m.Done, m.Tables)]
        assert [getattr(said, "cid", None) for said in order] == [2, 3, 4]


async def test_a_table_with_rules_of_ones_own(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ada = await make(house, rules="ours", rules_toml=OURS, seats=2, bots=("greedy",))
        joined = await ada.hear(m.Joined)
        assert (joined.rules.title, len(joined.rules.rounds)) == ("One meld", 1)
        await ada.play_on()
        assert len(ada.view.scores) == 1


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("ours", 'extend = "/etc/passwd"', "no rule set '/etc/passwd' here"),
        ("ours", 'extend = "../secret.toml"', "no rule set"),
        ("ours", "[[[", "not TOML"),
        ("ours", 'extend = "hollywood"\ndeck.packs = 2000000', "deck.packs: give 8"),
        ("ours", f"x = {'9' * 5000}", "not TOML"),
        ("ours", ".".join("a" * 3000) + " = 1", "dots"),
        ("ours", 'extend = "hollywood"\ntitle = "\\u001b[2J"', "can be printed"),
        ("\x1b[2J", 'extend = "hollywood"', "letters, digits"),
    ],
)
async def test_a_rule_set_that_is_none_is_refused(
    autojump_clock: MockClock, name: str, text: str, says: str
) -> None:
    async with open_house() as house:
        ada = await make(house, rules=name, rules_toml=text)
        error = await ada.hear(m.Error)
        assert error.code == ErrorCode.BAD_RULE_SET
        assert says in error.text
        assert error.text.isprintable()
        assert house.lobby.tables == {}


async def test_clocks_are_chosen_and_the_bank_is_used_up(autojump_clock: MockClock) -> None:
    """T7: what a turn takes longer is gone for the game; the deadline counts it in."""
    wishes: dict[str, object] = {
        "window_seconds": 4,
        "turn_seconds": 10,
        "bank_seconds": 30,
        "seats": 2,
    }
    async with open_house(clocks=Clocks(start_up=0, lag=0)) as house:
        ada = await make(house, **wishes)
        await ada.hear(m.Joined)
        bea = await house.enter("bea")
        await bea.join("attic")
        await ada.hear(m.Events)
        first, second = (ada, bea) if ada.view.turn == ada.seat else (bea, ada)
        assert (await second.hear(m.Decide)).remaining_ms == 4000
        decide = await first.hear(m.Decide)
        assert (decide.remaining_ms, decide.bank_ms) == (40_000, 30_000)
        await trio.sleep(22)
        await first.answer(decide.did, Claim())
        play = await first.hear(m.Decide)
        assert (play.remaining_ms, play.bank_ms) == (28_000, 18_000)
        again = await first.answer(decide.did, Claim(), cid=first._cid)
        assert again.status is m.VerdictStatus.ACCEPTED, "the same verdict again"
        assert house.lobby.tables["attic"].seats[first.seat].bank == 18
        began = trio.current_time()
        closed = await first.hear(m.Closed)
        assert closed.did == play.did
        assert trio.current_time() == began + 28
        assert house.lobby.tables["attic"].seats[first.seat].bank == 0


async def test_measured_lag_is_given_back_up_to_a_limit(autojump_clock: MockClock) -> None:
    clocks = Clocks(window=5, turn=5, start_up=0, lag=0.25)
    async with open_house(den(seats=2, clocks=clocks)) as house:
        ada, bea = [await house.enter(name) for name in ("ada", "bea")]
        await ada.join()
        for connection in (c for c in [house.lobby.tables["den"].seats[0].link] if c):
            connection.rtt = 3.0  # type: ignore[misc]
        await bea.join()
        await ada.hear(m.Events)
        began = trio.current_time()
        assert (await ada.hear(m.Decide)).remaining_ms == 5000
        await ada.hear(m.Closed)
        assert trio.current_time() == began + 5.25


async def test_a_sealed_window_closes_on_its_beat(autojump_clock: MockClock) -> None:
    clocks = Clocks(window=30, turn=30, start_up=0, beat=2, jitter=0.5)
    table = msgspec.structs.replace(den(seats=3, clocks=clocks), timing=m.Timing.SEALED)
    async with open_house(table) as house:
        guests = [await house.enter(name) for name in ("ada", "bea", "cleo")]
        for guest in guests:
            await guest.join()
        for guest in guests:
            await guest.hear(m.Events)
        first, second, third = (guests[(guests[0].view.turn + i) % 3] for i in range(3))
        began = trio.current_time()
        for guest, action in ((first, Claim()), (third, Claim()), (second, Pass())):
            asked = await guest.hear(m.Decide)
            assert (await guest.answer(asked.did, action)).status is m.VerdictStatus.ACCEPTED
        assert trio.current_time() == began, "verdicts come at once"
        while not [e for e in third.events if isinstance(e, ev.WindowClosed)]:
            await third.hear(m.Events)
        assert 2 <= trio.current_time() - began <= 2.5
        closed = next(e for e in third.events if isinstance(e, ev.WindowClosed))
        assert closed.winner == first.seat


async def test_a_sealed_game_with_house_bots_and_silence_ends(autojump_clock: MockClock) -> None:
    clocks = Clocks(window=5, turn=5, start_up=0, pause=0)
    table = msgspec.structs.replace(
        den(seats=3, house=(GreedyBot, GreedyBot), clocks=clocks), timing=m.Timing.SEALED
    )
    async with open_house(table) as house:
        ada = await house.enter("ada")
        await ada.join()
        while ada.view.phase is not Phase.GAME_OVER:
            await ada.hear(m.Events)
        silent = [e for e in ada.events if isinstance(e, ev.WindowClosed) and ada.seat in e.silent]
        assert silent
        assert len(ada.view.scores) == 10


async def test_who_watches_hears_later_where_the_table_says_so(autojump_clock: MockClock) -> None:
    """RecoilEngine#706: the server holds it back."""
    async with open_house(clocks=UNHURRIED) as house:
        ada = await make(house, watch_delay=30, seats=2)
        await ada.hear(m.Joined)
        eve = await house.enter("eve", m.Role.WATCHER)
        assert isinstance(await ask(eve, m.Watch(cid=1, table="attic")), m.Watching)
        bea = await house.enter("bea")
        await bea.join("attic")
        began = trio.current_time()
        await ada.hear(m.Events)
        late = await house.enter("mallory", m.Role.WATCHER)
        await ask(late, m.Watch(cid=1, table="attic"))
        for spectator in (eve, late):
            told = await spectator.connection.receive()
            while not isinstance(told, m.Events):
                told = await spectator.connection.receive()
            assert trio.current_time() >= began + 30
            assert told.seq == 1


async def test_nobody_watches_their_own_table(autojump_clock: MockClock) -> None:
    """govariants#500: a second connection of a player's is refused."""
    async with open_house(den(seats=2, clocks=UNHURRIED)) as house:
        ada = await house.enter("ada", address="192.0.2.1")
        await ada.join()
        for name, address in (("ada", "192.0.2.9"), ("eve", "192.0.2.1")):
            second = await house.enter(name, m.Role.WATCHER, address=address)
            assert await code_of(second, m.Watch(cid=1, table="den")) == ErrorCode.AT_THE_TABLE
        eve = await house.enter("eve", m.Role.WATCHER, address="192.0.2.9")
        assert isinstance(await ask(eve, m.Watch(cid=1, table="den")), m.Watching)


async def test_the_owner_mutes_kicks_and_replaces(autojump_clock: MockClock) -> None:
    async with open_house(clocks=UNHURRIED) as house:
        ada = await make(house)
        await ada.hear(m.Joined)
        bea = await house.enter("bea", address="192.0.2.2")
        await bea.join("attic")
        assert await code_of(bea, m.Moderate(cid=1, act=m.Act.KICK, seat=0)) == ErrorCode.NOT_OWNER
        mute = m.Moderate(cid=2, act=m.Act.MUTE, seat=1)
        assert isinstance(await ask(ada, mute), m.Done)
        assert await code_of(bea, m.Chat(cid=3, text="hello")) == ErrorCode.MUTED
        unmute = m.Moderate(cid=4, act=m.Act.UNMUTE, seat=1)
        assert isinstance(await ask(ada, unmute), m.Done)
        assert isinstance(await ask(bea, m.Chat(cid=5, text="hello")), m.Done)
        nobody = m.Moderate(cid=6, act=m.Act.KICK, seat=2)
        assert await code_of(ada, nobody) == ErrorCode.NO_SUCH_SEAT
        kick = m.Moderate(cid=7, act=m.Act.KICK, seat=1)
        assert isinstance(await ask(ada, kick), m.Done)
        assert (await bea.hear(m.Error)).code == ErrorCode.KICKED
        with pytest.raises(SessionClosedError):
            await bea.hear(object)
        for name, address in (("bea", "192.0.2.7"), ("eve", "192.0.2.2")):
            again = await house.enter(name, address=address)
            assert await code_of(again, m.Join(cid=1, table="attic")) == ErrorCode.KICKED
        others = [await house.enter(name) for name in ("cleo", "dan")]
        for other in others:
            await other.join("attic")
        assert house.lobby.tables["attic"].state is not None
        here = m.Moderate(cid=8, act=m.Act.REPLACE, seat=1)
        assert await code_of(ada, here) == ErrorCode.NO_SUCH_SEAT
        await others[0].stream.aclose()
        await ada.hear(m.Seated)
        assert isinstance(await ask(ada, here), m.Done)
        assert house.lobby.tables["attic"].seats[1].kind == "house"
        token = others[0].joined.token
        back = await house.enter("cleo", token=token, resume=m.Resume(table="attic", seq=0))
        assert (await back.hear(m.Error)).code == ErrorCode.BAD_TOKEN


async def test_the_next_player_owns_a_table_that_its_owner_leaves(
    autojump_clock: MockClock,
) -> None:
    async with open_house(clocks=UNHURRIED) as house:
        ada = await make(house)
        await ada.hear(m.Joined)
        bea = await house.enter("bea", m.Role.PLAYER)
        assert (await bea.join("attic")).owner == 0
        await ask(ada, m.Leave(cid=2))
        while (seated := await bea.hear(m.Seated)).owner != 1:
            assert seated.owner == 0
        assert isinstance(await ask(bea, m.Start(cid=9)), m.Done)


async def test_who_follows_the_list_is_told_changes_at_most_once_a_second(
    autojump_clock: MockClock,
) -> None:
    async with open_house(den(seats=4), clocks=UNHURRIED) as house:
        eve = await house.enter("eve")
        await ask(eve, m.ListTables(cid=1, follow=True))
        bea, cleo = await house.enter("bea"), await house.enter("cleo")
        began = trio.current_time()
        await bea.join()
        await cleo.join()
        changed = await eve.hear(m.TablesChanged)
        assert [(info.name, info.free) for info in changed.tables] == [("den", 2)]
        assert 0 < trio.current_time() - began <= 1
        ada = await make(house)
        await ada.hear(m.Joined)
        assert [info.name for info in (await eve.hear(m.TablesChanged)).tables] == ["attic"]
        await ada.stream.aclose()
        assert (await eve.hear(m.TablesChanged)).gone == ("attic",)
        with trio.move_on_after(5) as quiet:
            await eve.hear(m.TablesChanged)
        assert quiet.cancelled_caught, "nothing is told when nothing changes"


async def test_a_rematch_keeps_seats_and_settings(autojump_clock: MockClock) -> None:
    async with open_house(clocks=UNHURRIED) as house:
        ada = await make(house, rules="ours", rules_toml=OURS, seats=2)
        await ada.hear(m.Joined)
        assert await code_of(ada, m.Rematch(cid=70)) == ErrorCode.NOT_OVER
        bea = await house.enter("bea")
        await bea.join("attic")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ada.play_on)
            nursery.start_soon(bea.play_on)
        old = bea.joined
        again = await ask(bea, m.Rematch(cid=71))
        assert isinstance(again, m.Joined)
        assert (again.seat, again.rules.title) == (old.seat, "One meld")
        assert again.commitment != old.commitment
        notice = await ada.hear(m.Notice)
        assert (notice.code, notice.seat) == ("rematch", 1)
        assert isinstance(await ask(ada, m.Rematch(cid=72)), m.Joined)
        await ada.hear(m.Events)
        assert ada.view.phase is Phase.WINDOW


async def test_a_table_that_does_not_begin_is_closed_with_notice(
    autojump_clock: MockClock,
) -> None:
    async with open_house(clocks=Clocks(idle=1800)) as house:
        ada = await make(house)
        await ada.hear(m.Joined)
        began = trio.current_time()
        assert (await ada.hear(m.Notice)).code == "idle"
        assert trio.current_time() == began + 1500
        assert (await ada.hear(m.Error)).code == ErrorCode.IDLE
        assert trio.current_time() == began + 1800
        await trio.sleep(3)
        assert house.lobby.tables == {}


async def test_everybody_gone_parks_the_game_and_ends_it_at_last(
    autojump_clock: MockClock,
) -> None:
    """T23: clocks stand still, then there is a defined result and nothing is left."""
    clocks = Clocks(window=20, turn=20, start_up=0, park=600, linger=120)
    async with open_house(den(seats=2, clocks=clocks)) as house:
        ada, bea = [await house.enter(name) for name in ("ada", "bea")]
        await ada.join()
        await bea.join()
        await ada.hear(m.Events)
        decide = await ada.hear(m.Decide)
        token, seen = ada.joined.token, len(ada.events)
        await ada.stream.aclose()
        await bea.stream.aclose()
        await trio.sleep(500)
        table = house.lobby.tables["den"]
        assert table.referee.is_parked
        back = await house.enter("ada", token=token, resume=m.Resume(table="den", seq=seen))
        back.remember(ada)
        again = await back.hear(m.Decide)
        assert (again.did, again.remaining_ms) == (decide.did, decide.remaining_ms)
        await back.stream.aclose()
        await trio.sleep(599)
        assert not table.is_over
        await trio.sleep(2)
        assert table.referee.is_abandoned
        assert not table.is_rated
        await trio.sleep(200)
        assert house.lobby.tables["den"] is not table, "a fresh one stands in its place"


async def test_a_seat_is_waited_for_only_so_long_in_a_game(autojump_clock: MockClock) -> None:
    clocks = Clocks(window=None, turn=None, start_up=0, grace=20, away=30)
    async with open_house(den(seats=2, clocks=clocks)) as house:
        ada, bea = [await house.enter(name) for name in ("ada", "bea")]
        await ada.join()
        await bea.join()
        await ada.hear(m.Events)
        seat = house.lobby.tables["den"].seats[0]
        for away, bot_plays in ((15, False), (12, False), (4, True)):
            await ada.stream.aclose()
            await trio.sleep(away)
            assert (seat.bot is not None) is bot_plays
            resume = m.Resume(table="den", seq=0)
            ada = await house.enter("ada", token=ada.joined.token, resume=resume)
            await ada.hear(m.Decide) if not bot_plays else await ada.hear(m.Joined)
