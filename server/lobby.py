"""All tables of a server, who may sit down where, and the one who watches the time."""

from __future__ import annotations

import logging
import math

import trio

from hollywood.protocol.errors import ErrorCode, RefusedError
from hollywood.protocol.wire import is_name
from hollywood.protocol.wire import messages as m

from .config import ServerConfig, TableConfig
from .connection import Connection
from .seating import Seat
from .table import Table

log = logging.getLogger("hollywood.server.lobby")


class Lobby:
    """The tables by name, and the connections that are owed something."""

    def __init__(self, config: ServerConfig) -> None:
        self._config = config
        self._templates = {table.name: table for table in config.tables}
        self.tables: dict[str, Table] = {}
        self._owing: dict[Connection, None] = {}
        self._sleeps_until = math.inf
        self._alarm = trio.Event()
        for template in config.tables:
            self._open(template)

    def _open(self, template: TableConfig) -> Table:
        table = self.tables[template.name] = Table(template, trio.current_time)
        return table

    # what connections bring

    def handle(self, connection: Connection, message: m.Message) -> None:
        """Do what a client asks; a fault in one table ends that table only."""
        table = connection.table
        try:
            self._do(connection, message)
        except RefusedError as error:
            ref = getattr(message, "cid", None)
            connection.refuse(error, m.ErrorClass.STATE, ref)
        except Exception:  # noqa: BLE001 - the table boundary; _abort logs it
            self._abort(table or connection.table)

    def _do(self, connection: Connection, message: m.Message) -> None:
        match message:
            case m.Join():
                self._join(connection, message)
            case m.ListTables(cid=cid):
                tables = tuple(table.info for table in self.tables.values())
                connection.send(m.Tables(cid=cid, tables=tables))
            case m.AnswerDecision():
                table, seat = self._seated(connection)
                table.answer(seat, message)
                self._watch(table)
            case m.Ready():
                table, seat = self._seated(connection)
                table.ready(seat)
                self._watch(table)
            case m.Leave():
                table, seat = self._seated(connection)
                connection.table = connection.seat = None
                table.leave(seat)
                self._watch(table)

    def _seated(self, connection: Connection) -> tuple[Table, Seat]:
        if connection.table is None or connection.seat is None:
            raise RefusedError("you sit at no table: join one first", ErrorCode.NOT_SEATED)
        return connection.table, connection.seat

    def _join(self, connection: Connection, message: m.Join) -> None:
        hello = connection.hello
        assert hello is not None, "the session lets nobody join before the hello"
        if connection.seat is not None and connection.table is not None:
            raise RefusedError(
                f"you sit at table {connection.table.name!r}: leave it first",
                ErrorCode.ALREADY_SEATED,
            )
        table = self._table_for(message.table)
        seat = table.join(connection, hello.name, hello.role.value, message.cid)
        connection.table, connection.seat = table, seat
        self._watch(table)

    def _table_for(self, name: str) -> Table:
        """Return the table of that name; a new one where there is none that goes on."""
        table = self.tables.get(name)
        if table is not None and not table.is_over:
            return table
        if not is_name(name):
            raise RefusedError(
                "a table's name has 1 to 24 letters, digits, spaces or _.'- "
                "and starts with a letter or digit",
                ErrorCode.BAD_NAME,
            )
        if table is None and len(self.tables) >= self._config.max_tables:
            raise RefusedError(
                "this server has no room for another table; join one that is there",
                ErrorCode.SERVER_FULL,
            )
        template = self._templates.get(name) or TableConfig(
            name=name, rules=self._config.rules, clocks=self._config.clocks
        )
        return self._open(template)

    def take_back(self, connection: Connection, token: str, resume: m.Resume) -> None:
        """Give a seat back by its token, or say why not and go on without a seat."""
        table = self.tables.get(resume.table)
        try:
            if table is None:
                raise RefusedError(
                    f"there is no table {resume.table!r} any more: join anew",
                    ErrorCode.NO_SUCH_TABLE,
                )
            connection.seat = table.take_back(connection, token, resume.seq)
            connection.table = table
            self._watch(table)
        except RefusedError as error:
            connection.refuse(error, m.ErrorClass.AUTH, None)
        except Exception:  # noqa: BLE001 - the table boundary; _abort logs it
            self._abort(table)

    def forget(self, connection: Connection) -> None:
        """The connection is gone; its seat is kept for a while."""
        self._owing.pop(connection, None)
        table, seat = connection.table, connection.seat
        if table is None or seat is None:
            return
        connection.table = connection.seat = None
        try:
            table.lost(seat, connection)
            self._watch(table)
        except Exception:  # noqa: BLE001 - the table boundary; _abort logs it
            self._abort(table)
        self._drop_if_done(table)
        self.flush()

    def _drop_if_done(self, table: Table) -> None:
        """Forget a table that nobody needs: over or never begun, and deserted."""
        is_idle = table.is_over or table.state is None
        if is_idle and table.is_deserted and self.tables.get(table.name) is table:
            if table.name in self._templates:
                self._open(self._templates[table.name])
            else:
                del self.tables[table.name]

    def _abort(self, table: Table | None) -> None:
        """The table boundary: whatever went wrong in there, the others play on."""
        log.exception("table %s is closed after a fault", table.name if table else "?")
        if table is not None:
            table.abort()
            if self.tables.get(table.name) is table:
                del self.tables[table.name]

    # writing: once for everybody after each thing that happened

    def owes(self, connection: Connection) -> None:
        """The connection has something to write."""
        self._owing[connection] = None

    def flush(self) -> None:
        """Write what every connection is owed."""
        owing, self._owing = self._owing, {}
        for connection in owing:
            connection.flush()

    # time

    def _watch(self, table: Table) -> None:
        if table.next_deadline() < self._sleeps_until:
            self._alarm.set()

    async def sweep(self) -> None:
        """Wake the tables whose time has come, for ever."""
        while True:
            self._alarm = trio.Event()
            tables = list(self.tables.values())
            self._sleeps_until = min((t.next_deadline() for t in tables), default=math.inf)
            with trio.move_on_at(self._sleeps_until):
                await self._alarm.wait()
            await trio.lowlevel.checkpoint()
            now = trio.current_time()
            for table in list(self.tables.values()):
                if table.next_deadline() <= now:
                    try:
                        table.tick()
                    except Exception:  # noqa: BLE001 - the table boundary; _abort logs it
                        self._abort(table)
                    self._drop_if_done(table)
            self.flush()
