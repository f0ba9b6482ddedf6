"""What clients ask for: each request checked, and passed on to its table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import trio

from hollywood.bots.loading import built_in_bot
from hollywood.protocol.errors import BotError, ErrorCode, RefusedError, RuleSetError
from hollywood.protocol.rules import RuleSet, load_rules, rule_set_names
from hollywood.protocol.rules.rulefiles import rules_from_upload
from hollywood.protocol.wire import messages as m

from .config import Clocks, HouseBot, TableConfig
from .limits import TooOftenError
from .passwords import hash_password, is_password
from .seating import Seat
from .table import Table

if TYPE_CHECKING:
    from .connection import Connection
    from .lobby import Lobby

_SHORTEST_SECRET = 16
_AT_FAULT = (m.VerdictStatus.REJECTED, m.VerdictStatus.NOT_YOURS)
"""What only a program at fault gets often; to be late is none."""

Later = Callable[[], Awaitable[None]]
"""The rest of a request that takes its time; the connection's next one waits for it."""


def handle(lobby: Lobby, connection: Connection, message: m.Message) -> Later | None:
    """Do what a client asks.

    Raises:
        RefusedError: it cannot be done.
    """
    if not isinstance(message, m.AnswerDecision):
        wait = connection.commands.take(trio.current_time())
        if wait:
            raise TooOftenError("too many commands: wait a moment", wait)
    match message:
        case m.AnswerDecision():
            _answer(lobby, connection, message)
        case m.Join():
            return _join(lobby, connection, message)
        case m.Create():
            return _create(lobby, connection, message)
        case m.Watch():
            return _watch(lobby, connection, message)
        case m.ListTables():
            lobby.tell_tables(connection, message)
        case m.Desync():
            table, seat = _seated(connection)
            table.tell_anew(seat)
        case m.Leave(cid=cid):
            _leave(lobby, connection, cid)
        case m.Rematch():
            _rematch(lobby, connection, message)
        case m.Chat() | m.Ready() | m.Start() | m.AddEntropy() | m.Order() | m.Moderate():
            _command(lobby, connection, message)
    return None


def _command(
    lobby: Lobby,
    connection: Connection,
    message: m.Chat | m.Ready | m.Start | m.AddEntropy | m.Order | m.Moderate,
) -> None:
    """Do something at the connection's table and say that it is done."""
    if isinstance(message, m.Chat):
        _chat(connection, message.text)
        connection.send(m.Done(cid=message.cid))
        return
    table, seat = _seated(connection)
    match message:
        case m.Start():
            table.start_now(seat)
            connection.send(m.Done(cid=message.cid))
        case m.Moderate():
            table.moderate(seat, message)
            connection.send(m.Done(cid=message.cid))
        case m.Ready():
            connection.send(m.Done(cid=message.cid))
            table.referee.ready(seat)
        case m.AddEntropy(hex=text):
            connection.send(m.Done(cid=message.cid))
            table.add_entropy(seat, text)
        case m.Order():
            table.take_order(seat, message)
            connection.send(m.Done(cid=message.cid))
    lobby.touched(table)


def _seated(connection: Connection) -> tuple[Table, Seat]:
    if connection.table is None or connection.seat is None:
        raise RefusedError("you sit at no table: join one first", ErrorCode.NOT_SEATED)
    return connection.table, connection.seat


def _answer(lobby: Lobby, connection: Connection, message: m.AnswerDecision) -> None:
    table, seat = _seated(connection)
    verdict = table.referee.answer(seat, message)
    lobby.metrics.verdicts[verdict.status, verdict.code] += 1
    if verdict.status in _AT_FAULT:
        wait = connection.refused.take(trio.current_time())
        if wait:
            connection.close_for(
                ErrorCode.TOO_OFTEN, "too many answers that cannot be: your program is at fault"
            )
    lobby.touched(table)


# sitting down


def _may_sit_down(connection: Connection) -> None:
    _may_watch(connection)
    if connection.watching is not None:
        raise RefusedError(
            f"you watch table {connection.watching.name!r}: leave it first",
            ErrorCode.ALREADY_SEATED,
        )
    if connection.role is m.Role.WATCHER:
        raise RefusedError("you said you only watch", ErrorCode.NOT_SEATED)


def _may_watch(connection: Connection) -> None:
    if connection.table is not None:
        raise RefusedError(
            f"you sit at table {connection.table.name!r}: leave it first",
            ErrorCode.ALREADY_SEATED,
        )


def _join(lobby: Lobby, connection: Connection, message: m.Join) -> Later | None:
    _may_sit_down(connection)
    if message.password and not lobby.knows(message.table):
        raise RefusedError(
            f"there is no table {message.table!r} whose password that could be: look for its "
            "name, or join without a password to open a table that anybody may join",
            ErrorCode.NO_SUCH_TABLE,
        )
    table = lobby.table_for(message.table)

    def sit_down() -> None:
        # the table may have gone while a password was looked at
        _may_sit_down(connection)
        _sit_down(lobby, connection, lobby.table_for(message.table), message)

    return _with_password(lobby, connection, table, message.password, sit_down)


def _sit_down(
    lobby: Lobby,
    connection: Connection,
    table: Table,
    message: m.Join | m.Create | m.Rematch,
    wanted: int | None = None,
) -> None:
    secret = "" if isinstance(message, m.Rematch) else message.secret
    if 0 < len(secret) < _SHORTEST_SECRET:
        raise RefusedError(
            f"a secret has at least {_SHORTEST_SECRET} letters, best by chance",
            ErrorCode.BAD_TOKEN,
        )
    seat = table.join(
        connection,
        connection.name,
        connection.role.value,
        message.cid,
        wanted=wanted,
        secret=secret,
    )
    connection.table, connection.seat = table, seat
    lobby.unfollow(connection)
    lobby.touched(table)


def _with_password(
    lobby: Lobby, connection: Connection, table: Table, password: str, then: Callable[[], None]
) -> Later | None:
    """Go on at once where no password is asked; else look at it in a thread first."""
    kept = table.config.password
    if not kept:
        then()
        return None
    lobby.addresses.guess(connection.address, trio.current_time())

    async def look() -> None:
        if not await lobby.in_thread(partial(is_password, password, kept)):
            raise RefusedError(
                f"that is not the password of table {table.name!r}", ErrorCode.BAD_PASSWORD
            )
        lobby.addresses.guessed_right(connection.address, trio.current_time())
        then()

    return look


def _create(lobby: Lobby, connection: Connection, message: m.Create) -> Later | None:
    _may_sit_down(connection)

    async def make() -> None:
        rules = await lobby.in_thread(partial(_rules, message))
        kept = await lobby.in_thread(partial(hash_password, message.password))
        _may_sit_down(connection)
        config = msgspec.structs.replace(_config(lobby, message, rules), password=kept)
        _sit_down(lobby, connection, lobby.new_table(config), message)

    if message.password or message.rules_toml:
        return make
    config = _config(lobby, message, _rules(message))
    _sit_down(lobby, connection, lobby.new_table(config), message)
    return None


def _config(lobby: Lobby, message: m.Create, rules: RuleSet) -> TableConfig:
    """Return the table that is wanted, if it can be."""
    existing = lobby.tables.get(message.table)
    if existing is not None and not existing.is_over:
        raise RefusedError(
            f"there is a table {message.table!r}: join it, or choose another name",
            ErrorCode.BAD_NAME,
        )
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
    return TableConfig(
        name=message.table,
        rules=rules,
        seats=message.seats,
        house=house,
        clocks=_clocks(lobby.config.clocks, message),
        hints=message.hints,
        watchers=message.watchers,
        watch_delay=message.watch_delay,
        timing=message.timing,
        is_owned=True,
    )


def _rules(message: m.Create) -> RuleSet:
    if message.rules_toml:
        try:
            return rules_from_upload(message.rules_toml, message.rules)
        except RuleSetError as error:
            raise RefusedError(f"your rule set: {error}", ErrorCode.BAD_RULE_SET) from None
    if message.rules not in rule_set_names():
        raise RefusedError(
            f"this server has no rule set {message.rules!r}: {', '.join(rule_set_names())}",
            ErrorCode.UNKNOWN_RULE_SET,
        )
    return load_rules(message.rules)


def _clocks(clocks: Clocks, message: m.Create) -> Clocks:
    """Return the server's clocks with what the table wants instead."""
    wanted = {
        "window": message.window_seconds,
        "turn": message.turn_seconds,
        "bank": message.bank_seconds,
    }
    chosen = {key: float(value) for key, value in wanted.items() if value is not None}
    if not all(chosen.get(key, 1.0) >= 1 for key in ("window", "turn")):
        raise RefusedError("a clock needs at least 1 second", ErrorCode.BAD_MESSAGE)
    return msgspec.structs.replace(clocks, **chosen)


# the rest


def _watch(lobby: Lobby, connection: Connection, message: m.Watch) -> Later | None:
    table = lobby.tables.get(message.table)
    if table is None:
        raise RefusedError(f"there is no table {message.table!r} to watch", ErrorCode.NO_SUCH_TABLE)
    _may_watch(connection)

    def watch() -> None:
        _may_watch(connection)
        table.watch(connection, message.cid, shared_machine=lobby.config.shared_machine)
        if connection.watching is not None and connection.watching is not table:
            connection.watching.audience.watchers.discard(connection)
        connection.watching = table
        lobby.unfollow(connection)

    return _with_password(lobby, connection, table, message.password, watch)


def _chat(connection: Connection, text: str) -> None:
    table = connection.table or connection.watching
    if table is None:
        raise RefusedError("join or watch a table first", ErrorCode.NOT_SEATED)
    wait = connection.chat.take(trio.current_time())
    if wait:
        raise TooOftenError("you say too much; wait a moment", wait)
    name = connection.seat.name if connection.seat else connection.name
    table.say(connection.seat, name, text)


def _leave(lobby: Lobby, connection: Connection, cid: int) -> None:
    if connection.watching is not None:
        connection.watching.audience.watchers.discard(connection)
        connection.watching = None
        connection.send(m.Done(cid=cid))
        return
    table, seat = _seated(connection)
    connection.table = connection.seat = None
    connection.send(m.Done(cid=cid))
    table.leave(seat)
    lobby.touched(table)


def _rematch(lobby: Lobby, connection: Connection, message: m.Rematch) -> None:
    """Take the same seat at a new game of the same table; the first to ask makes it."""
    table, seat = _seated(connection)
    if not table.is_over:
        raise RefusedError("the game is not over yet", ErrorCode.NOT_OVER)
    new = lobby.tables.get(table.name)
    if new is None or new is table or new.is_over:
        new = lobby.new_table(table.config, keeps_seed=False)
        table.offer_rematch(seat)
    _sit_down(lobby, connection, new, message, seat.number)
    table.leave(seat)
