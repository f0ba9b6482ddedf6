"""Where runs can lie, as the search for the best laydown sees it.

A *shape* goes from one natural to another, or has the least size; wilds may make it
longer later. Under rules by which runs of one suit stand in each other's way, those
that share a suit are given fixed places instead. Shapes of a suit follow from which
cards there are, so they are worked out once for each tally.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from ..cards import ORDER, SUITS, Card
from ..melds import runs_keep_apart
from .placing import RunTable
from .runs import MOST_KEPT, lesser, present, total
from .tables import FIELDS, TWO_FIELD

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


Runs = tuple[tuple[int, Shape], ...]
"""The shapes of all runs, each with the number of its suit."""


Way = tuple[int, int, tuple[Shape, ...]]
"""The weight and the gap of some shapes in one suit, and these."""


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
        self.kept: dict[int, tuple[Shape, ...]] = {}

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
                        self.weight_of(held),
                        gap,
                        run.low,
                        run.size,
                        held,
                        not self.table.is_exact,
                    )

    def _fixed(self, suit: int, size: int) -> Iterator[Shape]:
        """Every place of one run of that size in a suit, without growing."""
        for run in self.table.of_size[size]:
            used = present(suit) & run.span
            twos = (0, 1 << 8 * TWO_FIELD) if used & ~self.tables.natural_ranks else (0,)
            for two in twos:
                held = used & ~two
                gap = run.size - held.bit_count()
                if gap <= self.tables.limits[run.size]:
                    yield Shape(self.weight_of(held), gap, run.low, run.size, held, False)

    def weight_of(self, suit: int) -> int:
        """Return the weight of one of each card in a suit tally."""
        return sum(
            weight for field, weight in enumerate(self.field_weights) if suit >> 8 * field & 0xFF
        )

    def ways(self, suit: int, part: int, wilds: int) -> list[Way]:
        """Return every way to lay a part in a suit with so many wilds, the heaviest first."""
        table = self.table
        sizes = table.parts[part]
        if not sizes:
            return [(0, 0, ())]
        if len(sizes) > table.per_suit or sum(sizes) - total(suit) > wilds:
            return []
        if len(sizes) == 1:
            return [
                (shape.weight, shape.gap, (shape,))
                for shape in self.of(suit, sizes[0])
                if shape.gap <= wilds
            ]
        find = self._fixed if self.is_tight else self.of
        lists = [[s for s in find(suit, size) if s.gap <= wilds] for size in sizes]
        found = []
        for shapes in self._together(suit, wilds, lists, sizes, (), 0):
            for shared in self._share(suit, shapes):
                gap = sum(shape.gap for shape in shared)
                if gap <= wilds:
                    found.append((sum(shape.weight for shape in shared), gap, shared))
        return sorted(found, reverse=True)

    def _together(
        self,
        suit: int,
        wilds: int,
        lists: list[list[Shape]],
        sizes: tuple[int, ...],
        laid: tuple[Shape, ...],
        first: int,
    ) -> Iterator[tuple[Shape, ...]]:
        """Every choice of one shape from each list that keep apart and have few gaps.

        A card that more of them want than there are copies is one gap more each time.
        """
        i = len(laid)
        if i == len(lists):
            yield laid
            return
        start = first if i and sizes[i] == sizes[i - 1] else 0
        for j in range(start, len(lists[i])):
            shape = lists[i][j]
            gap, cover = shape.gap, shape.used
            for other in laid:
                gap += other.gap
                cover += other.used
            if gap > wilds or gap + total(cover - lesser(cover, suit)) > wilds:
                continue
            if all(
                runs_keep_apart(
                    other.low,
                    other.low + other.size - 1,
                    shape.low,
                    shape.low + shape.size - 1,
                    self.tables.rules,
                )
                for other in laid
            ):
                yield from self._together(suit, wilds, lists, sizes, (*laid, shape), j)

    def _share(self, suit: int, shapes: tuple[Shape, ...]) -> Iterator[tuple[Shape, ...]]:
        """Give each card that more runs want than there are copies to some of them."""
        for field in range(len(FIELDS)):
            bit = 1 << 8 * field
            users = [i for i, shape in enumerate(shapes) if shape.used & bit]
            copies = suit >> 8 * field & 0xFF
            if len(users) > copies:
                for losers in combinations(users, len(users) - copies):
                    fewer = tuple(
                        self.without(shape, bit) if i in losers else shape
                        for i, shape in enumerate(shapes)
                    )
                    if all(s.gap <= self.tables.limits[s.size] for s in fewer):
                        yield from self._share(suit, fewer)
                return
        yield shapes

    def without(self, shape: Shape, bit: int) -> Shape:
        """Return the shape with a gap instead of one natural."""
        return shape._replace(
            weight=shape.weight - self.weight_of(bit),
            gap=shape.gap + 1,
            used=shape.used & ~bit,
        )

    def costs(self, shape: Shape) -> list[int]:
        """Return what each wild more in a run costs: nothing at its ends, then a natural's weight."""
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
        return [
            Card(rank + SUITS[suit])
            for field, rank in enumerate(FIELDS)
            if shape.used >> 8 * field & 1
        ]
