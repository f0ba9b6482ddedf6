"""The player's hand as it lies on the screen: order, cursor, selection."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from hollywood.protocol.rules import Card, Hand, RuleSet
from hollywood.protocol.rules.cards import ORDER, RANK

from .composer import CardKey

Sort = Literal["rank", "suit", "mine"]

_NEXT: dict[Sort, Sort] = {"rank": "suit", "suit": "mine", "mine": "rank"}

CELL = 4
"""Cells one card takes."""


def cards_per_row(cols: int) -> int:
    """How many cards fit beside each other."""
    return max(1, (cols - 1) // CELL)


class HandView:
    """Cards of the hand in the order shown; a cursor and a selection on them.

    A card is known by its code and which of its copies it is, so that cursor and
    selection stay on it when the order or the rest of the hand changes.
    """

    def __init__(self, sort: Sort = "rank") -> None:
        self.keys: tuple[CardKey, ...] = ()
        self.selected: set[CardKey] = set()
        self.sort: Sort = sort
        self._cursor: CardKey | None = None
        self._hand: Hand = ()
        self._rules: RuleSet | None = None

    @property
    def index(self) -> int:
        """Where the cursor is."""
        return self.keys.index(self._cursor) if self._cursor in self.keys else 0

    @property
    def cursor(self) -> CardKey | None:
        """The card under the cursor, None in an empty hand."""
        return self.keys[self.index] if self.keys else None

    def chosen(self) -> list[CardKey]:
        """The selected cards in the order shown, or else the one under the cursor."""
        found = [key for key in self.keys if key in self.selected]
        return found or ([] if self.cursor is None else [self.cursor])

    def sync(self, hand: Hand, rules: RuleSet) -> None:
        """Follow the hand. A cursor whose card is gone stays where it was."""
        if hand == self._hand and rules is self._rules:
            return
        index = self.index
        self._hand, self._rules = hand, rules
        self._arrange()
        self.selected &= set(self.keys)
        if self._cursor not in self.keys:
            self._cursor = self.keys[min(index, len(self.keys) - 1)] if self.keys else None

    def _arrange(self) -> None:
        copies: Counter[Card] = Counter()
        keys: list[CardKey] = []
        for card in self._hand:
            keys.append((card, copies[card]))
            copies[card] += 1
        if self.sort == "mine":
            # cards that came since stand at the end, sorted, until they are moved
            order = {key: i for i, key in enumerate(self.keys)}
            self.keys = tuple(
                sorted(keys, key=lambda key: (order.get(key, len(order)), self._place(key)))
            )
        else:
            self.keys = tuple(sorted(keys, key=self._place))

    def _place(self, key: CardKey) -> tuple[int, str, int, int]:
        card, copy = key
        is_wild = self._rules is not None and self._rules.is_wild(card)
        suit = card[1] if self.sort == "suit" and not is_wild else ""
        return (int(is_wild), suit, ORDER[card], copy)

    def toggle_sort(self) -> None:
        """Go on from the order by rank to that by suit, to one's own, and round again."""
        self.sort = _NEXT[self.sort]
        self._arrange()

    def move_card(self, step: int) -> None:
        """Move the card under the cursor to the right, or to the left; the order is one's own."""
        self.sort = "mine"
        to = self.index + step
        if (moved := self.cursor) is not None and 0 <= to < len(self.keys):
            others = [key for key in self.keys if key != moved]
            others.insert(to, moved)
            self.keys, self._cursor = tuple(others), moved

    def forget_order(self) -> None:
        """Begin with a new hand: no order of one's own yet."""
        self._hand, self.keys = (), ()

    def point(self, key: CardKey) -> bool:
        """Put the cursor on that very card; False if it is not there."""
        if key not in self.keys:
            return False
        self._cursor = key
        return True

    def move(self, step: int) -> None:
        """Move the cursor to the right, or to the left; it goes round the ends."""
        if self.keys:
            self._cursor = self.keys[(self.index + step) % len(self.keys)]

    def move_row(self, step: int, per_row: int) -> None:
        """Move the cursor a row up or down, where there is one."""
        to = self.index + step * per_row
        last_row = (len(self.keys) - 1) // per_row
        if 0 <= to < len(self.keys):
            self._cursor = self.keys[to]
        elif step > 0 and self.index // per_row < last_row:
            self._cursor = self.keys[-1]

    def go_to(self, card: Card) -> None:
        """Put the cursor on a card, if it is there."""
        self._cursor = next((key for key in self.keys if key[0] == card), self._cursor)

    def move_to_end(self, *, last: bool) -> None:
        """Put the cursor on the first or the last card."""
        if self.keys:
            self._cursor = self.keys[-1 if last else 0]

    def find(self, key: str) -> None:
        """Put the cursor on the next card of that rank: 0 is ten, * any wild."""
        rank = "T" if key == "0" else key
        for step in range(1, len(self.keys) + 1):
            at = self.keys[(self.index + step) % len(self.keys)]
            is_wild = self._rules is not None and self._rules.is_wild(at[0])
            if RANK[at[0]] == rank or (rank == "*" and is_wild):
                self._cursor = at
                return

    def toggle(self) -> None:
        """Select the card under the cursor, or let it go."""
        if self.cursor is not None:
            self.selected ^= {self.cursor}

    def marks_of_new(self, new_cards: Hand) -> set[CardKey]:
        """Return which cards are new: the last copies of each card that came."""
        fresh, held = Counter(new_cards), Counter(self._hand)
        return {key for key in self.keys if key[1] >= held[key[0]] - fresh[key[0]]}
