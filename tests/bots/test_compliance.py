"""The check finds what is wrong with a bot, and keeps the decision that shows it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from hollywood.bots.compliance import (
    RULE_SETS,
    Step,
    check_bot,
    kind_of,
    positions,
    replay,
    write_problem,
)
from hollywood.client.cli import cli
from hollywood.protocol.errors import BotError
from hollywood.protocol.rules import explain, load_rules
from hollywood.protocol.rules.offers import default_play

SEVEN = load_rules("hollywood_seven")
SHORT = replace(SEVEN, rounds=(SEVEN.rounds[0], SEVEN.rounds[-1]))
PATIENT = 600.0
"""Seconds for an answer: a machine that stands still for a while is no reason to fail."""
"""Two deals, the second in one go."""

HEAD = """
import random, time
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.protocol.rules import Play, next_discards
class Mine(GreedyBot):
    count = 0
"""

FAULTS = {
    "hollywood_seven: games": """
    def play(self, view):
        play = super().play(view)
        return Play(play.melds, (), play.discard) if play.lay_offs else Play(discard='JK')
""",
    "hollywood_seven: every kind of decision": """
    def wants(self, view):
        return super().wants(view) if view.deal < 99 and not (view.is_down and self._number == 0) else 1 / 0
""",
    "determinism": """
    def play(self, view):
        play = super().play(view)
        cards = next_discards(view, play)
        return Play(play.melds, play.lay_offs, random.SystemRandom().choice(cards)) if cards else play
""",
    "no state between games": """
    def play(self, view):
        type(self).count += 1
        cards = next_discards(view, Play())
        if view.is_down or view.best_laydown():
            return super().play(view)
        return Play(discard=cards[type(self).count // 7 % len(cards)])
""",
    "time": """
    def wants(self, view):
        end = time.monotonic() + 0.001
        while time.monotonic() < end:
            pass
        return False
""",
    "memory": """
    def wants(self, view):
        self.kept = getattr(self, 'kept', []) + [bytes(bytearray(1 << 20)) for _ in range(400)]
        return False
""",
}


def failed(steps: list[Step]) -> list[str]:
    return [step.name for step in steps if not step.is_passed]


@pytest.mark.parametrize(
    "name",
    [
        "hollywood_seven: games",
        "hollywood_seven: every kind of decision",
        "determinism",
        "no state between games",
        "time",
    ],
)
def test_a_fault_is_found_by_the_step_that_looks_for_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(HEAD + FAULTS[name])
    slowest = 0.0005 if name == "time" else PATIENT
    steps = list(check_bot(str(path), slowest, [SHORT]))
    assert name in failed(steps)
    for step in steps:
        if step.problem is not None:
            assert step.name.startswith("hollywood_seven")
            saved = tmp_path / "problem.json"
            write_problem(saved, str(path), step.problem)
            again = replay(saved, str(path))
            assert not again.is_passed
            assert replay(saved, "greedy").is_passed


def test_good_bots_pass() -> None:
    for spec in ("counter", f"process:{sys.executable} docs/bots/process_bot.py"):
        steps = list(check_bot(spec, PATIENT, [SHORT]))
        assert failed(steps) == [], steps
        assert [step.name for step in steps] == [
            "start-up",
            "hollywood_seven: games",
            "hollywood_seven: every kind of decision",
            "time",
            "determinism",
            "no state between games",
            "memory",
        ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 / 0", "ZeroDivisionError"),
        (HEAD + "    def __init__(self, seed):\n        raise OSError('no model')\n", "no model"),
    ],
)
def test_what_does_not_start_is_not_checked_further(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text)
    (step,) = check_bot(str(path))
    assert (step.name, step.is_passed) == ("start-up", False)
    assert told in step.text


@pytest.mark.parametrize("name", RULE_SETS)
def test_there_are_positions_of_every_kind(name: str) -> None:
    found = positions(load_rules(name))
    kinds = {
        "hollywood": {"buy, down", "play, the last card", "play, down, with cards to lay off"},
        "dummy": {"play, contract complete", "play, down, with cards to lay off"},
        "hollywood_seven": {"play, too soon", "play, not down in one go"},
    }
    assert {"take, not down", "play, not down", "play, down"} <= set(found)
    assert kinds[name] <= set(found)
    for kind, views in found.items():
        for seen in views:
            assert kind_of(seen) == kind
            if seen.phase == "play":
                assert explain(seen, default_play(seen)) is None


def test_a_file_that_holds_no_decision_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text("{}")
    with pytest.raises(BotError, match="holds no decision"):
        replay(path, "greedy")


def test_a_new_package_has_a_bot_that_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = CliRunner()
    made = run.invoke(cli, ["bots", "new", "my_bot", "--in", str(tmp_path)])
    assert made.exit_code == 0, made.output
    folder = tmp_path / "my_bot"
    assert sorted(path.name for path in folder.iterdir()) == [
        "README.md",
        "my_bot.py",
        "pyproject.toml",
        "test_my_bot.py",
    ]
    for path in folder.glob("*.py"):
        compile(path.read_text(), path, "exec")
    monkeypatch.chdir(tmp_path)
    steps = list(check_bot(f"{folder / 'my_bot.py'}:least_gain=1", PATIENT, [SHORT]))
    assert failed(steps) == []
    names: dict[str, object] = {}
    monkeypatch.syspath_prepend(str(folder))
    exec((folder / "test_my_bot.py").read_text(), names)
    names["test_it_beats_random"]()  # type: ignore[operator]
    for name in ("my_bot", "My-Bot", "class"):
        again = run.invoke(cli, ["bots", "new", name, "--in", str(tmp_path)])
        assert isinstance(again.exception, BotError)


def test_the_command_says_what_failed_and_how_to_see_it_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(HEAD + "    def wants(self, view):\n        return 1 / 0\n")
    run = CliRunner()
    checked = run.invoke(cli, ["bots", "check", str(path), "--out", str(tmp_path)])
    assert checked.exit_code == 1
    assert "FAILED  start-up" in checked.output
    saved = tmp_path / "check-1.json"
    assert str(saved) in checked.output
    again = run.invoke(cli, ["bots", "check", str(path), "--replay", str(saved), "--json"])
    assert again.exit_code == 1
    (told,) = json.loads(again.output)
    assert "ZeroDivisionError" in told["text"]
    fine = run.invoke(cli, ["bots", "check", "greedy", "--replay", str(saved)])
    assert fine.exit_code == 0


def test_the_list_shows_options() -> None:
    told = CliRunner().invoke(cli, ["bots", "list"]).output
    for text in ("random", "planner", "sampler", ":decisions=", "hard"):
        assert text in told
