"""What goes over the pipes between us and a bot that is a process of its own.

One JSON object a line, tagged by `t`; docs/bots/PROCESS.md tells it with examples.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from hollywood.protocol.rules import Action, Hints, Options, PlayerView, RuleSet

VERSION = 1


class _Line(msgspec.Struct, frozen=True, tag_field="t", omit_defaults=True):
    pass


class Start(_Line, frozen=True, kw_only=True, omit_defaults=False, tag="start"):
    """To the bot, first of all: the game it plays."""

    v: int = VERSION
    seat: int
    seats: int
    rules: RuleSet
    seed: str
    """64 hex digits for the bot's chance; they say nothing about the cards."""


class Ready(_Line, frozen=True, tag="ready"):
    """From the bot, once: it has loaded."""

    v: int = VERSION
    hints: bool = False
    """Whether it wants hints with every decision."""
    events: bool = False
    """Whether it wants to be told of events."""


class Event(_Line, frozen=True, tag="event"):
    """To the bot, if it asked for events: what happened, as its seat sees it."""

    event: Any


class Decide(_Line, frozen=True, tag="decide"):
    """To the bot: what do you do?"""

    n: int
    """The seat's decisions in the game before this one."""
    view: dict[str, Any]
    """A PlayerView without its rules."""
    legal: Options
    hints: Hints | None = None


class Answer(_Line, frozen=True, tag="answer"):
    """From the bot: this."""

    n: int
    """The number of the decision that is answered."""
    action: Action


class Failed(_Line, frozen=True, tag="error"):
    """From the bot: it could not."""

    n: int
    text: str


class End(_Line, frozen=True, tag="end"):
    """To the bot, last of all: the game is over for it."""


ToBot = Start | Event | Decide | End
FromBot = Ready | Answer | Failed


class _Coder:
    encode: ClassVar = msgspec.json.Encoder().encode
    to_bot: ClassVar = msgspec.json.Decoder(ToBot)
    from_bot: ClassVar = msgspec.json.Decoder(FromBot)


def encode_line(message: ToBot | FromBot) -> bytes:
    """Return the message as one line."""
    line: bytes = _Coder.encode(message)
    return line + b"\n"


def decode_from_bot(line: bytes) -> FromBot:
    """Read what a bot has said.

    Raises:
        msgspec.DecodeError: that is no message (ValidationError: one with wrong fields).
    """
    message: FromBot = _Coder.from_bot.decode(line)
    return message


def decode_to_bot(line: bytes) -> ToBot:
    """Read what a bot is told.

    Raises:
        msgspec.DecodeError: that is no message.
    """
    message: ToBot = _Coder.to_bot.decode(line)
    return message


def bare_view(view: PlayerView) -> dict[str, Any]:
    """Return the view as plain data, without the rules, which never change."""
    return {name: getattr(view, name) for name in PlayerView.__struct_fields__ if name != "rules"}


def full_view(data: dict[str, Any], rules: RuleSet) -> PlayerView:
    """Return the view that `bare_view` made plain."""
    view = msgspec.convert({**data, "rules": msgspec.to_builtins(rules)}, PlayerView)
    return msgspec.structs.replace(view, rules=rules)
