"""What one card more or less does to a hand for runs only, where the wild limit may bind.

A card changes the trades (see `limited`) of its suit alone, and `deltas` says how. So for
each suit it is worked out what the other three have, and what is said of the suit is
true of the hand if with that it comes to no more than the distance asked for. More than
two runs in one suit are seldom possible; where a bound for them leaves it open there are
hints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .deltas import NO_RUN, TWO, Deltas
from .limited import NOTHING, Trades
from .runs import GAP, Trade, best_trades
from .signs import EVERY_WILD, TWO_SIGNS, WILD, Signs
from .tables import AT_LEAST, HIGHS, WILD_SHIFT

if TYPE_CHECKING:
    from .distance import Distances, SuitsRuns


def signs_of_runs(distances: Distances, tally: int, cards: int, now: int) -> Signs:
    """Return all signs and hints about a hand with that distance."""
    search = _Trading(distances, tally, cards, now)
    search.note_all()
    return search.signs


class _Trading:
    """One search."""

    def __init__(self, distances: Distances, tally: int, cards: int, now: int) -> None:
        self.table = table = distances.table
        self.now = now
        self.gaps = now + (tally >> WILD_SHIFT)
        """The most gaps that the wilds and as many cards as are lacking can fill."""
        self.room = now - (distances.size + distances.least_left - cards)
        """The most cards beyond the least sizes."""
        self.signs = Signs()
        self.tallies = distances.suits(tally)
        self.suits: SuitsRuns = table.of_all(tally)
        self.deltas: list[list[Deltas | None]] = []
        """For each suit what is said of every part; None where that is of no use, or not known."""
        self.trades: list[list[Trades]] = []
        """Those of them that are of use."""
        self.open: list[tuple[int, int]] = []
        """Suits and parts of which nothing is known that may be of use."""
        self.nothing: list[Trades] = [NOTHING, *[()] * (len(table.parts) - 1)]
        """What a suit has in which no run is of use."""
        for number, elsewhere in enumerate(table.least_elsewhere(self.suits)):
            self._look_at(number, elsewhere)

    def _look_at(self, number: int, elsewhere: list[int]) -> None:
        """Find out what may be of use in a suit, given the least that the others need, packed."""
        table, suit = self.table, self.suits[number]
        rests, limit = table.rests, self.gaps + 1 << GAP
        deltas: list[Deltas | None] = [NO_RUN[table.tables.has_natural_twos]]
        trades = [NOTHING]
        is_of_use = False
        for part in range(1, len(suit.least)):
            said = None
            of_use: Trades = ()
            least = elsewhere[rests[part]]
            if suit.least[part] + least < limit:
                room = self.gaps - (least >> GAP)
                if len(table.parts[part]) < 3:
                    said = suit.deltas(part, room)
                    of_use = self._of_use(said.trades, room)
                else:
                    self.open.append((number, part))
                is_of_use = True
            deltas.append(said)
            trades.append(of_use)
        self.deltas.append(deltas)
        self.trades.append(trades if is_of_use else self.nothing)

    def _of_use(self, trades: Trades, gaps: int) -> Trades:
        now, room = self.now, self.room
        return tuple([t for t in trades if t[0] <= gaps and t[1] <= now and t[2] <= room])

    def _both(self, one: Trades, other: Trades) -> list[Trade]:
        now, gaps, room = self.now, self.gaps, self.room
        return [
            (g + g2, n + n2, e + e2)
            for g, n, e in one
            for g2, n2, e2 in other
            if g + g2 <= gaps and n + n2 <= now and e + e2 <= room
        ]

    def _spread(
        self, one: Sequence[Trades], other: Sequence[Trades], pairs: Sequence[tuple[int, int]]
    ) -> Trades:
        """The trades, spread over two things, of a part that falls into these pairs.

        The first part of all is no run.
        """
        trades: list[Trade] = []
        for i, j in pairs:
            here, there = one[i], other[j]
            if here and there:
                if not i:
                    trades += there
                elif not j:
                    trades += here
                else:
                    trades += self._both(here, there)
        return best_trades(trades)

    def _join(self, one: list[Trades], other: list[Trades]) -> list[Trades]:
        """The trades of every part spread over two things."""
        if one is self.nothing:
            return other
        if other is self.nothing:
            return one
        return [NOTHING, *[self._spread(one, other, pairs) for pairs in self.table.pairs[1:]]]

    def _elsewhere(self, suits: list[list[Trades]]) -> list[tuple[list[Trades], list[Trades]]]:
        """For each suit, what the other three have, as two things; and last, what all have."""
        first, second, third, fourth = suits
        low, high = self._join(first, second), self._join(third, fourth)
        return [(second, high), (first, high), (low, fourth), (low, third), (low, high)]

    def note_all(self) -> None:
        """Note what every suit says."""
        trades, signs = self.trades, self.signs
        self._note(trades, signs.useful, signs.spare)
        if self.table.tables.has_natural_twos:
            for suit, sign in enumerate(TWO_SIGNS[:4]):
                signs.useful[WILD] |= sign if signs.useful[suit] & TWO else 0
                signs.spare[WILD] |= sign if signs.spare[suit] & TWO else 0
        if self.open:
            trades = [list(suit) for suit in trades]
            for number, part in self.open:
                trades[number][part] = self.suits[number].least_trades(part)
            self._note(trades, signs.maybe_useful, signs.maybe_spare)
            signs.maybe_useful[WILD] = signs.maybe_spare[WILD] = EVERY_WILD
            elsewhere = self._elsewhere(trades)
            for number, part in self.open:
                rest = self._spread(*elsewhere[number], self.table.pairs[self.table.rests[part]])
                if self._both(trades[number][part], rest):
                    signs.maybe_useful[number] = signs.maybe_spare[number] = HIGHS
                    signs.maybe_useful[WILD] = signs.maybe_spare[WILD] = EVERY_WILD

    def _spare_copies(self, spare: list[int]) -> None:
        """Where a run wants one copy of a card, others may go; of a two, as a wild."""
        free = HIGHS
        if self.table.tables.has_natural_twos and not spare[WILD]:
            free &= ~TWO
        for number, cards in enumerate(self.tallies):
            spare[number] |= cards + AT_LEAST[2] & free

    def _note(self, trades: list[list[Trades]], useful: list[int], spare: list[int]) -> None:
        """Note what is so if the suits have these trades."""
        table, now, gaps, room = self.table, self.now, self.gaps, self.room
        elsewhere = self._elsewhere(trades)
        may_go = False
        for gap, need, extra in self._spread(*elsewhere[4], table.pairs[-1]):
            if need < now:
                useful[WILD] = EVERY_WILD
                if gap < gaps:
                    useful[:] = [HIGHS, HIGHS, HIGHS, HIGHS, EVERY_WILD]
            if extra < room:
                may_go = True
                if gap < gaps:
                    spare[WILD] = 1 if table.tables.has_natural_twos else EVERY_WILD
        if may_go and not table.may_overlap:
            self._spare_copies(spare)
        for number in range(4):
            for part, deltas in enumerate(self.deltas[number]):
                if deltas is None:
                    continue
                rest = self._spread(*elsewhere[number], table.pairs[table.rests[part]])
                if not rest:
                    continue
                # what is said comes in the order of gaps
                least = rest[0][0]
                known = useful[number]
                for gap, need, extra, cards in deltas.more if now else ():
                    if gap + least >= gaps:
                        break
                    if cards & ~known:
                        for g, n, e in rest:
                            if gap + g < gaps and need + n < now and extra + e <= room:
                                known |= cards
                                break
                useful[number] = known
                known = spare[number]
                for gap, need, extra, cards in deltas.less if known != HIGHS else ():
                    if gap + least > gaps:
                        break
                    if cards & ~known:
                        for g, n, e in rest:
                            if gap + g <= gaps and need + n <= now and extra + e < room:
                                known |= cards
                                break
                spare[number] = known
