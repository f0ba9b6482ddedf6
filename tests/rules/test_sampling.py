"""Sampled games: no seat can tell them from its own, and each is as likely as any other."""

from __future__ import annotations

import random
from collections import Counter
from itertools import permutations

import pytest
from msgspec.structs import replace

from hollywood.bots.api import decide
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.memory import Memory
from hollywood.bots.builtin.random import RandomBot
from hollywood.protocol.rules import (
    Action,
    Card,
    GameState,
    Pass,
    Phase,
    PlayerView,
    apply,
    load_rules,
    next_deal,
    parse_hand,
    redact,
    seed_from_text,
    start,
    view,
)
from hollywood.protocol.rules.sampling import sample

NAMES = ("hollywood", "dummy", "hollywood_seven", "onze")
SEATS = 3


def game(name: str, most: int = 400) -> list[tuple[GameState, int, list[list[Card]]]]:
    """Positions of a game, each with the seat that is asked and what it has seen."""
    rules = load_rules(name)
    found = []
    memories = [Memory() for _ in range(SEATS)]

    def tell(events: tuple[object, ...]) -> None:
        for seat, memory in enumerate(memories):
            for event in events:
                memory.observe(redact(event, seat))  # type: ignore[arg-type]

    state, events = start(rules, SEATS, seed_from_text(name))
    tell(events)
    bots = [GreedyBot(), RandomBot(seed_from_text("r")), GreedyBot()]
    for number in range(most):
        if state.phase is Phase.GAME_OVER:
            break
        if state.phase is Phase.DEAL_OVER:
            state, events = next_deal(state)
            tell(events)
            continue
        order = (state.turn,) if state.window is None else state.window.order
        asked = order[number % len(order)]
        known = [list(shown.taken) for shown in memories[asked].seats]
        found.append((state, asked, known))
        answers: list[tuple[int, Action]] = [
            (seat, decide(bots[seat], view(state, seat), number)) for seat in order
        ]
        is_window = state.window is not None
        for seat, action in answers:
            if not is_window or state.window is not None:
                state, events = apply(state, seat, action)
                tell(events)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_seat_sees_the_same_and_the_game_goes_on(name: str) -> None:
    rng = random.Random(1)
    positions = game(name)
    assert any(any(map(len, known)) for _, _, known in positions)
    for number, (state, seat, taken) in enumerate(positions):
        seen = view(state, seat)
        for known in ((), taken):
            found = sample(seen, rng, known)
            assert view(found, seat) == seen
            deck = Counter(state.rules.deck_for(SEATS))
            laid = [card for melds in found.table for card in melds.meld.cards]
            assert Counter((*found.stock, *found.discards, *laid, *sum(found.hands, ()))) == deck
        if number % 20 == 0:
            _play_on(found)


def _play_on(state: GameState) -> None:
    bot = GreedyBot()
    deals = len(state.scores)
    for _ in range(3000):
        if len(state.scores) > deals:
            return
        if state.window is not None:
            for seat in state.window.order:
                if state.window is not None:
                    state, _ = apply(state, seat, Pass())
        else:
            state, _ = apply(state, state.turn, decide(bot, view(state, state.turn), 0))
    raise AssertionError("the deal does not end")


def small(unseen: str, sizes: tuple[int, ...]) -> PlayerView:
    """Seat 0's view of a game in which all cards but these have been seen."""
    rules = load_rules("hollywood")
    hidden = Counter(parse_hand(unseen))
    seen = Counter(rules.deck_for(len(sizes)))
    seen.subtract(hidden)
    pile = tuple(sorted(seen.elements()))
    state, _ = start(rules, len(sizes), seed_from_text("small"))
    return replace(
        view(state, 0),
        turn=0,
        order=(0, 1, 2)[: len(sizes)],
        hand=pile[: sizes[0]],
        hand_sizes=sizes,
        discards=pile[sizes[0] :],
        stock=sum(hidden.values()) - sum(sizes[1:]),
    )


def true_distribution(
    seen: PlayerView, known: dict[int, list[Card]]
) -> dict[tuple[object, ...], float]:
    """How likely each arrangement of the unseen cards is, by counting all orders of them."""
    hidden = [card for card, left in seen.unseen().items() for _ in range(left)]
    counts: Counter[tuple[object, ...]] = Counter()
    for order in permutations(hidden):
        at, hands = 0, []
        for size in seen.hand_sizes[1:]:
            hands.append(tuple(sorted(order[at : at + size])))
            at += size
        fits = all(not Counter(cards) - Counter(hands[seat - 1]) for seat, cards in known.items())
        if fits:
            counts[(*hands, order[at:])] += 1
    total = sum(counts.values())
    return {key: count / total for key, count in counts.items()}


@pytest.mark.parametrize(
    ("unseen", "sizes"),
    [("3C 3D 4C 4D 5C", (2, 1, 2)), ("3C 3C 4D 4D JK JK", (1, 2, 2)), ("9S 9S 9S TS", (3, 2))],
)
def test_every_game_is_as_likely_as_it_truly_is(unseen: str, sizes: tuple[int, ...]) -> None:
    seen = small(unseen, sizes)
    expected = true_distribution(seen, {})
    rng = random.Random(7)
    draws = 12_000
    counts: Counter[tuple[object, ...]] = Counter()
    for _ in range(draws):
        found = sample(seen, rng)
        counts[(*[tuple(sorted(hand)) for hand in found.hands[1:]], found.stock)] += 1
    assert set(counts) <= set(expected)
    chi2 = sum((counts[key] - draws * p) ** 2 / (draws * p) for key, p in expected.items())
    freedom = len(expected) - 1
    assert abs(chi2 - freedom) < 4 * (2 * freedom) ** 0.5


def test_a_taken_card_is_where_it_was_taken() -> None:
    """Known cards stay in their hand, and the rest is as likely as if it had been dealt so."""
    seen = small("3C 4C 5C 6C 7C", (2, 2, 1))
    known: list[list[Card]] = [[], [Card("4C")], []]
    rng = random.Random(3)
    draws = 6000
    counts = Counter(
        (found.hands[1], found.hands[2])
        for found in (sample(seen, rng, known) for _ in range(draws))
    )
    assert all("4C" in hand for hand, _ in counts)
    # the others of seat 1 and seat 2: one of four, then one of three
    assert len(counts) == 12
    for count in counts.values():
        assert count == pytest.approx(draws / 12, rel=0.2)


def test_what_cannot_be_is_refused() -> None:
    seen = small("3C 4C 5C", (2, 1, 1))
    rng = random.Random(0)
    with pytest.raises(ValueError, match="cannot hold 2"):
        sample(seen, rng, [[], [Card("3C"), Card("4C")], []])
    with pytest.raises(ValueError, match="all of them were seen"):
        sample(seen, rng, [[], [Card("9C")], []])
    with pytest.raises(ValueError, match="no deal"):
        sample(replace(seen, phase=Phase.DEAL_OVER), rng)
    with pytest.raises(ValueError, match="add up"):
        sample(replace(seen, stock=9), rng)
