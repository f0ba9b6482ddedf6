"""Does the sequential test find a known difference, and leave equal bots alone?

    python -m tests.arena.planted --events 100

Plays that many small events with ten points a game credited to one of two bots of
equal strength, and as many without. Exits 1 if fewer than 90 % of the first are called
better or more than 8 % of the second.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena import harness
from hollywood.bots.arena.statistics import Call

POINTS = 10
MOST_SETS = 2000


def play_event(number: int, points: int) -> tuple[Call, int]:
    """Play one event; return what the test says after how many deal sets."""
    setup = harness.event(
        harness.noisy(2 * number, 2 * number + 1),
        deals=MOST_SETS,
        seed=f"planted/{number}",
        recheck=0,
        luck=False,
        stop={"rule": "gsprt", "h0": 0.0, "h1": float(POINTS)},
    )
    with tempfile.TemporaryDirectory() as folder:
        course = harness.run(setup, Path(folder), play=harness.credited(0, points))
    verdict = course.verdict(0)
    return verdict.call, verdict.sets


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args()
    found = {}
    for points in (POINTS, 0):
        began = time.monotonic()
        with ProcessPoolExecutor(chosen.jobs) as pool:
            done = list(pool.map(play_event, range(chosen.events), [points] * chosen.events))
        calls = Counter(call for call, _ in done)
        sets = sum(count for _, count in done) / len(done)
        found[points] = calls[Call.BETTER] / chosen.events
        print(
            f"{points:+d} points: {calls[Call.BETTER]} of {chosen.events} called better, "
            f"{calls[Call.OPEN]} not decided, {sets:.0f} deal sets on average, "
            f"{time.monotonic() - began:.0f} s"
        )
    return int(found[POINTS] < 0.9 or found[0] > 0.08)


if __name__ == "__main__":
    sys.exit(main())
