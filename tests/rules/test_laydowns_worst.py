"""Hands that once took the laydown search long: the steps it takes on them have a bound.

Steps are calls of Python functions, the caches being empty. A hundred thousand of them
are some 20 ms. `bench/laydowns.py --worst` looks for other such hands.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest
from msgspec.structs import replace

from hollywood.protocol.rules import (
    Hand,
    RuleSet,
    TableMeld,
    best_laydown,
    lay_offs,
    load_rules,
    parse_contract,
    parse_hand,
)
from hollywood.protocol.rules.cards import SUITS, Card
from hollywood.protocol.rules.laydowns import outlook
from hollywood.protocol.rules.melds import run_of

MOST_STEPS = 150_000

WORST = [
    ("shanghai7", "3xR4", "3S 4C 5S 6D 8D 9C JH AD AS JK JK JK JK JK JK JK JK"),
    ("shanghai7", "3xR4", "3S 3S 3S 4S 4S 5S 6S 6S 6S 7S 7S 8S 9S TS JS JS JS KS KS AS AS AS"
                          " JK JK JK JK JK JK JK JK"),
    ("shanghai7", "S3 + 2xR4", "4D 5D 5D 5D 6D 6D 7D 7D 8D 9D 9D TD TD JD AD JK JK JK JK JK JK JK"),
    ("contract_rummy", "S3 + 2xR4", "3H 3H 5H 6H 6H 7H 8H TH JH JH QH QH KH KH AH"
                                    " JK JK JK JK JK JK JK JK"),
    ("jo", "S3 + 2xR4", "3D 4D 4D 5D 6D 8D 8D 9D TD TD JD JD QD QD KD JK JK JK JK JK JK JK"),
    ("frustration14", "3xR4", "4S TS AD 2C 2C 2D 2D 2H 2S 2S JK JK JK"),
    ("onze", "3xR4", "3C 3S 3S 7C 7C 7C 9C 9D 9S KC KC KD KD KH KH 2C 2C 2H 2H 2S 2S JK JK JK"),
    ("progressive15", "5xR3", "3C 4C 5D 6D 6S 7D 9H TC TD TS QS KS AD AH 2C 2C 2D 2D 2H 2H 2S 2S"
                              " JK JK JK JK"),
    ("continental", "2xR4", "3S 3S 3S 4S 5S 5S 6S 6S 7S 7S 7S 8S 8S 8S 9S 9S TS JS JS JS QS QS KS AS AS"
                            " 2S 2S 2S JK"),
    ("continental", "3xR4", "3C 3H 4C 4S 5D 5H 7C 8H TD QC QS KD AC AD AS 2H"
                            " JK JK JK JK JK JK JK JK"),
    ("dummy", "2xS3 + R4", "4H 5H 6H 6H 7H 7H 8H 8H 9H TH JH JH QH AH 2C 2C 2D 2D 2H 2H 2S 2S JK"),
    ("kalooki_ja", "2xS3 + 2xR4", "3C 4C 5C 5C 5D 6C 6D 7C 8C 8D 8D 9C 9C 9D TC TD JD QD KC KD AD"
                                  " 2C 2D JK JK JK"),
]  # fmt: skip


def steps_of(ask: Callable[[], object]) -> int:
    """Count the calls of Python functions."""
    steps = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal steps
        steps += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        ask()
    finally:
        sys.setprofile(before)
    return steps


def fresh(name: str, contract: str) -> RuleSet:
    """A rule set for which nothing is known but what all hands have in common."""
    rules = replace(load_rules(name))
    some = parse_hand("3C 4C 5C 7D 8D JH KS")
    outlook(some, parse_contract(contract), rules)
    best_laydown(some, parse_contract(contract), rules)
    return rules


@pytest.mark.parametrize(("name", "contract", "hand"), WORST)
def test_hands_full_of_wilds_take_few_steps(name: str, contract: str, hand: str) -> None:
    specs, cards = parse_contract(contract), parse_hand(hand)
    rules = fresh(name, contract)
    assert steps_of(lambda: best_laydown(cards, specs, rules)) < MOST_STEPS
    rules = fresh(name, contract)
    assert steps_of(lambda: outlook(cards, specs, rules)) < MOST_STEPS


def runs_of_a_suit(suit: str, count: int) -> tuple[TableMeld, ...]:
    """Runs of four that may all want the same cards."""
    ranks = "3456789TJQKA"
    lows = [i * 2 % 8 for i in range(count)]
    return tuple(
        TableMeld(i, 0, run_of(suit, low + 3, [Card(rank + suit) for rank in ranks[low : low + 4]]))
        for i, low in enumerate(lows)
    )


@pytest.mark.parametrize("name", ["hollywood", "hollywood_seven", "dummy", "contract_rummy"])
def test_lay_offs_on_many_runs_of_a_suit_take_few_steps(name: str) -> None:
    rules = replace(load_rules(name))
    table = (*runs_of_a_suit(SUITS[1], 6), *runs_of_a_suit(SUITS[2], 6))
    numbered = tuple(replace(meld, number=i) for i, meld in enumerate(table))
    hand: Hand = parse_hand("3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD 3H 4H 5H 8H 9H KH AH JK JK JK JK")
    assert steps_of(lambda: lay_offs(hand, numbered, rules)) < MOST_STEPS
