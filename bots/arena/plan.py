"""What an event will play and what that costs, before it is started."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import msgspec

from .event import DUELS, Format, Rule, Setup, Stop
from .executors import Workers
from .lines import Unit, decode_set
from .match import Batch, encode_setup, play_batch
from .schedule import Round, first_tables, null_round, swiss_rounds, unit_of
from .statistics import Numbers
from .tally import Tally

PILOT_DEAL = 1 << 40
"""Deals of a pilot begin here, so that they are none of the event's."""
WIDTHS = (20.0, 10.0, 5.0, 2.0)
_NORMAL = 1.96


class Plan(msgspec.Struct, frozen=True):
    """The schedule of an event as far as it is known before the first game."""

    format: str
    rounds: int
    """Rounds, the check of each bot against itself not counted; of a knockout the fewest."""
    tables: tuple[tuple[str, ...], ...]
    """Those of the first round."""
    sets: int
    games: int
    """The most that will be played, what is played twice to compare included; of a
    knockout, without extensions."""
    null_games: int
    meetings: tuple[int, int]
    """Of any two bots the fewest and the most tables at which they meet."""


class Need(msgspec.Struct, frozen=True):
    """How many games an interval takes."""

    points: float
    games: int
    seconds: float


class Cost(msgspec.Struct, frozen=True):
    """What a pilot says."""

    sets: int
    sd: float
    """The standard deviation of a bot's margin in one deal set, in points a game; the
    largest of all bots."""
    game_seconds: float
    """Of one process."""
    workers: int
    seconds: float
    """For the whole plan."""
    needs: tuple[Need, ...]
    gsprt_sets: tuple[tuple[float, int], ...]
    """For true margins, how many sets a duel takes on average."""
    luck_coefficient: float
    luck_explains: float


def plan_of(setup: Setup) -> Plan:
    """Return the schedule of an event."""
    event = setup.event
    tables = first_tables(event)
    rounds, sets = 1, event.deals * len(tables)
    if event.format is Format.SWISS:
        rounds = swiss_rounds(event)
        sets *= rounds
    elif event.format is Format.KNOCKOUT:
        rounds, sets = _knockout(setup)
    games = sets * event.seats
    null = event.seats * len(event.bots) if event.rated else 0
    again = sets // event.recheck * event.seats if event.rated and event.recheck else 0
    met = Counter(pair for table in tables for pair in combinations(sorted(set(table)), 2))
    pairs = len(event.bots) * (len(event.bots) - 1) // 2
    least = min(met.values()) if len(met) == pairs else 0
    names = [entry.name for entry in event.bots]
    return Plan(
        format=event.format,
        rounds=rounds,
        tables=tuple(tuple(names[bot] for bot in table) for table in tables),
        sets=sets,
        games=games + null + again,
        null_games=null,
        meetings=(least, max(met.values(), default=0)),
    )


def _knockout(setup: Setup) -> tuple[int, int]:
    event, left, rounds, sets = setup.event, len(setup.event.bots), 0, 0
    seats = event.seats
    while left > 1:
        rounds += 1
        if left <= seats:
            return rounds, sets + event.deals
        tables, byes = divmod(left, seats)
        sets += tables * event.deals
        left = byes + tables * min(event.advance or seats // 2, seats - 1)
    return rounds, sets


def schedule_lines(setup: Setup, most: int = 20) -> list[str]:
    """Return the first deal sets as text: who sits on which seat in the first game."""
    event = setup.event
    names = [entry.name for entry in event.bots]
    rounds = [null_round(event)] if event.rated else []
    begin = rounds[0].end if rounds else 0
    rounds.append(Round(1, first_tables(event), 0, event.deals, begin))
    lines: list[str] = []
    for round_ in rounds:
        for index in range(round_.begin, round_.end):
            if len(lines) == most:
                return lines
            unit = unit_of(event, round_, index)
            what = "against itself" if round_.number == 0 else f"deal {unit.deal}"
            lines.append(f"{index:>6}  {what:<16} {', '.join(names[bot] for bot in unit.bots)}")
    return lines


def pilot(setup: Setup, workers: Workers, sets: int) -> Cost:
    """Play some deal sets that are none of the event's; return what the event will cost."""
    tables = first_tables(setup.event)
    chosen = [tables[n * len(tables) // min(3, len(tables))] for n in range(min(3, len(tables)))]
    each = max(2, sets // len(chosen))
    units = [
        Unit(number, 1, PILOT_DEAL + number // len(chosen), 0, chosen[number % len(chosen)])
        for number in range(each * len(chosen))
    ]
    packed = encode_setup(setup)
    futures = [workers.executor.submit(play_batch, packed, [unit]) for unit in units]
    batches: list[Batch] = [future.result() for future in futures]
    tally = Tally(setup)
    for batch in batches:
        tally.add(decode_set(batch.sets[0]))
    numbers = Numbers(tally)
    sd = max(numbers.margin(bot).sd for bot in range(len(setup.event.bots)))
    second = sum(batch.seconds for batch in batches) / tally.games
    slope, explained = numbers.luck_slope()
    return _cost(setup, sd, second, workers.count, tally.sets, (slope, explained))


def _cost(
    setup: Setup, sd: float, second: float, workers: int, sets: int, luck: tuple[float, float]
) -> Cost:
    seats = setup.event.seats
    needs = []
    for points in WIDTHS:
        games = math.ceil((_NORMAL * sd / points) ** 2) * seats
        needs.append(Need(points, games, games * second / workers))
    stop = setup.event.stop
    truths = (stop.h0, (stop.h0 + stop.h1) / 2, stop.h1, 2 * stop.h1 - stop.h0)
    expected = []
    if setup.event.format in DUELS and stop.rule is Rule.GSPRT:
        expected = [(truth, expected_sets(stop, truth, sd)) for truth in truths]
    return Cost(
        sets=sets,
        sd=sd,
        game_seconds=second,
        workers=workers,
        seconds=plan_of(setup).games * second / workers,
        needs=tuple(needs),
        gsprt_sets=tuple(expected),
        luck_coefficient=luck[0],
        luck_explains=luck[1],
    )


def expected_sets(stop: Stop, truth: float, sd: float) -> int:
    """Return how many sets a sequential test takes on average (Wald's approximation).

    Args:
        stop: The hypotheses and risks.
        truth: The true margin.
        sd: The standard deviation of a set's margin.
    """
    lower = math.log(stop.beta / (1 - stop.alpha))
    upper = math.log((1 - stop.beta) / stop.alpha)
    step = stop.h1 - stop.h0
    variance = max(sd, 1e-9) ** 2
    drift = step * (truth - (stop.h0 + stop.h1) / 2) / variance
    spread = step**2 / variance
    slope = 2 * drift / spread
    if abs(slope) < 1e-9:
        sets = -lower * upper / spread
    else:
        up = (1 - math.exp(-slope * lower)) / (math.exp(-slope * upper) - math.exp(-slope * lower))
        sets = (up * upper + (1 - up) * lower) / drift
    return max(stop.at_least, math.ceil(sets))
