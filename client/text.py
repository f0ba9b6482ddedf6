"""Cells, cards and lines: how text becomes what a terminal shows.

Everywhere else a card is its code inside plain text ("7H fits the set of 7"); the
sign and the colour come in here, last. A code and its sign are both two cells
wide, so text may be measured and wrapped before it is painted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

import msgspec

Fragment = tuple[str, str]
"""A style and the text in it."""

Line = list[Fragment]

Suits = Literal["four", "two", "none"]


class Look(msgspec.Struct, frozen=True):
    """How the screen may be drawn."""

    ascii: bool = False
    """Only ASCII, where the output cannot carry suit signs."""
    suits: Suits = "four"
    """How many colours tell the suits apart; the signs always do."""
    color: bool = True
    """Whether there are any colours at all."""


_SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}

_CARD = re.compile(r"(?<![A-Za-z0-9])(?:[A2-9TJQK][CDHS]|JK)(?![A-Za-z0-9])")

_SPOT = re.compile(r"\[(\S+:\S*)\]")

_TO_ASCII = str.maketrans(
    {
        "─": "-",
        "│": "|",
        "…": "~",
        "█": "#",
        "░": ".",
        "←": "<",
        "→": ">",
        "↑": "^",
        "↓": "v",
        "·": ".",
        "●": "*",
        "•": "o",
        "▸": ">",
        "♣": "c",
        "♦": "d",
        "♥": "h",
        "♠": "s",
    }
)


def suit_sign(suit: str, look: Look) -> str:
    """Return the sign of a suit letter.

    >>> suit_sign("H", Look()), suit_sign("H", Look(ascii=True))
    ('♥', 'h')
    """
    return suit.lower() if look.ascii else _SIGNS.get(suit, suit)


def card_sign(card: str, look: Look) -> str:
    """Return a card as two cells.

    >>> card_sign("TD", Look()), card_sign("TD", Look(ascii=True)), card_sign("JK", Look())
    ('T♦', 'Td', 'JK')
    """
    return card if card == "JK" else card[0] + suit_sign(card[1], look)


def card_style(card: str) -> str:
    """Return the style class of a card's suit, a joker's for jokers."""
    return "class:joker" if card == "JK" else f"class:suit.{card[1].lower()}"


def paint(text: str, look: Look, style: str = "") -> Line:
    """Split text into fragments, with each card code as its sign in its colour.

    >>> paint("took 7H", Look())
    [('', 'took '), ('class:suit.h', '7♥')]
    """
    line: Line = []
    done = 0
    for match in _CARD.finditer(text):
        if match.start() > done:
            line.append((style, text[done : match.start()]))
        card = match.group()
        line.append((f"{style} {card_style(card)}".strip(), card_sign(card, look)))
        done = match.end()
    if done < len(text):
        line.append((style, text[done:]))
    return line


def spot(style: str, target: str) -> str:
    """Mark a style as a place that can be clicked; what it is goes in brackets.

    Screens that draw styles pass over what stands in brackets. A target is a kind and
    what it is about, as in "card:7H:0" or "key:b", without blanks.

    >>> spot("class:key", "key:b")
    'class:key [key:b]'
    """
    return f"{style} [{target}]".strip()


def target_at(line: Sequence[Fragment], column: int) -> str:
    """Return what can be clicked at that character of a line, "" if nothing."""
    for style, text in line:
        if column < len(text):
            found = _SPOT.search(style)
            return found[1] if found else ""
        column -= len(text)
    return ""


def cell_width(text: str) -> int:
    """How many cells the text takes; wide characters take two."""
    return len(text) if text.isascii() else _cells(text)


@lru_cache(maxsize=2048)
def _cells(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def line_width(line: Iterable[Fragment]) -> int:
    """How many cells the fragments take together."""
    width = 0
    for _, text in line:
        width += len(text) if text.isascii() else _cells(text)
    return width


def clip(text: str, cells: int) -> str:
    """Cut text to so many cells; an ellipsis shows that something is gone."""
    if cell_width(text) <= cells:
        return text
    return _cut(text, cells - 1) + "…" if cells > 0 else ""


def pad(text: str, cells: int) -> str:
    """Cut or fill text to exactly so many cells.

    >>> pad("bea", 5), pad("dmitri", 5)
    ('bea  ', 'dmit…')
    """
    text = clip(text, cells)
    return text + " " * (cells - cell_width(text))


def _cut(text: str, cells: int) -> str:
    used = 0
    for i, char in enumerate(text):
        used += cell_width(char)
        if used > cells:
            return text[:i]
    return text


def fit(line: Sequence[Fragment], cells: int, style: str = "") -> Line:
    """Cut or pad a line to exactly so many cells.

    >>> fit([("", "abcdef")], 4), fit([("", "ab")], 4)
    ([('', 'abc…')], [('', 'ab'), ('', '  ')])
    """
    spare = cells - line_width(line)
    if spare >= 0:
        return [*line, (style, " " * spare)] if spare else list(line)
    out: Line = []
    left = cells - 1
    for kind, text in line:
        width = cell_width(text)
        if width > left:
            cut = _cut(text, left)
            out.append((kind, cut + "…" + " " * (left - cell_width(cut))))
            break
        out.append((kind, text))
        left -= width
    return out


def spread(left: Sequence[Fragment], right: Sequence[Fragment], cells: int) -> Line:
    """Put one text at each end of a line; the right one stays whole while it fits."""
    room = cells - line_width(right)
    if room < 4:
        return fit([*left, ("", " "), *right], cells)
    return [*fit(left, room - 1), ("", " "), *right]


def wrap(text: str, cells: int) -> list[str]:
    """Break text between words into lines of at most so many cells.

    >>> wrap("lay it off before you discard", 12)
    ['lay it off', 'before you', 'discard']
    """
    return list(_wrapped(text, cells))


@lru_cache(maxsize=4096)
def _wrapped(text: str, cells: int) -> tuple[str, ...]:
    lines: list[str] = []
    line = ""
    for word in text.split():
        word = clip(word, cells)
        if line and cell_width(line) + 1 + cell_width(word) > cells:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return (*lines, line) if line else tuple(lines)


def pack(chunks: Iterable[Line], cells: int, gap: int = 2) -> list[Line]:
    """Put chunks beside each other, as many on a line as fit; none is broken."""
    lines: list[Line] = []
    used = 0
    for chunk in chunks:
        width = line_width(chunk)
        if lines and used + gap + width <= cells:
            lines[-1] += [("", " " * gap), *chunk]
            used += gap + width
        else:
            lines.append(list(chunk))
            used = width
    return lines


def to_ascii(line: Line) -> Line:
    """Replace what a terminal without Unicode cannot show, cell for cell."""
    return [
        (style, text if text.isascii() else _plain(text.translate(_TO_ASCII)))
        for style, text in line
    ]


def _plain(text: str) -> str:
    return "".join(char if char.isascii() else "?" * cell_width(char) for char in text)


def printable(text: str) -> str:
    r"""Make text of others safe to show: no control, combining or invisible characters.

    >>> printable("a\x1b[31mb\u200b")
    'a[31mb'
    """
    return "".join(
        char
        for char in unicodedata.normalize("NFC", text)
        if char == " " or unicodedata.category(char)[0] not in "CMZ"
    )
