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


Runs = tuple[tuple[int, Shape], ...]
"""The shapes of all runs, each with the number of its suit."""


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

    def _runs(self) -> Iterator[Runs]:
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

        def spread(i: int, part: int, runs: Runs, weight: int, gap: int) -> Iterator[Runs]:
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

    def _try_sets(self, runs: Runs) -> None:
        """Choose ranks for the sets, the heaviest first."""
        distances, weights = self.distances, self.laydowns.field_weights
        sizes = distances.sets
        base = self.all_wilds + sum([shape.weight for _, shape in runs])
        counts, naturals = self.counts, self.tables.natural_ranks
        weight_left = self.rank_weights
        if runs:
            weight_left = list(weight_left)
            for _, shape in runs:
                for field in range(len(FIELDS)):
                    if shape.used & naturals & 1 << 8 * field:
                        weight_left[field] -= weights[field]
        heaviest = sorted(weight_left, reverse=True)
        if base + sum(heaviest[: len(sizes)]) <= self.best_weight:
            return
        wilds = len(self.wilds) - sum([shape.gap for _, shape in runs])
        fields = self._fields(weight_left)
        top = [weight_left[field] for field in fields]
        may_repeat = distances.may_repeat
        is_last_size = [size == sizes[-1] for size in sizes]
        chosen: list[int] = []

        def choose(i: int, first: int, weight: int, lacking: int) -> None:
            if i == len(sizes):
                self._fill(runs, chosen)
                return
            size = sizes[i]
            start = first if i and size == sizes[i - 1] else 0
            more = len(sizes) - i - 1
            for j in range(start, len(fields)):
                field = fields[j]
                # What the sets to come can bring is at most the heaviest ranks.
                rest = top[j + 1 : j + 1 + more] if is_last_size[i] else top[:more]
                is_again = may_repeat and field in chosen
                if weight + top[j] + sum(rest) <= self.best_weight:
                    if is_again:
                        continue
                    return
                if is_again:
                    wants = self._wants_again(field, chosen, size)
                elif field in chosen:
                    continue
                elif field == TWO_FIELD and self.tables.has_natural_twos:
                    wants = size
                else:
                    wants = max(0, size - counts[field])
                if lacking + wants <= wilds:
                    gain = 0 if is_again else top[j]
                    chosen.append(field)
                    choose(i + 1, j if may_repeat else j + 1, weight + gain, lacking + wants)
                    chosen.pop()

        choose(0, 0, base, 0)

    def _fields(self, weights: list[int]) -> list[int]:
        """The ranks worth trying, the heaviest first; of those not held, enough."""
        counts = self.counts
        fields = self.tables.set_fields
        held = sorted(
            [field for field in fields if counts[field]],
            key=lambda field: (-weights[field], -counts[field], field),
        )
        others = [field for field in fields if not counts[field]]
        if self.tables.has_natural_twos:
            others.sort(key=lambda field: field != TWO_FIELD)
        return held + others[: len(self.distances.sets) + self.tables.has_natural_twos]

    def _wants_again(self, field: int, chosen: list[int], size: int) -> int:
        """How many wilds one more set of a rank needs at the least."""
        if field == TWO_FIELD and self.tables.has_natural_twos:
            return size
        sizes = [n for n, other in zip(self.distances.sets, chosen, strict=False) if other == field]
        spare = self.counts[field] - sum(sizes)
        return max(0, size - spare) - max(0, -spare)

    # -- the wilds

    def _fill(self, runs: Runs, chosen: list[int]) -> None:
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
            fewer[i] = suit, self._without(shape, 1 << 8 * field)
        limits = self.tables.limits
        return tuple(fewer) if all(s.gap <= limits[s.size] for _, s in fewer) else None

    def _fill_runs(self, runs: Runs, sets: tuple[SetShape, ...]) -> bool:
        """Judge the shapes; whether all wilds are laid for free."""
        if not self.tables.has_natural_twos:
            return self._fill_with(self.pile, runs, sets, 0, Filled(runs, sets, []))
        wilds = list(self.wilds)
        for suit, shape in runs:
            if shape.used >> 8 * TWO_FIELD & 1:
                wilds.remove(Card("2" + SUITS[suit]))
        of_twos = [group.sizes for group in sets if group.field == TWO_FIELD]
        if not of_twos:
            return self._fill_with(self._pile(wilds), runs, sets, 0, Filled(runs, sets, []))
        (sizes,) = of_twos
        others = tuple([group for group in sets if group.field != TWO_FIELD])
        for twos in self._sets_of_twos(wilds, sizes):
            rest = list(wilds)
            taken = self._take_twos(wilds, *twos)
            for card in taken:
                rest.remove(card)
            weight = sum([self.laydowns.weights[card] for card in taken])
            filled = Filled(runs, others, [], twos, sizes)
            self._fill_with(self._pile(rest), runs, others, weight, filled)
        return False

    def _fill_with(
        self, pile: Pile, runs: Runs, sets: tuple[SetShape, ...], weight: int, filled: Filled
    ) -> bool:
        """Lay as many wilds as pays; whether all are laid without taking a natural's place."""
        weights = self.laydowns.field_weights
        is_exact = self.distances.is_exact
        wilds: list[int] = []
        costs: list[tuple[int, int]] = []
        for i, (_, shape) in enumerate(runs):
            weight += shape.weight
            wilds.append(shape.gap)
            costs += [(cost, i) for cost in self._costs(shape)]
        for i, group in enumerate(sets, len(runs)):
            count = self.counts[group.field]
            for _, shape in runs:
                count -= shape.used >> 8 * group.field & 1
            fits = self._fit(count, group.sizes)
            if fits is None:
                return False
            least, most, laid = fits
            weight += laid * weights[group.field]
            wilds.append(least)
            costs += [(weights[group.field] if is_exact else 0, i)] * (most - least)
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
            self.best, self.best_weight = filled._replace(wilds=wilds), weight
        return is_free

    def _costs(self, shape: Shape) -> list[int]:
        """What each wild more in a run costs: nothing at its ends, then a natural's weight."""
        tables = self.tables
        grows = self._growth(shape)
        size = shape.size + grows
        if shape.can_grow and size < tables.longest:
            return [0] * grows
        most = tables.limits[size] - shape.gap - grows
        used = shape.used & tables.natural_ranks
        prices = sorted(
            [w for field, w in enumerate(self.laydowns.field_weights) if used >> 8 * field & 1]
        )
        return [0] * grows + prices[:most]

    def _growth(self, shape: Shape) -> int:
        """How many wilds may be added at the ends."""
        if not shape.can_grow:
            return 0
        tables = self.tables
        room = tables.room[shape.size - shape.gap] - shape.gap
        return max(0, min(room, tables.longest - shape.size))

    def _sets_of_twos(self, wilds: list[Card], sizes: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """How many twos, as naturals, and how many other wilds sets of twos can have."""
        twos = sum(RANK[card] == "2" for card in wilds)
        for naturals in range(twos + 1):
            fits = self._fit(naturals, sizes)
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

    def _fit(self, count: int, sizes: tuple[int, ...]) -> tuple[int, int, int] | None:
        """How sets of one rank take that many naturals.

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

    def _deal_out(self, naturals: int, sizes: tuple[int, ...]) -> list[int] | None:
        """Deal naturals out to sets of one rank: their quotas first, then up to their sizes."""
        split = [max(0, self.tables.quotas[n]) for n in sizes]
        if sum(split) > naturals:
            return None
        for i, n in enumerate(sizes):
            split[i] += min(n - split[i], naturals - sum(split))
        split[0] += naturals - sum(split)
        return split

    # -- the answer

    def _build(self, filled: Filled) -> tuple[Meld, ...]:
        pile = list(self.wilds)
        rest = [card for card in self.hand if card not in self.tables.rules.wilds]
        for suit, shape in filled.runs:
            for card in self._naturals(suit, shape):
                (pile if card in self.tables.rules.wilds else rest).remove(card)
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
