"""Rows 0-41 to 0-50: who may buy a discard, in which order, at what price."""

from __future__ import annotations

import itertools

import pytest
from msgspec.structs import replace

from builders import HOLLYWOOD, all_pass, asked, play, position, refusal, run, some
from hollywood.protocol.errors import ErrorCode
from hollywood.protocol.rules import (
    Action,
    Card,
    Claim,
    GameState,
    Pass,
    Phase,
    next_deal,
    redact,
    start,
    time_out,
    view,
)
from hollywood.protocol.rules import events as ev

FOUR = ("4C 5C", "5D 6D", "6H 7H", "7S 8S")
NINES = ((2, "9: 9S 9H 9D"), (2, "K: KS KH KD"))


def window(*hands: str, **options: object) -> GameState:
    """An upcard that seat 3 discarded; seat 0 is in turn."""
    keywords = {"upcard": "JD", "phase": Phase.WINDOW, **options}
    return position(*(hands or FOUR), **keywords)  # type: ignore[arg-type]


@pytest.mark.row("0-41")
def test_any_other_player_may_buy() -> None:
    """0-41: down or not."""
    assert asked(window()) == (0, 1, 2)
    assert asked(window(table=NINES)) == (0, 1, 2)
    state, events = run(window(table=NINES), (0, Pass()), (1, Pass()), (2, Claim()))
    assert some(events, ev.Bought)[0].seat == 2
    assert state.buys == (0, 0, 1, 0)


@pytest.mark.row("0-41")
def test_down_players_may_be_barred() -> None:
    """0-41 flip: `buy.down_players` off."""
    state = window(table=NINES, buy__down_players=False)
    assert asked(state) == (0, 1)
    assert refusal(state, 2, Claim()) is ErrorCode.NOT_ELIGIBLE


@pytest.mark.row("0-41")
def test_buying_may_be_off() -> None:
    """0-41 flip: `buy.enabled` off leaves the seat in turn alone in the window."""
    first = HOLLYWOOD.rounds[:1]  # later contracts cannot be met without buys
    state = window(buy__enabled=False, buy__limit_round=None, rounds=first)
    assert asked(state) == (0,)
    assert refusal(state, 1, Claim()) is ErrorCode.NOT_ELIGIBLE


@pytest.mark.row("0-42", "T28")
@pytest.mark.parametrize("discarder", [1, 2, 3])
def test_the_discarder_may_not_buy(discarder: int) -> None:
    """0-42, T28: nobody buys his own discard back."""
    state = window(discarder=discarder)
    assert discarder not in asked(state)
    assert refusal(state, discarder, Claim()) is ErrorCode.NOT_ELIGIBLE


@pytest.mark.row("0-42", "T28")
@pytest.mark.parametrize("turn", range(4))
def test_the_discarder_may_buy_last(turn: int) -> None:
    """0-42, T28 flip: `buy.discarder` puts it at the end of the line, whoever it is."""
    state = window(turn=turn, buy__discarder=True)
    discarder = (turn - 1) % 4
    assert asked(state) == (turn, (turn + 1) % 4, (turn + 2) % 4, discarder)
    passes = [(seat, Pass()) for seat in asked(state)[:3]]
    _, events = run(state, *passes, (discarder, Claim()))
    assert some(events, ev.Bought)[0].seat == discarder


@pytest.mark.row("0-42")
def test_a_discarder_between_others_is_last_too() -> None:
    """0-42 flip: after a float the discarder can sit anywhere in the line."""
    assert asked(window(discarder=1, buy__discarder=True)) == (0, 2, 3, 1)
    assert asked(window(discarder=0, buy__discarder=True)) == (0, 1, 2, 3)


@pytest.mark.row("0-43")
def test_a_buy_costs_one_unseen_card() -> None:
    """0-43: the card and one from the stock, which the others do not see."""
    state = window(stock="9C TD 3H")
    after, events = run(state, (0, Pass()), (1, Claim()))
    (bought,) = some(events, ev.Bought)
    assert bought == ev.Bought(1, Card("JD"), (Card("9C"),), 1)
    assert set(after.hands[1]) == {"5D", "6D", "9C", "JD"}
    assert redact(bought, 1) == bought
    for other in (0, 2, 3, None):
        assert redact(bought, other) == ev.Bought(1, Card("JD"), None, 1)


@pytest.mark.row("0-43")
@pytest.mark.parametrize("penalty", [0, 1, 2])
def test_the_price_is_an_option(penalty: int) -> None:
    """0-43 flip: `buy.penalty`; buyer first, then the seat in turn draws."""
    state = window(stock="9C TD 3H 4S", buy__penalty=penalty)
    after, events = run(state, (0, Pass()), (1, Claim()))
    (bought,) = some(events, ev.Bought)
    assert bought.penalty == ("9C", "TD", "3H")[:penalty]
    assert some(events, ev.Drew)[0].card == ("9C", "TD", "3H")[penalty]
    assert len(after.hands[1]) == 3 + penalty


@pytest.mark.row("0-44", "T25")
@pytest.mark.parametrize(
    ("deal", "buys", "may"),
    [(8, 2, True), (8, 3, False), (9, 3, True), (9, 4, False), (0, 3, False)],
)
def test_three_buys_in_a_deal_and_four_in_the_tenth(deal: int, buys: int, may: bool) -> None:
    """0-44, T25: the fourth buy in the ninth deal is refused, in the tenth the fifth."""
    state = window(deal=deal, buys=(0, buys, 0, 0))
    assert (1 in asked(state)) is may
    assert refusal(state, 1, Claim()) is (None if may else ErrorCode.NOT_ELIGIBLE)
    assert view(state, 1).buys_left == HOLLYWOOD.buy_limit(deal) - buys  # type: ignore[operator]


@pytest.mark.row("0-44")
def test_taking_in_turn_needs_no_buy() -> None:
    """0-44: a seat without buys still takes the upcard free in its turn."""
    state = window(buys=(3, 3, 3, 3))
    assert asked(state) == (0,)
    after, _ = run(state, (0, Claim()))
    assert after.buys == (3, 3, 3, 3)


@pytest.mark.row("0-44")
def test_buys_do_not_carry_over() -> None:
    """0-44: the counter starts anew with each deal, the one of the game goes on."""
    state, _ = start(HOLLYWOOD, 3, bytes(32))
    over = replace(state, phase=Phase.DEAL_OVER, buys=(3, 1, 0), game_buys=(3, 1, 0))
    state, _ = next_deal(over)
    assert state.buys == (0, 0, 0)
    assert state.game_buys == (3, 1, 0)


@pytest.mark.row("0-44", "T25")
def test_other_limits() -> None:
    """0-44, T25 flip: no limit, and chips for the whole game."""
    assert 1 in asked(window(buys=(0, 30, 0, 0), buy__limit_round=None))
    chips = {"buy__limit_round": None, "buy__limit_game": 10}
    assert 1 in asked(window(game_buys=(0, 9, 0, 0), **chips))
    assert 1 not in asked(window(game_buys=(0, 10, 0, 0), **chips))
    both = window(buys=(0, 1, 0, 0), game_buys=(0, 9, 0, 0), buy__limit_game=10)
    assert [view(both, seat).buys_left for seat in range(4)] == [3, 1, 3, 3]
    assert view(window(game_buys=(0, 12, 0, 0), buy__limit_game=10), 1).buys_left == 0


@pytest.mark.row("0-45", "T26")
def test_the_earliest_in_turn_order_gets_it() -> None:
    """0-45, T26: seat 2 claims first in time, seat 1 before it in order."""
    hands = ("4C 5C", "5D 6D", "6H 7H", "7S 8S")
    state = position(*hands, upcard="JD", phase=Phase.WINDOW, stock="9C TD 3H 4S", turn=1)
    assert asked(state) == (1, 2, 3)
    answers: tuple[tuple[int, Action], ...] = ((1, Pass()), (2, Claim()), (3, Claim()))
    for order in itertools.permutations(answers):
        after, events = run(state, *order[:2])
        if after.phase is Phase.WINDOW:
            after, events = run(after, order[2])
        assert some(events, ev.Bought) == [ev.Bought(2, Card("JD"), (Card("9C"),), 1)]
        assert some(events, ev.Drew) == [ev.Drew(1, Card("TD"))]
        assert after.hands[3] == state.hands[3]
        assert after.buys == (0, 0, 1, 0)


@pytest.mark.row("0-46")
def test_the_seat_in_turn_takes_it_free_as_its_draw() -> None:
    """0-46: no penalty, no buy counted, no other draw."""
    state = window()
    after, events = run(state, (2, Claim()), (0, Claim()))
    assert [type(event) for event in events] == [ev.WindowClosed, ev.Took]
    assert some(events, ev.WindowClosed)[0].winner == 0
    assert after.buys == (0, 0, 0, 0)
    assert len(after.hands[0]) == 3
    assert (after.phase, after.took_upcard) == (Phase.PLAY, True)


@pytest.mark.row("0-47")
def test_a_window_lies_between_discard_and_draw() -> None:
    """0-47: it opens with the discard and closes when nothing is open any more."""
    state = position(*FOUR, turn=0)
    state, events = run(state, (0, play(discard="4C")))
    assert [type(event) for event in events] == [ev.Discarded, ev.WindowOpened]
    assert state.phase is Phase.WINDOW
    state, events = run(state, (3, Pass()), (1, Pass()))
    assert events == ()
    state, events = run(state, (2, Pass()))
    assert [type(event) for event in events] == [ev.WindowClosed, ev.Drew]
    assert refusal(state, 2, Claim()) is ErrorCode.WRONG_PHASE


@pytest.mark.row("0-47")
def test_silence_at_the_deadline_is_a_pass() -> None:
    """0-47: the event says who was silent."""
    state, _ = run(window(), (2, Claim()))
    state, events = time_out(state, 0)
    assert events == ()
    _, events = time_out(state, 1)
    assert some(events, ev.WindowClosed) == [ev.WindowClosed(2, (0, 1))]


@pytest.mark.row("0-47")
def test_an_answer_is_final() -> None:
    """0-47: the second answer of a seat is refused, whatever it says."""
    state, _ = run(window(), (1, Pass()))
    assert refusal(state, 1, Claim()) is ErrorCode.ALREADY_ANSWERED
    assert refusal(state, 1, Pass()) is ErrorCode.ALREADY_ANSWERED


@pytest.mark.row("0-49", "T32")
def test_the_stock_is_rebuilt_for_a_buy() -> None:
    """0-49, T32: an empty stock and eleven cards below the claimed one."""
    pile = "3C 4C 5C 6C 7C 8C 9C TC JC QC KC"
    state = window(stock="", discards=pile)
    assert asked(state) == (0, 1, 2)
    after, events = run(state, (0, Pass()), (1, Claim()))
    assert [type(event) for event in events] == [
        ev.WindowClosed,
        ev.Reshuffled,
        ev.Bought,
        ev.Drew,
    ]
    assert some(events, ev.Reshuffled)[0].stock == 11
    assert len(after.stock) == 9
    assert after.discards == ()


@pytest.mark.row("0-49")
@pytest.mark.parametrize(
    ("stock", "discards", "reshuffles", "may"),
    [
        ("9C TD", "", 1, True),
        ("9C", "", 0, False),
        ("9C", "4D", 0, True),
        ("", "4D", 0, False),
        ("", "4D 5D", 0, True),
        ("", "4D 5D 6D", 1, False),
        ("9C", "4D 5D 6D", 1, False),
    ],
)
def test_a_buy_needs_two_cards(stock: str, discards: str, reshuffles: int, may: bool) -> None:
    """0-49: the penalty and the next draw must be there, a rebuild included."""
    state = window(stock=stock, discards=discards, reshuffles=reshuffles)
    assert asked(state) == ((0, 1, 2) if may else (0,))
    assert refusal(state, 1, Claim()) is (None if may else ErrorCode.NOT_ELIGIBLE)
    if may:
        _, events = run(state, (0, Pass()), (1, Claim()))
        assert some(events, ev.Bought)
        assert some(events, ev.Drew)


@pytest.mark.row("0-50")
def test_the_same_player_may_buy_twice_running() -> None:
    """0-50: no rule is stated, so it may."""
    state, _ = run(window(), (0, Pass()), (1, Claim()))
    state, _ = run(state, (0, play(discard="4C")), (1, Pass()), (2, Claim()))
    state, _ = run(state, (1, play(discard="5D")), (2, Pass()), (3, Pass()), (0, Pass()))
    state, _ = run(state, (2, play(discard="6H")), (3, Pass()), (0, Pass()), (1, Claim()))
    assert state.buys == (0, 2, 1, 0)
    state, _ = run(state, (3, play(discard="7S")), (0, Pass()), (1, Claim()))
    assert state.buys == (0, 3, 1, 0)


@pytest.mark.row("T62")
def test_the_first_upcard_may_be_bought() -> None:
    """T62: the dealer, last in order, claims it; there is no discarder yet."""
    state, _ = start(HOLLYWOOD, 4, bytes(32))
    dealer = state.dealer
    assert asked(state)[-1] == dealer
    passes = [(seat, Pass()) for seat in asked(state)[:-1]]
    _, events = run(state, *passes, (dealer, Claim()))
    assert some(events, ev.Bought)[0].seat == dealer


@pytest.mark.row("T62")
def test_the_first_upcard_may_be_for_the_first_player_only() -> None:
    """T62 flip: `upcard.buyable` off binds the first upcard, not the discards."""
    state = window(discarder=None, upcard__buyable=False)
    assert asked(state) == (0,)
    assert asked(window(upcard__buyable=False)) == (0, 1, 2)
    state, _ = all_pass(state)
    state, _ = run(state, (0, play(discard="4C")))
    assert asked(state) == (1, 2, 3)
