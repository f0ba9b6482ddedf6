"""The laydown that leaves the fewest points in hand.

What is laid is to be worth most, by *weight*: points first, then number of cards.
Fix the *shapes*: where the runs lie, from one natural to another where that is
long enough, and which ranks the sets have. The naturals that belong there are
laid in any case; then wilds fill the gaps, and more of them go on as far as the
wild limit lets them, first where there is room, then in place of the cheapest
naturals of runs while that pays. Shapes are tried heaviest first, and given up as
soon as what they hold and all wilds together would not be heavier than the best
laydown found.

Equal laydowns: the first one found stays. The order in which shapes are tried
follows from hand, contract and rules alone, so the answer is always the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from .cards import ORDER, PLACE_RANKS, RANK, SUITS, Card, Hand
from .laydown_distance import Distances
from .laydown_runs import FAR, present
from .laydown_tables import FIELDS, TWO_FIELD
from .melds import Meld, run_of, runs_keep_apart, set_of

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


class SetShape(NamedTuple):
    """All sets of one rank."""

    field: int
    sizes: tuple[int, ...]


class Shapes(NamedTuple):
    """A whole contract."""

    runs: tuple[tuple[int, Shape], ...]
    """Each with the number of its suit."""
    sets: tuple[SetShape, ...]


class Pile(NamedTuple):
    """Wilds in the order in which they are laid, the dearest first."""

    cards: tuple[Card, ...]
    weights: list[int]
    """The weight of the first 0, 1, 2 ... of them."""


class Filled(NamedTuple):
    """Shapes with wilds in them."""

    weight: int
    shapes: Shapes
    back: tuple[tuple[int, int], ...]
    """Naturals, by number of run and field, that their run leaves to a set of their rank."""
    twos: tuple[int, int]
    """For a set of twos: its twos and its other wilds."""


class Laydowns:
    """The best laydown of any hand for one contract under one rule set."""

    def __init__(self, distances: Distances) -> None:
        self.distances = distances
        self.tables = tables = distances.tables
        points = tables.rules.points
        self.weights = {card: points[card] * POINT + CARD for card in ORDER}
        self.field_weights = [self.weights[Card(rank + "C")] for rank in FIELDS]
        self.cores: dict[int, tuple[Shape, ...]] = {}
        self.is_tight = distances.table.same_suit in ("no_adjacent", "gap", "gap2")
        """Whether runs of one suit stand in each other's way."""

    def of(self, tally: int, hand: Hand) -> tuple[Meld, ...] | None:
        """Return the melds, or None if the hand cannot go down."""
        if self.distances.of(tally, len(hand)) != 0:
            return None
        melds = _Search(self, tally, hand).melds()
        if not self.distances.least_left or sum(len(meld.cards) for meld in melds) < len(hand):
            return melds
        return self._keeping_one(tally, hand)

    def _keeping_one(self, tally: int, hand: Hand) -> tuple[Meld, ...]:
        """A card must stay for the discard: try each."""
        best: tuple[int, tuple[Meld, ...]] | None = None
        for kept in dict.fromkeys(hand):
            rest = list(hand)
            rest.remove(kept)
            less = tally - self.tables.weights[kept]
            if self.distances.of(less, len(hand)) == 0:
                melds = _Search(self, less, tuple(rest)).melds()
                weight = sum(self.weights[card] for meld in melds for card in meld.cards)
                if best is None or weight > best[0]:
                    best = weight, melds
        assert best is not None
        return best[1]

    def shapes(self, suit: int, size: int) -> tuple[Shape, ...]:
        """Return every shape of one run of that size in a suit, the heaviest first."""
        key = present(suit) << 4 | size
        found = self.cores.get(key)
        if found is None:
            found = self.cores[key] = tuple(sorted(self._shapes(present(suit), size), reverse=True))
        return found

    def _shapes(self, suit: int, size: int) -> Iterator[Shape]:
        tables = self.tables
        seen: set[tuple[int, int]] = set()
        for run in self.distances.table.of_size[size]:
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
                        not self.distances.is_exact,
                    )

    def fixed_shapes(self, suit: int, size: int) -> Iterator[Shape]:
        """Every place of one run of that size in a suit, without growing."""
        for run in self.distances.table.of_size[size]:
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


class _Search:
    """One search."""

    def __init__(self, laydowns: Laydowns, tally: int, hand: Hand) -> None:
        self.laydowns = laydowns
        self.distances = distances = laydowns.distances
        self.tables = tables = laydowns.tables
        self.hand = hand
        self.suits = distances.suits(tally)
        self.ranks = distances.ranks(tally)
        self.counts = self.ranks.to_bytes(len(FIELDS), "little")
        wilds = tables.rules.wilds
        weights = laydowns.weights
        self.wilds = sorted(
            [card for card in hand if card in wilds], key=lambda card: (-weights[card], ORDER[card])
        )
        self.pile = self._pile(self.wilds)
        self.all_wilds = self.pile.weights[-1]
        self.best: Filled | None = None
        self.best_weight = -1
        self.rank_weights = [
            count * weight
            for count, weight in zip(self.counts, laydowns.field_weights, strict=True)
        ]

    def _pile(self, cards: list[Card]) -> Pile:
        weights = [0]
        for card in cards:
            weights.append(weights[-1] + self.laydowns.weights[card])
        return Pile(tuple(cards), weights)

    def melds(self) -> tuple[Meld, ...]:
        """Return the best laydown's melds, sets first."""
        for runs in self._runs():
            self._try_sets(runs)
        assert self.best is not None, "a hand at distance 0 can go down"
        return self._build(self.best)

    # -- the runs

    def _runs(self) -> Iterator[tuple[tuple[int, Shape], ...]]:
        """Every way to lay the runs that could still lead to a better laydown."""
        distances = self.distances
        if not distances.runs:
            yield ()
            return
        table = distances.table
        wilds = len(self.wilds)
        sets = sorted(self.rank_weights, reverse=True)[: len(distances.sets)]
        bound = self.all_wilds + sum(sets)
        ways = [[self._ways(suit, part) for part in range(len(table.parts))] for suit in self.suits]
        ahead = [[0] + [-FAR] * (len(table.parts) - 1)]
        for suit in reversed(ways):
            ahead.append(
                [
                    max(
                        [ahead[-1][i] + (suit[j][0][0] if suit[j] else -FAR) for i, j in join],
                        default=-FAR,
                    )
                    for join in table.joins
                ]
            )
        ahead.reverse()

        def spread(
            i: int, part: int, runs: tuple[tuple[int, Shape], ...], weight: int, gap: int
        ) -> Iterator[tuple[tuple[int, Shape], ...]]:
            if i == len(ways):
                yield runs
                return
            for rest, here in table.joins[part]:
                for more, wants, shapes in ways[i][here]:
                    if weight + more + ahead[i + 1][rest] + bound <= self.best_weight:
                        break
                    if gap + wants <= wilds:
                        laid = runs + tuple([(i, shape) for shape in shapes])
                        yield from spread(i + 1, rest, laid, weight + more, gap + wants)

        yield from spread(0, len(table.parts) - 1, (), 0, 0)

    def _ways(self, suit: int, part: int) -> list[tuple[int, int, tuple[Shape, ...]]]:
        """Weight, gap and shapes of every way to lay a part in a suit, heaviest first."""
        table = self.distances.table
        sizes = table.parts[part]
        wilds = len(self.wilds)
        if not sizes:
            return [(0, 0, ())]
        if len(sizes) > table.per_suit:
            return []
        if len(sizes) == 1:
            return [
                (shape.weight, shape.gap, (shape,))
                for shape in self.laydowns.shapes(suit, sizes[0])
                if shape.gap <= wilds
            ]
        find = self.laydowns.fixed_shapes if self.laydowns.is_tight else self.laydowns.shapes
        lists = [[s for s in find(suit, size) if s.gap <= wilds] for size in sizes]
        found = []
        for shapes in self._together(lists, sizes, (), 0):
            for shared in self._share(suit, shapes):
                gap = sum(shape.gap for shape in shared)
                if gap <= wilds:
                    found.append((sum(shape.weight for shape in shared), gap, shared))
        return sorted(found, reverse=True)

    def _together(
        self,
        lists: list[list[Shape]],
        sizes: tuple[int, ...],
        laid: tuple[Shape, ...],
        first: int,
    ) -> Iterator[tuple[Shape, ...]]:
        """Every choice of one shape from each list that keep apart."""
        i = len(laid)
        if i == len(lists):
            yield laid
            return
        start = first if i and sizes[i] == sizes[i - 1] else 0
        for j in range(start, len(lists[i])):
            shape = lists[i][j]
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
                yield from self._together(lists, sizes, (*laid, shape), j)

    def _share(self, suit: int, shapes: tuple[Shape, ...]) -> Iterator[tuple[Shape, ...]]:
        """Give each card that more runs want than there are copies to some of them."""
        for field in range(len(FIELDS)):
            bit = 1 << 8 * field
            users = [i for i, shape in enumerate(shapes) if shape.used & bit]
            copies = suit >> 8 * field & 0xFF
            if len(users) > copies:
                for losers in combinations(users, len(users) - copies):
                    fewer = tuple(
                        self._without(shape, bit) if i in losers else shape
                        for i, shape in enumerate(shapes)
                    )
                    if all(s.gap <= self.tables.limits[s.size] for s in fewer):
                        yield from self._share(suit, fewer)
                return
        yield shapes

    def _without(self, shape: Shape, bit: int) -> Shape:
        return shape._replace(
            weight=shape.weight - self.laydowns.weight_of(bit),
            gap=shape.gap + 1,
            used=shape.used & ~bit,
        )

    # -- the sets

    def _try_sets(self, runs: tuple[tuple[int, Shape], ...]) -> None:
        """Choose ranks for the sets, the heaviest first."""
        distances, weights = self.distances, self.laydowns.field_weights
        sizes = distances.sets
        base = self.all_wilds + sum(shape.weight for _, shape in runs)
        wilds = len(self.wilds) - sum(shape.gap for _, shape in runs)
        counts = self.counts
        left = list(self.rank_weights)
        for _, shape in runs:
            for field in range(len(FIELDS)):
                if shape.used & self.tables.natural_ranks & 1 << 8 * field:
                    left[field] -= weights[field]
        fields = sorted(self.tables.set_fields, key=lambda field: (-left[field], -counts[field]))
        held = sum(counts[field] > 0 for field in fields)
        if len(fields) > held + len(sizes):
            spare = [f for f in fields[held + len(sizes) :] if f == TWO_FIELD]
            fields = fields[: held + len(sizes)] + spare
        top = [left[field] for field in fields]
        may_repeat = distances.may_repeat
        is_last_size = [size == sizes[-1] for size in sizes]
        chosen: list[int] = []

        def choose(i: int, first: int, weight: int, lacking: int) -> None:
            if i == len(sizes):
                self._fill(runs, chosen)
                return
            start = first if i and sizes[i] == sizes[i - 1] else 0
            more = len(sizes) - i - 1
            for j in range(start, len(fields)):
                field = fields[j]
                is_again = field in chosen
                if is_again and not may_repeat:
                    continue
                gain = 0 if is_again else top[j]
                # What the sets to come can bring is at most the heaviest ranks.
                rest = sum(top[j + 1 : j + 1 + more] if is_last_size[i] else top[:more])
                if weight + top[j] + rest <= self.best_weight:
                    if not is_again:
                        break
                    continue
                already = sum(s for s, f in zip(sizes, chosen, strict=False) if f == field)
                count = counts[field]
                wants = max(0, already + sizes[i] - count) - max(0, already - count)
                if field == TWO_FIELD and self.tables.has_natural_twos:
                    wants = sizes[i]
                if lacking + wants <= wilds:
                    chosen.append(field)
                    choose(i + 1, j if may_repeat else j + 1, weight + gain, lacking + wants)
                    chosen.pop()

        choose(0, 0, base, 0)

    # -- the wilds

    def _fill(self, runs: tuple[tuple[int, Shape], ...], chosen: list[int]) -> None:
        grouped: dict[int, tuple[int, ...]] = {}
        for size, field in zip(self.distances.sets, chosen, strict=True):
            grouped[field] = (*grouped.get(field, ()), size)
        shapes = Shapes(runs, tuple([SetShape(*item) for item in grouped.items()]))
        contested = [
            (i, field)
            for i, (_, shape) in enumerate(runs)
            for field in grouped
            if shape.used >> 8 * field & 1
        ]
        for n in range(len(contested) + 1):
            for back in combinations(contested, n):
                if self._fill_with(shapes, back) and not n and not self.distances.is_exact:
                    return

    def _fill_with(self, shapes: Shapes, back: tuple[tuple[int, int], ...]) -> bool:
        """Judge the shapes with some naturals given back; whether all wilds are laid for free."""
        runs = self._runs_without(shapes, back)
        if runs is None:
            return False
        has_natural_twos = self.tables.has_natural_twos
        twos = 1 << 8 * TWO_FIELD if has_natural_twos else 0
        wilds = list(self.wilds)
        for suit, shape in runs:
            if shape.used & twos:
                wilds.remove(Card("2" + SUITS[suit]))
        if not has_natural_twos or all(s.field != TWO_FIELD for s in shapes.sets):
            pile = self.pile if len(wilds) == len(self.wilds) else self._pile(wilds)
            plan = self._plan(runs, shapes.sets, back, pile)
            if plan is None:
                return False
            weight, _, is_free = plan
            self._keep(Filled(weight, shapes, back, (0, 0)))
            return is_free
        (sizes,) = [s.sizes for s in shapes.sets if s.field == TWO_FIELD]
        others = tuple([s for s in shapes.sets if s.field != TWO_FIELD])
        for twos_laid, wilds_laid in self._sets_of_twos(wilds, sizes):
            taken = self._take_twos(wilds, twos_laid, wilds_laid)
            rest = list(wilds)
            for card in taken:
                rest.remove(card)
            plan = self._plan(runs, others, back, self._pile(rest))
            if plan is not None:
                weight = plan[0] + sum(self.laydowns.weights[card] for card in taken)
                self._keep(Filled(weight, shapes, back, (twos_laid, wilds_laid)))
        return False

    def _keep(self, filled: Filled) -> None:
        if filled.weight > self.best_weight:
            self.best, self.best_weight = filled, filled.weight

    def _runs_without(
        self, shapes: Shapes, back: tuple[tuple[int, int], ...]
    ) -> tuple[tuple[int, Shape], ...] | None:
        runs = shapes.runs
        for i, field in back:
            suit, shape = runs[i]
            fewer = self._without(shape, 1 << 8 * field)
            runs = (*runs[:i], (suit, fewer), *runs[i + 1 :])
        if all(shape.gap <= self.tables.limits[shape.size] for _, shape in runs):
            return runs
        return None

    def _sets_of_twos(self, wilds: list[Card], sizes: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """How many twos, as naturals, and how many other wilds sets of twos can have."""
        twos = sum(RANK[card] == "2" for card in wilds)
        for naturals in range(twos + 1):
            fits = self._fit(naturals, sizes)
            if fits is None:
                continue
            least, most, laid, _ = fits
            if laid == naturals:
                for n in range(least, min(most, len(wilds) - twos) + 1):
                    if not self.distances.is_exact or n + naturals == sum(sizes):
                        yield naturals, n

    def _take_twos(self, wilds: list[Card], twos: int, others: int) -> list[Card]:
        return [card for card in wilds if RANK[card] == "2"][:twos] + [
            card for card in wilds if RANK[card] != "2"
        ][:others]

    def _fit(self, count: int, sizes: tuple[int, ...]) -> tuple[int, int, int, list[int]] | None:
        """How sets of one rank take that many naturals.

        Returns:
            The fewest and the most wilds that go with them, how many naturals are
            laid with the fewest, and how many in each set; None if they are too few.
        """
        limits, quotas = self.tables.limits, self.tables.quotas
        size = sum(sizes)
        split = [max(0, quotas[n]) for n in sizes]
        if sum(split) > count:
            return None
        laid = min(count, size) if self.distances.is_exact else count
        for i, n in enumerate(sizes):
            split[i] += min(n - split[i], laid - sum(split))
        split[0] += laid - sum(split)
        if self.distances.is_exact:
            return size - laid, sum(limits[n] for n in sizes), laid, split
        return max(0, size - laid), sum(self.tables.room[n] for n in split), laid, split

    def _plan(
        self,
        runs: tuple[tuple[int, Shape], ...],
        sets: tuple[SetShape, ...],
        back: tuple[tuple[int, int], ...],
        pile: Pile,
    ) -> tuple[int, list[int], bool] | None:
        """Lay as many wilds as pays.

        Returns:
            The weight, the wilds in each run and each group of sets, and whether
            all wilds went in without taking a natural's place.
        """
        tables, weights = self.tables, self.laydowns.field_weights
        is_exact = self.distances.is_exact
        weight = 0
        wilds: list[int] = []
        costs: list[tuple[int, int]] = []
        for i, (_, shape) in enumerate(runs):
            weight += shape.weight
            wilds.append(shape.gap)
            grows = self._growth(shape)
            costs += [(0, i)] * grows
            if shape.size + grows == tables.longest or not shape.can_grow:
                most = tables.limits[shape.size + grows] - shape.gap - grows
                costs += [(cost, i) for cost in self._prices(shape)[:most]]
        for i, group in enumerate(sets, len(runs)):
            count = self._count(runs, back, group.field)
            fits = self._fit(count, group.sizes)
            if fits is None:
                return None
            least, most, laid, _ = fits
            if least > most:
                return None
            weight += laid * weights[group.field]
            wilds.append(least)
            costs += [(weights[group.field] if is_exact else 0, i)] * (most - least)
        used = sum(wilds)
        if used >= len(pile.weights):
            return None
        costs.sort()
        is_free = True
        for cost, i in costs:
            if used + 1 == len(pile.weights):
                break
            if pile.weights[used + 1] - pile.weights[used] <= cost:
                is_free = False
                break
            is_free = is_free and not cost
            used += 1
            wilds[i] += 1
            weight -= cost
        is_free = is_free and used + 1 == len(pile.weights)
        return weight + pile.weights[used], wilds, is_free

    def _growth(self, shape: Shape) -> int:
        """How many wilds may be added at the ends."""
        if not shape.can_grow:
            return 0
        tables = self.tables
        room = tables.room[shape.size - shape.gap] - shape.gap
        return max(0, min(room, tables.longest - shape.size))

    def _prices(self, shape: Shape) -> list[int]:
        """The weights of the naturals that wilds could replace, cheapest first."""
        used = shape.used & self.tables.natural_ranks
        return sorted(
            weight
            for field, weight in enumerate(self.laydowns.field_weights)
            if used >> 8 * field & 1
        )

    def _count(
        self,
        runs: tuple[tuple[int, Shape], ...],
        back: tuple[tuple[int, int], ...],
        field: int,
    ) -> int:
        """The naturals left for the sets of a rank; runs come without what they give back."""
        return self.counts[field] - sum(shape.used >> 8 * field & 1 for _, shape in runs)

    # -- the answer

    def _build(self, filled: Filled) -> tuple[Meld, ...]:
        _, shapes, back, (twos_laid, wilds_laid) = filled
        runs = self._runs_without(shapes, back)
        assert runs is not None
        pile = list(self.wilds)
        rest = [card for card in self.hand if card not in self.tables.rules.wilds]
        for suit, shape in runs:
            for card in self._naturals(suit, shape):
                (pile if card in pile else rest).remove(card)
        groups = [
            s for s in shapes.sets if s.field != TWO_FIELD or not self.tables.has_natural_twos
        ]
        sets: dict[SetShape, list[Meld]] = {}
        for group in shapes.sets:
            if group not in groups:
                cards = self._take_twos(pile, twos_laid, wilds_laid)
                for card in cards:
                    pile.remove(card)
                twos = [card for card in cards if RANK[card] == "2"]
                others = [card for card in cards if RANK[card] != "2"]
                sets[group] = self._split(group, twos, others)
        plan = self._plan(runs, tuple(groups), back, self._pile(pile))
        assert plan is not None
        wilds = plan[1]
        for i, group in enumerate(groups, len(runs)):
            rank = FIELDS[group.field]
            naturals = [card for card in rest if RANK[card] == rank]
            fits = self._fit(len(naturals), group.sizes)
            assert fits is not None
            if self.distances.is_exact:
                naturals = naturals[: sum(group.sizes) - wilds[i]]
            for card in naturals:
                rest.remove(card)
            mine, pile = pile[: wilds[i]], pile[wilds[i] :]
            sets[group] = self._split(group, naturals, mine)
        melds = []
        for i, (suit, shape) in enumerate(runs):
            mine, pile = pile[: wilds[i]], pile[wilds[i] :]
            melds.append(self._run(suit, shape, mine))
        ordered: list[Meld] = []
        for group in shapes.sets:
            ordered += sets[group]
        return (*sorted(ordered, key=lambda meld: -len(meld.cards)), *melds)

    def _naturals(self, suit: int, shape: Shape) -> list[Card]:
        return [
            Card(rank + SUITS[suit])
            for field, rank in enumerate(FIELDS)
            if shape.used >> 8 * field & 1
        ]

    def _split(self, group: SetShape, naturals: list[Card], wilds: list[Card]) -> list[Meld]:
        """Deal the cards of a rank out to its sets."""
        rank = FIELDS[group.field]
        sizes = group.sizes
        if len(sizes) == 1:
            return [set_of(rank, [*naturals, *wilds])]
        quotas, limits, room = self.tables.quotas, self.tables.limits, self.tables.room
        split = [max(0, quotas[n]) for n in sizes]
        for i, n in enumerate(sizes):
            split[i] += min(n - split[i], len(naturals) - sum(split))
        split[0] += len(naturals) - sum(split)
        least = [max(0, n - has) for n, has in zip(sizes, split, strict=True)]
        for i, has in enumerate(split):
            most = limits[sizes[i]] if self.distances.is_exact else room[has]
            least[i] += min(len(wilds) - sum(least), most - least[i])
        melds = []
        for has, wants in zip(split, least, strict=True):
            melds.append(set_of(rank, [*naturals[:has], *wilds[:wants]]))
            naturals, wilds = naturals[has:], wilds[wants:]
        return melds

    def _run(self, suit: int, shape: Shape, wilds: list[Card]) -> Meld:
        """Put wilds into the gaps, at the ends (above first), then over the cheapest."""
        tables = self.tables
        grows = min(self._growth(shape), len(wilds) - shape.gap)
        above = min(grows, tables.high - (shape.low + shape.size - 1))
        low = shape.low - (grows - above)
        naturals = self._naturals(suit, shape)
        weights = self.laydowns.weights
        replaced = len(wilds) - shape.gap - grows
        by_price = sorted(
            (card for card in naturals if card not in tables.rules.wilds), key=weights.__getitem__
        )
        held = set(naturals) - set(by_price[:replaced])
        stack = list(wilds)
        cards = []
        for place in range(low, low + shape.size + grows):
            card = Card(PLACE_RANKS[place] + SUITS[suit])
            cards.append(card if card in held else stack.pop())
        return run_of(SUITS[suit], low, cards)
