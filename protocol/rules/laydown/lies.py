"""How runs of least size can lie in one suit, told by the cards they use.

Where the gaps alone matter, ways to place a part of a contract's runs that use the
same cards are one, and longer runs are of no use (see `RunTable.is_plain`).
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from .runs import FAR, Run, lesser, present, total
from .tables import HIGHS, ONES, SUIT_BITS

if TYPE_CHECKING:
    from .placing import RunTable


class Lie(NamedTuple):
    """Ways to place runs in one suit, or several, that use the same cards."""

    gap: int
    need: int
    """At most so many naturals does the wild limit ask for beyond those there are."""
    used: int
    wanted: int
    """The high bits of the cards of which one more would fill a gap."""


def lies_of(table: RunTable, suit: int, part: int, *, only_least: bool) -> list[Lie]:
    """Return the ways to lay a part, those with the least gap first, or only these."""
    sizes = table.parts[part]
    if len(sizes) > table.per_suit:
        return []
    if not sizes:
        return [Lie(0, 0, 0, 0)]
    apart, have = table.apart, present(suit)
    cards = suit & table.tables.natural_ranks
    lists = [_windows(table, have, size) for size in sizes]
    quotas = table.tables.quotas
    quota = sum([quotas[size] for size in sizes])
    may_count = not table.tables.has_natural_twos
    found: dict[tuple[int, int, int], int] = {}
    last = len(sizes) - 1
    most = FAR
    laid: list[Run] = []

    def place(
        i: int, first: int, allowed: int, cover: int, size: int, so_far: int, least: int
    ) -> None:
        nonlocal most
        size += sizes[i]
        choices = lists[i]
        start = first if i and sizes[i] == sizes[i - 1] else 0
        for j in range(start, len(choices)):
            own, number, span, run = choices[j]
            if so_far + own > most:
                return
            if not allowed >> number & 1:
                continue
            both = cover + span
            wanted = (HIGHS + both - cards - ONES) & HIGHS
            full = (wanted >> 7) * 0xFF
            used = both & ~full | cards & full
            # the product's highest byte is the sum of all bytes
            gap = size - (used * ONES >> SUIT_BITS - 8 & 0xFF)
            if gap > most:
                continue
            laid.append(run)
            if i < last:
                lacking = min(least, quotas[sizes[i]] - sizes[i] + own)
                place(i + 1, j, allowed & apart[number], both, size, gap, lacking)
            else:
                if only_least and gap < most:
                    most = gap
                    found.clear()
                lacking = quotas[sizes[i]] - sizes[i] + own
                if not table.has_quotas:
                    need = 0
                elif may_count and lacking >= 0 and least >= 0:
                    # all lack what they can share: Hall's condition is that of all together
                    need = quota - size + gap
                elif may_count and i < 2:
                    others = max(0, least) if i else 0
                    need = others + max(0, lacking)
                    if gap > so_far + own:
                        need = max(others, lacking, quota - size + gap, 0)
                else:
                    need = _need(table, suit, have, laid)
                key = (gap, need, used)
                found[key] = found.get(key, 0) | wanted
            laid.pop()

    place(0, 0, -1, 0, 0, 0, FAR)
    return [Lie(*key, found[key]) for key in sorted(found)]


def _windows(table: RunTable, have: int, size: int) -> list[tuple[int, int, int, Run]]:
    """Gap, number and places of every run of a size, the least gap first."""
    natural_ranks = table.tables.natural_ranks
    return sorted(
        [
            (
                size - (have & run.span & natural_ranks).bit_count(),
                run.number,
                run.span & natural_ranks,
                run,
            )
            for run in table.windows[size]
        ]
    )


def _need(table: RunTable, suit: int, have: int, laid: list[Run]) -> int:
    """The naturals that runs lack for the wild limit."""
    quotas = table.tables.quotas
    naturals = [have & run.span for run in laid]
    cover = sum(naturals)
    if not (HIGHS + cover - suit - ONES) & HIGHS:
        return sum(
            [
                max(0, quotas[run.size] - cards.bit_count())
                for run, cards in zip(laid, naturals, strict=True)
            ]
        )
    # Hall's condition: what some of the runs need, less what they can get.
    need = 0
    for n in range(1, len(laid) + 1):
        for some in combinations(range(len(laid)), n):
            got = total(lesser(sum([naturals[k] for k in some]), suit))
            need = max(need, sum([quotas[laid[k].size] for k in some]) - got)
    return need
