"""Asking the table of keys: what a key does now, what the bar, the help and the manual say."""

from __future__ import annotations

from collections.abc import Iterable

from .actions import Action as Action
from .actions import Context as Context
from .actions import Section as Section
from .actions import key_name as key_name
from .bindings import ALL_KEYS as ALL_KEYS
from .bindings import BINDINGS as BINDINGS
from .bindings import COMBINATIONS as COMBINATIONS


def find(key: str, active: Iterable[Context]) -> Action | None:
    """Return what the key does now, None if nothing. While a text is typed, letters do nothing."""
    active = frozenset(active)
    if Context.TEXT in active and len(key) == 1:
        return None
    for binding in BINDINGS:
        if key in binding.keys and binding.is_active(active):
            return binding.action
    return None


def bar(active: Iterable[Context]) -> list[tuple[str, str, str]]:
    """Return the keys for the bar: how they are written, their word, and one of them."""
    active = frozenset(active)
    shown = [
        binding
        for binding in BINDINGS
        if binding.is_active(active) and binding.is_in_bar(active) and binding.action is not _HELP
    ]
    if Context.TEXT not in active:
        return [(binding.written, binding.label, binding.keys[0]) for binding in shown]
    usable = [(binding.works_in_text(), binding.label) for binding in shown]
    return [(key_name(key), label, key) for key, label in usable if key]


_HELP = Action.HELP


def help_sections() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return every key with what it does, by heading."""
    sections: dict[Section, list[tuple[str, str]]] = {section: [] for section in Section}
    for binding in BINDINGS:
        if binding.help:
            sections[binding.section].append((binding.written, binding.help))
    return [(section.value, lines) for section, lines in sections.items()]


def markdown() -> str:
    """Return the table of keys as the manual has it."""
    lines: list[str] = []
    for heading, entries in help_sections():
        lines += [f"| {heading} | |", "|---|---|"]
        lines += [f"| {_code(written)} | {text} |" for written, text in entries]
        lines.append("")
    return "\n".join(lines)


def _code(written: str) -> str:
    return " ".join(f"`{key}`" for key in written.split())
