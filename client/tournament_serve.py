"""An event over TCP, for bots that speak the wire and are run by somebody else.

Each such bot has a seat token, and joins the table of that name, game after game: it
is given the seat that the schedule has for it. Bots of the event file play as house
bots. To the runner this is one more executor; all else is as in any event.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import msgspec
import trio

from hollywood.bots import Bot
from hollywood.bots.api import FaultKind
from hollywood.bots.arena.errors import TournamentError
from hollywood.bots.arena.event import WIRE, Setup, check_files
from hollywood.bots.arena.lines import SetLine, StrikeLine, Unit, encode_set
from hollywood.bots.arena.match import Batch, deal_seed, line_of_record, seating
from hollywood.bots.arena.outputs import RECORDS
from hollywood.bots.arena.replays import record_name
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.loading import load_bot
from hollywood.bots.seated import MAX_STRIKES
from hollywood.protocol.errors import (
    ErrorCode,
    RefusedError,
    SessionClosedError,
    UnreachableError,
)
from hollywood.protocol.rules import GameRecord, encode_record
from hollywood.protocol.wire import messages as m
from hollywood.server.config import Clocks, Limits, ServerConfig, TableConfig
from hollywood.server.connection import Connection
from hollywood.server.listener import Server
from hollywood.server.lobby import Lobby
from hollywood.server.seating import Link, Seat
from hollywood.server.table import Table

T = TypeVar("T")
TOKENS = "tokens.json"
_LOOK_SECONDS = 0.02
"""How often a game is looked at for its end."""
_ASK_SECONDS = 0.25
"""How often a bot that waits asks for its next game."""
LIMITS = Limits(hellos=(600, 10.0))
"""Bots come anew for each game, and ask several times for it."""
Tell = Callable[[str], object]


def seat_tokens(setup: Setup, folder: Path) -> dict[str, int]:
    """Return the token of each bot that comes over the wire; the same after a restart.

    Raises:
        TournamentError: they cannot be kept.
    """
    path = folder / TOKENS
    wanted = {bot: entry.name for bot, entry in enumerate(setup.event.bots) if entry.bot == WIRE}
    try:
        kept: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
        tokens = {name: kept.get(name) or secrets.token_hex(8) for name in wanted.values()}
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(tokens, file, indent=1)
    except (OSError, ValueError) as error:
        raise TournamentError(f"cannot keep the seat tokens in {path}: {error}") from None
    return {tokens[name]: bot for bot, name in wanted.items()}


class EventTable(Table):
    """A table whose seats are given out by the schedule."""

    def __init__(
        self,
        config: TableConfig,
        seated: Sequence[int],
        classes: Sequence[type[Bot] | None],
        names: Sequence[str],
    ) -> None:
        super().__init__(config, trio.current_time)
        self.seated = seated
        self.expected = -1
        """The bot that joins next."""
        for seat, bot in zip(self.seats, seated, strict=True):
            own = classes[bot]
            if own is not None:
                seat.house(names[bot], self.referee.sit_down(seat, own))

    def open_seat(self, bot: int) -> Seat | None:
        """Return a seat that waits for the bot."""
        pairs = zip(self.seats, self.seated, strict=True)
        return next((seat for seat, own in pairs if own == bot and seat.kind == "open"), None)

    def join(
        self,
        link: Link,
        name: str,
        kind: str,
        cid: int,
        *,
        wanted: int | None = None,
        secret: str = "",
    ) -> Seat:
        """Give the bot whose token was shown its seat."""
        seat = self.open_seat(self.expected)
        if seat is None:
            raise RefusedError("that seat is taken", ErrorCode.TABLE_FULL)
        return super().join(link, name, kind, cid, wanted=seat.number, secret=secret)


class EventLobby(Lobby):
    """A lobby with one table, to which seat tokens lead."""

    def __init__(self, config: ServerConfig, tokens: dict[str, int]) -> None:
        super().__init__(config)
        self.tokens = tokens
        self.current: EventTable | None = None
        self.is_over = False

    def open(self, table: EventTable) -> None:
        """Begin with a game: those who ask from now on are seated."""
        if self.current is not None:
            self.tables.pop(self.current.name, None)
        self.current = table
        self._keep(table)

    def table_for(self, name: str) -> Table:
        """Return the table at which the bot of that token is awaited."""
        bot = self.tokens.get(name)
        if bot is None:
            raise RefusedError(
                "that is no seat token of this event: join the table that was given to you",
                ErrorCode.BAD_PASSWORD,
            )
        if self.is_over:
            raise RefusedError("the event is over", ErrorCode.SHUTTING_DOWN)
        table = self.current
        if table is None or table.is_over or table.open_seat(bot) is None:
            raise RefusedError(
                "no game waits for this bot now: ask again in a second", ErrorCode.TABLE_FULL
            )
        table.expected = bot
        return table

    def take_back(self, connection: Connection, token: str, resume: m.Resume) -> None:
        """A bot that comes back names its table by its token."""
        if resume.table in self.tokens and self.current is not None:
            resume = msgspec.structs.replace(resume, table=self.current.name)
        super().take_back(connection, token, resume)


class EventServer(Server):
    """A server that plays nothing but the games of an event."""

    def __init__(self, config: ServerConfig, tokens: dict[str, int]) -> None:
        super().__init__(config)
        self.event_lobby = EventLobby(config, tokens)
        self.lobby = self.event_lobby


class WireExecutor(Executor):
    """Plays the deal sets of an event on a server, one game after the other."""

    def __init__(
        self,
        setup: Setup,
        tokens: dict[str, int],
        folder: Path,
        config: ServerConfig,
        clocks: Clocks,
        tell: Tell,
    ) -> None:
        check_files(setup)
        self._setup = setup
        self._folder = folder / RECORDS
        self._clocks = clocks
        self._tell = tell
        self._names = [entry.name for entry in setup.event.bots]
        self._classes = [None if spec == WIRE else load_bot(spec) for spec in setup.specs]
        self._server = EventServer(config, tokens)
        self._failure: BaseException | None = None
        self._is_up = threading.Event()
        self._token: trio.lowlevel.TrioToken | None = None
        self._to_play: trio.MemorySendChannel[tuple[Future[Any], list[Unit]]] | None = None
        self._thread = threading.Thread(target=self._run, name="event server", daemon=True)
        self._thread.start()
        self._is_up.wait()
        if self._failure is not None:
            raise self._failure
        self.port = self._server.port

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:  # noqa: ANN401
        """Play deal sets; what is to be played is the last argument."""
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        self._in_trio(lambda: self._send(future, list(args[-1])))
        return future

    def _send(self, future: Future[Any], units: list[Unit]) -> None:
        assert self._to_play is not None, "the server is up"
        self._to_play.send_nowait((future, units))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Say that the event is over, and stop the server."""
        if self._thread.is_alive():
            self._in_trio(self._end)
            self._thread.join()

    def _end(self) -> None:
        self._server.event_lobby.is_over = True
        self._server.stop()
        if self._to_play is not None:
            self._to_play.close()

    def _in_trio(self, work: Callable[[], None]) -> None:
        assert self._token is not None, "the server is up"
        trio.from_thread.run_sync(work, trio_token=self._token)

    def _run(self) -> None:
        try:
            trio.run(self._main)
        except BaseException as error:  # noqa: BLE001 - it goes to whoever opened us
            self._failure = error
        finally:
            self._is_up.set()

    async def _main(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._to_play, to_play = trio.open_memory_channel[tuple[Future[Any], list[Unit]]](1 << 16)
        async with trio.open_nursery() as nursery:
            await nursery.start(self._serve)
            self._is_up.set()
            async for future, units in to_play:
                future.set_result(await self._play(units))
            nursery.cancel_scope.cancel()

    async def _serve(self, *, task_status: trio.TaskStatus[int]) -> None:
        await self._server.run(task_status=task_status)

    async def _play(self, units: Sequence[Unit]) -> Batch:
        began = perf_counter()
        sets = [encode_set(await self._play_set(unit)) for unit in units]
        return Batch(sets, "server", perf_counter() - began, {})

    async def _play_set(self, unit: Unit) -> SetLine:
        games = []
        for rotation in range(len(unit.bots)):
            seated = seating(unit.bots, rotation)
            table = self._open(unit, rotation, seated)
            await self._until_over(table)
            record = table.referee.game.record(
                tuple(self._names[bot] for bot in seated), tuple(table.audience.events)
            )
            self._keep(record, unit.index, rotation)
            games.append(
                line_of_record(record, luck=self._setup.event.luck, strikes=self._strikes(table))
            )
        return SetLine(unit.index, unit.round, unit.deal, unit.table, unit.bots, tuple(games))

    def _open(self, unit: Unit, rotation: int, seated: Sequence[int]) -> EventTable:
        config = TableConfig(
            name=f"set {unit.index} game {rotation}",
            rules=self._setup.rules,
            seats=len(seated),
            seed=deal_seed(self._setup, unit.deal),
            clocks=self._clocks,
            stand_in=GreedyBot,
            watchers=False,
            own_piles=self._setup.event.own_piles,
        )
        table = EventTable(config, seated, self._classes, self._names)
        self._server.event_lobby.open(table)
        if all(seat.kind != "open" for seat in table.seats):
            table.referee.begin()
            self._server.event_lobby.touched(table)
        return table

    async def _until_over(self, table: EventTable) -> None:
        waited = 0.0
        while not table.is_over:
            await trio.sleep(_LOOK_SECONDS)
            if table.state is None:
                before, waited = waited, waited + _LOOK_SECONDS
                if int(before / 30) < int(waited / 30):
                    missing = {
                        self._names[bot]
                        for seat, bot in zip(table.seats, table.seated, strict=True)
                        if seat.kind == "open"
                    }
                    self._tell(f"waiting for {', '.join(sorted(missing))}")

    def _strikes(self, table: EventTable) -> tuple[tuple[StrikeLine, ...], ...]:
        """Turns that timed out are strikes; whoever was stood in for has had them all."""
        found: list[tuple[StrikeLine, ...]] = []
        for seat, bot in zip(table.seats, table.seated, strict=True):
            if self._classes[bot] is not None:
                found.append(())
                continue
            steps = enumerate(s for s in table.referee.game.steps if s.seat == seat.number)
            late = [
                StrikeLine(number, FaultKind.TIMEOUT, "no answer in time")
                for number, step in steps
                if step.action is None
            ]
            if seat.bot is not None:
                text = "its connection was gone, and a stand-in played on"
                late += [StrikeLine(0, FaultKind.CRASH, text)] * MAX_STRIKES
            found.append(tuple(late))
        return tuple(found)

    def _keep(self, record: GameRecord, index: int, game: int) -> None:
        """Games that others took part in cannot be played again, so all are kept."""
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / record_name(index, game)).write_bytes(encode_record(record))


async def play_on(play_once: Callable[[], Any], tell: Tell, *, patience: float = 600.0) -> int:
    """Play game after game with a seat token until the event is over; return how many.

    Args:
        play_once: Plays one game, as `SeatRunner.run` does.
        tell: Where the end of each game is said.
        patience: How long to ask for the next game, in seconds.
    """
    games, asked_since = 0, trio.current_time()
    while True:
        try:
            outcome = await play_once()
        except RefusedError as error:
            if error.code is ErrorCode.SHUTTING_DOWN:
                return games
            is_early = error.code is ErrorCode.TABLE_FULL
            if not is_early or trio.current_time() - asked_since > patience:
                raise
            await trio.sleep(_ASK_SECONDS)
        except (UnreachableError, SessionClosedError):
            # a server that has played its event out is gone soon after
            if not games:
                raise
            return games
        else:
            games, asked_since = games + 1, trio.current_time()
            tell(f"game {games}: scores {' '.join(map(str, outcome.totals))}")
