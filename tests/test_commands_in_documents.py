"""Every command that a document shows exists, with every option it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from hollywood.client.cli import cli

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "*/*.md", "docs/bots/*.md", "docs/*.service", "docs/Containerfile")
    for path in ROOT.glob(pattern)
    if not path.name.startswith(".") and "node_modules" not in path.parts
)
_COMMAND = re.compile(r"(?<!--rules )(?:^|(?<=[`\s/]))hollywood ((?:[a-z]+|--[a-z])[^`\n|#]*)")


def shown(text: str) -> list[str]:
    """The commands in code, without `hollywood`."""
    code = re.findall(r"```(?:\w*)\n(.*?)```", text, re.DOTALL) + re.findall(r"`([^`\n]+)`", text)
    lines = [line for block in code for line in block.replace("\\\n", " ").splitlines()]
    return [m.group(1).strip() for line in lines for m in [_COMMAND.search(line)] if m]


def problem(words: list[str]) -> str:
    """What is wrong with a command line; nothing if all is well."""
    command: click.Command = cli
    options = set()
    for word in words:
        if word.startswith("--"):
            options.add(word.partition("=")[0].rstrip(",;.)"))
        elif isinstance(command, click.Group):
            if word in command.commands:
                options -= {name for p in command.params for name in p.opts}
                command = command.commands[word]
            elif word.islower() and word.isalpha() and command is cli:
                return f"there is no command {word}"
    known = {name for p in command.params for name in (*p.opts, *p.secondary_opts)}
    unknown = options - known - {"--help", "--version"}
    return f"{command.name} has no {', '.join(sorted(unknown))}" if unknown else ""


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_exist(path: Path) -> None:
    text = path.read_text("utf-8")
    if path.suffix != ".md":
        text = f"```\n{text}\n```"
    wrong = []
    for line in shown(text):
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            words = line.split()
        said = problem(words)
        if said:
            wrong.append(f"{line}: {said}")
    assert not wrong


def test_a_wrong_command_is_noticed() -> None:
    assert shown("`hollywood serve --dta X`") == ["serve --dta X"]
    assert "--dta" in problem(["serve", "--dta", "X"])
    assert problem(["fly"])
    assert not problem(["admin", "--data", "X", "kick", "den", "2"])
