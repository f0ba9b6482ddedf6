"""A server with all that surrounds it: store, signals, admin, metrics, discovery."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path

import msgspec
import trio

from .admin_socket import serve_admin
from .announcements import Announcement
from .config import ServerConfig
from .journal import Journal
from .listener import Server
from .metrics import serve_metrics
from .steward import ServerSteward, phase_of
from .store import Store


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """How a server is run."""

    data: Path | None = None
    """Where games are kept; None: nowhere."""
    metrics_port: int | None = None
    """Where Prometheus reads; None: nowhere."""
    announces: bool = True
    """Whether the LAN is told."""
    name: str = ""
    """What it is called on the LAN; the machine's name if not given."""


async def operate(
    config: ServerConfig, operation: Operation, started: Callable[[Server], None]
) -> None:
    """Run a server until it is told to stop (SIGTERM, SIGINT, or drained).

    Args:
        config: The server.
        operation: What surrounds it.
        started: Called when everybody may connect.

    Raises:
        HollywoodError: something of it cannot be had, each named with what to do.
        StoreError: the store cannot be read, or not be written any more.
    """
    if hasattr(os, "umask"):
        os.umask(0o077)
    steward = ServerSteward()
    async with trio.open_nursery() as nursery:
        journal = None
        if operation.data is not None:
            # first the admin socket: it refuses a second server with the same store
            await nursery.start(serve_admin, steward, operation.data)
            journal = Journal(Store(operation.data))
        server = steward.server = Server(config, journal)
        server.lobby.metrics.tables_by_phase = partial(_phases, server)
        if operation.metrics_port is not None:
            await nursery.start(serve_metrics, server.lobby.metrics, operation.metrics_port)
        nursery.start_soon(_stop_on_signal, server)
        await nursery.start(_run, server, nursery.cancel_scope)
        if operation.announces:
            from .discovery import announce  # slow to load

            refresh = partial(_refreshed, server)
            info = refresh(_announcement(server, operation.name))
            nursery.start_soon(partial(announce, info, config.host, refresh=refresh))
        started(server)
    if journal is not None:
        journal.store.close()


async def _run(
    server: Server,
    everything: trio.CancelScope,
    *,
    task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED,
) -> None:
    await server.run(task_status=task_status)
    everything.cancel()


async def _stop_on_signal(server: Server) -> None:
    numbers = [signal.SIGINT] if sys.platform == "win32" else [signal.SIGINT, signal.SIGTERM]
    with trio.open_signal_receiver(*numbers) as signals:
        async for _ in signals:
            server.stop()


def _phases(server: Server) -> Mapping[str, int]:
    return Counter(phase_of(table) for table in server.lobby.tables.values())


def _announcement(server: Server, name: str) -> Announcement:
    return Announcement(
        name=name or socket.gethostname(),
        port=server.port,
        version=version("hollywood-rummy"),
        tls=server.config.tls is not None,
    )


def _refreshed(server: Server, info: Announcement) -> Announcement:
    """Return what the LAN is told by now."""
    tables = server.lobby.tables.values()
    rules = {table.config.rules.name for table in tables} or {server.config.rules.name}
    free = sum(table.info.free for table in tables if table.state is None)
    return msgspec.structs.replace(info, rules=tuple(sorted(rules)), free=free)
