"""Card order from a seed: the construction rebuilt from its description, and golden values."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace

from builders import HOLLYWOOD
from hollywood.protocol.rules import (
    Card,
    GameState,
    Phase,
    game_seed,
    next_deal,
    seat_seed,
    seed_from_text,
    start,
)
from hollywood.protocol.rules.dealing import SEED_SIZE, first_dealer, shuffle
from strategies import random_step

ZERO = bytes(32)
TEN = tuple(Card(rank + "S") for rank in "A23456789T")

GOLDEN_ZERO = "7S 5S AS 3S 8S TS 9S 6S 2S 4S"
GOLDEN_TEXT = "8S 4S TS AS 2S 6S 3S 9S 7S 5S"
GOLDEN_DECK = "9314c38a3481aae1db0782a54f97fa15fc574e2034010344a812a9df679e2da6"
GOLDEN_DEALERS = [1, 1, 3, 4, 1, 3, 7]


def numbers(seed: bytes, label: str) -> Iterator[int]:
    """SHA-256 of seed, label and a 32-bit counter, cut into big-endian 32-bit numbers."""
    for counter in range(1 << 32):
        block = hashlib.sha256(b"".join((seed, label.encode(), counter.to_bytes(4, "big"))))
        digits = block.hexdigest()
        yield from (int(digits[i : i + 8], 16) for i in range(0, 64, 8))


def below(stream: Iterator[int], n: int) -> int:
    """A number below n; those past the last multiple of n below 2^32 are thrown away."""
    largest = 2**32 // n * n
    return next(number for number in stream if number < largest) % n


def reference_shuffle(cards: tuple[Card, ...], seed: bytes, label: str) -> tuple[Card, ...]:
    """Fisher-Yates from the last card down."""
    order, stream = list(cards), numbers(seed, label)
    for last in reversed(range(1, len(order))):
        other = below(stream, last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 10, 54, 216])
def test_the_shuffle_is_the_one_described(size: int) -> None:
    """Against a second implementation, for many seeds and labels."""
    cards = HOLLYWOOD.deck_cards[:size]
    for i in range(40):
        seed = seed_from_text(f"seed {i}")
        for label in (f"deal/{i}", f"deal/{i}/reshuffle/0"):
            assert shuffle(cards, seed, label) == reference_shuffle(cards, seed, label)


def test_golden_orders() -> None:
    """These never change: records and other languages depend on them."""
    assert " ".join(shuffle(TEN, ZERO, "deal/0")) == GOLDEN_ZERO
    assert " ".join(shuffle(TEN, seed_from_text("hollywood"), "deal/9")) == GOLDEN_TEXT
    order = shuffle(HOLLYWOOD.deck_cards, ZERO, "deal/0")
    assert hashlib.sha256(" ".join(order).encode()).hexdigest() == GOLDEN_DECK


def test_golden_seeds() -> None:
    """Seeds of texts, games and seats, and the first dealer."""
    assert seed_from_text("hollywood").hex() == hashlib.sha256(b"hollywood").hexdigest()
    assert seed_from_text("é") == hashlib.sha256(b"\xc3\xa9").digest()
    assert game_seed(ZERO, 7) == hashlib.sha256(ZERO + b"game/7" + bytes(4)).digest()
    assert seat_seed(ZERO, 3) == hashlib.sha256(ZERO + b"seat/3" + bytes(4)).digest()
    assert [
        first_dealer(seed_from_text("hollywood"), seats) for seats in range(2, 9)
    ] == GOLDEN_DEALERS


def test_the_first_dealer_is_the_one_described() -> None:
    """One number below the number of seats, from the stream named dealer."""
    for i in range(200):
        seed = seed_from_text(str(i))
        for seats in range(2, 9):
            assert first_dealer(seed, seats) == below(numbers(seed, "dealer"), seats)


def test_numbers_past_the_last_multiple_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rejection sampling: words that would favour small numbers are not used."""
    words = [0xFFFFFFFF, 0xFFFFFFFE, 5, 0xFFFFFFFF, 4]
    monkeypatch.setattr("hollywood.protocol.rules.dealing._words", lambda *_: iter(words))
    # 2^32 = 3 * 1431655765 + 1, so only 0xFFFFFFFF is past the last multiple of 3.
    assert shuffle(TEN[:3], ZERO, "any") == by_hand(TEN[:3], [0xFFFFFFFE % 3, 5 % 2])


def by_hand(cards: tuple[Card, ...], choices: list[int]) -> tuple[Card, ...]:
    """Swap the last card with the chosen one, then the one before it."""
    order = list(cards)
    for last, other in zip(range(len(order) - 1, 0, -1), choices, strict=True):
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def test_labels_and_seeds_are_independent() -> None:
    """Another label or another bit of the seed gives another order."""
    labels = [f"deal/{i}" for i in range(10)] + [f"deal/{i}/reshuffle/0" for i in range(10)]
    seeds = [ZERO, bytes([1]) + bytes(31), bytes(31) + bytes([1])]
    deck = HOLLYWOOD.deck_cards
    orders = {shuffle(deck, seed, label) for seed in seeds for label in labels}
    assert len(orders) == len(seeds) * len(labels)
    assert (
        len({*(game_seed(ZERO, i) for i in range(50)), *(seat_seed(ZERO, i) for i in range(50))})
        == 100
    )


def test_each_place_is_as_likely() -> None:
    """A card is found at each of six places about as often; 30 is far outside chance."""
    cards, tries = TEN[:6], 6000
    found: Counter[tuple[str, int]] = Counter()
    for i in range(tries):
        found.update((card, at) for at, card in enumerate(shuffle(cards, ZERO, f"even/{i}")))
    expected = tries / 6
    for card in cards:
        chi_square = sum((found[card, at] - expected) ** 2 / expected for at in range(6))
        assert chi_square < 30  # five degrees of freedom: p < 0.00002


def test_a_shuffle_keeps_the_cards() -> None:
    """Nothing lost, nothing twice, the argument as it was."""
    deck = HOLLYWOOD.deck_cards
    assert Counter(shuffle(deck, ZERO, "deal/0")) == Counter(deck)


def test_a_seed_has_its_size() -> None:
    """Anything else is our bug, not an entropy to stretch."""
    for size in (0, SEED_SIZE - 1, SEED_SIZE + 1):
        with pytest.raises(ValueError, match="32 bytes"):
            start(HOLLYWOOD, 2, bytes(size))


def finish(state: GameState, rng: Random) -> GameState:
    """Play a deal to its end by chance."""
    while state.phase in (Phase.WINDOW, Phase.PLAY):
        state, _ = random_step(state, rng)
    return state


def test_what_happens_in_a_deal_never_changes_the_next() -> None:
    """The next deal's cards follow from seed and number alone, reshuffles or not."""
    seed = seed_from_text("streams")
    first, _ = start(HOLLYWOOD, 3, seed)
    ended = [finish(first, Random(i)) for i in range(4)]
    assert len({state.discards for state in ended}) == 4
    dealt = [next_deal(state)[0] for state in (*ended, replace(first, phase=Phase.DEAL_OVER))]
    assert {state.order for state in dealt} == {shuffle(HOLLYWOOD.deck_cards, seed, "deal/1")}
    assert len({(state.hands, state.discards, state.dealer) for state in dealt}) == 1


def test_cards_go_round_one_at_a_time_from_the_first_player() -> None:
    """The hands, the upcard and the stock are the shuffled deck from the top."""
    state, _ = start(HOLLYWOOD, 3, ZERO)
    order = shuffle(HOLLYWOOD.deck_cards, ZERO, "deal/0")
    for i in range(3):
        seat = (state.turn + i) % 3
        assert sorted(state.hands[seat]) == sorted(order[i:33:3])
    assert state.discards == (order[33],)
    assert state.stock == order[34:]
