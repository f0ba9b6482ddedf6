"""Finding bots, and what a bad one gets."""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from hollywood.bots import Bot, option
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.connection import parse_address
from hollywood.bots.loading import bot_names, built_in_bot, load_bot
from hollywood.protocol.errors import BotError, ErrorCode, UnreachableError


def test_the_built_in_bots_have_names() -> None:
    names = {"random", "greedy", "planner", "counter", "sampler", "easy", "normal", "hard"}
    assert names <= set(bot_names())
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


def test_a_bot_is_found_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "my_bot.py"
    path.write_text(
        "from hollywood.bots.builtin.greedy import GreedyBot\n"
        "class Mine(GreedyBot):\n    'Mine.'\nclass Other(Mine):\n    'Other.'\n"
    )
    assert load_bot(f"{path}:Mine").__name__ == "Mine"
    with pytest.raises(BotError, match=r"found: Mine, Other"):
        load_bot(str(path))
    path = tmp_path / "alone.py"
    path.write_text("from hollywood.bots.builtin.greedy import GreedyBot as G\nclass A(G): pass\n")
    assert load_bot(str(path)).__name__ == "A"
    for text in ("1/0", "import nothing_of_that_name", "def", "raise SystemExit(3)"):
        broken = tmp_path / f"broken{len(text)}.py"
        broken.write_text(text)
        with pytest.raises(BotError, match="cannot load") as refused:
            load_bot(str(broken))
        assert "\n" not in str(refused.value)
    with pytest.raises(BotError, match="cannot load"):
        load_bot(str(tmp_path / "not_there.py"))


class Choosy(GreedyBot):
    """Has one option of each type."""

    worlds: int = option(3, "how many", least=1)
    share: float = option(0.5, "how much")
    is_bold: bool = option(False, "whether")
    style: str = option("plain", "how")


CHOOSY = f"{__name__}:Choosy"


@pytest.fixture
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """This module by its name, as an installed package would be."""
    monkeypatch.setitem(sys.modules, __name__, sys.modules[Choosy.__module__])


@pytest.mark.usefixtures("importable")
def test_options_are_typed_and_named() -> None:
    plain = load_bot(CHOOSY)
    assert plain is Choosy
    assert (Choosy.worlds, Choosy.share, Choosy.is_bold, Choosy.style) == (3, 0.5, False, "plain")
    assert [*Choosy.options] == ["worlds", "share", "is_bold", "style"]
    chosen = load_bot(f"{CHOOSY}:worlds=8:share=0.25:is_bold=yes:style=grand")
    assert issubclass(chosen, Choosy)
    bot = chosen(bytes(32))
    assert isinstance(bot, Choosy)
    assert (bot.worlds, bot.share, bot.is_bold, bot.style) == (8, 0.25, True, "grand")
    assert Choosy.worlds == 3


@pytest.mark.usefixtures("importable")
@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ("worlds=many", "a whole number"),
        ("worlds=0", "1 or more"),
        ("share=x", "a number"),
        ("is_bold=perhaps", "yes or no"),
        ("world=3", "no option 'world': it has worlds, share, is_bold, style"),
    ],
)
def test_a_bad_option_is_one_sentence(choice: str, sentence: str) -> None:
    with pytest.raises(BotError, match=sentence) as refused:
        load_bot(f"{CHOOSY}:{choice}")
    assert refused.value.code is ErrorCode.UNKNOWN_BOT


def test_nan_is_not_enough() -> None:
    with pytest.raises(BotError, match="or more"):
        load_bot("process:answer_seconds=nan:true")


@pytest.mark.parametrize("spec", ["greedy", "process:memory=99:true", "child:greedy"])
def test_a_bot_class_goes_to_another_process(spec: str) -> None:
    bot = load_bot(spec)
    again = pickle.loads(pickle.dumps(bot))
    assert again.spec == bot.spec
    assert {name: getattr(again, name) for name in bot.options} == {
        name: getattr(bot, name) for name in bot.options
    }


def test_a_bot_from_a_file_with_options_goes_to_another_process(tmp_path: Path) -> None:
    path = tmp_path / "sent.py"
    path.write_text(
        "from hollywood.bots import option\n"
        "from hollywood.bots.builtin.greedy import GreedyBot\n"
        "class Sent(GreedyBot):\n    depth: int = option(1, 'x')\n"
    )
    bot = load_bot(f"{path}:Sent:depth=5")
    assert pickle.loads(pickle.dumps(bot)).depth == 5
    with ProcessPoolExecutor(1) as pool:
        assert pool.submit(depth_of, bot).result() == 5


def depth_of(bot: type[Bot]) -> object:
    return getattr(bot, "depth", None)


@pytest.mark.parametrize("spec", ["process:", "process:'", "child:gredy", "process:memory=1:true"])
def test_a_bad_process_is_one_sentence(spec: str) -> None:
    with pytest.raises(BotError) as refused:
        load_bot(spec)
    assert refused.value.code is ErrorCode.UNKNOWN_BOT


def test_a_server_gets_quick_bots_only() -> None:
    assert built_in_bot("greedy") is GreedyBot
    with pytest.raises(BotError, match="thinks too long"):
        built_in_bot("sampler")
    for spec in ("process:true", "child:greedy", "hollywood.bots.builtin.greedy:GreedyBot"):
        with pytest.raises(BotError, match="there is no bot"):
            built_in_bot(spec)


@pytest.mark.parametrize("level", ["easy", "normal", "hard"])
def test_the_levels_for_people_are_quick_bots(level: str) -> None:
    assert built_in_bot(level).is_quick


@pytest.mark.parametrize("address", ["den:", "den:x", "den:0", "den:65536", "den:-1"])
def test_a_bad_port_is_one_sentence(address: str) -> None:
    with pytest.raises(UnreachableError, match="HOST:PORT"):
        parse_address(address)
