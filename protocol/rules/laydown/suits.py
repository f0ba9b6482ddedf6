"""What is known of the runs in one suit of a certain tally, worked out when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lies import lies_of
from .limited import without_sharing
from .runs import FAR, GAP, Judged, RunOption, Trade, best_trades, lesser, needed_of, pack, total
from .tables import HIGHS, ONES

if TYPE_CHECKING:
    from .placing import RunTable


class SuitRuns:
    """How each part can lie in a suit of a certain tally, by the number of the part.

    Several runs in one suit take long to place and are seldom of use, so that is
    put off: until `know` was called for such a part, its `least` is no more than
    a lower bound and nothing else is known.
    """

    __slots__ = ("_asked", "_bounds", "_every", "_judged", "_least_trades", "_singles", "_table", "_trades", "_useful", "alike", "essential",
                 "is_known", "least", "options", "strain", "suit", "tried", "wanted")  # fmt: skip

    def __init__(self, table: RunTable, suit: int) -> None:
        parts = table.parts
        self._table = table
        self.suit = suit
        self._judged = table.judge_runs(suit)
        self._useful: dict[int, list[Judged]] = {}
        self._singles: list[tuple[Trade, ...]] = []
        self._bounds: list[tuple[Trade, ...]] = []
        self._every: dict[int, list[Judged]] = {}
        self._trades: dict[int, tuple[Trade, ...]] = {}
        self._asked: set[int] = set()
        self.tried: dict[tuple[object, ...], tuple[Trade, ...]] = {}
        """The trades of parts as far as they were worked out for some hand, see `limited`."""
        self._least_trades: dict[int, tuple[Trade, ...]] = {}
        self.options: list[tuple[RunOption, ...] | None] = [None] * len(parts)
        """The ways that no other way betters, those with the least gap first."""
        self.is_known = [False] * len(parts)
        """Whether all but the options is worked out."""
        self.least = [FAR] * len(parts)
        """Gap, need and extra of the first option, packed; `FAR` without one."""
        self.wanted = [0] * len(parts)
        """The high bits of the cards of which one more would lessen the least gap."""
        self.essential = [0] * len(parts)
        """The high bits of the cards without one of which the least gap would grow."""
        self.strain = [0] * len(parts)
        """The most need among the ways with the least gap."""
        naturals = total(suit & table.tables.natural_ranks)
        gaps: dict[int, int] = {}
        for number, part in enumerate(parts):
            if len(part) < 2:
                self.know(number)
                gaps[sum(part)] = self.least[number] >> GAP
            elif len(part) > table.per_suit:
                self.options[number] = ()
            else:
                # No run has fewer gaps than alone, and no card fills two.
                least = max(sum([gaps[size] for size in part]), sum(part) - naturals)
                self.least[number] = min(FAR, pack(least, 0, 0))
        self.alike = table.alike(self._judged) if len(parts) == 2 else ()
        """Where the contract has one run: all its places, those with the least gap first."""

    def ways(self, part: int) -> tuple[RunOption, ...]:
        """Return the options of a part, worked out if they are not yet."""
        found = self.options[part]
        return self.work_out(part) if found is None else found

    def useful(self, size: int) -> list[Judged]:
        """Return the runs that may serve for a size beside others, the least gap first."""
        found = self._useful.get(size)
        if found is None:
            found = self._useful[size] = self._table.useful_runs(size, self._judged, True)
        return found

    def every(self, size: int) -> list[Judged]:
        """Return all runs that can serve for a size, the least gap first."""
        found = self._every.get(size)
        if found is None:
            table = self._table
            found = self._every[size] = sorted(
                [
                    j
                    for j in self._judged
                    if j.run.size == size or (j.run.size > size and not table.is_exact)
                ],
                key=lambda judge: judge.gap,
            )
        return found

    def known_trades(self, part: int) -> tuple[Trade, ...]:
        """Return the trades of a part as far as they are known."""
        if len(self._table.parts[part]) < 2:
            return self.trades(part)
        return self._trades.get(part, ())

    def is_asked_again(self, part: int) -> bool:
        """Whether the trades of a part are known, or were asked for before."""
        if part in self._asked:
            return True
        self._asked.add(part)
        return False

    def trades(self, part: int) -> tuple[Trade, ...]:
        """Return the trades of a part."""
        found = self._trades.get(part)
        if found is None:
            ways = self.ways(part)
            found = best_trades([(way.gap, way.need, way.extra) for way in ways])
            self._trades[part] = found
        return found

    def singles(self) -> list[tuple[Trade, ...]]:
        """Return the trades of every part with one run or none, and nothing for others."""
        if not self._singles:
            self._singles = [
                self.trades(part) if len(sizes) < 2 else ()
                for part, sizes in enumerate(self._table.parts)
            ]
        return self._singles

    def bounds(self) -> list[tuple[Trade, ...]]:
        """Return `least_trades` of every part."""
        if not self._bounds:
            self._bounds = [self.least_trades(part) for part in range(len(self._table.parts))]
        return self._bounds

    def least_trades(self, part: int) -> tuple[Trade, ...]:
        """Return trades of a part that none of its ways betters."""
        table = self._table
        sizes = table.parts[part]
        if len(sizes) < 2:
            return self.trades(part)
        if len(sizes) > table.per_suit:
            return ()
        found = self._least_trades.get(part)
        if found is None:
            first, rest = table.part_of[sizes[:1]], table.part_of[sizes[1:]]
            quota = sum([table.tables.quotas[size] for size in sizes])
            naturals = table.tables.natural_ranks
            found = self._least_trades[part] = without_sharing(
                self.trades(first),
                self.least_trades(rest),
                quota - total(lesser(self.suit, ONES * len(sizes))),
                sum(sizes) - total(lesser(self.suit & naturals, ONES * len(sizes))),
            )
        return found

    def know(self, part: int) -> None:
        """Fill in everything about a part but its options, which may take longer."""
        if self.is_known[part]:
            return
        table = self._table
        if len(table.parts[part]) > table.per_suit:
            self.is_known[part] = True
        elif table.has_sets or not table.parts[part] or not table.is_plain_part(part):
            self.work_out(part)
        else:
            self.is_known[part] = True
            lies = lies_of(table, self.suit, part, only_least=True)
            if not lies:
                self.least[part] = FAR
                return
            self.least[part] = pack(*lies[0][:2], 0)
            wanted, essential = 0, HIGHS
            for _, _, used, missing in lies:
                wanted |= missing
                essential &= needed_of(used, self.suit)
            self.wanted[part], self.essential[part] = wanted, essential
            self.strain[part] = lies[-1][1]

    def work_out(self, part: int) -> tuple[RunOption, ...]:
        """Fill in everything about a part."""
        self.is_known[part] = True
        found = self._table.work_out(self.suit, part, self._judged)
        options, self.least[part], self.wanted[part], self.essential[part], self.strain[part] = (
            found
        )
        self.options[part] = options
        return options
