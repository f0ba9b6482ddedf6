"""What a bot must write: two methods.

    class MyBot(Bot):
        def wants(self, view): ...   # the upcard, free on my turn, else bought
        def play(self, view): ...    # a whole turn: Play(melds, lay_offs, discard)

The same class plays in process (`local`), over TCP (`runner`), as a child process
(`pipe`) and as a house bot of a server, and decides the same in all four.
"""

from __future__ import annotations

import copyreg
import random
from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Callable
from enum import StrEnum
from typing import Any, ClassVar

import msgspec

from hollywood.protocol.errors import BotError
from hollywood.protocol.rules import Action, Claim, Event, Pass, Phase, Play, PlayerView
from hollywood.protocol.rules.cards import ORDER

from .budget import Budget
from .chance import Chance
from .options import Option


class FaultKind(StrEnum):
    """How a bot can fail a decision."""

    ILLEGAL = "illegal"
    """Its answer is none, or the rules do not allow it."""
    EXCEPTION = "exception"
    """It raised."""
    TIMEOUT = "timeout"
    """Its answer did not come in time."""
    CRASH = "crash"
    """Its process ended, or was ended for the memory or processes it took."""
    HANG = "hang"
    """It still owes the answer before this one."""


class BotFaultError(BotError):
    """A bot failed a decision."""

    def __init__(self, kind: FaultKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class BotType(ABCMeta):
    """The type of bot classes: collects their options, and finds them again elsewhere.

    A bot that was loaded from a file or with options has no name to import; in
    another process it is loaded anew by its `spec`.
    """

    options: dict[str, Option]

    def __new__(mcs, name: str, bases: tuple[type, ...], names: dict[str, Any]) -> BotType:
        """Make a class whose options are its defaults, and its parents' options its own."""
        declared = {key: value for key, value in names.items() if isinstance(value, Option)}
        names.update({key: found.default for key, found in declared.items()})
        cls = super().__new__(mcs, name, bases, names)
        inherited = [getattr(base, "options", {}) for base in reversed(bases)]
        cls.options = {}
        for options in (*inherited, declared):
            cls.options.update(options)
        return cls


def _reduce(bot: type[Bot]) -> str | tuple[Callable[[str], type[Bot]], tuple[str]]:
    if not bot.spec:
        return bot.__qualname__
    from .loading import load_bot

    return load_bot, (bot.spec,)


copyreg.pickle(BotType, _reduce)  # type: ignore[arg-type]


class Bot(ABC, metaclass=BotType):
    """A player. One instance sits on one seat for one game."""

    options: ClassVar[dict[str, Option]]
    """What its user may choose, by name: the class attributes set with `option`."""
    spec: ClassVar[str] = ""
    """How it was named, where its class alone cannot be found again."""
    is_quick: ClassVar[bool] = True
    """Whether it answers within milliseconds; if not, a server lets it think in a thread."""

    decisions: int = 0
    """Its budget for one decision, in decisions played through; a bot that searches
    declares it as an option. 0: no limit."""
    seconds: float = 0.0
    """The same in seconds."""

    def __init__(self, seed: bytes = bytes(32)) -> None:
        self.seed = seed
        """32 bytes that the game gives this seat for its chance."""
        self._budget: Budget | None = None
        self._rng: Chance | None = None
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

    def observe(self, event: Event) -> None:
        """Told of every event of the game as this seat sees it, before the next decision.

        For what a view does not say: who took which card. A bot that comes to a game
        late, or comes back to it, has missed some.
        """

    def close(self) -> None:
        """The game is over for this bot."""

    @property
    def budget(self) -> Budget:
        """What is left to think for the decision at hand."""
        if self._budget is None:
            self._budget = Budget(self.decisions)
        return self._budget

    @property
    def rng(self) -> random.Random:
        """Chance for the decision at hand.

        Derived anew from (seed, decision), so that a bot decides the same
        whoever else is asked and wherever it runs. Take `random()` from it: of
        all its methods only that one is promised to stay the same between
        versions of Python.
        """
        rng = self._rng
        if rng is None:
            rng = self._rng = Chance()
        if not self._is_seeded:
            rng.begin(self.seed, self._number)
            self._is_seeded = True
        return rng

    def begin_decision(self, number: int) -> None:
        """Called before decision `number` of this seat in the game, counted from 0."""
        self._number = number
        self._is_seeded = False
        # a clock starts now; a count may wait until somebody looks at it
        self._budget = Budget(self.decisions, self.seconds) if self.seconds else None


def observes(bot: type[Bot]) -> bool:
    """Whether a bot of that class wants to be told of events."""
    return bot.observe is not Bot.observe


# names of the module, since members of an enum are looked up three times as long
_WINDOW = Phase.WINDOW
_CLAIM, _PASS = Claim(), Pass()
_NOTHING: tuple[Any, ...] = ()
"""There is only one empty tuple; another object that is equal is looked at in full."""

_encode = msgspec.msgpack.Encoder().encode
_decode_play = msgspec.msgpack.Decoder(Play).decode


def decide(bot: Bot, view: PlayerView, number: int) -> Action:
    """Ask a bot for its decision; this is where a bot's faults are caught.

    Args:
        bot: The bot on the view's seat.
        view: What the seat knows.
        number: The seat's decisions in the game before this one.

    Raises:
        BotFaultError: the bot raised, or returned something that is no answer.
            Whether the rules allow the answer is not looked at.
    """
    bot.begin_decision(number)
    try:
        if view.phase is _WINDOW:
            return _CLAIM if bot.wants(view) else _PASS
        play = bot.play(view)
    except BotFaultError:
        raise
    # a bot that exits must not end the referee
    except (Exception, SystemExit) as error:
        text = f"{type(bot).__name__} raised {type(error).__name__}: {error}"
        raise BotFaultError(FaultKind.EXCEPTION, text) from error
    if not isinstance(play, Play):
        text = f"{type(bot).__name__}.play returned {type(play).__name__}, not a Play"
        raise BotFaultError(FaultKind.ILLEGAL, text)
    try:
        # a Play holds whatever was put into it; the rules rely on its types
        if _only_discards(play):
            return play
        return _decode_play(_encode(play))
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
        text = f"{type(bot).__name__}.play returned no Play that can be sent: {error}"
        raise BotFaultError(FaultKind.ILLEGAL, text) from error


def _only_discards(play: Play) -> bool:
    """Whether it is plain to see that the Play, like most, is a card thrown and no more."""
    discard = play.discard
    return (
        type(play) is Play
        and play.melds is _NOTHING
        and play.lay_offs is _NOTHING
        and play.swaps is _NOTHING
        and type(discard) is str
        and discard in ORDER
    )
