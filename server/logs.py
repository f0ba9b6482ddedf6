"""What the server writes down as it runs: one event a line.

`key=value` for people, JSON lines for programs. Much of what is logged came from
somebody else's machine, so no value is written as it is: whatever could end a line,
move a cursor or turn text around is escaped, long values are cut, and values whose
key says that they are secret are never written.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TextIO

import msgspec

MAX_VALUE = 200
"""Characters of a value that are written."""
MAX_TRACEBACK = 8000
"""Characters of a traceback that are written: its end, which says what happened."""
MAX_ITEMS = 16
"""Items of a list that are written."""

RESERVED = frozenset({"at", "level", "logger", "event", "text", "traceback"})
"""Keys that no field may have, since lines have them anyway."""
SECRET = frozenset({"token", "password", "seed", "entropy"})
"""Keys whose values are not written."""
HIDDEN = "***"

_OWN = "hollywood"
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}

Plain = str | int | float | bool | None
Value = Plain | Iterable[Plain]
"""What a field may be."""


def event(
    logger: logging.Logger, name: str, /, *, severity: int = logging.INFO, **fields: Value
) -> None:
    """Log that something happened.

    Args:
        logger: Who says it.
        name: What happened, in the past tense: `table_started`.
        severity: As in the module logging.
        fields: What is known of it; none of the keys in RESERVED.
    """
    assert not RESERVED & fields.keys(), "a field has a name that every line has"
    if logger.isEnabledFor(severity):
        logger.log(severity, name, extra={"fields": fields}, stacklevel=2)


def clean(text: str, most: int = MAX_VALUE) -> str:
    r"""Return the text in printable characters only, and not too long.

    >>> clean("eve\x1b[2J\nroot: all is well")
    'eve\\x1b[2J\\nroot: all is well'
    """
    kept = "".join(_escaped(letter) for letter in text[:most])
    return kept if len(text) <= most else f"{kept}...(+{len(text) - most})"


def _escaped(letter: str) -> str:
    if letter in _SHORT:
        return _SHORT[letter]
    if letter.isprintable():
        return letter
    number = ord(letter)
    if number > 0xFFFF:
        return f"\\U{number:08x}"
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"


def configure(
    *, as_json: bool = False, stream: TextIO | None = None, level: int = logging.INFO
) -> logging.Handler:
    """Send all logs and warnings of the process to one stream; return its handler.

    Args:
        as_json: JSON lines instead of `key=value`.
        stream: Where to; standard error if not given.
        level: The least severe of our events that are written. Of libraries only
            warnings are.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines() if as_json else KeyValues())
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger(_OWN).setLevel(level)
    logging.captureWarnings(True)
    return handler


class _Lines(logging.Formatter):
    """Makes a mapping of a record; how it is written is up to the two below."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line without its end."""
        return self.line(_line_of(record))

    def line(self, values: Mapping[str, object]) -> str:
        """Write values that are safe to write."""
        raise NotImplementedError


_HEAD = frozenset({"at", "level", "logger", "event"})


class KeyValues(_Lines):
    """`2026-01-31T12:00:00.000Z info server.lobby table_started table=den seats=4`."""

    def line(self, values: Mapping[str, object]) -> str:
        """Write the four things that every line has bare, the others with their key."""
        head = [str(values[key]) for key in ("at", "level", "logger", "event")]
        tail = [f"{k}={_quoted(v)}" for k, v in values.items() if k not in _HEAD]
        return " ".join([*head, *tail])


class JsonLines(_Lines):
    """`{"at":"2026-01-31T12:00:00.000Z","level":"info","event":"table_started",...}`."""

    def line(self, values: Mapping[str, object]) -> str:
        """Write one JSON object."""
        return msgspec.json.encode(values).decode()


def _line_of(record: logging.LogRecord) -> dict[str, object]:
    at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    line: dict[str, object] = {
        "at": at.replace("+00:00", "Z"),
        "level": record.levelname.lower(),
        "logger": clean(record.name.removeprefix(f"{_OWN}.")),
    }
    fields = getattr(record, "fields", None)
    if isinstance(fields, dict):
        line["event"] = clean(str(record.msg))
        line |= {key: HIDDEN if key in SECRET else _safe(fields[key]) for key in fields}
    else:
        line["event"] = "log"
        line["text"] = clean(record.getMessage(), 2 * MAX_VALUE)
    if record.exc_info:
        told = logging.Formatter().formatException(record.exc_info)
        line["traceback"] = clean(told[-MAX_TRACEBACK:], MAX_TRACEBACK)
    return line


def _safe(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, Iterable):
        items = [_safe(item) for item in value]
        more = [f"...(+{len(items) - MAX_ITEMS})"] if len(items) > MAX_ITEMS else []
        return [*items[:MAX_ITEMS], *more]
    return clean(str(value))


def _quoted(value: object) -> str:
    """Write a value so that it ends where it seems to end."""
    if isinstance(value, list):
        return _quoted(",".join(map(str, value)))
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    text = str(value)
    if text and not set(text) & set(' ="'):
        return text
    return '"' + text.replace('"', '\\"') + '"'
