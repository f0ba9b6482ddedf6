"""A line of text that the player types: a name, an address, a password, something said."""

from __future__ import annotations

from .text import Line, cell_width, fit, pad, printable


class Field:
    """Text with a cursor in it. Keys go by prompt_toolkit's names."""

    def __init__(self, text: str = "", *, limit: int = 200, is_secret: bool = False) -> None:
        self.text = text[:limit]
        self.at = len(self.text)
        """Characters before the cursor."""
        self._limit = limit
        self._is_secret = is_secret

    def press(self, key: str) -> bool:
        """Do what the key does in a text; False if it does nothing there."""
        if len(key) == 1:
            self.insert(key)
            return True
        match key:
            case "backspace" | "c-h" if self.at:
                self._replace(self.at - 1, self.at)
            case "delete":
                self._replace(self.at, self.at + 1)
            case "c-u":
                self._replace(0, self.at)
            case "c-w":
                kept = self.text[: self.at].rstrip()
                self._replace(kept.rfind(" ") + 1, self.at)
            case "left":
                self.at = max(0, self.at - 1)
            case "right":
                self.at = min(len(self.text), self.at + 1)
            case "home" | "c-a":
                self.at = 0
            case "end" | "c-e":
                self.at = len(self.text)
            case "backspace" | "c-h":
                pass
            case _:
                return False
        return True

    def insert(self, text: str) -> None:
        """Put text in where the cursor is: no control characters, and no more than fits."""
        fits = printable(" ".join(text.split("\n")))[: self._limit - len(self.text)]
        self.text = self.text[: self.at] + fits + self.text[self.at :]
        self.at += len(fits)

    def _replace(self, start: int, end: int) -> None:
        self.text = self.text[:start] + self.text[end:]
        self.at = start

    def draw(self, cols: int, style: str = "") -> Line:
        """Draw it in so many cells, with the cursor in sight."""
        shown = "*" * len(self.text) if self._is_secret else self.text
        first = 0
        while first < self.at and cell_width(shown[first : self.at]) > cols - 2:
            first += 1
        before, rest = shown[first : self.at], shown[self.at :]
        after = pad(rest[1:], max(0, cols - cell_width(before) - cell_width(rest[:1] or " ")))
        line = [(style, before), (f"{style} class:cursor", rest[:1] or " "), (style, after)]
        return fit(line, cols, style)

    def shown(self) -> str:
        """The text as it may be seen, without a cursor."""
        return "*" * len(self.text) if self._is_secret else self.text


FIELD_KEYS: tuple[str, ...] = (
    "backspace",
    "c-h",
    "delete",
    "c-u",
    "c-w",
    "left",
    "right",
    "home",
    "c-a",
    "end",
    "c-e",
)
"""The keys that change a text, besides the letters themselves."""
