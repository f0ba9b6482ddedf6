"""Duplicate deals: a stock pile for each seat, cut before the deal.

Where the same cards are played again with the seats changed round, a buy of one
seat must not move what another draws. So each seat has its own part of the deck:
its hand, then what it draws from the top of its pile; its penalty cards come from
the bottom. An empty pile is a stock that cannot give. The deck is shuffled as
always, so no seat is better off, and what all may see is the cards left in all piles.

The piles lie one after the other in the stock (`GameState.order`); `piles` says how
long each is.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from .cards import Hand, add_cards
from .state import set_at

Piles = tuple[int, ...]
"""Cards left in each seat's pile, the first drawn first; () where there is one stock."""


def cut(cards: Hand, seats: int, first: int = 0) -> tuple[Hand, ...]:
    """Cut cards into a pile for each seat, one card at a time from seat `first` on.

    >>> cut(("AC", "2C", "3C", "4C", "5C"), 2)
    (('AC', '3C', '5C'), ('2C', '4C'))
    """
    return tuple(cards[(seat - first) % seats :: seats] for seat in range(seats))


def deal_piles(cards: Hand, sizes: Sequence[int]) -> tuple[tuple[Hand, ...], Hand, Piles]:
    """Cut the deck into a part for each seat with its hand on top.

    Returns:
        The hands, of `sizes` cards, the stock and the piles.

    >>> deal_piles(("AC", "2C", "3C", "4C", "5C"), (1, 1))
    ((('AC',), ('2C',)), ('3C', '5C', '4C'), (2, 1))
    """
    parts = cut(cards, len(sizes))
    assert all(len(part) >= size for part, size in zip(parts, sizes, strict=True)), "too few cards"
    hands = tuple(add_cards((), part[:size]) for part, size in zip(parts, sizes, strict=True))
    piles = [part[size:] for part, size in zip(parts, sizes, strict=True)]
    return hands, tuple(chain.from_iterable(piles)), tuple(map(len, piles))


def draw_own(order: Hand, piles: Piles, seat: int) -> tuple[Hand, Hand, Piles]:
    """Take the top card of a seat's pile: the card, the stock and the piles after it.

    >>> draw_own(("AC", "2C", "3C"), (1, 2), 1)
    (('2C',), ('AC', '3C'), (1, 1))
    """
    top = sum(piles[:seat])
    return (
        order[top : top + 1],
        order[:top] + order[top + 1 :],
        set_at(piles, seat, piles[seat] - 1),
    )


def pay_own(order: Hand, piles: Piles, seat: int, count: int) -> tuple[Hand, Hand, Piles]:
    """Take penalty cards from the bottom of a seat's pile, the lowest first.

    >>> pay_own(("AC", "2C", "3C", "4C"), (4, 0), 0, 2)
    (('4C', '3C'), ('AC', '2C'), (2, 0))
    """
    end = sum(piles[: seat + 1])
    paid = order[end - count : end][::-1]
    return paid, order[: end - count] + order[end:], set_at(piles, seat, piles[seat] - count)


def put_under(order: Hand, piles: Piles, cards: Hand, seat: int) -> tuple[Hand, Piles]:
    """Cut cards under all piles, from a seat on; return the stock and the piles.

    >>> put_under(("AC", "2C"), (1, 1), ("JK", "KD", "KH"), 1)
    (('AC', 'KD', '2C', 'JK', 'KH'), (2, 3))
    """
    shares = cut(cards, len(piles), seat)
    whole: Hand = ()
    end = 0
    for left, share in zip(piles, shares, strict=True):
        whole += order[end : end + left] + share
        end += left
    return whole, grown(piles, len(cards), seat)


def grown(piles: Piles, cards: int, seat: int) -> Piles:
    """Return the piles with so many cards put under them from a seat on.

    >>> grown((1, 1), 3, 1)
    (2, 3)
    """
    seats = len(piles)
    each, over = divmod(cards, seats)
    return tuple(left + each + ((i - seat) % seats < over) for i, left in enumerate(piles))


def who_can_pay(
    piles: Piles, spare: int, turn: int, order: tuple[int, ...], costs: Sequence[int]
) -> tuple[int, ...]:
    """Return the seats of a window but for those whose piles cannot give what a buy costs.

    Args:
        piles: The piles as they are.
        spare: Discards that may be put under them, once.
        turn: The seat in turn, which takes the card free.
        order: The seats that may claim.
        costs: For each seat the penalty cards of a buy.

    >>> who_can_pay((0, 1, 2), 0, 1, (1, 2, 0), (1, 1, 1))
    (1, 2)
    """
    return tuple(
        seat for seat in order if seat == turn or can_pay(piles, spare, turn, seat, costs[seat])
    )


def can_pay(piles: Piles, spare: int, turn: int, buyer: int, penalty: int) -> bool:
    """Whether the buyer's pile gives its penalty and then the pile in turn its draw (0-49).

    Args:
        piles: The piles as they are.
        spare: Discards that may be put under them, once.
        turn: The seat in turn, which draws after the buy.
        buyer: The seat that would buy.
        penalty: How many cards that costs it.

    >>> can_pay((1, 0), 0, 0, 1, 1), can_pay((1, 0), 1, 0, 1, 1), can_pay((0, 1), 0, 0, 1, 1)
    (False, True, False)
    """
    if piles[buyer] < penalty:
        piles, spare = grown(piles, spare, buyer), 0
    return piles[buyer] >= penalty and (piles[turn] > 0 or spare > 0)
