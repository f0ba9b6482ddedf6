"""How the runs of a contract can lie in one suit.

That depends on the suit's tally alone, and few tallies are common, so the ways
are worked out once for each and kept. A contract's runs are spread over the four
suits in *parts*: a part is the sizes of the runs that lie in one suit.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from .laydown_tables import FIELDS, HIGHS, ONES, Tables, place_field
from .melds import runs_keep_apart

FAR = 1 << 40
"""More than any distance: what was asked for cannot be."""

MOST_KEPT = 1 << 14
"""Suit tallies kept before starting over, lest the memory grow for ever."""


class Run(NamedTuple):
    """Where a run lies in its suit."""

    low: int
    size: int
    span: int
    """A suit tally with one of each of its places that a natural can fill."""


class RunOption(NamedTuple):
    """A way to place a part in one suit, judged for a suit tally."""

    gap: int
    """Places that no natural of the hand fills."""
    need: int
    """Naturals that the wild limit asks for and the hand lacks."""
    extra: int
    """Cards beyond the least sizes."""
    used: int
    """The naturals that fill places, as a suit tally; natural twos are not in it."""
    slack: int
    """Naturals that the runs could do without before the wild limit binds."""
    runs: tuple[Run, ...]


class Alike(NamedTuple):
    """All places of one run of least size that use the same naturals."""

    gap: int
    need: int
    used: int
    slack: int
    wanted: int
    """The high bits of all cards that would fill a gap of one of them."""


class SuitRuns(NamedTuple):
    """How each part can lie in a suit of a certain tally, by the number of the part."""

    options: tuple[tuple[RunOption, ...], ...]
    """The ways that no other way betters, those with the least gap first."""
    least: tuple[int, ...]
    """Gap, need and extra of the first option, packed; `FAR` without one."""
    wanted: tuple[int, ...]
    """The high bits of the cards of which one more would lessen the least gap."""
    essential: tuple[int, ...]
    """The high bits of the cards without one of which the least gap would grow."""
    strain: tuple[int, ...]
    """The most need among the ways with the least gap."""
    alike: tuple[Alike, ...]
    """Where the contract has one run: all its places, those with the least gap first."""


def pack(gap: int, need: int, extra: int) -> int:
    """Put three counts into one integer that sorts and adds up like them."""
    return gap << 20 | need << 10 | extra


def unpack(packed: int) -> tuple[int, int, int]:
    """Return the gap, need and extra."""
    return packed >> 20, packed >> 10 & 0x3FF, packed & 0x3FF


def total(tally: int) -> int:
    """Return the sum of the counts in a suit tally."""
    return sum(tally.to_bytes(len(FIELDS), "little"))


def lesser(one: int, other: int) -> int:
    """Return the lesser count of each rank of two suit tallies."""
    counts = map(min, one.to_bytes(len(FIELDS), "little"), other.to_bytes(len(FIELDS), "little"))
    return int.from_bytes(bytes(counts), "little")


def present(tally: int) -> int:
    """Return the suit tally with one of each card that there is."""
    return ((tally + 127 * ONES) & HIGHS) >> 7


class RunTable:
    """The ways to place the runs of one contract in a suit, for every suit tally."""

    def __init__(self, tables: Tables, sizes: list[int], is_exact: bool, has_sets: bool) -> None:
        self.tables = tables
        self.is_exact = is_exact
        self.has_sets = has_sets
        rules = tables.rules
        self.same_suit = rules.run.same_suit
        self.per_suit = 1 if self.same_suit == "different" else len(sizes)
        self.parts = sorted(
            {part for n in range(len(sizes) + 1) for part in combinations(sizes, n)},
            key=lambda part: (len(part), part),
        )
        """Every part, from the empty one to all runs; sizes in falling order."""
        self.pairs = [
            [
                (i, j)
                for i, one in enumerate(self.parts)
                for j, other in enumerate(self.parts)
                if sorted(one + other) == sorted(whole)
            ]
            for whole in self.parts
        ]
        """For each part, the pairs of parts that it falls into."""
        self.joins = [
            [(i, j) for i, j in pairs if len(self.parts[j]) <= self.per_suit]
            for pairs in self.pairs
        ]
        """The pairs of which the second can lie in one suit."""
        self.may_overlap = len(sizes) > 1 and (
            self.same_suit in ("any", "no_adjacent")
            or (rules.run.ace == "both" and self.same_suit != "different")
        )
        """Whether two runs may want the same card, so that its copies count."""
        self.runs = {size: self._runs(size) for size in set(sizes)}
        self.kept: dict[int, SuitRuns] = {}
        self.kept_ways: dict[tuple[int, int], tuple[RunOption, ...]] = {}

    def _runs(self, size: int) -> list[Run]:
        """Every place of a run of that size or more that the wild limit lets exist."""
        tables, found = self.tables, []
        for n in range(size, (size if self.is_exact else tables.longest) + 1):
            for low in range(tables.low, tables.high - n + 2):
                places = range(low, low + n)
                span = sum(1 << 8 * place_field(place) for place in places) & tables.in_runs
                if span.bit_count() >= tables.quotas[n] and n <= tables.longest:
                    found.append(Run(low, n, span))
        return found

    def of(self, suit: int) -> SuitRuns:
        """Return the ways for a suit with that tally."""
        key = suit if self.may_overlap else ((suit + 127 * ONES) & HIGHS) >> 7
        found = self.kept.get(key)
        if found is None:
            if len(self.kept) >= MOST_KEPT:
                self.kept.clear()
            found = self.kept[key] = self._work_out(key)
        return found

    def all_ways(self, suit: int, part: int) -> tuple[RunOption, ...]:
        """Return the ways of one part; those of several runs without leaving any out.

        Two ways that use the same naturals may still differ in which of the runs
        can spare one for a set.
        """
        if len(self.parts[part]) < 2:
            return self.of(suit).options[part]
        if len(self.parts[part]) > self.per_suit:
            return ()
        key = suit if self.may_overlap else present(suit)
        found = self.kept_ways.get((key, part))
        if found is None:
            if len(self.kept_ways) >= MOST_KEPT:
                self.kept_ways.clear()
            sizes = self.parts[part]
            ways = [self._judge(key, sizes, runs) for runs in self.placements(key, sizes)]
            found = self.kept_ways[key, part] = tuple(sorted(ways))
        return found

    def _work_out(self, suit: int) -> SuitRuns:
        entries = [self._work_out_part(suit, part) for part in self.parts]
        alike = self._alike(suit) if len(self.parts) == 2 else ()
        options, least, wanted, essential, strain = zip(*entries, strict=True)
        return SuitRuns(options, least, wanted, essential, strain, alike)

    def _work_out_part(
        self, suit: int, part: tuple[int, ...]
    ) -> tuple[tuple[RunOption, ...], int, int, int, int]:
        if len(part) > self.per_suit:
            return (), FAR, 0, 0, 0
        ways = sorted([self._judge(suit, part, runs) for runs in self.placements(suit, part)])
        if not ways:
            return (), FAR, 0, 0, 0
        wanted, essential, strain = 0, HIGHS, 0
        for way in ways:
            if way.gap > ways[0].gap:
                break
            cover = sum(run.span for run in way.runs) & self.tables.natural_ranks
            wanted |= cover - way.used + 127 * ONES
            essential &= way.used + 127 * ONES & ~(suit - way.used + 127 * ONES)
            strain = max(strain, way.need)
        better = self._without_worse(suit, ways)
        return better, pack(*ways[0][:3]), wanted & HIGHS, essential & HIGHS, strain

    def _alike(self, suit: int) -> tuple[Alike, ...]:
        found: dict[tuple[int, int, int, int], int] = {}
        (size,) = self.parts[1]
        for run in self.runs[size]:
            if run.size == size:
                gap, need, _, used, slack, _ = self._judge(suit, self.parts[1], (run,))
                missing = (run.span & self.tables.natural_ranks) - used
                key = (gap, need, used, slack)
                found[key] = found.get(key, 0) | missing << 7
        return tuple(sorted(Alike(*key, missing) for key, missing in found.items()))

    def placements(self, suit: int, part: tuple[int, ...]) -> Iterator[tuple[Run, ...]]:
        """Every way to place a part that may be of use, runs of one size in order."""
        lists = [self._useful_runs(suit, size) for size in part]
        rules = self.tables.rules

        def extend(laid: tuple[Run, ...], first: int) -> Iterator[tuple[Run, ...]]:
            done = len(laid)
            if done == len(part):
                yield laid
                return
            is_same = done and part[done] == part[done - 1]
            for i in range(first if is_same else 0, len(lists[done])):
                run = lists[done][i]
                if all(
                    runs_keep_apart(
                        other.low,
                        other.low + other.size - 1,
                        run.low,
                        run.low + run.size - 1,
                        rules,
                    )
                    for other in laid
                ):
                    yield from extend((*laid, run), i)

        return extend((), 0)

    def _useful_runs(self, suit: int, size: int) -> list[Run]:
        """Leave out longer runs that could be shortened without harm.

        A run needs no more than its least size unless that gives it naturals for
        the wild limit: both its ends are naturals then, and with one of them it
        would lose a natural that the shorter run needs just as well.
        """
        quotas, found = self.tables.quotas, []
        for run in self.runs[size]:
            if run.size > size and self.same_suit != "no_adjacent":
                ends = (place_field(run.low), place_field(run.low + run.size - 1))
                if not all(
                    suit >> 8 * field & 0xFF and run.span >> 8 * field & 1 for field in ends
                ):
                    continue
                naturals = (present(suit) & run.span).bit_count()
                quota = quotas[run.size - 1]
                if quota < quotas[run.size] or (not self.has_sets and naturals > quota):
                    continue
            found.append(run)
        return found

    def _judge(self, suit: int, part: tuple[int, ...], runs: tuple[Run, ...]) -> RunOption:
        cover = sum(run.span for run in runs)
        naturals = lesser(cover, suit) if self.may_overlap else cover & suit
        quotas = self.tables.quotas
        need = slack = 0
        if self.may_overlap:
            # Hall's condition: what some of the runs need, less what they can get.
            for n in range(1, len(runs) + 1):
                for some in combinations(runs, n):
                    got = total(lesser(sum(run.span for run in some), suit))
                    need = max(need, sum(quotas[run.size] for run in some) - got)
            slack = max(0, total(naturals) - sum(quotas[run.size] for run in runs))
        else:
            for run in runs:
                spare = (run.span & suit).bit_count() - quotas[run.size]
                need += max(0, -spare)
                slack += max(0, spare)
        used = naturals & self.tables.natural_ranks
        size = sum(run.size for run in runs)
        return RunOption(size - total(used), need, size - sum(part), used, slack, runs)

    def _without_worse(self, suit: int, ways: list[RunOption]) -> tuple[RunOption, ...]:
        """Leave out each way that an earlier one is at least as good as."""
        kept: list[RunOption] = []
        for way in ways:
            if not any(self._is_as_good(suit, other, way) for other in kept):
                kept.append(way)
        # Ways are sorted by gap, but of equal gaps a later one may use more cards.
        return tuple(
            way
            for i, way in enumerate(kept)
            if not any(self._is_as_good(suit, other, way) for other in kept[i + 1 :])
        )

    def _is_as_good(self, suit: int, one: RunOption, other: RunOption) -> bool:
        if one.gap > other.gap or one.need > other.need or one.extra > other.extra:
            return False
        if not self.has_sets:
            return True
        if one.used == other.used and one.slack >= other.slack:
            return True
        if len(one.runs) != 1 or len(other.runs) != 1:
            return False
        mine, theirs = suit & one.runs[0].span, suit & other.runs[0].span
        if one.extra == other.extra and mine & theirs == theirs:
            return True
        # The sets can have any natural that the other run does not need; this run
        # must get by on what the other leaves it, whichever that is.
        quotas = self.tables.quotas
        n, m = mine.bit_count(), theirs.bit_count()
        kept = min(m, quotas[other.runs[0].size]) - (m - n)
        return mine & theirs == mine and kept >= min(n, quotas[one.runs[0].size])
