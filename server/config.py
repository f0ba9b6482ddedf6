"""What a table and a server are told when they are made."""

from __future__ import annotations

import ssl

import msgspec

from hollywood.bots import Bot
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.protocol.rules import RuleSet
from hollywood.protocol.wire.messages import Timing


class Clocks(msgspec.Struct, frozen=True, kw_only=True):
    """How long things may take, in seconds. None: as long as they like."""

    window: float | None = 15.0
    """For a seat that may buy."""
    turn: float | None = 90.0
    """For the seat in turn, in its window and again for its Play."""
    bank: float = 0.0
    """For a whole game, used up by turns that take longer."""
    start_up: float = 10.0
    """Added to a seat's first decision: a bot may still be loading."""
    lag: float = 0.25
    """The most of a client's measured round trip that is given back to it."""
    pause: float = 30.0
    """After a deal, for people to read the scores; all being ready ends it."""
    grace: float = 20.0
    """How long a seat without connection waits before a house bot plays for it."""
    away: float = 300.0
    """How long it may wait like that in the whole game: its disconnect bank."""
    park: float = 600.0
    """How long a game that everybody has left waits for somebody to come back."""
    idle: float = 1800.0
    """How long a table waits for its game to begin after the last newcomer."""
    entropy: float = 5.0
    """How long the start waits for seats that want to add to the seed."""
    linger: float = 120.0
    """How long a game that is over can still be come back to when everybody has gone."""
    pace: float = 0.0
    """How long a house bot seems to think about its Play."""
    beat: float = 2.0
    """With sealed timing: when a window closes at the earliest."""
    jitter: float = 0.5
    """With sealed timing: added to that by chance, up to so much."""


class HouseBot(msgspec.Struct, frozen=True):
    """A bot that the server runs on a seat."""

    name: str
    bot: type[Bot]


class TableConfig(msgspec.Struct, frozen=True, kw_only=True):
    """One table before anybody sits down."""

    name: str
    rules: RuleSet
    seats: int = 4
    house: tuple[HouseBot, ...] = ()
    """Bots on the last seats."""
    seed: bytes | None = None
    """The game's 32 bytes; chosen at random if not given."""
    clocks: Clocks = Clocks()
    stand_in: type[Bot] = GreedyBot
    """Plays for seats whose player is away or has left."""
    hints: bool = True
    """Whether seats may have hints."""
    watchers: bool = True
    """Whether others may watch."""
    watch_delay: int = 0
    """How many seconds later those who watch are told."""
    is_owned: bool = False
    """Whether the first seat may start the game before all are there, and moderate."""
    timing: Timing = Timing.FAST
    """When claim windows close."""
    own_piles: bool = False
    """Whether each seat draws from a pile of its own, as in duplicate deals."""
    password: str = ""
    """Hash of the password (`passwords`), "" for none."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one connection and one address may do: (times, seconds)."""

    hellos: tuple[int, float] = (60, 10.0)
    """New connections from one address."""
    connections: int = 200
    """Open connections from one address."""
    guesses: tuple[int, float] = (10, 60.0)
    """Wrong passwords and tokens from one address."""
    commands: tuple[int, float] = (60, 10.0)
    """Commands on one connection, answers aside."""
    refused: tuple[int, float] = (60, 10.0)
    """Answers on one connection that are not accepted."""
    chat: tuple[int, float] = (5, 10.0)
    """Lines of chat on one connection."""
    trusts_loopback: bool = True
    """Whether this machine may open as many connections as it likes."""


class ServerConfig(msgspec.Struct, frozen=True, kw_only=True):
    """A server before it listens."""

    host: str | None = "127.0.0.1"
    """Where to listen; None: on all interfaces."""
    port: int = 7878
    """0: any free port."""
    rules: RuleSet
    """For tables that somebody makes by joining them."""
    clocks: Clocks = Clocks()
    tables: tuple[TableConfig, ...] = ()
    """Tables that are there from the start."""
    max_connections: int = 1000
    max_tables: int = 200
    limits: Limits = Limits()
    tls: ssl.SSLContext | None = None
    """Certificate and key, for TLS."""
    shared_machine: bool = False
    """Whether a table may be watched from an address from which somebody plays there."""
