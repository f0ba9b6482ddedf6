"""What the journal keeps of a table: everything that was decided about it, in order.

Entries hold inputs, not their consequences: the rules give those again. What cannot
be derived is written down, too: which decision got which number, and how much time
it had. One row of the journal holds all entries of one table in one commit, so that
a table is restored as it was between two calls, never within one.
"""

from __future__ import annotations

import msgspec

from hollywood.protocol.rules import Action, RuleSet
from hollywood.protocol.wire import messages as m

from .config import Clocks


class StoredTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table's settings as data."""

    name: str
    rules: RuleSet
    seats: int
    house: tuple[str, ...] = ()
    """What the house bots are called."""
    bots: tuple[str, ...] = ()
    """Where they are found: `package.module:Class`."""
    seed_is_given: bool = False
    clocks: Clocks
    hints: bool = True
    watchers: bool = True
    watch_delay: int = 0
    is_owned: bool = False
    timing: m.Timing = m.Timing.FAST
    own_piles: bool = False
    password: str = ""
    """As `passwords.hash_password` gives it."""


class _Entry(msgspec.Struct, frozen=True, array_like=True, tag_field="t"):
    pass


class Sat(_Entry, frozen=True, tag="sat"):
    """Somebody has a seat, or a new token for it."""

    seat: int
    name: str
    kind: str
    token: str
    """Hash of the token that opens the seat."""
    shown: str = ""
    """Hash of the one before, valid until the new one is used."""
    address: str = ""


class Vacated(_Entry, frozen=True, tag="vacated"):
    """A seat is open again."""

    seat: int


class Housed(_Entry, frozen=True, tag="housed"):
    """A house bot has the seat for good."""

    seat: int
    name: str


class Banned(_Entry, frozen=True, tag="banned"):
    """Somebody of that name, at that address, may not come back."""

    name: str
    address: str


class Muted(_Entry, frozen=True, tag="muted"):
    """What they say is not passed on, or is again."""

    name: str
    is_muted: bool = True


class Entropy(_Entry, frozen=True, tag="entropy"):
    """A seat has added to the seed."""

    seat: int
    hex: str


class Started(_Entry, frozen=True, tag="started"):
    """The game has begun."""


class Dealt(_Entry, frozen=True, tag="dealt"):
    """The next deal has begun; `digest` tells the events before it."""

    events: int
    digest: str


class Asked(_Entry, frozen=True, tag="asked"):
    """A seat has a decision to make, with so many seconds for it."""

    seat: int
    did: int
    limit: float | None
    bank: float
    """What the seat's time bank adds to it."""
    at: float
    """When, in seconds since 1970."""


class Answered(_Entry, frozen=True, tag="answered"):
    """A seat has said something that was accepted."""

    seat: int
    cid: int
    action: Action
    bank: float
    """What is left of the seat's time bank."""


class Played(_Entry, frozen=True, tag="played"):
    """A house bot or a standing order has answered for the seat."""

    seat: int
    action: Action


class TimedOut(_Entry, frozen=True, tag="timed_out"):
    """The default was played for the seat."""

    seat: int


class Revealed(_Entry, frozen=True, tag="revealed"):
    """The answers that were held back until the beat count now."""


class Judged(_Entry, frozen=True, tag="judged"):
    """An answer was not accepted; its verdict is remembered."""

    seat: int
    verdict: m.Verdict
    attempts: int | None
    """Rejections left of the open decision, None if it was about another one."""


class Ordered(_Entry, frozen=True, tag="ordered"):
    """A seat has a standing order, or none any more."""

    seat: int
    order: m.Order | None


class Left(_Entry, frozen=True, tag="left"):
    """So much of a seat's disconnect bank is left."""

    seat: int
    seconds: float


class Abandoned(_Entry, frozen=True, tag="abandoned"):
    """Everybody has gone and nobody came back."""


Entry = (
    Sat
    | Vacated
    | Housed
    | Banned
    | Muted
    | Entropy
    | Started
    | Dealt
    | Asked
    | Answered
    | Played
    | TimedOut
    | Revealed
    | Judged
    | Ordered
    | Left
    | Abandoned
)
