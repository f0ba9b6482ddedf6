"""Cards, hands and their texts."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hollywood.protocol.errors import ErrorCode, NotationError
from hollywood.protocol.rules import CARDS, Card, format_hand, parse_card, parse_hand
from hollywood.protocol.rules.cards import (
    JOKER,
    ORDER,
    PACK,
    PLACE_RANKS,
    RANK,
    SUIT,
    add_cards,
    remove_cards,
    sort_hand,
)

hands = st.lists(st.sampled_from(CARDS), max_size=20)


def test_there_are_53_kinds_of_cards() -> None:
    """52 and the joker, each with its own code."""
    assert len(CARDS) == len(set(CARDS)) == len(ORDER) == 53
    assert set(CARDS) == {*PACK, JOKER}
    assert {RANK[card] + SUIT[card] for card in PACK} == set(PACK)
    assert (RANK[JOKER], SUIT[JOKER]) == ("JK", "")


def test_places_of_a_run() -> None:
    """1 is the low ace, 14 the high one."""
    assert [PLACE_RANKS[i] for i in (1, 2, 10, 11, 12, 13, 14)] == list("A2TJQKA")


@pytest.mark.parametrize("card", CARDS)
def test_each_card_reads_as_it_is_written(card: Card) -> None:
    """Upper and lower case, with blanks around."""
    assert parse_card(card) == parse_card(f" {card.lower()} ") == card


@pytest.mark.parametrize(
    ("text", "card"),
    [("10H", "TH"), ("10♥", "TH"), ("k♠", "KS"), ("a♦", "AD"), ("2♣", "2C"), ("jk", "JK")],
)
def test_other_ways_to_write_a_card(text: str, card: str) -> None:
    """Ten as 10, suit signs."""
    assert parse_card(text) == card


@pytest.mark.parametrize(
    "text", ["", "1H", "H9", "9", "JKS", "9X", "11H", "10", "10HH", "9 H", "JOKER", "é9", "0H"]
)
def test_what_is_no_card(text: str) -> None:
    """Refused with a code and the text in the sentence."""
    with pytest.raises(NotationError) as refused:
        parse_card(text)
    assert refused.value.code is ErrorCode.BAD_CARD
    assert repr(text) in refused.value.message


def test_a_hand_is_read_in_any_order() -> None:
    """Blanks and commas; wild ranks last."""
    assert parse_hand("JK, 2S 9C,KH  3D") == ("3D", "9C", "KH", "2S", "JK")
    assert parse_hand("") == ()
    with pytest.raises(NotationError):
        parse_hand("9C 9Z")


@given(hands)
def test_a_hand_reads_as_it_is_written(cards: list[Card]) -> None:
    """Formatting and parsing are inverse, duplicates included."""
    hand = sort_hand(cards)
    assert parse_hand(format_hand(cards)) == hand
    assert sorted(hand) == sorted(cards)


@given(hands, hands)
def test_adding_and_removing_are_inverse(hand: list[Card], more: list[Card]) -> None:
    """T57: hands are multisets."""
    full = add_cards(sort_hand(hand), more)
    assert len(full) == len(hand) + len(more)
    assert remove_cards(full, more) == sort_hand(hand)


@given(hands)
def test_a_missing_card_cannot_be_removed(cards: list[Card]) -> None:
    """None, and never a part of it."""
    hand = sort_hand(cards)
    for card in CARDS:
        wanted = [card] * (hand.count(card) + 1)
        assert remove_cards(hand, wanted) is None
        assert remove_cards(hand, wanted[1:]) is not None


def test_cards_are_kept_by_rank_then_suit() -> None:
    """Three to ace, then the wild ranks."""
    ranks = [rank for rank, _ in itertools.groupby(CARDS, key=lambda card: card[0])]
    assert "".join(ranks) == "3456789TJQKA2J"
    assert [card[1] for card in CARDS[:4]] == list("CDHS")
