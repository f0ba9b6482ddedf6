"""The whole game, hidden cards included. It never leaves the referee."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

import msgspec

from .cards import Card, Hand
from .claims import Window
from .melds import TableMeld
from .rulesets import RuleSet

T = TypeVar("T")


class Phase(StrEnum):
    """What is waited for."""

    WINDOW = "window"
    """Answers of the seats in the claim window."""
    PLAY = "play"
    """The Play of the seat in turn, which has drawn."""
    DEAL_OVER = "deal_over"
    """The next deal, by `next_deal`."""
    GAME_OVER = "game_over"
    """Nothing more."""


class GameState(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One position. Tuples over seats have one entry for each, in turn order.

    Its `__dict__` holds the views that were asked for (`views.view`), no facts of its own.
    """

    rules: RuleSet
    seats: int
    seed: bytes
    """32 bytes, the server's and the seats' together; with the actions it gives the game."""
    server_seed: bytes = b""
    """The 32 bytes the server has committed itself to."""
    phase: Phase
    deal: int
    """0-based number of the deal."""
    dealer: int
    turn: int
    """The seat in turn."""
    contracts: tuple[int, ...]
    """The index of each seat's contract in the rounds, past the last one if it has made all."""
    hands: tuple[Hand, ...]
    order: Hand
    """The stock as it was last shuffled, the top card first."""
    drawn: int
    """How many cards of `order` are gone; the next is `order[drawn]`."""
    piles: tuple[int, ...] = ()
    """Where each seat draws from a pile of its own (`piles`): how many of `order`, one pile
    after the other, are left to each; () where all draw from one stock."""
    discards: Hand
    """The discard pile, bottom to top."""
    is_upcard_live: bool
    """Whether the top of the discard pile may still be taken (0-25)."""
    discarder: int | None
    """Who discarded the upcard, None for the one turned up after the deal."""
    reshuffles: int
    """How often the stock was rebuilt in this deal (0-54)."""
    table: tuple[TableMeld, ...]
    went_down: tuple[int | None, ...]
    """The turn of this deal in which each seat went down, None if it has not."""
    turns: int
    """How many turns of this deal have begun."""
    buys: tuple[int, ...]
    """Buys of each seat in this deal (0-44)."""
    game_buys: tuple[int, ...]
    """Buys of each seat in the game."""
    last_buyer: int | None
    """Who bought in the last window, None if nobody did."""
    window: Window | None
    """The open claim window, in the phase WINDOW."""
    drew: Card | None
    """What the seat in turn drew, in the phase PLAY."""
    took_upcard: bool
    """Whether that was the upcard (0-26)."""
    scores: tuple[tuple[int, ...], ...]
    """Points of each seat for each deal that was scored."""
    winners: tuple[int, ...]
    went_out: int | None = None
    """Who ended the deal that is over by playing the last card, None if nobody did."""

    @property
    def stock(self) -> Hand:
        """The face-down cards, the next to be drawn first."""
        return self.order[self.drawn :]

    @property
    def stock_size(self) -> int:
        """How many face-down cards there are."""
        return len(self.order) - self.drawn

    def hand_size(self, seat: int) -> int:
        """How many cards a seat holds."""
        return len(self.hands[seat])

    @property
    def upcard(self) -> Card | None:
        """The live top of the discard pile."""
        return self.discards[-1] if self.is_upcard_live else None

    def totals(self) -> tuple[int, ...]:
        """Points of each seat over all deals that were scored (0-4)."""
        return sum_scores(self.scores, self.seats)


def sum_scores(scores: tuple[tuple[int, ...], ...], seats: int) -> tuple[int, ...]:
    """Add up the deals, seat by seat.

    >>> sum_scores(((0, 25), (40, 5)), 2)
    (40, 30)
    """
    return tuple(sum(deal[seat] for deal in scores) for seat in range(seats))


def set_at(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    """Return the tuple with one entry replaced."""
    changed = list(items)
    changed[index] = item
    return tuple(changed)
