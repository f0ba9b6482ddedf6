"""Bots that know nothing of our code play whole games: written from PROTOCOL.md alone."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.local import play_game
from hollywood.protocol.rules import load_rules, seed_from_text
from hollywood.server.config import Clocks, HouseBot, ServerConfig, TableConfig
from hollywood.server.listener import serve

BOTS = Path(__file__).parents[2] / "docs" / "bots"
RULES = load_rules("hollywood")
SECONDS = 300
"""Far more than a game takes; only a bot that hangs needs it."""


def command(bot: str) -> list[str]:
    """How to run that bot; skips where its language is missing."""
    if bot == "bot.py":
        return [sys.executable, str(BOTS / bot)]
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    if not (BOTS / "node_modules" / "@msgpack" / "msgpack").is_dir():
        pytest.skip("run: npm install --prefix docs/bots")
    return [node, str(BOTS / bot)]


@pytest.mark.parametrize("bot", ["bot.py", "bot.mjs"])
async def test_a_bot_without_our_code_plays_a_whole_game(bot: str) -> None:
    """Ten rounds against greedy, no answer rejected; the hints make it greedy itself."""
    run, seed = command(bot), seed_from_text(bot)
    table = TableConfig(
        name="den",
        rules=RULES,
        seats=4,
        house=(HouseBot("greedy", GreedyBot),) * 3,
        seed=seed,
        clocks=Clocks(window=None, turn=None, pause=0),
    )
    config = ServerConfig(port=0, rules=RULES, tables=(table,))
    with trio.fail_after(SECONDS):
        async with trio.open_nursery() as nursery:
            port = await nursery.start(serve, config)
            done = await trio.run_process(
                [*run, "127.0.0.1", str(port), "den", "foreigner"],
                capture_stdout=True,
                capture_stderr=True,
                check=False,
                stdin=subprocess.DEVNULL,
            )
            nursery.cancel_scope.cancel()
    assert done.returncode == 0, done.stderr.decode()
    result = json.loads(done.stdout)
    assert set(result["verdicts"]) <= {"accepted", "late"}, "a window may be decided without it"
    assert result["verdicts"]["accepted"] > len(RULES.rounds)
    local = play_game(RULES, (GreedyBot,) * 4, seed)
    assert (result["seat"], tuple(result["totals"])) == (0, local.scores)
    assert tuple(result["winners"]) == local.winners
