"""What the built-in bots do, measured over seeded games."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hollywood.bots import Bot
from hollywood.bots.builtin.danger import Danger
from hollywood.bots.builtin.godown import cards_left, finished, ways_down
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.memory import Memory, Shown
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.builtin.unseen import Unseen
from hollywood.bots.loading import load_bot
from hollywood.bots.local import play_game
from hollywood.bots.results import GameResult
from hollywood.protocol.rules import (
    Card,
    Claim,
    Phase,
    Play,
    PlayerView,
    TableMeld,
    format_hand,
    game_seed,
    load_rules,
    parse_hand,
    seed_from_text,
    start,
    view,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.melds import set_of

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


@pytest.mark.parametrize("rules", ["hollywood", "dummy", "hollywood_seven"])
@pytest.mark.parametrize("spec", ["planner", "counter", "easy", "sampler:decisions=20"])
def test_every_rung_plays_whole_games_without_a_strike(spec: str, rules: str) -> None:
    """The first and the last deals of each rule set, and the same game twice."""
    full = load_rules(rules)
    short = replace(
        full,
        rounds=(full.rounds[0], full.rounds[-1]),
        buy=replace(full.buy, limit_round=3),
        game=replace(full.game, max_deals=3 if full.game.max_deals else None),
    )
    bots = (load_bot(spec), GreedyBot, RandomBot)
    one, two = (play_game(short, bots, seed_from_text("rung")) for _ in range(2))
    assert one == two
    assert one.strikes == ()


def test_going_down_spares_what_fits_the_table() -> None:
    """A set is on the table: the king goes there, and the other rank makes the contract."""
    table = (TableMeld(0, 1, set_of("K", parse_hand("KC KD KH"))),)
    state, _ = start(RULES, 2, seed_from_text("spare"))
    hand = parse_hand("4C 4D 4H 7C 7D 7H KS KS KD QC 9D 3H")
    seen = replace(
        view(state, state.turn),
        phase=Phase.PLAY,
        hand=hand,
        table=table,
        went_down=tuple(None if seat == state.turn else 0 for seat in range(2)),
        order=(),
        drew=hand[0],
    )
    plays = ways_down(seen)
    left = [cards_left(seen, play) for play in plays]
    assert len(left[-1]) <= len(left[0])
    best = min(left, key=len)
    assert format_hand(best) == "3H 9D QC"
    for play in plays:
        assert [spec.size for spec in seen.contract] <= sorted(len(m.cards) for m in play.melds)
        assert finished(seen, play, Card("QC")) is not None


def test_what_nobody_wanted_is_less_dangerous() -> None:
    state, _ = start(RULES, 3, seed_from_text("danger"))
    seen = view(state, state.turn)
    pile = parse_hand("9C 9D 9H")
    fresh = replace(seen, discards=())
    stale = replace(seen, discards=pile)
    for shown in (None, [Shown() for _ in range(3)]):
        if shown is not None:
            for other in shown:
                other.passed = [*pile]
        new = Danger(fresh, Unseen(fresh), None if shown is None else [Shown() for _ in range(3)])
        old = Danger(stale, Unseen(stale), shown)
        assert 0 < old.of(Card("9S")) < new.of(Card("9S")) < 1
        assert new.of(Card("JK")) == 1
    taken = [Shown() for _ in range(3)]
    taken[(state.turn + 1) % 3].taken = [Card("9C")]
    wanted = Danger(fresh, Unseen(fresh), taken)
    unknown = Danger(fresh, Unseen(fresh), [Shown() for _ in range(3)])
    assert wanted.of(Card("9S")) > unknown.of(Card("9S"))
    assert wanted.of(Card("4S")) == unknown.of(Card("4S"))


def test_memory_knows_what_was_shown_and_no_more() -> None:
    memory = Memory()
    deal = ev.Dealt(0, 0, 1, (0, 0, 0), (None, None, None), Card("9C"), 90)
    for event in (
        deal,
        ev.WindowOpened(1, Card("9C"), (1, 2, 0)),
        ev.WindowClosed(2),
        ev.Bought(2, Card("9C"), None, 1),
        ev.Drew(1, None),
        ev.Discarded(1, Card("KS")),
        ev.WindowOpened(2, Card("KS"), (2, 0)),
        ev.WindowClosed(None, (0,)),
    ):
        memory.observe(event)
    assert [shown.taken for shown in memory.seats] == [[], [], ["9C"]]
    assert [shown.passed for shown in memory.seats] == [[], ["9C"], ["KS"]], "not the silent seat"
    assert memory.seats[1].thrown == ["KS"]
    memory.observe(ev.Discarded(2, Card("9C")))
    assert memory.seats[2].taken == []
    memory.observe(deal)
    assert all(not (shown.taken or shown.passed or shown.thrown) for shown in memory.seats)
