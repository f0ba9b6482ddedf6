"""Ctrl-Z: stop the process, and go on, or end, when the shell says so."""

from __future__ import annotations

import os
import signal
import sys
import time
from types import FrameType

_SETTLE_S = 0.1
"""After SIGCONT: long enough for a SIGTERM sent with it to reach this thread, and for
a shell that was told `fg` to hand over the terminal."""


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
    return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()


def _let_go_of_the_terminal() -> None:
    # A pipe that never says anything: unlike /dev/null, an event loop can wait for it.
    silence, _ = os.pipe()
    os.dup2(silence, sys.stdin.fileno())
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.dup2(nowhere, sys.stderr.fileno())
