"""How many cards a hand lacks.

Fix where the runs lie and which ranks the sets have. Cards that are missing are
of two kinds. *Gaps* are places that no natural of the hand fills: with `wilds` in
hand, `gaps - wilds` cards must come. And the wild limit asks for a number of
naturals in each meld, its *quota*: what the hand lacks of all quotas together,
`need`, must come as naturals. A card that fills a need fills a gap as well, so

    distance = max(0, gaps - wilds, need, size of the contract - cards in hand)

and the least over all ways to lay the melds is sought. (That both bounds can be
met at once is a property of flows: one that serves the quotas grows into one
that serves all places.) A natural that a run and a set both want goes to the
run for the gaps, where it counts the same; for the needs, a run gives back what
it has beyond its quota, its *slack*.

Without runs the best ranks are those with the most cards, for gaps and needs
alike, so counting how many ranks have one card, two, three ... is enough: no rank
is looked at. A run is tried in every place that is not bettered by another
whatever the sets are (`placing`), until its gap alone is too much.

Where several runs share cards with sets, or sets may share a rank, `gaps` answers
as long as gaps decide. What is left open, several sets of one rank
(`set.same_rank`), sets of natural twos, and several runs that share cards with
sets, is bounded from below first (`needs`); only where a way found and the bound
disagree, sets of twos are counted as one rank more, and `settle` searches the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from .gaps import Gaps
from .limited import fewest_under_limit
from .needs import Needs
from .placing import RunTable
from .runs import FAR, GAP, RunOption, unpack
from .settle import settle
from .suits import SuitRuns
from .tables import AT_LEAST, FIELDS, HIGHS, SHIFTS, TWO_FIELD, TWOS, WILD_SHIFT, Tables


class Distance(Protocol):
    """See `Distances.of`."""

    def __call__(self, tally: int, cards: int, enough: int = 0, most: int = FAR, /) -> int:
        """Return the distance of a hand."""


NO_RUNS = ((0, (RunOption(0, 0, 0, 0, 0, ()),)),)
"""The ways of a contract without runs, in any suit."""

SuitsRuns = tuple[SuitRuns, SuitRuns, SuitRuns, SuitRuns]


def _first_gap(suit: SuitRuns) -> int:
    """Sort suits by it: a good way found early spares trying others."""
    return suit.least[1]


class Distances:
    """The distance of any hand to one contract under one rule set."""

    def __init__(
        self, tables: Tables, sets: list[int], runs: list[int], *, takes_all: bool = False
    ) -> None:
        rules = tables.rules
        self.tables = tables
        self.is_exact = rules.meld.oversize == "exact"
        self.sets = sorted((self._least_size(size) for size in sets), reverse=True)
        self.runs = sorted((self._least_size(size) for size in runs), reverse=True)
        self.set_size = sum(self.sets)
        self.size = self.set_size + sum(self.runs)
        self.least_left = 1 if rules.out.empty_hand == "illegal" and not takes_all else 0
        """Cards that must stay in hand, for the discard."""
        self.may_repeat = rules.set.same_rank == "allow"
        self.is_possible = self.size < FAR and (
            self.may_repeat or len(sets) <= len(tables.set_fields)
        )
        self.gaps: Gaps | None = None
        self.of_all_ways = self.of = self._find()
        """The distance of a hand by its tally and number of cards; `FAR` if none is enough.

        Asked for a range, `enough` and `most`, the answer is exact within it, and no
        more than `enough` or no less than `most` if the distance is."""
        if not self.is_possible:
            return
        quotas = [tables.quotas[size] for size in self.sets]
        self.quota = sum(quotas)
        self.levels = [
            (AT_LEAST[v], sum(size >= v for size in self.sets), sum(quota >= v for quota in quotas))
            for v in range(1, max(self.sets, default=0) + 1)
        ]
        """For each v: what tells the ranks with v cards, and how many sets, and
        how many quotas of sets, can use a v-th card."""
        self.quota_levels = [(at_least, n) for at_least, _, n in self.levels if n]
        self.more_than_quota = AT_LEAST[min(quotas, default=0) + 1]
        self.places = [(at_least, sets) for at_least, sets, _ in self.levels]
        self.table = RunTable(tables, self.runs, self.is_exact, bool(sets), self.least_left)
        self.has_equal_runs = len(set(self.runs)) == 1 and len(self.runs) <= 3
        self.is_open = bool(sets) and (
            (self.may_repeat and len(sets) > 1) or tables.has_natural_twos or len(runs) > 1
        )
        """Whether the closed forms give bounds only (see `settle`)."""
        self.needs = Needs(self) if sets else None
        if self.is_open and self.table.is_plain:
            self.gaps = Gaps(self)
            self.of = self._of_gaps

    def _least_size(self, size: int) -> int:
        """The least size from there on that the wild limit lets exist."""
        for n in range(size, size + 1 if self.is_exact else 129):
            if n < 129 and self.tables.limits[n] >= 0:
                return n
        return FAR

    def _find(self) -> Distance:
        if not self.is_possible:
            return lambda _tally, _cards, _enough=0, _most=FAR: FAR
        if not self.sets:
            return self._of_runs
        if not self.runs:
            return self._of_sets
        return self._of_sets_and_run if len(self.runs) == 1 else self._of_sets_and_runs

    def _of_gaps(self, tally: int, cards: int, enough: int = 0, most: int = FAR) -> int:
        assert self.gaps is not None
        found = self.gaps.of(tally, cards, enough, most)
        if found is None:
            return self.of_all_ways(tally, cards, enough, most)
        least, best = found
        if least == best or best <= enough or least >= most:
            return max(least, min(best, most))
        assert self.needs is not None
        least = max(least, self.needs.least(tally))
        if least >= min(best, most):
            return min(best, max(least, most))
        most = min(best, most)
        enough = max(enough, least)
        if len(self.runs) < 2:
            return max(least, self.of_all_ways(tally, cards, enough, most))
        return max(least, settle(self, tally, cards, most, enough))

    def ranks(self, tally: int) -> int:
        """Return how many naturals of each rank there are, as a rank tally."""
        naturals = tally & self.tables.naturals
        mask = self.tables.natural_ranks
        return (
            (naturals & mask)
            + (naturals >> SHIFTS[1] & mask)
            + (naturals >> SHIFTS[2] & mask)
            + (naturals >> SHIFTS[3] & mask)
        )

    def suits(self, tally: int) -> tuple[int, int, int, int]:
        """Return the suit tallies of what can be natural in runs."""
        mask = self.tables.in_runs
        return (
            tally & mask,
            tally >> SHIFTS[1] & mask,
            tally >> SHIFTS[2] & mask,
            tally >> SHIFTS[3] & mask,
        )

    def filled(self, ranks: int) -> tuple[int, int]:
        """Return how many places, and how many of the quotas, the best ranks fill."""
        places = quota = 0
        for at_least, sets, quotas in self.levels:
            n = ((ranks + at_least) & HIGHS).bit_count()
            places += n if n < sets else sets
            quota += n if n < quotas else quotas
        return places, quota

    def _of_sets(self, tally: int, cards: int, enough: int = 0, most: int = FAR) -> int:
        ranks = self.ranks(tally)
        places, quota = self.filled(ranks)
        wilds = tally >> WILD_SHIFT
        best = max(
            0,
            self.set_size - places - wilds,
            self.quota - quota,
            self.size + self.least_left - cards,
        )
        best = min(best, most)
        if not self.is_open or self._is_settled(tally, ranks, 0, 0, best):
            return best
        return self._settled(tally, cards, ranks, best, enough)

    def _settled(self, tally: int, cards: int, ranks: int, best: int, enough: int) -> int:
        """Return the distance where several sets of a rank, or sets of twos, may be better."""
        repeats = self.may_repeat and len(self.sets) > 1
        if self.sets[0] != self.sets[-1] or (repeats and (ranks + self.more_than_quota) & HIGHS):
            return settle(self, tally, cards, best, enough)
        return self._with_twos(tally, cards, ranks, best, enough)

    def _with_twos(self, tally: int, cards: int, ranks: int, best: int, enough: int) -> int:
        """Lay one set of twos or more, the others being of different ranks.

        Twos are one rank more that fills no gaps, being wild, but quotas. Sets have one
        size.
        """
        size, sets = self.sets[0], len(self.sets)
        quota_of_set = self.tables.quotas[size]
        suits = self.suits(tally)
        twos = sum([suit >> 8 * TWO_FIELD & 0xFF for suit in suits])
        gaps = self.set_size - (tally >> WILD_SHIFT)
        short = self.size + self.least_left - cards
        floor = short if short > enough else enough
        most_twos = sets if self.may_repeat else 1
        all_counts = [((ranks + at_least) & HIGHS).bit_count() for at_least, _ in self.places]
        ways: Iterable[tuple[int, tuple[RunOption, ...]]] = NO_RUNS
        if self.runs:
            ways = [(i, runs.ways(1)) for i, runs in enumerate(self.table.of_all(tally))]
        for i, options in ways:
            for gap, need, extra, used, slack, runs in options:
                if gap + gaps - sum([min(n, sets - 1) for n in all_counts]) >= best:
                    break
                two = suits[i] & TWOS and runs and runs[0].span & TWOS
                twos_left = twos - 1 if two else twos
                left = ranks - used
                counts = [((left + at_least) & HIGHS).bit_count() for at_least, _ in self.places]
                for n in range(1, most_twos + 1):
                    rest = sets - n
                    lacking = gap + gaps - sum([min(count, rest) for count in counts])
                    if lacking >= best:
                        break
                    quota = n * quota_of_set
                    filled = sum([min(count, rest) for count in all_counts[:quota_of_set]])
                    of_left = sum([min(count, rest) for count in counts[:quota_of_set]])
                    filled += min(twos, quota)
                    of_left += min(twos_left, quota)
                    needs = need + self.quota - filled + max(0, filled - of_left - slack)
                    lacking = max(lacking, needs, short + extra)
                    if lacking < best:
                        if lacking <= floor:
                            return floor
                        best = lacking
        return best

    def _is_settled(self, tally: int, ranks: int, gap: int, need: int, best: int) -> bool:
        """Whether neither two sets of a rank nor a set of twos can be better.

        The first need more cards of a rank than a quota asks for; the second gives
        nothing to the gaps, so it is worth something only if the rest can have so many.

        Args:
            tally: The hand.
            ranks: Its naturals by rank.
            gap: The fewest gaps that the runs can have.
            need: The least that they lack for the wild limit.
            best: The distance without such sets.
        """
        repeats = self.may_repeat and len(self.sets) > 1
        has_many = repeats and (ranks + self.more_than_quota) & HIGHS
        if not self.quota:
            return not has_many  # without needs a set of twos is worth nothing
        twos = 0
        if self.tables.has_natural_twos:
            twos = sum([suit >> 8 * TWO_FIELD & 0xFF for suit in self.suits(tally)])
        if not twos and not has_many:
            return True
        least_quota, quota = self.tables.quotas[self.sets[-1]], self.tables.quotas[self.sets[0]]
        if repeats and twos > least_quota:
            return False
        counts = sorted(ranks.to_bytes(len(FIELDS), "little"), reverse=True)
        filled, filled_quota = self.filled(ranks)
        gap += self.set_size - (tally >> WILD_SHIFT)
        need += self.quota - min(twos, quota)
        if twos and not has_many:
            # the set that has the fewest cards in it makes place for the twos
            lost = min(counts[len(self.sets) - 1], self.sets[-1])
            return max(gap - filled + lost, need - filled_quota) >= best
        if twos and max(gap - self._most_places(counts), need - self._most_quota(counts)) < best:
            return False
        for i, count in enumerate(counts):
            if count <= least_quota:
                break
            others = counts[:i] + counts[i + 1 :]
            places = self._most_places(others, count)
            if gap - places < best and need - self._most_quota(others, count) < best:
                return False
        return True

    def _most_places(self, counts: list[int], twice: int = 0) -> int:
        """The most cards that ranks, and one that makes two sets, can have in the sets."""
        return _most_in_sets(counts, twice, self.sets)

    def _most_quota(self, counts: list[int], twice: int = 0) -> int:
        """The same for the quotas."""
        return _most_in_sets(counts, twice, [self.tables.quotas[size] for size in self.sets])

    def _of_sets_and_run(self, tally: int, cards: int, enough: int = 0, most: int = FAR) -> int:
        ranks = self.ranks(tally)
        gaps = self.set_size - (tally >> WILD_SHIFT)
        least_gaps = gaps
        places_of = self.places
        for at_least, sets in places_of:
            n = ((ranks + at_least) & HIGHS).bit_count()
            least_gaps -= n if n < sets else sets
        short = self.size + self.least_left - cards
        floor = short if short > enough else enough
        best = most
        all_quota = self.filled(ranks)[1] if self.quota else 0
        for suit in sorted(self.table.of_all(tally), key=_first_gap):
            for gap, need, extra, used, slack, _ in suit.ways(1):
                if gap + least_gaps >= best:
                    break
                left = ranks - used
                lacking = gap + gaps
                for at_least, sets in places_of:
                    n = ((left + at_least) & HIGHS).bit_count()
                    lacking -= n if n < sets else sets
                if lacking >= best:
                    continue
                if all_quota:
                    # The run gives back what the sets miss, as far as it can.
                    lost = all_quota
                    for at_least, quotas in self.quota_levels:
                        n = ((left + at_least) & HIGHS).bit_count()
                        lost -= n if n < quotas else quotas
                    needs = need + self.quota - all_quota + (lost - slack if lost > slack else 0)
                else:
                    needs = need + self.quota
                if needs > lacking:
                    lacking = needs
                if short + extra > lacking:
                    lacking = short + extra
                if lacking < best:
                    if lacking <= floor:
                        return floor
                    best = lacking
        if not self.is_open or best <= floor:
            return best
        found = self.table.of_all(tally)
        gap = min([suit.least[1] for suit in found]) >> GAP
        need = min([way.need for suit in found for way in suit.ways(1)], default=FAR)
        if self._is_settled(tally, ranks, gap, need, best):
            return best
        return self._settled(tally, cards, ranks, best, enough)

    def _of_runs(self, tally: int, cards: int, enough: int = 0, most: int = FAR) -> int:
        suits = self.table.of_all(tally)
        wilds = tally >> WILD_SHIFT
        short = self.size + self.least_left - cards
        floor = max(enough, short)
        if not self.table.is_plain:
            return fewest_under_limit(self.table, suits, wilds, short, most, floor)
        find = self._fewest if self.has_equal_runs else self._fewest_spread
        packed = find(suits, floor + wilds + 1 << GAP)
        if packed >= FAR:
            return FAR
        gap, need, extra = unpack(packed)
        least = max(floor, gap - wilds)
        if least >= most or (need <= least and short + extra <= least):
            return least
        most = min(most, max(least, need, short + extra))
        return fewest_under_limit(self.table, suits, wilds, short, most, floor)

    def _fewest(self, suits: SuitsRuns, enough: int) -> int:
        """The least gap of two or three runs of one size, with need and extra, packed.

        They lie in different suits, or two of them in one, or all. Any that is less
        than `enough` will do.
        """
        a, b, c, d = suits
        one, two, three, _ = sorted((a.least[1], b.least[1], c.least[1], d.least[1]))
        if len(self.runs) == 1:
            return one
        best, third = (one + two, 0) if len(self.runs) == 2 else (one + two + three, 1)
        if best < enough:
            return best
        for suit in suits:
            other = (two if suit.least[1] == one else one) * third
            if suit.least[2] + other < best:
                suit.know(2)
                best = min(best, suit.least[2] + other)
        if third:
            for suit in suits:
                if suit.least[3] < best:
                    suit.know(3)
                    best = min(best, suit.least[3])
        return best

    def _fewest_spread(self, suits: SuitsRuns, enough: int) -> int:
        """The same for any runs, trying every spread that may be better."""
        joins = self.table.joins
        best = self.table.fewest_known(suits)
        if best < enough:
            return best
        ahead = self.table.ahead(suits)

        def spread(i: int, part: int, so_far: int) -> None:
            nonlocal best
            if i == len(suits):
                best = min(best, so_far)
                return
            least, rest_of = suits[i].least, ahead[i + 1]
            for rest, here in joins[part]:
                if best < enough:
                    return
                if so_far + least[here] + rest_of[rest] < best:
                    suits[i].know(here)
                    if so_far + least[here] + rest_of[rest] < best:
                        spread(i + 1, rest, so_far + least[here])

        spread(0, len(joins) - 1, 0)
        return best

    def _of_sets_and_runs(self, tally: int, cards: int, enough: int = 0, most: int = FAR) -> int:
        ranks = self.ranks(tally)
        gaps = self.set_size - (tally >> WILD_SHIFT)
        least_gaps = gaps - self.filled(ranks)[0]
        short = self.size + self.least_left - cards
        best = FAR

        def most_gaps() -> int:
            return best - least_gaps

        for way in self._spreads(tally, most_gaps):
            places, quota = self.filled(ranks - way.used)
            need = way.need + self.quota - quota
            best = min(best, max(0, way.gap + gaps - places, need, short + way.extra))
        return settle(self, tally, cards, min(best, most), enough)

    def _spreads(self, tally: int, most: Callable[[], int]) -> Iterator[RunOption]:
        """Every way to lay the runs over the four suits with a gap below `most()`."""
        joins = self.table.joins
        suits = self.table.of_all(tally)
        ahead = self.table.ahead(suits)

        def spread(i: int, part: int, so_far: RunOption) -> Iterator[RunOption]:
            if i == len(suits):
                yield so_far
                return
            for rest, here in joins[part]:
                least = so_far.gap + (ahead[i + 1][rest] >> GAP)
                if least + (suits[i].least[here] >> GAP) >= most():
                    continue
                for way in suits[i].ways(here):
                    if least + way.gap >= most():
                        break
                    yield from spread(i + 1, rest, _together(so_far, way))

        return spread(0, len(joins) - 1, RunOption(0, 0, 0, 0, 0, ()))


def _most_in_sets(counts: list[int], twice: int, sizes: list[int]) -> int:
    """The most cards that sets can have, as if all were as large as the largest.

    Args:
        counts: The cards of each rank.
        twice: Those of one rank more, if it is to make two of the sets.
        sizes: The sizes of the sets, the largest first.
    """
    largest, least = sizes[0], sizes[-1] or 1
    sets = len(sizes)
    most = 0
    if twice:
        sets -= 2
        most = min(twice, 2 * largest)
        if sets:
            counts = [*counts, max(0, twice - 2 * least)]
    if sets:
        parts = [
            min(largest, count - taken) for count in counts for taken in range(0, count, least)
        ]
        parts.sort(reverse=True)
        most += sum(parts[:sets])
    return most


def _together(one: RunOption, other: RunOption) -> RunOption:
    """Put what lies in some suits and what lies in another into one."""
    return RunOption(
        one.gap + other.gap,
        one.need + other.need,
        one.extra + other.extra,
        one.used + other.used,
        one.slack + other.slack,
        one.runs + other.runs,
    )
