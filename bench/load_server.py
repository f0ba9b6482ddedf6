"""The server that `load.py` measures: starts, prints its port, serves until it is ended.

    python bench/load_server.py [--rules NAME] [--deals N] [--data DIR]

Clocks have no limits, tables are made by joining them, and one that is over is
forgotten when its players have left it. At SIGUSR1 it prints what its metrics have
summed up, as one line of JSON.
"""

from __future__ import annotations

import argparse
import resource
import signal
from pathlib import Path

import msgspec
import trio

from hollywood.protocol.rules import RuleSet, load_rules
from hollywood.server.config import Clocks, ServerConfig
from hollywood.server.journal import Journal
from hollywood.server.listener import Server
from hollywood.server.metrics import Metrics
from hollywood.server.store import Store

MANY = 1_000_000
CONNECTED = "connected"
"""Among the sums: how many connections are open."""


def main() -> None:
    """Serve on a free port of this machine."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rules", default="hollywood")
    parser.add_argument("--deals", type=int, default=0, help="only the first; 0: all")
    parser.add_argument("--data", type=Path, help="folder of the journal; none: no journal")
    args = parser.parse_args()
    raise_file_limit()
    config = ServerConfig(
        port=0,
        rules=first_deals(args.rules, args.deals),
        clocks=Clocks(window=None, turn=None, linger=1.0),
        max_connections=MANY,
        max_tables=MANY,
        shared_machine=True,
    )
    journal = None if args.data is None else Journal(Store(args.data))
    trio.run(_serve, Server(config, journal))


async def _serve(server: Server) -> None:
    with trio.open_signal_receiver(signal.SIGUSR1) as signals:
        async with trio.open_nursery() as nursery:
            port = await nursery.start(server.run)
            print(port, flush=True)
            async for _ in signals:
                print(msgspec.json.encode(_sums(server.lobby.metrics)).decode(), flush=True)


def _sums(metrics: Metrics) -> dict[str, tuple[float, int]]:
    """Return the seconds of each part and how often they were taken; who is connected."""
    parts = {
        "queue": metrics.queue_seconds,
        "handle": metrics.rules_seconds,
        "send": metrics.send_seconds,
        "commit": metrics.commit_seconds,
    }
    sums = {name: (part.sum, part.count) for name, part in parts.items()}
    return {**sums, CONNECTED: (0.0, metrics.connections_open)}


def first_deals(rules: str, deals: int) -> RuleSet:
    """Return the rule set with its first deals only; 0: all."""
    whole = load_rules(rules)
    if not deals:
        return whole
    limit = whole.buy.limit_round
    if isinstance(limit, tuple):
        limit = limit[:deals]
    buy = msgspec.structs.replace(whole.buy, limit_round=limit)
    name = f"{rules}-{deals}"
    return msgspec.structs.replace(whole, name=name, rounds=whole.rounds[:deals], buy=buy)


def raise_file_limit() -> None:
    """Take as many open files as this process may have."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


if __name__ == "__main__":
    main()
