"""Commands for whoever runs the server.

One JSON object a line, one line back; `do` says what is wanted:

    {"do": "kick", "table": "den", "seat": 2}
    {"ok": true}
    {"do": "kick", "table": "attic", "seat": 2}
    {"ok": false, "code": "no_such_table", "text": "there is no table 'attic'"}

This module says what may be asked and does it; how the lines travel is up to
`admin_socket`.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Protocol

import msgspec
import platformdirs
from msgspec import Meta

from hollywood.protocol.errors import ErrorCode, HollywoodError

from .logs import RESERVED, event

MAX_TEXT = 200
"""Characters of a notice to everybody."""

log = logging.getLogger("hollywood.server.admin")


def default_data_dir() -> Path:
    """Return where a server keeps its data if nobody says where."""
    return platformdirs.user_data_path("hollywood-rummy")


# what there is to say


class SeatReport(msgspec.Struct, frozen=True, kw_only=True):
    """One seat as the operator sees it."""

    seat: int
    """From 0 in turn order."""
    name: str
    kind: str
    """`player`, `bot`, `house` or `open`."""
    is_connected: bool


class TableReport(msgspec.Struct, frozen=True, kw_only=True):
    """One table as the operator sees it."""

    name: str
    rules: str
    phase: str
    """`waiting` before the game, then the game's own: `window`, `play` and so on."""
    seats: tuple[SeatReport, ...]
    watchers: int = 0


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """How the server is."""

    version: str
    port: int
    uptime_seconds: float
    connections: int
    tables: int
    games_running: int
    games_finished: int
    is_draining: bool = False


class Steward(Protocol):
    """What the server lets its operator do."""

    def tables(self) -> Sequence[TableReport]:
        """Return all tables."""

    def kick(self, table: str, seat: int) -> None:
        """Close the connection of a seat; a house bot plays on.

        Raises:
            RefusedError: there is no such table (`no_such_table`), or nobody to kick
                on the seat (`no_such_seat`).
        """

    def drain(self) -> int:
        """Take no new tables, end when no game runs; return how many still do."""

    def announce(self, text: str) -> int:
        """Tell everybody; return how many connections were told."""

    async def backup(self, path: Path) -> int:
        """Write a copy of the store to a new file while the server runs; return its bytes.

        Raises:
            HollywoodError: there is no store.
            OSError: the file cannot be written.
        """

    def status(self) -> Status:
        """Return how the server is."""


class _Command(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="do", forbid_unknown_fields=True
):
    pass


class ListTables(_Command, frozen=True, tag="tables"):
    """Which tables are there, who sits at them?"""


class Kick(_Command, frozen=True, tag="kick"):
    """Close the connection of a seat."""

    table: Annotated[str, Meta(max_length=64)]
    seat: Annotated[int, Meta(ge=0, le=99)]


class Drain(_Command, frozen=True, tag="drain"):
    """No new tables; finish those that run, then exit."""


class AnnounceText(_Command, frozen=True, tag="announce"):
    """Tell everybody something."""

    text: Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]


class Backup(_Command, frozen=True, tag="backup"):
    """Write a copy of the store."""

    file: Annotated[str, Meta(min_length=1, max_length=4096)]
    """An absolute path on the server's machine; nothing may be there yet."""


class AskStatus(_Command, frozen=True, tag="status"):
    """How is the server?"""


Command = ListTables | Kick | Drain | AnnounceText | Backup | AskStatus

COMMANDS = ("tables", "kick", "drain", "announce", "backup", "status")


def parse_command(line: bytes, token: str = "") -> Command:
    """Read one line.

    Args:
        line: Without its end.
        token: What the line must carry as `token`; "": nothing.

    Raises:
        HollywoodError: it is not JSON, not a command, or misses something
            (`bad_message`, `unexpected_message`), or has another token (`bad_token`).
    """
    try:
        asked = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        asked = None
    shown = asked.pop("token", "") if isinstance(asked, dict) else ""
    if token and not (isinstance(shown, str) and _is_same(shown, token)):
        raise HollywoodError(
            "show the token that the server wrote down in its data directory", ErrorCode.BAD_TOKEN
        )
    if not isinstance(asked, dict):
        raise HollywoodError(
            'a command is one JSON object on one line, as in {"do": "status"}',
            ErrorCode.BAD_MESSAGE,
        )
    if asked.get("do") not in COMMANDS:
        raise HollywoodError(
            f"`do` says what is wanted: {', '.join(COMMANDS)}", ErrorCode.UNEXPECTED_MESSAGE
        )
    try:
        command: Command = msgspec.convert(asked, Command)
    except msgspec.ValidationError as error:
        raise HollywoodError(f"{asked['do']}: {_one_line(error)}", ErrorCode.BAD_MESSAGE) from None
    return command


def _is_same(shown: str, token: str) -> bool:
    return secrets.compare_digest(shown.encode(errors="replace"), token.encode())


def _one_line(error: msgspec.ValidationError) -> str:
    """Return what is wrong, in printable characters: keys may be anybody's."""
    text = str(error)[:200]
    text = text[:1].lower() + text[1:]
    return "".join(letter if letter.isprintable() else "?" for letter in text)


async def carry_out(steward: Steward, command: Command) -> dict[str, object]:
    """Do what a command asks and return the answer but for `ok`.

    Raises:
        HollywoodError: it cannot be done.
        OSError: a file cannot be written.
    """
    match command:
        case ListTables():
            return {"tables": steward.tables()}
        case Kick(table=table, seat=seat):
            steward.kick(table, seat)
            return {}
        case Drain():
            return {"games_running": steward.drain()}
        case AnnounceText(text=text):
            return {"told": steward.announce(_plain(text))}
        case Backup(file=file):
            path = _new_file(file)
            return {"file": file, "bytes": await steward.backup(path)}
        case AskStatus():
            return {"status": steward.status()}


def _plain(text: str) -> str:
    """Return a notice without anything that moves a cursor."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text).strip()
    if not plain:
        raise HollywoodError("the notice has no printable text", ErrorCode.BAD_MESSAGE)
    return plain


def _new_file(file: str) -> Path:
    path = Path(file)
    if not path.is_absolute() or "\0" in file:
        raise HollywoodError(
            "name the file by its whole path, as the server works elsewhere",
            ErrorCode.BAD_MESSAGE,
        )
    if path.exists():
        raise HollywoodError("there is such a file: name a new one", ErrorCode.BAD_MESSAGE)
    return path


async def answer(steward: Steward, line: bytes, token: str = "") -> dict[str, object]:
    """Read one line, do it, and return the answer; never raises."""
    what = "?"
    try:
        command = parse_command(line, token)
        what = str(command.__struct_config__.tag)
        said = await carry_out(steward, command)
    except HollywoodError as error:
        event(log, "admin_refused", do=what, code=error.code)
        return failure(error.code, str(error))
    except OSError as error:
        event(log, "admin_failed", do=what, error=repr(error))
        return failure(ErrorCode.INTERNAL, f"cannot write the file: {error.strerror or error}")
    except Exception:  # the operator's boundary: tables play on
        log.exception("admin command %s failed", what)
        return failure(ErrorCode.INTERNAL, "the server failed in this; its log says how")
    told = msgspec.structs.asdict(command)
    event(log, "admin_did", do=what, **{key: told[key] for key in told if key not in RESERVED})
    return {"ok": True, **said}


def failure(code: ErrorCode, text: str) -> dict[str, object]:
    """Return the answer to what cannot be done."""
    return {"ok": False, "code": code, "text": text}
