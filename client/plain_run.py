"""Plain mode at work: lines from the input, the table's link, and a clock, on trio."""

from __future__ import annotations

import codecs
import contextlib
import os
import ssl
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from functools import partial
from typing import Protocol, TextIO

import click
import trio

from hollywood.bots.connection import error_code, format_address
from hollywood.protocol.errors import RefusedError
from hollywood.protocol.wire import ClientMessage, ServerMessage
from hollywood.protocol.wire import messages as msg
from hollywood.server.config import ServerConfig
from hollywood.server.listener import serve

from .desk import Outcome
from .link import Link
from .model import ClientModel, LinkStatus
from .plain import Plain
from .screens import Goal
from .seats import SeatKeeper
from .settings import SettingsFile

_READ_SIZE = 4096
MAX_LINE = 2000
"""Characters of a line that are read; nothing that can be typed is longer."""


Opening = msg.Watch | msg.ListTables
"""What is said first on a connection where no seat is taken at once."""


class TableLink(Protocol):
    """What a connection to a table can do (`link.Link`)."""

    def send(self, message: ClientMessage) -> bool:
        """Queue a message; False where there is no connection to send it on."""

    async def run(
        self,
        on_message: Callable[[ServerMessage], object],
        on_status: Callable[[LinkStatus], object],
    ) -> None:
        """Stay connected."""


def wants_plain(environ: Mapping[str, str], stdin: TextIO, stdout: TextIO) -> bool:
    """Whether no screen can be drawn here: `TERM=dumb`, or one end is no terminal."""
    with contextlib.suppress(ValueError, OSError):
        return environ.get("TERM") == "dumb" or not (stdin.isatty() and stdout.isatty())
    return True


def print_line(text: str, out: TextIO | None = None) -> None:
    """Write one line at once; what the output's encoding lacks becomes a question mark."""
    out = out or sys.stdout
    encoding = out.encoding or "utf-8"
    out.write(text.encode(encoding, "replace").decode(encoding) + "\n")
    out.flush()


async def typed_lines(fd: int = 0) -> AsyncGenerator[str, None]:
    """Yield each line of the input, without its end, until the input ends.

    The file descriptor is read, not `sys.stdin`: a thread that waits there would
    hold its lock when the program ends.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    while True:
        # a terminal that is gone has no more lines
        data = b""
        with contextlib.suppress(OSError):
            read = partial(os.read, fd, _READ_SIZE)
            data = await trio.to_thread.run_sync(read, abandon_on_cancel=True)
        rest += decoder.decode(data, final=not data)
        *lines, rest = rest.replace("\r\n", "\n").split("\n")
        for line in lines:
            yield line[:MAX_LINE]
        if not data:
            if rest:
                yield rest[:MAX_LINE]
            return
        rest = rest[:MAX_LINE]


async def run_plain(
    goal: Goal,
    name: str,
    *,
    own_server: ServerConfig | None = None,
    settings: SettingsFile | None = None,
    keeper: SeatKeeper | None = None,
    tls: ssl.SSLContext | None = None,
) -> Outcome:
    """Play at a table of a server in lines of words, until the player leaves.

    Lines that come from a file or a pipe wait until something is asked.

    Args:
        goal: The server and the table; the own server's port is found out.
        name: The player's name.
        own_server: A server to run beside it, on any free port.
        settings: What is remembered; what is changed is remembered, too.
        keeper: Where seats are kept for the case that this program is killed.
        tls: For servers that speak TLS: whom to trust.

    Raises:
        HollywoodError: the server is not there, or will not have us.
        UsageError: no server was named; there is no list to choose from here.
    """
    if goal.server is None:
        raise click.UsageError("say which server: hollywood join HOST[:PORT] --plain")
    settings = settings or SettingsFile()
    if settings.complaint:
        print_line(settings.complaint)
    kept = settings.settings
    host, port, table = goal.server.host, goal.server.port, goal.table
    async with trio.open_nursery() as nursery:
        if own_server is not None:
            port = await nursery.start(serve, own_server)
        link = Link(
            host,
            port,
            name,
            "" if goal.is_watching else table,
            password=goal.password,
            caps=("hints",),
            keeper=keeper,
            seat=None
            if keeper is None or not table
            else keeper.take(format_address(host, port), name, table),
            tls=tls,
        )
        plain = Plain(
            ClientModel(asks_hints=True),
            link.send,
            print_line,
            spells=kept.spell,
            sort=kept.sort,
            wants=kept.wants,
            password=goal.password,
            is_alone=goal.is_alone,
            keep=settings.change,
        )
        opening: Opening | None = None
        if not table:
            opening = msg.ListTables(cid=plain.model.next_cid())
        elif goal.is_watching:
            opening = msg.Watch(cid=plain.model.next_cid(), table=table, password=goal.password)
        remember = None if own_server else partial(settings.remember_server, link.address)
        try:
            outcome = await play_plain(
                plain,
                link,
                typed_lines(),
                is_paced=not sys.stdin.isatty(),
                opening=opening,
                on_online=remember,
            )
        except* BrokenPipeError:
            # nobody listens any more; nothing may be left to be written at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            outcome = "quit"
        nursery.cancel_scope.cancel()
    return outcome


async def play_plain(
    plain: Plain,
    link: TableLink,
    lines: AsyncGenerator[str, None],
    *,
    is_paced: bool,
    opening: Opening | None = None,
    on_online: Callable[[], object] | None = None,
) -> Outcome:
    """Run a table over a link with lines of any source, until the player leaves.

    Args:
        plain: The player's place.
        link: The connection; it has sent or will send what takes a seat.
        lines: What is typed.
        is_paced: Whether each line waits until something is asked.
        opening: What is sent on each connection, where no seat is taken.
        on_online: Called when the server has answered for the first time.

    Raises:
        HollywoodError: the server is not there, or will not have us.
    """
    async with trio.open_nursery() as nursery:
        runner = _Runner(plain, is_paced, opening, on_online)
        nursery.start_soon(runner.take_lines, lines, nursery.cancel_scope)
        nursery.start_soon(runner.call_time)
        nursery.start_soon(link.run, runner.on_message, runner.on_message)
    return plain.outcome or "quit"


class _Runner:
    def __init__(
        self,
        plain: Plain,
        is_paced: bool,
        opening: Opening | None,
        on_online: Callable[[], object] | None,
    ) -> None:
        self._plain = plain
        self._on_online = on_online
        self._opening = opening
        self._is_paced = is_paced
        self._changed = trio.Event()

    def on_message(self, message: ServerMessage | LinkStatus) -> None:
        opening = self._opening
        if opening is not None and isinstance(message, msg.Error) and message.ref == opening.cid:
            raise RefusedError(message.text, error_code(message.code))
        self._plain.receive(message, trio.current_time())
        if message == LinkStatus("online"):
            self._begin()
        self._wake()

    def _begin(self) -> None:
        """The server has answered: come to a table, or back to one that is watched."""
        if self._on_online is not None:
            self._on_online()
            self._on_online = None
        is_seated = self._plain.model.view is not None
        if self._opening is not None and not (is_seated and self._opens_lobby()):
            self._plain.send(self._opening)

    def _opens_lobby(self) -> bool:
        return isinstance(self._opening, msg.ListTables)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def take_lines(self, lines: AsyncGenerator[str, None], scope: trio.CancelScope) -> None:
        async with contextlib.aclosing(lines):
            await self._take(lines)
        self._plain.end_of_input()
        scope.cancel()

    async def _take(self, lines: AsyncGenerator[str, None]) -> None:
        plain = self._plain
        async for line in lines:
            await self._until_asked()
            plain.line(line, trio.current_time())
            self._wake()
            if plain.outcome is not None:
                return
        await self._until_asked()

    async def _until_asked(self) -> None:
        """Where lines do not come from a person, wait until they are wanted."""
        while self._is_paced and not self._plain.is_asked and self._plain.outcome is None:
            await self._changed.wait()

    async def call_time(self) -> None:
        plain = self._plain
        while True:
            wait = plain.next_tick(trio.current_time())
            changed = self._changed
            with trio.move_on_after(float("inf") if wait is None else wait):
                await changed.wait()
            plain.tick(trio.current_time())
