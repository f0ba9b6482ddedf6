"""Runs only, where the wild limit may ask for more than the gaps do.

A way to lay runs comes down to a *trade*: its gaps, the naturals that the limit asks
for and the hand lacks, and its cards beyond the least sizes. With `wilds` in hand it
takes `max(gaps - wilds, need, short + extra)` cards more. Trades of different suits
add up, and one run in a suit has few that no other betters. Several runs in a suit
have no better ones than they would have without taking each other's cards, so they
are placed, one by one, only where that would be better than what was found, and given
up as soon as it no more would be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .runs import FAR, Judged, Trade, best_trades, lesser, total
from .tables import ONES

if TYPE_CHECKING:
    from .distance import SuitsRuns
    from .placing import RunTable

Trades = tuple[Trade, ...]

MOST_TRIED = 64

NOTHING: Trades = ((0, 0, 0),)
"""The trades of no run."""


def fewest_under_limit(
    table: RunTable, suits: SuitsRuns, wilds: int, short: int, most: int, floor: int
) -> int:
    """Return how many cards runs lack.

    Args:
        table: The contract's runs.
        suits: The suits of the hand.
        wilds: How many wilds there are.
        short: How many cards the hand has less than must be in it.
        most: The answer is no more.
        floor: The answer is no less.
    """
    return _Search(table, suits, wilds, short, most, floor).fewest()


class _Search:
    """One search."""

    def __init__(
        self, table: RunTable, suits: SuitsRuns, wilds: int, short: int, most: int, floor: int
    ) -> None:
        self.table = table
        self.suits = suits
        self.wilds = wilds
        self.short = short
        self.best = most
        self.floor = floor
        self.found: list[list[Trades]] = [list(suit.singles()) for suit in suits]
        """For each suit the trades of every part, as far as they are known."""

    def fewest(self) -> int:
        """Return how many cards are lacking."""
        self.take(self.joined(self.found, len(self.table.parts) - 1))
        if self.table.per_suit > 1 and self.best > self.floor:
            self._try_to_share()
        return self.best

    def take(self, trades: Iterable[Trade]) -> None:
        """Note the best of some trades of the whole contract."""
        for gap, need, extra in trades:
            lacking = max(self.floor, gap - self.wilds, need, self.short + extra)
            self.best = min(self.best, lacking)

    def both(self, one: Trades, other: Trades) -> Trades:
        """Return the trades of two things together, such as may be better than the best."""
        best, short, gaps = self.best, self.short, self.best + self.wilds
        return best_trades(
            [
                (gap + gap2, need + need2, extra + extra2)
                for gap, need, extra in one
                for gap2, need2, extra2 in other
                if gap + gap2 < gaps and need + need2 < best and short + extra + extra2 < best
            ]
        )

    def joined(self, suits: Sequence[Sequence[Trades]], part: int) -> Trades:
        """Return the trades of a part spread over some suits."""
        if not part:
            return NOTHING
        if len(self.table.parts[part]) == 1:
            return best_trades([trade for trades in suits for trade in trades[part]])
        found = list(suits[0])
        last = len(suits) - 1
        for number, trades in enumerate(suits[1:], 1):
            found = [
                self._spread(found, trades, join) if number < last or n == part else ()
                for n, join in enumerate(self.table.joins)
            ]
        return found[part]

    def _spread(
        self, found: Sequence[Trades], trades: Sequence[Trades], join: list[tuple[int, int]]
    ) -> Trades:
        best, short, gaps = self.best, self.short, self.best + self.wilds
        return best_trades(
            [
                (gap + gap2, need + need2, extra + extra2)
                for i, j in join
                for gap, need, extra in found[i]
                for gap2, need2, extra2 in trades[j]
                if gap + gap2 < gaps and need + need2 < best and short + extra + extra2 < best
            ]
        )

    def _try_to_share(self) -> None:
        table = self.table
        bounds = [suit.bounds() for suit in self.suits]
        for part, sizes in enumerate(table.parts):
            if len(sizes) < 2:
                continue
            rest_part = table.rests[part]
            for number in range(4):
                if self.best <= self.floor:
                    return
                rest: Trades = NOTHING
                if rest_part:
                    rest = self.joined(bounds[:number] + bounds[number + 1 :], rest_part)
                if self.both(bounds[number][part], rest):
                    self._share(number, part, rest, bounds[number])

    def _share(self, number: int, part: int, rest: Trades, bounds: Sequence[Trades]) -> None:
        """Try several runs in a suit, unless the same was tried for another hand.

        What was given up then depends on what the other suits have: that is all in the
        key where no more than one run is left for them.
        """
        table = self.table
        suit = self.suits[number]
        if not table.may_overlap and suit.is_asked_again(part):
            # without cards to fight for, all its trades are soon known, and kept
            self._know(number, part, suit.trades(part))
            return
        if len(table.parts[table.rests[part]]) > 1:
            _Sharing(self, number, part, rest, bounds).place_all()
            return
        short = self.short if table.least_left else 0
        key = part, self.best, self.floor, self.wilds, short, rest
        tried = suit.tried
        known = tried.get(key)
        if known is None:
            if len(tried) >= MOST_TRIED:
                tried.clear()
            _Sharing(self, number, part, rest, bounds).place_all()
            tried[key] = self.found[number][part]
        elif known:
            self._know(number, part, known)

    def _know(self, number: int, part: int, trades: Trades) -> None:
        self.found[number][part] = trades
        others = self.found[:number] + self.found[number + 1 :]
        self.take(self.both(trades, self.joined(others, self.table.rests[part])))


class _Sharing:
    """Places several runs in one suit, for one search."""

    def __init__(
        self,
        search: _Search,
        number: int,
        part: int,
        rest: Trades,
        bounds: Sequence[Trades],
    ) -> None:
        self.search = search
        self.table = table = search.table
        self.number = number
        self.part = part
        self.sizes = sizes = table.parts[part]
        runs = search.suits[number]
        self.suit = runs.suit
        self.lists = [runs.useful(size) for size in sizes]
        part_of = table.part_of
        self.ahead = [search.both(bounds[part_of[sizes[i + 1 :]]], rest) for i in range(len(sizes))]
        """By the runs laid but one: what the rest can have at the best."""
        self.others: Trades | None = None

    def place_all(self) -> None:
        """Try all places that may lead to a better answer."""
        self._place((), 0, -1, 0, (0, 0, 0))

    def _may_be_better(self, ahead: Trades, gap: int, need: int, extra: int) -> bool:
        search = self.search
        best, short, gaps = search.best, search.short + extra, search.best + search.wilds - gap
        for more, needs, extras in ahead:
            if more < gaps and need + needs < best and short + extras < best:
                return True
        return False

    def _place(
        self, laid: tuple[Judged, ...], first: int, allowed: int, cover: int, so_far: Trade
    ) -> None:
        """Lay one run more.

        Args:
            laid: The runs laid.
            first: Which run comes first of those that are left.
            allowed: The numbers, as bits, of those that may lie beside them.
            cover: The naturals that they want, as a suit tally.
            so_far: Their trade, as if none took another's.
        """
        table, search, suit = self.table, self.search, self.suit
        quotas, natural_ranks = table.tables.quotas, table.tables.natural_ranks
        i = len(laid)
        size, choices, ahead = self.sizes[i], self.lists[i], self.ahead[i]
        least = min([gap for gap, _, _ in ahead], default=FAR)
        gap, need, extra = so_far
        sizes = sum([judge.run.size for judge in laid])
        quota = sum([quotas[judge.run.size] for judge in laid])
        more = self.sizes[i + 1 :]
        for j in range(first if i and size == self.sizes[i - 1] else 0, len(choices)):
            judge = choices[j]
            run = judge.run
            if gap + judge.gap + least >= search.best + search.wilds:
                return
            if not allowed >> run.number & 1:
                continue
            own = gap + judge.gap, need + judge.need, extra + (run.size - size) * table.least_left
            if not self._may_be_better(ahead, *own):
                continue
            both = cover + judge.naturals
            used = lesser(both, suit)
            gaps, needs = own[0], own[1]
            if used != both:
                gaps = sizes + run.size - total(used & natural_ranks)
                needs = max(needs, quota + quotas[run.size] - total(used))
                if not self._may_be_better(ahead, gaps, needs, own[2]):
                    continue
            if more:
                # each card that is left fills one gap of each run at the most
                left = total(lesser(suit - used, ONES * len(more)))
                gaps += max(0, sum(more) - left)
                if self._may_be_better(self.ahead[-1], gaps, needs, own[2]):
                    self._place((*laid, judge), j, allowed & table.apart[run.number], both, own)
            elif used == both:
                self._take(own)
            else:
                way = table.sharing(suit, (*laid, judge), own[2])
                self._take((way.gap, way.need, way.extra))
            if search.best <= search.floor:
                return

    def _take(self, trade: Trade) -> None:
        search = self.search
        if not self._may_be_better(self.ahead[-1], *trade):
            return
        found = search.found[self.number]
        found[self.part] = best_trades([*found[self.part], trade])
        if self.others is None:
            others = [search.found[k] for k in range(4) if k != self.number]
            self.others = search.joined(others, self.table.rests[self.part])
        search.take(search.both((trade,), self.others))


def without_sharing(one: Trades, other: Trades, need: int, gap: int) -> Trades:
    """Return what two parts would have in a suit if none of their runs took another's cards.

    Args:
        one: The trades of a part.
        other: Those of another.
        need: What the limit asks of both beyond the naturals of the suit.
        gap: The places of both beyond these.
    """
    return best_trades(
        [
            (max(gap1 + gap2, gap), max(need1 + need2, need), extra1 + extra2)
            for gap1, need1, extra1 in one
            for gap2, need2, extra2 in other
        ]
    )
