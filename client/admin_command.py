"""`hollywood admin`: talk to a server that runs on this machine."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from hollywood.bots.connection import error_code
from hollywood.protocol.errors import RefusedError, UnreachableError
from hollywood.server import admin as ad
from hollywood.server.admin_socket import ask

BACKUP_SECONDS = 600.0

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


@click.group("admin")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="The server's data directory; the usual one if not given.",
)
@click.pass_context
def admin(context: click.Context, data: Path | None) -> None:
    r"""Look after a server that runs on this machine.

    Only the user who runs the server (and root) may.

    \b
    Example:
      hollywood admin status
      hollywood admin --data /var/lib/hollywood tables
    """
    context.obj = data or ad.default_data_dir()


@admin.command("tables")
@json_option
@click.pass_obj
def list_tables(data: Path, as_json: bool) -> None:
    r"""List the tables, who sits where, and who is connected.

    \b
    Example:
      hollywood admin tables
    """
    said = _ask(data, ad.ListTables())
    if as_json:
        _print_json({"tables": said["tables"]})
        return
    tables = msgspec.convert(said["tables"], tuple[ad.TableReport, ...])
    printed = RichTable("table", "rules", "phase", "watch", "seats", box=None)
    for table in tables:
        seats = "\n".join(map(_describe, table.seats))
        row = (table.name, table.rules, table.phase, str(table.watchers), seats)
        printed.add_row(*map(Text, row))
    Console().print(printed)


def _describe(seat: ad.SeatReport) -> str:
    if seat.kind == "open":
        return f"{seat.seat} (open)"
    is_away = seat.kind != "house" and not seat.is_connected
    return f"{seat.seat} {seat.name} ({seat.kind}{', away' if is_away else ''})"


@admin.command("kick")
@click.argument("table")
@click.argument("seat", type=click.IntRange(min=0, max=99))
@json_option
@click.pass_obj
def kick(data: Path, table: str, seat: int, as_json: bool) -> None:
    r"""Close the connection of a seat; a house bot plays on.

    SEAT is the number that `admin tables` shows.

    \b
    Example:
      hollywood admin kick den 2
    """
    _ask(data, ad.Kick(table=table, seat=seat))
    _tell(f"Seat {seat} of table {table} has lost its connection.", {}, as_json)


@admin.command("drain")
@json_option
@click.pass_obj
def drain(data: Path, as_json: bool) -> None:
    r"""Start no new games; stop when none runs any more.

    \b
    Example:
      hollywood admin drain
    """
    said = _ask(data, ad.Drain())
    running = _count(said["games_running"], "game")
    _tell(f"No new games; the server stops when none runs: {running} now.", said, as_json)


@admin.command("announce")
@click.argument("text")
@json_option
@click.pass_obj
def announce(data: Path, text: str, as_json: bool) -> None:
    r"""Tell something to everybody who is connected.

    \b
    Example:
      hollywood admin announce "The server restarts at ten; games go on after it."
    """
    if not text or len(text) > ad.MAX_TEXT:
        raise click.UsageError(f"a notice has 1 to {ad.MAX_TEXT} characters")
    said = _ask(data, ad.AnnounceText(text=text))
    _tell(f"Told to {_count(said['told'], 'connection')}.", said, as_json)


@admin.command("backup")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@json_option
@click.pass_obj
def backup(data: Path, file: Path, as_json: bool) -> None:
    r"""Write a copy of all games to a new file while the server runs.

    The server writes it, so it must be where the server may write.

    \b
    Example:
      hollywood admin backup /var/backups/hollywood.db
    """
    said = _ask(data, ad.Backup(file=str(file.absolute())), BACKUP_SECONDS)
    _tell(f"{file}: {said['bytes']} bytes.", said, as_json)


@admin.command("status")
@json_option
@click.pass_obj
def status(data: Path, as_json: bool) -> None:
    r"""Say how the server is.

    \b
    Example:
      hollywood admin status --json
    """
    said = _ask(data, ad.AskStatus())
    if as_json:
        _print_json(said["status"])
        return
    now = msgspec.convert(said["status"], ad.Status)
    click.echo(
        f"hollywood-rummy {now.version} on port {now.port}, up for {_duration(now.uptime_seconds)}"
        f"{', stopping when its games are over' if now.is_draining else ''}\n"
        f"{_count(now.connections, 'connection')}, {_count(now.tables, 'table')}, "
        f"{_count(now.games_running, 'game')} running, {now.games_finished} finished"
    )


def _count(number: object, of: str) -> str:
    """Return a number with its noun.

    >>> _count(1, "game"), _count(0, "game")
    ('1 game', '0 games')
    """
    return f"{number} {of}" if number == 1 else f"{number} {of}s"


def _duration(seconds: float) -> str:
    """Return a time in its two largest units.

    >>> _duration(59.9), _duration(3725), _duration(200000)
    ('0 min', '1 h 2 min', '2 d 7 h')
    """
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86400)
    if days:
        return f"{days} d {hours % 24} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"


def _ask(data: Path, command: ad.Command, seconds: float = 10.0) -> dict[str, object]:
    """Return the server's answer, or say in a sentence why there is none."""
    try:
        said = ask(data, command, seconds)
    except PermissionError:
        raise UnreachableError(
            f"you may not talk to the server of {data}: be the user who runs it"
        ) from None
    except TimeoutError:
        raise UnreachableError(
            f"the server of {data} has not answered for {seconds:.0f} seconds: see its log"
        ) from None
    except OSError:
        raise UnreachableError(
            f"no server runs with the data directory {data}: start one, or name its --data"
        ) from None
    if not said.pop("ok", False):
        raise RefusedError(str(said.get("text", "")), error_code(str(said.get("code", ""))))
    return said


def _tell(sentence: str, document: dict[str, object], as_json: bool) -> None:
    if as_json:
        _print_json(document)
    else:
        click.echo(sentence)


def _print_json(document: object) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
