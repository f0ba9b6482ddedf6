"""A client of version 1.0 plays with a server of version 1.1, which says more.

The double below is our server behind a session that speaks as a later minor version
would: it adds a field to messages, events, options and values, tells an event that
nobody knew, and sends a message that nobody knew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

import msgspec
import pytest
import trio
from trio.testing import MockClock

from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.connection import ServerConnection
from hollywood.bots.local import play_game
from hollywood.bots.runner import Outcome, SeatRunner
from hollywood.protocol.rules import digest, fold, new_view
from hollywood.protocol.wire import Message, Session, Side
from hollywood.protocol.wire import messages as m
from hollywood.protocol.wire.frames import encode_frame
from hollywood.server import connection as server_connection
from hollywood.server.config import Clocks
from house import RULES, SEED, House, den, open_house

FOLLOWED_BY_NEWS = {"bought", "discarded", "went_down"}
"""After each of these the newer server tells an event of its own."""


class NewerSession(Session):
    """What a server of version 1.1 says; it hears what version 1.0 says."""

    said: ClassVar[Counter[str]] = Counter()

    def __init__(self, side: Side) -> None:
        super().__init__(side)
        self._numbers: list[int] = [0]
        """For each event of version 1.0 its number in 1.1, where there are more."""

    def send(self, message: Message) -> bytes:
        """Return the bytes of the message, and of what the newer server adds."""
        data = super().send(message)
        fields: dict[str, Any] = msgspec.msgpack.decode(data[4:])
        self.said[fields["t"]] += 1
        change: Callable[[dict[str, Any]], None] | None
        if (change := getattr(self, f"_add_to_{fields['t']}", None)) is not None:
            change(fields)
        if fields["t"] not in ("welcome", "reject"):
            fields["sent_at"] = 1.5
        frame = encode_frame(msgspec.msgpack.encode(fields))
        if fields["t"] == "decide":
            self.said["applause"] += 1
            news = {"t": "applause", "seat": 0, "events": [{"t": "drew"}], "did": "none"}
            frame = encode_frame(msgspec.msgpack.encode(news)) + frame
        return frame

    def _add_to_welcome(self, fields: dict[str, Any]) -> None:
        fields |= {"minor": 1, "caps": [*fields.get("caps", ()), "applause"], "motd": "hello"}

    def _add_to_joined(self, fields: dict[str, Any]) -> None:
        fields["rules"]["applause"] = {"loud": True}
        for seat in fields["seats"]:
            seat["rating"] = 1500

    def _add_to_events(self, fields: dict[str, Any]) -> None:
        first = fields["seq"]
        told = []
        for number, event in enumerate(fields["events"], first):
            if number >= len(self._numbers):
                self._numbers.append(self._numbers[-1] + 1)
            if event["t"] in ("drew", "discarded"):
                event["pile"] = {"name": "stock", "deep": [[[1]]]}
            told.append(event)
            if event["t"] in FOLLOWED_BY_NEWS:
                self.said["applauded"] += 1
                told.append({"t": "applauded", "seat": event["seat"], "cards": ["3C"]})
                self._numbers[-1] += 1
        fields["events"] = told
        fields["seq"] = self._numbers[first - 1] + 1

    def _add_to_decide(self, fields: dict[str, Any]) -> None:
        fields["seq"] = self._numbers[fields["seq"]]
        fields["legal"]["mood"] = "calm"
        fields["legal"]["default"]["quietly"] = True


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> type[NewerSession]:
    """Let the server speak version 1.1."""
    NewerSession.said = Counter()
    monkeypatch.setattr(server_connection, "Session", NewerSession)
    return NewerSession


async def run(runner: SeatRunner, house: House, outcomes: dict[int, Outcome]) -> None:
    """Let a runner play over a stream in memory."""
    connection = ServerConnection(house.connect())
    await connection.greet(runner._hello())
    outcome = await runner._play(connection)
    outcomes[outcome.seat] = outcome


async def test_the_runner_of_version_1_0_plays_a_whole_game(
    newer: type[NewerSession], autojump_clock: MockClock
) -> None:
    """It ends as the game without news does, and nothing is ever out of step."""
    reports: list[str] = []
    outcomes: dict[int, Outcome] = {}
    table = den(seats=3, house=(GreedyBot,))
    async with open_house(table) as house, trio.open_nursery() as players:
        for seat in range(2):
            runner = SeatRunner(GreedyBot, f"bot {seat}", "den", reports.append)
            players.start_soon(run, runner, house, outcomes)
            while runner.seat != seat:
                await trio.sleep(0)
    local = play_game(RULES, (GreedyBot,) * 3, SEED)
    assert {outcome.totals for outcome in outcomes.values()} == {local.scores}
    assert sorted(reports) == ["seat 0 at table den", "seat 1 at table den"]
    assert newer.said["applause"] > 100
    assert newer.said["applauded"] > 100


async def test_a_fold_of_version_1_0_follows_the_events(
    newer: type[NewerSession], autojump_clock: MockClock
) -> None:
    """Numbers have no gap, unknown events are blank, and every digest is right."""
    clocks = Clocks(window=None, turn=None, pause=0)
    async with open_house(den(seats=2, house=(GreedyBot,), clocks=clocks)) as house:
        guest = await house.enter("bea")
        joined = await guest.join()
        view = new_view(joined.rules, 2, joined.seat)
        await guest.play_on(until_deal=2)
    blank = digests = 0
    for message in guest.heard:
        if isinstance(message, m.Events):
            blank += sum(isinstance(event, m.Unknown) for event in message.events)
            for event in message.events:
                view = fold(view, event)
            if message.digest:
                assert message.digest == digest(view)
                digests += 1
    assert blank == newer.said["applauded"] > 10
    assert digests > 2
    assert view == guest.view
