"""Bots of the server's own on seats: house bots, and stand-ins for who is away."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import partial

from hollywood.bots import Bot
from hollywood.bots.api import observes
from hollywood.bots.seated import SeatedBot
from hollywood.protocol.rules import Action, Event, PlayerView

log = logging.getLogger("hollywood.server.sitters")

Work = Callable[[], Action]
Ponder = Callable[[Work, Callable[[Action], None]], None]
"""Does work elsewhere and hands over what comes out, later."""


class Sitter:
    """One bot on one seat. It never fails: what it does not answer is the default."""

    def __init__(
        self, bot: type[Bot], seat: int, seed: bytes, happened: Iterable[Event] = ()
    ) -> None:
        self.bot_class = bot
        self.is_thinking = False
        """Whether it is asked, and the answer has not come yet."""
        self._seat = seat
        self._seated = SeatedBot(bot, seed)
        self._observes = observes(bot)
        self._unheard: list[Event] = list(happened) if self._observes else []

    @property
    def is_quick(self) -> bool:
        """Whether it may be asked while everybody waits."""
        return self.bot_class.is_quick

    def hear(self, events: Iterable[Event]) -> None:
        """Something has happened; a bot that observes is told before it is asked again."""
        if self._observes:
            self._unheard.extend(events)

    def work_on(self, view: PlayerView, number: int) -> Work:
        """Return the work that answers decision `number`; no other may run meanwhile."""
        unheard, self._unheard = self._unheard, []
        return partial(self._think, unheard, view, number)

    def _think(self, unheard: list[Event], view: PlayerView, number: int) -> Action:
        for event in unheard:
            self._seated.observe(event, self._seat, number)
        strikes = len(self._seated.strikes)
        action = self._seated.ask(view, number)
        self._report(strikes)
        return action

    def refuse(self, view: PlayerView, number: int, why: str) -> Action:
        """Say that the answer was illegal; return the default."""
        strikes = len(self._seated.strikes)
        action = self._seated.refuse(view, number, why)
        self._report(strikes)
        return action

    def _report(self, before: int) -> None:
        for strike in self._seated.strikes[before:]:
            log.warning("a house bot on seat %d failed: %s", self._seat, strike.text)
