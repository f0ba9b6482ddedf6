"""Going down late, going down with what will fit kept, and keeping what fits soon."""

from __future__ import annotations

from msgspec.structs import replace

from builders import my_turn
from hollywood.bots.builtin.counter import CounterBot
from hollywood.bots.builtin.godown import stuck_cards
from hollywood.bots.builtin.patience import chances_to_fit, may_wait
from hollywood.bots.builtin.planner import PlannerBot
from hollywood.bots.builtin.sampler import SamplerBot
from hollywood.protocol.rules import (
    Card,
    Phase,
    best_laydown,
    load_rules,
    parse_hand,
)
from hollywood.protocol.rules.melds import TableMeld, run_of, set_of

RULES, DUMMY = load_rules("hollywood"), load_rules("dummy")
TWO_SETS = 0
TWO_SETS_AND_A_RUN = 1
TWO_SETS_AND_A_LONGER_RUN = 6
HAS_TWO_SETS = "8C 8D 8H KC KD KH 3C 4D 6H 7S 9H TD"


def test_a_sampler_holds_its_contract_back_while_nobody_can_be_out_soon() -> None:
    """It throws a card that no meld takes, the dearest."""
    seen = my_turn(RULES, 2, TWO_SETS, HAS_TWO_SETS)
    assert CounterBot().play(seen).melds
    held = SamplerBot().play(seen)
    assert (held.melds, held.discard) == ((), "TD")
    with_many = replace(seen, went_down=(None, 5), hand_sizes=(12, 2))
    assert not SamplerBot().play(with_many).melds
    with_one = replace(seen, went_down=(None, 5), hand_sizes=(12, 1))
    assert SamplerBot().play(with_one).melds


def test_it_goes_down_as_soon_as_it_is_out() -> None:
    seen = my_turn(RULES, 2, TWO_SETS, "8C 8D 8H 8S 8C KC KD KH KS KC KD TD")
    play = SamplerBot().play(seen)
    assert play.melds
    assert play.discard == "TD"


def test_it_holds_nothing_back_where_the_others_may_be_out_in_the_turn_they_go_down() -> None:
    """Eleven cards of twelve, or more seats than two."""
    hand = "3C 3D 3H 4C 4D 4H 7D 8D 9D TD JD KS"
    assert SamplerBot().play(my_turn(RULES, 2, TWO_SETS_AND_A_LONGER_RUN, hand)).melds
    assert may_wait(my_turn(RULES, 2, TWO_SETS_AND_A_RUN, hand))
    assert not may_wait(my_turn(RULES, 3, TWO_SETS, HAS_TWO_SETS))


def test_it_waits_only_where_that_is_free() -> None:
    """Not where a lost deal costs a contract, or who is down has no points."""
    assert may_wait(my_turn(RULES, 2, TWO_SETS, HAS_TWO_SETS))
    assert not may_wait(my_turn(DUMMY, 2, TWO_SETS, HAS_TWO_SETS))
    for other in (
        replace(RULES, score=replace(RULES.score, down_is_zero=True)),
        replace(RULES, down=replace(RULES.down, mandatory=True)),
        replace(RULES, down=replace(RULES.down, timing="next_turn")),
        replace(RULES, meld=replace(RULES.meld, oversize="exact")),
    ):
        assert not may_wait(my_turn(other, 2, TWO_SETS, HAS_TWO_SETS))


def test_who_waits_takes_the_cards_that_its_melds_take() -> None:
    hand = "8C 8D 8H KC KD KH 3C 4D 6H 7S 9H"
    asked = my_turn(
        RULES, 2, TWO_SETS, hand, phase=Phase.WINDOW, order=(0,), drew=None, is_upcard_live=True
    )
    for upcard, is_wanted in (("8S", True), ("KS", True), ("JK", True), ("QH", False)):
        seen = replace(asked, discards=(Card(upcard),))
        assert SamplerBot().wants(seen) is is_wanted
        assert not CounterBot().wants(seen)


def test_where_lay_offs_wait_the_wild_is_kept_for_them() -> None:
    """Kings and queens would leave fewest points, but three eights that fit nowhere."""
    hand = "8C 8D 8H KC KD KH QC QD JK 3C 4D 6H 7S 9H"
    seen = my_turn(DUMMY, 2, TWO_SETS, hand)
    cheapest = best_laydown(seen.hand, seen.contract, DUMMY)
    assert cheapest is not None
    assert {meld.rank for meld in cheapest.melds} == {"K", "Q"}
    play = PlannerBot().play(seen)
    assert {meld.rank for meld in play.melds} == {"8", "K"}
    assert play.discard == "QC"
    assert stuck_cards(seen, play) == parse_hand("3C 4D 6H 7S 9H QC QD")


def test_a_card_next_to_a_run_may_fit_soon() -> None:
    table = (
        TableMeld(0, 1, run_of("D", 5, parse_hand("5D 6D 7D 8D"))),
        TableMeld(1, 0, set_of("K", parse_hand("KC KD KH"))),
    )
    seen = my_turn(DUMMY, 2, TWO_SETS, "TD TS", table=table, went_down=(5, 7), hand_sizes=(2, 3))
    near, far = parse_hand("TD TS")
    chances = chances_to_fit(seen, table, (near, far))
    unseen = seen.unseen()
    assert chances[near] == unseen[Card("9D")] / sum(unseen.values()) > 0
    assert chances[far] == 0
    assert CounterBot().play(seen).discard == near
    assert SamplerBot().play(seen).discard == far
