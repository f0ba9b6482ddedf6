"""The game of `load.py` in this process: what its rules and its codec cost, and its frames.

The same defaults are played as the crowd plays, by the steps that a table takes for
each answer: judge it, apply it, tell all seats, ask the next. With the codec every
frame is made and every answer is read as on the wire; the frames are kept, so that the
bare server can send the very same.
"""

from __future__ import annotations

import time

import msgspec

from hollywood.protocol.rules import (
    Action,
    Event,
    GameState,
    Options,
    Phase,
    RuleSet,
    apply,
    digest,
    explain,
    next_deal,
    options,
    redact,
    seed_from_text,
    start,
    view,
)
from hollywood.protocol.rules.claims import open_seats
from hollywood.protocol.wire import Session, Side, State
from hollywood.protocol.wire import messages as m

SEATS = 4

_DIGEST_EVERY = 16


class Script(msgspec.Struct, frozen=True):
    """A whole game as frames: what each seat is sent at first and after each answer."""

    steps: list[tuple[bytes, ...]]


class Cost(msgspec.Struct, frozen=True):
    """CPU seconds per decision."""

    rules: float
    codec: float


def make_script(rules: RuleSet) -> Script:
    """Play one game and keep the frames."""
    frames = _Frames()
    _play(rules, "load", frames)
    return Script(frames.steps)


def cost_per_decision(rules: RuleSet, seconds: float) -> Cost:
    """Play games without and with the codec, in turn, for so long."""
    plain, coded, decisions = 0.0, 0.0, 0
    number, end = 0, time.perf_counter() + seconds
    while not number or time.perf_counter() < end:
        number += 1
        began = time.process_time()
        decisions += _play(rules, f"load {number}", None)
        between = time.process_time()
        _play(rules, f"load {number}", _Frames())
        plain += between - began
        coded += time.process_time() - between
    return Cost(rules=plain / decisions, codec=(coded - plain) / decisions)


class _Frames:
    """Each seat's session, and what each has been sent."""

    def __init__(self) -> None:
        self._sessions = [_open_session(Side.SERVER) for _ in range(SEATS)]
        self._client = _open_session(Side.CLIENT)
        self._owed: list[bytes] = [b""] * SEATS
        self._told = 0
        self.steps: list[tuple[bytes, ...]] = []

    def publish(self, events: tuple[Event, ...], state: GameState) -> None:
        before, self._told = self._told, self._told + len(events)
        is_checked = self._told // _DIGEST_EVERY > before // _DIGEST_EVERY
        for seat in range(SEATS):
            news = tuple([redact(event, seat) for event in events])
            checked = digest(view(state, seat)) if is_checked else ""
            self._send(seat, m.Events(seq=before + 1, events=news, digest=checked))

    def ask(self, seat: int, did: int, legal: Options) -> None:
        self._send(seat, m.Decide(did=did, n=did, seq=self._told, legal=legal, remaining_ms=None))

    def read(self, seat: int, did: int, action: Action) -> Action:
        """Make the answer's frame, read it, and send the verdict."""
        answer = m.AnswerDecision(cid=did, did=did, action=action)
        session = self._sessions[seat]
        session.receive_data(self._client.send(answer))
        read = session.next_message()
        assert isinstance(read, m.AnswerDecision)
        self._send(seat, m.Verdict(cid=did, did=did, status=m.VerdictStatus.ACCEPTED))
        return read.action

    def end_step(self) -> None:
        self.steps.append(tuple(self._owed))
        self._owed = [b""] * SEATS

    def _send(self, seat: int, message: m.Message) -> None:
        self._owed[seat] += self._sessions[seat].send(message)


def _open_session(side: Side) -> Session:
    session = Session(side)
    session.state = State.OPEN
    return session


def _play(rules: RuleSet, seed: str, frames: _Frames | None) -> int:
    """Play one game of defaults; return its decisions."""
    state, events = start(rules, SEATS, seed_from_text(seed))
    waiting: dict[int, tuple[int, Action]] = {}
    decisions = 0
    while True:
        if events:
            waiting.clear()
            if frames is not None:
                frames.publish(events, state)
        if state.phase is Phase.GAME_OVER:
            break
        if state.phase is Phase.DEAL_OVER:
            state, events = next_deal(state)
            continue
        asked = (state.turn,) if state.window is None else open_seats(state.window)
        for seat in asked:
            if seat not in waiting:
                decisions += 1
                waiting[seat] = (decisions, _ask(state, seat, decisions, frames))
        if frames is not None:
            frames.end_step()
        seat = next(iter(waiting))
        did, action = waiting.pop(seat)
        if frames is not None:
            action = frames.read(seat, did, action)
        assert explain(view(state, seat), action) is None
        state, events = apply(state, seat, action)
    if frames is not None:
        frames.end_step()
    return decisions


def _ask(state: GameState, seat: int, did: int, frames: _Frames | None) -> Action:
    legal = options(view(state, seat))
    assert legal is not None
    if frames is not None:
        frames.ask(seat, did, legal)
    return legal.default
