"""What an event file says: who plays what, how often, and when it is enough.

    name = "house bots"
    rules = "hollywood"
    seats = 4
    format = "round_robin"
    deals = 20
    seed = "spring"

    [[bots]]
    name = "greedy"
    bot = "greedy"

Everything else has a default; see `Event`.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import math
import shlex
import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import msgspec

from hollywood.bots.api import Bot
from hollywood.bots.loading import load_bot
from hollywood.protocol.errors import BotError, RulesError
from hollywood.protocol.rules import RuleSet, load_rules

from .errors import EventError

WIRE = "wire"
"""The spec of a bot that somebody else runs and that speaks the wire protocol."""
FORMAT = 1
"""Counts up when the same event would give other games or another journal."""
MOST_BOTS = 200

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9 _.+-]{0,23}$")]
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Risk = Annotated[float, msgspec.Meta(gt=0.0, lt=0.5)]
Count = Annotated[int, msgspec.Meta(ge=0, le=100_000_000)]


class Format(StrEnum):
    """Who meets whom."""

    PAIR = "pair"
    """The first bot, in each seat, against copies of the second."""
    GAUNTLET = "gauntlet"
    """Each bot, in each seat, against copies of the reference."""
    LADDER = "ladder"
    """Each bot, in each seat, against copies of the bot listed before it."""
    ROUND_ROBIN = "round_robin"
    """All tables, or so many that all pairs meet equally often."""
    SWISS = "swiss"
    """Each round, tables of bots that stand alike."""
    KNOCKOUT = "knockout"
    """The best of each table go on."""


DUELS = (Format.PAIR, Format.GAUNTLET, Format.LADDER)


class Rule(StrEnum):
    """When to stop before all deals are played."""

    NONE = "none"
    GSPRT = "gsprt"
    """As soon as a duel is decided between `h0` and `h1` points a game."""
    INTERVAL = "interval"
    """As soon as the margins are known within `points`."""


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


class Entry(_Table, frozen=True):
    """One bot."""

    name: Name
    bot: str
    """A spec as `hollywood bots` takes it; files are looked for beside the event file."""
    options: dict[str, bool | int | float | str] = {}


class Stop(_Table, frozen=True):
    """When to stop early."""

    rule: Rule = Rule.NONE
    h0: float = 0.0
    """The margin in points a game of a bot that is no better."""
    h1: float = 10.0
    """The margin of one that is."""
    alpha: Risk = 0.05
    """How often an equal bot may be called better."""
    beta: Risk = 0.05
    """How often a better bot may be called equal."""
    points: Annotated[float, msgspec.Meta(gt=0.0)] = 5.0
    """Half the width of the 95 % interval that is wanted."""
    at_least: Annotated[int, msgspec.Meta(ge=30)] = 30
    """Deal sets before a stop: before that, their spread is not known well enough."""


class Failures(_Table, frozen=True):
    """What becomes of bots that fail."""

    penalty: Count = 100
    """Points added to a game that a stand-in had to finish."""
    park_share: Share = 0.02
    """A bot that is replaced in more of its games than this plays no more."""
    park_after: Annotated[int, msgspec.Meta(ge=1)] = 50
    """Games before that is looked at."""
    stop: bool = False
    """Whether the first strike ends the event."""


class Budget(_Table, frozen=True):
    """How long bots that search may think about a decision; their own options go first."""

    decisions: Count = 0
    """In decisions played through: the same on every machine. 0: the bot's own."""
    seconds: Annotated[float, msgspec.Meta(ge=0.0)] = 0.0
    """In seconds: a busy machine plays worse, so no rated event has it."""


class Event(_Table, frozen=True):
    """A whole event."""

    name: str
    bots: tuple[Entry, ...]
    rules: str = "hollywood"
    seats: Annotated[int, msgspec.Meta(ge=2, le=8)] = 4
    format: Format = Format.ROUND_ROBIN
    deals: Annotated[int, msgspec.Meta(ge=1, le=10_000_000)] = 100
    """Deal sets for each table; in a round of it, for Swiss and knockout."""
    seed: str = "0"
    rounds: Count = 0
    """Rounds of a Swiss; 0: enough to order all bots."""
    advance: Count = 0
    """How many of a knockout's table go on; 0: half."""
    extensions: Annotated[int, msgspec.Meta(ge=0, le=20)] = 3
    """How often a knockout table that is too close is played on."""
    reference: str = ""
    """The bot that a gauntlet is run against; the first if not given."""
    own_piles: bool = True
    """Whether each seat draws from a stock pile of its own."""
    rated: bool = True
    """Whether bots must be deterministic, which is then checked first."""
    luck: bool = True
    """Whether the luck of the draw is measured."""
    luck_coefficient: float | None = None
    """Points that a useful card is worth, from an earlier event or pilot."""
    recheck: Count = 50
    """Every how manyth deal set is played twice and compared; 0: none."""
    budget: Budget = Budget()
    stop: Stop = Stop()
    failures: Failures = Failures()


class Setup(msgspec.Struct, frozen=True):
    """An event with all that a worker needs to play it."""

    event: Event
    rules: RuleSet
    specs: tuple[str, ...]
    """For each bot the spec to load, with options, budget and whole paths."""
    files: tuple[tuple[str, str], ...]
    """The files that bots are made of, with their SHA-256."""
    digest: str
    """What of all this gives other games, as one hash."""
    engine: str
    """The version that plays."""


def load_event(path: Path) -> Setup:
    """Read an event file.

    Raises:
        EventError: it is no TOML, lacks or has what it should not, or its bots and
            rules cannot play together; the sentence says what to change.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise EventError(f"cannot read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise EventError(f"{path} is not TOML: {error}") from None
    return set_up(read_event(data, str(path)), path.parent.resolve())


def read_event(data: dict[str, Any], where: str = "the event") -> Event:
    """Return the event that a parsed file stands for.

    Raises:
        EventError: a field is missing, unknown or of no use.
    """
    try:
        return msgspec.convert(data, Event)
    except msgspec.ValidationError as error:
        raise EventError(f"{where}: {error}") from None


def set_up(event: Event, folder: Path) -> Setup:
    """Check an event and find all that belongs to it; `folder` is where its files are.

    Raises:
        EventError: as `load_event`.
    """
    rules = _find_rules(event, folder)
    _check(event, rules)
    found = [_spec(entry, event, folder) for entry in event.bots]
    files = sorted({file: _sha(Path(file)) for _, used in found for file in used}.items())
    plain = msgspec.json.encode(event, order="sorted")
    engine = f"{importlib.metadata.version('hollywood-rummy')}/{FORMAT}"
    parts = [plain, rules.hash.encode(), engine.encode(), *(sha.encode() for _, sha in files)]
    digest = hashlib.sha256(b"\n".join(parts)).hexdigest()[:32]
    return Setup(event, rules, tuple(spec for spec, _ in found), tuple(files), digest, engine)


def bot_classes(setup: Setup) -> tuple[type[Bot], ...]:
    """Load the bots of an event.

    Raises:
        EventError: a bot's file is another here, or a bot is not run by us.
        BotError: a bot cannot be loaded.
    """
    for entry in setup.event.bots:
        if entry.bot == WIRE:
            raise EventError(f"{entry.name} speaks the wire only: use hollywood tournament serve")
    check_files(setup)
    return tuple(load_bot(spec) for spec in setup.specs)


def check_files(setup: Setup) -> None:
    """Check that the files of an event's bots are what they were.

    Raises:
        EventError: one is not.
    """
    for file, sha in setup.files:
        if not Path(file).is_file() or _sha(Path(file)) != sha:
            raise EventError(f"{file} is not here what it is where the event was started")


def _find_rules(event: Event, folder: Path) -> RuleSet:
    name = event.rules
    if name.endswith(".toml"):
        name = str(folder / name)
    try:
        return load_rules(name)
    except RulesError as error:
        raise EventError(f"rules: {error}") from None


def _check(event: Event, rules: RuleSet) -> None:
    names = [entry.name for entry in event.bots]
    players, seats, bots = rules.players, event.seats, len(names)
    stop, format_ = event.stop, event.format
    if not players.min <= seats <= players.max:
        raise EventError(f"{rules.title} is for {players.min} to {players.max} seats, not {seats}")
    if len(set(names)) < bots:
        raise EventError("two bots have the same name: give each its own")
    if bots > MOST_BOTS:
        raise EventError(f"an event is for {MOST_BOTS} bots at most, not {bots}")
    if format_ is Format.PAIR and bots != 2:
        raise EventError(f"a pair is of two bots, not {bots}: for more take the format gauntlet")
    if bots < 2:
        raise EventError("an event needs two bots at the least")
    if format_ in (Format.ROUND_ROBIN, Format.SWISS) and bots < seats:
        raise EventError(
            f"{format_} at {seats} seats needs {seats} bots or more, not {bots}: "
            "add bots, take fewer seats, or the format gauntlet"
        )
    if event.reference and event.reference not in names:
        raise EventError(f"the reference {event.reference!r} is none of {', '.join(names)}")
    if stop.rule is Rule.GSPRT and format_ not in DUELS:
        raise EventError(
            f"gsprt decides duels (pair, gauntlet, ladder), no {format_}: use interval"
        )
    if stop.rule is not Rule.NONE and format_ in (Format.SWISS, Format.KNOCKOUT):
        raise EventError(f"a {format_} plays its rounds out: leave out the stop rule")
    if stop.h1 <= stop.h0:
        raise EventError("stop: h1 must be more than h0")
    if event.advance >= seats:
        raise EventError(f"advance must be less than the {seats} seats of a table")
    if event.rated and any(entry.bot == WIRE for entry in event.bots):
        raise EventError(
            "a bot over the wire cannot be checked for being deterministic: say rated = false"
        )
    if event.rated and event.budget.seconds:
        raise EventError(
            "a budget in seconds plays differently on a busy machine: "
            "give decisions, or say rated = false"
        )
    numbers = (stop.h0, stop.h1, stop.points, event.luck_coefficient or 0.0)
    if not all(map(math.isfinite, numbers)):
        raise EventError("stop and luck_coefficient take finite numbers")


def _spec(entry: Entry, event: Event, folder: Path) -> tuple[str, list[str]]:
    """The spec to load with, and the files it is made of."""
    if entry.bot == WIRE:
        return WIRE, []
    spec, files = _with_paths(entry.bot, folder)
    chosen = dict(entry.options)
    try:
        bot = load_bot(spec)
        if event.budget.decisions and "decisions" in bot.options:
            chosen.setdefault("decisions", event.budget.decisions)
        if event.budget.seconds and "seconds" in bot.options:
            chosen.setdefault("seconds", event.budget.seconds)
        options = "".join(f":{key}={_option(value)}" for key, value in chosen.items())
        kind, colon, rest = spec.partition(":")
        if colon and kind == "process":
            spec = f"process{options}:{rest}"
        else:
            spec += options
        load_bot(spec)
    except BotError as error:
        raise EventError(f"the bot {entry.name}: {error}") from None
    return spec, files


def _option(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _with_paths(spec: str, folder: Path) -> tuple[str, list[str]]:
    """Make the paths in a spec whole; return them, too."""
    kind, colon, rest = spec.partition(":")
    if colon and kind == "child":
        inner, files = _with_paths(rest, folder)
        return f"child:{inner}", files
    if colon and kind == "process":
        return _command_with_paths(rest, folder)
    base = spec.split(":")[0]
    path = folder / base
    if base.endswith(".py") and path.is_file():
        return str(path.resolve()) + spec[len(base) :], [str(path.resolve())]
    return spec, []


def _command_with_paths(command: str, folder: Path) -> tuple[str, list[str]]:
    try:
        words = shlex.split(command)
    except ValueError:
        return f"process:{command}", []
    files = []
    for number, word in enumerate(words):
        path = folder / word
        if path.is_file():
            words[number] = str(path.resolve())
            files.append(words[number])
    return f"process:{shlex.join(words)}", files


def _sha(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise EventError(f"cannot read {path}: {error.strerror}") from None
