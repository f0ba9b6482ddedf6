"""The journal: one line for each deal set that counts, in order, chained and on the disk.

Everything else is made from it. The first line names the event; each line carries
a hash over itself and the line before. Only the coordinator writes. What a crash
left half-written at the end is cut off; anything else that does not fit is refused.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import heapq
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from .errors import JournalError
from .event import Setup
from .lines import decode_set

KIND = "hollywood tournament"
_CHAIN_SIZE = 32


class Head(msgspec.Struct, frozen=True):
    """What a journal begins with."""

    kind: str
    event: str
    """The event's digest."""
    name: str
    engine: str


class _Line(msgspec.Struct):
    chain: str
    set: msgspec.Raw


_decode_line = msgspec.json.Decoder(_Line).decode


def head_of(setup: Setup) -> bytes:
    """Return the first line of an event's journal."""
    head = Head(KIND, setup.digest, setup.event.name, setup.engine)
    return msgspec.json.encode(head)


def _chain(before: str, raw: bytes) -> str:
    return hashlib.sha256(before.encode() + raw).hexdigest()[:_CHAIN_SIZE]


class Journal:
    """The journal of a running event."""

    def __init__(self, path: Path, setup: Setup) -> None:
        """Open or begin a journal; nobody else can write to it then.

        Raises:
            JournalError: it is another event's, was changed, or is in use.
        """
        self.path = path
        self.sets = 0
        self.last = -1
        """The index of the last deal set in it."""
        self._setup = setup
        try:
            self._file: BinaryIO = open(path, "a+b")  # noqa: SIM115
        except OSError as error:
            raise JournalError(f"cannot write {path}: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise JournalError(f"{path} is being written: another run of it goes on") from None
        self._end = ""
        if path.stat().st_size == 0:
            self._begin()

    def _begin(self) -> None:
        head = head_of(self._setup)
        self._file.write(head + b"\n")
        self.commit()
        self._end = _chain("", head)

    def read(self) -> Iterator[bytes]:
        """Yield each deal set as it was written, and get ready to append behind them."""
        size = 0
        for whole, chain, raw in _walk(self.path, self._setup):
            size, self._end = whole, chain
            if raw is not None:
                self.sets += 1
                self.last = index_of(raw)
                yield raw
        if size < self.path.stat().st_size:
            self._file.truncate(size)
            self.commit()
        if size == 0:
            self._begin()

    def append(self, raw: bytes) -> None:
        """Write a deal set; it is safe only after `commit`."""
        self._end = _chain(self._end, raw)
        self._file.write(b'{"chain":"%s","set":%s}\n' % (self._end.encode(), raw))
        self.sets += 1
        self.last = index_of(raw)

    def commit(self) -> None:
        """Put what was appended on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let go of the file."""
        with contextlib.suppress(ValueError):
            self._file.close()


def read_journal(path: Path, setup: Setup) -> Iterator[bytes]:
    """Yield the deal sets of a journal that nobody need be writing.

    Raises:
        JournalError: it cannot be read, is another event's or was changed.
    """
    for _, _, raw in _walk(path, setup):
        if raw is not None:
            yield raw


def index_of(raw: bytes) -> int:
    """Return the index that a deal set begins with."""
    return int(raw[1 : raw.index(b",")])


def _walk(path: Path, setup: Setup) -> Iterator[tuple[int, str, bytes | None]]:
    """Yield for each whole line the size so far, the chain and its deal set."""
    try:
        with path.open("rb") as file:
            yield from _lines(file, path, setup)
    except OSError as error:
        raise JournalError(f"cannot read {path}: {error.strerror}") from None


def _lines(file: BinaryIO, path: Path, setup: Setup) -> Iterator[tuple[int, str, bytes | None]]:
    size, chain = 0, ""
    for number, line in enumerate(file, 1):
        if not line.endswith(b"\n"):
            return  # a crash while it was written
        if number == 1:
            _check_head(line, path, setup)
            chain, raw = _chain("", line[:-1]), None
        else:
            try:
                decoded = _decode_line(line)
            except msgspec.DecodeError:
                raise JournalError(f"{path}: line {number} is no line of a journal") from None
            raw = bytes(decoded.set)
            chain = _chain(chain, raw)
            if decoded.chain != chain:
                raise JournalError(f"{path}: line {number} or the one before it was changed")
        size += len(line)
        yield size, chain, raw


def _check_head(line: bytes, path: Path, setup: Setup) -> None:
    try:
        head = msgspec.json.decode(line, type=Head)
    except msgspec.DecodeError:
        raise JournalError(f"{path} is no journal of a tournament") from None
    if head.kind != KIND:
        raise JournalError(f"{path} is no journal of a tournament")
    if head.engine != setup.engine:
        raise JournalError(
            f"{path} was played by version {head.engine}, this is {setup.engine}: "
            "begin anew in another folder (--out)"
        )
    if head.event != setup.digest:
        raise JournalError(
            f"{path} is of another event ({head.name}), or its file, rules or bots were "
            "changed since: give another folder (--out)"
        )


def merge_journals(paths: Sequence[Path], into: Path, setup: Setup) -> int:
    """Write one journal of several shards; return its number of deal sets.

    Raises:
        JournalError: one cannot be read, or two hold the same deal set with
            different games: a bot is not deterministic.
    """
    if into.exists():
        raise JournalError(f"{into} exists: merge into a folder without a journal")
    count, last, last_raw = 0, -1, b""
    journal = Journal(into, setup)
    try:
        for raw in heapq.merge(*(read_journal(path, setup) for path in paths), key=index_of):
            index = index_of(raw)
            if index == last:
                _check_same(raw, last_raw, setup)
                continue
            journal.append(raw)
            count, last, last_raw = count + 1, index, raw
        journal.commit()
    except BaseException:
        into.unlink()
        raise
    finally:
        journal.close()
    return count


def _check_same(raw: bytes, other: bytes, setup: Setup) -> None:
    if raw != other:
        played = decode_set(raw)
        names = ", ".join(sorted({setup.event.bots[bot].name for bot in played.bots}))
        raise JournalError(
            f"two journals have different games for deal set {played.index}: "
            f"one of {names} is not deterministic"
        )
