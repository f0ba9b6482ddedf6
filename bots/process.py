"""A bot that is a process of its own, in any language: JSON lines on its stdin and stdout.

Nothing it does can harm the game: what it must not do is caught by limits on time,
memory and processes, and what it starts ends with it (`warden`).
"""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from typing import ClassVar

import msgspec

from hollywood.protocol.errors import BotError, ErrorCode
from hollywood.protocol.rules import (
    Action,
    Claim,
    Event,
    Phase,
    Play,
    PlayerView,
    hints,
    options,
)

from . import exchange as x
from .api import Bot, BotFaultError, FaultKind
from .options import option

_WARDEN = Path(__file__).with_name("warden.py")
_LONGEST_LINE = 1 << 20
_READ_SIZE = 1 << 16
_QUOTED = 80
"""So much of a line is quoted when it is told what is wrong with it."""
_PARTING_SECONDS = 1.0
"""How long a bot may take to end by itself when the game is over."""
_ENDING_SECONDS = 10.0
"""How long the warden may take to end everything; it never should."""


class ProcessBot(Bot):
    """Another program that plays: `process:node my_bot.js`."""

    is_quick = False
    command: ClassVar[tuple[str, ...]] = ()

    answer_seconds: float = option(10.0, "time for one answer", least=0.05)
    start_seconds: float = option(10.0, "time to start", least=0.05)
    memory: int = option(512, "MiB of memory for it and all that it starts", least=16)
    processes: int = option(32, "how many processes it may be", least=1)

    def __init__(self, seed: bytes = bytes(32)) -> None:
        super().__init__(seed)
        self._child: _Child | None = None
        self._ready = x.Ready()
        self._owes = False
        """Whether the last decision is still unanswered."""
        self._waiting: list[Event] = []

    def wants(self, view: PlayerView) -> bool:
        """Ask the process."""
        return isinstance(self._ask(view), Claim)

    def play(self, view: PlayerView) -> Play:
        """Ask the process."""
        action = self._ask(view)
        assert isinstance(action, Play)
        return action

    def observe(self, event: Event) -> None:
        """Keep the event until the next decision: a bot that asked for them is told then."""
        self._waiting.append(event)

    def close(self) -> None:
        """Say goodbye and end the process with all that it has started."""
        child, self._child = self._child, None
        if child is not None:
            child.part()

    def _ask(self, view: PlayerView) -> Action:
        kind = FaultKind.HANG if self._owes else FaultKind.TIMEOUT
        child = self._child if self._child is not None else self._start(view)
        try:
            self._owes = True
            deadline = time.monotonic() + self.answer_seconds
            child.send(self._question(view), deadline)
            action = self._hear(child, view, deadline)
        except TimeoutError:
            text = f"no answer to decision {self._number} within {self.answer_seconds:g} s"
            raise BotFaultError(kind, text) from None
        except _GoneError as error:
            self._child, self._owes = None, False
            raise BotFaultError(FaultKind.CRASH, f"its process {error}") from None
        except BotFaultError:
            self._owes = False
            raise
        self._owes = False
        return action

    def _start(self, view: PlayerView) -> _Child:
        child = _Child(self.command, self.memory, self.processes)
        deadline = time.monotonic() + self.start_seconds
        hello = x.Start(seat=view.me, seats=view.seats, rules=view.rules, seed=self.seed.hex())
        try:
            child.send(x.encode_line(hello), deadline)
            ready = _decode(child.read_line(deadline))
        except TimeoutError:
            child.end()
            text = f"it was not ready within {self.start_seconds:g} s"
            raise BotFaultError(FaultKind.TIMEOUT, text) from None
        except _GoneError as error:
            raise BotFaultError(FaultKind.CRASH, f"its process {error}") from None
        except BotFaultError:
            child.end()
            raise
        if not isinstance(ready, x.Ready) or ready.v != x.VERSION:
            child.end()
            text = f"it must begin with ready and version {x.VERSION}, not with {ready}"
            raise BotFaultError(FaultKind.ILLEGAL, text)
        self._child, self._ready, self._owes = child, ready, False
        return child

    def _question(self, view: PlayerView) -> bytes:
        lines = [x.encode_line(x.Event(event=event)) for event in self._waiting]
        self._waiting.clear()
        if not self._ready.events:
            lines.clear()
        legal = options(view)
        assert legal is not None, "asked without a decision"
        question = x.Decide(
            n=self._number,
            view=x.bare_view(view),
            legal=legal,
            hints=hints(view) if self._ready.hints else None,
        )
        return b"".join([*lines, x.encode_line(question)])

    def _hear(self, child: _Child, view: PlayerView, deadline: float) -> Action:
        """Return the answer to this decision; answers that come too late are passed over."""
        while True:
            message = _decode(child.read_line(deadline))
            if isinstance(message, x.Ready) or message.n < self._number:
                continue
            if message.n > self._number:
                text = f"it answered decision {message.n} before it was asked"
                raise BotFaultError(FaultKind.ILLEGAL, text)
            if isinstance(message, x.Failed):
                raise BotFaultError(FaultKind.EXCEPTION, message.text[:500])
            is_play = isinstance(message.action, Play)
            if is_play is (view.phase is Phase.WINDOW):
                asked = "claim or pass" if view.phase is Phase.WINDOW else "a play"
                text = f"it was asked for {asked} and answered {type(message.action).__name__}"
                raise BotFaultError(FaultKind.ILLEGAL, text)
            return message.action


def process_bot(command: str) -> type[ProcessBot]:
    """Return the bot that a command line stands for.

    Raises:
        BotError: there is nothing to run (`unknown_bot`).
    """
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise BotError(f"cannot read {command!r}: {error}", ErrorCode.UNKNOWN_BOT) from None
    if not words:
        raise BotError("process: needs a command: process:node my_bot.js", ErrorCode.UNKNOWN_BOT)
    return type("ProcessBot", (ProcessBot,), {"command": words, "__doc__": f"Runs {command}."})


def child_bot(spec: str) -> type[ProcessBot]:
    """Return the bot of that spec as a child process, under the limits of one."""
    words = (sys.executable, "-m", "hollywood.bots.pipe", spec)
    return type("ProcessBot", (ProcessBot,), {"command": words, "__doc__": f"{spec}, apart."})


class _GoneError(Exception):
    """The child is gone; says why."""


def _decode(line: bytes) -> x.FromBot:
    try:
        return x.decode_from_bot(line)
    except msgspec.DecodeError as error:
        said = line[:_QUOTED].decode("utf-8", "replace")
        text = (
            f"it printed {said!r}, which is no answer: {error} (what is no answer goes to stderr)"
        )
        raise BotFaultError(FaultKind.ILLEGAL, text) from None


class _Child:
    """The pipes to a child and its warden."""

    def __init__(self, command: tuple[str, ...], memory: int, processes: int) -> None:
        control, self._control = os.pipe()
        self._report, report = os.pipe()
        limits = [str(control), str(report), str(memory), str(processes)]
        self._warden = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_WARDEN), *limits, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            pass_fds=(control, report),
        )
        os.close(control)
        os.close(report)
        pipes = self._warden.stdin, self._warden.stdout, self._warden.stderr
        assert all(pipes)
        self._in, self._out, self._err = [pipe.fileno() for pipe in pipes if pipe]
        for fd in (self._in, self._out, self._err):
            os.set_blocking(fd, False)
        self._is_over = False
        self._buffer = b""
        self._lines: deque[bytes] = deque()
        self._complaint = b""
        self._complains = True
        """Whether its stderr is open."""

    def send(self, data: bytes, deadline: float) -> None:
        """Write to its stdin.

        Raises:
            TimeoutError: it does not read.
            _GoneError: it is gone, or has closed its stdin.
        """
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._in, left) :]
            except BlockingIOError:
                self._wait(deadline, writing=True)
            except OSError:
                self._gone("closed its stdin")

    def read_line(self, deadline: float) -> bytes:
        """Return the next line of its stdout.

        Raises:
            TimeoutError: none came in time.
            _GoneError: it is gone.
        """
        while not self._lines:
            self._wait(deadline, writing=False)
        return self._lines.popleft()

    def part(self) -> None:
        """Say that the game is over and wait a moment for the child to end."""
        try:
            deadline = time.monotonic() + _PARTING_SECONDS
            self.send(x.encode_line(x.End()), deadline)
            self._close_stdin()
            while True:
                self._wait(deadline, writing=False)
        except (TimeoutError, _GoneError):
            self.end()

    def end(self) -> str:
        """End the child and all that it has started; return why it is gone."""
        if self._is_over:
            return ""
        self._is_over = True
        self._drain()
        with contextlib.suppress(OSError):  # the warden is gone: so is the child
            os.write(self._control, b"q")
        try:
            self._warden.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:  # pragma: no cover - only where a kill does not kill
            self._warden.kill()
            self._warden.wait()
        why = os.read(self._report, 4096).decode("utf-8", "replace").partition("\n")[0]
        self._close_stdin()
        for pipe in (self._warden.stdout, self._warden.stderr):
            if pipe is not None:
                pipe.close()
        os.close(self._report)
        os.close(self._control)
        return why

    def _close_stdin(self) -> None:
        if self._warden.stdin is not None:
            self._warden.stdin.close()

    def _wait(self, deadline: float, *, writing: bool) -> None:
        """Wait until something can be done, and read what there is."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        outs = [self._in] if writing else []
        reads = [self._out, self._err] if self._complains else [self._out]
        ready, _, _ = select.select(reads, outs, [], left)
        if self._err in ready:
            self._drain()
        if self._out not in ready:
            return
        data = os.read(self._out, _READ_SIZE)
        if not data:
            self._gone("closed its stdout")
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        self._lines += [line for line in lines if line.strip()]
        if len(self._buffer) > _LONGEST_LINE:
            self._gone(f"printed more than {_LONGEST_LINE >> 20} MiB without an end of line")

    def _drain(self) -> None:
        """Keep the end of what the child says on stderr, for telling why it is gone."""
        while True:
            try:
                data = os.read(self._err, _READ_SIZE)
            except OSError:
                return
            if not data:
                self._complains = False
                return
            self._complaint = (self._complaint + data)[-2000:]

    def _gone(self, what: str) -> None:
        """Raise why the child is gone."""
        # it may be about to exit by itself; its warden then knows better than we why
        select.select([self._report], [], [], 0.2)
        why = self.end()
        said = self._complaint.decode("utf-8", "replace").strip().rpartition("\n")[2]
        what = what if why in ("", "ended") else why
        raise _GoneError(f"{what} ({said})" if said else what)
