"""The only place that turns entropy into card order.

From one 32-byte seed every order is derived as PROTOCOL.md writes it down, so
that any language can check it: a stream of SHA-256(seed + label + counter)
blocks, read as big-endian 32-bit numbers, gives unbiased numbers below n by
rejection, and these drive a Fisher-Yates shuffle from the last card down. Each
purpose has its own label, so what happens in one deal never changes another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from struct import Struct

from .cards import Card, Hand

SEED_SIZE = 32

_WORDS = Struct(">8I")
"""What a block of 32 bytes is read as."""

_ALL_WORDS = 1 << 32


def seed_from_text(text: str) -> bytes:
    """Return the 32-byte seed that a text stands for: its SHA-256.

    >>> seed_from_text("1").hex()[:8]
    '6b86b273'
    """
    return hashlib.sha256(text.encode()).digest()


def game_seed(seed: bytes, game: int) -> bytes:
    """Return the seed of the game of that number in a run of games."""
    return _digest(seed, f"game/{game}", 0)


def seat_seed(seed: bytes, seat: int) -> bytes:
    """Return the seed for what the player on that seat decides by chance.

    It says nothing about the cards, so a seat may be told its own.
    """
    return _digest(seed, f"seat/{seat}", 0)


def commitment(seed: bytes) -> str:
    """Return what a server publishes of its seed before the first card: SHA-256 in hex."""
    return hashlib.sha256(seed).hexdigest()


def mix_entropy(seed: bytes, entropy: Sequence[str]) -> bytes:
    """Return the seed of the game: the server's, with what the seats have added.

    SHA-256 of the server's seed and each seat's hex digits in turn, each behind
    its seat number and a colon; the server's seed itself where nobody added any.

    >>> mix_entropy(bytes(32), ("", "")) == bytes(32)
    True
    """
    if not any(entropy):
        return seed
    added = "".join(f"{seat}:{text}" for seat, text in enumerate(entropy))
    return hashlib.sha256(seed + added.encode()).digest()


def first_dealer(seed: bytes, seats: int) -> int:
    """Return the seat that deals first."""
    words = _words(seed, "dealer")
    return next(word for word in words if word < _last_multiple(seats)) % seats


def shuffle(cards: Sequence[Card], seed: bytes, label: str) -> Hand:
    """Return the cards in the order that seed and label give.

    >>> " ".join(shuffle(("AC", "AD", "AH", "AS"), bytes(32), "deal/0"))
    'AC AH AD AS'
    """
    order = list(cards)
    n = len(order)
    if n > 1:
        surely_less = _ALL_WORDS - n
        for word in _words(seed, label):
            if word < surely_less or word < _last_multiple(n):
                i = word % n
                n -= 1
                order[n], order[i] = order[i], order[n]
                if n == 1:
                    break
    return tuple(order)


def _digest(seed: bytes, label: str, counter: int) -> bytes:
    return hashlib.sha256(seed + label.encode() + counter.to_bytes(4, "big")).digest()


def _words(seed: bytes, label: str) -> Iterator[int]:
    counter = 0
    while True:
        yield from _WORDS.unpack(_digest(seed, label, counter))
        counter += 1


def _last_multiple(n: int) -> int:
    """The largest multiple of a number that words go up to: from there on they are skipped."""
    return _ALL_WORDS - _ALL_WORDS % n
