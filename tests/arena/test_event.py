"""What event files may say, and the one sentence that tells what is wrong with one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena import harness
from hollywood.bots.arena.errors import EventError
from hollywood.bots.arena.event import bot_classes, load_event, read_event, set_up
from hollywood.bots.builtin.random import RandomBot

BOTS = ("greedy", "random")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"seats": 9}, "seats"),
        ({"seat": 2}, "unknown field `seat`"),
        ({"rules": "no such"}, "rules: "),
        ({"format": "cup"}, "format"),
        ({"deals": 0}, "deals"),
        ({"reference": "ada"}, "none of greedy, random"),
        ({"format": "round_robin", "seats": 4}, "add bots, take fewer seats"),
        ({"format": "swiss", "stop": {"rule": "interval"}}, "leave out the stop rule"),
        ({"format": "round_robin", "stop": {"rule": "gsprt"}}, "gsprt decides duels"),
        ({"stop": {"rule": "gsprt", "h0": 10.0}}, "h1 must be more than h0"),
        ({"stop": {"at_least": 5}}, "at_least"),
        ({"budget": {"seconds": 1.0}}, "busy machine"),
        ({"advance": 2}, "advance must be less"),
        ({"luck_coefficient": float("nan")}, "finite"),
    ],
)
def test_a_bad_event_is_one_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(EventError, match=sentence) as caught:
        harness.event(BOTS, **changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("bots", "sentence"),
    [
        ({"a": "greedy"}, "not 1"),
        ({"a": "greedy", "b": "random", "c": "random"}, "gauntlet"),
        ({"a": "greedy", "b": "nobody"}, "the bot b: there is no bot 'nobody'"),
        ({"a": "greedy", "b/": "random"}, "name"),
    ],
)
def test_bots_that_cannot_play(bots: dict[str, str], sentence: str) -> None:
    with pytest.raises(EventError, match=sentence):
        harness.event(bots)


def write(folder: Path, text: str) -> Path:
    path = folder / "event.toml"
    path.write_text(text)
    return path


def test_files_are_found_beside_the_event_and_watched(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text(
        "from hollywood.bots.builtin.random import RandomBot\nclass Mine(RandomBot):\n    pass\n"
    )
    text = (
        'name = "e"\nformat = "pair"\nseats = 2\n[[bots]]\nname = "mine"\nbot = "mine.py"\n'
        '[[bots]]\nname = "random"\nbot = "random"\n'
    )
    before = load_event(write(tmp_path, text))
    assert issubclass(bot_classes(before)[0], RandomBot)
    assert load_event(write(tmp_path, text)).digest == before.digest
    bot.write_text(bot.read_text() + "# changed\n")
    with pytest.raises(EventError, match=r"mine\.py is not here what it is"):
        bot_classes(before)
    assert load_event(write(tmp_path, text)).digest != before.digest
    assert load_event(write(tmp_path, text.replace('"e"', '"f"'))).digest != before.digest


def test_no_toml_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(EventError, match="is not TOML"):
        load_event(write(tmp_path, "name = "))
    with pytest.raises(EventError, match="cannot read"):
        load_event(tmp_path / "none.toml")


def test_options_and_budget_go_into_the_spec() -> None:
    data = {
        "name": "options",
        "seats": 2,
        "bots": [
            {"name": "n", "bot": "harness.py:NoisyBot", "options": {"salt": 4, "noise": 0.5}},
            {"name": "p", "bot": "process:node x.mjs", "options": {"memory": 64}},
        ],
    }
    setup = set_up(read_event(data), harness.HERE)
    assert setup.specs[0].endswith("harness.py:NoisyBot:salt=4:noise=0.5")
    assert setup.specs[1] == "process:memory=64:node x.mjs"
    assert [Path(file).name for file, _ in setup.files] == ["harness.py"]
