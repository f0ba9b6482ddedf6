"""What a server's store tells: `hollywood results` and `hollywood export`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.table import Table as RichTable

from hollywood.protocol.errors import ErrorCode, HollywoodError
from hollywood.server.admin import default_data_dir
from hollywood.server.ratings import ratings_of
from hollywood.server.store import FILE_NAME, Result, Store

from .options import Name

_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.option(
    "--data", type=_FOLDER, help="The server's data directory; the usual one if not given."
)
@click.option("--table", type=Name(), help="Only games of that table.")
@click.option(
    "--last",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many games, the newest.",
)
@click.option("--ratings", is_flag=True, help="How strong who is, of all games that ended.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def results(data: Path | None, table: str | None, last: int, ratings: bool, as_json: bool) -> None:
    r"""Tell how the games of a server ended.

    \b
    Example:
      hollywood results --data /srv/rummy --ratings
    """
    store = _open_store(data)
    try:
        found = store.results(table, -1 if ratings else last)
    finally:
        store.close()
    if ratings:
        _print_ratings(found, as_json)
    elif as_json:
        click.echo(msgspec.json.format(msgspec.json.encode({"games": found}), indent=1).decode())
    else:
        _print_results(found)


@click.command()
@click.argument("table")
@click.option(
    "--data", type=_FOLDER, help="The server's data directory; the usual one if not given."
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file; printed if not given.",
)
def export(table: str, data: Path | None, output: Path | None) -> None:
    r"""Write the record of a game that ended.

    TABLE is the table's name, or the game's number. Of a table's name the last game is
    taken. `hollywood verify` checks a record, and `hollywood replay` shows it.

    \b
    Example:
      hollywood export den --data /srv/rummy --output den.json
    """
    store = _open_store(data)
    try:
        record = store.record(_game(store, table))
    finally:
        store.close()
    if output is None:
        sys.stdout.buffer.write(record)
        return
    try:
        output.write_bytes(record)
    except OSError as error:
        text = f"cannot write {str(output)!r} ({error.strerror}): give another file with --output"
        raise HollywoodError(text, ErrorCode.BAD_FILE) from None


def _open_store(data: Path | None) -> Store:
    folder = data or default_data_dir()
    if not (folder / FILE_NAME).exists():
        raise HollywoodError(
            f"no server has kept games in {str(folder)!r}: say where with --data",
            ErrorCode.NO_SUCH_GAME,
        )
    return Store(folder, reads_only=True)


def _game(store: Store, table: str) -> int:
    if table.isdecimal():
        return int(table)
    for result in store.results(table, 1):
        return result.game
    raise HollywoodError(
        f"no game of a table {table!r} has ended: see `hollywood results`", ErrorCode.NO_SUCH_GAME
    )


def _print_results(found: Sequence[Result]) -> None:
    table = RichTable("game", "ended", "table", "rules", "deals", "scores", box=None)
    for result in found:
        scores = ", ".join(
            f"{name} {score}{' *' if seat in result.winners else ''}"
            for seat, (name, score) in enumerate(zip(result.players, result.scores, strict=True))
        )
        table.add_row(
            str(result.game),
            f"{datetime.fromtimestamp(result.ended_at):%Y-%m-%d %H:%M}",
            result.table,
            result.rules,
            str(result.deals),
            scores if result.is_finished else f"abandoned: {scores}",
        )
    Console().print(table)


def _print_ratings(found: Sequence[Result], as_json: bool) -> None:
    rated = ratings_of(found)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode({"ratings": rated}), indent=1).decode())
        return
    table = RichTable("name", "games", "won", "points a game", "strength", box=None)
    for rating in rated:
        table.add_row(
            rating.name,
            str(rating.games),
            str(rating.wins),
            f"{rating.mean_points:.1f}",
            f"{rating.strength:.2f}",
        )
    Console().print(table)
