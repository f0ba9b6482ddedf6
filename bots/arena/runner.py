"""Runs an event: a bounded window of batches, folded in the order of their index.

The coordinator alone writes the journal. What workers have played but it has not
folded is played again after a crash; what it has folded never is.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from pathlib import Path

import msgspec

from hollywood.protocol.errors import ErrorCode

from .course import Course
from .culprit import find_culprit
from .errors import TournamentError
from .event import Setup
from .executors import Workers
from .journal import Journal
from .lines import Unit, decode_set
from .match import Batch, BotTime, encode_setup, play_batch

BATCH_SECONDS = 1.5
"""How long a batch should take: long beside what sending it costs."""
WINDOW = 3
"""Batches under way for each worker."""
_MOST_IN_BATCH = 500
_WAIT_SECONDS = 0.5
_MOST_LOSSES = 3

Play = Callable[[bytes, Sequence[Unit]], Batch]


class Clock(msgspec.Struct):
    """How a run goes; none of it is part of the results."""

    seconds: float = 0.0
    games: int = 0
    rejected: int = 0
    """Deal sets that were played but no longer wanted."""
    lost: int = 0
    """Batches that lost their worker and were played again."""
    folding: float = 0.0
    """Seconds that the coordinator itself was busy."""
    bots: dict[int, BotTime] = {}
    hosts: dict[str, list[float]] = {}
    """For each host its games and seconds."""


class Shard(msgspec.Struct, frozen=True):
    """Part `number` (from 1) of `count` of an event."""

    number: int
    count: int

    def has(self, index: int) -> bool:
        """Whether a deal set belongs to it."""
        return index % self.count == self.number - 1


class _Job(msgspec.Struct):
    units: list[Unit]
    is_check: bool
    losses: int = 0


class Runner:
    """One run of an event; `stop` may be called from a signal handler."""

    def __init__(
        self,
        setup: Setup,
        journal: Path,
        workers: Workers,
        *,
        shard: Shard | None = None,
        play: Play = play_batch,
        on_progress: Callable[[Runner], None] = lambda _: None,
    ) -> None:
        self.setup = setup
        self.course = Course(setup)
        self.clock = Clock(bots={}, hosts={})
        self.resumed = 0
        """Deal sets that were in the journal already."""
        self.shard = shard
        self.is_stopped = False
        self._path = journal
        self._workers = workers
        self._play = play
        self._on_progress = on_progress
        self._packed = encode_setup(setup)
        self._jobs: dict[Future[Batch], _Job] = {}
        self._played: dict[int, bytes] = {}
        self._sent = -1
        self._unit_seconds = BATCH_SECONDS
        self._checked: dict[int, bytes] = {}
        self._again: list[_Job] = []
        self._careful: list[_Job] = []
        self._have: set[int] = set()

    def stop(self) -> None:
        """Finish what is under way and no more."""
        self.is_stopped = True

    def run(self) -> Course:
        """Play until the event (or the shard's part of the round) is over, or stopped.

        Raises:
            TournamentError: a bot is not deterministic or takes its process down,
                or no worker is left.
            JournalError: the journal is of another event or was changed.
        """
        began = time.monotonic()
        journal = Journal(self._path, self.setup)
        try:
            self._resume(journal)
            while self._fill() or self._jobs:
                self._collect(journal)
                self.clock.seconds = time.monotonic() - began
                self._on_progress(self)
        finally:
            for future in self._jobs:
                future.cancel()
            journal.commit()
            journal.close()
        self.clock.seconds = time.monotonic() - began
        return self.course

    def _resume(self, journal: Journal) -> None:
        for raw in journal.read():
            line = decode_set(raw)
            self.resumed += 1
            if self.shard is not None:
                self._have.add(line.index)
            if self.shard is None or line.index == self.course.next:
                self.course.fold(line)
        self._sent = self.course.next - 1

    def _fill(self) -> bool:
        """Keep the window full; whether anything is under way."""
        if self._careful and not self._jobs:
            self._submit(self._careful.pop(0))
            return True
        limit = 1 if self._careful else WINDOW * self._workers.count
        while len(self._jobs) < limit and not self._careful:
            job = self._again.pop(0) if self._again else self._next_job()
            if job is None:
                break
            self._submit(job)
        return bool(self._jobs)

    def _next_job(self) -> _Job | None:
        if self.is_stopped:
            return None
        size = max(1, min(_MOST_IN_BATCH, int(BATCH_SECONDS / max(self._unit_seconds, 1e-6))))
        units: list[Unit] = []
        for unit in self._ahead():
            units.append(unit)
            if len(units) == size:
                break
        if not units:
            return None
        self._sent = units[-1].index
        every = self.setup.event.recheck
        if every and self.setup.event.rated:
            twice = [unit for unit in units if unit.index % every == 0]
            if twice:
                self._again.append(_Job(twice, is_check=True))
        return _Job(units, is_check=False)

    def _ahead(self) -> Iterator[Unit]:
        shard = self.shard if self._plays_shard else None
        for unit in self.course.upcoming(self._sent):
            if shard is None or (shard.has(unit.index) and unit.index not in self._have):
                yield unit

    @property
    def _plays_shard(self) -> bool:
        """Whether only a part is ours: each shard checks each bot against itself."""
        return self.shard is not None and self.course.round.number > 0

    def _submit(self, job: _Job) -> None:
        try:
            future = self._workers.executor.submit(self._play, self._packed, job.units)
        except RuntimeError as error:
            raise TournamentError(f"no worker takes any more work: {error}") from None
        self._jobs[future] = job

    def _collect(self, journal: Journal) -> None:
        done, _ = wait(self._jobs, timeout=_WAIT_SECONDS, return_when=FIRST_COMPLETED)
        began = time.monotonic()
        # a set of futures has no order; what happens should not depend on it
        for future in sorted(done, key=lambda future: self._jobs[future].units[0].index):
            self._take(future, self._jobs.pop(future))
        if self._fold(journal):
            journal.commit()
        self.clock.folding += time.monotonic() - began

    def _take(self, future: Future[Batch], job: _Job) -> None:
        try:
            batch = future.result()
        except CancelledError:
            raise TournamentError(
                "the scheduler is gone and all that was under way with it: start it again "
                "with its workers, and run the same command to go on"
            ) from None
        except Exception as error:
            if not _is_loss(error):
                raise
            self._lost(job, error)
            return
        self._note(batch, job)
        for unit, raw in zip(job.units, batch.sets, strict=True):
            every = self.setup.event.recheck
            if every and self.setup.event.rated and unit.index % every == 0:
                self._compare(unit, raw)
            if not job.is_check:
                self._played[unit.index] = raw

    def _lost(self, job: _Job, error: Exception) -> None:
        """Play a batch again that lost its worker, at last each set alone."""
        self.clock.lost += 1
        if len(job.units) > 1 or job.losses < _MOST_LOSSES:
            self._careful += [_Job([u], job.is_check, job.losses + 1) for u in job.units]
            return
        names = {self.setup.event.bots[bot].name for bot in job.units[0].bots}
        raise TournamentError(
            f"the worker of deal set {job.units[0].index} died {job.losses} times ({error}): "
            f"run the bot that ends its process as child:BOT; it is one of "
            f"{', '.join(sorted(names))}"
        )

    def _note(self, batch: Batch, job: _Job) -> None:
        each = batch.seconds / len(job.units)
        self._unit_seconds += 0.3 * (each - self._unit_seconds)
        for bot, used in batch.times.items():
            kept = self.clock.bots.setdefault(bot, BotTime())
            kept.add(used.decisions, used.nanoseconds, used.longest)
        games = sum(len(unit.bots) for unit in job.units)
        host = self.clock.hosts.setdefault(batch.host, [0.0, 0.0])
        host[0] += games
        host[1] += batch.seconds
        self.clock.games += games

    def _compare(self, unit: Unit, raw: bytes) -> None:
        """Whatever is played twice must give the same bytes."""
        seen = self._checked.pop(unit.index, None)
        if seen is None:
            self._checked[unit.index] = hashlib.sha256(raw).digest()
        elif seen != hashlib.sha256(raw).digest():
            raise TournamentError(find_culprit(self.setup, unit), ErrorCode.NOT_DETERMINISTIC)

    def _fold(self, journal: Journal) -> bool:
        """Fold what is there in order; whether the journal has grown."""
        before = journal.sets
        while self.course.next in self._played and not self._plays_shard:
            raw = self._played.pop(self.course.next)
            line = decode_set(raw)
            journal.append(raw)
            self.course.fold(line)
        if self._plays_shard:
            self._write_shard(journal)
        for index in [i for i in self._played if i < self.course.next]:
            del self._played[index]
            self.clock.rejected += 1
        self._sent = max(self._sent, self.course.next - 1)
        return journal.sets > before

    def _write_shard(self, journal: Journal) -> None:
        under_way = [unit.index for job in self._jobs.values() for unit in job.units]
        waiting = [unit.index for job in self._careful for unit in job.units]
        first = min([*under_way, *waiting, self._sent + 1])
        for index in sorted(self._played):
            if index >= first:
                break
            journal.append(self._played.pop(index))


def _is_loss(error: Exception) -> bool:
    """Whether a batch was lost with its worker, through no fault in the games."""
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"WorkerDiedError", "KilledWorker", "BrokenExecutor", "CommClosedError"})
