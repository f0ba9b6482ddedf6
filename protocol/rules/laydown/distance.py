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

Several sets of one rank (`set.same_rank`) and sets of natural twos are plans of their
own (`setplans`), of which few can be better, and none where gaps decide and no rank has
more cards than a set needs. Where several runs share cards with sets, `gaps` answers as
long as gaps decide. What is left open is bounded from below first (`needs`), and only
where a way found and the bound disagree, `settle` searches the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from .gaps import Gaps
from .limited import fewest_under_limit
from .needs import Needs
from .placing import RunTable
from .runs import FAR, GAP, RunOption, unpack
from .setplans import SetPlans
from .settle import settle
from .suits import SuitRuns
from .tables import AT_LEAST, HIGHS, SHIFTS, TWO_FIELD, TWOS, WILD_SHIFT, Tables


class Distance(Protocol):
    """See `Distances.of`."""

    def __call__(self, tally: int, cards: int, enough: int = 0, most: int = FAR, /) -> int:
        """Return the distance of a hand."""


SuitsRuns = tuple[SuitRuns, SuitRuns, SuitRuns, SuitRuns]


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
        self.plans: SetPlans | None = None
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
        self.too_many = AT_LEAST[min(self.sets, default=0) + 1]
        """Tells the ranks that have more cards than the smallest set has places."""
        self.table = RunTable(tables, self.runs, self.is_exact, bool(sets), self.least_left)
        self.has_equal_runs = len(set(self.runs)) == 1 and len(self.runs) <= 3
        self.is_open = bool(sets) and (
            (self.may_repeat and len(sets) > 1) or tables.has_natural_twos or len(runs) > 1
        )
        """Whether the closed forms give bounds only (see `settle`)."""
        self.needs = Needs(self) if sets else None
        if sets:
            self.plans = SetPlans(self)
        if len(runs) > 1 and self.is_open and self.table.is_plain:
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
        short = self.size + self.least_left - cards
        best = max(0, self.set_size - places - wilds, self.quota - quota, short)
        best = min(best, most)
        floor = max(short, enough)
        if not self.is_open or best <= floor:
            return best
        if best <= self.set_size - places - wilds and not (ranks + self.too_many) & HIGHS:
            return best
        assert self.plans is not None
        if not self.plans.are_known:
            return settle(self, tally, cards, best, enough)
        twos = self.twos(tally)
        for plan in self.plans.others(ranks, twos, best - 1 + wilds, best - 1):
            places, quota = plan.filled(ranks)
            needs = self.quota - quota - min(twos, plan.twos)
            best = min(best, max(floor, self.set_size - places - wilds, needs))
        return best

    def twos(self, tally: int) -> int:
        """Return how many twos there are that may be natural."""
        if not self.tables.has_natural_twos:
            return 0
        return sum([suit >> 8 * TWO_FIELD & 0xFF for suit in self.suits(tally)])

    def _of_sets_and_run(self, tally: int, cards: int, enough: int = 0, most: int = FAR) -> int:
        ranks = self.ranks(tally)
        gaps = self.set_size - (tally >> WILD_SHIFT)
        levels = self.levels
        least_gaps, all_quota = gaps, 0
        for at_least, sets, quotas in levels:
            n = ((ranks + at_least) & HIGHS).bit_count()
            least_gaps -= n if n < sets else sets
            all_quota += n if n < quotas else quotas
        short = self.size + self.least_left - cards
        floor = short if short > enough else enough
        best = fewest = most
        table = self.table
        fewest_gaps = table.fewest_gaps
        for key in sorted(table.keys(tally), key=fewest_gaps.__getitem__):
            if fewest_gaps[key] + least_gaps >= best:
                break
            for gap, need, extra, used, slack, _ in table.of_key(key).ways(1):
                if gap + least_gaps >= best:
                    break
                left = ranks - used
                lacking = gap + gaps
                quota = slack
                for at_least, sets, quotas in levels:
                    n = ((left + at_least) & HIGHS).bit_count()
                    lacking -= n if n < sets else sets
                    if quotas:
                        quota += n if n < quotas else quotas
                if lacking >= best:
                    continue
                if lacking < fewest:
                    fewest = lacking
                # The run gives back what the sets miss, as far as it can.
                needs = need + self.quota - (quota if quota < all_quota else all_quota)
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
        if best <= fewest and not (ranks + self.too_many) & HIGHS:
            return best  # gaps decide it, and no rank has cards for the gaps of two sets
        assert self.plans is not None
        if not self.plans.are_known:
            return settle(self, tally, cards, best, enough)
        return self._by_other_plans(tally, ranks, short, best, floor)

    def _by_other_plans(self, tally: int, ranks: int, short: int, best: int, floor: int) -> int:
        """Return the distance of sets and a run where the plain plan gives a bound.

        Args:
            tally: The hand.
            ranks: Its naturals by rank.
            short: How many cards it has less than must be in it.
            best: The answer is no more.
            floor: Nothing less is looked for.
        """
        assert self.plans is not None
        suits = self.table.of_all(tally)
        gaps = self.set_size - (tally >> WILD_SHIFT)
        twos = self.twos(tally)
        twos_of = [cards & TWOS for cards in self.suits(tally)]
        least_gap = min([suit.least[1] for suit in suits]) >> GAP
        reach = best - 1 + (tally >> WILD_SHIFT) - least_gap
        for plan in self.plans.others(ranks, twos, reach, best - 1):
            places, all_quota = plan.filled(ranks)
            all_quota += min(twos, plan.twos)
            least_gaps = gaps - places
            for i, suit in enumerate(suits):
                has_two = twos_of[i] and plan.twos
                for gap, need, extra, used, slack, runs in suit.ways(1):
                    if gap + least_gaps >= best:
                        break
                    if need >= best or short + extra >= best:
                        continue
                    places, quota = plan.filled(ranks - used)
                    quota += min(twos - bool(has_two and runs[0].span & TWOS), plan.twos) + slack
                    needs = need + self.quota - (quota if quota < all_quota else all_quota)
                    best = min(best, max(floor, gap + gaps - places, needs, short + extra))
            if best <= floor:
                break
        return best

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
