"""What the laydown search answers, on hands that a person can check.

Every answer is held against enumeration in test_laydowns_oracle.py, lay-offs in
test_laydowns_lay_offs.py; here are the cases that are easy to get wrong.
"""

from __future__ import annotations

import random

import pytest

from builders import HOLLYWOOD, rules
from hollywood.protocol.errors import ErrorCode, NotationError
from hollywood.protocol.rules import (
    CARDS,
    Card,
    Contract,
    best_laydown,
    distance,
    lay_offs,
    load_rules,
    parse_contract,
    parse_hand,
    useful_cards,
)
from hollywood.protocol.rules.cards import add_cards
from hollywood.protocol.rules.laydowns import distance_after_discards, outlook
from hollywood.protocol.rules.melds import check_contract


def far(hand: str, contract: str, **options: object) -> int | None:
    return distance(parse_hand(hand), parse_contract(contract), rules(**options))


def laid(hand: str, contract: str, **options: object) -> str:
    """The melds of the best laydown and the points it leaves."""
    found = best_laydown(parse_hand(hand), parse_contract(contract), rules(**options))
    if found is None:
        return "nothing"
    return " | ".join([*map(str, found.melds), str(found.points_left)])


@pytest.mark.parametrize("contract", HOLLYWOOD.contracts)
def test_an_empty_hand_lacks_the_contract(contract: Contract) -> None:
    assert distance((), contract, HOLLYWOOD) == sum(spec.size for spec in contract)
    assert best_laydown((), contract, HOLLYWOOD) is None
    assert distance_after_discards((), contract, HOLLYWOOD) == {}


@pytest.mark.parametrize(
    ("hand", "contract", "options", "lacking"),
    [
        pytest.param("KS KH KD KC KS KH", "2xS3", {}, 3, id="0-13 six kings are one set"),
        pytest.param(
            "KS KH KD KC KS KH", "2xS3", {"set__same_rank": "allow"}, 0, id="or two if allowed"
        ),
        pytest.param("KS JK JK 9C 9D 9H", "2xS3", {}, 1, id="0-16 one wild in a set of three"),
        pytest.param("KS JK JK", "S3", {"wild__limit": "none"}, 0, id="no limit"),
        pytest.param("3D 4D 2C 2C 2C 8D", "R5", {}, 0, id="0-14 a longer run meets the limit"),
        pytest.param("3D 4D 5D 6D 7D 8D 9D TD", "2xR4", {}, 1, id="0-21 runs need a gap"),
        pytest.param("3D 4D 5D 6D 8D 9D TD JD", "2xR4", {}, 0, id="0-21 and have it here"),
        pytest.param("AD 3D 4D 5D", "R4", {}, 1, id="0-19 no low ace"),
        pytest.param(
            "AD 2D 3D 4D", "R4", {"run__ace": "both", "run__low_rank": "A", "run__max": 13}, 0,
            id="a low ace, and a two, wild as it is, in its place",
        ),
        pytest.param("QD KD AD 3D", "R4", {}, 1, id="0-20 not round the ace"),
        pytest.param("KS KH KD 9C 9D 9H", "2xS3", {"out__empty_hand": "illegal"}, 1,
                     id="0-40 a card to discard"),
        pytest.param("7C 7D 7H 7S 7C 7D 8H 2C 2D JK", "3xS3", {"set__same_rank": "allow"}, 0,
                     id="three wilds need six sevens in three sets"),
        pytest.param("3C 3D 3D 3H 9C 9H 9H 9S", "S4 + S3 + S2", {"set__same_rank": "allow"}, 1,
                     id="a rank makes the larger and the smallest set"),
        pytest.param("7D 8D 9D TD 7C 7H", "S3 + R4", {}, 1, id="a card serves one meld"),
    ],
)  # fmt: skip
def test_distance(hand: str, contract: str, options: dict[str, object], lacking: int) -> None:
    assert far(hand, contract, **options) == lacking


@pytest.mark.parametrize(
    "hand",
    [
        pytest.param("6H 6H 8H 8H 9H TH 2D 2H JK", id="6 8 T is a run of five without the nine"),
        pytest.param("6H 6H 7H 7H 9H TH QH 2D 2H 2H 2S JK JK JK JK", id="and many wilds"),
        pytest.param("3D 8D 9D 9D TD JD KD 2C 2C 2H JK JK", id="the nine twice"),
    ],
)
def test_a_run_may_be_longer_since_another_takes_its_cards(hand: str) -> None:
    seven, cards = load_rules("hollywood_seven"), parse_hand(hand)
    contract = parse_contract("2xR4")
    assert distance(cards, contract, seven) == 0
    found = best_laydown(cards, contract, seven)
    assert found is not None
    assert check_contract(found.melds, contract, seven) is None


def test_distance_none_if_nothing_helps() -> None:
    assert far("KS", "5xR3", run__same_suit="different") is None
    assert (
        best_laydown(parse_hand("KS"), parse_contract("5xR3"), rules(run__same_suit="different"))
        is None
    )
    assert (
        useful_cards(parse_hand("KS"), parse_contract("5xR3"), rules(run__same_suit="different"))
        == ()
    )
    assert far("KS", "S2", wild__min_naturals=3, meld__oversize="exact") is None


@pytest.mark.parametrize(
    ("hand", "contract", "options", "melds"),
    [
        pytest.param(
            "KS KH KD KC 9C 9D JK 3S", "2xS3", {},
            "set of K: KC KD KH KS | set of 9: 9C 9D JK | 5", id="all cards of a rank",
        ),
        pytest.param(
            "KS KH KD KC 9C 9D 9H", "2xS3", {"meld__oversize": "exact"},
            "set of K: KC KD KH | set of 9: 9C 9D 9H | 10", id="exactly three",
        ),
        pytest.param(
            "3D 4D 5D 6D JK 2C", "R4", {}, "run 3-8 of D: 3D 4D 5D 6D JK 2C | 0",
            id="wilds at the end of a run",
        ),
        pytest.param(
            "3D 4D 5D 6D JK 2C", "R4", {"meld__oversize": "exact"},
            "run 3-6 of D: JK 2C 5D 6D | 10", id="wilds for the cheapest naturals",
        ),
        pytest.param(
            "7D 8D 9D TD 7C 7H JK", "S3 + R4", {},
            "set of 7: 7C 7H JK | run 7-T of D: 7D 8D 9D TD | 0",
            id="a card that a set and a run want",
        ),
    ],
)  # fmt: skip
def test_best_laydown(hand: str, contract: str, options: dict[str, object], melds: str) -> None:
    assert laid(hand, contract, **options) == melds


def test_natural_twos_make_room_for_other_wilds() -> None:
    """Six twos lie as twos in two sets, so both jokers may be laid (1-7)."""
    rules = load_rules("hollywood_seven")
    hand = parse_hand("5D QC KC AH 2C 2C 2D 2H 2H 2S JK JK")
    found = best_laydown(hand, parse_contract("S4 + S2 + R3"), rules)
    assert found is not None
    assert (found.points_left, found.cards_left) == (20, ("5D", "AH"))


def test_answers_do_not_depend_on_the_order_of_the_hand() -> None:
    rng = random.Random(3)
    deck = list(HOLLYWOOD.deck_cards)
    for contract in HOLLYWOOD.contracts:
        hand = rng.sample(deck, 20)
        answers = set()
        for _ in range(4):
            rng.shuffle(hand)
            found = best_laydown(tuple(hand), contract, HOLLYWOOD)
            melds = () if found is None else found.melds
            answers.add((melds, distance(tuple(hand), contract, HOLLYWOOD)))
        assert len(answers) == 1


def test_distance_falls_by_one_with_each_useful_card() -> None:
    """The definition of the distance, step by step down to a laydown."""
    rng = random.Random(5)
    for contract in HOLLYWOOD.contracts:
        hand = tuple(rng.sample(HOLLYWOOD.deck_cards, 11))
        while (now := distance(hand, contract, HOLLYWOOD)) != 0:
            useful = useful_cards(hand, contract, HOLLYWOOD)
            assert useful
            after = {
                card: distance(add_cards(hand, (card,)), contract, HOLLYWOOD)
                for card in CARDS
                if hand.count(card) < HOLLYWOOD.deck_cards.count(card)
            }
            assert now is not None
            assert {card for card, then in after.items() if then == now - 1} == set(useful)
            assert set(after.values()) <= {now, now - 1}
            hand = add_cards(hand, (rng.choice(useful),))
        found = best_laydown(hand, contract, HOLLYWOOD)
        assert found is not None
        assert check_contract(found.melds, contract, HOLLYWOOD) is None


def test_useful_cards_are_cards_that_can_still_come() -> None:
    """Of a card that the hand holds as often as the packs do, there is no more."""
    hand = parse_hand("7H 7H 7H 7H 8C")
    assert Card("7H") not in useful_cards(hand, parse_contract("S6"), HOLLYWOOD)
    assert Card("7C") in useful_cards(hand, parse_contract("S6"), HOLLYWOOD)


def test_outlook_is_the_three_answers() -> None:
    hand, contract = parse_hand("5D 6D 7D 9D KS KH KC 9C 9S"), parse_contract("2xS3 + R4")
    found = outlook(hand, contract, HOLLYWOOD)
    assert found.distance == distance(hand, contract, HOLLYWOOD)
    assert found.useful == useful_cards(hand, contract, HOLLYWOOD)
    assert found.after_discards == distance_after_discards(hand, contract, HOLLYWOOD)


@pytest.mark.parametrize("ask", [best_laydown, distance, outlook])
@pytest.mark.parametrize(
    ("hand", "contract", "code"),
    [
        (("KS", "XX"), "2xS3", ErrorCode.BAD_CARD),
        (("KS",) * 5, "2xS3", ErrorCode.BAD_CARD),
        (("JK",) * 9, "R4", ErrorCode.BAD_CARD),
        (("KS",) * 300, "R4", ErrorCode.BAD_CARD),
        (("KS",), "", ErrorCode.BAD_CONTRACT),
    ],
)
def test_wrong_input(ask: object, hand: tuple[str, ...], contract: str, code: ErrorCode) -> None:
    specs = parse_contract(contract) if contract else ()
    with pytest.raises(NotationError) as error:
        ask(tuple(map(Card, hand)), specs, HOLLYWOOD)  # type: ignore[operator]
    assert error.value.code is code


def test_lay_offs_wrong_input() -> None:
    with pytest.raises(NotationError):
        lay_offs((Card("XX"),), (), HOLLYWOOD)
    assert lay_offs((), (), HOLLYWOOD) == ()


def test_distance_where_the_round_takes_all_cards() -> None:
    """1-36: going down lays the whole hand, and no card is kept for a discard."""
    seven = rules(final_round="all_cards_no_discard", out__empty_hand="illegal")
    last = len(seven.rounds) - 1
    contract = parse_contract("2xS3")
    whole, more = parse_hand("KS KH KD 9C 9D 9H"), parse_hand("KS KH KD 9C 9D 9H 3S")
    assert (distance(whole, contract, seven, 0), distance(whole, contract, seven, last)) == (1, 0)
    assert (distance(more, contract, seven, 0), distance(more, contract, seven, last)) == (0, 1)
    assert best_laydown(more, contract, seven, last) is None
    assert outlook(more, contract, seven, last).distance == 1
    assert outlook(whole, contract, seven, last).distance == 0


def test_runs_of_a_suit_that_must_not_lie_side_by_side_meet_in_a_card() -> None:
    """0-21: a longer run between two others, where cutting it would leave it adjacent."""
    hand, options = "2D 3D 4D 5D 5D 6D 7D 8D 9D 9D TD JD QD", {
        "run__same_suit": "no_adjacent", "run__low_rank": "2", "run__max": 13,
        "wild__ranks": ("JK",),
    }  # fmt: skip
    assert far(hand, "3xR4", **options) == 0
    assert laid(hand, "3xR4", **options).endswith("| 0")
