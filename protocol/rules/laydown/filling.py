"""The cards for the shapes of a laydown: which naturals, how many wilds, which wilds.

All naturals of the shapes are laid; a card that a run and a set both want is laid
either way. The gaps take a number of wilds, and more of them go on as far as the
wild limit lets them: first where there is room for free, then in place of the
cheapest naturals while that pays. Only where the wilds do not all go in for free it
matters who has the cards that are wanted twice, and all ways to deal them are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from ..cards import PLACE_RANKS, RANK, SUITS, Card, Hand
from ..melds import Meld, run_of, set_of
from .distance import Distances
from .shapes import Runs, Shape, Shapes
from .tables import FIELDS, TWO_FIELD

PLACE_CARDS = tuple(tuple(Card(rank + suit) for rank in PLACE_RANKS) for suit in SUITS)
"""For each suit the natural of every place."""


class SetShape(NamedTuple):
    """All sets of one rank."""

    field: int
    sizes: tuple[int, ...]


class Pile(NamedTuple):
    """Wilds in the order in which they are laid, the dearest first."""

    cards: tuple[Card, ...]
    weights: list[int]
    """The weight of the first 0, 1, 2 ... of them."""


class Filled(NamedTuple):
    """Shapes with wilds in them."""

    runs: Runs
    """The runs without the naturals that they leave to a set of their rank."""
    sets: tuple[SetShape, ...]
    wilds: list[int]
    """How many go into each run, then into the sets of each rank."""
    twos: tuple[int, int] = (0, 0)
    """For a set of twos, which is not among `sets`: its twos and its other wilds."""
    twos_sizes: tuple[int, ...] = ()


OfTwos = tuple[tuple[int, int], tuple[int, ...]]
"""The last two fields of `Filled`."""

NO_TWOS: OfTwos = ((0, 0), ())


class Filling:
    """Fills shapes with the cards of one hand and keeps the best."""

    def __init__(
        self, distances: Distances, shapes: Shapes, hand: Hand, counts: bytes, wilds: list[Card]
    ) -> None:
        self.distances = distances
        self.tables = distances.tables
        self.shapes = shapes
        self.hand = hand
        self.counts = counts
        """How many naturals of each rank there are."""
        self.wilds = wilds
        """The dearest first."""
        self.pile = self._pile(wilds)
        self.best: Filled | None = None
        self.best_weight = -1

    def _pile(self, cards: list[Card]) -> Pile:
        weights = [0]
        for card in cards:
            weights.append(weights[-1] + self.shapes.weights[card])
        return Pile(tuple(cards), weights)

    def fill(self, runs: Runs, chosen: list[int]) -> None:
        """Fill the runs and sets of these ranks, given as fields, in the order of the sets."""
        sizes = self.distances.sets
        if len(set(chosen)) == len(chosen):
            sets = tuple([SetShape(f, (n,)) for f, n in zip(chosen, sizes, strict=True)])
        else:
            grouped: dict[int, tuple[int, ...]] = {}
            for size, field in zip(sizes, chosen, strict=True):
                grouped[field] = (*grouped.get(field, ()), size)
            sets = tuple([SetShape(field, of_rank) for field, of_rank in grouped.items()])
        if self._fill_runs(runs, sets) and not self.distances.is_exact:
            return
        if not runs:
            return
        contested = [
            (i, field)
            for i, (_, shape) in enumerate(runs)
            for field in chosen
            if shape.used >> 8 * field & 1
        ]
        for n in range(1, len(contested) + 1):
            for back in combinations(contested, n):
                fewer = self._giving_back(runs, back)
                if fewer is not None:
                    self._fill_runs(fewer, sets)

    def _giving_back(self, runs: Runs, back: tuple[tuple[int, int], ...]) -> Runs | None:
        """The runs without some naturals, by number of run and field, for the sets."""
        fewer = list(runs)
        for i, field in back:
            suit, shape = fewer[i]
            fewer[i] = suit, self.shapes.without(shape, 1 << 8 * field)
        limits = self.tables.limits
        return tuple(fewer) if all(s.gap <= limits[s.size] for _, s in fewer) else None

    def _fill_runs(self, runs: Runs, sets: tuple[SetShape, ...]) -> bool:
        """Judge the shapes; whether all wilds are laid for free."""
        if not self.tables.has_natural_twos:
            return self._fill_with(self.pile, runs, sets, 0, NO_TWOS)
        twos_in_place = [
            Card("2" + SUITS[suit]) for suit, shape in runs if shape.used >> 8 * TWO_FIELD & 1
        ]
        of_twos = [group.sizes for group in sets if group.field == TWO_FIELD]
        if not of_twos and not twos_in_place:
            return self._fill_with(self.pile, runs, sets, 0, NO_TWOS)
        wilds = list(self.wilds)
        for card in twos_in_place:
            wilds.remove(card)
        if not of_twos:
            return self._fill_with(self._pile(wilds), runs, sets, 0, NO_TWOS)
        (sizes,) = of_twos
        others = tuple([group for group in sets if group.field != TWO_FIELD])
        for twos in self._sets_of_twos(wilds, sizes):
            rest = list(wilds)
            taken = self._take_twos(wilds, *twos)
            for card in taken:
                rest.remove(card)
            weight = sum([self.shapes.weights[card] for card in taken])
            self._fill_with(self._pile(rest), runs, others, weight, (twos, sizes))
        return False

    def _fill_with(
        self, pile: Pile, runs: Runs, sets: tuple[SetShape, ...], weight: int, twos: OfTwos
    ) -> bool:
        """Lay as many wilds as pays; whether all are laid without taking a natural's place."""
        weights, counts = self.shapes.field_weights, self.counts
        is_exact = self.distances.is_exact
        wilds: list[int] = []
        costs: list[tuple[int, int]] = []
        for i, (_, shape) in enumerate(runs):
            weight += shape.weight
            wilds.append(shape.gap)
            prices = self.shapes.costs(shape)
            if prices:
                costs += [(cost, i) for cost in prices]
        for i, group in enumerate(sets, len(runs)):
            field, sizes = group
            count = counts[field]
            for _, shape in runs:
                count -= shape.used >> 8 * field & 1
            fits = self.fit(count, sizes)
            if fits is None:
                return False
            least, most, laid = fits
            weight += laid * weights[field]
            wilds.append(least)
            if most > least:
                costs += [(weights[field] if is_exact else 0, i)] * (most - least)
        used, all_wilds = sum(wilds), len(pile.cards)
        if used > all_wilds:
            return False
        costs.sort()
        is_free = len(costs) >= all_wilds - used
        for cost, i in costs[: all_wilds - used]:
            if cost:
                is_free = False
                if pile.weights[used + 1] - pile.weights[used] <= cost:
                    break
            used += 1
            wilds[i] += 1
            weight -= cost
        weight += pile.weights[used]
        if weight > self.best_weight:
            self.best_weight = weight
            self.best = Filled(runs, sets, wilds, *twos)
        return is_free

    def _sets_of_twos(self, wilds: list[Card], sizes: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """How many twos, as naturals, and how many other wilds sets of twos can have."""
        twos = sum(RANK[card] == "2" for card in wilds)
        for naturals in range(twos + 1):
            fits = self.fit(naturals, sizes)
            if fits is None:
                continue
            least, most, laid = fits
            if laid == naturals:
                for n in range(least, min(most, len(wilds) - twos) + 1):
                    if not self.distances.is_exact or n + naturals == sum(sizes):
                        yield naturals, n

    def _take_twos(self, wilds: list[Card], twos: int, others: int) -> list[Card]:
        return [card for card in wilds if RANK[card] == "2"][:twos] + [
            card for card in wilds if RANK[card] != "2"
        ][:others]

    def fit(self, count: int, sizes: Sequence[int]) -> tuple[int, int, int] | None:
        """Tell how sets of one rank take that many naturals.

        Returns:
            The fewest and the most wilds that go with them, and how many naturals
            are laid with the fewest; None if they are too few.
        """
        tables = self.tables
        is_exact = self.distances.is_exact
        size = sum(sizes)
        laid = min(count, size) if is_exact else count
        if len(sizes) == 1:
            least = max(0, size - laid)
            most = tables.limits[size] if is_exact else tables.room[count]
        else:
            split = self._deal_out(laid, sizes)
            if split is None:
                return None
            least = max(0, size - laid)
            most = (
                sum([tables.limits[n] for n in sizes])
                if is_exact
                else sum([tables.room[n] for n in split])
            )
        return (least, most, laid) if least <= most else None

    def _deal_out(self, naturals: int, sizes: Sequence[int]) -> list[int] | None:
        """Deal naturals out to sets of one rank: their quotas first, then up to their sizes."""
        split = [max(0, self.tables.quotas[n]) for n in sizes]
        if sum(split) > naturals:
            return None
        for i, n in enumerate(sizes):
            split[i] += min(n - split[i], naturals - sum(split))
        split[0] += naturals - sum(split)
        return split

    def melds(self) -> tuple[Meld, ...]:
        """Return the melds of the best laydown, sets first."""
        filled = self.best
        assert filled is not None, "a hand at distance 0 can go down"
        pile = list(self.wilds)
        is_wild = self.tables.rules.wilds
        rest = [card for card in self.hand if card not in is_wild]
        for suit, shape in filled.runs:
            for card in self.shapes.naturals(suit, shape):
                (pile if card in is_wild else rest).remove(card)
        sets: list[Meld] = []
        if filled.twos_sizes:
            cards = self._take_twos(pile, *filled.twos)
            for card in cards:
                pile.remove(card)
            twos = [card for card in cards if RANK[card] == "2"]
            others = [card for card in cards if RANK[card] != "2"]
            sets += self._split(SetShape(TWO_FIELD, filled.twos_sizes), twos, others)
        for group, count in zip(filled.sets, filled.wilds[len(filled.runs) :], strict=True):
            rank = FIELDS[group.field]
            naturals = [card for card in rest if RANK[card] == rank]
            if self.distances.is_exact:
                naturals = naturals[: sum(group.sizes) - count]
            sets += self._split(group, naturals, pile[:count])
            pile = pile[count:]
        runs = []
        for (suit, shape), count in zip(filled.runs, filled.wilds, strict=False):
            runs.append(self._run(suit, shape, pile[:count]))
            pile = pile[count:]
        return (*sets, *runs)

    def _split(self, group: SetShape, naturals: list[Card], wilds: list[Card]) -> list[Meld]:
        """Deal the cards of a rank out to its sets."""
        rank = FIELDS[group.field]
        sizes = group.sizes
        if len(sizes) == 1:
            return [set_of(rank, [*naturals, *wilds])]
        limits, room = self.tables.limits, self.tables.room
        split = self._deal_out(len(naturals), sizes)
        assert split is not None, "what was filled can be dealt out"
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
        grows = min(self.shapes.growth(shape), len(wilds) - shape.gap)
        above = min(grows, tables.high - (shape.low + shape.size - 1))
        low = shape.low - (grows - above)
        naturals = self.shapes.naturals(suit, shape)
        replaced = len(wilds) - shape.gap - grows
        if replaced:
            is_wild = tables.rules.wilds
            by_price = sorted(
                [card for card in naturals if card not in is_wild],
                key=self.shapes.weights.__getitem__,
            )
            naturals = [card for card in naturals if card not in by_price[:replaced]]
        stack = list(wilds)
        cards = [
            card if card in naturals else stack.pop()
            for card in PLACE_CARDS[suit][low : low + shape.size + grows]
        ]
        return run_of(SUITS[suit], low, cards)
