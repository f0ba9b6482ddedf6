"""What the operator's commands do to this server."""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import trio

from hollywood.protocol.errors import ErrorCode, HollywoodError, RefusedError

from .admin import SeatReport, Status, TableReport
from .listener import Server
from .table import Table


def phase_of(table: Table) -> str:
    """Return how far a table is: `waiting` before the game, then the game's own phase."""
    if table.referee.is_abandoned:
        return "abandoned"
    return "waiting" if table.state is None else table.state.phase.value


class ServerSteward:
    """An `admin.Steward`. It is there before its server, which must be set at once."""

    server: Server

    def __init__(self) -> None:
        self._began = time.monotonic()

    def tables(self) -> Sequence[TableReport]:
        """Return all tables."""
        return [
            TableReport(
                name=table.name,
                rules=table.config.rules.name,
                phase=phase_of(table),
                seats=tuple(
                    SeatReport(
                        seat=seat.number,
                        name=seat.name,
                        kind=seat.kind,
                        is_connected=seat.link is not None,
                    )
                    for seat in table.seats
                ),
                watchers=len(table.audience.watchers),
            )
            for table in self.server.lobby.tables.values()
        ]

    def kick(self, table: str, seat: int) -> None:
        """Send a player away; a house bot plays on.

        Raises:
            RefusedError: there is no such table or nobody on the seat.
        """
        lobby = self.server.lobby
        found = lobby.tables.get(table)
        if found is None:
            raise RefusedError(
                f"there is no table {table!r}: see `hollywood admin tables`",
                ErrorCode.NO_SUCH_TABLE,
            )
        if seat >= len(found.seats) or not found.seats[seat].is_taken:
            raise RefusedError(
                f"no player sits on seat {seat} of table {table!r}", ErrorCode.NO_SUCH_SEAT
            )
        found.kick(found.seats[seat])
        lobby.touched(found)
        lobby.flush()

    def drain(self) -> int:
        """Take no new tables, end when no game runs; return how many still do."""
        self.server.drain()
        return self._running()

    def announce(self, text: str) -> int:
        """Tell everybody; return how many connections were told."""
        return self.server.lobby.announce(text)

    async def backup(self, path: Path) -> int:
        """Write a copy of the store to a new file; return its bytes.

        Raises:
            HollywoodError: there is no store, or the file exists.
        """
        journal = self.server.journal
        if journal is None:
            raise HollywoodError("this server keeps nothing, so there is nothing to copy")
        if path.exists():
            raise HollywoodError(f"{path} exists: name a new file")
        await trio.to_thread.run_sync(journal.store.backup, path)
        return path.stat().st_size

    def status(self) -> Status:
        """Return how the server is."""
        lobby = self.server.lobby
        return Status(
            version=version("hollywood-rummy"),
            port=self.server.port,
            uptime_seconds=time.monotonic() - self._began,
            connections=len(self.server.connections),
            tables=len(lobby.tables),
            games_running=self._running(),
            games_finished=lobby.metrics.games_finished,
            is_draining=lobby.is_draining,
        )

    def _running(self) -> int:
        tables = self.server.lobby.tables.values()
        return sum(table.referee.is_running for table in tables)
