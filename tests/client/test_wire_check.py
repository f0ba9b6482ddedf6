"""The check of bots that speak the wire finds what is wrong with them, over real sockets."""

from __future__ import annotations

import json
import re
import shutil
import struct
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from click.testing import CliRunner
from msgspec.structs import replace

from hollywood.bots.compliance import Step, write_problem
from hollywood.client import wire_check, wire_host
from hollywood.client.cli import cli
from hollywood.client.wire_check import Wish, check_over_wire, replay_over_wire
from hollywood.protocol.errors import BotError, HollywoodError
from hollywood.protocol.rules import load_rules

BOTS = Path(__file__).parents[2] / "docs" / "bots"
SEVEN = load_rules("hollywood_seven")
SHORT = replace(SEVEN, rounds=(SEVEN.rounds[0], SEVEN.rounds[-1]))
"""Two deals, the second in one go."""
STEPS = [
    "start-up",
    "hollywood_seven: games",
    "hollywood_seven: every kind of decision",
    "time",
    "determinism",
    "late and rejected",
    "a newer server",
    "coming back",
    "pings",
    "connections",
]
Map = dict[str, Any]


class RawBot:
    """Speaks maps, as a bot in another language would; does what the hints say."""

    hello: Map = {  # noqa: RUF012 - not changed
        "t": "hello",
        "magic": "hrp",
        "v": [1, 1],
        "role": "bot",
        "name": "raw",
        "caps": ["hints"],
    }

    def __init__(self) -> None:
        self.cid = 0
        self.seq = 0
        self.token = ""
        self.is_over = False

    async def run(self, port: int) -> None:
        """Play one game."""
        async with await trio.open_tcp_stream("127.0.0.1", port) as self.stream:
            try:
                await self.begin()
                while not self.is_over:
                    await self.hear(await self.receive())
                await self.end()
            except (EOFError, trio.BrokenResourceError):
                return

    async def begin(self) -> None:
        await self.send(self.hello)
        await self.command({"t": "join", "table": "any"})

    async def end(self) -> None:
        """The game is over."""

    async def hear(self, message: Map) -> None:
        match message["t"]:
            case "joined":
                self.token, self.seq = message["token"], message.get("seq", 0)
            case "events":
                self.seq += len(message["events"])
                self.is_over = any(event["t"] == "game_ended" for event in message["events"])
            case "decide":
                await self.decide(message)
            case "verdict" if message["status"] == "rejected":
                await self.after_rejection(message)
            case "ping":
                await self.send({"t": "pong", "n": message["n"]})

    def choose(self, decision: Map) -> Map:
        legal, hints = decision["legal"], decision.get("hints", {})
        if legal["t"] == "window":
            return {"t": "claim"} if hints.get("claim") else legal["default"]
        return hints.get("play") or legal["default"]  # type: ignore[no-any-return]

    async def decide(self, message: Map) -> None:
        self.default = message["legal"]["default"]
        await self.answer(message["did"], self.choose(message))

    async def after_rejection(self, message: Map) -> None:
        await self.answer(message["did"], self.default)

    async def answer(self, did: int, action: Map) -> None:
        await self.command({"t": "answer", "did": did, "action": action})

    async def command(self, message: Map) -> None:
        self.cid += 1
        await self.send(message | {"cid": self.cid})

    async def send(self, message: Map) -> None:
        body = msgspec.msgpack.encode(message)
        await self.stream.send_all(struct.pack(">I", len(body)) + body)

    async def receive(self) -> Map:
        (size,) = struct.unpack(">I", await self.read(4))
        return msgspec.msgpack.decode(await self.read(size))  # type: ignore[no-any-return]

    async def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = await self.stream.receive_some(size - len(data))
            if not more:
                raise EOFError
            data += more
        return data


class ComesBackBot(RawBot):
    """Takes its seat back where a connection is lost in the middle."""

    late = 0
    """Added to the number of the last event that it has seen."""

    async def run(self, port: int) -> None:
        await super().run(port)
        if self.token and not self.is_over:
            await super().run(port)

    async def begin(self) -> None:
        if not self.token:
            await super().begin()
            return
        resume = {"table": "any", "seq": self.seq + self.late}
        await self.send(self.hello | {"token": self.token, "resume": resume})


class TooFarBot(ComesBackBot):
    late = 3


class ChancyBot(RawBot):
    games = 0

    def choose(self, decision: Map) -> Map:
        type(self).games += decision["n"] == 0
        if decision["legal"]["t"] == "play" and self.games > 1:
            return decision["legal"]["default"]  # type: ignore[no-any-return]
        return super().choose(decision)


class CheatingBot(RawBot):
    def choose(self, decision: Map) -> Map:
        is_play = decision["legal"]["t"] == "play"
        return {"t": "play", "discard": "JK"} if is_play else {"t": "pass"}


class SilentBot(RawBot):
    async def decide(self, message: Map) -> None:
        """Say nothing."""


class TwiceBot(RawBot):
    async def decide(self, message: Map) -> None:
        await super().decide(message)
        await super().decide(message)


class GuessingBot(RawBot):
    async def decide(self, message: Map) -> None:
        await self.answer(message["did"] + 1000, self.choose(message))
        await super().decide(message)


class SulkingBot(RawBot):
    async def after_rejection(self, message: Map) -> None:
        raise EOFError


class StrictBot(RawBot):
    async def hear(self, message: Map) -> None:
        if message["t"] == "weather":
            raise EOFError
        await super().hear(message)


class DeafBot(RawBot):
    async def hear(self, message: Map) -> None:
        if message["t"] != "ping":
            await super().hear(message)


class ClingingBot(RawBot):
    async def end(self) -> None:
        while True:
            await self.receive()


class LeavingBot(RawBot):
    async def decide(self, message: Map) -> None:
        raise EOFError


class OtherGameBot(RawBot):
    async def decide(self, message: Map) -> None:
        if message["n"] == 1:
            await self.command({"t": "desync", "seq": self.seq, "digest": "0" * 16})
        await super().decide(message)


class AskingBot(RawBot):
    """Asks for what a seat cannot have."""

    async def decide(self, message: Map) -> None:
        if message["n"] == 1:
            await self.command({"t": "watch", "table": "nowhere"})
        await super().decide(message)


class OldBot(RawBot):
    hello = RawBot.hello | {"v": [7, 9]}


class BrokenBot(RawBot):
    hello = RawBot.hello | {"magic": "irc"}


class ShyBot(RawBot):
    async def begin(self) -> None:
        await self.send(self.hello)


class MuteBot(RawBot):
    async def begin(self) -> None:
        """Say nothing."""


class HastyBot(RawBot):
    async def begin(self) -> None:
        raise EOFError


async def _keep_coming(bot: type[RawBot], port: int) -> None:
    while True:
        await bot().run(port)


def _report(nursery: trio.Nursery, bot: type[RawBot]) -> Callable[[str], None]:
    """Return what lets the bot come as soon as it is said where."""

    def report(text: str) -> None:
        found = re.search(r"at 127.0.0.1:(\d+): ", text)
        assert found is not None, text
        nursery.start_soon(_keep_coming, bot, int(found[1]))

    return report


async def checked(bot: type[RawBot], until: str = "", slowest: float = 10.0) -> list[Step]:
    """Check a bot that comes again and again, up to that step."""
    steps: list[Step] = []
    async with trio.open_nursery() as nursery:

        def tell(step: Step) -> None:
            steps.append(step)
            if step.name == until:
                nursery.cancel_scope.cancel()

        await check_over_wire(Wish(slowest=slowest), tell, _report(nursery, bot), [SHORT])
        nursery.cancel_scope.cancel()
    return steps


def failed(steps: list[Step]) -> dict[str, str]:
    return {step.name: step.text for step in steps if not step.is_passed}


async def test_a_bot_that_comes_back_passes() -> None:
    steps = await checked(ComesBackBot)
    assert failed(steps) == {}
    assert [step.name for step in steps] == STEPS
    told = {step.name: step.text for step in steps}
    assert "'raw' came as a bot" in told["start-up"]
    assert "not come by" not in told["hollywood_seven: every kind of decision"]
    assert told["determinism"] == "the same seed gives the same answers"
    assert "it answered again" in told["late and rejected"]
    assert "took its seat back" in told["coming back"]


async def test_a_bot_may_be_chancy_and_need_not_come_back() -> None:
    steps = await checked(ChancyBot)
    assert failed(steps) == {}
    told = {step.name: step.text for step in steps}
    assert "gave another answer at decision" in told["determinism"]
    assert "does not come back" in told["coming back"]


@pytest.mark.parametrize(
    ("bot", "step", "text"),
    [
        (TwiceBot, "hollywood_seven: games", "it answered decision"),
        (GuessingBot, "hollywood_seven: games", "which it was not asked"),
        (LeavingBot, "start-up", "it closed the connection after event"),
        (OtherGameBot, "hollywood_seven: games", "knew another game than the server"),
        (AskingBot, "hollywood_seven: games", "the server said: "),
        (SulkingBot, "late and rejected", "it closed the connection after event"),
        (StrictBot, "a newer server", "it closed the connection after event"),
        (TooFarBot, "coming back", "it comes back after event"),
        (DeafBot, "pings", "send a `pong`"),
        (OldBot, "start-up", "its hello was refused"),
        (BrokenBot, "start-up", "it broke the protocol: a hello starts with the magic"),
        (HastyBot, "start-up", "did not say hello"),
    ],
)
async def test_a_fault_is_found_by_the_step_that_looks_for_it(
    bot: type[RawBot], step: str, text: str
) -> None:
    told = failed(await checked(bot, step))
    assert list(told) == [step]
    assert text in told[step]


@pytest.mark.parametrize(
    ("bot", "text"), [(ShyBot, "send a `join`"), (MuteBot, "did not say hello")]
)
async def test_a_bot_that_does_not_begin_is_not_waited_for(
    bot: type[RawBot], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire_host, "HELLO_SECONDS", 0.3)
    (step,) = await checked(bot)
    assert step.name == "start-up"
    assert text in step.text


async def test_a_connection_that_stays_open_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_host, "CLOSE_SECONDS", 0.1)
    assert "left open after the game" in failed(await checked(ClingingBot))["connections"]


async def test_a_decision_that_failed_is_asked_again(tmp_path: Path) -> None:
    told = await checked(CheatingBot, "hollywood_seven: games")
    step = told[-1]
    assert "is not allowed" in step.text
    assert step.problem is not None
    path = tmp_path / "problem.json"
    write_problem(path, "wire", step.problem)
    results = []
    for bot in (CheatingBot, RawBot, SilentBot):
        wish = Wish(slowest=0.1 if bot is SilentBot else 10)
        async with trio.open_nursery() as nursery:
            results.append(await replay_over_wire(path, wish, _report(nursery, bot)))
            nursery.cancel_scope.cancel()
    assert [result.is_passed for result in results] == [False, True, False]
    assert "is not allowed" in results[0].text
    assert results[1].name.startswith("play")
    assert "no answer within" in results[2].text


async def test_silence_is_a_fault_and_what_came_before_is_needed_to_ask_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire_check, "START_UP_SECONDS", 0.0)
    (step,) = await checked(SilentBot, slowest=0.1)
    assert step.text.startswith("timeout: ")
    assert step.problem is not None
    path = tmp_path / "problem.json"
    write_problem(path, "greedy", replace(step.problem, events=()))
    with pytest.raises(BotError, match="what happened before"):
        await replay_over_wire(path, Wish())


async def test_a_bot_that_comes_no_more_ends_the_check() -> None:
    steps: list[Step] = []
    async with trio.open_nursery() as nursery:

        def report(text: str) -> None:
            found = re.search(r"at 127.0.0.1:(\d+): ", text)
            assert found is not None
            nursery.start_soon(RawBot().run, int(found[1]))

        await check_over_wire(Wish(wait=2), steps.append, report, [SHORT])
    assert list(failed(steps)) == ["hollywood_seven: every kind of decision"]
    assert steps[-1].text.startswith("no bot came")


async def test_a_port_that_is_taken_is_one_sentence() -> None:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener:
        port = listener.socket.getsockname()[1]
        with pytest.raises(HollywoodError, match="--listen at another port"):
            await check_over_wire(Wish(port=port), print)


def test_the_python_example_passes_as_its_command_says(tmp_path: Path) -> None:
    start = f"{sys.executable} {BOTS / 'bot.py'} {{host}} {{port}}"
    # a machine that stands still for a while is no reason to fail
    check = ["bots", "check", "--listen", "0", "--slowest", "600", "--json", "--out", str(tmp_path)]
    done = CliRunner().invoke(cli, [*check, "--start", start])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert len(told) == len(STEPS) + 4
    assert all(step["is_passed"] for step in told)


async def test_the_javascript_example_passes() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    if not (BOTS / "node_modules" / "@msgpack" / "msgpack").is_dir():
        pytest.skip("run: npm install --prefix docs/bots")
    steps: list[Step] = []
    start = f"{node} {BOTS / 'bot.mjs'} {{host}} {{port}}"
    await check_over_wire(Wish(start=start, slowest=600), steps.append, rule_sets=[SHORT])
    assert failed(steps) == {}
    assert len(steps) == len(STEPS)


def test_a_program_that_ends_says_why(tmp_path: Path) -> None:
    run = partial(CliRunner().invoke, cli)
    start = f'{sys.executable} -c "1 / 0"'
    check = ["bots", "check", "--listen", "127.0.0.1:0", "--out", str(tmp_path)]
    done = run([*check, "--start", start])
    assert done.exit_code == 1
    assert "FAILED  start-up: no bot came" in done.output
    assert "its program ended with 1: ZeroDivisionError" in done.output
    with pytest.RaisesGroup(pytest.RaisesExc(BotError, match="cannot start 'no-such-program'")):
        run([*check, "--start", "no-such-program"], catch_exceptions=False)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ([], "give the bot's SPEC, or --listen"),
        (["greedy", "--listen", "7979"], "give the bot's SPEC, or --listen"),
        (["greedy", "--start", "x"], "--start goes with --listen"),
        (["--listen", "den:x"], "give PORT or HOST:PORT"),
        (["--listen", "99999"], "give PORT or HOST:PORT"),
    ],
)
def test_wrong_use_is_one_sentence(args: list[str], told: str) -> None:
    done = CliRunner().invoke(cli, ["bots", "check", *args])
    assert done.exit_code == 2
    assert told in done.output
