"""Frames that break the protocol, and frames of a version to come."""

from __future__ import annotations

import struct
from typing import Any

import msgspec

from hollywood.protocol.errors import ErrorCode

_encode = msgspec.msgpack.encode


def _frame(payload: bytes) -> bytes:
    return struct.pack(">I", len(payload)) + payload


def _map(**fields: object) -> bytes:
    return _frame(_encode(fields))


def _ready(cid: bytes) -> bytes:
    """A `ready` whose cid is these bytes."""
    return _frame(b"\x82\xa1t\xa5ready\xa3cid" + cid)


def _extra(value: bytes) -> bytes:
    """A `ready` with a field that nobody knows, of these bytes."""
    return _frame(b"\x83\xa1t\xa5ready\xa3cid\1\xa1x" + value)


def _answer(action: object) -> bytes:
    return _map(t="answer", cid=1, did=1, action=action)


_HELLO: dict[str, Any] = {"t": "hello", "magic": "hrp", "v": [1, 1], "role": "bot", "name": "bea"}
_FRAME, _MESSAGE = ErrorCode.BAD_FRAME, ErrorCode.BAD_MESSAGE
_TOO_LARGE, _UNEXPECTED = ErrorCode.FRAME_TOO_LARGE, ErrorCode.UNEXPECTED_MESSAGE
_KINGS = {"kind": "set", "cards": ["KS", "KH", "KD"], "rank": "K"}

INVALID: tuple[tuple[str, str, str, bytes, ErrorCode], ...] = (
    # the length
    ("a header above 4 KiB before the welcome", "client", "hello", b"\0\0\x10\x01", _TOO_LARGE),
    ("a header above 16 KiB to a server", "client", "open", b"\0\0\x40\x01", _TOO_LARGE),
    ("a header above 4 KiB for a welcome", "server", "answer", b"\0\0\x10\x01", _TOO_LARGE),
    ("a header above 1 MiB to a client", "server", "open", b"\0\x10\0\x01", _TOO_LARGE),
    ("the largest header", "client", "open", b"\xff\xff\xff\xff", _TOO_LARGE),
    ("a header with the top bit", "client", "hello", b"\x80\0\0\0", _TOO_LARGE),
    ("text of another protocol", "client", "hello", b"GET / HTTP/1.1\r\n\r\n", _TOO_LARGE),
    ("an empty frame", "client", "open", bytes(4), _FRAME),
    ("an empty frame to a client", "server", "open", bytes(4), _FRAME),
    # msgpack
    ("a byte that msgpack never uses", "client", "open", _frame(b"\xc1"), _FRAME),
    ("a map that is cut", "client", "open", _frame(b"\x81"), _FRAME),
    ("a string that is cut", "client", "open", _frame(b"\x81\xa1t\xa5rea"), _FRAME),
    (
        "a byte after the map",
        "client",
        "open",
        _frame(_encode({"t": "ready", "cid": 1}) + b"\0"),
        _FRAME,
    ),
    ("two maps in one frame", "client", "open", _ready(b"\1\x82\xa1t\xa5ready\xa3cid\2"), _FRAME),
    ("depth 17", "client", "open", _ready(b"\x91" * 16 + b"\xc0"), _FRAME),
    ("depth 5000", "client", "open", _ready(b"\x91" * 5000 + b"\xc0"), _FRAME),
    ("depth 5000 of maps", "client", "open", _ready(b"\x81\xa1a" * 5000 + b"\xc0"), _FRAME),
    ("depth 17 to a client", "server", "open", _ready(b"\x91" * 17 + b"\xc0"), _FRAME),
    ("a list of 2^32 - 1 values", "client", "open", _extra(b"\xdd\xff\xff\xff\xff"), _FRAME),
    ("a map of 2^32 - 1 values", "client", "open", _extra(b"\xdf\xff\xff\xff\xff"), _FRAME),
    ("a string of 2^32 - 1 bytes", "client", "open", _extra(b"\xdb\xff\xff\xff\xff"), _FRAME),
    ("fixext 1", "client", "open", _ready(b"\xd4\0\0"), _FRAME),
    ("fixext 16", "client", "open", _ready(b"\xd8\0" + bytes(16)), _FRAME),
    ("ext 8", "client", "open", _ready(b"\xc7\1\0\0"), _FRAME),
    ("ext 32", "client", "open", _ready(b"\xc9\0\0\0\1\0\0"), _FRAME),
    ("a time", "client", "open", _ready(b"\xd6\xff\0\0\0\0"), _FRAME),
    ("a time to a client", "server", "open", _ready(b"\xd6\xff\0\0\0\0"), _FRAME),
    (
        "a message to come that is cut",
        "server",
        "open",
        _frame(b"\x82\xa1t\xa8applause\xa1x\x92\x01"),
        _FRAME,
    ),
    (
        "a message to come with a byte after it",
        "server",
        "open",
        _frame(b"\x81\xa1t\xa8applause\x00"),
        _FRAME,
    ),
    (
        "a message to come with text that is not UTF-8",
        "server",
        "open",
        _frame(b"\x82\xa1t\xa8applause\xa1x\xa2\xff\xfe"),
        _FRAME,
    ),
    # not a message
    ("a list", "client", "open", _frame(_encode([1, 2])), _MESSAGE),
    ("a number", "client", "open", _frame(b"\x07"), _MESSAGE),
    ("nothing", "client", "open", _frame(b"\xc0"), _MESSAGE),
    ("a map without a type", "client", "open", _map(cid=1), _MESSAGE),
    ("a map without a type to a client", "server", "open", _map(cid=1), _MESSAGE),
    ("a type that is no text", "client", "open", _map(t=1, cid=1), _MESSAGE),
    ("a type that is no text to a client", "server", "open", _map(t=1, cid=1), _MESSAGE),
    ("a message that a server does not know", "client", "open", _map(t="cheat", cid=1), _MESSAGE),
    ("a message of the server's from a client", "client", "open", _map(t="done", cid=1), _MESSAGE),
    ("a text that is not UTF-8", "client", "open", _ready(b"\xa2\xff\xfe"), _MESSAGE),
    (
        "a name that is not UTF-8",
        "client",
        "open",
        _frame(b"\x83\xa1t\xa4join\xa3cid\1\xa5table\xa2\xff\xfe"),
        _FRAME,
    ),
    ("NaN for a number", "client", "open", _ready(b"\xcb\x7f\xf8" + bytes(6)), _MESSAGE),
    ("infinity for a number", "client", "open", _ready(b"\xcb\x7f\xf0" + bytes(6)), _MESSAGE),
    ("a fraction for a number", "client", "open", _map(t="ready", cid=1.5), _MESSAGE),
    ("a text for a number", "client", "open", _map(t="ready", cid="1"), _MESSAGE),
    ("true for a number", "client", "open", _map(t="ready", cid=True), _MESSAGE),
    ("bytes for a text", "client", "open", _map(t="join", cid=1, table=b"den"), _MESSAGE),
    ("null for a number", "client", "open", _map(t="ready", cid=None), _MESSAGE),
    ("a cid below 0", "client", "open", _map(t="ready", cid=-1), _MESSAGE),
    ("a cid above 2^53", "client", "open", _map(t="ready", cid=2**53 + 1), _MESSAGE),
    ("a cid of 64 bits", "client", "open", _ready(b"\xcf" + b"\xff" * 8), _MESSAGE),
    ("a field is missing", "client", "open", _map(t="join", cid=1), _MESSAGE),
    ("a field is missing to a client", "server", "open", _map(t="events", seq=1), _MESSAGE),
    ("a name of 65 letters", "client", "open", _map(t="join", cid=1, table="x" * 65), _MESSAGE),
    ("an empty chat", "client", "open", _map(t="chat", cid=1, text=""), _MESSAGE),
    ("a chat of 201 letters", "client", "open", _map(t="chat", cid=1, text="x" * 201), _MESSAGE),
    ("entropy that is not hex", "client", "open", _map(t="entropy", cid=1, hex="XY"), _MESSAGE),
    ("33 bytes of entropy", "client", "open", _map(t="entropy", cid=1, hex="0" * 66), _MESSAGE),
    (
        "an order for 65 cards",
        "client",
        "open",
        _map(t="order", cid=1, claim=["3C"] * 65),
        _MESSAGE,
    ),
    (
        "13 seats",
        "client",
        "open",
        _map(t="create", cid=1, table="a", rules="dummy", seats=13),
        _MESSAGE,
    ),
    ("an action that does not exist", "client", "open", _answer({"t": "steal"}), _MESSAGE),
    ("an action without a type", "client", "open", _answer({"discard": "3C"}), _MESSAGE),
    ("an action that is a text", "client", "open", _answer("pass"), _MESSAGE),
    (
        "a discard that is a number",
        "client",
        "open",
        _answer({"t": "play", "discard": 3}),
        _MESSAGE,
    ),
    (
        "a meld that is neither set nor run",
        "client",
        "open",
        _answer({"t": "play", "melds": [{**_KINGS, "kind": "flush"}]}),
        _MESSAGE,
    ),
    (
        "a lay-off for a meld by name",
        "client",
        "open",
        _answer({"t": "play", "lay_offs": [{"meld": "kings", "card": "KC"}]}),
        _MESSAGE,
    ),
    (
        "a known event that is wrong",
        "server",
        "open",
        _map(t="events", seq=1, events=[{"t": "took", "seat": "one", "card": "3C"}]),
        _MESSAGE,
    ),
    (
        "rules that contradict themselves",
        "server",
        "open",
        _map(
            t="watching",
            cid=1,
            table="den",
            rules={"name": "x", "title": "x", "rounds": [], "score": {"ranks": {}, "joker": 1}},
            rules_hash="",
            seats=[],
        ),
        _MESSAGE,
    ),
    # not now
    ("another magic", "client", "hello", _map(**{**_HELLO, "magic": "http"}), _MESSAGE),
    ("one version instead of two", "client", "hello", _map(**{**_HELLO, "v": [1]}), _MESSAGE),
    ("a role that does not exist", "client", "hello", _map(**{**_HELLO, "role": "god"}), _MESSAGE),
    ("33 capabilities", "client", "hello", _map(**{**_HELLO, "caps": ["x"] * 33}), _MESSAGE),
    ("a second hello", "client", "open", _map(**_HELLO), _UNEXPECTED),
    ("a hello before the answer to the first", "client", "answer", _map(**_HELLO), _UNEXPECTED),
    ("a join before the hello", "client", "hello", _map(t="join", cid=1, table="den"), _UNEXPECTED),
    ("a ping before the hello", "client", "hello", _map(t="ping", n=1), _UNEXPECTED),
    ("a second welcome", "server", "open", _map(t="welcome", v=1), _UNEXPECTED),
    ("an event before the welcome", "server", "answer", _map(t="done", cid=1), _UNEXPECTED),
    ("an unknown message for a welcome", "server", "answer", _map(t="servus"), _MESSAGE),
)
"""A name, who sends it, what is due, the bytes, and the code of the error."""

_DREW = {"t": "drew", "seat": 0, "card": None}

NEWER: tuple[tuple[str, str, str, dict[str, Any], dict[str, Any] | None], ...] = (
    (
        "a hello with a new field",
        "client",
        "hello",
        {**_HELLO, "locale": "en"},
        _HELLO,
    ),
    (
        "a command with a new field",
        "client",
        "open",
        {"t": "ready", "cid": 1, "mood": ["good", {"very": True}]},
        {"t": "ready", "cid": 1},
    ),
    (
        "an action with a new field",
        "client",
        "open",
        {"t": "answer", "cid": 1, "did": 2, "action": {"t": "claim", "loudly": 1.5}},
        {"t": "answer", "cid": 1, "did": 2, "action": {"t": "claim"}},
    ),
    (
        "a welcome with a new field",
        "server",
        "answer",
        {"t": "welcome", "v": 1, "minor": 1, "motd": "hello"},
        {"t": "welcome", "v": 1, "minor": 1},
    ),
    ("a message to come", "server", "open", {"t": "applause", "seat": 1}, None),
    (
        "an event with a new field",
        "server",
        "open",
        {"t": "events", "seq": 7, "events": [{**_DREW, "from": "stock"}], "at": 12},
        {"t": "events", "seq": 7, "events": [_DREW]},
    ),
    (
        "an event to come between known ones",
        "server",
        "open",
        {"t": "events", "seq": 7, "events": [_DREW, {"t": "applauded", "seat": 1}, _DREW]},
        {"t": "events", "seq": 7, "events": [_DREW, {"t": "unknown"}, _DREW]},
    ),
    (
        "a code to come",
        "server",
        "open",
        {"t": "error", "code": "too_sleepy", "class": "limit", "text": "later", "ref": 3},
        {"t": "error", "code": "too_sleepy", "class": "limit", "text": "later", "ref": 3},
    ),
    (
        "a decision with a new field in its options",
        "server",
        "open",
        {
            "t": "decide",
            "did": 1,
            "n": 0,
            "seq": 4,
            "legal": {"t": "window", "is_free": True, "penalty": 0, "price": 2},
            "remaining_ms": None,
        },
        {
            "t": "decide",
            "did": 1,
            "n": 0,
            "seq": 4,
            "legal": {"t": "window", "is_free": True, "penalty": 0, "default": {"t": "pass"}},
            "remaining_ms": None,
        },
    ),
)
"""A name, who sends it, what is due, the message, and what version 1.0 reads in it."""
