"""Runs a bot of this SDK as a child process: JSON lines on stdin and stdout.

python -m hollywood.bots.pipe ./my_bot.py
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import BinaryIO

import msgspec

from hollywood.protocol.errors import HollywoodError
from hollywood.protocol.rules import Event

from . import exchange as x
from .api import Bot, BotFaultError, decide, observes
from .loading import load_bot


def serve_bot(bot_class: type[Bot], lines: BinaryIO, out: BinaryIO) -> None:
    """Answer until told that the game is over, or nobody asks any more."""
    bot: Bot | None = None
    start: x.Start | None = None
    for line in lines:
        message = x.decode_to_bot(line)
        match message:
            case x.Start():
                start, bot = message, bot_class(bytes.fromhex(message.seed))
                _say(out, x.Ready(events=observes(bot_class)))
            case x.Event(event=event) if bot is not None:
                bot.observe(msgspec.convert(event, Event))
            case x.Decide(n=n) if bot is not None and start is not None:
                try:
                    action = decide(bot, x.full_view(message.view, start.rules), n)
                except BotFaultError as error:
                    _say(out, x.Failed(n=n, text=str(error)))
                else:
                    _say(out, x.Answer(n=n, action=action))
            case x.End():
                break
    if bot is not None:
        bot.close()


def _say(out: BinaryIO, message: x.FromBot) -> None:
    out.write(x.encode_line(message))
    out.flush()


def main(spec: str) -> int:
    """Serve the bot of that spec on this process' stdin and stdout."""
    out = os.fdopen(os.dup(1), "wb")
    # what a bot prints must not come between its answers
    os.dup2(2, 1)
    try:
        bot = load_bot(spec)
    except HollywoodError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    with contextlib.suppress(BrokenPipeError):
        serve_bot(bot, io.BufferedReader(io.FileIO(0, closefd=False)), out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
