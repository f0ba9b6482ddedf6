"""What the laydown search knows of a rule set and of a contract, computed once.

A hand becomes one integer, its *tally*: a byte for each of the 53 cards, holding
how many of it there are, and above them the number of wilds. The 13 bytes of one
suit are a *suit tally*, the sum of the four is the *rank tally*; both have the
ranks in the order of `FIELDS`, so a run is a row of neighbouring bytes (but for
the low ace, which shares a byte with the high one). Questions to all 13 ranks at
once are single operations on such integers:
`((ranks + AT_LEAST[v]) & HIGHS).bit_count()` is the number of ranks of which
there are `v` or more.
"""

from __future__ import annotations

from collections import Counter

from ...errors import ErrorCode, NotationError
from ..cards import CARDS, JOKER, PLACE_RANKS, RANK, SUIT, SUITS, Card, Hand
from ..melds import set_ranks
from ..rulesets import RuleSet

FIELDS = "23456789TJQKA"
"""The rank of each byte of a suit tally, from the lowest byte up."""

SUIT_BITS = 8 * len(FIELDS)
SHIFTS = (0, SUIT_BITS, 2 * SUIT_BITS, 3 * SUIT_BITS)
"""Where each suit tally starts in a tally."""
JOKER_SHIFT = 4 * SUIT_BITS
WILD_SHIFT = JOKER_SHIFT + 8
SUIT_MASK = (1 << SUIT_BITS) - 1
ALL_PRESENT = sum(int.from_bytes(b"\x7f" * len(FIELDS), "little") << shift for shift in SHIFTS)
ALL_HIGHS = sum(int.from_bytes(b"\x80" * len(FIELDS), "little") << shift for shift in SHIFTS)
"""The same as `PRESENT` and `HIGHS`, for all four suits."""

ONES = int.from_bytes(b"\x01" * len(FIELDS), "little")
"""One in every byte of a suit tally."""
HIGHS = ONES << 7
"""The high bit of every byte, which no count reaches."""
PRESENT = ONES * 127
"""What to add to a tally so that the high bits tell which cards there are."""
AT_LEAST = (HIGHS, *(ONES * (128 - v) for v in range(1, 128)))
"""What to add to a tally so that the high bits tell which counts are `v` or more."""

TWO_FIELD = FIELDS.index("2")
TWOS = 0xFF << (8 * TWO_FIELD)


def card_shift(card: Card) -> int:
    """Return where the byte of a card is in a tally."""
    if card == JOKER:
        return JOKER_SHIFT
    return SHIFTS[SUITS.index(SUIT[card])] + 8 * FIELDS.index(RANK[card])


def place_field(place: int) -> int:
    """Return which byte of a suit tally the card of a place is in; aces share one."""
    return FIELDS.index(PLACE_RANKS[place])


PLACE_BITS = (0, *(1 << 8 * place_field(place) for place in range(1, len(PLACE_RANKS))))
"""A suit tally with the one card of each place."""


class Tables:
    """What the search needs to know of a rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        wilds = rules.wilds
        self.weights = {
            card: (1 << card_shift(card)) + ((card in wilds) << WILD_SHIFT) for card in CARDS
        }
        copies = Counter(rules.deck_cards)
        self.spare_copies = sum(127 - min(127, n) << card_shift(c) for c, n in copies.items())
        """What to add to a tally so that high bits tell of more copies than there are."""
        self.one_of_each = sum(1 << card_shift(card) for card in CARDS)
        self.copy_highs = sum(0x80 << card_shift(card) for card in CARDS)
        self.naturals = sum(0xFF << card_shift(card) for card in CARDS if card not in wilds)
        """The bytes of the cards that only ever stand for themselves."""
        self.natural_ranks = self.naturals & SUIT_MASK
        self.has_natural_twos = rules.has_natural_twos and "2" in rules.wild.ranks
        self.in_runs = self.natural_ranks | (TWOS if self.has_natural_twos else 0)
        """The bytes of a suit tally that can be naturals of a run."""
        self.in_runs_of_all = sum(self.in_runs << shift for shift in SHIFTS)
        self.low, self.high = rules.low_place, rules.high_place
        # An ace never stands at both ends of a run (0-20), so 13 cards are the most, even
        # where `run.max` says more.
        self.longest = min(rules.run.max, self.high - self.low + 1, 13)
        self.limits = [rules.max_wilds(n) for n in range(129)]
        """The most wilds in a meld of each size."""
        self.quotas = [n - most for n, most in enumerate(self.limits)]
        """The fewest naturals in a meld of each size; never falls as melds grow."""
        self.room = [self._room(naturals) for naturals in range(64)]
        """The most wilds that may lie in one meld with so many naturals."""
        self.set_fields = [FIELDS.index(rank) for rank in set_ranks(rules)]

    def _room(self, naturals: int) -> int:
        wilds = 0
        while wilds < 64 and self.limits[naturals + wilds + 1] > wilds:
            wilds += 1
        return wilds if self.limits[naturals] >= 0 or wilds else -1

    def tally(self, hand: Hand) -> int:
        """Return the tally of a hand.

        Raises:
            NotationError: an unknown card, or more of one than the packs hold (`bad_card`).
        """
        try:
            tally = sum(map(self.weights.__getitem__, hand))
        except (KeyError, TypeError):
            unknown = next(card for card in hand if card not in CARDS)
            raise NotationError(f"{unknown!r} is not a card", ErrorCode.BAD_CARD) from None
        if (tally + self.spare_copies) & self.copy_highs or len(hand) > 127:
            self._check_copies(hand)
        return tally

    def _check_copies(self, hand: Hand) -> None:
        deck = self.rules.deck_cards
        for card in hand:
            if hand.count(card) > deck.count(card):
                raise NotationError(
                    f"{hand.count(card)} cards {card} are more than the {deck.count(card)} "
                    "of the game",
                    ErrorCode.BAD_CARD,
                )
