"""The naturals that the wild limit asks for in any case: a bound for the distance.

It is what sets and runs lack if none takes a card from another. Where the distance is
no more than that, a card is of use only if it lessens it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .placing import RunTable
from .runs import FAR, MOST_KEPT
from .tables import AT_LEAST, HIGHS, PRESENT, TWOS

if TYPE_CHECKING:
    from .distance import Distances


class Needs:
    """The bound for any hand and one contract."""

    def __init__(self, distances: Distances) -> None:
        self.distances = distances
        self.twos = TWOS if distances.tables.has_natural_twos else 0
        sets = distances.sets
        quotas = [distances.tables.quotas[size] for size in sets]
        self.is_known = not distances.may_repeat or sets[0] == sets[-1]
        """Whether there is a bound but nothing: not where ranks repeat under other sizes."""
        repeats = len(quotas) if distances.may_repeat else 1
        self.levels = [
            (
                [v + j * quotas[0] for j in range(repeats)],
                sum(quota >= v for quota in quotas),
            )
            for v in range(1, quotas[0] + 1)
        ]
        """For each v: the counts at which a rank serves one more quota with a v-th card,
        and how many quotas can use it."""
        self.of_runs = RunNeeds(distances.table)

    def _naturals(self, tally: int) -> int:
        """The cards of each rank that can be natural in sets."""
        naturals = self.distances.ranks(tally)
        if self.twos:
            naturals += sum([suit & self.twos for suit in self.distances.suits(tally)])
        return naturals

    def least(self, tally: int) -> int:
        """Return a number of naturals that the hand lacks at the least."""
        if not self.is_known:
            return 0
        need = 0
        naturals = self._naturals(tally)
        for counts, quotas in self.levels:
            n = 0
            for count in counts:
                n += ((naturals + AT_LEAST[count]) & HIGHS).bit_count()
            if n < quotas:
                need += quotas - n
        distances = self.distances
        if distances.table.has_quotas:
            suits = distances.suits(tally)
            for size in distances.runs:
                need += min([self.of_runs.of(suit, size)[0] for suit in suits])
        return need

    def wanted(self, tally: int) -> list[int]:
        """Return for each suit the high bits of the cards that would lessen `least`."""
        naturals = self._naturals(tally)
        gain = 0
        for counts, quotas in self.levels:
            n = short = 0
            for count in counts:
                have = (naturals + AT_LEAST[count]) & HIGHS
                n += have.bit_count()
                short |= (naturals + AT_LEAST[count - 1]) & HIGHS & ~have
            if n < quotas:
                gain |= short
        found = [gain] * 4
        distances = self.distances
        if distances.table.has_quotas:
            suits = distances.suits(tally)
            for size in set(distances.runs):
                needs = [self.of_runs.of(suit, size) for suit in suits]
                least = min([need for need, _ in needs])
                if least:
                    for suit, (need, wanted) in enumerate(needs):
                        if need == least:
                            found[suit] |= wanted
        return found


class RunNeeds:
    """What one run lacks in a suit at the least."""

    def __init__(self, table: RunTable) -> None:
        self.table = table
        self.kept: dict[tuple[int, int], tuple[int, int]] = {}

    def of(self, suit: int, size: int) -> tuple[int, int]:
        """Return what a run of a size, or a longer one, needs, and what would lessen it."""
        have = suit + PRESENT & HIGHS
        found = self.kept.get((have, size))
        if found is None:
            if len(self.kept) >= MOST_KEPT:
                self.kept.clear()
            found = self.kept[have, size] = self._of(have >> 7, size)
        return found

    def _of(self, have: int, size: int) -> tuple[int, int]:
        quotas = self.table.tables.quotas
        least, wanted = FAR, 0
        for run in self.table.of_size[size]:
            need = max(0, quotas[run.size] - (have & run.span).bit_count())
            if need < least:
                least, wanted = need, 0
            if need == least:
                wanted |= run.span & ~have
        return least, wanted << 7
