"""Where the packed past of running games lies: in a file beside the store, not in memory.

A game that goes on for hours is hardly ever asked for what happened at its beginning;
a server with a thousand of them should not grow with every answer. The file has no
name, nothing of it outlives the server (the journal brings a game back), and what a
game leaves free, the next one takes.
"""

from __future__ import annotations

import logging
import tempfile
from collections import defaultdict
from pathlib import Path
from threading import Lock
from typing import NewType

_BLOCK = 256
"""Bytes; a pack takes whole ones, so that what it leaves free fits others."""


_SIZE_BITS = 32

Place = NewType("Place", int)
"""Where a pack lies: its first block and its bytes as one number, which takes least memory."""

log = logging.getLogger("hollywood.server.shelf")


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
        self._is_full = False

    def put(self, pack: bytes) -> Place | None:
        """Lay a pack down; None if there is no room for it."""
        many = _blocks(len(pack))
        with self._lock:
            free = self._free[many]
            block = free[-1] if free else self.blocks
            if not self._write(block, pack):
                return None
            if free:
                free.pop()
            else:
                self.blocks += many
        return Place(block << _SIZE_BITS | len(pack))

    def _write(self, block: int, pack: bytes) -> bool:
        try:
            self._file.seek(block * _BLOCK)
            has_room = self._file.write(pack) == len(pack)
            reason = "no room"
        except OSError as error:
            has_room, reason = False, error.strerror or "broken"
        if not has_room and not self._is_full:
            log.warning("running games take memory, since the disk does not: %s", reason)
        self._is_full = not has_room
        return has_room

    def get(self, place: Place) -> bytes:
        """Return what was laid down there.

        Raises:
            OSError: the disk is broken.
        """
        with self._lock:
            self._file.seek((place >> _SIZE_BITS) * _BLOCK)
            return self._file.read(_size(place))

    def clear(self, place: Place) -> None:
        """Let others have the place."""
        with self._lock:
            self._free[_blocks(_size(place))].append(place >> _SIZE_BITS)

    def close(self) -> None:
        """Give the file up."""
        self._file.close()


def _blocks(size: int) -> int:
    return -(-size // _BLOCK)


def _size(place: Place) -> int:
    return place & (1 << _SIZE_BITS) - 1
