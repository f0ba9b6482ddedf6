"""What one card more or less does to a hand for runs only, where the wild limit may bind.

A card changes the *trades* (see `limited`) of its suit alone. So for each suit it is
worked out what the other three have, and then for each run of the suit whether it,
with the card filled in or taken out, and the others come to the distance that is
asked about. As long as each suit has one run or none that is exact. Several runs in
one suit take long to place; where a bound for them leaves it open there are hints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .limited import Trades
from .runs import Trade, best_trades
from .tables import AT_LEAST, HIGHS, WILD_SHIFT

if TYPE_CHECKING:
    from .distance import Distances, SuitsRuns
    from .signs import Signs


def sign_runs(distances: Distances, tally: int, cards: int, now: int, signs: Signs) -> None:
    """Note all signs and hints about a hand with that distance."""
    _Trading(distances, tally, cards, now, signs).note_all()


MOST_PAIRS = 900
"""Pairs of runs tried in a suit: a millisecond."""


class _Trading:
    """One search."""

    def __init__(
        self, distances: Distances, tally: int, cards: int, now: int, signs: Signs
    ) -> None:
        self.table = table = distances.table
        self.now = now
        self.gaps = now + (tally >> WILD_SHIFT)
        self.extra = now - (distances.size + distances.least_left - cards)
        """The most cards beyond the least sizes."""
        self.signs = signs
        self.tallies = distances.suits(tally)
        self.suits: SuitsRuns = table.of_all(tally)
        self.natural_ranks = table.tables.natural_ranks
        parts = range(len(table.parts))
        sure = [[suit.known_trades(part) for part in parts] for suit in self.suits]
        bound = [
            [known or least for known, least in zip(trades, suit.bounds(), strict=True)]
            for suit, trades in zip(self.suits, sure, strict=True)
        ]
        self.bounds = bound
        self.sure_others = self._others(sure)
        self.others = self._others(bound)

    def _both(self, one: Trades, other: Trades) -> list[Trade]:
        now, gaps, extra = self.now, self.gaps, self.extra
        return [
            (g + g2, n + n2, e + e2)
            for g, n, e in one
            for g2, n2, e2 in other
            if g + g2 <= gaps and n + n2 <= now and e + e2 <= extra
        ]

    def _join(self, one: Sequence[Trades], other: Sequence[Trades]) -> list[Trades]:
        return [
            best_trades([trade for i, j in pairs for trade in self._both(one[i], other[j])])
            if pairs
            else ()
            for pairs in self.table.pairs
        ]

    def _others(self, suits: list[list[Trades]]) -> list[list[Trades]]:
        """For each suit, the trades of every part spread over the other three."""
        first, second, third, fourth = suits
        low, high = self._join(first, second), self._join(third, fourth)
        return [
            self._join(second, high),
            self._join(first, high),
            self._join(low, fourth),
            self._join(low, third),
        ]

    def note_all(self) -> None:
        """Note what every suit says."""
        signs, table = self.signs, self.table
        whole = len(table.parts) - 1
        for number in range(4):
            sure, maybe = self.sure_others[number], self.others[number]
            if maybe[whole]:
                self._note_beside(number, sure[whole], is_sure=True)
                self._note_beside(number, maybe[whole], is_sure=False)
            for part, sizes in enumerate(table.parts):
                rest = table.rests[part]
                if len(sizes) == 1:
                    if maybe[rest]:
                        self._note_run(number, sizes[0], sure[rest], maybe[rest])
                elif sizes and (several := self._several(number, part, maybe[rest])):
                    signs.maybe_useful[number] = signs.maybe_spare[number] = HIGHS
                    self._note_whole(several, is_sure=False)

    def _several(self, number: int, part: int, others: Trades) -> list[Trade]:
        """What several runs in a suit and the others may come to.

        Two runs are placed if that was asked before and does not take long.
        """
        found = self._both(self.bounds[number][part], others)
        if found and len(self.table.parts[part]) == 2:
            suit, (one, other) = self.suits[number], self.table.parts[part]
            if suit.is_asked_again(part) and (
                len(suit.useful(one)) * len(suit.useful(other)) <= MOST_PAIRS
            ):
                found = self._both(suit.trades(part), others)
        return found

    def _hint_wilds(self) -> None:
        self.signs.maybe_useful[4] = self.signs.maybe_spare[4] = 1

    def _note_beside(self, number: int, others: Trades, *, is_sure: bool) -> None:
        """A way without a run in this suit: all of the suit may go, none of it helps."""
        signs = self.signs
        if not others:
            return
        (signs.spare if is_sure else signs.maybe_spare)[number] = HIGHS
        self._note_whole(others, is_sure=is_sure)

    def _note_whole(self, whole: Sequence[Trade], *, is_sure: bool) -> None:
        """What ways say of wilds, which fill gaps and meet no needs, and of any card.

        Any card helps where only the number of cards is too small.
        """
        signs = self.signs
        self._hint_wilds()
        if any(gap < self.gaps and need < self.now for gap, need, _ in whole):
            signs.maybe_useful = [HIGHS, HIGHS, HIGHS, HIGHS, 1]
            if is_sure:
                signs.useful = [HIGHS, HIGHS, HIGHS, HIGHS, 1]
        if not is_sure:
            return
        has_twos = self.table.tables.has_natural_twos
        for gap, need, _ in whole:
            if need < self.now:
                signs.useful[4] = 1
            if gap < self.gaps and not has_twos:
                signs.spare[4] = 1

    def _note_run(self, number: int, size: int, sure: Trades, maybe: Trades) -> None:
        signs, now, gaps = self.signs, self.now, self.gaps
        suit = self.suits[number]
        several = self.tallies[number] + AT_LEAST[2] & HIGHS
        least = min([gap for gap, _, _ in maybe])
        least_left = self.table.least_left
        for judge in suit.every(size):
            if judge.gap + least > gaps:
                break
            run = judge.run
            own = ((judge.gap, judge.need, (run.size - size) * least_left),)
            whole = self._both(own, maybe)
            if not whole:
                continue
            used = judge.naturals << 7
            wanted = (run.span & self.natural_ranks) - judge.used << 7
            signs.maybe_useful[number] |= wanted
            signs.maybe_spare[number] = HIGHS
            self._note_whole(whole, is_sure=False)
            sure_whole = self._both(own, sure) if sure is not maybe else whole
            if not sure_whole:
                continue
            self._note_whole(sure_whole, is_sure=True)
            beside = HIGHS & ~used | several
            signs.spare[number] |= beside
            for gap, need, _ in sure_whole:
                if need < now or judge.need:
                    signs.useful[number] |= wanted
                if gap < gaps and (need < now or judge.slack):
                    signs.spare[number] |= used
