"""After a crash: the terminal as it was (on a real pty), one sentence, the details in a file."""

from __future__ import annotations

import asyncio
import os
import pty
import select
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from hollywood.client.crash import MAX_LOG, RESET, guarded, is_meant
from hollywood.protocol.errors import ErrorCode, HollywoodError, RefusedError


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "hollywood.log"


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    ours, theirs = pty.openpty()
    yield ours, theirs
    os.close(ours)
    os.close(theirs)


def crash(fd: int, error: BaseException) -> None:
    spoil(fd)
    raise error


def spoil(fd: int) -> None:
    """What a full-screen program does to a terminal."""
    modes = termios.tcgetattr(fd)
    modes[3] &= ~(termios.ECHO | termios.ICANON | termios.ISIG)
    termios.tcsetattr(fd, termios.TCSANOW, modes)
    os.write(fd, b"\x1b[?1049h\x1b[?1000h\x1b[?25l")


def read_until(fd: int, text: str, shown: bytes = b"") -> bytes:
    """Read on from what the terminal has shown until that text is there; return it all."""
    while text.encode() not in shown:
        assert select.select([fd], [], [], 20)[0], f"never saw {text!r} in {shown!r}"
        shown += os.read(fd, 65536)
    return shown


@pytest.mark.parametrize(
    "error",
    [
        KeyError("seat"),
        ExceptionGroup("nursery", [ExceptionGroup("inner", [ZeroDivisionError("x")])]),
        ExceptionGroup("both", [RefusedError("no"), RuntimeError("a bug")]),
        RecursionError(),
        MemoryError(),
    ],
)
def test_a_bug_becomes_one_sentence_and_the_terminal_is_as_it_was(
    terminal: tuple[int, int], log: Path, error: Exception
) -> None:
    ours, theirs = terminal
    before = termios.tcgetattr(theirs)
    with pytest.raises(HollywoodError) as caught, guarded(log, stdin=theirs, stdout=theirs):
        crash(theirs, error)
    assert termios.tcgetattr(theirs) == before
    shown = read_until(ours, RESET).decode()
    assert shown.index("\x1b[?1049h") < shown.index(RESET)
    said = str(caught.value)
    assert said.startswith("a bug in this program: ")
    assert f"the details are in {log}" in said
    assert "\n" not in said
    assert caught.value.code is ErrorCode.INTERNAL
    details = log.read_text()
    leaf: BaseException = error
    while isinstance(leaf, BaseExceptionGroup):
        leaf = leaf.exceptions[-1]
    assert type(leaf).__name__ in said
    assert f"{type(leaf).__name__}" in details
    assert "Traceback" in details
    assert "TERM=" in details


@pytest.mark.parametrize(
    "error",
    [
        RefusedError("the table is full"),
        click.UsageError("no such option"),
        KeyboardInterrupt(),
        SystemExit(3),
        asyncio.CancelledError(),
        BaseExceptionGroup("nursery", [RefusedError("full"), KeyboardInterrupt()]),
    ],
)
def test_what_is_meant_for_the_user_comes_out_as_it_is(
    terminal: tuple[int, int], log: Path, error: BaseException
) -> None:
    _, theirs = terminal
    before = termios.tcgetattr(theirs)
    with pytest.raises(type(error)) as caught, guarded(log, stdin=theirs, stdout=theirs):
        crash(theirs, error)
    assert caught.value is error
    assert is_meant(error)
    assert termios.tcgetattr(theirs) == before
    assert not log.exists()


def test_without_a_terminal_nothing_is_written_to_it(tmp_path: Path, log: Path) -> None:
    out = tmp_path / "out"
    with (
        out.open("w") as file,
        pytest.raises(HollywoodError),
        guarded(log, stdin=file.fileno(), stdout=file.fileno()),
    ):
        raise KeyError("seat")
    assert out.read_text() == ""


def test_a_terminal_that_is_gone_hides_nothing(log: Path) -> None:
    ours, theirs = pty.openpty()

    def lose() -> None:
        os.close(ours)
        os.close(theirs)
        raise KeyError("seat")

    with pytest.raises(HollywoodError, match="KeyError"), guarded(log, stdin=theirs, stdout=theirs):
        lose()


def test_where_no_log_can_be_written_the_details_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HollywoodError) as caught, guarded(tmp_path / "file" / "log", stdin=-1):
        raise KeyError("seat")
    assert "the details stand above, since" in str(caught.value)
    assert "KeyError: 'seat'" in capsys.readouterr().err


def test_the_log_does_not_grow_for_ever(log: Path) -> None:
    for _ in range(2):
        log.parent.mkdir(exist_ok=True)
        log.write_text("x" * (MAX_LOG + 1))
        with pytest.raises(HollywoodError), guarded(log, stdin=-1, stdout=-1):
            raise KeyError("seat")
        assert log.stat().st_size < 10_000
    assert sorted(file.name for file in log.parent.iterdir()) == [
        "hollywood.log",
        "hollywood.log.1",
    ]


def test_the_command_line_is_not_logged(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["hollywood", "join", "den", "--password", "sesame"])
    with pytest.raises(HollywoodError), guarded(log, stdin=-1, stdout=-1):
        raise KeyError("seat")
    assert "hollywood join failed" in log.read_text()
    assert "sesame" not in log.read_text()


CRASHING_SCREEN = """
import asyncio, sys
from pathlib import Path
from prompt_toolkit.application import Application
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from hollywood.client.bridge import run_ui_with_trio
from hollywood.client.cli import main
from hollywood.client.crash import guarded
import trio

bindings = KeyBindings()
bindings.add("x")(lambda event: {}["a key"])
bindings.add("y")(lambda event: event.app.invalidate())
shown = 0
def text():
    global shown
    shown += 1
    if where == "draw" and shown > 1: raise KeyError("the drawing")
    return "READY"
where = sys.argv[1]
app = Application(Layout(Window(FormattedTextControl(text))), key_bindings=bindings,
                  full_screen=True, mouse_support=True)
async def net():
    if where == "net":
        while not shown:
            await trio.sleep(0.01)
        raise KeyError("the network")
    await trio.sleep_forever()
def run(standalone_mode):
    with guarded(Path(sys.argv[2])):
        asyncio.run(run_ui_with_trio(lambda: app.run_async(set_exception_handler=False), net))
main(run)
"""


@pytest.mark.parametrize(
    ("where", "keys", "what"),
    [("key", b"x", "a key"), ("draw", b"y", "the drawing"), ("net", b"", "the network")],
)
def test_a_bug_in_any_layer_on_a_real_terminal(
    tmp_path: Path, terminal: tuple[int, int], where: str, keys: bytes, what: str
) -> None:
    ours, theirs = terminal
    script, log = tmp_path / "screen.py", tmp_path / "hollywood.log"
    script.write_text(CRASHING_SCREEN)
    before = termios.tcgetattr(theirs)
    child = subprocess.Popen(
        [sys.executable, str(script), where, str(log)],
        stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color"},
    )  # fmt: skip
    try:
        shown = read_until(ours, "READY")
        if keys:
            os.write(ours, keys)
        # the crash may have been read together with the screen before it
        text = read_until(ours, "[internal]", shown).decode()
        assert child.wait(20) == 1
    finally:
        child.kill()
        child.wait()
    assert termios.tcgetattr(theirs) == before
    assert text.rindex("\x1b[?1049l") > text.rindex("\x1b[?1049h")
    assert text.rindex("\x1b[?25h") > text.rfind("\x1b[?25l")
    after = text[text.rindex("\x1b[0m") :]
    said = "".join(after.split("hollywood: ", 1)[1].split("\r\n"))
    assert said.startswith(f"a bug in this program: KeyError: '{what}'; the details are in ")
    assert f"KeyError: '{what}'" in log.read_text()
