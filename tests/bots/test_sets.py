"""The sets of games that measure the ladder, against the same games played whole."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from hollywood.bots import Bot
from hollywood.bots.builtin.counter import CounterBot
from hollywood.bots.builtin.planner import PlannerBot
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.loading import load_bot
from hollywood.bots.local import LocalGame
from hollywood.protocol.rules import RuleSet, load_rules, seed_from_text

sys.path.insert(0, str(Path(__file__).parents[2]))
from bench.sets import SetOfGames, plays_alike


def short(name: str) -> RuleSet:
    """The last two rounds; four deals where each seat has its own contract."""
    rules = load_rules(name)
    return replace(
        rules,
        rounds=(rules.rounds[-2], rules.rounds[-1]),
        buy=replace(rules.buy, limit_round=3 if rules.buy.enabled else None),
        game=replace(rules.game, max_deals=4 if rules.game.max_deals else None),
    )


@pytest.mark.parametrize("own_piles", [False, True], ids=["one stock", "own piles"])
@pytest.mark.parametrize("rules", ["hollywood", "dummy", "hollywood_seven"])
@pytest.mark.parametrize(
    ("challenger", "champion"),
    [("sampler:decisions=20", CounterBot), ("counter", PlannerBot), ("random", PlannerBot)],
)
def test_a_set_is_what_its_whole_games_are(
    challenger: str, champion: type[Bot], rules: str, own_piles: bool
) -> None:
    """Also for a challenger that uses chance: it is asked as often and in the same places."""
    played, asked = short(rules), load_bot(challenger)
    seed = seed_from_text("sets")
    games = SetOfGames(played, asked, champion, 3, seed, own_piles=own_piles)
    margins = []
    for seat in range(3):
        bots = [champion] * 3
        bots[seat] = asked
        game = LocalGame(played, bots, seed, own_piles=own_piles)
        game.play()
        scores = game.state.totals()
        margins.append((sum(scores) - scores[seat]) / 2 - scores[seat])
    assert games.margins() == margins
    assert any(margins)


def test_a_bot_that_plays_as_the_champion_makes_no_margin() -> None:
    """The null check: copies of one bot, to the point."""

    class Copy(PlannerBot):
        pass

    games = SetOfGames(short("hollywood"), Copy, PlannerBot, 3, seed_from_text("null"))
    assert games.mean() == pytest.approx(0, abs=1e-9)


def test_chance_is_not_alike() -> None:
    assert plays_alike(CounterBot)
    assert not plays_alike(RandomBot)
    assert not plays_alike(load_bot("sampler"))
