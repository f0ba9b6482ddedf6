"""What the command line takes: rule sets, bots, names, addresses."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TypeVar, cast

import click

from hollywood.bots.connection import parse_address
from hollywood.bots.loading import load_bot
from hollywood.protocol.errors import HollywoodError
from hollywood.protocol.rules import RuleSet, load_rules
from hollywood.protocol.wire import is_name
from hollywood.server.config import HouseBot

T = TypeVar("T")
_LAST_PORT = 65535


class ReadType(click.ParamType[T]):
    """What is read from a text. What cannot be read is said in the sentence of the error."""

    def read(self, text: str) -> T:
        """Return what the text says.

        Raises:
            HollywoodError, ValueError: nothing that can be used here.
        """
        raise NotImplementedError

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> T:
        """Read the value, or say what is wrong with it; what has been read stays as it is."""
        if not isinstance(value, str):
            return cast(T, value)
        try:
            return self.read(value)
        except (HollywoodError, ValueError) as error:
            self.fail(str(error), param, ctx)


class Rules(ReadType[RuleSet]):
    """A rule set's name or file."""

    name = "RULES"

    def read(self, text: str) -> RuleSet:
        """Return the rule set."""
        return load_rules(text)


class Bots(ReadType[tuple[HouseBot, ...]]):
    """Names of bots, separated by commas."""

    name = "BOT,BOT,..."

    def read(self, text: str) -> tuple[HouseBot, ...]:
        """Return the bots in order."""
        specs = [spec.strip() for spec in text.split(",") if spec.strip()]
        return tuple(HouseBot(spec, load_bot(spec)) for spec in specs)


class BotSpec(ReadType[str]):
    """A bot's name, class, file or command."""

    name = "SPEC"

    def read(self, text: str) -> str:
        """Return the spec as it is, if a bot can be loaded from it."""
        load_bot(text)
        return text


class Name(ReadType[str]):
    """A player's or table's name."""

    name = "NAME"

    def read(self, text: str) -> str:
        """Return the name, if it can be one."""
        if not is_name(text):
            raise ValueError(
                f"{text!r} cannot be a name: use 1 to 24 letters, digits, spaces or _.'- "
                "and start with a letter or digit"
            )
        return text


class Address(ReadType[tuple[str, int]]):
    """Where a server listens."""

    name = "HOST[:PORT]"

    def read(self, text: str) -> tuple[str, int]:
        """Return host and port."""
        return parse_address(text)


class ListenAddress(ReadType[tuple[str, int]]):
    """Where to listen; this machine alone if no host is given, any free port for 0."""

    name = "[HOST:]PORT"

    def read(self, text: str) -> tuple[str, int]:
        """Return host and port."""
        host, _, port = text.rpartition(":")
        if not port.isdecimal() or int(port) > _LAST_PORT:
            raise ValueError(f"{text!r} is nowhere to listen: give PORT or HOST:PORT, as in 7979")
        return host.strip("[]") or "127.0.0.1", int(port)


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
