"""The client's connection as the screen sees it: it comes back by itself."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from contextlib import suppress

import trio

from hollywood.bots.connection import ServerConnection, connect, error_code, format_address, hello
from hollywood.protocol.errors import (
    ErrorCode,
    RefusedError,
    SessionClosedError,
    UnreachableError,
)
from hollywood.protocol.wire import ClientMessage, ServerMessage
from hollywood.protocol.wire import messages as m

from .model import LinkStatus
from .seats import HeldSeat, KeptSeat, SeatKeeper
from .text import printable

_FIRST_WAIT, _LONGEST_WAIT = 0.25, 5.0
_QUEUED = 64

PING_SECONDS = 15.0
"""How often the server is asked whether it is still there."""
SILENCE_SECONDS = 40.0
"""After so long without a word the connection is given up and made anew."""
GOODBYE_SECONDS = 1.0
"""How long what was said last, above all that we leave, may take to be heard."""

COME_BACK = frozenset(
    {
        *(ErrorCode.SHUTTING_DOWN, ErrorCode.SLOW_CONSUMER, ErrorCode.STORE_FAILED),
        *(ErrorCode.TIMED_OUT, ErrorCode.TOO_OFTEN, ErrorCode.SERVER_FULL),
    }
)
"""Ends of a connection after which a seat is still there to come back to."""

_GONE = frozenset({ErrorCode.NO_SUCH_TABLE, ErrorCode.BAD_TOKEN})
"""Answers to a resume that mean: that seat is no more."""

OnMessage = Callable[[ServerMessage], object]
OnStatus = Callable[[LinkStatus], object]


class Link:
    """Delivers what a server says, sends what the player does, comes back to its seat.

    `send` may be called from key bindings: it never blocks and never raises.

    Args:
        host: The server's address.
        port: Its port.
        name: The player's name.
        table: A table at which to sit down at once; "": the player chooses.
        password: Of that table.
        caps: Capabilities we ask for.
        keeper: Where seats are kept for the case that this program is killed.
        seat: A kept seat to be taken back.
        tls: For a server that speaks TLS: whom to trust.
    """

    def __init__(
        self,
        host: str,
        port: int,
        name: str,
        table: str = "",
        *,
        password: str = "",
        caps: tuple[str, ...] = (),
        keeper: SeatKeeper | None = None,
        seat: tuple[KeptSeat, HeldSeat] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._host, self._port = host, port
        self._name, self._wanted, self._password = name, table, password
        self._caps, self._tls, self._keeper = caps, tls, keeper
        self._is_up = False
        self._is_resuming = False
        self._was_up = False
        self._table = self._token = ""
        self._seq = 0
        self._held: HeldSeat | None = None
        if seat is not None:
            kept, self._held = seat
            self._table, self._token = kept.table, kept.token
        self._leaving: int | None = None
        """The command by which we leave, until the server has confirmed it."""
        self._heard_at = 0.0
        self._pinged_at = 0.0
        self._outgoing: trio.MemorySendChannel[ClientMessage]
        self._outgoing, self._queue = trio.open_memory_channel(_QUEUED)

    @property
    def address(self) -> str:
        """HOST:PORT."""
        return format_address(self._host, self._port)

    def send(self, message: ClientMessage) -> bool:
        """Queue a message; False where there is no connection to send it on."""
        if not self._is_up:
            return False
        try:
            self._outgoing.send_nowait(message)
        except trio.WouldBlock:
            return False
        if isinstance(message, m.Leave):
            self._leaving = message.cid
            self._forget_seat()
        return True

    def _forget_seat(self) -> None:
        self._token = self._table = ""
        self._seq = 0
        if self._held is not None:
            self._held.drop()
            self._held = None

    async def run(self, on_message: OnMessage, on_status: OnStatus) -> None:
        """Stay connected for ever; what was said last is still heard when cancelled.

        Raises:
            UnreachableError: nobody answered the first time.
            RefusedError: the server will not have us, or not any more.
        """
        wait = _FIRST_WAIT
        try:
            while True:
                on_status(LinkStatus("connecting"))
                try:
                    async with connect(
                        self._host, self._port, self._hello(), self._tls
                    ) as connection:
                        wait = _FIRST_WAIT
                        self._is_up = self._was_up = True
                        self._drop_queue()
                        on_status(LinkStatus("online"))
                        await self._talk(connection, on_message, on_status)
                except (UnreachableError, SessionClosedError, RefusedError) as error:
                    if not self._comes_back(error):
                        raise
                    on_status(LinkStatus("lost", wait, str(error)))
                finally:
                    self._is_up = False
                await trio.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT)
        finally:
            if self._held is not None:
                self._held.release()
                self._held = None

    def _comes_back(self, error: Exception) -> bool:
        """Whether it makes sense to try again after this end of a connection."""
        if isinstance(error, RefusedError) and error.code not in COME_BACK:
            return False
        return self._was_up and (bool(self._token) or not self._wanted)

    def _hello(self) -> m.Hello:
        self._is_resuming = bool(self._token)
        resume = m.Resume(table=self._table, seq=self._seq) if self._token else None
        greeting = hello(self._name, m.Role.PLAYER, self._token, resume)
        return m.Hello(
            magic=greeting.magic,
            v=greeting.v,
            role=greeting.role,
            name=greeting.name,
            caps=self._caps,
            client=greeting.client,
            token=greeting.token,
            resume=greeting.resume,
        )

    async def _talk(
        self, connection: ServerConnection, on_message: OnMessage, on_status: OnStatus
    ) -> None:
        self._heard_at = trio.current_time()
        if not self._token:
            await self._sit_down(connection)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write, connection)
                nursery.start_soon(self._ping, connection)
                await self._read(connection, on_message, on_status)
        except* (SessionClosedError, RefusedError) as group:
            raise _leaf(group) from None
        finally:
            self._is_up = False
            await self._say_goodbye(connection)

    async def _sit_down(self, connection: ServerConnection) -> None:
        if self._wanted:
            await connection.send(m.Join(cid=0, table=self._wanted, password=self._password))

    async def _write(self, connection: ServerConnection) -> None:
        async for message in self._queue:
            # half a message would garble whatever is said after it
            until_then = trio.current_time() + GOODBYE_SECONDS
            with suppress(SessionClosedError), trio.CancelScope(shield=True, deadline=until_then):
                await connection.send(message)

    async def _say_goodbye(self, connection: ServerConnection) -> None:
        """Send what is still queued, and wait until the server knows that we leave."""
        if self._leaving is None:
            return
        with trio.move_on_after(GOODBYE_SECONDS, shield=True), suppress(SessionClosedError):
            while True:
                try:
                    await connection.send(self._queue.receive_nowait())
                except trio.WouldBlock:
                    break
            while self._leaving is not None:
                self._note_leaving(await connection.receive())
        self._leaving = None

    def _note_leaving(self, message: ServerMessage) -> None:
        is_answer = isinstance(message, m.Done) and message.cid == self._leaving
        if is_answer or (isinstance(message, m.Error) and message.ref == self._leaving):
            self._leaving = None

    async def _ping(self, connection: ServerConnection) -> None:
        """Ask now and then whether the server is still there; give it up if it is not.

        Raises:
            SessionClosedError: nothing was heard for too long.
        """
        number = 0
        while True:
            await trio.sleep(PING_SECONDS)
            if trio.current_time() - self._heard_at > SILENCE_SECONDS:
                raise SessionClosedError("nothing was heard from the server for too long")
            number += 1
            self._pinged_at = trio.current_time()
            self.send(m.Ping(n=number))

    async def _read(
        self, connection: ServerConnection, on_message: OnMessage, on_status: OnStatus
    ) -> None:
        while True:
            message = await connection.receive()
            self._heard_at = trio.current_time()
            self._note_leaving(message)
            match message:
                case m.Joined():
                    self._joined(message)
                case m.Events(seq=seq, events=events):
                    self._seq = seq + len(events) - 1
                case m.Ping(n=n):
                    self.send(m.Pong(n=n))
                    continue
                case m.Pong():
                    rtt = self._heard_at - self._pinged_at
                    on_status(LinkStatus("online", rtt=rtt))
                    continue
                case m.Error():
                    if await self._is_told(message, connection, on_status):
                        continue
            on_message(message)

    def _joined(self, message: m.Joined) -> None:
        self._is_resuming = False
        self._table, self._token, self._seq = message.table, message.token, message.seq
        self._leaving = None
        if self._keeper is None:
            return
        kept = KeptSeat(self.address, message.table, message.seat, self._name, message.token)
        if self._held is not None:
            self._held.write(kept)
        else:
            self._held = self._keeper.hold(kept)

    async def _is_told(
        self, error: m.Error, connection: ServerConnection, on_status: OnStatus
    ) -> bool:
        """Deal with an error that is about the connection or the seat, not about a command.

        Raises:
            RefusedError: the connection ends with it.
        """
        text = printable(error.text)
        if error.fatal:
            raise RefusedError(text, error_code(error.code))
        if self._is_resuming and error.ref is None:
            self._is_resuming = False
            if error.code not in _GONE:
                raise RefusedError(text, ErrorCode.TOO_OFTEN)
            self._forget_seat()
            on_status(LinkStatus("unseated", text=text))
            await self._sit_down(connection)
            return True
        if self._wanted and not self._token:
            raise RefusedError(text, error_code(error.code))
        return False

    def _drop_queue(self) -> None:
        """What was pressed for the old connection is not meant for the new one."""
        with suppress(trio.WouldBlock):
            while True:
                self._queue.receive_nowait()


def _leaf(group: BaseExceptionGroup[Exception]) -> Exception:
    error: Exception | BaseExceptionGroup[Exception] = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
