"""Writes the conversation of PROTOCOL.md from the recorded session that it shows.

python docs/conversation.py          rewrites the part between the markers
python docs/conversation.py --check  exits 1 if it would change anything
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "protocol" / "PROTOCOL.md"
SESSION = ROOT / "tests" / "golden" / "wire" / "v1" / "session_example.json"

BEGIN = "<!-- conversation: written by docs/conversation.py -->"
END = "<!-- end of conversation -->"

TOLD = {
    "hello": "The client speaks first and asks for hints.",
    "welcome": "The server accepts; from here on both may talk.",
    "join": "A seat at the table of that name, please.",
    "joined": "Seat 0, the secret token, and the whole rule set.",
    "dealt": "All seats are taken: the game starts. Hands of others are null.",
    "window": "A window: seat 0 is in turn and may have the upcard for nothing.",
    "claim": "Yes, as the hint says.",
    "verdict": "Every answer gets one verdict, before anything that it causes.",
    "took": "The window is closed; seat 0 took the card. That was its draw.",
    "play": "So a play follows: one whole turn.",
    "discarded": "The turn is over, the discard is the next upcard, and seat 1 is asked.",
    "drew": "Seat 1 passed and drew a card that seat 0 may not see.",
    "pass": "No, thank you; then the draw is from the stock.",
    "digest": "With every sixteenth event comes a digest of what seat 0 knows.",
    "went_down": "Down, with three sevens. The melds get numbers for the whole deal.",
    "laid_off": "The last cards: a lay-off, the discard, out. The seed is shown.",
    "leave": "The seat is given up.",
    "done": "What has no answer of its own is done.",
}
"""What is said before the first frame that has that type, event, field or value in it."""


def main() -> int:
    """Rewrite or check the document."""
    before = DOCUMENT.read_text("utf-8")
    part = "\n".join((BEGIN, "```", *conversation(), "```", END))
    pattern = re.escape(BEGIN) + ".*?" + re.escape(END)
    after = re.sub(pattern, lambda _: part, before, flags=re.S)
    if "--check" in sys.argv[1:]:
        return int(before != after)
    DOCUMENT.write_text(after, "utf-8")
    return 0


def conversation() -> Iterator[str]:
    """Each frame in hex and in readable form, what is new in it told before."""
    untold = dict(TOLD)
    for number, frame in enumerate(msgspec.json.decode(SESSION.read_bytes())["frames"]):
        message = msgspec.msgpack.decode(bytes.fromhex(frame[9:]))
        news = [untold.pop(word) for word in _words(message) if word in untold]
        if number:
            yield ""
        yield from (f"# {text}" for text in news)
        yield f"{frame[0]} {frame[1:]}"
        yield f"  {msgspec.json.encode(message).decode()}"


def _words(message: object) -> Iterator[str]:
    """The type of a message and those of its parts, and its fields."""
    if isinstance(message, dict):
        if "t" in message:
            yield str(message["t"])
        for key, value in message.items():
            yield str(key)
            if key in ("events", "legal", "action"):
                yield from _words(value)
    elif isinstance(message, list):
        for value in message:
            yield from _words(value)


if __name__ == "__main__":
    sys.exit(main())
