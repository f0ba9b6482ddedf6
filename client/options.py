"""What the command line takes: rule sets, bots, names, addresses."""

from __future__ import annotations

import getpass
from pathlib import Path

import click

from hollywood.bots.connection import parse_address
from hollywood.bots.loading import load_bot
from hollywood.protocol.errors import BotError, RulesError, UnreachableError
from hollywood.protocol.rules import RuleSet, load_rules
from hollywood.protocol.wire import is_name
from hollywood.server.config import HouseBot


class Rules(click.ParamType[RuleSet]):
    """A rule set's name or file."""

    name = "RULES"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> RuleSet:
        """Read the value, or say what is wrong with it."""
        if isinstance(value, RuleSet):
            return value
        try:
            return load_rules(str(value))
        except RulesError as error:
            self.fail(str(error), param, ctx)


class Bots(click.ParamType[tuple[HouseBot, ...]]):
    """Names of bots, separated by commas."""

    name = "BOT,BOT,..."

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[HouseBot, ...]:
        """Read the value, or say what is wrong with it."""
        if isinstance(value, tuple):
            return value
        try:
            specs = [spec.strip() for spec in str(value).split(",") if spec.strip()]
            return tuple(HouseBot(spec, load_bot(spec)) for spec in specs)
        except BotError as error:
            self.fail(str(error), param, ctx)


class Name(click.ParamType[str]):
    """A player's or table's name."""

    name = "NAME"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Read the value, or say what is wrong with it."""
        if not is_name(str(value)):
            self.fail(
                f"{value!r} cannot be a name: use 1 to 24 letters, digits, spaces or _.'- "
                "and start with a letter or digit",
                param,
                ctx,
            )
        return str(value)


class Address(click.ParamType[tuple[str, int]]):
    """Where a server listens."""

    name = "HOST[:PORT]"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        """Read the value, or say what is wrong with it."""
        if isinstance(value, tuple):
            return value
        try:
            return parse_address(str(value))
        except UnreachableError as error:
            self.fail(str(error), param, ctx)


tls_option = click.option("--tls", "is_tls", is_flag=True, help="The server speaks TLS.")
tls_ca_option = click.option(
    "--tls-ca",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Certificate (PEM) to trust, where the server signed its own.",
)


def own_name() -> str:
    """Return the user's name where it can be a player's."""
    try:
        name = getpass.getuser()[:24]
    except (OSError, KeyError):
        name = ""
    return name if is_name(name) else "player"


def check_seats(rules: RuleSet, seats: int) -> None:
    """Refuse a number of seats that the rule set does not have.

    Raises:
        click.UsageError: with what it has.
    """
    players = rules.players
    if not players.min <= seats <= players.max:
        raise click.UsageError(
            f"{rules.title} is for {players.min} to {players.max} players, not {seats}"
        )
