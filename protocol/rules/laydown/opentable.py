"""The melds on the table as the search for lay-offs sees them, worked out once a table."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import NamedTuple

from ..cards import SUITS
from ..contracts import MeldKind
from ..melds import Meld, TableMeld
from .tables import FIELDS, PLACE_BITS, Tables


class OpenRun(NamedTuple):
    """A run on the table."""

    number: int
    suit: int
    low: int
    high: int
    wilds: int
    beyond: int
    """The bytes of the cards that could be naturals beyond its ends."""
    beside: int
    """Those of the cards right at its ends."""
    key: int
    """Its ends and wilds."""


class OpenTable:
    """What the search needs to know of the melds on the table."""

    def __init__(
        self, tables: Tables, wilds_in: Callable[[Meld], int], table: tuple[TableMeld, ...]
    ) -> None:
        self.table = table
        self.sets: dict[str, TableMeld] = {}
        """The first set of each rank; there all naturals of the rank go."""
        self.other_sets: list[TableMeld] = []
        self.runs: list[OpenRun] = []
        self.wilds: dict[int, int] = {}
        """How many wilds there are in each meld, by its number."""
        for target in table:
            meld = target.meld
            self.wilds[target.number] = wilds_in(meld)
            if meld.kind is MeldKind.RUN:
                self.runs.append(self._run(tables, target))
            elif meld.rank in self.sets:
                self.other_sets.append(target)
            else:
                self.sets[meld.rank] = target
        self.runs.sort(key=lambda run: run.suit)
        self.runs_of_suit = [sum([run.suit == suit for run in self.runs]) for suit in range(4)]
        self.set_ranks = sum([1 << 8 * FIELDS.index(rank) for rank in self.sets])
        self.sets_by_number = sorted(
            [(target.number, target, True) for target in self.sets.values()]
            + [(target.number, target, False) for target in self.other_sets],
            key=itemgetter(0),
        )
        """The sets, and whether they are the first of their rank."""

    def _run(self, tables: Tables, target: TableMeld) -> OpenRun:
        meld = target.meld
        low, high = meld.low, meld.high
        bits = {
            place: PLACE_BITS[place] * 0xFF & tables.in_runs
            for place in range(tables.low, tables.high + 1)
            if not low <= place <= high
        }
        beyond = beside = 0
        for place, bit in bits.items():
            beyond |= bit
            if place in (low - 1, high + 1):
                beside |= bit
        suit = SUITS.index(meld.suit)
        wilds = self.wilds[target.number]
        key = wilds << 16 | low << 8 | high
        return OpenRun(target.number, suit, low, high, wilds, beyond, beside, key)
