"""What is played next, and when it is enough: a fold over deal sets in index order.

Everything that depends on results (Swiss tables, who goes on, stopping, parking) is
decided here, from the deal sets before an index and nothing else. So it makes no
difference which of them came back first, or from where.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

import msgspec

from .errors import TournamentError
from .event import DUELS, Format, Rule, Setup
from .lines import SetLine, Unit
from .schedule import (
    Round,
    first_tables,
    knockout_tables,
    null_round,
    swiss_order,
    swiss_rounds,
    swiss_tables,
    unit_of,
)
from .statistics import Call, Numbers, Running, Verdict, gsprt
from .tally import Tally, duel_margin

_DEALS_BETWEEN_LOOKS = 5
"""An interval over many tables is looked at after so many deals."""


class Parked(msgspec.Struct, frozen=True):
    """A bot that plays no more, since it had to be replaced too often."""

    bot: int
    index: int
    """The deal set after which it was parked."""
    replaced: int
    games: int


class Placed(msgspec.Struct, frozen=True):
    """What a knockout's table came to."""

    round: int
    order: tuple[int, ...]
    """The best first."""
    advance: tuple[int, ...]


class Course:
    """The way through one event."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.event = setup.event
        self.tally = Tally(setup)
        self.rounds: list[Round] = []
        self.next = 0
        """The index of the next deal set that counts."""
        self.is_over = False
        self.parked: list[Parked] = []
        self.placed: list[Placed] = []
        self.duels: dict[int, Running] = {}
        """In duels the margins of each table."""
        self.stopped: dict[int, Verdict | None] = {}
        """In duels the tables that are decided."""
        self._out: set[int] = set()
        self._meetings: dict[tuple[int, int], int] = {}
        self._played = [0] * len(self.event.bots)
        self._extended = 0
        self._through: list[int] = []
        self._is_final = False
        self._is_enough = False
        if self.event.rated:
            self.rounds.append(null_round(self.event))
        else:
            self._open_first()
        self._skip()

    @property
    def round(self) -> Round:
        """The round that is being played, or was last."""
        return self.rounds[-1]

    def is_wanted(self, index: int) -> bool:
        """Whether the deal set of that index is still to be played."""
        round_ = self.round
        if self.is_over or not max(self.next, round_.begin) <= index < round_.end:
            return False
        if round_.number == 0:
            return True
        table = (index - round_.begin) % len(round_.tables)
        if self._is_enough or table in self.stopped:
            return False
        return not self._out.intersection(round_.tables[table])

    def upcoming(self, after: int) -> Iterator[Unit]:
        """Yield the deal sets of this round that are wanted and have a higher index."""
        round_ = self.round
        for index in range(max(after + 1, self.next), round_.end):
            if self.is_wanted(index):
                yield unit_of(self.event, round_, index)

    def unit(self, index: int) -> Unit:
        """Return a deal set of a round that was opened."""
        for round_ in self.rounds:
            if round_.begin <= index < round_.end:
                return unit_of(self.event, round_, index)
        raise TournamentError(f"deal set {index} is of no round that was played")

    def fold(self, line: SetLine) -> bool:
        """Let a deal set count; false for one that does not, since it was decided without.

        Raises:
            TournamentError: it is not the next one, or a bot is not deterministic.
        """
        if line.index < self.next or not self.is_wanted(line.index):
            return False
        unit = unit_of(self.event, self.round, line.index)
        if line.index != self.next or (line.deal, line.bots) != (unit.deal, unit.bots):
            raise TournamentError(
                f"deal set {self.next} is missing before {line.index}: "
                "if it was played in shards, merge their journals first"
            )
        if self.round.number == 0:
            self._check_null(line)
        else:
            self.tally.add(line)
            self._after(line)
        self._check_strikes(line)
        self.next += 1
        self._skip()
        return True

    def _skip(self) -> None:
        """Go on to the next deal set that is wanted, into the next round if need be."""
        while not self.is_over:
            round_ = self.round
            while self.next < round_.end and not self.is_wanted(self.next):
                self.next += 1
            if self.next < round_.end:
                return
            self._next_round()

    def _open(self, tables: tuple[tuple[int, ...], ...]) -> None:
        last = self.rounds[-1] if self.rounds else None
        number = 1 if last is None else last.number + 1
        begin = 0 if last is None else last.end
        deal = 0 if last is None or last.number == 0 else last.first_deal + last.deals
        self.rounds.append(Round(number, tables, deal, self.event.deals, begin))
        if self.event.format in DUELS:
            self.duels = {table: Running() for table in range(len(tables))}

    def _next_round(self) -> None:
        format_ = self.event.format
        if self.round.number == 0:
            self._open_first()
        elif format_ is Format.SWISS and self.round.number < swiss_rounds(self.event):
            self._open_swiss()
        elif format_ is Format.KNOCKOUT:
            self._after_knockout()
        else:
            self.is_over = True

    def _open_first(self) -> None:
        bots = list(range(len(self.event.bots)))
        if self.event.format is Format.KNOCKOUT:
            self._open_knockout(bots)
        elif self.event.format is Format.SWISS:
            order = swiss_order(self.event)
            self._open(swiss_tables(order, self.event.seats, self._meetings, self._played))
        else:
            self._open(first_tables(self.event))

    def standing(self, round_: int | None = None) -> list[tuple[int, float]]:
        """Return bots that are still in with their margins, the best first."""
        numbers = Numbers(self.tally, round_)
        bots = range(len(self.event.bots))
        margins = [(bot, numbers.margin(bot).mean) for bot in bots if bot not in self._out]
        return sorted(margins, key=lambda found: (-found[1], found[0]))

    def _open_swiss(self) -> None:
        order = [bot for bot, _ in self.standing()]
        if len(order) < self.event.seats:
            self.is_over = True
            return
        self._open(swiss_tables(order, self.event.seats, self._meetings, self._played))

    def _open_knockout(self, order: list[int]) -> None:
        least = self.setup.rules.players.min
        tables, byes = knockout_tables(order, self.event.seats, least)
        self._extended, self._through = 0, list(byes)
        self._is_final = len(order) <= self.event.seats
        if tables:
            self._open(tables)
        else:
            self.is_over = True

    def _after_knockout(self) -> None:
        """Send the best of each table on; those that are too close play on first."""
        close = []
        for table in self.round.tables:
            going = 1 if self._is_final else self._advance(table)
            order = self._order_at(table)
            is_close = self._is_close(order, going)
            if is_close and self._extended < self.event.extensions:
                close.append(table)
                continue
            self.placed.append(Placed(self.round.number, tuple(order), tuple(order[:going])))
            self._through += order[:going]
        if close:
            self._extended += 1
            self._open(tuple(close))
            return
        order = [bot for bot, _ in self.standing() if bot in self._through]
        if len(order) <= 1:
            self.is_over = True
            return
        self._open_knockout(order)

    def _advance(self, table: tuple[int, ...]) -> int:
        return min(self.event.advance or len(table) // 2, len(table) - 1)

    def _table_numbers(self, table: tuple[int, ...]) -> Numbers:
        """The numbers of a table with the rounds in which it was played on."""
        first = self.round.number - self._extended
        since = bisect_left(self.tally.round_of, first)
        numbers = Numbers(self.tally, None, since)
        keep = numbers.table == self.tally.tables[table]
        numbers.values, numbers.table, numbers.deal = (
            numbers.values[keep],
            numbers.table[keep],
            numbers.deal[keep],
        )
        return numbers

    def _order_at(self, table: tuple[int, ...]) -> list[int]:
        left = [bot for bot in table if bot not in self._out]
        if len(left) < len(table) or table not in self.tally.tables:
            return left
        numbers = self._table_numbers(table)
        return sorted(left, key=lambda bot: (-numbers.margin(bot).mean, bot))

    def _is_close(self, order: list[int], going: int) -> bool:
        """Whether it is not clear who is the last to go on."""
        if self._out.intersection(order) or len(order) <= going:
            return False
        table = tuple(sorted(order))
        if table not in self.tally.tables:
            return False
        found = self._table_numbers(table).pair(order[going - 1], order[going])
        return found.low is None or found.low <= 0.0

    def _after(self, line: SetLine) -> None:
        """Park bots that fail, and look whether it is enough."""
        failures = self.event.failures
        for bot in sorted(set(line.bots) - self._out):
            failed = self.tally.failed[bot]
            is_often = failed.replaced > failures.park_share * failed.games
            if failed.games >= failures.park_after and is_often:
                self._out.add(bot)
                self.parked.append(Parked(bot, line.index, failed.replaced, failed.games))
        stop = self.event.stop
        if self.event.format in DUELS:
            running = self.duels[line.table]
            running.add(duel_margin(line, self.tally))
            if stop.rule is Rule.GSPRT:
                verdict = gsprt(running, stop)
                if verdict.call is not Call.OPEN:
                    self.stopped[line.table] = verdict
            elif (
                stop.rule is Rule.INTERVAL
                and running.count >= stop.at_least
                and running.estimate().half_width <= stop.points
            ):
                self.stopped[line.table] = None
        elif stop.rule is Rule.INTERVAL:
            self._look_at_intervals(line)

    def _look_at_intervals(self, line: SetLine) -> None:
        played = line.deal + 1
        is_whole = line.index + 1 == self.round.begin + played * len(self.round.tables)
        if not is_whole or played < self.event.stop.at_least or played % _DEALS_BETWEEN_LOOKS:
            return
        numbers = Numbers(self.tally)
        widest = max(
            numbers.margin(bot).half_width
            for bot in range(len(self.event.bots))
            if bot not in self._out
        )
        self._is_enough = widest <= self.event.stop.points

    def _check_null(self, line: SetLine) -> None:
        """A bot against itself plays the same game in each rotation, so its margin is 0."""
        first = line.games[0]
        if any(game != first for game in line.games):
            name = self.event.bots[line.bots[0]].name
            raise TournamentError(
                f"the bot {name} is not deterministic: against itself, with the same cards, "
                "it played two different games; take its chance from self.rng, "
                "or say rated = false"
            )

    def _check_strikes(self, line: SetLine) -> None:
        if not self.event.failures.stop:
            return
        for rotation, game in enumerate(line.games):
            for seat, strikes in enumerate(game.strikes):
                if strikes:
                    slot = (seat - rotation) % len(line.bots)
                    name = self.event.bots[line.bots[slot]].name
                    raise TournamentError(
                        f"the bot {name} failed in deal set {line.index}: {strikes[0].text}"
                    )

    def verdict(self, table: int) -> Verdict:
        """Return how the sequential test of a duel stands."""
        return self.stopped.get(table) or gsprt(self.duels[table], self.event.stop)
