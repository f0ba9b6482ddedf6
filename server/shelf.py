"""Where the packed past of running games lies: in a file beside the store, not in memory.

A game that goes on for hours is hardly ever asked for what happened at its beginning;
a server with a thousand of them should not grow with every answer. The file has no
name, nothing of it outlives the server (the journal brings a game back), and what a
game leaves free, the next one takes.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path
from threading import Lock
from typing import NamedTuple

_BLOCK = 256
"""Bytes; a pack takes whole ones, so that what it leaves free fits others."""


class Place(NamedTuple):
    """Where a pack lies."""

    block: int
    size: int
    """Bytes of it."""


class Shelf:
    """A file of packs of bytes. For several threads: records are made in one of their own."""

    def __init__(self, folder: Path) -> None:
        """Make the file.

        Args:
            folder: A folder on a disk that has room.

        Raises:
            OSError: it cannot be made.
        """
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - as long as self
        self._lock = Lock()
        self._free: defaultdict[int, list[int]] = defaultdict(list)
        """First blocks of places that are free, by how many blocks they have."""
        self.blocks = 0
        """How many the file has."""

    def put(self, pack: bytes) -> Place:
        """Lay a pack down.

        Raises:
            OSError: the disk is full, or broken.
        """
        many = _blocks(len(pack))
        with self._lock:
            free = self._free[many]
            block = free[-1] if free else self.blocks
            self._file.seek(block * _BLOCK)
            if self._file.write(pack) != len(pack):
                raise OSError("no room for all of it")
            if free:
                free.pop()
            else:
                self.blocks += many
        return Place(block, len(pack))

    def get(self, place: Place) -> bytes:
        """Return what was laid down there.

        Raises:
            OSError: the disk is broken.
        """
        with self._lock:
            self._file.seek(place.block * _BLOCK)
            return self._file.read(place.size)

    def clear(self, place: Place) -> None:
        """Let others have the place."""
        with self._lock:
            self._free[_blocks(place.size)].append(place.block)

    def close(self) -> None:
        """Give the file up."""
        self._file.close()


def _blocks(size: int) -> int:
    return -(-size // _BLOCK)
