"""Several runs that must keep apart in their suits, and nothing else: what fits best.

Runs that take no card from each other can be packed suit by suit, from the lowest
place up: what is heaviest up to a place, for every part of the contract's runs and
every number of wilds, follows from what is heaviest up to earlier places. A suit is
worked out once for each tally and number of wilds; the four suits are then put
together the same way. Weights are those of `best`.
"""

from __future__ import annotations

from .placing import RunTable
from .runs import MOST_KEPT, Run
from .tables import HIGHS, PRESENT, SHIFTS, SUIT_MASK

Placed = tuple[Run, int]
"""A run and the naturals in it, as a suit tally; wilds have the other places."""

Chain = tuple["Chain", int, Placed] | None
"""Runs with the numbers of their suits, the last one first."""

Packing = list[dict[int, tuple[int, tuple[Placed, ...]]]]
"""For each part, by the number of wilds: the most weight of naturals, and how."""

_APART = {"gap": 1, "gap2": 2, "different": 99}
"""Free places that two runs of a suit must have between them."""


def can_pack(table: RunTable) -> bool:
    """Return whether the runs of this contract can be packed: none wants another's card."""
    return (
        len(table.parts[-1]) > 1
        and not table.may_overlap
        and not table.has_sets
        and not table.tables.has_natural_twos
    )


class RunPacking:
    """Packs the runs of one contract, for any hand."""

    def __init__(self, table: RunTable, field_weights: list[int]) -> None:
        self.table = table
        self.tables = table.tables
        self.field_weights = field_weights
        self.apart = _APART[table.same_suit]
        self.steps = [
            [(i, table.parts[j][0]) for i, j in joins if len(table.parts[j]) == 1]
            for joins in table.joins
        ]
        """For each part, the parts that lack one of its runs, and the size of that."""
        self.by_end = [
            [run for run in table.runs if run.low + run.size - 1 == place]
            for place in range(self.tables.high + 1)
        ]
        self.kept: dict[tuple[int, int], Packing] = {}

    def best(self, tally: int, wild_weights: list[int]) -> tuple[tuple[int, Placed], ...] | None:
        """Return the heaviest way to lay all runs, each with the number of its suit.

        Args:
            tally: The hand.
            wild_weights: The weight of the first 0, 1, 2 ... wilds.
        """
        wilds = len(wild_weights) - 1
        joins = self.table.joins
        found: list[dict[int, tuple[int, Chain]]] = [{0: (0, None)}, *[{} for _ in joins[1:]]]
        cards = tally & self.tables.naturals
        for number, shift in enumerate(SHIFTS):
            packing = self.of_suit((cards >> shift & SUIT_MASK) + PRESENT & HIGHS, wilds)
            # Only the whole contract counts after the last suit.
            first = 0 if number < 3 else len(joins) - 1
            found = [{}] * first + [
                _joined(found, packing, join, wilds, number) for join in joins[first:]
            ]
        if not found[-1]:
            return None
        _, chain = max(
            found[-1].items(), key=lambda item: (item[1][0] + wild_weights[item[0]], -item[0])
        )[1]
        runs: list[tuple[int, Placed]] = []
        while chain is not None:
            chain, suit, placed = chain
            runs.append((suit, placed))
        return tuple(reversed(runs))

    def of_suit(self, key: int, wilds: int) -> Packing:
        """Return the heaviest ways in a suit with these cards, by their high bits."""
        found = self.kept.get((key, wilds))
        if found is None:
            if len(self.kept) >= MOST_KEPT:
                self.kept.clear()
            found = self.kept[key, wilds] = self._pack(key >> 7, wilds)
        return found

    def _pack(self, suit: int, wilds: int) -> Packing:
        """Work up from the lowest place; `up_to[place]` is the best that ends there or below."""
        tables = self.tables
        none: Packing = [{0: (0, ())}, *[{} for _ in self.steps[1:]]]
        up_to = [none] * tables.low
        for place in range(tables.low, tables.high + 1):
            here: Packing = [dict(ways) for ways in up_to[-1]]
            for run in self.by_end[place]:
                most = min(wilds, tables.limits[run.size])
                if run.size - (suit & run.span).bit_count() > most:
                    continue
                fillings = self._fillings(suit, run, most)
                below = up_to[max(0, run.low - 1 - self.apart)]
                for ways, steps in zip(here, self.steps, strict=True):
                    for i, size in steps:
                        if run.size < size or (run.size > size and self.table.is_exact):
                            continue
                        for before, (weight, placed) in below[i].items():
                            for used, gain, held in fillings:
                                both = before + used
                                if both > wilds:
                                    break
                                if both not in ways or weight + gain > ways[both][0]:
                                    ways[both] = weight + gain, (*placed, (run, held))
            up_to.append(here)
        return up_to[-1]

    def _fillings(self, suit: int, run: Run, most: int) -> list[tuple[int, int, int]]:
        """Wilds, weight and naturals of a run with ever more wilds for its cheapest naturals."""
        held = suit & run.span
        gap = run.size - held.bit_count()
        cards = sorted(
            [
                (w, 1 << 8 * field)
                for field, w in enumerate(self.field_weights)
                if held >> 8 * field & 1
            ]
        )
        weight = sum([w for w, _ in cards])
        found = [(gap, weight, held)]
        for used, (price, bit) in zip(range(gap + 1, most + 1), cards, strict=False):
            weight -= price
            held &= ~bit
            found.append((used, weight, held))
        return found


def _joined(
    found: list[dict[int, tuple[int, Chain]]],
    packing: Packing,
    join: list[tuple[int, int]],
    wilds: int,
    suit: int,
) -> dict[int, tuple[int, Chain]]:
    """The heaviest ways to lay a part in the suits so far and this one."""
    ways: dict[int, tuple[int, Chain]] = {}
    for i, j in join:
        for before, (weight, chain) in found[i].items():
            for used, (gain, placed) in packing[j].items():
                both = before + used
                if both <= wilds and (both not in ways or weight + gain > ways[both][0]):
                    longer = chain
                    for run in placed:
                        longer = (longer, suit, run)
                    ways[both] = weight + gain, longer
    return ways
