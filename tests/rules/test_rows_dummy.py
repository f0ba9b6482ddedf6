"""Rows 3-1 to 3-8 and 3-29 of text 003: cards, seats, progress. The others are scenarios."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from builders import DUMMY, asked, play, position, rules, run, some, waited_for
from hollywood.protocol.errors import ErrorCode, RulesError
from hollywood.protocol.rules import CARDS, GameState, Pass, Phase, next_deal, start, time_out, view
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.contracts import contract_size

SEED = bytes(range(32))
ALL_COUNTS = range(2, 5)
ALL_FINISH: dict[str, object] = {"game__end": "all_finish"}
SETS = "9S 9H 9D KS KH KD"


def end_deal(state: GameState) -> GameState:
    """Let all times run out until the deal is over."""
    while state.phase in (Phase.WINDOW, Phase.PLAY):
        state, _ = time_out(state, waited_for(state))
    return state


@pytest.mark.row("3-1")
@pytest.mark.parametrize("seats", [1, 5])
def test_two_to_four_play(seats: int) -> None:
    """3-1: two to four players."""
    for right in ALL_COUNTS:
        assert start(DUMMY, right, SEED)[0].seats == right
    with pytest.raises(RulesError) as refused:
        start(DUMMY, seats, SEED)
    assert refused.value.code is ErrorCode.BAD_RULE_SET


@pytest.mark.row("3-2")
@pytest.mark.parametrize("seats", ALL_COUNTS)
def test_two_packs_and_four_jokers(seats: int) -> None:
    """3-2: 108 cards whatever the number of players."""
    state, _ = start(DUMMY, seats, SEED)
    held = [card for hand in state.hands for card in hand]
    counted = Counter([*held, *state.stock, *state.discards])
    assert counted == Counter({card: 4 if card == "JK" else 2 for card in CARDS})
    assert counted.total() == 108


@pytest.mark.row("3-2")
def test_jokers_by_the_pack() -> None:
    """3-2 flip: `deck.jokers_total` off, `deck.jokers` counts."""
    assert rules("dummy", deck__jokers_total=None, deck__jokers=3).deck_for(4).count(CARDS[-1]) == 6


@pytest.mark.row("3-3")
@pytest.mark.parametrize("deal", range(12))
def test_each_is_dealt_thirteen(deal: int) -> None:
    """3-3: in every hand, whatever meld set is due."""
    over = replace(
        start(DUMMY, 4, SEED)[0],
        phase=Phase.DEAL_OVER,
        deal=deal,
        contracts=(deal, 0, (deal + 5) % 12, 11 - deal),
    )
    state, _ = next_deal(over)
    assert [len(hand) for hand in state.hands] == [13] * 4


@pytest.mark.row("3-4")
def test_the_twelve_meld_sets() -> None:
    """3-4: in their order; four to eight cards are left after laying one."""
    assert [round_.contract for round_ in DUMMY.rounds] == [
        "2xS3",
        "S3 + R4",
        "2xS4",
        "2xR4",
        "S4 + R4",
        "2xS3 + R4",
        "S3 + R7",
        "3xS3",
        "2xS5",
        "2xR5",
        "S8",
        "R10",
    ]
    left = [13 + 1 - contract_size(contract) for contract in DUMMY.contracts]
    assert left == [8, 7, 6, 6, 6, 4, 4, 5, 4, 4, 6, 4]


@pytest.mark.row("3-5")
def test_who_has_not_made_it_tries_again() -> None:
    """3-5: nobody goes down, so all have the first meld set again."""
    state, events = start(DUMMY, 3, SEED)
    assert some(events, ev.Dealt)[0].contracts == (0, 0, 0)
    state, events = next_deal(end_deal(state))
    assert some(events, ev.Dealt)[0].contracts == (0, 0, 0)


@pytest.mark.row("3-5", "T54")
@pytest.mark.parametrize("out", [0, 1])
def test_one_step_for_each_who_went_down(out: int) -> None:
    """3-5, T54: whoever went out; another player's meld set does not matter."""
    state = position(
        "4C", "5D", "6H AH", book="dummy", contracts=(2, 0, 1), down=[0, 1], turn=out, deal=5
    )
    state, _ = run(state, (out, play(discard="4C" if out == 0 else "5D")))
    assert next_deal(state)[0].contracts == (3, 1, 1)


@pytest.mark.row("3-5")
def test_each_view_knows_its_own_meld_set() -> None:
    """3-5: what a seat must lay is its own round."""
    state = position("4C", "5D", "6H AH", book="dummy", contracts=(2, 0, 11))
    for seat, round_ in enumerate((2, 0, 11)):
        assert view(state, seat).contract == DUMMY.contracts[round_]


@pytest.mark.row("3-6", "T55")
def test_the_hand_in_which_the_twelfth_is_laid_is_played_out() -> None:
    """3-6, T55: laying it does not end the hand; whoever goes out does."""
    run10 = "3S 4S 5S 6S 7S 8S 9S TS JS QS"
    state = position(f"{run10} KD 4C", "5D 6C", book="dummy", contracts=(11, 4), down=[1])
    state, events = run(state, (0, play(f"3S: {run10}", discard="4C")))
    assert [type(event) for event in events] == [ev.WentDown, ev.Discarded, ev.Drew]
    assert state.phase is Phase.PLAY
    state, _ = run(state, (1, play(discard="5D")))
    assert state.phase is not Phase.GAME_OVER
    state = end_deal(state)
    assert (state.phase, state.winners) == (Phase.GAME_OVER, (0,))


@pytest.mark.row("3-7")
@pytest.mark.parametrize("seats", ALL_COUNTS)
def test_the_player_on_the_left_begins(seats: int) -> None:
    """3-7: clockwise; the deal moves to the left."""
    assert (DUMMY.turn.direction, DUMMY.turn.first) == ("cw", "left")
    state, events = start(DUMMY, seats, SEED)
    dealt = some(events, ev.Dealt)[0]
    assert dealt.first == (dealt.dealer + 1) % seats == state.turn
    state, events = next_deal(end_deal(state))
    assert some(events, ev.Dealt)[0].dealer == dealt.first


@pytest.mark.row("3-7")
def test_going_out_does_not_bring_the_deal() -> None:
    """3-7: seat 2 goes out, seat 0 had dealt, so seat 1 deals."""
    state = position("4C", "5D", "6H", book="dummy", turn=2, down=[2])
    state, _ = run(replace(state, dealer=0), (2, play(discard="6H")))
    assert next_deal(state)[0].dealer == 1


@pytest.mark.row("3-7")
def test_turns_go_round() -> None:
    """3-7: seat by seat."""
    state = position("4C 5C", "5D 6D", "6H 7H", book="dummy", upcard="9S", phase=Phase.WINDOW)
    turns = []
    for _ in range(4):
        turns.append(state.turn)
        state, _ = run(state, (state.turn, Pass()))
        state, _ = time_out(state, state.turn)
    assert turns == [0, 1, 2, 0]


@pytest.mark.row("3-8")
def test_a_card_is_turned_up() -> None:
    """3-8: the first player may take it, and nobody else."""
    state, events = start(DUMMY, 4, SEED)
    assert some(events, ev.Dealt)[0].upcard == state.upcard
    assert state.upcard is not None
    assert asked(state) == (state.turn,)
    off, events = start(rules("dummy", upcard__initial=False), 4, SEED)
    assert off.upcard is None
    assert some(events, ev.Drew)[0].seat == off.turn


def finished(**options: object) -> GameState:
    """Seat 0 has made the last meld set in an earlier deal; seat 1 goes out with it now."""
    state = position(
        "",
        "5D",
        "6H AH",
        book="dummy",
        contracts=(12, 11, 10),
        down=[1],
        turn=1,
        deal=14,
        scores=((10, 60, 5),),
        **options,  # type: ignore[arg-type]
    )
    return run(state, (1, play(discard="5D")))[0]


@pytest.mark.row("3-29")
def test_finished_players_are_dealt_out() -> None:
    """3-29: under `game.end = all_finish` they get no cards and score 0."""
    state = finished(**ALL_FINISH)
    assert state.phase is Phase.DEAL_OVER
    assert state.scores[-1] == (0, 0, 20)
    state, events = next_deal(state)
    assert some(events, ev.Dealt)[0].contracts == (12, 12, 10)
    assert [len(hand) for hand in state.hands] == [0, 0, 13]
    assert state.turn == 2
    assert asked(state) == (2,)


@pytest.mark.row("3-29")
def test_the_turn_passes_finished_players_by() -> None:
    """3-29: nothing is asked of them, and the one who is left plays on alone."""
    state, _ = next_deal(finished(**ALL_FINISH))
    for _ in range(3):
        state, _ = time_out(state, 2)
        assert (state.turn, state.phase) == (2, Phase.PLAY)
        state, _ = time_out(state, 2)
        assert state.turn == 2
    assert state.hands[:2] == ((), ())


@pytest.mark.row("3-29")
def test_the_game_is_over_when_all_have_finished() -> None:
    """3-29: and the fewest points of all win."""
    state, _ = next_deal(finished(**ALL_FINISH))
    state = replace(state, contracts=(12, 12, 11), went_down=(None, None, 1))
    state = end_deal(state)
    assert state.phase is Phase.GAME_OVER
    assert state.winners == (0,)


@pytest.mark.row("3-29", "3-6")
def test_with_the_first_finisher_nobody_is_dealt_out() -> None:
    """3-29: the game is over before that could be."""
    state = position("4C", "5D", book="dummy", contracts=(11, 3), down=[0])
    state, _ = run(state, (0, play(discard="4C")))
    assert state.phase is Phase.GAME_OVER


@pytest.mark.row("3-27")
def test_what_each_card_costs() -> None:
    """3-27: 3 to 9 cost 5, 10 to king 10, aces 15, twos and jokers 20."""
    other = {"A": 15, "2": 20, "JK": 20} | dict.fromkeys("TJQK", 10)
    for card in CARDS:
        assert DUMMY.points[card] == other.get("JK" if card == "JK" else card[0], 5), card
