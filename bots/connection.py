"""A client's end of one TCP connection: bytes to messages and back, on trio."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from hollywood.protocol.errors import (
    ErrorCode,
    HollywoodError,
    RefusedError,
    RemoteProtocolError,
    SessionClosedError,
    UnreachableError,
)
from hollywood.protocol.wire import VERSIONS, ClientMessage, ServerMessage, Session, Side
from hollywood.protocol.wire import messages as m

DEFAULT_PORT = 7878
CONNECT_SECONDS = 10
"""How long a server may take to accept and to answer the hello."""

_READ_SIZE = 65536


class ServerConnection:
    """An open conversation with a server, after its welcome."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._session = Session(Side.CLIENT)

    async def send(self, message: ClientMessage) -> None:
        """Send one message.

        Raises:
            SessionClosedError: the connection is gone.
        """
        try:
            await self._stream.send_all(self._session.send(message))
        except (trio.BrokenResourceError, trio.ClosedResourceError, ssl.SSLError):
            raise SessionClosedError("the connection to the server is gone") from None

    async def receive(self) -> ServerMessage:
        """Wait for the next message.

        Raises:
            SessionClosedError: the server has gone away.
            RemoteProtocolError: it sent something that is no message.
        """
        while (message := self._session.next_message()) is None:
            try:
                data = await self._stream.receive_some(_READ_SIZE)
            except (trio.BrokenResourceError, trio.ClosedResourceError, ssl.SSLError):
                data = b""
            if not data:
                raise SessionClosedError("the server closed the connection")
            self._session.receive_data(bytes(data))
        return message  # type: ignore[return-value]

    async def greet(self, hello: m.Hello) -> m.Welcome:
        """Say hello and wait for the welcome.

        Raises:
            RefusedError: the server does not want us; its code and sentence.
        """
        await self.send(hello)
        answer = await self.receive()
        if isinstance(answer, m.Welcome):
            return answer
        if isinstance(answer, m.Reject | m.Error):
            raise RefusedError(f"the server refused: {answer.text}", error_code(answer.code))
        raise RemoteProtocolError(f"the server answered a hello with {type(answer).__name__}")


def error_code(text: str) -> ErrorCode:
    """Return the code of that value; codes of newer servers become `internal`."""
    return ErrorCode(text) if text in ErrorCode._value2member_map_ else ErrorCode.INTERNAL


def hello(name: str, role: m.Role, token: str = "", resume: m.Resume | None = None) -> m.Hello:
    """Return this program's hello."""
    return m.Hello(
        magic=m.MAGIC,
        v=VERSIONS,
        role=role,
        name=name,
        client="hollywood-rummy",
        token=token,
        resume=resume,
    )


def parse_address(text: str) -> tuple[str, int]:
    """Read HOST or HOST:PORT.

    >>> parse_address("den.local"), parse_address("[::1]:99")
    (('den.local', 7878), ('::1', 99))

    Raises:
        UnreachableError: the port is no number.
    """
    host, colon, port = text.rpartition(":")
    if not colon or (":" in host and not host.startswith("[")):
        return text.strip("[]"), DEFAULT_PORT
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise UnreachableError(f"{port!r} is no port: write HOST or HOST:PORT, as in den:7878")
    return host.strip("[]"), int(port)


def format_address(host: str, port: int) -> str:
    """Return HOST:PORT as `parse_address` reads it.

    >>> format_address("den.local", 7878), format_address("::1", 99)
    ('den.local:7878', '[::1]:99')
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@asynccontextmanager
async def connect(
    host: str, port: int, greeting: m.Hello, tls: ssl.SSLContext | None = None
) -> AsyncIterator[ServerConnection]:
    """Open a connection, say hello, and close it at the end.

    Args:
        host: Name or address of the server.
        port: Its port.
        greeting: Our hello.
        tls: For a server that speaks TLS: whom to trust (`trust`).

    Raises:
        UnreachableError: nobody answers there.
        RefusedError: the server does not want us.
    """
    where = format_address(host, port)
    nobody = f"no server answers at {where}: is it running, and is the address right?"
    try:
        with trio.fail_after(CONNECT_SECONDS):
            stream = await trio.open_tcp_stream(host, port)
    except (OSError, trio.TooSlowError):
        raise UnreachableError(nobody) from None
    talk: trio.abc.Stream = stream
    if tls is not None:
        talk = trio.SSLStream(stream, tls, server_hostname=host)
    async with talk:
        connection = ServerConnection(talk)
        try:
            with trio.fail_after(CONNECT_SECONDS):
                await connection.greet(greeting)
        except (trio.TooSlowError, SessionClosedError):
            hint = "" if tls is None else " Does it speak TLS, and is its certificate one we trust?"
            raise UnreachableError(nobody + hint) from None
        yield connection


def trust(authority: Path | None = None) -> ssl.SSLContext:
    """Return what a client of a TLS server needs.

    Args:
        authority: A PEM file with the certificate to trust, the server's own where it
            signed that itself; else those that the system trusts.

    Raises:
        HollywoodError: the file holds no certificate (`bad_certificate`).
    """
    try:
        context = ssl.create_default_context(cafile=authority)
    except (OSError, ssl.SSLError) as error:
        raise HollywoodError(
            f"{str(authority)!r} holds no certificate ({error}): give a PEM file",
            ErrorCode.BAD_CERTIFICATE,
        ) from None
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
