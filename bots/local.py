"""A whole game in one process, without a network."""

from __future__ import annotations

from collections.abc import Sequence

from hollywood.protocol.errors import BotError, IllegalActionError
from hollywood.protocol.rules import (
    Action,
    Event,
    GameRecord,
    Phase,
    RuleSet,
    apply,
    next_deal,
    seat_seed,
    start,
    view,
)
from hollywood.protocol.rules.events import DealEnded
from hollywood.protocol.rules.records import Step, make_record

from .api import Bot, decide
from .results import DealResult, GameResult, deal_result


def play_game(
    rules: RuleSet, bots: Sequence[type[Bot]], seed: bytes, names: Sequence[str] = ()
) -> GameResult:
    """Play one game, the first bot on seat 0.

    Every seat that is asked decides, even if its answer no longer matters: so the
    same seed and bots give the same game over TCP, where all are asked at once.

    Args:
        rules: The rule set.
        bots: One class for each seat.
        seed: The game's 32 bytes.
        names: What the result calls the bots, their classes' names if not given.

    Raises:
        BotError: a bot raised or answered with something illegal.
    """
    return play_recorded(rules, bots, seed, names)[0]


def play_recorded(
    rules: RuleSet, bots: Sequence[type[Bot]], seed: bytes, names: Sequence[str] = ()
) -> tuple[GameResult, GameRecord]:
    """Play one game as `play_game` does; return its record, too."""
    called = tuple(names) or tuple(bot.__name__ for bot in bots)
    table = _LocalTable(rules, bots, seed)
    while table.state.phase is not Phase.GAME_OVER:
        table.step()
    state = table.state
    result = GameResult(
        seed=seed.hex(),
        bots=called,
        scores=state.totals(),
        winners=state.winners,
        decisions=sum(table.asked),
        deals=tuple(table.deals),
    )
    return result, make_record(rules, seed, called, tuple(table.steps), tuple(table.events))


class _LocalTable:
    def __init__(self, rules: RuleSet, bots: Sequence[type[Bot]], seed: bytes) -> None:
        self.state, events = start(rules, len(bots), seed)
        self.bots = [bot(seat_seed(seed, seat)) for seat, bot in enumerate(bots)]
        self.asked = [0] * len(bots)
        self.deals: list[DealResult] = []
        self.steps: list[Step] = []
        self.events: list[Event] = [*events]

    def step(self) -> None:
        state = self.state
        if state.phase is Phase.DEAL_OVER:
            self.state, events = next_deal(state)
            self.events += events
        elif state.window is not None:
            answers = [(seat, self._ask(seat)) for seat in state.window.order]
            for seat, action in answers:
                if self.state.window is not None:
                    self._apply(seat, action)
        else:
            self._apply(state.turn, self._ask(state.turn))

    def _ask(self, seat: int) -> Action:
        number = self.asked[seat]
        self.asked[seat] += 1
        return decide(self.bots[seat], view(self.state, seat), number)

    def _apply(self, seat: int, action: Action) -> None:
        try:
            self.state, events = apply(self.state, seat, action)
        except IllegalActionError as error:
            name = type(self.bots[seat]).__name__
            raise BotError(f"{name} on seat {seat} answered {action}: {error}") from error
        self.steps.append(Step(seat, action))
        self.events += events
        for event in events:
            if isinstance(event, DealEnded):
                self.deals.append(deal_result(self.state, event))
