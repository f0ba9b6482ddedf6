"""Owning, watching, talking, standing orders, entropy, hints, digests, pings."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import cast

import msgspec
import pytest
import trio
from trio.testing import MockClock

from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.connection import ServerConnection, hello
from hollywood.protocol.errors import ErrorCode, SessionClosedError
from hollywood.protocol.rules import (
    CARDS,
    Claim,
    Hints,
    Pass,
    PlayOptions,
    commitment,
    digest,
    fold,
    new_view,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.wire import messages as m
from hollywood.server import connection as connection_module
from hollywood.server.config import Clocks
from house import Guest, House, den, open_house


async def enter(house: House, name: str, *caps: str, role: m.Role = m.Role.BOT) -> Guest:
    """A guest with capabilities."""
    stream = house.connect()
    connection = ServerConnection(stream)
    await connection.greet(msgspec.structs.replace(hello(name, role), caps=caps))
    return Guest(connection, stream)


async def refused(guest: Guest, message: m.ClientMessage) -> m.Error:
    """Send what is refused and return the error."""
    await guest.connection.send(message)
    return await guest.hear(m.Error)


def create(**changes: object) -> m.Create:
    settings: dict[str, object] = {
        "table": "attic",
        "rules": "hollywood_seven",
        "seats": 4,
        "bots": ("greedy",),
    }
    return m.Create(cid=1, **(settings | changes))  # type: ignore[arg-type]


async def test_who_makes_a_table_owns_and_starts_it(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ada, bea = await enter(house, "ada"), await enter(house, "bea")
        await ada.connection.send(create())
        joined = await ada.hear(m.Joined)
        assert (joined.seat, joined.owner, joined.rules.name) == (0, 0, "hollywood_seven")
        assert [seat.kind for seat in joined.seats] == ["bot", "open", "open", "house"]
        await bea.join("attic")
        assert (await refused(bea, m.Start(cid=5))).code == ErrorCode.NOT_OWNER
        await ada.connection.send(m.Start(cid=9))
        await ada.hear(m.Events)
        assert ada.view.seats == 4
        assert (await ada.hear(m.Done)).cid == 9
        assert (await refused(ada, m.Start(cid=10))).code == ErrorCode.STARTED


WRONG_TABLES: dict[ErrorCode, dict[str, object]] = {
    ErrorCode.BAD_NAME: {"table": "/etc"},
    ErrorCode.UNKNOWN_RULE_SET: {"rules": "poker"},
    ErrorCode.BAD_RULE_SET: {"seats": 2},
    ErrorCode.TABLE_FULL: {"bots": ("greedy",) * 4},
    ErrorCode.UNKNOWN_BOT: {"bots": ("os:path",)},
}


@pytest.mark.parametrize("code", WRONG_TABLES)
async def test_a_table_that_cannot_be_made(autojump_clock: MockClock, code: ErrorCode) -> None:
    async with open_house() as house:
        ada = await enter(house, "ada")
        error = await refused(ada, create(**WRONG_TABLES[code]))
        assert (error.code, error.ref) == (code, 1)
        assert house.lobby.tables == {}


async def test_a_name_is_taken_once(autojump_clock: MockClock) -> None:
    async with open_house(den()) as house:
        ada = await enter(house, "ada")
        assert (await refused(ada, create(table="den"))).code == ErrorCode.BAD_NAME


async def test_a_watcher_sees_what_everybody_may_see(autojump_clock: MockClock) -> None:
    """Every event, and no card that is hidden from all others."""
    clocks = Clocks(window=None, turn=None, start_up=0)
    async with open_house(den(seats=2, house=(GreedyBot,), clocks=clocks)) as house:
        ada = await enter(house, "ada")
        eve = await enter(house, "eve", role=m.Role.WATCHER)
        assert (await refused(eve, m.Join(cid=1, table="den"))).code == ErrorCode.NOT_SEATED
        await eve.connection.send(m.Watch(cid=2, table="den"))
        watching = await eve.hear(m.Watching)
        await ada.join()
        view = new_view(watching.rules, 2, None)
        seen = 0
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ada.play_on, 1)
            while not view.scores:
                message = await eve.connection.receive()
                if not isinstance(message, m.Events):
                    continue
                assert message.seq == seen + 1
                seen += len(message.events)
                for event in message.events:
                    view = fold(view, event)
                    assert not (isinstance(event, ev.Drew) and event.card)
                    assert not (isinstance(event, ev.Bought) and event.penalty)
                    assert not (isinstance(event, ev.Dealt) and any(event.hands))
                if message.digest:
                    assert message.digest == digest(view)
        assert view.totals == ada.view.totals
        await eve.connection.send(m.Leave(cid=3))
        while not isinstance(await eve.connection.receive(), m.Done):
            pass
        assert not house.lobby.tables["den"].audience.watchers


async def test_tables_can_refuse_watchers(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ada, eve = await enter(house, "ada"), await enter(house, "eve")
        await ada.connection.send(create(watchers=False))
        await ada.hear(m.Joined)
        assert (await refused(eve, m.Watch(cid=1, table="attic"))).code == ErrorCode.NOT_WATCHABLE
        assert (await refused(eve, m.Watch(cid=1, table="x"))).code == ErrorCode.NO_SUCH_TABLE
        error = await refused(ada, m.Watch(cid=2, table="attic"))
        assert error.code == ErrorCode.ALREADY_SEATED


async def test_chat_reaches_the_table_without_control_characters(
    autojump_clock: MockClock,
) -> None:
    async with open_house(den()) as house:
        ada, bea = await enter(house, "ada"), await enter(house, "bea")
        assert (await refused(ada, m.Chat(cid=1, text="x"))).code == ErrorCode.NOT_SEATED
        await ada.join()
        await bea.join()
        await ada.connection.send(m.Chat(cid=2, text="hi \x1b[2J\nbea"))
        said = await bea.hear(m.Said)
        assert (said.seat, said.name, said.text) == (0, "ada", "hi  [2J bea")
        for _ in range(4):
            await ada.connection.send(m.Chat(cid=3, text="again"))
        error = await refused(ada, m.Chat(cid=4, text="again"))
        assert (error.code, error.klass) == (ErrorCode.TOO_OFTEN, m.ErrorClass.LIMIT)
        assert error.retry_after_ms == 2000
        await trio.sleep(2)
        await ada.connection.send(m.Chat(cid=5, text="now"))
        assert (await ada.hear(m.Done)).cid == 5


async def started(house: House, *caps: str) -> tuple[Guest, Guest, Guest]:
    """Three guests in the order of the first window."""
    guests = [await enter(house, name, *caps) for name in ("ada", "bea", "cleo")]
    for guest in guests:
        await guest.join()
    for guest in guests:
        await guest.hear(m.Events)
    first = guests[0].view.turn
    one, two, three = (guests[(first + i) % 3] for i in range(3))
    return one, two, three


async def test_a_standing_order_passes_until_the_own_turn(autojump_clock: MockClock) -> None:
    clocks = Clocks(window=None, turn=None, start_up=0)
    async with open_house(den(clocks=clocks)) as house:
        first, second, third = await started(house)
        did = (await third.hear(m.Decide)).did
        await third.connection.send(m.Order(cid=7, pass_until_turn=True))
        assert (await third.hear(m.Done)).cid == 7
        # the order holds from the next window on; this one is answered by hand
        await third.answer(did, Pass())
        await second.answer((await second.hear(m.Decide)).did, Pass())
        await first.answer((await first.hear(m.Decide)).did, Claim())
        decide = await first.hear(m.Decide)
        assert isinstance(decide.legal, PlayOptions)
        await first.answer(decide.did, decide.legal.default)
        closed = await third.hear(m.Closed)
        assert (closed.code, closed.default) == (ErrorCode.STANDING_ORDER, Pass())
        await second.answer((await second.hear(m.Decide)).did, Claim())
        decide = await second.hear(m.Decide)
        assert isinstance(decide.legal, PlayOptions)
        await second.answer(decide.did, decide.legal.default)
        window = await third.hear(m.Decide)
        assert third.view.is_my_turn, "the own turn ends the order"
        assert (await third.answer(window.did, Pass())).status is m.VerdictStatus.ACCEPTED


async def test_a_standing_order_claims_its_cards(autojump_clock: MockClock) -> None:
    clocks = Clocks(window=None, turn=None, start_up=0)
    async with open_house(den(clocks=clocks)) as house:
        first, second, third = await started(house)
        did = (await third.hear(m.Decide)).did
        await third.connection.send(m.Order(cid=7, claim=CARDS))
        await third.hear(m.Done)
        await third.answer(did, Pass())
        await second.answer((await second.hear(m.Decide)).did, Pass())
        await first.answer((await first.hear(m.Decide)).did, Claim())
        decide = await first.hear(m.Decide)
        assert isinstance(decide.legal, PlayOptions)
        await first.answer(decide.did, decide.legal.default)
        closed = await third.hear(m.Closed)
        assert closed.default == Claim()
        await second.answer((await second.hear(m.Decide)).did, Pass())
        await third.hear(m.Events)
        assert third.view.buys[third.seat] == 1


async def test_the_seed_is_committed_to_mixed_and_revealed(autojump_clock: MockClock) -> None:
    """Both sides' entropy; the game starts when those who want have added theirs."""
    table = msgspec.structs.replace(den(seats=2), seed=None)
    async with open_house(table) as house:
        ada, bea = await enter(house, "ada", "entropy"), await enter(house, "bea", "entropy")
        committed = (await ada.join()).commitment
        await bea.join()
        await ada.connection.send(m.AddEntropy(cid=1, hex="aa"))
        await ada.hear(m.Done)
        assert house.lobby.tables["den"].state is None
        assert (await refused(ada, m.AddEntropy(cid=2, hex="bb"))).code == ErrorCode.STARTED
        await bea.connection.send(m.AddEntropy(cid=3, hex="0c"))
        await bea.hear(m.Events)
        begun = bea.events[0]
        assert isinstance(begun, ev.GameStarted)
        assert (begun.commitment, begun.entropy) == (committed, ("aa", "0c"))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ada.play_on)
            nursery.start_soon(bea.play_on)
        ended = bea.events[-1]
        assert isinstance(ended, ev.GameEnded)
        assert commitment(bytes.fromhex(ended.seed)) == committed


async def test_the_game_does_not_wait_for_entropy_for_ever(autojump_clock: MockClock) -> None:
    table = msgspec.structs.replace(den(seats=2), seed=None)
    async with open_house(table) as house:
        ada, bea = await enter(house, "ada", "entropy"), await enter(house, "bea")
        await ada.join()
        await bea.join()
        began = trio.current_time()
        await bea.hear(m.Events)
        assert trio.current_time() == began + 5


async def test_hints_come_to_who_asks_where_the_table_allows(autojump_clock: MockClock) -> None:
    async with open_house(den(seats=3)) as house:
        one, _, _ = await started(house, "+hints")
        decide = await one.hear(m.Decide)
        assert isinstance(decide.hints, Hints)
        assert decide.hints.claim in (True, False)
        await one.answer(decide.did, Claim() if decide.hints.claim else Pass())
    off = msgspec.structs.replace(den(seats=3), hints=False)
    async with open_house(off) as house:
        one, _, _ = await started(house, "hints")
        assert (await one.hear(m.Decide)).hints is None
    async with open_house(den(seats=3)) as house:
        one, _, _ = await started(house)
        assert (await one.hear(m.Decide)).hints is None


async def test_hints_alone_play_a_legal_game(autojump_clock: MockClock) -> None:
    """A bot in any language needs no solver."""
    async with open_house(den(seats=2, house=(GreedyBot,))) as house:
        ada = await enter(house, "ada", "+hints")
        await ada.join()
        while not ada.view.winners:
            message = await ada.hear(object)
            if isinstance(message, m.Decide):
                assert message.hints is not None
                play = message.hints.play
                action = play if play else (Claim() if message.hints.claim else Pass())
                await ada.connection.send(m.AnswerDecision(cid=1, did=message.did, action=action))
            if isinstance(message, m.Verdict):
                assert message.status is not m.VerdictStatus.REJECTED, message
        assert any(isinstance(e, ev.WentDown) and e.seat == 0 for e in ada.events)


async def test_digests_tell_that_both_know_the_same(autojump_clock: MockClock) -> None:
    async with open_house(den(seats=2, house=(GreedyBot,))) as house:
        ada = await enter(house, "ada")
        await ada.join()
        checked, last = 0, 0
        while not ada.view.scores:
            message = await ada.hear(object)
            if isinstance(message, m.Events):
                if message.digest:
                    assert message.digest == digest(ada.view)
                    checked, last = checked + 1, len(ada.events)
                assert len(ada.events) - last < 16
            if isinstance(message, m.Decide):
                legal = message.legal
                action = legal.default if isinstance(legal, PlayOptions) else Pass()
                await ada.answer(message.did, action)
        assert checked > 2


async def test_who_is_out_of_step_is_told_everything_anew(autojump_clock: MockClock) -> None:
    async with open_house(den(seats=2, house=(GreedyBot,))) as house:
        ada = await enter(house, "ada")
        await ada.join()
        decide = await ada.hear(m.Decide)
        before = ada.view
        await ada.connection.send(m.Desync(cid=4, seq=3, digest="0" * 16))
        assert (await ada.hear(m.Joined)).seq == 0
        await ada.hear(m.Events)
        assert ada.view == before
        assert (await ada.hear(m.Decide)).did == decide.did


async def everything(guest: Guest) -> None:
    """Read without answering until the connection ends."""
    while True:
        await guest.connection.receive()


async def test_a_client_that_answers_no_pings_is_cut(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """T11: a half-open connection does not hold its seat for ever."""
    async with open_house(den(seats=2)) as house:
        ada, bea = await enter(house, "ada"), await enter(house, "bea")
        await ada.join()
        link = house.lobby.tables["den"].seats[0].link
        assert isinstance(link, connection_module.Connection)
        nursery.start_soon(house.lobby.ping, [link])
        every = connection_module.PING_SECONDS
        await trio.sleep(every * (connection_module.MAX_UNANSWERED + 1) + 1)
        assert house.lobby.tables["den"].seats[0].kind == "open"
        with pytest.raises(SessionClosedError):
            await everything(ada)
        await bea.connection.send(m.Ping(n=5))
        assert (await bea.hear(m.Pong)).n == 5
        nursery.cancel_scope.cancel()


class Pinged:
    """Notes when it was pinged."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.at: list[float] = []

    def ping(self) -> None:
        self.at.append(trio.current_time())


async def test_pings_are_spread_over_time(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    links = [Pinged(number) for number in range(400)]
    every = connection_module.PING_SECONDS
    async with open_house(den(seats=2)) as house:
        nursery.start_soon(house.lobby.ping, cast(list[connection_module.Connection], links))
        await trio.sleep(3 * every + 0.001)
        nursery.cancel_scope.cancel()
    for link in links:
        assert len(link.at) == 3
        assert [b - a for a, b in pairwise(link.at)] == pytest.approx([every, every])
    at_once = Counter(at for link in links for at in link.at)
    assert max(at_once.values()) == 10


async def test_a_pong_measures_the_way(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    async with open_house(den(seats=2)) as house:
        ada = await enter(house, "ada")
        await ada.join()
        link = house.lobby.tables["den"].seats[0].link
        assert isinstance(link, connection_module.Connection)
        assert link.rtt is None
        nursery.start_soon(house.lobby.ping, [link])
        ping = None
        while not isinstance(ping, m.Ping):
            ping = await ada.connection.receive()
        await trio.sleep(0.125)
        await ada.connection.send(m.Pong(n=ping.n))
        await ada.connection.send(m.ListTables(cid=1))
        await ada.hear(m.Tables)
        assert link.rtt == pytest.approx(0.125)
        nursery.cancel_scope.cancel()


async def test_who_watches_does_not_sit_down(autojump_clock: MockClock) -> None:
    """Else everything would be told twice. Who leaves may."""
    shut = msgspec.structs.replace(den(), name="shut", watchers=False)
    async with open_house(den(seats=2, house=(GreedyBot,)), shut) as house:
        ada = await enter(house, "ada")
        await ada.connection.send(m.Watch(cid=1, table="den"))
        await ada.hear(m.Watching)
        assert (await refused(ada, m.Join(cid=2, table="den"))).code == ErrorCode.ALREADY_SEATED
        assert (await refused(ada, create())).code == ErrorCode.ALREADY_SEATED
        assert (await refused(ada, m.Watch(cid=4, table="shut"))).code == ErrorCode.NOT_WATCHABLE
        await ada.connection.send(m.Chat(cid=5, text="still here"))
        assert (await ada.hear(m.Said)).seat is None
        await ada.connection.send(m.Leave(cid=6))
        await ada.hear(m.Done)
        await ada.join()
        assert (await ada.hear(m.Events)).seq == 1
