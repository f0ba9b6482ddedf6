"""`hollywood tournament`: bots against bots on duplicate deals."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from hollywood.bots.arena.errors import EventError, TournamentError
from hollywood.bots.arena.event import Rule, Setup, load_event, set_up
from hollywood.bots.connection import DEFAULT_PORT

from .options import Address, BotSpec, ReadType

if TYPE_CHECKING:
    from hollywood.bots.arena.executors import Tls
    from hollywood.bots.arena.plan import Cost, Plan

EXIT_STOPPED = 130

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)


class EventFile(ReadType[Path]):
    """An event file that can be played."""

    name = "EVENT"

    def read(self, text: str) -> Path:
        """Return the file's path, if what it says can be played."""
        path = Path(text)
        load_event(path)
        return path


class Part(ReadType[tuple[int, int]]):
    """Part of an event: 1/2."""

    name = "N/M"

    def read(self, text: str) -> tuple[int, int]:
        """Return the number of the part, and of how many."""
        number, _, count = text.partition("/")
        if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
            raise ValueError(f"{text!r} is no part of an event: use 1/2 and 2/2")
        return int(number), int(count)


event_argument = click.argument("path", metavar="EVENT", type=EventFile())
out_option = click.option(
    "--out", type=_FOLDER, help="Folder for journal, results and report; the event file's own."
)
executor_option = click.option(
    "--executor",
    default="local",
    show_default=True,
    help="local, local:4, dask://HOST:PORT, tls://HOST:PORT or module:function.",
)
ci_option = click.option(
    "--until-ci",
    type=click.FloatRange(min=0, min_open=True),
    help="Stop as soon as margins are known within so many points (95 %).",
)


@click.group()
def tournament() -> None:
    r"""Tournaments: bots against bots on duplicate deals.

    \b
    Example:
      hollywood tournament plan docs/examples/event.toml
      hollywood tournament run docs/examples/event.toml
    """


@tournament.command("plan")
@event_argument
@click.option(
    "--pilot",
    "pilot_sets",
    type=click.IntRange(min=0),
    default=12,
    show_default=True,
    help="Deal sets to play for the measured spread; 0: none.",
)
@executor_option
@click.option("--tls-ca", type=_FILE, hidden=True)
@click.option("--tls-cert", type=_FILE, hidden=True)
@click.option("--tls-key", type=_FILE, hidden=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def plan(
    path: Path,
    pilot_sets: int,
    executor: str,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    as_json: bool,
) -> None:
    r"""Say what an event will play, and what that costs.

    A pilot on other deals measures how much margins spread and how long games take.

    \b
    Example:
      hollywood tournament plan docs/examples/event.toml
    """
    from hollywood.bots.arena.executors import open_workers
    from hollywood.bots.arena.plan import pilot, plan_of, schedule_lines

    setup = load_event(path)
    cost = None
    if pilot_sets:
        workers = open_workers(executor, _tls(tls_ca, tls_cert, tls_key))
        try:
            cost = pilot(setup, workers, pilot_sets)
        finally:
            workers.close()
    found = plan_of(setup)
    if as_json:
        document = {"event": setup.digest, "plan": found, "cost": cost}
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
        return
    _print_plan(setup, found, schedule_lines(setup))
    if cost is not None:
        _print_cost(setup, cost)


def _print_plan(setup: Setup, found: Plan, lines: list[str]) -> None:
    event = setup.event
    rounds = "1 round" if found.rounds == 1 else f"{found.rounds} rounds"
    click.echo(
        f"{event.name}: {event.format.replace('_', ' ')} of {len(event.bots)} bots at "
        f"{event.seats} seats, {rounds} of {len(found.tables)} tables, {event.deals} deals each."
    )
    most = "at most " if event.stop.rule is not Rule.NONE else ""
    click.echo(f"That is {most}{found.sets:,} deal sets and {found.games:,} games in all.")
    least, highest = found.meetings
    if highest > 1 or least == 0:
        click.echo(f"Any two bots meet at {least} to {highest} tables of the first round.")
    click.echo("The first deal sets, and who sits where in their first game:")
    for line in lines:
        click.echo(line)


def _print_cost(setup: Setup, cost: Cost) -> None:
    from .tournament_run import duration

    click.echo(
        f"\nFrom {cost.sets} deal sets on other cards: a margin spreads by {cost.sd:.0f} points "
        f"from set to set, a game takes {cost.game_seconds:.2f} s."
    )
    click.echo(f"The whole event takes about {duration(cost.seconds)} on {cost.workers} workers.")
    click.echo("For a margin within")
    for need in cost.needs:
        click.echo(
            f"  ±{need.points:<4g} points  {need.games:>9,} games  about {duration(need.seconds)}"
        )
    for truth, sets in cost.gsprt_sets:
        click.echo(f"  the test takes about {sets:,} deal sets if the true margin is {truth:g}")
    if cost.luck_coefficient:
        click.echo(
            f"A useful card drawn is worth about {cost.luck_coefficient:.1f} points "
            f"({cost.luck_explains:.0%} of the spread): luck_coefficient = "
            f"{cost.luck_coefficient:.1f} gives margins without luck as well."
        )
    if setup.event.luck_coefficient is not None:
        click.echo(f"The event's own luck_coefficient is {setup.event.luck_coefficient:g}.")


@tournament.command("run")
@event_argument
@out_option
@executor_option
@click.option("--shard", type=Part(), help="Play only a part of the deal sets: 1/2.")
@ci_option
@click.option("--tls-ca", type=_FILE, help="Certificate of the cluster's authority (PEM).")
@click.option("--tls-cert", type=_FILE, help="This machine's certificate (PEM).")
@click.option("--tls-key", type=_FILE, help="Its key (PEM).")
@click.option("--openskill", "with_ratings", is_flag=True, help="Show live ratings as well.")
@click.option("--json", "as_json", is_flag=True, help="Print progress as JSON lines.")
def run(
    path: Path,
    out: Path | None,
    executor: str,
    shard: tuple[int, int] | None,
    until_ci: float | None,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    with_ratings: bool,
    as_json: bool,
) -> None:
    r"""Start an event, or go on with it.

    Ctrl-C finishes the games that are under way; the same command goes on from there.

    \b
    Example:
      hollywood tournament run docs/examples/event.toml
    """
    from .tournament_run import Screen, run_event

    setup = _with_interval(load_event(path), until_ci, path)
    folder = _folder(path, out)
    screen = Screen(as_json=as_json, with_ratings=with_ratings)
    finished = run_event(setup, folder, executor, _tls(tls_ca, tls_cert, tls_key), shard, screen)
    if not finished:
        click.echo(f"Stopped. To go on: {_same_command()}", err=True)
        sys.exit(EXIT_STOPPED)


def _same_command() -> str:
    return shlex.join(["hollywood", *sys.argv[1:]])


@tournament.command("report")
@event_argument
@out_option
@ci_option
@click.option("--no-records", is_flag=True, help="Do not play games again for their records.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def report(
    path: Path, out: Path | None, until_ci: float | None, no_records: bool, as_json: bool
) -> None:
    r"""Compute all results from the journal, and write the report.

    \b
    Example:
      hollywood tournament report docs/examples/event.toml
    """
    from hollywood.bots.arena.outputs import JOURNAL, fold_journal, write_outputs
    from hollywood.bots.arena.results import encode_results

    setup = _with_interval(load_event(path), until_ci, path)
    folder = _folder(path, out)
    course = fold_journal(setup, folder / JOURNAL)
    _need_games(course.tally.games)
    document = write_outputs(course, folder, with_records=not no_records)
    if as_json:
        click.echo(encode_results(document).decode(), nl=False)
    else:
        from .tournament_run import print_results

        print_results(document, folder)


@tournament.command("merge")
@event_argument
@click.argument("journals", nargs=-1, required=True, type=_FILE)
@out_option
@ci_option
def merge(path: Path, journals: tuple[Path, ...], out: Path | None, until_ci: float | None) -> None:
    r"""Put the journals of an event's shards together.

    \b
    Example:
      hollywood tournament merge event.toml one/journal.jsonl two/journal.jsonl --out all
    """
    from hollywood.bots.arena.journal import merge_journals
    from hollywood.bots.arena.outputs import JOURNAL

    setup = _with_interval(load_event(path), until_ci, path)
    folder = _folder(path, out)
    count = merge_journals(journals, folder / JOURNAL, setup)
    click.echo(f"{folder / JOURNAL}: {count:,} deal sets of {len(journals)} journals.")


@tournament.command("record")
@event_argument
@click.argument("deal_set", metavar="SET", type=click.IntRange(min=0))
@click.argument("game", type=click.IntRange(min=0))
@out_option
@ci_option
def record(path: Path, deal_set: int, game: int, out: Path | None, until_ci: float | None) -> None:
    r"""Write the record of one game, to replay and verify it.

    \b
    Example:
      hollywood tournament record docs/examples/event.toml 12 0
    """
    from hollywood.bots.arena.outputs import JOURNAL, RECORDS, fold_journal
    from hollywood.bots.arena.replays import write_record

    setup = _with_interval(load_event(path), until_ci, path)
    folder = _folder(path, out)
    course = fold_journal(setup, folder / JOURNAL)
    click.echo(write_record(course, deal_set, game, folder / RECORDS))


@tournament.command("serve")
@event_argument
@out_option
@ci_option
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="TCP port; 0: any free one.",
)
@click.option(
    "--turn-seconds",
    type=click.FloatRange(min=0.1),
    default=10.0,
    show_default=True,
    help="For each decision.",
)
@click.option("--tls-cert", type=_FILE, help="Certificate (PEM), to speak TLS.")
@click.option("--tls-key", type=_FILE, help="Its key (PEM).")
@click.option("--json", "as_json", is_flag=True, help="Print progress as JSON lines.")
def serve(
    path: Path,
    out: Path | None,
    until_ci: float | None,
    host: str,
    port: int,
    turn_seconds: float,
    tls_cert: Path | None,
    tls_key: Path | None,
    as_json: bool,
) -> None:
    r"""Play an event over TCP with bots that others run.

    In the event file such a bot says bot = "wire". It joins the table that is named
    by its seat token, which is printed, and joins again after each game.

    \b
    Example:
      hollywood tournament serve event.toml --port 7878
      hollywood tournament join greedy TOKEN --server 192.0.2.7
    """
    from hollywood.bots.arena.executors import Workers
    from hollywood.server.certificates import server_context
    from hollywood.server.config import Clocks, ServerConfig

    from .tournament_run import Screen, run_with
    from .tournament_serve import LIMITS, WireExecutor, seat_tokens

    if (tls_cert is None) is not (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key go together")
    setup = _with_interval(load_event(path), until_ci, path)
    folder = _folder(path, out)
    tokens = seat_tokens(setup, folder)
    tls = None if tls_cert is None or tls_key is None else server_context(tls_cert, tls_key)
    config = ServerConfig(
        host=host.strip("[]"), port=port, rules=setup.rules, tls=tls, limits=LIMITS
    )
    clocks = Clocks(window=turn_seconds, turn=turn_seconds, pause=0.0, grace=turn_seconds)

    def tell(text: str) -> None:
        click.echo(text, err=True)

    executor = WireExecutor(setup, tokens, folder, config, clocks, tell)
    tell(f"Listening on port {executor.port}.")
    for token, bot in tokens.items():
        tell(f"  {setup.event.bots[bot].name} joins the table {token}")
    screen = Screen(as_json=as_json, with_ratings=False)
    finished = run_with(setup, folder, Workers(executor, 1, executor.shutdown), None, screen)
    if not finished:
        click.echo(f"Stopped. To go on: {_same_command()}", err=True)
        sys.exit(EXIT_STOPPED)


@tournament.command("join")
@click.argument("spec", type=BotSpec())
@click.argument("token")
@click.option(
    "--server",
    "address",
    type=Address(),
    default="127.0.0.1",
    show_default=True,
    help="Where the event is played.",
)
@click.option("--tls-ca", type=_FILE, help="Certificate to trust (PEM), for a server with TLS.")
def join(spec: str, token: str, address: tuple[str, int], tls_ca: Path | None) -> None:
    r"""Let a bot play in somebody else's event until it is over.

    \b
    Example:
      hollywood tournament join ./my_bot.py 5f0c9a2be1d37788 --server 192.0.2.7
    """
    import ssl
    from functools import partial

    import trio

    from hollywood.bots.loading import load_bot
    from hollywood.bots.runner import Outcome, SeatRunner
    from hollywood.protocol.wire import is_name

    from .tournament_serve import play_on

    bot = load_bot(spec)
    own = spec.rpartition(":")[2]
    tls = None if tls_ca is None else ssl.create_default_context(cafile=str(tls_ca))

    async def once() -> Outcome:
        runner = SeatRunner(bot, own if is_name(own) else "bot", token)
        return await runner.run(*address, tls)

    games = trio.run(partial(play_on, once, click.echo))
    click.echo(f"The event is over after {games} games.")


def _with_interval(setup: Setup, until_ci: float | None, path: Path) -> Setup:
    """The event with the stop rule of --until-ci."""
    if until_ci is None:
        return setup
    stop = msgspec.structs.replace(setup.event.stop, rule=Rule.INTERVAL, points=until_ci)
    try:
        return set_up(msgspec.structs.replace(setup.event, stop=stop), path.parent.resolve())
    except EventError as error:
        raise click.UsageError(str(error)) from None


def _folder(path: Path, out: Path | None) -> Path:
    folder = out or path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TournamentError(f"cannot make {folder}: {error.strerror}") from None
    return folder


def _need_games(games: int) -> None:
    if not games:
        raise TournamentError("no game of this event was played yet: hollywood tournament run")


def _tls(ca: Path | None, cert: Path | None, key: Path | None) -> Tls | None:
    from hollywood.bots.arena.executors import Tls

    if ca is None and cert is None and key is None:
        return None
    if ca is None or cert is None or key is None:
        raise click.UsageError("--tls-ca, --tls-cert and --tls-key go together")
    return Tls(ca, cert, key)
