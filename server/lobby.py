"""All tables of a server, who may sit down where, and the one who watches the time."""

from __future__ import annotations

import logging
import math
from collections.abc import Collection

import trio

from hollywood.bots.loading import built_in_bot
from hollywood.protocol.errors import BotError, ErrorCode, RefusedError
from hollywood.protocol.rules import load_rules, rule_set_names
from hollywood.protocol.wire import is_name
from hollywood.protocol.wire import messages as m

from .config import HouseBot, ServerConfig, TableConfig
from .connection import PING_SECONDS, Connection
from .seating import Seat
from .table import Table

log = logging.getLogger("hollywood.server.lobby")


class TooOftenError(RefusedError):
    """Somebody did something too often; `wait` is in seconds."""

    default_code = ErrorCode.TOO_OFTEN

    def __init__(self, message: str, wait: float) -> None:
        super().__init__(message)
        self.wait = wait


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
        except TooOftenError as error:
            ref = getattr(message, "cid", None)
            connection.refuse(error, m.ErrorClass.LIMIT, ref, error.wait)
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
            case m.Create():
                self._create(connection, message)
            case m.Watch():
                self._let_watch(connection, message)
            case m.Chat(cid=cid, text=text):
                self._chat(connection, text)
                connection.send(m.Done(cid=cid))
            case m.Desync():
                table, seat = self._seated(connection)
                table.tell_anew(seat)
            case m.Ready(cid=cid):
                table, seat = self._seated(connection)
                connection.send(m.Done(cid=cid))
                table.ready(seat)
                self._watch(table)
            case m.Start(cid=cid):
                table, seat = self._seated(connection)
                table.start_now(seat)
                connection.send(m.Done(cid=cid))
                self._watch(table)
            case m.AddEntropy(cid=cid, hex=text):
                table, seat = self._seated(connection)
                connection.send(m.Done(cid=cid))
                table.add_entropy(seat, text)
                self._watch(table)
            case m.Order(cid=cid):
                table, seat = self._seated(connection)
                seat.order = message
                connection.send(m.Done(cid=cid))
            case m.Leave(cid=cid):
                self._leave(connection, cid)

    def _seated(self, connection: Connection) -> tuple[Table, Seat]:
        if connection.table is None or connection.seat is None:
            raise RefusedError("you sit at no table: join one first", ErrorCode.NOT_SEATED)
        return connection.table, connection.seat

    def _join(self, connection: Connection, message: m.Join) -> None:
        self._may_sit_down(connection)
        self._sit_down(connection, self._table_for(message.table), message.cid)

    def _may_sit_down(self, connection: Connection) -> None:
        self._may_watch(connection)
        if connection.watching is not None:
            raise RefusedError(
                f"you watch table {connection.watching.name!r}: leave it first",
                ErrorCode.ALREADY_SEATED,
            )

    def _may_watch(self, connection: Connection) -> None:
        if connection.table is not None:
            raise RefusedError(
                f"you sit at table {connection.table.name!r}: leave it first",
                ErrorCode.ALREADY_SEATED,
            )

    def _sit_down(self, connection: Connection, table: Table, cid: int) -> None:
        hello = connection.hello
        assert hello is not None, "the session lets nobody join before the hello"
        if hello.role is m.Role.WATCHER:
            raise RefusedError("you said you only watch", ErrorCode.NOT_SEATED)
        seat = table.join(connection, hello.name, hello.role.value, cid)
        connection.table, connection.seat = table, seat
        self._watch(table)

    def _create(self, connection: Connection, message: m.Create) -> None:
        self._may_sit_down(connection)
        existing = self.tables.get(message.table)
        if existing is not None and not existing.is_over:
            raise RefusedError(
                f"there is a table {message.table!r}: join it, or choose another name",
                ErrorCode.BAD_NAME,
            )
        if message.rules not in rule_set_names():
            raise RefusedError(
                f"this server has no rule set {message.rules!r}: {', '.join(rule_set_names())}",
                ErrorCode.UNKNOWN_RULE_SET,
            )
        rules = load_rules(message.rules)
        if not rules.players.min <= message.seats <= rules.players.max:
            raise RefusedError(
                f"{rules.title} is for {rules.players.min} to {rules.players.max} players",
                ErrorCode.BAD_RULE_SET,
            )
        if len(message.bots) >= message.seats:
            raise RefusedError("leave a seat for yourself", ErrorCode.TABLE_FULL)
        try:
            house = tuple(HouseBot(name, built_in_bot(name)) for name in message.bots)
        except BotError as error:
            raise RefusedError(str(error), ErrorCode.UNKNOWN_BOT) from None
        config = TableConfig(
            name=message.table,
            rules=rules,
            seats=message.seats,
            house=house,
            clocks=self._config.clocks,
            hints=message.hints,
            watchers=message.watchers,
            is_owned=True,
        )
        self._sit_down(connection, self._new_table(config), message.cid)

    def _let_watch(self, connection: Connection, message: m.Watch) -> None:
        table = self.tables.get(message.table)
        if table is None:
            raise RefusedError(
                f"there is no table {message.table!r} to watch", ErrorCode.NO_SUCH_TABLE
            )
        self._may_watch(connection)
        table.audience.watch(connection, message.cid, table.state)
        if connection.watching is not None and connection.watching is not table:
            connection.watching.audience.watchers.discard(connection)
        connection.watching = table

    def _chat(self, connection: Connection, text: str) -> None:
        table = connection.table or connection.watching
        if table is None or connection.hello is None:
            raise RefusedError("join or watch a table first", ErrorCode.NOT_SEATED)
        wait = connection.chat.take(trio.current_time())
        if wait:
            raise TooOftenError("you say too much; wait a moment", wait)
        name = connection.seat.name if connection.seat else connection.hello.name
        table.audience.say(connection.seat, name, text)

    def _leave(self, connection: Connection, cid: int) -> None:
        if connection.watching is not None:
            connection.watching.audience.watchers.discard(connection)
            connection.watching = None
            connection.send(m.Done(cid=cid))
            return
        table, seat = self._seated(connection)
        connection.table = connection.seat = None
        connection.send(m.Done(cid=cid))
        table.leave(seat)
        self._watch(table)

    def _table_for(self, name: str) -> Table:
        """Return the table of that name; a new one where there is none that goes on."""
        table = self.tables.get(name)
        if table is not None and not table.is_over:
            return table
        template = self._templates.get(name) or TableConfig(
            name=name, rules=self._config.rules, clocks=self._config.clocks
        )
        return self._new_table(template)

    def _new_table(self, config: TableConfig) -> Table:
        if not is_name(config.name):
            raise RefusedError(
                "a table's name has 1 to 24 letters, digits, spaces or _.'- "
                "and starts with a letter or digit",
                ErrorCode.BAD_NAME,
            )
        if config.name not in self.tables and len(self.tables) >= self._config.max_tables:
            raise RefusedError(
                "this server has no room for another table; join one that is there",
                ErrorCode.SERVER_FULL,
            )
        return self._open(config)

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
        if connection.watching is not None:
            connection.watching.audience.watchers.discard(connection)
            self._drop_if_done(connection.watching)
            connection.watching = None
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
        """Forget a table that nobody needs."""
        if not table.is_needed and self.tables.get(table.name) is table:
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

    async def ping(self, connections: Collection[Connection]) -> None:
        """Ask all clients for a sign of life, now and then, for ever."""
        while True:
            await trio.sleep(PING_SECONDS)
            for connection in list(connections):
                connection.ping()
            self.flush()

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
