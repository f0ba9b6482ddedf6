"""Writes a package with a bot that plays, for somebody to go on from."""

from __future__ import annotations

import keyword
from pathlib import Path

from hollywood.protocol.errors import BotError

_BOT = '''\
"""A bot for Hollywood rummy."""

from hollywood.bots import Bot, option
from hollywood.protocol.rules import Play, next_discards, suggest_play


class {cls}(Bot):
    """Takes what brings its contract nearer and throws what costs most."""

    least_gain: int = option(1, "how much nearer an upcard must bring the contract", least=0)

    def wants(self, view):
        """Whether this seat claims `view.upcard`: free on its turn, else bought."""
        if view.is_down or view.takes_all_cards:
            return False
        now, then = view.distance(), view.distance(more=view.upcard)
        return now is not None and then is not None and now - then >= self.least_gain

    def play(self, view):
        """The whole turn after the draw."""
        if view.is_down or view.best_laydown():
            return suggest_play(view)

        # your ideas go here: this throws the dearest card whose loss hurts least
        def cost(card):
            away = view.distance(less=card)
            return 99 if away is None else away, -view.rules.points[card], card

        return Play(discard=min(next_discards(view, Play()), key=cost))
'''

_TEST = '''\
"""The bot keeps to the rules and beats one that plays anything."""

from hollywood.bots.compliance import check_bot
from hollywood.bots.loading import load_bot
from hollywood.bots.local import play_game
from hollywood.protocol.rules import load_rules, seed_from_text

from {name} import {cls}


def test_it_passes_the_check():
    failed = [step for step in check_bot("{name}:{cls}") if not step.is_passed]
    assert not failed, failed


def test_it_beats_random():
    bots = ({cls}, load_bot("random"), load_bot("random"))
    result = play_game(load_rules("hollywood"), bots, seed_from_text("first"))
    assert min(result.scores) == result.scores[0]
'''

_PROJECT = """\
[build-system]
requires = ["setuptools>=80"]
build-backend = "setuptools.build_meta"

[project]
name = "{name}"
version = "0.1.0"
description = "A bot for Hollywood rummy"
requires-python = ">=3.11"
dependencies = ["hollywood-rummy"]

[project.entry-points."hollywood.bots"]
{name} = "{name}:{cls}"

[tool.setuptools]
py-modules = ["{name}"]
"""

_README = """\
# {name}

A bot for Hollywood rummy.

    pip install -e .
    hollywood bots check {name}
    hollywood simulate --bots {name},greedy,greedy,greedy --games 20
    pytest
"""


def write_package(name: str, parent: Path) -> list[Path]:
    """Write a folder of that name with a bot, a test and what installs it.

    Returns:
        The files, the bot's first.

    Raises:
        BotError: the name cannot be a module's, or is taken.
    """
    if not name.isidentifier() or keyword.iskeyword(name) or name != name.lower():
        raise BotError(
            f"{name!r} cannot be a bot's name: use small letters, digits and _, a letter first"
        )
    folder = parent / name
    cls = "".join(part.capitalize() for part in name.split("_"))
    files = {
        folder / f"{name}.py": _BOT,
        folder / f"test_{name}.py": _TEST,
        folder / "pyproject.toml": _PROJECT,
        folder / "README.md": _README,
    }
    try:
        folder.mkdir()
        for path, text in files.items():
            path.write_text(text.format(name=name, cls=cls), "utf-8")
    except FileExistsError:
        raise BotError(f"{folder} is there already: choose another name") from None
    except OSError as error:
        raise BotError(f"cannot write to {folder}: {error.strerror}") from None
    return list(files)
