"""Seeded hands for the laydown search: such as are played, and such as hurt.

Used where the search is timed (`bench/laydowns.py`) and where it is compared with
CP-SAT (`cpsat.py`). All follow from a seed, the rule set and the contract.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from hollywood.protocol.rules import (
    Card,
    Contract,
    Hand,
    RuleSet,
    TableMeld,
    best_laydown,
    distance,
    format_contract,
)
from hollywood.protocol.rules.cards import RANK, SUIT, SUITS, sort_hand

SEED = 8

SHIPPED = (
    "hollywood", "hollywood_seven", "dummy", "carioca", "continental", "contract_rummy",
    "frustration", "frustration14", "hollywood_seven_chips", "jo", "kalooki_ja", "king_rummy",
    "liverpool", "may_i_pagat", "onze", "progressive15", "shanghai10", "shanghai7",
)  # fmt: skip
"""The rule sets that come with the game."""


def contracts_of(rules: RuleSet) -> tuple[Contract, ...]:
    """The contracts of a rule set, each once."""
    return tuple(dict.fromkeys(rules.contracts))


def played(
    rules: RuleSet, contract: Contract, size: int, count: int, seed: int = SEED
) -> list[Hand]:
    """Random hands; every other one with wilds in it until it can go down or has six."""
    rng = random.Random(f"{seed} {rules.name} {format_contract(contract)} {size}")
    deck = list(rules.deck_cards)
    wilds = sorted(rules.wilds)
    hands = []
    for i in range(count):
        hand: list[Card] = rng.sample(deck, size)
        if i % 2:
            for k in range(6):
                if distance(tuple(hand), contract, rules) == 0:
                    break
                wild = rng.choice(wilds)
                if hand.count(wild) < deck.count(wild):
                    hand[k] = wild
        hands.append(sort_hand(hand))
    return hands


def adverse(
    rules: RuleSet, contract: Contract, count: int, seed: int | str = SEED
) -> Iterator[Hand]:
    """Hands of up to 30 cards with every number of wilds, the naturals made to be ambiguous.

    All cards alike likely; one suit, or two; few ranks; every second place of the
    suits; neighbouring ranks in all suits; one of each card.
    """
    rng = random.Random(f"{seed} {rules.name} {format_contract(contract)} adverse")
    wilds = [card for card in rules.deck_cards if card in rules.wilds]
    naturals = [card for card in rules.deck_cards if card not in rules.wilds]
    for i in range(count):
        n_wilds = i % (len(wilds) + 1)
        rest = rng.randint(1, max(1, 30 - n_wilds))
        if rng.random() < 0.5:
            rest = min(rest, max(1, 2 * sum(spec.size for spec in contract) - n_wilds))
        pool = _ambiguous(naturals, i % 7, rng)
        rng.shuffle(pool)
        yield sort_hand([*rng.sample(wilds, n_wilds), *pool[:rest]][:30])


def _ambiguous(naturals: list[Card], kind: int, rng: random.Random) -> list[Card]:
    """Naturals of one kind, in any number."""
    ranks = "3456789TJQKA"
    match kind:
        case 0:
            return list(naturals)
        case 1:
            suits = rng.sample(SUITS, rng.randint(1, 2))
            return [card for card in naturals if SUIT[card] in suits]
        case 2:
            some = rng.sample(ranks, rng.randint(1, 4))
            return [card for card in naturals if RANK[card] in some]
        case 3:
            odd = ranks[rng.randint(0, 1) :: 2]
            return [card for card in naturals if RANK[card] in odd]
        case 4:
            low = rng.randint(0, 6)
            return [card for card in naturals if RANK[card] in ranks[low : low + 6]]
        case 5:
            return sorted(set(naturals))
        case _:
            step = rng.randint(0, 2)
            third = ranks[step::3]
            return [card for card in naturals if RANK[card] in third]


def table_of(
    rules: RuleSet, size: int, count: int, seed: int = SEED
) -> tuple[tuple[TableMeld, ...], list[Hand]]:
    """A table of twelve melds, laid from random hands, and hands of a size to lay off from."""
    rng = random.Random(f"{seed} {rules.name} lay-offs {size}")
    deck = list(rules.deck_cards)
    table: list[TableMeld] = []
    while len(table) < 12:
        contract = rng.choice(rules.contracts)
        laydown = best_laydown(sort_hand(rng.sample(deck, 16)), contract, rules)
        for meld in laydown.melds if laydown else ():
            table.append(TableMeld(len(table), 0, meld))
    return tuple(table[:12]), [sort_hand(rng.sample(deck, size)) for _ in range(count)]
