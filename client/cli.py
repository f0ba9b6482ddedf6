"""The `hollywood` command."""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
import ssl
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import click
import msgspec
import trio
from rich.console import Console
from rich.table import Table as RichTable

from hollywood.bots import Bot
from hollywood.bots.connection import trust
from hollywood.bots.local import play_game, play_recorded
from hollywood.bots.results import GameResult
from hollywood.bots.seated import MAX_STRIKES
from hollywood.protocol.errors import ErrorCode, HollywoodError
from hollywood.protocol.rules import (
    RuleSet,
    decode_record,
    encode_record,
    game_seed,
    seed_from_text,
    verify,
)
from hollywood.server.config import Clocks, HouseBot, ServerConfig, TableConfig

from .admin_command import admin
from .bots_command import bots as bots_group
from .crash import LOG_FILE, guarded
from .laydown_command import laydown
from .menu import Server
from .options import (
    Address,
    Bots,
    Name,
    Rules,
    check_seats,
    own_name,
    tls_ca_option,
    tls_option,
)
from .remembered import prefs_from
from .replay_command import replay, theme_option
from .results_command import export, results
from .rules_command import rules as rules_group
from .screens import Goal
from .seats import SeatKeeper
from .serve_command import first_game, serve
from .settings import SettingsFile
from .text import printable
from .themes import remembered_theme, theme_names
from .tournament_command import tournament

EXIT_FAILED, EXIT_USAGE = 1, 2

_BOT_NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gil")

rules_option = click.option(
    "--rules", type=Rules(), default="hollywood", show_default=True, help="Rule set or TOML file."
)
ascii_option = click.option("--ascii", "is_ascii", is_flag=True, help="Draw with ASCII only.")
name_option = click.option(
    "--name", type=Name(), help="Your name at the table; the first one given is remembered."
)
plain_option = click.option(
    "--plain", "is_plain", is_flag=True, help="Lines of words instead of a screen."
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="hollywood-rummy")
def cli() -> None:
    r"""Hollywood rummy: play against bots, over the LAN, or let bots play.

    \b
    Example:
      hollywood play
    """


@cli.command()
@rules_option
@click.option("--bots", type=Bots(), default="greedy", show_default=True, help="Who plays along.")
@click.option(
    "--seats",
    type=click.IntRange(2, 8),
    default=4,
    show_default=True,
    help="Players, you among them.",
)
@click.option("--seed", help="Any text; the same text deals the same cards.")
@name_option
@ascii_option
@theme_option
@plain_option
def play(
    rules: RuleSet,
    bots: tuple[HouseBot, ...],
    seats: int,
    seed: str | None,
    name: str | None,
    is_ascii: bool,
    theme: str | None,
    is_plain: bool,
) -> None:
    r"""Play a game against bots, on this machine.

    At the table ? tells the keys, and R the rules. The bots are named in turn until every
    other seat has one.

    \b
    Example:
      hollywood play --bots greedy,random --seats 4
    """
    check_seats(rules, seats)
    others = _fill(bots, seats - 1)
    table = TableConfig(
        name="home",
        rules=rules,
        seats=seats,
        house=others,
        seed=first_game(seed),
        clocks=Clocks(window=None, turn=None, pause=float("inf"), pace=0.6),
    )
    config = ServerConfig(port=0, rules=rules, tables=(table,))
    goal = Goal(server=Server(host="127.0.0.1", port=0), table="home", is_alone=True)
    _run_client(goal, name, is_ascii, theme, is_plain, config)


@cli.command()
@click.argument("address", type=Address(), required=False)
@click.option("--table", type=Name(), help="Where to sit down at once.")
@click.option("--password", default="", help="Of that table, if it has one.")
@click.option("--watch", "is_watching", is_flag=True, help="Watch instead of taking a seat.")
@tls_option
@tls_ca_option
@name_option
@ascii_option
@theme_option
@plain_option
def join(
    address: tuple[str, int] | None,
    table: str | None,
    password: str,
    is_watching: bool,
    is_tls: bool,
    tls_ca: Path | None,
    name: str | None,
    is_ascii: bool,
    theme: str | None,
    is_plain: bool,
) -> None:
    r"""Take a seat at a server's table, or look around.

    Without an address the servers of this network are shown; without a table, those
    of the server. A table of that name that does not exist is made, with four seats and
    no password.

    \b
    Example:
      hollywood join 192.0.2.7 --table den --name bea
    """
    is_tls = is_tls or tls_ca is not None
    server = None if address is None else Server(host=address[0], port=address[1], tls=is_tls)
    goal = Goal(server=server, table=table or "", password=password, is_watching=is_watching)
    tls = trust(tls_ca) if is_tls else None
    _run_client(goal, name, is_ascii, theme, is_plain, None, tls)


def _run_client(
    goal: Goal,
    name: str | None,
    is_ascii: bool,
    theme: str | None,
    is_plain: bool,
    own_server: ServerConfig | None,
    tls: ssl.SSLContext | None = None,
) -> None:
    from .plain_run import run_plain, wants_plain
    from .run import run_client

    _log_to_file()
    settings = SettingsFile()
    if name is not None and not settings.settings.name:
        settings.change(name=name)
    name = name or settings.settings.name or own_name()
    is_plain = is_plain or settings.settings.plain
    if theme is not None:
        settings.change(theme=theme if theme in theme_names() else str(Path(theme).resolve()))
    if is_plain or wants_plain(os.environ, sys.stdin, sys.stdout):
        run = partial(run_plain, goal, name, own_server=own_server, settings=settings, tls=tls)
        with guarded(LOG_FILE, is_full_screen=False):
            trio.run(partial(run, keeper=SeatKeeper() if own_server is None else None))
        return
    chosen, trouble = remembered_theme(theme or settings.settings.theme)
    for complaint in (settings.complaint, trouble):
        if complaint:
            click.echo(f"hollywood: {complaint}", err=True)
    prefs, rules = prefs_from(settings, name, is_ascii=is_ascii, theme=chosen.path)
    keeper = SeatKeeper() if own_server is None else None
    try:
        with guarded(LOG_FILE):
            run_screens = partial(run_client, own_server=own_server, keeper=keeper, tls=tls)
            outcome = asyncio.run(run_screens(goal, prefs, rules=rules))
    except asyncio.CancelledError:
        sys.exit(128 + 15)
    if outcome == "kept":
        click.echo("Your seat is kept while the game goes on; the same command takes it back.")


cli.add_command(bots_group)
cli.add_command(rules_group)
cli.add_command(laydown)
cli.add_command(tournament)
cli.add_command(serve)
cli.add_command(results)
cli.add_command(export)
cli.add_command(admin)
cli.add_command(replay)


@cli.command()
@rules_option
@click.option("--bots", type=Bots(), required=True, help="One bot for each seat.")
@click.option("--games", type=click.IntRange(min=1), default=1, show_default=True, help="How many.")
@click.option("--seed", default="0", show_default=True, help="Any text; gives the same games.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Processes that share the games.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option(
    "--records",
    type=click.Path(file_okay=False, path_type=Path),
    help="A folder for the record of each game.",
)
def simulate(
    rules: RuleSet,
    bots: tuple[HouseBot, ...],
    games: int,
    seed: str,
    jobs: int,
    as_json: bool,
    records: Path | None,
) -> None:
    r"""Let bots play games in this process, without a network.

    \b
    Example:
      hollywood simulate --bots greedy,greedy,random,random --games 20 --seed 1
    """
    check_seats(rules, len(bots))
    classes, names = tuple(b.bot for b in bots), tuple(b.name for b in bots)
    play_one = partial(_play_one, rules, classes, names, records)
    numbered = [(i, game_seed(seed_from_text(seed), i)) for i in range(games)]
    if jobs == 1:
        results = [play_one(game) for game in numbered]
    else:
        with ProcessPoolExecutor(jobs) as pool:
            results = list(pool.map(play_one, numbered))
    if as_json:
        document = {"rules": rules.name, "rules_hash": rules.hash, "games": results}
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
    else:
        _print_results(results, [b.name for b in bots])


def _play_one(
    rules: RuleSet,
    bots: Sequence[type[Bot]],
    names: Sequence[str],
    records: Path | None,
    game: tuple[int, bytes],
) -> GameResult:
    number, seed = game
    if records is None:
        return play_game(rules, bots, seed, names)
    result, record = play_recorded(rules, bots, seed, names)
    try:
        records.mkdir(parents=True, exist_ok=True)
        (records / f"game-{number:05}.json").write_bytes(encode_record(record))
    except OSError as error:
        raise HollywoodError(
            f"cannot write to {records} ({error.strerror}): give another folder with --records",
            ErrorCode.BAD_FILE,
        ) from None
    return result


@cli.command("verify")
@click.argument("record", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def verify_record(record: Path) -> None:
    r"""Play a recorded game again and compare every card and event.

    \b
    Example:
      hollywood verify games/game-00000.json
    """
    played = decode_record(record.read_bytes())
    state = verify(played)
    click.echo(
        f"{record}: {len(played.events)} events are as the rules of {played.rules.name} "
        f"({played.rules_hash}) give them; scores {' '.join(map(str, state.totals()))}."
    )


def _print_results(results: Sequence[GameResult], names: Sequence[str]) -> None:
    failed = _strikes(results, len(names))
    columns = ("strikes",) if any(failed) else ()
    table = RichTable("seat", "bot", "won", "points a game", "down", *columns, box=None)
    for seat, name in enumerate(names):
        won = sum(seat in game.winners for game in results)
        points = sum(game.scores[seat] for game in results) / len(results)
        deals = [deal for game in results for deal in game.deals]
        down = sum(deal.went_down[seat] is not None for deal in deals) / len(deals)
        told = (failed[seat],) if columns else ()
        table.add_row(str(seat), name, str(won), f"{points:.1f}", f"{down:.0%}", *told)
    Console().print(table)
    bad = next((name for name, strikes in zip(names, failed, strict=True) if strikes), None)
    if bad is not None:
        click.echo(
            f" After {MAX_STRIKES} strikes in a game greedy plays on. What is wrong shows: "
            f"hollywood bots check {shlex.quote(bad)}"
        )


def _strikes(results: Sequence[GameResult], seats: int) -> list[str]:
    """Say for each seat how often its bot failed in what way; "" where it never did."""
    told = []
    for seat in range(seats):
        strikes = [strike for game in results if game.strikes for strike in game.strikes[seat]]
        kinds = Counter(str(strike.kind) for strike in strikes)
        told.append(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    return told


def _fill(bots: tuple[HouseBot, ...], seats: int) -> tuple[HouseBot, ...]:
    """Name bots in turn until there are enough, each with a name of its own."""
    if not bots:
        raise click.UsageError("name at least one bot: --bots greedy")
    if len(bots) > seats:
        raise click.UsageError(
            f"{len(bots)} bots, but only {seats} seats beside yours: name fewer, or give --seats"
        )
    chosen = [bots[i % len(bots)] for i in range(seats)]
    people = zip(_BOT_NAMES, chosen, strict=False)
    return tuple(HouseBot(f"{name} {bot.name}"[:24], bot.bot) for name, bot in people)


def _log_to_file() -> None:
    """Nothing may paint over the screen, so logs and warnings go to a file."""
    try:
        LOG_FILE.parent.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = logging.FileHandler(LOG_FILE, encoding="utf-8")
    except OSError:
        handler = logging.NullHandler()
    logging.basicConfig(
        level=logging.INFO, handlers=[handler], format="%(asctime)s %(name)s %(message)s"
    )
    logging.captureWarnings(True)


def _mend_help(command: click.Command) -> None:
    """Let click see where a docstring, which is a raw text, says that lines stay as they are."""
    command.help = (command.help or "").replace("\\b\n", "\b\n")
    for inner in getattr(command, "commands", {}).values():
        _mend_help(inner)


_mend_help(cli)


def main(run: Callable[..., object] = cli) -> None:
    """Run the command; every error is one sentence and an exit code."""
    try:
        run(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(EXIT_USAGE)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except HollywoodError as error:
        _fail(error)
    except BaseExceptionGroup as group:
        leaf = _only_leaf(group)
        if isinstance(leaf, KeyboardInterrupt):
            sys.exit(130)
        if not isinstance(leaf, HollywoodError):
            raise
        _fail(leaf)


def _fail(error: HollywoodError) -> None:
    # a sentence may come from a server, which may mean harm to this terminal
    click.echo(f"hollywood: {printable(str(error))} [{error.code}]", err=True)
    sys.exit(EXIT_FAILED)


def _only_leaf(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
