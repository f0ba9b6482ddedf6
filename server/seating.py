"""Seats: who sits where, what they are asked, and what they have said."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from typing import Protocol

from hollywood.bots import Bot
from hollywood.protocol.errors import ErrorCode
from hollywood.protocol.wire import ServerMessage
from hollywood.protocol.wire import messages as m

ATTEMPTS = 3
"""Answers that may be rejected before the default is played."""

_REMEMBERED = 64
"""Verdicts and closed decisions kept for each seat."""


class Link(Protocol):
    """What a seat needs of its connection."""

    @property
    def caps(self) -> frozenset[str]:
        """Capabilities that both ends have."""

    def send(self, message: ServerMessage) -> None:
        """Queue a message; never blocks, never raises."""

    def close(self, message: m.Error) -> None:
        """Say why, then close."""


class OpenDecision:
    """What a seat is being asked."""

    def __init__(self, did: int, number: int, deadline: float, due: float) -> None:
        self.did = did
        self.number = number
        """The seat's decisions in the game before this one."""
        self.deadline = deadline
        """When the default is played; infinity: never."""
        self.due = due
        """When a house bot on this seat answers."""
        self.attempts = ATTEMPTS


class Seat:
    """One seat of a table, with everything the table remembers about it."""

    def __init__(self, number: int, rng: bytes) -> None:
        self.number = number
        self.rng = rng
        """Seed of whatever the player on this seat decides by chance."""
        self.name = ""
        self.kind = "open"
        self.link: Link | None = None
        self.bot: Bot | None = None
        """The house bot that plays here, for good or while the player is away."""
        self.caps: frozenset[str] = frozenset()
        """What the client of this seat has asked for."""
        self.entropy: str | None = None
        """What the player added to the seed, None if nothing yet."""
        self.order: m.Order | None = None
        """The standing order of this seat."""
        self.away_since = math.inf
        self.asked = 0
        self.decision: OpenDecision | None = None
        self.is_ready = False
        self.token = ""
        self._shown_token = ""
        self._verdicts: dict[int, m.Verdict] = {}
        self._closed: dict[int, bool] = {}

    @property
    def info(self) -> m.SeatInfo:
        """What everybody may know."""
        is_away = self.kind in ("player", "bot") and self.link is None
        return m.SeatInfo(self.name, self.kind, is_away)

    def take(self, name: str, kind: str, link: Link) -> None:
        """Somebody sits down."""
        self.name, self.kind, self.link, self.caps = name, kind, link, link.caps
        self.rotate_token()

    def vacate(self) -> None:
        """Whoever sat here has gone before the game began."""
        self.name, self.kind, self.link, self.token = "", "open", None, ""
        self.entropy = self.order = None

    def rotate_token(self, shown: str = "") -> None:
        """Give the seat a new token.

        The one that its player has just shown stays valid until the new one is used,
        since the message that brings the new one may be lost with its connection.
        """
        self._shown_token, self.token = shown, secrets.token_hex(16)

    def has_token(self, token: str) -> bool:
        """Whether the token opens this seat; takes the same time for any token."""
        is_new = secrets.compare_digest(token.encode(), self.token.encode())
        is_shown = secrets.compare_digest(token.encode(), self._shown_token.encode())
        return bool(self.token) and bool(token) and (is_new or is_shown)

    def send(self, message: ServerMessage) -> None:
        """Send to whoever sits here, if anybody listens."""
        if self.link is not None:
            self.link.send(message)

    def remember_verdict(self, verdict: m.Verdict) -> None:
        """Keep a verdict, so that a repeated command gets the same one."""
        self._verdicts[verdict.cid] = verdict
        _trim(self._verdicts)

    def verdict_on(self, cid: int, did: int) -> m.Verdict | None:
        """Return the verdict this very command has had."""
        verdict = self._verdicts.get(cid)
        return verdict if verdict is not None and verdict.did == did else None

    def close_decision(self, *, answered: bool) -> None:
        """Forget the open decision, but for whether it was answered."""
        if self.decision is not None:
            self._closed[self.decision.did] = answered
            _trim(self._closed)
            self.decision = None

    def knows(self, did: int) -> bool:
        """Whether the decision is or was this seat's."""
        is_open = self.decision is not None and self.decision.did == did
        return is_open or did in self._closed

    def was_answered(self, did: int) -> bool | None:
        """Whether a closed decision was answered; None: it was never this seat's."""
        return self._closed.get(did)


def _trim(kept: dict[int, m.Verdict] | dict[int, bool]) -> None:
    while len(kept) > _REMEMBERED:
        kept.pop(next(iter(kept)))


def why_not_open(
    seats: Sequence[Seat], seat: Seat, did: int
) -> tuple[m.VerdictStatus, ErrorCode, str]:
    """Return the verdict on an answer to a decision that is not open for the seat."""
    was_answered = seat.was_answered(did)
    if was_answered:
        text = f"decision {did} has your answer already; an answer is final"
        return m.VerdictStatus.ALREADY_ANSWERED, ErrorCode.ALREADY_ANSWERED, text
    if was_answered is None and any(other.knows(did) for other in seats):
        text = f"decision {did} is another seat's"
        return m.VerdictStatus.NOT_YOURS, ErrorCode.NOT_YOUR_TURN, text
    return m.VerdictStatus.LATE, ErrorCode.LATE, f"decision {did} is not open any more"
