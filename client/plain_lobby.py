"""The tables of a server in words: which there are, and how to come to one."""

from __future__ import annotations

from collections.abc import Callable

from hollywood.protocol.wire import ClientMessage, ServerMessage, is_name
from hollywood.protocol.wire import messages as msg

from .model import ClientModel
from .plain_words import count
from .text import printable


class PlainLobby:
    """What can be done before one sits or watches at a table.

    Args:
        model: What is known of the table; none is known here.
        say: Takes each line of output.
        deliver: Sends a message; False if that did not work, which was said.
        password: Of the table that is meant.
    """

    def __init__(
        self,
        model: ClientModel,
        say: Callable[[str], None],
        deliver: Callable[[ClientMessage], bool],
        password: str = "",
    ) -> None:
        self._model = model
        self._say = say
        self._deliver = deliver
        self._password = password
        self.is_asked = False
        """Whether the player is to choose: the tables were said, and nothing is under way."""

    def ask(self) -> None:
        """Ask which tables there are."""
        if not self._is_taken():
            self._send(msg.ListTables(cid=self._model.next_cid()))

    def _send(self, message: ClientMessage) -> None:
        self.is_asked = not self._deliver(message)

    def receive(self, message: ServerMessage) -> None:
        """Take in what the server answers."""
        if isinstance(message, msg.Tables):
            self._tell(message)
        elif isinstance(message, msg.Error):
            self.is_asked = True

    def _tell(self, message: msg.Tables) -> None:
        """Say which tables there are, and what may be typed."""
        self.is_asked = True
        for table in message.tables:
            self._say(_table_line(table))
        if not message.tables:
            self._say("There is no table yet.")
        self._say("Type sit and a table's name; a name that is new makes a table. Or watch a name.")

    def sit(self, rest: str) -> None:
        """Take a seat at the table of that name."""
        if (name := self._named(rest)) is not None:
            cid = self._model.next_cid()
            self._send(msg.Join(cid=cid, table=name, password=self._password))

    def watch(self, rest: str) -> None:
        """Watch the table of that name."""
        if (name := self._named(rest)) is not None:
            cid = self._model.next_cid()
            self._send(msg.Watch(cid=cid, table=name, password=self._password))

    def set_password(self, rest: str) -> None:
        """Say the password of the table that will be named."""
        self._password = rest
        self._say("The next table is asked with that password." if rest else "No password.")

    def _named(self, rest: str) -> str | None:
        if self._is_taken():
            return None
        if not is_name(rest):
            self._say("Name a table: 1 to 24 letters, digits, spaces or _.'-, as in sit den.")
            return None
        return rest

    def _is_taken(self) -> bool:
        if self._model.view is None:
            return False
        self._say("You are at a table: quit leaves it.")
        return True


def _table_line(table: msg.TableInfo) -> str:
    state = "has begun" if table.has_started else f"{count(table.free, 'seat')} free"
    locked = ", needs a password" if table.locked else ""
    watched = "" if table.watchers else ", cannot be watched"
    seats = count(table.seats, "seat")
    return (
        f"Table {printable(table.name)}: {printable(table.rules)}, {seats}, {state}"
        f"{locked}{watched}."
    )
