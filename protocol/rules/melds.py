"""Melds: what one is, which wild stands where, and what may be added to it.

A meld always says what it is (a set of a rank, a run of a suit from a place up),
with its cards in order, so each wild's place is fixed once it lies on the table.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence

import msgspec

from ..errors import AmbiguousActionError, ErrorCode, NotationError
from .cards import JOKER, ORDER, PLACE_RANKS, RANK, RANKS, SUIT, SUITS, Card, Hand, format_hand
from .contracts import Contract, MeldKind
from .rulesets import RuleSet


class Violation(msgspec.Struct, frozen=True):
    """Why an action is not allowed: a code for programs, a sentence for people."""

    code: ErrorCode
    text: str

    def __str__(self) -> str:
        return self.text


class Meld(msgspec.Struct, frozen=True, omit_defaults=True, dict=True):
    """Cards laid together, as one set or one run.

    `rank` is given for a set; `suit` and `low`, the place of the first card, for
    a run (places: 1 the low ace, 2 to 10, 11 J, 12 Q, 13 K, 14 the high ace). A meld
    lies for many turns, so what follows from it is kept in its `__dict__`.
    """

    kind: MeldKind
    cards: Hand
    rank: str = ""
    suit: str = ""
    low: int = 0

    @property
    def high(self) -> int:
        """The place of a run's last card."""
        return self.low + len(self.cards) - 1

    def __str__(self) -> str:
        if self.kind is MeldKind.SET:
            return f"set of {self.rank}: {format_hand(self.cards)}"
        span = f"{PLACE_RANKS[self.low]}-{PLACE_RANKS[self.high]}"
        return f"run {span} of {self.suit}: {format_hand(self.cards)}"


class TableMeld(msgspec.Struct, frozen=True):
    """A meld on the table, with its number in this deal and the seat that laid it."""

    number: int
    seat: int
    meld: Meld


class LayOff(msgspec.Struct, frozen=True, gc=False):
    """A card for the meld of that number; `place` is a run's new end, 0 for a set."""

    meld: int
    card: Card
    place: int = 0


class Swap(msgspec.Struct, frozen=True, gc=False):
    """The natural card for the wild at that place of a run; the wild comes to hand."""

    meld: int
    card: Card
    place: int


def set_of(rank: str, cards: Iterable[Card]) -> Meld:
    """Build a set.

    >>> str(set_of("K", (Card("KS"), Card("KH"), Card("2D"))))
    'set of K: KH KS 2D'
    """
    return Meld(MeldKind.SET, tuple(sorted(cards, key=ORDER.__getitem__)), rank=rank)


def run_of(suit: str, low: int, cards: Iterable[Card]) -> Meld:
    """Build a run from its cards in order."""
    return Meld(MeldKind.RUN, tuple(cards), suit=suit, low=low)


def is_natural(meld: Meld, index: int, rules: RuleSet) -> bool:
    """Whether the card at that index stands for itself (0-15)."""
    place = meld.low + index if meld.kind is MeldKind.RUN else 0
    return _is_natural_at(meld, meld.cards[index], place, rules)


def _is_natural_at(meld: Meld, card: Card, place: int, rules: RuleSet) -> bool:
    if card in rules.wilds and not (rules.has_natural_twos and RANK[card] == "2"):
        return False
    if meld.kind is MeldKind.SET:
        return RANK[card] == meld.rank
    if rules.run.suit == "same" and SUIT[card] != meld.suit:
        return False
    return RANK[card] == PLACE_RANKS[place]


def count_wilds(meld: Meld, rules: RuleSet) -> int:
    """How many cards of the meld stand for others."""
    cards = enumerate(meld.cards, meld.low)
    return sum([not _is_natural_at(meld, card, place, rules) for place, card in cards])


def check_meld(meld: Meld, rules: RuleSet) -> Violation | None:
    """Say why the cards are not that meld, None if they are (0-12, 0-15 to 0-20)."""
    size = len(meld.cards)
    if unknown := [card for card in meld.cards if card not in ORDER]:
        return Violation(ErrorCode.BAD_CARD, f"{unknown[0]!r} is not a card")
    if size < 2:
        return Violation(ErrorCode.BAD_MELD, "a meld has two cards or more")
    check = _check_set if meld.kind is MeldKind.SET else _check_run
    if (violation := check(meld, rules)) is not None:
        return violation
    wilds, most = count_wilds(meld, rules), rules.max_wilds(size)
    if wilds > most:
        return Violation(
            ErrorCode.WILD_LIMIT,
            f"a meld of {size} may hold {most} wild cards, not {wilds} (0-16): {meld}",
        )
    return None


def _check_set(meld: Meld, rules: RuleSet) -> Violation | None:
    if meld.rank not in tuple(set_ranks(rules)):
        return Violation(ErrorCode.BAD_MELD, f"there is no set of {meld.rank!r} (0-15)")
    if meld.suit or meld.low:
        return Violation(ErrorCode.BAD_MELD, "a set has a rank only, no suit or place (0-12)")
    for card in meld.cards:
        if card not in rules.wilds and RANK[card] != meld.rank:
            return Violation(ErrorCode.BAD_MELD, f"{card} is not in a set of {meld.rank} (0-12)")
    if rules.set.distinct_suits:
        suits = natural_suits(meld, rules)
        if len(set(suits)) < len(suits):
            return Violation(ErrorCode.BAD_MELD, "a set holds each suit once (0-12)")
    return None


def natural_suits(meld: Meld, rules: RuleSet) -> list[str]:
    """The suits of the cards that stand for themselves."""
    return [SUIT[card] for i, card in enumerate(meld.cards) if is_natural(meld, i, rules)]


def _check_run(meld: Meld, rules: RuleSet) -> Violation | None:
    if rules.run.suit == "same" and meld.suit not in tuple(SUITS):
        return Violation(ErrorCode.BAD_MELD, f"{meld.suit!r} is no suit: write C, D, H or S")
    if meld.rank:
        return Violation(ErrorCode.BAD_MELD, "a run has a suit and a place only, no rank (0-18)")
    if meld.low < rules.low_place or meld.high > rules.high_place:
        lowest, highest = PLACE_RANKS[rules.low_place], PLACE_RANKS[rules.high_place]
        return Violation(
            ErrorCode.BAD_MELD, f"runs go from {lowest} to {highest} here (0-19, 0-20)"
        )
    if len(meld.cards) > rules.run.max:
        return Violation(ErrorCode.BAD_MELD, f"a run has at most {rules.run.max} cards (0-19)")
    for place, card in enumerate(meld.cards, meld.low):
        if card not in rules.wilds and not _is_natural_at(meld, card, place, rules):
            want = f"{PLACE_RANKS[place]}{meld.suit}"
            return Violation(
                ErrorCode.BAD_MELD, f"{card} is not {want}, nor wild, in this run (0-18)"
            )
    if rules.wild.adjacent == "forbid":
        wild = [not is_natural(meld, i, rules) for i in range(len(meld.cards))]
        if any(map(operator.and_, wild, wild[1:])):
            return Violation(ErrorCode.WILD_LIMIT, f"two wilds lie beside each other: {meld}")
    return None


def set_ranks(rules: RuleSet) -> str:
    """The ranks of which there are sets: not the wild ones, unless natural in place."""
    if rules.has_natural_twos:
        return RANKS
    return "".join(rank for rank in RANKS if rank not in rules.wild.ranks)


def check_contract(melds: Sequence[Meld], contract: Contract, rules: RuleSet) -> Violation | None:
    """Say why the melds are not the whole contract, None if they are.

    Every meld is one of the contract's, no smaller (0-14); sets differ in rank
    (0-13); runs of one suit keep their distance (0-21).
    """
    for kind in MeldKind:
        wanted = sorted(spec.size for spec in contract if spec.kind is kind)
        sizes = sorted(len(meld.cards) for meld in melds if meld.kind is kind)
        fits = len(wanted) == len(sizes) and all(map(int.__le__, wanted, sizes))
        if not fits or (rules.meld.oversize == "exact" and wanted != sizes):
            return Violation(
                ErrorCode.WRONG_CONTRACT,
                f"the contract asks for {_plural(wanted, kind)}, not {_plural(sizes, kind)} "
                "(0-14, 0-27)",
            )
    for meld in melds:
        if (violation := check_meld(meld, rules)) is not None:
            return violation
    ranks = [meld.rank for meld in melds if meld.kind is MeldKind.SET]
    if rules.set.same_rank == "forbid" and len(set(ranks)) < len(ranks):
        return Violation(ErrorCode.SAME_RANK, "two sets of one contract must differ in rank (0-13)")
    runs = sorted(
        (meld for meld in melds if meld.kind is MeldKind.RUN), key=lambda m: (m.suit, m.low, m.high)
    )
    for i, one in enumerate(runs):
        for other in runs[i + 1 :]:
            if one.suit == other.suit and not runs_keep_apart(
                one.low, one.high, other.low, other.high, rules
            ):
                return Violation(
                    ErrorCode.RUNS_TOUCH,
                    f"two runs of one suit need a gap between them (0-21): {one}; {other}",
                )
    return None


def runs_keep_apart(low: int, high: int, low2: int, high2: int, rules: RuleSet) -> bool:
    """Whether two runs of one suit may be in one contract (0-21).

    >>> from hollywood.protocol.rules import load_rules
    >>> rules = load_rules("hollywood")
    >>> runs_keep_apart(3, 6, 7, 10, rules), runs_keep_apart(3, 6, 8, 11, rules)
    (False, True)
    """
    if rules.run.wrap:
        return _apart_on_the_circle(high - low + 1, (low2 - low) % 13, high2 - low2 + 1, rules)
    if low > low2:
        low, high, low2, high2 = low2, high2, low, high
    return rules.run.same_suit == "any" or (
        low2 != high + 1 if rules.run.same_suit == "no_adjacent" else low2 > high + _gap(rules)
    )


def _gap(rules: RuleSet) -> int:
    """Ranks that must be missing between two runs; more than there are: never the same suit."""
    return {"gap": 1, "gap2": 2, "different": len(PLACE_RANKS)}.get(rules.run.same_suit, 0)


def _apart_on_the_circle(size: int, start2: int, size2: int, rules: RuleSet) -> bool:
    """Where runs go round the ace, the one from place 0, the other from `start2`."""
    if rules.run.same_suit == "any":
        return True
    if rules.run.same_suit == "no_adjacent":
        return start2 != size and (start2 + size2) % 13 != 0
    gap = _gap(rules)
    return start2 >= size + gap and start2 + size2 + gap <= 13


def _plural(sizes: list[int], kind: MeldKind) -> str:
    if not sizes:
        return f"no {kind}"
    return ", ".join(f"a {kind} of {size}" for size in sizes)


def places_for(meld: Meld, card: Card, rules: RuleSet) -> tuple[int, ...]:
    """Where the card may be laid off on the meld: a run's new ends, (0,) for a set.

    Wilds count against the limit of the grown meld (0-17), runs stay within
    their ranks (0-29).

    >>> from hollywood.protocol.rules.cards import parse_hand
    >>> from hollywood.protocol.rules import load_rules
    >>> rules = load_rules("hollywood")
    >>> run = run_of("D", 5, parse_hand("5D 6D 7D 8D"))
    >>> places_for(run, Card("9D"), rules), places_for(run, Card("2C"), rules)
    ((9,), (4, 9))
    """
    wild = card in rules.wilds
    if not wild:
        # most cards fit nowhere: say so before anything is counted
        if meld.kind is MeldKind.SET:
            if RANK[card] != meld.rank:
                return ()
            taken = rules.set.distinct_suits and SUIT[card] in natural_suits(meld, rules)
            return () if taken else (0,)
        if rules.run.suit == "same" and SUIT[card] != meld.suit:
            return ()
        return _ends_for(meld, card, rules) + _moving_places(meld, card, rules)
    places = (0,) if meld.kind is MeldKind.SET else _ends_for(meld, card, rules)
    if not places or rules.wild.limit_scope == "creation":
        return places
    room = rules.max_wilds(len(meld.cards) + 1) - count_wilds(meld, rules)
    return tuple(
        [
            place
            for place in places
            if room > 0 or (room == 0 and _is_natural_at(meld, card, place, rules))
        ]
    )


def _ends_for(meld: Meld, card: Card, rules: RuleSet) -> tuple[int, ...]:
    """The new ends that a run gets where the card may lie, wild limits aside."""
    if len(meld.cards) >= rules.run.max:
        return ()
    below, above = meld.low - 1, meld.low + len(meld.cards)
    if below == 0 and rules.run.wrap:
        below = 13
    is_wild = card in rules.wilds
    ends = [
        place
        for place in (below, above)
        if rules.low_place <= place <= rules.high_place
        and (is_wild or RANK[card] == PLACE_RANKS[place])
    ]
    if rules.wild.adjacent == "forbid" and is_wild:
        ends = [
            place
            for place in ends
            if _is_natural_at(meld, card, place, rules)
            or is_natural(meld, -1 if place == above else 0, rules)
        ]
    return tuple(ends)


def _moving_places(meld: Meld, card: Card, rules: RuleSet) -> tuple[int, ...]:
    """The places of wilds that make room for their natural and move to an end."""
    if rules.wild.relocate == "never" or _free_end(meld, rules) is None:
        return ()
    return tuple(
        place for place in range(meld.low, meld.high + 1) if stands_for(meld, place, rules) == card
    )


def _free_end(meld: Meld, rules: RuleSet) -> int | None:
    """The end to which a wild moves: the top one, or the low one where the top is full."""
    ends = _ends_for(meld, JOKER, rules)
    return max(ends, default=None)


def stands_for(meld: Meld, place: int, rules: RuleSet) -> Card | None:
    """The card that the wild at that place of a run stands for, None if it is natural.

    In runs of any suit a wild stands for a rank, and no card in particular.
    """
    index = place - meld.low
    if not meld.suit or not 0 <= index < len(meld.cards) or is_natural(meld, index, rules):
        return None
    return Card(PLACE_RANKS[place] + meld.suit)


def swap(meld: Meld, card: Card, place: int) -> tuple[Meld, Card]:
    """Return the run with the natural in its place, and the wild that lay there."""
    index = place - meld.low
    cards = (*meld.cards[:index], card, *meld.cards[index + 1 :])
    return msgspec.structs.replace(meld, cards=cards), meld.cards[index]


def extend(meld: Meld, card: Card, place: int) -> Meld:
    """Return the meld with one more card at an end."""
    if meld.kind is MeldKind.SET or place == meld.low + len(meld.cards):
        return msgspec.structs.replace(meld, cards=(*meld.cards, card))
    return msgspec.structs.replace(meld, cards=(card, *meld.cards), low=place)


def lay_on(meld: Meld, card: Card, place: int, rules: RuleSet) -> Meld:
    """Return the meld with the card on it, at a place that `places_for` gave."""
    is_inside = meld.kind is MeldKind.RUN and stands_for(meld, place, rules) == card
    if not is_inside or rules.wild.relocate == "never":
        return extend(meld, card, place)
    natural, moved = swap(meld, card, place)
    end = _free_end(natural, rules)
    assert end is not None, f"{moved} of {meld} has nowhere to go"
    return extend(natural, moved, end)


def readings(cards: Iterable[Card], kind: MeldKind, rules: RuleSet) -> tuple[Meld, ...]:
    """Every meld of that kind which the cards can be, in any order given (T9, T58).

    Naturals of a run stand in their places; wilds fill the gaps and then the
    ends. Which wild fills which place makes no difference and gives no reading.
    """
    hand = tuple(sorted(cards, key=ORDER.__getitem__))
    if kind is MeldKind.SET:
        found = [set_of(rank, hand) for rank in set_ranks(rules)]
    else:
        highest = 13 if rules.run.wrap else rules.high_place - len(hand) + 1
        found = [
            run
            for suit in (SUITS if rules.run.suit == "same" else ("",))
            for low in range(rules.low_place, highest + 1)
            if (run := _arrange(hand, suit, low, rules)) is not None
        ]
    return tuple(meld for meld in found if check_meld(meld, rules) is None)


def _arrange(hand: Hand, suit: str, low: int, rules: RuleSet) -> Meld | None:
    """Put cards into the places of a run, None if a natural has no place."""
    if len(hand) > rules.run.max:
        return None
    rest = list(hand)
    cards: list[Card | None] = []
    empty = run_of(suit, low, ())
    for place in range(low, low + len(hand)):
        own = next((card for card in rest if _is_natural_at(empty, card, place, rules)), None)
        if own is not None:
            rest.remove(own)
        cards.append(own)
    if any(card not in rules.wilds for card in rest):
        return None
    return run_of(suit, low, [card if card is not None else rest.pop(0) for card in cards])


def read_meld(cards: Iterable[Card], spec_kind: MeldKind, rules: RuleSet) -> Meld:
    """Return the only meld that the cards can be.

    Raises:
        NotationError: they are none (`bad_meld`, or why not).
        AmbiguousActionError: they are several; `readings` lists them.
    """
    hand = tuple(cards)
    found = readings(hand, spec_kind, rules)
    if not found:
        raise NotationError(
            f"{format_hand(hand)} is no {spec_kind} under these rules", ErrorCode.BAD_MELD
        )
    if len(found) > 1:
        spans = " or ".join(str(meld).partition(":")[0] for meld in found)
        raise AmbiguousActionError(f"{format_hand(hand)} could be {spans}: say which", found)
    return found[0]
