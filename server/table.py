"""One table: the only caller of the rules, and the one who asks its seats.

A table is synchronous. Whoever brings something (an answer, a newcomer, the time)
calls it, it changes and queues what its seats are owed, and nothing in it waits.
"""

from __future__ import annotations

import logging
import math
import secrets
from collections.abc import Callable

from hollywood.bots.api import decide
from hollywood.protocol.errors import (
    BotError,
    ErrorCode,
    IllegalActionError,
    RefusedError,
)
from hollywood.protocol.rules import (
    Action,
    Event,
    GameState,
    Phase,
    apply,
    explain,
    hints,
    next_deal,
    options,
    seat_seed,
    start,
    time_out,
    view,
)
from hollywood.protocol.rules.claims import open_seats
from hollywood.protocol.rules.dealing import SEED_SIZE
from hollywood.protocol.wire import messages as m

from .audience import Audience
from .config import TableConfig
from .orders import order_after, standing_answer
from .seating import Link, OpenDecision, Seat, why_not_open

_ANSWERS_IN_A_ROW = 32
"""House bots' answers before other tables get their turn."""

log = logging.getLogger("hollywood.server.table")


class Table:
    """A game and the seats around it."""

    def __init__(self, config: TableConfig, clock: Callable[[], float]) -> None:
        self.config = config
        self.seed = config.seed or secrets.token_bytes(SEED_SIZE)
        self.seats = [Seat(n, seat_seed(self.seed, n)) for n in range(config.seats)]
        self.state: GameState | None = None
        self.audience = Audience(config, self.seats, self.seed)
        self._clock = clock
        self._next_did = 1
        self._resume_at = math.inf
        """When the next deal begins at the latest."""
        self._start_by = math.inf
        """When the game starts, whoever has not added to the seed by then."""
        self._over_since = math.inf
        first_house = config.seats - len(config.house)
        for seat, house in zip(self.seats[first_house:], config.house, strict=True):
            seat.name, seat.kind, seat.bot = house.name, "house", house.bot(seat.rng)

    @property
    def name(self) -> str:
        """The table's name in the lobby."""
        return self.config.name

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.state is not None and self.state.phase is Phase.GAME_OVER

    @property
    def is_deserted(self) -> bool:
        """Whether nobody is connected to it."""
        return not self.audience.links()

    @property
    def is_needed(self) -> bool:
        """Whether anybody may still want it: it goes on, or is over for a short time only."""
        if not self.is_deserted:
            return True
        if self.state is None:
            return False
        return not self.is_over or self._clock() < self._over_since + self.config.clocks.linger

    @property
    def info(self) -> m.TableInfo:
        """Its line in the list of tables."""
        free = sum(seat.kind == "open" for seat in self.seats)
        return m.TableInfo(
            self.name,
            self.config.rules.name,
            len(self.seats),
            free,
            self.state is not None,
            self.config.watchers,
        )

    # who sits here

    def join(self, link: Link, name: str, kind: str, cid: int) -> Seat:
        """Give somebody the first open seat; the game starts when all are taken.

        Raises:
            RefusedError: every seat is taken (`table_full`).
        """
        seat = next((seat for seat in self.seats if seat.kind == "open"), None)
        if seat is None:
            raise RefusedError(
                f"table {self.name!r} is full: join another one", ErrorCode.TABLE_FULL
            )
        taken = {other.name for other in self.seats}
        numbered = (f"{name[:20]} {n}" for n in range(2, len(self.seats) + 2))
        seat.take(next(n for n in (name, *numbered) if n not in taken), kind, link)
        self.audience.welcome(seat, cid, 0, self.state)
        self._start_if_complete()
        return seat

    def _start_if_complete(self) -> None:
        """Start when every seat is taken and has had the time to add to the seed."""
        if self.state is not None or any(seat.kind == "open" for seat in self.seats):
            self._start_by = math.inf
            return
        owes = any(
            seat.link is not None and "entropy" in seat.caps and seat.entropy is None
            for seat in self.seats
        )
        if not owes or self.config.seed is not None or self._clock() >= self._start_by:
            self._start()
        elif math.isinf(self._start_by):
            self._start_by = self._clock() + self.config.clocks.entropy

    def add_entropy(self, seat: Seat, text: str) -> None:
        """Take a seat's part of the seed. A game whose seed was given takes none.

        Raises:
            RefusedError: the game has started, or the seat has added its part.
        """
        if self.state is not None or seat.entropy is not None:
            raise RefusedError(
                "the seed is made up: add your part once, before the game", ErrorCode.STARTED
            )
        seat.entropy = text
        self._start_if_complete()

    def start_now(self, seat: Seat) -> None:
        """House bots take the free seats, at the owner's word.

        Raises:
            RefusedError: not the owner (`not_owner`), or started already.
        """
        if seat.number != self.audience.owner:
            raise RefusedError("only the owner of the table starts it", ErrorCode.NOT_OWNER)
        if self.state is not None:
            raise RefusedError("the game has started", ErrorCode.STARTED)
        for other in self.seats:
            if other.kind == "open":
                other.name, other.kind = f"house {other.number + 1}", "house"
                other.bot = self.config.stand_in(other.rng)
        self.audience.tell_seats()
        self._start_if_complete()

    def take_back(self, link: Link, token: str, seq: int) -> Seat:
        """Give a seat back to the player who shows its token; it hears what it missed.

        Raises:
            RefusedError: no seat has that token (`bad_token`).
        """
        seat = next((seat for seat in self.seats if seat.has_token(token)), None)
        if seat is None:
            raise RefusedError(
                f"that token opens no seat at table {self.name!r}: join anew", ErrorCode.BAD_TOKEN
            )
        if seat.link is not None:
            seat.link.close(
                m.Error(
                    code=ErrorCode.REPLACED,
                    klass=m.ErrorClass.STATE,
                    text="another connection has taken this seat",
                    fatal=True,
                )
            )
        seat.link, seat.bot, seat.away_since = link, None, math.inf
        seat.caps = link.caps
        seat.rotate_token(token)
        self.audience.welcome(seat, 0, seq if seq <= len(self.audience.events) else 0, self.state)
        if seat.decision is not None:
            self._send_decision(seat, seat.decision)
        return seat

    def tell_anew(self, seat: Seat) -> None:
        """Tell a client everything again that has found itself out of step."""
        log.warning("table %s: seat %d is out of step", self.name, seat.number)
        self.audience.welcome(seat, 0, 0, self.state)
        if seat.decision is not None:
            self._send_decision(seat, seat.decision)

    def lost(self, seat: Seat, link: Link) -> None:
        """The seat's connection is gone. Nothing happens if it has another by now."""
        if seat.link is not link:
            return
        seat.link = None
        if self.state is None:
            seat.vacate()
        else:
            seat.away_since = self._clock()
        self.audience.tell_seats()
        self._settle()

    def leave(self, seat: Seat) -> None:
        """The player gives the seat up: a house bot has it from now on."""
        seat.link = None
        if self.state is None:
            seat.vacate()
        else:
            seat.kind, seat.token = "house", ""
            self._let_house_play(seat)
        self.audience.tell_seats()
        self._settle()

    def _let_house_play(self, seat: Seat) -> None:
        seat.bot = self.config.stand_in(seat.rng)
        seat.away_since = math.inf
        if seat.decision is not None:
            seat.decision.due = self._clock()

    # what seats say

    def answer(self, seat: Seat, message: m.AnswerDecision) -> None:
        """Judge an answer. It gets exactly one verdict, before anything it causes."""
        verdict = seat.verdict_on(message.cid, message.did)
        if verdict is not None:
            seat.send(verdict)
            return
        decision = seat.decision
        if decision is None or decision.did != message.did:
            self._send_verdict(seat, message, *why_not_open(self.seats, seat, message.did))
            return
        state = self._state()
        violation = explain(view(state, seat.number), message.action)
        if violation is not None:
            self._reject(seat, decision, message, violation.code, violation.text)
            return
        self._send_verdict(seat, message, m.VerdictStatus.ACCEPTED)
        self._apply(seat, message.action)
        self._settle()

    def _reject(
        self, seat: Seat, decision: OpenDecision, message: m.AnswerDecision, code: str, text: str
    ) -> None:
        decision.attempts -= 1
        if decision.attempts > 0:
            self._send_verdict(seat, message, m.VerdictStatus.REJECTED, code, text)
            return
        text = f"{text}; the third time, so the default is played"
        self._send_verdict(seat, message, m.VerdictStatus.REJECTED, code, text)
        self._time_out(seat)
        self._settle()

    def _send_verdict(
        self,
        seat: Seat,
        message: m.AnswerDecision,
        status: m.VerdictStatus,
        code: str = "",
        text: str = "",
    ) -> None:
        is_open = status is m.VerdictStatus.REJECTED and seat.decision is not None
        remaining = self._remaining(seat.decision) if is_open and seat.decision else None
        verdict = m.Verdict(
            cid=message.cid,
            did=message.did,
            status=status,
            code=code,
            text=text,
            remaining_ms=remaining,
        )
        seat.remember_verdict(verdict)
        seat.send(verdict)

    def ready(self, seat: Seat) -> None:
        """The player has seen the result of the deal."""
        seat.is_ready = True
        self._settle()

    # time

    def next_deadline(self) -> float:
        """Return when `tick` has something to do, infinity if only an answer can help."""
        if self.is_over:
            gone = self.is_deserted
            return self._over_since + self.config.clocks.linger if gone else math.inf
        times = [self._resume_at, self._start_by]
        for seat in self.seats:
            if seat.decision is not None:
                is_house = seat.bot is not None
                times.append(seat.decision.due if is_house else seat.decision.deadline)
            times.append(seat.away_since + self.config.clocks.grace)
        return min(times)

    def tick(self) -> None:
        """Do what is due: stand-ins, house bots, decisions whose time ran out."""
        now = self._clock()
        self._start_if_complete()
        for seat in self.seats:
            if now >= seat.away_since + self.config.clocks.grace:
                self._let_house_play(seat)
                self.audience.tell_seats()
            decision = seat.decision
            if decision is not None and seat.bot is None and now >= decision.deadline:
                self._time_out(seat)
        self._settle()

    def _time_out(self, seat: Seat) -> None:
        """Go on with the default of the seat's open decision."""
        state, decision = self._state(), seat.decision
        if decision is None:
            return
        asked = options(view(state, seat.number))
        default: Action | None = None if asked is None else asked.default
        seat.send(
            m.Closed(
                did=decision.did,
                code=ErrorCode.TIMED_OUT if decision.attempts > 0 else ErrorCode.LATE,
                text="your time ran out" if decision.attempts > 0 else "three answers were refused",
                default=default,
            )
        )
        seat.close_decision(answered=False)
        self._advance(*time_out(state, seat.number))

    # the game

    def _state(self) -> GameState:
        assert self.state is not None, "the game has not started"
        return self.state

    def _start(self) -> None:
        log.info("table %s: the game starts", self.name)
        self._start_by = math.inf
        entropy: tuple[str, ...] = ()
        if self.config.seed is None and any(seat.entropy for seat in self.seats):
            entropy = tuple(seat.entropy or "" for seat in self.seats)
        self._advance(*start(self.config.rules, len(self.seats), self.seed, entropy))
        self._settle()

    def _apply(self, seat: Seat, action: Action) -> None:
        seat.close_decision(answered=True)
        self._advance(*apply(self._state(), seat.number, action))

    def _advance(self, state: GameState, events: tuple[Event, ...]) -> None:
        """Take over a new state and tell everybody what happened."""
        self.state = state
        if not events:
            return
        for seat in self.seats:
            # only answers that leave a window open cause no event, so whatever
            # was asked before these events is over
            seat.close_decision(answered=False)
        self.audience.publish(events, state)
        if state.phase is Phase.DEAL_OVER and state.scores:
            self._resume_at = self._clock() + self.config.clocks.pause
            for seat in self.seats:
                seat.is_ready = False
        if state.phase is Phase.GAME_OVER:
            self._over_since = self._clock()
            log.info("table %s: the game is over, totals %s", self.name, state.totals())

    def _settle(self) -> None:
        """Go on until somebody outside must say something, or time must pass.

        A table of bots would play its whole game here; it stops now and then, and
        the sweeper calls again when other tables have had their turn.
        """
        for _ in range(_ANSWERS_IN_A_ROW):
            if self.state is None or self.is_over:
                return
            if self.state.phase is Phase.DEAL_OVER:
                if not self._may_deal():
                    return
                self._resume_at = math.inf
                self._advance(*next_deal(self.state))
            self._ask()
            if not self._let_a_house_bot_answer():
                return

    def _may_deal(self) -> bool:
        """The next deal waits for people who read, up to a limit."""
        readers = [seat for seat in self.seats if seat.kind == "player" and seat.link is not None]
        return all(seat.is_ready for seat in readers) or self._clock() >= self._resume_at

    def _ask(self) -> None:
        state = self._state()
        asked = (state.turn,) if state.window is None else open_seats(state.window)
        for number in asked:
            seat = self.seats[number]
            if seat.decision is None:
                seat.decision = self._open_decision(seat)
                if not self._answer_by_order(seat, seat.decision):
                    self._send_decision(seat, seat.decision)
            if self.state is not state:
                return

    def _answer_by_order(self, seat: Seat, decision: OpenDecision) -> bool:
        """Answer a window as the seat's standing order says; whether it did."""
        state = self._state()
        if seat.order is None or state.window is None or seat.bot is not None:
            return False
        known = view(state, seat.number)
        seat.order = order_after(seat.order, known)
        action = standing_answer(seat.order, known)
        if action is None:
            return False
        seat.send(m.Closed(did=decision.did, code=ErrorCode.STANDING_ORDER, default=action))
        self._apply(seat, action)
        return True

    def _open_decision(self, seat: Seat) -> OpenDecision:
        state, clocks, now = self._state(), self.config.clocks, self._clock()
        limit = clocks.turn if state.turn == seat.number else clocks.window
        if limit is not None and seat.asked == 0:
            limit += clocks.start_up
        decision = OpenDecision(
            did=self._next_did,
            number=seat.asked,
            deadline=math.inf if limit is None else now + limit,
            due=now + (clocks.pace if state.window is None else 0.0),
        )
        self._next_did += 1
        seat.asked += 1
        return decision

    def _send_decision(self, seat: Seat, decision: OpenDecision) -> None:
        if seat.link is None:
            return
        known = view(self._state(), seat.number)
        legal = options(known)
        assert legal is not None, f"nothing to ask seat {seat.number}"
        is_hinted = self.config.hints and "hints" in seat.caps
        seat.link.send(
            m.Decide(
                did=decision.did,
                n=decision.number,
                seq=len(self.audience.events),
                legal=legal,
                remaining_ms=self._remaining(decision),
                attempts=decision.attempts,
                hints=hints(known) if is_hinted else None,
            )
        )

    def _remaining(self, decision: OpenDecision) -> int | None:
        left = decision.deadline - self._clock()
        return None if math.isinf(left) else max(0, round(left * 1000))

    def _let_a_house_bot_answer(self) -> bool:
        """Let one house bot whose thinking is over answer; whether there was one."""
        now = self._clock()
        for seat in self.seats:
            decision = seat.decision
            if decision is not None and seat.bot is not None and now >= decision.due:
                try:
                    action = decide(seat.bot, view(self._state(), seat.number), decision.number)
                    self._apply(seat, action)
                except (BotError, IllegalActionError) as error:
                    log.warning("table %s, house bot on seat %d: %s", self.name, seat.number, error)
                    seat.close_decision(answered=False)
                    self._advance(*time_out(self._state(), seat.number))
                return True
        return False

    def abort(self) -> None:
        """End the table after a fault of ours: everybody is told and let go."""
        for link in self.audience.links():
            link.close(
                m.Error(
                    code=ErrorCode.INTERNAL,
                    klass=m.ErrorClass.INTERNAL,
                    text=f"table {self.name!r} had to be closed after an internal error",
                    fatal=True,
                )
            )
