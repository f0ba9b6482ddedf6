"""One game of a bot that speaks the wire, listened to on its way between bot and server.

A sitting hears what each end says, passes it on, and keeps what the bot was told and
asked, how it answered and what was wrong with that. Some sittings meddle: they answer
in the bot's place, tell it that it was late, speak like a newer server, or cut the
line. No sockets here: `wire_host` carries the bytes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from hollywood.bots.api import FaultKind, decide
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.compliance import OF_EACH_KIND, Problem, format_action, kind_of
from hollywood.protocol.errors import ErrorCode
from hollywood.protocol.rules import (
    Action,
    Event,
    PlayerView,
    digest,
    explain,
    hints,
    new_view,
    options,
)
from hollywood.protocol.rules.events import GameEnded
from hollywood.protocol.rules.offers import WindowOptions
from hollywood.protocol.wire import ClientMessage, ServerMessage, follow
from hollywood.protocol.wire import messages as m
from hollywood.protocol.wire.frames import HEADER, encode_frame

_OURS = 2**52
"""The `cid` of the first answer that is given in the bot's place."""
_PING = 77
_IN_ONE_FRAME = 500
"""Events."""


class Fault(msgspec.Struct, frozen=True):
    """Something that was wrong, with the decision if it was about one."""

    text: str
    problem: Problem | None = None


class _Asked:
    """A decision that the bot has been asked for."""

    def __init__(self, decision: m.Decide, view: PlayerView, events: int, now: float) -> None:
        self.decision = decision
        self.view = view
        self.events = events
        """How many it had been told of by then."""
        self.at = now
        self.answer: Action | None = None


class Sitting:
    """A bot at one table. `hear_bot` and `hear_server` fill `to_server` and `to_bot`."""

    def __init__(self, table: str, clock: Callable[[], float]) -> None:
        self.table = table
        """What the server calls it; the bot may call it as it likes."""
        self.to_bot: list[ServerMessage] = []
        self.to_server: list[ClientMessage] = []
        self.has_come = False
        self.hello: m.Hello | None = None
        self.joined: m.Joined | None = None
        self.faults: list[Fault] = []
        self.answers: list[tuple[int, Action]] = []
        """The number of each decision, and what came first for it."""
        self.times: list[float] = []
        self.kinds: set[str] = set()
        """Kinds of decisions that were answered."""
        self.is_over = False
        self.deadline = math.inf
        """When the bot must be done, by the clock."""
        self.is_cut = False
        """Whether the line is to be cut now."""
        self.has_ponged = False
        self.was_left_open = False
        """Whether the bot had to be hung up on when its game was over."""
        self._clock = clock
        self._name = table
        self._view: PlayerView | None = None
        self._told: list[Event | m.Unknown] = []
        self._asked: dict[int, _Asked] = {}

    # from the bot

    def greet(self, hello: m.Hello) -> m.Hello:
        """Take the bot's hello; return the one for the server."""
        self.hello = hello
        if hello.resume is None:
            return hello
        if hello.resume.seq > len(self._told):
            text = f"it comes back after event {hello.resume.seq}, of {len(self._told)} it was told"
            self.faults.append(Fault(text))
        return replace(hello, resume=replace(hello.resume, table=self.table))

    def hear_bot(self, message: m.Message) -> None:
        """Take what the bot says."""
        match message:
            case (
                m.Join(cid=cid, table=name, secret=secret)
                | m.Create(cid=cid, table=name, secret=secret)
            ):
                self._name = name
                self.to_server.append(m.Join(cid=cid, table=self.table, secret=secret))
            case m.AnswerDecision():
                self._take_answer(message)
            case m.Pong(n=n) if n == _PING:
                self.has_ponged = True
            case m.Desync(seq=seq):
                text = f"after event {seq} it knew another game than the server (`desync`)"
                self.faults.append(Fault(text))
                self.to_server.append(message)
            case _:
                self.to_server.append(message)  # type: ignore[arg-type]

    def _take_answer(self, message: m.AnswerDecision) -> None:
        asked = self._asked.get(message.did)
        if asked is None:
            text = f"it answered decision {message.did}, which it was not asked"
            self._fault(FaultKind.ILLEGAL, text, None)
        elif asked.answer is None:
            asked.answer = message.action
            self.times.append(self._clock() - asked.at)
            self.answers.append((asked.decision.n, message.action))
            self.kinds.add(kind_of(asked.view))
        self.to_server.append(message)

    def lose(self) -> None:
        """The bot has gone."""
        if self.is_over:
            return
        if self.joined is None:
            self.faults.append(Fault("it closed the connection before it had joined a table"))
            return
        text = f"it closed the connection after event {len(self._told)}, the game was not over"
        latest = next(reversed(self._asked.values()), None)
        self._fault(FaultKind.CRASH, text, latest)

    # from the server

    def hear_server(self, message: ServerMessage) -> None:
        """Take what the server says."""
        match message:
            case m.Joined():
                self._sit_down(message)
                return
            case m.Events():
                self._follow(message)
            case m.Decide():
                self._ask(message)
                return
            case m.Verdict(cid=cid) if cid >= _OURS:
                return
            case m.Verdict():
                self._judge(message)
            case m.Closed():
                self._close(message)
            case m.Error(text=text):
                self.faults.append(Fault(f"the server said: {text}"))
            case _:
                pass
        self.to_bot.append(message)

    def _sit_down(self, joined: m.Joined) -> None:
        self._view = new_view(joined.rules, len(joined.seats), joined.seat)
        del self._told[joined.seq :]
        for event in self._told:
            self._view = follow(self._view, event)
        self.to_bot.append(replace(joined, table=self._name))
        if self.joined is None:
            self.to_bot.append(m.Ping(n=_PING))
        self.joined = joined

    def _follow(self, message: m.Events) -> None:
        assert self._view is not None, "the server seats before it tells"
        for event in message.events:
            self._view = follow(self._view, event)
            self._told.append(event)
            self.is_over = self.is_over or isinstance(event, GameEnded)

    def _ask(self, decision: m.Decide) -> None:
        """Pass a question on, unless it is answered in the bot's place."""
        assert self._view is not None, "the server tells before it asks"
        action = self.stand_in(decision, self._view)
        if action is not None:
            self._answer_for_bot(decision.did, action)
            return
        self._asked[decision.did] = _Asked(decision, self._view, len(self._told), self._clock())
        self.to_bot.append(decision)

    def stand_in(self, decision: m.Decide, view: PlayerView) -> Action | None:
        """Return what is answered without asking the bot, None to ask it."""
        return None

    def _answer_for_bot(self, did: int, action: Action) -> None:
        self.to_server.append(m.AnswerDecision(cid=_OURS + did, did=did, action=action))

    def _judge(self, verdict: m.Verdict) -> None:
        asked = self._asked.get(verdict.did)
        match verdict.status:
            case m.VerdictStatus.REJECTED:
                answer = None if asked is None else asked.answer
                said = "an answer" if answer is None else format_action(answer)
                text = f"{said} is not allowed: {verdict.text} [{verdict.code}]"
                self._fault(FaultKind.ILLEGAL, text, asked)
            case m.VerdictStatus.ALREADY_ANSWERED:
                self._fault(FaultKind.ILLEGAL, f"it answered decision {verdict.did} twice", asked)
            case _:
                pass

    def _close(self, closed: m.Closed) -> None:
        if closed.code == ErrorCode.TIMED_OUT:
            asked = self._asked.get(closed.did)
            self._fault(FaultKind.TIMEOUT, "its answer did not come in time", asked)

    def _fault(self, kind: FaultKind, text: str, asked: _Asked | None) -> None:
        problem = None
        if asked is not None and self.joined is not None:
            events = tuple(e for e in self._told[: asked.events] if not isinstance(e, m.Unknown))
            number = asked.decision.n
            problem = Problem(kind, text, asked.view, self.joined.rng, number, events)
        self.faults.append(Fault(f"{kind}: {text}", problem))

    def dress(self, message: ServerMessage, frame: bytes) -> bytes:
        """Return the bytes that the bot gets for a message."""
        return frame


class KindSitting(Sitting):
    """Asks the bot about the wanted kinds of decisions only; greedy plays the rest."""

    def __init__(self, table: str, clock: Callable[[], float], wanted: dict[str, int]) -> None:
        super().__init__(table, clock)
        self._wanted = wanted
        """How often each kind is still to be asked; counted down."""
        self._greedy = GreedyBot()

    def stand_in(self, decision: m.Decide, view: PlayerView) -> Action | None:
        """Return greedy's answer, None where the bot's is wanted."""
        kind = kind_of(view)
        if self._wanted.get(kind, 0):
            self._wanted[kind] -= 1
            return None
        return decide(self._greedy, view, decision.n)


class VerdictSitting(Sitting):
    """Tells the bot once that it was late, and once that its answer is rejected."""

    def __init__(self, table: str, clock: Callable[[], float]) -> None:
        super().__init__(table, clock)
        self._late: int | None = None
        self._rejected: int | None = None
        self.has_answered_again = False

    def _ask(self, decision: m.Decide) -> None:
        super()._ask(decision)
        if self._late is None and decision.n and isinstance(decision.legal, WindowOptions):
            self._late = decision.did
            self._answer_for_bot(decision.did, decision.legal.default)

    def _take_answer(self, message: m.AnswerDecision) -> None:
        cid, did = message.cid, message.did
        if did == self._late:
            text = "the decision was closed before the answer came"
            status = m.VerdictStatus.LATE
            self.to_bot.append(
                m.Verdict(cid=cid, did=did, status=status, code=ErrorCode.LATE, text=text)
            )
        elif self._late is not None and self._rejected is None and did in self._asked:
            self._rejected = did
            text = "rejected by the check, to see what the bot does: answer again, or wait"
            status, code = m.VerdictStatus.REJECTED, ErrorCode.NOT_YOUR_TURN
            self.to_bot.append(m.Verdict(cid=cid, did=did, status=status, code=code, text=text))
        else:
            self.has_answered_again = self.has_answered_again or did == self._rejected
            super()._take_answer(message)

    def _close(self, closed: m.Closed) -> None:
        if closed.did != self._rejected:
            super()._close(closed)


class NewerSitting(Sitting):
    """Speaks as a server of a later minor version may."""

    def __init__(self, table: str, clock: Callable[[], float]) -> None:
        super().__init__(table, clock)
        self._added = 0
        """Events that only the newer server knows of."""

    def dress(self, message: ServerMessage, frame: bytes) -> bytes:
        """Return the message with fields, events and a message that nobody knows."""
        data: dict[str, Any] = msgspec.msgpack.decode(frame[HEADER:])
        if isinstance(message, m.Reject | m.Error):
            return frame
        if isinstance(message, m.Welcome):
            data["minor"] += 1
            data["caps"] = [*data.get("caps", ()), "weather"]
            return _frame(data)
        data["weather"] = {"sky": ["blue", None, 1.5]}
        if isinstance(message, m.Events):
            data["seq"] += self._added
            self._added += 1
            for event in data["events"]:
                event["weather"] = "fair"
            data["events"].insert(0, {"t": "sneezed", "seat": 0, "loudness": 3})
            return _frame(data) + _frame({"t": "weather", "sky": "blue"})
        if isinstance(message, m.Decide):
            data["seq"] += self._added
            data["legal"]["weather"] = True
            if "hints" in data:
                data["hints"]["weather"] = []
        return _frame(data)


def _frame(data: dict[str, Any]) -> bytes:
    return encode_frame(msgspec.msgpack.encode(data))


class CutSitting(Sitting):
    """Cuts the line once, when the bot is to be asked for its fourth decision."""

    def __init__(self, table: str, clock: Callable[[], float]) -> None:
        super().__init__(table, clock)
        self._has_cut = False

    def _ask(self, decision: m.Decide) -> None:
        super()._ask(decision)
        if decision.n >= OF_EACH_KIND and not self._has_cut:
            self._has_cut = self.is_cut = True


class AgainSitting(Sitting):
    """Brings the bot to one decision that it failed, and asks for it again. No server is asked."""

    def __init__(
        self, table: str, clock: Callable[[], float], problem: Problem, seconds: float
    ) -> None:
        super().__init__(table, clock)
        self._problem = problem
        self._seconds = seconds

    def hear_bot(self, message: m.Message) -> None:
        """Seat the bot and ask, or judge what it says."""
        match message:
            case m.Join(cid=cid, table=name) | m.Create(cid=cid, table=name):
                self.deadline = self._clock() + self._seconds
                self._bring_to_decision(cid, name)
            case m.AnswerDecision(cid=cid, did=did, action=action):
                self._judge_again(cid, did, action)
            case _:
                pass

    def _bring_to_decision(self, cid: int, name: str) -> None:
        problem = self._problem
        seen, seat = problem.view, problem.view.seat
        assert seat is not None, "a bot was asked for it"
        legal = options(seen)
        assert legal is not None, "it is a decision"
        self.joined = m.Joined(
            cid=cid,
            table=name,
            seat=seat,
            token="0" * 32,
            rules=seen.rules,
            rules_hash=seen.rules.hash,
            seats=tuple(m.SeatInfo(f"seat {n}", "bot") for n in range(seen.seats)),
            rng=problem.seed,
        )
        told = [
            m.Events(seq=first + 1, events=problem.events[first : first + _IN_ONE_FRAME])
            for first in range(0, len(problem.events), _IN_ONE_FRAME)
        ]
        told[-1] = replace(told[-1], digest=digest(seen))
        wants_hints = self.hello is not None and "hints" in {
            cap.removeprefix("+") for cap in self.hello.caps
        }
        decision = m.Decide(
            did=1,
            n=problem.number,
            seq=len(problem.events),
            legal=legal,
            remaining_ms=round(self._seconds * 1000),
            hints=hints(seen) if wants_hints else None,
        )
        self.to_bot += [self.joined, *told, decision]

    def _judge_again(self, cid: int, did: int, action: Action) -> None:
        seen = self._problem.view
        self.answers.append((self._problem.number, action))
        violation = explain(seen, action)
        status, code, text = m.VerdictStatus.ACCEPTED, "", ""
        if violation is not None:
            status, code, text = m.VerdictStatus.REJECTED, violation.code, violation.text
            self.faults.append(
                Fault(f"illegal: {format_action(action)} is not allowed: {text} [{code}]")
            )
        self.is_over = True
        self.to_bot += [
            m.Verdict(cid=cid, did=did, status=status, code=code, text=text),
            m.Error(
                code=ErrorCode.SHUTTING_DOWN,
                klass=m.ErrorClass.STATE,
                text="that was the decision to ask for again",
                fatal=True,
            ),
        ]
