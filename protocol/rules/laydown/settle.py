"""The exact distance where counting ranks gives only bounds.

`distance` finds a way with sets of different ranks, none of them twos, and
with runs that give nothing back to the sets where several runs share cards with
them. Here everything is tried that could be better: depth first, first the runs,
then a rank for each set, giving up as soon as the gaps or the needs are no fewer
than the best way's. Needs are exact at the end: they are what the best flow of
naturals into quotas leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .runs import FAR, GAP, Judged, RunOption, Trade, lesser, present, total
from .tables import AT_LEAST, FIELDS, HIGHS, SHIFTS, TWO_FIELD, WILD_SHIFT

if TYPE_CHECKING:
    from .distance import Distances
    from .suits import SuitRuns

SuitWay = tuple[int, RunOption]
"""The number of a suit, and how runs lie in it."""


def settle(distances: Distances, tally: int, cards: int, best: int, enough: int = 0) -> int:
    """Return the distance, given the best that was found so far.

    Nothing better than `enough` is looked for.
    """
    if best <= max(enough, distances.size + distances.least_left - cards):
        return best
    return _Settling(distances, tally, cards, best, enough).best


class _Settling:
    """One search."""

    def __init__(
        self, distances: Distances, tally: int, cards: int, best: int, enough: int
    ) -> None:
        self.distances = distances
        self.best = best
        self.tally = tally
        self.short = distances.size + distances.least_left - cards
        self.gaps = distances.set_size - (tally >> WILD_SHIFT)
        self.suits = distances.suits(tally)
        self.ranks = distances.ranks(tally)
        self.with_twos = self.ranks
        if distances.tables.has_natural_twos:
            self.with_twos += sum(suit & 0xFF << 8 * TWO_FIELD for suit in self.suits)
        self.set_need = distances.quota - self._most(self.with_twos, self._quotas())
        self.floor = max(enough, self.short, self.set_need)
        if self.best > self.floor:
            self._try_runs()

    def _most_of_rest(self, ranks: int, sizes: list[int]) -> list[int]:
        """The most cards that the sets from each one on can take, as if all were as large."""
        largest = max(sizes)
        least = (min(sizes) or 1) if self.distances.may_repeat else FAR
        counts: list[int] = []
        for count in ranks.to_bytes(len(FIELDS), "little"):
            while count > 0:
                counts.append(count if count < largest else largest)
                count -= least
        counts.sort(reverse=True)
        n = len(sizes)
        return [min(sum(sizes[i:]), sum(counts[: n - i])) for i in range(n + 1)]

    def _quotas(self) -> list[int]:
        return [self.distances.tables.quotas[size] for size in self.distances.sets]

    def _most(self, ranks: int, sizes: list[int]) -> int:
        """The most cards that sets of these sizes can take, of one rank as well."""
        if not self.distances.may_repeat:
            return sum(
                min(((ranks + AT_LEAST[v]) & HIGHS).bit_count(), sum(size >= v for size in sizes))
                for v in range(1, max(sizes, default=0) + 1)
            )
        # Each rank as often as it fills a set; exact for sets of one size.
        largest, least = max(sizes, default=0), min(sizes, default=0)
        counts = [
            min(largest, count - taken)
            for count in ranks.to_bytes(len(FIELDS), "little")
            for taken in range(0, count, least or 1)
        ]
        return min(sum(sizes), sum(sorted(counts, reverse=True)[: len(sizes)]))

    def _try_runs(self) -> None:
        table = self.distances.table
        joins = table.joins
        found = table.of_all(self.tally)
        ahead = table.ahead(found)
        most_places = self._most(self.ranks, self.distances.sets)

        def spread(i: int, part: int, laid: tuple[SuitWay, ...], gap: int, need: int) -> None:
            if i == len(found):
                self._try_sets(laid)
                return
            for rest, here in joins[part]:
                least = gap + (ahead[i + 1][rest] >> GAP) + self.gaps - most_places
                if least + (found[i].least[here] >> GAP) >= self.best:
                    continue
                for way in self._ways(found[i], here, least, need + self.set_need):
                    if need + way.need + self.set_need < self.best:
                        spread(i + 1, rest, (*laid, (i, way)), gap + way.gap, need + way.need)
                    if self.best <= self.floor:
                        return

        spread(0, len(joins) - 1, (), 0, 0)

    def _ways(self, runs: SuitRuns, part: int, gap: int, need: int) -> Iterator[RunOption]:
        """The ways to lay a part in a suit that may be of use beside so many gaps and needs.

        Of several runs none is left out but for these: two ways that use the same
        naturals may still differ in which of the runs can spare one for a set.
        """
        sizes = self.distances.table.parts[part]
        if len(sizes) > 1:
            yield from self._several(runs, sizes, (), 0, -1, 0, (gap, need, 0))
            return
        for way in runs.ways(part):
            if gap + way.gap >= self.best:
                return
            yield way

    def _several(
        self,
        runs: SuitRuns,
        sizes: tuple[int, ...],
        laid: tuple[Judged, ...],
        first: int,
        allowed: int,
        cover: int,
        so_far: Trade,
    ) -> Iterator[RunOption]:
        table = self.distances.table
        quotas, natural_ranks = table.tables.quotas, table.tables.natural_ranks
        i = len(laid)
        quota = sum([quotas[judge.run.size] for judge in laid])
        gap, need, extra = so_far
        choices = runs.useful(sizes[i])
        for j in range(first if i and sizes[i] == sizes[i - 1] else 0, len(choices)):
            judge = choices[j]
            run = judge.run
            if gap + judge.gap >= self.best:
                return
            if need + judge.need >= self.best or not allowed >> run.number & 1:
                continue
            own = (
                gap + judge.gap,
                need + judge.need,
                extra + (run.size - sizes[i]) * table.least_left,
            )
            both = cover + judge.naturals
            used = lesser(both, runs.suit)
            if i and used != both:
                lost = total(both - used & natural_ranks)
                lacking = quota + quotas[run.size] - total(used)
                if own[0] + lost >= self.best or self.set_need + lacking >= self.best:
                    continue
            if i < len(sizes) - 1:
                still = allowed & table.apart[run.number]
                yield from self._several(runs, sizes, (*laid, judge), j, still, both, own)
            else:
                way = table.together(runs.suit, sizes, (*laid, judge), own[2])
                if way is not None:
                    yield way

    def _try_sets(self, laid: tuple[SuitWay, ...]) -> None:
        """Choose ranks for the sets, the runs being laid."""
        sets, quotas = self.distances.sets, self._quotas()
        gap = sum(way.gap for _, way in laid) + self.gaps
        need = sum(way.need for _, way in laid)
        extra = self.short + sum(way.extra for _, way in laid)
        left = self.ranks - sum(way.used for _, way in laid)
        most_places = self._most_of_rest(left, sets)
        if max(extra, gap - most_places[0]) >= self.best:
            return
        places = left.to_bytes(len(FIELDS), "little")
        quota = self.with_twos.to_bytes(len(FIELDS), "little")
        wanted = 0
        for i, way in laid:
            for run in way.runs:
                wanted |= self.suits[i] & run.span * 0xFF
        fields = self._fields(quota, wanted)
        chosen: dict[int, tuple[int, int]] = {}
        most_quota = self._most_of_rest(self.with_twos, quotas) if quotas[0] else [0] * 99
        rest_needs = [sum(quotas[i:]) - most_quota[i] for i in range(len(sets) + 1)]

        def choose(i: int, first: int, gap: int, need: int) -> None:
            if i == len(sets):
                if max(gap, need, extra, self.floor) < self.best:
                    need = self._need(laid, chosen)
                    self.best = min(self.best, max(gap, need, extra, self.floor))
                return
            start = first if i and sets[i] == sets[i - 1] else 0
            for j in range(start, len(fields)):
                field = fields[j]
                size, asked = before = chosen.get(field, (0, 0))
                if size and not self.distances.may_repeat:
                    continue
                filled = min(size + sets[i], places[field]) - min(size, places[field])
                lacking = max(0, asked + quotas[i] - quota[field]) - max(0, asked - quota[field])
                if (
                    gap - filled - most_places[i + 1] < self.best
                    and need + lacking + rest_needs[i + 1] < self.best
                ):
                    chosen[field] = (size + sets[i], asked + quotas[i])
                    choose(i + 1, j, gap - filled, need + lacking)
                    if size:
                        chosen[field] = before
                    else:
                        del chosen[field]
                if self.best <= self.floor:
                    return

        choose(0, 0, gap, need)

    def _fields(self, counts: bytes, wanted: int) -> list[int]:
        """The ranks worth trying, most cards first.

        Of ranks that no run wants those with the most cards are as good as any.
        """
        tables = self.distances.tables
        others = len(self.distances.sets)
        found = []
        for field in sorted(tables.set_fields, key=lambda field: -counts[field]):
            if not (wanted >> 8 * field & 0xFF or (field == TWO_FIELD and tables.has_natural_twos)):
                if not others:
                    continue
                others -= 1
            found.append(field)
        return found

    def _need(self, laid: tuple[SuitWay, ...], chosen: dict[int, tuple[int, int]]) -> int:
        """The quotas that the best flow of naturals into them leaves unserved."""
        quotas = self.distances.tables.quotas
        supply: dict[tuple[int, int], int] = {}
        wants: list[tuple[int, list[tuple[int, int]], bool]] = []
        for i, way in laid:
            for run in way.runs:
                cards = [
                    (i, field)
                    for field in range(len(FIELDS))
                    if present(self.suits[i]) & run.span & 1 << 8 * field
                ]
                wants.append((quotas[run.size], cards, True))
        for field, (_, quota) in chosen.items():
            wants.append((quota, [(i, field) for i in range(len(SHIFTS))], False))
        for _, cards, _ in wants:
            for i, field in cards:
                supply[i, field] = self.suits[i] >> 8 * field & 0xFF
        return _unserved(wants, supply)


def _unserved(
    wants: list[tuple[int, list[tuple[int, int]], bool]], supply: dict[tuple[int, int], int]
) -> int:
    """Serve what can be served and count the rest.

    A want that is a run may take each of its cards once, a set's every copy.
    """
    given: dict[tuple[int, int], list[int]] = {card: [] for card in supply}

    def serve(want: int, seen: set[int]) -> bool:
        seen.add(want)
        _, cards, is_once = wants[want]
        usable = [card for card in cards if not (is_once and want in given[card])]
        for card in usable:
            if len(given[card]) < supply[card]:
                given[card].append(want)
                return True
        for card in usable:
            for other in set(given[card]) - seen:
                if serve(other, seen):
                    given[card].remove(other)
                    given[card].append(want)
                    return True
        return False

    return sum(
        not serve(want, set()) for want, (quota, _, _) in enumerate(wants) for _ in range(quota)
    )
