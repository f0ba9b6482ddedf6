"""Listening on a port, one task for each connection, and an end that loses nothing."""

from __future__ import annotations

import errno
import gc
import logging
import sys

import trio

from hollywood.protocol.errors import ErrorCode, HollywoodError, RefusedError, StoreError

from .config import ServerConfig
from .connection import Connection
from .journal import Journal
from .lobby import Lobby
from .metrics import watch_lag
from .readiness import Readiness, at_once

_DRAIN_SECONDS = 1.0
"""How often a draining server looks whether its games have ended."""
_SWITCH_SECONDS = 0.001
"""A fifth of what Python takes if nobody says anything."""
_THINKERS = 2
"""House bots that are not quick and think at the same time."""
_TIDY_SECONDS = 600.0
"""How often all memory is searched for what refers to itself and to nothing else."""
_MOST_TIDY_SECONDS = 3600.0
"""The same while somebody plays all the time."""
_USUAL, _NEVER = gc.get_threshold(), 1_000_000_000
_SPARE_FILES = 64
"""Open files that are not connections."""

log = logging.getLogger("hollywood.server")


class Server:
    """A lobby and everybody who is connected to it."""

    def __init__(self, config: ServerConfig, journal: Journal | None = None) -> None:
        self.config = config
        self.journal = journal
        self.lobby = Lobby(config, journal)
        self.connections: set[Connection] = set()
        self.port = config.port
        self._most = min(config.max_connections, _file_limit() - _SPARE_FILES)
        self._stop = trio.Event()
        kept = "; your seat is kept until it is started again" if journal else ""
        self._why = (ErrorCode.SHUTTING_DOWN, f"the server stops{kept}")
        self._failure: StoreError | None = None

    def stop(self) -> None:
        """End the server in order: everything is written, everybody is told."""
        self._stop.set()

    def drain(self) -> None:
        """Open no new tables, and stop when the last game has ended."""
        if not self.lobby.is_draining:
            self.lobby.is_draining = True
            self.lobby.announce("the server stops when the games that are played have ended")

    async def run(self, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve until `stop`, or until cancelled. `nursery.start` returns the port.

        Raises:
            HollywoodError: the port is taken, or the address is not ours.
            StoreError: what was played could not be written down.
        """
        listeners = await _listen(self.config)
        async with trio.open_nursery() as chores:
            self._start_chores(chores)
            async with trio.open_nursery() as guests:
                accepting = trio.CancelScope()
                guests.start_soon(self._accept, accepting, listeners, guests)
                self.port = listeners[0].socket.getsockname()[1]
                log.info("listening on port %d", self.port)
                task_status.started(self.port)
                await self._stop.wait()
                accepting.cancel()
                self.lobby.close_all(self.connections, *self._why)
            await self.lobby.settled()
            chores.cancel_scope.cancel()
        if self._failure is not None:
            raise self._failure

    def _start_chores(self, nursery: trio.Nursery) -> None:
        if Readiness.is_offered:
            journal = self.journal
            self.lobby.readiness = Readiness(at_once if journal is None else journal.next_commit_at)
            nursery.start_soon(self.lobby.readiness.run)
        nursery.start_soon(self.lobby.sweep)
        nursery.start_soon(self.lobby.write_out)
        nursery.start_soon(self.lobby.ping, self.connections)
        nursery.start_soon(self.lobby.tell_changes)
        nursery.start_soon(self._stop_when_drained)
        nursery.start_soon(_tidy_up, self.lobby)
        for _ in range(_THINKERS):
            nursery.start_soon(self.lobby.think_for_bots)
        nursery.start_soon(watch_lag, self.lobby.metrics)
        if self.journal is not None:
            # its thread gets the interpreter soon, however busy the loop is
            sys.setswitchinterval(_SWITCH_SECONDS)
            nursery.start_soon(self._write, self.journal)
            nursery.start_soon(self.journal.beat)

    async def _write(self, journal: Journal) -> None:
        try:
            await self.lobby.write_journal()
        except StoreError as error:
            # nobody has heard of what is not written, so no half turn is left behind
            log.error("the server stops: %s", error)
            self._failure = error
            text = "the server can keep nothing any more and stops; what you saw last holds"
            self._why = (ErrorCode.STORE_FAILED, text)
            self._stop.set()
        finally:
            journal.close()

    async def _stop_when_drained(self) -> None:
        while True:
            await trio.sleep(_DRAIN_SECONDS)
            if self.lobby.is_draining and not self.lobby.has_games:
                self.stop()

    # connections

    async def _accept(
        self,
        scope: trio.CancelScope,
        listeners: list[trio.SocketListener],
        guests: trio.Nursery,
    ) -> None:
        with scope:
            await trio.serve_listeners(self._handle, listeners, handler_nursery=guests)

    async def _handle(self, stream: trio.SocketStream) -> None:
        address = _address(stream)
        metrics = self.lobby.metrics
        metrics.connections += 1
        metrics.connections_open += 1
        talk: trio.abc.Stream = stream
        if self.config.tls is not None:
            talk = trio.SSLStream(stream, self.config.tls, server_side=True)
        connection = Connection(talk, self.lobby, address)
        self.connections.add(connection)
        try:
            refused = self._refusal(address)
            if refused is not None:
                metrics.refused[refused.code] += 1
                connection.close_for(refused.code, str(refused))
            await connection.run()
        finally:
            self.connections.discard(connection)
            metrics.connections_open -= 1
            self.lobby.addresses.leave(address, trio.current_time())

    def _refusal(self, address: str) -> RefusedError | None:
        """Return why somebody is not let in, None if they are."""
        try:
            self.lobby.addresses.enter(address, trio.current_time())
        except RefusedError as error:
            return error
        if len(self.connections) > self._most:
            return RefusedError(
                "this server has as many connections as it takes; try again later",
                ErrorCode.SERVER_FULL,
            )
        return None


async def _tidy_up(lobby: Lobby) -> None:
    """Search all memory now and then, for ever, and never in between.

    With a thousand tables that takes 0.3 s, in which nobody is answered, and Python would
    do it every half minute; hardly anything is ever found. So it waits until nobody plays,
    but not for ever.
    """
    gc.set_threshold(*_USUAL[:2], _NEVER)
    try:
        while True:
            searched_at = trio.current_time()
            await trio.sleep(_TIDY_SECONDS)
            while lobby.has_games and trio.current_time() < searched_at + _MOST_TIDY_SECONDS:
                await trio.sleep(_TIDY_SECONDS / 10)
            gc.collect()
    finally:
        gc.set_threshold(*_USUAL)


async def serve(
    config: ServerConfig,
    *,
    task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Run a server that keeps nothing, until it is cancelled. `nursery.start` returns the port.

    Raises:
        HollywoodError: the port is taken, or the address is not ours.
    """
    await Server(config).run(task_status=task_status)


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
            f"cannot listen on {where}: {error.strerror or error}; give another --host or --port",
            ErrorCode.UNREACHABLE,
        ) from None


def _address(stream: trio.SocketStream) -> str:
    try:
        return str(stream.socket.getpeername()[0])
    except OSError:
        return ""


def _file_limit() -> int:
    """Return how many files this process may have open, after asking for as many as it can."""
    if sys.platform == "win32":
        return 2**16
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return 2**20 if hard == resource.RLIM_INFINITY else hard
