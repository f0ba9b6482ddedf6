"""Where runs can lie, as the search for the best laydown sees it.

A *shape* goes from one natural to another, or has the least size; wilds may make it
longer later. Under rules by which runs of one suit stand in each other's way, those
that share a suit are given fixed places instead. Shapes of a suit follow from which
cards there are, so they are worked out once for each tally.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from operator import le
from typing import NamedTuple

from ..cards import ORDER, SUITS, Card
from .placing import RunTable
from .runs import FAR, MOST_KEPT, lesser, present, total
from .tables import FIELDS, ONES, TWO_FIELD

FIELD_CARDS = tuple(
    tuple((Card(rank + suit), 1 << 8 * field) for field, rank in enumerate(FIELDS))
    for suit in SUITS
)
"""For each suit its cards, with the bits of their fields."""

MOST_WAYS_KEPT = 160
"""Suits for which all ways to lay several runs are kept, if there are no more than that."""

CARD = 1
POINT = 64
"""The weight of a card is its points times `POINT`, and one `CARD`."""


class Shape(NamedTuple):
    """Where a run lies at the least, and its naturals."""

    weight: int
    """Of the naturals."""
    gap: int
    """Places for wilds."""
    low: int
    size: int
    used: int
    """The naturals, as a suit tally; a natural two is in it."""
    can_grow: bool
    """Whether wilds may be added at its ends."""
    number: int
    """That of the run, see `Run`."""


Scarce = tuple[int, tuple[int, ...], int]
"""A card that more runs want than there are copies, as the bit of its field; the numbers
of these runs; and how many of them do not get it."""

Runs = tuple[tuple[int, Shape], ...]
"""The shapes of all runs, each with the number of its suit."""


class Way(NamedTuple):
    """Some shapes in one suit."""

    weight: int
    """Of the naturals, like all that follows each card counted as often as there is one."""
    gap: int
    used: int
    """The naturals, as a suit tally; natural twos are not in it."""
    shapes: tuple[Shape, ...]
    is_short: bool
    """Whether they want more cards than there are: see `Shapes.shared`."""


def _heaviest_first(way: Way) -> tuple[int, int]:
    return -way.weight, way.gap


class Shapes:
    """The shapes of the runs of one contract."""

    def __init__(self, table: RunTable) -> None:
        self.table = table
        self.tables = tables = table.tables
        points = tables.rules.points
        self.weights = {card: points[card] * POINT + CARD for card in ORDER}
        self.field_weights = [self.weights[Card(rank + "C")] for rank in FIELDS]
        self.is_tight = table.same_suit in ("no_adjacent", "gap", "gap2")
        """Whether runs of one suit stand in each other's way."""
        self.lost: dict[int, tuple[int, int]] = {}
        self.kept_ways: dict[tuple[int, int, int], list[Way]] = {}
        self.kept_costs: dict[int, list[int]] = {}
        self.kept: dict[int, tuple[Shape, ...]] = {}
        self.kept_fixed: dict[int, tuple[Shape, ...]] = {}

    def of(self, suit: int, size: int) -> tuple[Shape, ...]:
        """Return every shape of one run of that size in a suit, the heaviest first."""
        key = present(suit) << 4 | size
        found = self.kept.get(key)
        if found is None:
            if len(self.kept) >= MOST_KEPT:
                self.kept.clear()
            shapes = sorted(self._shapes(present(suit), size), reverse=True)
            found = self.kept[key] = tuple(
                [shape for shape in shapes if not any(self._betters(o, shape) for o in shapes)]
            )
        return found

    def _betters(self, one: Shape, other: Shape) -> bool:
        """Whether one shape can be what the other is, by giving naturals back, and more."""
        more = one.used & ~other.used & self.tables.natural_ranks
        return one.size == other.size and one.used == other.used | more != other.used

    def _shapes(self, suit: int, size: int) -> Iterator[Shape]:
        tables = self.tables
        seen: set[tuple[int, int]] = set()
        for run in self.table.of_size[size]:
            used = suit & run.span
            if run.size > size and used & run.ends != run.ends:
                continue
            twos = (0, 1 << 8 * TWO_FIELD) if used & ~tables.natural_ranks else (0,)
            for two in twos:
                held = used & ~two
                gap = run.size - held.bit_count()
                if gap <= tables.limits[run.size] and (held, run.size) not in seen:
                    seen.add((held, run.size))
                    yield Shape(
                        self.weighed(held)[0],
                        gap,
                        run.low,
                        run.size,
                        held,
                        not self.table.is_exact,
                        run.number,
                    )

    def fixed(self, suit: int, size: int) -> tuple[Shape, ...]:
        """Return every place of one run of that size in a suit, without growing, likewise."""
        key = present(suit) << 4 | size
        found = self.kept_fixed.get(key)
        if found is None:
            if len(self.kept_fixed) >= MOST_KEPT:
                self.kept_fixed.clear()
            shapes = sorted(self._fixed(present(suit), size), reverse=True)
            found = self.kept_fixed[key] = tuple(shapes)
        return found

    def _fixed(self, suit: int, size: int) -> Iterator[Shape]:
        for run in self.table.of_size[size]:
            used = suit & run.span
            twos = (0, 1 << 8 * TWO_FIELD) if used & ~self.tables.natural_ranks else (0,)
            for two in twos:
                held = used & ~two
                gap = run.size - held.bit_count()
                if gap <= self.tables.limits[run.size]:
                    yield Shape(
                        self.weighed(held)[0], gap, run.low, run.size, held, False, run.number
                    )

    def weighed(self, cards: int) -> tuple[int, int]:
        """Return the weight and the number of some cards of a suit."""
        found = self.lost.get(cards)
        if found is None:
            if len(self.lost) >= MOST_KEPT:
                self.lost.clear()
            counts = cards.to_bytes(len(FIELDS), "little")
            weight = sum([n * w for n, w in zip(counts, self.field_weights, strict=True)])
            found = self.lost[cards] = weight, sum(counts)
        return found

    def most(self, suit: int, part: int, wilds: int) -> int:
        """Return no less than what a part can weigh in a suit; `-FAR` if it cannot be laid."""
        sizes = self.table.parts[part]
        if not sizes:
            return 0
        if len(sizes) > self.table.per_suit or sum(sizes) - total(suit) > wilds:
            return -FAR
        weight = 0
        for size in sizes:
            best = [shape.weight for shape in self.of(suit, size) if shape.gap <= wilds]
            if self.is_tight and len(sizes) > 1:
                best += [shape.weight for shape in self.fixed(suit, size) if shape.gap <= wilds]
            if not best:
                return -FAR
            weight += max(best)
        return min(weight, self.weighed(lesser(suit, ONES * len(sizes)))[0])

    def ways(self, suit: int, part: int, wilds: int) -> list[Way]:
        """Return every way to lay a part in a suit with so many wilds, the heaviest first."""
        key = suit, part, wilds
        found = self.kept_ways.get(key)
        if found is None:
            found = self._ways(suit, part, wilds)
            if len(found) <= MOST_WAYS_KEPT:
                if len(self.kept_ways) >= MOST_WAYS_KEPT:
                    self.kept_ways.clear()
                self.kept_ways[key] = found
        return found

    def _ways(self, suit: int, part: int, wilds: int) -> list[Way]:
        table = self.table
        sizes = table.parts[part]
        if not sizes:
            return [Way(0, 0, 0, (), False)]
        if len(sizes) > table.per_suit or sum(sizes) - total(suit) > wilds:
            return []
        naturals = self.tables.natural_ranks
        if len(sizes) == 1:
            return [
                Way(shape.weight, shape.gap, shape.used & naturals, (shape,), False)
                for shape in self.of(suit, sizes[0])
                if shape.gap <= wilds
            ]
        find = self.fixed if self.is_tight else self.of
        lists = [[s for s in find(suit, size) if s.gap <= wilds] for size in sizes]
        found = sorted(self._together(suit, wilds, lists, sizes), key=_heaviest_first)
        if self.table.is_exact or self.tables.quotas[self.tables.longest]:
            return found
        # without a limit, of ways that use the same cards one with the fewest gaps will do
        return list({way.used: way for way in reversed(found)}.values())[::-1]

    def _together(
        self, suit: int, wilds: int, lists: list[list[Shape]], sizes: tuple[int, ...]
    ) -> Iterator[Way]:
        """Every choice of one shape from each list that keep apart and have few gaps.

        A card that more of them want than there are copies is one gap more each time.
        """
        apart, limits = self.table.apart, self.tables.limits
        naturals = self.tables.natural_ranks
        last = len(sizes) - 1

        def choose(
            laid: tuple[Shape, ...], first: int, cover: int, weight: int, gaps: int, room: int
        ) -> Iterator[Way]:
            i = len(laid)
            wanted = cover | cover >> 1 | cover >> 2  # some of the bits that no other card has
            excess_before = cover - lesser(cover, suit) if i > 1 else 0
            for j in range(first if i and sizes[i] == sizes[i - 1] else 0, len(lists[i])):
                shape = lists[i][j]
                both = cover + shape.used
                excess = both - lesser(both, suit) if wanted & shape.used else excess_before
                lost, missing = self.weighed(excess) if excess else (0, 0)
                gap, most = gaps + shape.gap, room + limits[shape.size]
                if gap + missing > wilds or gap + missing > most:
                    continue
                if self.is_tight and not all(apart[s.number] >> shape.number & 1 for s in laid):
                    continue
                if i < last:
                    more = weight + shape.weight
                    yield from choose((*laid, shape), j, both, more, gap, most)
                else:
                    yield Way(
                        weight + shape.weight - lost,
                        gap + missing,
                        both - excess & naturals,
                        (*laid, shape),
                        bool(excess),
                    )

        return choose((), 0, 0, 0, 0, 0)

    def shared(
        self, suit: int, shapes: tuple[Shape, ...], wilds: int
    ) -> Sequence[tuple[Shape, ...]]:
        """Give each card that more runs want than there are copies to some of them.

        Returns every way that may matter to a hand with so many wilds. Where there is
        no limit, all are alike. Runs that can grow differ only in the room that they
        have for wilds, which follows from how many naturals each has, unless wilds
        may have to take the places of naturals.
        """
        scarce = self._scarce(suit, shapes)
        if not scarce:
            return (shapes,)
        if not self.tables.quotas[self.tables.longest]:
            return (self._losing(shapes, [(bit, users[:n]) for bit, users, n in scarce]),)
        if not shapes[0].can_grow:
            return tuple(self._every_way(shapes, scarce))
        ways = self._by_losses(shapes, scarce)
        if ways and self._may_be_too_long(shapes):
            room = max([sum([s.gap + self.growth(s) for s in way]) for way in ways])
            if room < wilds:
                return tuple(self._every_way(shapes, scarce))
        return ways

    def _scarce(self, suit: int, shapes: tuple[Shape, ...]) -> list[Scarce]:
        """The cards that more runs want than there are: the runs, and how many get none."""
        found: list[Scarce] = []
        cover = sum([shape.used for shape in shapes])
        excess = cover - lesser(cover, suit)
        for field in range(len(FIELDS)):
            n = excess >> 8 * field & 0xFF
            if n:
                bit = 1 << 8 * field
                users = tuple([i for i, shape in enumerate(shapes) if shape.used & bit])
                found.append((bit, users, n))
        return found

    def _losing(
        self, shapes: tuple[Shape, ...], losers: Sequence[tuple[int, tuple[int, ...]]]
    ) -> tuple[Shape, ...]:
        """The shapes without the cards that some of them do not get."""
        found = list(shapes)
        for bit, some in losers:
            for i in some:
                found[i] = self.without(found[i], bit)
        return tuple(found)

    def _every_way(
        self, shapes: tuple[Shape, ...], scarce: list[Scarce]
    ) -> Iterator[tuple[Shape, ...]]:
        if not scarce:
            yield shapes
            return
        limits = self.tables.limits
        bit, users, n = scarce[0]
        for some in combinations(users, n):
            fewer = self._losing(shapes, [(bit, some)])
            if all(fewer[i].gap <= limits[fewer[i].size] for i in some):
                yield from self._every_way(fewer, scarce[1:])

    def _by_losses(
        self, shapes: tuple[Shape, ...], scarce: list[Scarce]
    ) -> tuple[tuple[Shape, ...], ...]:
        """One way for each number of cards that each run may lose."""
        spare = [self.tables.limits[shape.size] - shape.gap for shape in shapes]
        ways: dict[tuple[int, ...], list[tuple[int, tuple[int, ...]]]] = {(0,) * len(shapes): []}
        for bit, users, n in scarce:
            more: dict[tuple[int, ...], list[tuple[int, tuple[int, ...]]]] = {}
            for some in combinations(users, n):
                for losses, losers in ways.items():
                    each = tuple([loss + (i in some) for i, loss in enumerate(losses)])
                    if each not in more and all(map(le, each, spare)):
                        more[each] = [*losers, (bit, some)]
            ways = more
        return tuple([self._losing(shapes, losers) for losers in ways.values()])

    def _may_be_too_long(self, shapes: tuple[Shape, ...]) -> bool:
        """Whether one of the runs has no place for all wilds that its naturals allow."""
        tables = self.tables
        return any(
            tables.room[n] > tables.longest - n
            for n in [shape.size - shape.gap for shape in shapes]
        )

    def without(self, shape: Shape, bit: int) -> Shape:
        """Return the shape with a gap instead of one natural."""
        return shape._replace(
            weight=shape.weight - self.weighed(bit)[0],
            gap=shape.gap + 1,
            used=shape.used & ~bit,
        )

    def costs(self, shape: Shape) -> list[int]:
        """Return what each wild more in a run costs: nothing at its ends, then a natural's weight."""
        key = shape.used << 5 | shape.size << 1 | shape.can_grow
        found = self.kept_costs.get(key)
        if found is None:
            if len(self.kept_costs) >= MOST_KEPT:
                self.kept_costs.clear()
            found = self.kept_costs[key] = self._costs(shape)
        return found

    def _costs(self, shape: Shape) -> list[int]:
        tables = self.tables
        grows = self.growth(shape)
        size = shape.size + grows
        if shape.can_grow and size < tables.longest:
            return [0] * grows
        most = tables.limits[size] - shape.gap - grows
        used = shape.used & tables.natural_ranks
        prices = sorted([w for field, w in enumerate(self.field_weights) if used >> 8 * field & 1])
        return [0] * grows + prices[:most]

    def growth(self, shape: Shape) -> int:
        """Return how many wilds may be added at the ends."""
        if not shape.can_grow:
            return 0
        tables = self.tables
        room = tables.room[shape.size - shape.gap] - shape.gap
        return max(0, min(room, tables.longest - shape.size))

    def naturals(self, suit: int, shape: Shape) -> list[Card]:
        """Return the naturals of a shape in a suit."""
        used = shape.used
        return [card for card, bit in FIELD_CARDS[suit] if used & bit]
