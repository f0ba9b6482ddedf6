"""Cards, hands and packs.

A card is a *type*, not a piece of cardboard: the two sevens of hearts of two
packs are the same card (T57), so a card is its two-letter code and a hand is a
sorted tuple of codes. Codes travel on the wire and stand in records as they are.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from typing import NewType

from ..errors import NotationError

Card = NewType("Card", str)
"""A card's code: rank `A23456789TJQK` and suit `CDHS`, or `JK` for a joker."""

Hand = tuple[Card, ...]
"""Cards in the order of `ORDER`, duplicates beside each other."""

RANKS = "A23456789TJQK"
SUITS = "CDHS"
JOKER = Card("JK")

HIGH_ACE = 14
"""The place of a high ace in a run; a low one is at 1, a two at 2, a king at 13."""

PLACE_RANKS = " A23456789TJQKA23456789TJQK"
"""The rank letter at each place of a run: 1 to 14, and on where runs go round the ace."""

PACK: Hand = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
"""The 52 cards of one pack, without jokers."""

CARDS: Hand = (*(Card(rank + suit) for rank in "3456789TJQKA2" for suit in SUITS), JOKER)
"""Every card there is, in the order in which hands are kept: wild ranks last."""

ORDER: dict[Card, int] = {card: i for i, card in enumerate(CARDS)}
"""The place of each card in a sorted hand; also the set of valid codes."""

RANK: dict[Card, str] = {card: card[0] for card in PACK} | {JOKER: "JK"}
"""The rank letter of each card; a joker's is `JK`."""

SUIT: dict[Card, str] = {card: card[1] for card in PACK} | {JOKER: ""}
"""The suit letter of each card; a joker has none."""

_place_of = ORDER.__getitem__

_SUIT_SIGNS = {"♣": "C", "♦": "D", "♥": "H", "♠": "S"}


def parse_card(text: str) -> Card:
    """Read one card code.

    Lower case, `10` for the ten and suit signs are understood.

    >>> parse_card("10h"), parse_card("k♠"), parse_card("jk")
    ('TH', 'KS', 'JK')

    Raises:
        NotationError: the text is no card.
    """
    code = text.strip().upper()
    if code.startswith("10"):
        code = "T" + code[2:]
    if len(code) == 2:
        code = code[0] + _SUIT_SIGNS.get(code[1], code[1])
    if code not in ORDER:
        raise NotationError(
            f"{text!r} is not a card: write rank A23456789TJQK and suit CDHS, as in TD, or JK"
        )
    return Card(code)


def parse_hand(text: str) -> Hand:
    """Read cards separated by spaces or commas, in any order.

    >>> parse_hand("KS jk 9C KH")
    ('9C', 'KH', 'KS', 'JK')
    """
    return sort_hand(parse_card(word) for word in text.replace(",", " ").split())


def format_hand(cards: Iterable[Card]) -> str:
    """Write cards as they are read.

    >>> format_hand(parse_hand("KS 9C"))
    '9C KS'
    """
    return " ".join(cards)


def sort_hand(cards: Iterable[Card]) -> Hand:
    """Put cards in the order in which hands are kept."""
    return tuple(sorted(cards, key=ORDER.__getitem__))


def add_cards(hand: Hand, cards: Iterable[Card]) -> Hand:
    """Return the hand with the cards in it.

    >>> add_cards(parse_hand("3C KS"), [Card("9C")])
    ('3C', '9C', 'KS')
    """
    more = [*hand, *cards]
    more.sort(key=ORDER.__getitem__)
    return tuple(more)


def add_card(hand: Hand, card: Card) -> Hand:
    """Return the hand, which must be in order, with one more card in it."""
    more = list(hand)
    insort(more, card, key=_place_of)
    return tuple(more)


def remove_cards(hand: Hand, cards: Iterable[Card]) -> Hand | None:
    """Return the hand without one copy of each card, None if one is missing.

    >>> remove_cards(parse_hand("7H 7H KS"), [Card("7H")])
    ('7H', 'KS')
    """
    rest = list(hand)
    try:
        for card in cards:
            rest.remove(card)
    except ValueError:
        return None
    return tuple(rest)
