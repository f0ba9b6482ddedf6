"""What has happened at a table, in little memory.

A table keeps all of its game for who comes back late, for the record, and for the
journal's digests, but hardly ever looks at more than the last few events. So all but
those are kept packed, in two steps: soon a few together, later many of those together,
which takes a fiftieth of what the objects do. Where there is a shelf, the packs go there.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from types import GenericAlias
from typing import Any, Generic, TypeVar, overload

import msgspec

from .shelf import Place, Shelf

T = TypeVar("T")

_SHEET = 32
"""So many are packed together; as many at least, and twice as many at the most, are not."""
_SHEETS = 16
"""So many packs are packed anew as one, which takes half of the memory."""
_VOLUME = _SHEET * _SHEETS
_QUICK, _SMALL = 1, 6
"""Levels of zlib, for the one and the other."""

_encode = msgspec.msgpack.Encoder().encode


@cache
def _decoder(kind: object) -> msgspec.msgpack.Decoder[list[Any]]:
    return msgspec.msgpack.Decoder(GenericAlias(list, (kind,)))


class Chronicle(Generic[T]):
    """A list that only grows, of things that msgpack can carry.

    Args:
        kind: Their type, as msgspec needs it to read them again.
        shelf: Where the packs go; None: into memory.
    """

    def __init__(self, kind: object, shelf: Shelf | None = None) -> None:
        self._decoder: msgspec.msgpack.Decoder[list[T]] = _decoder(kind)
        self._shelf = shelf
        self._volumes: list[bytes | Place] = []
        self._sheets: list[bytes | Place] = []
        self._packed = 0
        """How many are in these."""
        self._open: list[T] = []

    def __del__(self) -> None:
        """Leave the shelf: a game's past may still be read when its table has gone."""
        self._clear((*self._volumes, *self._sheets))

    def __len__(self) -> int:
        return self._packed + len(self._open)

    def __iter__(self) -> Iterator[T]:
        for pack in (*self._volumes, *self._sheets):
            yield from self._unpack(pack)
        yield from self._open

    @overload
    def __getitem__(self, where: int) -> T: ...
    @overload
    def __getitem__(self, where: slice) -> list[T]: ...
    def __getitem__(self, where: int | slice) -> T | list[T]:
        """Return one, or the list of some that follow each other.

        Raises:
            IndexError: there is none.
        """
        if isinstance(where, int):
            at = range(len(self))[where]
            return self[at : at + 1][0]
        first, last, step = where.indices(len(self))
        assert step == 1, "they follow each other"
        found: list[T] = []
        begins = 0
        sizes = ((self._volumes, _VOLUME), (self._sheets, _SHEET))
        for packs, size in sizes:
            for pack in packs:
                if first < begins + size and begins < last:
                    found += self._unpack(pack)[max(0, first - begins) : last - begins]
                begins += size
        found += self._open[max(0, first - begins) : max(0, last - begins)]
        return found

    def append(self, thing: T) -> None:
        """Add one at the end."""
        self.extend((thing,))

    def extend(self, things: Iterable[T]) -> None:
        """Add some at the end."""
        self._open.extend(things)
        while len(self._open) >= 2 * _SHEET:
            self._sheets.append(self._put_away(_pack(self._open[:_SHEET], _QUICK)))
            self._packed += _SHEET
            del self._open[:_SHEET]
            if len(self._sheets) == _SHEETS:
                volume = list(chain.from_iterable(map(self._unpack, self._sheets)))
                self._volumes.append(self._put_away(_pack(volume, _SMALL)))
                self._clear(self._sheets)
                self._sheets.clear()

    def _put_away(self, pack: bytes) -> bytes | Place:
        place = None if self._shelf is None else self._shelf.put(pack)
        return pack if place is None else place

    def _clear(self, packs: Iterable[bytes | Place]) -> None:
        if self._shelf is not None:
            for pack in packs:
                if isinstance(pack, int):
                    self._shelf.clear(pack)

    def _unpack(self, pack: bytes | Place) -> list[T]:
        if isinstance(pack, int):
            assert self._shelf is not None, "what was put away lies on a shelf"
            pack = self._shelf.get(pack)
        return self._decoder.decode(zlib.decompress(pack))


def _pack(things: list[T], level: int) -> bytes:
    return zlib.compress(_encode(things), level)
