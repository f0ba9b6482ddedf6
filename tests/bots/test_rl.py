"""The environment for learning keeps PettingZoo's contract, the rules, and its seeds."""

from __future__ import annotations

import random
import warnings

import pytest
from msgspec.structs import replace

from hollywood.protocol.errors import RulesError
from hollywood.protocol.rules import CARDS, Phase, load_rules, view

pytest.importorskip("pettingzoo")

import numpy as np
from pettingzoo.test import api_test, seed_test  # type: ignore[import-untyped]

from hollywood.bots import rl

NAMES = ("hollywood", "dummy", "hollywood_seven", "shanghai7", "onze")


def two_deals(name: str) -> rl.HollywoodEnv:
    """Two deals of a rule set, the second its last one."""
    rules = load_rules(name)
    short = replace(
        rules,
        rounds=(rules.rounds[0], rules.rounds[-1]),
        buy=replace(rules.buy, limit_round=2, penalty=1),
        game=replace(rules.game, max_deals=2 if rules.game.max_deals else None, max_turns=60),
    )
    return rl.env(short, 3)


@pytest.mark.parametrize("name", NAMES[:3])
def test_pettingzoo_accepts_it(name: str) -> None:
    with warnings.catch_warnings():
        # an observation with a mask is a dict, of which its own test warns
        warnings.simplefilter("ignore")
        api_test(two_deals(name), num_cycles=100)


def test_pettingzoo_finds_its_seeds_honoured() -> None:
    seed_test(lambda: two_deals("hollywood"), num_cycles=30)


def play(game: rl.HollywoodEnv, seed: int | None, chance: int) -> list[tuple[str, int, float]]:
    """Play one game at random; return who did what with what reward before."""
    rng = random.Random(chance)
    game.reset(seed)
    done = []
    for agent in game.agent_iter():
        observation, reward, termination, truncation, _ = game.last()
        assert not truncation
        mask = observation["action_mask"]
        if termination:
            assert not mask.any()
            done.append((agent, -1, reward))
            game.step(None)
            continue
        assert observation in game.observation_space(agent)
        action = rng.choice(np.flatnonzero(mask).tolist())
        done.append((agent, action, reward))
        game.step(action)
    return done


@pytest.mark.parametrize("name", NAMES)
def test_whatever_the_mask_allows_the_rules_allow(name: str) -> None:
    game = two_deals(name)
    total = dict.fromkeys(game.possible_agents, 0.0)
    for chance in range(2):
        for agent in total:
            total[agent] = 0.0
        for agent, _, reward in play(game, 7, chance):
            total[agent] += reward
        state = game.state_of_game
        assert state.phase is Phase.GAME_OVER
        assert tuple(-total[agent] for agent in game.possible_agents) == state.totals()


def test_a_seed_gives_its_game_again_and_the_next_one_is_another() -> None:
    one, two = two_deals("hollywood"), two_deals("hollywood")
    first = play(one, 3, 0)
    assert play(two, 3, 0) == first
    second = play(one, None, 0)
    assert second != first
    assert play(two, None, 0) == second
    assert play(two, 3, 0) == first
    assert play(two, 4, 0) != first


def test_an_action_outside_the_mask_is_refused() -> None:
    game = two_deals("hollywood")
    game.reset(1)
    with pytest.raises(ValueError, match="action mask"):
        game.step(rl.GO_DOWN)


def test_an_observation_tells_what_the_view_says() -> None:
    game = two_deals("hollywood")
    game.reset(1)
    agent = game.agent_selection
    seen = view(game.state_of_game, game.possible_agents.index(agent))
    told = game.observe(agent)["observation"]
    assert told.shape == (rl.observation_size(),)
    in_hand = {card: int(n) for card, n in zip(CARDS, told, strict=False) if n}
    assert in_hand == {card: seen.hand.count(card) for card in seen.hand}
    other = next(name for name in game.possible_agents if name != agent)
    assert not game.observe(other)["action_mask"].any(), "only who is asked may act"
    assert agent in game.render()


def test_too_few_seats_are_refused() -> None:
    with pytest.raises(RulesError):
        rl.env("hollywood_seven", 2)
