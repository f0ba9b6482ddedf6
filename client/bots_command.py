"""`hollywood bots`: what bots there are, writing one, checking it, letting it play."""

from __future__ import annotations

import shlex
import sys
from functools import partial
from pathlib import Path

import click
import msgspec
import trio
from rich.console import Console
from rich.table import Table as RichTable

from hollywood.bots import Bot, pipe
from hollywood.bots.compliance import SLOWEST_SECONDS, Step, check_bot, replay, write_problem
from hollywood.bots.connection import format_address, trust
from hollywood.bots.loading import bot_names, load_bot
from hollywood.bots.runner import SeatRunner
from hollywood.bots.scaffold import write_package
from hollywood.protocol.wire import is_name

from .options import Address, BotSpec, ListenAddress, Name, tls_ca_option, tls_option
from .wire_check import WAIT_SECONDS, Wish, check_over_wire, replay_over_wire

EXIT_FAILED = 1


@click.group()
def bots() -> None:
    r"""Bots: what there is, write one, check it, let it play.

    \b
    A bot is named by
      greedy                    a name from the list
      sampler:decisions=400     with an option
      package.module:Class      a class that can be imported
      ./my_bot.py               the bot in a file
      child:./my_bot.py         the same, as a child process with limits
      process:node my_bot.js    a program in any language
    """


@bots.command("list")
def list_bots() -> None:
    r"""List the bots that can be named, with their options.

    \b
    Example:
      hollywood bots list
    """
    table = RichTable("bot", "what it does", box=None)
    for name in bot_names():
        bot = load_bot(name)
        table.add_row(name, _summary(bot))
        for option, found in bot.options.items():
            table.add_row("", f":{option}={found.default}  {found.help}")
    Console().print(table)


def _summary(bot: type[Bot]) -> str:
    lines = (bot.__doc__ or "").strip().splitlines()
    return lines[0] if lines else ""


@bots.command("run")
@click.argument("spec", type=BotSpec())
@click.option(
    "--server",
    "address",
    type=Address(),
    default="127.0.0.1",
    show_default=True,
    help="Where it plays.",
)
@click.option(
    "--table", type=Name(), default="table", show_default=True, help="Where it sits down."
)
@click.option("--name", type=Name(), help="Its name at the table; the bot's own if not given.")
@tls_option
@tls_ca_option
def run_bot(
    spec: str,
    address: tuple[str, int],
    table: str,
    name: str | None,
    is_tls: bool,
    tls_ca: Path | None,
) -> None:
    r"""Let a bot play one game on a server.

    \b
    Example:
      hollywood bots run greedy --server 127.0.0.1:7878 --table den
    """
    own = name or spec.rpartition(":")[2]
    runner = SeatRunner(
        load_bot(spec), own if is_name(own) else "bot", table, partial(click.echo, err=True)
    )
    tls = trust(tls_ca) if is_tls or tls_ca is not None else None
    outcome = trio.run(runner.run, *address, tls)
    won = "won" if outcome.seat in outcome.winners else "did not win"
    scores = " ".join(map(str, outcome.totals))
    click.echo(f"The game is over: scores {scores}; seat {outcome.seat} {won}.")


@bots.command("check")
@click.argument("spec", required=False)
@click.option(
    "--listen",
    "address",
    type=ListenAddress(),
    help="Check a bot that speaks the wire and comes here, instead of SPEC.",
)
@click.option(
    "--start",
    metavar="COMMAND",
    help="With --listen: what starts that bot, for each game; {host} and {port} say where.",
)
@click.option(
    "--wait",
    type=click.FloatRange(min=0, min_open=True),
    default=WAIT_SECONDS,
    show_default=True,
    help="With --listen: how long it is waited for, for each game, in seconds.",
)
@click.option(
    "--slowest",
    type=click.FloatRange(min=0, min_open=True),
    default=SLOWEST_SECONDS,
    show_default=True,
    help="The longest that one answer may take, in seconds.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=".",
    show_default=True,
    help="A folder for the decisions that failed.",
)
@click.option(
    "--replay",
    "again",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Ask again for a decision that failed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def check(
    spec: str | None,
    address: tuple[str, int] | None,
    start: str | None,
    wait: float,
    slowest: float,
    out: Path,
    again: Path | None,
    as_json: bool,
) -> None:
    r"""Check a bot before it meets others: rules, chance, time, memory.

    The decision that a step failed at is written to a file; `--replay` asks for
    it again. With `--listen` the bot is a program in any language that connects to
    this command as to a server, and plays game after game here.

    \b
    Example:
      hollywood bots check ./my_bot.py
      hollywood bots check ./my_bot.py --replay check-2.json
      hollywood bots check --listen 7979
      hollywood bots check --listen 7979 --start "node my_bot.mjs {host} {port}"
    """
    if (spec is None) == (address is None):
        raise click.UsageError("give the bot's SPEC, or --listen for one that connects to us")
    if start is not None and address is None:
        raise click.UsageError("--start goes with --listen: SPEC is started by itself")
    if address is None:
        assert spec is not None, "one of both is given"
        report = _Report(out, spec, f"hollywood bots check {spec}", as_json)
        for step in [replay(again, spec)] if again is not None else check_bot(spec, slowest):
            report.tell(step)
    else:
        host, port = address
        wish = Wish(host=host, port=port, start=start, wait=wait, slowest=slowest)
        report = _Report(out, "wire", _command_again(wish), as_json)
        say = partial(click.echo, err=True)
        if again is not None:
            report.tell(trio.run(replay_over_wire, again, wish, say))
        else:
            trio.run(check_over_wire, wish, report.tell, say)
    report.end()


def _command_again(wish: Wish) -> str:
    start = "" if wish.start is None else f" --start {shlex.quote(wish.start)}"
    return f"hollywood bots check --listen {format_address(wish.host, wish.port)}{start}"


class _Report:
    """Prints the steps of a check, and keeps the decisions that failed."""

    def __init__(self, out: Path, spec: str, command: str, as_json: bool) -> None:
        self._out = out
        self._spec = spec
        self._command = command
        self._as_json = as_json
        self._steps: list[Step] = []

    def tell(self, step: Step) -> None:
        """Take a step that is done."""
        self._steps.append(step)
        if not self._as_json:
            click.echo(f"{'ok' if step.is_passed else 'FAILED':8}{step.name}: {step.text}")
        if step.problem is not None:
            path = self._out / f"check-{len(self._steps)}.json"
            write_problem(path, self._spec, step.problem)
            if not self._as_json:
                click.echo(f"          asked again by: {self._command} --replay {path}")

    def end(self) -> None:
        """Print the document, if one is wanted; exit if something failed."""
        if self._as_json:
            told = [
                {"name": step.name, "is_passed": step.is_passed, "text": step.text}
                for step in self._steps
            ]
            click.echo(msgspec.json.format(msgspec.json.encode(told), indent=1).decode())
        if not all(step.is_passed for step in self._steps):
            sys.exit(EXIT_FAILED)


@bots.command("new")
@click.argument("name")
@click.option(
    "--in",
    "parent",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    show_default=True,
    help="The folder in which the package is made.",
)
def new(name: str, parent: Path) -> None:
    r"""Write a package with a bot that plays, and a test.

    \b
    Example:
      hollywood bots new mybot
    """
    files = write_package(name, parent)
    for path in files:
        click.echo(path)
    click.echo(f"Try it: hollywood bots check {files[0]}")


@bots.command("pipe")
@click.argument("spec")
def run_pipe(spec: str) -> None:
    r"""Play a bot on stdin and stdout, as `process:` and `child:` want it.

    \b
    Example:
      hollywood simulate --bots "process:hollywood bots pipe ./my_bot.py,greedy"
    """
    sys.exit(pipe.main(spec))
