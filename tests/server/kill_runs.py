"""Kills a server with a journal again and again, and shows that nothing is lost.

    python -m tests.server.kill_runs injected [--first 1] [--last 100000] [--step 1]
    python -m tests.server.kill_runs random [--kills 200] [--seed 1]

`injected` plays a game of two deals for every commit of its journal, three times: the
server kills itself (SIGKILL) right before that commit, within it, and right after it.
The program itself knows nothing of this; the harness arms it (`arm`). `random` kills the
server at random moments while four tables play. Each time it is started again on the
same port and data, and the bots, who look for it without end, go on. In the end no
accepted answer may be missing in the exported record, no decision may have more time
than it had, and the scores must be those of the undisturbed game.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from random import Random
from unittest import mock

import trio

from hollywood.bots import Bot
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.connection import ServerConnection
from hollywood.bots.local import play_recorded
from hollywood.bots.runner import Outcome, SeatRunner
from hollywood.client.cli import main as hollywood
from hollywood.protocol.errors import RefusedError, SessionClosedError, UnreachableError
from hollywood.protocol.rules import Action, GameRecord, Play, decode_record, load_rules, verify
from hollywood.protocol.wire import ClientMessage, ServerMessage
from hollywood.protocol.wire import messages as m
from hollywood.server.store import Batch, Store

from .chaos import quick_retries

ROOT = Path(__file__).parent.parent.parent

BOTS: tuple[type[Bot], ...] = (GreedyBot, RandomBot, GreedyBot, RandomBot)
TABLES = 4

RULES = """
extend = "hollywood"
title = "Some deals of Hollywood rummy"
[buy]
limit_round = 3
"""
ROUND = """
[[rounds]]
deal = 11
contract = "{}"
"""

MOMENTS = ("before", "within", "after")
"""Where a commit is met: not begun, all written but not committed, durable but not told."""

_HOLLYWOOD = (sys.executable, "-m", "tests.server.kill_runs", "hollywood")
_KILL_AT, _KILL_WHEN = "KILL_RUNS_AT", "KILL_RUNS_WHEN"
_LONGEST_TURN = "600"
_LONGEST_GAME = 900.0
"""Real seconds after which a game hangs; it is killed all the time."""
_LONGEST_LIFE = 1.5
"""The most seconds that a server lives in a random run."""


def arm() -> None:
    """Let this process kill itself at the commit that the environment names."""
    at, when = int(os.environ.get(_KILL_AT, 0)), os.environ.get(_KILL_WHEN, "")
    commits = 0
    name = "_write" if when == "within" else "write"
    original = getattr(Store, name)

    def die() -> None:
        if commits == at:
            os.kill(os.getpid(), signal.SIGKILL)

    def deadly(self: Store, batch: Batch, moment: float) -> None:
        nonlocal commits
        commits += 1
        if when == "before":
            die()
        original(self, batch, moment)
        if when != "before":
            die()

    if at:
        setattr(Store, name, deadly)


class LostError(AssertionError):
    """Something that must survive has not."""


class ReseatedError(Exception):
    """The server was killed before the game began, and they have sat down in another order.

    Nothing is lost with that: before a game, who loses the connection loses the seat.
    """


# what the clients hear


class Heard:
    """All that one bot was told that must stay true."""

    slack = 0
    """Milliseconds that a decision may gain by a restart."""

    def __init__(self) -> None:
        self._sent: dict[int, m.AnswerDecision] = {}
        self.accepted: dict[int, Action] = {}
        """What was accepted, by decision."""
        self._remaining: dict[int, int] = {}
        self.resumed = 0

    def sends(self, message: ClientMessage) -> None:
        if isinstance(message, m.AnswerDecision):
            self._sent[message.cid] = message
        self.resumed += isinstance(message, m.Hello) and message.resume is not None

    def hears(self, message: ServerMessage) -> None:
        match message:
            case m.Verdict(status=m.VerdictStatus.ACCEPTED):
                answer = self._sent[message.cid]
                before = self.accepted.setdefault(answer.did, answer.action)
                if before != answer.action:
                    raise LostError(f"decision {answer.did} was accepted twice")
            case m.Verdict(status=m.VerdictStatus.ALREADY_ANSWERED):
                pass  # its verdict went down with the server
            case m.Verdict(status=m.VerdictStatus.LATE, cid=cid) if not isinstance(
                self._sent[cid].action, Play
            ):
                pass  # the window was decided without it
            case m.Verdict() | m.Closed():
                raise LostError(f"an answer did not count: {message}")
            case m.Decide(did=did, remaining_ms=int(remaining)):
                if remaining > self._remaining.get(did, remaining) + Heard.slack:
                    raise LostError(
                        f"decision {did} had {self._remaining[did]} ms and has {remaining} ms now"
                    )
                self._remaining[did] = remaining


_NOT_BEGUN = (RefusedError, UnreachableError, SessionClosedError, ReseatedError)

_heard: ContextVar[Heard] = ContextVar("heard")


@contextmanager
def listening() -> Iterator[None]:
    """Let each bot's connections tell what they say and hear to the `Heard` of its task."""
    send, receive = ServerConnection.send, ServerConnection.receive

    async def heard_send(self: ServerConnection, message: ClientMessage) -> None:
        _heard.get().sends(message)
        await send(self, message)

    async def heard_receive(self: ServerConnection) -> ServerMessage:
        message = await receive(self)
        _heard.get().hears(message)
        return message

    with mock.patch.multiple(ServerConnection, send=heard_send, receive=heard_receive):
        yield


# the server


class Server:
    """`hollywood serve` as a process that is started again whenever it was killed."""

    def __init__(self, folder: Path, deals: int) -> None:
        self.data = folder / "data"
        self._rules = folder / "short.toml"
        rounds = load_rules("hollywood").rounds[:deals]
        text = RULES + "".join(ROUND.format(one.contract) for one in rounds)
        self._rules.write_text(text, "utf-8")
        self.port = _free_port()
        self.environment: dict[str, str] = {}
        """For the next start only."""
        self.kills = 0
        self.killed_while_seating = 0
        self.seating = 0
        """Tables whose seats are being taken: a join is not repeated."""
        self.is_up = trio.Event()
        self._process: trio.Process | None = None

    @property
    def is_killable(self) -> bool:
        return self.is_up.is_set() and self.seating == 0

    def kill(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)

    async def run(self) -> None:
        """Start it, and again whenever it was killed."""
        while True:
            environment = {**os.environ, **self.environment}
            self.environment = {}
            command = [
                *_HOLLYWOOD, "serve", "--host", "127.0.0.1", "--port", str(self.port),
                "--rules", str(self._rules), "--data", str(self.data), "--no-discovery",
                "--turn-seconds", _LONGEST_TURN, "--window-seconds", _LONGEST_TURN,
            ]  # fmt: skip
            start = partial(
                trio.lowlevel.open_process,
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                cwd=ROOT,
            )
            self._process = process = await start()
            try:
                await self._wait_until_up(process)
                code = await process.wait()
            finally:
                if self.is_up.is_set():
                    self.is_up = trio.Event()
                if process.returncode is None:
                    process.kill()
                    with trio.CancelScope(shield=True):
                        await process.wait()
                if process.stdout is not None:
                    await process.stdout.aclose()
            if code != -signal.SIGKILL:
                raise LostError(f"the server ended with exit code {code}")
            self.kills += 1
            self.killed_while_seating += self.seating > 0

    async def _wait_until_up(self, process: trio.Process) -> None:
        assert process.stdout is not None
        said = b""
        while b"Listening" not in said:
            more = await process.stdout.receive_some(4096)
            if not more:
                return  # it is over already: `wait` tells how
            said += more
        self.is_up.set()

    async def export(self, table: str) -> GameRecord:
        """Return the table's record, read beside the server and checked."""
        command = [*_HOLLYWOOD, "export", table, "--data", str(self.data)]
        done = await trio.run_process(
            command, capture_stdout=True, capture_stderr=True, check=False, cwd=ROOT
        )
        if done.returncode:
            raise LostError(f"no record of table {table}: {done.stderr.decode()}")
        record = decode_record(done.stdout)
        verify(record)
        return record


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
        assert isinstance(port, int)
        return port


@asynccontextmanager
async def running(deals: int) -> AsyncIterator[Server]:
    """A server in a folder of its own, whose games have so many deals."""
    with tempfile.TemporaryDirectory(prefix="kill-") as folder:
        server = Server(Path(folder), deals)
        async with trio.open_nursery() as nursery:
            yield server
            nursery.cancel_scope.cancel()


# games


async def play(server: Server, table: str) -> tuple[list[Heard], list[Outcome]]:
    """Play one game at that table, the bots on the seats in their order.

    Raises:
        RefusedError, UnreachableError, SessionClosedError, ReseatedError: the server was
            killed before all had their seats.
        LostError: a bot has lost its seat in another way.
    """
    heard = [Heard() for _ in BOTS]
    outcomes: list[Outcome] = []
    killed_before = server.killed_while_seating

    async def one(player: SeatRunner, seat: int) -> None:
        _heard.set(heard[seat])
        outcomes.append(await player.run("127.0.0.1", server.port))
        check_seat(player, seat)

    def check_seat(player: SeatRunner, seat: int) -> None:
        if player.seat != seat and server.killed_while_seating != killed_before:
            raise ReseatedError
        if player.seat != seat:
            raise LostError(f"the bot of seat {seat} sits on seat {player.seat}")

    server.seating += 1
    is_seating = True
    try:
        async with trio.open_nursery() as nursery:
            for seat, bot in enumerate(BOTS):
                player = SeatRunner(bot, f"bot {seat}", table)
                nursery.start_soon(one, player, seat)
                while player.seat < 0:
                    await trio.sleep(0.002)
                check_seat(player, seat)
            server.seating -= 1
            is_seating = False
    finally:
        server.seating -= is_seating
    return heard, outcomes


async def play_to_the_end(server: Server, name: str) -> Counter[str]:
    """Play a game and check it; where the server died before it began, another one."""
    lost = 0
    while True:
        table = f"{name}-{lost}" if lost else name
        await server.is_up.wait()
        heard: list[Heard] = []
        try:
            with trio.fail_after(_LONGEST_GAME):
                heard, outcomes = await play(server, table)
        except* _NOT_BEGUN as group:
            lost += 1
            if lost > 3:
                raise LostError(f"table {table} never begins") from group
        else:
            break
    check(await server.export(table), heard, outcomes)
    return Counter(
        games=1,
        answers=sum(len(one.accepted) for one in heard),
        resumed=sum(one.resumed for one in heard),
        begun_anew=lost,
    )


def check(record: GameRecord, heard: list[Heard], outcomes: list[Outcome]) -> None:
    """Compare what the bots were told, the record, and the undisturbed game."""
    undisturbed, twin = play_recorded(record.rules, BOTS, bytes.fromhex(record.seed))
    if record.events != twin.events:
        raise LostError("the record is not that of the undisturbed game")
    for outcome in outcomes:
        if outcome.totals != undisturbed.scores:
            raise LostError(f"{outcome} instead of {undisturbed.scores}")
    for seat, one in enumerate(heard):
        steps = iter(step.action for step in record.steps if step.seat == seat)
        for did, action in sorted(one.accepted.items()):
            if action not in steps:
                raise LostError(f"decision {did} of seat {seat}: {action} is not in the record")


# the two ways


async def injected(number: int, when: str) -> Counter[str]:
    """Play a game of two deals whose server kills itself at that commit."""
    async with running(2) as server, trio.open_nursery() as nursery:
        server.environment = {_KILL_AT: str(number), _KILL_WHEN: when}
        nursery.start_soon(server.run)
        done = await play_to_the_end(server, "den")
        nursery.cancel_scope.cancel()
    done["kills"] = server.kills
    return done


async def random_kills(kills: int, seed: str) -> Counter[str]:
    """Play games of ten deals at four tables while the server is killed so many times."""
    rng, done = Random(seed), Counter[str]()
    async with running(10) as server, trio.open_nursery() as nursery:
        nursery.start_soon(server.run)

        async def table(number: int) -> None:
            game = 0
            while server.kills < kills:
                game += 1
                done.update(await play_to_the_end(server, f"t{number}x{game}"))

        async with trio.open_nursery() as tables:
            for number in range(TABLES):
                tables.start_soon(table, number)
            while server.kills < kills:
                await server.is_up.wait()
                await trio.sleep(rng.random() * _LONGEST_LIFE)
                while not server.is_killable:
                    await trio.sleep(0.001)
                before = server.kills
                server.kill()
                while server.kills == before:
                    await trio.sleep(0.005)
                if server.kills % 20 == 0:
                    print(f"{server.kills} kills, {dict(done)}", flush=True)
        nursery.cancel_scope.cancel()
    done["kills"] = server.kills
    return done


def run_injected(first: int, last: int, step: int) -> Counter[str]:
    """Kill at every commit, before and after, until a game has no more of them."""
    done: Counter[str] = Counter()
    for when in MOMENTS:
        for number in range(first, last + 1, step):
            one = trio.run(injected, number, when)
            done += one
            if not one["kills"]:
                print(f"{when}: a game had {number - 1} commits at the most", flush=True)
                break
            if number % 20 == 0:
                print(f"{when} commit {number}: {dict(done)}", flush=True)
    return done


def _leaf(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def main() -> None:
    """Kill, and say how it went; with `hollywood` first, be the armed program."""
    if sys.argv[1:2] == ["hollywood"]:
        del sys.argv[1]
        arm()
        hollywood()
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ways = parser.add_subparsers(dest="way", required=True)
    way = ways.add_parser("injected")
    way.add_argument("--first", type=int, default=1)
    way.add_argument("--last", type=int, default=100_000)
    way.add_argument("--step", type=int, default=1)
    way = ways.add_parser("random")
    way.add_argument("--kills", type=int, default=200)
    way.add_argument("--seed", default="1")
    for way in ways.choices.values():
        way.add_argument("--slack", type=int, default=0, help="ms a decision may gain")
    args = parser.parse_args()
    Heard.slack = args.slack
    began = time.perf_counter()
    try:
        with quick_retries(0.02), listening():
            if args.way == "injected":
                done = run_injected(args.first, args.last, args.step)
            else:
                done = trio.run(random_kills, args.kills, args.seed)
    except* LostError as group:
        print(f"LOST: {_leaf(group)}")
        raise SystemExit(1) from group
    print(", ".join(f"{what} {count:,}" for what, count in sorted(done.items())))
    print(f"nothing was lost in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
