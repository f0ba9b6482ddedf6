"""The distance as the gaps alone tell it, for contracts that have sets and several runs.

The gaps of a laydown never grow by shortening a run to its least size, and the
cards that a run uses lessen what the sets can fill by no more than they fill in the
run. So only runs of least size are placed, in each suit only those ways are tried
that use a set of cards not within another's, and what the best ranks fill follows
from counting. With `G` gaps at the least the distance is

    max(0, G - wilds, size of the contract - cards in hand)

unless the wild limit asks for more; whether it may is seen from the way found, and
then, or where ranks repeat under sizes that differ, nothing is said here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .lies import Lie, lies_of
from .placing import RunTable
from .runs import FAR, MOST_KEPT
from .tables import (
    ALL_HIGHS,
    ALL_PRESENT,
    AT_LEAST,
    HIGHS,
    ONES,
    SHIFTS,
    SUIT_MASK,
    WILD_SHIFT,
)

if TYPE_CHECKING:
    from .distance import Distances


Way = tuple[int, tuple[Lie, ...], int]
"""The gaps of a way, how the runs lie in each suit, and the ranks left for the sets."""


class _Suit:
    """How the runs can lie in a suit of a certain tally, each part worked out when asked for."""

    __slots__ = ("_all", "_best", "_suit", "_table", "least")

    def __init__(self, table: RunTable, suit: int) -> None:
        self._table = table
        self._suit = suit
        parts = table.parts
        self._all: list[tuple[Lie, ...] | None] = [None] * len(parts)
        self._best: list[tuple[Lie, ...] | None] = [None] * len(parts)
        self.least = [0] + [FAR] * (len(parts) - 1)
        """The least gap of each part, or a lower bound of it."""
        alone: dict[int, int] = {}
        for number, part in enumerate(parts):
            if len(part) == 1:
                self.all(number)
                alone[part[0]] = self.least[number]
            elif part and len(part) <= table.per_suit:
                self.least[number] = min(FAR, sum([alone[size] for size in part]))

    def all(self, part: int) -> tuple[Lie, ...]:
        """Return all lies of a part, those with the least gap first."""
        found = self._all[part]
        if found is None:
            found = self._all[part] = tuple(
                lies_of(self._table, self._suit, part, only_least=False)
            )
            self.least[part] = found[0].gap if found else FAR
        return found

    def best(self, part: int) -> tuple[Lie, ...]:
        """Return the lies whose cards are not within those of another."""
        found = self._best[part]
        if found is None:
            kept: list[Lie] = []
            for lie in self.all(part):
                # of equal sizes, more cards are fewer gaps: the better ones come first
                used = lie.used
                for other in kept:
                    if not (HIGHS + used - other.used - ONES) & HIGHS:
                        break
                else:
                    kept.append(lie)
            found = self._best[part] = tuple(kept)
        return found


class Gaps:
    """The distance of any hand to one contract, where gaps decide it."""

    def __init__(self, distances: Distances) -> None:
        self.distances = distances
        self.tables = distances.tables
        self.table = distances.table
        self.kept: dict[int, _Suit] = {}
        sets = distances.sets
        quotas = [self.tables.quotas[size] for size in sets]
        repeats = len(sets) if distances.may_repeat and sets[0] == sets[-1] else 1
        self.levels = [
            (
                tuple([v + j * sets[0] for j in range(repeats)]),
                sum(size >= v for size in sets),
                sum(quota >= v for quota in quotas),
            )
            for v in range(1, sets[0] + 1)
        ]
        """For each v: the counts at which a rank offers one more set a v-th card, and
        how many sets, and how many quotas of sets, can use it."""
        self.plain_levels = [
            (AT_LEAST[counts[0]], n_sets, n_quotas) for counts, n_sets, n_quotas in self.levels
        ]
        """The same where no rank has cards for more than one set."""
        self.has_closed_form = repeats == len(sets) or not distances.may_repeat
        self.too_many = AT_LEAST[sets[0] + 1]
        self.some = AT_LEAST[sets[-1]]

    def of(
        self, tally: int, cards: int, enough: int = 0, most_of_use: int = FAR
    ) -> tuple[int, int] | None:
        """Return the least that the distance can be, and the most: often the same.

        None where gaps do not tell it. Nothing better than `enough` is looked for, and
        nothing that is not better than `most_of_use`.
        """
        distances = self.distances
        ranks = distances.ranks(tally)
        if not self.has_closed_form and (ranks + self.too_many) & HIGHS:
            return None
        short = max(0, distances.size + distances.least_left - cards)
        best, best_need = FAR, FAR
        wilds = tally >> WILD_SHIFT
        least_places = self.filled(ranks)[0]
        suits = self._suits(tally)
        ahead = self._ahead(suits)
        joins = self.table.joins
        # fewer gaps than the wilds fill, or than cards are short, make no difference
        least = max(short, enough)
        floor = least + wilds

        # ways with as many gaps are tried only while the wild limit may bind
        most = most_of_use + wilds

        def spread(i: int, part: int, gap: int, need: int, left: int) -> None:
            nonlocal best, best_need, most
            if not part:
                places, quota = self.filled(left)
                total = gap + distances.set_size - places
                need += distances.quota - quota
                if total < best or (total == best and need < best_need):
                    best, best_need = total, need
                    most = min(most, best if need <= max(short, best - wilds) else best + 1)
                return
            rest_of = ahead[i + 1]
            suit = suits[i]
            base = gap + distances.set_size - least_places
            for rest, here in joins[part]:
                bound = base + rest_of[rest]
                if bound + suit.least[here] >= most:
                    continue
                if not here:
                    spread(i + 1, rest, gap, need, left)
                    continue
                for lie in suit.best(here):
                    if bound + lie.gap >= most or (best <= floor and best_need <= least):
                        break
                    spread(i + 1, rest, gap + lie.gap, need + lie.need, left - lie.used)

        spread(0, len(joins) - 1, 0, 0, ranks)
        if best >= FAR:
            return FAR, FAR
        found = max(short, best - wilds)
        return found, max(found, best_need)

    def ways(self, tally: int, gaps: int) -> Iterator[Way] | None:
        """Return every way with so many gaps, and some with fewer if there are.

        None if ranks may repeat in ways unknown here.
        """
        distances = self.distances
        ranks = distances.ranks(tally)
        if not self.has_closed_form and (ranks + self.some) & HIGHS:
            return None
        return self._ways(tally, gaps, ranks)

    def _ways(self, tally: int, gaps: int, ranks: int) -> Iterator[Way]:
        suits = self._suits(tally)
        ahead = self._ahead(suits)
        joins = self.table.joins
        sets = self.distances.set_size
        least = sets - self.filled(ranks)[0]
        none = Lie(0, 0, 0, 0)

        def spread(i: int, part: int, gap: int, left: int, laid: tuple[Lie, ...]) -> Iterator[Way]:
            if i == len(suits):
                total = gap + sets - self.filled(left)[0]
                if total <= gaps:
                    yield total, laid, left
                return
            for rest, here in joins[part]:
                bound = gap + ahead[i + 1][rest] + least
                if not here:
                    if bound <= gaps:
                        yield from spread(i + 1, rest, gap, left, (*laid, none))
                elif bound + suits[i].least[here] <= gaps:
                    for lie in suits[i].all(here):
                        if bound + lie.gap > gaps:
                            break
                        lies = (*laid, lie)
                        yield from spread(i + 1, rest, gap + lie.gap, left - lie.used, lies)

        return spread(0, len(joins) - 1, 0, ranks, ())

    def _suits(self, tally: int) -> tuple[_Suit, _Suit, _Suit, _Suit]:
        cards = tally & self.tables.in_runs_of_all
        if not self.table.may_overlap:
            cards = cards + ALL_PRESENT & ALL_HIGHS
        kept, work_out = self.kept.get, self._suit
        first = cards & SUIT_MASK
        second = cards >> SHIFTS[1] & SUIT_MASK
        third = cards >> SHIFTS[2] & SUIT_MASK
        fourth = cards >> SHIFTS[3]
        return (
            kept(first) or work_out(first),
            kept(second) or work_out(second),
            kept(third) or work_out(third),
            kept(fourth) or work_out(fourth),
        )

    def _suit(self, key: int) -> _Suit:
        """Keep a suit by its tally, or by its high bits where copies do not count."""
        if len(self.kept) >= MOST_KEPT:
            self.kept.clear()
        found = self.kept[key] = _Suit(self.table, key if self.table.may_overlap else key >> 7)
        return found

    def _ahead(self, suits: Sequence[_Suit]) -> list[list[int]]:
        """A bound for what each part needs in the suits from each one on."""
        found = [[0, *[FAR] * (len(self.table.parts) - 1)]]
        for suit in reversed(suits):
            least, rest = suit.least, found[-1]
            found.append([min([rest[i] + least[j] for i, j in join]) for join in self.table.joins])
        found.reverse()
        return found

    def filled(self, ranks: int) -> tuple[int, int]:
        """Return how many places, and how many of the quotas, the best ranks fill."""
        places = quota = 0
        if not (ranks + self.too_many) & HIGHS:
            for at_least, sets, quotas in self.plain_levels:
                n = ((ranks + at_least) & HIGHS).bit_count()
                places += n if n < sets else sets
                quota += n if n < quotas else quotas
            return places, quota
        for counts, sets, quotas in self.levels:
            n = 0
            for count in counts:
                n += ((ranks + AT_LEAST[count]) & HIGHS).bit_count()
            places += n if n < sets else sets
            quota += n if n < quotas else quotas
        return places, quota

    def marks(self, ranks: int) -> tuple[int, int, int, int, int]:
        """Quotas that the sets fill, and how one card of each rank changes that.

        The latter is told by the high bits of the ranks of which one more fills another
        place, of which one less leaves a place empty, and likewise for the quotas.
        """
        quota = gain = loss = quota_gain = quota_loss = 0
        for counts, sets, quotas in self.levels:
            n = 0
            short = enough = 0
            for count in counts:
                have = (ranks + AT_LEAST[count]) & HIGHS
                n += have.bit_count()
                short |= (ranks + AT_LEAST[count - 1]) & HIGHS & ~have
                enough |= have & ~(ranks + AT_LEAST[count + 1])
            if n < sets:
                gain |= short
            if n <= sets:
                loss |= enough
            if n < quotas:
                quota += n
                quota_gain |= short
            else:
                quota += quotas
            if n <= quotas:
                quota_loss |= enough
        return quota, gain, loss, quota_gain, quota_loss
