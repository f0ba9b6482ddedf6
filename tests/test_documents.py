"""Documents say what is true: their examples are run, their tables compared."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any, get_args

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
from hollywood.protocol.rules.claims import Answer, Window, decide
from hollywood.protocol.rules.dealing import mix_entropy, shuffle
from hollywood.protocol.rules.rulelimits import MAX_PACKS, MAX_ROUNDS
from hollywood.protocol.wire import (
    VERSIONS,
    ClientMessage,
    ServerMessage,
    Session,
    Side,
    State,
    frames,
)
from hollywood.protocol.wire.versions import CAPS, MINOR
from hollywood.server import connection
from hollywood.server.config import Clocks, Limits
from hollywood.server.seating import ATTEMPTS

ROOT = Path(__file__).parent.parent
PROTOCOL = (ROOT / "protocol" / "PROTOCOL.md").read_text("utf-8")
RULES = (ROOT / "protocol" / "RULES.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")

EXAMPLES = re.findall(r"^([CS]) ([0-9a-f]+)\n  (\{.*\})$", PROTOCOL, flags=re.M)


def test_there_are_examples_of_both_sides() -> None:
    assert {side for side, _, _ in EXAMPLES} == {"C", "S"}
    assert len(EXAMPLES) >= 50


def test_the_conversation_is_the_recorded_one() -> None:
    check = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "conversation.py"), "--check"], check=False
    )
    assert check.returncode == 0, "run: python docs/conversation.py"


@pytest.mark.parametrize(("side", "frame", "readable"), EXAMPLES)
def test_the_bytes_of_an_example_are_its_message(side: str, frame: str, readable: str) -> None:
    receiver = Session(Side.SERVER if side == "C" else Side.CLIENT)
    tag = msgspec.json.decode(readable)["t"]
    receiver.state = {"hello": State.HELLO, "welcome": State.ANSWER}.get(tag, State.OPEN)
    receiver.receive_data(bytes.fromhex(frame))
    message = receiver.next_message()
    assert message is not None
    assert receiver.next_message() is None
    data = msgspec.msgpack.decode(bytes.fromhex(frame)[4:])
    assert msgspec.json.encode(data).decode() == readable
    if tag == "joined":  # its rules may have got more options since
        return
    assert msgspec.json.encode(message).decode() == readable
    sender = Session(receiver.side.other)
    sender.state = {"hello": State.HELLO, "welcome": State.ANSWER}.get(tag, State.OPEN)
    assert sender.send(message).hex() == frame


def test_every_kind_of_message_is_told() -> None:
    kinds = {kind.__struct_config__.tag for kind in get_args(ClientMessage | ServerMessage)}
    assert {tag for tag in kinds if f"`{tag}`" not in PROTOCOL} == set()


def test_the_digest_example() -> None:
    found = re.search(r"is that of `([^`]+)`: `([0-9a-f]{16})`", PROTOCOL)
    assert found is not None
    assert hashlib.sha256(found[1].encode()).hexdigest()[:16] == found[2]
    digests = re.findall(r'"digest":"([0-9a-f]+)"\}$', PROTOCOL, flags=re.M)
    assert digests[1] == found[2], "the second of the conversation"


def test_the_entropy_example() -> None:
    seed = re.search(r"hex is `([0-9a-f]{64})`", PROTOCOL)
    found = re.search(r"that text is `([^`]+)`, and the game's seed\s+`([0-9a-f]{64})`", PROTOCOL)
    assert seed is not None
    assert found is not None
    server_seed = bytes.fromhex(seed[1])
    assert hashlib.sha256(server_seed + found[1].encode()).hexdigest() == found[2]
    assert mix_entropy(server_seed, ("", "5eed", "")).hex() == found[2]


def test_the_commitment_of_the_conversation() -> None:
    """The seed that is shown at the end is the one that was promised."""
    promised = set(re.findall(r'"commitment":"([0-9a-f]+)"', PROTOCOL))
    (shown,) = re.findall(r'"seed":"([0-9a-f]+)"', PROTOCOL)
    assert promised == {hashlib.sha256(bytes.fromhex(shown)).hexdigest()}


def test_the_loader_of_the_golden_frames_is_the_one_the_tests_use() -> None:
    found = re.search(r"<!-- loader -->\n```python\n(.*?)```", PROTOCOL, flags=re.S)
    assert found is not None
    assert found[1] == (ROOT / "tests" / "golden_frames.py").read_text("utf-8")


def test_the_claim_window_table() -> None:
    """Every row of the table for three seats, with everything that `*` stands for."""
    said = {"-": Answer.OPEN, "p": Answer.PASS, "C": Answer.CLAIM}
    rows = re.findall(r"^\| `(.)` \| `(.)` \| `(.)` \| ([^|]+) \|$", PROTOCOL, flags=re.M)
    told: dict[str, str] = {}
    for *row, becomes in rows:
        for letters in product(*("-pC" if letter == "*" else letter for letter in row)):
            told["".join(letters)] = becomes
    assert len(told) == 27
    for answers, becomes in told.items():
        decision = decide(Window((0, 1, 2), tuple(said[letter] for letter in answers)))
        if decision is None:
            assert becomes == "open"
        else:
            names = {None: "nobody", 0: "the first", 1: "the second", 2: "the third"}
            assert becomes == f"closed, {names[decision.winner]} gets it"


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


def test_the_limits_of_the_protocol_are_those_of_the_code() -> None:
    told = " ".join(PROTOCOL.split())
    clocks, limits = Clocks(), Limits()
    for text in (
        f"| client | {frames.MAX_TO_SERVER // 1024} KiB |",
        f"| server | {frames.MAX_TO_CLIENT // 1024**2} MiB |",
        f"| both, before the welcome | {frames.MAX_GREETING // 1024} KiB |",
        f"nested at most {frames.MAX_DEPTH} deep",
        f"within {connection.HELLO_SECONDS} seconds",
        f"`ping` every {connection.PING_SECONDS} seconds",
        f"when more than {connection.MAX_OWED // 1024**2} MiB waits",
        f"more than {limits.chat[0]} lines of chat or {limits.commands[0]} commands in "
        f"{limits.chat[1]:g} seconds on a connection; {limits.guesses[0]} wrong passwords",
        f"or {limits.hellos[0]} connections in {limits.hellos[1]:g} seconds, from an address",
        f"after {limits.refused[0]} answers in {limits.refused[1]:g} seconds that were rejected",
        f"| connections from one address | {limits.connections} |",
        f"{MAX_PACKS} packs, {MAX_ROUNDS} rounds",
        f"{clocks.away:g} s of waiting for a seat in a game, {clocks.park:g} s until",
        f"{clocks.idle:g} s for a game to begin",
        f"{clocks.window:g} s for a seat that may buy, {clocks.turn:g} s for the seat in turn",
        f"{clocks.start_up:g} s more for the first decision, {clocks.pause:g} s between deals",
        f"{clocks.grace:g} s until a house bot takes over, {clocks.entropy:g} s for entropy",
        f"| rejected answers | {ATTEMPTS} for each decision |",
        f"The protocol, version {VERSIONS[1]}.{MINOR}",
    ):
        assert text in told
    assert connection.MAX_UNANSWERED == 3
    assert "left three unanswered" in told
    assert {cap for cap in CAPS if f"| `{cap}` |" not in PROTOCOL} == set()


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
