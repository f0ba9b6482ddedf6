"""An outlook says what the distances of all the hands with a card more or less would."""

from __future__ import annotations

from collections import Counter

import pytest

from hollywood.protocol.rules import CARDS, Card, Hand, distance, load_rules
from hollywood.protocol.rules.cards import add_cards, remove_cards
from hollywood.protocol.rules.laydowns import outlook
from laydown_hands import SHIPPED, adverse, contracts_of, played


def without(hand: Hand, card: Card) -> Hand:
    rest = remove_cards(hand, [card])
    assert rest is not None
    return rest


@pytest.mark.parametrize("name", SHIPPED)
def test_outlooks_agree_with_distances(name: str) -> None:
    rules = load_rules(name)
    copies = Counter(rules.deck_cards)
    for contract in contracts_of(rules):
        hands = [*played(rules, contract, 12, 2), *adverse(rules, contract, 2, "outlook")]
        for hand in hands:
            found = outlook(hand, contract, rules)
            now = distance(hand, contract, rules)
            assert found.distance == now
            for card in set(hand):
                rest = distance(without(hand, card), contract, rules)
                assert found.after_discards[card] == rest, (contract, hand, card)
            for card in CARDS:
                if not now or hand.count(card) == copies[card]:
                    assert card not in found.useful
                    continue
                more = distance(add_cards(hand, [card]), contract, rules)
                assert more is not None
                assert (card in found.useful) == (more < now), (contract, hand, card)
