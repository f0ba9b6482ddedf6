"""Rows 0-12 to 0-22: what sets and runs are, how many wilds, what a contract keeps apart.

Deals are 0-based: r1 of the rule book is deal 0.
"""

from __future__ import annotations

import pytest

from builders import HOLLYWOOD, meld, melds, play, position, refusal, rules, run
from hollywood.protocol.errors import ErrorCode
from hollywood.protocol.rules import Card, MeldKind, RuleSet, parse_contract, parse_hand
from hollywood.protocol.rules.melds import (
    check_contract,
    check_meld,
    places_for,
    readings,
    runs_keep_apart,
)

BAD_MELD = ErrorCode.BAD_MELD
WILD_LIMIT = ErrorCode.WILD_LIMIT


def fault(text: str, ruleset: RuleSet = HOLLYWOOD) -> ErrorCode | None:
    """Why the cards are not that meld."""
    violation = check_meld(meld(text), ruleset)
    return None if violation is None else violation.code


def contract_fault(contract: str, down: str, ruleset: RuleSet = HOLLYWOOD) -> ErrorCode | None:
    """Why the melds are not that contract."""
    violation = check_contract(melds(down), parse_contract(contract), ruleset)
    return None if violation is None else violation.code


@pytest.mark.row("0-12")
@pytest.mark.parametrize("text", ["9: 9S 9H 9D", "9: 9S 9S 9S", "9: 9S 9S 9H 9H", "A: AS AS AD"])
def test_suits_do_not_matter_in_a_set(text: str) -> None:
    """0-12: cards of one value, duplicates included."""
    assert fault(text) is None


@pytest.mark.row("0-12")
@pytest.mark.parametrize("text", ["9: 9S 9H 8D", "9: TS TH TD", "K: KS"])
def test_a_set_has_one_value(text: str) -> None:
    """0-12: every natural card has the rank of the set."""
    assert fault(text) is BAD_MELD


@pytest.mark.row("0-13", "T1")
def test_two_sets_of_one_contract_differ_in_rank() -> None:
    """0-13, T1: padded with a wild, two sets of kings are still one."""
    down = "K: KS KH KD | K: KC KS 2D"
    hand = "KS KH KD KC KS 2D 4H"
    state = position(hand, "3C")
    assert refusal(state, 0, play(down, discard="4H")) is ErrorCode.SAME_RANK
    flipped = position(hand, "3C", set__same_rank="allow")
    assert refusal(flipped, 0, play(down, off="", discard="4H")) is None


@pytest.mark.row("0-13", "T2")
def test_six_kings_are_one_set() -> None:
    """0-13, T2: neither as one meld nor as two."""
    hand = "KS KH KD KC KS KH 4H"
    as_two = play("K: KS KH KD | K: KC KS KH", discard="4H")
    as_one = play("K: KS KH KD KC KS KH", discard="4H")
    state = position(hand, "3C")
    assert refusal(state, 0, as_two) is ErrorCode.SAME_RANK
    assert refusal(state, 0, as_one) is ErrorCode.WRONG_CONTRACT
    flipped = position(hand, "3C", set__same_rank="allow")
    assert refusal(flipped, 0, as_two) is None
    assert refusal(flipped, 0, as_one) is ErrorCode.WRONG_CONTRACT


@pytest.mark.row("0-13")
def test_sets_of_two_seats_may_have_one_rank() -> None:
    """0-13: the rule binds the sets of one contract only."""
    table = ((1, "K: KS KH KD"), (1, "Q: QS QH QD"))
    state = position("KS KC KD 9C 9D 9H 4S", "3C", table=table)
    assert refusal(state, 0, play("K: KC KD KS | 9: 9C 9D 9H", discard="4S")) is None


@pytest.mark.row("0-14")
def test_a_contract_meld_may_be_bigger() -> None:
    """0-14: at least the size that is asked for, never smaller."""
    down = "K: KS KH KD KC | 5: 5S 5H 5D"
    assert contract_fault("2xS3", down) is None
    assert contract_fault("2xS3", down, rules(meld__oversize="exact")) is ErrorCode.WRONG_CONTRACT
    assert contract_fault("2xS4", down) is ErrorCode.WRONG_CONTRACT


@pytest.mark.row("0-14")
def test_the_wild_limit_counts_the_whole_meld() -> None:
    """0-14: two wilds are one too many in three cards and fine in four."""
    assert contract_fault("2xS3", "K: KS 2H 2D | 5: 5S 5H 5D") is WILD_LIMIT
    assert contract_fault("2xS3", "K: KS KD 2H 2D | 5: 5S 5H 5D") is None


@pytest.mark.row("0-15", "T4")
@pytest.mark.parametrize(
    "text", ["2: 2S 2H 2D", "2: 2S 2H JK", "2: 2S JK JK", "2: JK JK JK", "9: JK JK JK"]
)
def test_wilds_alone_are_no_meld(text: str) -> None:
    """0-15, T4: there is no set of twos and none of jokers."""
    assert fault(text) in (BAD_MELD, WILD_LIMIT)
    assert not readings(meld(text).cards, MeldKind.SET, HOLLYWOOD)


@pytest.mark.row("0-15", "T4")
def test_twos_are_natural_where_the_rules_say_so() -> None:
    """0-15, T4 flip: `wild.natural_twos = in_place`."""
    flipped = rules(wild__natural_twos="in_place", wild__limit="fewer")
    assert fault("2: 2S 2H 2D", flipped) is None
    assert fault("2: 2S 2H JK", flipped) is None
    assert fault("2: 2S JK JK", flipped) is WILD_LIMIT
    assert fault("2: JK JK JK", flipped) is WILD_LIMIT


@pytest.mark.row("0-15")
@pytest.mark.parametrize("wild", ["2C", "2D", "2H", "2S", "JK"])
def test_a_wild_stands_for_any_card(wild: str) -> None:
    """0-15: in a set and at each place of a run, whatever its suit."""
    assert fault(f"9: 9S 9H {wild}") is None
    for i in range(4):
        cards = ["5S", "6S", "7S", "8S"]
        cards[i] = wild
        assert fault("5S: " + " ".join(cards)) is None


@pytest.mark.row("0-15")
def test_which_cards_are_wild_is_an_option() -> None:
    """0-15 flip: aces wild, as at some tables."""
    aces = rules(wild__ranks=("A",))
    assert fault("9: 9S 9H AD", aces) is None
    assert fault("9: 9S 9H JK", aces) is BAD_MELD
    assert fault("A: AS AH AD", aces) is BAD_MELD


@pytest.mark.row("0-16", "T3")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9: 9S 9H 2D", None),
        ("9: 9S 2H 2D", WILD_LIMIT),
        ("9: 9S 9H 2D JK", None),
        ("9: 9S 9H 2D JK 2C", WILD_LIMIT),
        ("5S: 5S 6S JK 2C", None),
        ("5S: 5S JK 7S 2C JK", WILD_LIMIT),
    ],
)
def test_at_most_half_of_a_meld_is_wild(text: str, expected: ErrorCode | None) -> None:
    """0-16, T3: one in three, two in four, two in five."""
    assert fault(text) is expected


@pytest.mark.row("0-16", "T3")
@pytest.mark.parametrize(
    ("limit", "most"),
    [
        ("half", [1, 1, 2, 2, 3]),
        ("fewer", [0, 1, 1, 2, 2]),
        ("none", [2, 3, 4, 5, 6]),
        (1, [1] * 5),
    ],
)
def test_the_wild_limit_is_an_option(limit: str | int, most: list[int]) -> None:
    """0-16, T3 flip: melds of two to six cards under each limit."""
    flipped = rules(wild__limit=limit)
    assert [flipped.max_wilds(size) for size in range(2, 7)] == most
    for size, wilds in enumerate(most, 2):
        cards = ["9S"] * (size - wilds) + ["JK"] * wilds
        assert fault("9: " + " ".join(cards), flipped) is None
        if wilds < size:
            cards[0] = "JK"
            assert fault("9: " + " ".join(cards), flipped) is WILD_LIMIT


@pytest.mark.row("0-17", "T14")
def test_the_wild_limit_binds_lay_offs_too() -> None:
    """0-17, T14: a third wild needs a third natural first."""
    table = ((1, "9: 9S 9H 2D JK"), (0, "K: KS KH KD"))
    state = position("2C 9D 5H", "3C", table=table)
    at_once = play(off="2C>0 9D>0", discard="5H")
    assert refusal(state, 0, at_once) is ErrorCode.DOES_NOT_FIT
    after, _ = run(state, (0, play(off="9D>0 2C>0", discard="5H")))
    assert after.table[0].meld.cards == ("9H", "9S", "2D", "JK", "9D", "2C")
    flipped = position("2C 9D 5H", "3C", table=table, wild__limit_scope="creation")
    assert refusal(flipped, 0, at_once) is None


@pytest.mark.row("0-18")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5S: 5S 6S 7S 8S", None),
        ("5S: 5S 6S 7H 8S", BAD_MELD),
        ("5S: 5S 6S 8S 9S", BAD_MELD),
        ("5S: 5S 6S 6S 7S", BAD_MELD),
        ("5S: 5S 7S 6S 8S", BAD_MELD),
        ("5H: 5S 6S 7S 8S", BAD_MELD),
        ("JS: JS QS KS AS", None),
    ],
)
def test_a_run_is_one_suit_in_order(text: str, expected: ErrorCode | None) -> None:
    """0-18: a poker straight flush."""
    assert fault(text) is expected


@pytest.mark.row("0-19", "T6")
def test_the_ace_is_high() -> None:
    """0-19, T6: nothing follows it, so a wild beside Q-K-A stands for the jack."""
    assert fault("JC: 2C QC KC AC") is None
    assert fault("AC: AC 3C 4C 5C") is BAD_MELD
    assert fault("AC: AC 2C 3C 4C") is BAD_MELD
    assert [str(m)[:10] for m in readings(parse_hand("QC KC AC 2C"), MeldKind.RUN, HOLLYWOOD)] == [
        "run J-A of"
    ]
    after_the_ace = position("QC KC AC 2C 9C 9D 9H 8S 8D 8C 4H", "3C", deal=1)
    wrong = play("9: 9C 9D 9H | 8: 8S 8D 8C | QC: QC KC AC 2C", discard="4H")
    right = play("9: 9C 9D 9H | 8: 8S 8D 8C | JC: 2C QC KC AC", discard="4H")
    assert refusal(after_the_ace, 0, wrong) is BAD_MELD
    assert refusal(after_the_ace, 0, right) is None


@pytest.mark.row("0-19")
def test_nothing_is_below_the_three() -> None:
    """0-19: ranks three to ace, so a run has at most twelve cards."""
    assert fault("2C: JK 3C 4C 5C") is BAD_MELD
    assert fault("3C: 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC") is None
    assert (HOLLYWOOD.low_place, HOLLYWOOD.high_place) == (3, 14)


@pytest.mark.row("0-19")
def test_low_aces_and_twos_are_an_option() -> None:
    """0-19 flip: `run.ace` and `run.low_rank`."""
    both = rules(run__ace="both", run__low_rank="A", run__max=13, wild__natural_twos="in_place")
    assert fault("AC: AC 2C 3C 4C", both) is None
    assert fault("JC: JC QC KC AC", both) is None
    low = rules(run__ace="low", run__low_rank="A", run__max=13)
    assert fault("JC: JC QC KC AC", low) is BAD_MELD
    assert fault("AC: AC JK 3C 4C", low) is None
    assert rules(run__ace="high", run__low_rank="A").low_place == 2
    deuce = rules(run__low_rank="2")
    assert fault("2C: JK 3C 4C 5C", deuce) is None


@pytest.mark.row("0-20")
@pytest.mark.parametrize("text", ["QC: QC KC AC 3C", "KC: KC AC 2C 3C", "KC: KC AC JK 3C"])
def test_runs_do_not_go_round_the_ace(text: str) -> None:
    """0-20: no wrap, with no cards and no wild."""
    assert fault(text) is BAD_MELD
    flipped = rules(run__ace="both", run__low_rank="A", run__max=13)
    assert fault(text, flipped) is BAD_MELD


@pytest.mark.row("0-21", "T11")
def test_runs_of_one_suit_need_a_gap() -> None:
    """0-21, T11: 3-6 and 7-10 are one run of eight; 3-6 and 8-J are two."""
    rest = "3H: 3H 4H 5H 6H"
    touching = f"3S: 3S 4S 5S 6S | 7S: 7S 8S 9S TS | {rest}"
    apart = f"3S: 3S 4S 5S 6S | 8S: 8S 9S TS JS | {rest}"
    assert contract_fault("3xR4", touching) is ErrorCode.RUNS_TOUCH
    assert contract_fault("3xR4", apart) is None
    assert contract_fault("3xR4", touching, rules(run__same_suit="any")) is None


SPREADS = {
    "twice": "5S: 5S 6S 7S 8S",
    "overlap": "7S: 7S 8S 9S TS",
    "adjacent": "9S: 9S TS JS QS",
    "gap": "TS: TS JS QS KS",
    "gap2": "JS: JS QS KS AS",
    "other": "5H: 5H 6H 7H 8H",
}


@pytest.mark.row("0-21")
@pytest.mark.parametrize(
    ("same_suit", "legal"),
    [
        ("gap", {"gap", "gap2", "other"}),
        ("gap2", {"gap2", "other"}),
        ("no_adjacent", {"twice", "overlap", "gap", "gap2", "other"}),
        ("any", set(SPREADS)),
        ("different", {"other"}),
    ],
)
def test_the_distance_of_runs_is_an_option(same_suit: str, legal: set[str]) -> None:
    """0-21: each value of `run.same_suit`, in either order."""
    flipped = rules(run__same_suit=same_suit)
    for name, text in SPREADS.items():
        for down in (f"5S: 5S 6S 7S 8S | {text}", f"{text} | 5S: 5S 6S 7S 8S"):
            expected = None if name in legal else ErrorCode.RUNS_TOUCH
            assert contract_fault("2xR4", down, flipped) is expected, name
    assert runs_keep_apart(10, 13, 5, 8, flipped) == runs_keep_apart(5, 8, 10, 13, flipped)


@pytest.mark.row("0-22", "T13")
def test_lay_offs_may_close_the_gap() -> None:
    """0-22, T13: the gap binds only when going down."""
    table = ((0, "3S: 3S 4S 5S 6S"), (0, "8S: 8S 9S TS JS"), (0, "3H: 3H 4H 5H 6H"))
    state = position("7S KD", "3C", deal=4, table=table)
    assert refusal(state, 0, play(off="7S>0@7", discard="KD")) is None
    assert refusal(state, 0, play(off="7S>1@7", discard="KD")) is None


@pytest.mark.row("0-22", "T13")
def test_runs_of_other_players_do_not_count() -> None:
    """0-22, T13: 7-10 of spades beside another seat's 3-6."""
    table = ((1, "3S: 3S 4S 5S 6S"), (1, "8H: 8H 9H TH JH"), (1, "3H: 3H 4H 5H 6H"))
    hand = "7S 8S 9S TS 4C 5C 6C 7C TC JC QC KC 3D"
    state = position(hand, "3C", deal=4, table=table)
    down = "7S: 7S 8S 9S TS | 4C: 4C 5C 6C 7C | TC: TC JC QC KC"
    assert refusal(state, 0, play(down, discard="3D")) is None


@pytest.mark.row("0-19", "0-32", "T7")
def test_a_wild_has_one_end_at_a_run_to_the_ace() -> None:
    """T7: J-Q-K-A takes a wild as the ten only; 10-J-Q-K takes it at both ends."""
    assert places_for(meld("JS: JS QS KS AS"), Card("JK"), HOLLYWOOD) == (10,)
    assert places_for(meld("TS: TS JS QS KS"), Card("JK"), HOLLYWOOD) == (9, 14)
    assert places_for(meld("3S: 3S 4S 5S 6S"), Card("JK"), HOLLYWOOD) == (7,)


@pytest.mark.row("0-16", "0-19", "T9")
def test_a_run_with_wilds_at_the_ends_must_be_declared() -> None:
    """T9: five naturals and five wilds span 3-Q, 4-K or 5-A; six wilds are too many."""
    naturals, wilds = parse_hand("5S 6S 7S 8S 9S"), parse_hand("2C 2D JK JK JK")
    found = readings(naturals + wilds, MeldKind.RUN, HOLLYWOOD)
    assert [(run_.low, run_.high) for run_ in found] == [(3, 12), (4, 13), (5, 14)]
    assert not readings((*naturals[:4], *wilds, Card("JK")), MeldKind.RUN, HOLLYWOOD)
    for run_ in found:
        assert check_contract((run_,), parse_contract("R10"), HOLLYWOOD) is None


@pytest.mark.row("T58")
@pytest.mark.parametrize("text", ["QS KS JS TS", "TS JS QS KS", "KS QS JS TS"])
def test_cards_of_a_run_come_in_any_order(text: str) -> None:
    """T58: read in any order, stored in the order of the run."""
    (found,) = readings(tuple(Card(word) for word in text.split()), MeldKind.RUN, HOLLYWOOD)
    assert found == meld("TS: TS JS QS KS")
