"""What an event costs beside its games: two workers against one, coordinator, memory.

    python -m tests.arena.scaling --sets 400
    python -m tests.arena.scaling --memory --games 40000

The first plays an event with one worker and with two in turn. The second makes a
journal of that many games out of a few real ones, and measures plan, journal and report
at two sizes; what a million games take follows from the slope.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


from arena import harness
from hollywood.bots.arena.course import Course
from hollywood.bots.arena.event import Setup
from hollywood.bots.arena.executors import open_workers
from hollywood.bots.arena.journal import Journal
from hollywood.bots.arena.lines import SetLine, decode_set, encode_set
from hollywood.bots.arena.match import encode_setup, play_batch
from hollywood.bots.arena.outputs import JOURNAL, fold_journal, write_outputs
from hollywood.bots.arena.runner import Runner

MILLION = 1_000_000


def event(deals: int, rules: str) -> Setup:
    bots = {"greedy": "greedy", **harness.noisy(1, 2, 3)}
    return harness.event(bots, rules=rules, format="round_robin", seats=4, deals=deals, recheck=0)


def rate(workers: int, sets: int) -> tuple[float, float, float]:
    """Return games a second, the coordinator's share of the run, and the workers' busy one."""
    opened = open_workers(f"local:{workers}")
    try:
        # processes that are up, with all that they keep for a rule set
        setup = event(sets, "sprint.toml")
        units = list(Course(setup).upcoming(-1))[:2]
        warm = [
            opened.executor.submit(play_batch, encode_setup(setup), units)
            for _ in range(2 * workers)
        ]
        for future in warm:
            future.result()
        with tempfile.TemporaryDirectory() as folder:
            busy = time.process_time()
            runner = Runner(setup, Path(folder) / JOURNAL, opened)
            runner.run()
            busy = time.process_time() - busy
    finally:
        opened.close()
    clock = runner.clock
    playing = sum(seconds for _, seconds in clock.hosts.values()) / workers
    return clock.games / clock.seconds, busy / clock.seconds, playing / clock.seconds


def make_journal(setup: Setup, path: Path) -> None:
    """Write a whole journal quickly: a few real deal sets over and over."""
    course, packed = Course(setup), encode_setup(setup)
    journal = Journal(path, setup)
    kept: list[SetLine] = []
    while not course.is_over:
        unit = next(course.upcoming(-1))
        if unit.round == 0 or len(kept) < 12:
            raw = play_batch(packed, [unit]).sets[0]
            line = decode_set(raw)
            if unit.round:
                kept.append(line)
        else:
            old = kept[unit.index % len(kept)]
            line = SetLine(unit.index, unit.round, unit.deal, unit.table, unit.bots, old.games)
            raw = encode_set(line)
        journal.append(raw)
        course.next += 1
        course._skip()
    journal.commit()
    journal.close()


def report(games: int) -> None:
    """Print what the report of so many games takes: bytes of journal, seconds, KiB."""
    setup = event(games // 4, "hollywood")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_journal(setup, folder / JOURNAL)
        size = (folder / JOURNAL).stat().st_size
        began = time.monotonic()
        course = fold_journal(setup, folder / JOURNAL)
        write_outputs(course, folder, with_records=False)
        seconds = time.monotonic() - began
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(course.tally.games, size, seconds, most)


def memory(games: int) -> int:
    """Report at two sizes, each in a process of its own, and draw the line further."""
    found = []
    for number in (games // 4, games):
        words = [sys.executable, "-m", "tests.arena.scaling", "--report", "--games", str(number)]
        done = subprocess.run(words, check=True, capture_output=True, text=True)
        found.append([float(word) for word in done.stdout.split()])
        played, size, seconds, most = found[-1]
        print(
            f"{played:,.0f} games: journal {size / 2**20:.0f} MiB, report {seconds:.0f} s, "
            f"{most / 1024:.0f} MiB of memory"
        )
    (few, size0, seconds0, most0), (many, size1, seconds1, most1) = found

    def at_million(small: float, large: float) -> float:
        return large + (large - small) / (many - few) * (MILLION - many)

    disk, memory_ = at_million(size0, size1) / 2**20, at_million(most0, most1) / 1024
    print(
        f"{MILLION:,} games, drawn further: journal {disk:.0f} MiB, report "
        f"{at_million(seconds0, seconds1):.0f} s, {memory_:.0f} MiB of memory"
    )
    return int(disk > 1024 or memory_ > 1024)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--games", type=int, default=40_000)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    if chosen.report:
        report(chosen.games)
        return 0
    if chosen.memory:
        return memory(chosen.games)
    ratios = []
    for _ in range(chosen.rounds):
        one, two = rate(1, chosen.sets // 2), rate(2, chosen.sets)
        ratios.append(two[0] / one[0])
        print(
            f"one worker {one[0]:.1f} games/s, two {two[0]:.1f} (x{ratios[-1]:.2f}), "
            f"coordinator {two[1]:.1%}, workers busy {two[2]:.0%}",
            flush=True,
        )
    print(f"the best ratio, that of the least disturbed round: x{max(ratios):.2f}")
    return int(max(ratios) < 1.8)


if __name__ == "__main__":
    sys.exit(main())
