"""Watches over one child process and all that it starts. Runs as a script of its own.

    python -I -S warden.py CONTROL REPORT MEMORY_MIB PROCESSES COMMAND...

CONTROL is a file descriptor to read from: as soon as anything comes or it is closed,
all is ended. REPORT is one to write to: one line that says why the child is gone. The
child gets this process' standard streams; the warden closes its own, so that the end
of the child is seen by whoever reads them.

Where the system can (Linux) the warden adopts what a child leaves behind, so that
nothing escapes by detaching itself, and counts the memory of all of it together. Else
it knows the child's process group only. It imports nothing but the standard library,
and little of that: it must be up within milliseconds.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys

BEAT_SECONDS = 0.05
"""How often it looks at memory and processes."""

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of <sys/prctl.h>
_PAGE = os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Run the command until it ends, takes too much, or is no longer wanted."""
    control, report, memory, processes = map(int, sys.argv[1:5])
    _adopt_orphans()
    child = os.fork()
    if child == 0:
        _become(sys.argv[5:], memory, control, report)
    for stream in (0, 1, 2):
        os.close(stream)
    why = _watch(child, control, memory, processes)
    _end_all(child)
    os.write(report, why.encode())


def _become(command: list[str], memory: int, control: int, report: int) -> None:
    """Be the child: a group of its own, limits, the command."""
    import resource

    os.setsid()
    os.close(control)
    # the report stays open until the command runs, to say why it does not
    os.set_inheritable(report, False)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    size = memory << 20
    if hard == resource.RLIM_INFINITY or size < hard:
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(report, f"cannot run {command[0]}: {error.strerror}\n".encode())
        os._exit(127)


def _watch(child: int, control: int, memory: int, processes: int) -> str:
    poll = select.poll()
    poll.register(control, select.POLLIN)
    while True:
        if poll.poll(BEAT_SECONDS * 1000):
            return "ended"
        if (status := _reap(child)) is not None:
            code = os.waitstatus_to_exitcode(status)
            if code < 0:
                return f"killed by {signal.Signals(-code).name}"
            return f"exited with {code}"
        family = _descendants()
        if len(family) > processes:
            return f"started more than {processes} processes"
        if sum(map(_resident, family)) > memory << 20:
            return f"took more than {memory} MiB of memory"


def _reap(child: int) -> int | None:
    """Collect what has ended; return the child's status once it has."""
    found = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return 0 if found is None else found
        if pid == 0:
            return found
        if pid == child:
            found = status


def _end_all(child: int) -> None:
    """End all of the family, again and again while it grows."""
    with contextlib.suppress(OSError):  # gone already
        os.killpg(child, signal.SIGKILL)
    while True:
        for pid in _descendants():
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue  # gone since
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _descendants() -> list[int]:
    found: list[int] = []
    todo = [os.getpid()]
    while todo:
        children = _children(todo.pop())
        found += children
        todo += children
    return found


def _children(pid: int) -> list[int]:
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    children: list[int] = []
    for task in tasks:
        try:
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                children += map(int, file.read().split())
        except OSError:
            continue
    return children


def _resident(pid: int) -> int:
    """Bytes of memory that no other process shares."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            fields = file.read().split()
    except OSError:
        return 0
    return (int(fields[1]) - int(fields[2])) * _PAGE if len(fields) > 2 else 0


def _adopt_orphans() -> None:
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


if __name__ == "__main__":
    main()
