"""What a server carries: tables of players from another process, and what each decision costs.

    python bench/load.py [--tables 100] [--seconds 30] [--spectators 0] [--stalled 1]
                         [--journal] [--at 50] [--json]

Starts the server as a process of its own, fills its tables with players that answer at
once, and prints decisions and tables a second, the server's CPU time per decision and
where it goes, latencies as the players see them, bytes, and memory. Beside it, in the
same run, a bare trio server sends the same frames: the limit. With `--at 50` a second
part plays at half the speed that was measured, for latencies that are not queueing,
with those apart that fell into slow moments of the machine itself.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import msgspec

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.load_crowd import SEATS, Crowd
from bench.load_script import Cost, cost_per_decision
from bench.load_server import CONNECTED, first_deals, raise_file_limit

HERE = Path(__file__).parent

MOST_MICROSECONDS = 70
MOST_TIMES_BARE = 2.5
"""What is asked of 100 tables of four: either of these."""
MOST_LATENCY = 0.050
"""Seconds, at half speed, for 99 decisions of 100."""

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_WARM_UP = 2.0
_MINUTE = 60.0


class Figures(msgspec.Struct, kw_only=True):
    """What one part of a run has shown. Times in seconds, sizes in bytes."""

    seconds: float
    decisions: int
    games: int
    server_cpu: float
    crowd_cpu: float
    p50: float
    p99: float
    steady_p99: float
    """Of what was asked and answered while the machine ran at its usual speed; paced only."""
    unsteady: float
    """Share of the decisions of a paced run that slow moments of the machine have touched."""
    bytes_in: int
    """From the server."""
    bytes_out: int
    frames: int

    @property
    def per_decision(self) -> float:
        """Server CPU seconds per decision."""
        return self.server_cpu / max(1, self.decisions)


class Memory(msgspec.Struct, kw_only=True):
    """Resident bytes of the server."""

    per_connection: float
    per_table: float
    """With its four connections."""
    early: int
    """After a minute, or after half of a shorter run."""
    late: int
    by_minute: list[int]
    """At the end of each minute of play."""


class Report(msgspec.Struct, kw_only=True):
    """A whole run."""

    tables: int
    spectators: int
    stalled: int
    stalled_cut: int
    journal: bool
    full: Figures
    metrics: dict[str, float]
    """Mean seconds by the server's own clock: waiting, handling, sending, a commit."""
    paced: Figures | None
    percent: int
    memory: Memory
    cost: Cost
    bare: Figures | None = None
    unjournaled: Figures | None = None
    """The same without the journal."""


class Server:
    """A child process that prints its port."""

    def __init__(self, script: str, *options: str) -> None:
        command = [sys.executable, str(HERE / script), *options]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{script} did not start, exit code {self._process.wait()}")
        self.port = int(line)
        self.by_minute: list[int] = []
        self._has_ended = Event()

    def cpu(self) -> float:
        """Return the CPU seconds it has used, all its threads and the kernel for it."""
        stat = Path(f"/proc/{self._process.pid}/stat").read_text()
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICK

    def sums(self) -> dict[str, tuple[float, int]]:
        """Return what the server's own metrics have summed up: seconds, and of how many."""
        self._process.send_signal(signal.SIGUSR1)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return msgspec.json.decode(line, type=dict[str, tuple[float, int]])

    def resident(self) -> int:
        """Return its resident bytes."""
        return int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]) * _PAGE

    def watch_memory(self) -> None:
        """Note its resident bytes every minute from now on."""
        Thread(target=self._note_memory, daemon=True).start()

    def _note_memory(self) -> None:
        while not self._has_ended.wait(_MINUTE):
            self.by_minute.append(self.resident())

    def end(self) -> None:
        """End it."""
        self._has_ended.set()
        self._process.kill()
        self._process.wait()


@contextmanager
def running(script: str, *options: str) -> Iterator[tuple[Server, Crowd]]:
    """Run a server, and a crowd that is still to come in."""
    server = Server(script, *options)
    crowd = Crowd(server.port)
    try:
        yield server, crowd
    finally:
        server.end()
        crowd.close()


def measured(server: Server, crowd: Crowd, seconds: float) -> Figures:
    """Play for so long and say how it went."""
    crowd.latencies.clear()
    crowd.machine.forget()
    before = (crowd.decisions, crowd.games, crowd.bytes_in, crowd.bytes_out, crowd.frames)
    server_cpu, crowd_cpu, began = server.cpu(), time.process_time(), time.perf_counter()
    crowd.run(seconds)
    took = time.perf_counter() - began
    after = (crowd.decisions, crowd.games, crowd.bytes_in, crowd.bytes_out, crowd.frames)
    decisions, games, bytes_in, bytes_out, frames = (
        b - a for a, b in zip(before, after, strict=True)
    )
    cuts = _percentiles([took for _, took in crowd.latencies])
    steady = crowd.machine.steady(crowd.latencies)
    return Figures(
        seconds=took,
        decisions=decisions,
        games=games // SEATS,
        server_cpu=server.cpu() - server_cpu,
        crowd_cpu=time.process_time() - crowd_cpu,
        p50=cuts[49],
        p99=cuts[98],
        steady_p99=_percentiles(steady)[98],
        unsteady=1 - len(steady) / max(1, len(crowd.latencies)),
        bytes_in=bytes_in,
        bytes_out=bytes_out,
        frames=frames,
    )


def _percentiles(seconds: list[float]) -> list[float]:
    return statistics.quantiles(seconds, n=100) if len(seconds) > 1 else [0.0] * 99


def real_run(args: argparse.Namespace, options: list[str], cost: Cost) -> Report:
    """Fill the server with tables and play."""
    with running("load_server.py", *options) as (server, crowd):
        warm_up(server)
        empty = server.resident()
        crowd.connect(SEATS * args.tables, 0)
        connected = server.resident()
        crowd.sit_down()
        crowd.run(60, until=lambda: crowd.seated >= SEATS * args.tables)
        seated = server.resident()
        for first in range(0, args.spectators, args.tables):
            crowd.connect(min(args.tables, args.spectators - first), 0, is_watching=True)
        crowd.watch()
        for number in range(args.stalled):
            crowd.stall(number % args.tables)
        server.watch_memory()
        crowd.run(_WARM_UP)
        before = server.sums()
        full = measured(server, crowd, min(_MINUTE, args.seconds / 2))
        early = server.resident()
        if not args.at or args.seconds > 120:
            full = both(full, measured(server, crowd, args.seconds - full.seconds))
        metrics = differences(before, server.sums())
        paced = None
        if args.at:
            crowd.rate = args.at / 100 * full.decisions / full.seconds
            crowd.run(_WARM_UP)
            paced = measured(server, crowd, args.seconds / 2)
        players = SEATS * args.tables + args.spectators
        return Report(
            tables=args.tables,
            spectators=args.spectators,
            stalled=args.stalled,
            # whoever else is cut ends the run
            stalled_cut=args.stalled - (server.sums()[CONNECTED][1] - players),
            journal=args.journal,
            full=full,
            metrics=metrics,
            paced=paced,
            percent=args.at,
            memory=Memory(
                per_connection=(connected - empty) / (SEATS * args.tables),
                per_table=(seated - empty) / args.tables,
                early=early,
                late=server.resident(),
                by_minute=server.by_minute,
            ),
            cost=cost,
        )


def differences(
    before: dict[str, tuple[float, int]], after: dict[str, tuple[float, int]]
) -> dict[str, float]:
    """Return the mean seconds of each part between two readings of the metrics."""
    return {
        name: (after[name][0] - before[name][0]) / max(1, after[name][1] - before[name][1])
        for name in after
        if name != CONNECTED
    }


def both(first: Figures, second: Figures) -> Figures:
    """Return both parts as one; of the latencies the worse."""
    return Figures(
        seconds=first.seconds + second.seconds,
        decisions=first.decisions + second.decisions,
        games=first.games + second.games,
        server_cpu=first.server_cpu + second.server_cpu,
        crowd_cpu=first.crowd_cpu + second.crowd_cpu,
        p50=max(first.p50, second.p50),
        p99=max(first.p99, second.p99),
        steady_p99=max(first.steady_p99, second.steady_p99),
        unsteady=max(first.unsteady, second.unsteady),
        bytes_in=first.bytes_in + second.bytes_in,
        bytes_out=first.bytes_out + second.bytes_out,
        frames=first.frames + second.frames,
    )


def warm_up(server: Server) -> None:
    """Let the first connections pay for what is made once."""
    probe = Crowd(server.port)
    probe.connect(SEATS, 0)
    probe.close()
    time.sleep(0.2)


def bare_run(args: argparse.Namespace, options: list[str]) -> Figures:
    """Let the bare server send the same frames."""
    with running("load_bare.py", *options) as (server, crowd):
        crowd.connect(SEATS * args.tables, 0)
        crowd.sit_down()
        crowd.run(_WARM_UP)
        return measured(server, crowd, args.seconds / 3)


def plain_run(args: argparse.Namespace, options: list[str]) -> Figures:
    """Play without a journal, to see what it costs."""
    with running("load_server.py", *options) as (server, crowd):
        crowd.connect(SEATS * args.tables, 0)
        crowd.sit_down()
        crowd.run(_WARM_UP)
        return measured(server, crowd, args.seconds / 3)


def main() -> None:
    """Run, and print or dump the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--spectators", type=int, default=0)
    parser.add_argument("--stalled", type=int, default=1, help="watchers that never read")
    parser.add_argument("--journal", action=argparse.BooleanOptionalAction, default=False)
    parser.add_argument("--at", type=int, default=0, help="then play at so many per cent")
    parser.add_argument("--rules", default="hollywood")
    parser.add_argument("--deals", type=int, default=0, help="of the rule set; 0: all")
    parser.add_argument("--bare", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    raise_file_limit()
    options = ["--rules", args.rules, "--deals", str(args.deals)]
    cost = cost_per_decision(first_deals(args.rules, args.deals), 2.0)
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        journal = ["--data", folder] if args.journal else []
        report = real_run(args, options + journal, cost)
    if args.bare:
        report.bare = bare_run(args, options)
    if args.journal:
        report.unjournaled = plain_run(args, options)
    if args.json:
        print(msgspec.json.encode(report).decode())
    else:
        print_report(report)


def print_report(report: Report) -> None:
    """Print what a person wants to know."""
    journal = "with" if report.journal else "without"
    print(
        f"{report.tables} tables of {SEATS}, {report.spectators} watch, {report.stalled} do not"
        f" read ({report.stalled_cut} cut), {journal} a journal; load {os.getloadavg()[0]:.1f}"
    )
    print_figures("full speed", report.full)
    if report.paced is not None:
        print_figures(f"at {report.percent} %", report.paced)
    if report.bare is not None:
        print_figures("bare trio", report.bare)
    print_parts(report)
    memory = report.memory
    print(
        f"memory: {memory.per_connection / 1024:.1f} KiB a connection, "
        f"{memory.per_table / 1024:.0f} KiB a table with its four, "
        f"{memory.early / 2**20:.1f} MiB early and {memory.late / 2**20:.1f} MiB late"
    )
    if memory.by_minute:
        print("MiB by the minute:", *[f"{size / 2**20:.1f}" for size in memory.by_minute])


def print_figures(name: str, figures: Figures) -> None:
    """Print one part of the run in two lines."""
    per = figures.per_decision
    print(
        f"{name}: {figures.decisions / figures.seconds:,.0f} decisions/s, "
        f"{1 / per if per else 0:,.0f} per core, {figures.games / figures.seconds:.2f} games/s, "
        f"{per * 1e6:.1f} us of CPU per decision (players: "
        f"{figures.crowd_cpu / max(1, figures.decisions) * 1e6:.1f}), "
        f"p50 {figures.p50 * 1e3:.2f} ms, p99 {figures.p99 * 1e3:.2f} ms"
    )
    each = max(1, figures.decisions)
    print(
        f"    {figures.bytes_in / each:.0f} bytes in {figures.frames / each:.1f} frames from the "
        f"server and {figures.bytes_out / each:.0f} to it per decision"
    )


def print_parts(report: Report) -> None:
    """Print where the server's time goes, and whether that is what was wanted."""
    per = report.full.per_decision * 1e6
    rules, codec = report.cost.rules * 1e6, report.cost.codec * 1e6
    journal = 0.0
    if report.unjournaled is not None:
        journal = per - report.unjournaled.per_decision * 1e6
    rest = per - rules - codec - journal
    print(
        f"of {per:.1f} us: rules {rules:.1f}, codec {codec:.1f}, journal {journal:.1f}, "
        f"table, transport and the rest {rest:.1f}"
    )
    parts = ", ".join(f"{name} {mean * 1e6:.0f} us" for name, mean in report.metrics.items())
    print(f"the server's own clock, means: {parts}")
    if report.bare is not None:
        ratio = report.full.per_decision / report.bare.per_decision
        is_met = per <= MOST_MICROSECONDS or ratio <= MOST_TIMES_BARE
        print(
            f"{ratio:.2f} times the bare server: {'as' if is_met else 'NOT as'} wanted "
            f"({MOST_MICROSECONDS} us, or {MOST_TIMES_BARE} times)"
        )
    if report.paced is not None:
        paced = report.paced
        print(
            f"p99 {'NOT ' if paced.p99 > MOST_LATENCY else ''}as wanted ({MOST_LATENCY * 1e3:.0f}"
            f" ms); {paced.unsteady:.0%} of the decisions fell into moments in which this machine"
            f" was slow, or into what had gathered there; p99 of the others"
            f" {paced.steady_p99 * 1e3:.1f} ms"
        )


if __name__ == "__main__":
    main()
