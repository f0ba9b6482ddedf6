"""All tables of a server, the one who watches the time, and the one who writes it down."""

from __future__ import annotations

import logging
import math
import secrets
import time
from collections.abc import Callable, Collection
from functools import partial
from itertools import count, cycle
from typing import TypeVar

import msgspec
import trio

from hollywood.protocol.errors import ErrorCode, RefusedError, StoreError
from hollywood.protocol.rules import Action
from hollywood.protocol.rules.dealing import SEED_SIZE
from hollywood.protocol.wire import is_name
from hollywood.protocol.wire import messages as m

from . import requests
from .config import ServerConfig, TableConfig
from .connection import PING_SECONDS, Connection
from .journal import InThread, Journal
from .limits import AddressBook, TooOftenError
from .metrics import Metrics
from .readiness import Readiness
from .restore import restore, stored
from .sitters import Work
from .store import Result
from .table import Table

_slow = trio.CapacityLimiter(2)
"""Passwords and rule-set files keep two threads busy at the most, and never the journal's."""

_PORTIONS = 40
"""Connections are pinged in so many portions, one after the other."""

LIST_SECONDS = 1.0
"""How often those who follow the list of tables are told what is new."""

T = TypeVar("T")
_Pondered = tuple[Table, Work, Callable[[Action], None]]
log = logging.getLogger("hollywood.server.lobby")


class Lobby:
    """The tables by name, and the connections that are owed something."""

    def __init__(
        self,
        config: ServerConfig,
        journal: Journal | None = None,
        in_thread: InThread | None = None,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self.config = config
        self.addresses = AddressBook(config.limits)
        self.metrics = Metrics()
        self.tables: dict[str, Table] = {}
        self.is_draining = False
        self.readiness: Readiness | None = None
        """Watches the sockets of all connections, where there are any."""
        self._journal = journal
        self._in_thread = in_thread or partial(trio.to_thread.run_sync, limiter=_slow)
        self._wall_clock = wall_clock
        self._games: dict[Table, int] = {}
        """What each table's game is called in the store."""
        self._ended: set[Table] = set()
        """Tables whose end the journal has."""
        self._templates = {table.name: table for table in config.tables}
        self.numbers = count()
        """For connections, one after the other."""
        self._owing: dict[Connection, None] = {}
        self._has_owing = trio.Event()
        self._followers: dict[Connection, dict[str, m.TableInfo]] = {}
        self._sleeps_until = math.inf
        self._alarm = trio.Event()
        self._pondering, self._to_ponder = trio.open_memory_channel[_Pondered](math.inf)
        if journal is not None:
            self._restore(journal)
        for template in config.tables:
            if template.name not in self.tables:
                self._open(template)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Run something that blocks for a while."""
        return await self._in_thread(work)

    # tables

    def _open(self, config: TableConfig) -> Table:
        old = self.tables.get(config.name)
        if old is not None:
            self._forget_game(old)
        clock = trio.current_time
        if self._journal is None:
            table = Table(config, clock)
        else:
            seed = config.seed or secrets.token_bytes(SEED_SIZE)
            game = self._journal.open(stored(config), seed)
            note = partial(self._journal.note, game)
            table = Table(config, clock, note, seed, self._journal.store.shelf)
            self._games[table] = game
        self._keep(table)
        if table.next_deadline() < self._sleeps_until:
            self._alarm.set()
        return table

    def _keep(self, table: Table) -> None:
        self.tables[table.name] = table
        table.referee.stood_in = self._count_stand_in
        table.referee.ponder = partial(self._ponder, table)

    def _ponder(self, table: Table, work: Work, then: Callable[[Action], None]) -> None:
        self._pondering.send_nowait((table, work, then))

    async def think_for_bots(self) -> None:
        """Let bots that are not quick think in threads, for ever; a few at a time."""
        while True:
            await self._think(*await self._to_ponder.receive())

    async def _think(self, table: Table, work: Work, then: Callable[[Action], None]) -> None:
        action = await self._in_thread(work)
        try:
            then(action)
            self.touched(table)
        except Exception:  # noqa: BLE001 - the table boundary; _abort logs it
            self._abort(table)
        self.flush()

    def _count_stand_in(self) -> None:
        self.metrics.stand_ins += 1

    def knows(self, name: str) -> bool:
        """Whether there is a table of that name, or one that is opened for who joins it."""
        return name in self.tables or name in self._templates

    def table_for(self, name: str) -> Table:
        """Return the table of that name; a new one where there is none that goes on."""
        table = self.tables.get(name)
        if table is not None and not table.is_over:
            return table
        template = self._templates.get(name) or TableConfig(
            name=name, rules=self.config.rules, clocks=self.config.clocks
        )
        return self.new_table(template)

    def new_table(self, config: TableConfig, *, keeps_seed: bool = True) -> Table:
        """Open a table.

        Raises:
            RefusedError: it cannot be called that, or there are too many.
        """
        if self.is_draining:
            raise RefusedError(
                "this server is about to stop and opens no new tables", ErrorCode.DRAINING
            )
        if not is_name(config.name):
            raise RefusedError(
                "a table's name has 1 to 24 letters, digits, spaces or _.'- "
                "and starts with a letter or digit",
                ErrorCode.BAD_NAME,
            )
        if config.name not in self.tables and len(self.tables) >= self.config.max_tables:
            raise RefusedError(
                "this server has no room for another table; join one that is there",
                ErrorCode.SERVER_FULL,
            )
        if not keeps_seed:
            config = msgspec.structs.replace(config, seed=None)
        return self._open(config)

    def touched(self, table: Table) -> None:
        """Something happened at a table: note its end, and when it wants to be woken."""
        if table.is_over and table not in self._ended:
            self._note_end(table)
        if table.next_deadline() < self._sleeps_until:
            self._alarm.set()

    def _note_end(self, table: Table) -> None:
        self._ended.add(table)
        self.metrics.games_finished += table.is_rated
        if table.referee.is_abandoned:
            text = "everybody has left, so the game is over; it does not count"
            table.audience.tell(m.Notice(code=ErrorCode.ABANDONED, text=text))
        if self._journal is None or table not in self._games or table.state is None:
            return
        result = _result(table, self._games[table], self._wall_clock())
        events = tuple(table.audience.events)
        record = partial(table.referee.game.record, result.players, events)
        self._journal.end(result, record)

    def _drop_if_done(self, table: Table) -> None:
        """Forget a table that nobody needs."""
        if table.is_needed:
            return
        if self.tables.get(table.name) is table:
            if table.name in self._templates:
                self._open(self._templates[table.name])
                return
            del self.tables[table.name]
        self._forget_game(table)

    def _forget_game(self, table: Table) -> None:
        self._ended.discard(table)
        game = self._games.pop(table, None)
        if game is not None and self._journal is not None:
            self._journal.forget(game)

    def _restore(self, journal: Journal) -> None:
        """Bring back the tables whose games go on, or have just ended."""
        alive = journal.store.last_alive()
        for game in journal.store.unfinished():
            note = partial(journal.note, game.game)
            try:
                table = restore(game, trio.current_time, note, alive, journal.store.shelf)
            except StoreError as error:
                log.error("%s", error)
                journal.store.set_aside(game.game)
                continue
            if table.state is None:
                journal.forget(game.game)
                continue
            self._keep(table)
            self._games[table] = game.game
            if table.is_over and journal.store.has_result(game.game):
                self._ended.add(table)
            log.info("table %s goes on: %d events", table.name, len(table.audience.events))

    def _abort(self, table: Table | None) -> None:
        """The table boundary: whatever went wrong in there, the others play on."""
        log.exception("table %s is closed after a fault", table.name if table else "?")
        if table is not None:
            table.abort()
            if self.tables.get(table.name) is table:
                del self.tables[table.name]
            self._forget_game(table)

    # what connections bring

    def handle(self, connection: Connection, message: m.Message) -> requests.Later | None:
        """Do what a client asks; a fault in one table ends that table only."""
        table = connection.table
        try:
            later = requests.handle(self, connection, message)
        except RefusedError as error:
            self._refuse(connection, message, error)
        except Exception:  # noqa: BLE001 - the table boundary; _abort logs it
            self._abort(table or connection.table)
        else:
            if later is not None:
                return partial(self._finish, connection, message, later)
        return None

    async def _finish(
        self, connection: Connection, message: m.Message, later: requests.Later
    ) -> None:
        """Do the rest of a request that takes its time."""
        try:
            await later()
        except RefusedError as error:
            self._refuse(connection, message, error)
        except Exception:  # noqa: BLE001 - the table boundary; _abort logs it
            self._abort(connection.table)

    def _refuse(self, connection: Connection, message: m.Message, error: RefusedError) -> None:
        ref = getattr(message, "cid", None)
        if isinstance(error, TooOftenError):
            connection.refuse(error, m.ErrorClass.LIMIT, ref, error.wait)
        elif error.code is ErrorCode.BAD_PASSWORD:
            connection.refuse(error, m.ErrorClass.AUTH, ref)
        else:
            connection.refuse(error, m.ErrorClass.STATE, ref)

    def take_back(self, connection: Connection, token: str, resume: m.Resume) -> None:
        """Give a seat back by its token, or say why not and go on without a seat."""
        table = self.tables.get(resume.table)
        try:
            self.addresses.guess(connection.address, trio.current_time())
            if table is None:
                raise RefusedError(
                    f"there is no table {resume.table!r} any more: join anew",
                    ErrorCode.NO_SUCH_TABLE,
                )
            connection.seat = table.take_back(connection, token, resume.seq)
            connection.table = table
            self.addresses.guessed_right(connection.address, trio.current_time())
            self.metrics.resumes += 1
            self.touched(table)
        except RefusedError as error:
            wait = error.wait if isinstance(error, TooOftenError) else 0.0
            connection.refuse(error, m.ErrorClass.AUTH, None, wait)
        except Exception:  # noqa: BLE001 - the table boundary; _abort logs it
            self._abort(table)

    def forget(self, connection: Connection) -> None:
        """The connection is gone; its seat is kept for a while."""
        self._owing.pop(connection, None)
        self.unfollow(connection)
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
            self.touched(table)
        except Exception:  # noqa: BLE001 - the table boundary; _abort logs it
            self._abort(table)
        self._drop_if_done(table)
        self.flush()

    # the list of tables

    def tell_tables(self, connection: Connection, message: m.ListTables) -> None:
        """Answer a list, and go on telling what changes if that is wanted."""
        tables = tuple(table.info for table in self.tables.values())
        connection.send(m.Tables(cid=message.cid, tables=tables))
        if message.follow:
            self._followers[connection] = {info.name: info for info in tables}
        else:
            self.unfollow(connection)

    def unfollow(self, connection: Connection) -> None:
        """Stop telling a connection what changes."""
        self._followers.pop(connection, None)

    async def tell_changes(self) -> None:
        """Tell those who follow the list what is new, now and then, for ever."""
        while True:
            await trio.sleep(LIST_SECONDS)
            if self._followers:
                self._tell_followers()

    def _tell_followers(self) -> None:
        now = {table.name: table.info for table in self.tables.values()}
        for connection, before in self._followers.items():
            changed = tuple(info for name, info in now.items() if before.get(name) != info)
            gone = tuple(name for name in before if name not in now)
            if changed or gone:
                connection.send(m.TablesChanged(tables=changed, gone=gone))
                self._followers[connection] = now
        self.flush()

    # writing: once for everybody after each thing that happened. What runs for ever keeps
    # no table and no connection in its own variables: one that is over would live on there.

    def owes(self, connection: Connection) -> None:
        """The connection has something to write."""
        self._owing[connection] = None

    def flush(self) -> None:
        """Have written what connections are owed: soon, or when the journal allows it."""
        if self._journal is not None and self._journal.holds:
            self._journal.wake()
        elif self._owing:
            self._has_owing.set()

    async def write_out(self) -> None:
        """Write what connections are owed, for ever.

        This runs after all that was readable has been handled, so what several answers
        lead to leaves in one write for each connection; writes are what costs most.
        """
        while True:
            await self._has_owing.wait()
            self._has_owing = trio.Event()
            if self._journal is None or not self._journal.holds:
                self._write_owed()

    def _write_owed(self) -> None:
        owing, self._owing = self._owing, {}
        for connection in owing:
            connection.release()
            connection.flush()

    async def write_journal(self) -> None:
        """Commit what was noted, then release what it led to, for ever.

        Raises:
            StoreError: the store cannot be written; nobody has heard anything of what
                was not, and nobody will.
        """
        journal = self._journal
        assert journal is not None, "there is a journal to write"
        while True:
            await journal.wait()
            await self._commit(journal)

    async def _commit(self, journal: Journal) -> None:
        owing, self._owing = self._owing, {}
        released = [(connection, connection.owed) for connection in owing]
        began = time.perf_counter()
        tables = await journal.commit()
        if tables:
            self.metrics.commit_seconds.observe(time.perf_counter() - began)
            self.metrics.commit_group.observe(tables)
        for connection, size in released:
            connection.release(size)
            connection.flush()
        if self._owing or journal.holds:
            journal.wake()

    async def settled(self) -> bool:
        """Wait until all that was noted is durable; whether it could be made so."""
        while self._journal is not None and self._journal.holds:
            if self._journal.is_broken:
                return False
            self._journal.wake()
            await self._journal.committed()
        return True

    def close_all(self, connections: Collection[Connection], code: ErrorCode, text: str) -> None:
        """Tell everybody why it is over, and close."""
        for connection in list(connections):
            connection.close(m.Error(code=code, klass=m.ErrorClass.STATE, text=text, fatal=True))

    @property
    def has_games(self) -> bool:
        """Whether a game is played at some table."""
        return any(table.referee.is_running for table in self.tables.values())

    def announce(self, text: str) -> int:
        """Tell everybody at every table something; return how many that are."""
        notice = m.Notice(code="announcement", text=text)
        links = [link for table in self.tables.values() for link in table.audience.links()]
        for link in links:
            link.send(notice)
        self.flush()
        return len(links)

    # time

    async def ping(self, connections: Collection[Connection]) -> None:
        """Ask each client for a sign of life, now and then, for ever.

        A few at a time: thousands of pings, and their pongs, would be in the way of
        everybody's answers for a quarter of a second.
        """
        for portion in cycle(range(_PORTIONS)):
            await trio.sleep(PING_SECONDS / _PORTIONS)
            for connection in [c for c in connections if c.number % _PORTIONS == portion]:
                connection.ping()
            self.flush()

    async def sweep(self) -> None:
        """Wake the tables whose time has come, for ever."""
        while True:
            self._alarm = trio.Event()
            self._sleeps_until = min(
                (table.next_deadline() for table in self.tables.values()), default=math.inf
            )
            with trio.move_on_at(self._sleeps_until):
                await self._alarm.wait()
            await trio.lowlevel.checkpoint()
            self._wake_tables(trio.current_time())

    def _wake_tables(self, now: float) -> None:
        for table in list(self.tables.values()):
            if table.next_deadline() <= now:
                try:
                    table.tick()
                    self.touched(table)
                except Exception:  # noqa: BLE001 - the table boundary; _abort logs it
                    self._abort(table)
                self._drop_if_done(table)
        self.flush()


def _result(table: Table, game: int, ended_at: float) -> Result:
    state = table.state
    assert state is not None, "a game that has begun"
    return Result(
        game=game,
        table=table.name,
        rules=table.config.rules.name,
        rules_hash=table.config.rules.hash,
        ended_at=ended_at,
        is_finished=table.is_rated,
        players=tuple(seat.name for seat in table.seats),
        kinds=tuple(seat.kind for seat in table.seats),
        scores=state.totals(),
        winners=state.winners,
        deals=len(state.scores),
    )
