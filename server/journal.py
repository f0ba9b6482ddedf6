"""Group commit: what tables note is written before anybody hears what it led to.

Tables note entries as they go on. One writer takes all that was noted since the last
time, commits it, and then releases what connections were owed.

A disk that is quick is written to by the event loop itself: a commit takes a fraction
of a millisecond, while a thread would wait some milliseconds for the interpreter, over
and over. A disk that is slow, and records of whole games, are left to a thread.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import count
from typing import Protocol, TypeVar

import trio

from hollywood.protocol.errors import StoreError
from hollywood.protocol.rules import GameRecord

from .entries import Entry, StoredTable
from .store import Batch, Result, Store

HEARTBEAT = 1.0
"""Seconds between signs of life in the store, so that clocks can be set after a crash."""
_CHECKPOINT_EVERY = 5
"""Heartbeats."""
_TRIES, _WAIT = 3, 0.5
"""A store that is busy is tried again, so many times, so many seconds apart."""

_PAUSE = 0.002
"""Seconds between commits, at least."""
_PAUSES = 6
"""The loop is without commits for so many times as long as one takes, at least."""
_SLOW = 0.003
"""Seconds of a commit, on average, from which on the loop leaves commits to a thread."""
_IN_THREAD = 500
"""Commits after which the loop tries again itself."""

T = TypeVar("T")
log = logging.getLogger("hollywood.server.journal")


class InThread(Protocol):
    """Runs something that blocks; `trio.to_thread.run_sync`, or something simpler in tests."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]:
        """Run it and return its result."""


class Journal:
    """What is noted, and not yet durable."""

    def __init__(self, store: Store, run: InThread = trio.to_thread.run_sync) -> None:
        self.store = store
        self._run = run
        self._batch = Batch()
        self._next_game = store.next_game()
        self._is_writing = False
        self._commit_at = -math.inf
        """When the next commit may be."""
        self._seconds = 0.0
        """What a commit takes, on average."""
        self._left_to_thread = 0
        """Commits that are still left to a thread."""
        self._wake = trio.Event()
        self._committed = trio.Event()
        self.is_broken = False
        """Whether the store could not be written: nothing is released any more."""

    @property
    def holds(self) -> bool:
        """Whether something was noted that is not durable yet."""
        return self._is_writing or self.is_broken or not self._batch.is_empty

    def open(self, table: StoredTable, seed: bytes) -> int:
        """Note a new table; return the number of its game."""
        game, self._next_game = self._next_game, self._next_game + 1
        self._batch.opened.append((game, table, seed))
        return game

    def note(self, game: int, entry: Entry) -> None:
        """Note something about a table."""
        noted = self._batch.entries.get(game)
        if noted is None:
            self._batch.entries[game] = [entry]
        else:
            noted.append(entry)

    def end(self, result: Result, make_record: Callable[[], GameRecord]) -> None:
        """Note how a game ended. It is kept until it is forgotten, for who comes back late."""
        self._batch.ended.append((result, make_record))

    def forget(self, game: int) -> None:
        """A table has gone: only its result is kept, if there was one."""
        self._batch.entries.pop(game, None)
        self._batch.forgotten.append(game)

    def wake(self) -> None:
        """Something was noted: the writer has work."""
        self._wake.set()

    def next_commit_at(self) -> float:
        """Return the earliest time of the next commit."""
        return self._commit_at

    async def wait(self) -> None:
        """Wait until there is work, and for a moment after the last commit.

        So a busy server commits what gathers meanwhile at once; a quiet one never waits.
        """
        await self._wake.wait()
        await trio.sleep_until(self._commit_at)
        self._wake = trio.Event()

    async def commit(self) -> int:
        """Make durable what was noted so far; return for how many tables.

        Raises:
            StoreError: it cannot be written, not even after waiting a little.
        """
        if self._batch.is_empty:
            return 0
        batch, self._batch = self._batch, Batch()
        self._is_writing = True
        try:
            await self._write(batch)
        except StoreError:
            self.is_broken = True
            raise
        finally:
            self._is_writing = False
            self._commit_at = trio.current_time() + max(_PAUSE, _PAUSES * self._seconds)
            done, self._committed = self._committed, trio.Event()
            done.set()
        return len(batch.entries)

    def close(self) -> None:
        """Nobody writes any more: what is not durable by now will not be."""
        self.is_broken = True
        self._committed.set()

    async def committed(self) -> None:
        """Wait for the end of the next commit."""
        await self._committed.wait()

    async def _write(self, batch: Batch) -> None:
        for attempt in range(1, _TRIES + 1):
            try:
                await self._write_once(batch)
            except StoreError as error:
                if attempt == _TRIES:
                    raise
                log.error("%s (try %d of %d)", error, attempt, _TRIES)
                await trio.sleep(_WAIT)
            else:
                return

    async def _write_once(self, batch: Batch) -> None:
        write = partial(self.store.write, batch, time.time())
        if batch.ended or self._left_to_thread:
            self._left_to_thread = max(0, self._left_to_thread - 1)
            with trio.CancelScope(shield=True):
                await self._run(write)
            return
        began = time.perf_counter()
        write()
        self._seconds += 0.1 * (time.perf_counter() - began - self._seconds)
        if self._seconds > _SLOW:
            self._left_to_thread, self._seconds = _IN_THREAD, 0.0

    async def beat(self) -> None:
        """Leave signs of life, for ever, and keep the store's log short."""
        for beat in count(1):
            await trio.sleep(HEARTBEAT)
            self._batch.is_alive = True
            self.wake()
            if beat % _CHECKPOINT_EVERY == 0:
                try:
                    await self._run(self.store.checkpoint)
                except StoreError as error:
                    log.error("%s", error)
