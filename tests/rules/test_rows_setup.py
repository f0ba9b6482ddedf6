"""Rows 0-1 to 0-11: cards, seats, deals, who deals and who goes first."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from builders import HOLLYWOOD, all_pass, asked, play, position, rules, run, some, waited_for
from hollywood.protocol.errors import ErrorCode, RulesError
from hollywood.protocol.rules import (
    CARDS,
    Claim,
    GameState,
    Phase,
    next_deal,
    start,
    time_out,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.contracts import contract_size
from hollywood.protocol.rules.dealing import first_dealer
from hollywood.protocol.rules.ruleoptions import Round

SEED = bytes(range(32))
ALL_COUNTS = range(2, 9)


def cards_of(state: GameState) -> Counter[str]:
    """Count all cards, wherever they are."""
    laid = [card for target in state.table for card in target.meld.cards]
    held = [card for hand in state.hands for card in hand]
    return Counter([*held, *laid, *state.stock, *state.discards])


def end_deal(state: GameState) -> GameState:
    """Let all times run out until the deal is over."""
    while state.phase in (Phase.WINDOW, Phase.PLAY):
        state, _ = time_out(state, waited_for(state))
    return state


@pytest.mark.row("0-1")
@pytest.mark.parametrize("seats", ALL_COUNTS)
def test_four_packs_with_two_jokers_each_at_every_table(seats: int) -> None:
    """0-1: 216 cards whatever the number of players."""
    state, _ = start(HOLLYWOOD, seats, SEED)
    counted = cards_of(state)
    assert counted == Counter({card: 8 if card == "JK" else 4 for card in CARDS})
    assert counted.total() == 216


@pytest.mark.row("0-2")
@pytest.mark.parametrize("seats", [0, 1, 9])
def test_fewer_than_two_or_more_than_eight_cannot_play(seats: int) -> None:
    """0-2: two to eight players."""
    with pytest.raises(RulesError) as refused:
        start(HOLLYWOOD, seats, SEED)
    assert refused.value.code is ErrorCode.BAD_RULE_SET


@pytest.mark.row("0-2")
@pytest.mark.parametrize("seats", ALL_COUNTS)
def test_two_to_eight_can_play(seats: int) -> None:
    """0-2: two to eight players; the option widens it."""
    state, events = start(HOLLYWOOD, seats, SEED)
    assert len(state.hands) == seats
    assert some(events, ev.GameStarted)[0].seats == seats


@pytest.mark.row("0-2")
def test_the_number_of_players_is_an_option() -> None:
    """0-2 flip: a table for three only."""
    three = rules(players__min=3, players__max=3)
    with pytest.raises(RulesError):
        start(three, 2, SEED)
    assert start(three, 3, SEED)[0].seats == 3


@pytest.mark.row("0-3")
def test_there_are_ten_deals() -> None:
    """0-3: the game is over after the tenth deal, not before."""
    state, _ = start(HOLLYWOOD, 2, SEED)
    for deal in range(10):
        assert state.deal == deal
        state = end_deal(state)
        if deal < 9:
            assert state.phase is Phase.DEAL_OVER
            state, _ = next_deal(state)
    assert state.phase is Phase.GAME_OVER
    assert len(state.scores) == 10


@pytest.mark.row("0-3")
def test_a_table_may_play_fewer_deals() -> None:
    """0-3 flip: "up to 10 rounds"; a table may play the first two only."""
    short = rules(rounds=HOLLYWOOD.rounds[:2], buy__limit_round=3)
    state, _ = start(short, 2, SEED)
    state = end_deal(state)
    state = end_deal(next_deal(state)[0])
    assert state.phase is Phase.GAME_OVER


@pytest.mark.row("0-5")
@pytest.mark.parametrize("deal", range(10))
def test_each_player_is_dealt_eleven(deal: int) -> None:
    """0-5: eleven cards each, in every deal."""
    over = replace(start(HOLLYWOOD, 4, SEED)[0], phase=Phase.DEAL_OVER, deal=deal - 1)
    state, _ = next_deal(over)
    assert [len(hand) for hand in state.hands] == [11] * 4


@pytest.mark.row("0-6")
def test_the_contracts_in_their_order() -> None:
    """0-6: ten contracts; none asks for more than a hand can reach with its buys."""
    assert [round_.contract for round_ in HOLLYWOOD.rounds] == [
        "2xS3",
        "2xS3 + R4",
        "2xS4",
        "3xS3 + R4",
        "3xR4",
        "S3 + R7",
        "2xS3 + R5",
        "S3 + R10",
        "3xS4",
        "3xR5",
    ]
    sizes = [contract_size(contract) for contract in HOLLYWOOD.contracts]
    assert sizes == [6, 10, 8, 13, 12, 10, 11, 13, 12, 15]


@pytest.mark.row("0-6")
def test_a_seat_must_lay_the_contract_of_the_deal() -> None:
    """0-6: every seat has the contract of the deal, lockstep."""
    state, _ = start(HOLLYWOOD, 3, SEED)
    assert state.contracts == (0, 0, 0)
    state, _ = next_deal(end_deal(state))
    assert state.contracts == (1, 1, 1)


@pytest.mark.row("0-7")
def test_the_perfect_hand_is_only_a_name() -> None:
    """0-7: the tenth deal is dealt and opened like the first."""
    over = replace(start(HOLLYWOOD, 4, SEED)[0], phase=Phase.DEAL_OVER, deal=8)
    state, events = next_deal(over)
    assert [len(hand) for hand in state.hands] == [11] * 4
    assert [type(event) for event in events] == [ev.Dealt, ev.WindowOpened]
    assert HOLLYWOOD.out.discard == "required"


@pytest.mark.row("0-8")
@pytest.mark.parametrize("seats", ALL_COUNTS)
def test_the_seat_after_the_dealer_goes_first(seats: int) -> None:
    """0-8: the player to the dealer's right, which is the next in turn order."""
    state, events = start(HOLLYWOOD, seats, SEED)
    dealt = some(events, ev.Dealt)[0]
    assert HOLLYWOOD.turn.first == "right"
    assert dealt.first == (dealt.dealer + 1) % seats == state.turn


@pytest.mark.row("0-9")
def test_the_first_player_deals_next() -> None:
    """0-9: the deal moves on by one seat, whoever went out."""
    state, _ = start(HOLLYWOOD, 4, SEED)
    for _ in range(4):
        first = (state.dealer + 1) % 4
        state, events = next_deal(end_deal(state))
        assert some(events, ev.Dealt)[0].dealer == first


@pytest.mark.row("0-9")
def test_going_out_does_not_bring_the_deal() -> None:
    """0-9: seat 2 goes out, seat 0 had dealt, so seat 1 went first and deals."""
    state = position("4C", "5D", "6H", turn=2, down=[2])
    state, _ = run(replace(state, dealer=0), (2, play(discard="6H")))
    assert next_deal(state)[0].dealer == 1


@pytest.mark.row("0-9")
def test_the_first_dealer_comes_from_the_seed() -> None:
    """0-9: nobody chooses who deals first."""
    seeds = [bytes([i]) * 32 for i in range(20)]
    dealers = [start(HOLLYWOOD, 4, seed)[0].dealer for seed in seeds]
    assert dealers == [first_dealer(seed, 4) for seed in seeds]
    assert set(dealers) == {0, 1, 2, 3}


@pytest.mark.row("0-10")
def test_turns_go_counter_clockwise_and_the_dealer_is_last() -> None:
    """0-10: right first and counter-clockwise, so the dealer is the last in order."""
    assert HOLLYWOOD.turn.direction == "ccw"
    state, _ = start(HOLLYWOOD, 5, SEED)
    assert asked(state)[-1] == state.dealer
    assert asked(state) == tuple((state.dealer + i) % 5 for i in (1, 2, 3, 4, 5))


@pytest.mark.row("0-10")
def test_turns_follow_the_seat_numbers() -> None:
    """0-10: seats are numbered in turn order; the direction only tells a screen."""
    state = position("4C", "5C", "6C", upcard="9D", phase=Phase.WINDOW, turn=1)
    turns = []
    for _ in range(4):
        turns.append(state.turn)
        state, _ = all_pass(state)
        state, _ = time_out(state, state.turn)
    assert turns == [1, 2, 0, 1]


@pytest.mark.row("0-11")
def test_one_card_is_turned_up() -> None:
    """0-11: the first player may draw it."""
    state, events = start(HOLLYWOOD, 3, SEED)
    dealt = some(events, ev.Dealt)[0]
    assert dealt.upcard == state.upcard == state.discards[0]
    assert len(state.discards) == 1
    state, events = run(state, (state.turn, Claim()))
    assert [event.card for event in some(events, ev.Took)] == [dealt.upcard]


@pytest.mark.row("0-11")
def test_without_an_upcard_the_first_player_draws_from_the_stock() -> None:
    """0-11 flip: `upcard.initial` off."""
    state, events = start(rules(upcard__initial=False), 3, SEED)
    assert some(events, ev.Dealt)[0].upcard is None
    assert not some(events, ev.WindowOpened)
    assert some(events, ev.Drew)[0].seat == state.turn
    assert state.phase is Phase.PLAY


@pytest.mark.row("0-5", "0-6")
def test_a_table_may_play_other_deals() -> None:
    """0-5 and 0-6 flip: deals are data."""
    own = rules(rounds=(Round(deal=7, contract="S3 + R4"),), buy__limit_round=None)
    state, _ = start(own, 3, SEED)
    assert [len(hand) for hand in state.hands] == [7] * 3
    assert end_deal(state).phase is Phase.GAME_OVER
