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

from ..rules.actions import Action
from ..rules.events import Event
from ..rules.hints import Hints
from ..rules.offers import Options
from ..rules.rulesets import RuleSet

MAGIC = "hrp"
"""What a hello starts with: the Hollywood rummy protocol."""

Name = Annotated[str, Meta(max_length=64)]
"""A player's or table's name; `versions.is_name` says which are accepted."""

Key = Annotated[int, Meta(ge=0, le=2**53)]
Code = Annotated[str, Meta(max_length=2)]
Codes = Annotated[tuple[Code, ...], Meta(max_length=64)]
Entropy = Annotated[str, Meta(pattern="^[0-9a-f]{0,64}$")]
"""Up to 32 bytes, in hex."""


class Role(StrEnum):
    """Who speaks on a connection."""

    PLAYER = "player"
    BOT = "bot"
    WATCHER = "watcher"
    """Never sits down."""


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


class Create(_Message, frozen=True, tag="create"):
    """Make a table and take its first seat; you own it."""

    cid: Key
    table: Name
    rules: Name
    """A rule set of the server, by name."""
    seats: Annotated[int, Meta(ge=2, le=12)]
    bots: Annotated[tuple[Name, ...], Meta(max_length=11)] = ()
    """House bots for the last seats, by name."""
    hints: bool = True
    """Whether seats may ask for hints."""
    watchers: bool = True
    """Whether others may watch."""


class Start(_Message, frozen=True, tag="start"):
    """Let house bots take the free seats and begin; for the owner."""

    cid: Key


class Watch(_Message, frozen=True, tag="watch"):
    """Let me see what everybody at that table may see."""

    cid: Key
    table: Name


class Chat(_Message, frozen=True, tag="chat"):
    """Say something to everybody at the table."""

    cid: Key
    text: Annotated[str, Meta(min_length=1, max_length=200)]


class Order(_Message, frozen=True, tag="order"):
    """A standing order, kept by the server instead of the one before.

    It answers claim windows for this seat: a card of `claim` is claimed; else, with
    `pass_until_turn`, it passes until the window in which this seat is in turn,
    which ends that part.
    """

    cid: Key
    claim: Codes = ()
    pass_until_turn: bool = False


class AddEntropy(_Message, frozen=True, tag="entropy"):
    """My part of the seed, once, before the game starts."""

    cid: Key
    hex: Entropy


class Desync(_Message, frozen=True, tag="desync"):
    """My digest is another than yours: tell me everything anew."""

    cid: Key
    seq: Key
    digest: Annotated[str, Meta(max_length=16)]


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
    minor: int = 0
    """What the server has added to it since."""
    caps: tuple[str, ...] = ()
    server: str = ""


class Reject(_Message, frozen=True, tag="reject"):
    """The hello is refused and the connection closes. Its bytes never change."""

    code: str
    text: str
    v: tuple[int, int]
    """The versions the server speaks."""
    caps_missing: tuple[str, ...] = ()


class Unknown(msgspec.Struct, frozen=True, tag="unknown", tag_field="t"):
    """Stands where a newer server sent an event that this version does not know."""


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
    watchers: bool = True
    """Whether it may be watched."""


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
    commitment: str = ""
    """SHA-256 of the server's seed, in hex."""
    owner: int | None = None
    """The seat that may start the game and moderate; null: nobody."""


class Watching(_Message, frozen=True, tag="watching"):
    """You watch. All events so far follow, with what nobody may see blank."""

    cid: int
    table: str
    rules: RuleSet
    rules_hash: str
    seats: tuple[SeatInfo, ...]


class Done(_Message, frozen=True, tag="done"):
    """A command without an answer of its own has been carried out."""

    cid: int


class Said(_Message, frozen=True, tag="said"):
    """Somebody at the table has said something."""

    seat: int | None
    """Null: somebody who watches."""
    name: str
    text: str


class Seated(_Message, frozen=True, tag="seated"):
    """Somebody came, went, or came back."""

    seats: tuple[SeatInfo, ...]


class Events(_Message, frozen=True, tag="events"):
    """What happened, in order. `seq` is the number of the first event of the list.

    Numbers are the same for every viewer; what a viewer may not see is blank.
    """

    seq: int
    events: tuple[Event | Unknown, ...]
    digest: str = ""
    """Given at least every 16 events: what `views.digest` says of your view after the
    last event of the list."""


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
    hints: Hints | None = None
    """With the capability `hints`, where the table allows them."""


class Verdict(_Message, frozen=True, tag="verdict"):
    """What became of an answer; every answer gets exactly one."""

    cid: int
    did: int
    status: VerdictStatus
    code: str = ""
    text: str = ""
    remaining_ms: int | None = None


class Closed(_Message, frozen=True, tag="closed"):
    """A decision was closed without your answer: `default` was done for you."""

    did: int
    code: str
    """`timed_out`, `late` after three rejections, or `standing_order`."""
    text: str = ""
    default: Action | None = None


class Error(_Message, frozen=True, tag="error"):
    """Something you sent could not be done."""

    code: str
    klass: ErrorClass = msgspec.field(name="class")
    text: str
    fatal: bool = False
    """The connection closes after this."""
    ref: int | None = None
    """The `cid` of the command it answers."""
    retry_after_ms: int | None = None
    """When to try again."""


ClientMessage = (
    Hello
    | Join
    | Create
    | Start
    | Watch
    | Chat
    | Order
    | AddEntropy
    | Desync
    | AnswerDecision
    | Ready
    | Leave
    | ListTables
    | Ping
    | Pong
)
ServerMessage = (
    Welcome
    | Reject
    | Joined
    | Watching
    | Done
    | Said
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
