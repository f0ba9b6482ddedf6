"""The client's connection as the screen sees it: it comes back by itself."""

from __future__ import annotations

from collections.abc import Callable

import trio

from hollywood.bots.connection import ServerConnection, connect, error_code, hello
from hollywood.protocol.errors import RefusedError, SessionClosedError, UnreachableError
from hollywood.protocol.wire import ClientMessage, ServerMessage
from hollywood.protocol.wire import messages as m

from .model import LinkStatus

_FIRST_WAIT, _LONGEST_WAIT = 0.25, 5.0
_QUEUED = 64


class Link:
    """Joins a table, delivers what the server says, sends what the player does.

    `send` may be called from key bindings: it never blocks and never raises.
    """

    def __init__(self, host: str, port: int, name: str, table: str) -> None:
        self._host, self._port = host, port
        self._name, self._table = name, table
        self._is_up = False
        self._token = ""
        self._seq = 0
        self._outgoing: trio.MemorySendChannel[ClientMessage]
        self._outgoing, self._queue = trio.open_memory_channel(_QUEUED)

    def send(self, message: ClientMessage) -> bool:
        """Queue a message; False where there is no connection to send it on."""
        if not self._is_up:
            return False
        try:
            self._outgoing.send_nowait(message)
        except trio.WouldBlock:
            return False
        return True

    async def run(
        self,
        on_message: Callable[[ServerMessage], object],
        on_status: Callable[[LinkStatus], object],
    ) -> None:
        """Stay connected for ever.

        Raises:
            UnreachableError: nobody answered the first time.
            RefusedError: the server will not have us.
        """
        wait = _FIRST_WAIT
        while True:
            on_status(LinkStatus("connecting"))
            try:
                async with connect(self._host, self._port, self._hello()) as connection:
                    wait = _FIRST_WAIT
                    self._is_up = True
                    on_status(LinkStatus("online"))
                    await self._talk(connection, on_message)
            except (UnreachableError, SessionClosedError) as error:
                if not self._token:
                    raise
                on_status(LinkStatus("lost", wait, str(error)))
            finally:
                self._is_up = False
            await trio.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT)

    def _hello(self) -> m.Hello:
        resume = m.Resume(table=self._table, seq=self._seq) if self._token else None
        return hello(self._name, m.Role.PLAYER, self._token, resume)

    async def _talk(
        self, connection: ServerConnection, on_message: Callable[[ServerMessage], object]
    ) -> None:
        self._drop_queue()
        if not self._token:
            await connection.send(m.Join(cid=0, table=self._table))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write, connection)
            try:
                await self._read(connection, on_message)
            except* (SessionClosedError, RefusedError) as group:
                raise group.exceptions[0] from None
            finally:
                nursery.cancel_scope.cancel()

    async def _write(self, connection: ServerConnection) -> None:
        async for message in self._queue:
            try:
                await connection.send(message)
            except SessionClosedError:
                return

    async def _read(
        self, connection: ServerConnection, on_message: Callable[[ServerMessage], object]
    ) -> None:
        while True:
            message = await connection.receive()
            match message:
                case m.Joined(token=token, seq=seq):
                    self._token, self._seq = token, seq
                case m.Events(seq=seq, events=events):
                    self._seq = seq + len(events) - 1
                case m.Ping(n=n):
                    await connection.send(m.Pong(n=n))
                    continue
                case m.Error(text=text, code=code) if message.fatal or not self._token:
                    raise RefusedError(text, error_code(code))
            on_message(message)

    def _drop_queue(self) -> None:
        """What was pressed for the old connection is not meant for the new one."""
        while True:
            try:
                self._queue.receive_nowait()
            except trio.WouldBlock:
                return
