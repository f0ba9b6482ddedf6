"""The first screen: servers on the LAN, servers of before, an address, one's name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from hollywood.bots.connection import format_address
from hollywood.protocol.errors import UnreachableError
from hollywood.protocol.wire import is_name

from .field import Field
from .keys import Action, Context
from .listing import ListScreen, chosen_row, list_frame
from .prefs import Prefs
from .text import Line, cell_width, clip, fit, pad, printable


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """A server that may be gone to."""

    host: str
    port: int
    name: str = ""
    note: str = ""
    """What it says of itself."""
    is_usable: bool = True
    """Whether it speaks our protocol."""
    tls: bool = False

    @property
    def address(self) -> str:
        """HOST:PORT."""
        return format_address(self.host, self.port)


class Nearby(msgspec.Struct, frozen=True):
    """The servers on the LAN as they are now."""

    servers: tuple[Server, ...] = ()
    note: str = ""
    """What is to be said where there are none."""


ParseAddress = Callable[[str], tuple[str, int]]


class Menu(ListScreen):
    """Where to go.

    Args:
        prefs: Name and servers of before.
        go: Called with the server that was chosen.
        parse: Reads HOST[:PORT]; raises `UnreachableError` with a sentence.
    """

    def __init__(self, prefs: Prefs, go: Callable[[Server], None], parse: ParseAddress) -> None:
        super().__init__(prefs)
        self.lan: tuple[Server, ...] = ()
        self.lan_note = "looking for servers on this network"
        """What stands where no server was found."""
        self._go = go
        self._parse = parse

    def rows(self) -> list[Server]:
        """The servers to choose from: those on the LAN, then those of before."""
        here = {server.address for server in self.lan}
        old = [self._of_before(text) for text in self.prefs.servers if text not in here]
        return [*self.lan, *(server for server in old if server is not None)]

    def _of_before(self, text: str) -> Server | None:
        try:
            host, port = self._parse(text)
        except UnreachableError:
            return None
        return Server(host=host, port=port, name=text)

    def found(self, nearby: Nearby) -> None:
        """Take note of who is on the LAN; the choice stays on its server."""
        rows = self.rows()
        chosen = rows[self.index].address if self.index < len(rows) else ""
        self.lan = nearby.servers
        self.lan_note = nearby.note or "no server found on this network yet"
        addresses = [server.address for server in self.rows()]
        if chosen in addresses:
            self.index = addresses.index(chosen)
        else:
            self.index = min(self.index, max(0, len(addresses) - 1))

    def contexts(self) -> frozenset[Context]:
        """The contexts whose keys work now."""
        return frozenset({Context.MENU if self.field is None else Context.TEXT, Context.ALWAYS})

    def do(self, action: Action | None) -> bool:
        """Do what a key means; False if that is nothing here."""
        match action:
            case Action.ADDRESS:
                self.type("server, HOST or HOST:PORT", Field())
            case Action.NAME:
                self.type("your name", Field(self.prefs.name, limit=24))
            case Action.FORGET:
                self._forget()
            case _:
                return super().do(action)
        return True

    def open_row(self) -> None:
        """Go to the chosen server."""
        rows = self.rows()
        if not rows:
            self.notice = "no server to choose: i types an address"
            return
        server = rows[min(self.index, len(rows) - 1)]
        if not server.is_usable:
            self.notice = f"{server.name} speaks another version of the protocol: update one of us"
            return
        self.notice = f"connecting to {server.address} ..."
        self._go(server)

    def _forget(self) -> None:
        rows = self.rows()
        if len(self.lan) <= self.index < len(rows):
            self.prefs.forget_server(rows[self.index].name)
            self.index = max(0, min(self.index, len(self.rows()) - 1))
        else:
            self.notice = "only servers of before can be forgotten"

    def submit(self, text: str) -> None:
        """Take a name, or go to an address."""
        text = text.strip()
        if "name" in self.label:
            if not is_name(text):
                self.notice = (
                    "a name has 1 to 24 letters, digits, spaces or _.'-, a letter or digit first"
                )
                return
            self.prefs.set_name(text)
            self.notice, self.field = f"you are {text}", None
            return
        try:
            host, port = self._parse(text)
            if not host:
                raise UnreachableError("type a server's address, as in den:7878")
        except UnreachableError as error:
            self.notice = str(error)
            return
        self.field = None
        self.notice = f"connecting to {text} ..."
        self._go(Server(host=host, port=port, name=text))

    def frame(self, cols: int, rows: int) -> list[Line]:
        """Draw the screen."""
        lines: list[Line] = []
        servers = self.rows()
        width = _name_width(servers, cols)
        for i, server in enumerate(servers):
            is_here = i < len(self.lan)
            name = _named(server)
            note = printable(server.note) if is_here else "of before"
            if is_here and cols >= 60:
                note = f"{server.address}  {note}"
            style = "" if server.is_usable else "class:dim"
            cells: Line = [(style, pad(name, width)), ("class:dim", f"  {note}")]
            lines.append(chosen_row(cells, i, is_chosen=i == self.index, cols=cols))
        if not self.lan:
            lines.append(fit([("class:dim", clip(f"  {self.lan_note}", cols))], cols))
        head = [
            fit([("", " you are "), ("class:me", self.prefs.name)], cols),
            fit([], cols),
            fit([("class:title", " Servers")], cols),
        ]
        title = "Hollywood rummy"
        active, look = self.contexts(), self.prefs.look
        return list_frame(title, lines, self, active, cols, rows, look, head)


def _named(server: Server) -> str:
    return printable(server.name) or server.host


def _name_width(servers: Sequence[Server], cols: int) -> int:
    """Cells for names; on a narrow screen no more than are needed, or an address takes."""
    if cols >= 60:
        return 24
    return max(10, min(21, max((cell_width(_named(server)) for server in servers), default=0)))
