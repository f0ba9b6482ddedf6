"""Colours of the screen: class names to the 16 ANSI names, nothing else.

No fact is told by colour alone, so all of this may be switched off (NO_COLOR).
"""

from __future__ import annotations

from collections.abc import Mapping

from .text import Look, Suits

_BASE = {
    "header": "bold",
    "alarm": "reverse bold",
    "dim": "ansibrightblack",
    "turn": "bold",
    "me": "ansicyan",
    "letter": "bold",
    "wild": "ansimagenta bold",
    "joker": "ansimagenta bold",
    "upcard": "bold",
    "rule": "ansibrightblack",
    "title": "bold",
    "prompt": "",
    "ask": "bold",
    "notice": "ansiyellow",
    "good": "ansigreen",
    "claim": "reverse bold",
    "bar": "nobold",
    "key": "bold",
    "bar.text": "",
    "mark": "ansiyellow bold",
    "cursor": "bold reverse",
    "selected": "underline bold",
}

_SUITS: Mapping[Suits, dict[str, str]] = {
    "four": {"c": "ansigreen", "d": "ansiblue", "h": "ansired", "s": ""},
    "two": {"c": "", "d": "ansired", "h": "ansired", "s": ""},
    "none": {"c": "", "d": "", "h": "", "s": ""},
}


def style_rules(look: Look) -> dict[str, str]:
    """Return the style of each class."""
    suits = {f"suit.{suit}": style for suit, style in _SUITS[look.suits].items()}
    return {**_BASE, **suits}


def look_for(encoding: str | None, environ: Mapping[str, str], *, ascii_only: bool = False) -> Look:
    """Choose how to draw for an output's encoding and the environment.

    >>> look_for("ascii", {}).ascii, look_for("utf-8", {"NO_COLOR": "1"}).color
    (True, False)
    """
    is_utf8 = (encoding or "").lower().replace("-", "").replace("_", "") in ("utf8", "cp65001")
    return Look(ascii=ascii_only or not is_utf8, color=not environ.get("NO_COLOR"))
