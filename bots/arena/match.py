"""Games and deal sets. This is what runs in workers, so it needs no extra packages."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Iterable, Sequence
from functools import lru_cache
from time import perf_counter_ns

import msgspec

from hollywood.bots.api import Bot
from hollywood.bots.local import LocalGame
from hollywood.protocol.rules import (
    Action,
    Event,
    GameRecord,
    GameState,
    RuleSet,
    game_seed,
    seed_from_text,
    useful_cards,
    view,
)
from hollywood.protocol.rules.cards import remove_cards
from hollywood.protocol.rules.events import DealEnded, Drew
from hollywood.protocol.rules.records import Step, replay

from .event import Setup, bot_classes
from .lines import DealLine, GameLine, SetLine, StrikeLine, Unit, encode_set, seat_of

_THOUSAND = 1000
_LONGEST_TEXT = 200
_encode = msgspec.msgpack.Encoder().encode


class Played(msgspec.Struct, frozen=True):
    """A game and the time each seat thought."""

    line: GameLine
    decisions: tuple[int, ...]
    nanoseconds: tuple[int, ...]
    longest: tuple[int, ...]
    record: GameRecord | None


class BotTime(msgspec.Struct, array_like=True):
    """What one bot used of the clock."""

    decisions: int = 0
    nanoseconds: int = 0
    longest: int = 0

    def add(self, decisions: int, nanoseconds: int, longest: int) -> None:
        """Add decisions and the time they took."""
        self.decisions += decisions
        self.nanoseconds += nanoseconds
        self.longest = max(self.longest, longest)


class Batch(msgspec.Struct):
    """What a worker gives back."""

    sets: list[bytes]
    """Each a `SetLine` as JSON."""
    host: str
    seconds: float
    times: dict[int, BotTime]
    """By number of the bot."""


def play_batch(setup: bytes, units: Sequence[Unit]) -> Batch:
    """Play deal sets; `setup` is the event's, as `encode_setup` gives it."""
    began = perf_counter_ns()
    ready, bots = _ready(setup)
    times: dict[int, BotTime] = {}
    sets = [encode_set(play_set(ready, bots, unit, times)) for unit in units]
    seconds = (perf_counter_ns() - began) / 1e9
    return Batch(sets, socket.gethostname(), seconds, times)


def encode_setup(setup: Setup) -> bytes:
    """Return an event as bytes to send to workers."""
    return msgspec.msgpack.encode(setup)


@lru_cache(maxsize=4)
def _ready(setup: bytes) -> tuple[Setup, tuple[type[Bot], ...]]:
    ready = msgspec.msgpack.decode(setup, type=Setup)
    return ready, bot_classes(ready)


def play_set(
    setup: Setup, bots: Sequence[type[Bot]], unit: Unit, times: dict[int, BotTime]
) -> SetLine:
    """Play one deal in all rotations of the seats; add to the bots' times."""
    seats = len(unit.bots)
    games = []
    for rotation in range(seats):
        seated = seating(unit.bots, rotation)
        played = play(
            setup.rules,
            [bots[bot] for bot in seated],
            deal_seed(setup, unit.deal),
            own_piles=setup.event.own_piles,
            luck=setup.event.luck,
        )
        games.append(played.line)
        used = zip(seated, played.decisions, played.nanoseconds, played.longest, strict=True)
        for bot, *time in used:
            times.setdefault(bot, BotTime()).add(*time)
    return SetLine(unit.index, unit.round, unit.deal, unit.table, unit.bots, tuple(games))


def seating(bots: Sequence[int], rotation: int) -> tuple[int, ...]:
    """Return who sits where in that game of a set.

    >>> seating((7, 8, 9), 1)
    (9, 7, 8)
    """
    seats = len(bots)
    where = {seat_of(slot, rotation, seats): bot for slot, bot in enumerate(bots)}
    return tuple(where[seat] for seat in range(seats))


def deal_seed(setup: Setup, deal: int) -> bytes:
    """Return the 32 bytes of a deal: the same for every table, so that all play the same."""
    return game_seed(seed_from_text(setup.event.seed), deal)


def play(
    rules: RuleSet,
    bots: Sequence[type[Bot]],
    seed: bytes,
    *,
    own_piles: bool,
    luck: bool = False,
    names: Sequence[str] = (),
) -> Played:
    """Play one game, with a record if the seats have names."""
    match = _Match(rules, bots, seed, own_piles=own_piles, luck=luck)
    match.play()
    return Played(
        match.line(),
        tuple(match.asked),
        tuple(match.spent),
        tuple(match.longest),
        match.record(tuple(names)) if names else None,
    )


class _Match(LocalGame):
    """A game with clocks and a measure of luck."""

    def __init__(
        self,
        rules: RuleSet,
        bots: Sequence[type[Bot]],
        seed: bytes,
        *,
        own_piles: bool,
        luck: bool,
    ) -> None:
        super().__init__(rules, bots, seed, own_piles=own_piles)
        seats = len(bots)
        self.spent, self.longest = [0] * seats, [0] * seats
        self.luck = [0.0] * seats
        self._measures = luck

    def line(self) -> GameLine:
        strikes = tuple(
            tuple(StrikeLine(s.decision, s.kind, s.text[:_LONGEST_TEXT]) for s in bot.strikes)
            for bot in self.bots
        )
        deals = tuple(_deal_line(state, ended) for state, ended in self.deals)
        return _line(self.state.totals(), self.luck, self.steps, deals, strikes)

    def ask(self, seat: int) -> Action:
        view(self.state, seat)  # worked out before the clock starts, and kept with the state
        began = perf_counter_ns()
        action = super().ask(seat)
        took = perf_counter_ns() - began
        self.spent[seat] += took
        self.longest[seat] = max(self.longest[seat], took)
        return action

    def happened(self, events: Sequence[Event]) -> None:
        super().happened(events)
        if self._measures and type(events[-1]) is Drew:
            self.luck[self.state.turn] += draw_luck(self.state)


def draw_luck(state: GameState) -> float:
    """Return whether the drawn card brings the contract nearer, less how likely that was.

    The stock holds its cards in a random order, whoever knows what of the hands; so
    over all games this is 0 on average, and what margins owe to it is luck. That
    does not hold once discards went under it, and a seat that is down needs no more.

    Args:
        state: The state right after the draw of the seat in turn.

    Returns:
        Useful cards, between -1 and 1.
    """
    seat, rules = state.turn, state.rules
    if state.went_down[seat] is not None or state.drew is None:
        return 0.0
    if state.reshuffles:
        return 0.0
    round_ = state.contracts[seat]
    hand = remove_cards(state.hands[seat], (state.drew,))
    assert hand is not None, "the drawn card is in the hand"
    useful = set(useful_cards(hand, rules.contracts[round_], rules, round_))
    stock = state.stock
    hits = sum(card in useful for card in stock) + (state.drew in useful)
    return (state.drew in useful) - hits / (len(stock) + 1)


def line_of_record(
    record: GameRecord, *, luck: bool, strikes: tuple[tuple[StrikeLine, ...], ...] = ()
) -> GameLine:
    """Return the line of a game that was played elsewhere, as `play` gives it."""
    lucks = [0.0] * len(record.players)
    deals: list[DealLine] = []
    scores: tuple[int, ...] = ()
    for state, events in replay(record):
        scores = state.totals()
        if luck and events and type(events[-1]) is Drew:
            lucks[state.turn] += draw_luck(state)
        deals += [_deal_line(state, event) for event in events if isinstance(event, DealEnded)]
    return _line(scores, lucks, record.steps, tuple(deals), strikes)


def _line(
    scores: tuple[int, ...],
    lucks: Sequence[float],
    steps: Iterable[Step],
    deals: tuple[DealLine, ...],
    strikes: tuple[tuple[StrikeLine, ...], ...],
) -> GameLine:
    said = hashlib.sha256()
    for step in steps:
        said.update(_encode((step.seat, step.action)))
    return GameLine(
        scores,
        tuple(round(luck * _THOUSAND) for luck in lucks),
        said.hexdigest()[:12],
        deals,
        strikes if any(strikes) else (),
    )


def _deal_line(state: GameState, ended: DealEnded) -> DealLine:
    return DealLine(ended.points, state.buys, state.went_down, ended.went_out, state.turns)
