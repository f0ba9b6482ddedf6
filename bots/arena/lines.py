"""One line of a journal: a deal set and all that statistics need of its games.

Everything is an array, since a large event has a million games. No clock reading is
in it, so that the same deal set gives the same bytes on every machine.
"""

from __future__ import annotations

import msgspec


class StrikeLine(msgspec.Struct, frozen=True, array_like=True):
    """One decision that a bot failed."""

    decision: int
    kind: str
    text: str


class DealLine(msgspec.Struct, frozen=True, array_like=True):
    """One deal; tuples have one entry for each seat."""

    scores: tuple[int, ...]
    buys: tuple[int, ...]
    went_down: tuple[int | None, ...]
    """The turn in which each seat laid its contract."""
    went_out: int | None
    turns: int


class GameLine(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """One game; tuples have one entry for each seat."""

    scores: tuple[int, ...]
    luck: tuple[int, ...]
    """Useful cards drawn beyond what was to be expected, in thousandths."""
    digest: str
    """Of all that was said, 12 hex digits."""
    deals: tuple[DealLine, ...]
    strikes: tuple[tuple[StrikeLine, ...], ...] = ()


class SetLine(msgspec.Struct, frozen=True, array_like=True):
    """One deal set: one game for each rotation of the seats.

    In game `r` the bot `bots[i]` sits on seat `(i + r) % seats`.
    """

    index: int
    round: int
    deal: int
    table: int
    bots: tuple[int, ...]
    games: tuple[GameLine, ...]


class Unit(msgspec.Struct, frozen=True, array_like=True):
    """A deal set that is to be played."""

    index: int
    """Its number in the event."""
    round: int
    """The tournament's round; round 0 of a rated event is each bot against itself."""
    deal: int
    """The number of its cards."""
    table: int
    """The number of its table in the round."""
    bots: tuple[int, ...]
    """Who sits on the seats in the first game."""


decode_set = msgspec.json.Decoder(SetLine).decode
encode_set = msgspec.json.Encoder().encode


def seat_of(slot: int, rotation: int, seats: int) -> int:
    """Return the seat of `bots[slot]` in that game of a set."""
    return (slot + rotation) % seats
