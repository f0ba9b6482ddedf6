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
from hollywood.protocol.rules import (
    CARDS,
    RuleSet,
    game_seed,
    load_rules,
    rule_set_names,
    seed_from_text,
)
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


def test_the_tables_of_the_documents_are_up_to_date() -> None:
    check = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "tables.py"), "--check"], check=False
    )
    assert check.returncode == 0, "run: python docs/tables.py"


@pytest.mark.parametrize(("text", "last"), [(0, 55), (1, 40), (3, 29)])
def test_every_row_of_the_rule_book_is_told(text: int, last: int) -> None:
    rows = re.findall(rf"^\| ({text}-\d+) \|", RULES, flags=re.M)
    wanted = [f"{text}-{n}" for n in range(1, last + 1)]
    assert rows[:last] == wanted
    assert set(rows) == set(wanted)  # those after them are readings that may be flipped


def test_every_rule_set_has_a_heading() -> None:
    """But the one with chips, which is row 1-15."""
    names = [name for name in rule_set_names() if name != "hollywood_seven_chips"]
    headings = re.findall(r"^##+ `(\w+)`", RULES, flags=re.M)
    assert sorted(headings) == names
    assert "`hollywood_seven_chips`" in RULES


def options_of(rules: RuleSet) -> set[str]:
    """Groups and options as a file writes them."""
    names = {"rounds.deal", "rounds.contract"}
    for group in rules.__struct_fields__:
        fields = getattr(getattr(rules, group), "__struct_fields__", ())
        names |= {group, *(f"{group}.{field}" for field in fields)}
    return names


def test_options_named_in_the_rules_exist() -> None:
    known = options_of(load_rules("hollywood"))
    named = [
        name
        for names in re.findall(r"\[((?:`[a-z_.]+`(?:, )?)+)\]", RULES)
        for name in re.findall(r"`([a-z_.]+)`", names)
    ]
    assert len(named) > 150
    assert set(named) <= known
    whole = {name for name in named if "." not in name} | {"name", "title"}
    groups = {name.partition(".")[0] for name in named}
    untold = {name for name in known - set(named) if name.partition(".")[0] not in whole}
    assert untold <= groups, "rows cite every option, or its group"


def test_every_option_has_a_meaning() -> None:
    part = RULES[RULES.index("<!-- meanings") : RULES.index("<!-- end of meanings")]
    rows = dict(re.findall(r"^\| `([a-z_.]+)` \| .*? \| (.*) \|$", part, flags=re.M))
    known = options_of(load_rules("hollywood"))
    leaves = {name for name in known if "." in name} | {"title", "progress", "final_round"}
    assert set(rows) == {name for name in leaves if not name.startswith("rounds.")}
    assert all(len(meaning) > 10 for meaning in rows.values())


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
