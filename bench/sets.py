"""A set of games, played only where they differ.

One deal of cards is played with the challenger on each seat in turn, against copies of
the champion. Until the challenger answers something else than the champion would, the
deal is the one that champions alone play; so that one is played once, and every
other from the challenger's first other answer on. What comes out is what whole games
come to, to the point (`tests/bots/test_sets.py`), as long as a champion's answers
depend on nothing but the deal: `plays_alike` says of whom that is known.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from hollywood.bots import Bot
from hollywood.bots.api import decide, observes
from hollywood.bots.builtin.counter import CounterBot
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.planner import PlannerBot
from hollywood.protocol.rules import (
    Action,
    Claim,
    Event,
    GameState,
    Phase,
    RuleSet,
    apply,
    next_deal,
    redact,
    seat_seed,
    start,
    view,
)
from hollywood.protocol.rules.transitions import close_window


def plays_alike(bot: type[Bot]) -> bool:
    """Whether a bot uses no chance and remembers nothing from one deal to the next."""
    return bot in (GreedyBot, PlannerBot, CounterBot)


class _Step(NamedTuple):
    """Who was asked what in a deal of champions, and what they said."""

    state: GameState
    answers: dict[int, Action]
    events: Sequence[Event]
    """What was told since the step before it, or since the deal began."""


class _Deal(NamedTuple):
    """A deal of champions."""

    steps: list[_Step]
    ended: GameState


class _Seat:
    """A bot on its seat, with the count of its decisions."""

    def __init__(self, bot: type[Bot], seed: bytes, outlooks: dict[Any, Any]) -> None:
        self.bot = bot(seed)
        if isinstance(self.bot, PlannerBot):
            self.bot._outlooks = outlooks  # what is worked out once serves all seats
        self.asked = 0

    def ask(self, state: GameState, seat: int) -> Action:
        """Return its next decision."""
        self.asked += 1
        if hasattr(self.bot, "shown"):
            self.bot.shown = state  # for what no bot may know, see `bench/seers.py`
        return decide(self.bot, view(state, seat), self.asked - 1)


class SetOfGames:
    """All games of one set."""

    def __init__(
        self,
        rules: RuleSet,
        challenger: type[Bot],
        champion: type[Bot],
        seats: int,
        seed: bytes,
        *,
        own_piles: bool = False,
    ) -> None:
        self._start = start(rules, seats, seed, own_piles=own_piles)
        outlooks: dict[Any, Any] = {}
        seeds = [seat_seed(seed, seat) for seat in range(seats)]
        self._challengers = [_Seat(challenger, seed, outlooks) for seed in seeds]
        self._champions = [_Seat(champion, seed, outlooks) for seed in seeds]
        self._known: dict[tuple[int, tuple[int, ...]], _Deal] = {}

    def margins(self) -> list[float]:
        """Return the margin of the game with the challenger on each seat."""
        state, events = self._start
        while state.phase is not Phase.GAME_OVER:
            steps: list[_Step] = []
            key = state.deal, state.contracts
            state = _play_on(state, events, self._champions, steps)
            self._known[key] = _Deal(steps, state)
            if state.phase is not Phase.GAME_OVER:
                state, events = next_deal(state)
        return [self._margin(seat) for seat in range(state.seats)]

    def mean(self) -> float:
        """Return the mean margin of the games."""
        return statistics.fmean(self.margins())

    def _margin(self, seat: int) -> float:
        players = [*self._champions]
        players[seat] = self._challengers[seat]
        state, events = self._start
        while state.phase is not Phase.GAME_OVER:
            if state.phase is Phase.DEAL_OVER:
                state, events = next_deal(state)
            known = self._known.get((state.deal, state.contracts))
            if known is None:
                # where each seat has its own contract, champions may never have met these
                state = _play_on(state, events, players)
            else:
                state = _follow(known, state, players, seat)
        totals = state.totals()
        others = (sum(totals) - totals[seat]) / (len(totals) - 1)
        return others - totals[seat]


def _follow(known: _Deal, began: GameState, players: list[_Seat], seat: int) -> GameState:
    """Go along with the deal of champions as far as the challenger plays as one."""
    challenger = players[seat]
    told: list[Event] = []
    for step in known.steps:
        told += step.events
        _tell(challenger, seat, step.events)
        if seat not in step.answers:
            continue
        answer = challenger.ask(step.state, seat)
        if answer == step.answers[seat]:
            continue
        for other, player in enumerate(players):
            if other != seat:
                _tell(player, other, told)
        state = replace(step.state, scores=began.scores)
        return _play_on(*_after(state, {**step.answers, seat: answer}), players)
    return replace(known.ended, scores=(*began.scores, known.ended.scores[-1]))


def _play_on(
    state: GameState,
    events: Sequence[Event],
    players: list[_Seat],
    steps: list[_Step] | None = None,
) -> GameState:
    """Play to the end of the deal, noting the steps if there is a list for them."""
    while state.phase in (Phase.WINDOW, Phase.PLAY):
        for seat, player in enumerate(players):
            _tell(player, seat, events)
        order = (state.turn,) if state.window is None else state.window.order
        answers = {seat: players[seat].ask(state, seat) for seat in order}
        if steps is not None:
            steps.append(_Step(state, answers, events))
        state, events = _after(state, answers)
    return state


def _after(state: GameState, answers: dict[int, Action]) -> tuple[GameState, Sequence[Event]]:
    if state.window is None:
        return apply(state, state.turn, answers[state.turn])
    winner = next((s for s in state.window.order if isinstance(answers[s], Claim)), None)
    return close_window(state, winner)


def _tell(player: _Seat, seat: int, events: Sequence[Event]) -> None:
    if observes(type(player.bot)):
        for event in events:
            player.bot.observe(redact(event, seat))
