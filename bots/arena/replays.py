"""Records of single games, made again from the event: any game of it can be replayed."""

from __future__ import annotations

from pathlib import Path

from hollywood.protocol.rules import encode_record

from .course import Course
from .errors import TournamentError
from .event import bot_classes
from .match import deal_seed, play, seating

MOST_RECORDS = 12


def write_record(course: Course, index: int, game: int, folder: Path) -> Path:
    """Play one game of a deal set again and write its record; return the file.

    Raises:
        TournamentError: there is no such game, or the file cannot be written.
    """
    setup = course.setup
    unit = course.unit(index)
    if not 0 <= game < len(unit.bots):
        raise TournamentError(f"deal set {index} has games 0 to {len(unit.bots) - 1}, not {game}")
    bots = bot_classes(setup)
    seated = seating(unit.bots, game)
    names = [setup.event.bots[bot].name for bot in seated]
    played = play(
        setup.rules,
        [bots[bot] for bot in seated],
        deal_seed(setup, unit.deal),
        own_piles=setup.event.own_piles,
        names=names,
    )
    assert played.record is not None, "seats with names have a record"
    path = folder / record_name(index, game)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_record(played.record))
    except OSError as error:
        raise TournamentError(f"cannot write {path}: {error.strerror}") from None
    return path


def record_name(index: int, game: int) -> str:
    """Return the file name of a game's record."""
    return f"set-{index:06}-game-{game}.json"


def notable_games(course: Course) -> list[tuple[int, int, str]]:
    """Return the games that are worth a look: set, game and why."""
    names = [entry.name for entry in course.event.bots]
    found = [
        (index, game, f"{names[bot]} failed") for bot, (index, game) in course.tally.struck.items()
    ]
    found += [
        (index, game, f"{spread:.0f} points between first and last")
        for spread, index, game in course.tally.wild_sets
    ]
    seen: set[tuple[int, int]] = set()
    unique = []
    for index, game, why in found:
        if (index, game) not in seen:
            seen.add((index, game))
            unique.append((index, game, why))
    return unique[:MOST_RECORDS]
