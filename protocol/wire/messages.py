"""Every message there is, as tagged maps.

A message is one msgpack map with its type under `t`. Fields may be added later
with a default; unknown fields are ignored by both sides. Times are whole
milliseconds from now, never clock readings.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from ..rules.actions import Action, Pass, Play
from ..rules.events import Event
from ..rules.offers import Options
from ..rules.rulesets import RuleSet

MAGIC = "hrp"
"""What a hello starts with: the Hollywood rummy protocol."""

Name = Annotated[str, Meta(max_length=64)]
"""A player's or table's name; `versions.is_name` says which are accepted."""

Key = Annotated[int, Meta(ge=0, le=2**53)]


class Role(StrEnum):
    """Who speaks on a connection."""

    PLAYER = "player"
    BOT = "bot"


class VerdictStatus(StrEnum):
    """What became of an answer."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    """Not allowed; the decision stays open with the same deadline."""
    LATE = "late"
    """The decision was closed before the answer came."""
    ALREADY_ANSWERED = "already_answered"
    NOT_YOURS = "not_yours"


class ErrorClass(StrEnum):
    """What an error is about; act on this where a code is unknown."""

    PROTOCOL = "protocol"
    AUTH = "auth"
    LIMIT = "limit"
    STATE = "state"
    RULES = "rules"
    INTERNAL = "internal"


class _Message(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", omit_defaults=True):
    pass


# from the client


class Resume(msgspec.Struct, frozen=True, kw_only=True):
    """Where a client that lost its connection stopped reading."""

    table: Name
    seq: Key
    """The last event it has seen."""


class Hello(_Message, frozen=True, tag="hello"):
    """The first message of a connection. Its bytes never change."""

    magic: Annotated[str, Meta(max_length=8)]
    v: tuple[int, int]
    """Oldest and newest protocol version the client speaks."""
    role: Role
    name: Name
    caps: Annotated[tuple[Annotated[str, Meta(max_length=32)], ...], Meta(max_length=32)] = ()
    """Named capabilities; `+name` means that the client cannot do without."""
    client: Annotated[str, Meta(max_length=64)] = ""
    token: Annotated[str, Meta(max_length=64)] = ""
    """The seat token of an earlier welcome to this seat."""
    resume: Resume | None = None


class Join(_Message, frozen=True, tag="join"):
    """Take a seat at the table of that name; it is made if there is none."""

    cid: Key
    table: Name


class AnswerDecision(_Message, frozen=True, tag="answer"):
    """What the seat says to an open decision."""

    cid: Key
    """The client's number for this command; verdicts repeat it."""
    did: Key
    action: Action


class Ready(_Message, frozen=True, tag="ready"):
    """I have seen the result; the next deal may begin."""

    cid: Key


class Leave(_Message, frozen=True, tag="leave"):
    """I give up my seat; a house bot plays on."""

    cid: Key


class ListTables(_Message, frozen=True, tag="list"):
    """Which tables are there?"""

    cid: Key


class Ping(_Message, frozen=True, tag="ping"):
    """Answered by a pong with the same number, from either side."""

    n: Key


class Pong(_Message, frozen=True, tag="pong"):
    """The answer to a ping."""

    n: Key


# from the server


class Welcome(_Message, frozen=True, tag="welcome"):
    """The hello is accepted."""

    v: int
    """The version both will speak."""
    caps: tuple[str, ...] = ()
    server: str = ""


class Reject(_Message, frozen=True, tag="reject"):
    """The hello is refused and the connection closes. Its bytes never change."""

    code: str
    text: str
    v: tuple[int, int]
    """The versions the server speaks."""
    caps_missing: tuple[str, ...] = ()


class SeatInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who sits on a seat."""

    name: str
    kind: str
    """`player`, `bot` (over the network), `house` (a bot of the server), or `open`."""
    is_away: bool = False
    """Its connection is gone; a house bot plays for it."""


class TableInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the list of tables."""

    name: str
    rules: str
    seats: int
    free: int
    has_started: bool = False


class Tables(_Message, frozen=True, tag="tables"):
    """The answer to a list."""

    cid: int
    tables: tuple[TableInfo, ...]


class Joined(_Message, frozen=True, tag="joined"):
    """You have a seat. Everything needed to follow the game comes with it."""

    cid: int
    table: str
    seat: int
    token: str
    """Secret; gives the seat back on another connection."""
    rules: RuleSet
    rules_hash: str
    seats: tuple[SeatInfo, ...]
    rng: str
    """64 hex digits from which a bot on this seat takes its chance."""
    seq: int = 0
    """Events the client has already seen; the next is seq + 1."""


class Seated(_Message, frozen=True, tag="seated"):
    """Somebody came, went, or came back."""

    seats: tuple[SeatInfo, ...]


class Events(_Message, frozen=True, tag="events"):
    """What happened, in order. `seq` is the number of the first event of the list.

    Numbers are the same for every viewer; what a viewer may not see is blank.
    """

    seq: int
    events: tuple[Event, ...]


class Decide(_Message, frozen=True, tag="decide"):
    """You are asked. Sent after every event it rests on."""

    did: int
    n: int
    """Counts this seat's decisions in the game, from 0."""
    seq: int
    """The last event it rests on."""
    legal: Options
    remaining_ms: int | None
    """Until the default is played for you; null: as long as you like."""
    attempts: int = 3
    """Rejections left before the default is played."""


class Verdict(_Message, frozen=True, tag="verdict"):
    """What became of an answer; every answer gets exactly one."""

    cid: int
    did: int
    status: VerdictStatus
    code: str = ""
    text: str = ""
    remaining_ms: int | None = None


class Closed(_Message, frozen=True, tag="closed"):
    """A decision was closed without your answer: its default holds."""

    did: int
    code: str
    text: str = ""
    default: Pass | Play | None = None


class Error(_Message, frozen=True, tag="error"):
    """Something you sent could not be done."""

    code: str
    klass: ErrorClass = msgspec.field(name="class")
    text: str
    fatal: bool = False
    """The connection closes after this."""
    ref: int | None = None
    """The `cid` of the command it answers."""


ClientMessage = Hello | Join | AnswerDecision | Ready | Leave | ListTables | Ping | Pong
ServerMessage = (
    Welcome
    | Reject
    | Joined
    | Seated
    | Tables
    | Events
    | Decide
    | Verdict
    | Closed
    | Error
    | Ping
    | Pong
)
Message = ClientMessage | ServerMessage
