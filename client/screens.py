"""All screens of one run: the servers, the lobby, the table; and which of them is shown."""

from __future__ import annotations

from typing import Protocol

import msgspec

from hollywood.protocol.errors import ErrorCode, RefusedError
from hollywood.protocol.wire import messages as msg

from .frame import keys_line
from .keys import Action, Context, bar, find
from .lobby import Lobby
from .menu import Menu, Nearby, ParseAddress, Server
from .model import ClientModel, LinkStatus
from .prefs import Prefs
from .reading import help_lines
from .stage import TITLE, Call, Job, News, TableStage
from .text import Line, fit, printable, to_ascii


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """What the player asked for when the program was started."""

    server: Server | None = None
    """None: to be chosen."""
    table: str = ""
    """At which to sit down; "": to be chosen."""
    password: str = ""
    is_watching: bool = False
    is_alone: bool = False
    """Whether the server is part of this program and ends with it."""


class Dial(Protocol):
    """What the screens need of the network. Nothing here waits."""

    def send(self, message: msg.ClientMessage) -> bool:
        """Queue a message; False if there is no connection."""

    def go(self, server: Server, table: str = "") -> None:
        """Leave the server we are at and go to another; take the kept seat at that table."""

    def hang_up(self) -> None:
        """Leave the server; nothing comes of it any more."""

    def look_around(self, wanted: bool) -> None:
        """Look for servers on the LAN, or stop looking."""

    def kept_tables(self, server: Server) -> frozenset[str]:
        """Return the tables of a server at which a seat of ours is kept."""


class Screens:
    """Everything the player may be at. A stage (`stage.Stage`).

    Args:
        prefs: What the player likes.
        dial: The network.
        goal: Where to begin.
        parse: Reads HOST[:PORT].
        bots: Names of house bots, for new tables.
    """

    def __init__(
        self,
        prefs: Prefs,
        dial: Dial,
        goal: Goal,
        parse: ParseAddress,
        bots: tuple[str, ...] = ("greedy",),
    ) -> None:
        self.prefs = prefs
        self.goal = goal
        self.menu = Menu(prefs, self._go, parse)
        self.lobby: Lobby | None = None
        self.table: TableStage | None = None
        self.server: Server | None = None
        self.outcome: str | None = None
        self._dial = dial
        self._bots = bots
        self._help = False
        self._scroll = 0
        self._page = 8
        self._watched: msg.Watch | None = None
        """The table that we watch."""
        self._asked_at = 0
        if goal.server is None:
            dial.look_around(True)
        else:
            self._visit(goal.server)

    # where we are

    def _visit(self, server: Server) -> None:
        """Show the way to a server's table, or to its lobby."""
        self.server = server
        if self.goal.table and server == self.goal.server and not self.goal.is_watching:
            self._sit(ClientModel(asks_hints=True))
        else:
            self._enter_lobby("connecting ...")

    def _go(self, server: Server) -> None:
        """Go to a server of the menu."""
        self.prefs.remember_server(server.address)
        self.server = server
        self._dial.go(server)

    def _enter_lobby(self, link_text: str = "") -> Lobby:
        assert self.server is not None, "a lobby is some server's"
        lobby = Lobby(self.prefs, self.server.address, self._dial.send, self._bots)
        lobby.link_text = link_text
        lobby.resumable = self._dial.kept_tables(self.server)
        self.lobby, self.table, self._watched = lobby, None, None
        return lobby

    def _sit(self, model: ClientModel) -> TableStage:
        can_return = not self.goal.is_alone
        self.table = TableStage(model, self._dial.send, self.prefs, can_return=can_return)
        return self.table

    def _at(self) -> TableStage | Lobby | Menu:
        return self.table or self.lobby or self.menu

    def contexts(self) -> frozenset[Context]:
        """The contexts whose keys work now."""
        if self._help:
            return frozenset({Context.READING, Context.ALWAYS})
        return self._at().contexts()

    # what comes in

    def receive(self, message: News, now: float) -> None:
        """Take in what the server, the link or the network says.

        Raises:
            RefusedError: what the program was started for cannot be had.
        """
        if isinstance(message, Nearby):
            self.menu.found(message)
        elif isinstance(message, LinkStatus):
            self._link(message, now)
        elif isinstance(message, msg.Joined | msg.Watching):
            self._joined(message, now)
        elif self.table is not None:
            self.table.receive(message, now)
        elif self.lobby is not None:
            self._told(message)
        self._follow()

    def _joined(self, message: msg.Joined | msg.Watching, now: float) -> None:
        table = self.table
        if table is None:
            table = self._sit(ClientModel(asks_hints=True))
            table.receive(LinkStatus("online"), now)
        self.lobby, self._help = None, False
        if isinstance(message, msg.Watching):
            self._watched = msg.Watch(cid=0, table=message.table, password=self._password())
        table.receive(message, now)

    def _password(self) -> str:
        return self.goal.password if self._watched is None else self._watched.password

    def _told(self, message: msg.ServerMessage) -> None:
        assert self.lobby is not None, "somebody listens"
        if isinstance(message, msg.Error) and self._is_first_wish():
            code = message.code if message.code in set(ErrorCode) else ErrorCode.INTERNAL
            raise RefusedError(printable(message.text), ErrorCode(code))
        self.lobby.receive(message)

    def _is_first_wish(self) -> bool:
        """Whether what the program was started for is still waited for."""
        return self.goal.is_watching and bool(self.goal.table) and self._asked_at == 1

    def _link(self, status: LinkStatus, now: float) -> None:
        if status.state == "failed":
            self.table = self.lobby = None
            self.menu.notice = status.text
            self._dial.look_around(True)
            return
        if status.state == "unseated" and not self.goal.table:
            self._enter_lobby().notice = f"your seat is no more: {status.text}"
            self._ask_for_tables()
            return
        if self.table is not None:
            self.table.receive(status, now)
        if status.state == "online" and status.rtt is None:
            self._online()
        elif self.lobby is not None and status.rtt is None:
            told = {"connecting": "connecting ...", "lost": f"LINK LOST: {status.text}"}
            self.lobby.link_text = told.get(status.state, "")

    def _online(self) -> None:
        """There is a connection: ask for what we came for, or for what we had."""
        self._dial.look_around(False)
        if self._watched is not None:
            self._dial.send(self._watched)
        elif self.table is not None:
            return  # the link sits down, or takes the seat back
        elif self.goal.is_watching and self.goal.table and not self._asked_at:
            self._asked_at = 1
            watch = msg.Watch(cid=0, table=self.goal.table, password=self.goal.password)
            self._dial.send(watch)
        else:
            self._ask_for_tables()

    def _ask_for_tables(self) -> None:
        lobby = self.lobby or self._enter_lobby()
        lobby.link_text = ""
        lobby.ask_for_tables()

    # what the player does

    def press(self, key: str, now: float) -> bool:
        """Do what the key does now; False if it does nothing."""
        at = self._at()
        if self._help:
            is_done = self._press_in_help(key)
        elif not isinstance(at, TableStage) and find(key, at.contexts()) is Action.HELP:
            self._help, self._scroll, is_done = True, 0, True
        else:
            if not isinstance(at, TableStage):
                at.notice = ""
            is_done = at.press(key, now)
        self._follow()
        return is_done

    def _press_in_help(self, key: str) -> bool:
        steps = {"up": -1, "down": 1, "pageup": -self._page, "pagedown": self._page}
        if key in steps:
            self._scroll = max(0, self._scroll + steps[key])
        elif find(key, self.contexts()) in (Action.CLOSE, Action.HELP, Action.INTERRUPT):
            self._help = False
        else:
            return False
        return True

    def paste(self, text: str) -> None:
        """Put text where text is typed."""
        at = self._at()
        if isinstance(at, TableStage):
            at.paste(text)
        elif at.field is not None:
            at.field.insert(text)
        elif isinstance(at, Lobby) and at.form is not None:
            at.form.paste(text)

    def click(self, target: str, now: float) -> bool:
        """Do what a click does: a key of the bar, a line of a list, or the table's."""
        kind, _, what = target.partition(":")
        at = self._at()
        if kind == "key" and not isinstance(at, TableStage):
            return self.press(" " if what == "space" else what, now)
        if isinstance(at, TableStage):
            is_done = at.click(target, now)
        elif kind == "row" and not self._help:
            at.click_row(int(what))
            is_done = True
        else:
            return False
        self._follow()
        return is_done

    def _follow(self) -> None:
        """Go where the player, or what came in, leads."""
        if self.table is not None and self.table.outcome is not None:
            self._left(self.table.outcome)
        elif self.lobby is not None and self.lobby.is_done:
            self._back_to_menu()
        elif self.lobby is not None and self.lobby.resume and self.server is not None:
            table, self.lobby.resume = self.lobby.resume, ""
            self._dial.go(self.server, table)
        elif self.menu.is_done and self.lobby is None and self.table is None:
            self.outcome = "quit"

    def _left(self, outcome: str) -> None:
        """A table was left: back to the lobby, if we came from there."""
        if self.goal.table or outcome == "kept":
            self.outcome = outcome
            return
        self._enter_lobby()
        self._ask_for_tables()

    def _back_to_menu(self) -> None:
        if self.goal.server is not None:
            self.outcome = "quit"
            return
        self._dial.hang_up()
        self.lobby = self.server = None
        self.menu.notice = ""
        self._dial.look_around(True)

    # what is shown

    def frame(self, cols: int, rows: int, now: float) -> list[Line]:
        """Draw whatever is shown."""
        at = self._at()
        if self._help:
            return self._help_frame(cols, rows)
        return at.frame(cols, rows, now) if isinstance(at, TableStage) else at.frame(cols, rows)

    def _help_frame(self, cols: int, rows: int) -> list[Line]:
        look = self.prefs.look
        lines = help_lines(cols, look)
        room = max(0, rows - 2)
        self._page = max(4, room - 2)
        self._scroll = min(self._scroll, max(0, len(lines) - room))
        shown = lines[self._scroll : self._scroll + room]
        blank = [fit([], cols)] * (room - len(shown))
        title = fit([("class:header", " Help")], cols)
        drawn = [title, *shown, *blank, keys_line(bar(self.contexts()), False, cols)][:rows]
        return [to_ascii(line) for line in drawn] if look.ascii else drawn

    def is_counting(self, now: float) -> bool:
        """Whether seconds run on the screen."""
        return self.table is not None and self.table.is_counting(now)

    def call(self) -> Call:
        """What wants the player's attention now."""
        return self.table.call() if self.table is not None else Call(title=TITLE)

    def job(self) -> Job | None:
        """What is to be searched next."""
        return self.table.job() if self.table is not None else None
