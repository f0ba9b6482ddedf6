"""Screen, link and, for a game on one machine, a server of its own: put together."""

from __future__ import annotations

import os
import sys

import trio

from hollywood.protocol.wire import ClientMessage
from hollywood.server.config import ServerConfig
from hollywood.server.listener import serve

from .bridge import run_ui_with_trio
from .desk import Outcome
from .link import Link
from .model import ClientModel
from .presenter import build_app
from .styles import look_for


async def run_client(
    host: str,
    port: int,
    name: str,
    table: str,
    *,
    is_ascii: bool,
    own_server: ServerConfig | None,
) -> Outcome:
    """Show a table of a server until the player leaves. Runs on asyncio.

    Args:
        host: The server's address.
        port: Its port; the own server's is found out.
        name: The player's name.
        table: The table's name.
        is_ascii: Whether to draw with ASCII only.
        own_server: A server to run beside the screen, on any free port.

    Raises:
        HollywoodError: the server is not there, or will not have us.
    """
    model = ClientModel()
    link: Link | None = None

    def send(message: ClientMessage) -> bool:
        return link is not None and link.send(message)

    look = look_for("ascii" if is_ascii else sys.stdout.encoding, os.environ)
    app, on_message = build_app(model, send, look=look)

    async def net() -> None:
        nonlocal link
        async with trio.open_nursery() as nursery:
            at = port
            if own_server is not None:
                at = await nursery.start(serve, own_server)
            link = Link(host, at, name, table)
            await link.run(on_message, on_message)

    async def ui() -> Outcome:
        return await app.run_async(set_exception_handler=False)

    return await run_ui_with_trio(ui, net)
