"""What `--help` says of every command."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from hollywood.client.cli import cli


def commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{path} {name}")


EVERY = dict(commands(cli, "hollywood"))


@pytest.mark.parametrize("path", EVERY)
def test_every_option_is_told_and_every_command_in_one_whole_sentence(path: str) -> None:
    command = EVERY[path]
    options = [param for param in command.params if isinstance(param, click.Option)]
    assert [option.name for option in options if not option.help and not option.hidden] == []
    listed = command.get_help(click.Context(command, info_name=path)).partition("Commands:")[2]
    assert "..." not in listed, "the first sentence of a command is too long for the list"


@pytest.mark.parametrize("path", EVERY)
def test_every_command_has_an_example(path: str) -> None:
    command = EVERY[path]
    if not hasattr(command, "commands"):
        assert "Example" in (command.help or "")
