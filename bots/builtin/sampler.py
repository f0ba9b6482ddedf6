"""Tries its answers out in worlds that it might be in, before it gives one.

Depth one, sparsely sampled: for a few answers that the planner finds good, a number of
worlds are drawn that agree with all the seat knows, each is played on with every answer
to the seat's next turn, and what is reached is estimated. The planner's own answer
stands unless another is better by more than chance.
"""

from __future__ import annotations

import math

from msgspec.structs import replace

from hollywood.bots.options import option
from hollywood.protocol.rules import (
    Action,
    Card,
    Claim,
    GameState,
    Pass,
    Play,
    PlayerView,
)
from hollywood.protocol.rules.cards import add_cards
from hollywood.protocol.rules.sampling import sample

from .counter import CounterBot
from .rollout import Rollouts

_FEWEST_WORLDS = 4
_MOST_WORLDS = 64


class SamplerBot(CounterBot):
    """Plays its answers through in sampled worlds, and takes what comes out best."""

    is_quick = False
    decisions: int = option(200, "decisions played through for one of its own", least=1)
    seconds: float = option(0.0, "seconds for one of its own, 0: no limit", least=0.0)
    answers: int = option(3, "how many discards it tries", least=1)
    sureness: float = option(1.5, "standard errors by which another answer must be better", 0.0)

    def __init__(self, seed: bytes = bytes(32)) -> None:
        super().__init__(seed)
        self._rollouts = Rollouts()

    def wants(self, view: PlayerView) -> bool:
        """Claim what the planner claims, and what comes out better than passing."""
        if super().wants(view):
            return True
        if view.upcard is None or view.is_down or view.takes_all_cards:
            return False
        return isinstance(self._best(view, [Pass(), Claim()]), Claim)

    def play(self, view: PlayerView) -> Play:
        """Throw what comes out best; going down and after is the planner's."""
        play = super().play(view)
        if view.is_down or view.takes_all_cards or play.melds:
            return play
        tried: list[Action] = [Play(discard=card) for card in self._throws(view)[: self.answers]]
        best = self._best(view, tried)
        assert isinstance(best, Play)
        return best

    def _best(self, view: PlayerView, tried: list[Action]) -> Action:
        """Return the first of the answers, or another that is better by more than chance."""
        if len(tried) == 1:
            return tried[0]
        gains: list[list[float]] = [[] for _ in tried[1:]]
        rollouts, before = self._rollouts, self._rollouts.decisions
        for world_number in range(_MOST_WORLDS):
            if world_number >= _FEWEST_WORLDS and not self.budget.is_left:
                break
            world = self._world(view)
            first = rollouts.value(world, view.me, tried[0])
            for others, action in zip(gains, tried[1:], strict=True):
                others.append(rollouts.value(world, view.me, action) - first)
            self.budget.spend(rollouts.decisions - before)
            before = rollouts.decisions
        surplus = [_surplus(others, self.sureness) for others in gains]
        best = max(range(len(surplus)), key=surplus.__getitem__)
        return tried[best + 1] if surplus[best] > 0 else tried[0]

    def _world(self, view: PlayerView) -> GameState:
        """A world in which the others hold better hands the longer they have played.

        A hand that was dealt is any hand; one that was played holds what its seat kept.
        So for each round of turns another draw is made, and the nearer one is taken.
        """
        shown = self._memory.seats
        taken = [seat.taken for seat in shown] if len(shown) == view.seats else []
        world = sample(view, self.rng, taken)
        draws = min(3, view.turns // view.seats)
        for seat in range(view.seats):
            if seat != view.seat and view.went_down[seat] is None and view.is_playing(seat):
                for _ in range(draws):
                    world = self._redraw(world, seat, taken[seat] if taken else [])
                    self.budget.spend()
        return world

    def _redraw(self, world: GameState, seat: int, kept: list[Card]) -> GameState:
        """Change a few of the seat's cards for some of the stock, if that brings it nearer."""
        hand, stock = list(world.hands[seat]), list(world.stock)
        for card in kept:
            hand.remove(card)
        if not hand or not stock:
            return world
        for _ in range(min(3, len(hand), len(stock))):
            i, k = int(self.rng.random() * len(hand)), int(self.rng.random() * len(stock))
            hand[i], stock[k] = stock[k], hand[i]
        drawn = add_cards((), [*hand, *kept])
        away, round_ = self._rollouts.distance, world.contracts[seat]
        if away(drawn, round_, world.rules) >= away(world.hands[seat], round_, world.rules):
            return world
        hands = (*world.hands[:seat], drawn, *world.hands[seat + 1 :])
        return replace(world, hands=hands, order=tuple(stock), drawn=0)


def _surplus(gains: list[float], sureness: float) -> float:
    """What is surely gained: the mean less so many standard errors."""
    n = len(gains)
    mean = sum(gains) / n
    variance = sum([(gain - mean) ** 2 for gain in gains]) / max(1, n - 1)
    return mean - sureness * math.sqrt(variance / n)
