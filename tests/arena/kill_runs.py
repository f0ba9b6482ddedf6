"""Kill what runs an event, go on, and compare with an event that nobody disturbed.

    python -m tests.arena.kill_runs coordinator --times 10
    python -m tests.arena.kill_runs worker
    python -m tests.arena.kill_runs dask

The journal and results.json must be the same bytes each time; exits 1 otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hollywood.bots.connection import parse_address

EVENT = """
name = "kill"
rules = "sprint.toml"
seats = 3
format = "round_robin"
deals = {deals}
seed = "kill"
[[bots]]
name = "greedy"
bot = "greedy"
[[bots]]
name = "random"
bot = "random"
[[bots]]
name = "noisy"
bot = "harness.py:NoisyBot:noise=0.2"
[[bots]]
name = "noisier"
bot = "harness.py:NoisyBot:noise=0.4"
"""
HERE = Path(__file__).parent
FILES = ("journal.jsonl", "results.json")


def command(event: Path, out: Path, executor: str) -> list[str]:
    run = "from hollywood.client.cli import main; main()"
    return [
        sys.executable, "-c", run, "tournament", "run", str(event), "--out", str(out),
        "--executor", executor, "--json",
    ]  # fmt: skip


def play(event: Path, out: Path, executor: str) -> dict[str, object]:
    """Run to the end; return the last line that was printed."""
    done = subprocess.run(
        command(event, out, executor), check=True, capture_output=True, text=True, timeout=3600
    )
    last: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return last


def size(out: Path) -> int:
    path = out / FILES[0]
    return path.stat().st_size if path.exists() else 0


def kill_at(event: Path, out: Path, executor: str, at: int) -> bool:
    """Start the event and kill its coordinator once the journal has that size."""
    child = subprocess.Popen(
        command(event, out, executor), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while child.poll() is None and size(out) < at:
        time.sleep(0.005)
    was_running = child.poll() is None
    child.kill()
    child.wait()
    return was_running


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if int(fields[1]) == pid and b"spawn_main" in line:
                found.append(int(folder.name))
    return sorted(found)


def is_same(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in FILES)


def coordinator(event: Path, folder: Path, whole: Path, times: int) -> bool:
    """Kill -9 the coordinator at moments spread over the event; one of them in a write."""
    out = folder / "killed"
    out.mkdir()
    full, kills = size(whole), 0
    for number in range(times):
        kills += kill_at(event, out, "local:2", 1 + full * number // times)
        if number == times // 2:
            # as if the last write had not come to its end
            with (out / FILES[0]).open("ab") as journal:
                journal.write(b'{"chain":"0123')
    play(event, out, "local:2")
    same = is_same(whole, out)
    print(f"coordinator: killed {kills} times while it ran, results the same: {same}")
    return same and kills >= times - 1


def worker(event: Path, folder: Path, whole: Path) -> bool:
    """Kill -9 a process of the local pool, three times."""
    out = folder / "worker"
    out.mkdir()
    child = subprocess.Popen(command(event, out, "local:2"), stdout=subprocess.PIPE, text=True)
    full, kills = size(whole), 0
    for number in range(1, 4):
        while child.poll() is None and size(out) < full * number // 5:
            time.sleep(0.01)
        for pid in children(child.pid)[:1]:
            os.kill(pid, signal.SIGKILL)
            kills += 1
    text, _ = child.communicate(timeout=3600)
    last = json.loads(text.splitlines()[-1])
    same = is_same(whole, out)
    print(f"worker: killed {kills}, {last['games']} games counted, results the same: {same}")
    return same and kills == 3


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A Dask scheduler and workers on this machine; all of them ended afterwards."""
    dask = str(Path(sys.executable).with_name("dask"))
    file = folder / "scheduler.json"
    started = [
        subprocess.Popen(
            [dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
             "--scheduler-file", str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
    ]  # fmt: skip
    try:
        while not file.exists() or not file.read_text().strip():
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        started += [
            subprocess.Popen(
                [dask, "worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny",
                 "--local-directory", str(folder / f"dask{number}")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            for number in range(workers)
        ]  # fmt: skip
        time.sleep(3)
        host, port = parse_address(address.removeprefix("tcp://"))
        yield f"dask://{host}:{port}", started
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def dask(event: Path, folder: Path, whole: Path) -> bool:
    """The same event on Dask, and again with a worker killed half-way."""
    good = True
    with cluster(folder, 2) as (address, _):
        out = folder / "dask"
        out.mkdir()
        play(event, out, address)
        good &= is_same(whole, out)
        print(f"dask: results the same as locally: {good}")
    with cluster(folder / "again", 2) as (address, started):
        out = folder / "dask-killed"
        out.mkdir()
        child = subprocess.Popen(command(event, out, address), stdout=subprocess.DEVNULL)
        while child.poll() is None and size(out) < size(whole) // 3:
            time.sleep(0.01)
        started[1].kill()
        good &= child.wait(3600) == 0
        same = is_same(whole, out)
        print(f"dask: a worker killed, results the same: {same}")
    return good and same


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["coordinator", "worker", "dask"])
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--deals", type=int, default=60)
    chosen = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for shared in ("sprint.toml", "harness.py"):
            (folder / shared).write_bytes((HERE / shared).read_bytes())
        event = folder / "event.toml"
        event.write_text(EVENT.format(deals=chosen.deals))
        whole = folder / "whole"
        (folder / "again").mkdir()
        whole.mkdir()
        play(event, whole, "local:2")
        for what in chosen.what:
            if what == "coordinator":
                good &= coordinator(event, folder, whole, chosen.times)
            elif what == "worker":
                good &= worker(event, folder, whole)
            else:
                good &= dask(event, folder, whole)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
