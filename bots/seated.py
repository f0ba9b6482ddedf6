"""A bot on its seat: its faults are strikes, and after three a stand-in plays on."""

from __future__ import annotations

import msgspec

from hollywood.protocol.rules import Action, Event, Pass, Phase, PlayerView, redact
from hollywood.protocol.rules.offers import default_play

from .api import Bot, BotFaultError, FaultKind, decide, observes

MAX_STRIKES = 3
"""Strikes after which a bot plays no more in a game."""


class Strike(msgspec.Struct, frozen=True):
    """One decision that a bot failed."""

    decision: int
    """The seat's decisions in the game before it."""
    kind: FaultKind
    text: str


class SeatedBot:
    """Asks one bot and never fails: the default is played where the bot does not answer.

    Code in this process is trusted: it can be caught raising and cheating, but not
    hanging or eating memory. Whoever does not trust a bot runs it as a child process
    (`process:`, `child:`).
    """

    def __init__(self, bot: type[Bot], seed: bytes, stand_in: type[Bot] | None = None) -> None:
        self.bot_class = bot
        self.strikes: list[Strike] = []
        self._seed = seed
        self._bot: Bot | None = None
        self._stand_in_class = stand_in
        self._stand_in: Bot | None = None
        self._observes = observes(bot)

    @property
    def is_out(self) -> bool:
        """Whether the bot has had its strikes and the stand-in plays."""
        return self._stand_in is not None

    def ask(self, view: PlayerView, number: int) -> Action:
        """Return the bot's answer, whether legal or not; the default where it has none.

        Args:
            view: What the seat knows.
            number: The seat's decisions in the game before this one.
        """
        if self._stand_in is not None:
            return decide(self._stand_in, view, number)
        try:
            return decide(self._bot or self._the_bot(), view, number)
        except BotFaultError as error:
            self._strike(number, error.kind, str(error))
            return default_action(view)

    def refuse(self, view: PlayerView, number: int, why: str) -> Action:
        """Note that an answer was illegal; return the default, which is played."""
        self._strike(number, FaultKind.ILLEGAL, f"{self.bot_class.__name__} answered: {why}")
        return default_action(view)

    def observe(self, event: Event, seat: int | None, number: int) -> None:
        """Tell the bot of an event, if it wants to be told; `seat` is None if it is redacted."""
        if not self._observes or self._stand_in is not None:
            return
        try:
            self._the_bot().observe(event if seat is None else redact(event, seat))
        except BotFaultError as error:
            self._strike(number, error.kind, str(error))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - any fault of the bot's
            name = self.bot_class.__name__
            text = f"{name}.observe raised {type(error).__name__}: {error}"
            self._strike(number, FaultKind.EXCEPTION, text)

    def close(self) -> None:
        """Let the bot go; what it started is ended."""
        bot, self._bot = self._bot, None
        if bot is None:
            return
        try:
            bot.close()
        except (Exception, SystemExit):  # noqa: BLE001 - the game is over: nothing to strike
            return

    def _the_bot(self) -> Bot:
        if self._bot is None:
            try:
                self._bot = self.bot_class(self._seed)
            except (Exception, SystemExit) as error:
                name = self.bot_class.__name__
                text = f"{name} could not start: {type(error).__name__}: {error}"
                raise BotFaultError(FaultKind.EXCEPTION, text) from error
        return self._bot

    def _strike(self, number: int, kind: FaultKind, text: str) -> None:
        self.strikes.append(Strike(number, kind, text))
        if len(self.strikes) >= MAX_STRIKES and self._stand_in is None:
            self.close()
            self._stand_in = (self._stand_in_class or _greedy())(self._seed)


def default_action(view: PlayerView) -> Action:
    """Return what is done for a seat that does not answer."""
    return Pass() if view.phase is Phase.WINDOW else default_play(view)


def _greedy() -> type[Bot]:
    from .builtin.greedy import GreedyBot

    return GreedyBot
