"""Watched random games of every rule set that is shipped, at every number of seats.

    python tests/rules/full_run.py --games 200 --jobs 2 [--rules dummy] [--look 0.03]

Whole games, with all their deals. Each step is checked as in `test_machine`. Prints one
line for each table, and how to replay what failed; exits 1 if anything did.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from hollywood.protocol.rules import load_rules, rule_set_names
from machine import Watched

SHOWN = ("Dealt", "WentDown", "WentOut", "Floated", "StockRanOut", "Bought", "looked at play")


class Task(NamedTuple):
    """Some games at one table."""

    rules: str
    seats: int
    first: int
    games: int
    look: float


class Result(NamedTuple):
    """What came of them."""

    task: Task
    counted: Counter[str]
    seconds: float
    failures: list[str]


def play(task: Task) -> Result:
    """Play the games of a task; a failure stops its game only."""
    counted: Counter[str] = Counter()
    failures: list[str] = []
    began = time.perf_counter()
    rules = load_rules(task.rules)
    for number in range(task.first, task.first + task.games):
        name = f"full/{task.rules}/{task.seats}/{number}"
        try:
            game = Watched(
                rules, task.seats, name, look=task.look, is_plain=task.rules == "hollywood"
            )
            game.play()
        except Exception as error:  # noqa: BLE001 - whatever it is, the others go on
            call = f"Watched(load_rules({task.rules!r}), {task.seats}, {name!r}, look={task.look})"
            where = traceback.extract_tb(error.__traceback__)[-1]
            failures.append(f"{call}.play(): {type(error).__name__}: {error} at {where.line}")
        else:
            counted += game.counted
    return Result(task, counted, time.perf_counter() - began, failures)


def tasks(names: list[str], games: int, look: float) -> list[Task]:
    """Every table of every rule set, in batches of ten games."""
    return [
        Task(name, seats, first, min(10, games - first), look)
        for name in names
        for seats in range(load_rules(name).players.min, load_rules(name).players.max + 1)
        for first in range(0, games, 10)
    ]


def run(todo: list[Task], jobs: int) -> list[Result]:
    """Play all tasks, with a line now and then on stderr."""
    results: list[Result] = []
    with get_context("fork").Pool(jobs) as pool:
        for result in pool.imap(play, todo):
            results.append(result)
            for failure in result.failures:
                print(failure, file=sys.stderr, flush=True)
            print(f"\r{len(results)}/{len(todo)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return results


def summary(results: list[Result]) -> int:
    """Print a line for each table; return how many games failed."""
    print(f"{'rule set':22} seats games  " + " ".join(f"{key:>11}" for key in SHOWN) + "   time")
    groups: dict[tuple[str, int], list[Result]] = {}
    for result in results:
        groups.setdefault((result.task.rules, result.task.seats), []).append(result)
    for (name, seats), group in groups.items():
        counted = sum((result.counted for result in group), Counter[str]())
        games = counted["GameEnded"]
        seconds = sum(result.seconds for result in group)
        numbers = " ".join(f"{counted[key]:11}" for key in SHOWN)
        print(f"{name:22} {seats:5} {games:5}  {numbers} {seconds:5.0f} s")
    failures = [failure for result in results for failure in result.failures]
    total = sum(result.counted["GameEnded"] for result in results)
    print(f"{total} games ended, {len(failures)} failed")
    for failure in failures:
        print(failure)
    return len(failures)


def main() -> int:
    """Play what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=200, help="games of each table")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--look", type=float, default=0.03, help="part of decisions looked at")
    parser.add_argument("--rules", action="append", help="only this rule set; may be repeated")
    asked = parser.parse_args()
    results = run(tasks(asked.rules or rule_set_names(), asked.games, asked.look), asked.jobs)
    return 1 if summary(results) else 0


if __name__ == "__main__":
    sys.exit(main())
