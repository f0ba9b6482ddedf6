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

from .cards import CARDS, JOKER, RANK, SUIT, SUITS, Card, Hand
from .laydown_distance import Distances
from .laydown_runs import FAR
from .laydown_tables import AT_LEAST, FIELDS, HIGHS, WILD_SHIFT

_BITS = {
    card: (SUITS.index(SUIT[card]), 0x80 << 8 * FIELDS.index(RANK[card]))
    for card in CARDS
    if card != JOKER
}
"""The suit of a card, and the high bit of its byte in a suit tally."""


class Outlook(NamedTuple):
    """The distance of a hand, and with one card more or less."""

    distance: int
    useful: Hand
    """The cards of which adding one lowers the distance."""
    after: dict[Card, int]
    """For each card the distance without one copy of it."""


class _Signs:
    """What the ways with the fewest gaps say, as high bits of suit tallies.

    A sign is sure unless the wild limit might interfere; then it is a hint. Every
    card without sign or hint is known to be of no use, or not to be spared.
    """

    def __init__(self) -> None:
        self.useful = [0, 0, 0, 0]
        self.maybe_useful = [0, 0, 0, 0]
        self.spare = [0, 0, 0, 0]
        self.maybe_spare = [0, 0, 0, 0]
        self.is_sure = False
        """Whether any way is free from the wild limit."""

    def add(self, suit: int, useful: int, spare: int, is_sure: bool) -> None:
        """Note what a way says of one suit."""
        if is_sure:
            self.useful[suit] |= useful
            self.spare[suit] |= spare
            self.is_sure = True
        else:
            self.maybe_useful[suit] |= useful
            self.maybe_spare[suit] |= spare


def outlook(distances: Distances, tally: int, hand: Hand) -> Outlook:
    """Return the distance of the hand, the useful cards and what discards cost."""
    now = distances.of(tally, len(hand))
    signs = None
    if 0 < now < FAR:
        if not distances.sets:
            signs = _signs_of_runs(distances, tally, now)
        elif len(distances.runs) < 2 and not _may_repeat(distances, tally):
            signs = _signs_of_sets(distances, tally, now)
    useful = () if not 0 < now < FAR else _useful(distances, tally, len(hand), now, signs)
    return Outlook(now, useful, _after(distances, tally, hand, now, signs))


def _useful(distances: Distances, tally: int, cards: int, now: int, signs: _Signs | None) -> Hand:
    weights = distances.tables.weights
    wilds = distances.tables.rules.wilds
    spare_copies, copy_highs = distances.tables.spare_copies, distances.tables.copy_highs

    def helps(card: Card) -> bool:
        return distances.of(tally + weights[card], cards + 1) < now

    found = []
    for card in CARDS:
        if signs is None:
            is_useful = helps(card)
        elif card in wilds:
            is_useful = signs.is_sure or helps(card)
        else:
            suit, bit = _BITS[card]
            is_useful = bool(signs.useful[suit] & bit) or (
                bool(signs.maybe_useful[suit] & bit) and helps(card)
            )
        if is_useful and not (tally + weights[card] + spare_copies) & copy_highs:
            found.append(card)
    return tuple(found)


def _after(
    distances: Distances, tally: int, hand: Hand, now: int, signs: _Signs | None
) -> dict[Card, int]:
    weights, cards = distances.tables.weights, len(hand) - 1
    if signs is None:
        return {card: distances.of(tally - weights[card], cards) for card in dict.fromkeys(hand)}
    wilds, more = distances.tables.rules.wilds, now + 1
    if distances.size + distances.least_left - cards > now:
        return dict.fromkeys(hand, more)
    found = {}
    for card in dict.fromkeys(hand):
        if card in wilds:
            found[card] = more
            continue
        suit, bit = _BITS[card]
        if signs.spare[suit] & bit:
            found[card] = now
        elif signs.maybe_spare[suit] & bit:
            found[card] = distances.of(tally - weights[card], cards)
        else:
            found[card] = more
    return found


def _may_repeat(distances: Distances, tally: int) -> bool:
    """Whether a rank might make two sets, which the signs know nothing of."""
    if not distances.may_repeat or len(distances.sets) < 2:
        return False
    return bool(distances.ranks(tally) + AT_LEAST[distances.sets[-1]] & HIGHS)


def _signs_of_sets(distances: Distances, tally: int, now: int) -> _Signs | None:
    """Sets, with one run or without."""
    ranks = distances.ranks(tally)
    all_places, all_quota = distances.filled(ranks)
    gaps = distances.set_size - (tally >> WILD_SHIFT)
    signs = _Signs()
    is_decided = False
    suits = distances.suits(tally)
    if not distances.runs:
        if gaps - all_places != now:
            return None
        gain, loss = _gain_and_loss(distances, ranks)
        for suit in range(4):
            signs.add(suit, gain, HIGHS & ~loss, distances.quota - all_quota < now)
        return signs
    for own, tally_of_suit in enumerate(suits):
        for gap, need, used, slack, wanted in distances.table.of(tally_of_suit).alike:
            if gap + gaps - all_places > now:
                break
            left = ranks - used
            places, quota = distances.filled(left)
            if gap + gaps - places > now:
                continue
            if gap + gaps - places < now:
                return None
            is_decided = True
            need += distances.quota - quota - min(slack, all_quota - quota)
            gain, loss = _gain_and_loss(distances, left)
            several = tally_of_suit + AT_LEAST[2]
            needed = used << 7 & ~several
            for suit in range(4):
                if suit == own:
                    signs.add(suit, gain | wanted, HIGHS & ~loss & ~needed, need < now)
                else:
                    signs.add(suit, gain, HIGHS & ~loss, need < now)
    return signs if is_decided else None


def _gain_and_loss(distances: Distances, ranks: int) -> tuple[int, int]:
    """The ranks of which one more fills a place of a set, and one less empties one."""
    gain = loss = 0
    fewer = HIGHS
    for at_least, sets, _ in distances.levels:
        have = (ranks + at_least) & HIGHS
        n = have.bit_count()
        if n < sets:
            gain |= fewer & ~have
        # The last card of a rank counts if no more ranks have so many than sets use it.
        loss = loss | have if n <= sets else loss & ~have
        fewer = have
    return gain, loss & ~(ranks + AT_LEAST[len(distances.levels) + 1])


def _signs_of_runs(distances: Distances, tally: int, now: int) -> _Signs | None:
    """Runs only: what each suit must hold, the others being laid at their best."""
    table = distances.table
    joins, whole = table.joins, len(table.parts) - 1
    suits = distances.suits(tally)
    found = [table.of(suit) for suit in suits]
    before = [(0, *[FAR] * whole)]
    for suit in found[:-1]:
        before.append(_join(before[-1], suit.least, joins))
    after = [(0, *[FAR] * whole)]
    for suit in found[:0:-1]:
        after.append(_join(after[-1], suit.least, joins))
    after.reverse()
    fewest = now + (tally >> WILD_SHIFT)
    critical: list[list[int]] = []
    for i, suit in enumerate(found):
        others = _join(before[i], after[i], table.pairs)
        parts = []
        for rest, here in table.pairs[whole]:
            gap = others[rest] + suit.least[here] >> 20
            if gap < fewest:
                return None
            if gap == fewest:
                parts.append(here)
        critical.append(parts)
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


def _join(
    one: tuple[int, ...], other: tuple[int, ...], joins: list[list[tuple[int, int]]]
) -> tuple[int, ...]:
    return tuple([min([one[i] + other[j] for i, j in join]) for join in joins])
