"""How large a rule set may be.

A file may come from anybody, so nothing in it may cost memory or time without bound,
or be more than the wire can carry.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

MAX_PACKS = 8
MAX_JOKERS = 64
MAX_ROUNDS = 40
MAX_NUMBER = 100_000
"""Of anything else that is counted: points, turns, deals."""
MAX_TEXT = 80
"""Characters of a text."""


def excesses(rules: msgspec.Struct) -> Iterator[str]:
    """Say what is too large, each with its key."""
    data = msgspec.to_builtins(rules)
    packs, jokers, total = (data["deck"][key] for key in ("packs", "jokers", "jokers_total"))
    if any(n > MAX_PACKS for n in _numbers(packs)):
        yield f"deck.packs: give {MAX_PACKS} at the most"
    if any(n > MAX_JOKERS for n in (*_numbers(jokers), *_numbers(total))):
        yield f"deck.jokers: give {MAX_JOKERS} at the most"
    if len(data["rounds"]) > MAX_ROUNDS:
        yield f"rounds: list {MAX_ROUNDS} at the most"
    yield from _unfit(data, "")


def _numbers(value: Any) -> list[int]:  # noqa: ANN401 - one number, a list of them, or a word
    found = value if isinstance(value, list | tuple) else [value]
    return [n for n in found if isinstance(n, int)]


def _unfit(value: Any, key: str) -> Iterator[str]:  # noqa: ANN401 - whatever a file may hold
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _unfit(str(name), key)
            yield from _unfit(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _unfit(inner, key)
    elif isinstance(value, int) and abs(value) > MAX_NUMBER:
        yield f"{key}: give a number between -{MAX_NUMBER} and {MAX_NUMBER}"
    elif isinstance(value, str) and (len(value) > MAX_TEXT or not value.isprintable()):
        yield f"{key}: write up to {MAX_TEXT} characters that can be printed"
