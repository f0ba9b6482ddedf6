"""Finding bots: by name, in a module, in a file, or as another program.

greedy                      a name from `hollywood bots list`
sampler:decisions=400       the same with an option
package.module:Class        a class that can be imported
./my_bot.py                 the bot in that file; ./my_bot.py:Class if there are several
child:./my_bot.py           any of these as a child process, under its limits
process:node my_bot.js      another program that speaks JSON lines
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from hollywood.protocol.errors import BotError, ErrorCode

from .api import Bot, BotType
from .options import parse_option

GROUP = "hollywood.bots"
"""The entry-point group in which a package names its bots."""

_WAYS = "package.module:Class, ./my_bot.py or process:COMMAND"


def bot_names() -> list[str]:
    """Return the names of all installed bots."""
    return sorted({entry.name for entry in entry_points(group=GROUP)})


def built_in_bot(name: str) -> type[Bot]:
    """Return an installed bot by its name; never imports what a peer names.

    Raises:
        BotError: there is none of that name, or it thinks too long to play inside
            a server (`unknown_bot`).
    """
    if name not in bot_names():
        raise BotError(
            f"there is no bot {name!r}: use {', '.join(bot_names())}", ErrorCode.UNKNOWN_BOT
        )
    bot = load_bot(name)
    if not bot.is_quick:
        raise BotError(
            f"{name} thinks too long to play inside a server: let it join with "
            f"hollywood bots run {name}",
            ErrorCode.UNKNOWN_BOT,
        )
    return bot


def load_bot(spec: str) -> type[Bot]:
    """Return the bot class that a spec stands for.

    Raises:
        BotError: nothing of that name, it does not import, it is no Bot, or an
            option is not one of its (`unknown_bot`).
    """
    kind, colon, rest = spec.partition(":")
    if colon and kind in ("process", "child"):
        return _load_apart(kind, rest, spec)
    parts = spec.split(":")
    chosen: list[str] = []
    while len(parts) > 1 and "=" in parts[-1]:
        chosen.insert(0, parts.pop())
    found = _find(":".join(parts), spec)
    if chosen or parts[0].endswith(".py"):
        found = _with_options(found, parts[0], chosen, spec)
    return found


def _find(base: str, spec: str) -> type[Bot]:
    for entry in entry_points(group=GROUP):
        if entry.name == base:
            return _load(entry, spec)
    path, colon, name = base.rpartition(":") if not base.endswith(".py") else (base, "", "")
    if path.endswith(".py"):
        return _from_file(Path(path), name, spec)
    if colon:
        return _load(EntryPoint(base, base, GROUP), spec)
    raise BotError(
        f"there is no bot {spec!r}: use {', '.join(bot_names())}, {_WAYS}", ErrorCode.UNKNOWN_BOT
    )


def _load_apart(kind: str, rest: str, spec: str) -> type[Bot]:
    """A bot in a process of its own: `process:OPTION=VALUE:...:COMMAND`."""
    from .process import ProcessBot, child_bot, process_bot

    chosen: list[str] = []
    while True:
        head, colon, tail = rest.partition(":")
        name, equals, _ = head.partition("=")
        if not (colon and equals and name in ProcessBot.options):
            break
        chosen.append(head)
        rest = tail
    if kind == "child":
        load_bot(rest)  # say now what is wrong with it
    found = process_bot(rest) if kind == "process" else child_bot(rest)
    return _with_options(found, kind, chosen, spec)


def _with_options(bot: type[Bot], name: str, chosen: list[str], spec: str) -> type[Bot]:
    """A class of its own with the chosen options, which remembers how to load it again."""
    values: dict[str, Any] = {"spec": spec, "__doc__": bot.__doc__, "__module__": bot.__module__}
    for choice in chosen:
        option, _, text = choice.partition("=")
        values[option] = parse_option(name, option, text, bot.options)
    return cast("type[Bot]", BotType(bot.__name__, (bot,), values))


def _load(entry: EntryPoint, spec: str) -> type[Bot]:
    module, _, name = entry.value.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError, SyntaxError) as error:
        raise BotError(f"cannot load the bot {spec!r}: {error}", ErrorCode.UNKNOWN_BOT) from None
    return _checked(found, spec)


def _from_file(path: Path, name: str, spec: str) -> type[Bot]:
    module = _import_file(path.absolute(), spec)
    if name:
        return _checked(getattr(module, name, None), spec)
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Bot)
        and value.__module__ == module.__name__
    ]
    if len(own) == 1:
        return own[0]
    names = ", ".join(bot.__name__ for bot in own) or "none"
    raise BotError(
        f"{path} must hold one bot, or name it: {path}:Class (found: {names})",
        ErrorCode.UNKNOWN_BOT,
    )


@lru_cache(maxsize=64)
def _import_file(path: Path, spec: str) -> ModuleType:
    # two files may have one name, and a file may be called like a module
    unique = hashlib.sha256(str(path).encode()).hexdigest()[:12]
    module_name = f"{path.stem}_{unique}"
    module_spec = importlib.util.spec_from_file_location(module_name, path)
    if module_spec is None or module_spec.loader is None:
        raise BotError(f"cannot load the bot {spec!r}", ErrorCode.UNKNOWN_BOT)
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[module_name] = module
    try:
        module_spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a file does is one sentence
        del sys.modules[module_name]
        raise BotError(
            f"cannot load the bot {spec!r}: {type(error).__name__}: {error}", ErrorCode.UNKNOWN_BOT
        ) from None
    return module


def _checked(found: object, spec: str) -> type[Bot]:
    if not (isinstance(found, type) and issubclass(found, Bot)):
        raise BotError(
            f"{spec!r} is no bot: it must be a class derived from hollywood.bots.Bot",
            ErrorCode.UNKNOWN_BOT,
        )
    return found
