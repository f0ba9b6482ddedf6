"""The game at a table: who is asked what, how long, and what follows from an answer.

A referee is synchronous. Whoever brings something (an answer, the time, a seat that
is back) calls it, it changes and queues what its seats are owed, and nothing in it
waits. Everything that cannot be derived again is told to `note` before anybody
hears of it, so that the journal can bring the same referee back.
"""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Callable
from functools import partial

import msgspec

from hollywood.bots import Bot
from hollywood.protocol.errors import ErrorCode, IllegalActionError
from hollywood.protocol.rules import Action, Event, GameState, Phase, options, view
from hollywood.protocol.wire import messages as m

from . import entries
from .asker import Asker
from .audience import Audience
from .config import TableConfig
from .game import Game, Result
from .orders import order_after, standing_answer
from .seating import OpenDecision, Seat, why_not_open
from .shelf import Shelf
from .sitters import Ponder, Sitter

_ANSWERS_IN_A_ROW = 32
"""House bots' answers before other tables get their turn."""

log = logging.getLogger("hollywood.server.referee")
_encode = msgspec.msgpack.Encoder().encode


def _ignored() -> None:
    """Tell nobody."""


class Referee:
    """Who asks the seats of one table, and keeps their time."""

    def __init__(
        self,
        config: TableConfig,
        seats: list[Seat],
        audience: Audience,
        clock: Callable[[], float],
        note: Callable[[entries.Entry], None],
        shelf: Shelf | None = None,
    ) -> None:
        self.config = config
        self.seats = seats
        self.audience = audience
        self.ponder: Ponder | None = None
        """Where bots think that are not quick; here, if nowhere else."""
        self.stood_in: Callable[[], None] = _ignored
        """Told when a house bot takes over for a player."""
        self.game = Game(
            config.rules,
            config.seats,
            audience.seed,
            config.timing,
            own_piles=config.own_piles,
            shelf=shelf,
        )
        self.asker = Asker(config, audience, self.game, clock, note)
        self.is_abandoned = False
        self.parked_since = math.inf
        """Since when nobody is there who plays."""
        self.over_since = math.inf
        self._clock = clock
        self._note = note
        self._resume_at = math.inf
        """When the next deal begins at the latest."""
        self._reveal_at = math.inf
        """With sealed timing: when the answers given by then count."""
        self._digested = 0
        """Events whose digest the journal has."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.is_abandoned or self.game.is_over

    @property
    def is_parked(self) -> bool:
        """Whether the game stands still because nobody is there who plays."""
        return self.parked_since != math.inf

    @property
    def is_running(self) -> bool:
        """Whether the game has begun and goes on."""
        return self.game.has_started and not self.is_over

    @property
    def state(self) -> GameState | None:
        """The position, None before the first."""
        return self.game.state if self.game.has_started else None

    def begin(self) -> None:
        """Deal the first cards."""
        self._note(entries.Started())
        self.start()
        self.settle()

    def start(self) -> None:
        """Make the first position, from the seed and what the seats have added."""
        parts = tuple(seat.entropy or "" for seat in self.seats)
        self._tell(self.game.start(parts if self.config.seed is None and any(parts) else ()))

    # what seats say

    def answer(self, seat: Seat, message: m.AnswerDecision) -> m.Verdict:
        """Judge an answer. It gets exactly one verdict, before anything it causes."""
        known = seat.verdicts.on(message.cid, message.did)
        if known is not None:
            seat.send(known)
            return known
        decision = seat.decision
        if decision is None or decision.did != message.did:
            return self._judge(seat, message, *why_not_open(self.seats, seat, message.did))
        try:
            result = self.game.check(seat.number, message.action)
        except IllegalActionError as error:
            return self._reject(seat, decision, message, error)
        bank = seat.bank
        if decision.bank:
            bank = seat.bank = decision.bank_after(self._clock())
        self._note(entries.Answered(seat.number, message.cid, message.action, bank))
        verdict = seat.accept(message.cid)
        seat.send(verdict)
        self._take(seat, message.action, result)
        self.settle()
        return verdict

    def _reject(
        self,
        seat: Seat,
        decision: OpenDecision,
        message: m.AnswerDecision,
        error: IllegalActionError,
    ) -> m.Verdict:
        decision.attempts -= 1
        text = str(error)
        if decision.attempts <= 0:
            text = f"{text}; the third time, so the default is played"
        verdict = self._judge(seat, message, m.VerdictStatus.REJECTED, error.code, text)
        if decision.attempts <= 0:
            self._time_out(seat)
            self.settle()
        return verdict

    def _judge(
        self,
        seat: Seat,
        message: m.AnswerDecision,
        status: m.VerdictStatus,
        code: str,
        text: str,
    ) -> m.Verdict:
        decision = seat.decision
        is_open = status is m.VerdictStatus.REJECTED and decision is not None
        verdict = m.Verdict(
            cid=message.cid,
            did=message.did,
            status=status,
            code=code,
            text=text,
            remaining_ms=self.asker.remaining(decision) if is_open and decision else None,
        )
        seat.verdicts.remember(verdict)
        attempts = decision.attempts if is_open and decision else None
        self._note(entries.Judged(seat.number, verdict, attempts))
        seat.send(verdict)
        return verdict

    def ready(self, seat: Seat) -> None:
        """The player has seen the result of the deal."""
        seat.is_ready = True
        self.settle()

    # who is there

    def lost(self, seat: Seat) -> None:
        """A seat's connection is gone."""
        seat.away_since = self._clock()
        self.park_if_deserted()

    def park_if_deserted(self) -> None:
        """Let the game stand still if nobody is there who plays."""
        now = self._clock()
        if self.is_parked or any(s.is_taken and s.link is not None for s in self.seats):
            return
        self.parked_since = now
        for seat in self.seats:
            seat.away_since = math.inf
            if seat.decision is not None:
                seat.decision.pause(now)

    def back(self, seat: Seat) -> None:
        """A seat's player is there again, and has its decision back."""
        now = self._clock()
        if self.is_parked:
            self._go_on(seat, now)
        elif seat.away_since != math.inf:
            seat.away = max(0.0, seat.away - (now - seat.away_since))
            self._note(entries.Left(seat.number, seat.away))
        seat.bot, seat.away_since = None, math.inf
        if seat.decision is not None:
            seat.decision.go_on(now)
            self.asker.send(seat, seat.decision)
        self.settle()

    def _go_on(self, back: Seat, now: float) -> None:
        """The first one is back: the others have the time of a lost connection to come."""
        self.parked_since = math.inf
        if self.game.state.phase is Phase.DEAL_OVER:
            self._resume_at = now + self.config.clocks.pause
        for seat in self.seats:
            if seat.is_taken and seat is not back and seat.bot is None:
                seat.away_since = now
            if seat.bot is not None and seat.decision is not None:
                seat.decision.go_on(now)

    def let_house_play(self, seat: Seat) -> None:
        """A house bot answers for the seat from now on."""
        now = self._clock()
        if seat.bot is None:
            seat.bot = self.sit_down(seat, self.config.stand_in)
            self.stood_in()
        seat.away_since = math.inf
        if seat.decision is not None:
            seat.decision.go_on(now)
            seat.decision.due = now

    def go_on_from_journal(
        self, note: Callable[[entries.Entry], None], spent: dict[int, float]
    ) -> None:
        """Begin to note again, after a restart, with the clocks as they were."""
        self._note = self.asker.note = note
        now = self._clock()
        for seat in self.seats:
            if seat.decision is not None:
                seat.decision.has_taken(spent.get(seat.number, 0.0))
        if self.is_running:
            self.park_if_deserted()
        elif self.is_over:
            self.over_since = now

    def abandon(self) -> None:
        """End it without a result: everybody has gone."""
        self._note(entries.Abandoned())
        self.is_abandoned = True
        self.over_since = self._clock()
        for seat in self.seats:
            seat.close_decision(answered=False)
        log.info("table %s: abandoned", self.config.name)

    # time

    def next_deadline(self) -> float:
        """Return when `tick` has something to do, infinity if only an answer can help."""
        if not self.is_running:
            return math.inf
        clocks = self.config.clocks
        if self.is_parked:
            return self.parked_since + clocks.park
        soonest = min(self._resume_at, self._reveal_at)
        for seat in self.seats:
            decision = seat.decision
            if decision is not None and seat.bot is None:
                soonest = min(soonest, decision.deadline)
            elif decision is not None and seat.bot is not None and not seat.bot.is_thinking:
                soonest = min(soonest, decision.due)
            if seat.away_since != math.inf:
                soonest = min(soonest, seat.away_since + min(clocks.grace, seat.away))
        return soonest

    def tick(self) -> None:
        """Do what is due: stand-ins, house bots, decisions whose time ran out."""
        now = self._clock()
        if not self.is_running:
            return
        if self.is_parked:
            if now >= self.parked_since + self.config.clocks.park:
                self.abandon()
            return
        for seat in self.seats:
            if now >= seat.away_since + min(self.config.clocks.grace, seat.away):
                seat.away = max(0.0, seat.away - (now - seat.away_since))
                self._note(entries.Left(seat.number, seat.away))
                self.let_house_play(seat)
                self.audience.tell_seats()
            decision = seat.decision
            if decision is not None and seat.bot is None and now >= decision.deadline:
                self._time_out(seat)
        if now >= self._reveal_at:
            self._reveal()
        self.settle()

    def _time_out(self, seat: Seat) -> None:
        """Go on with the default of the seat's open decision."""
        decision = seat.decision
        if decision is None:
            return
        asked = options(view(self.game.state, seat.number))
        default: Action | None = None if asked is None else asked.default
        self._note(entries.TimedOut(seat.number))
        if decision.bank:
            seat.bank = 0.0
        seat.send(
            m.Closed(
                did=decision.did,
                code=ErrorCode.TIMED_OUT if decision.attempts > 0 else ErrorCode.LATE,
                text="your time ran out" if decision.attempts > 0 else "three answers were refused",
                default=default,
            )
        )
        self.take_silence(seat)

    # the game

    def take(self, seat: Seat, action: Action) -> None:
        """Do what a seat has said, and was noted."""
        self._take(seat, action, self.game.check(seat.number, action))

    def _take(self, seat: Seat, action: Action, result: Result | None) -> None:
        seat.close_decision(answered=True)
        self._tell(self.game.take(seat.number, action, result))

    def take_silence(self, seat: Seat) -> None:
        """A seat has said nothing, and that was noted."""
        seat.close_decision(answered=False)
        self._tell(self.game.silence(seat.number))

    def _reveal(self) -> None:
        self._note(entries.Revealed())
        self.reveal()

    def reveal(self) -> None:
        """Let the answers count that were held back; if they decide nothing, wait a beat."""
        self._reveal_at = math.inf
        self._tell(self.game.reveal())

    def _tell(self, events: tuple[Event, ...]) -> None:
        """Tell everybody what has happened."""
        if not events:
            return
        for seat in self.seats:
            # only answers that leave a window open cause no event, so whatever
            # was asked before these events is over
            seat.close_decision(answered=False)
        state = self.game.state
        self.audience.publish(events, state)
        for seat in self.seats:
            if seat.bot is not None:
                seat.bot.hear(events)
        if state.phase is Phase.DEAL_OVER and state.scores:
            self._resume_at = self._clock() + self.config.clocks.pause
            for seat in self.seats:
                seat.is_ready = False
        if state.phase is Phase.GAME_OVER:
            self.over_since = self._clock()
            log.info("table %s: the game is over, totals %s", self.config.name, state.totals())

    def digest_of_news(self) -> str:
        """Return a digest of the events since the last one, for the journal."""
        news = self.audience.events[self._digested :]
        self._digested = len(self.audience.events)
        return hashlib.blake2b(_encode(news), digest_size=8).hexdigest()

    def deal(self) -> None:
        """Begin the next deal, which was noted."""
        self._resume_at = math.inf
        self._tell(self.game.deal())

    def settle(self) -> None:
        """Go on until somebody outside must say something, or time must pass.

        A table of bots would play its whole game here; it stops now and then, and
        the sweeper calls again when other tables have had their turn.
        """
        for _ in range(_ANSWERS_IN_A_ROW):
            if not self.is_running or self.is_parked:
                return
            if self.game.state.phase is Phase.DEAL_OVER:
                if not self._may_deal():
                    return
                digest = self.digest_of_news()
                self._note(entries.Dealt(len(self.audience.events), digest))
                self.deal()
            self._ask()
            if not self._let_a_house_bot_answer():
                return

    def _may_deal(self) -> bool:
        """The next deal waits for people who read, up to a limit."""
        readers = [seat for seat in self.seats if seat.kind == "player" and seat.link is not None]
        return all(seat.is_ready for seat in readers) or self._clock() >= self._resume_at

    def _ask(self) -> None:
        state = self.game.state
        if self.game.is_sealed and self._reveal_at == math.inf:
            clocks = self.config.clocks
            self._reveal_at = self._clock() + clocks.beat + clocks.jitter * self.game.jitter()
        for number in self.game.asked():
            seat = self.seats[number]
            if seat.decision is None:
                decision = self.asker.open(seat)
                if not self._answer_by_order(seat, decision):
                    self.asker.send(seat, decision)
            if self.game.state is not state:
                return

    def _answer_by_order(self, seat: Seat, decision: OpenDecision) -> bool:
        """Answer a window as the seat's standing order says; whether it did."""
        state = self.game.state
        if seat.order is None or state.window is None or seat.bot is not None:
            return False
        known = view(state, seat.number)
        before, seat.order = seat.order, order_after(seat.order, known)
        if seat.order != before:
            self._note(entries.Ordered(seat.number, seat.order))
        action = standing_answer(seat.order, known)
        if action is None:
            return False
        self._note(entries.Played(seat.number, action))
        seat.send(m.Closed(did=decision.did, code=ErrorCode.STANDING_ORDER, default=action))
        self.take(seat, action)
        return True

    # the server's own bots

    def sit_down(self, seat: Seat, bot: type[Bot]) -> Sitter:
        """Return a bot for the seat that has heard all that has happened."""
        return Sitter(bot, seat.number, seat.rng, self.audience.events)

    def _let_a_house_bot_answer(self) -> bool:
        """Let one house bot whose thinking is over answer; whether there was one."""
        now = self._clock()
        for seat in self.seats:
            decision, bot = seat.decision, seat.bot
            if decision is None or bot is None or bot.is_thinking or now < decision.due:
                continue
            work = bot.work_on(view(self.game.state, seat.number), decision.number)
            if bot.is_quick or self.ponder is None:
                self._answer_for(seat, bot, decision, work())
                return True
            bot.is_thinking = True
            self.ponder(work, partial(self._has_pondered, seat, bot, decision))
        return False

    def _has_pondered(
        self, seat: Seat, bot: Sitter, decision: OpenDecision, action: Action
    ) -> None:
        bot.is_thinking = False
        if seat.decision is decision and seat.bot is bot and not self.is_parked:
            self._answer_for(seat, bot, decision, action)
        self.settle()

    def _answer_for(self, seat: Seat, bot: Sitter, decision: OpenDecision, action: Action) -> None:
        try:
            result = self.game.check(seat.number, action)
        except IllegalActionError as error:
            known = view(self.game.state, seat.number)
            action = bot.refuse(known, decision.number, str(error))
            result = self.game.check(seat.number, action)
        self._note(entries.Played(seat.number, action))
        self._take(seat, action, result)
