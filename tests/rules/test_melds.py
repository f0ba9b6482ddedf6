"""Readings of cards, and how a meld is named, grown and refused."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from builders import HOLLYWOOD, meld, rules
from hollywood.protocol.errors import AmbiguousActionError, ErrorCode, NotationError
from hollywood.protocol.rules import CARDS, Card, Meld, MeldKind, parse_hand
from hollywood.protocol.rules.melds import (
    check_meld,
    count_wilds,
    extend,
    is_natural,
    places_for,
    read_meld,
    readings,
    run_of,
    set_of,
)

SET, RUN = MeldKind.SET, MeldKind.RUN

few_cards = st.lists(st.sampled_from(CARDS), min_size=2, max_size=5)
some_spades = st.lists(
    st.sampled_from([card for card in CARDS if card[1] == "S" or card in ("2C", "JK")]),
    min_size=2,
    max_size=7,
)


@pytest.mark.parametrize(
    ("cards", "kind", "expected"),
    [
        ("KS KH 2D", SET, "K: KH KS 2D"),
        ("8S 5S 7S 6S", RUN, "5S: 5S 6S 7S 8S"),
        ("8S 5S JK 6S", RUN, "5S: 5S 6S JK 8S"),
        ("AS KS QS JK", RUN, "JS: JK QS KS AS"),
        ("3C 4C 6C 2H", RUN, "3C: 3C 4C 2H 6C"),
    ],
)
def test_cards_with_one_reading(cards: str, kind: MeldKind, expected: str) -> None:
    """They need no declaration."""
    assert read_meld(parse_hand(cards), kind, HOLLYWOOD) == meld(expected)


@pytest.mark.row("T7", "T9")
@pytest.mark.parametrize(
    ("cards", "spans"),
    [
        ("TS JS QS KS JK", [(9, 13), (10, 14)]),
        ("5S 6S 7S 8S 9S 2C 2D JK JK JK", [(3, 12), (4, 13), (5, 14)]),
        ("5S 6S JK", [(4, 6), (5, 7)]),
        ("3S 4S JK", [(3, 5)]),
    ],
)
def test_cards_with_several_readings(cards: str, spans: list[tuple[int, int]]) -> None:
    """T7, T9: all are listed, and the reader must say which."""
    hand = parse_hand(cards)
    assert [(run.low, run.high) for run in readings(hand, RUN, HOLLYWOOD)] == spans
    if len(spans) > 1:
        with pytest.raises(AmbiguousActionError) as asked:
            read_meld(hand, RUN, HOLLYWOOD)
        assert asked.value.code is ErrorCode.AMBIGUOUS
        assert asked.value.readings == readings(hand, RUN, HOLLYWOOD)


@pytest.mark.parametrize(
    ("cards", "kind"),
    [
        ("KS KH QD", SET),
        ("KS", SET),
        ("", SET),
        ("2S 2H 2D", SET),
        ("KS 2H 2D", SET),
        ("5S 6S 8S 9S", RUN),
        ("5S 6H 7S 8S", RUN),
        ("5S 6S 6S 7S", RUN),
        ("2C 2D JK JK", RUN),
        ("AS 3S 4S 5S", RUN),
    ],
)
def test_cards_without_a_reading(cards: str, kind: MeldKind) -> None:
    """They are no meld."""
    with pytest.raises(NotationError) as refused:
        read_meld(parse_hand(cards), kind, HOLLYWOOD)
    assert refused.value.code is ErrorCode.BAD_MELD


@pytest.mark.row("T58")
def test_readings_do_not_depend_on_the_order_given() -> None:
    """T58: any order of the cards gives the same melds."""
    for cards in itertools.permutations(parse_hand("QS KS JS TS JK")):
        assert [run.low for run in readings(cards, RUN, HOLLYWOOD)] == [9, 10]


@given(few_cards)
def test_readings_of_sets_are_those_of_the_rule(cards: list[Card]) -> None:
    """Against every rank there is, by the plain rule."""
    found = {found.rank for found in readings(cards, SET, HOLLYWOOD)}
    assert found == {rank for rank in "3456789TJQKA" if oracle.is_meld(SET, rank, 0, [*cards])}


@given(some_spades)
def test_readings_of_runs_are_those_of_the_rule(cards: list[Card]) -> None:
    """Against every arrangement at every place, by the plain rule."""
    arranged = set(itertools.permutations(cards)) if len(cards) < 7 else {tuple(cards)}
    found = {(run.suit, run.low) for run in readings(cards, RUN, HOLLYWOOD)}
    possible = {
        (suit, low)
        for order in arranged
        for suit in "CDHS"
        for low in range(1, 15)
        if oracle.is_meld(RUN, suit, low, [*order])
    }
    assert possible <= found if len(cards) == 7 else possible == found
    assert all(
        oracle.is_meld(RUN, run.suit, run.low, [*run.cards])
        for run in readings(cards, RUN, HOLLYWOOD)
    )


@given(st.sampled_from("3456789TJQKA"), few_cards, st.sampled_from(CARDS))
def test_a_card_fits_where_the_grown_meld_is_one(rank: str, cards: list[Card], card: Card) -> None:
    """Sets: `places_for` against the plain rule, and `extend` against `check_meld`."""
    own = set_of(rank, [c for c in cards if c[0] == rank] + [Card(rank + "S"), Card(rank + "H")])
    places = places_for(own, card, HOLLYWOOD)
    assert [place for place in range(16) if oracle.grown(own, card, place)] == list(places)
    for place in places:
        assert check_meld(extend(own, card, place), HOLLYWOOD) is None


@given(some_spades, st.sampled_from(CARDS))
def test_a_run_grows_where_it_stays_one(cards: list[Card], card: Card) -> None:
    """Runs: the same."""
    for run in readings(cards, RUN, HOLLYWOOD):
        places = places_for(run, card, HOLLYWOOD)
        assert [place for place in range(16) if oracle.grown(run, card, place)] == sorted(places)
        for place in places:
            assert check_meld(extend(run, card, place), HOLLYWOOD) is None


@pytest.mark.parametrize(
    "found",
    [
        Meld(SET, parse_hand("KS KH KD"), rank=""),
        Meld(SET, parse_hand("KS KH KD"), rank="QK"),
        Meld(SET, parse_hand("KS KH KD"), rank="K", suit="S"),
        Meld(SET, parse_hand("KS KH KD"), rank="K", low=5),
        Meld(RUN, parse_hand("5S 6S 7S 8S"), suit="S", low=5, rank="5"),
        Meld(RUN, parse_hand("5S 6S 7S 8S"), suit="", low=5),
        Meld(RUN, parse_hand("5S 6S 7S 8S"), suit="HS", low=5),
        Meld(RUN, parse_hand("5S 6S 7S 8S"), suit="S", low=-(10**12)),
        Meld(RUN, parse_hand("5S 6S 7S 8S"), suit="S", low=10**12),
        Meld(RUN, (), suit="S", low=5),
        Meld(SET, (Card("KS"),), rank="K"),
    ],
)
def test_a_meld_says_what_it_is_and_no_more(found: Meld) -> None:
    """Each way to say it has one form, so that nothing strange lies on the table."""
    violation = check_meld(found, HOLLYWOOD)
    assert violation is not None
    assert violation.code is ErrorCode.BAD_MELD


@pytest.mark.parametrize("kind", MeldKind)
def test_wilds_alone_must_still_name_one_rank_or_suit(kind: MeldKind) -> None:
    """Where rules put no limit on wilds, a meld of them stands for something."""
    free = rules(wild__limit="none")
    cards = parse_hand("2C 2D JK")
    for rank in ("", "34", "A3456789TJQK"):
        assert check_meld(Meld(SET, cards, rank=rank), free) is not None
    for suit in ("", "CD", "CDHS"):
        assert check_meld(Meld(RUN, cards, suit=suit, low=5), free) is not None
    assert check_meld(Meld(SET, cards, rank="3"), free) is None
    assert check_meld(Meld(RUN, cards, suit="D", low=5), free) is None
    assert len(readings(cards, kind, free)) == (12 if kind is SET else 40)


def test_a_text_that_is_no_card() -> None:
    """In a meld from the wire."""
    violation = check_meld(Meld(SET, (Card("KS"), Card("ZZ"), Card("KH")), rank="K"), HOLLYWOOD)
    assert violation is not None
    assert violation.code is ErrorCode.BAD_CARD


def test_which_cards_stand_for_themselves() -> None:
    """A two in its own place is natural only where the rules say so."""
    run = meld("2S: 2S 3S JK 5S")
    assert [is_natural(run, i, HOLLYWOOD) for i in range(4)] == [False, True, False, True]
    in_place = rules(wild__natural_twos="in_place", run__low_rank="2")
    assert [is_natural(run, i, in_place) for i in range(4)] == [True, True, False, True]
    assert (count_wilds(run, HOLLYWOOD), count_wilds(run, in_place)) == (2, 1)


def test_how_melds_are_written() -> None:
    """For sentences and screens."""
    assert str(meld("K: KS 2D KH")) == "set of K: KH KS 2D"
    assert str(meld("JS: JS QS KS AS")) == "run J-A of S: JS QS KS AS"
    assert run_of("S", 5, parse_hand("5S 6S 7S")).high == 7
