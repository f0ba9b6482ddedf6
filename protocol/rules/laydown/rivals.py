"""Which ways to lay runs in a suit need not be kept, since others are at least as good."""

from __future__ import annotations

from collections.abc import Sequence

from .runs import RunOption, present


def unrivalled(
    ways: list[RunOption], suit: int, quotas: Sequence[int], *, has_sets: bool
) -> tuple[RunOption, ...]:
    """Leave out each way that another one is at least as good as.

    Args:
        ways: All of them, those with the least gap first.
        suit: The suit's tally.
        quotas: The fewest naturals in a run of each size.
        has_sets: Whether the contract has sets, which may want what a run leaves.
    """
    if not has_sets:
        kept: list[RunOption] = []
        for way in ways:
            if not any(_needs_no_more(other, way) for other in kept):
                kept.append(way)
        return tuple(kept)
    have = present(suit)
    if ways[0].runs[1:]:
        # Where several runs take different cards, the sets may prefer either.
        of_use: dict[int, list[RunOption]] = {}
        for way in ways:
            alike = of_use.setdefault(way.used, [])
            if not any(_is_as_good(other, way, have, quotas) for other in alike):
                alike.append(way)
        return tuple(sorted([way for alike in of_use.values() for way in alike]))
    kept = []
    for way in ways:
        if not any(_is_as_good(other, way, have, quotas) for other in kept):
            kept.append(way)
    # Of equal gaps, a later way may use more cards and be the better one.
    return tuple(
        [
            way
            for i, way in enumerate(kept)
            if not any(_is_as_good(other, way, have, quotas) for other in kept[i + 1 :])
        ]
    )


def _needs_no_more(one: RunOption, other: RunOption) -> bool:
    return one.gap <= other.gap and one.need <= other.need and one.extra <= other.extra


def _is_as_good(one: RunOption, other: RunOption, have: int, quotas: Sequence[int]) -> bool:
    """Whether one way is at least as good, whatever the sets want."""
    if one.gap > other.gap or one.need > other.need or one.extra > other.extra:
        return False
    if one.used == other.used and one.slack >= other.slack:
        return True
    if len(one.runs) != 1 or len(other.runs) != 1:
        return False
    mine, theirs = have & one.runs[0].span, have & other.runs[0].span
    if one.runs[0].size == other.runs[0].size and mine & theirs == theirs:
        return True
    # The sets can have any natural that the other run does not need; this run
    # must get by on what the other leaves it, whichever that is.
    n, m = mine.bit_count(), theirs.bit_count()
    kept = min(m, quotas[other.runs[0].size]) - (m - n)
    return mine & theirs == mine and kept >= min(n, quotas[one.runs[0].size])
