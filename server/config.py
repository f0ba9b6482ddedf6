"""What a table and a server are told when they are made."""

from __future__ import annotations

import msgspec

from hollywood.bots import Bot
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.protocol.rules import RuleSet


class Clocks(msgspec.Struct, frozen=True, kw_only=True):
    """How long things may take, in seconds. None: as long as they like."""

    window: float | None = 15.0
    """For a seat that may buy."""
    turn: float | None = 90.0
    """For the seat in turn, in its window and again for its Play."""
    start_up: float = 10.0
    """Added to a seat's first decision: a bot may still be loading."""
    pause: float = 30.0
    """After a deal, for people to read the scores; all being ready ends it."""
    grace: float = 20.0
    """How long a seat without connection waits before a house bot plays for it."""
    entropy: float = 5.0
    """How long the start waits for seats that want to add to the seed."""
    linger: float = 120.0
    """How long a game that is over can still be come back to when everybody has gone."""
    pace: float = 0.0
    """How long a house bot seems to think about its Play."""


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
    is_owned: bool = False
    """Whether the first seat may start the game before all are there."""


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
