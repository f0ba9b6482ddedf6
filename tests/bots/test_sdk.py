"""What docs/bots/SDK.md says is true, and the view answers what bots ask."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from hollywood.bots import Bot, Budget
from hollywood.bots.api import decide
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.local import play_game
from hollywood.protocol.rules import (
    Card,
    Pass,
    Phase,
    Play,
    PlayerView,
    apply,
    best_laydown,
    distance,
    explain,
    game_seed,
    load_rules,
    next_deal,
    parse_hand,
    seed_from_text,
    start,
    view,
)

SDK = (Path(__file__).parents[2] / "docs" / "bots" / "SDK.md").read_text("utf-8")
FULL = load_rules("hollywood")
RULES = replace(FULL, rounds=FULL.rounds[:2], buy=replace(FULL.buy, limit_round=3))


def test_the_bot_of_ten_lines_beats_random() -> None:
    found = re.search(r"<!-- bot -->\n```python\n(.*?)```", SDK, flags=re.S)
    assert found is not None
    names: dict[str, type[Bot]] = {}
    exec(found[1], names)
    body = found[1].partition("class ")[2].strip().splitlines()
    assert len([line for line in body if line.strip()]) <= 10
    for i in range(3):
        seed = game_seed(seed_from_text("sdk"), i)
        result = play_game(FULL, (names["Patient"], RandomBot, RandomBot), seed)
        assert result.scores[0] < min(result.scores[1:])
        assert result.strikes == ()


def test_everything_that_the_page_names_is_there() -> None:
    for name in re.findall(r"^\| `view\.(\w+)", SDK, flags=re.M):
        assert callable(getattr(PlayerView, name))
    for name in ("rng", "observe", "close", "budget", "is_quick", "decisions", "seconds"):
        assert name in SDK
        assert hasattr(Bot, name) or name == "budget"
    assert hasattr(Budget, "is_left")


@pytest.fixture(scope="module")
def plays() -> list[PlayerView]:
    """The views of whoever had to play in two deals."""
    bot, found = GreedyBot(), []
    state, _ = start(RULES, 3, seed_from_text("sdk"))
    while state.phase is not Phase.GAME_OVER:
        if state.phase is Phase.DEAL_OVER:
            state, _ = next_deal(state)
        elif state.window is not None:
            for seat in state.window.order:
                if state.window is not None:
                    wants = bot.wants(view(state, seat))
                    state, _ = apply(
                        state, seat, decide(bot, view(state, seat), 0) if wants else Pass()
                    )
        else:
            found.append(view(state, state.turn))
            state, _ = apply(state, state.turn, decide(bot, found[-1], 0))
    return found


def test_the_view_answers_as_the_rules_do(plays: list[PlayerView]) -> None:
    for seen in plays:
        if seen.is_down:
            assert seen.best_laydown() is None
            continue
        args = seen.contract, seen.rules, seen.round
        assert seen.best_laydown() == best_laydown(seen.hand, *args)
        assert seen.distance() == distance(seen.hand, *args)
        more = parse_hand(" ".join([*seen.hand, "JK"]))
        assert seen.distance(more=Card("JK")) == distance(more, *args)
        assert seen.distance(less=seen.hand[0]) == distance(seen.hand[1:], *args)
    with pytest.raises(ValueError, match="no JK"):
        replace(plays[0], hand=parse_hand("3C 4C")).distance(less=Card("JK"))


def test_lay_offs_are_legal_in_their_order(plays: list[PlayerView]) -> None:
    laid = 0
    for seen in plays:
        laydown = seen.best_laydown()
        play = Play(laydown.melds) if laydown else Play()
        found = seen.lay_offs(play)
        if not (seen.is_down or laydown):
            assert found == ()
            continue
        for number in range(len(found) + 1):
            violation = explain(seen, Play(play.melds, found[:number]))
            assert violation is None or violation.code in ("must_lay_off", "must_discard")
        laid += len(found)
    assert laid > 0


def test_unseen_are_the_cards_of_stock_and_others(plays: list[PlayerView]) -> None:
    for seen in plays:
        others = sum(seen.hand_sizes) - len(seen.hand)
        unseen = seen.unseen()
        assert sum(unseen.values()) == seen.stock + others
        assert min(unseen.values()) >= 0
