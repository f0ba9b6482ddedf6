"""The rules' side of a table: positions, what was said, and answers that are held back."""

from __future__ import annotations

import hashlib

from hollywood.protocol.errors import IllegalActionError
from hollywood.protocol.rules import (
    Action,
    Event,
    GameState,
    Phase,
    RuleSet,
    apply,
    explain,
    next_deal,
    start,
    time_out,
    view,
)
from hollywood.protocol.rules.claims import open_seats
from hollywood.protocol.rules.records import GameRecord, Step, make_record
from hollywood.protocol.wire.messages import Timing

from .chronicle import Chronicle
from .shelf import Shelf

Result = tuple[GameState, tuple[Event, ...]]
Events = tuple[Event, ...]


class Game:
    """One game, the only caller of the rules for it. Every method returns what happened.

    With sealed timing the answers of a window are held back and count together.
    """

    def __init__(
        self,
        rules: RuleSet,
        seats: int,
        seed: bytes,
        timing: Timing,
        *,
        own_piles: bool = False,
        shelf: Shelf | None = None,
    ) -> None:
        self.rules = rules
        self.seats = seats
        self.seed = seed
        self.timing = timing
        self.own_piles = own_piles
        """Whether each seat draws from a pile of its own, as in duplicate deals."""
        self.entropy: tuple[str, ...] = ()
        self.steps = Chronicle[Step](Step, shelf)
        """What was said, for the record."""
        self._state: GameState | None = None
        self._held: dict[int, Action | None] = {}
        """None: the seat has said nothing until its deadline."""

    @property
    def state(self) -> GameState:
        """The position."""
        assert self._state is not None, "the game has not started"
        return self._state

    @property
    def has_started(self) -> bool:
        """Whether there is a position."""
        return self._state is not None

    @property
    def is_over(self) -> bool:
        """Whether it has been played to its end."""
        return self._state is not None and self._state.phase is Phase.GAME_OVER

    @property
    def is_sealed(self) -> bool:
        """Whether what is said now is held back."""
        return self.timing is Timing.SEALED and self.state.window is not None

    def asked(self) -> tuple[int, ...]:
        """The seats that have to say something."""
        state = self.state
        if state.window is None:
            return (state.turn,)
        seats = open_seats(state.window)
        return tuple(s for s in seats if s not in self._held) if self._held else seats

    def start(self, entropy: tuple[str, ...]) -> Events:
        """Deal the first cards; `entropy` is what the seats have added to the seed."""
        self.entropy = entropy
        return self._take_over(
            start(self.rules, self.seats, self.seed, entropy, own_piles=self.own_piles)
        )

    def deal(self) -> Events:
        """Begin the next deal."""
        return self._take_over(next_deal(self.state))

    def check(self, seat: int, action: Action) -> Result | None:
        """Return what an action leads to, None if it is to be held back.

        Raises:
            IllegalActionError: it is not allowed.
        """
        if not self.is_sealed:
            return apply(self.state, seat, action)
        violation = explain(view(self.state, seat), action)
        if violation is not None:
            raise IllegalActionError(violation.text, violation.code)
        return None

    def take(self, seat: int, action: Action, result: Result | None) -> Events:
        """Do what `check` has allowed."""
        if result is None:
            self._held[seat] = action
            return ()
        self.steps.append(Step(seat, action))
        return self._take_over(result)

    def silence(self, seat: int) -> Events:
        """A seat says nothing: its default is done."""
        if self.is_sealed:
            self._held[seat] = None
            return ()
        self.steps.append(Step(seat))
        return self._take_over(time_out(self.state, seat))

    def reveal(self) -> Events:
        """Let the answers count that were held back."""
        held, self._held = self._held, {}
        happened: Events = ()
        for seat, action in held.items():
            if self.state.window is None:
                # decided by those before; who came later has answered for nothing
                break
            self.steps.append(Step(seat, action))
            state = self.state
            happened += self._take_over(
                time_out(state, seat) if action is None else apply(state, seat, action)
            )
        return happened

    def jitter(self) -> float:
        """Return something between 0 and 1 that nobody at the table can foresee."""
        step = len(self.steps).to_bytes(8, "big")
        chance = hashlib.sha256(self.seed + b"beat" + step).digest()
        return int.from_bytes(chance[:4], "big") / 2**32

    def record(self, players: tuple[str, ...], events: Events) -> GameRecord:
        """Return the record of the whole game."""
        return make_record(
            self.rules,
            self.seed,
            players,
            tuple(self.steps),
            events,
            self.entropy,
            own_piles=self.own_piles,
        )

    def _take_over(self, result: Result) -> Events:
        self._state, events = result
        return events
