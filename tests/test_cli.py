"""The `hollywood` command as a script sees it: output, exit codes, one sentence."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


def hollywood(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, without a terminal."""
    return subprocess.run(
        [sys.executable, "-c", "from hollywood.client.cli import main; main()", *args],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
        env={**os.environ, "COLUMNS": "100", **environment},
    )


def test_simulate_prints_the_same_bytes_twice() -> None:
    args = [
        "simulate",
        "--rules",
        "hollywood",
        "--bots",
        "greedy,random",
        "--games",
        "2",
        "--seed",
        "1",
        "--json",
    ]
    one, two = hollywood(*args), hollywood(*args, "--jobs", "2")
    assert one.returncode == 0, one.stderr
    assert one.stdout == two.stdout
    document = json.loads(one.stdout)
    assert set(document) == {"rules", "rules_hash", "games"}
    assert len(document["games"]) == 2
    game = document["games"][0]
    assert game["bots"] == ["greedy", "random"]
    assert len(game["deals"]) == 10
    assert game["deals"][3]["contracts"] == ["3xS3 + R4"] * 2
    keys = {"contracts", "scores", "went_out", "turns", "buys", "went_down"}
    assert set(game["deals"][0]) == keys


def test_simulate_prints_a_table() -> None:
    result = hollywood("simulate", "--bots", "greedy,random", "--games", "1")
    assert result.returncode == 0
    assert "greedy" in result.stdout
    assert "points a game" in result.stdout
    assert "strikes" not in result.stdout


def test_simulate_shows_the_strikes_of_bots_that_fail(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text(
        "from hollywood.bots.builtin.greedy import GreedyBot\n"
        "class Bad(GreedyBot):\n"
        "    def play(self, view):\n"
        "        return 'JK' if view.seat else 1 / 0\n"
    )
    result = hollywood("simulate", "--bots", f"{path},greedy,{path}", "--games", "2")
    assert result.returncode == 0, result.stderr
    head, *rows, advice = result.stdout.splitlines()
    assert head.split()[-1] == "strikes"
    ends = [row.rstrip().split("  ")[-1].strip() for row in rows]
    assert [ends[0], ends[2]] == ["6 exception", "6 illegal"]
    assert ends[1].endswith("%")
    assert advice.endswith(f"hollywood bots check {path}")


def test_the_first_name_is_remembered(tmp_path: Path) -> None:
    env = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}

    def first_line(*name: str) -> str:
        return hollywood("play", "--plain", "--seats", "2", *name, **env).stdout.splitlines()[0]

    assert "Here: bea and " in first_line("--name", "bea")
    assert (tmp_path / "hollywood-rummy" / "settings.toml").read_text() == 'name = "bea"\n'
    assert "Here: cleo and " in first_line("--name", "cleo")
    assert "Here: bea and " in first_line()


def test_bots_list_names_the_bots() -> None:
    result = hollywood("bots", "list")
    assert result.returncode == 0
    assert "greedy" in result.stdout
    assert "random" in result.stdout


COMMANDS = (
    ["--help"],
    ["play", "--help"],
    ["serve", "--help"],
    ["join", "--help"],
    ["bots", "--help"],
    ["bots", "run", "--help"],
    ["bots", "list", "--help"],
    ["simulate", "--help"],
    ["laydown", "--help"],
    ["verify", "--help"],
)


@pytest.mark.parametrize("args", COMMANDS, ids=" ".join)
def test_every_command_has_help(args: list[str]) -> None:
    result = hollywood(*args)
    assert result.returncode == 0
    assert "Example:" in result.stdout or args == ["bots", "--help"]


@pytest.fixture
def busy_port() -> Iterator[int]:
    """A port that is taken as long as the test runs."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken.getsockname()[1]


@pytest.fixture
def free_port() -> int:
    """A port where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


def test_laydown_says_what_a_hand_can_do() -> None:
    hand = "KS KH KD 9C 9D 3S 4S 6S JK 2D"
    result = hollywood("laydown", "--contract", "2xS3 + R4", hand)
    assert result.returncode == 0
    assert "can go down" in result.stdout
    result = hollywood("laydown", "--round", "2", "--json", hand)
    document = json.loads(result.stdout)
    assert document["distance"] == 0
    assert len(document["laydown"]["melds"]) == 3
    result = hollywood("laydown", "--contract", "2xS3", "KS KH 9C")
    assert "3 cards are missing" in result.stdout


WRONG = {
    "a card that is none": (("laydown", "--contract", "2xS3", "KS XX"), 2),
    "a contract that is none": (("laydown", "--contract", "3 kings", "KS"), 2),
    "no contract": (("laydown", "KS"), 2),
    "too many copies": (("laydown", "--contract", "2xS3", *["KS"] * 5), 2),
    "no such round": (("laydown", "--round", "11", "KS"), 2),
    "unknown rules": (("simulate", "--bots", "greedy,random", "--rules", "hollywod"), 2),
    "rules not TOML": (("simulate", "--bots", "greedy,random", "--rules", "{bad}"), 2),
    "unknown bot": (("simulate", "--bots", "greedy,gredy"), 2),
    "no bot module": (("bots", "run", "no.such:Bot"), 2),
    "too few seats": (("simulate", "--bots", "greedy"), 2),
    "no games": (("simulate", "--bots", "greedy,random", "--games", "0"), 2),
    "unknown option": (("serve", "--prot", "1"), 2),
    "bots fill the table": (
        ("serve", "--table", "x", "--seats", "2", "--bots", "greedy,random"),
        2,
    ),
    "bots without table": (("serve", "--bots", "greedy"), 2),
    "bad name": (("join", "--name", "\x1b[2J"), 2),
    "bad address": (("join", "den:port"), 2),
    "no terminal to choose a server in": (("join",), 2),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_use_is_one_sentence(name: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("this is no TOML")
    args, code = WRONG[name]
    result = hollywood(*(arg.format(bad=bad) for arg in args))
    assert result.returncode == code, result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()[-1]) > 20


def test_a_port_in_use(busy_port: int) -> None:
    result = hollywood("serve", "--host", "127.0.0.1", "--port", str(busy_port))
    assert result.returncode == 1
    assert "[port_in_use]" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_server_that_is_not_there(free_port: int) -> None:
    result = hollywood("bots", "run", "greedy", "--server", f"127.0.0.1:{free_port}")
    assert result.returncode == 1
    assert "[unreachable]" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
