"""Where the packed past of running games lies: in a file beside the store, not in memory.

A game that goes on for hours is hardly ever asked for what happened at its beginning;
a server with a thousand of them should not grow with every answer. The file has no
name, nothing of it outlives the server (the journal brings a game back), and what a
game leaves free, the next one takes.
"""

from __future__ import annotations

import errno
import logging
import os
import tempfile
from collections import defaultdict, deque
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
        with tempfile.TemporaryFile(dir=folder) as file:
            self._fd = os.dup(file.fileno())
        self._lock = Lock()
        self._is_open = True
        self._free: defaultdict[int, list[int]] = defaultdict(list)
        """First blocks of places that are free, by how many blocks they have."""
        self._cleared: deque[Place] = deque()
        """Places that will be free with the next pack."""
        self.blocks = 0
        """How many the file has."""
        self._is_full = False

    def put(self, pack: bytes) -> Place | None:
        """Lay a pack down; None if there is no room for it."""
        many = _blocks(len(pack))
        with self._lock:
            while self._cleared:
                place = self._cleared.popleft()
                self._free[_blocks(_size(place))].append(place >> _SIZE_BITS)
            free = self._free[many]
            block = free[-1] if free else self.blocks
            if not self._is_open or not self._write(block, pack):
                return None
            if free:
                free.pop()
            else:
                self.blocks += many
        return Place(block << _SIZE_BITS | len(pack))

    def _write(self, block: int, pack: bytes) -> bool:
        try:
            os.lseek(self._fd, block * _BLOCK, os.SEEK_SET)
            has_room = os.write(self._fd, pack) == len(pack)
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
            OSError: the disk is broken, or the file was given up.
        """
        with self._lock:
            if not self._is_open:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            os.lseek(self._fd, (place >> _SIZE_BITS) * _BLOCK, os.SEEK_SET)
            return os.read(self._fd, _size(place))

    def clear(self, place: Place) -> None:
        """Let others have the place."""
        # a game that is collected as garbage calls this wherever that happens, even in `put`
        self._cleared.append(place)

    def close(self) -> None:
        """Give the file up."""
        with self._lock:
            if self._is_open:
                self._is_open = False
                os.close(self._fd)

    def __del__(self) -> None:
        """A store that is given up without a word takes the file along."""
        if hasattr(self, "_is_open"):
            self.close()


def _blocks(size: int) -> int:
    return -(-size // _BLOCK)


def _size(place: Place) -> int:
    return place & (1 << _SIZE_BITS) - 1
