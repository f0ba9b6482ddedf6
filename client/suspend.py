"""Ctrl-Z and its signals: stop the process, and go on, or end, when the shell says so."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from functools import partial
from types import FrameType
from typing import Any

from prompt_toolkit.application import Application, run_in_terminal

from .bridge import on_signal

_SETTLE_S = 0.1
"""After SIGCONT: long enough for a SIGTERM sent with it to reach this thread, and for
a shell that was told `fg` to hand over the terminal."""


@contextlib.contextmanager
def job_control(app: Application[Any]) -> Iterator[None]:
    """Heed SIGTSTP and SIGCONT of others while an application runs.

    `kill -TSTP` stops it as Ctrl-Z does. SIGSTOP cannot be heeded: the shell then sets
    the terminal to its own modes and writes on the screen, so whatever wakes the
    process again, it takes the terminal back and draws everything anew. Use it in the
    task that runs the application.
    """
    loop = asyncio.get_running_loop()
    on_signal(loop, "SIGTSTP", partial(run_in_terminal, suspend))
    on_signal(loop, "SIGCONT", partial(_take_terminal_back, app))
    try:
        yield
    finally:
        for name in ("SIGTSTP", "SIGCONT"):
            on_signal(loop, name, None)


def _take_terminal_back(app: Application[Any]) -> None:
    if not app.is_running or not _is_foreground():
        return
    app.input.raw_mode().__enter__()  # the application leaves it, at its end
    # after Ctrl-Z the screen is ours again already: to leave it once more would flicker
    app.renderer.reset(leave_alternate_screen=False)
    app.output.cursor_goto(0, 0)
    app.invalidate()


def suspend() -> None:
    """Stop this process group until it is in the foreground again, or told to end.

    `bg` stops it again: it has nothing to do without the terminal. A shell that
    sends SIGTERM or SIGHUP to a stopped job wakes it in the background; the
    terminal is the shell's then, and whoever sets its modes is stopped by SIGTTOU.
    So the process lets go of the terminal, which it has put back before, and the
    caller may go on as if nothing had happened, to its end.

    Call it in the main thread, with the terminal in its cooked mode. Where there is
    no job control (Windows) nothing happens.
    """
    if not hasattr(signal, "SIGTSTP"):
        return
    endings: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        endings.append(number)

    # The event loop hears of these signals by its wakeup descriptor, this or that handler.
    handlers = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGHUP)}
    handlers[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    try:
        while True:
            os.kill(0, signal.SIGTSTP)
            if _is_foreground():
                return
            time.sleep(_SETTLE_S)
            if _is_foreground():
                return
            if endings:
                _let_go_of_the_terminal()
                return
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _is_foreground() -> bool:
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (AttributeError, OSError, ValueError):
        return False  # no terminal, or none any more


def _let_go_of_the_terminal() -> None:
    # A pipe that never says anything: unlike /dev/null, an event loop can wait for it.
    silence, _ = os.pipe()
    os.dup2(silence, sys.stdin.fileno())
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.dup2(nowhere, sys.stderr.fileno())
