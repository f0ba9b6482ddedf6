"""Rows 1-1 to 1-8 and 1-39 of text 001: cards, seats, deals. The others are scenarios."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from builders import SEVEN, asked, play, position, rules, run, some, waited_for
from hollywood.protocol.errors import ErrorCode, RulesError
from hollywood.protocol.rules import CARDS, GameState, Phase, load_rules, next_deal, start, time_out
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.dealing import first_dealer

SEED = bytes(range(32))
ALL_COUNTS = range(3, 9)


def end_deal(state: GameState) -> GameState:
    """Let all times run out until the deal is over."""
    while state.phase in (Phase.WINDOW, Phase.PLAY):
        state, _ = time_out(state, waited_for(state))
    return state


@pytest.mark.row("1-1")
@pytest.mark.parametrize("seats", ALL_COUNTS)
def test_three_to_eight_can_play(seats: int) -> None:
    """1-1: three to eight players."""
    state, events = start(SEVEN, seats, SEED)
    assert len(state.hands) == seats
    assert some(events, ev.GameStarted)[0].rules == "hollywood_seven"


@pytest.mark.row("1-1")
@pytest.mark.parametrize("seats", [0, 1, 2, 9])
def test_fewer_or_more_cannot(seats: int) -> None:
    """1-1: three to eight players."""
    with pytest.raises(RulesError) as refused:
        start(SEVEN, seats, SEED)
    assert refused.value.code is ErrorCode.BAD_RULE_SET


@pytest.mark.row("1-2")
@pytest.mark.parametrize(
    ("seats", "packs"), [(3, 2), (4, 2), (5, 3), (6, 3), (7, 4), (8, 4)], ids=str
)
def test_one_pack_for_two_players_rounded_up(seats: int, packs: int) -> None:
    """1-2: with two jokers each."""
    state, _ = start(SEVEN, seats, SEED)
    held = [card for hand in state.hands for card in hand]
    counted = Counter([*held, *state.stock, *state.discards])
    assert counted == Counter({card: packs * (2 if card == "JK" else 1) for card in CARDS})
    assert counted.total() == packs * 54


@pytest.mark.row("1-2")
def test_other_packs() -> None:
    """1-2 flip: `deck.packs` and `deck.jokers_total`, a list gives one for each table size."""
    packs = (2, 2, 3, 3, 4, 5)
    assert len(rules("hollywood_seven", deck__packs=packs).deck_for(8)) == 5 * 54
    jokers = rules("hollywood_seven", deck__jokers_total=(2, 3, 4, 5, 6, 7))
    assert [jokers.deck_for(seats).count(CARDS[-1]) for seats in ALL_COUNTS] == [2, 3, 4, 5, 6, 7]
    assert rules("hollywood_seven", deck__jokers=1).deck_for(5).count(CARDS[-1]) == 3


@pytest.mark.row("1-3")
def test_the_first_dealer_is_random_then_the_next_on_the_left() -> None:
    """1-3: from the seed; then whoever went first, who sits on the dealer's left."""
    seeds = [bytes([i]) * 32 for i in range(20)]
    dealers = [start(SEVEN, 4, seed)[0].dealer for seed in seeds]
    assert dealers == [first_dealer(seed, 4) for seed in seeds]
    assert set(dealers) == {0, 1, 2, 3}
    state = position("4C", "5D", "6H", book="hollywood_seven", turn=2, down=[2])
    state, _ = run(replace(state, dealer=0), (2, play(discard="6H")))
    for dealer in (1, 2, 0, 1):
        state, events = next_deal(state)
        assert some(events, ev.Dealt)[0].dealer == dealer
        state = end_deal(state)


@pytest.mark.row("1-4", "1-8")
@pytest.mark.parametrize("seats", ALL_COUNTS)
def test_the_player_on_the_left_begins_and_play_is_clockwise(seats: int) -> None:
    """1-4, 1-8: the dealer is the last in order."""
    assert (SEVEN.turn.direction, SEVEN.turn.first) == ("cw", "left")
    state, events = start(SEVEN, seats, SEED)
    dealt = some(events, ev.Dealt)[0]
    assert dealt.first == (dealt.dealer + 1) % seats == state.turn
    assert asked(state) == tuple((dealt.first + i) % seats for i in range(seats))


@pytest.mark.row("1-5")
@pytest.mark.parametrize("deal", range(7))
def test_seven_to_thirteen_cards_are_dealt(deal: int) -> None:
    """1-5: one card more in each round."""
    over = replace(start(SEVEN, 8, SEED)[0], phase=Phase.DEAL_OVER, deal=deal - 1)
    state, _ = next_deal(over)
    assert [len(hand) for hand in state.hands] == [7 + deal] * 8


@pytest.mark.row("1-6")
def test_the_contracts_in_their_order() -> None:
    """1-6: seven contracts, one after the other for all."""
    contracts = ["2xS3", "S3 + R4", "2xR4", "3xS3", "2xR5", "S5 + R6", "2xS3 + R7"]
    assert [round_.contract for round_ in SEVEN.rounds] == contracts
    state, _ = start(SEVEN, 3, SEED)
    for deal in range(7):
        assert state.contracts == (deal,) * 3
        state = end_deal(state)
        if deal < 6:
            state, _ = next_deal(state)
    assert state.phase is Phase.GAME_OVER


@pytest.mark.row("1-7")
def test_the_top_card_is_turned_over() -> None:
    """1-7: beside the deck, for the first player or a buyer."""
    state, events = start(SEVEN, 4, SEED)
    dealt = some(events, ev.Dealt)[0]
    assert dealt.upcard == state.upcard == state.discards[0]
    assert len(state.discards) == 1
    off, events = start(rules("hollywood_seven", upcard__initial=False), 4, SEED)
    assert some(events, ev.Dealt)[0].upcard is None
    assert off.phase is Phase.PLAY


@pytest.mark.row("1-39")
def test_nobody_wins_before_the_seventh_deal() -> None:
    """1-39: the sixth deal ends with points and no winner."""
    state = position("4C", "5D 6D", "6H", book="hollywood_seven", deal=5, stock="", reshuffles=1)
    state = end_deal(state)
    assert (state.phase, state.winners) == (Phase.DEAL_OVER, ())


@pytest.mark.row("1-15")
def test_the_chips_change_nothing_else() -> None:
    """1-15: ten for the game, else the same rules."""
    chips = load_rules("hollywood_seven_chips")
    assert chips.buy == replace(SEVEN.buy, limit_game=10)
    assert replace(chips, buy=SEVEN.buy, name=SEVEN.name, title=SEVEN.title) == SEVEN


@pytest.mark.row("1-15")
def test_chips_are_not_given_back_with_the_next_deal() -> None:
    """1-15: the counter is that of the game."""
    state, _ = start(load_rules("hollywood_seven_chips"), 3, SEED)
    over = replace(state, phase=Phase.DEAL_OVER, buys=(3, 1, 0), game_buys=(9, 10, 0))
    state, _ = next_deal(over)
    assert (state.buys, state.game_buys) == ((0, 0, 0), (9, 10, 0))
    assert set(asked(state)) >= {0, 2}
    assert (1 in asked(state)) == (state.turn == 1)


@pytest.mark.row("1-38")
def test_what_each_card_costs() -> None:
    """1-38: 3 to 9 cost 5, 10 to king 10, aces 15, twos 20, natural or not, jokers 50."""
    other = {"A": 15, "2": 20, "JK": 50} | dict.fromkeys("TJQK", 10)
    for card in CARDS:
        assert SEVEN.points[card] == other.get("JK" if card == "JK" else card[0], 5), card
