"""A proxy that spoils connections between bots and a server, and games through it.

    python tests/server/chaos.py --games 500 --seed 1
    python tests/server/chaos.py --games 500 --seed 1 --memory

plays short games without stand-ins through the proxy, over TCP with real delays or in
memory on a virtual clock. Every game must end, with the scores that the same bots have
without a network. The test suite plays some of them.
"""

from __future__ import annotations

import argparse
import math
import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from random import Random
from unittest import mock

import msgspec
import trio
import trio.testing

sys.path.insert(0, str(Path(__file__).parent.parent))

from hollywood.bots import Bot, runner
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.local import play_game
from hollywood.bots.runner import Outcome, SeatRunner
from hollywood.protocol.rules import RuleSet, seed_from_text
from hollywood.server.config import Clocks, ServerConfig, TableConfig
from hollywood.server.listener import serve
from house import RULES, open_house

PATIENT = Clocks(window=None, turn=None, start_up=0, grace=math.inf, away=math.inf, park=math.inf)
"""Without limits: nothing is ever done for a seat."""

_READ_SIZE = 65536
_BROKEN = (trio.BrokenResourceError, trio.ClosedResourceError)

Open = Callable[[], Awaitable[trio.abc.HalfCloseableStream]]
"""Opens a connection to the server."""


class Chaos(msgspec.Struct, frozen=True, kw_only=True):
    """How likely each mischief is for what one read brought, from 0 to 1."""

    split: float = 0.3
    """Sent in pieces of any length."""
    coalesce: float = 0.1
    """Held back until more comes, or for `seconds`."""
    delay: float = 0.1
    """Sent after up to `seconds`."""
    drop: float = 0.008
    """Both ends are closed, after a part of it was sent."""
    half_close: float = 0.008
    """This direction ends after a part of it; the other goes on."""
    reset: float = 0.008
    """Both ends are reset, after a part of it was sent."""
    abandon: float = 0.008
    """The client's end is closed; the server keeps a connection that says nothing."""
    seconds: float = 0.003
    """The longest delay."""


class _Broken(Exception):  # noqa: N818 - no error: what the proxy does on purpose
    """The connection ends now; `is_abandoned`: the server is not told yet."""

    def __init__(self, *, is_abandoned: bool = False) -> None:
        self.is_abandoned = is_abandoned


class Proxy:
    """Stands between clients and a server, and spoils what it passes on.

    What it does depends on the seed and on the number of the connection alone. While
    `is_calm` it spoils nothing.
    """

    def __init__(self, open_server: Open, seed: str, chaos: Chaos | None = None) -> None:
        self._open_server = open_server
        self._seed = seed
        self.chaos = chaos or Chaos()
        self.is_calm = False
        self.done: Counter[str] = Counter()
        """What was done, and how often."""

    async def serve(self, client: trio.abc.HalfCloseableStream) -> None:
        """Pass on what one client and the server say, until either has gone."""
        self.done["connection"] += 1
        number = self.done["connection"]
        try:
            server = await self._open_server()
        except OSError:
            await trio.aclose_forcefully(client)
            return
        try:
            if await self._pass_both_ways(client, server, partial(_rng, self._seed, number)):
                await self._keep_a_while(server)
        finally:
            await trio.aclose_forcefully(server)

    async def _pass_both_ways(
        self,
        client: trio.abc.HalfCloseableStream,
        server: trio.abc.HalfCloseableStream,
        rng: Callable[[str], Random],
    ) -> bool:
        """Pass on until the connection ends; whether the server is not told that it has."""
        is_abandoned = False
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._pass_on, client, server, rng("up"))
                nursery.start_soon(self._pass_on, server, client, rng("down"))
        except* _Broken as group:
            is_abandoned = any(_leaf(error).is_abandoned for error in group.exceptions)
        finally:
            await trio.aclose_forcefully(client)
        return is_abandoned

    async def _keep_a_while(self, server: trio.abc.HalfCloseableStream) -> None:
        """Read on for a client that has gone."""
        with trio.move_on_after(20 * self.chaos.seconds), suppress(*_BROKEN):
            while await server.receive_some(_READ_SIZE):
                pass

    async def _pass_on(
        self,
        source: trio.abc.HalfCloseableStream,
        sink: trio.abc.HalfCloseableStream,
        rng: Random,
    ) -> None:
        """One direction. An end of the source is passed on; so is a failure."""
        while True:
            try:
                data = await source.receive_some(_READ_SIZE)
            except _BROKEN:
                raise _Broken from None
            if not data:
                with suppress(*_BROKEN):
                    await sink.send_eof()
                return
            try:
                is_over = not self.is_calm and await self._spoil(bytes(data), source, sink, rng)
                if self.is_calm:
                    await sink.send_all(data)
            except _BROKEN:
                raise _Broken from None
            if is_over:
                return

    async def _spoil(
        self,
        data: bytes,
        source: trio.abc.HalfCloseableStream,
        sink: trio.abc.HalfCloseableStream,
        rng: Random,
    ) -> bool:
        """Send data on in a bad way; whether this direction has ended with it."""
        chaos = self.chaos
        if self._happens("coalesce", rng):
            with trio.move_on_after(chaos.seconds):
                data += await source.receive_some(_READ_SIZE)
        if self._happens("delay", rng):
            await trio.sleep(rng.random() * chaos.seconds)
        end = next((way for way in _ENDS if self._happens(way, rng)), "")
        if end:
            data = data[: rng.randrange(len(data) + 1)]
        for piece in self._pieces(data, rng):
            await sink.send_all(piece)
        if end == "half_close":
            await sink.send_eof()
            return True
        if end == "reset":
            for stream in (source, sink):
                _reset(stream)
        if end:
            raise _Broken(is_abandoned=end == "abandon")
        return False

    def _happens(self, what: str, rng: Random) -> bool:
        happens = rng.random() < float(getattr(self.chaos, what))
        self.done[what] += happens
        return happens

    def _pieces(self, data: bytes, rng: Random) -> list[bytes]:
        if len(data) < 2 or not self._happens("split", rng):
            return [data] if data else []
        cuts = sorted(rng.randrange(1, len(data)) for _ in range(rng.choice((1, 2, 5, 20))))
        return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True) if a < b]


_ENDS = ("drop", "half_close", "reset", "abandon")


def _rng(seed: str, number: int, direction: str) -> Random:
    return Random(f"{seed}/{number}/{direction}")


def _leaf(error: BaseException) -> _Broken:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, _Broken)
    return error


def _reset(stream: trio.abc.Stream) -> None:
    """Let the coming close send RST instead of FIN."""
    if isinstance(stream, trio.SocketStream):
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


# games through it


class Game(msgspec.Struct, frozen=True):
    """One short game: its table, who plays, and the seed."""

    table: TableConfig
    bots: tuple[type[Bot], ...]

    @property
    def scores(self) -> tuple[int, ...]:
        """What these bots score when nobody disturbs them."""
        assert self.table.seed is not None
        return play_game(self.table.rules, self.bots, self.table.seed).scores


def short_rules(deals: int) -> RuleSet:
    """Hollywood with its first deals only, and three buys in each."""
    buy = msgspec.structs.replace(RULES.buy, limit_round=3)
    return msgspec.structs.replace(RULES, name="short", rounds=RULES.rounds[:deals], buy=buy)


def game(number: int, seed: str) -> Game:
    """One of the games of a seed: two or three seats, one or two deals."""
    seats, deals = 2 + number % 2, 1 + number // 2 % 2
    bots: tuple[type[Bot], ...] = (GreedyBot, RandomBot, RandomBot)[:seats]
    table = TableConfig(
        name=f"t{number}",
        rules=short_rules(deals),
        seats=seats,
        seed=seed_from_text(f"chaos {seed} {number}"),
        clocks=PATIENT,
    )
    return Game(table, bots)


@contextmanager
def quick_retries(seconds: float = 0.005) -> Iterator[None]:
    """Let lost bots look for their server again at once, and for ever."""
    wanted = {"_FIRST_WAIT": seconds, "_LONGEST_WAIT": 8 * seconds, "RETRY_SECONDS": math.inf}
    with ExitStack() as stack:
        for name, value in wanted.items():
            stack.enter_context(mock.patch.object(runner, name, value))
        yield


async def through(played: Game, host: str, port: int, proxy: Proxy) -> list[Outcome]:
    """Play a game by way of the proxy, which is calm until all have their seats.

    A join is not repeated: the bots take their seats in order, undisturbed.
    """
    outcomes: list[Outcome] = []

    async def play(player: SeatRunner) -> None:
        outcomes.append(await player.run(host, port))

    async with trio.open_nursery() as nursery:
        proxy.is_calm = True
        for seat, bot in enumerate(played.bots):
            player = SeatRunner(bot, f"bot {seat}", played.table.name)
            nursery.start_soon(play, player)
            while player.seat != seat:
                await trio.sleep(0)
        proxy.is_calm = False
    return outcomes


def check(played: Game, outcomes: list[Outcome]) -> None:
    """All seats must have seen the end, with the scores of the undisturbed game."""
    assert sorted(outcome.seat for outcome in outcomes) == list(range(len(played.bots)))
    scores = played.scores
    for outcome in outcomes:
        assert outcome.totals == scores, f"{played.table.name}: {outcome} instead of {scores}"


async def over_tcp(
    numbers: range, seed: str, chaos: Chaos, limit: float = math.inf
) -> Counter[str]:
    """Play these games at once, each through a proxy of its own; return what was done."""
    games = [game(number, seed) for number in numbers]
    tables = tuple(played.table for played in games)
    config = ServerConfig(port=0, rules=RULES, tables=tables, max_tables=len(tables) + 5)
    done: Counter[str] = Counter()

    async def one(played: Game, port: int) -> None:
        open_server = partial(trio.open_tcp_stream, "127.0.0.1", port)
        proxy = Proxy(open_server, f"{seed}/{played.table.name}", chaos)
        async with trio.open_nursery() as nursery:
            serve_proxy = partial(trio.serve_tcp, proxy.serve, 0, host="127.0.0.1")
            listeners = await nursery.start(serve_proxy)
            where = listeners[0].socket.getsockname()
            check(played, await through(played, where[0], where[1], proxy))
            nursery.cancel_scope.cancel()
        done.update(proxy.done)

    with trio.fail_after(limit):
        async with trio.open_nursery() as nursery:
            port = await nursery.start(serve, config)
            async with trio.open_nursery() as games_nursery:
                for played in games:
                    games_nursery.start_soon(one, played, port)
            nursery.cancel_scope.cancel()
    return done


@asynccontextmanager
async def proxy_in_memory(game_: Game, seed: str, chaos: Chaos) -> AsyncIterator[Proxy]:
    """A lobby with that table, and a proxy that all new connections go through."""
    async with open_house(game_.table) as house, trio.open_nursery() as nursery:

        async def open_server() -> trio.abc.HalfCloseableStream:
            stream = house.connect()
            assert isinstance(stream, trio.abc.HalfCloseableStream)
            return stream

        async def open_tcp_stream(*args: object, **options: object) -> trio.abc.Stream:
            await trio.lowlevel.checkpoint()
            ours, theirs = trio.testing.memory_stream_pair()
            nursery.start_soon(proxy.serve, theirs)
            return ours

        proxy = Proxy(open_server, seed, chaos)
        with mock.patch.object(trio, "open_tcp_stream", open_tcp_stream):
            yield proxy
        nursery.cancel_scope.cancel()
        house.nursery.cancel_scope.cancel()


async def in_memory(number: int, seed: str, chaos: Chaos) -> Counter[str]:
    """Play one game without sockets; return what was done. The clock should be virtual."""
    played = game(number, seed)
    # virtual seconds: a game that hangs fails at once
    with trio.fail_after(24 * 3600):
        async with proxy_in_memory(played, f"{seed}/{number}", chaos) as proxy:
            check(played, await through(played, "nowhere", 1, proxy))
    return proxy.done


def main() -> None:
    """Play many, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--at-once", type=int, default=10, help="games of one server")
    parser.add_argument("--milliseconds", type=float, default=3.0, help="the longest delay")
    parser.add_argument("--memory", action="store_true", help="no sockets, a virtual clock")
    args = parser.parse_args()
    chaos = Chaos(seconds=args.milliseconds / 1000)
    began, done = time.perf_counter(), Counter[str]()
    with quick_retries():
        if args.memory:
            for number in range(args.games):
                clock = trio.testing.MockClock(autojump_threshold=0)
                done += trio.run(in_memory, number, args.seed, chaos, clock=clock)
        else:
            for first in range(0, args.games, args.at_once):
                numbers = range(first, min(first + args.at_once, args.games))
                # ten minutes for some games of a second: none may hang
                done += trio.run(over_tcp, numbers, args.seed, chaos, 600.0)
                print(f"{numbers.stop} games, {done.total()} mischiefs", flush=True)
    took = time.perf_counter() - began
    print(f"{args.games} games in {took:.0f} s, all as undisturbed")
    print(", ".join(f"{what} {count:,}" for what, count in done.most_common()))


if __name__ == "__main__":
    main()
