"""Every message there is, as tagged maps.

A message is one msgpack map with its type under `t`. Fields may be added later
with a default; unknown fields are ignored by both sides. Times are whole
milliseconds from now, never clock readings.

It is long since they all stand here: the schema and the tables of PROTOCOL.md are
made of this one file.
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
"""0 to 2^53, so that a language without 64-bit integers can hold it."""
Password = Annotated[str, Meta(max_length=64)]
"""Up to 64 characters."""
Secret = Annotated[str, Meta(max_length=64)]
"""16 to 64 letters, best by chance, or none."""
Seconds = Annotated[int, Meta(ge=0, le=86_400)]
"""Whole seconds, up to a day."""
Code = Annotated[str, Meta(max_length=2)]
"""A card."""
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


class Timing(StrEnum):
    """When a claim window closes."""

    FAST = "fast"
    """As soon as it is decided."""
    SEALED = "sealed"
    """On a beat, so that nobody learns from the moment who has answered."""


class Act(StrEnum):
    """What the owner of a table may do to somebody there."""

    MUTE = "mute"
    """What they say is not passed on."""
    UNMUTE = "unmute"
    KICK = "kick"
    """They lose their seat to a house bot and cannot come back."""
    REPLACE = "replace"
    """A house bot takes the seat of somebody who is away; for good."""


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
    """The table at which the seat is."""
    seq: Key
    """The last event it has seen; 0: tell everything."""


class Hello(_Message, frozen=True, tag="hello"):
    """The first message of a connection. Its bytes never change."""

    magic: Annotated[str, Meta(max_length=8)]
    """Always `hrp`."""
    v: tuple[int, int]
    """Oldest and newest protocol version the client speaks."""
    role: Role
    """`player`: a person, who is waited for after a deal; `bot`; or `watcher`."""
    name: Name
    """What others see; a number is added where it is taken at the table."""
    caps: Annotated[tuple[Annotated[str, Meta(max_length=32)], ...], Meta(max_length=32)] = ()
    """Named capabilities; `+name` means that the client cannot do without."""
    client: Annotated[str, Meta(max_length=64)] = ""
    """Program and version, for the server's log."""
    token: Annotated[str, Meta(max_length=64)] = ""
    """The seat token of an earlier welcome to this seat."""
    resume: Resume | None = None
    """With a token: take the seat back now."""


class Join(_Message, frozen=True, tag="join"):
    """Take a seat at the table of that name; it is made if there is none."""

    cid: Key
    """The client's number for this command; what answers it repeats it."""
    table: Name
    """1 to 24 letters, digits, spaces or `_.'-`, a letter or digit first."""
    password: Password = ""
    """Of a table that has one."""
    secret: Secret = ""
    """Opens the seat like a token until the first token is used; for when the answer is lost."""


class Create(_Message, frozen=True, tag="create"):
    """Make a table and take its first seat; you own it."""

    cid: Key
    table: Name
    """A name that no table has that goes on."""
    rules: Name
    """A rule set of the server by name, or what `rules_toml` is to be called."""
    seats: Annotated[int, Meta(ge=2, le=12)]
    """As many as the rule set allows."""
    bots: Annotated[tuple[Name, ...], Meta(max_length=11)] = ()
    """House bots for the last seats, by name."""
    hints: bool = True
    """Whether seats may ask for hints."""
    watchers: bool = True
    """Whether others may watch."""
    watch_delay: Seconds = 0
    """How long after the event those who watch hear of it."""
    password: Password = ""
    """Asked of everybody who joins or watches; "": nobody is asked."""
    rules_toml: Annotated[str, Meta(max_length=12_000)] = ""
    """The text of a rule-set file; it may extend a rule set of the server."""
    timing: Timing = Timing.FAST
    """When claim windows close."""
    window_seconds: Seconds | None = None
    """For a seat that may buy, at least 1; null: as the server has it."""
    turn_seconds: Seconds | None = None
    """For each decision of the seat in turn, at least 1; null: as the server has it."""
    bank_seconds: Seconds | None = None
    """For the whole game, used up by turns that take longer; null: as the server has it."""
    secret: Secret = ""
    """As in `join`."""


class Rematch(_Message, frozen=True, tag="rematch"):
    """Play again: take the same seat at a new game of a table whose game is over."""

    cid: Key


class Moderate(_Message, frozen=True, tag="moderate"):
    """Mute, kick or replace somebody; for the owner."""

    cid: Key
    act: Act
    """`mute`, `unmute`, `kick` or `replace`."""
    seat: Annotated[int, Meta(ge=0, le=11)] | None = None
    """Whom, by seat."""
    name: Name = ""
    """Whom, by name: somebody who watches."""


class Start(_Message, frozen=True, tag="start"):
    """Let house bots take the free seats and begin; for the owner."""

    cid: Key


class Watch(_Message, frozen=True, tag="watch"):
    """Let me see what everybody at that table may see."""

    cid: Key
    table: Name
    password: Password = ""
    """Of a table that has one."""


class Chat(_Message, frozen=True, tag="chat"):
    """Say something to everybody at the table."""

    cid: Key
    text: Annotated[str, Meta(min_length=1, max_length=200)]
    """Control characters become spaces."""


class Order(_Message, frozen=True, tag="order"):
    """A standing order, kept by the server instead of the one before.

    It answers claim windows for this seat: a card of `claim` is claimed; else, with
    `pass_until_turn`, it passes until the window in which this seat is in turn,
    which ends that part.
    """

    cid: Key
    claim: Codes = ()
    """Cards that are claimed whenever this seat is asked."""
    pass_until_turn: bool = False
    """Whether other upcards are passed until then."""


class AddEntropy(_Message, frozen=True, tag="entropy"):
    """My part of the seed, once, before the game starts."""

    cid: Key
    hex: Entropy
    """Up to 32 bytes as lower-case hex digits; "" adds nothing."""


class Desync(_Message, frozen=True, tag="desync"):
    """My digest is another than yours: tell me everything anew."""

    cid: Key
    seq: Key
    """The last event of the list whose digest differs."""
    digest: Annotated[str, Meta(max_length=16)]
    """What the client has instead."""


class AnswerDecision(_Message, frozen=True, tag="answer"):
    """What the seat says to an open decision."""

    cid: Key
    """The client's number for this command; verdicts repeat it."""
    did: Key
    """The decision it answers."""
    action: Action
    """`claim` or `pass` in a window, `play` in a play."""


class Ready(_Message, frozen=True, tag="ready"):
    """I have seen the result; the next deal may begin."""

    cid: Key


class Leave(_Message, frozen=True, tag="leave"):
    """I give up my seat; a house bot plays on."""

    cid: Key


class ListTables(_Message, frozen=True, tag="list"):
    """Which tables are there?"""

    cid: Key
    follow: bool = False
    """Whether to be told what changes, at most once a second, until a table is joined."""


class Ping(_Message, frozen=True, tag="ping"):
    """Answered by a pong with the same number, from either side."""

    n: Key
    """Any number; the pong repeats it."""


class Pong(_Message, frozen=True, tag="pong"):
    """The answer to a ping."""

    n: Key
    """The number of the ping."""


# from the server


class Welcome(_Message, frozen=True, tag="welcome"):
    """The hello is accepted."""

    v: int
    """The version both will speak."""
    minor: int = 0
    """What the server has added to it since."""
    caps: tuple[str, ...] = ()
    """What the server has of it all, whoever asked."""
    server: str = ""
    """Its program, for the client's log."""


class Reject(_Message, frozen=True, tag="reject"):
    """The hello is refused and the connection closes. Its bytes never change."""

    code: str
    """`version_mismatch`, `missing_capability` or `bad_name`."""
    text: str
    """A sentence for people."""
    v: tuple[int, int]
    """The versions the server speaks."""
    caps_missing: tuple[str, ...] = ()
    """The `+capabilities` that the server does not have, without the plus."""


class Unknown(msgspec.Struct, frozen=True, tag="unknown", tag_field="t"):
    """Stands where a newer server sent an event that this version does not know."""


class SeatInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who sits on a seat."""

    name: str
    """"" while the seat is open."""
    kind: str
    """`player`, `bot` (over the network), `house` (a bot of the server), or `open`."""
    is_away: bool = False
    """Its connection is gone; a house bot plays for it."""


class TableInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the list of tables."""

    name: str
    rules: str
    """The name of its rule set."""
    seats: int
    free: int
    """Seats that can be taken."""
    has_started: bool = False
    """Whether the game has begun."""
    watchers: bool = True
    """Whether it may be watched."""
    locked: bool = False
    """Whether it asks for a password."""
    timing: Timing = Timing.FAST
    """When its claim windows close."""


class Tables(_Message, frozen=True, tag="tables"):
    """The answer to a list."""

    cid: int
    """That of the `list`."""
    tables: tuple[TableInfo, ...]


class TablesChanged(_Message, frozen=True, tag="tables_changed"):
    """What is new in the list of tables, for who follows it."""

    tables: tuple[TableInfo, ...] = ()
    """New tables, and those of which something is different."""
    gone: tuple[str, ...] = ()
    """Names of tables that are no more."""


class Joined(_Message, frozen=True, tag="joined"):
    """You have a seat. Everything needed to follow the game comes with it."""

    cid: int
    """That of the `join` or `create`; 0 after a resume or a desync."""
    table: str
    seat: int
    """Yours, from 0 in turn order."""
    token: str
    """Secret; gives the seat back on another connection."""
    rules: RuleSet
    """Every option of the rule set; RULES.md tells them."""
    rules_hash: str
    """16 hex digits; two rule sets with one hash are the same game."""
    seats: tuple[SeatInfo, ...]
    """Who sits where by now."""
    rng: str
    """64 hex digits from which a bot on this seat takes its chance."""
    seq: int = 0
    """Events the client has already seen; the next is seq + 1."""
    commitment: str = ""
    """SHA-256 of the server's seed, in hex."""
    owner: int | None = None
    """The seat that may start the game and moderate; null: nobody."""
    timing: Timing = Timing.FAST
    """When claim windows close."""


class Watching(_Message, frozen=True, tag="watching"):
    """You watch. All events so far follow, with what nobody may see blank."""

    cid: int
    """That of the `watch`."""
    table: str
    rules: RuleSet
    """As in `joined`."""
    rules_hash: str
    """As in `joined`."""
    seats: tuple[SeatInfo, ...]
    """Who sits where by now."""


class Done(_Message, frozen=True, tag="done"):
    """A command without an answer of its own has been carried out."""

    cid: int
    """That of the command."""


class Said(_Message, frozen=True, tag="said"):
    """Somebody at the table has said something."""

    seat: int | None
    """Null: somebody who watches."""
    name: str
    """Who says it."""
    text: str


class Notice(_Message, frozen=True, tag="notice"):
    """Something everybody should know who is told."""

    code: str
    """`announcement`, `idle`, `muted`, `rematch` or `abandoned`; new ones may come."""
    text: str
    """A sentence for people."""
    seat: int | None = None
    """Whom it is about."""


class Seated(_Message, frozen=True, tag="seated"):
    """Somebody came, went, or came back."""

    seats: tuple[SeatInfo, ...]
    """All seats as they are now."""
    owner: int | None = None
    """The seat that may start the game and moderate; null: nobody."""


class Events(_Message, frozen=True, tag="events"):
    """What happened, in order. `seq` is the number of the first event of the list.

    Numbers are the same for every viewer; what a viewer may not see is blank.
    """

    seq: int
    """Events are counted from 1 on, without a gap."""
    events: tuple[Event | Unknown, ...]
    """What happened together comes together."""
    digest: str = ""
    """Given at least every 16 events: what `digest` says of your view after the
    last event of the list."""


class Decide(_Message, frozen=True, tag="decide"):
    """You are asked. Sent after every event it rests on."""

    did: int
    """The decision's number at this table."""
    n: int
    """Counts this seat's decisions in the game, from 0."""
    seq: int
    """The last event it rests on."""
    legal: Options
    """What may be answered, and the default."""
    remaining_ms: int | None
    """Until the default is played for you; null: as long as you like."""
    bank_ms: int = 0
    """How much of that comes out of the seat's time bank."""
    attempts: int = 3
    """Rejections left before the default is played."""
    hints: Hints | None = None
    """With the capability `hints`, where the table allows them."""


class Verdict(_Message, frozen=True, tag="verdict"):
    """What became of an answer; every answer gets exactly one."""

    cid: int
    """That of the answer."""
    did: int
    """That of the answer."""
    status: VerdictStatus
    """`accepted`, `rejected`, `late`, `already_answered` or `not_yours`."""
    code: str = ""
    """Why it is not accepted, for programs."""
    text: str = ""
    """Why it is not accepted, for people."""
    remaining_ms: int | None = None
    """After a rejection: what is left of the time; null: as long as you like."""


class Closed(_Message, frozen=True, tag="closed"):
    """A decision was closed without your answer: `default` was done for you."""

    did: int
    """The decision that is closed."""
    code: str
    """`timed_out`, `late` after three rejections, or `standing_order`."""
    text: str = ""
    """The same for people."""
    default: Action | None = None
    """What was done."""


class Error(_Message, frozen=True, tag="error"):
    """Something you sent could not be done."""

    code: str
    """Stable, for programs; new ones may come."""
    klass: ErrorClass = msgspec.field(name="class")
    """`protocol`, `auth`, `limit`, `state`, `rules` or `internal`."""
    text: str
    """What is wrong and what to do, for people."""
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
    | Rematch
    | Moderate
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
    | Notice
    | Seated
    | Tables
    | TablesChanged
    | Events
    | Decide
    | Verdict
    | Closed
    | Error
    | Ping
    | Pong
)
Message = ClientMessage | ServerMessage
