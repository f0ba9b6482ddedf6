"""What a bot must write: two methods.

    class MyBot(Bot):
        def wants(self, view): ...   # the upcard, free on my turn, else bought
        def play(self, view): ...    # a whole turn: Play(melds, lay_offs, discard)

The same class plays in process (`local`), over TCP (`runner`) and as a house bot
of a server, and decides the same in all three.
"""

from __future__ import annotations

import hashlib
import random
from abc import ABC, abstractmethod

from hollywood.protocol.errors import BotError
from hollywood.protocol.rules import Action, Claim, Pass, Phase, Play, PlayerView


class Bot(ABC):
    """A player. One instance sits on one seat for one game."""

    def __init__(self, seed: bytes = bytes(32)) -> None:
        self.seed = seed
        """32 bytes that the game gives this seat for its chance."""
        self._rng = random.Random(0)
        self._number = 0
        self._is_seeded = False

    @abstractmethod
    def wants(self, view: PlayerView) -> bool:
        """Whether this seat claims the upcard, `view.upcard`.

        Free when `view.is_my_turn`, else bought with penalty cards.
        """

    @abstractmethod
    def play(self, view: PlayerView) -> Play:
        """The whole turn after the draw."""

    @property
    def rng(self) -> random.Random:
        """Chance for the decision at hand.

        Derived anew from (seed, decision), so that a bot decides the same
        whoever else is asked and wherever it runs. Take `random()` from it: of
        all its methods only that one is promised to stay the same between
        versions of Python.
        """
        if not self._is_seeded:
            digest = hashlib.sha256(self.seed + self._number.to_bytes(8, "big")).digest()
            self._rng.seed(int.from_bytes(digest, "big"))
            self._is_seeded = True
        return self._rng

    def begin_decision(self, number: int) -> None:
        """Called before decision `number` of this seat in the game, counted from 0."""
        self._number = number
        self._is_seeded = False


def decide(bot: Bot, view: PlayerView, number: int) -> Action:
    """Ask a bot for its decision; this is where a bot's faults are caught.

    Args:
        bot: The bot on the view's seat.
        view: What the seat knows.
        number: The seat's decisions in the game before this one.

    Raises:
        BotError: the bot raised, or returned something that is no answer.
    """
    name = type(bot).__name__
    bot.begin_decision(number)
    try:
        if view.phase is Phase.WINDOW:
            return Claim() if bot.wants(view) else Pass()
        play = bot.play(view)
    except Exception as error:
        raise BotError(f"{name} raised {type(error).__name__}: {error}") from error
    if not isinstance(play, Play):
        raise BotError(f"{name}.play returned {type(play).__name__}, not a Play")
    return play
