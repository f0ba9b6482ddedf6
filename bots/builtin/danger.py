"""How likely a discard is what somebody waits for.

Logistic models of "this card brings that seat's contract nearer", fitted on the
hands that planners held in some ten thousand discards each of `hollywood`, `dummy` and
`hollywood_seven`, four seats. What weighs: how much of the contract is sets and how
much runs, how many of the rank and of its neighbours in the suit are unseen, what lies
in the discard pile (nobody wanted it); for a seat that was watched, what it took,
passed on and threw instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from hollywood.protocol.rules import Card, Contract, MeldKind, PlayerView
from hollywood.protocol.rules.cards import HIGH_ACE, JOKER, PLACE_RANKS, RANK, SUIT

from .memory import Shown
from .reach import is_in_reach
from .unseen import Unseen

_RECENT = 8
"""Discards that say most of what nobody wants: two rounds of four seats."""
_RECENT_PASSES = 6
_LATE = 12
"""Rounds of turns after which the hands no longer change with time."""


class _Near(NamedTuple):
    """The cards beside a card in its suit, one place away and two."""

    one: tuple[Card, ...]
    two: tuple[Card, ...]


@cache
def _near(card: Card) -> _Near:
    if card == JOKER:
        return _Near((), ())
    places = [p for p in range(1, HIGH_ACE + 1) if PLACE_RANKS[p] == RANK[card]]

    def at(distance: int) -> tuple[Card, ...]:
        around = {p + step for p in places for step in (-distance, distance)}
        return tuple(
            Card(PLACE_RANKS[p] + SUIT[card]) for p in sorted(around) if 1 <= p <= HIGH_ACE
        )

    return _Near(at(1), at(2))


class Danger:
    """What the other seats of one position may want."""

    def __init__(
        self, view: PlayerView, unseen: Unseen, shown: Sequence[Shown] | None = None
    ) -> None:
        rules = view.rules
        self._view = view
        self._unseen = unseen
        self._wilds = rules.wilds
        self._shown = shown
        self._late = min(view.turns / view.seats, _LATE)
        self._waiting = [
            (seat, _set_share(rules.contracts[view.contracts[seat]]))
            for seat in range(view.seats)
            if seat != view.seat
            and view.went_down[seat] is None
            and view.is_playing(seat)
            and is_in_reach(view, seat)
            and (view.rules.buy.enabled or seat == _next_seat(view))
        ]

    def of(self, card: Card) -> float:
        """Return how likely somebody who is not down has a use for the card."""
        if card in self._wilds:
            return 1.0 if self._waiting else 0.0
        nobody = 1.0
        common = self._common(card)
        for seat, sets in self._waiting:
            nobody *= 1 - self._wanted_by(card, seat, sets, common)
        return 1 - nobody

    def _common(self, card: Card) -> tuple[float, float, float]:
        """Per cent of the unseen cards: of its rank, beside it, two away."""
        near, cards, total = _near(card), self._unseen.cards, self._unseen.total
        return (
            100 * self._unseen.rank_share(RANK[card]),
            100 * _count(cards, near.one, self._wilds) / total,
            100 * _count(cards, near.two, self._wilds) / total,
        )

    def _wanted_by(
        self, card: Card, seat: int, sets: float, common: tuple[float, float, float]
    ) -> float:
        runs = 1 - sets
        rank, one, two = common
        if self._shown is None:
            pile = self._view.discards
            near = _near(card).one
            z = (
                -2.99 - 0.141 * self._late + 0.161 * sets
                + sets * (0.267 * rank - 0.733 * min(2, _ranks(pile[-_RECENT:], card)))
                + runs * (0.330 * one + 0.216 * two - 1.203 * min(2, pile.count(card)))
                - runs * 0.110 * min(3, sum([pile.count(other) for other in near]))
            )  # fmt: skip
        else:
            shown = self._shown[seat]
            near = _near(card).one
            beside = (*near, *_near(card).two)
            passed = shown.passed
            z = (
                -2.68 - 0.123 * self._late + 0.432 * sets
                + sets * (0.185 * rank + 1.794 * min(2, _ranks(shown.taken, card)))
                - sets * (0.693 * min(2, _ranks(passed, card)) + 1.861 * min(2, _ranks(shown.thrown, card)))
                - sets * 0.689 * min(2, _ranks(passed[-_RECENT_PASSES:], card))
                + runs * (0.272 * one + 0.179 * two - 2.459 * min(2, shown.taken.count(card)))
                + runs * 1.192 * min(2, sum([shown.taken.count(other) for other in beside]))
                - runs * (1.816 * min(2, passed.count(card)) + 2.502 * min(2, shown.thrown.count(card)))
                - runs * 0.284 * min(2, sum([passed.count(other) for other in near]))
            )  # fmt: skip
        return 1 / (1 + math.exp(-z))


def _next_seat(view: PlayerView) -> int:
    """Whose turn is next: where nobody buys, only that seat may have the discard."""
    seat = (view.me + 1) % view.seats
    while not view.is_playing(seat):
        seat = (seat + 1) % view.seats
    return seat


def _set_share(contract: Contract) -> float:
    """How much of a contract's cards are in sets."""
    sets = sum([spec.size for spec in contract if spec.kind is MeldKind.SET])
    return sets / sum([spec.size for spec in contract])


def _ranks(cards: Sequence[Card], card: Card) -> int:
    """How many of the cards are of that card's rank."""
    rank = RANK[card]
    return sum([RANK[other] == rank for other in cards])


def _count(left: dict[Card, int], cards: Iterable[Card], wilds: frozenset[Card]) -> int:
    return sum([left.get(card, 0) for card in cards if card not in wilds])
