"""No byte that reaches a viewer depends on a card it cannot see (T9, T10).

Two tables that differ in nothing but hidden cards are put through the same things:
joining, resuming, watching, asking anew, being refused, playing on.
"""

from __future__ import annotations

import secrets
from random import Random

import msgspec
import pytest

from hollywood.protocol.errors import RefusedError
from hollywood.protocol.rules import Card, Claim, Event, GameState, Pass, Play
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.cards import add_cards
from hollywood.protocol.rules.claims import open_seats
from hollywood.protocol.wire import ServerMessage
from hollywood.protocol.wire import messages as m
from hollywood.server.chronicle import Chronicle
from hollywood.server.config import Clocks
from hollywood.server.seating import Seat
from hollywood.server.table import Table
from house import SEED, den


class Tap:
    """A link that keeps the bytes it was sent, with the time."""

    def __init__(self, clock: list[float]) -> None:
        self.caps = frozenset({"hints"})
        self.name, self.address, self.rtt = "tap", "", None
        self.clock = clock
        self.bytes: list[tuple[float, bytes]] = []
        self.messages: list[ServerMessage] = []

    def send(self, message: ServerMessage) -> None:
        self.messages.append(message)
        self.bytes.append((self.clock[0], msgspec.msgpack.encode(message)))

    def close(self, message: m.Error) -> None:
        self.send(message)


def swap_hidden(state: GameState, viewer: int, rng: Random) -> GameState:
    """The same for the viewer: other hands and another stock."""
    others = [seat for seat in range(state.seats) if seat != viewer]
    pool = [card for seat in others for card in state.hands[seat]] + list(state.stock)
    rng.shuffle(pool)
    hands = list(state.hands)
    for seat in others:
        hands[seat] = add_cards((), [pool.pop() for _ in hands[seat]])
    order = (*state.order[: state.drawn], *pool)
    return msgspec.structs.replace(state, hands=tuple(hands), order=order)


def seen(variant: int, viewer_after_turn: int) -> tuple[list[tuple[float, bytes]], ...]:
    """Everything that the viewer and a watcher are told in one of the variants."""
    clock = [0.0]
    table = Table(den(seats=4, clocks=Clocks(window=5, turn=9)), lambda: clock[0])
    taps = [Tap(clock) for _ in range(4)]
    for seat in range(4):
        table.join(taps[seat], f"seat {seat}", "bot", 1)
    assert table.state is not None
    viewer = (table.state.turn + viewer_after_turn) % 4
    if variant:
        table.referee.game._state = swap_hidden(table.state, viewer, Random(variant))
        started, dealt, *later = table.audience.events
        assert isinstance(dealt, ev.Dealt)
        dealt = msgspec.structs.replace(dealt, hands=table.state.hands)
        table.audience.events = Chronicle[Event](Event)
        table.audience.events.extend([started, dealt, *later])
    tap, watcher, back = taps[viewer], Tap(clock), Tap(clock)
    table.audience.watch(watcher, 7, table.state)
    me = table.seats[viewer]
    poke(table, me)
    table.take_back(back, me.token, 0)
    table.tell_anew(me)
    with pytest.raises(RefusedError):
        table.take_back(Tap(clock), "0" * 32, 0)
    clock[0] = 1.0
    window = table.state.window
    assert window is not None
    for seat in open_seats(window):
        did = next(d.did for d in reversed(taps[seat].messages) if isinstance(d, m.Decide))
        claim = Claim() if seat == (table.state.turn + 3) % 4 and seat != viewer else Pass()
        table.referee.answer(table.seats[seat], m.AnswerDecision(cid=5, did=did, action=claim))
    clock[0] = 20.0
    return tap.bytes, watcher.bytes, back.bytes


def poke(table: Table, me: Seat) -> None:
    """Say wrong things: refusals tell nothing either."""
    did = me.decision.did if me.decision else 0
    for cid, action in enumerate((Play(), Play(discard=Card("ZZ")))):
        table.referee.answer(me, m.AnswerDecision(cid=cid + 10, did=did, action=action))
    table.referee.answer(me, m.AnswerDecision(cid=20, did=did + 1, action=Pass()))
    table.referee.answer(me, m.AnswerDecision(cid=21, did=999, action=Claim()))


@pytest.mark.parametrize("viewer_after_turn", [1, 2, 3])
def test_bytes_and_times_do_not_depend_on_hidden_cards(
    monkeypatch: pytest.MonkeyPatch, viewer_after_turn: int
) -> None:
    tokens = [0]

    def token_hex(size: int) -> str:
        tokens[0] += 1
        return f"{tokens[0]:0{2 * size}}"

    monkeypatch.setattr(secrets, "token_hex", token_hex)
    plain = seen(0, viewer_after_turn)
    assert all(len(told) > 4 for told in plain)
    for variant in range(1, 25):
        tokens[0] = 0
        for told, told_then in zip(seen(variant, viewer_after_turn), plain, strict=True):
            assert told == told_then, f"variant {variant}"


def test_the_variants_really_differ() -> None:
    """The test above would prove nothing on two equal games."""
    clock = [0.0]
    table = Table(den(seats=4), lambda: clock[0])
    for seat in range(4):
        table.join(Tap(clock), f"seat {seat}", "bot", 1)
    assert table.state is not None
    swapped = swap_hidden(table.state, 0, Random(1))
    assert swapped.hands[0] == table.state.hands[0]
    assert swapped.hands[1] != table.state.hands[1]
    assert swapped.stock != table.state.stock
    assert isinstance(table.audience.events[1], ev.Dealt)
    assert table.seed == SEED
