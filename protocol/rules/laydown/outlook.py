"""What one card more or less does to the distance of a hand, for all cards at once.

Asking `Distances` for each of 53 cards is slow. For sets and one run at the most `changes`
tells it, for runs only under a wild limit `trading`. Here it is done where the distance is
what the gaps say, `gaps - wilds`: one more card helps where it fills a gap of some way
with the fewest gaps, and a card may go where some such way does without it; both can be
read off for all ranks at once. That is all for runs without a limit.

Several runs with sets come under the limit likewise: where a way needs as many naturals
as are lacking, a card must meet a need, or may go if none is left open. What runs can give
back to sets, sets of twos and several sets of a rank may do still better; cards for which
that is not excluded (`needs` excludes much) are asked for one by one.
"""

from __future__ import annotations

from typing import NamedTuple

from ..cards import CARDS, JOKER, RANK, SUIT, SUITS, Card, Hand
from .changes import Changes
from .distance import Distances, SuitsRuns
from .gaps import Gaps
from .placing import RunTable
from .runs import FAR, GAP, needed_of
from .signs import EVERY_WILD, TWO_SIGNS, WILD, Signs
from .tables import AT_LEAST, FIELDS, HIGHS, PRESENT, WILD_SHIFT
from .trading import signs_of_runs


class Outlook(NamedTuple):
    """The distance of a hand, and with one card more or less."""

    distance: int
    useful: Hand
    """The cards of which adding one lowers the distance."""
    after: dict[Card, int]
    """For each card the distance without one copy of it."""


MOST_WAYS = 200
"""With more ways than that to lay several runs, trying each card takes no longer."""


class Outlooks:
    """The outlook of any hand for one contract under one rule set."""

    def __init__(self, distances: Distances) -> None:
        self.distances = distances
        self.tables = tables = distances.tables
        wilds = tables.rules.wilds
        self.signs = {card: self._sign(card) for card in CARDS if card in wilds or card != JOKER}
        """Where the sign of each card is: its suit and its bit."""
        self.kinds = [(card, *sign) for card, sign in self.signs.items()]
        self.changes: Changes | None = None
        """What tells everything, where it is known how to."""
        plans = distances.plans
        if plans is not None and plans.are_known and len(distances.runs) < 2:
            self.changes = Changes(distances, plans)

    def _sign(self, card: Card) -> tuple[int, int]:
        """Where the sign of a card is."""
        if card not in self.tables.rules.wilds:
            return SUITS.index(SUIT[card]), 0x80 << 8 * FIELDS.index(RANK[card])
        if RANK[card] == "2" and self.tables.has_natural_twos:
            return WILD, TWO_SIGNS[SUITS.index(SUIT[card])]
        return WILD, 1

    def of(self, tally: int, hand: Hand) -> Outlook:
        """Return the distance of a hand, the useful cards and what discards cost."""
        distances = self.distances
        cards = len(hand)
        now = distances.of(tally, cards)
        if now >= FAR:
            return Outlook(now, (), dict.fromkeys(hand, now))
        is_short = distances.size + distances.least_left > cards - 1 + now
        if not now and is_short:
            return Outlook(0, (), dict.fromkeys(hand, 1))
        signs = None
        if self.changes is not None:
            signs = self.changes.signs(tally, cards, now)
        elif distances.gaps is not None:
            signs = _signs_of_gaps(distances, distances.gaps, tally, now)
        elif not distances.sets:
            if distances.table.has_quotas:
                signs = signs_of_runs(distances, tally, cards, now)
            else:
                signs = _signs_of_runs(distances, tally, now)
        if signs is None:
            signs = Signs()
            signs.hint_all()
        after = dict.fromkeys(hand, now + 1) if is_short else self._after(tally, hand, now, signs)
        if not now:
            return Outlook(0, (), after)
        useful = self._useful(tally, cards, now, signs)
        tables = self.tables
        if tally + tables.spare_copies + tables.one_of_each & tables.copy_highs:
            useful = [card for card in useful if self._is_left(tally, card)]
        return Outlook(now, tuple(useful), after)

    def _is_left(self, tally: int, card: Card) -> bool:
        """Whether the packs hold one more of the card."""
        tables = self.tables
        more = tally + tables.weights[card] + tables.spare_copies
        return not more & tables.copy_highs

    def _helps(self, tally: int, card: Card, cards: int, now: int) -> bool:
        more = tally + self.tables.weights[card]
        return self.distances.of(more, cards + 1, now - 1, now) < now

    def _useful(self, tally: int, cards: int, now: int, signs: Signs) -> list[Card]:
        sure = signs.useful
        maybe = [more & ~known for more, known in zip(signs.maybe_useful, sure, strict=True)]
        if not any(maybe):
            return [card for card, suit, bit in self.kinds if sure[suit] & bit]
        self._leave_out_useless(tally, now, maybe)
        wilds: dict[str, bool] = {}
        found = []
        for card, suit, bit in self.kinds:
            if sure[suit] & bit:
                found.append(card)
            elif maybe[suit] & bit:
                if suit == WILD and not self.tables.has_natural_twos:
                    # wilds of one rank do the same
                    helps = wilds.get(RANK[card])
                    if helps is None:
                        helps = wilds[RANK[card]] = self._helps(tally, card, cards, now)
                else:
                    helps = self._helps(tally, card, cards, now)
                if helps:
                    found.append(card)
        return found

    def _leave_out_useless(self, tally: int, now: int, maybe: list[int]) -> None:
        """Drop hints that do not lessen what the wild limit asks for in any case."""
        distances = self.distances
        if not distances.sets or distances.gaps is None:
            return
        needs = distances.needs
        if needs is None or needs.least(tally) < now:
            return
        helpful = needs.wanted(tally)
        for suit in range(4):
            maybe[suit] &= helpful[suit]
        if not self.tables.has_natural_twos:
            maybe[WILD] = 0

    def _without(self, tally: int, card: Card, cards: int, now: int) -> int:
        """The distance without a card: as it is, or one more."""
        less = tally - self.tables.weights[card]
        return now + (self.distances.of(less, cards - 1, now, now + 1) > now)

    def _after(self, tally: int, hand: Hand, now: int, signs: Signs) -> dict[Card, int]:
        found = dict.fromkeys(hand, now + 1)
        spare, maybe = signs.spare, signs.maybe_spare
        cards = len(hand)
        for card in found:
            suit, bit = self.signs[card]
            if spare[suit] & bit:
                found[card] = now
            elif maybe[suit] & bit:
                found[card] = self._without(tally, card, cards, now)
        return found


def _signs_of_gaps(distances: Distances, gaps: Gaps, tally: int, now: int) -> Signs | None:
    """Sets and several runs, where gaps decide, or the wild limit does."""
    reach = now + (tally >> WILD_SHIFT)
    ways = gaps.ways(tally, reach)
    if ways is None:
        return None
    suits = distances.suits(tally)
    signs = Signs()
    may_spare = not distances.table.has_quotas
    for n, (total, lies, left) in enumerate(ways):
        if n >= MOST_WAYS:
            signs.hint_all()
            break
        quota, *marks = gaps.marks(left)
        needs = distances.quota - quota + sum([lie.need for lie in lies]) - now
        for suit, lie in enumerate(lies):
            way = total == reach, needs, may_spare
            used = lie.used + PRESENT & HIGHS
            _note_suit(signs, suit, way, marks, lie.wanted, used, needed_of(lie.used, suits[suit]))
        if total < reach and needs <= 0:
            signs.spare[WILD] = EVERY_WILD
        if needs < 0:
            signs.useful[WILD] = EVERY_WILD
    _note_wilds(signs, distances)
    return signs


def _note_wilds(signs: Signs, distances: Distances) -> None:
    """Natural twos may meet needs, so they are tried; a wild never does otherwise."""
    if any(signs.maybe_useful):
        signs.maybe_useful[WILD] = EVERY_WILD
    if (
        distances.tables.has_natural_twos
        and signs.spare[WILD]
        and (distances.quota or distances.table.has_quotas)
    ):
        signs.spare[WILD], signs.maybe_spare[WILD] = 0, EVERY_WILD
    elif any(signs.maybe_spare):
        signs.maybe_spare[WILD] = EVERY_WILD


WayMarks = tuple[bool, int, bool]
"""Whether a way has as many gaps as may be, its needs beyond the distance, and whether its
runs could spare a natural."""


def _note_suit(
    signs: Signs, suit: int, way: WayMarks, marks: list[int], wanted: int, used: int, needed: int
) -> None:
    """Note what a way says of one suit.

    Args:
        signs: Where to note it.
        suit: The suit.
        way: What is known of the way.
        marks: What `Gaps.marks` tells of the ranks left for the sets.
        wanted: The cards that would fill a gap of the run in this suit.
        used: Those in it.
        needed: Those in it of which there is no other copy.
    """
    is_tight, needs, may_spare = way
    gain, loss, quota_gain, quota_loss = marks
    useful, spare = (gain | wanted, HIGHS & ~loss & ~needed) if is_tight else (HIGHS, HIGHS)
    signs.maybe_useful[suit] |= useful
    signs.maybe_spare[suit] |= spare
    if needs > 0:
        return
    if needs < 0:
        signs.useful[suit] |= useful
        signs.spare[suit] |= spare
        return
    signs.useful[suit] |= quota_gain & useful
    signs.spare[suit] |= spare & ~needed & ~quota_loss
    if not is_tight and may_spare:
        signs.spare[suit] |= used


def _signs_of_runs(distances: Distances, tally: int, now: int) -> Signs | None:
    """Runs only, without a wild limit: what each suit must hold, the others at their best."""
    table = distances.table
    suits = distances.suits(tally)
    found = table.of_all(tally)
    fewest = now + (tally >> WILD_SHIFT)
    if table.fewest_known(found) >> GAP < fewest:
        return _nothing_is_lacking()  # but cards, if the distance is not 0
    totals = _totals(table, found)
    # Some are bounds only; what may be critical by them is worked out, and that is all there is.
    open_parts = [
        (suit, part)
        for suit, gaps in zip(found, totals, strict=True)
        for part, gap in gaps
        if gap <= fewest and not suit.is_known[part]
    ]
    if open_parts:
        for suit, part in open_parts:
            suit.know(part)
        totals = _totals(table, found)
    if min([gap for gaps in totals for _, gap in gaps]) < fewest:
        return None
    signs = Signs()
    for i, (suit, gaps) in enumerate(zip(found, totals, strict=True)):
        several = 0 if table.may_overlap else suits[i] + AT_LEAST[2] & HIGHS
        for part, gap in gaps:
            if gap == fewest:
                signs.useful[i] |= suit.wanted[part]
                signs.spare[i] |= HIGHS & ~suit.essential[part] | several
    signs.useful[WILD] = EVERY_WILD
    return signs


def _nothing_is_lacking() -> Signs:
    """Any card helps, and any may go."""
    signs = Signs()
    signs.useful = [HIGHS, HIGHS, HIGHS, HIGHS, EVERY_WILD]
    signs.spare = [HIGHS, HIGHS, HIGHS, HIGHS, EVERY_WILD]
    return signs


def _totals(table: RunTable, suits: SuitsRuns) -> list[list[tuple[int, int]]]:
    """For each suit and each part, the fewest gaps in all if that part lies there."""
    return [
        [(here, others[rest] + suit.least[here] >> GAP) for rest, here in table.pairs[-1]]
        for suit, others in zip(suits, table.least_elsewhere(suits), strict=True)
    ]
