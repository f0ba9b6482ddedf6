"""Game records: all that was said and all that happened, to be played again and checked.

A record carries its rule set, whole and by hash, the seed, every action and every
event. It is refused, never reinterpreted, where the rules of that name are others
by now; `verify` plays it again and names the first event that differs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ..errors import ErrorCode, RecordError, RulesError
from .actions import Action
from .events import Event
from .rulefiles import is_shipped, load_rules
from .rulesets import RuleSet
from .state import GameState, Phase
from .transitions import apply, next_deal, start, time_out

FORMAT = 1
"""Counts up when records of before can no longer be read."""


class Step(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What a seat said; no action: its time ran out."""

    seat: int
    action: Action | None = None


class GameRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One whole game, hidden cards included."""

    format: int = FORMAT
    rules: RuleSet
    rules_hash: str
    seed: str
    """The server's seed, 64 hex digits."""
    entropy: tuple[str, ...] = ()
    """What each seat added to it, in hex."""
    own_piles: bool | msgspec.UnsetType = msgspec.UNSET
    """Whether each seat drew from a stock pile of its own; only written where it did."""
    players: tuple[str, ...]
    """A name for each seat."""
    steps: tuple[Step, ...]
    events: tuple[Event, ...]
    digest: str = ""
    """SHA-256 of the record as JSON without this field, 64 hex digits."""


def make_record(
    rules: RuleSet,
    seed: bytes,
    players: tuple[str, ...],
    steps: tuple[Step, ...],
    events: tuple[Event, ...],
    entropy: tuple[str, ...] = (),
    *,
    own_piles: bool = False,
) -> GameRecord:
    """Return the record of a game."""
    record = GameRecord(
        rules=rules,
        rules_hash=rules.hash,
        seed=seed.hex(),
        entropy=entropy,
        own_piles=own_piles or msgspec.UNSET,
        players=players,
        steps=steps,
        events=events,
    )
    return msgspec.structs.replace(record, digest=_digest(record))


def _digest(record: GameRecord) -> str:
    plain = msgspec.structs.replace(record, digest="")
    return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()


def encode_record(record: GameRecord) -> bytes:
    """Return the record as one line of JSON."""
    return msgspec.json.encode(record) + b"\n"


def decode_record(data: bytes) -> GameRecord:
    """Read a record.

    Raises:
        RecordError: it is none, is of another format, was changed, or was made
            under rules that are others by now; the sentence says which.
    """
    try:
        head = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RecordError(f"this is no game record: {error}") from None
    if not isinstance(head, dict) or "rules_hash" not in head:
        raise RecordError("this is no game record: it names no rules")
    if head.get("format") != FORMAT:
        raise RecordError(
            f"a record of format {head.get('format')}; this program reads format {FORMAT}"
        )
    try:
        record = msgspec.convert(head, GameRecord)
    except (msgspec.ValidationError, RulesError) as error:
        raise RecordError(f"this game record cannot be read: {error}") from None
    _check_rules(record)
    if _digest(record) != record.digest or encode_record(record).strip() != data.strip():
        raise RecordError(f"the record was changed after it was made: {_what_changed(record)}")
    return record


def _what_changed(record: GameRecord) -> str:
    """Name the first event that is not as the rules give it; else it is none of these."""
    try:
        verify(record)
    except RecordError as error:
        return str(error)
    return "its events are as they were, so it is in the players' names or the digest"


def _check_rules(record: GameRecord) -> None:
    """Refuse a record whose rules are not what they were called."""
    rules = record.rules
    if rules.hash != record.rules_hash:
        raise RecordError(
            f"the rules in the record have the hash {rules.hash}, "
            f"but the game was played under {record.rules_hash}",
            ErrorCode.OTHER_RULES,
        )
    shipped = load_rules(rules.name) if is_shipped(rules.name) else rules
    if shipped.hash != rules.hash:
        ours = msgspec.to_builtins(shipped)
        key, then, now = next(_differences(msgspec.to_builtins(rules), ours, ""))
        raise RecordError(
            f"the game was played under other rules than today's {rules.name!r}: "
            f"{key} was {then!r} and is {now!r} now",
            ErrorCode.OTHER_RULES,
        )


def _differences(
    then: Mapping[str, Any], now: Mapping[str, Any], prefix: str
) -> Iterator[tuple[str, object, object]]:
    for key in now:
        old, new = then.get(key), now[key]
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _differences(old, new, f"{prefix}{key}.")
        elif old != new:
            yield f"{prefix}{key}", old, new


def replay(record: GameRecord) -> Iterator[tuple[GameState, tuple[Event, ...]]]:
    """Play the game again: each state with the events that led to it.

    Raises:
        RecordError: a step is not allowed where it stands.
    """
    seed = bytes.fromhex(record.seed)
    state, events = start(
        record.rules,
        len(record.players),
        seed,
        record.entropy,
        own_piles=record.own_piles is True,
    )
    yield state, events
    for number, step in enumerate(record.steps, 1):
        while state.phase is Phase.DEAL_OVER:
            state, events = next_deal(state)
            yield state, events
        try:
            if step.action is None:
                state, events = time_out(state, step.seat)
            else:
                state, events = apply(state, step.seat, step.action)
        except RulesError as error:
            raise RecordError(f"step {number}, of seat {step.seat}: {error}") from None
        yield state, events


def verify(record: GameRecord) -> GameState:
    """Play the game again and compare every event; return the last state.

    Raises:
        RecordError: names the first event that differs.
    """
    number, last = 0, None
    for state, events in replay(record):
        last = state
        for event in events:
            number += 1
            recorded = record.events[number - 1] if number <= len(record.events) else None
            if recorded != event:
                raise RecordError(f"event {number} is {recorded}, but the rules give {event}")
    if number < len(record.events):
        raise RecordError(f"event {number + 1} is {record.events[number]}, but the game had ended")
    assert last is not None, "a replay yields the start at least"
    return last
