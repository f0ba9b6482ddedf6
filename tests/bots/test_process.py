"""Bots that are processes of their own: they play like any other, and harm nobody."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

import msgspec
import pytest

from hollywood.bots import exchange as x
from hollywood.bots.api import FaultKind
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.loading import load_bot
from hollywood.bots.local import play_game
from hollywood.bots.results import GameResult
from hollywood.protocol.rules import (
    RuleSet,
    load_rules,
    rule_set_names,
    seed_from_text,
    start,
    view,
)
from hollywood.protocol.rules.rulefiles import load_rules as load

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "bots"
BAD = Path(__file__).parent / "bad" / "bad.py"
SEED = seed_from_text("process")


def short(name: str = "hollywood", deals: int = 1) -> RuleSet:
    """The first deals of a rule set."""
    rules = load(name)
    return msgspec.structs.replace(
        rules,
        rounds=rules.rounds[:deals],
        buy=msgspec.structs.replace(rules.buy, limit_round=3),
    )


def bad_game(way: str, limits: str = "answer_seconds=0.3") -> GameResult:
    bad = load_bot(f"process:{limits}:memory=64:processes=8:{sys.executable} {BAD} {way}")
    return play_game(short(), (GreedyBot, bad, GreedyBot), SEED)


def sleepers() -> list[int]:
    """Processes of this test that are still there."""
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        is_ours = b"bad.py" in words or b"time.sleep(600)" in words or b"warden.py" in words
        if is_ours and state != "Z":
            found.append(int(pid))
    return found


@pytest.mark.parametrize(
    ("way", "kinds"),
    [
        ("illegal", {FaultKind.ILLEGAL}),
        ("raising", {FaultKind.CRASH}),
        ("error", {FaultKind.EXCEPTION}),
        ("slow", {FaultKind.TIMEOUT, FaultKind.HANG}),
        ("hanging", {FaultKind.TIMEOUT, FaultKind.HANG}),
        ("eating", {FaultKind.CRASH, FaultKind.TIMEOUT, FaultKind.HANG}),
        ("forking", {FaultKind.CRASH, FaultKind.TIMEOUT, FaultKind.HANG}),
        ("detaching", {FaultKind.CRASH}),
        ("rubbish", {FaultKind.ILLEGAL}),
        ("endless", {FaultKind.CRASH}),
        ("closing", {FaultKind.CRASH, FaultKind.TIMEOUT, FaultKind.HANG}),
        ("mute", {FaultKind.CRASH}),
        ("ahead", {FaultKind.ILLEGAL}),
        ("early", {FaultKind.CRASH}),
    ],
)
def test_a_bad_bot_loses_its_seat_and_not_the_game(way: str, kinds: set[FaultKind]) -> None:
    patient = way in ("eating", "endless", "forking", "raising", "detaching", "mute")
    before = sleepers()
    result = bad_game(way, "answer_seconds=20" if patient else "answer_seconds=0.3")
    assert len(result.scores) == 3
    first, bad, last = result.strikes
    assert (first, last) == ((), ()), "the others are unharmed"
    assert len(bad) == 3, "three strikes, then the stand-in plays"
    assert {strike.kind for strike in bad} <= kinds
    assert bad[0].kind is sorted(kinds, key=[*FaultKind].index)[0] or patient
    assert sleepers() == before, "no process is left"


def test_what_ended_a_bot_is_told() -> None:
    told = {
        way: bad_game(way, "answer_seconds=20").strikes[1][0].text
        for way in ("raising", "early", "rubbish", "mute")
    }
    assert "exited with 1" in told["raising"]
    assert "KeyError: 'lost'" in told["raising"], "the last line of its stderr"
    assert "exited with 7" in told["early"]
    assert "'thinking...'" in told["rubbish"]
    assert "closed its stdout" in told["mute"]


def test_a_hanging_bot_hangs_only_after_it_was_slow() -> None:
    kinds = [strike.kind for strike in bad_game("hanging").strikes[1]]
    assert kinds == [FaultKind.TIMEOUT, FaultKind.HANG, FaultKind.HANG]


def test_a_bot_with_strikes_shows_in_the_result_and_one_without_does_not() -> None:
    fine = play_game(short(), (GreedyBot, GreedyBot), SEED)
    assert b"strikes" not in msgspec.json.encode(fine)
    assert msgspec.json.decode(msgspec.json.encode(bad_game("error")))["strikes"][1][0] == {
        "decision": 0,
        "kind": "exception",
        "text": "no idea",
    }


def runs(bot: str) -> str:
    """The spec of an example of the documentation; skips where its language is missing."""
    if bot.endswith(".py"):
        return f"process:{sys.executable} {DOCS / bot}"
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    return f"process:{node} {DOCS / bot}"


@pytest.mark.parametrize("bot", ["process_bot.py", "process_bot.mjs"])
def test_the_examples_play_like_greedy(bot: str) -> None:
    rules = short(deals=3)
    here = play_game(rules, (GreedyBot,) * 3, SEED)
    there = play_game(rules, (load_bot(runs(bot)), GreedyBot, GreedyBot), SEED)
    assert there.strikes == ()
    assert there.scores == here.scores


@pytest.mark.parametrize("spec", ["random", "counter", "sampler:decisions=30"])
def test_a_bot_apart_plays_the_same_game(spec: str) -> None:
    """Chance, observed events and options arrive in the child, whatever its hash seed."""
    rules = short(deals=2)
    here = play_game(rules, (load_bot(spec), GreedyBot), SEED)
    there = play_game(rules, (load_bot(f"child:{spec}"), GreedyBot), SEED)
    assert there.strikes == ()
    assert there.scores == here.scores


@pytest.mark.parametrize("name", rule_set_names())
def test_a_view_comes_back_as_it_went(name: str) -> None:
    rules = load_rules(name)
    state, _ = start(rules, rules.players.min, SEED)
    seen = view(state, state.turn)
    data = json.loads(x.encode_line(x.Event(event=x.bare_view(seen))))["event"]
    assert x.full_view(data, rules) == seen


def test_the_lines_of_the_documentation_are_what_is_said() -> None:
    text = (DOCS / "PROCESS.md").read_text("utf-8")
    found = re.findall(
        r"<!-- (to|from) the bot(: start)? -->\n```json\n(.*?)\n```", text, flags=re.S
    )
    kinds = set()
    for way, is_start, line in found:
        kinds.add(json.loads(line)["t"])
        if is_start:
            continue
        decode = x.decode_to_bot if way == "to" else x.decode_from_bot
        message = decode(line.encode())
        again = json.loads(x.encode_line(message))
        assert again.items() <= json.loads(line).items()
    assert kinds == {"start", "ready", "decide", "answer", "event", "error", "end"}


def test_the_limits_of_the_documentation_are_those_of_the_code() -> None:
    from hollywood.bots.process import ProcessBot

    text = (DOCS / "PROCESS.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", text, flags=re.M))
    assert {name: float(value) for name, value in rows.items()} == {
        name: found.default for name, found in ProcessBot.options.items()
    }
    kinds = re.findall(r"^\| `(\w+)` \| [a-z]", text, flags=re.M)
    assert set(kinds) == set(FaultKind)
