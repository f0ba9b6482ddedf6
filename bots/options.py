"""What a bot lets its user choose: typed fields with a default and a sentence.

    class MyBot(Bot):
        depth: int = option(2, "how many turns it looks ahead")

`hollywood bots list` shows them; `my_bot:depth=3` sets one wherever a bot is named.
"""

from __future__ import annotations

from typing import TypeVar, cast

import msgspec

from hollywood.protocol.errors import BotError, ErrorCode

Value = bool | int | float | str
T = TypeVar("T", bool, int, float, str)

_TYPES = {bool: "yes or no", int: "a whole number", float: "a number", str: "a text"}
_BOOLS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


class Option(msgspec.Struct, frozen=True):
    """One thing to choose; the type of the default is the type of the option."""

    default: Value
    help: str
    least: float | None = None
    """The smallest number that makes sense, None where all do."""


def option(default: T, help: str, least: float | None = None) -> T:  # noqa: A002
    """Declare an option of a bot as a class attribute, which then holds its default."""
    return cast("T", Option(default, help, least))


def parse_option(bot: str, name: str, text: str, options: dict[str, Option]) -> Value:
    """Return the value that the text stands for.

    Raises:
        BotError: there is no such option, or the text is no value of it
            (`unknown_bot`).
    """
    found = options.get(name)
    if found is None:
        known = f"it has {', '.join(options)}" if options else "it has none"
        raise BotError(f"{bot} has no option {name!r}: {known}", ErrorCode.UNKNOWN_BOT)
    kind = type(found.default)
    try:
        value: Value = _BOOLS[text.lower()] if kind is bool else kind(text)
    except (KeyError, ValueError):
        raise BotError(
            f"{bot}:{name} takes {_TYPES[kind]}, not {text!r}", ErrorCode.UNKNOWN_BOT
        ) from None
    # "not >=" also refuses what is no number at all
    if found.least is not None and not float(value) >= found.least:
        raise BotError(
            f"{bot}:{name} is {found.least:g} or more, not {text}", ErrorCode.UNKNOWN_BOT
        )
    return value
