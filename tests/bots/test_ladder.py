"""What the built-in bots do, measured over seeded games."""

from __future__ import annotations

import pytest

from hollywood.bots import Bot
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.local import play_game
from hollywood.bots.results import GameResult
from hollywood.protocol.rules import (
    Claim,
    Phase,
    Play,
    PlayerView,
    game_seed,
    load_rules,
    seed_from_text,
)

RULES = load_rules("hollywood")
PAIRS: tuple[type[Bot], ...] = (GreedyBot, GreedyBot, RandomBot, RandomBot)


@pytest.fixture(scope="module")
def games() -> list[GameResult]:
    """A hundred games of two greedy against two random."""
    return [play_game(RULES, PAIRS, game_seed(seed_from_text("1"), i)) for i in range(100)]


def test_the_better_greedy_beats_the_better_random(games: list[GameResult]) -> None:
    ahead = sum(min(game.scores[:2]) < min(game.scores[2:]) for game in games)
    assert ahead >= 95


def test_greedy_makes_its_contracts(games: list[GameResult]) -> None:
    """In half of all deals, and at times in those that cannot be met without buying."""
    made = [0] * 10
    for game in games:
        for number, deal in enumerate(game.deals):
            made[number] += sum(deal.went_down[seat] is not None for seat in (0, 1))
    assert sum(made) >= len(games) * 2 * 10 / 2
    for number in (3, 7, 9):
        assert made[number] > 0
        buys = [game.deals[number].buys[0] for game in games]
        assert max(buys) <= (RULES.buy_limit(number) or 0)


def test_every_game_has_ten_deals_that_add_up(games: list[GameResult]) -> None:
    for game in games:
        assert len(game.deals) == 10
        totals = tuple(sum(deal.scores[seat] for deal in game.deals) for seat in range(4))
        assert totals == game.scores
        assert game.winners == tuple(s for s in range(4) if game.scores[s] == min(game.scores))
        for deal in game.deals:
            if deal.went_out is not None:
                assert deal.scores[deal.went_out] == 0


class CountingRandom(RandomBot):
    """Counts what the random bot does."""

    claims: list[bool]
    chances: list[bool]
    discards: list[float]

    def wants(self, view: PlayerView) -> bool:
        wanted = super().wants(view)
        type(self).claims.append(wanted)
        return wanted

    def play(self, view: PlayerView) -> Play:
        from hollywood.protocol.rules import best_laydown, next_discards

        play = super().play(view)
        if not view.is_down and best_laydown(view.hand, view.contract, view.rules, view.deal):
            type(self).chances.append(bool(play.melds))
        cards = next_discards(view, Play(play.melds, play.lay_offs))
        if play.discard is not None and len(cards) > 1:
            type(self).discards.append(cards.index(play.discard) / (len(cards) - 1))
        return play


def test_random_claims_a_quarter_goes_down_half_the_time_and_discards_uniformly() -> None:
    CountingRandom.claims, CountingRandom.chances, CountingRandom.discards = [], [], []
    for i in range(12):
        play_game(RULES, (CountingRandom,) * 4, game_seed(seed_from_text("r"), i))
    claims, chances, discards = (
        CountingRandom.claims,
        CountingRandom.chances,
        CountingRandom.discards,
    )
    assert len(claims) > 5000
    assert sum(claims) / len(claims) == pytest.approx(1 / 4, abs=0.02)
    assert len(chances) > 30
    assert sum(chances) / len(chances) == pytest.approx(1 / 2, abs=0.2)
    assert sum(discards) / len(discards) == pytest.approx(1 / 2, abs=0.02)


def test_the_same_seed_gives_the_same_game() -> None:
    one, two = (play_game(RULES, PAIRS, seed_from_text("again")) for _ in range(2))
    assert one == two
    assert play_game(RULES, PAIRS, seed_from_text("other")) != one


class Meddler(RandomBot):
    """Draws much more chance than it needs."""

    def wants(self, view: PlayerView) -> bool:
        for _ in range(50):
            self.rng.random()
        return False


def test_a_bots_chance_never_changes_the_cards() -> None:
    """T26: same seed, other bots, the same deals."""
    firsts = []

    class Watcher(GreedyBot):
        def wants(self, view: PlayerView) -> bool:
            if view.turns == 1:
                firsts.append((view.deal, view.seat, view.hand, view.upcard))
            return super().wants(view)

    for other in (RandomBot, Meddler):
        play_game(RULES, (Watcher, other, other), seed_from_text("26"))
    half = len(firsts) // 2
    assert firsts[:half] == firsts[half:]
    assert {deal for deal, *_ in firsts} == set(range(10))


def test_a_window_is_answered_with_claim_or_pass() -> None:
    from hollywood.bots.api import decide
    from hollywood.protocol.rules import start, view

    state, _ = start(RULES, 2, seed_from_text("1"))
    assert state.phase is Phase.WINDOW

    class Always(GreedyBot):
        def wants(self, view: PlayerView) -> bool:
            return True

    assert decide(Always(), view(state, state.turn), 0) == Claim()
