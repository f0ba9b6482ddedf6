"""Running an event from the command line: live table, Ctrl-C, files at the end."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.live import Live
from rich.table import Table as RichTable

from hollywood.bots.arena.errors import needs_extra
from hollywood.bots.arena.event import Setup
from hollywood.bots.arena.executors import Tls, Workers, open_workers
from hollywood.bots.arena.outputs import JOURNAL, REPORT, RESULTS, write_outputs, write_times
from hollywood.bots.arena.progress import Progress, progress_of
from hollywood.bots.arena.results import Document
from hollywood.bots.arena.runner import Runner, Shard
from hollywood.bots.arena.tally import Tally

_SECONDS_BETWEEN = {"terminal": 1.0, "lines": 10.0, "json": 2.0}


def run_event(
    setup: Setup,
    folder: Path,
    executor: str,
    tls: Tls | None,
    shard: tuple[int, int] | None,
    screen: Screen,
) -> bool:
    """Play an event and write what it leaves; false if it was stopped before its end."""
    part = None if shard is None else Shard(*shard)
    return run_with(setup, folder, open_workers(executor, tls), part, screen)


def run_with(
    setup: Setup, folder: Path, workers: Workers, part: Shard | None, screen: Screen
) -> bool:
    """Play an event with these workers, which are let go of at the end."""
    try:
        runner = Runner(
            setup, folder / JOURNAL, workers, shard=part, on_progress=screen.on_progress
        )
        before = signal.signal(signal.SIGINT, lambda *_: _stop(runner))
        try:
            with screen:
                course = runner.run()
        finally:
            signal.signal(signal.SIGINT, before)
            write_times(folder, setup, runner.clock)
    finally:
        workers.close()
    if part is not None:
        _after_shard(runner, folder, part)
        return not runner.is_stopped
    if not course.tally.games:
        return course.is_over
    document = write_outputs(course, folder, with_records=course.is_over)
    screen.end(document, folder, runner)
    return course.is_over


def _stop(runner: Runner) -> None:
    """The first Ctrl-C finishes what is under way, the second does not."""
    if runner.is_stopped:
        raise KeyboardInterrupt
    runner.stop()
    click.echo("Finishing the games that are under way; Ctrl-C again leaves them.", err=True)


def _after_shard(runner: Runner, folder: Path, part: Shard) -> None:
    if runner.is_stopped:
        return
    round_ = runner.course.round
    click.echo(
        f"Part {part.number} of {part.count} of round {round_.number} is in {folder / JOURNAL}. "
        "When all parts are there: hollywood tournament merge EVENT JOURNAL JOURNAL --out FOLDER, "
        "then report, or run again where there are more rounds.",
        err=True,
    )


class Screen:
    """Shows a run: a live table on a terminal, else lines, or JSON lines."""

    def __init__(self, *, as_json: bool, with_ratings: bool) -> None:
        self._as_json = as_json
        self._console = Console(stderr=as_json)
        is_live = not as_json and self._console.is_terminal
        self._kind = "json" if as_json else "terminal" if is_live else "lines"
        self._live = Live(console=self._console, auto_refresh=False) if is_live else None
        self._ratings = LiveRatings() if with_ratings else None
        self._next = 0.0

    def __enter__(self) -> Screen:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def on_progress(self, runner: Runner) -> None:
        """Show how a run stands, but not too often."""
        began = time.monotonic()
        if began < self._next:
            return
        ratings = None
        if self._ratings is not None:
            ratings = self._ratings.follow(runner.course.tally)
        found = progress_of(runner, ratings)
        if self._kind == "json":
            _print_json({"type": "progress", **msgspec.to_builtins(found)})
        elif self._live is not None:
            self._live.update(_picture(found), refresh=True)
        else:
            click.echo(_headline(found))
        now = time.monotonic()
        # looking must not cost the coordinator more than a fiftieth of its time
        self._next = now + max(_SECONDS_BETWEEN[self._kind], 50 * (now - began))

    def end(self, document: Document, folder: Path, runner: Runner) -> None:
        """Show what came out."""
        if self._as_json:
            _print_json(
                {
                    "type": "end",
                    "is_over": document["is_over"],
                    "games": document["games"],
                    "games_played": runner.clock.games,
                    "seconds": round(runner.clock.seconds, 3),
                    "coordinator_seconds": round(runner.clock.folding, 3),
                    "ranking": document["ranking"],
                    "results": str(folder / RESULTS),
                }
            )
        else:
            clock = runner.clock
            if clock.games:
                click.echo(
                    f"{clock.games:,} games in {clock.seconds:.1f} s, "
                    f"{clock.games / clock.seconds:.1f} a second."
                )
            print_results(document, folder)


class LiveRatings:
    """Ratings by openskill, game after game: nice to watch, but the order of games moves them."""

    def __init__(self) -> None:
        try:
            from openskill.models import PlackettLuce
        except ImportError:
            raise needs_extra("ratings") from None
        self._model: Any = PlackettLuce()
        self._ratings: list[Any] = []
        self._games = 0

    def follow(self, tally: Tally) -> list[float]:
        """Rate the games since the last call; return each bot's ordinal."""
        if not self._ratings:
            self._ratings = [self._model.rating() for _ in tally.setup.event.bots]
        orders = sorted(tally.rankings, key=tally.rankings.__getitem__)
        # each game is listed twice, the second time with ties the other way round
        for number in range(self._games, len(tally.ranking_of), 2):
            bots = list(dict.fromkeys(orders[tally.ranking_of[number]]))
            if len(bots) > 1:
                rated = self._model.rate([[self._ratings[bot]] for bot in bots])
                for bot, team in zip(bots, rated, strict=True):
                    self._ratings[bot] = team[0]
        self._games = len(tally.ranking_of)
        return [float(rating.ordinal()) for rating in self._ratings]


def _headline(found: Progress) -> str:
    what = "each bot against itself" if found.round == 0 else f"round {found.round}"
    left = "" if found.seconds_left is None else f", {duration(found.seconds_left)} left"
    return (
        f"{what}: {found.round_sets:,} of {found.round_size:,} deal sets, "
        f"{found.games:,} games, {found.rate:.1f} a second{left}"
    )


def _picture(found: Progress) -> RichTable:
    table = RichTable("bot", "margin", "95 % interval", "games", "strikes", title=_headline(found))
    has_ratings = any(standing.rating is not None for standing in found.table)
    if has_ratings:
        table.add_column("openskill")
    for standing in found.table:
        low, high = standing.low, standing.high
        interval = "" if low is None or high is None else f"{low:+.1f} to {high:+.1f}"
        row = [
            standing.name,
            f"{standing.margin:+.1f}",
            interval,
            f"{standing.games:,}",
            str(standing.strikes or ""),
        ]
        table.add_row(*row, *([f"{standing.rating:.1f}"] if standing.rating is not None else []))
    if found.tests:
        tests = ", ".join(f"{name} {llr:+.2f}" for name, llr in found.tests[:6])
        table.caption = f"evidence so far: {tests}"
    return table


def print_results(document: Document, folder: Path) -> None:
    """Print the ranking and where the rest is."""
    table = RichTable("", "bot", "margin", "95 % interval", "points a game", "won", box=None)
    by_name = {bot["name"]: bot for bot in document["bots"]}
    for place, name in enumerate(document["ranking"], 1):
        bot = by_name[name]
        margin = bot["margin"]
        low, high = margin["low"], margin["high"]
        interval = "" if low is None else f"{low:+.1f} to {high:+.1f}"
        table.add_row(
            str(place),
            name,
            f"{margin['mean']:+.1f}",
            interval,
            f"{bot['points']:.1f}",
            f"{bot['win_share']:.0%}",
        )
    Console().print(table)
    for duel in document["duels"]:
        margin = duel["margin"]
        test = duel["gsprt"]
        click.echo(
            f"{duel['challenger']} against {duel['reference']}: {test['call']} "
            f"(evidence {test['llr']:+.2f}, {margin['deals']} deal sets)"
        )
    click.echo(f"Report: {folder / REPORT}  Results: {folder / RESULTS}")


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(95), duration(7300)
    ('1 min 35 s', '2 h 1 min')
    """
    whole = int(seconds)
    if whole < 60:
        return f"{seconds:.0f} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _print_json(document: Document) -> None:
    sys.stdout.write(msgspec.json.encode(document).decode() + "\n")
    sys.stdout.flush()
