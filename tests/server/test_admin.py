"""What an operator may ask, over a real socket, with a steward who only takes notes."""

from __future__ import annotations

import json
import os
import socket
import stat
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import click
import pytest
import trio
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from hollywood.client.admin_command import admin
from hollywood.protocol.errors import ErrorCode, HollywoodError, RefusedError, UnreachableError
from hollywood.server import admin_socket
from hollywood.server.admin import (
    AskStatus,
    SeatReport,
    Status,
    TableReport,
    answer,
    default_data_dir,
    parse_command,
)
from hollywood.server.admin_socket import (
    LINE_SECONDS,
    MAX_CONNECTIONS,
    MAX_LINE,
    PORT_NAME,
    SOCKET_NAME,
    ask,
    can_be_socket,
    serve_admin,
)

DEN = TableReport(
    name="den",
    rules="hollywood",
    phase="play",
    watchers=1,
    seats=(
        SeatReport(seat=0, name="ada", kind="player", is_connected=True),
        SeatReport(seat=1, name="bot", kind="bot", is_connected=False),
        SeatReport(seat=2, name="house 3", kind="house", is_connected=False),
        SeatReport(seat=3, name="", kind="open", is_connected=False),
    ),
)
NOW = Status(
    version="0.1.0",
    port=7878,
    uptime_seconds=200000.0,
    connections=3,
    tables=1,
    games_running=1,
    games_finished=42,
)


class Notes:
    """A steward."""

    def __init__(self) -> None:
        self.done: list[tuple[object, ...]] = []

    def tables(self) -> Sequence[TableReport]:
        return [DEN]

    def kick(self, table: str, seat: int) -> None:
        if table != "den":
            raise RefusedError(f"there is no table {table!r}", ErrorCode.NO_SUCH_TABLE)
        if seat == 1:
            raise ZeroDivisionError
        self.done.append(("kick", table, seat))

    def drain(self) -> int:
        self.done.append(("drain",))
        return 1

    def announce(self, text: str) -> int:
        self.done.append(("announce", text))
        return 3

    async def backup(self, path: Path) -> int:
        await trio.lowlevel.checkpoint()
        path.write_bytes(b"games")
        return 5

    def status(self) -> Status:
        return NOW


@pytest.fixture
def data() -> Iterator[Path]:
    """A short path: a socket's has at most 100 bytes."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "data"


@asynccontextmanager
async def serving(data: Path, *, may_use_files: bool = True) -> AsyncIterator[Notes]:
    notes = Notes()
    async with trio.open_nursery() as nursery:
        await nursery.start(partial(serve_admin, notes, data, may_use_files=may_use_files))
        yield notes
        nursery.cancel_scope.cancel()


both_ways = pytest.mark.parametrize("may_use_files", [True, False], ids=["file", "port"])


async def told(data: Path, **command: object) -> dict[str, object]:
    return await trio.to_thread.run_sync(ask, data, command)


async def line(notes: Notes, text: bytes) -> dict[str, object]:
    return await answer(notes, text)


# commands


@both_ways
async def test_every_command(data: Path, may_use_files: bool) -> None:
    async with serving(data, may_use_files=may_use_files) as notes:
        tables = await told(data, do="tables")
        assert tables["ok"] is True
        assert tables["tables"] == [
            {
                "name": "den",
                "rules": "hollywood",
                "phase": "play",
                "watchers": 1,
                "seats": [
                    {"seat": 0, "name": "ada", "kind": "player", "is_connected": True},
                    {"seat": 1, "name": "bot", "kind": "bot", "is_connected": False},
                    {"seat": 2, "name": "house 3", "kind": "house", "is_connected": False},
                    {"seat": 3, "name": "", "kind": "open", "is_connected": False},
                ],
            }
        ]
        assert await told(data, do="kick", table="den", seat=2) == {"ok": True}
        assert await told(data, do="drain") == {"ok": True, "games_running": 1}
        assert await told(data, do="announce", text="soup\x1b[2J is on\n") == {
            "ok": True,
            "told": 3,
        }
        assert notes.done == [("kick", "den", 2), ("drain",), ("announce", "soup [2J is on")]
        file = data / "copy.db"
        assert await told(data, do="backup", file=str(file)) == {
            "ok": True,
            "file": str(file),
            "bytes": 5,
        }
        assert file.read_bytes() == b"games"
        status = await told(data, do="status")
        assert status["status"] == {
            "version": "0.1.0",
            "port": 7878,
            "uptime_seconds": 200000.0,
            "connections": 3,
            "tables": 1,
            "games_running": 1,
            "games_finished": 42,
            "is_draining": False,
        }


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", ErrorCode.BAD_MESSAGE),
        (b"status", ErrorCode.BAD_MESSAGE),
        (b'"status"', ErrorCode.BAD_MESSAGE),
        (b"[" * 10000, ErrorCode.BAD_MESSAGE),
        (b'{"do": "\xff"}', ErrorCode.BAD_MESSAGE),
        (b"{}", ErrorCode.UNEXPECTED_MESSAGE),
        (b'{"do": "reboot"}', ErrorCode.UNEXPECTED_MESSAGE),
        (b'{"do": ["kick"]}', ErrorCode.UNEXPECTED_MESSAGE),
        (b'{"do": "kick"}', ErrorCode.BAD_MESSAGE),
        (b'{"do": "kick", "table": "den", "seat": "2"}', ErrorCode.BAD_MESSAGE),
        (b'{"do": "kick", "table": "den", "seat": -1}', ErrorCode.BAD_MESSAGE),
        (b'{"do": "drain", "when": "now"}', ErrorCode.BAD_MESSAGE),
        (b'{"do": "announce", "text": ""}', ErrorCode.BAD_MESSAGE),
        (b'{"do": "announce", "text": "\\u001b\\n"}', ErrorCode.BAD_MESSAGE),
        (b'{"do": "backup", "file": "copy.db"}', ErrorCode.BAD_MESSAGE),
        (b'{"do": "backup", "file": "/tmp/a\\u0000b"}', ErrorCode.BAD_MESSAGE),
        (b'{"do": "backup", "file": "/"}', ErrorCode.BAD_MESSAGE),
        (b'{"do": "backup", "file": "/no such folder/copy.db"}', ErrorCode.INTERNAL),
        (b'{"do": "kick", "table": "attic", "seat": 2}', ErrorCode.NO_SUCH_TABLE),
        (b'{"do": "kick", "table": "den", "seat": 1}', ErrorCode.INTERNAL),
    ],
)
async def test_what_cannot_be_done_is_said_in_a_sentence(text: bytes, code: ErrorCode) -> None:
    notes = Notes()
    said = await line(notes, text)
    assert (said["ok"], said["code"]) == (False, code)
    assert len(str(said["text"])) > 10
    assert str(said["text"]).isprintable()
    assert notes.done == []


@given(st.one_of(st.binary(), st.text().map(lambda t: json.dumps({"do": "kick", t: t}).encode())))
def test_any_line_is_a_command_or_a_sentence(text: bytes) -> None:
    try:
        parse_command(text)
    except HollywoodError as error:
        assert str(error).isprintable()


async def test_a_missing_argument_is_named() -> None:
    said = await line(Notes(), b'{"do": "kick", "table": "den"}')
    assert said["text"] == "kick: object missing required field `seat`"


# the socket


async def test_the_socket_is_for_its_owner_only_and_goes_with_the_server(data: Path) -> None:
    async with serving(data):
        mode = (data / SOCKET_NAME).stat().st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert list(data.iterdir()) == []


async def test_the_port_needs_the_token_of_its_file(data: Path) -> None:
    async with serving(data, may_use_files=False) as notes:
        path = data / PORT_NAME
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        where = json.loads(path.read_bytes())
        for token in ("", where["token"][:-1], "\ud800", "é", 7):
            stream = await trio.open_tcp_stream("127.0.0.1", where["port"])
            async with stream:
                command = json.dumps({"do": "drain", "token": token}).encode()
                await stream.send_all(command + b"\n" + command + b"\n")
                said = b"".join([part async for part in stream])
                assert json.loads(said)["ok"] is False  # one answer, then the end
        assert notes.done == []
    assert list(data.iterdir()) == []


@both_ways
async def test_a_live_server_is_not_replaced(data: Path, may_use_files: bool) -> None:
    async with serving(data, may_use_files=may_use_files):
        with pytest.raises(HollywoodError, match="runs already") as refused:
            await serve_admin(Notes(), data)
        assert refused.value.code is ErrorCode.PORT_IN_USE
        assert (await told(data, do="status"))["ok"] is True


async def test_what_a_dead_server_left_is_replaced(data: Path) -> None:
    data.mkdir()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(data / SOCKET_NAME))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    (data / PORT_NAME).write_text(json.dumps({"port": port, "token": "00"}))
    async with serving(data):
        assert (await told(data, do="status"))["ok"] is True
    (data / PORT_NAME).write_text(json.dumps({"port": port, "token": "00"}))
    async with serving(data):
        assert (await told(data, do="status"))["ok"] is True
    (data / PORT_NAME).write_text("rubbish")
    async with serving(data, may_use_files=False):
        assert (await told(data, do="status"))["ok"] is True


async def test_a_port_that_another_server_has_by_now_is_no_live_server(
    data: Path, tmp_path: Path
) -> None:
    async with serving(tmp_path, may_use_files=False):
        where = json.loads((tmp_path / PORT_NAME).read_bytes())
        data.mkdir()
        (data / PORT_NAME).write_text(json.dumps(where | {"token": "of a dead server"}))
        async with serving(data, may_use_files=False):
            assert (await told(data, do="status"))["ok"] is True


async def test_what_is_no_socket_is_left_alone(data: Path) -> None:
    data.mkdir()
    (data / SOCKET_NAME).write_text("precious")
    with pytest.raises(HollywoodError, match="not a server's socket"):
        await serve_admin(Notes(), data)
    assert (data / SOCKET_NAME).read_text() == "precious"


async def test_a_directory_that_cannot_be_one_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HollywoodError, match="cannot use the data directory"):
        await serve_admin(Notes(), tmp_path / "file" / "data")


async def test_a_path_too_long_for_a_socket_takes_a_port(data: Path) -> None:
    long = data / ("x" * 60) / ("y" * 60)
    assert not can_be_socket(long / SOCKET_NAME)
    async with serving(long):
        assert [path.name for path in long.iterdir()] == [PORT_NAME]
        assert (await told(long, do="status"))["ok"] is True


async def opened(data: Path) -> trio.SocketStream:
    return await trio.open_unix_socket(data / SOCKET_NAME)


async def all_of(stream: trio.SocketStream) -> bytes:
    return b"".join([part async for part in stream])


async def test_several_lines_on_one_connection(data: Path) -> None:
    async with serving(data), await opened(data) as stream:
        for part in (b'{"do": "dr', b'ain"}\n{"do": ', b'"status"}\nrubbish\n'):
            await stream.send_all(part)
        await stream.send_eof()
        lines = (await all_of(stream)).splitlines()
        assert [json.loads(text)["ok"] for text in lines] == [True, True, False]


@pytest.mark.parametrize("end", [b"", b"\n"], ids=["no end", "end"])
async def test_a_line_that_is_too_long_ends_the_connection(data: Path, end: bytes) -> None:
    async with serving(data), await opened(data) as stream:
        await stream.send_all(b"x" * (MAX_LINE + 1) + end)
        assert json.loads(await all_of(stream))["code"] == ErrorCode.FRAME_TOO_LARGE


async def test_who_says_nothing_is_let_go(data: Path, autojump_clock: MockClock) -> None:
    notes = Notes()
    guests = admin_socket._Guests(notes, "")
    ours, theirs = trio.testing.memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(guests.serve, theirs)
        await ours.send_all(b'{"do": "status"')
        assert await ours.receive_some() == b""
    assert trio.current_time() == pytest.approx(LINE_SECONDS)


async def test_who_goes_before_the_answer_breaks_nothing(data: Path) -> None:
    async with serving(data) as notes:
        async with await opened(data) as stream:
            await stream.send_all(b'{"do": "drain"}\n')
        while not notes.done:
            await trio.lowlevel.checkpoint()
        assert (await told(data, do="status"))["ok"] is True


async def test_there_are_only_so_many_connections(data: Path) -> None:
    async with serving(data):
        streams = [await opened(data) for _ in range(MAX_CONNECTIONS)]
        for stream in streams:
            await stream.send_all(b'{"do": "status"}\n')
            assert json.loads(await stream.receive_some())["ok"] is True
        async with await opened(data) as one_more:
            assert await all_of(one_more) == b""
        for stream in streams:
            await stream.aclose()


# the command


async def run(data: Path, *arguments: str) -> Result:
    """Run the command in a thread, as it waits for the server."""
    invoke = partial(CliRunner().invoke, admin, ["--data", str(data), *arguments])
    return await trio.to_thread.run_sync(invoke)


async def test_the_command_says_what_was_done(data: Path) -> None:
    async with serving(data) as notes:
        outputs = [
            (await run(data, *arguments)).output
            for arguments in (
                ("kick", "den", "2"),
                ("drain",),
                ("announce", "soup is on"),
                ("backup", str(data / "copy.db")),
                ("status",),
            )
        ]
        assert notes.done == [("kick", "den", 2), ("drain",), ("announce", "soup is on")]
    assert outputs == [
        "Seat 2 of table den has lost its connection.\n",
        "No new games; the server stops when none runs: 1 game now.\n",
        "Told to 3 connections.\n",
        f"{data / 'copy.db'}: 5 bytes.\n",
        "hollywood-rummy 0.1.0 on port 7878, up for 2 d 7 h\n"
        "3 connections, 1 table, 1 game running, 42 finished\n",
    ]


async def test_the_command_lists_who_sits_where(data: Path) -> None:
    async with serving(data):
        rows = [text.split() for text in (await run(data, "tables")).output.splitlines()]
    assert rows == [
        ["table", "rules", "phase", "watch", "seats"],
        ["den", "hollywood", "play", "1", "0", "ada", "(player)"],
        ["1", "bot", "(bot,", "away)"],
        ["2", "house", "3", "(house)"],
        ["3", "(open)"],
    ]


async def test_the_command_prints_json(data: Path) -> None:
    async with serving(data):
        documents = [
            json.loads((await run(data, *arguments, "--json")).output)
            for arguments in (
                ("tables",),
                ("kick", "den", "2"),
                ("drain",),
                ("announce", "hi"),
                ("backup", str(data / "copy.db")),
                ("status",),
            )
        ]
    assert documents[0]["tables"][0]["seats"][3]["kind"] == "open"
    assert documents[1:5] == [
        {},
        {"games_running": 1},
        {"told": 3},
        {"file": str(data / "copy.db"), "bytes": 5},
    ]
    assert documents[5]["games_finished"] == 42


async def test_the_command_fails_in_a_sentence(data: Path) -> None:
    nobody = (await run(data, "status")).exception
    assert isinstance(nobody, UnreachableError)
    assert str(nobody).startswith(f"no server runs with the data directory {data}")
    async with serving(data):
        refused = (await run(data, "kick", "attic", "2")).exception
        assert isinstance(refused, RefusedError)
        assert (str(refused), refused.code) == (
            "there is no table 'attic'",
            ErrorCode.NO_SUCH_TABLE,
        )
        assert (await run(data, "announce", "x" * 201)).exit_code == 2


async def test_who_may_not_and_who_does_not_answer(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(data: Path, seconds: float) -> tuple[socket.socket, str]:
        raise PermissionError

    def silent(data: Path, seconds: float) -> tuple[socket.socket, str]:
        raise TimeoutError

    for connect, sentence in ((forbidden, "you may not talk"), (silent, "has not answered for 10")):
        monkeypatch.setattr(admin_socket, "connect", connect)
        error = (await run(data, "status")).exception
        assert isinstance(error, UnreachableError)
        assert sentence in str(error)


async def test_a_port_of_something_else_is_no_server(data: Path) -> None:
    async def mumble(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.send_all(b"220 mail ready\n")

    data.mkdir()
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, mumble, 0, host="127.0.0.1"))
        port = listeners[0].socket.getsockname()[1]
        (data / PORT_NAME).write_text(json.dumps({"port": port, "token": "00"}))
        with pytest.raises(ConnectionRefusedError):
            await trio.to_thread.run_sync(ask, data, AskStatus())
        nursery.cancel_scope.cancel()


def test_the_usual_directory_is_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", os.sep + "somewhere")
    assert default_data_dir().name == "hollywood-rummy"


def test_every_command_has_an_example() -> None:
    for name, command in admin.commands.items():
        assert isinstance(command, click.Command)
        assert f"hollywood admin {name}" in (command.help or ""), name
