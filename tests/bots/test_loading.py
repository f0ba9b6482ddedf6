"""Finding bots, and what a bad one gets."""

from __future__ import annotations

import pytest

from hollywood.bots import Bot
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.connection import parse_address
from hollywood.bots.loading import bot_names, load_bot
from hollywood.bots.local import play_game
from hollywood.protocol.errors import BotError, ErrorCode, UnreachableError
from hollywood.protocol.rules import Play, PlayerView, load_rules, seed_from_text


def test_the_built_in_bots_have_names() -> None:
    assert {"greedy", "random"} <= set(bot_names())
    assert load_bot("greedy") is GreedyBot
    assert load_bot("hollywood.bots.builtin.greedy:GreedyBot") is GreedyBot


@pytest.mark.parametrize(
    "spec",
    [
        "gredy",
        "no.such.module:Bot",
        "hollywood.bots:Nothing",
        "os:path",
        "json:JSONDecoder",
        ":",
        "",
    ],
)
def test_what_is_no_bot_is_one_sentence(spec: str) -> None:
    with pytest.raises(BotError) as refused:
        load_bot(spec)
    assert refused.value.code is ErrorCode.UNKNOWN_BOT
    assert "\n" not in str(refused.value)


class Raises(Bot):
    def wants(self, view: PlayerView) -> bool:
        raise KeyError("lost")

    def play(self, view: PlayerView) -> Play:
        return Play()


class Illegal(Raises):
    def wants(self, view: PlayerView) -> bool:
        return False


class Speechless(Illegal):
    def play(self, view: PlayerView) -> Play:
        return None  # type: ignore[return-value]


@pytest.mark.parametrize("bad", [Raises, Illegal, Speechless])
def test_a_bad_bot_in_a_local_game_is_named(bad: type[Bot]) -> None:
    with pytest.raises(BotError, match=bad.__name__) as refused:
        play_game(load_rules("hollywood"), (GreedyBot, bad), seed_from_text("1"))
    assert refused.value.code is ErrorCode.BOT_FAILED


@pytest.mark.parametrize("address", ["den:", "den:x", "den:0", "den:65536", "den:-1"])
def test_a_bad_port_is_one_sentence(address: str) -> None:
    with pytest.raises(UnreachableError, match="HOST:PORT"):
        parse_address(address)
