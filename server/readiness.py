"""Reading from many sockets in one task.

A task for each connection costs the event loop more than the reading itself: to be woken,
switched to, and to wait again. Where the system has epoll, the sockets of those who have
said hello are watched together by one task instead, which lets each take what has come.
"""

from __future__ import annotations

import select
import sys
from collections.abc import Callable

import trio

_AT_ONCE = 64
"""Sockets that are read from before other tasks have their turn."""


class Readiness:
    """The sockets that are watched. Where there is no epoll, `is_offered` is False."""

    is_offered = sys.platform == "linux"

    def __init__(self) -> None:
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
        finally:
            self._epoll.close()

    def _let_read(self) -> None:
        for fd, _ in self._epoll.poll(0, _AT_ONCE):
            read = self._readers.get(fd)
            # one that was read before may have ended this one
            if read is not None:
                read()
