"""One client's connection: bytes in, messages to the lobby, bytes out.

What a client is owed gathers in a bounded buffer. It is released by the lobby (at
once, or when the journal has made durable what it rests on) and then leaves in one
write: at once where the socket takes it, else by this connection's flusher. A client
that does not read is cut and keeps its seat.
"""

from __future__ import annotations

import logging
import os
import time
from functools import partial
from typing import TYPE_CHECKING

import trio

from hollywood.protocol.errors import (
    ErrorCode,
    LocalProtocolError,
    RefusedError,
    RemoteProtocolError,
)
from hollywood.protocol.wire import VERSIONS, ServerMessage, Session, Side, State, agree, is_name
from hollywood.protocol.wire import messages as m
from hollywood.protocol.wire.versions import CAPS, MINOR, missing_caps

from .limits import Allowance

if TYPE_CHECKING:
    from .lobby import Lobby
    from .readiness import Readiness
    from .requests import Later
    from .seating import Seat
    from .table import Table

HELLO_SECONDS = 10
"""How long a client may take to say hello."""
GOODBYE_SECONDS = 2
"""How long the last bytes may take to leave."""
MAX_OWED = 1024 * 1024
"""Bytes a client may leave unread before it is cut."""

PING_SECONDS = 20
MAX_UNANSWERED = 3
_READ_SIZE = 65536

log = logging.getLogger("hollywood.server.connection")


class Connection:
    """One client; `seat` and `table` are set while it sits somewhere."""

    def __init__(self, stream: trio.abc.Stream, lobby: Lobby, address: str = "") -> None:
        self._stream = stream
        self._socket: trio.socket.SocketType | None = None
        if isinstance(stream, trio.SocketStream) and os.name == "posix":
            self._socket = stream.socket
        self._lobby = lobby
        self.number = next(lobby.numbers)
        self._session = Session(Side.SERVER)
        self._owed = bytearray()
        """Not released yet."""
        self._ready = bytearray()
        """May leave."""
        self._has_news = trio.Event()
        self._writing = trio.Lock()
        self._is_cut = False
        self._last_words = b""
        self._paused = trio.Event()
        """Set when the socket is not read any more for now, because of `_later` or the end."""
        self._later: Later | None = None
        self._read_at = 0.0
        self._handled_at: float | None = None
        """When an answer was handled whose verdict has not left yet."""
        self._scope = trio.CancelScope()
        self._pings: dict[int, float] = {}
        limits = lobby.config.limits
        self.chat = Allowance(*limits.chat)
        self.commands = Allowance(*limits.commands)
        self.refused = Allowance(*limits.refused)
        self.address = address
        """From where it comes, "" if that is not known."""
        self.hello: m.Hello | None = None
        self.caps: frozenset[str] = frozenset()
        self.rtt: float | None = None
        """Seconds a ping took to come back, smoothed; None before the first."""
        self.watching: Table | None = None
        self.table: Table | None = None
        self.seat: Seat | None = None

    @property
    def name(self) -> str:
        """What the client calls itself, "" before its hello."""
        return self.hello.name if self.hello is not None else ""

    @property
    def role(self) -> m.Role:
        """What the client has come for."""
        return self.hello.role if self.hello is not None else m.Role.WATCHER

    async def run(self) -> None:
        """Talk until either side ends the conversation."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._flusher)
                with self._scope:
                    try:
                        await self._read()
                    except RemoteProtocolError as error:
                        log.info("a client broke the protocol: %s", error.code)
                        self._lobby.metrics.errors[error.code] += 1
                        self._last_words = self._session.reply_to_violation(error)
                self._lobby.forget(self)
                await self._say_goodbye()
                nursery.cancel_scope.cancel()
        finally:
            self._lobby.forget(self)
            await trio.aclose_forcefully(self._stream)

    async def _read(self) -> None:
        with trio.move_on_after(HELLO_SECONDS) as hello_clock:
            while self.hello is None and self._session.state is not State.CLOSED:
                if not await self._read_some():
                    return
            hello_clock.deadline = float("inf")
        if not hello_clock.cancelled_caught:
            await self._listen()
        else:
            self.close(
                m.Error(
                    code=ErrorCode.TIMED_OUT,
                    klass=m.ErrorClass.PROTOCOL,
                    text=f"no hello within {HELLO_SECONDS} seconds",
                    fatal=True,
                )
            )

    async def _read_some(self) -> bool:
        """Read what is there and do all of it; whether there may be more."""
        try:
            data = await self._stream.receive_some(_READ_SIZE)
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            return False
        if not data:
            return False
        self._take(bytes(data))
        await self._do_all()
        return True

    def _take(self, data: bytes) -> None:
        self._read_at = time.perf_counter()
        self._lobby.metrics.bytes_in += len(data)
        self._session.receive_data(data)

    async def _do_all(self) -> None:
        while (later := self._do_some()) is not None:
            await later()

    def _do_some(self) -> Later | None:
        """Do what was said, up to what takes its time; return that."""
        later: Later | None = None
        while later is None and (message := self._session.next_message()) is not None:
            later = self._handle(message)
        self._lobby.flush()
        return later

    # reading by the one task that watches all plain sockets

    async def _listen(self) -> None:
        """Do what is said until the conversation ends."""
        readiness, plain = self._lobby.readiness, self._socket
        while self._session.state is not State.CLOSED:
            if readiness is None or plain is None:
                if not await self._read_some():
                    return
                continue
            self._paused = trio.Event()
            fd = plain.fileno()
            readiness.add(fd, partial(self._read_ready, readiness, fd))
            try:
                await self._paused.wait()
            finally:
                readiness.remove(fd)
            if self._later is None:
                return
            later, self._later = self._later, None
            await later()
            await self._do_all()

    def _read_ready(self, readiness: Readiness, fd: int) -> None:
        """Read what is there and do it, up to what is for this connection's own task."""
        try:
            data = os.read(fd, _READ_SIZE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        later: Later | None = None
        if data:
            try:
                self._take(data)
                later = self._do_some()
            except Exception as error:  # noqa: BLE001 - raised again in the task it belongs to
                later = partial(_fail, error)
        if later is not None or not data or self._session.state is State.CLOSED:
            readiness.remove(fd)
            self._later = later
            self._paused.set()

    def _handle(self, message: m.Message) -> Later | None:
        """Do what a message asks; return what is left of it where that takes its time."""
        if isinstance(message, m.AnswerDecision):
            began = time.perf_counter()
            later = self._lobby.handle(self, message)
            ended = time.perf_counter()
            metrics = self._lobby.metrics
            metrics.queue_seconds.observe(began - self._read_at)
            metrics.rules_seconds.observe(ended - began)
            self._handled_at = self._handled_at or ended
            return later
        if isinstance(message, m.Hello):
            self._greet(message)
        elif isinstance(message, m.Ping):
            self.send(m.Pong(n=message.n))
        elif isinstance(message, m.Pong):
            self._take_pong(message.n)
        else:
            return self._lobby.handle(self, message)
        return None

    def _greet(self, hello: m.Hello) -> None:
        version = agree(VERSIONS, hello.v)
        missing = missing_caps(hello.caps, CAPS)
        code, text = "", ""
        if version is None:
            code = ErrorCode.VERSION_MISMATCH
            text = (
                f"this server speaks protocol {VERSIONS[0]} to {VERSIONS[1]}, "
                f"you {hello.v[0]} to {hello.v[1]}: update the older of the two"
            )
        elif missing:
            code = ErrorCode.MISSING_CAPABILITY
            text = f"this server cannot {', '.join(missing)}"
        elif not is_name(hello.name):
            code = ErrorCode.BAD_NAME
            text = "a name has 1 to 24 letters, digits, spaces or _.'- and starts with a letter"
        if version is None or code:
            self.send(m.Reject(code=code, text=text, v=VERSIONS, caps_missing=missing))
            return
        self.hello = hello
        self.caps = CAPS & {cap.removeprefix("+") for cap in hello.caps}
        self.send(
            m.Welcome(v=version, minor=MINOR, caps=tuple(sorted(CAPS)), server="hollywood-rummy")
        )
        if hello.resume is not None:
            self._lobby.take_back(self, hello.token, hello.resume)

    # is anybody there?

    def ping(self) -> None:
        """Ask for a sign of life; a client that gave none three times is cut."""
        if self.hello is None:
            return
        if len(self._pings) >= MAX_UNANSWERED:
            log.info("a client does not answer pings: cut")
            self._cut()
            return
        n = int(trio.current_time() * 1000) % 2**53
        self._pings[n] = trio.current_time()
        self.send(m.Ping(n=n))

    def _take_pong(self, n: int) -> None:
        sent = self._pings.pop(n, None)
        if sent is None:
            return
        self._pings.clear()
        took = trio.current_time() - sent
        self._lobby.metrics.ping_seconds.observe(took)
        self.rtt = took if self.rtt is None else 0.75 * self.rtt + 0.25 * took

    # what the lobby and the tables call

    def send(self, message: ServerMessage) -> None:
        """Queue a message; it leaves with the next flush."""
        if self._session.state is State.CLOSED:
            return
        try:
            self._owed += self._session.send(message)
        except LocalProtocolError:
            log.exception("a message was sent at the wrong time")
            return
        self._lobby.owes(self)
        if len(self._owed) + len(self._ready) > MAX_OWED:
            log.warning("a client does not read: cut")
            self._lobby.metrics.slow_consumers += 1
            self._cut()

    def close(self, message: m.Error) -> None:
        """Say why, then close."""
        if self._session.state is not State.CLOSED:
            self._lobby.metrics.errors[message.code] += 1
            self._last_words = self._session.send(message)
        self._scope.cancel()

    def close_for(self, code: ErrorCode, text: str) -> None:
        """Close because of what the client has done."""
        self.close(m.Error(code=code, klass=m.ErrorClass.LIMIT, text=text, fatal=True))

    def _cut(self) -> None:
        """End it without a word: what is half written cannot be followed by more."""
        self._owed.clear()
        self._ready.clear()
        self._is_cut = True
        self._scope.cancel()

    def refuse(
        self, error: RefusedError, klass: m.ErrorClass, ref: int | None, wait: float = 0.0
    ) -> None:
        """Answer a command that cannot be done; the conversation goes on."""
        retry = round(wait * 1000) or None
        self._lobby.metrics.errors[error.code] += 1
        message = m.Error(
            code=error.code, klass=klass, text=str(error), ref=ref, retry_after_ms=retry
        )
        self.send(message)

    # writing

    @property
    def owed(self) -> int:
        """Bytes that are not released yet."""
        return len(self._owed)

    def release(self, size: int | None = None) -> None:
        """Let the first so many of the owed bytes leave; all of them if not told."""
        if size is None or size >= len(self._owed):
            if self._ready:
                self._ready += self._owed
                self._owed.clear()
            else:
                self._ready, self._owed = self._owed, self._ready
        else:
            self._ready += self._owed[:size]
            del self._owed[:size]

    def flush(self) -> None:
        """Write what is released now if the socket takes it, else wake the flusher."""
        if not self._ready or self._writing.locked():
            return
        if self._socket is not None:
            try:
                sent = os.write(self._socket.fileno(), self._ready)
            except BlockingIOError:
                sent = 0
            except OSError:
                self._cut()
                return
            self._has_sent(sent)
            del self._ready[:sent]
        if self._ready:
            self._has_news.set()

    def _has_sent(self, size: int) -> None:
        metrics = self._lobby.metrics
        metrics.bytes_out += size
        if self._handled_at is not None:
            metrics.send_seconds.observe(time.perf_counter() - self._handled_at)
            self._handled_at = None

    async def _flusher(self) -> None:
        while True:
            await self._has_news.wait()
            self._has_news = trio.Event()
            await self._drain()

    async def _drain(self) -> None:
        """Write all that is released, at the pace of the client."""
        async with self._writing:
            while self._ready and not self._is_cut:
                data, self._ready = self._ready, bytearray()
                try:
                    await self._stream.send_all(data)
                    self._has_sent(len(data))
                except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                    self._cut()

    async def _say_goodbye(self) -> None:
        """Write what is left; nothing of it before what it rests on is durable."""
        with trio.move_on_after(GOODBYE_SECONDS, shield=True):
            if await self._lobby.settled():
                self.release()
            self._ready += self._last_words
            await self._drain()
            await self._stream.aclose()


async def _fail(error: Exception) -> None:
    raise error
