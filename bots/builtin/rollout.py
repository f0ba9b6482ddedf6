"""Playing on in a sampled world, fast, and what a position is worth to each seat."""

from __future__ import annotations

from hollywood.protocol.rules import (
    Action,
    Card,
    Claim,
    GameState,
    Hand,
    Pass,
    Phase,
    Play,
    PlayerView,
    RuleSet,
    apply,
    may_go_down,
    next_discards,
    suggest_play,
    view,
    wants_upcard,
)
from hollywood.protocol.rules.laydowns import Outlook, outlook

from .worth import worth

_MOST_OUTLOOKS = 20_000
_NEVER = 99


class Rollouts:
    """A simple player for all seats: claims what helps, throws the dearest it can spare.

    One instance serves one bot for one game: it remembers what hands lack.
    """

    def __init__(self) -> None:
        self._outlooks: dict[tuple[Hand, int], Outlook] = {}
        self.decisions = 0
        """Decisions played through so far."""

    def value(self, state: GameState, me: int, action: Action) -> float:
        """Return what an answer leads to: the others' points less mine, by and by.

        Played on to the next turn of this seat, and estimated from there.

        Args:
            state: A world in which the seat is asked.
            me: The seat.
            action: Its answer.
        """
        deals, turns = len(state.scores), state.turns
        state = self._answer_all(state, me, action)
        while len(state.scores) == deals and not (
            state.turn == me and state.turns > turns and state.window is not None
        ):
            if state.turns > turns + 2 * state.seats:
                break
            state = self._step(state)
        if len(state.scores) > deals:
            return _margin([float(points) for points in state.scores[-1]], me)
        return _margin(self._worths(state), me)

    def distance(self, hand: Hand, round_: int, rules: RuleSet) -> int:
        """Return how far a hand is from its contract, `_NEVER` if no card could help."""
        away = self._outlook(hand, round_, rules).distance
        return _NEVER if away is None else away

    def _answer_all(self, state: GameState, me: int, action: Action) -> GameState:
        if state.window is None:
            return apply(state, me, action)[0]
        for seat in state.window.order:
            if state.window is None:
                break
            said = action if seat == me else self._decide(state, seat)
            state = apply(state, seat, said)[0]
        return state

    def _step(self, state: GameState) -> GameState:
        if state.window is None:
            return apply(state, state.turn, self._decide(state, state.turn))[0]
        for seat in state.window.order:
            if state.window is None:
                break
            state = apply(state, seat, self._decide(state, seat))[0]
        return state

    def _decide(self, state: GameState, seat: int) -> Action:
        self.decisions += 1
        seen = view(state, seat)
        if state.phase is Phase.WINDOW:
            return Claim() if self._wants(seen) else Pass()
        return self._play(seen)

    def _wants(self, seen: PlayerView) -> bool:
        if seen.is_down or seen.takes_all_cards:
            return wants_upcard(seen)
        return seen.upcard in self._outlook(seen.hand, seen.round, seen.rules).useful

    def _play(self, seen: PlayerView) -> Play:
        if seen.is_down or seen.takes_all_cards:
            return suggest_play(seen)
        now = self._outlook(seen.hand, seen.round, seen.rules)
        if now.distance == 0 and may_go_down(seen):
            return suggest_play(seen)
        points = seen.rules.points

        def cost(card: Card) -> tuple[int, int, Card]:
            away = now.after_discards[card]
            return _NEVER if away is None else away, -points[card], card

        return Play(discard=min(next_discards(seen, Play()), key=cost))

    def _worths(self, state: GameState) -> list[float]:
        away = [
            0
            if state.went_down[seat] is not None or round_ >= len(state.rules.rounds)
            else self.distance(state.hands[seat], round_, state.rules)
            for seat, round_ in enumerate(state.contracts)
        ]
        return worth(state, away)

    def _outlook(self, hand: Hand, round_: int, rules: RuleSet) -> Outlook:
        key = hand, round_
        found = self._outlooks.get(key)
        if found is None:
            if len(self._outlooks) >= _MOST_OUTLOOKS:
                self._outlooks.clear()
            found = outlook(hand, rules.contracts[round_], rules, round_)
            self._outlooks[key] = found
        return found


def _margin(points: list[float], me: int) -> float:
    return (sum(points) - points[me]) / (len(points) - 1) - points[me]
