"""How the runs of a contract can lie in one suit.

That depends on the suit's tally alone, and few tallies are common, so the ways are
worked out once for each and kept. Only ways are kept that may be the best for some
hand: fewer gaps, fewer naturals needed for the wild limit, or other cards used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from operator import itemgetter

from ..melds import runs_keep_apart
from .rivals import unrivalled
from .runs import (
    FAR,
    MOST_KEPT,
    Alike,
    FewestGaps,
    Judged,
    Run,
    RunOption,
    Trade,
    lesser,
    pack,
    present,
    side_by_side,
    total,
)
from .suits import SuitRuns
from .tables import (
    ALL_HIGHS,
    ALL_PRESENT,
    HIGHS,
    PRESENT,
    SHIFTS,
    SUIT_MASK,
    Tables,
    place_field,
)

_NO_RUN = (RunOption(0, 0, 0, 0, 0, ()),), 0, 0, 0
"""What is kept of the part without a run."""


class RunTable:
    """The ways to place the runs of one contract in a suit, for every suit tally."""

    def __init__(
        self, tables: Tables, sizes: list[int], is_exact: bool, has_sets: bool, least_left: int
    ) -> None:
        self.tables = tables
        self.is_exact = is_exact
        self.has_sets = has_sets
        self.least_left = least_left
        rules = tables.rules
        self.same_suit = rules.run.same_suit
        self.per_suit = 1 if self.same_suit == "different" else len(sizes)
        self.parts = sorted(
            {part for n in range(len(sizes) + 1) for part in combinations(sizes, n)},
            key=lambda part: (len(part), part),
        )
        """Every part, from the empty one to all runs; sizes in falling order."""
        self.part_of = {part: number for number, part in enumerate(self.parts)}
        self.pairs = [
            [
                (i, j)
                for i, one in enumerate(self.parts)
                for j, other in enumerate(self.parts)
                if sorted(one + other) == sorted(whole)
            ]
            for whole in self.parts
        ]
        """For each part, the pairs of parts that it falls into."""
        self.rests = [rest for rest, _ in sorted(self.pairs[-1], key=itemgetter(1))]
        """For each part, the part of the contract that it leaves."""
        self.may_overlap = len(sizes) > 1 and (
            self.same_suit in ("any", "no_adjacent")
            or (rules.run.ace == "both" and self.same_suit != "different")
        )
        """Whether two runs may want the same card, so that its copies count."""
        self.runs = self._runs(sizes)
        self.apart = [
            sum(self._keep_apart(run, other) << other.number for other in self.runs)
            for run in self.runs
        ]
        """For each run the numbers, as bits, of those that it may share a suit with."""
        self.fits = [self._has_room(part) for part in self.parts]
        """For each part, whether its runs can lie in one suit."""
        self.joins = [[(i, j) for i, j in pairs if self.fits[j]] for pairs in self.pairs]
        """The pairs of which the second can lie in one suit."""
        self.of_size = {
            size: [r for r in self.runs if r.size == size or (r.size > size and not is_exact)]
            for size in sizes
        }
        """The runs that serve for each size of the contract, the shortest first."""
        quotas = tables.quotas
        self.of_use = {
            size: [r for r in runs if r.size == size or 0 < quotas[r.size - 1] == quotas[r.size]]
            for size, runs in self.of_size.items()
        }
        """Of these without the ones that can always be shortened, see `_is_long_of_use`."""
        self.windows = {
            size: [run for run in self.runs if run.size == size] for size in dict.fromkeys(sizes)
        }
        """The runs of each size of the contract, no longer ones."""
        places = tables.high - tables.low + 2
        self.has_all_windows = all(
            len(windows) == max(0, places - size) for size, windows in self.windows.items()
        )
        self.is_plain = self.is_plain_part(len(self.parts) - 1)
        """Whether runs of least size have as few gaps as any, and leave the sets as much.

        A longer run can be cut at either end, unless it would lie beside another of
        its suit then at both ends: that takes three runs that must not be adjacent.
        """
        least = min(sizes, default=0)
        self.fewest_gaps = FewestGaps(least, self._spans(least))
        """The fewest gaps of the shortest run, wherever it lies and however long it is."""
        self.has_quotas = any(tables.quotas[size] for size in sizes)
        self.kept: dict[int, SuitRuns] = {}

    def _runs(self, sizes: list[int]) -> list[Run]:
        """Every place of a run of the least size or more that the wild limit lets exist."""
        tables = self.tables
        found: list[Run] = []
        for n in range(min(sizes, default=99), tables.longest + 1):
            for low in range(tables.low, tables.high - n + 2):
                fields = [place_field(place) for place in range(low, low + n)]
                span = sum(1 << 8 * field for field in fields) & tables.in_runs
                ends = 1 << 8 * fields[0] | 1 << 8 * fields[-1]
                if span.bit_count() >= tables.quotas[n]:
                    found.append(Run(low, n, span, ends, len(found)))
        return found

    def _spans(self, size: int) -> list[int]:
        """The high bits of the naturals in every place of a run of a size."""
        low, high, naturals = self.tables.low, self.tables.high, self.tables.natural_ranks
        return [
            (sum([1 << 8 * place_field(place + i) for i in range(size)]) & naturals) << 7
            for place in range(low, high - size + 2)
        ]

    def _keep_apart(self, one: Run, other: Run) -> bool:
        return runs_keep_apart(
            one.low,
            one.low + one.size - 1,
            other.low,
            other.low + other.size - 1,
            self.tables.rules,
        )

    def _has_room(self, part: tuple[int, ...]) -> bool:
        """Whether the runs of a part can lie in one suit, keeping apart."""
        if len(part) > self.per_suit:
            return False
        if self.same_suit not in ("gap", "gap2"):
            return True

        def place(i: int, allowed: int) -> bool:
            return i == len(part) or any(
                place(i + 1, allowed & self.apart[run.number])
                for run in self.runs
                if run.size == part[i] and allowed >> run.number & 1
            )

        return place(0, -1)

    def is_plain_part(self, part: int) -> bool:
        """Whether `is_plain` holds for the runs of a part."""
        is_apart = self.same_suit == "no_adjacent" and not self.is_exact
        return self.has_all_windows and (len(self.parts[part]) < 3 or not is_apart)

    def of(self, suit: int) -> SuitRuns:
        """Return the ways for a suit with that tally."""
        return self.of_key(suit if self.may_overlap else suit + PRESENT & HIGHS)

    def of_key(self, key: int) -> SuitRuns:
        """Return the ways for a suit's tally, or for its high bits where copies do not count."""
        found = self.kept.get(key)
        if found is None:
            if len(self.kept) >= MOST_KEPT:
                self.kept.clear()
            suit = key if self.may_overlap else key >> 7
            found = self.kept[key] = SuitRuns(self, suit)
        return found

    def keys(self, tally: int) -> tuple[int, int, int, int]:
        """Return what the ways for each suit of a whole tally are kept by."""
        cards = tally & self.tables.in_runs_of_all
        if not self.may_overlap:
            cards = cards + ALL_PRESENT & ALL_HIGHS
        return (
            cards & SUIT_MASK,
            cards >> SHIFTS[1] & SUIT_MASK,
            cards >> SHIFTS[2] & SUIT_MASK,
            cards >> SHIFTS[3],
        )

    def of_all(self, tally: int) -> tuple[SuitRuns, SuitRuns, SuitRuns, SuitRuns]:
        """Return the ways for each suit of a whole tally."""
        first, second, third, fourth = self.keys(tally)
        kept, work_out = self.kept.get, self.of_key
        return (
            kept(first) or work_out(first),
            kept(second) or work_out(second),
            kept(third) or work_out(third),
            kept(fourth) or work_out(fourth),
        )

    def ahead(self, suits: Sequence[SuitRuns]) -> list[list[int]]:
        """Return a bound for what each part needs in the suits from each one on, packed."""
        found = [[0, *[FAR] * (len(self.parts) - 1)]]
        for suit in reversed(suits):
            least, rest = suit.least, found[-1]
            found.append([min([rest[i] + least[j] for i, j in join]) for join in self.joins])
        found.reverse()
        return found

    def least_elsewhere(self, suits: Sequence[SuitRuns]) -> list[list[int]]:
        """Return for each suit a bound for what every part needs in the other three, packed."""
        first, second, third, fourth = [suit.least for suit in suits]
        low, high = self._least_of_both(first, second), self._least_of_both(third, fourth)
        return [
            self._least_of_both(second, high),
            self._least_of_both(first, high),
            self._least_of_both(fourth, low),
            self._least_of_both(third, low),
        ]

    def _least_of_both(self, one: list[int], other: list[int]) -> list[int]:
        return [min([one[i] + other[j] for i, j in pairs]) for pairs in self.pairs]

    def fewest_known(self, suits: Sequence[SuitRuns]) -> int:
        """Return the least that the whole contract needs in parts worked out so far, packed."""
        found = [0, *[FAR] * (len(self.parts) - 1)]
        for suit in suits:
            least = [
                n if is_known else FAR
                for n, is_known in zip(suit.least, suit.is_known, strict=True)
            ]
            found = [min([found[i] + least[j] for i, j in join]) for join in self.joins]
        return min(found[-1], FAR)

    def judge_runs(self, suit: int) -> list[Judged]:
        """Judge every run by itself."""
        quotas, natural_ranks = self.tables.quotas, self.tables.natural_ranks
        have = present(suit)
        found = []
        for run in self.runs:
            naturals = have & run.span
            used = naturals & natural_ranks
            spare = naturals.bit_count() - quotas[run.size]
            need, slack = (0, spare) if spare > 0 else (-spare, 0)
            found.append(Judged(run.size - used.bit_count(), need, slack, naturals, used, run))
        return found

    def work_out(self, runs: SuitRuns, part: int) -> tuple[tuple[RunOption, ...], int, int, int]:
        """Return what `SuitRuns` keeps of a part, from `options` to `essential`."""
        sizes, suit = self.parts[part], runs.suit
        if not sizes:
            return _NO_RUN
        if self.has_sets and len(sizes) == 1:
            ways = self._single_ways(suit, sizes[0])
        else:
            ways = list(self._ways(suit, part, runs.judged(), not self.has_sets))
        if not ways:
            return (), FAR, 0, 0
        ways.sort()
        wanted, essential = 0, HIGHS
        for way in ways:
            if way.gap > ways[0].gap:
                break
            cover = sum([run.span for run in way.runs]) & self.tables.natural_ranks
            wanted |= cover - way.used + PRESENT
            essential &= way.used + PRESENT & ~(suit - way.used + PRESENT)
        better = unrivalled(ways, suit, self.tables.quotas, has_sets=self.has_sets)
        return better, pack(*ways[0][:3]), wanted & HIGHS, essential & HIGHS

    def _single_ways(self, suit: int, size: int) -> list[RunOption]:
        """Every way to place one run that may be of use beside sets."""
        have, natural_ranks = present(suit), self.tables.natural_ranks
        quotas, least_left = self.tables.quotas, self.least_left
        ways = []
        for run in self.of_use[size]:
            n, naturals = run.size, have & run.span
            if n > size and naturals & run.ends != run.ends:
                continue
            used = naturals & natural_ranks
            gap, spare = n - used.bit_count(), naturals.bit_count() - quotas[n]
            need, slack = (0, spare) if spare > 0 else (-spare, 0)
            ways.append(RunOption(gap, need, (n - size) * least_left, used, slack, (run,)))
        return ways

    def serving(self, size: int, judged: list[Judged]) -> list[Judged]:
        """Return the runs that may serve for a size, be it with one card more or less.

        They lie alone in their suit, or two of them do, so at least one end is free, and a
        run can be cut there: it is longer only if it would need no fewer naturals then and
        that end is one, which may be yet to come. Cut at the other end it might be next to
        the other run, but not if it is cut by two. With many more naturals than both could
        need it can be cut as well. The least gap comes first.
        """
        quotas = self.tables.quotas
        plenty = FAR if self.has_sets else quotas[self.tables.longest] + 2
        may_be_next = 1 if self.same_suit == "no_adjacent" else 0
        found = []
        for judge in judged:
            n = judge.run.size
            if n > size:
                if self.is_exact:
                    continue
                if self.has_all_windows and (
                    not 0 < quotas[n] == quotas[n - 1]
                    or (n > size + may_be_next and not judge.naturals & judge.run.ends)
                    or (not may_be_next and judge.naturals.bit_count() >= quotas[n] + plenty)
                ):
                    continue
            if n >= size:
                found.append(judge)
        return sorted(found, key=itemgetter(0))

    def alike(self, judged: list[Judged]) -> tuple[Alike, ...]:
        """Return all places of a contract's only run, as `SuitRuns.places` has them."""
        found: dict[tuple[int, int, int, int, int, int], int] = {}
        (size,) = self.parts[1]
        natural_ranks = self.tables.natural_ranks
        for gap, need, slack, naturals, used, run in self.serving(size, judged):
            two = 0
            if run.span & ~natural_ranks:
                two = 1 if naturals & ~natural_ranks else -1
            missing = (run.span & natural_ranks) - used << 7
            key = gap, need, (run.size - size) * self.least_left, used, slack, two
            found[key] = found.get(key, 0) | missing
        return tuple(
            sorted(
                [
                    Alike(gap, need, extra, used, slack, missing, two)
                    for (gap, need, extra, used, slack, two), missing in found.items()
                ]
            )
        )

    def _ways(
        self, suit: int, part: int, judged: list[Judged], only_trades: bool
    ) -> Iterator[RunOption]:
        """Every way to place a part that may be of use, runs of one size in order.

        Where `only_trades`, the ways are to be compared by their counts alone, and
        those with more gaps than another, and no fewer needs, are left out.
        """
        sizes = self.parts[part]
        lists = [self.useful_runs(size, judged, len(sizes) > 1) for size in sizes]
        fewest: dict[tuple[int, int], int] = {}
        """The least gap by need and extra."""

        def is_bettered(gap: int, need: int, extra: int) -> bool:
            for (n, more), g in fewest.items():  # noqa: SIM110 - several times as fast as any()
                if g < gap and n <= need and more <= extra:
                    return True
            return False

        def place(
            laid: tuple[Judged, ...], first: int, allowed: int, cover: int, so_far: Trade
        ) -> Iterator[RunOption]:
            i = len(laid)
            if i == len(sizes):
                way = self.together(suit, sizes, laid, so_far[2])
                if way is None:
                    return
                counts = way.need, way.extra
                fewest[counts] = min(way.gap, fewest.get(counts, FAR))
                yield way
                return
            gap, need, extra = so_far
            start = first if i and sizes[i] == sizes[i - 1] else 0
            for j in range(start, len(lists[i])):
                judge = lists[i][j]
                if not allowed >> judge.run.number & 1:
                    continue
                both = cover + judge.used
                more = extra + (judge.run.size - sizes[i]) * self.least_left
                own = gap + judge.gap, need + judge.need, more
                if only_trades:
                    lost = total(both - lesser(both, suit)) if i and self.may_overlap else 0
                    if is_bettered(own[0] + lost, own[1], more):
                        continue
                still = allowed & self.apart[judge.run.number]
                yield from place((*laid, judge), j, still, both, own)

        return place((), 0, -1, 0, (0, 0, 0))

    def useful_runs(self, size: int, judged: list[Judged], has_others: bool) -> list[Judged]:
        """Return the runs that may serve for a size, those with the least gap first."""
        may_lose = has_others and self.may_overlap
        if has_others and self.same_suit == "no_adjacent":
            useful = [
                j
                for j in judged
                if j.run.size == size
                or self._is_long_of_use(j, size, may_lose)
                or (j.run.size > size and not self._may_be_cut_by_two(j, size))
            ]
        else:
            useful = [
                j for j in judged if j.run.size == size or self._is_long_of_use(j, size, may_lose)
            ]
        return sorted(useful, key=lambda j: (j.gap, j.need, j.run.size))

    def _is_long_of_use(self, judge: Judged, size: int, may_lose: bool) -> bool:
        """Whether a run longer than its size cannot be shortened without harm.

        It needs no more than its least size unless that gives it naturals for the
        wild limit: both its ends are naturals then, and without one of them it
        would lack a natural that it needs just as much when it is shorter. It may
        also have more naturals than it needs, if others may take them: sets, or runs
        of its suit (`may_lose`).
        """
        run, quotas = judge.run, self.tables.quotas
        if run.size <= size or self.is_exact or judge.naturals & run.ends != run.ends:
            return False
        quota = quotas[run.size - 1]
        return 0 < quota == quotas[run.size] and (
            self.has_sets or may_lose or judge.naturals.bit_count() <= quota
        )

    def _may_be_cut_by_two(self, judge: Judged, size: int) -> bool:
        """Whether a run that must not be shortened by one place may be by two.

        At its other end it may have lost a card to a third run.
        """
        if self.is_exact or judge.run.size < size + 2:
            return self.is_exact
        quota, quotas = self.tables.quotas[judge.run.size - 2], self.tables.quotas
        return quota <= max(0, quotas[judge.run.size] - 2) or (
            not self.has_sets and judge.naturals.bit_count() - 3 >= quota
        )

    def _is_of_use(self, laid: tuple[Judged, ...], sizes: tuple[int, ...]) -> bool:
        """Whether each run that could be shortened would lie beside another then.

        Where runs may overlap but not be adjacent, one that meets another in a
        single place cannot give up that end.
        """
        if self.same_suit != "no_adjacent":
            return True
        for i, judge in enumerate(laid):
            run = judge.run
            if run.size > sizes[i] and not self._is_long_of_use(judge, sizes[i], True):
                low, high = run.low, run.low + run.size - 1
                others = [other.run for k, other in enumerate(laid) if k != i]
                if not any(o.low == high or o.low + o.size - 1 == low for o in others):
                    return False
        return True

    def together(
        self, suit: int, sizes: tuple[int, ...], laid: tuple[Judged, ...], extra: int
    ) -> RunOption | None:
        """Judge runs that lie in one suit; None if shorter ones do as well."""
        if not self.may_overlap or len(laid) < 2:
            return side_by_side(laid, extra)
        return self.sharing(suit, laid, extra) if self._is_of_use(laid, sizes) else None

    def sharing(self, suit: int, laid: tuple[Judged, ...], extra: int) -> RunOption:
        """Judge runs that may want the same cards."""
        cover = sum([judge.naturals for judge in laid])
        if not cover - lesser(cover, suit):
            return side_by_side(laid, extra)
        quotas = self.tables.quotas
        naturals = lesser(cover, suit)
        sure = present(naturals) & ~present(cover - naturals)
        need = 0
        if any((judge.naturals & sure).bit_count() < quotas[judge.run.size] for judge in laid):
            # Hall's condition: what some of the runs need, less what they can get.
            for n in range(1, len(laid) + 1):
                for some in combinations(laid, n):
                    got = total(lesser(sum([judge.naturals for judge in some]), suit))
                    need = max(need, sum([quotas[judge.run.size] for judge in some]) - got)
        slack = max(0, total(naturals) - sum([quotas[judge.run.size] for judge in laid]))
        used = naturals & self.tables.natural_ranks
        size = sum([judge.run.size for judge in laid])
        runs = tuple([judge.run for judge in laid])
        return RunOption(size - total(used), need, extra, used, slack, runs)
