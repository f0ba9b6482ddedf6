"""Who sits together: tables of a round, and the deal sets of it.

Everything here is a function of its arguments. A deal set's place in the event gives
its round, deal and table, whoever plays it and when, so a run can stop, go on, be
split or be checked anywhere.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from itertools import combinations

import msgspec

from .event import Event, Format
from .lines import Unit

Table = tuple[int, ...]
"""Numbers of the bots at a table."""

MOST_TABLES = 60
"""So many different tables are all played; of more, a balanced choice."""


class Round(msgspec.Struct, frozen=True):
    """A round of the tournament: its tables all play the same deals."""

    number: int
    tables: tuple[Table, ...]
    first_deal: int
    deals: int
    begin: int
    """The index of its first deal set in the event."""

    @property
    def size(self) -> int:
        """How many deal sets it has if none is left out."""
        return self.deals * len(self.tables)

    @property
    def end(self) -> int:
        """The index after its last deal set."""
        return self.begin + self.size


def unit_of(event: Event, round_: Round, index: int) -> Unit:
    """Return the deal set of that index: deals one after the other, each at all tables."""
    deal, table = divmod(index - round_.begin, len(round_.tables))
    deal += round_.first_deal
    bots = round_.tables[table]
    if len(set(bots)) == len(bots):
        bots = _mixed(bots, f"{event.seed}/{deal}/{table}")
    return Unit(index, round_.number, deal, table, bots)


def _mixed(bots: Table, label: str) -> Table:
    """Another order for each deal, so that nobody always plays before the same bot."""

    def draw(bot: int) -> bytes:
        return hashlib.sha256(f"{label}/{bot}".encode()).digest()

    return tuple(sorted(bots, key=draw))


def null_round(event: Event) -> Round:
    """Round 0: each bot against itself, which must come out as exactly 0."""
    tables = tuple((bot,) * event.seats for bot in range(len(event.bots)))
    return Round(0, tables, 0, 1, 0)


def first_tables(event: Event) -> tuple[Table, ...]:
    """Return the tables of the first round.

    In duels the first bot of a table is the challenger and the others are copies.
    """
    bots, seats = len(event.bots), event.seats
    if event.format is Format.PAIR:
        return ((0, *(1,) * (seats - 1)),)
    if event.format is Format.LADDER:
        return tuple((bot, *(bot - 1,) * (seats - 1)) for bot in range(1, bots))
    if event.format is Format.GAUNTLET:
        names = [entry.name for entry in event.bots]
        reference = names.index(event.reference) if event.reference else 0
        others = [bot for bot in range(bots) if bot != reference]
        return tuple((bot, *(reference,) * (seats - 1)) for bot in others)
    if event.format is Format.SWISS:
        return swiss_tables(swiss_order(event), seats, {}, [0] * bots)
    if event.format is Format.KNOCKOUT:
        return knockout_tables(list(range(bots)), seats, players_min=2)[0]
    return round_robin_tables(bots, seats)


def swiss_order(event: Event) -> Table:
    """Return the bots in the order in which they sit down first: drawn by lot."""
    return _mixed(tuple(range(len(event.bots))), f"{event.seed}/swiss")


def round_robin_tables(bots: int, seats: int) -> tuple[Table, ...]:
    """Return all tables, or a choice in which all pairs meet about equally often.

    >>> len(round_robin_tables(6, 4)), len(round_robin_tables(30, 2))
    (15, 435)
    """
    if math.comb(bots, seats) <= MOST_TABLES or seats == 2:
        return tuple(combinations(range(bots), seats))
    meetings: dict[tuple[int, int], int] = {}
    played = [0] * bots
    tables: list[Table] = []
    least = -(-bots * (bots - 1) // (seats * (seats - 1)))
    while len(tables) < MOST_TABLES * 4:
        tables.append(_balanced_table(bots, seats, meetings, played))
        is_even = len(set(played)) == 1
        have_all_met = len(meetings) == bots * (bots - 1) // 2
        if len(tables) >= least and is_even and have_all_met:
            break
    return tuple(tables)


def _balanced_table(
    bots: int, seats: int, meetings: dict[tuple[int, int], int], played: list[int]
) -> Table:
    """Seat the bots that played and met least; note that they have."""
    chosen: list[int] = []
    for _ in range(seats):
        free = [bot for bot in range(bots) if bot not in chosen]
        chosen.append(
            min(free, key=lambda bot: (played[bot], _met(bot, chosen, meetings), bot))
            if not chosen
            else min(free, key=lambda bot: (_met(bot, chosen, meetings) + played[bot], bot))
        )
    _note(chosen, meetings, played)
    return tuple(sorted(chosen))


def _met(bot: int, others: Sequence[int], meetings: dict[tuple[int, int], int]) -> int:
    return sum(meetings.get((min(bot, other), max(bot, other)), 0) for other in others)


def _note(table: Sequence[int], meetings: dict[tuple[int, int], int], played: list[int]) -> None:
    for one, other in combinations(sorted(table), 2):
        meetings[one, other] = meetings.get((one, other), 0) + 1
    for bot in table:
        played[bot] += 1


def swiss_tables(
    order: Sequence[int],
    seats: int,
    meetings: dict[tuple[int, int], int],
    played: list[int],
) -> tuple[Table, ...]:
    """Return tables of bots that stand alike and have met least.

    Args:
        order: The bots, the best first.
        seats: The size of a table.
        meetings: How often each pair has met so far; tables are noted in it.
        played: How many tables each bot has had; noted as well.

    Where the bots do not fill the last table, those that have played least sit at a
    second one in this round.
    """
    place = {bot: number for number, bot in enumerate(order)}
    left = list(order)
    tables: list[Table] = []
    while left:
        table = [left.pop(0)]
        pool = list(left)
        if len(left) < seats - 1:
            pool = [bot for bot in order if bot != table[0]]
        while len(table) < seats:

            def cost(bot: int, table: list[int] = table) -> tuple[int, int, int, int]:
                return (
                    bot not in left,
                    played[bot] if bot not in left else 0,
                    _met(bot, table, meetings),
                    abs(place[bot] - place[table[0]]),
                )

            chosen = min((bot for bot in pool if bot not in table), key=cost)
            table.append(chosen)
            if chosen in left:
                left.remove(chosen)
        _note(table, meetings, played)
        tables.append(tuple(sorted(table)))
    return tuple(tables)


def swiss_rounds(event: Event) -> int:
    """Return how many rounds a Swiss has: enough to order all bots."""
    return event.rounds or max(3, math.ceil(math.log2(len(event.bots))))


def knockout_tables(
    order: list[int], seats: int, players_min: int
) -> tuple[tuple[Table, ...], tuple[int, ...]]:
    """Return the tables of a knockout round, and the bots that need not play in it.

    Args:
        order: The bots that are left, the best first. Those that do not fill a table
            go on without playing, from the best on.
        seats: The size of a table; the last ones play at a smaller one.
        players_min: The fewest players that the rules allow.

    >>> knockout_tables([0, 1, 2, 3, 4, 5], 4, 2)
    (((2, 3, 4, 5),), (0, 1))
    """
    if len(order) <= seats:
        if len(order) < players_min:
            return (), tuple(order)
        return (tuple(order),), ()
    number, byes = divmod(len(order), seats)
    playing = order[byes:]
    # like a snake through the tables, so that the best do not meet at once
    tables: list[list[int]] = [[] for _ in range(number)]
    for place, bot in enumerate(playing):
        turn, at = divmod(place, number)
        tables[at if turn % 2 == 0 else number - 1 - at].append(bot)
    return tuple(tuple(sorted(table)) for table in tables), tuple(order[:byes])
