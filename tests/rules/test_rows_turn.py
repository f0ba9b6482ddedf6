"""Rows 0-23 to 0-35: the draw, going down, laying off, the end of a turn."""

from __future__ import annotations

import msgspec
import pytest

from builders import (
    HOLLYWOOD,
    all_pass,
    asked,
    meld,
    play,
    position,
    refusal,
    rules,
    run,
    some,
)
from hollywood.protocol.errors import ErrorCode
from hollywood.protocol.rules import Card, Claim, LayOff, Pass, Phase, Play, Swap
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.melds import places_for
from hollywood.protocol.rules.offers import PlayOptions, options
from hollywood.protocol.rules.views import view

NINES_AND_KINGS = ((1, "9: 9S 9H 9D"), (1, "K: KS KH KD"))
ELEVEN = "3C 5D 7H 8S JC QD 4H 6S 8C TD QH"


@pytest.mark.row("0-23")
def test_nobody_plays_before_the_draw() -> None:
    """0-23: in the window the seat in turn has not drawn yet."""
    state = position(ELEVEN, ELEVEN, upcard="9D", phase=Phase.WINDOW)
    assert refusal(state, 0, play(discard="3C")) is ErrorCode.WRONG_PHASE
    state, events = all_pass(state)
    assert [event.card for event in some(events, ev.Drew)] == ["3C"]
    assert len(state.hands[0]) == 12
    assert refusal(state, 0, play(discard="3C")) is None


@pytest.mark.row("0-23")
def test_one_draw_only() -> None:
    """0-23: whoever took the upcard draws no second card."""
    state = position(ELEVEN, ELEVEN, upcard="9D", phase=Phase.WINDOW)
    state, events = run(state, (0, Claim()))
    assert not some(events, ev.Drew)
    assert len(state.hands[0]) == 12
    assert refusal(state, 0, Claim()) is ErrorCode.WRONG_PHASE
    assert refusal(state, 0, Pass()) is ErrorCode.WRONG_PHASE


@pytest.mark.row("0-23")
def test_only_the_seat_in_turn_plays() -> None:
    """0-23: another seat's Play is refused."""
    state = position(ELEVEN, ELEVEN, ELEVEN)
    assert refusal(state, 1, play(discard="3C")) is ErrorCode.NOT_YOUR_TURN
    assert refusal(state, 2, play(discard="3C")) is ErrorCode.NOT_YOUR_TURN


@pytest.mark.row("0-24")
def test_a_seat_that_is_down_may_take_the_upcard() -> None:
    """0-24: nothing limits its draw."""
    state = position("4C", ELEVEN, upcard="8D", phase=Phase.WINDOW, down=[0])
    assert asked(state)[0] == 0
    state, events = run(state, (0, Claim()))
    assert some(events, ev.Took) == [ev.Took(0, Card("8D"))]


@pytest.mark.row("0-24")
def test_a_seat_that_is_down_may_have_to_draw_from_the_stock() -> None:
    """0-24 flip: `draw.down_may_take_discard` off."""
    state = position(
        "4C",
        ELEVEN,
        upcard="8D",
        phase=Phase.WINDOW,
        down=[0],
        discarder=None,
        draw__down_may_take_discard=False,
    )
    assert asked(state) == (1,)
    assert refusal(state, 0, Claim()) is ErrorCode.NOT_ELIGIBLE


@pytest.mark.row("0-25", "0-48")
def test_the_card_below_a_bought_one_is_dead() -> None:
    """0-25, 0-48: after a buy the seat in turn draws from the stock."""
    state = position(ELEVEN, ELEVEN, ELEVEN, upcard="8D", discards="4D 5D", phase=Phase.WINDOW)
    state, events = run(state, (0, Pass()), (1, Claim()))
    assert [type(event) for event in events] == [ev.WindowClosed, ev.Bought, ev.Drew]
    assert state.discards == ("4D", "5D")
    assert state.upcard is None
    assert state.phase is Phase.PLAY


@pytest.mark.row("0-25")
def test_only_the_top_card_can_be_taken() -> None:
    """0-25: a window is about the upcard, and a discard covers what lay there."""
    state = position("4C 5C", ELEVEN, upcard="8D", phase=Phase.WINDOW)
    state, _ = all_pass(state)
    state, events = run(state, (0, play(discard="4C")))
    assert [event.upcard for event in some(events, ev.WindowOpened)] == ["4C"]
    assert state.discards == ("8D", "4C")


@pytest.mark.row("0-26", "T18")
def test_the_upcard_just_taken_stays_in_hand() -> None:
    """0-26, T18: it cannot be discarded in the same turn."""
    state = position("7C 8D 9H", "3C", took="7C")
    assert refusal(state, 0, play(discard="7C")) is ErrorCode.RETURNS_UPCARD
    assert refusal(state, 0, play(discard="8D")) is None
    flipped = position("7C 8D 9H", "3C", took="7C", discard__return_upcard="allow")
    assert refusal(flipped, 0, play(discard="7C")) is None


@pytest.mark.row("0-26", "T18")
def test_a_card_from_the_stock_may_be_discarded_at_once() -> None:
    """0-26: the rule is about the upcard only."""
    state = position("8D 9H", "3C", upcard="KD", phase=Phase.WINDOW, stock="7C 3C")
    state, _ = all_pass(state)
    assert refusal(state, 0, play(discard="7C")) is None


@pytest.mark.row("0-26")
def test_another_copy_of_the_upcard_may_be_discarded() -> None:
    """0-26: two sevens of clubs are the same thing."""
    state = position("7C 7C 9H", "3C", took="7C")
    assert refusal(state, 0, play(discard="7C")) is None


@pytest.mark.row("0-26")
def test_the_upcard_may_go_where_nothing_else_can() -> None:
    """0-26: it yields where no other card may be discarded."""
    table = ((1, "9: 9S 9H 9D"), (1, "K: KS KH KD"))
    state = position("7C KC", "3C", table=table, took="7C")
    assert refusal(state, 0, play(discard="7C")) is None
    assert refusal(state, 0, play(discard="KC")) is ErrorCode.CARD_PLAYS
    down = position("7C KC", "3C", table=table, took="7C", down=[0])
    after, events = run(down, (0, play(off="KC>1", discard="7C")))
    assert some(events, ev.WentOut) == [ev.WentOut(0)]
    assert after.phase is Phase.DEAL_OVER


@pytest.mark.row("0-27")
def test_nobody_has_to_go_down() -> None:
    """0-27: a hand that has the contract may wait."""
    state = position("9S 9H 9D KS KH KD 4C", "3C")
    assert refusal(state, 0, play(discard="4C")) is None
    assert refusal(state, 0, play("9: 9S 9H 9D | K: KS KH KD", discard="4C")) is None


@pytest.mark.row("0-27")
def test_the_whole_contract_goes_down_at_once() -> None:
    """0-27: no part of it, and not with cards that are not in hand."""
    state = position("9S 9H 9D KS KH KD 4C", "3C")
    part = play("9: 9S 9H 9D", discard="4C")
    assert refusal(state, 0, part) is ErrorCode.WRONG_CONTRACT
    borrowed = play("9: 9S 9H 9D | K: KS KH KC", discard="4C")
    assert refusal(state, 0, borrowed) is ErrorCode.NOT_IN_HAND
    twice = play("9: 9S 9H 9D | K: KS KH KD", discard="KD")
    assert refusal(state, 0, twice) is ErrorCode.NOT_IN_HAND


@pytest.mark.row("0-27")
def test_going_down_shows_the_melds() -> None:
    """0-27: the melds lie on the table, numbered in the order they were laid."""
    state = position(
        "9S 9H 9D KS KH KD 4C 5C", "3C", table=((1, "4: 4S 4H 4D"), (1, "3: 3S 3H 3D"))
    )
    down = play("K: KS KH KD | 9: 9S 9H 9D", off="4C>0", discard="5C")
    state, events = run(state, (0, down))
    (went,) = some(events, ev.WentDown)
    assert [(laid.number, laid.seat, laid.meld.rank) for laid in went.melds] == [
        (2, 0, "K"),
        (3, 0, "9"),
    ]
    assert state.went_down[0] == 9
    assert [target.number for target in state.table] == [0, 1, 2, 3]


@pytest.mark.row("0-28")
def test_lay_offs_may_follow_in_the_same_turn() -> None:
    """0-28: also onto melds laid in the same Play."""
    hand = "9S 9H 9D KS KH KD 9C 4C"
    down = play("9: 9S 9H 9D | K: KS KH KD", off="9C>0", discard="4C")
    assert refusal(position(hand, "3C"), 0, down) is None
    later = position(hand, "3C", layoff__first="next_turn")
    assert refusal(later, 0, down) is ErrorCode.TOO_SOON
    without = play("9: 9S 9H 9D | K: KS KH KD", discard="4C")
    assert refusal(later, 0, without) is None


@pytest.mark.row("0-28")
def test_with_lay_offs_from_the_next_turn_on_they_come_then() -> None:
    """0-28 flip: `layoff.first = next_turn` binds the turn of going down only."""
    state = position(
        "9S 9H 9D KS KH KD 9C 4C", "3C 5C", stock="7D 8D 5D", layoff__first="next_turn"
    )
    state, _ = run(state, (0, play("9: 9S 9H 9D | K: KS KH KD", discard="4C")))
    state, _ = all_pass(state)
    state, _ = run(state, (1, play(discard="5C")))
    state, _ = all_pass(state)
    state, _ = run(state, (0, play(off="9C>0", discard="8D")))
    assert state.table[0].meld.cards[-1] == "9C"


@pytest.mark.row("0-29")
def test_lay_offs_go_on_any_meld() -> None:
    """0-29: on one's own and on any other's."""
    table = ((0, "9: 9S 9H 9D"), (1, "K: KS KH KD"), (2, "Q: QS QH QD"))
    state = position("9C KC QC 4H", "3C", "3D", table=table)
    assert refusal(state, 0, play(off="9C>0 KC>1 QC>2", discard="4H")) is None


@pytest.mark.row("0-29")
@pytest.mark.parametrize(
    ("targets", "fits"), [("own", [0]), ("others", [1, 2]), ("all", [0, 1, 2])]
)
def test_whose_melds_is_an_option(targets: str, fits: list[int]) -> None:
    """0-29 flip: `layoff.targets`."""
    table = ((0, "9: 9S 9H 9D"), (1, "K: KS KH KD"), (2, "Q: QS QH QD"))
    state = position(
        "9C KC QC 4H", "3C", "3D", table=table, layoff__targets=targets, layoff__mandatory=False
    )
    for number, card in enumerate(("9C", "KC", "QC")):
        expected = None if number in fits else ErrorCode.DOES_NOT_FIT
        assert refusal(state, 0, play(off=f"{card}>{number}", discard="4H")) is expected


@pytest.mark.row("0-29")
def test_sets_have_no_largest_size() -> None:
    """0-29: a set grows as long as there are cards of its rank."""
    big = "9: " + " ".join(["9S", "9H", "9D", "9C"] * 3)
    assert places_for(meld(big), Card("9S"), HOLLYWOOD) == (0,)
    assert places_for(meld(big), Card("8S"), HOLLYWOOD) == ()


@pytest.mark.row("0-29")
@pytest.mark.parametrize(
    ("text", "card", "places"),
    [
        ("5D: 5D 6D 7D 8D", "9D", (9,)),
        ("5D: 5D 6D 7D 8D", "4D", (4,)),
        ("5D: 5D 6D 7D 8D", "6D", ()),
        ("5D: 5D 6D 7D 8D", "9H", ()),
        ("5D: 5D 6D 7D 8D", "TD", ()),
        ("5D: 5D 6D 7D 8D", "JK", (4, 9)),
        ("3D: 3D 4D 5D 6D", "2D", (7,)),
        ("JD: JD QD KD AD", "3D", ()),
        ("3D: 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD", "JK", ()),
    ],
)
def test_runs_grow_at_both_ends(text: str, card: str, places: tuple[int, ...]) -> None:
    """0-29: within three to ace, T59's order of cards included."""
    assert places_for(meld(text), Card(card), HOLLYWOOD) == places


@pytest.mark.row("0-19", "0-29")
def test_the_longest_run_is_an_option() -> None:
    """0-19 flip: `run.max` binds lay-offs, too."""
    five = rules(run__max=5, rounds=HOLLYWOOD.rounds[:2], buy__limit_round=3)
    assert places_for(meld("5D: 5D 6D 7D 8D"), Card("9D"), five) == (9,)
    assert places_for(meld("5D: 5D 6D 7D 8D 9D"), Card("TD"), five) == ()


@pytest.mark.row("0-29")
def test_each_lay_off_is_judged_on_the_table_before_it() -> None:
    """0-29: 4 then 3 go on 5-8, 3 then 4 do not."""
    table = ((0, "5H: 5H 6H 7H 8H"), (1, "K: KS KH KD"))
    state = position("4H 3H 9C", "3C", table=table)
    assert refusal(state, 0, play(off="3H>0@3 4H>0@4", discard="9C")) is ErrorCode.DOES_NOT_FIT
    assert refusal(state, 0, play(off="4H>0@4 3H>0@3", discard="9C")) is None


@pytest.mark.row("0-29")
def test_a_lay_off_names_a_meld_that_is_there() -> None:
    """0-29: numbers of melds on the table only."""
    state = position("9C 4H", "3C", table=NINES_AND_KINGS, down=[0])
    for number in (2, -1, 99):
        action = Play(lay_offs=(LayOff(number, Card("9C")),), discard=Card("4H"))
        assert refusal(state, 0, action) is ErrorCode.NO_SUCH_MELD


@pytest.mark.row("0-30", "T61")
def test_nobody_lays_off_before_going_down() -> None:
    """0-30, T61: a seat that is not down keeps its cards."""
    state = position("9C 4H", "3C", table=NINES_AND_KINGS)
    assert refusal(state, 0, play(off="9C>0", discard="4H")) is ErrorCode.NOT_DOWN
    offered = options(view(state, 0))
    assert isinstance(offered, PlayOptions)
    assert offered.lay_offs == ()
    assert not offered.must_lay_off


@pytest.mark.row("0-31", "T15")
def test_every_card_that_plays_must_be_laid_off() -> None:
    """0-31, T15: 9 of diamonds, then the two, then the discard goes out with 0 points."""
    table = ((1, "9: 9S 9H 2D JK"), (0, "K: KS KH KD"))
    state = position("9D 2C 5H", "3C", table=table)
    assert refusal(state, 0, play(discard="5H")) is ErrorCode.MUST_LAY_OFF
    assert refusal(state, 0, play(discard="2C")) is ErrorCode.MUST_LAY_OFF
    assert refusal(state, 0, play(off="9D>0", discard="5H")) is ErrorCode.MUST_LAY_OFF
    after, events = run(state, (0, play(off="9D>0 2C>0", discard="5H")))
    assert some(events, ev.WentOut) == [ev.WentOut(0)]
    assert after.scores == ((0, 5),)


@pytest.mark.row("0-31", "T15")
def test_lay_offs_may_be_a_choice() -> None:
    """0-31, T15 flip: `layoff.mandatory` off."""
    table = ((1, "9: 9S 9H 2D JK"), (0, "Q: QS QH QD"))
    state = position("9D 2C 5H", "3C", table=table, layoff__mandatory=False)
    assert refusal(state, 0, play(discard="5H")) is None
    assert refusal(state, 0, play(discard="9D")) is None


@pytest.mark.row("0-31")
def test_a_seat_that_is_not_down_lays_nothing_off() -> None:
    """0-31: the duty begins with going down, in that turn."""
    hand = "4S 4H 4D QS QH QD 9C 5H"
    state = position(hand, "3C", table=NINES_AND_KINGS)
    down = "4: 4S 4H 4D | Q: QS QH QD"
    assert refusal(state, 0, play(discard="5H")) is None
    assert refusal(state, 0, play(down, discard="5H")) is ErrorCode.MUST_LAY_OFF
    assert refusal(state, 0, play(down, off="9C>0", discard="5H")) is None


@pytest.mark.row("0-31")
def test_the_player_chooses_the_order() -> None:
    """0-31: of two melds that take a card, either will do."""
    table = ((0, "3S: 3S 4S 5S 6S"), (1, "7: 7H 7D 7C"))
    state = position("7S 5H", "3C", table=table)
    for off in ("7S>0@7", "7S>1"):
        assert refusal(state, 0, play(off=off, discard="5H")) is None


@pytest.mark.row("0-32", "T7")
def test_the_player_says_which_end_a_wild_takes() -> None:
    """0-32, T7: both ends where both are free, one where only one is; fixed afterwards."""
    table = ((0, "TS: TS JS QS KS"), (1, "8: 8H 8D 8C JK"))
    state = position("2C 5H", "3C", table=table)
    for place in (9, 14):
        after, _ = run(state, (0, play(off=f"2C>0@{place}", discard="5H")))
        grown = after.table[0].meld
        assert place in (grown.low, grown.high)
    assert refusal(state, 0, play(off="2C>0", discard="5H")) is ErrorCode.DOES_NOT_FIT
    assert refusal(state, 0, play(off="2C>0@13", discard="5H")) is ErrorCode.DOES_NOT_FIT
    to_the_ace = position("2C 5H", "3C", table=((0, "JS: JS QS KS AS"), (1, "8: 8H 8D 8C JK")))
    assert refusal(to_the_ace, 0, play(off="2C>0@15", discard="5H")) is ErrorCode.DOES_NOT_FIT
    assert refusal(to_the_ace, 0, play(off="2C>0@10", discard="5H")) is None


@pytest.mark.row("0-32")
def test_a_wild_stays_what_it_stands_for() -> None:
    """0-32: the natural of its place does not fit any more."""
    table = ((0, "5S: 5S 6S 7S JK"), (1, "K: KH KD KC"))
    state = position("8S 9S 4H", "3C", table=table)
    assert refusal(state, 0, play(off="8S>0@8", discard="4H")) is ErrorCode.DOES_NOT_FIT
    assert refusal(state, 0, play(off="9S>0@9", discard="4H")) is None


@pytest.mark.row("0-33")
def test_wilds_on_the_table_stay_there() -> None:
    """0-33: nobody takes one back; flipped, a seat down since an earlier turn may."""
    table = ((0, "5S: 5S 6S JK"), (1, "K: KH KD KC"))
    swap = Play(swaps=(Swap(0, Card("7S"), 7),), lay_offs=(LayOff(1, Card("JK")),))
    ended = msgspec.structs.replace(swap, discard=Card("4H"))
    state = position("7S 4H", "3C", table=table)
    assert refusal(state, 0, ended) is ErrorCode.DOES_NOT_FIT
    flipped = position("7S 4H", "3C", table=table, wild__take_back="run_down")
    assert refusal(flipped, 0, ended) is None


@pytest.mark.row("0-34")
def test_no_more_melds_after_going_down() -> None:
    """0-34: a seat that is down only lays off."""
    state = position("4S 4H 4D QS QH QD 5H", "3C", table=((0, "9: 9S 9H 9D"),))
    again = play("4: 4S 4H 4D | Q: QS QH QD", discard="5H")
    assert refusal(state, 0, again) is ErrorCode.ALREADY_DOWN
    assert refusal(state, 0, play("4: 4S 4H 4D", discard="5H")) is ErrorCode.ALREADY_DOWN


@pytest.mark.row("0-34")
def test_no_melds_beyond_the_contract() -> None:
    """0-34: three sets where two are asked for."""
    state = position("9S 9H 9D KS KH KD 4S 4H 4D 5C", "3C")
    three = play("9: 9S 9H 9D | K: KS KH KD | 4: 4S 4H 4D", discard="5C")
    assert refusal(state, 0, three) is ErrorCode.WRONG_CONTRACT


@pytest.mark.row("0-35")
def test_a_turn_ends_with_a_discard() -> None:
    """0-35: as long as there is a card; then the next turn begins."""
    state = position("4C 5H", "3C")
    assert refusal(state, 0, Play()) is ErrorCode.MUST_DISCARD
    after, events = run(state, (0, play(discard="4C")))
    assert events[0] == ev.Discarded(0, Card("4C"))
    assert (after.turn, after.turns, after.phase) == (1, 10, Phase.WINDOW)


@pytest.mark.row("T57")
def test_one_of_two_equal_cards_leaves_the_hand() -> None:
    """T57: a hand is a multiset."""
    state = position("7H 7H 9C", "3C")
    after, _ = run(state, (0, play(discard="7H")))
    assert after.hands[0] == ("7H", "9C")
    assert after.discards == ("7H",)
