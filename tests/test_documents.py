"""Documents say what is true: their examples are run, their tables compared."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.local import play_game
from hollywood.protocol.rules import CARDS, game_seed, load_rules, seed_from_text
from hollywood.protocol.rules.dealing import shuffle
from hollywood.protocol.wire import Session, Side, State

ROOT = Path(__file__).parent.parent
PROTOCOL = (ROOT / "protocol" / "PROTOCOL.md").read_text("utf-8")
RULES = (ROOT / "protocol" / "RULES.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")

EXAMPLES = re.findall(r"^([CS]) ([0-9a-f]+)\n  (\{.*\})$", PROTOCOL, flags=re.M)


def test_there_are_examples_of_both_sides() -> None:
    assert {side for side, _, _ in EXAMPLES} == {"C", "S"}
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize(("side", "frame", "readable"), EXAMPLES)
def test_the_bytes_of_an_example_are_its_message(side: str, frame: str, readable: str) -> None:
    receiver = Session(Side.SERVER if side == "C" else Side.CLIENT)
    tag = msgspec.json.decode(readable)["t"]
    receiver.state = {"hello": State.HELLO, "welcome": State.ANSWER}.get(tag, State.OPEN)
    receiver.receive_data(bytes.fromhex(frame))
    message = receiver.next_message()
    assert msgspec.json.encode(message).decode() == readable
    sender = Session(receiver.side.other)
    sender.state = {"hello": State.HELLO, "welcome": State.ANSWER}.get(tag, State.OPEN)
    assert message is not None
    assert sender.send(message).hex() == frame


def test_the_shuffle_example() -> None:
    found = re.search(r"hex is `([0-9a-f]{64})`.*?in deal 0: `([^`]+)`", PROTOCOL, flags=re.S)
    assert found is not None
    order = shuffle(load_rules("hollywood").deck_cards, bytes.fromhex(found[1]), "deal/0")
    cards = found[2].split()
    assert list(order[: len(cards)]) == cards
    assert set(cards) <= set(CARDS)


def test_the_tables_of_the_protocol_are_up_to_date() -> None:
    check = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "tables.py"), "--check"], check=False
    )
    assert check.returncode == 0, "run: python docs/tables.py"


def test_every_row_of_the_rule_book_is_told() -> None:
    rows = re.findall(r"^\| (0-\d+) \|", RULES, flags=re.M)
    assert rows == [f"0-{n}" for n in range(1, 56)]


def test_options_named_in_the_rules_exist() -> None:
    rules = msgspec.to_builtins(load_rules("hollywood"))
    for names in re.findall(r"\[(`[a-z_.`, ]+`)\]", RULES):
        for name in re.findall(r"`([a-z_.]+)`", names):
            value = rules
            for key in name.split("."):
                value = value[0][key] if isinstance(value, list | tuple) else value[key]


def test_the_commands_of_the_readme_exist() -> None:
    from hollywood.client.cli import cli

    lines = re.findall(r"^(?:uv run )?hollywood ([a-z][a-z ]*)", README, flags=re.M)
    assert lines
    for line in lines:
        command = cli
        for word in line.split():
            commands = getattr(command, "commands", {})
            if word not in commands:
                break
            command = commands[word]
        assert command is not cli, line


def test_the_bot_of_the_readme_beats_random() -> None:
    found = re.search(r"<!-- bot -->\n```python\n(.*?)```", README, flags=re.S)
    assert found is not None
    names: dict[str, Any] = {}
    exec(found[1], names)
    ahead = 0
    for i in range(4):
        result = play_game(
            load_rules("hollywood"),
            (names["Patient"], RandomBot),
            game_seed(seed_from_text("readme"), i),
        )
        ahead += result.scores[0] < result.scores[1]
    assert ahead == 4
