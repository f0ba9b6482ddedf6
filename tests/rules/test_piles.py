"""A stock pile for each seat: no card is lost, records verify, and seats are apart."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from hollywood.protocol.rules import (
    Action,
    Claim,
    GameState,
    Hand,
    Pass,
    Phase,
    RuleSet,
    apply,
    fold,
    load_rules,
    new_view,
    next_deal,
    parse_card,
    redact,
    seed_from_text,
    start,
    view,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.offers import PlayOptions, options
from hollywood.protocol.rules.piles import pay_own, put_under
from hollywood.protocol.rules.records import Step, decode_record, encode_record, make_record, verify


def counted(state: GameState) -> Counter[str]:
    laid = [card for meld in state.table for card in meld.meld.cards]
    hands = [card for hand in state.hands for card in hand]
    return Counter([*laid, *hands, *state.stock, *state.discards])


def random_game(rules: RuleSet, seats: int, name: str, most: int) -> int:
    """Play at random with piles and watch; return how many deals ran out of cards."""
    rng, seed = Random(name), seed_from_text(name)
    state, events = start(rules, seats, seed, own_piles=True)
    views = [new_view(rules, seats, seat) for seat in range(seats)]
    told: list[ev.Event] = []
    steps: list[Step] = []
    for _ in range(most):
        told += events
        for seat in range(seats):
            for event in events:
                seen = redact(event, seat)
                views[seat] = fold(views[seat], seen)
            assert views[seat] == view(state, seat)
        assert counted(state) == Counter(rules.deck_for(seats))
        assert sum(state.piles) == len(state.order)
        assert state.drawn == 0
        if state.phase is Phase.GAME_OVER:
            break
        if state.phase is Phase.DEAL_OVER:
            state, events = next_deal(state)
            continue
        seat = state.turn
        if state.window is not None:
            open_ = [
                s
                for s, a in zip(state.window.order, state.window.answers, strict=True)
                if a == "open"
            ]
            seat = rng.choice(open_)
            action: Action = Claim() if rng.random() < 0.4 else Pass()
        else:
            legal = options(view(state, seat))
            assert isinstance(legal, PlayOptions)
            action = legal.default
        steps.append(Step(seat, action))
        state, events = apply(state, seat, action)
    names = tuple("abcdefgh"[:seats])
    if state.phase is Phase.GAME_OVER:
        record = make_record(rules, seed, names, tuple(steps), tuple(told), own_piles=True)
        assert verify(decode_record(encode_record(record))).totals() == state.totals()
        plain = make_record(rules, seed, names, tuple(steps), tuple(told))
        assert b"own_piles" not in encode_record(plain)
    return sum(isinstance(event, ev.StockRanOut) for event in told)


@pytest.mark.parametrize("name", ["hollywood", "hollywood_seven", "dummy", "contract_rummy"])
def test_no_card_is_lost_and_every_view_follows(name: str) -> None:
    rules = load_rules(name)
    for seats in {rules.players.min, min(rules.players.max, 5)}:
        random_game(rules, seats, f"{name}/{seats}", 700)


def test_a_game_with_piles_verifies_to_the_end() -> None:
    random_game(load_rules("hollywood_seven"), 3, "to the end", 100_000)


def test_a_buy_moves_nobody_elses_draws() -> None:
    """The same deal with and without a buy of seat 2: the others draw the same cards."""
    rules = load_rules("hollywood")
    drawn = []
    for buys in (False, True):
        state, _ = start(rules, 4, seed_from_text("apart"), own_piles=True)
        cards: list[tuple[int, str | None]] = []
        for _ in range(60):
            if state.window is not None:
                seat = next(
                    s
                    for s, a in zip(state.window.order, state.window.answers, strict=True)
                    if a == "open"
                )
                claims = buys and seat == 2 and seat != state.turn
                state, events = apply(state, seat, Claim() if claims else Pass())
            else:
                legal = options(view(state, state.turn))
                assert isinstance(legal, PlayOptions)
                state, events = apply(state, state.turn, legal.default)
            cards += [(e.seat, e.card) for e in events if isinstance(e, ev.Drew)]
        assert (state.game_buys[2] > 0) is buys
        drawn.append(cards)
    plain, bought = drawn
    common = min(len(plain), len(bought))
    assert common > 10
    for seat in range(4):
        ours, theirs = ([c for s, c in cards[:common] if s == seat] for cards in drawn)
        least = min(len(ours), len(theirs))
        assert ours[:least] == theirs[:least]


def test_without_piles_nothing_changes() -> None:
    rules = load_rules("hollywood")
    plain, _ = start(rules, 3, seed_from_text("1"))
    assert plain.piles == ()
    piled, _ = start(rules, 3, seed_from_text("1"), own_piles=True)
    assert len(piled.order) == len(plain.order) - plain.drawn
    assert max(piled.piles) - min(piled.piles) <= 1


def cards(text: str) -> Hand:
    return tuple(parse_card(code) for code in text.split())


def test_penalties_come_from_the_bottom_and_discards_go_under() -> None:
    order = cards("AC 2C 3C 4C 5C")
    paid, rest, piles = pay_own(order, (2, 3), 1, 1)
    assert (paid, rest, piles) == (cards("5C"), cards("AC 2C 3C 4C"), (2, 2))
    assert put_under(rest, piles, cards("KD"), 0) == (cards("AC 2C KD 3C 4C"), (3, 2))
