"""What a bad bot gets: strikes, the default, and after three a stand-in."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hollywood.bots import Bot, Budget
from hollywood.bots.api import FaultKind, decide
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.local import play_game, play_recorded
from hollywood.bots.seated import SeatedBot
from hollywood.protocol.rules import (
    Claim,
    Event,
    Pass,
    Play,
    PlayerView,
    load_rules,
    redact,
    seat_seed,
    seed_from_text,
    start,
    verify,
    view,
)
from hollywood.protocol.rules import events as ev

FULL = load_rules("hollywood")
RULES = replace(FULL, rounds=FULL.rounds[:2], buy=replace(FULL.buy, limit_round=3))
SEED = seed_from_text("seated")


class Raises(Bot):
    def wants(self, view: PlayerView) -> bool:
        raise KeyError("lost")

    def play(self, view: PlayerView) -> Play:
        return Play()


class Quits(Raises):
    def wants(self, view: PlayerView) -> bool:
        raise SystemExit(0)


class Illegal(Raises):
    def wants(self, view: PlayerView) -> bool:
        return False


class Speechless(Illegal):
    def play(self, view: PlayerView) -> Play:
        return None  # type: ignore[return-value]


class Muddled(Illegal):
    """A Play of things that no rule can look at."""

    def play(self, view: PlayerView) -> Play:
        return Play(melds=(3,), discard=object())  # type: ignore[arg-type]


class Unborn(Illegal):
    def __init__(self, seed: bytes = bytes(32)) -> None:
        raise OSError("no model")


class Gossip(GreedyBot):
    def observe(self, event: Event) -> None:
        if isinstance(event, ev.Discarded):
            raise ValueError("too much")


@pytest.mark.parametrize(
    ("bad", "kind", "told"),
    [
        (Raises, FaultKind.EXCEPTION, "KeyError"),
        (Quits, FaultKind.EXCEPTION, "SystemExit"),
        (Illegal, FaultKind.ILLEGAL, "ends with a discard"),
        (Speechless, FaultKind.ILLEGAL, "NoneType"),
        (Muddled, FaultKind.ILLEGAL, "no Play"),
        (Unborn, FaultKind.EXCEPTION, "no model"),
        (Gossip, FaultKind.EXCEPTION, "too much"),
    ],
)
def test_a_bad_bot_harms_nobody(bad: type[Bot], kind: FaultKind, told: str) -> None:
    result, record = play_recorded(RULES, (GreedyBot, bad, GreedyBot), SEED)
    assert [len(strikes) for strikes in result.strikes] == [0, 3, 0]
    for strike in result.strikes[1]:
        assert strike.kind is kind
        assert told in strike.text
        assert bad.__name__ in strike.text
    assert len(result.deals) == 2
    verify(record)


def test_before_three_strikes_the_bot_plays_on() -> None:
    class Once(GreedyBot):
        fails = 0

        def play(self, view: PlayerView) -> Play:
            if self.fails < 2:
                self.fails += 1
                raise KeyError("again")
            return super().play(view)

    result = play_game(RULES, (GreedyBot, Once), SEED)
    assert [strike.kind for strike in result.strikes[1]] == [FaultKind.EXCEPTION] * 2


def test_the_stand_in_is_greedy_from_then_on() -> None:
    state, _ = start(RULES, 2, SEED)
    seen = view(state, state.turn)
    seated = SeatedBot(Raises, seat_seed(SEED, state.turn))
    for number in range(3):
        assert not seated.is_out
        assert seated.ask(seen, number) == Pass()
    assert seated.is_out
    claims = replace(seen, hand=(*seen.hand[:-2], seen.upcard, seen.upcard))
    for asked in (seen, claims):
        assert seated.ask(asked, 3) == decide(GreedyBot(), asked, 3)
    assert len(seated.strikes) == 3


def test_without_strikes_nothing_shows() -> None:
    assert play_game(RULES, (GreedyBot, GreedyBot), SEED).strikes == ()


def test_who_observes_is_told_what_its_seat_sees_and_in_order() -> None:
    told: dict[int, list[Event]] = {}

    class Watcher(GreedyBot):
        me = -1

        def wants(self, view: PlayerView) -> bool:
            self.me = view.me
            return super().wants(view)

        def __init__(self, seed: bytes = bytes(32)) -> None:
            super().__init__(seed)
            self.events: list[Event] = []

        def observe(self, event: Event) -> None:
            self.events.append(event)

        def close(self) -> None:
            told[self.me] = self.events

    _, record = play_recorded(RULES, (Watcher, GreedyBot, Watcher), SEED)
    assert sorted(told) == [0, 2]
    for seat, events in told.items():
        assert events == [redact(event, seat) for event in record.events]


def test_a_budget_is_spent_and_begun_anew() -> None:
    class Thinker(GreedyBot):
        decisions = 10

    bot = Thinker()
    bot.begin_decision(0)
    assert bot.budget.is_left
    bot.budget.spend(9)
    assert bot.budget.is_left
    bot.budget.spend()
    assert not bot.budget.is_left
    bot.begin_decision(1)
    assert bot.budget.is_left
    assert Budget().is_left, "no limit"
    assert not Budget(seconds=1e-9).is_left


def test_claims_and_passes_are_answers() -> None:
    state, _ = start(RULES, 2, SEED)

    class Always(GreedyBot):
        def wants(self, view: PlayerView) -> bool:
            return True

    assert SeatedBot(Always, SEED).ask(view(state, state.turn), 0) == Claim()
