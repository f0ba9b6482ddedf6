"""How the ranks of a hand share the sets of a contract out among them.

Mostly each rank makes one set at the most, and counting how many ranks have one card,
two, three ... tells what the best of them fill. A *plan* says what is different: how
many sets are of twos, which are natural there, and which ranks make several sets.
The other sets are of ranks that are left, each once. For a plan all that matters can
be counted again, and only few plans can be better than the plain one for a hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from .tables import AT_LEAST, FIELDS, HIGHS, SUIT_MASK

if TYPE_CHECKING:
    from .distance import Distances

Levels = tuple[tuple[int, int, int], ...]
"""For each v: what tells the ranks with v cards, and how many sets, and how many quotas
of sets, can use a v-th card."""


Marks = tuple[int, int, int, int, int, int]
"""What ranks fill, of places and of quotas, and how one card of each rank changes that.

The latter is told by the high bits of the ranks of which one card more fills another
place, of which one less leaves a place empty, and likewise for the quotas.
"""


class Group(NamedTuple):
    """Sets that are of one rank."""

    sizes: tuple[int, ...]
    """The largest first."""
    places: int
    quota: int
    """What the wild limit asks for."""
    size: int
    """Of the last one."""
    asked: int
    """The quota of the last one."""

    def may_pay(self, count: int, other: int) -> bool:
        """Return whether the last set may be better off with this rank than with another.

        Of the other rank a run may take one card. One card may come or go besides.

        Args:
            count: The cards of this rank.
            other: The cards of the other one.
        """
        more = count - self.places + self.size
        return (
            min(self.size, more + 1) > max(0, other - 1)
            or min(self.size, more) > max(0, other - 2)
            or self.may_pay_twos(count, other)
        )

    def may_pay_twos(self, count: int, other: int) -> bool:
        """Return the same for twos, which fill no gaps."""
        more = count - self.quota + self.asked
        return min(self.asked, more + 1) > max(0, other - 1) or (
            min(self.asked, more) > max(0, other - 2)
        )


class Plan(NamedTuple):
    """Which sets are of twos, and which ranks make several."""

    twos: int
    """How many natural twos the wild limit asks for in its sets of twos."""
    again: tuple[tuple[int, int, int], ...]
    """The fields of ranks that make several sets, with the places and quotas of these."""
    rest: int
    """The bytes of the other ranks."""
    levels: Levels
    """Those of the other sets."""

    def marks(self, ranks: int) -> Marks:
        """Return what ranks fill, twos aside."""
        places = quota = gain = loss = quota_gain = quota_loss = 0
        rest = ranks & self.rest
        have = fewer = HIGHS
        for at_least, sets, quotas in self.levels:
            have = (rest + at_least) & HIGHS
            n = have.bit_count()
            # what has more cards than that is struck off at the next level
            loss &= ~have
            quota_loss &= ~have
            if n < sets:
                places += n
                gain |= fewer & ~have
                loss |= have
            else:
                places += sets
                if n == sets:
                    loss |= have
            if quotas:
                if n < quotas:
                    quota += n
                    quota_gain |= fewer & ~have
                    quota_loss |= have
                else:
                    quota += quotas
                    if n == quotas:
                        quota_loss |= have
            fewer = have
        more = ~((rest + AT_LEAST[len(self.levels) + 1]) & HIGHS)
        if not self.again:
            return places, quota, gain, loss & more, quota_gain, quota_loss & more
        others = self.rest & HIGHS
        loss, gain = loss & more & others, gain & others
        quota_loss, quota_gain = quota_loss & more & others, quota_gain & others
        for field, size, asked in self.again:
            count, high = ranks >> 8 * field & 0xFF, 0x80 << 8 * field
            places += min(count, size)
            quota += min(count, asked)
            gain |= high if count < size else 0
            loss |= high if 0 < count <= size else 0
            quota_gain |= high if count < asked else 0
            quota_loss |= high if 0 < count <= asked else 0
        return places, quota, gain, loss, quota_gain, quota_loss

    def filled(self, ranks: int) -> tuple[int, int]:
        """Return how many places, and how many of the quotas, are filled, twos aside."""
        places = quota = 0
        rest = ranks & self.rest
        for at_least, sets, quotas in self.levels:
            n = ((rest + at_least) & HIGHS).bit_count()
            places += n if n < sets else sets
            quota += n if n < quotas else quotas
        for field, size, asked in self.again:
            count = ranks >> 8 * field & 0xFF
            places += min(count, size)
            quota += min(count, asked)
        return places, quota


class SetPlans:
    """The plans for the sets of one contract."""

    def __init__(self, distances: Distances) -> None:
        tables = distances.tables
        self.sets = sets = tuple(distances.sets)
        self.set_size = distances.set_size
        self.quotas = tables.quotas
        self.quota = distances.quota
        self.plain = Plan(0, (), SUIT_MASK, tuple(distances.levels))
        self.has_twos = tables.has_natural_twos
        self.fields = [
            field for field in tables.set_fields if tables.natural_ranks >> 8 * field & 1
        ]
        self.are_known = len(sets) < len(self.fields)
        """Whether plans are all there is: not where ranks must repeat."""
        repeats = distances.may_repeat
        groups = [
            self._group(sizes)
            for n in range(1, len(sets) + 1)
            for sizes in sorted(set(combinations(sets, n)), reverse=True)
        ]
        self.several = [group for group in groups if repeats and len(group.sizes) > 1]
        """All that a rank can make that makes more than one set."""
        self.of_twos = [
            group
            for group in groups
            if self.has_twos and group.quota and (repeats or len(group.sizes) == 1)
        ]
        self.least_again = min(
            [g.quota - g.asked if g.asked else g.places - g.size for g in self.several], default=0
        )
        """A rank with fewer cards makes no more than one set."""
        self.enough = AT_LEAST[self.least_again]
        self.too_many = AT_LEAST[sets[-1] + 1]
        """Tells the ranks that have cards for more than the smallest set."""
        self.but_one = self._levels(sets[:-1])
        """The levels of all sets but the smallest."""
        self.kept: dict[tuple[int, tuple[tuple[int, int], ...]], Plan | None] = {}
        """All plans asked for so far, by the groups of twos and of the ranks."""

    def _group(self, sizes: tuple[int, ...]) -> Group:
        quotas = [self.quotas[size] for size in sizes]
        return Group(sizes, sum(sizes), sum(quotas), sizes[-1], quotas[-1])

    def all(self, ranks: int, twos: int, gaps: int, need: int) -> list[Plan]:
        """Return the plain plan, and others as `others` does."""
        if self.of_twos or (self.several and (ranks + self.enough) & HIGHS):
            return [self.plain, *self.others(ranks, twos, gaps, need)]
        return [self.plain]

    def others(self, ranks: int, twos: int, gaps: int, need: int) -> list[Plan]:
        """Return plans but the plain one that may be better than that.

        Left out is what cannot be better for the hand, and for no hand with one card more
        or less, whatever a run takes.

        Args:
            ranks: The naturals of the hand by rank.
            twos: Its twos, if they are natural in sets.
            gaps: No more than so many places may be left empty.
            need: The hand may lack no more than so many of the quotas.
        """
        if not (ranks + self.too_many) & HIGHS:
            # a set of twos, or of a rank that has no cards for two, is an empty one
            least = self.set_size
            for at_least, n_sets, _ in self.but_one:
                n = ((ranks + at_least) & HIGHS).bit_count()
                least -= n if n < n_sets else n_sets
            if least > gaps:
                return []
        counts = ranks.to_bytes(len(FIELDS), "little")
        top = sorted(counts, reverse=True)
        again: list[tuple[int, int]] = []
        if self.several and (ranks + self.enough) & HIGHS:
            again = self._again(counts, top)
        # the first two may be yet to come
        of_twos = [
            n
            for n, group in enumerate(self.of_twos)
            if group.may_pay_twos(twos, top[len(self.sets) - len(group.sizes)])
        ]
        if not of_twos and not again:
            return []
        found = []
        for plan in self._plans(of_twos, again):
            places, quota = plan.filled(ranks)
            quota += min(twos, plan.twos)
            if self.set_size - places <= gaps and self.quota - quota <= need:
                found.append(plan)
        return found

    def _again(self, counts: bytes, top: list[int]) -> list[tuple[int, int]]:
        """The ranks, as fields, of which several sets may be better than one less, and which.

        Args:
            counts: The cards of each rank.
            top: The same, the most first.
        """
        sets = len(self.sets)
        found = []
        for field in self.fields:
            count = counts[field]
            if count < self.least_again:
                continue
            for n, group in enumerate(self.several):
                # the best rank of which no set is, where all other sets are of different ones
                left = sets - len(group.sizes)
                other = top[left] if count < top[left] else top[left + 1]
                if group.may_pay(count, other):
                    found.append((field, n))
        return found

    def _plans(self, of_twos: list[int], again: list[tuple[int, int]]) -> Iterator[Plan]:
        """Every plan with some of these groups, told by their numbers."""
        kept = self.kept
        for twos in (-1, *of_twos):
            for n in range(len(self.sets) // 2 + 1):
                for some in combinations(again, n):
                    key = twos, some
                    if key not in kept:
                        kept[key] = self._plan(twos, some)
                    plan = kept[key]
                    if plan is not None:
                        yield plan

    def _plan(self, twos: int, again: tuple[tuple[int, int], ...]) -> Plan | None:
        """The plan with these groups; None if there are too few sets for it, or no groups."""
        several = [(field, self.several[n]) for field, n in again]
        groups = [group for _, group in several]
        if twos >= 0:
            groups.append(self.of_twos[twos])
        left = self._left(groups)
        if left is None or not groups or len({field for field, _ in again}) < len(again):
            return None
        rest = SUIT_MASK
        for field, _ in several:
            rest &= ~(0xFF << 8 * field)
        return Plan(
            self.of_twos[twos].quota if twos >= 0 else 0,
            tuple([(field, group.places, group.quota) for field, group in several]),
            rest,
            self._levels(left),
        )

    def _left(self, groups: list[Group]) -> tuple[int, ...] | None:
        """The sets that are in no group; None if the contract does not have so many."""
        left = list(self.sets)
        for group in groups:
            for size in group.sizes:
                if size not in left:
                    return None
                left.remove(size)
        return tuple(left)

    def _levels(self, sizes: tuple[int, ...]) -> Levels:
        quotas = [self.quotas[size] for size in sizes]
        return tuple(
            [
                (AT_LEAST[v], sum(n >= v for n in sizes), sum(n >= v for n in quotas))
                for v in range(1, max(sizes, default=0) + 1)
            ]
        )
