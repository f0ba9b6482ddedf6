"""Screens, link and, for a game on one machine, a server of its own: put together."""

from __future__ import annotations

import os
import ssl
import sys
from collections.abc import Callable

import trio
from msgspec.structs import replace

from hollywood.bots.connection import parse_address, trust
from hollywood.bots.loading import bot_names
from hollywood.protocol.errors import RefusedError, UnreachableError
from hollywood.protocol.wire import ClientMessage
from hollywood.server.config import ServerConfig
from hollywood.server.listener import serve

from .bridge import run_ui_with_trio
from .link import Link
from .menu import Nearby, Server
from .model import LinkStatus
from .prefs import Prefs
from .presenter import Presenter, StyleRules
from .screens import Goal, Screens
from .seats import SeatKeeper
from .stage import News
from .styles import look_for, style_rules
from .suspend import job_control

CAPS = ("hints",)
"""What we ask every server for: decisions with hints say that the table allows them."""


class Network:
    """The links to servers and the look-out on the LAN. A dial (`screens.Dial`).

    Args:
        goal: Where to begin.
        prefs: The player's name.
        tell: Called with everything that comes in.
        keeper: Where seats are kept; None: nowhere.
        tls: For servers that speak TLS: whom to trust.
    """

    def __init__(
        self,
        goal: Goal,
        prefs: Prefs,
        tell: Callable[[News], object],
        keeper: SeatKeeper | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._goal = goal
        self._prefs = prefs
        self._tell = tell
        self._keeper = keeper
        self._tls = tls
        self._link: Link | None = None
        self._wanted: tuple[Server, str] | None = None
        self._is_looking = False
        self._changed = trio.Event()
        self._scope: trio.CancelScope | None = None
        self._lan_scope: trio.CancelScope | None = None
        self._lan_changed = trio.Event()

    def set_port(self, port: int) -> None:
        """Say where our own server listens."""
        assert self._goal.server is not None, "our own server is where we want to be"
        self._goal = replace(self._goal, server=replace(self._goal.server, port=port))

    # what the screens ask for

    def send(self, message: ClientMessage) -> bool:
        """Queue a message; False if there is no connection."""
        return self._link is not None and self._link.send(message)

    def go(self, server: Server, table: str = "") -> None:
        """Leave the server we are at and go to another; take the kept seat at that table."""
        self._wanted = (server, table)
        self._turn()

    def hang_up(self) -> None:
        """Leave the server; nothing comes of it any more."""
        self._wanted = None
        self._turn()

    def _turn(self) -> None:
        if self._scope is not None:
            self._scope.cancel()
        self._changed.set()

    def look_around(self, wanted: bool) -> None:
        """Look for servers on the LAN, or stop looking."""
        if wanted == self._is_looking:
            return
        self._is_looking = wanted
        if self._lan_scope is not None and not wanted:
            self._lan_scope.cancel()
        self._lan_changed.set()

    def kept_tables(self, server: Server) -> frozenset[str]:
        """Return the tables of a server at which a seat of ours is kept."""
        if self._keeper is None:
            return frozenset()
        return self._keeper.tables(server.address, self._prefs.name)

    # at work

    async def run(self) -> None:
        """Do what the screens ask for until cancelled.

        Raises:
            HollywoodError: the server that the program was started for is not there,
                or will not have us.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._look)
            if self._goal.server is not None:
                await self._talk(self._goal.server, self._goal.table, is_first=True)
            while True:
                await self._changed.wait()
                self._changed = trio.Event()
                if self._wanted is not None:
                    (server, table), self._wanted = self._wanted, None
                    await self._talk(server, table, is_first=False)

    async def _talk(self, server: Server, table: str, *, is_first: bool) -> None:
        """Be connected to one server until the screens want another one."""
        self._link = link = self._link_to(server, table, is_first=is_first)
        with trio.CancelScope() as self._scope:
            try:
                await link.run(self._tell, self._tell)
            except (UnreachableError, RefusedError) as error:
                if self._goal.server is not None:
                    raise
                self._tell(LinkStatus("failed", text=str(error)))
        self._link = self._scope = None

    def _link_to(self, server: Server, table: str, *, is_first: bool) -> Link:
        keeper, name = self._keeper, self._prefs.name
        seat = None
        if keeper is not None and table and not self._goal.is_watching:
            seat = keeper.take(server.address, name, table)
        sits_down = is_first and bool(table) and not self._goal.is_watching
        return Link(
            server.host,
            server.port,
            name,
            table if sits_down else "",
            password=self._goal.password,
            caps=CAPS,
            keeper=keeper,
            seat=seat,
            tls=self._tls_for(server),
        )

    def _tls_for(self, server: Server) -> ssl.SSLContext | None:
        if not server.tls:
            return None
        if self._tls is None:
            self._tls = trust()
        return self._tls

    # the LAN

    async def _look(self) -> None:
        while True:
            while not self._is_looking:
                await self._lan_changed.wait()
                self._lan_changed = trio.Event()
            with trio.CancelScope() as self._lan_scope:
                await self._watch_lan()
            self._lan_scope = None

    async def _watch_lan(self) -> None:
        from hollywood.server.discovery import watching  # zeroconf takes a while to load

        try:
            async with watching() as lan:
                while True:
                    found = await lan.changed()
                    servers = tuple(
                        Server(
                            host=one.host,
                            port=one.port,
                            name=one.name,
                            note=_note(one.free, one.rules, tls=one.tls, is_ours=one.is_ours),
                            is_usable=one.is_ours,
                            tls=one.tls,
                        )
                        for one in found
                    )
                    self._tell(Nearby(servers))
        except UnreachableError as error:
            self._tell(Nearby(note=str(error)))
            await trio.sleep_forever()


def _note(free: int, rules: tuple[str, ...], *, tls: bool, is_ours: bool) -> str:
    if not is_ours:
        return "another version of the protocol"
    seats = f"{free} {'seat' if free == 1 else 'seats'} free"
    return ", ".join([seats, *rules[:3], *(["TLS"] if tls else [])])


async def run_client(
    goal: Goal,
    prefs: Prefs | None = None,
    *,
    own_server: ServerConfig | None = None,
    keeper: SeatKeeper | None = None,
    tls: ssl.SSLContext | None = None,
    rules: StyleRules = style_rules,
) -> str:
    """Show the screens until the player leaves. Runs on asyncio.

    Args:
        goal: Where to begin; with an own server its port is found out.
        prefs: What the player likes; chosen from stdout and NO_COLOR if not given.
        own_server: A server to run beside the screens, on any free port.
        keeper: Where seats are kept for the case that this program is killed.
        tls: For servers that speak TLS: whom to trust.
        rules: Gives the style of each class: a theme.

    Returns:
        How it ended: "quit", "kept" or "game over".

    Raises:
        HollywoodError: the server is not there, or will not have us.
    """
    prefs = prefs or Prefs(look_for(sys.stdout.encoding, os.environ))

    def tell(news: News) -> None:
        presenter.on_message(news)

    network = Network(goal, prefs, tell, keeper, tls)
    screens = Screens(prefs, network, goal, parse_address, tuple(bot_names()))
    presenter = Presenter(screens, rules=rules)
    app = presenter.build()

    async def net() -> None:
        async with trio.open_nursery() as nursery:
            if own_server is not None:
                port = await nursery.start(serve, own_server)
                network.set_port(port)
            await network.run()

    async def ui() -> str:
        with job_control(app):
            return await app.run_async(set_exception_handler=False)

    return await run_ui_with_trio(ui, net)
