"""What one card more or less does to the runs in one suit.

With a card the trades (see `limited`) of a suit become others. Each place of a run, or
of two, says which trade it comes to with which card more, and with which card less;
places that say the same are put together, and what a better trade says as well is left
out, so little remains of them. It follows from the suit's tally and is kept with it.

A natural two is a wild besides: with one more it fills a gap wherever it goes, and with
one less a gap is left; that counts here as a gap less and a gap more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from .runs import Judged, Trade, best_trades, lesser, present, total
from .tables import AT_LEAST, HIGHS, TWO_FIELD

if TYPE_CHECKING:
    from .placing import RunTable

Said = tuple[int, int, int, int]
"""Gap, need and extra, and the high bits of the cards with which it comes to them."""

TWO = 0x80 << 8 * TWO_FIELD


class Deltas(NamedTuple):
    """What is said of a part in a suit."""

    trades: tuple[Trade, ...]
    """Of the suit as it is."""
    more: tuple[Said, ...]
    """With a card more. Those that change nothing are not told."""
    less: tuple[Said, ...]
    """With a card less."""


def _free(has_twos: bool) -> Deltas:
    """No run in the suit: all its cards may go, but a two is a wild less."""
    two = ((1, 0, 0, TWO),) if has_twos else ()
    return Deltas(((0, 0, 0),), (), ((0, 0, 0, HIGHS & ~TWO if has_twos else HIGHS), *two))


NO_RUN = {has_twos: _free(has_twos) for has_twos in (False, True)}


class _Saying:
    """Puts together what places say."""

    def __init__(self, table: RunTable, suit: int) -> None:
        self.table = table
        self.two = TWO if table.tables.has_natural_twos else 0
        self.several = suit + AT_LEAST[2] & HIGHS
        self.trades: set[Trade] = set()
        self.more: dict[Trade, int] = {}
        self.less: dict[Trade, int] = {}

    def deltas(self) -> Deltas:
        """Return all that was said."""
        return Deltas(best_trades(self.trades), _best_said(self.more), _best_said(self.less))

    def say(
        self,
        gap: int,
        extra: int,
        need: int,
        more: Sequence[tuple[int, int]],
        less: Sequence[tuple[int, int]],
    ) -> None:
        """Note what a place says.

        Args:
            gap: Its gap.
            extra: Its cards beyond the least sizes.
            need: What the wild limit asks for.
            more: What it asks for with certain cards more, all of which fill a gap.
            less: What it asks for with certain cards less, all of which leave a gap.
        """
        self.trades.add((gap, need, extra))
        free = HIGHS
        for then, cards in more:
            if cards:
                trade = gap - 1, then, extra
                self.more[trade] = self.more.get(trade, 0) | cards
        for then, cards in less:
            if cards:
                free &= ~cards
                trade = gap + 1, then, extra
                self.less[trade] = self.less.get(trade, 0) | cards
        trade = gap, need, extra
        self.less[trade] = self.less.get(trade, 0) | free & ~self.two
        if free & self.two:
            trade = gap + 1, need, extra
            self.less[trade] = self.less.get(trade, 0) | self.two


def _best_said(said: dict[Trade, int]) -> tuple[Said, ...]:
    """Leave out of what is said what a better trade says as well."""
    found: list[Said] = []
    for trade in sorted(said):
        gap, need, extra = trade
        cards = said[trade]
        for _, n, e, known in found:
            if n <= need and e <= extra:
                cards &= ~known
        if cards:
            found.append((gap, need, extra, cards))
    return tuple(found)


def of_one(table: RunTable, suit: int, size: int, choices: Sequence[Judged]) -> Deltas:
    """Return what one run of a size says, or a longer one, in a suit of that tally."""
    saying = _Saying(table, suit)
    for gap, need, slack, naturals, _, run in choices:
        held = naturals << 7
        wanted = (run.span << 7) & ~held
        saying.say(
            gap,
            (run.size - size) * table.least_left,
            need,
            ((need - 1 if need else 0, wanted),),
            ((need if slack else need + 1, held & ~saying.several),),
        )
    return saying.deltas()


def of_two(
    table: RunTable, suit: int, part: int, lists: Sequence[Sequence[Judged]], most: int
) -> Deltas:
    """Return what two runs say in a suit of that tally, with no more gaps than `most`."""
    saying = _Saying(table, suit)
    natural_ranks, quotas = table.tables.natural_ranks, table.tables.quotas
    (size, other_size), (first, second) = table.parts[part], lists
    held, several = present(suit) << 7, saying.several
    for i, one in enumerate(first):
        allowed = table.apart[one.run.number]
        for other in second[i:] if size == other_size else second:
            if one.gap + other.gap > most:
                break
            if not allowed >> other.run.number & 1:
                continue
            cover = one.naturals + other.naturals
            have = lesser(cover, suit)
            gap = one.run.size + other.run.size - total(have & natural_ranks)
            if gap > most:
                continue
            # Hall's condition: what the first, the second and both lack
            a = quotas[one.run.size] - one.naturals.bit_count()
            b = quotas[other.run.size] - other.naturals.bit_count()
            both = quotas[one.run.size] + quotas[other.run.size] - total(have)
            span, other_span = one.run.span << 7, other.run.span << 7
            shared, here, there = span & other_span, span & ~other_span, other_span & ~span
            saying.say(
                gap,
                (one.run.size + other.run.size - size - other_size) * table.least_left,
                max(0, a, b, both),
                (
                    (max(0, a - 1, b, both - 1), here & ~held),
                    (max(0, a, b - 1, both - 1), there & ~held),
                    (max(0, a - 1, b - 1, both - 1), shared & ~held),
                    (max(0, a, b, both - 1), shared & held & ~several),
                ),
                (
                    (max(0, a + 1, b, both + 1), here & held & ~several),
                    (max(0, a, b + 1, both + 1), there & held & ~several),
                    (max(0, a + 1, b + 1, both + 1), shared & held & ~several),
                    (max(0, a, b, both + 1), shared & several & ~(suit + AT_LEAST[3])),
                ),
            )
    return saying.deltas()
