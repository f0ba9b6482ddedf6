"""Listening on a port, and one task for each connection."""

from __future__ import annotations

import errno
import logging

import trio

from hollywood.protocol.errors import ErrorCode, HollywoodError
from hollywood.protocol.wire import messages as m

from .config import ServerConfig
from .connection import Connection
from .lobby import Lobby

log = logging.getLogger("hollywood.server")


async def serve(
    config: ServerConfig,
    *,
    task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Run a server until it is cancelled. `nursery.start` returns the port.

    Raises:
        HollywoodError: the port is taken, or the address is not ours.
    """
    listeners = await _listen(config)
    lobby = Lobby(config)
    connections: set[Connection] = set()

    async def handle(stream: trio.abc.Stream) -> None:
        connection = Connection(stream, lobby)
        connections.add(connection)
        try:
            if len(connections) > config.max_connections:
                connection.close(_full())
            await connection.run()
        finally:
            connections.discard(connection)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(lobby.sweep)
        nursery.start_soon(lobby.ping, connections)
        await nursery.start(trio.serve_listeners, handle, listeners)
        port = listeners[0].socket.getsockname()[1]
        log.info("listening on port %d", port)
        task_status.started(port)


async def _listen(config: ServerConfig) -> list[trio.SocketListener]:
    where = f"{config.host or 'any address'}, port {config.port}"
    try:
        return await trio.open_tcp_listeners(config.port, host=config.host)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise HollywoodError(
                f"something else listens on {where}: stop it, or choose another --port",
                ErrorCode.PORT_IN_USE,
            ) from None
        raise HollywoodError(
            f"cannot listen on {where}: {error.strerror or error}", ErrorCode.UNREACHABLE
        ) from None


def _full() -> m.Error:
    return m.Error(
        code=ErrorCode.SERVER_FULL,
        klass=m.ErrorClass.LIMIT,
        text="this server has as many connections as it takes; try again later",
        fatal=True,
    )
