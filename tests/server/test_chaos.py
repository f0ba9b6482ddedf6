"""Some of the games of `chaos.py`, `churn.py` and `kill_runs.py`, and the proxy itself."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from .chaos import Chaos, Proxy, in_memory, over_tcp, quick_retries
from .churn import churn
from .kill_runs import MOMENTS, injected, listening

WILD = Chaos(drop=0.02, half_close=0.02, reset=0.02, abandon=0.02)


@pytest.mark.parametrize("number", range(6))
async def test_games_through_a_bad_network_have_the_undisturbed_scores(
    autojump_clock: MockClock, number: int
) -> None:
    done = await in_memory(number, "test", WILD)
    assert done["connection"] > 3 + number % 2, "nobody had to come back"


async def test_games_over_bad_tcp_have_the_undisturbed_scores() -> None:
    with quick_retries():
        done = await over_tcp(range(4), "test", WILD, 600.0)
    for mischief in ("split", "coalesce", "delay", "drop", "half_close", "reset", "abandon"):
        assert done[mischief], f"no {mischief} in these games"


async def test_players_that_come_and_go_leave_nothing_behind(autojump_clock: MockClock) -> None:
    """T21: tables, seats, connections, tasks, timers, and what was kept of games."""
    done = await churn(30, "test")
    assert done["games"] == 30
    for way in ("flaky", "double", "leaver"):
        assert done[way], f"no {way} player in these games"


@pytest.mark.parametrize("when", MOMENTS)
def test_a_server_that_is_killed_at_a_commit_loses_nothing(when: str) -> None:
    """T22, with real processes; `kill_runs.py` does it at every commit of a game."""
    with quick_retries(0.02), listening():
        done = trio.run(injected, 17, when)
    assert (done["games"], done["kills"]) == (1, 1)
    assert done["resumed"] >= 4, "all four had to come back"


@pytest.mark.parametrize("mischief", ["split", "coalesce", "delay", "drop", "half_close"])
async def test_what_gets_through_is_a_beginning_of_what_was_sent(
    autojump_clock: MockClock, mischief: str
) -> None:
    """The proxy loses connections, never single bytes."""
    calm = dict.fromkeys(Chaos.__struct_fields__, 0.0) | {"seconds": 1.0}
    proxy, client, server = _between(Chaos(**calm | {mischief: 1.0}))
    sent = Random(mischief).randbytes(5000)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(proxy.serve, client[1])
        with trio.move_on_after(10):
            await client[0].send_all(sent[:4000])
            await client[0].send_all(sent[4000:])
        got = await _read_all(server[1], 10)
        nursery.cancel_scope.cancel()
    assert proxy.done[mischief]
    assert sent.startswith(got)
    assert (got == sent) == (mischief in ("split", "coalesce", "delay"))


async def test_a_half_closed_connection_still_brings_answers(autojump_clock: MockClock) -> None:
    calm = dict.fromkeys(Chaos.__struct_fields__, 0.0)
    proxy, client, server = _between(Chaos(**calm))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(proxy.serve, client[1])
        await client[0].send_eof()
        assert await server[1].receive_some() == b""
        await server[1].send_all(b"still here")
        assert await client[0].receive_some() == b"still here"
        nursery.cancel_scope.cancel()


async def test_a_reset_reaches_both_ends() -> None:
    """Real sockets: an RST, which no memory stream has."""
    calm = dict.fromkeys(Chaos.__struct_fields__, 0.0)
    seen: Counter[str] = Counter()

    async def serve(stream: trio.SocketStream) -> None:
        seen["server"] += await _is_reset(stream)

    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            behind = (await nursery.start(trio.serve_tcp, serve, 0))[0].socket.getsockname()[1]

            async def open_server() -> trio.SocketStream:
                return await trio.open_tcp_stream("127.0.0.1", behind)

            proxy = Proxy(open_server, "test", Chaos(**calm | {"reset": 1.0}))
            front = (await nursery.start(trio.serve_tcp, proxy.serve, 0))[0].socket.getsockname()[1]
            async with await trio.open_tcp_stream("127.0.0.1", front) as stream:
                await stream.send_all(b"x")
                assert await _is_reset(stream)
            while not seen["server"]:
                await trio.sleep(0)
            nursery.cancel_scope.cancel()


Pair = tuple[
    trio.StapledStream[trio.testing.MemorySendStream, trio.testing.MemoryReceiveStream],
    trio.StapledStream[trio.testing.MemorySendStream, trio.testing.MemoryReceiveStream],
]


def _between(chaos: Chaos) -> tuple[Proxy, Pair, Pair]:
    """A proxy between two memory pairs: outer client end first, outer server end last."""
    client, server = trio.testing.memory_stream_pair(), trio.testing.memory_stream_pair()

    async def open_server() -> trio.abc.HalfCloseableStream:
        await trio.lowlevel.checkpoint()
        return server[0]

    return Proxy(open_server, "test", chaos), client, server


async def _read_all(stream: trio.abc.ReceiveStream, seconds: float) -> bytes:
    got = b""
    with trio.move_on_after(seconds):
        while data := await stream.receive_some():
            got += data
    return got


async def _is_reset(stream: trio.SocketStream) -> bool:
    """Read until the end; whether it was a reset."""
    try:
        while await stream.receive_some():
            pass
    except trio.BrokenResourceError as error:
        return isinstance(error.__cause__, ConnectionResetError)
    return False
