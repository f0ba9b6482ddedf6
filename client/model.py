"""What this client knows of its table: the one mutable owner of it.

`receive` takes what the server says, in order. Nothing here knows of terminals,
sockets or clocks: whoever calls says what time it is, in seconds of any
monotonic clock.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from hollywood.protocol.errors import ErrorCode, RemoteProtocolError
from hollywood.protocol.rules import (
    Action,
    Card,
    Claim,
    Hand,
    Options,
    Pass,
    Phase,
    Play,
    PlayerView,
    WindowOptions,
    digest,
    new_view,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.wire import follow
from hollywood.protocol.wire import messages as msg

from .narrate import humanize, narrate
from .text import printable

LOG_SIZE = 2000
"""Lines of the log that are kept."""


class LinkStatus(msgspec.Struct, frozen=True):
    """How the connection is doing, as the link reports it."""

    state: Literal["connecting", "online", "lost", "unseated", "failed"]
    """`unseated`: online, but the seat is no more; `failed`: nothing is tried any more."""
    retry_in: float = 0.0
    """Seconds until the next attempt, when lost."""
    text: str = ""
    """Why, where that is known."""
    rtt: float | None = None
    """Seconds there and back, where that was measured."""


class OpenDecision(msgspec.Struct, frozen=True, kw_only=True):
    """What the server asks of us."""

    did: int
    options: Options
    opened_at: float
    deadline: float | None
    """When the default is played for us, on the caller's clock; None: never."""
    attempts: int
    bank: float = 0.0
    """Seconds of that at the end which come out of the seat's time bank."""
    cid: int | None = None
    """The command that answered it, None while it is open."""
    answer: Action | None = None
    is_accepted: bool = False

    @property
    def is_window(self) -> bool:
        """Whether the upcard is asked about, not a whole turn."""
        return isinstance(self.options, WindowOptions)

    def remaining(self, now: float) -> float | None:
        """Seconds left, None where there is no limit."""
        return None if self.deadline is None else max(0.0, self.deadline - now)

    @property
    def total(self) -> float:
        """Seconds there were when it was asked."""
        return 0.0 if self.deadline is None else self.deadline - self.opened_at


class ClientModel:
    """Seats, view, log, open decision and link of one table.

    Args:
        asks_hints: Whether the server was asked for hints: then decisions without
            any say that the table does not allow them.
    """

    def __init__(self, *, asks_hints: bool = False) -> None:
        self.link = LinkStatus("connecting")
        self.link_since = 0.0
        self.table = ""
        self.seats: tuple[msg.SeatInfo, ...] = ()
        self.owner: int | None = None
        """The seat that may begin and moderate."""
        self.allows_hints = True
        """Whether the table lets its players have hints."""
        self.order: msg.Order | None = None
        """The standing order that the server keeps for us."""
        self.known: dict[int, list[Card]] = {}
        """Cards that others hold for all to know: they took them and still have them."""
        self.view: PlayerView | None = None
        self.seq = 0
        """The last event that was folded."""
        self.decision: OpenDecision | None = None
        self.log: list[str] = []
        self.new_cards: Hand = ()
        """Cards that came since our last turn ended."""
        self.result: ev.DealEnded | None = None
        """The last deal, from its end to the next deal."""
        self.is_ready = False
        """Whether we have said that the next deal may begin."""
        self.notice = ""
        """The last thing the server wants us to read."""
        self.refusal = ""
        """Why the server will not have us; the end of this connection."""
        self.question: msg.Desync | None = None
        """What must be asked of the server, not by the player's will."""
        self.alerts = 0
        """Counts the decisions asked of us: each wants the player's attention."""
        self.turn_alerts = 0
        """Counts those of them that begin our turn."""
        self._cid = 0
        self._turn_has_begun = False
        self._asks_hints = asks_hints
        self._commitment = ""

    # what the player does

    def next_cid(self) -> int:
        """Return a number for the next command, counted from 1."""
        self._cid += 1
        return self._cid

    def answer(self, action: Action) -> msg.AnswerDecision | None:
        """Return the message that answers the open decision, None if none is open."""
        if self.decision is None or self.decision.cid is not None:
            return None
        return msg.AnswerDecision(cid=self.next_cid(), did=self.decision.did, action=action)

    def was_sent(self, answer: msg.AnswerDecision) -> None:
        """Remember that the answer left; the verdict will come."""
        if self.decision is not None and self.decision.did == answer.did:
            self.decision = msgspec.structs.replace(
                self.decision, cid=answer.cid, answer=answer.action
            )

    @property
    def open_window(self) -> WindowOptions | None:
        """The claim window that waits for our answer."""
        options = self._unanswered()
        return options if isinstance(options, WindowOptions) else None

    @property
    def is_our_play(self) -> bool:
        """Whether a whole turn is asked of us."""
        options = self._unanswered()
        return options is not None and not isinstance(options, WindowOptions)

    def _unanswered(self) -> Options | None:
        if self.decision is None or self.decision.cid is not None:
            return None
        return self.decision.options

    # what the screen asks

    @property
    def is_seated(self) -> bool:
        """Whether cards have been dealt to us."""
        return self.view is not None and self.view.deal >= 0

    @property
    def is_watching(self) -> bool:
        """Whether we have no seat at the table."""
        return self.view is not None and self.view.seat is None

    @property
    def is_owner(self) -> bool:
        """Whether we may begin and moderate."""
        return self.view is not None and self.owner is not None and self.owner == self.view.seat

    @property
    def is_game_over(self) -> bool:
        """Whether the last deal was scored."""
        return self.view is not None and self.view.phase is Phase.GAME_OVER

    def who(self, seat: int) -> str:
        """Return the name of a seat, "you" for our own."""
        if self.view is not None and seat == self.view.seat:
            return "you"
        return self.name(seat)

    def name(self, seat: int) -> str:
        """Return the name of a seat, our own by name too; bots of one name have numbers, too."""
        if not 0 <= seat < len(self.seats) or not (name := self.seats[seat].name):
            return f"seat {seat + 1}"
        is_shared = sum(other.name == name for other in self.seats) > 1
        return f"{name} {seat + 1}" if is_shared else name

    def words(self, text: str) -> str:
        """Put names and letters into a sentence of the rules."""
        return humanize(printable(text), self.who)

    def remaining(self, now: float) -> float | None:
        """Seconds of the countdown on the screen, None where none runs."""
        if self.link.state == "lost":
            return max(0.0, self.link_since + self.link.retry_in - now)
        return None if self.decision is None else self.decision.remaining(now)

    # what the server and the link say

    def set_link(self, link: LinkStatus, now: float) -> None:
        """Take note of how the connection is doing."""
        if link.state == "unseated":
            self._log(f"your seat is no more: {self.words(link.text)}")
            return
        self.link, self.link_since = link, now
        if link.state == "lost":
            self.decision = self._kept_answer()

    def _kept_answer(self) -> OpenDecision | None:
        """Return what we said in a window that is still open, as far as we know.

        The server asks everything else again after a reconnect; until then nothing
        can be answered.
        """
        decision = self.decision
        if decision is None or decision.cid is None or not decision.is_window:
            return None
        return msgspec.structs.replace(decision, deadline=None)

    def receive(self, message: msg.ServerMessage, now: float) -> None:
        """Take in one message of the server.

        Raises:
            RemoteProtocolError: events are missing between this message and the last.
        """
        match message:
            case msg.Joined():
                self._joined(message)
            case msg.Watching():
                self._watching(message)
            case msg.Seated(seats=seats, owner=owner):
                self.owner = owner
                self._seated(seats)
            case msg.Events(seq=seq, events=events):
                self._events(seq, events)
                self._compare(message.digest)
            case msg.Said(name=name, text=text):
                self._log(f"<{printable(name)}> {printable(text)}")
            case msg.Notice(text=text):
                self._log(self.words(text))
                self.notice = self.words(text)
            case msg.Decide():
                self._decide(message, now)
            case msg.Verdict():
                self._verdict(message, now)
            case msg.Closed():
                self._closed(message)
            case msg.Error(text=text, fatal=fatal):
                self.notice = self.words(text)
                if fatal:
                    self.refusal = self.notice
            case msg.Reject(text=text):
                self.refusal = self.notice = self.words(text)

    def _joined(self, message: msg.Joined) -> None:
        is_resumed = (
            self.view is not None
            and (message.table, message.seat, message.seq) == (self.table, self.view.seat, self.seq)
            and message.rules_hash == self.view.rules.hash
        )
        self._seated(message.seats)
        self.table, self.owner = message.table, message.owner
        self.refusal = ""
        if is_resumed:
            self.decision = self._kept_answer()
            return
        if message.commitment != self._commitment:
            self.order = None  # another game
        self._commitment = message.commitment
        self._begin(new_view(message.rules, len(message.seats), message.seat), message.seq)

    def _watching(self, message: msg.Watching) -> None:
        self._seated(message.seats)
        self.table, self.refusal = message.table, ""
        self._begin(new_view(message.rules, len(message.seats), None), 0)

    def _begin(self, view: PlayerView, seq: int) -> None:
        """Know nothing of the game but what will be told from now on."""
        self.view, self.seq, self.decision = view, seq, None
        self.log.clear()
        self.known.clear()
        self.result = None
        self.new_cards = ()
        self.is_ready = False

    def _seated(self, seats: tuple[msg.SeatInfo, ...]) -> None:
        before = self.seats
        self.seats = tuple(
            msgspec.structs.replace(seat, name=printable(seat.name)) for seat in seats
        )
        if len(before) != len(seats):
            return
        for seat, (old, new) in enumerate(zip(before, self.seats, strict=True)):
            if new.is_away and not old.is_away:
                self._log(f"{self.who(seat)} lost the connection; a bot fills in after a while")
            elif old.is_away and not new.is_away:
                self._log(f"{self.who(seat)} came back")
            elif new.name != old.name and new.kind != "open":
                self._log(f"{self.name(seat)} sat down")

    def _events(self, seq: int, events: tuple[ev.Event | msg.Unknown, ...]) -> None:
        if seq > self.seq + 1:
            raise RemoteProtocolError(
                f"events {self.seq + 1} to {seq - 1} of the table are missing",
                ErrorCode.UNEXPECTED_MESSAGE,
            )
        for event in events[self.seq + 1 - seq :]:
            self._event(event)
            self.seq += 1

    def _compare(self, theirs: str) -> None:
        """Ask to be told everything anew when the server knows another game than we."""
        if theirs and self.view is not None and (ours := digest(self.view)) != theirs:
            self.question = msg.Desync(cid=self.next_cid(), seq=self.seq, digest=ours)

    def _event(self, event: ev.Event | msg.Unknown) -> None:
        view = self.view
        if view is None:
            raise RemoteProtocolError(
                "the server tells of a game before it gave us a seat",
                ErrorCode.UNEXPECTED_MESSAGE,
            )
        after = follow(view, event)
        if (line := narrate(view, event, self.who)) is not None:
            self._log(line)
        self.view = after
        self._watch_others(event)
        match event:
            case ev.Dealt():
                self.result, self.is_ready, self.new_cards = None, False, ()
                self.decision = None
            case ev.WindowClosed() if self.decision is not None and self.decision.is_window:
                self.decision = None
            case ev.Took(seat=seat, card=card) if seat == view.seat:
                self._gain((card,))
            case ev.Drew(seat=seat, card=card) if seat == view.seat and card is not None:
                self._gain((card,))
            case ev.Bought(seat=seat, card=card, penalty=penalty) if seat == view.seat:
                self._gain((card, *(penalty or ())))
            case ev.Discarded(seat=seat) | ev.Floated(seat=seat) if seat == view.seat:
                self.new_cards = ()
                self.decision = None
            case ev.DealEnded():
                self.result, self.is_ready, self.decision = event, False, None

    def _watch_others(self, event: ev.Event | msg.Unknown) -> None:
        """Remember what others took and still have."""
        match event:
            case ev.Dealt():
                self.known.clear()
            case ev.Took(seat=seat, card=card) | ev.Bought(seat=seat, card=card):
                self.known.setdefault(seat, []).append(card)
            case ev.WentDown(seat=seat, melds=melds):
                for laid in melds:
                    self._forget(seat, laid.meld.cards)
            case ev.LaidOff(seat=seat, card=card) | ev.Discarded(seat=seat, card=card):
                self._forget(seat, (card,))

    def _forget(self, seat: int, cards: Hand) -> None:
        held = self.known.get(seat, [])
        for card in cards:
            if card in held:
                held.remove(card)

    def _gain(self, cards: tuple[Card, ...]) -> None:
        self.new_cards += cards

    def _decide(self, message: msg.Decide, now: float) -> None:
        left = message.remaining_ms
        self.allows_hints = not self._asks_hints or message.hints is not None
        is_ours = not isinstance(message.legal, WindowOptions) or message.legal.is_free
        if is_ours:
            self._end_passing()
        self.decision = OpenDecision(
            did=message.did,
            options=message.legal,
            opened_at=now,
            deadline=None if left is None else now + left / 1000,
            attempts=message.attempts,
            bank=message.bank_ms / 1000,
        )
        self.alerts += 1
        is_free_window = isinstance(message.legal, WindowOptions) and is_ours
        self.turn_alerts += is_ours and not self._turn_has_begun
        self._turn_has_begun = is_free_window

    def _end_passing(self) -> None:
        """Our own turn ends "pass until my turn": the server has forgotten it, too."""
        if self.order is not None and self.order.pass_until_turn:
            claim = self.order.claim
            self.order = msg.Order(cid=self.order.cid, claim=claim) if claim else None

    def _verdict(self, message: msg.Verdict, now: float) -> None:
        decision = self.decision
        if decision is None or decision.did != message.did:
            return
        text = self.words(message.text)
        match message.status:
            case msg.VerdictStatus.ACCEPTED:
                self.decision = (
                    msgspec.structs.replace(decision, is_accepted=True)
                    if decision.is_window
                    else None
                )
            case msg.VerdictStatus.REJECTED:
                left = message.remaining_ms
                self.decision = msgspec.structs.replace(
                    decision,
                    cid=None,
                    answer=None,
                    attempts=decision.attempts - 1,
                    deadline=decision.deadline if left is None else now + left / 1000,
                )
                self.notice = f"the server refused that: {text}"
            case msg.VerdictStatus.LATE:
                self.decision = None
                self.notice = text or "too late: the time for that was over"
            case _:
                self.decision = None
                self.notice = text or "that was answered before"

    def _closed(self, message: msg.Closed) -> None:
        if self.decision is not None and self.decision.did == message.did:
            self.decision = None
        if message.code == ErrorCode.STANDING_ORDER:
            did = "claimed" if message.default == Claim() else "passed"
            self._log(f"your standing order {did}")
            return
        match message.default:
            case Play(discard=card) if card is not None:
                done = f"{card} was discarded for you"
            case Pass():
                done = "you passed"
            case _:
                done = self.words(message.text)
        self.notice = f"your time ran out: {done}" if done else "your time ran out"

    def _log(self, line: str) -> None:
        self.log.append(line)
        del self.log[:-LOG_SIZE]


def seats_ahead(view: PlayerView) -> tuple[int, ...]:
    """The seats of the open window that get the upcard before us if they want it."""
    if view.seat not in view.order:
        return view.order
    return view.order[: view.order.index(view.seat)]


def is_claim(decision: OpenDecision) -> bool:
    """Whether the answer given was a claim."""
    return isinstance(decision.answer, Claim)
