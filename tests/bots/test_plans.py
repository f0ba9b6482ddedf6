"""What sets each rung of the ladder apart, in single positions."""

from __future__ import annotations

from msgspec.structs import replace

from builders import my_turn
from hollywood.bots.builtin.counter import CounterBot
from hollywood.bots.builtin.danger import Danger
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.memory import Shown
from hollywood.bots.builtin.planner import PlannerBot
from hollywood.bots.builtin.reach import is_in_reach, must_buy
from hollywood.bots.builtin.sampler import SamplerBot
from hollywood.bots.builtin.unseen import Unseen
from hollywood.bots.local import play_game
from hollywood.protocol.rules import (
    Card,
    Phase,
    PlayerView,
    game_seed,
    load_rules,
    parse_hand,
    seed_from_text,
    start,
    view,
)

RULES = load_rules("hollywood")
DUMMY, SEVEN = load_rules("dummy"), load_rules("hollywood_seven")
THREE_SETS_AND_A_RUN = 3
TWO_SETS_AND_A_RUN = 1
LOW = "3C 3D 4H 5S 6C 6D 7H 8S 9C TD QH"


def window(seats: int, round_: int, hand: str, upcard: str, *, is_mine: bool) -> PlayerView:
    """A first window of a deal, asked of seat 0."""
    state, _ = start(RULES, seats, seed_from_text("plans"))
    cards = parse_hand(hand)
    return replace(
        view(state, 0),
        hand=cards,
        hand_sizes=(len(cards),) * seats,
        contracts=(round_,) * seats,
        turn=0 if is_mine else seats - 1,
        discards=(Card(upcard),),
        is_upcard_live=True,
        discarder=None,
        order=tuple(range(seats)) if is_mine else (seats - 1, *range(seats - 1)),
    )


def to_play(seats: int, round_: int, hand: str, **changes: object) -> PlayerView:
    """A turn of seat 0 after its draw."""
    seen = window(seats, round_, hand, "9H", is_mine=True)
    sizes = (len(seen.hand), *seen.hand_sizes[1:])
    played = replace(
        seen, phase=Phase.PLAY, order=(), drew=seen.hand[0], turns=9, discarder=1, hand_sizes=sizes
    )
    return replace(played, **changes)


def test_two_seats_have_one_card_to_buy_in_a_deal() -> None:
    first = window(2, THREE_SETS_AND_A_RUN, LOW, "KD", is_mine=True)
    second = window(2, THREE_SETS_AND_A_RUN, LOW, "KD", is_mine=False)
    assert must_buy(first, 0)
    assert must_buy(first, 1)
    assert not is_in_reach(first, 0)
    assert is_in_reach(first, 1)
    assert is_in_reach(second, 0)
    assert not is_in_reach(second, 1)
    assert is_in_reach(window(4, THREE_SETS_AND_A_RUN, LOW, "KD", is_mine=True), 0)
    assert not must_buy(window(2, TWO_SETS_AND_A_RUN, LOW, "KD", is_mine=True), 0)


def test_a_planner_buys_the_only_card_and_a_counter_does_not_leave_it_to_the_other() -> None:
    first = window(2, THREE_SETS_AND_A_RUN, LOW, "KD", is_mine=True)
    second = window(2, THREE_SETS_AND_A_RUN, LOW, "KD", is_mine=False)
    assert PlannerBot().wants(second)
    assert CounterBot().wants(second)
    assert not PlannerBot().wants(first)
    assert CounterBot().wants(first)
    for seen in (first, second):
        easier = replace(seen, contracts=(TWO_SETS_AND_A_RUN,) * 2)
        assert not PlannerBot().wants(easier)
        assert not CounterBot().wants(easier)
    assert not CounterBot().wants(replace(first, discarder=1, order=(0,))), "nobody may buy it"


def test_out_of_reach_it_throws_points_and_takes_what_costs_little() -> None:
    seen = to_play(2, THREE_SETS_AND_A_RUN, "JK 3C 3D 4H 5S 6C 6D 7H 8S 9C TD QH")
    assert not is_in_reach(seen, 0)
    assert PlannerBot().play(seen).discard == "JK"
    assert GreedyBot().play(seen).discard != "JK"
    asked = window(2, THREE_SETS_AND_A_RUN, LOW, "3H", is_mine=True)
    later = replace(asked, discarder=1, order=(0,))
    assert PlannerBot().wants(later)
    assert not PlannerBot().wants(replace(later, discards=(Card("QH"),)))


def test_two_seats_that_cannot_meet_a_contract_end_the_deal_with_few_points() -> None:
    """Rounds that two hands can hardly make are what a planner gains most in."""
    ended = [0, 0]
    short = replace(RULES, rounds=(RULES.rounds[9],), buy=replace(RULES.buy, limit_round=3))
    for i in range(3):
        result = play_game(short, (PlannerBot, GreedyBot), game_seed(seed_from_text("long"), i))
        ended = [total + score for total, score in zip(ended, result.scores, strict=True)]
    assert ended[0] < ended[1] / 2


def test_a_counter_buys_what_makes_many_more_cards_help() -> None:
    """The contract is no nearer with it, but one more rank or place in a run helps."""
    hand = "3C 3D 3H 4H 4S 6C 7D 9H TS QC KD"
    near = window(4, TWO_SETS_AND_A_RUN, hand, "5H", is_mine=False)
    planner, counter = PlannerBot(), CounterBot()
    bought = [
        card
        for card in map(Card, ("5H", "5C", "8H", "9D", "TD", "QD", "KS", "6H", "7H"))
        if counter.wants(replace(near, discards=(card,)))
        and not planner.wants(replace(near, discards=(card,)))
    ]
    assert bought
    mine = window(4, TWO_SETS_AND_A_RUN, hand, "5H", is_mine=True)
    for card in bought:
        assert not counter.wants(replace(mine, discards=(card,))), "free cards come anyway"


def test_a_sampler_gives_up_when_somebody_is_about_to_go_out() -> None:
    far = "2C JK 3D 4H 6S 8C 9D JH KS QC TH 5S"
    late = to_play(
        4, THREE_SETS_AND_A_RUN, far, went_down=(None, 5, None, None), hand_sizes=(12, 1, 12, 12)
    )
    early = replace(late, hand_sizes=(12, 6, 12, 12))
    assert SamplerBot().play(late).discard in {"2C", "JK"}
    assert SamplerBot().play(early) == CounterBot().play(early)
    assert CounterBot().play(late).discard not in {"2C", "JK"}
    asked = window(4, THREE_SETS_AND_A_RUN, "2C JK 3D 4H 6S 8C 9D JH KS QC TH", "9C", is_mine=False)
    asked = replace(asked, went_down=late.went_down, hand_sizes=(11, 1, 11, 11))
    assert CounterBot().wants(asked)
    assert not SamplerBot().wants(asked)


def test_where_nobody_buys_a_counter_keeps_from_the_next_seat_what_it_takes() -> None:
    """The dearest of what is missed as little, unless the next seat collects it."""
    hand = "3C 3D 3H 4H 5H 6H 9C 9D KC KD 7S TS 8C QC"
    no_buys = my_turn(DUMMY, 2, 5, hand)
    thrown = {}
    for taken in ("", "QD QH"):
        counter = CounterBot()
        shown = counter._memory.seats
        shown += [Shown() for _ in range(2)]
        shown[1].taken = [*parse_hand(taken)] if taken else []
        thrown[taken] = counter.play(no_buys).discard
    assert thrown[""] == PlannerBot().play(no_buys).discard == "QC"
    assert thrown["QD QH"] != "QC"


def test_where_nobody_buys_only_the_next_seat_is_waited_for() -> None:
    state, _ = start(DUMMY, 4, seed_from_text("next"))
    seen = view(state, state.turn)
    following = (state.turn + 1) % 4
    for seat in range(4):
        if seat == state.turn:
            continue
        shown = [Shown() for _ in range(4)]
        plain = Danger(seen, Unseen(seen), shown).of(Card("9S"))
        shown[seat].taken = [Card("9C"), Card("9D")]
        wanted = Danger(seen, Unseen(seen), shown).of(Card("9S"))
        assert (wanted > plain) is (seat == following)
    down = replace(seen, went_down=tuple(1 if s == following else None for s in range(4)))
    assert Danger(down, Unseen(down)).of(Card("JK")) == 0


def test_a_sampler_gives_up_when_all_cards_have_to_go_and_many_are_missing() -> None:
    """In that round who goes down is out: nobody is seen coming."""
    late = my_turn(SEVEN, 4, 6, "2C JK 3D 4H 6S 8C 9D JH KS QC TH 5S 7D AC")
    early = replace(late, turns=5)
    assert late.takes_all_cards
    assert SamplerBot().play(late).discard == "JK"
    assert SamplerBot().play(early) == CounterBot().play(early)
    assert CounterBot().play(late).discard != "JK"
