"""No bot that comes along is told anything that its seat may not see."""

from __future__ import annotations

import json
import random

import pytest
from msgspec.structs import replace

from hollywood.bots import exchange as x
from hollywood.bots.api import decide, observes
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.memory import Memory
from hollywood.bots.loading import bot_names, load_bot
from hollywood.protocol.rules import (
    Action,
    Event,
    GameState,
    Phase,
    RuleSet,
    apply,
    load_rules,
    next_deal,
    redact,
    seed_from_text,
    start,
    view,
)
from hollywood.protocol.rules.sampling import sample

SEATS = 3
FULL = load_rules("hollywood")
RULES = replace(FULL, rounds=FULL.rounds[1:4:2], buy=replace(FULL.buy, limit_round=3))
DUMMY, SEVEN = load_rules("dummy"), load_rules("hollywood_seven")
NOBODY_BUYS = replace(
    DUMMY, rounds=(DUMMY.rounds[3], DUMMY.rounds[9]), game=replace(DUMMY.game, max_deals=3)
)
ALL_CARDS = replace(SEVEN, rounds=(SEVEN.rounds[6],))


def positions(rules: RuleSet) -> list[tuple[GameState, int, list[Event]]]:
    """Positions of one game, who is asked, and what all have been told by then."""
    found: list[tuple[GameState, int, list[Event]]] = []
    told: list[Event] = []
    bots = [GreedyBot() for _ in range(SEATS)]
    state, events = start(rules, SEATS, seed_from_text("leaks"))
    told += events
    while state.phase is not Phase.GAME_OVER:
        if state.phase is Phase.DEAL_OVER:
            state, events = next_deal(state)
            told += events
            continue
        order = (state.turn,) if state.window is None else state.window.order
        found.append((state, order[len(found) % len(order)], list(told)))
        answers: list[tuple[int, Action]] = [
            (seat, decide(bots[seat], view(state, seat), 0)) for seat in order
        ]
        is_window = state.window is not None
        for seat, action in answers:
            if not is_window or state.window is not None:
                state, events = apply(state, seat, action)
                told += events
    return found


@pytest.fixture(scope="module")
def game() -> list[tuple[GameState, int, list[Event]]]:
    return positions(RULES)


def permuted(state: GameState, seat: int, told: list[Event], rng: random.Random) -> GameState:
    """The same for this seat, with the hidden cards in other places."""
    memory = Memory()
    for event in told:
        memory.observe(redact(event, seat))
    return sample(view(state, seat), rng, [shown.taken for shown in memory.seats])


@pytest.mark.parametrize("name", bot_names())
def test_hidden_cards_change_no_answer(
    name: str, game: list[tuple[GameState, int, list[Event]]]
) -> None:
    """In process, and as a child process over its pipes."""
    check_answers(name, RULES, game)


@pytest.mark.parametrize("rules", [NOBODY_BUYS, ALL_CARDS], ids=["nobody buys", "all cards"])
@pytest.mark.parametrize("name", ["counter", "sampler"])
def test_hidden_cards_change_no_answer_where_other_rules_hold(name: str, rules: RuleSet) -> None:
    check_answers(name, rules, positions(rules))


def check_answers(
    name: str, rules: RuleSet, game: list[tuple[GameState, int, list[Event]]]
) -> None:
    """Ask in each position, and in one that differs from it in hidden cards only."""
    bot_class = load_bot(f"{name}:decisions=20" if name == "sampler" else name)
    rng = random.Random(5)
    hidden_differ = 0
    for number, (state, seat, told) in enumerate(game[:: 5 if name == "sampler" else 2]):
        other = permuted(state, seat, told, rng)
        hidden_differ += other.hands != state.hands
        answers = set()
        for world in (state, other):
            seen = view(world, seat)
            line = x.encode_line(x.Event(event=x.bare_view(seen)))
            over_pipes = x.full_view(json.loads(line)["event"], rules)
            for asked in (seen, over_pipes):
                bot = bot_class(bytes(32))
                for event in told if observes(bot_class) else ():
                    bot.observe(redact(event, seat))
                answers.add(decide(bot, asked, number))
        assert len(answers) == 1, f"{name} at position {number}: {answers}"
    assert hidden_differ > 5


def test_redacted_events_do_not_tell_hidden_cards(
    game: list[tuple[GameState, int, list[Event]]],
) -> None:
    """What a bot observes of two games that differ in others' cards only is the same."""
    seeds = [seed_from_text(f"other {i}") for i in range(2)]
    starts = [start(RULES, SEATS, seed) for seed in seeds]
    told = [
        [redact(event, 0) for event in events if type(event).__name__ == "Dealt"]
        for _, events in starts
    ]
    for (dealt,), (state, _) in zip(told, starts, strict=True):
        assert dealt.hands[0] == state.hands[0]  # type: ignore[union-attr]
        assert dealt.hands[1:] == (None, None)  # type: ignore[union-attr]
