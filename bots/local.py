"""A whole game in one process, without a network."""

from __future__ import annotations

from collections.abc import Sequence

from hollywood.protocol.errors import IllegalActionError
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

from .api import Bot, observes
from .results import DealResult, GameResult, deal_result
from .seated import SeatedBot, Strike


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

    Returns:
        The result. A bot that fails loses no game for the others: its strikes are
        part of the result (`seated`).
    """
    return _play(rules, bots, seed).result(_called(bots, names))


def play_recorded(
    rules: RuleSet, bots: Sequence[type[Bot]], seed: bytes, names: Sequence[str] = ()
) -> tuple[GameResult, GameRecord]:
    """Play one game as `play_game` does; return its record, too."""
    called = _called(bots, names)
    table = _play(rules, bots, seed)
    record = make_record(rules, seed, called, tuple(table.steps), tuple(table.events))
    return table.result(called), record


def _called(bots: Sequence[type[Bot]], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(names) or tuple(bot.__name__ for bot in bots)


def _play(rules: RuleSet, bots: Sequence[type[Bot]], seed: bytes) -> _LocalTable:
    table = _LocalTable(rules, bots, seed)
    try:
        while table.state.phase is not Phase.GAME_OVER:
            table.step()
    finally:
        table.close()
    return table


class _LocalTable:
    def __init__(self, rules: RuleSet, bots: Sequence[type[Bot]], seed: bytes) -> None:
        self.seed = seed
        self.bots = [SeatedBot(bot, seat_seed(seed, seat)) for seat, bot in enumerate(bots)]
        self.asked = [0] * len(bots)
        self.deals: list[DealResult] = []
        self.steps: list[Step] = []
        self.events: list[Event] = []
        # only who observes is told: redacting for everybody would double the work
        self._observers = [seat for seat, bot in enumerate(bots) if observes(bot)]
        self.state, events = start(rules, len(bots), seed)
        self._tell(events)

    def result(self, names: tuple[str, ...]) -> GameResult:
        state = self.state
        return GameResult(
            seed=self.seed.hex(),
            bots=names,
            scores=state.totals(),
            winners=state.winners,
            decisions=sum(self.asked),
            deals=tuple(self.deals),
            strikes=self.strikes(),
        )

    def step(self) -> None:
        state = self.state
        if state.phase is Phase.DEAL_OVER:
            self.state, events = next_deal(state)
            self._tell(events)
        elif state.window is not None:
            answers = [(seat, self._ask(seat)) for seat in state.window.order]
            for seat, action in answers:
                if self.state.window is not None:
                    self._apply(seat, action)
        else:
            self._apply(state.turn, self._ask(state.turn))

    def close(self) -> None:
        for bot in self.bots:
            bot.close()

    def strikes(self) -> tuple[tuple[Strike, ...], ...]:
        """Every seat's strikes; () if there are none at all."""
        found = tuple(tuple(bot.strikes) for bot in self.bots)
        return found if any(found) else ()

    def _ask(self, seat: int) -> Action:
        number = self.asked[seat]
        self.asked[seat] += 1
        return self.bots[seat].ask(view(self.state, seat), number)

    def _apply(self, seat: int, action: Action) -> None:
        try:
            self.state, events = apply(self.state, seat, action)
        except IllegalActionError as error:
            seen = view(self.state, seat)
            action = self.bots[seat].refuse(seen, self.asked[seat] - 1, f"{action}: {error}")
            self.state, events = apply(self.state, seat, action)
        self.steps.append(Step(seat, action))
        if not events:
            return  # an answer in a window that is open still
        self._tell(events)
        if self.state.window is None and self.state.phase is not Phase.PLAY:
            ended = next(event for event in events if isinstance(event, DealEnded))
            self.deals.append(deal_result(self.state, ended))

    def _tell(self, events: Sequence[Event]) -> None:
        self.events += events
        for seat in self._observers:
            for event in events:
                self.bots[seat].observe(event, seat, self.asked[seat])
