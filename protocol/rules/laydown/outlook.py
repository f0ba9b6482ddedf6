"""What one card more or less does to the distance of a hand, for all cards at once.

Asking `Distances` for each of 53 cards is slow. Mostly the distance is what the
gaps say, `gaps - wilds`. Then one more card helps where it fills a gap of some way
with the fewest gaps, and a card may go where some such way does without it; both
can be read off for all ranks at once. Sets of different ranks: an `n`-th card of a
rank counts while fewer ranks have that many than there are sets to use it.

The wild limit is treated alike: where a way needs as many naturals as are lacking, a
card must meet a need, or may go if none is left open. What a run can give back to sets,
sets of twos and several sets of a rank may do still better; cards for which that is
not excluded (`needs` excludes much) are asked for one by one.
"""

from __future__ import annotations

from typing import NamedTuple

from ..cards import CARDS, JOKER, RANK, SUIT, SUITS, Card, Hand
from .distance import Distances, SuitsRuns
from .gaps import Gaps
from .placing import RunTable
from .runs import FAR, GAP, Alike, needed_of
from .signs import WILD, Signs
from .tables import AT_LEAST, FIELDS, HIGHS, PRESENT, SHIFTS, WILD_SHIFT
from .trading import sign_runs


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
        self.signs = {
            card: (WILD, 1)
            if card in wilds
            else (SUITS.index(SUIT[card]), 0x80 << 8 * FIELDS.index(RANK[card]))
            for card in CARDS
            if card in wilds or card != JOKER
        }
        """Where the sign of each card is: its suit and its bit."""
        self.judge = distances.of
        """What tells the distance where there is a hint."""
        if distances.gaps is not None and len(distances.runs) < 2:
            # what gaps say of such cards is known already
            self.judge = distances.of_all_ways
        self.kinds = [(card, *sign) for card, sign in self.signs.items()]
        self.has_signs = distances.is_possible and (not distances.sets or len(distances.runs) < 2)

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
        if distances.gaps is not None:
            signs = _signs_of_gaps(distances, distances.gaps, tally, now)
        elif self.has_signs and not _may_repeat(distances, tally):
            if distances.sets:
                signs = _signs_of_sets(distances, tally, now)
            else:
                signs = _signs_of_runs(distances, tally, cards, now)
                if signs is None and distances.table.has_quotas:
                    signs = Signs()
                    sign_runs(distances, tally, cards, now, signs)
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
        return self.judge(tally + self.tables.weights[card], cards + 1, now - 1, now) < now

    def _useful(self, tally: int, cards: int, now: int, signs: Signs) -> list[Card]:
        sure = signs.useful
        maybe = [more & ~known for more, known in zip(signs.maybe_useful, sure, strict=True)]
        if not any(maybe):
            return [card for card, suit, bit in self.kinds if sure[suit] & bit]
        self._leave_out_useless(tally, now, maybe)
        known: dict[object, bool] = {}
        found = []
        for card, suit, bit in self.kinds:
            if sure[suit] & bit:
                found.append(card)
            elif maybe[suit] & bit:
                key = self._alike(tally, card, suit, bit)
                helps = known.get(key)
                if helps is None:
                    helps = known[key] = self._helps(tally, card, cards, now)
                if helps:
                    found.append(card)
        return found

    def _alike(self, tally: int, card: Card, suit: int, bit: int) -> object:
        """What cards have in common of which one more does the same.

        Without runs that is the rank. One run has no use for a second copy, so that
        counts by its rank, too.
        """
        if suit == WILD:
            return card if self.tables.has_natural_twos and self.distances.runs else RANK[card]
        distances = self.distances
        if not distances.runs:
            return bit
        if len(distances.runs) == 1 and tally >> SHIFTS[suit] & (bit >> 7) * 0xFF:
            return bit
        return card

    def _leave_out_useless(self, tally: int, now: int, maybe: list[int]) -> None:
        """Drop hints that do not lessen what the wild limit asks for in any case."""
        distances = self.distances
        if not distances.sets or (distances.gaps is None and not self.has_signs):
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
        has_runs = bool(self.distances.runs)
        known: dict[object, int] = {}
        cards = len(hand)
        for card in found:
            suit, bit = self.signs[card]
            if spare[suit] & bit:
                found[card] = now
            elif maybe[suit] & bit:
                if has_runs:
                    found[card] = self._without(tally, card, cards, now)
                    continue
                key = RANK[card]
                then = known.get(key)
                if then is None:
                    then = known[key] = self._without(tally, card, cards, now)
                found[card] = then
        return found


def _may_repeat(distances: Distances, tally: int) -> bool:
    """Whether a rank might make two sets, which the signs know nothing of."""
    if not distances.may_repeat or len(distances.sets) < 2:
        return False
    return bool(distances.ranks(tally) + AT_LEAST[distances.sets[-1]] & HIGHS)


NO_RUN = (Alike(0, 0, 0, 0, 0),)


def _signs_of_sets(distances: Distances, tally: int, now: int) -> Signs:
    """Sets, with one run or without.

    With `gaps` of a way and `needs` of it, one card more is of use if it fills a gap,
    unless there are fewer than would matter, and meets a need, unless there are fewer.
    The other way round a card can go. A run may give cards back to the sets to meet
    their needs: where that could matter there are hints only.
    """
    ranks = distances.ranks(tally)
    wilds = tally >> WILD_SHIFT
    reach = now + wilds
    base = distances.set_size
    signs = Signs()
    if distances.runs:
        suits = distances.suits(tally)
        ways = [(own, runs.alike) for own, runs in enumerate(distances.table.of_all(tally))]
        least = base - distances.filled(ranks)[0]
    else:
        suits = (0, 0, 0, 0)
        ways = [(WILD, NO_RUN)]
        least = 0
    for own, alike in ways:
        several = suits[own] + AT_LEAST[2] if own != WILD else 0
        for gap, need, used, slack, wanted in alike:
            if gap + least > reach:
                break
            places, quota, *marks = _marks(distances.levels, ranks - used)
            total = gap + base - places
            if total > reach:
                continue
            needs = need + distances.quota - quota
            way = total == reach, needs - now, need > 0, slack > 0
            _note(signs, own, way, marks, wanted, used << 7, used << 7 & ~several)
    _note_wilds(signs, distances)
    return signs


def _signs_of_gaps(distances: Distances, gaps: Gaps, tally: int, now: int) -> Signs | None:
    """Sets and any runs, where gaps decide, or the wild limit does."""
    reach = now + (tally >> WILD_SHIFT)
    ways = gaps.ways(tally, reach)
    if ways is None:
        return None
    suits = distances.suits(tally)
    signs = Signs()
    is_single = len(distances.runs) == 1
    has_quotas = distances.table.has_quotas
    quota_of_run = distances.tables.quotas[distances.runs[0]] if is_single else 0
    for n, (total, lies, left) in enumerate(ways):
        if n >= MOST_WAYS:
            signs.hint_all()
            break
        quota, *marks = gaps.marks(left)
        needs = distances.quota - quota + sum([lie.need for lie in lies]) - now
        for suit, lie in enumerate(lies):
            slack = not has_quotas or (is_single and lie.used.bit_count() > quota_of_run)
            way = total == reach, needs, is_single and lie.need > 0, slack
            used = lie.used + PRESENT & HIGHS
            _note_suit(signs, suit, way, marks, lie.wanted, used, needed_of(lie.used, suits[suit]))
        if total < reach and needs <= 0:
            signs.spare[WILD] = 1
        signs.useful[WILD] |= needs < 0
    _note_wilds(signs, distances)
    return signs


def _note_wilds(signs: Signs, distances: Distances) -> None:
    """Natural twos may meet needs, so they are tried; a wild never does otherwise."""
    if any(signs.maybe_useful):
        signs.maybe_useful[WILD] = 1
    if (
        distances.tables.has_natural_twos
        and signs.spare[WILD]
        and (distances.quota or distances.table.has_quotas)
    ):
        signs.spare[WILD], signs.maybe_spare[WILD] = 0, 1
    elif any(signs.maybe_spare):
        signs.maybe_spare[WILD] = 1


WayMarks = tuple[bool, int, bool, bool]
"""Whether a way has as many gaps as may be, its needs beyond the distance, whether its
run has needs, and whether that could spare a natural."""


def _note(
    signs: Signs, own: int, way: WayMarks, marks: list[int], wanted: int, used: int, needed: int
) -> None:
    """Note what a way with one run, in suit `own`, says of all suits."""
    for suit in range(4):
        if suit == own:
            _note_suit(signs, suit, way, marks, wanted, used, needed)
        else:
            _note_suit(signs, suit, way, marks, 0, 0, 0)
    if way[1] < 0:
        signs.useful[WILD] = 1
    if not way[0] and way[1] <= 0:
        signs.spare[WILD] = 1


def _note_suit(
    signs: Signs, suit: int, way: WayMarks, marks: list[int], wanted: int, used: int, needed: int
) -> None:
    """Note what a way says of one suit.

    Args:
        signs: Where to note it.
        suit: The suit.
        way: What is known of the way.
        marks: What `_marks` tells of the ranks left for the sets.
        wanted: The cards that would fill a gap of the run in this suit.
        used: Those in it.
        needed: Those in it of which there is no other copy.
    """
    is_tight, needs, is_run_needy, may_spare = way
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
    signs.useful[suit] |= quota_gain & useful | (wanted if is_run_needy else 0)
    signs.spare[suit] |= spare & ~needed & ~quota_loss
    if not is_tight and may_spare:
        signs.spare[suit] |= used


def _marks(levels: list[tuple[int, int, int]], ranks: int) -> tuple[int, int, int, int, int, int]:
    """Places and quotas that the sets fill, and how one card changes that.

    The latter is told by the high bits of the ranks of which one more fills another
    place, of which one less leaves a place empty, and likewise for the quotas.
    """
    places = quota = gain = loss = quota_gain = quota_loss = 0
    fewer = HIGHS
    for at_least, sets, quotas in levels:
        have = (ranks + at_least) & HIGHS
        n = have.bit_count()
        # what has more cards than that is struck off at the next level
        loss &= ~have
        quota_loss &= ~have
        if n < sets:
            places += n
            gain |= fewer & ~have
            loss |= have
        else:
            places += sets
            if n == sets:
                loss |= have
        if quotas:
            if n < quotas:
                quota += n
                quota_gain |= fewer & ~have
                quota_loss |= have
            else:
                quota += quotas
                if n == quotas:
                    quota_loss |= have
        fewer = have
    more = ranks + AT_LEAST[len(levels) + 1]
    return places, quota, gain, loss & ~more, quota_gain, quota_loss & ~more


def _signs_of_runs(distances: Distances, tally: int, cards: int, now: int) -> Signs | None:
    """Runs only: what each suit must hold, the others being laid at their best."""
    table = distances.table
    suits = distances.suits(tally)
    found = table.of_all(tally)
    fewest = now + (tally >> WILD_SHIFT)
    if not table.has_quotas and table.fewest_known(found) >> GAP < fewest:
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
    if strain > now and table.has_quotas:
        return None
    signs = Signs()
    for i, (suit, parts) in enumerate(zip(found, critical, strict=True)):
        if not parts:
            return None
        several = 0 if table.may_overlap else suits[i] + AT_LEAST[2] & HIGHS
        for part in parts:
            signs.maybe_useful[i] |= suit.wanted[part]
            signs.maybe_spare[i] |= HIGHS & ~suit.essential[part] | several
    signs.maybe_useful[WILD] = 1
    if strain <= now:
        signs.spare = list(signs.maybe_spare)
    if strain < now:
        signs.useful = list(signs.maybe_useful)
    elif now and table.has_quotas:
        under_limit = Signs()
        sign_runs(distances, tally, cards, now, under_limit)
        signs.useful = under_limit.useful
        for i, maybe in enumerate(under_limit.maybe_useful):
            signs.maybe_useful[i] &= maybe
    return signs


def _nothing_is_lacking() -> Signs:
    """Any card helps, and any may go."""
    signs = Signs()
    signs.useful = [HIGHS, HIGHS, HIGHS, HIGHS, 1]
    signs.spare = [HIGHS, HIGHS, HIGHS, HIGHS, 1]
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
