"""The exact distance where counting ranks gives only bounds.

`distance` finds a way with sets of different ranks, none of them twos, and
with runs that give nothing back to the sets where several runs share cards with
them. Here everything is tried that could be better: depth first, first the runs,
then a rank for each set, giving up as soon as the gaps or the needs are no fewer
than the best way's. Needs are exact at the end: they are what the best flow of
naturals into quotas leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .runs import GAP, RunOption, present
from .tables import AT_LEAST, FIELDS, HIGHS, SHIFTS, TWO_FIELD, WILD_SHIFT

if TYPE_CHECKING:
    from .distance import Distances

SuitWay = tuple[int, RunOption]
"""The number of a suit, and how runs lie in it."""


def settle(distances: Distances, tally: int, cards: int, best: int) -> int:
    """Return the distance, given the best that was found so far."""
    if best <= max(0, distances.size + distances.least_left - cards):
        return best
    return _Settling(distances, tally, cards, best).best


class _Settling:
    """One search."""

    def __init__(self, distances: Distances, tally: int, cards: int, best: int) -> None:
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
        self.floor = max(0, self.short, self.set_need)
        if self.best > self.floor:
            self._try_runs()

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
                for way in table.all_ways(self.suits[i], here):
                    if least + way.gap >= self.best:
                        break
                    if need + way.need + self.set_need < self.best:
                        spread(i + 1, rest, (*laid, (i, way)), gap + way.gap, need + way.need)
                    if self.best <= self.floor:
                        return

        spread(0, len(joins) - 1, (), 0, 0)

    def _try_sets(self, laid: tuple[SuitWay, ...]) -> None:
        """Choose ranks for the sets, the runs being laid."""
        sets, quotas = self.distances.sets, self._quotas()
        gap = sum(way.gap for _, way in laid) + self.gaps
        need = sum(way.need for _, way in laid)
        extra = self.short + sum(way.extra for _, way in laid)
        left = self.ranks - sum(way.used for _, way in laid)
        if max(extra, gap - self._most(left, sets)) >= self.best:
            return
        places = left.to_bytes(len(FIELDS), "little")
        quota = self.with_twos.to_bytes(len(FIELDS), "little")
        fields = self._fields(quota, len(sets))
        chosen: dict[int, tuple[int, int]] = {}

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
                if gap - filled - self._rest(i + 1) < self.best and need + lacking < self.best:
                    chosen[field] = (size + sets[i], asked + quotas[i])
                    choose(i + 1, j, gap - filled, need + lacking)
                    if size:
                        chosen[field] = before
                    else:
                        del chosen[field]
                if self.best <= self.floor:
                    return

        choose(0, 0, gap, need)

    def _rest(self, first: int) -> int:
        return sum(self.distances.sets[first:])

    def _fields(self, counts: bytes, sets: int) -> list[int]:
        """The ranks worth trying, most cards first; of those without any, enough."""
        fields = sorted(self.distances.tables.set_fields, key=lambda field: -counts[field])
        held = sum(counts[field] > 0 for field in fields)
        return fields[: held + sets]

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
