"""Finding bots: by name, or as `package.module:Class`."""

from __future__ import annotations

import importlib
from importlib.metadata import EntryPoint, entry_points

from hollywood.protocol.errors import BotError, ErrorCode

from .api import Bot

GROUP = "hollywood.bots"
"""The entry-point group in which a package names its bots."""


def bot_names() -> list[str]:
    """Return the names of all installed bots."""
    return sorted({entry.name for entry in entry_points(group=GROUP)})


def built_in_bot(name: str) -> type[Bot]:
    """Return an installed bot by its name; never imports what a peer names.

    Raises:
        BotError: there is none of that name (`unknown_bot`).
    """
    if name not in bot_names():
        raise BotError(
            f"there is no bot {name!r}: use {', '.join(bot_names())}", ErrorCode.UNKNOWN_BOT
        )
    return load_bot(name)


def load_bot(spec: str) -> type[Bot]:
    """Return the bot class that a name or `package.module:Class` stands for.

    Raises:
        BotError: nothing of that name, it does not import, or it is no Bot
            (`unknown_bot`).
    """
    for entry in entry_points(group=GROUP):
        if entry.name == spec:
            return _load(entry, spec)
    if ":" in spec:
        return _load(EntryPoint(spec, spec, GROUP), spec)
    raise BotError(
        f"there is no bot {spec!r}: use {', '.join(bot_names())}, or package.module:Class",
        ErrorCode.UNKNOWN_BOT,
    )


def _load(entry: EntryPoint, spec: str) -> type[Bot]:
    module, _, name = entry.value.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise BotError(f"cannot load the bot {spec!r}: {error}", ErrorCode.UNKNOWN_BOT) from None
    if not (isinstance(found, type) and issubclass(found, Bot)):
        raise BotError(
            f"{spec!r} is no bot: it must be a class derived from hollywood.bots.Bot",
            ErrorCode.UNKNOWN_BOT,
        )
    return found
