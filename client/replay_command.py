"""`hollywood replay`: look at a recorded game again."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import click
import trio

from hollywood.protocol.errors import ErrorCode, HollywoodError
from hollywood.protocol.rules import decode_record

from .crash import guarded
from .options import ReadType
from .plain_words import spell
from .prefs import Prefs
from .replay import Eyes, Player, Tape, tape_of
from .replay_plain import replay_lines
from .settings import SettingsFile
from .styles import look_for
from .themes import (
    load_theme,
    remembered_theme,
    theme_look,
    theme_names,
    theme_rules,
)


class ThemeName(ReadType[str]):
    """A theme's name or file."""

    name = "THEME"

    def read(self, text: str) -> str:
        """Return the name as it is, if the theme is there and means something."""
        load_theme(text)
        return text


theme_option = click.option(
    "--theme", type=ThemeName(), help=f"{', '.join(theme_names())}, or a TOML file."
)


@click.command()
@click.argument("record", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--deal", type=click.IntRange(min=1), help="Begin with that deal; plain: only it.")
@click.option("--seat", help="See only that player's cards: a name, or a number from 1.")
@click.option("--plain", "is_plain", is_flag=True, help="Print the game as lines of text.")
@click.option("--spell", "spells", is_flag=True, help="With --plain: say cards in words.")
@click.option("--ascii", "is_ascii", is_flag=True, help="Draw with ASCII only.")
@theme_option
def replay(
    record: Path,
    deal: int | None,
    seat: str | None,
    is_plain: bool,
    spells: bool,
    is_ascii: bool,
    theme: str | None,
) -> None:
    r"""Look at a recorded game again.

    Step by step, from deal to deal, or playing by itself.

    \b
    Example:
      hollywood replay games/game-00000.json --deal 3
    """
    from .plain_run import wants_plain

    try:
        tape = tape_of(decode_record(record.read_bytes()))
    except OSError as error:
        text = f"{record} cannot be read ({error.strerror}): give the file of a recorded game"
        raise HollywoodError(text, ErrorCode.BAD_FILE) from None
    if deal is not None and deal > len(tape.deals):
        raise click.UsageError(f"this game has {len(tape.deals)} deals: there is no deal {deal}")
    eyes: Eyes = "all" if seat is None else _seat(tape, seat)
    if is_plain or wants_plain(os.environ, sys.stdin, sys.stdout):
        _print(tape, eyes, deal, spells=spells)
        return
    player = Player(tape)
    player.see(eyes)
    if deal is not None:
        player.deal(deal - 1)
    _show(player, theme, is_ascii=is_ascii)


def _seat(tape: Tape, text: str) -> int:
    """Return the seat of that name or number."""
    names = [name.casefold() for name in tape.names]
    if names.count(text.casefold()) == 1:
        return names.index(text.casefold())
    if text.isdecimal() and 1 <= int(text) <= len(names):
        return int(text) - 1
    listed = ", ".join(f"{number} {name}" for number, name in enumerate(tape.names, 1))
    raise click.UsageError(f"nobody here is {text!r}: the seats are {listed}")


def _print(tape: Tape, eyes: Eyes, deal: int | None, *, spells: bool) -> None:
    from .plain_run import print_line

    try:
        for line in replay_lines(tape, eyes, None if deal is None else deal - 1):
            print_line(spell(line) if spells else line)
    except BrokenPipeError:
        # nobody reads on; nothing may be left to be written at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show(player: Player, theme: str | None, *, is_ascii: bool) -> None:
    # loaded here, since every other command would wait for it
    from .bridge import run_ui_with_trio
    from .presenter import Presenter
    from .replay_stage import ReplayStage
    from .suspend import job_control

    file = SettingsFile()
    if file.complaint:
        click.echo(f"hollywood: {file.complaint}", err=True)
    settings = file.settings
    chosen, trouble = remembered_theme(theme or settings.theme)
    if trouble:
        click.echo(f"hollywood: {trouble}", err=True)
    is_ascii = is_ascii or settings.ascii
    look = look_for(sys.stdout.encoding, os.environ, ascii_only=is_ascii)
    prefs = Prefs(theme_look(chosen, look), mouse=settings.mouse, keep=file.change)
    presenter = Presenter(ReplayStage(player, prefs), rules=lambda look: theme_rules(chosen, look))
    app = presenter.build()

    async def ui() -> str:
        with job_control(app):
            return await app.run_async(set_exception_handler=False)

    try:
        with guarded():
            asyncio.run(run_ui_with_trio(ui, trio.sleep_forever))  # it heeds SIGTERM, too
    except asyncio.CancelledError:
        sys.exit(128 + 15)
