"""Whole random games, watched after every step: the invariants of the engine.

Deterministic: a game follows from its number. A failure names the game, and
`play_deals(seats, [number])` or `play_part(name, seats, number)` plays it again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from builders import HOLLYWOOD, rules
from hollywood.protocol.rules import Event, RuleSet, load_rules, rule_set_names
from machine import Watched

GAMES = 75
"""Games of two deals for each number of seats."""

PARTS = 2
"""Games of two or three deals for each other rule set and number of seats."""

FLIPS: tuple[dict[str, object], ...] = (
    {"upcard__initial": False},
    {"upcard__buyable": False},
    {"buy__discarder": True},
    {"buy__down_players": False},
    {"buy__penalty": 2},
    {"buy__penalty": 0},
    {"draw__down_may_take_discard": False},
    {"discard__playable": "allow"},
    {"discard__return_upcard": "allow"},
    {"layoff__mandatory": False},
    {"layoff__first": "next_turn"},
    {"layoff__targets": "own", "layoff__mandatory": False},
    {"layoff__targets": "others", "layoff__mandatory": False},
    {"out__empty_hand": "out", "out__discard": "optional"},
    {"out__empty_hand": "illegal"},
    {"wild__limit_scope": "creation"},
    {"wild__limit": "none"},
    {"set__same_rank": "allow"},
    {"run__same_suit": "any"},
    {"stock__empty": "end"},
    {"stock__max_reshuffles": 3},
    {"score__down_is_zero": True},
)

EVENTS = {kind.__name__ for kind in Event.__args__} - {"Swapped", "Stalled"}


def rules_of_game(seats: int, number: int) -> RuleSet:
    """Two deals of text 000: every third game with one flip, most with fewer packs."""
    first = number % 9
    flip = FLIPS[number // 3 % len(FLIPS)] if number % 3 == 2 else {}
    packs = 4 if number % 5 == 4 else (seats + 1) // 2
    return rules(
        rounds=HOLLYWOOD.rounds[first : first + 2],
        buy__limit_round=3,
        players__max=seats,
        deck__packs=packs,
        **flip,
    )


def play_deals(seats: int, numbers: Iterable[int]) -> Counter[str]:
    """Play those games; return how often everything happened."""
    counted: Counter[str] = Counter()
    for number in numbers:
        try:
            game = Watched(
                rules_of_game(seats, number), seats, f"{seats}/{number}", is_plain=number % 3 != 2
            )
            game.play()
        except BaseException as error:
            error.add_note(f"replay: play_deals({seats}, [{number}])")
            raise
        counted += game.counted
    return counted


@pytest.mark.parametrize("seats", range(2, 9))
def test_random_games(seats: int) -> None:
    """Conserved cards, folds equal to views, offered if and only if allowed."""
    counted = play_deals(seats, range(GAMES))
    assert counted["Dealt"] == counted["DealEnded"] == 2 * GAMES
    assert EVENTS - set(counted) == set()
    assert counted["looked at window"] > 100
    assert counted["looked at play"] > 100


def part_of(ruleset: RuleSet, start: int) -> RuleSet:
    """Two rounds of a rule set from that one on, and its last; at most six deals."""
    last = len(ruleset.rounds) - 1
    chosen = sorted({start % (last + 1), (start + 1) % (last + 1), last})
    buy = {
        key: tuple(value[i] for i in chosen)
        for key in ("limit_round", "penalty")
        if isinstance(value := getattr(ruleset.buy, key), tuple)
    }
    game = ruleset.game
    return replace(
        ruleset,
        rounds=tuple(ruleset.rounds[i] for i in chosen),
        buy=replace(ruleset.buy, **buy),
        game=replace(game, max_deals=None if game.max_deals is None else 6),
    )


def play_part(name: str, seats: int, number: int) -> Counter[str]:
    """Play a part of a rule set that comes with the program."""
    part = part_of(load_rules(name), 2 * number + seats)
    game = Watched(part, seats, f"{name}/{seats}/{number}", look=0.1)
    try:
        game.play()
    except BaseException as error:
        error.add_note(f"replay: play_part({name!r}, {seats}, {number})")
        raise
    return game.counted


@pytest.mark.parametrize("name", [name for name in rule_set_names() if name != "hollywood"])
def test_random_games_of_every_rule_set(name: str) -> None:
    """The same of each rule set that is shipped, at each size of its table."""
    counted: Counter[str] = Counter()
    players = load_rules(name).players
    for seats in range(players.min, players.max + 1):
        for number in range(PARTS):
            counted += play_part(name, seats, number)
    assert counted["GameEnded"] == PARTS * (players.max - players.min + 1)
    assert counted["Dealt"] == counted["DealEnded"]
    for event in ("WentDown", "WentOut"):
        assert counted[event], f"this never happened: {event}"
    assert counted["looked at play"] > 5
