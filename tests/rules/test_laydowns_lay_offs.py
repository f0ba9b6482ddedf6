"""Lay-offs: each legal when it is laid, and no order of lay-offs sheds more points."""

from __future__ import annotations

import random

import pytest

from builders import rules as variant
from hollywood.protocol.rules import (
    Hand,
    LayOff,
    Meld,
    RuleSet,
    TableMeld,
    lay_offs,
)
from hollywood.protocol.rules.cards import PLACE_RANKS, SUITS, Card, remove_cards, sort_hand
from hollywood.protocol.rules.melds import check_meld, lay_on, places_for, run_of, set_of

SEED = 4711
ROUNDS = 60


def most_points(hand: Hand, melds: tuple[Meld, ...], rules: RuleSet) -> int:
    """The most points that any sequence of lay-offs sheds, by trying them all."""
    keep = rules.out.empty_hand == "illegal"
    points = rules.points
    seen: dict[tuple[Hand, tuple[Meld, ...]], int] = {}

    def shed(hand: Hand, melds: tuple[Meld, ...]) -> int:
        if len(hand) <= keep:
            return 0
        position = (hand, melds)
        if position not in seen:
            best = 0
            for card in dict.fromkeys(hand):
                rest = remove_cards(hand, (card,))
                assert rest is not None
                for i, meld in enumerate(melds):
                    for place in places_for(meld, card, rules):
                        grown = (*melds[:i], lay_on(meld, card, place, rules), *melds[i + 1 :])
                        best = max(best, points[card] + shed(rest, grown))
            seen[position] = best
        return seen[position]

    return shed(hand, melds)


def play_out(
    hand: Hand, melds: tuple[Meld, ...], found: tuple[LayOff, ...], rules: RuleSet
) -> tuple[Hand, tuple[Meld, ...]]:
    """Lay the lay-offs one by one; each must be legal."""
    table = {7 + i: meld for i, meld in enumerate(melds)}
    for lay_off in found:
        meld = table[lay_off.meld]
        assert lay_off.place in places_for(meld, lay_off.card, rules), lay_off
        rest = remove_cards(hand, (lay_off.card,))
        assert rest is not None, lay_off
        hand = rest
        table[lay_off.meld] = lay_on(meld, lay_off.card, lay_off.place, rules)
    return hand, tuple(table.values())


def random_meld(rng: random.Random, rules: RuleSet) -> Meld:
    """Some legal meld; the packs are not asked."""
    wilds = sorted(rules.wilds)
    while True:
        size = rng.randint(3, 6)
        cards: list[Card] = []
        if rng.random() < 0.4:
            rank = rng.choice("23456789TJQKA")
            own = [Card(rank + suit) for suit in SUITS]
            cards = [rng.choice(wilds if rng.random() < 0.3 else own) for _ in range(size)]
            meld = set_of(rank, cards)
        else:
            suit = rng.choice(SUITS[:2])
            low = rng.randint(rules.low_place, rules.high_place - size + 1)
            for place in range(low, low + size):
                own_card = Card(PLACE_RANKS[place] + suit)
                cards.append(rng.choice(wilds) if rng.random() < 0.3 else own_card)
            meld = run_of(suit, low, cards)
        if check_meld(meld, rules) is None:
            return meld


VARIANTS = {
    "hollywood": variant(),
    "fewer": variant(wild__limit="fewer"),
    "none": variant(wild__limit="none"),
    "one": variant(wild__limit=1),
    "creation": variant(wild__limit_scope="creation"),
    "keep one": variant(out__empty_hand="illegal"),
    "ace both": variant(run__ace="both", run__low_rank="A", run__max=13),
    "short runs": variant(run__max=10),
    "seven": variant(
        wild__limit="fewer", wild__natural_twos="in_place", run__ace="both", run__low_rank="A",
        run__max=13, score__joker=50, score__ranks={"3456789": 5, "TJQK": 10, "A": 15, "2": 20},
    ),
    "dummy": variant(
        wild__limit="none", wild__natural_twos="in_place", run__ace="both", run__low_rank="A",
        run__max=13, out__empty_hand="illegal",
    ),
    "half in place": variant(wild__natural_twos="in_place", run__low_rank="2", run__max=13),
    "cheap wilds": variant(score__joker=1, score__ranks={"3456789TJQKA": 10, "2": 3}),
}  # fmt: skip


@pytest.mark.parametrize("name", VARIANTS)
def test_lay_offs_shed_most(name: str) -> None:
    rules = VARIANTS[name]
    rng = random.Random(f"{SEED} {name}")
    deck = list(rules.deck_cards)
    two_suits = [card for card in deck if card[1:] in ("C", "D", "K")]
    for _ in range(ROUNDS):
        melds = tuple(random_meld(rng, rules) for _ in range(rng.randint(1, 4)))
        cards = rng.sample(rng.choice((deck, two_suits)), rng.randint(1, 6))
        wilds = rng.sample(sorted(rules.wilds), rng.randint(0, 2))
        hand = sort_hand([*cards, *wilds])
        check(hand, melds, rules)


def check(hand: Hand, melds: tuple[Meld, ...], rules: RuleSet) -> None:
    table = tuple(TableMeld(7 + i, 0, meld) for i, meld in enumerate(melds))
    found = lay_offs(hand, table, rules)
    note = f"{' '.join(hand)} on {' | '.join(map(str, melds))}: {found}"
    rest, grown = play_out(hand, melds, found, rules)
    shed = rules.hand_points(hand) - rules.hand_points(rest)
    assert shed == most_points(hand, melds, rules), note
    if rules.out.empty_hand != "illegal" or len(rest) > 1:
        assert not any(places_for(meld, card, rules) for meld in grown for card in rest), note
    assert rest or rules.out.empty_hand != "illegal"


PLAIN = {
    "continental": variant(
        wild__adjacent="forbid", wild__limit="none", run__wrap=True, run__ace="both",
        run__low_rank="A", run__max=13, layoff__mandatory=True,
    ),
    "relocate": variant(wild__relocate="to_end"),
    "distinct suits": variant(set__distinct_suits=True),
    "any suit": variant(run__suit="any", run__same_suit="any"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
def test_lay_offs_are_legal_where_they_may_not_shed_most(name: str) -> None:
    rules = PLAIN[name]
    rng = random.Random(f"{SEED} {name}")
    for _ in range(ROUNDS):
        melds = tuple(random_meld(rng, rules) for _ in range(rng.randint(1, 4)))
        hand = sort_hand(rng.sample(rules.deck_cards, rng.randint(1, 8)))
        table = tuple(TableMeld(7 + i, 0, meld) for i, meld in enumerate(melds))
        rest, grown = play_out(hand, melds, lay_offs(hand, table, rules), rules)
        assert not any(places_for(meld, card, rules) for meld in grown for card in rest)
