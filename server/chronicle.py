"""What has happened at a table, in little memory.

A table keeps all of its game for who comes back late, for the record, and for the
journal's digests, but hardly ever looks at more than the last few events. So all but
those are kept packed: a fiftieth to a twentieth of what the objects take.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from types import GenericAlias
from typing import Any, Generic, TypeVar, overload

import msgspec

T = TypeVar("T")

_CHUNK = 128
"""So many are packed together; as many at least, and twice as many at the most, are not."""
_LEVEL = 1
"""Of zlib: more would take longer and save little."""

_encode = msgspec.msgpack.Encoder().encode


@cache
def _decoder(kind: object) -> msgspec.msgpack.Decoder[list[Any]]:
    return msgspec.msgpack.Decoder(GenericAlias(list, (kind,)))


class Chronicle(Generic[T]):
    """A list that only grows, of things that msgpack can carry.

    Args:
        kind: Their type, as msgspec needs it to read them again.
    """

    def __init__(self, kind: object) -> None:
        self._decoder: msgspec.msgpack.Decoder[list[T]] = _decoder(kind)
        self._packed: list[bytes] = []
        self._open: list[T] = []

    def __len__(self) -> int:
        return len(self._packed) * _CHUNK + len(self._open)

    def __iter__(self) -> Iterator[T]:
        for chunk in range(len(self._packed)):
            yield from self._unpack(chunk)
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
        for chunk in range(first // _CHUNK, len(self._packed)):
            if chunk * _CHUNK >= last:
                break
            found += self._unpack(chunk)[max(0, first - chunk * _CHUNK) : last - chunk * _CHUNK]
        begins = len(self._packed) * _CHUNK
        found += self._open[max(0, first - begins) : max(0, last - begins)]
        return found

    def append(self, thing: T) -> None:
        """Add one at the end."""
        self.extend((thing,))

    def extend(self, things: Iterable[T]) -> None:
        """Add some at the end."""
        self._open.extend(things)
        while len(self._open) >= 2 * _CHUNK:
            self._packed.append(zlib.compress(_encode(self._open[:_CHUNK]), _LEVEL))
            del self._open[:_CHUNK]

    def _unpack(self, chunk: int) -> list[T]:
        return self._decoder.decode(zlib.decompress(self._packed[chunk]))
