"""How many cards a hand lacks.

Fix where the runs lie and which ranks the sets have. Cards that are missing are
of two kinds. *Gaps* are places that no natural of the hand fills: with `wilds` in
hand, `gaps - wilds` cards must come. And the wild limit asks for a number of
naturals in each meld, its *quota*: what the hand lacks of all quotas together,
`need`, must come as naturals. A card that fills a need fills a gap as well, so

    distance = max(0, gaps - wilds, need, size of the contract - cards in hand)

and the least over all ways to lay the melds is sought. (That both bounds can be
met at once is a property of flows: one that serves the quotas grows into one
that serves all places.) A natural that a run and a set both want goes to the
run for the gaps, where it counts the same; for the needs, a run gives back what
it has beyond its quota, its *slack*.

Without runs the best ranks are those with the most cards, for gaps and needs
alike, so counting how many ranks have one card, two, three ... is enough: no rank
is looked at. A run is tried in every place that is not bettered by another
whatever the sets are (`laydown_runs`), until its gap alone is too much.

What this leaves open, several sets of one rank (`set.same_rank`), sets of natural
twos, and several runs that share cards with sets, is bounded from below first;
`_settle` searches only where a way found and the bound disagree.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from .contracts import Contract, MeldKind
from .laydown_runs import FAR, RunOption, RunTable, SuitRuns, pack
from .laydown_tables import AT_LEAST, HIGHS, ONES, SHIFTS, SUIT_MASK, TWO_FIELD, WILD_SHIFT, Tables

class Distances:
    """The distance of any hand to one contract under one rule set."""

    def __init__(self, tables: Tables, sets: list[int], runs: list[int]) -> None:
        rules = tables.rules
        self.tables = tables
        self.is_exact = rules.meld.oversize == "exact"
        self.sets = sorted((self._least_size(size) for size in sets), reverse=True)
        self.runs = sorted((self._least_size(size) for size in runs), reverse=True)
        self.least_left = 1 if rules.out.empty_hand == "illegal" else 0
        """Cards that must stay in hand, for the discard."""
        self.size = sum(self.sets) + sum(self.runs)
        self.set_size = sum(self.sets)
        may_repeat = rules.set.same_rank == "allow"
        self.may_repeat = may_repeat and len(sets) > 1
        self.is_possible = self.size < FAR and (
            may_repeat or len(sets) <= len(tables.set_fields)
        )
        if not self.is_possible:
            return
        quotas = [tables.quotas[size] for size in self.sets]
        self.quota = sum(quotas)
        self.levels = _levels(self.sets, quotas)
        self.has_sets_of_twos = tables.has_natural_twos and bool(sets)
        self.is_bounded = self.may_repeat or self.has_sets_of_twos or (len(runs) > 1 and sets)
        self.table = RunTable(tables, self.runs, self.is_exact, bool(sets))

    def _least_size(self, size: int) -> int:
        """The least size from there on that the wild limit lets exist."""
        for n in range(size, size + 1 if self.is_exact else 129):
            if n < 129 and self.tables.limits[n] >= 0:
                return n
        return FAR


def _levels(sizes: list[int], quotas: list[int]) -> list[tuple[int, int, int]]:
    """For each count v: what tells the ranks with v cards, the sets that can use so
    many, and those whose quota can.
    """
    return [
        (AT_LEAST[v], sum(size >= v for size in sizes), sum(quota >= v for quota in quotas))
        for v in range(1, max(sizes, default=0) + 1)
    ]
