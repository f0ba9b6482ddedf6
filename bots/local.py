"""A whole game in one process, without a network."""

from __future__ import annotations

from collections.abc import Sequence

from hollywood.protocol.errors import IllegalActionError
from hollywood.protocol.rules import (
    Action,
    Claim,
    Event,
    GameRecord,
    GameState,
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
from hollywood.protocol.rules.transitions import close_window

from .api import Bot, observes
from .results import GameResult, deal_result
from .seated import SeatedBot, Strike

_PLAY, _GAME_OVER = Phase.PLAY, Phase.GAME_OVER


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
    game = LocalGame(rules, bots, seed, keeps_record=False)
    game.play()
    return game.result(_called(bots, names))


def play_recorded(
    rules: RuleSet, bots: Sequence[type[Bot]], seed: bytes, names: Sequence[str] = ()
) -> tuple[GameResult, GameRecord]:
    """Play one game as `play_game` does; return its record, too."""
    called = _called(bots, names)
    game = LocalGame(rules, bots, seed)
    game.play()
    return game.result(called), game.record(called)


def _called(bots: Sequence[type[Bot]], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(names) or tuple(bot.__name__ for bot in bots)


class LocalGame:
    """One game with a bot on each seat; what is measured of it, a subclass adds."""

    def __init__(
        self,
        rules: RuleSet,
        bots: Sequence[type[Bot]],
        seed: bytes,
        *,
        own_piles: bool = False,
        keeps_record: bool = True,
    ) -> None:
        self.seed = seed
        self.own_piles = own_piles
        self.keeps_record = keeps_record
        """Whether steps and events are kept; nobody asks for them in most games."""
        self.bots = [SeatedBot(bot, seat_seed(seed, seat)) for seat, bot in enumerate(bots)]
        self.asked = [0] * len(bots)
        """How many decisions each seat was asked for."""
        self.steps: list[Step] = []
        self.events: list[Event] = []
        self.deals: list[tuple[GameState, DealEnded]] = []
        """Of each deal that is over the state then, and the event."""
        # only who observes is told: redacting for everybody would double the work
        self._observers = [seat for seat, bot in enumerate(bots) if observes(bot)]
        self.state, events = start(rules, len(bots), seed, own_piles=own_piles)
        self._tell(events)

    def play(self) -> None:
        """Play until the game is over."""
        try:
            state = self.state
            while state.phase is not _GAME_OVER:
                if state.window is not None:
                    self._ask_all(state, state.window.order)
                elif state.phase is _PLAY:
                    self._ask_one(state, state.turn)
                else:
                    self.state, events = next_deal(state)
                    self._tell(events)
                state = self.state
        finally:
            for bot in self.bots:
                bot.close()

    def result(self, names: tuple[str, ...]) -> GameResult:
        """Return the result of the game that is over."""
        state = self.state
        return GameResult(
            seed=self.seed.hex(),
            bots=names,
            scores=state.totals(),
            winners=state.winners,
            decisions=sum(self.asked),
            deals=tuple(deal_result(after, ended) for after, ended in self.deals),
            strikes=self.strikes(),
        )

    def record(self, names: tuple[str, ...]) -> GameRecord:
        """Return the record of the game that is over."""
        assert self.keeps_record, "this game was played without one"
        rules, steps, events = self.state.rules, tuple(self.steps), tuple(self.events)
        return make_record(rules, self.seed, names, steps, events, own_piles=self.own_piles)

    def strikes(self) -> tuple[tuple[Strike, ...], ...]:
        """Every seat's strikes; () if there are none at all."""
        found = tuple(tuple(bot.strikes) for bot in self.bots)
        return found if any(found) else ()

    def ask(self, seat: int) -> Action:
        """Ask a seat for its decision."""
        number = self.asked[seat]
        self.asked[seat] = number + 1
        return self.bots[seat].ask(view(self.state, seat), number)

    def happened(self, events: Sequence[Event]) -> None:
        """Note what answers have led to, in the state after it."""
        if self.keeps_record or self._observers:
            self._tell(events)
        state = self.state
        if state.window is None and state.phase is not _PLAY:
            ended = next(event for event in events if isinstance(event, DealEnded))
            self.deals.append((state, ended))

    def _ask_all(self, state: GameState, order: tuple[int, ...]) -> None:
        """Ask in the order of priority; answers after the first claim are not heard."""
        winner = None
        for seat in order:
            answer = self.ask(seat)
            if winner is None:
                if self.keeps_record:
                    self.steps.append(Step(seat, answer))
                if isinstance(answer, Claim):
                    winner = seat
        self.state, events = close_window(state, winner)
        self.happened(events)

    def _ask_one(self, state: GameState, seat: int) -> None:
        action = self.ask(seat)
        try:
            self.state, events = apply(state, seat, action)
        except IllegalActionError as error:
            why = f"{action}: {error}"
            action = self.bots[seat].refuse(view(state, seat), self.asked[seat] - 1, why)
            self.state, events = apply(state, seat, action)
        if self.keeps_record:
            self.steps.append(Step(seat, action))
        self.happened(events)

    def _tell(self, events: Sequence[Event]) -> None:
        if self.keeps_record:
            self.events += events
        for seat in self._observers:
            for event in events:
                self.bots[seat].observe(event, seat, self.asked[seat])
