"""The socket that operators' commands come over.

It is a file in the data directory that only its owner may open. Where there are no
such sockets (or the path is too long for one) it is a port on the loopback interface,
and each line carries a `token` that stands in a file there.
"""

from __future__ import annotations

import os
import secrets
import socket
import stat
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Annotated

import msgspec
import trio
from msgspec import Meta

from hollywood.protocol.errors import ErrorCode, HollywoodError

from .admin import AskStatus, Command, Steward, answer, failure

SOCKET_NAME = "admin.sock"
PORT_NAME = "admin.json"

MAX_LINE = 16 * 1024
"""Bytes of a command."""
MAX_CONNECTIONS = 8
LINE_SECONDS = 60.0
"""How long a connection may take to send its next line."""
KNOCK_SECONDS = 4.0
"""How long a server that runs already may take to say so."""

_MAX_SOCKET_PATH = 100
"""Bytes of a path that a socket may have everywhere."""


async def serve_admin(
    steward: Steward,
    data: Path,
    *,
    may_use_files: bool = True,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Listen for commands until cancelled. What a dead server left behind is replaced.

    Args:
        steward: Who carries them out.
        data: The server's data directory; it is made if there is none.
        may_use_files: Whether the socket may be a file where that is possible.
        task_status: Started when the server listens.

    Raises:
        HollywoodError: a server with this data directory runs already (`port_in_use`),
            or the directory cannot be used.
    """
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        await _refuse_a_second_server(data)
        path = data / SOCKET_NAME
        for left_behind in (path, data / PORT_NAME):
            left_behind.unlink(missing_ok=True)
        opened = _on_file(path) if may_use_files and can_be_socket(path) else _on_port(data)
        async with opened as (listener, token), trio.open_nursery() as nursery:
            guests = _Guests(steward, token)
            await nursery.start(trio.serve_listeners, guests.serve, [listener])
            task_status.started()
    except OSError as error:
        raise HollywoodError(
            f"cannot use the data directory {data} ({error.strerror or error}): choose another --data",
            ErrorCode.BAD_FILE,
        ) from None


def can_be_socket(path: Path) -> bool:
    """Whether a socket can be at that path."""
    return hasattr(socket, "AF_UNIX") and len(os.fsencode(path)) <= _MAX_SOCKET_PATH


@asynccontextmanager
async def _on_file(path: Path) -> AsyncIterator[tuple[trio.SocketListener, str]]:
    with trio.socket.socket(socket.AF_UNIX) as sock:
        await sock.bind(os.fspath(path))
        # nobody can connect before it listens, so there is no moment when all may
        path.chmod(0o600)
        sock.listen()
        ours = path.stat().st_ino
        try:
            yield trio.SocketListener(sock), ""
        finally:
            _unlink_own(path, ours)


@asynccontextmanager
async def _on_port(data: Path) -> AsyncIterator[tuple[trio.SocketListener, str]]:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener:
        token, path = secrets.token_hex(16), data / PORT_NAME
        where = {"port": listener.socket.getsockname()[1], "token": token}
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(msgspec.json.encode(where))
        ours = path.stat().st_ino
        try:
            yield listener, token
        finally:
            _unlink_own(path, ours)


def _unlink_own(path: Path, inode: int) -> None:
    with suppress(OSError):
        if path.stat().st_ino == inode:
            path.unlink()


async def _refuse_a_second_server(data: Path) -> None:
    """Raise if somebody answers in this directory, or something that is not ours is there."""
    path = data / SOCKET_NAME
    is_there = path.exists()
    if is_there and not stat.S_ISSOCK(path.stat().st_mode):
        raise HollywoodError(
            f"{path} is not a server's socket: move it away, or choose another --data",
            ErrorCode.BAD_FILE,
        )
    if not await trio.to_thread.run_sync(_is_alive, data):
        return
    raise HollywoodError(
        f"a server with the data directory {data} runs already: stop it, or choose another --data",
        ErrorCode.PORT_IN_USE,
    )


def _is_alive(data: Path) -> bool:
    """Whether a server of this directory answers; waits in the calling thread."""
    try:
        sock, token = connect(data, KNOCK_SECONDS)
        sock.close()
        # another program may have the port by now, so there it takes an answer
        said = ask(data, AskStatus(), KNOCK_SECONDS) if token else {}
    except (FileNotFoundError, ConnectionRefusedError):
        return False
    except OSError:
        return True  # it is there, but does not manage to answer
    return said.get("code") != ErrorCode.BAD_TOKEN


class _Guests:
    """The open connections of operators."""

    def __init__(self, steward: Steward, token: str) -> None:
        self._steward = steward
        self._token = token
        self._open = 0

    async def serve(self, stream: trio.abc.Stream) -> None:
        """Answer line after line until the other side is done."""
        self._open += 1
        try:
            async with stream:
                if self._open <= MAX_CONNECTIONS:
                    await self._talk(stream)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # gone before the answer
        finally:
            self._open -= 1

    async def _talk(self, stream: trio.abc.Stream) -> None:
        unread = bytearray()
        while True:
            line = None
            with trio.move_on_after(LINE_SECONDS):
                line = await _next_line(stream, unread)
            if line is None:
                return
            if len(line) > MAX_LINE:
                text = f"a command has at most {MAX_LINE} bytes"
                await _reply(stream, failure(ErrorCode.FRAME_TOO_LARGE, text))
                return
            said = await answer(self._steward, line, self._token)
            await _reply(stream, said)
            if said.get("code") == ErrorCode.BAD_TOKEN:
                return


async def _next_line(stream: trio.abc.Stream, unread: bytearray) -> bytes | None:
    """Return the next line, or what there is of one that is too long; None at the end."""
    while b"\n" not in unread and len(unread) <= MAX_LINE:
        data = await stream.receive_some(MAX_LINE)
        if not data:
            return None
        unread += data
    line, _, rest = bytes(unread).partition(b"\n")
    unread[:] = rest
    return line


async def _reply(stream: trio.abc.Stream, said: Mapping[str, object]) -> None:
    with trio.move_on_after(LINE_SECONDS):
        await stream.send_all(msgspec.json.encode(said) + b"\n")


# the other end


def connect(data: Path, seconds: float) -> tuple[socket.socket, str]:
    """Connect to the server of a data directory; waits for it in the calling thread.

    Returns:
        The socket, and the token that each line must carry ("" for none).

    Raises:
        OSError: no server runs there, or it may not be reached.
    """
    path, by_port = data / SOCKET_NAME, data / PORT_NAME
    if by_port.exists() and not path.exists():
        where = _read_port(by_port)
        address = ("127.0.0.1", where.port)
        return socket.create_connection(address, timeout=seconds), where.token
    if not can_be_socket(path):
        raise FileNotFoundError(os.fspath(by_port))
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.settimeout(seconds)
        sock.connect(os.fspath(path))
    except OSError:
        sock.close()
        raise
    return sock, ""


class _Port(msgspec.Struct, frozen=True):
    port: Annotated[int, Meta(gt=0, lt=65536)]
    token: str


def _read_port(path: Path) -> _Port:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Port)
    except msgspec.DecodeError:
        raise ConnectionRefusedError(f"{path} names no port") from None


def ask(
    data: Path, command: Command | Mapping[str, object], seconds: float = 10.0
) -> dict[str, object]:
    """Send a command to the server of a data directory and return its answer.

    Args:
        data: The server's data directory.
        command: What to do.
        seconds: How long it may take to answer.

    Raises:
        OSError: no server runs there, it may not be reached, or it does not answer.
    """
    sock, token = connect(data, seconds)
    with sock:
        line = msgspec.to_builtins(command) | ({"token": token} if token else {})
        sock.sendall(msgspec.json.encode(line) + b"\n")
        with sock.makefile("rb") as answers:
            said = answers.readline()
    if not said.endswith(b"\n"):
        raise ConnectionResetError("the server closed the connection")
    try:
        return msgspec.json.decode(said, type=dict[str, object])
    except msgspec.DecodeError:
        raise ConnectionRefusedError("another program has the port") from None
