"""Runs as the search sees them: where they lie, and how they are judged.

A contract's runs are spread over the four suits in *parts*: a part is the sizes of
the runs that lie in one suit. How parts can be placed is found in `placing`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from .tables import HIGHS, ONES, PRESENT, SUIT_BITS

FAR = 1 << 40
"""More than any distance: what was asked for cannot be."""

GAP = 20
"""Where the gap starts in what `pack` packs."""

MOST_KEPT = 1 << 12
"""Suit tallies kept before starting over, lest the memory grow for ever."""


class Run(NamedTuple):
    """Where a run lies in its suit."""

    low: int
    size: int
    span: int
    """A suit tally with one of each of its places that a natural can fill."""
    ends: int
    """A suit tally with one of its first and its last place."""
    number: int
    """Its place in `RunTable.runs`."""


class Judged(NamedTuple):
    """A run, judged for a suit tally by itself; see `RunOption`."""

    gap: int
    need: int
    slack: int
    naturals: int
    """Like `used`, with natural twos."""
    used: int
    run: Run


class RunOption(NamedTuple):
    """A way to place a part in one suit, judged for a suit tally."""

    gap: int
    """Places that no natural of the hand fills."""
    need: int
    """Naturals that the wild limit asks for and the hand lacks."""
    extra: int
    """Cards beyond the least sizes; counted only where cards must stay in hand."""
    used: int
    """The naturals that fill places, as a suit tally; natural twos are not in it."""
    slack: int
    """Naturals that the runs could do without before the wild limit binds."""
    runs: tuple[Run, ...]


class Alike(NamedTuple):
    """All places of one run that use the same naturals and need as much."""

    gap: int
    need: int
    extra: int
    used: int
    slack: int
    wanted: int
    """The high bits of all cards that would fill a gap of one of them."""
    two: int
    """1 if a two is natural in it, -1 if one would be that is not held, else 0."""


class FewestGaps(dict[int, int]):
    """By the cards that a suit holds, as high bits: the fewest gaps of a run of one size."""

    def __init__(self, size: int, windows: list[int]) -> None:
        super().__init__()
        self.size = size
        self.windows = windows
        """The high bits of a run's cards, for each place where it may begin."""

    def __missing__(self, held: int) -> int:
        """Work it out, once for each of the 8,192 sets of ranks."""
        most = max([(held & window).bit_count() for window in self.windows], default=-FAR)
        found = self[held] = self.size - most
        return found


Trade = tuple[int, int, int]
"""Gap, need and extra of some runs, as in `RunOption`."""


def best_trades(found: Collection[Trade]) -> tuple[Trade, ...]:
    """Leave out what another betters in all three counts; the least gap comes first."""
    if len(found) < 2:
        return tuple(found)
    if len(found) == 2:
        one, other = sorted(found)
        return (one,) if one[1] <= other[1] and one[2] <= other[2] else (one, other)
    kept: list[Trade] = []
    for trade in sorted(set(found)):
        for _, need, extra in kept:
            if need <= trade[1] and extra <= trade[2]:
                break
        else:
            kept.append(trade)
    return tuple(kept)


def pack(gap: int, need: int, extra: int) -> int:
    """Put three counts into one integer that sorts and adds up like them."""
    return gap << GAP | need << 10 | extra


def unpack(packed: int) -> tuple[int, int, int]:
    """Return the gap, need and extra."""
    return packed >> GAP, packed >> 10 & 0x3FF, packed & 0x3FF


def total(tally: int) -> int:
    """Return the sum of the counts in a suit tally, if that is less than 256."""
    return tally * ONES >> SUIT_BITS - 8 & 0xFF


def lesser(one: int, other: int) -> int:
    """Return the lesser count of each rank of two suit tallies."""
    less = ((HIGHS + one - other - ONES & HIGHS) >> 7) * 0xFF
    return one & ~less | other & less


def present(tally: int) -> int:
    """Return the suit tally with one of each card that there is."""
    return ((tally + PRESENT) & HIGHS) >> 7


def needed_of(used: int, suit: int) -> int:
    """Return the high bits of the cards that are used to the last copy."""
    return used + PRESENT & HIGHS & ~(HIGHS + suit - used - ONES)


def side_by_side(laid: tuple[Judged, ...], extra: int) -> RunOption:
    """Judge runs that take nothing from each other."""
    return RunOption(
        sum([judge.gap for judge in laid]),
        sum([judge.need for judge in laid]),
        extra,
        sum([judge.used for judge in laid]),
        sum([judge.slack for judge in laid]),
        tuple([judge.run for judge in laid]),
    )
