"""The server's memory on disk: one SQLite file with games, results and records.

SQLite in WAL mode with full synchronisation, so that what was committed outlives the
process and the machine. One writer; `hollywood results` and `export` read beside it.
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from hollywood.protocol.errors import ErrorCode, StoreError
from hollywood.protocol.rules import GameRecord, encode_record

from .entries import Entry, StoredTable
from .shelf import Shelf

FILE_NAME = "hollywood.db"
FORMAT = 1
"""Counts up when stores of before can no longer be read."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    settings BLOB NOT NULL,
    seed BLOB NOT NULL,
    opened_at REAL NOT NULL,
    state TEXT NOT NULL DEFAULT 'open'
);
CREATE INDEX IF NOT EXISTS games_by_state ON games (state);
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    data BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS results (
    game INTEGER PRIMARY KEY,
    ended_at REAL NOT NULL,
    data BLOB NOT NULL,
    record BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY CHECK (id = 1), at REAL NOT NULL);
"""

_PURGE_EVERY = 256
"""Commits after which rows are looked for that no game needs any more."""

_encode = msgspec.msgpack.Encoder().encode
_decode_entries = msgspec.msgpack.Decoder(list[tuple[int, list[Entry]]]).decode


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """How a game ended."""

    game: int
    """Its number in the store."""
    table: str
    rules: str
    rules_hash: str
    ended_at: float
    """Seconds since 1970."""
    is_finished: bool
    """False: abandoned; it counts for nothing, and the scores are those of the deals played."""
    players: tuple[str, ...]
    kinds: tuple[str, ...]
    """`player`, `bot` or `house` for each seat, as it was at the end."""
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    deals: int


class StoredGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that goes on: all that the journal has of it."""

    game: int
    table: StoredTable
    seed: bytes
    entries: tuple[tuple[Entry, ...], ...]
    """What was committed together."""


class Batch(msgspec.Struct):
    """What is written in one transaction."""

    opened: list[tuple[int, StoredTable, bytes]] = []
    entries: dict[int, list[Entry]] = {}
    ended: list[tuple[Result, Callable[[], GameRecord]]] = []
    """Results with what makes the record, which is worth a thread of its own."""
    forgotten: list[int] = []
    is_alive: bool = False
    """Leave a sign of life."""

    @property
    def has_entries_only(self) -> bool:
        """Whether there is nothing but what tables noted, as in almost every batch."""
        return not (self.opened or self.ended or self.forgotten or self.is_alive)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        noted = self.opened or self.entries or self.ended or self.forgotten
        return not (noted or self.is_alive)


class Store:
    """The file. Not for several threads at once.

    A commit is one row for all games together: each statement lets go of the
    interpreter and has to get it back from a busy loop, so there must be few.
    """

    def __init__(self, folder: Path, *, reads_only: bool = False) -> None:
        """Open or make the store of a data folder.

        Args:
            folder: The data folder.
            reads_only: Whether to look only, beside a server that may be running.

        Raises:
            StoreError: it cannot be opened, is damaged, or is of another format.
        """
        self.path = folder / FILE_NAME
        self._first_rows: dict[int, int] = {}
        """Where the entries of each game begin."""
        self._commits = 0
        self.shelf: Shelf | None = None
        """Where the past of running games lies; None for who reads only."""
        try:
            if reads_only:
                self._db = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True)
                self._check_format()
                return
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            # `checkpoint` does that beside the commits, not within one of them
            self._db.execute("PRAGMA wal_autocheckpoint = 0")
            self._check_format()
            self._prepare()
            self.shelf = Shelf(folder)
        except OSError as error:
            raise StoreError(
                f"cannot make files in the data folder {str(folder)!r}: {error.strerror}; "
                "choose another with --data"
            ) from None
        except sqlite3.Error as error:
            raise StoreError(_sentence(self.path, error)) from None

    def _check_format(self) -> None:
        (found,) = self._db.execute("PRAGMA user_version").fetchone()
        if found not in (0, FORMAT):
            raise StoreError(
                f"{self.path} is of format {found}, this program reads format {FORMAT}: "
                "use the program that wrote it, or another --data folder"
            )

    def _prepare(self) -> None:
        (problem,) = self._db.execute("PRAGMA quick_check(1)").fetchone()
        if problem != "ok":
            raise StoreError(
                f"{self.path} is damaged ({problem}): put a backup in its place, "
                "or start with another --data folder"
            )
        self._db.executescript(_SCHEMA)
        self._db.execute(f"PRAGMA user_version = {FORMAT}")

    def close(self) -> None:
        """Close the file."""
        self._db.close()
        if self.shelf is not None:
            self.shelf.close()

    # writing

    def write(self, batch: Batch, at: float | None = None) -> None:
        """Write all of it or nothing; what was written is durable on return.

        Raises:
            StoreError: the disk is full, the file read-only or broken.
        """
        at = time.time() if at is None else at
        try:
            if batch.has_entries_only and (self._commits + 1) % _PURGE_EVERY:
                # one statement is a transaction of its own
                self._write(batch, at)
                return
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._write(batch, at)
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise StoreError(_sentence(self.path, error)) from None

    def _write(self, batch: Batch, at: float) -> None:
        for game, table, seed in batch.opened:
            self._db.execute(
                "INSERT INTO games (id, name, settings, seed, opened_at) VALUES (?, ?, ?, ?, ?)",
                (game, table.name, _encode(table), seed, at),
            )
        if batch.entries:
            data = _encode(list(batch.entries.items()))
            row = self._db.execute("INSERT INTO entries (at, data) VALUES (?, ?)", (at, data))
            for game in batch.entries:
                self._first_rows.setdefault(game, row.lastrowid or 0)
        for result, make_record in batch.ended:
            self._db.execute(
                "INSERT INTO results (game, ended_at, data, record) VALUES (?, ?, ?, ?)",
                (
                    result.game,
                    result.ended_at,
                    _encode(result),
                    zlib.compress(encode_record(make_record()), 1),
                ),
            )
        for game in batch.forgotten:
            self._first_rows.pop(game, None)
            self._db.execute("DELETE FROM games WHERE id = ?", (game,))
        if batch.is_alive:
            self._db.execute("INSERT OR REPLACE INTO clock (id, at) VALUES (1, ?)", (at,))
        self._commits += 1
        if self._commits % _PURGE_EVERY == 0:
            self._purge()

    def _purge(self) -> None:
        """Delete what was written before the first game began that is still needed."""
        needed = min(self._first_rows.values(), default=None)
        if needed is None:
            self._db.execute("DELETE FROM entries")
        else:
            self._db.execute("DELETE FROM entries WHERE id < ?", (needed,))

    def checkpoint(self) -> None:
        """Move what was committed from the log into the file; may run beside commits.

        Raises:
            StoreError: the file cannot be written.
        """
        try:
            with closing(sqlite3.connect(self.path)) as beside:
                beside.execute("PRAGMA wal_checkpoint(PASSIVE)")
        except sqlite3.Error as error:
            raise StoreError(_sentence(self.path, error)) from None

    def set_aside(self, game: int) -> None:
        """Keep a game that cannot go on, but do not try it again."""
        self._db.execute("UPDATE games SET state = 'broken' WHERE id = ?", (game,))

    def backup(self, target: Path) -> None:
        """Copy the store to a file while it is in use.

        Raises:
            StoreError: the file cannot be written.
        """
        try:
            with sqlite3.connect(target) as copy, sqlite3.connect(self.path) as source:
                source.backup(copy)
            copy.close()
            source.close()
        except sqlite3.Error as error:
            raise StoreError(f"cannot write the backup {str(target)!r}: {error}") from None

    # reading

    def last_alive(self) -> float:
        """Return the last time at which the server is known to have run; 0 if never."""
        query = "SELECT max(coalesce((SELECT max(at) FROM entries), 0), coalesce((SELECT at FROM clock), 0))"
        return float(self._db.execute(query).fetchone()[0])

    def next_game(self) -> int:
        """Return a number that no game has had."""
        query = (
            "SELECT max(coalesce((SELECT max(id) FROM games), 0), "
            "coalesce((SELECT max(game) FROM results), 0)) + 1"
        )
        return int(self._db.execute(query).fetchone()[0])

    def unfinished(self) -> Iterator[StoredGame]:
        """Return the games that go on, the oldest first."""
        games = self._db.execute(
            "SELECT id, settings, seed, state = 'open' FROM games ORDER BY id"
        ).fetchall()
        noted: dict[int, list[tuple[Entry, ...]]] = {game: [] for game, *_ in games}
        for row, data in self._db.execute("SELECT id, data FROM entries ORDER BY id"):
            for game, entries in _decode_entries(data):
                if game in noted:
                    noted[game].append(tuple(entries))
                    self._first_rows.setdefault(game, row)
        for game, settings, seed, is_open in games:
            if not is_open:
                continue
            yield StoredGame(
                game=game,
                table=msgspec.msgpack.decode(settings, type=StoredTable),
                seed=seed,
                entries=tuple(noted[game]),
            )

    def has_result(self, game: int) -> bool:
        """Whether the store has how the game ended."""
        query = "SELECT 1 FROM results WHERE game = ?"
        return self._db.execute(query, (game,)).fetchone() is not None

    def results(self, table: str | None = None, limit: int = -1) -> Sequence[Result]:
        """Return how games ended, the last first; of one table if one is named."""
        rows = self._db.execute("SELECT data FROM results ORDER BY ended_at DESC, game DESC")
        found = (msgspec.msgpack.decode(data, type=Result) for (data,) in rows)
        chosen = [result for result in found if table is None or result.table == table]
        return chosen if limit < 0 else chosen[:limit]

    def record(self, game: int) -> bytes:
        """Return the record of a game, as `encode_record` writes it.

        Raises:
            StoreError: there is none (`no_such_game`).
        """
        row = self._db.execute("SELECT record FROM results WHERE game = ?", (game,)).fetchone()
        if row is None:
            raise StoreError(
                f"no game {game} has ended here: see `hollywood results`", ErrorCode.NO_SUCH_GAME
            )
        return zlib.decompress(row[0])


def _sentence(path: Path, error: sqlite3.Error) -> str:
    """Say what is wrong with the store, and what to do."""
    reason = str(error)
    if "full" in reason:
        remedy = "the disk is full: make room and start again"
    elif "readonly" in reason or "read-only" in reason:
        remedy = "it may not be written: give the server's user the right to, and start again"
    elif "locked" in reason or "busy" in reason:
        remedy = "another program writes to it: end that one"
    elif "malformed" in reason or "not a database" in reason:
        remedy = "it is damaged: put a backup in its place, or start with another --data folder"
    else:
        remedy = f"{reason}; look after the disk and start again"
    return f"the store {str(path)!r} cannot be used: {remedy}"
