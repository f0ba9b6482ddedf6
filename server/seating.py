"""Seats: who sits where, what they are asked, and what they have said."""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Sequence
from typing import Protocol

from hollywood.protocol.errors import ErrorCode
from hollywood.protocol.wire import ServerMessage
from hollywood.protocol.wire import messages as m

from .config import Clocks
from .sitters import Sitter
from .verdicts import Verdicts

ATTEMPTS = 3
"""Answers that may be rejected before the default is played."""


class Link(Protocol):
    """What a seat needs of its connection."""

    @property
    def caps(self) -> frozenset[str]:
        """Capabilities that both ends have."""

    @property
    def name(self) -> str:
        """What its client calls itself."""

    @property
    def address(self) -> str:
        """From where it comes, "" if that is not known."""

    @property
    def rtt(self) -> float | None:
        """Seconds there and back, None before they were measured."""

    def send(self, message: ServerMessage) -> None:
        """Queue a message; never blocks, never raises."""

    def close(self, message: m.Error) -> None:
        """Say why, then close."""


class OpenDecision:
    """What a seat is being asked, and its clock. Times are the server's, in seconds."""

    def __init__(
        self, did: int, number: int, now: float, limit: float, bank: float, lag: float, due: float
    ) -> None:
        self.did = did
        self.number = number
        """The seat's decisions in the game before this one."""
        self.limit = limit
        """What it may take without the bank; infinity: as long as it likes."""
        self.bank = bank
        """What is left of the seat's time bank, where it may be used."""
        self.lag = lag
        """What is given back for the way there and back, and not told."""
        self.due = due
        """When a house bot on this seat answers."""
        self.attempts = ATTEMPTS
        self._asked_at = now
        self._paused_at: float | None = None
        self.deadline = now + limit + bank + lag
        """When the default is played; infinity: never."""

    def remaining(self, now: float) -> float:
        """Seconds that are left, as the seat is told."""
        then = now if self._paused_at is None else self._paused_at
        return max(0.0, self._asked_at + self.limit + self.bank - then)

    def bank_after(self, now: float) -> float:
        """What is left of the bank if the answer comes now."""
        over = now - self._asked_at - self.limit - self.lag
        return self.bank if over <= 0 else max(0.0, self.bank - over)

    def has_taken(self, seconds: float) -> None:
        """Count time that has passed elsewhere."""
        self._asked_at -= seconds
        self.deadline -= seconds

    def pause(self, now: float) -> None:
        """Stop the clock."""
        if self._paused_at is None:
            self._paused_at, self.deadline = now, math.inf

    def go_on(self, now: float) -> None:
        """Let a stopped clock run again, with what was left."""
        if self._paused_at is not None:
            self._asked_at += now - self._paused_at
            self._paused_at = None
            self.deadline = self._asked_at + self.limit + self.bank + self.lag


class Seat:
    """One seat of a table, with everything the table remembers about it."""

    def __init__(self, number: int, rng: bytes, clocks: Clocks) -> None:
        self.number = number
        self.rng = rng
        """Seed of whatever the player on this seat decides by chance."""
        self.name = ""
        self.kind = "open"
        self.address = ""
        """From where the player came."""
        self.link: Link | None = None
        self.bot: Sitter | None = None
        """The house bot that plays here, for good or while the player is away."""
        self.caps: frozenset[str] = frozenset()
        """What the client of this seat has asked for."""
        self.entropy: str | None = None
        """What the player added to the seed, None if nothing yet."""
        self.order: m.Order | None = None
        """The standing order of this seat."""
        self.bank = clocks.bank
        """Seconds left for turns that take longer."""
        self.away = clocks.away
        """Seconds left of waiting for a player whose connection is gone."""
        self.away_since = math.inf
        self.asked = 0
        self.decision: OpenDecision | None = None
        self.is_ready = False
        self.token = ""
        """What opens the seat; known only to its player after a restart."""
        self.token_hash = ""
        self.shown_hash = ""
        self.verdicts = Verdicts()

    @property
    def is_taken(self) -> bool:
        """Whether a player sits here, present or away."""
        return self.kind in ("player", "bot")

    @property
    def info(self) -> m.SeatInfo:
        """What everybody may know."""
        is_away = self.is_taken and self.link is None
        return m.SeatInfo(self.name, self.kind, is_away)

    def take(self, name: str, kind: str, link: Link, secret: str = "") -> None:
        """Somebody sits down; `secret` opens the seat like a token that was shown."""
        self.name, self.kind, self.link, self.caps = name, kind, link, link.caps
        self.address = link.address
        self.rotate_token(secret)

    def vacate(self) -> None:
        """Whoever sat here has gone before the game began."""
        self.name, self.kind, self.link, self.address = "", "open", None, ""
        self.token = self.token_hash = self.shown_hash = ""
        self.entropy = self.order = None

    def house(self, name: str, bot: Sitter) -> None:
        """A house bot has the seat for good; no token opens it any more."""
        self.name, self.kind, self.bot, self.link = name, "house", bot, None
        self.token = self.token_hash = self.shown_hash = ""
        self.away_since, self.order = math.inf, None

    def rotate_token(self, shown: str = "") -> None:
        """Give the seat a new token.

        The one that its player has just shown stays valid until the new one is used,
        since the message that brings the new one may be lost with its connection.
        """
        self.token = secrets.token_hex(16)
        self.token_hash, self.shown_hash = hash_token(self.token), hash_token(shown)

    def has_token(self, token: str) -> bool:
        """Whether the token opens this seat; takes the same time for any token."""
        hashed = hash_token(token)
        is_new = secrets.compare_digest(hashed, self.token_hash)
        is_shown = secrets.compare_digest(hashed, self.shown_hash)
        return bool(hashed) and (is_new or is_shown)

    def send(self, message: ServerMessage) -> None:
        """Send to whoever sits here, if anybody listens."""
        if self.link is not None:
            self.link.send(message)

    def accept(self, cid: int) -> m.Verdict:
        """Return the verdict on an answer to the open decision that is accepted."""
        assert self.decision is not None, "nothing is asked"
        return self.verdicts.accept(cid, self.decision.did)

    def close_decision(self, *, answered: bool) -> None:
        """Forget the open decision, but for whether it was answered."""
        if self.decision is not None:
            self.verdicts.close(self.decision.did, answered=answered)
            self.decision = None

    def knows(self, did: int) -> bool:
        """Whether the decision is or was this seat's."""
        is_open = self.decision is not None and self.decision.did == did
        return is_open or self.verdicts.was_answered(did) is not None


def hash_token(token: str) -> str:
    """Return what is kept of a token; "" of none. A token has 128 bits of chance, so no salt."""
    return hashlib.sha256(token.encode()).hexdigest() if token else ""


def why_not_open(
    seats: Sequence[Seat], seat: Seat, did: int
) -> tuple[m.VerdictStatus, ErrorCode, str]:
    """Return the verdict on an answer to a decision that is not open for the seat."""
    was_answered = seat.verdicts.was_answered(did)
    if was_answered:
        text = f"decision {did} has your answer already; an answer is final"
        return m.VerdictStatus.ALREADY_ANSWERED, ErrorCode.ALREADY_ANSWERED, text
    if was_answered is None and any(other.knows(did) for other in seats):
        text = f"decision {did} is another seat's"
        return m.VerdictStatus.NOT_YOURS, ErrorCode.NOT_YOUR_TURN, text
    return m.VerdictStatus.LATE, ErrorCode.LATE, f"decision {did} is not open any more"
