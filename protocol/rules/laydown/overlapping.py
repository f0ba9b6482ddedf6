"""Several runs that may want the same cards, and nothing else: what is heaviest.

A *table* tells the most weight of naturals for each number of wilds. That of one run
in a suit follows from its shapes, and tables of different suits add up. Runs that
share a suit may get in each other's way: first they are taken not to, which is never
too little, and only where that would beat the best laydown found they are placed one
by one, given up as soon as what they have and what the rest could have at best is no
more.

Numbers of wilds are told by *keys*: the wilds, and by `TWO` each the twos that are
natural in their place, which are wilds no more. Weights are those of `best`.
"""

from __future__ import annotations

from collections.abc import Sequence

from .runs import MOST_KEPT, lesser, present
from .shapes import Runs, Shape, Shapes
from .tables import ONES, TWO_FIELD, TWOS

TWO = 1 << 8
"""One natural two, in a key."""
WILDS = TWO - 1
"""The wilds of a key."""
NONE = -1 << 60
"""Less than any weight."""

Table = dict[int, tuple[int, Runs]]
"""By key: the most weight, and the shapes that have it."""

Bound = dict[int, int]
"""By key: no less than the most weight."""


class Overlapping:
    """Lays the runs of one contract, for any hand."""

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        self.table = shapes.table
        self.twos = TWOS if self.table.tables.has_natural_twos else 0
        self.kept: dict[tuple[int, int, int], dict[int, tuple[int, Shape]]] = {}

    def best(self, suits: Sequence[int], piles: list[list[int]]) -> Runs:
        """Return the shapes of the heaviest laydown.

        Args:
            suits: The four suit tallies.
            piles: The weight of the first 0, 1, 2 ... wilds, with 0, 1, 2 ... twos
                taken out of them.
        """
        return _Search(self, suits, piles).best()

    def single(self, suit: int, size: int, wilds: int) -> dict[int, tuple[int, Shape]]:
        """Return the table of one run in a suit, each weight with the one shape."""
        key = suit, size, wilds
        found = self.kept.get(key)
        if found is None:
            if len(self.kept) >= MOST_KEPT:
                self.kept.clear()
            found = self.kept[key] = {}
            for shape in self.shapes.of(suit, size):
                for n, weight in self.fillings((shape,), wilds):
                    if n not in found or weight > found[n][0]:
                        found[n] = weight, shape
        return found

    def fillings(self, laid: tuple[Shape, ...], wilds: int) -> list[tuple[int, int]]:
        """Return the key and weight of some shapes with ever more wilds in them."""
        key = sum([shape.gap + TWO * bool(shape.used & self.twos) for shape in laid])
        weight = sum([shape.weight for shape in laid])
        most = wilds - key // TWO - (key & WILDS)
        if most < 0:
            return []
        costs = [cost for shape in laid for cost in self.shapes.costs(shape)]
        costs.sort()
        found = [(key, weight)]
        for cost in costs[:most]:
            key += 1
            weight -= cost
            found.append((key, weight))
        return found


class _Search:
    """One search."""

    def __init__(self, laying: Overlapping, suits: Sequence[int], piles: list[list[int]]) -> None:
        self.laying = laying
        self.table = table = laying.table
        self.suits = suits
        self.piles = piles
        self.wilds = len(piles[0]) - 1
        self.best_weight = NONE
        self.best_runs: Runs = ()
        self.tables: list[list[Table]] = []
        """For each suit the table of every part, as far as it is worked out."""
        for number, suit in enumerate(suits):
            tables: list[Table] = []
            for part in table.parts:
                if len(part) == 1:
                    single = laying.single(present(suit), part[0], self.wilds)
                    tables.append({n: (w, ((number, s),)) for n, (w, s) in single.items()})
                else:
                    tables.append({} if part else {0: (0, ())})
            self.tables.append(tables)

    def best(self) -> Runs:
        """Return the shapes of the heaviest laydown."""
        table = self.table
        whole = len(table.parts) - 1
        for key, (weight, runs) in self.joined(range(4), whole).items():
            self.take(weight + self.piles[key // TWO][key & WILDS], runs)
        if table.per_suit > 1:
            self._try_to_share()
        return self.best_runs

    def take(self, weight: int, runs: Runs) -> None:
        """Note a laydown if it is the best so far."""
        if weight > self.best_weight:
            self.best_weight, self.best_runs = weight, runs

    def joined(self, numbers: Sequence[int], part: int) -> Table:
        """Return the table of a part over some suits."""
        joins = self.table.joins
        found: list[Table] = [{0: (0, ())}, *[{} for _ in joins[1:]]]
        for i, number in enumerate(numbers):
            last = i == len(numbers) - 1
            found = [
                self._both(found, self.tables[number], join) if not last or n == part else {}
                for n, join in enumerate(joins)
            ]
        return found[part]

    def _both(self, found: list[Table], tables: list[Table], join: list[tuple[int, int]]) -> Table:
        both: Table = {}
        for i, j in join:
            for before, (weight, runs) in found[i].items():
                most = self.wilds - before // TWO - (before & WILDS)
                for more, (gain, laid) in tables[j].items():
                    if more // TWO + (more & WILDS) <= most:
                        key = before + more
                        if key not in both or weight + gain > both[key][0]:
                            both[key] = weight + gain, runs + laid
        return both

    def _try_to_share(self) -> None:
        """Lay several runs in one suit, where that may be better."""
        table = self.table
        bounds = [self._bounds_in_suit(number) for number in range(4)]
        for part, sizes in enumerate(table.parts):
            if len(sizes) < 2:
                continue
            for number in range(4):
                others = [bounds[k] for k in range(4) if k != number]
                rest = self._bound_over(others, table.rests[part])
                whole = self.bound_of_both(bounds[number][part], rest)
                if self.bounded(whole, 0, 0) > self.best_weight:
                    Sharing(self, number, part, table.rests[part], rest, bounds[number]).place_all()

    def _bounds_in_suit(self, number: int) -> list[Bound]:
        """A bound for each part's table in a suit, as if no run took another's cards."""
        table = self.table
        found: list[Bound] = []
        for part, sizes in enumerate(table.parts):
            if len(sizes) < 2:
                found.append(
                    {key: weight for key, (weight, _) in self.tables[number][part].items()}
                )
            else:
                first, rest = table.part_of[sizes[:1]], table.part_of[sizes[1:]]
                found.append(self.bound_of_both(found[first], found[rest]))
        return found

    def _bound_over(self, suits: list[list[Bound]], part: int) -> Bound:
        found: list[Bound] = [{0: 0}, *[{} for _ in self.table.joins[1:]]]
        if not part:
            return found[0]
        for bounds in suits:
            grown = []
            for join in self.table.joins:
                best: Bound = {}
                for i, j in join:
                    for key, weight in self.bound_of_both(found[i], bounds[j]).items():
                        if weight > best.get(key, NONE):
                            best[key] = weight
                grown.append(best)
            found = grown
        return found[part]

    def bound_of_both(self, one: Bound, other: Bound) -> Bound:
        """Return a bound for two things laid together."""
        both: Bound = {}
        for before, weight in one.items():
            most = self.wilds - before // TWO - (before & WILDS)
            for more, gain in other.items():
                if more // TWO + (more & WILDS) <= most:
                    key = before + more
                    if weight + gain > both.get(key, NONE):
                        both[key] = weight + gain
        return both

    def bounded(self, rest: Bound, twos: int, wilds: int) -> int:
        """Return the most that a rest and all wilds weigh after so many twos and wilds."""
        best = NONE
        for key, weight in rest.items():
            pile = self.piles[min(twos + key // TWO, len(self.piles) - 1)]
            n = wilds + (key & WILDS)
            if n < len(pile) and weight + pile[n] > best:
                best = weight + pile[n]
        return best


class Sharing:
    """Lays several runs in one suit, for one search."""

    def __init__(
        self,
        search: _Search,
        number: int,
        part: int,
        rest: int,
        rest_bound: Bound,
        bounds: list[Bound],
    ) -> None:
        self.search = search
        self.laying = search.laying
        self.number = number
        self.suit = search.suits[number]
        self.part = part
        self.rest = rest
        self.sizes = sizes = search.table.parts[part]
        shapes = search.laying.shapes
        find = shapes.fixed if shapes.is_tight else shapes.of
        self.lists = [
            [s for s in find(present(self.suit), size) if s.gap <= search.wilds] for size in sizes
        ]
        self.is_apart = shapes.is_tight
        self.limits = shapes.tables.limits
        part_of = search.table.part_of
        self.ahead = [
            self._reach(search.bound_of_both(bounds[part_of[sizes[i:]]], rest_bound))
            for i in range(len(sizes))
        ]
        self.ahead.append(self._reach(rest_bound))
        """By runs laid, by twos among them, by wilds in them: what the rest, and all
        wilds, can weigh at the most."""
        self.others: Table | None = None

    def _reach(self, rest: Bound) -> list[list[int]]:
        search = self.search
        found = []
        for twos in range(len(search.piles)):
            reach = [search.bounded(rest, twos, wilds) for wilds in range(search.wilds + 1)]
            for wilds in range(search.wilds - 1, -1, -1):
                reach[wilds] = max(reach[wilds], reach[wilds + 1])
            found.append(reach)
        return found

    def place_all(self) -> None:
        """Try every choice of shapes that may be part of the best laydown."""
        self._place((), 0, 0, 0, 0)

    def _place(
        self, laid: tuple[Shape, ...], first: int, cover: int, alone: int, gaps: int
    ) -> None:
        """Lay one run more.

        Args:
            laid: The runs laid.
            first: Which shape comes first of those that are left.
            cover: What they want, as a suit tally.
            alone: What they would weigh if no run took another's cards.
            gaps: Their gaps then.
        """
        search, suit = self.search, self.suit
        weighed, apart = self.laying.shapes.weighed, search.table.apart
        i = len(laid)
        choices, after, at_end = self.lists[i], self.ahead[i + 1], self.ahead[-1]
        is_last = i == len(self.sizes) - 1
        same = i and self.sizes[i] == self.sizes[i - 1]
        excess_before = cover - lesser(cover, suit)
        lost_before = weighed(excess_before)[0]
        wanted = cover | cover >> 1 | cover >> 2
        room = sum([self.limits[shape.size] for shape in laid])
        for j in range(first if same else 0, len(choices)):
            shape = choices[j]
            if alone - lost_before + shape.weight + after[0][gaps] <= search.best_weight:
                return
            if self.is_apart and not all(apart[s.number] >> shape.number & 1 for s in laid):
                continue
            both = cover + shape.used
            excess = both - lesser(both, suit) if wanted & shape.used else excess_before
            lost, missing = weighed(excess) if excess else (0, 0)
            gap = gaps + shape.gap
            twos = 0
            if self.laying.twos:
                twos = (both - excess) >> 8 * TWO_FIELD & 0xFF
            if gap + missing > min(search.wilds - twos, room + self.limits[shape.size]):
                continue
            weight = alone + shape.weight - lost
            if weight + after[twos][gap + missing] <= search.best_weight:
                continue
            if is_last:
                self._lay((*laid, shape), bool(excess))
                continue
            left = lesser(suit + excess - both, ONES * (len(self.sizes) - i - 1))
            if weight + weighed(left)[0] + at_end[twos][gap + missing] > search.best_weight:
                self._place((*laid, shape), j, both, alone + shape.weight, gap)

    def _lay(self, laid: tuple[Shape, ...], is_short: bool) -> None:
        """Take a choice of shapes, the cards that more of them want than there are shared out."""
        search, shapes = self.search, self.laying.shapes
        ways = shapes.shared(self.suit, laid, search.wilds) if is_short else (laid,)
        table, at_end = search.tables[self.number][self.part], self.ahead[-1]
        for way in ways:
            runs: Runs | None = None
            for key, weight in self.laying.fillings(way, search.wilds):
                if weight + at_end[key // TWO][key & WILDS] <= search.best_weight:
                    continue
                if key in table and table[key][0] >= weight:
                    continue
                if runs is None:
                    runs = tuple([(self.number, shape) for shape in way])
                table[key] = weight, runs
                self._take(key, weight, runs)

    def _take(self, key: int, weight: int, runs: Runs) -> None:
        """Put the best that the other suits have beside some runs."""
        search = self.search
        if self.others is None:
            numbers = [k for k in range(4) if k != self.number]
            self.others = search.joined(numbers, self.rest)
        for more, (gain, laid) in self.others.items():
            both = key + more
            pile = search.piles[min(both // TWO, len(search.piles) - 1)]
            if both & WILDS < len(pile):
                search.take(weight + gain + pile[both & WILDS], runs + laid)
