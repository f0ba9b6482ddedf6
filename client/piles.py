"""One pile of the composer: whether its cards are the meld, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec

from hollywood.protocol.rules import CARDS, Card, Hand, Meld, MeldKind, MeldSpec, RuleSet
from hollywood.protocol.rules.cards import PLACE_RANKS, RANK, SUIT
from hollywood.protocol.rules.melds import check_meld, readings, run_of, set_of, set_ranks

from .narrate import SUIT_NAMES, join_words, rank_name, run_span


class PileState(msgspec.Struct, frozen=True):
    """What is to be said about a pile."""

    readings: tuple[Meld, ...]
    """Every meld that it can be, with as many cards as the contract asks for."""
    missing: int | None
    """Cards that must still come, None if no card added can make it a meld."""
    text: str
    """The same for people: "OK", "1 more: 8D QD or a wild", or why not."""

    @property
    def is_legal(self) -> bool:
        """Whether the pile can go down as it is."""
        return bool(self.readings)


def judge_pile(cards: Iterable[Card], spec: MeldSpec, rules: RuleSet) -> PileState:
    """Say whether the cards are the meld that the contract asks for."""
    return _judge(tuple(cards), spec, _Rules(rules))


class _Rules:
    """A rule set that can be part of a key: equal where its hash is."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Rules) and self.rules.hash == other.rules.hash

    def __hash__(self) -> int:
        return hash(self.rules.hash)


@lru_cache(maxsize=1024)
def _judge(cards: Hand, spec: MeldSpec, key: _Rules) -> PileState:
    rules = key.rules
    if not cards:
        return PileState((), spec.size, "empty")
    exact = rules.meld.oversize == "exact"
    if len(cards) > spec.size and exact:
        return PileState((), None, f"{len(cards) - spec.size} too many (0-14)")
    if len(cards) >= spec.size and (found := readings(cards, spec.kind, rules)):
        return PileState(found, 0, _describe_readings(found))
    missing = _missing(cards, spec, rules)
    if missing is None:
        return PileState((), None, _why_not(cards, spec, rules))
    text = f"{missing} more"
    if missing == 1 and (helpful := _completing(cards, spec, rules)):
        text += f": {helpful}"
    elif reason := _why_so_many(cards, spec, missing, rules):
        text += f": {reason}"
    return PileState((), missing, text)


def _describe_readings(found: tuple[Meld, ...]) -> str:
    first = found[0]
    if len(found) > 1:
        spans = [
            rank_name(meld.rank) if meld.kind is MeldKind.SET else run_span(meld) for meld in found
        ]
        return f"OK: {join_words(spans, 'or')}, you will be asked"
    if first.kind is MeldKind.SET:
        return f"OK: {rank_name(first.rank)}"
    return (
        f"OK: {run_span(first)} of {SUIT_NAMES[first.suit]}"
        if first.suit
        else f"OK: {run_span(first)}"
    )


def _naturals(cards: Hand, rules: RuleSet) -> list[Card]:
    return [card for card in cards if card not in rules.wilds]


def _missing(cards: Hand, spec: MeldSpec, rules: RuleSet) -> int | None:
    """The fewest cards that make it a meld of the wanted size; any card may come."""
    naturals = _naturals(cards, rules)
    wilds = len(cards) - len(naturals)
    span = 1
    if spec.kind is MeldKind.SET:
        if len({RANK[card] for card in naturals}) > 1:
            return None
        longest = spec.size + 2 * len(cards)
    else:
        places = _run_places(naturals, rules)
        if places is None:
            return None
        span = max(places, default=1) - min(places, default=1) + 1
        longest = min(rules.run.max, rules.high_place - rules.low_place + 1)
    if rules.meld.oversize == "exact":
        longest = spec.size
    for size in range(max(spec.size, span, len(cards) + 1), longest + 1):
        if wilds <= rules.max_wilds(size):
            return size - len(cards)
    return None


def _run_places(naturals: list[Card], rules: RuleSet) -> list[int] | None:
    """The places of the cards in one run, None if they are not of one."""
    if len({SUIT[card] for card in naturals}) > 1 and rules.run.suit == "same":
        return None
    if len({RANK[card] for card in naturals}) < len(naturals):
        return None
    found = None
    for ace in (14, 1):
        places = [ace if RANK[card] == "A" else PLACE_RANKS.index(RANK[card]) for card in naturals]
        if all(rules.low_place <= place <= rules.high_place for place in places):
            span = max(places, default=1) - min(places, default=1)
            if found is None or span < max(found, default=1) - min(found, default=1):
                found = places
    return found


def _completing(cards: Hand, spec: MeldSpec, rules: RuleSet) -> str:
    """Name the cards any one of which completes the pile."""
    naturals = _naturals(cards, rules)
    wild = next(iter(rules.wilds), None)
    has_wild = wild is not None and bool(readings((*cards, wild), spec.kind, rules))
    if spec.kind is MeldKind.SET:
        names = [f"any {RANK[naturals[0]]}" if naturals else "any card of one rank"]
    else:
        suits = {SUIT[card] for card in naturals} if rules.run.suit == "same" else set()
        names = [
            card
            for card in CARDS
            if card not in rules.wilds
            and (not suits or SUIT[card] in suits)
            and readings((*cards, card), spec.kind, rules)
        ]
        if len(names) > 6 and not suits:
            names = [f"any {rank}" for rank in dict.fromkeys(card[0] for card in names)]
        elif len(names) > 6:
            names = [f"any of {SUIT_NAMES[suit]} that joins" for suit in suits] or ["any card"]
    if has_wild:
        names.append("a wild")
    return " or ".join([" ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _why_so_many(cards: Hand, spec: MeldSpec, missing: int, rules: RuleSet) -> str:
    """Say why a pile needs more cards than the contract asks for, "" if it does not."""
    size = max(spec.size, len(cards))
    if len(cards) + missing <= size:
        return ""
    wilds = len(cards) - len(_naturals(cards, rules))
    if wilds > rules.max_wilds(size):
        return f"of {size} cards at most {rules.max_wilds(size)} may be wild (0-16)"
    return f"they are too far apart for {size} (0-18)" if spec.kind is MeldKind.RUN else ""


def _why_not(cards: Hand, spec: MeldSpec, rules: RuleSet) -> str:
    naturals = _naturals(cards, rules)
    if spec.kind is MeldKind.SET:
        ranks = dict.fromkeys(RANK[card] for card in naturals)
        if len(ranks) > 1:
            return f"no set: {join_words(list(ranks))} differ (0-12)"
        rank = next(iter(ranks), set_ranks(rules)[0])
        violation = check_meld(set_of(rank, cards), rules)
    else:
        suits = dict.fromkeys(SUIT[card] for card in naturals)
        if len(suits) > 1 and rules.run.suit == "same":
            names = [SUIT_NAMES[suit] for suit in suits]
            return f"no run: {join_words(names)} do not go together (0-18)"
        held = [RANK[card] for card in naturals]
        twice = [card for card in dict.fromkeys(naturals) if held.count(RANK[card]) > 1]
        if twice:
            is_same = naturals.count(twice[0]) > 1
            what = twice[0] if is_same else f"a card of the {rank_name(RANK[twice[0]])}"
            return f"no run: {what} is there twice (0-18)"
        suit = next(iter(suits), "C") if rules.run.suit == "same" else ""
        violation = check_meld(run_of(suit, rules.low_place, cards), rules)
    return "no meld" if violation is None else violation.text
