"""The lobby of a server: its tables, to be joined, watched, or made."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from hollywood.protocol.wire import messages as msg

from .field import Field
from .form import Form
from .keys import Action, Context, find
from .listing import ListScreen, chosen_row, list_frame
from .prefs import Prefs
from .text import Line, fit, line_width, pad, printable, wrap


class Lobby(ListScreen):
    """The tables of one server.

    Args:
        prefs: What the player likes.
        address: The server's, for the title.
        send: Queues a message without blocking; False if there is no connection.
        bots: Names of house bots, for new tables.
    """

    def __init__(
        self,
        prefs: Prefs,
        address: str,
        send: Callable[[msg.ClientMessage], bool],
        bots: tuple[str, ...] = ("greedy",),
    ) -> None:
        super().__init__(prefs)
        self.address = address
        self.tables: dict[str, msg.TableInfo] = {}
        self.form: Form | None = None
        self.link_text = ""
        """How the connection is doing, "" if well."""
        self.resumable: frozenset[str] = frozenset()
        """Tables at which a seat of ours is kept."""
        self.resume: str = ""
        """The table whose seat is to be taken back; whoever runs the lobby does it."""
        self._send = send
        self._bots = bots
        self._cid = 0
        self._is_listed = False
        self._asked: msg.Join | msg.Watch | None = None
        """What waits for a password."""

    # what the server says

    def receive(self, message: msg.ServerMessage) -> None:
        """Take in what is said of the tables, or why something cannot be done."""
        before = [info.name for info in self.rows()]
        match message:
            case msg.Tables(tables=tables):
                self.tables = {info.name: info for info in tables}
                self._is_listed = True
            case msg.TablesChanged(tables=tables, gone=gone):
                self.tables.update((info.name, info) for info in tables)
                for name in gone:
                    self.tables.pop(name, None)
            case msg.Notice(text=text) | msg.Error(text=text):
                (self.form or self).notice = printable(text)
        self._stay_at(before[self.index] if self.index < len(before) else "")

    def _stay_at(self, name: str) -> None:
        """Keep the same table chosen: lines may have come, gone or moved."""
        after = [info.name for info in self.rows()]
        last = max(0, len(after) - 1)
        self.index = after.index(name) if name in after else min(self.index, last)

    def rows(self) -> list[msg.TableInfo]:
        """The tables in order: those with a seat to take first."""
        return sorted(
            self.tables.values(),
            key=lambda info: (
                info.name not in self.resumable,
                not info.free or info.has_started,
                _by_number(info.name.casefold()),
            ),
        )

    def ask_for_tables(self) -> None:
        """Ask for the list, and for what changes in it."""
        self._send(msg.ListTables(cid=self._next_cid(), follow=True))

    def _next_cid(self) -> int:
        self._cid += 1
        return self._cid

    # keys

    def contexts(self) -> frozenset[Context]:
        """The contexts whose keys work now."""
        if self.field is not None:
            here = Context.TEXT
        else:
            here = Context.LOBBY if self.form is None else Context.FORM
        return frozenset({here, Context.ALWAYS})

    def press(self, key: str, _now: float) -> bool:
        """Do what the key does now; False if it does nothing."""
        return super().press(key, _now) if self.form is None else self._press_in_form(key)

    def do(self, action: Action | None) -> bool:
        """Do what a key means; False if that is nothing here."""
        match action:
            case Action.WATCH:
                self._watch()
            case Action.CREATE:
                self.form, self.notice = Form(self.prefs, self._bots), ""
            case _:
                return super().do(action)
        return True

    def click_row(self, number: int) -> None:
        """Choose a line; a second click opens it."""
        if self.form is not None:
            self.form.index = number
        else:
            super().click_row(number)

    def _press_in_form(self, key: str) -> bool:
        form = self.form
        assert form is not None, "a table is described"
        action = find(key, self.contexts())
        if action in (Action.BACK, Action.INTERRUPT):
            self.form = None
            return True
        if action is not Action.OPEN:
            return form.press(key, action)
        message = form.message(self._next_cid())
        if isinstance(message, str):
            form.notice = message
        else:
            form.notice = "asking the server ..." if self._ask(message) else self.notice
        return True

    def _chosen(self) -> msg.TableInfo | None:
        rows = self.rows()
        if not rows:
            self.notice = "there is no table to choose: c makes one"
            return None
        return rows[min(self.index, len(rows) - 1)]

    def open_row(self) -> None:
        """Sit down at the chosen table, or take a seat back that is kept there."""
        table = self._chosen()
        if table is None:
            return
        if table.name in self.resumable:
            self.notice, self.resume = f"taking your seat at {table.name} back ...", table.name
        elif not table.free or table.has_started:
            self.notice = f"{table.name} has no seat to take; w watches"
        else:
            self._enter(msg.Join(cid=self._next_cid(), table=table.name), table)

    def _watch(self) -> None:
        table = self._chosen()
        if table is None:
            return
        if not table.watchers:
            self.notice = f"{table.name} may not be watched"
        else:
            self._enter(msg.Watch(cid=self._next_cid(), table=table.name), table)

    def _enter(self, message: msg.Join | msg.Watch, table: msg.TableInfo) -> None:
        if table.locked:
            self._asked = message
            self.type(f"password of {table.name}", Field(limit=64, is_secret=True))
        else:
            self._ask(message)

    def submit(self, text: str) -> None:
        """Take the password of a table."""
        asked, self.field, self._asked = self._asked, None, None
        if asked is not None:
            self._ask(replace(asked, password=text))

    def _ask(self, message: msg.ClientMessage) -> bool:
        is_sent = self._send(message)
        self.notice = "" if is_sent else "not connected: nothing was sent"
        return is_sent

    # the screen

    def frame(self, cols: int, rows: int) -> list[Line]:
        """Draw the screen."""
        title = f"Tables at {self.address}"
        if self.link_text:
            title += f"   {self.link_text}"
        if self.form is not None:
            return self.form.frame(self.contexts(), cols, rows)
        tables = self.rows()
        lines = [
            chosen_row(self._cells(info, cols), i, is_chosen=i == self.index, cols=cols)
            for i, info in enumerate(tables)
        ]
        if not lines:
            told = "no tables yet: c makes one" if self._is_listed else "asking for the tables ..."
            lines = [fit([("class:dim", f"  {told}")], cols)]
        name = pad("table", 24 if cols >= 60 else 14)
        head = [fit([("class:dim", f"  {name} {pad('rules', _rules_width(cols))} seats")], cols)]
        look = self.prefs.look
        foot = self._in_full(tables[self.index], cols) if tables else []
        return list_frame(title, lines, self, self.contexts(), cols, rows, look, head, foot)

    def _in_full(self, info: msg.TableInfo, cols: int) -> list[Line]:
        """The chosen table once more, where its line was too narrow for it."""
        if line_width(self._cells(info, cols)) + 2 <= cols:
            return []
        text = f"{printable(info.name)}: {self._notes(info)}"
        return [fit([("class:dim", f" {line}")], cols) for line in wrap(text, cols - 2)]

    def _cells(self, info: msg.TableInfo, cols: int) -> Line:
        name = pad(printable(info.name), 24 if cols >= 60 else 14)
        rules = pad(printable(info.rules), _rules_width(cols))
        return [("", name), ("class:dim", f" {rules} {self._notes(info)}")]

    def _notes(self, info: msg.TableInfo) -> str:
        if info.name in self.resumable:
            return "your seat is kept: Enter takes it back"
        notes = [
            f"{info.free} of {info.seats} free" if info.free else f"{info.seats}, all taken",
            "playing" if info.has_started else "",
            "password" if info.locked else "",
            "sealed" if info.timing is msg.Timing.SEALED else "",
            "" if info.watchers else "no watching",
        ]
        return ", ".join(note for note in notes if note)


def _by_number(name: str) -> list[tuple[int, str]]:
    """Order names as people do: table 2 before table 11."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(int(part), "") if part[0] in "0123456789" else (-1, part) for part in parts]


def _rules_width(cols: int) -> int:
    return 16 if cols >= 60 else 9
