"""`hollywood serve`: a server for others to join."""

from __future__ import annotations

import ssl
import sys
from pathlib import Path

import click
import trio

from hollywood.bots.connection import DEFAULT_PORT
from hollywood.protocol.rules import RuleSet, game_seed, seed_from_text
from hollywood.server.certificates import server_context
from hollywood.server.config import Clocks, HouseBot, ServerConfig, TableConfig
from hollywood.server.listener import Server
from hollywood.server.logs import configure
from hollywood.server.operation import Operation, operate

from .options import Bots, Name, Rules, check_seats

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="TCP port; 0: any free one.",
)
@click.option(
    "--rules", type=Rules(), default="hollywood", show_default=True, help="Rule set or TOML file."
)
@click.option("--table", type=Name(), help="A table that is there from the start.")
@click.option(
    "--seats",
    type=click.IntRange(2, 8),
    default=4,
    show_default=True,
    help="Seats of that table, the bots' included.",
)
@click.option("--bots", type=Bots(), default="", help="House bots at that table.")
@click.option("--seed", help="Any text; the same text deals the same cards at that table.")
@click.option(
    "--turn-seconds",
    type=click.FloatRange(min=1),
    default=90.0,
    show_default=True,
    help="For each decision in turn.",
)
@click.option(
    "--window-seconds",
    type=click.FloatRange(min=1),
    default=15.0,
    show_default=True,
    help="For the others to buy a discard.",
)
@click.option(
    "--bank-seconds",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    help="For turns that take longer, in a whole game.",
)
@click.option("--data", type=_FOLDER, help="Where games are kept; nowhere if not given.")
@click.option("--tls-cert", type=_FILE, help="Certificate (PEM), to speak TLS.")
@click.option("--tls-key", type=_FILE, help="Its key (PEM).")
@click.option("--metrics-port", type=click.IntRange(0, 65535), help="For Prometheus.")
@click.option(
    "--max-connections",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="At one time.",
)
@click.option(
    "--max-tables", type=click.IntRange(min=1), default=200, show_default=True, help="At one time."
)
@click.option("--no-discovery", is_flag=True, help="Do not tell the LAN.")
@click.option("--shared-machine", is_flag=True, help="Several people play from one address.")
@click.option("--log-json", is_flag=True, help="One JSON object a line.")
def serve(
    host: str,
    port: int,
    rules: RuleSet,
    table: str | None,
    seats: int,
    bots: tuple[HouseBot, ...],
    seed: str | None,
    turn_seconds: float,
    window_seconds: float,
    bank_seconds: float,
    data: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    metrics_port: int | None,
    max_connections: int,
    max_tables: int,
    no_discovery: bool,
    shared_machine: bool,
    log_json: bool,
) -> None:
    r"""Run a server for others to join.

    With --data it can be stopped and started again in the middle of games.

    \b
    Example:
      hollywood serve --table den --seats 5 --bots greedy
    """
    clocks = Clocks(window=window_seconds, turn=turn_seconds, bank=bank_seconds, pace=1.0)
    config = ServerConfig(
        host=host and host.strip("[]"),
        port=port,
        rules=rules,
        clocks=clocks,
        tables=_tables(rules, table, seats, bots, seed, clocks),
        max_connections=max_connections,
        max_tables=max_tables,
        tls=_tls(tls_cert, tls_key),
        shared_machine=shared_machine,
    )
    configure(as_json=log_json)
    operation = Operation(data=data, metrics_port=metrics_port, announces=not no_discovery)
    trio.run(operate, config, operation, _say_where)


def _tables(
    rules: RuleSet,
    table: str | None,
    seats: int,
    bots: tuple[HouseBot, ...],
    seed: str | None,
    clocks: Clocks,
) -> tuple[TableConfig, ...]:
    check_seats(rules, seats)
    if len(bots) >= seats:
        raise click.UsageError(
            f"{len(bots)} bots leave no seat for players: give --seats {len(bots) + 1} or more"
        )
    if table is None:
        if bots or seed:
            raise click.UsageError("--bots and --seed are for a table: name it with --table")
        return ()
    return (
        TableConfig(
            name=table, rules=rules, seats=seats, house=bots, seed=first_game(seed), clocks=clocks
        ),
    )


def _tls(certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise click.UsageError("TLS needs both: --tls-cert and --tls-key")
    return server_context(certificate, key)


def first_game(seed: str | None) -> bytes | None:
    """Return the cards of the first game of `simulate` with that seed."""
    return None if seed is None else game_seed(seed_from_text(seed), 0)


def _say_where(server: Server) -> None:
    tls = " --tls" if server.config.tls is not None else ""
    click.echo(
        f"Listening on port {server.port}. Others join with: hollywood join HOST:{server.port}{tls}"
    )
    for table in server.lobby.tables.values():
        info = table.info
        click.echo(f"Table {info.name}: {info.free} of {info.seats} seats are free.")
    if server.journal is None:
        click.echo("Games are lost when this server ends; --data DIR keeps them.")
    sys.stdout.flush()
