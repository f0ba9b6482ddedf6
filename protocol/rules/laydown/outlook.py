"""What one card more or less does to the distance of a hand, for all cards at once.

Asking `Distances` for each of 53 cards is slow. Mostly the distance is what the
gaps say, `gaps - wilds`. Then one more card helps where it fills a gap of some way
with the fewest gaps, and a card may go where some such way does without it; both
can be read off for all ranks at once. Sets of different ranks: an `n`-th card of a
rank counts while fewer ranks have that many than there are sets to use it. Where
the wild limit might interfere, the cards in question are asked for one by one, and
where gaps do not decide, all of them are.
"""

from __future__ import annotations

from typing import NamedTuple

from ..cards import CARDS, JOKER, RANK, SUIT, SUITS, Card, Hand
from .distance import Distances, SuitsRuns
from .gaps import Gaps
from .placing import RunTable
from .runs import FAR, GAP, needed_of
from .tables import AT_LEAST, FIELDS, HIGHS, WILD_SHIFT


class Outlook(NamedTuple):
    """The distance of a hand, and with one card more or less."""

    distance: int
    useful: Hand
    """The cards of which adding one lowers the distance."""
    after: dict[Card, int]
    """For each card the distance without one copy of it."""


WILD = 4
"""Wilds are a fifth suit of signs, with a single bit: they are all alike here."""


class _Signs:
    """What the ways with the fewest gaps say, as high bits of suit tallies.

    A sign is sure unless the wild limit might interfere; then it is a hint. Every
    card without sign or hint is known to be of no use, or not to be spared.
    """

    def __init__(self) -> None:
        self.useful = [0, 0, 0, 0, 0]
        self.maybe_useful = [0, 0, 0, 0, 1]
        self.spare = [0, 0, 0, 0, 0]
        self.maybe_spare = [0, 0, 0, 0, 0]

    def add(self, suit: int, useful: int, spare: int, is_sure: bool) -> None:
        """Note what a way says of one suit."""
        if is_sure:
            self.useful[suit] |= useful
            self.spare[suit] |= spare
            self.useful[WILD] = 1
        else:
            self.maybe_useful[suit] |= useful
            self.maybe_spare[suit] |= spare


class Outlooks:
    """The outlook of any hand for one contract under one rule set."""

    def __init__(self, distances: Distances) -> None:
        self.distances = distances
        self.tables = tables = distances.tables
        wilds = tables.rules.wilds
        self.signs = {
            card: (WILD, 1)
            if card in wilds
            else (SUITS.index(SUIT[card]), 0x80 << 8 * FIELDS.index(RANK[card]))
            for card in CARDS
            if card in wilds or card != JOKER
        }
        """Where the sign of each card is: its suit and its bit."""
        self.kinds = [(card, *sign) for card, sign in self.signs.items()]
        self.find_signs = _signs_of_sets if distances.sets else _signs_of_runs
        self.has_signs = distances.is_possible and (not distances.sets or len(distances.runs) < 2)

    def of(self, tally: int, hand: Hand) -> Outlook:
        """Return the distance of a hand, the useful cards and what discards cost."""
        distances = self.distances
        now = distances.of(tally, len(hand))
        if not 0 < now < FAR:
            return Outlook(now, (), self._after_by_trying(tally, hand, now))
        signs = None
        if distances.gaps is not None:
            signs = _signs_of_gaps(distances, distances.gaps, tally, now)
        elif self.has_signs and not _may_repeat(distances, tally):
            signs = self.find_signs(distances, tally, now)
        if signs is None:
            useful = self._useful_by_trying(tally, len(hand), now)
            after = self._after_by_trying(tally, hand, now)
        else:
            useful = self._useful(tally, len(hand), now, signs)
            after = self._after(tally, hand, now, signs)
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
        return self.distances.of(tally + self.tables.weights[card], cards + 1, now - 1, now) < now

    def _useful_by_trying(self, tally: int, cards: int, now: int) -> list[Card]:
        tables = self.tables
        wilds = tables.rules.wilds
        if tables.has_natural_twos:
            return [card for card in CARDS if self._helps(tally, card, cards, now)]
        does_wild_help = self._helps(tally, next(iter(wilds)), cards, now) if wilds else False
        return [
            card
            for card in CARDS
            if (does_wild_help if card in wilds else self._helps(tally, card, cards, now))
        ]

    def _useful(self, tally: int, cards: int, now: int, signs: _Signs) -> list[Card]:
        sure = signs.useful
        maybe = [more & ~known for more, known in zip(signs.maybe_useful, sure, strict=True)]
        if any(maybe):
            return [
                card
                for card, suit, bit in self.kinds
                if sure[suit] & bit or (maybe[suit] & bit and self._helps(tally, card, cards, now))
            ]
        return [card for card, suit, bit in self.kinds if sure[suit] & bit]

    def _after_by_trying(self, tally: int, hand: Hand, now: int) -> dict[Card, int]:
        return {card: self._without(tally, card, len(hand), now) for card in dict.fromkeys(hand)}

    def _without(self, tally: int, card: Card, cards: int, now: int) -> int:
        """The distance without a card: as it is, or one more."""
        less = tally - self.tables.weights[card]
        return now + (self.distances.of(less, cards - 1, now, now + 1) > now)

    def _after(self, tally: int, hand: Hand, now: int, signs: _Signs) -> dict[Card, int]:
        distances, cards = self.distances, len(hand) - 1
        found = dict.fromkeys(hand, now + 1)
        if distances.size + distances.least_left - cards > now:
            return found
        for card in found:
            suit, bit = self.signs[card]
            if signs.spare[suit] & bit:
                found[card] = now
            elif signs.maybe_spare[suit] & bit:
                found[card] = self._without(tally, card, len(hand), now)
        return found


def _may_repeat(distances: Distances, tally: int) -> bool:
    """Whether a rank might make two sets, which the signs know nothing of."""
    if not distances.may_repeat or len(distances.sets) < 2:
        return False
    return bool(distances.ranks(tally) + AT_LEAST[distances.sets[-1]] & HIGHS)


def _signs_of_sets(distances: Distances, tally: int, now: int) -> _Signs | None:
    """Sets, with one run or without."""
    ranks = distances.ranks(tally)
    all_places, all_quota, gain, loss = _gain_and_loss(distances, ranks)
    gaps = distances.set_size - (tally >> WILD_SHIFT)
    signs = _Signs()
    is_decided = False
    if not distances.runs:
        if gaps - all_places != now:
            return None
        for suit in range(4):
            signs.add(suit, gain, HIGHS & ~loss, distances.quota - all_quota < now)
        return signs
    suits = distances.suits(tally)
    for own, runs in enumerate(distances.table.of_all(tally)):
        for gap, need, used, slack, wanted in runs.alike:
            if gap + gaps - all_places > now:
                break
            left = ranks - used
            places, quota, gain, loss = _gain_and_loss(distances, left)
            if gap + gaps - places > now:
                continue
            if gap + gaps - places < now:
                return None
            is_decided = True
            need += distances.quota - quota - min(slack, all_quota - quota)
            several = suits[own] + AT_LEAST[2]
            needed = used << 7 & ~several
            for suit in range(4):
                if suit == own:
                    signs.add(suit, gain | wanted, HIGHS & ~loss & ~needed, need < now)
                else:
                    signs.add(suit, gain, HIGHS & ~loss, need < now)
    return signs if is_decided else None


def _signs_of_gaps(distances: Distances, gaps: Gaps, tally: int, now: int) -> _Signs | None:
    """Sets and any runs, where gaps decide."""
    fewest = now + (tally >> WILD_SHIFT)
    ways = gaps.ways(tally, fewest)
    if ways is None:
        return None
    suits = distances.suits(tally)
    signs = _Signs()
    is_decided = False
    for gap, lies, left in ways:
        if gap < fewest:
            return None
        is_decided = True
        quota, gain, loss = gaps.gain_and_loss(left)
        need = distances.quota - quota + sum([lie.need for lie in lies])
        for suit, lie in enumerate(lies):
            spare = HIGHS & ~loss & ~needed_of(lie.used, suits[suit])
            signs.add(suit, gain | lie.wanted, spare, need < now)
    return signs if is_decided else None


def _gain_and_loss(distances: Distances, ranks: int) -> tuple[int, int, int, int]:
    """Places and quotas that the sets fill, and how one card changes the places.

    That is told by the high bits of the ranks of which one more fills another
    place, and of those of which one less leaves a place empty.
    """
    places = quota = gain = loss = 0
    fewer = HIGHS
    for at_least, sets, quotas in distances.levels:
        have = (ranks + at_least) & HIGHS
        n = have.bit_count()
        quota += n if n < quotas else quotas
        loss &= ~have
        if n < sets:
            places += n
            gain |= fewer & ~have
            loss |= have
        else:
            places += sets
            if n == sets:
                loss |= have
        fewer = have
    return places, quota, gain, loss & ~(ranks + AT_LEAST[len(distances.levels) + 1])


def _signs_of_runs(distances: Distances, tally: int, now: int) -> _Signs | None:
    """Runs only: what each suit must hold, the others being laid at their best."""
    table = distances.table
    suits = distances.suits(tally)
    found = table.of_all(tally)
    fewest = now + (tally >> WILD_SHIFT)
    totals = _totals(table, found)
    # Some are bounds only; what may be critical by them is worked out, and that is all there is.
    open_parts = [
        (suit, part)
        for suit, gaps in zip(found, totals, strict=True)
        for part, gap in gaps
        if gap <= fewest and not suit.is_known[part]
    ]
    if open_parts:
        if table.has_quotas and not table.is_plain:
            return None  # this takes longer than to try each card
        for suit, part in open_parts:
            suit.know(part)
        totals = _totals(table, found)
    if min([gap for gaps in totals for _, gap in gaps]) < fewest:
        return None
    critical = [[part for part, gap in gaps if gap == fewest] for gaps in totals]
    strain = sum(
        max((suit.strain[part] for part in parts), default=0)
        for suit, parts in zip(found, critical, strict=True)
    )
    signs = _Signs()
    for i, (suit, parts) in enumerate(zip(found, critical, strict=True)):
        if not parts:
            return None
        several = 0 if table.may_overlap else suits[i] + AT_LEAST[2] & HIGHS
        for part in parts:
            signs.add(i, suit.wanted[part], HIGHS & ~suit.essential[part] | several, strain < now)
    return signs


def _totals(table: RunTable, suits: SuitsRuns) -> list[list[tuple[int, int]]]:
    """For each suit and each part, the fewest gaps in all if that part lies there."""
    pairs = table.pairs
    first, second, third, fourth = [suit.least for suit in suits]
    one_half, other_half = _join(first, second, pairs), _join(third, fourth, pairs)
    others_of = (
        _join(second, other_half, pairs),
        _join(first, other_half, pairs),
        _join(fourth, one_half, pairs),
        _join(third, one_half, pairs),
    )
    return [
        [(here, others[rest] + suit.least[here] >> GAP) for rest, here in pairs[-1]]
        for suit, others in zip(suits, others_of, strict=True)
    ]


def _join(one: list[int], other: list[int], joins: list[list[tuple[int, int]]]) -> list[int]:
    return [min([one[i] + other[j] for i, j in join]) for join in joins]
