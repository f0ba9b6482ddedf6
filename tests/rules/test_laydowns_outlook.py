"""An outlook says what the distances of all the hands with a card more or less would."""

from __future__ import annotations

from collections import Counter

import pytest

from hollywood.protocol.rules import (
    CARDS,
    Card,
    Contract,
    Hand,
    RuleSet,
    distance,
    format_contract,
    load_rules,
    parse_hand,
)
from hollywood.protocol.rules.cards import add_cards, remove_cards
from hollywood.protocol.rules.laydowns import outlook
from laydown_hands import SHIPPED, adverse, contracts_of, played

SEVEN = load_rules("hollywood_seven")


def without(hand: Hand, card: Card) -> Hand:
    rest = remove_cards(hand, [card])
    assert rest is not None
    return rest


def agrees(hand: Hand, contract: Contract, rules: RuleSet) -> bool:
    """Whether an outlook says what the distances of all hands with one card changed say."""
    copies = Counter(rules.deck_cards)
    found, now = outlook(hand, contract, rules), distance(hand, contract, rules)
    after = {card: distance(without(hand, card), contract, rules) for card in hand}
    useful: list[Card] = []
    for card in CARDS if now else ():
        if hand.count(card) < copies[card]:
            more = distance(add_cards(hand, [card]), contract, rules)
            assert now is not None
            assert more is not None
            if more < now:
                useful.append(card)
    return (found.distance, found.after_discards, list(found.useful)) == (now, after, useful)


@pytest.mark.parametrize("name", SHIPPED)
def test_outlooks_agree_with_distances(name: str) -> None:
    rules = load_rules(name)
    for contract in contracts_of(rules):
        for hand in (*played(rules, contract, 12, 2), *adverse(rules, contract, 2, "outlook")):
            assert agrees(hand, contract, rules), (contract, hand)


@pytest.mark.parametrize("contract", contracts_of(SEVEN), ids=format_contract)
def test_outlooks_where_ranks_repeat_and_twos_are_natural(contract: Contract) -> None:
    for hand in (*played(SEVEN, contract, 14, 8), *adverse(SEVEN, contract, 16, "twos")):
        assert agrees(hand, contract, SEVEN), hand


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("KS JK JK JK JK", id="one rank"),
        pytest.param("QS KS JK JK JK JK", id="two ranks"),
        pytest.param("KC KH KS JK JK JK JK", id="a set"),
        pytest.param("3C 4C JK JK JK JK", id="cards of a suit"),
        pytest.param("3C 4C 2C JK JK JK JK", id="with a two in its place"),
        pytest.param("JK JK JK JK", id="none"),
    ],
)
@pytest.mark.parametrize("contract", contracts_of(SEVEN), ids=format_contract)
def test_outlooks_where_the_first_two_may_start_a_set(contract: Contract, text: str) -> None:
    assert agrees(parse_hand(text), contract, SEVEN)
