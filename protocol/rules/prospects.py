"""Whether a hand could hold its contract at all: a bound that costs little.

Most hands are far from going down. What they lack is often plain from two counts: the
places that the best ranks leave open in the sets, and the places that the best windows
leave open in the runs, as if several runs and sets could use the same cards and no limit
bound the wilds. If these are more than the wilds of the hand, no search is needed.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from .cards import PLACE_RANKS, Hand
from .contracts import Contract, MeldKind
from .laydown.runs import FewestGaps, total
from .laydown.tables import (
    AT_LEAST,
    FIELDS,
    HIGHS,
    PRESENT,
    SHIFTS,
    WILD_SHIFT,
    Tables,
    place_field,
)
from .rulesets import RuleSet


def may_hold(hand: Hand, contract: Contract, rules: RuleSet) -> bool:
    """Return False if the hand surely does not hold the contract.

    >>> from hollywood.protocol.rules import load_rules, parse_contract, parse_hand
    >>> rules, contract = load_rules("hollywood"), parse_contract("S3 + R4")
    >>> hands = "KS KH 9C 9D 3S 5H 7H 8S", "KS KH 9C JK 3H 4H 5H 6H"
    >>> [may_hold(parse_hand(hand), contract, rules) for hand in hands]
    [False, True]

    Args:
        hand: The cards, in any order.
        contract: What must be laid.
        rules: The rules.

    Raises:
        NotationError: an unknown card, or more of one than the packs hold (`bad_card`).
    """
    kept: dict[Contract, _Bound] = rules.__dict__.setdefault("_prospects", {})
    found = kept.get(contract)
    if found is None:
        found = kept[contract] = _Bound(contract, rules)
    return found.allows(hand)


class _Bound:
    """The bound for one contract under one rule set."""

    def __init__(self, contract: Contract, rules: RuleSet) -> None:
        sets = [spec.size for spec in contract if spec.kind is MeldKind.SET]
        runs = [spec.size for spec in contract if spec.kind is MeldKind.RUN]
        self.tables = tables = Tables(rules)
        self.set_size, self.size = sum(sets), sum(sets) + sum(runs)
        self.levels = [
            (AT_LEAST[v], sum(size >= v for size in sets))
            for v in range(1, max(sets, default=0) + 1)
        ]
        """For each v: what tells the ranks with v cards, and how many sets can use a v-th."""
        self.is_sure_of_sets = len(sets) < 2 or rules.set.same_rank != "allow"
        """Whether a rank makes one set at the most."""
        lowest, highest = tables.low, tables.high
        lows = range(lowest, highest + 1)
        if rules.run.wrap:
            lows, highest = range(1, len(FIELDS) + 1), len(PLACE_RANKS) - 1
        self.runs = [
            _Windows(
                size,
                runs.count(size),
                [
                    reduce(or_, (0x80 << 8 * place_field(low + i) for i in range(size)))
                    for low in lows
                    if low + size - 1 <= highest
                ],
            )
            for size in (set(runs) if rules.run.suit == "same" else ())
        ]
        self.shares = len(self.runs) == len(runs) == 1 and bool(sets) and self.is_sure_of_sets
        """Whether there is one run, of which is tried what it takes from the sets."""

    def allows(self, hand: Hand) -> bool:
        """Whether the hand may hold the contract."""
        tables = self.tables
        tally = tables.tally(hand)
        if len(hand) < self.size:
            return False
        mask = tables.natural_ranks
        suits = (
            tally & mask,
            tally >> SHIFTS[1] & mask,
            tally >> SHIFTS[2] & mask,
            tally >> SHIFTS[3] & mask,
        )
        spare = wilds = tally >> WILD_SHIFT
        if self.set_size:
            ranks = sum(suits)
            spare -= self.open_places(ranks)
        for windows in self.runs:
            if spare < 0:
                return False
            spare -= windows.least(suits, spare)
        if spare < 0 or not self.shares:
            return spare >= 0
        (windows,) = self.runs
        return any(
            wilds >= windows.size - used.bit_count() + self.open_places(ranks - (used >> 7))
            for suit in suits
            for used in windows.ways(suit, wilds)
        )

    def open_places(self, ranks: int) -> int:
        """Return how many places of the sets the naturals leave open.

        Args:
            ranks: How many there are of each rank, as a rank tally.
        """
        if not self.is_sure_of_sets:
            return 0
        left = self.set_size
        for at_least, sets in self.levels:
            n = (ranks + at_least & HIGHS).bit_count()
            left -= n if n < sets else sets
        return left


class _Windows(FewestGaps):
    """The same for all runs of one size that the contract asks for."""

    def __init__(self, size: int, count: int, windows: list[int]) -> None:
        super().__init__(size, windows)
        self.count = count
        """How many of them it asks for."""

    def least(self, suits: tuple[int, int, int, int], spare: int) -> int:
        """Return the fewest places that all runs of this size leave open, or more than `spare`.

        So many in one suit leave open as often as many as one, and all but the cards that
        the suit has. That grows ever faster, so each run may be put where it adds least.
        """
        first, second, third, fourth = suits
        gaps = (
            self[first + PRESENT & HIGHS],
            self[second + PRESENT & HIGHS],
            self[third + PRESENT & HIGHS],
            self[fourth + PRESENT & HIGHS],
        )
        fewest = self.count * min(gaps)
        if self.count == 1 or fewest > spare:
            return fewest
        added = []
        for suit, gap in zip(suits, gaps, strict=True):
            cards, before = total(suit), 0
            for runs in range(1, self.count + 1):
                left = max(runs * gap, runs * self.size - cards)
                added.append(left - before)
                before = left
        added.sort()
        return sum(added[: self.count])

    def ways(self, suit: int, wilds: int) -> list[int]:
        """Return the naturals of each run, as high bits, that so many wilds complete."""
        held, fewest = suit + PRESENT & HIGHS, self.size - wilds
        used = [held & window for window in self.windows]
        return [naturals for naturals in used if naturals.bit_count() >= fewest]
