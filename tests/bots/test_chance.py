"""A bot's chance."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from hollywood.bots.chance import Chance


def begun(number: int, seed: bytes = bytes(32)) -> Chance:
    chance = Chance()
    chance.begin(seed, number)
    return chance


def test_the_same_decision_has_the_same_chance() -> None:
    chance = begun(5)
    first = [chance.random() for _ in range(20)]
    chance.begin(bytes(32), 6)
    other = [chance.random() for _ in range(20)]
    chance.begin(bytes(32), 5)
    assert [chance.random() for _ in range(20)] == first != other
    assert [begun(5, b"x" * 32).random()] != first[:1]


def test_numbers_are_spread_evenly() -> None:
    """Chi squared over 20 boxes, 19 degrees of freedom: 43.8 is met once in a thousand."""
    chance = begun(1)
    for draw in (chance.random, lambda: chance.getrandbits(53) * 2**-53):
        numbers = [draw() for _ in range(20_000)]
        assert all(0 <= number < 1 for number in numbers)
        boxes = Counter(int(number * 20) for number in numbers)
        assert sum((boxes[box] - 1000) ** 2 / 1000 for box in range(20)) < 43.8


@pytest.mark.parametrize("bits", [1, 7, 8, 9, 53, 300])
def test_bits_are_as_many_as_asked_for(bits: int) -> None:
    found = [begun(number).getrandbits(bits) for number in range(200)]
    assert all(number < 1 << bits for number in found)
    assert max(found) >> (bits - 1) == 1


def test_everything_of_a_random_works() -> None:
    chance = begun(3)
    cards = list(range(52))
    chance.shuffle(cards)
    assert sorted(cards) == list(range(52))
    assert chance.choice("abc") in "abc"
    assert len(set(chance.sample(range(52), 9))) == 9


def test_numbers_are_those_of_the_construction() -> None:
    """56 bits each from SHA-256 of seed, number and block, one after the other."""
    seed = bytes(range(32))
    key = seed + (77).to_bytes(8, "big")
    blocks = [key, *[key + block.to_bytes(8, "big") for block in range(1, 40)]]
    stream = b"".join(hashlib.sha256(block).digest() for block in blocks)
    chance = begun(77, seed)
    for i in range(0, 7 * 150, 7):
        assert chance.random() == (int.from_bytes(stream[i : i + 7], "big") >> 3) / 2**53
