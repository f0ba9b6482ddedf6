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
from itertools import accumulate, product
from operator import mul

from ..cards import ORDER, PLACE_RANKS, RANK, SUITS, Card, Hand
from ..melds import Meld, run_of
from .distance import Distances
from .filling import Filling
from .overlapping import Overlapping
from .packing import RunPacking, can_pack
from .runs import FAR
from .shapes import Runs, Shapes, Way
from .tables import FIELDS, HIGHS, PRESENT, TWO_FIELD, place_field

MOST_NATURALS = 63
"""More naturals are not told apart where the room for wilds is looked up."""


def _may_be_set(distances: Distances, naturals: int) -> bool:
    """Whether the wild limit allows a set of so many naturals, be it of the least size."""
    if not distances.sets:
        return False
    limits, size = distances.tables.limits, distances.sets[-1]
    if distances.is_exact:
        return size - naturals <= limits[size]
    return any(limits[n] >= n - naturals for n in range(max(size, naturals), 129))


def room_of(distances: Distances) -> list[int]:
    """Return how many wilds a contract can take at the most, by the naturals in hand."""
    of_meld = distances.tables.room
    room = [0] * (MOST_NATURALS + 1)
    for _ in distances.sets + distances.runs:
        room = [
            max([room[n - k] + of_meld[k] for k in range(n + 1)]) for n in range(MOST_NATURALS + 1)
        ]
    return [min(n, distances.size) for n in room] if distances.is_exact else room


class Laydowns:
    """The best laydown of any hand for one contract under one rule set."""

    def __init__(self, distances: Distances) -> None:
        self.distances = distances
        self.tables = distances.tables
        if not distances.is_possible:
            return
        self.shapes = Shapes(distances.table)
        self.weights = self.shapes.weights
        weights = self.weights
        self.wild_order = {card: (-weights[card], ORDER[card]) for card in self.tables.rules.wilds}
        """The wilds, and what to sort them by."""
        self.room = room_of(distances)
        self.fits = [_may_be_set(distances, naturals) for naturals in range(129)]
        """By the naturals of a rank: whether they may be one of the contract's sets."""
        self.packing = (
            RunPacking(distances.table, self.shapes.field_weights)
            if can_pack(distances.table)
            else None
        )
        self.overlapping = (
            Overlapping(self.shapes)
            if self.packing is None and len(distances.runs) > 1 and not distances.sets
            else None
        )

    def of(self, tally: int, hand: Hand) -> tuple[Meld, ...] | None:
        """Return the melds, or None if the hand cannot go down."""
        if self.distances.of(tally, len(hand), 0, 1):
            return None
        melds = self._melds(tally, hand)
        if not self.distances.least_left or sum(len(meld.cards) for meld in melds) < len(hand):
            return melds
        return self._keeping_one(tally, hand)

    def _melds(self, tally: int, hand: Hand) -> tuple[Meld, ...]:
        if self.packing is None:
            search = _Search(self, tally, hand)
            if self.overlapping is None:
                return search.melds()
            return search.melds_of(self.overlapping.best(search.suits, search.piles()))
        wilds = self.wilds_of(hand)
        weights = [0]
        for card in wilds:
            weights.append(weights[-1] + self.weights[card])
        placed = self.packing.best(tally, weights)
        assert placed is not None, "a hand at distance 0 can go down"
        melds = []
        for suit, (run, held) in placed:
            cards = []
            for place in range(run.low, run.low + run.size):
                is_natural = held & 1 << 8 * place_field(place)
                own = Card(PLACE_RANKS[place] + SUITS[suit])
                cards.append(own if is_natural else wilds.pop(0))
            melds.append(run_of(SUITS[suit], run.low, cards))
        return tuple(sorted(melds, key=lambda meld: -len(meld.cards)))

    def wilds_of(self, hand: Hand) -> list[Card]:
        """Return the wilds of a hand, the dearest first."""
        order = self.wild_order
        found = [card for card in hand if card in order]
        if len(found) > 1:
            found.sort(key=order.__getitem__)
        return found

    def _keeping_one(self, tally: int, hand: Hand) -> tuple[Meld, ...]:
        """A card must stay for the discard: try each, the cheapest first."""
        weights = self.weights
        whole = sum([weights[card] for card in hand])
        best: tuple[Meld, ...] = ()
        best_weight = -1
        for kept in sorted(dict.fromkeys(hand), key=weights.__getitem__):
            if whole - weights[kept] <= best_weight:
                break
            rest = list(hand)
            rest.remove(kept)
            less = tally - self.tables.weights[kept]
            if self.distances.of(less, len(hand), 0, 1) == 0:
                melds = self._melds(less, tuple(rest))
                weight = sum([weights[card] for meld in melds for card in meld.cards])
                if weight > best_weight:
                    best, best_weight = melds, weight
        assert best, "a hand at distance 0 can go down"
        return best


class _Search:
    """One search."""

    def __init__(self, laydowns: Laydowns, tally: int, hand: Hand) -> None:
        self.laydowns = laydowns
        self.distances = distances = laydowns.distances
        self.tables = tables = laydowns.tables
        self.suits = distances.suits(tally)
        self.ranks = distances.ranks(tally)
        self.counts = self.ranks.to_bytes(len(FIELDS), "little")
        self.wilds = laydowns.wilds_of(hand)
        self.filling = Filling(distances, laydowns.shapes, hand, self.counts, self.wilds)
        self.wild_weights = [laydowns.weights[card] for card in self.wilds]
        self.all_wilds = self.filling.pile.weights[self._most_wilds()]
        fits, has_twos = laydowns.fits, tables.has_natural_twos
        self.held: list[int] = []
        """The ranks held of which there are enough for a set."""
        self.not_held: list[int] = []
        for field in tables.set_fields if distances.sets else ():
            count = self.counts[field]
            if count:
                if fits[count] or (field == TWO_FIELD and has_twos):
                    self.held.append(field)
            elif fits[0] or (field == TWO_FIELD and has_twos):
                self.not_held.append(field)
        if has_twos:
            self.not_held.sort(key=lambda field: field != TWO_FIELD)
        del self.not_held[len(distances.sets) + has_twos :]
        self.rank_weights = list(map(mul, self.counts, laydowns.shapes.field_weights))

    def _most_wilds(self) -> int:
        """How many wilds can be laid at the most, with all naturals of the hand."""
        naturals, twos = sum(self.counts), 0
        if self.tables.has_natural_twos:
            # they may be laid as what they are, and make room for others then
            twos = sum([suit >> 8 * TWO_FIELD & 0xFF for suit in self.suits])
        room = self.laydowns.room[min(naturals + twos, MOST_NATURALS)]
        return min(len(self.wilds), room + twos)

    def melds(self) -> tuple[Meld, ...]:
        """Return the best laydown's melds, sets first."""
        for runs in self._runs():
            self._try_sets(runs)
        return self.filling.melds()

    def melds_of(self, runs: Runs) -> tuple[Meld, ...]:
        """Return the melds of some runs."""
        self.filling.fill(runs, [])
        return self.filling.melds()

    def piles(self) -> list[list[int]]:
        """The weight of the first 0, 1, 2 ... wilds, with 0, 1, 2 ... twos taken out."""
        wilds, weights = list(self.wilds), self.laydowns.weights
        found = [self.filling.pile.weights]
        twos = [card for card in wilds if RANK[card] == "2"] if self.tables.has_natural_twos else []
        for card in twos[: len(self.distances.runs)]:
            wilds.remove(card)
            found.append([0, *accumulate([weights[wild] for wild in wilds])])
        return found

    # -- the runs

    def _runs(self) -> Iterator[Runs]:
        """Every way to lay the runs that could still lead to a better laydown."""
        distances = self.distances
        if not distances.runs:
            yield ()
            return
        weights = [self.rank_weights[field] for field in self.held]
        sets = sorted(weights, reverse=True)[: len(distances.sets)]
        bound = self.all_wilds + sum(sets)
        if len(distances.runs) == 1:
            yield from self._single_runs(bound)
        else:
            yield from self._several_runs(bound)

    def _single_runs(self, bound: int) -> Iterator[Runs]:
        distances, most = self.distances, len(self.wilds)
        if not distances.is_open:
            # what the best ranks leave open in the sets takes its wilds in any case
            most -= distances.set_size - distances.filled(self.ranks)[0]
        size, fewest_gaps = distances.runs[0], distances.table.fewest_gaps
        shapes = [
            (shape.weight, -shape.gap, i, shape)
            for i, suit in enumerate(self.suits)
            if fewest_gaps[suit + PRESENT & HIGHS] <= most
            for shape in self.laydowns.shapes.of(suit, size)
            if shape.gap <= most
        ]
        shapes.sort(reverse=True)
        for weight, _, i, shape in shapes:
            if weight + bound <= self.filling.best_weight:
                return
            yield ((i, shape),)

    def _several_runs(self, bound: int) -> Iterator[Runs]:
        distances, wilds = self.distances, len(self.wilds)
        table, shapes = distances.table, self.laydowns.shapes
        suits, parts = self.suits, range(len(table.parts))
        ways: list[list[list[Way] | None]] = [[None for _ in parts] for _ in suits]
        """How each part can lie in each suit, worked out only where that may be of use."""
        most_of = [[shapes.most(suit, part, wilds) for part in parts] for suit in suits]
        ahead = [[0] + [-FAR] * (len(table.parts) - 1)]
        for most_here in reversed(most_of):
            ahead.append(
                [max([ahead[-1][i] + most_here[j] for i, j in join]) for join in table.joins]
            )
        ahead.reverse()

        sets = len(distances.sets)

        def spread(
            i: int, part: int, laid: tuple[Way, ...], weight: int, gap: int
        ) -> Iterator[Runs]:
            if i == len(ways):
                left = self.ranks - sum([way.used for way in laid])
                if weight + self._top_sets(left, sets) > self.filling.best_weight:
                    yield from self._shared(laid)
                return
            for rest, here in table.joins[part]:
                most = weight + ahead[i + 1][rest] + bound
                if most + most_of[i][here] <= self.filling.best_weight:
                    continue
                found = ways[i][here]
                if found is None:
                    found = ways[i][here] = shapes.ways(suits[i], here, wilds)
                for way in found:
                    if most + way.weight <= self.filling.best_weight:
                        break
                    if gap + way.gap <= wilds:
                        more = weight + way.weight, gap + way.gap
                        yield from spread(i + 1, rest, (*laid, way), *more)

        yield from spread(0, len(table.parts) - 1, (), 0, 0)

    def _top_sets(self, left: int, sets: int) -> int:
        """The most that so many ranks, of which the runs leave some, and all wilds weigh."""
        counts, weights = left.to_bytes(len(FIELDS), "little"), self.laydowns.shapes.field_weights
        top = sorted([counts[field] * weights[field] for field in self.held], reverse=True)
        return sum(top[:sets]) + self.all_wilds

    def _shared(self, laid: tuple[Way, ...]) -> Iterator[Runs]:
        """The runs of each suit with the cards that more of them want shared out."""
        shapes, wilds = self.laydowns.shapes, len(self.wilds)
        choices = [
            shapes.shared(suit, way.shapes, wilds) if way.is_short else (way.shapes,)
            for suit, way in zip(self.suits, laid, strict=True)
        ]
        for choice in product(*choices):
            yield tuple([(i, shape) for i, some in enumerate(choice) for shape in some])

    # -- the sets

    def _try_sets(self, runs: Runs) -> None:
        """Choose ranks for the sets, the heaviest first."""
        distances, weights = self.distances, self.laydowns.shapes.field_weights
        sizes = distances.sets
        base = self.all_wilds + sum([shape.weight for _, shape in runs])
        naturals = self.tables.natural_ranks
        counts, weight_left = self.counts, self.rank_weights
        if runs:
            used = sum([shape.used & naturals for _, shape in runs])
            # a card that a run uses is one less for the set, or a gap more in the run
            counts = (self.ranks - used).to_bytes(len(FIELDS), "little")
            weight_left = list(map(mul, counts, weights))
        fields = self._fields(weight_left)
        top = [weight_left[field] for field in fields]
        if base + sum(top[: len(sizes)]) <= self.filling.best_weight:
            return
        wilds = len(self.wilds) - sum([shape.gap for _, shape in runs])
        # the first 0, 1, 2 ... of them, and as many more as there are sets
        top_sums = [0, *accumulate(top)]
        top_sums += top_sums[-1:] * len(sizes)
        may_repeat = distances.may_repeat
        chosen: list[int] = []
        last = len(top)
        is_exact = distances.is_exact
        cards = self.wild_weights + self._naturals(runs) if is_exact else []
        filling, two = self.filling, TWO_FIELD if self.tables.has_natural_twos else -1
        # for each set, how many come after it, and whether of ranks that come later
        after = [(len(sizes) - i - 1, size == sizes[-1]) for i, size in enumerate(sizes)]

        def choose(i: int, first: int, weight: int, lacking: int) -> None:
            if i == len(sizes):
                if is_exact and self._dearest(cards, counts, chosen) <= filling.best_weight:
                    return
                filling.fill(runs, chosen)
                return
            size = sizes[i]
            more, is_later = after[i]
            for j in range(first if i and size == sizes[i - 1] else 0, last):
                field = fields[j]
                is_again = field in chosen
                most = top_sums[j + 1 + more] - top_sums[j] if is_later else top[j] + top_sums[more]
                if weight + most <= filling.best_weight:
                    if is_again and may_repeat:
                        continue
                    return
                if is_again:
                    if not may_repeat:
                        continue
                    wants = self._wants_again(field, chosen, size, counts)
                elif field == two:
                    wants = size
                else:
                    wants = size - counts[field]
                    if wants < 0:
                        wants = 0
                if lacking + wants <= wilds:
                    gain = 0 if is_again else top[j]
                    chosen.append(field)
                    choose(i + 1, j if may_repeat else j + 1, weight + gain, lacking + wants)
                    chosen.pop()

        choose(0, 0, base, 0)

    def _naturals(self, runs: Runs) -> list[int]:
        """The weight of each natural in some runs, natural twos aside."""
        weights, naturals = self.laydowns.shapes.field_weights, self.tables.natural_ranks
        return [
            weight
            for _, shape in runs
            for field, weight in enumerate(weights)
            if shape.used & naturals & 1 << 8 * field
        ]

    def _dearest(self, cards: list[int], counts: bytes, chosen: list[int]) -> int:
        """The most that a contract without cards beyond its sizes can weigh.

        Args:
            cards: What each wild and each natural of the runs weighs.
            counts: The naturals of each rank that are left for the sets.
            chosen: The ranks of the sets.
        """
        weights = self.laydowns.shapes.field_weights
        cards = list(cards)
        for field in set(chosen):
            cards += [weights[field]] * counts[field]
        cards.sort(reverse=True)
        return sum(cards[: self.distances.size])

    def _fields(self, weights: list[int]) -> list[int]:
        """The ranks worth trying, the heaviest first; of those not held, enough."""
        counts = self.counts
        held = sorted([(-weights[field], -counts[field], field) for field in self.held])
        return [field for _, _, field in held] + self.not_held

    def _wants_again(self, field: int, chosen: list[int], size: int, counts: bytes) -> int:
        """How many wilds one more set of a rank needs at the least."""
        if field == TWO_FIELD and self.tables.has_natural_twos:
            return size
        sizes = [n for n, other in zip(self.distances.sets, chosen, strict=False) if other == field]
        spare = counts[field] - sum(sizes)
        return max(0, size - spare) - max(0, -spare)
