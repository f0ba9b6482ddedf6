"""Reading from many sockets in one task.

A task for each connection costs the event loop more than the reading itself: to be woken,
switched to, and to wait again. Where the system has epoll, the sockets of those who have
said hello are watched together by one task instead, which lets each take what has come.
"""

from __future__ import annotations

import math
import select
import sys
from collections.abc import Callable

import trio

_AT_ONCE = 64
"""Sockets that are read from before other tasks have their turn."""
_PAUSE = 0.002
"""Seconds without reading, at the most, while no answer could be given anyway."""


def at_once() -> float:
    """Return a time that is past: answers may always leave."""
    return -math.inf


class Readiness:
    """The sockets that are watched. Where there is no epoll, `is_offered` is False.

    Args:
        answers_from: Tells from when on answers to what is read may leave. Until
            then, what comes gathers a little: to wake up for each frame that cannot
            be answered yet costs more than to handle it.
    """

    is_offered = sys.platform == "linux"

    def __init__(self, answers_from: Callable[[], float] = at_once) -> None:
        self._answers_from = answers_from
        self._epoll = select.epoll()
        self._readers: dict[int, Callable[[], None]] = {}

    def add(self, fd: int, read: Callable[[], None]) -> None:
        """Call `read` whenever there is something to be read, or the end; it must not fail."""
        self._readers[fd] = read
        self._epoll.register(fd, select.EPOLLIN)

    def remove(self, fd: int) -> None:
        """Watch a socket no longer, before it is closed; nothing if it is not watched."""
        if self._readers.pop(fd, None) is not None:
            self._epoll.unregister(fd)

    async def run(self) -> None:
        """Watch, for ever."""
        try:
            while True:
                await trio.lowlevel.wait_readable(self._epoll.fileno())
                self._let_read()
                await self._pause()
        finally:
            self._epoll.close()

    async def _pause(self) -> None:
        now = trio.current_time()
        until = min(now + _PAUSE, self._answers_from())
        if until > now:
            await trio.sleep_until(until)

    def _let_read(self) -> None:
        for fd, _ in self._epoll.poll(0, _AT_ONCE):
            read = self._readers.get(fd)
            # one that was read before may have ended this one
            if read is not None:
                read()
