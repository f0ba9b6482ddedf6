"""Rows 0-4 and 0-51 to 0-55: counting, winning, the empty stock."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from builders import HOLLYWOOD, all_pass, asked, play, position, rules, run, some
from hollywood.protocol.rules import (
    CARDS,
    Claim,
    GameState,
    Pass,
    Phase,
    parse_hand,
    redact,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.dealing import shuffle
from hollywood.protocol.rules.scoring import deal_points

TABLE = ((1, "9: 9S 9H 9D"), (1, "K: KS KH KD"))


@pytest.mark.row("0-4")
def test_the_fewest_points_win() -> None:
    """0-4: over all ten deals, not over the last one."""
    scores = ((50, 20, 30),) * 9
    state = position("3S", "4C AC", "5C", deal=9, down=[0], scores=scores)
    after, events = run(state, (0, play(discard="3S")))
    assert after.scores[-1] == (0, 25, 5)
    (ended,) = some(events, ev.GameEnded)
    assert ended == ev.GameEnded((450, 205, 275), (1,))
    assert (after.phase, after.winners) == (Phase.GAME_OVER, (1,))
    assert after.totals() == (450, 205, 275)


@pytest.mark.row("0-4")
def test_nobody_wins_before_the_last_deal() -> None:
    """0-4: the ninth deal ends with scores and no winner."""
    state = position("3S", "4C", deal=8, down=[0])
    after, events = run(state, (0, play(discard="3S")))
    assert not some(events, ev.GameEnded)
    assert (after.phase, after.winners) == (Phase.DEAL_OVER, ())


@pytest.mark.row("0-51")
def test_every_player_counts_the_hand() -> None:
    """0-51: all hands are shown and counted, down or not."""
    state = position("3S", "4C KC", "5C AD JK", table=TABLE, down=[0])
    after, events = run(state, (0, play(discard="3S")))
    (ended,) = some(events, ev.DealEnded)
    assert ended.hands == ((), ("4C", "KC"), ("5C", "AD", "JK"))
    assert ended.points == after.scores[-1] == (0, 15, 45)
    assert redact(ended, None) == ended


@pytest.mark.row("0-52")
def test_what_cards_cost() -> None:
    """0-52: 3 to 9 cost 5, 10 to king 10, aces and wilds 20."""
    for card in CARDS:
        expected = 5 if card[0] in "3456789" else 10 if card[0] in "TJQK" and card != "JK" else 20
        assert HOLLYWOOD.points[card] == expected, card


@pytest.mark.row("0-52", "T45")
def test_a_hand_of_each_sort() -> None:
    """0-52, T45: 20 + 20 + 20 + 10 + 5 + 5; with the values of text 001 it is 105."""
    hand = parse_hand("2C JK AD KS 9H 3D")
    assert HOLLYWOOD.hand_points(hand) == 80
    seven = rules(score__ranks={"3456789": 5, "TJQK": 10, "A": 15, "2": 20}, score__joker=50)
    assert seven.hand_points(hand) == 105
    dummy = rules(score__ranks={"3456789": 5, "TJQK": 10, "A": 15, "2": 20}, score__joker=20)
    assert dummy.hand_points(hand) == 75


@pytest.mark.row("0-53")
def test_only_an_empty_hand_is_free() -> None:
    """0-53: "gone down" is read as gone out; down seats count their hands."""
    hands = (parse_hand("4C KC"), (), parse_hand("AD"))
    assert deal_points(hands, (True, True, False), HOLLYWOOD) == (15, 0, 20)
    flipped = rules(score__down_is_zero=True)
    assert deal_points(hands, (True, True, False), flipped) == (0, 0, 20)


@pytest.mark.row("0-53")
def test_the_other_reading_zeroes_everybody_down() -> None:
    """0-53 flip: `score.down_is_zero`, in a game."""
    state = position("3S", "4C KC", "5C", table=TABLE, down=[0], score__down_is_zero=True)
    after, _ = run(state, (0, play(discard="3S")))
    assert after.scores[-1] == (0, 0, 5)


def dry(**options: object) -> GameState:
    """Seat 0 is about to draw the card that the stock has not got."""
    keywords = {"stock": "", "upcard": "JD", "phase": Phase.WINDOW, **options}
    return position("4C", "5D KD", **keywords)  # type: ignore[arg-type]


@pytest.mark.row("0-54")
def test_the_discards_below_the_upcard_become_the_stock() -> None:
    """0-54: the top stays, in its place and live."""
    state, events = all_pass(dry(discards="3C 9H 7S", reshuffles=0))
    assert [type(event) for event in events] == [ev.WindowClosed, ev.Reshuffled, ev.Drew]
    assert some(events, ev.Reshuffled)[0].stock == 3
    assert (state.reshuffles, state.discards, state.upcard) == (1, ("JD",), "JD")
    assert {*state.stock, *state.hands[0]} == {"3C", "9H", "7S", "4C"}


@pytest.mark.row("0-54")
def test_the_stock_is_rebuilt_only_when_a_draw_is_due() -> None:
    """0-54: taking the upcard needs no stock."""
    state, events = run(dry(discards="3C 9H 7S"), (0, Claim()))
    assert [type(event) for event in events] == [ev.WindowClosed, ev.Took]
    assert state.reshuffles == 0


@pytest.mark.row("0-54", "T34")
def test_the_second_exhaustion_ends_the_deal() -> None:
    """0-54, T34: everyone counts and nobody went out."""
    state = dry(discards="3C 9H 7S", reshuffles=1)
    after, events = all_pass(state)
    assert [type(event) for event in events] == [ev.WindowClosed, ev.StockRanOut, ev.DealEnded]
    (ended,) = some(events, ev.DealEnded)
    assert (ended.went_out, ended.points) == (None, (5, 15))
    assert after.phase is Phase.DEAL_OVER


@pytest.mark.row("0-54")
def test_the_last_upcard_can_still_be_taken() -> None:
    """0-54: the deal ends with the draw that cannot be made, not before."""
    state = dry(reshuffles=1)
    assert asked(state) == (0,)
    after, _ = run(state, (0, Claim()))
    assert after.phase is Phase.PLAY


@pytest.mark.row("0-54", "T34")
@pytest.mark.parametrize(("most", "ends"), [(0, True), (1, True), (2, False), (None, False)])
def test_how_often_the_stock_is_rebuilt_is_an_option(most: int | None, ends: bool) -> None:
    """0-54, T34 flip: `stock.max_reshuffles`."""
    state = dry(discards="3C 9H", reshuffles=1, stock__max_reshuffles=most)
    _, events = all_pass(state)
    assert bool(some(events, ev.StockRanOut)) is ends


@pytest.mark.row("0-54")
def test_an_empty_stock_may_end_the_deal_at_once() -> None:
    """0-54 flip: `stock.empty = end`."""
    _, events = all_pass(dry(discards="3C 9H 7S", stock__empty="end"))
    assert some(events, ev.StockRanOut) == [ev.StockRanOut(0)]


@pytest.mark.row("0-54", "0-40")
def test_the_stock_can_run_out_under_a_floater() -> None:
    """0-54: no window opens for it, so its draw is due at once."""
    state = position("4C 9C", "", turn=0, down=[1], stock="", reshuffles=1)
    after, events = run(state, (0, play(discard="4C")))
    assert [type(event) for event in events] == [ev.Discarded, ev.StockRanOut, ev.DealEnded]
    assert some(events, ev.StockRanOut) == [ev.StockRanOut(1)]
    assert after.scores[-1] == (5, 0)


@pytest.mark.row("0-54")
def test_a_rebuilt_stock_follows_from_the_seed() -> None:
    """0-54: the same seed, deal and rebuild give the same order, another seed another one."""
    pile = " ".join(HOLLYWOOD.deck_cards[:40])
    once, again = dry(discards=pile), replace(dry(discards=pile), seed=bytes([1]) * 32)
    assert all_pass(once)[0].order == all_pass(once)[0].order
    assert all_pass(once)[0].order != all_pass(again)[0].order


@pytest.mark.row("0-54")
@pytest.mark.parametrize("reshuffles", [0, 1])
def test_each_rebuild_has_its_own_stream(reshuffles: int) -> None:
    """0-54: named by the deal and the number of the rebuild."""
    pile = HOLLYWOOD.deck_cards[:40]
    state = dry(discards=" ".join(pile), deal=6, reshuffles=reshuffles, stock__max_reshuffles=None)
    assert all_pass(state)[0].order == shuffle(pile, bytes(32), f"deal/6/reshuffle/{reshuffles}")


@pytest.mark.row("0-49", "0-54")
def test_a_rebuilt_stock_goes_under_what_is_left() -> None:
    """0-49: with two penalty cards due and one there, that one comes first."""
    pile = HOLLYWOOD.deck_cards[:9]
    state = dry(stock="AH", discards=" ".join(pile), discarder=None, buy__penalty=2)
    after, events = run(state, (0, Pass()), (1, Claim()))
    rebuilt = shuffle(pile, bytes(32), "deal/0/reshuffle/0")
    assert some(events, ev.Reshuffled) == [ev.Reshuffled(10)]
    assert some(events, ev.Bought)[0].penalty == ("AH", rebuilt[0])
    assert some(events, ev.Drew)[0].card == rebuilt[1]
    assert after.stock == rebuilt[2:]


@pytest.mark.row("0-55")
def test_equal_points_share_the_win() -> None:
    """0-55: nobody knows how to break ties, so they stay."""
    state = position("3S", "4C", "5C", deal=9, down=[0], scores=((10, 5, 5),) * 9)
    after, events = run(state, (0, play(discard="3S")))
    assert some(events, ev.GameEnded) == [ev.GameEnded((90, 50, 50), (1, 2))]
    assert after.winners == (1, 2)
