"""A bot's chance: random numbers that are cheap to begin anew for every decision."""

from __future__ import annotations

import random
from hashlib import sha256
from struct import Struct

_WORD = 7
"""Bytes of a number: 56 bits, of which a float takes 53."""

_EIGHT = Struct(">Q")
_pack, _unpack = _EIGHT.pack, _EIGHT.unpack_from


class Stream:
    """Numbers from SHA-256 in counter mode, beside which a Mersenne twister is slow to seed."""

    __slots__ = ("_at", "_blocks", "_bytes", "_key")

    def __init__(self) -> None:
        self._key = self._bytes = b""
        self._blocks = self._at = 0

    def begin(self, seed: bytes, number: int) -> None:
        """Begin the stream of decision `number` of a seat with that seed."""
        self._key = key = seed + _pack(number)
        self._blocks = self._at = 0
        self._bytes = sha256(key).digest()

    def random(self) -> float:
        """Return a number from 0 up to, but not including, 1."""
        at = self._at
        if at + 8 > len(self._bytes):
            return (int.from_bytes(self._take(_WORD), "big") >> 3) * 2**-53
        # eight bytes are read at once, though the last one belongs to the next number
        self._at = at + _WORD
        number: int = _unpack(self._bytes, at)[0]
        return (number >> 11) * 2**-53

    def getrandbits(self, k: int, /) -> int:
        """Return a whole number of `k` bits."""
        size = (k + 7) // 8
        return int.from_bytes(self._take(size), "big") >> (size * 8 - k)

    def _take(self, size: int) -> bytes:
        first, last = self._at, self._at + size
        while last > len(self._bytes):
            self._blocks += 1
            block = sha256(self._key + self._blocks.to_bytes(8, "big")).digest()
            self._bytes = self._bytes[first:] + block
            first, last = 0, size
        self._at = last
        return self._bytes[first:last]


class Chance(random.Random):
    """All that `random.Random` offers, from a stream.

    Only `random` is promised to give the same numbers in later versions of Python.
    """

    def __init__(self) -> None:
        super().__init__(0)
        stream = Stream()
        self.begin = stream.begin
        """Begins the stream of a decision: a seat's seed, and the number of the decision."""
        # an attribute of a Random is looked up slowly, so the stream answers itself
        self.random = stream.random  # type: ignore[method-assign]
        self._bits = stream.getrandbits

    def getrandbits(self, k: int, /) -> int:
        """Return a whole number of `k` bits."""
        return self._bits(k)
