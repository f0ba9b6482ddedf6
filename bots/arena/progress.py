"""How a running event stands, as data: for the terminal and for JSON lines."""

from __future__ import annotations

import msgspec

from .runner import Runner
from .statistics import Call, Numbers, gsprt


class Standing(msgspec.Struct, frozen=True):
    """One bot as it stands."""

    name: str
    margin: float
    low: float | None
    high: float | None
    games: int
    strikes: int
    rating: float | None = None
    """A live rating (openskill), if that is wanted: for watching, not for judging."""


class Progress(msgspec.Struct, frozen=True):
    """How far an event is."""

    round: int
    sets: int
    """Deal sets that count so far."""
    round_sets: int
    """Deal sets of this round that are done, or known not to be needed."""
    round_size: int
    games: int
    rate: float
    """Games a second of this run."""
    seconds_left: float | None
    """For this round at the most; None where that is not known yet."""
    lost: int
    tests: tuple[tuple[str, float], ...]
    """For each duel that goes on the challenger and its evidence so far."""
    table: tuple[Standing, ...]


def progress_of(runner: Runner, ratings: list[float] | None = None) -> Progress:
    """Return how a run stands."""
    course, clock = runner.course, runner.clock
    tally, round_ = course.tally, course.round
    done = min(course.next, round_.end) - round_.begin
    rate = clock.games / clock.seconds if clock.seconds else 0.0
    left = (round_.size - done) * course.event.seats
    return Progress(
        round=round_.number,
        sets=tally.sets,
        round_sets=done,
        round_size=round_.size,
        games=tally.games,
        rate=rate,
        seconds_left=left / rate if rate and runner.shard is None else None,
        lost=clock.lost,
        tests=_tests(runner),
        table=_table(runner, ratings),
    )


def _tests(runner: Runner) -> tuple[tuple[str, float], ...]:
    course = runner.course
    names = [entry.name for entry in course.event.bots]
    found = [
        (names[course.round.tables[table][0]], gsprt(running, course.event.stop))
        for table, running in course.duels.items()
        if table not in course.stopped
    ]
    return tuple((name, test.llr) for name, test in found if test.call is Call.OPEN)


def _table(runner: Runner, ratings: list[float] | None) -> tuple[Standing, ...]:
    tally, entries = runner.course.tally, runner.course.event.bots
    numbers = Numbers(tally)
    found = []
    for bot, entry in enumerate(entries):
        margin, failed = numbers.margin(bot), tally.failed[bot]
        rating = ratings[bot] if ratings else None
        strikes = sum(failed.strikes.values())
        found.append(
            Standing(
                entry.name, margin.mean, margin.low, margin.high, failed.games, strikes, rating
            )
        )
    return tuple(sorted(found, key=lambda standing: -standing.margin))
