"""A terminal in memory: prompt_toolkit's real VT100 output, read by pyte."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TextIO, cast

import pyte
from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.vt100 import Vt100_Output


class Term:
    """What a terminal of that size shows; `until` waits for output, never for time."""

    def __init__(self, cols: int = 80, rows: int = 24) -> None:
        self.cols, self.rows = cols, rows
        self.raw: list[str] = []
        self.screen = pyte.Screen(cols, rows)
        self._stream = pyte.Stream(self.screen)
        self._changed = asyncio.Event()
        self.output = Vt100_Output(
            cast("TextIO", self),
            lambda: Size(rows=self.rows, columns=self.cols),
            term="xterm-256color",
            enable_cpr=False,
        )

    # what Vt100_Output wants of a stream

    encoding = "utf-8"

    def write(self, data: str) -> int:
        self.raw.append(data)
        self._stream.feed(data)
        self._changed.set()
        return len(data)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1

    # what tests want

    def resize(self, app: Application[Any], cols: int, rows: int) -> None:
        self.cols, self.rows = cols, rows
        self.screen.resize(rows, cols)
        app._on_resize()

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def count(self, sequence: str) -> int:
        """How often that was written."""
        return "".join(self.raw).count(sequence)

    async def until(self, want: str | Callable[[], bool], timeout: float = 20) -> None:
        is_there = want if callable(want) else (lambda: want in self.text())
        try:
            async with asyncio.timeout(timeout):
                while not is_there():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"never saw {want!r}; the screen:\n{self.text()}") from None
