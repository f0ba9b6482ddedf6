"""Short ways lead where the long ones do."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from builders import HOLLYWOOD, rules
from hollywood.protocol.rules import (
    Card,
    Claim,
    Contract,
    Event,
    GameState,
    Hand,
    MeldKind,
    Pass,
    Phase,
    RuleSet,
    apply,
    best_laydown,
    load_rules,
    next_deal,
    parse_contract,
    parse_hand,
    rule_set_names,
    start,
)
from hollywood.protocol.rules.cards import CARDS, PLACE_RANKS, RANKS, SUITS, add_card, add_cards
from hollywood.protocol.rules.fitting import fits, grown
from hollywood.protocol.rules.laydown.runs import FAR, FewestGaps
from hollywood.protocol.rules.laydown.tables import HIGHS, PRESENT
from hollywood.protocol.rules.laydowns import _Searches as Searches
from hollywood.protocol.rules.melds import lay_on, run_of, set_of
from hollywood.protocol.rules.prospects import may_hold
from hollywood.protocol.rules.transitions import close_window
from strategies import random_step

FLIPPED = {
    "natural twos": rules(wild__natural_twos="in_place"),
    "ranks repeat": rules(set__same_rank="allow"),
    "round the ace": rules(run__wrap=True, run__ace="both", run__low_rank="A"),
    "runs of any suit": rules(run__suit="any", run__same_suit="any"),
    "any wilds": rules(wild__limit="none"),
    "runs anywhere": rules(run__same_suit="any", run__ace="both", run__low_rank="A"),
}
RULES = {name: load_rules(name) for name in rule_set_names()} | FLIPPED


def hand_near(rng: Random, contract: Contract, ruleset: RuleSet) -> Hand:
    """The cards of a contract somewhere, some of them exchanged or wild, and a few more."""
    wilds = sorted(ruleset.wilds) or list(CARDS)
    hand: list[Card] = []
    for spec in contract:
        if spec.kind is MeldKind.SET:
            rank = rng.choice(RANKS)
            hand += [Card(rank + rng.choice(SUITS)) for _ in range(spec.size)]
        else:
            suit, low = rng.choice(SUITS), rng.randint(ruleset.low_place, 10)
            hand += [Card(rank + suit) for rank in PLACE_RANKS[low : low + spec.size]]
    for _ in range(rng.choice((0, 0, 1, 2, 4))):
        hand[rng.randrange(len(hand))] = rng.choice((rng.choice(CARDS), rng.choice(wilds)))
    hand += rng.choices(CARDS, k=rng.randrange(4))
    left = Counter(ruleset.deck_cards)
    left.subtract(hand)
    return tuple(hand) if min(left.values()) >= 0 else hand_near(rng, contract, ruleset)


@pytest.mark.parametrize("name", RULES)
def test_a_hand_that_can_go_down_is_never_given_up(name: str) -> None:
    ruleset, rng = RULES[name], Random(name)
    laid = given_up = 0
    for contract in ruleset.contracts:
        for _ in range(16):
            hand = hand_near(rng, contract, ruleset)
            may, laydown = may_hold(hand, contract, ruleset), best_laydown(hand, contract, ruleset)
            assert may or laydown is None, f"{hand} holds {contract}"
            laid += laydown is not None
            given_up += not may
    assert laid >= 10
    assert given_up


@pytest.mark.parametrize("name", RULES)
def test_suits_that_are_passed_over_change_no_laydown(name: str) -> None:
    """With a bound that never tells anything all suits are looked at."""
    ruleset, rng = RULES[name], Random(f"{name} suits")
    searches, other = Searches(ruleset), Searches(ruleset)
    for contract in ruleset.contracts:
        ours, theirs = searches.of(contract, None), other.of(contract, None)
        if not ours.distances.is_possible or not ours.distances.runs:
            continue
        table = ours.distances.table
        theirs.distances.table.fewest_gaps = FewestGaps(-FAR, [])
        for _ in range(8):
            hand = hand_near(rng, contract, ruleset)
            tally = searches.tables.tally(hand)
            for suit in ours.distances.suits(tally):
                gaps = [judged.gap for judged in table.judge_runs(suit)]
                fewest = table.fewest_gaps[suit + PRESENT & HIGHS]
                assert fewest == min(gaps) or not table.has_all_windows
                assert fewest <= min(gaps)
            found = ours.distances.of(tally, len(hand))
            assert found == theirs.distances.of(tally, len(hand))
            assert (found == 0) is (ours.distances.of(tally, len(hand), 0, 1) == 0)
            assert ours.laydowns.of(tally, hand) == theirs.laydowns.of(tally, hand)


def test_most_hands_that_cannot_go_down_are_given_up() -> None:
    """That is what the bound is for."""
    rng, deck = Random(2), HOLLYWOOD.deck_cards
    given_up = hopeless = 0
    for contract in HOLLYWOOD.contracts:
        for _ in range(60):
            hand = tuple(rng.sample(deck, 13))
            hopeless += best_laydown(hand, contract, HOLLYWOOD) is None
            given_up += not may_hold(hand, contract, HOLLYWOOD)
    assert hopeless > 400
    assert given_up > 0.9 * hopeless


@pytest.mark.parametrize(
    ("contract", "hand", "may"),
    [
        ("2xS3", "KS KH KD 9C 9D 3S", False),
        ("2xS3", "KS KH KD 9C 9D JK", True),
        ("S3 + R4", "KS KH KD 9C TC QC 3S", False),
        ("S3 + R4", "KS KH KD 9C TC QC JK", True),
        ("R4", "AC 2D 3C 4C", False),  # an ace is high here
        ("R4", "JH QH KH AH", True),
        # a run in each of two suits, or both in one
        ("2xR4", "5C 6C 7C 8C 5D 6D 7D 9S", False),
        ("2xR4", "5C 6C 7C 8C 5D 6D 7D JK", True),
        ("2xR4", "4C 5C 6C 7C 9C TC JC QC", True),
        ("2xR4", "4C 5C 6C 7C 9C TC JC 3D", False),
    ],
)
def test_what_a_hand_may_hold(contract: str, hand: str, may: bool) -> None:
    assert may_hold(parse_hand(hand), parse_contract(contract), HOLLYWOOD) is may


@pytest.mark.parametrize("name", rule_set_names())
@pytest.mark.parametrize("own_piles", [False, True])
def test_a_window_closed_at_once_is_one_answered_seat_by_seat(name: str, own_piles: bool) -> None:
    """State and events, whoever claims first, wherever the stock runs short."""
    ruleset, rng = RULES[name], Random(name)
    state, _ = start(ruleset, ruleset.players.min + 1, bytes(32), own_piles=own_piles)
    windows = 0
    while windows < 100 and state.phase is not Phase.GAME_OVER:
        if state.phase is Phase.DEAL_OVER:
            state, _ = next_deal(state)
        elif state.window is None:
            state, _ = random_step(state, rng)
        else:
            windows += 1
            order = state.window.order
            claims = [seat for seat in order if rng.random() < 1 / 3]
            winner = claims[0] if claims else None
            asked = order[: order.index(winner) + 1] if winner is not None else order
            long_way = answered(state, asked, claims)
            assert close_window(state, winner) == long_way
            state, _ = long_way
    assert windows >= 20


def answered(
    state: GameState, asked: tuple[int, ...], claims: list[int]
) -> tuple[GameState, tuple[Event, ...]]:
    """One answer after the other."""
    events: tuple[Event, ...] = ()
    for seat in asked:
        assert not events, "the window was decided before"
        state, events = apply(state, seat, Claim() if seat in claims else Pass())
    return state, events


def test_a_meld_that_grew_is_the_same_whenever_it_is_asked_for() -> None:
    """And under rules that move wilds it is another."""
    run = run_of("D", 5, parse_cards("5D 6D JK 8D"))
    for meld in (run, set_of("9", parse_hand("9C 9D 2S"))):
        for card, places in fits(meld, HOLLYWOOD).items():
            for place in places:
                found = grown(meld, card, place, HOLLYWOOD)
                assert found == lay_on(meld, card, place, HOLLYWOOD)
                assert grown(meld, card, place, HOLLYWOOD) is found
    moving = rules(wild__relocate="to_end")
    seven, nine = Card("7D"), Card("9D")
    assert grown(run, nine, 9, HOLLYWOOD) == grown(run, nine, 9, moving)
    assert grown(run, seven, 7, moving) == lay_on(run, seven, 7, moving)
    assert grown(run, seven, 7, moving).cards == tuple(parse_cards("5D 6D 7D 8D JK"))


def parse_cards(text: str) -> list[Card]:
    return [Card(code) for code in text.split()]


def test_one_card_more_goes_to_its_place() -> None:
    rng = Random(3)
    for _ in range(200):
        hand = add_cards((), rng.choices(CARDS, k=rng.randrange(15)))
        card = rng.choice(CARDS)
        assert add_card(hand, card) == add_cards(hand, (card,))
