"""Writes the golden frames anew.

    python tests/wire/regen_golden.py

For whoever changes the protocol on purpose; no test and no CI ever runs it. What is
already there is a promise to other programs: look at the difference before keeping it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import msgspec
import trio
import trio.testing

sys.path.insert(0, str(Path(__file__).parent.parent))

from hollywood.bots.api import decide
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.connection import ServerConnection
from hollywood.protocol.rules import (
    Card,
    Play,
    PlayerView,
    PlayOptions,
    RuleSet,
    digest,
    fold,
    load_rules,
    new_view,
    seed_from_text,
)
from hollywood.protocol.rules.ruleoptions import Round
from hollywood.protocol.wire import Message, Session, Side, State
from hollywood.protocol.wire import messages as m
from hollywood.protocol.wire.frames import encode_frame
from hollywood.server.config import Clocks, HouseBot, TableConfig
from house import open_house
from invalid_frames import INVALID, NEWER
from samples import CLIENT_SAYS, HELLO, MORE_GREETINGS, REJECT, SERVER_SAYS, TOKEN, WELCOME

GOLDEN = Path(__file__).parent.parent / "golden" / "wire" / "v1"


def main() -> None:
    """Write every file."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    write_frames("valid", valid())
    write_frames("invalid", invalid())
    write_frames("newer", newer())
    for name, table, caps in sessions():
        about = trio.run(record, table, caps, clock=trio.testing.MockClock(autojump_threshold=0))
        write(f"session_{name}", about)


def write(name: str, data: dict[str, object]) -> None:
    """Write one file, a line for each frame."""
    frames = data.pop("frames")
    assert isinstance(frames, list)
    head = json.dumps(data, ensure_ascii=False, indent=0)[:-2]
    lines = ",\n".join(json.dumps(frame, ensure_ascii=False) for frame in frames)
    text = f'{head},\n"frames": [\n{lines}\n]\n}}\n'
    path = GOLDEN / f"{name}.json"
    path.write_text(text, "utf-8")
    sys.stdout.write(f"{path.name}: {len(frames)} frames, {len(text)} bytes\n")


def write_frames(name: str, frames: Iterator[dict[str, object]]) -> None:
    """Write a file of single frames."""
    write(name, {"format": 1, "protocol": 1, "frames": list(frames)})


# single frames


def valid() -> Iterator[dict[str, object]]:
    """Every message, in every form that matters."""
    greetings = (HELLO, WELCOME, REJECT, *MORE_GREETINGS)
    for message in (*greetings, *CLIENT_SAYS):
        is_hello = isinstance(message, m.Hello)
        is_ours = is_hello or message in CLIENT_SAYS
        phase = "open" if message in CLIENT_SAYS else "hello" if is_hello else "answer"
        yield frame(message, Side.CLIENT if is_ours else Side.SERVER, phase)
    for message in SERVER_SAYS:
        yield frame(message, Side.SERVER, "open")


def frame(message: Message, sender: Side, phase: str) -> dict[str, object]:
    """One message as the session sends it."""
    session = Session(sender)
    session.state = State[phase.upper()]
    return {
        "name": type(message).__struct_config__.tag,
        "from": sender.value,
        "phase": phase,
        "hex": session.send(message).hex(),
        "message": msgspec.to_builtins(message),
        "code": "",
    }


def invalid() -> Iterator[dict[str, object]]:
    """What breaks the protocol, with the code of the error."""
    for name, sender, phase, data, code in INVALID:
        yield {
            "name": name,
            "from": sender,
            "phase": phase,
            "hex": data.hex(),
            "message": None,
            "code": code.value,
        }


def newer() -> Iterator[dict[str, object]]:
    """What a later minor version may send, and what version 1.0 reads in it."""
    for name, sender, phase, data, read in NEWER:
        yield {
            "name": name,
            "from": sender,
            "phase": phase,
            "hex": encode_frame(msgspec.msgpack.encode(data)).hex(),
            "message": read,
            "code": "",
        }


# whole conversations


def sessions() -> Iterator[tuple[str, TableConfig, tuple[str, ...]]]:
    """A short game of each text, and the example of PROTOCOL.md."""
    hollywood, seven, dummy = map(load_rules, ("hollywood", "hollywood_seven", "dummy"))
    yield "hollywood", table(shortened(hollywood, hollywood.rounds[:4]), 3), ()
    yield "hollywood_seven", table(shortened(seven, seven.rounds[:3]), 3), ()
    yield "dummy", table(shortened(dummy, dummy.rounds[:2]), 3), ()
    brief = shortened(hollywood, (Round(deal=4, contract="S3"),))
    yield "example", table(brief, 2), ("+hints",)


def shortened(rules: RuleSet, rounds: tuple[Round, ...]) -> RuleSet:
    """The rules with fewer rounds, under another name."""
    buy = msgspec.structs.replace(rules.buy, limit_round=rules.buy_limit(0))
    return msgspec.structs.replace(
        rules,
        name=f"{rules.name}_short",
        title=f"{rules.title}, shortened",
        rounds=rounds,
        buy=buy,
    )


def table(rules: RuleSet, seats: int) -> TableConfig:
    """A table with one seat for us."""
    return TableConfig(
        name="den",
        rules=rules,
        seats=seats,
        house=(HouseBot("greedy", GreedyBot),) * (seats - 1),
        seed=seed_from_text("golden"),
        clocks=Clocks(),
    )


class Recorder(trio.abc.Stream):
    """A client's stream that keeps every frame of both directions, in order."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._received = bytearray()
        self.frames: list[str] = []

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send one frame."""
        self.frames.append("C" + bytes(data).hex())
        await self._stream.send_all(data)

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Receive, and cut what came into frames."""
        data = await self._stream.receive_some(max_bytes)
        self._received += data
        while len(self._received) >= 4:
            end = 4 + int.from_bytes(self._received[:4], "big")
            if len(self._received) < end:
                break
            self.frames.append("S" + self._received[:end].hex())
            del self._received[:end]
        return data

    async def wait_send_all_might_not_block(self) -> None:
        """Pass on."""
        await self._stream.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        """Pass on."""
        await self._stream.aclose()


async def record(config: TableConfig, caps: tuple[str, ...]) -> dict[str, object]:
    """Play the game and return the file."""
    with patch("hollywood.server.seating.secrets.token_hex", return_value=TOKEN):
        async with open_house(config) as house:
            stream = Recorder(house.connect())
            connection = ServerConnection(stream)
            await connection.greet(msgspec.structs.replace(HELLO, caps=caps))
            view, digests = await Player(connection, is_brief=bool(caps)).play()
    return {
        "format": 1,
        "protocol": 1,
        "rules": config.rules.name,
        "seat": view.me,
        "digests": digests,
        "totals": view.totals,
        "winners": view.winners,
        "frames": stream.frames,
    }


class Player:
    """Plays greedily, and talks and errs a little for the record."""

    def __init__(self, connection: ServerConnection, *, is_brief: bool) -> None:
        self._connection = connection
        self._is_brief = is_brief
        self._cid = 0
        self._bot = GreedyBot()
        self._errs = not is_brief

    async def _say(self, message: m.ClientMessage) -> None:
        self._cid += 1
        await self._connection.send(msgspec.structs.replace(message, cid=self._cid))

    async def play(self) -> tuple[PlayerView, int]:
        """Play one game; return the last view and how many digests came."""
        view: PlayerView | None = None
        digests = 0
        if not self._is_brief:
            await self._say(m.ListTables(cid=0))
        await self._say(m.Join(cid=0, table="den"))
        while view is None or not view.winners:
            match await self._connection.receive():
                case m.Joined(rules=rules, seats=seats, seat=seat):
                    view = new_view(rules, len(seats), seat)
                    if not self._is_brief:
                        await self._say(m.Chat(cid=0, text="good luck"))
                        await self._say(m.Order(cid=0, claim=(Card("JK"),)))
                case m.Events(events=events, digest=theirs):
                    assert view is not None, "events after the seat"
                    for event in events:
                        view = fold(view, event)
                    if theirs:
                        assert theirs == digest(view)
                        digests += 1
                case m.Decide(did=did, n=number, legal=legal):
                    assert view is not None, "a decision after the seat"
                    if self._errs and isinstance(legal, PlayOptions):
                        self._errs = False
                        await self._say(m.AnswerDecision(cid=0, did=did, action=Play()))
                    action = decide(self._bot, view, number)
                    await self._say(m.AnswerDecision(cid=0, did=did, action=action))
        await self._say(m.Leave(cid=0))
        while not isinstance(await self._connection.receive(), m.Done):
            pass
        return view, digests


if __name__ == "__main__":
    main()
