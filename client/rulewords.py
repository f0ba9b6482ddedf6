"""Numbers, cards and contracts as people say them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from hollywood.protocol.rules import Contract, MeldKind

_NUMBERS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
RANK_ORDER = "23456789TJQKA"
"""Ranks as values are listed, the ace last."""
_RANK_NAMES = {"T": "10", "J": "J", "Q": "Q", "K": "K", "A": "A"}
RANK_PLURALS = {
    "JK": "jokers",
    "A": "aces",
    "2": "twos",
    "3": "threes",
    "4": "fours",
    "5": "fives",
    "6": "sixes",
    "7": "sevens",
    "8": "eights",
    "9": "nines",
    "T": "tens",
    "J": "jacks",
    "Q": "queens",
    "K": "kings",
}
_SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


def contract_in_words(contract: Contract) -> str:
    """Write a contract as people say it.

    >>> from hollywood.protocol.rules import parse_contract
    >>> contract_in_words(parse_contract("2xS3 + R4"))
    'two sets of three and a run of four'
    """
    parts = []
    for spec, same in groupby(contract):
        count = len(list(same))
        kind = "set" if spec.kind is MeldKind.SET else "run"
        size = "a pair" if (kind, spec.size) == ("set", 2) else f"a {kind} of {number(spec.size)}"
        if count > 1:
            size = f"{number(count)} {kind}s of {number(spec.size)}"
        parts.append(size)
    return listing(parts)


def spans(numbers: Sequence[int]) -> Iterator[str]:
    """Write neighbours as spans: 1 to 8, 10."""
    for _, same in groupby(enumerate(numbers), lambda entry: entry[1] - entry[0]):
        yield span([n for _, n in same], "and")


def span(numbers: Sequence[int], pair: str) -> str:
    """Write neighbours as 3 to 5; two of them with the word for a pair, 3 or 4."""
    first, last = numbers[0], numbers[-1]
    if first == last:
        return str(first)
    return f"{first} {pair if last == first + 1 else 'to'} {last}"


def rank_spans(ranks: Iterable[str]) -> str:
    """Write ranks with runs of three or more as spans: 3 to 9, A."""
    told = []
    places = [RANK_ORDER.index(rank) for rank in ranks]
    for _, same in groupby(enumerate(places), lambda entry: entry[1] - entry[0]):
        names = [rank_name(RANK_ORDER[place]) for _, place in same]
        told += [f"{names[0]} to {names[-1]}"] if len(names) > 2 else names
    return ", ".join(told)


def rank_name(rank: str) -> str:
    """Write a rank: T is 10."""
    return _RANK_NAMES.get(rank, rank)


def card_name(card: str) -> str:
    """Write a card: A of hearts."""
    return "joker" if card == "JK" else f"{rank_name(card[0])} of {_SUITS[card[1]]}"


def number(n: int) -> str:
    """Write a number in words, up to twelve."""
    return _NUMBERS[n] if n < len(_NUMBERS) else str(n)


def plural(n: int, noun: str) -> str:
    """Write the noun for so many."""
    return noun if n == 1 else f"{noun}s"


def listing(words: Sequence[str], last: str = "and") -> str:
    """Join words as people do: a, b and c."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def capital(text: str) -> str:
    """Write the first letter large."""
    return text[:1].upper() + text[1:]
