"""After a crash in any layer: the terminal as it was, one sentence, the details in a file."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import platformdirs

from hollywood.protocol.errors import HollywoodError

termios: ModuleType | None
try:
    import termios
except ImportError:  # Windows: prompt_toolkit puts the console's modes back itself
    termios = None

LOG_FILE = Path(platformdirs.user_log_dir("hollywood-rummy")) / "hollywood.log"

MAX_LOG = 1_000_000
"""Bytes after which the log file is set aside; one old file is kept."""

RESET = (
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l"  # no mouse reports
    "\x1b[?2004l"  # no bracketed paste
    "\x1b[?1l\x1b>"  # arrow keys and keypad as usual
    "\x1b[?1049l"  # the screen of before
    "\x1b[?7h\x1b[?25h\x1b[0m"  # lines wrap, the cursor shows, plain text
)
"""Leaves every mode that a full-screen program may have switched on."""

_MEANT = (HollywoodError, click.ClickException, click.Abort, KeyboardInterrupt)


@contextlib.contextmanager
def guarded(
    log: Path = LOG_FILE, *, is_full_screen: bool = True, stdin: int = 0, stdout: int = 1
) -> Iterator[None]:
    """Run something that uses the terminal; put the terminal back whatever happens.

    What is meant for the user (a `HollywoodError`, Ctrl-C, an exit) goes through as
    it is, also out of a group. Anything else is a bug of ours: its details go to
    the log file, and one sentence comes out.

    Args:
        log: Where the details go.
        is_full_screen: Whether the alternate screen may have been in use.
        stdin: The file descriptor whose terminal modes are kept.
        stdout: The file descriptor on which the screen is drawn.

    Raises:
        HollywoodError: what failed, and where the details are.
    """
    modes = _modes(stdin)
    try:
        yield
    except BaseException as error:
        if is_meant(error):
            raise
        if is_full_screen:
            _reset_screen(stdout)
        _set_modes(stdin, modes)
        raise HollywoodError(_tell(error, log)) from error
    finally:
        _set_modes(stdin, modes)


def is_meant(error: BaseException) -> bool:
    """Whether the user is to be told this as it is: no bug of ours."""
    if isinstance(error, BaseExceptionGroup):
        return all(is_meant(part) for part in error.exceptions)
    # SystemExit, CancelledError, GeneratorExit: somebody ends the program on purpose
    return isinstance(error, _MEANT) or not isinstance(error, Exception)


def _tell(error: BaseException, log: Path) -> str:
    what = "; ".join(dict.fromkeys(_in_short(leaf) for leaf in _leaves(error)))
    details = "".join(traceback.format_exception(error))
    trouble = write_details(log, details)
    if trouble:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(details)
        return f"a bug in this program: {what}; the details stand above, since {trouble}"
    return f"a bug in this program: {what}; the details are in {log}, please report them"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _leaves(part)
    elif not is_meant(error):
        yield error


def _in_short(error: BaseException) -> str:
    text = " ".join(str(error).split())
    text = text if len(text) <= 200 else f"{text[:200]} ..."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def write_details(log: Path, details: str) -> str:
    """Append details to the log file; return why that did not work, or ""."""
    # of the command line only the command: there may be a password in the rest
    command = " ".join(["hollywood", *sys.argv[1:2]])
    head = (
        f"{time.strftime('%Y-%m-%d %H:%M:%S')} {command} failed\n"
        f"Python {platform.python_version()} on {platform.platform()}, "
        f"TERM={os.environ.get('TERM', '')}\n"
    )
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        _make_room(log)
        with log.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{head}{details.rstrip()}\n\n")
    except OSError as error:
        return f"{log} cannot be written ({error.strerror})"
    return ""


def _make_room(log: Path) -> None:
    """Set a log that has grown large aside, in place of the one before."""
    with contextlib.suppress(FileNotFoundError):
        if log.stat().st_size > MAX_LOG:
            log.replace(log.with_name(f"{log.name}.1"))


def _modes(fd: int) -> list[Any] | None:
    if termios is None:
        return None
    try:
        found: list[Any] = termios.tcgetattr(fd)
    except (termios.error, OSError, ValueError):
        return None  # no terminal: nothing to put back
    return found


def _set_modes(fd: int, modes: list[Any] | None) -> None:
    if termios is None or modes is None:
        return
    # a terminal that was closed meanwhile has no modes to put back
    with contextlib.suppress(termios.error, OSError):
        if termios.tcgetattr(fd) != modes:
            termios.tcsetattr(fd, termios.TCSANOW, modes)


def _reset_screen(fd: int) -> None:
    with contextlib.suppress(OSError, ValueError):
        if os.isatty(fd):
            os.write(fd, RESET.encode())
