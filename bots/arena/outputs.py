"""The files that an event leaves: everything but the journal can be made again from it."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from hollywood.protocol.errors import HollywoodError

from .course import Course
from .errors import TournamentError
from .event import Setup
from .journal import read_journal
from .lines import decode_set
from .match import BotTime
from .replays import notable_games, record_name, write_record
from .results import Document, crosstable_csv, encode_results, ranking_csv, results_of
from .runner import Clock

JOURNAL, RESULTS, TIMES = "journal.jsonl", "results.json", "times.json"
REPORT, RANKING, CROSSTABLE, RECORDS = "report.html", "ranking.csv", "crosstable.csv", "records"


def fold_journal(setup: Setup, path: Path) -> Course:
    """Compute everything anew from a journal, however far it goes.

    Raises:
        JournalError: it cannot be read, is another event's or was changed.
        TournamentError: deal sets are missing in the middle.
    """
    course = Course(setup)
    for raw in read_journal(path, setup):
        course.fold(decode_set(raw))
    return course


def write_outputs(
    course: Course, folder: Path, *, with_page: bool = True, with_records: bool = True
) -> Document:
    """Write results, tables and, if wanted, the page; return the results."""
    document = results_of(course)
    files = {
        RESULTS: encode_results(document),
        RANKING: ranking_csv(document).encode(),
        CROSSTABLE: crosstable_csv(document).encode(),
    }
    if with_page:
        from .report import page_of

        records = _records(course, folder) if with_records else []
        files[REPORT] = page_of(document, read_times(folder), records).encode()
    for name, data in files.items():
        _write(folder / name, data)
    return document


def _records(course: Course, folder: Path) -> list[Document]:
    """Records of games worth a look; none where a bot cannot be played here."""
    records: list[Document] = []
    for index, game, why in notable_games(course):
        path = folder / RECORDS / record_name(index, game)
        with contextlib.suppress(HollywoodError):
            if not path.exists():
                write_record(course, index, game, folder / RECORDS)
            href = f"{RECORDS}/{path.name}"
            records.append({"set": index, "game": game, "why": why, "href": href})
    return records


def _write(path: Path, data: bytes) -> None:
    """Put a file in place whole, so that nobody reads half of it."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        raise TournamentError(f"cannot write {path}: {error.strerror}") from None


class _Kept(msgspec.Struct):
    bots: dict[int, BotTime] = {}
    hosts: dict[str, list[float]] = {}
    seconds: float = 0.0


def write_times(folder: Path, setup: Setup, clock: Clock) -> None:
    """Add what a run took to what earlier runs of the event took."""
    kept = _read_kept(folder / TIMES)
    for bot, used in clock.bots.items():
        kept.bots.setdefault(bot, BotTime()).add(used.decisions, used.nanoseconds, used.longest)
    for host, numbers in clock.hosts.items():
        before = kept.hosts.get(host, [0.0] * len(numbers))
        kept.hosts[host] = [a + b for a, b in zip(before, numbers, strict=True)]
    kept.seconds += clock.seconds
    document = {
        "bots": _bot_times(setup, kept.bots),
        "hosts": [
            {"host": host, "games": numbers[0], "seconds": numbers[1]}
            for host, numbers in sorted(kept.hosts.items())
        ],
        "seconds": kept.seconds,
        "kept": msgspec.to_builtins(kept, str_keys=True),
    }
    _write(folder / TIMES, encode_results(document))


def read_times(folder: Path) -> Document | None:
    """Return what the runs of an event took, None if that is not known."""
    try:
        found: Document = msgspec.json.decode((folder / TIMES).read_bytes())
    except (OSError, msgspec.DecodeError):
        return None
    return found


def _read_kept(path: Path) -> _Kept:
    try:
        found = msgspec.json.decode(path.read_bytes())
        return msgspec.convert(found["kept"], _Kept, strict=False)
    except (OSError, msgspec.MsgspecError, KeyError, TypeError):
        return _Kept(bots={}, hosts={})


def _bot_times(setup: Setup, bots: dict[int, BotTime]) -> Sequence[Document]:
    names = [entry.name for entry in setup.event.bots]
    return [
        {
            "name": names[bot],
            "decisions": used.decisions,
            "mean_ms": used.nanoseconds / 1e6 / max(1, used.decisions),
            "longest_ms": used.longest / 1e6,
        }
        for bot, used in sorted(bots.items())
        if bot < len(names)
    ]
