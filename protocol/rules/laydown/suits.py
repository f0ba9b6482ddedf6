"""What is known of the runs in one suit of a certain tally, worked out when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .deltas import NO_RUN, Deltas, of_one, of_two
from .lies import lies_of
from .limited import without_sharing
from .runs import (
    FAR,
    GAP,
    Alike,
    Judged,
    RunOption,
    Trade,
    best_trades,
    lesser,
    needed_of,
    pack,
    total,
)
from .tables import HIGHS, ONES

if TYPE_CHECKING:
    from .placing import RunTable


class SuitRuns:
    """How each part can lie in a suit of a certain tally, by the number of the part.

    Several runs in one suit take long to place and are seldom of use, so that is
    put off: until `know` was called for such a part, its `least` is no more than
    a lower bound and nothing else is known.
    """

    __slots__ = ("_asked", "_bounds", "_deltas", "_judged", "_least_trades", "_places", "_singles", "_table", "_trades", "_useful", "essential",
                 "is_known", "least", "options", "suit", "tried", "wanted")  # fmt: skip

    def __init__(self, table: RunTable, suit: int) -> None:
        parts = table.parts
        self._table = table
        self.suit = suit
        self._judged: list[Judged] = []
        self._useful: dict[int, list[Judged]] = {}
        self._singles: list[tuple[Trade, ...]] = []
        self._bounds: list[tuple[Trade, ...]] = []
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
        naturals = total(suit & table.tables.natural_ranks)
        gaps: dict[int, int] = {}
        for number, part in enumerate(parts):
            if len(part) < 2:
                self.know(number)
                gaps[sum(part)] = self.least[number] >> GAP
            elif not table.fits[number]:
                self.options[number] = ()
            else:
                # No run has fewer gaps than alone, and no card fills two.
                least = max(sum([gaps[size] for size in part]), sum(part) - naturals)
                self.least[number] = min(FAR, pack(least, 0, 0))
        self._places: tuple[Alike, ...] | None = None
        self._deltas: dict[int, tuple[int, Deltas]] = {}
        """With the gaps up to which they are told."""

    def judged(self) -> list[Judged]:
        """Return every run of the table, judged by itself."""
        if not self._judged:
            self._judged = self._table.judge_runs(self.suit)
        return self._judged

    def places(self) -> tuple[Alike, ...]:
        """Return all places of the contract's only run, those with the least gap first."""
        found = self._places
        if found is None:
            found = self._places = self._table.alike(self.judged())
        return found

    def deltas(self, part: int, most: int) -> Deltas:
        """Return what one card changes for no run, or one, or two with up to so many gaps."""
        kept = self._deltas.get(part)
        if kept is None or kept[0] < most:
            table = self._table
            sizes = table.parts[part]
            lists = [table.serving(size, self.judged()) for size in sizes]
            if not sizes:
                most, found = FAR, NO_RUN[table.tables.has_natural_twos]
            elif len(sizes) == 1:
                most, found = FAR, of_one(table, self.suit, sizes[0], lists[0])
            else:
                found = of_two(table, self.suit, part, lists, most)
            kept = self._deltas[part] = most, found
        return kept[1]

    def ways(self, part: int) -> tuple[RunOption, ...]:
        """Return the options of a part, worked out if they are not yet."""
        found = self.options[part]
        return self.work_out(part) if found is None else found

    def useful(self, size: int) -> list[Judged]:
        """Return the runs that may serve for a size beside others, the least gap first."""
        found = self._useful.get(size)
        if found is None:
            found = self._useful[size] = self._table.useful_runs(size, self.judged(), True)
        return found

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
        if not table.fits[part]:
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
        if not table.fits[part]:
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

    def work_out(self, part: int) -> tuple[RunOption, ...]:
        """Fill in everything about a part."""
        self.is_known[part] = True
        found = self._table.work_out(self, part)
        options, self.least[part], self.wanted[part], self.essential[part] = found
        self.options[part] = options
        return options
