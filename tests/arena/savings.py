"""How many games duplicate deals save at the same interval, for bots that are close.

    python -m tests.arena.savings --sets 100

Plays greedy against a noisy greedy in all rotations, with one stock and with a pile
for each seat, with and without buying, and compares the spread of single games with
that of deal sets. With `luck`, the margins are corrected by a coefficient from the
other half of the sets.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from arena import harness
from hollywood.bots.arena.event import Setup, bot_classes
from hollywood.bots.arena.lines import Unit, seat_of
from hollywood.bots.arena.match import play_set

ROUNDS = """
extend = "hollywood"
title = "Five rounds of Hollywood rummy"
rounds = [
    { deal = 11, contract = "2xS3" },
    { deal = 11, contract = "2xS3 + R4" },
    { deal = 11, contract = "2xS4" },
    { deal = 11, contract = "S3 + R7" },
    { deal = 11, contract = "2xS3 + R5" },
]
[buy]
"""
"""Those that two of these bots do not play until the turns run out."""
BUYING = {
    True: "limit_round = [3, 3, 3, 3, 3]\n",
    False: "enabled = false\nlimit_round = [3, 3, 3, 3, 3]\n",
}


def margins(setup: Setup, sets: int) -> tuple[np.ndarray, np.ndarray]:
    """Margins of the challenger in single games and its luck, shape (sets, games)."""
    bots, seats = bot_classes(setup), setup.event.seats
    found = np.empty((2, sets, seats))
    for deal in range(sets):
        line = play_set(setup, bots, Unit(deal, 1, deal, 0, (0, *(1,) * (seats - 1))), {})
        for rotation, game in enumerate(line.games):
            own = seat_of(0, rotation, seats)
            for measure, values in enumerate((game.scores, game.luck)):
                others = [value for seat, value in enumerate(values) if seat != own]
                found[measure, deal, rotation] = np.mean(others) - values[own]
    return found[0], -found[1] / 1000


def measure(folder: str, buying: bool, seats: int, piles: bool, sets: int) -> str:
    rules = str(Path(folder) / f"{buying}.toml")
    bots = {"greedy": "greedy", "noisy": f"{harness.HERE / 'harness.py'}:NoisyBot:noise=0.1"}
    setup = harness.event(bots, rules=rules, seats=seats, own_piles=piles, seed="savings")
    games, luck = margins(setup, sets)
    single = games.var(axis=0, ddof=1).mean()
    set_means, set_luck = games.mean(axis=1), luck.mean(axis=1)
    of_set = set_means.var(ddof=1)
    half = sets // 2
    corrected = set_means.copy()
    for fit, use in ((slice(half), slice(half, None)), (slice(half, None), slice(half))):
        slope = np.cov(set_means[fit], set_luck[fit])[0, 1] / set_luck[fit].var(ddof=1)
        corrected[use] -= slope * set_luck[use]
    without = corrected.var(ddof=1)
    correlation = (seats * of_set / single - 1) / (seats - 1)
    return (
        f"{seats} seats, {'buying' if buying else 'no buying':9}  "
        f"{'own piles' if piles else 'one stock':9}  margin {set_means.mean():+6.1f}  "
        f"sd of a game {single**0.5:5.0f}, of a set {of_set**0.5:5.1f}, "
        f"correlation {correlation:+.2f}  saving x{single / of_set / seats:.2f}, "
        f"with luck x{single / without / seats:.2f}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(chosen.jobs) as pool:
        for buying, text in BUYING.items():
            (Path(folder) / f"{buying}.toml").write_text(ROUNDS + text)
        jobs = [
            pool.submit(measure, folder, buying, seats, piles, chosen.sets)
            for seats, buying, piles in product((2, 4), (True, False), (False, True))
        ]
        for job in jobs:
            print(job.result(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
