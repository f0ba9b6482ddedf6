"""What tests of tournaments share: small events, bots of equal strength, a credit."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from hollywood.bots import Bot
from hollywood.bots.api import BotFaultError, FaultKind
from hollywood.bots.arena.course import Course
from hollywood.bots.arena.event import Setup, read_event, set_up
from hollywood.bots.arena.executors import Workers
from hollywood.bots.arena.lines import GameLine, SetLine, Unit, decode_set, encode_set, seat_of
from hollywood.bots.arena.match import Batch, play_batch
from hollywood.bots.arena.runner import Play as PlayUnits
from hollywood.bots.arena.runner import Runner, Shard
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.options import option
from hollywood.protocol.rules import Play, PlayerView, next_discards

HERE = Path(__file__).parent
T = TypeVar("T")


class NoisyBot(GreedyBot):
    """Greedy, but it throws some card now and then; the salt says when, so that bots of
    different salt differ and none is better.
    """

    salt: int = option(0, "makes another bot of the same strength")
    noise: float = option(0.1, "how often it throws any card", least=0.0)

    def __init__(self, seed: bytes = bytes(32)) -> None:
        super().__init__(hashlib.sha256(seed + str(self.salt).encode()).digest())

    def play(self, view: PlayerView) -> Play:
        play = super().play(view)
        if play.melds or play.discard is None or self.rng.random() >= self.noise:
            return play
        cards = next_discards(view, Play(play.melds, play.lay_offs))
        card = cards[int(self.rng.random() * len(cards))]
        return Play(play.melds, play.lay_offs, card)


class CheatingBot(RandomBot):
    """Answers what is not allowed."""

    def play(self, view: PlayerView) -> Play:
        return Play((), (), None)


class RaisingBot(RandomBot):
    """Raises in each decision."""

    def play(self, view: PlayerView) -> Play:
        raise BotFaultError(FaultKind.EXCEPTION, "it raised ValueError: no idea")


class ForgetfulBot(RandomBot):
    """Not deterministic: what it does depends on how often it was asked in this process."""

    asked = 0

    def wants(self, view: PlayerView) -> bool:
        ForgetfulBot.asked += 1
        return ForgetfulBot.asked**2 % 7 < 2


class AtOnce(Executor):
    """Does the work when it is asked for, in this process."""

    def submit(self, fn: Callable[..., T], /, *args: object, **kwargs: object) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - as an executor does
            future.set_exception(error)
        return future


class Failing(AtOnce):
    """Loses some of its tasks, counted from 1."""

    def __init__(self, error: BaseException, lost: Callable[[int], bool]) -> None:
        self._error, self._lost, self._calls = error, lost, 0

    def submit(self, fn: Callable[..., T], /, *args: object, **kwargs: object) -> Future[T]:
        self._calls += 1
        if not self._lost(self._calls):
            return super().submit(fn, *args, **kwargs)
        future: Future[T] = Future()
        future.set_exception(self._error)
        return future


class Backwards(AtOnce):
    """Does every two tasks the other way round."""

    def __init__(self) -> None:
        self._waiting: tuple[Future[Any], Callable[[], Any]] | None = None

    def submit(self, fn: Callable[..., T], /, *args: object, **kwargs: object) -> Future[T]:
        if self._waiting is None:
            future: Future[T] = Future()
            self._waiting = (future, lambda: fn(*args, **kwargs))
            # nobody may come after this one
            threading.Timer(0.2, self._finish, [future]).start()
            return future
        done = super().submit(fn, *args, **kwargs)
        self._finish(self._waiting[0])
        return done

    def _finish(self, future: Future[Any]) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting[0] is future:
            future.set_result(waiting[1]())
        elif waiting is not None:
            self._waiting = waiting


def here(executor: Executor | None = None, count: int = 1) -> Workers:
    """Workers in this process."""
    return Workers(executor or AtOnce(), count, lambda: None)


def event(bots: Sequence[str] | dict[str, str], folder: Path = HERE, **changes: object) -> Setup:
    """A small event; bots by name and spec, the same for both if not given."""
    named = bots if isinstance(bots, dict) else {bot: bot for bot in bots}
    data: dict[str, Any] = {
        "name": "test",
        "rules": "dash.toml",
        "seats": 2,
        "format": "pair",
        "deals": 6,
        "seed": "test",
        "bots": [{"name": name, "bot": spec} for name, spec in named.items()],
        **changes,
    }
    return set_up(read_event(data), folder)


def noisy(*salts: int) -> dict[str, str]:
    """Bots of the same strength."""
    return {f"noisy{salt}": f"{HERE / 'harness.py'}:NoisyBot:salt={salt}" for salt in salts}


def own(**classes: type[Bot]) -> dict[str, str]:
    """Bots of this file by name."""
    return {name: f"{HERE / 'harness.py'}:{bot.__name__}" for name, bot in classes.items()}


def run(
    setup: Setup,
    folder: Path,
    workers: Workers | None = None,
    play: PlayUnits = play_batch,
    shard: Shard | None = None,
) -> Course:
    """Play an event in this process."""
    return Runner(setup, folder / "journal.jsonl", workers or here(), play=play, shard=shard).run()


def credited(bot: int, points: int) -> PlayUnits:
    """Play as always, but take so many points from a bot's score in each game."""

    def play(packed: bytes, units: Sequence[Unit]) -> Batch:
        batch = play_batch(packed, units)
        batch.sets = [encode_set(_credit(decode_set(raw), bot, points)) for raw in batch.sets]
        return batch

    return play


def even_against_itself(packed: bytes, units: Sequence[Unit]) -> Batch:
    """Play as always, but pass the check of each bot against itself."""
    batch = play_batch(packed, units)
    batch.sets = [encode_set(_even(decode_set(raw))) for raw in batch.sets]
    return batch


def _even(line: SetLine) -> SetLine:
    if line.round:
        return line
    return msgspec.structs.replace(line, games=(line.games[0],) * len(line.games))


def _credit(line: SetLine, bot: int, points: int) -> SetLine:
    if set(line.bots) == {bot}:
        return line
    games = tuple(
        _with_credit(
            game,
            [
                seat_of(slot, rotation, len(line.bots))
                for slot, name in enumerate(line.bots)
                if name == bot
            ],
            points,
        )
        for rotation, game in enumerate(line.games)
    )
    return msgspec.structs.replace(line, games=games)


def _with_credit(game: GameLine, seats: Sequence[int], points: int) -> GameLine:
    scores = tuple(
        score - points if seat in seats else score for seat, score in enumerate(game.scores)
    )
    return msgspec.structs.replace(game, scores=scores)
