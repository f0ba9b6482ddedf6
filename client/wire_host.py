"""Where a bot that speaks the wire comes to, game after game: its connections and its program.

Each connection goes on to a server of ours, through a `Sitting` that hears both ends.
"""

from __future__ import annotations

import errno
import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import IO

import trio

from hollywood.bots.connection import ServerConnection, format_address
from hollywood.bots.seated import MAX_STRIKES
from hollywood.protocol.errors import (
    BotError,
    ErrorCode,
    HollywoodError,
    RefusedError,
    RemoteProtocolError,
    SessionClosedError,
)
from hollywood.protocol.wire import VERSIONS, ServerMessage, Session, Side, State
from hollywood.protocol.wire import messages as m

from .wire_sitting import Fault, Sitting

HELLO_SECONDS = 10.0
"""For the hello and, after it, until the bot has asked for a seat."""
CLOSE_SECONDS = 5.0
"""How long a bot may keep the connection of a game that is over."""
RETURN_SECONDS = 20.0
"""How long a bot whose line was cut is waited for, as by a server."""
_READ_SIZE = 65536
_HERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Where a program on this machine finds what listens at every address."""


async def listen(host: str, port: int) -> list[trio.SocketListener]:
    """Listen for a bot; port 0 is any free one.

    Raises:
        HollywoodError: the port is taken, or the address is not ours.
    """
    try:
        return await trio.open_tcp_listeners(port, host=host)
    except OSError as error:
        where = format_address(host, port)
        if error.errno == errno.EADDRINUSE:
            text = f"something else listens at {where}: --listen at another port"
            raise HollywoodError(text, ErrorCode.PORT_IN_USE) from None
        text = f"cannot listen at {where}: {error.strerror or error}"
        raise HollywoodError(text, ErrorCode.UNREACHABLE) from None


class Program:
    """The bot's process, where the check starts it itself."""

    def __init__(self, process: trio.Process, errors: IO[bytes]) -> None:
        self._process = process
        self._errors = errors

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    async def wait(self) -> None:
        """Return when it has ended."""
        await self._process.wait()

    def last_words(self) -> str:
        """Return how it ended, and the last line it wrote to standard error."""
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").split("\n")
        said = next((line.strip() for line in reversed(lines) if line.strip()), "")
        code = self._process.poll()
        ended = "" if code is None else f"its program ended with {code}"
        return ": ".join(filter(None, (ended, said)))


@asynccontextmanager
async def _run(command: str) -> AsyncIterator[Program]:
    """Start the bot's program; it is given a moment at the end, then ended.

    Raises:
        BotError: it cannot be started.
    """
    own_group = os.name == "posix"
    with tempfile.TemporaryFile() as errors:
        try:
            process = await trio.lowlevel.open_process(
                shlex.split(command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=own_group,
            )
        except (OSError, ValueError) as error:
            raise BotError(f"cannot start {command!r}: {error}") from None
        try:
            yield Program(process, errors)
            with trio.move_on_after(CLOSE_SECONDS):
                await process.wait()
        finally:
            if process.poll() is None:
                if own_group:
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.kill()
                with trio.CancelScope(shield=True):
                    await process.wait()


class Host:
    """Receives the bot for one game after the other."""

    def __init__(
        self,
        listeners: list[trio.SocketListener],
        server: int,
        wait: float,
        command: str | None = None,
    ) -> None:
        """Receive bots that come to the listeners, and pass them on to our server.

        Args:
            listeners: Where bots come to.
            server: The port of the server on this machine.
            wait: How long a bot is waited for, in seconds.
            command: What starts the bot's program; `{host}` and `{port}` in it are
                where we listen. None: somebody else starts it.
        """
        self._listeners = listeners
        self._server = server
        self._wait = wait
        address = listeners[0].socket.getsockname()
        self.host, self.port = str(address[0]), int(address[1])
        near = _HERE.get(self.host, self.host)
        self._command = command and command.replace("{host}", near).replace(
            "{port}", str(self.port)
        )
        self.address = format_address(self.host, self.port)
        self.has_come_back = False
        """Whether the bot has come back after its line was cut, in the last sitting."""

    async def play(self, sitting: Sitting) -> None:
        """Receive the bot and stay until it has gone; the sitting hears all of it.

        Raises:
            BotError: its program cannot be started.
        """
        if self._command is None:
            await self._play(sitting, None)
            return
        async with _run(self._command) as program:
            await self._play(sitting, program)

    async def _play(self, sitting: Sitting, program: Program | None) -> None:
        faults = len(sitting.faults)
        stream = await self._accept(program, self._wait)
        if stream is None:
            sitting.faults.append(Fault(f"no bot came to {self.address} in time"))
        else:
            sitting.has_come = True
            await Relay(stream, self._server, sitting).run()
        if sitting.is_cut:
            await self._await_return(sitting, program)
        if program is not None and len(sitting.faults) > faults and not sitting.is_over:
            await _add_last_words(sitting, program)

    async def _await_return(self, sitting: Sitting, program: Program | None) -> None:
        """Let the bot take up its seat where the line was cut."""
        self.has_come_back = False
        sitting.is_cut = False
        sitting.to_bot.clear()
        stream = await self._accept(program, min(self._wait, RETURN_SECONDS))
        if stream is not None:
            relay = Relay(stream, self._server, sitting)
            self.has_come_back = await relay.run(is_return=True)

    async def _accept(self, program: Program | None, wait: float) -> trio.SocketStream | None:
        """Return the next connection; None if its time is over or the program has ended."""
        found: list[trio.SocketStream] = []

        async def accept(listener: trio.SocketListener) -> None:
            found.append(await listener.accept())
            nursery.cancel_scope.cancel()

        async def give_up(program: Program) -> None:
            await program.wait()
            nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.cancel_scope.deadline = trio.current_time() + wait
            for listener in self._listeners:
                nursery.start_soon(accept, listener)
            if program is not None:
                nursery.start_soon(give_up, program)
        return found[0] if found else None


async def _add_last_words(sitting: Sitting, program: Program) -> None:
    """Say with the last fault what the program said when it ended."""
    with trio.move_on_after(1):
        await program.wait()
    words = program.last_words()
    last = sitting.faults[-1]
    if words:
        sitting.faults[-1] = Fault(f"{last.text}; {words}", last.problem)


class Relay:
    """One connection of the bot, passed on to the server."""

    def __init__(self, stream: trio.SocketStream, server: int, sitting: Sitting) -> None:
        self._stream = stream
        self._port = server
        self._sitting = sitting
        self._session = Session(Side.SERVER)
        self._lock = trio.Lock()
        self._scope = trio.CancelScope()
        self._has_hung_up = False
        """Whether the bot has ended the connection."""

    async def run(self, *, is_return: bool = False) -> bool:
        """Talk until either end is done; return whether the bot got a seat.

        Args:
            is_return: Whether the bot's line was cut before: only a hello that
                takes its seat back is passed on then.
        """
        joined, message = self._sitting.joined, None
        async with self._stream:
            with trio.move_on_after(HELLO_SECONDS):
                message = await self._hear()
            if isinstance(message, m.Hello) and (message.resume is not None or not is_return):
                await self._pass_on(message)
            elif not is_return and not self._sitting.faults:
                self._sitting.faults.append(Fault("it came, but did not say hello"))
        return self._sitting.joined is not joined

    async def _pass_on(self, hello: m.Hello) -> None:
        async with await trio.open_tcp_stream("127.0.0.1", self._port) as stream:
            connection = ServerConnection(stream)
            try:
                welcome = await connection.greet(self._sitting.greet(hello))
            except RefusedError as error:
                self._sitting.faults.append(Fault(f"its hello was refused: {error}"))
                await self._write([m.Reject(code=error.code, text=str(error), v=VERSIONS)])
                return
            await self._write([welcome])
            await self._talk(connection)

    async def _talk(self, connection: ServerConnection) -> None:
        sitting = self._sitting
        self._scope.deadline = trio.current_time() + HELLO_SECONDS
        with self._scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._from_bot, connection)
                nursery.start_soon(self._from_server, connection)
        if sitting.is_cut:
            await trio.aclose_forcefully(self._stream)
        elif sitting.is_over:
            sitting.was_left_open = not self._has_hung_up
        elif sitting.joined is None and not sitting.faults:
            text = f"it did not ask for a seat within {HELLO_SECONDS:g} s: send a `join`"
            sitting.faults.append(Fault(text))

    async def _from_bot(self, connection: ServerConnection) -> None:
        while (message := await self._hear()) is not None:
            self._sitting.hear_bot(message)
            await self._flush(connection)
        self._has_hung_up = True
        if not self._sitting.faults or self._session.state is not State.CLOSED:
            self._sitting.lose()
        self._scope.cancel()

    async def _from_server(self, connection: ServerConnection) -> None:
        try:
            while True:
                self._sitting.hear_server(await connection.receive())
                await self._flush(connection)
        except SessionClosedError:
            self._scope.cancel()

    async def _hear(self) -> m.Message | None:
        """Return what the bot says next, None when it has gone or must go."""
        try:
            while (message := self._session.next_message()) is None:
                data = await self._stream.receive_some(_READ_SIZE)
                if not data:
                    return None
                self._session.receive_data(bytes(data))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return None
        except RemoteProtocolError as error:
            self._sitting.faults.append(Fault(f"it broke the protocol: {error} [{error.code}]"))
            with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await self._stream.send_all(self._session.reply_to_violation(error))
            return None
        return message

    async def _flush(self, connection: ServerConnection) -> None:
        """Send what the sitting has for both ends, and look how far the game is."""
        sitting = self._sitting
        async with self._lock:
            if not sitting.is_cut:
                to_bot, sitting.to_bot = sitting.to_bot, []
                await self._write(to_bot)
            to_server, sitting.to_server = sitting.to_server, []
            with suppress(SessionClosedError):
                for message in to_server:
                    await connection.send(message)
        has_ended = sitting.is_cut or self._session.state is State.CLOSED
        if has_ended or len(sitting.faults) >= MAX_STRIKES:
            self._scope.cancel()
        elif sitting.is_over and self._scope.deadline == sitting.deadline:
            self._scope.deadline = trio.current_time() + CLOSE_SECONDS
        elif sitting.joined is not None and not sitting.is_over:
            self._scope.deadline = sitting.deadline

    async def _write(self, messages: list[ServerMessage]) -> None:
        """Send to the bot. That it has gone is seen by who reads."""
        frames = [self._sitting.dress(each, self._session.send(each)) for each in messages]
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await self._stream.send_all(b"".join(frames))
