"""A real terminal, which a terminal in memory cannot stand for: signals, stty, job control."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.local import play_recorded
from hollywood.protocol.rules import encode_record, load_rules, seed_from_text

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")

PLAY = "from hollywood.client.cli import main; main()"
SECONDS = 60
"""A busy machine may take long to start a program; nothing is decided by time."""


class Pane:
    """A shell in a terminal of tmux, on a socket of its own."""

    def __init__(self, home: Path) -> None:
        self._socket = f"hollywood-{uuid.uuid4().hex[:8]}"
        environment = {**os.environ, "HOME": str(home), "LC_ALL": "C.UTF-8"}
        environment.pop("TMUX", None)
        for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "NO_COLOR"):
            environment.pop(variable, None)
        start = ("new-session", "-d", "-x", "80", "-y", "24", "bash --norc --noprofile -i")
        subprocess.run(["tmux", "-L", self._socket, "-f", "/dev/null", *start], env=environment)
        self.until(lambda text: text.strip() != "")
        self.run("PS1='shell> '; clear")
        self.until(lambda text: text.strip() == "shell>")

    def _tmux(self, *words: str) -> str:
        command = ["tmux", "-L", self._socket, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def text(self) -> str:
        return self._tmux("capture-pane", "-p")

    def keys(self, *keys: str) -> None:
        self._tmux("send-keys", *keys)

    def run(self, command: str) -> None:
        self._tmux("send-keys", "-l", command)
        self.keys("Enter")

    def until(self, want: str | Callable[[str], bool]) -> str:
        ends_at = time.monotonic() + SECONDS
        while time.monotonic() < ends_at:
            text = self.text()
            if want(text) if callable(want) else want in text:
                return text
            time.sleep(0.05)
        raise AssertionError(f"never saw {want!r}; the screen:\n{self.text()}")

    def until_it_has(self, *, screen: bool, mouse: bool, cursor: bool) -> None:
        """What a full-screen program turns on: the alternate screen, the mouse; and the cursor."""
        flags = "#{alternate_on} #{mouse_any_flag} #{cursor_flag}"
        wanted = f"{screen:d} {mouse:d} {cursor:d}\n"
        self.until(lambda _: self._tmux("display", "-p", flags) == wanted)

    def resize(self, cols: int, rows: int) -> None:
        self._tmux("resize-window", "-x", str(cols), "-y", str(rows))

    def close(self) -> None:
        subprocess.run(["tmux", "-L", self._socket, "kill-server"], capture_output=True)


@pytest.fixture
def pane(tmp_path: Path) -> Iterator[Pane]:
    made = Pane(tmp_path)
    yield made
    made.close()


SAY = "echo rc=$?; stty -g > after; cmp before after && echo same=yes"
"""How it ended, and whether the modes of the terminal are as before."""


def has_said(*wanted: str) -> Callable[[str], bool]:
    return lambda text: set(wanted) <= {line.strip() for line in text.splitlines()}


def is_asked(text: str) -> bool:
    return "BUY?" in text or "TAKE?" in text


def test_signals_job_control_and_the_end_leave_the_terminal_as_it_was(
    pane: Pane, tmp_path: Path
) -> None:
    play = f"{sys.executable} -c '{PLAY}' play --seed smoke --name ann"
    pane.run(f"cd {tmp_path}; stty -g > before")
    pane.run(f'sh -c \'echo $$ > pid; exec "$0" "$@"\' {play}')
    pane.until(is_asked)
    pane.until_it_has(screen=True, mouse=True, cursor=False)
    pane.keys("m")
    pane.until("mouse off")
    pane.until_it_has(screen=True, mouse=False, cursor=False)
    pane.keys("m")
    pane.until("mouse on")
    pane.resize(60, 20)
    pane.until(lambda text: is_asked(text) and "? help" in text.splitlines()[19][50:])

    pane.keys("C-z")
    pane.until("Stopped")
    pane.until_it_has(screen=False, mouse=False, cursor=True)
    pane.run(f"fg; {SAY}")
    pane.until(is_asked)
    pane.until_it_has(screen=True, mouse=True, cursor=False)
    for number in (signal.SIGTSTP, signal.SIGSTOP):
        os.kill(int((tmp_path / "pid").read_text()), number)
        pane.until("Stopped")
        pane.run(f"fg; {SAY}")
        pane.until(lambda text: is_asked(text) and "Stopped" not in text)
        pane.keys("m")
        pane.until("mouse o")
        pane.keys("Left")
        pane.until(lambda text: "mouse o" not in text)
    pane.keys("C-c")
    pane.until("y leave")
    pane.keys("C-c")
    pane.until(has_said("rc=0", "same=yes"))
    pane.until_it_has(screen=False, mouse=False, cursor=True)

    pane.run("clear")
    pane.run(play)
    pane.until(is_asked)
    pane.keys("C-z")
    pane.until("Stopped")
    pane.run("clear; bg; until jobs -s | grep Stopped; do sleep 0.1; done")  # it wants the terminal
    pane.until("Stopped")
    # the shell keeps the terminal all the while
    awake = "while jobs -s | grep -q .; do sleep 0.1; done"
    pane.run(f"job=$(jobs -p); kill -TERM %1; {awake}; wait $job; {SAY}")
    pane.until(has_said("rc=143", "same=yes"))
    pane.until_it_has(screen=False, mouse=False, cursor=True)


def test_a_replay_that_is_told_to_end_leaves_the_terminal_as_it_was(
    pane: Pane, tmp_path: Path
) -> None:
    bots = [RandomBot, RandomBot]
    record = play_recorded(load_rules("dummy"), bots, seed_from_text("smoke"), ("ann", "bea"))[1]
    (tmp_path / "game.json").write_bytes(encode_record(record))
    replay = f"{sys.executable} -c '{PLAY}' replay game.json"
    pane.run(f"cd {tmp_path}; stty -g > before")
    pane.run(f'sh -c \'echo $$ > pid; exec "$0" "$@"\' {replay}; {SAY}')
    pane.until("before the first card")
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGTERM)
    pane.until(has_said("rc=143", "same=yes"))
    pane.until_it_has(screen=False, mouse=False, cursor=True)
