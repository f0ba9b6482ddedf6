"""Frames: a big-endian u32 length, then one msgpack map.

Lengths are checked on the four header bytes, before anything is kept; what is
inside is scanned before it is decoded, so that a peer can make neither memory
nor the decoder's stack grow.
"""

from __future__ import annotations

import struct

from ..errors import ErrorCode, FrameTooLargeError, RemoteProtocolError

HEADER = 4
MAX_GREETING = 4 * 1024
"""Bytes of a frame before the welcome."""
MAX_TO_SERVER = 16 * 1024
MAX_TO_CLIENT = 1024 * 1024
MAX_DEPTH = 16
"""Containers inside each other."""

_CONTAINERS = bytes([*range(0x80, 0xA0), *range(0xDC, 0xE0)])
_EXTENSIONS = bytes([*range(0xC7, 0xCA), *range(0xD4, 0xD9)])
_NOT_CONTAINERS = bytes(sorted(set(range(256)) - set(_CONTAINERS)))
_NOT_EXTENSIONS = bytes(sorted(set(range(256)) - set(_EXTENSIONS)))

_FIXED = {0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8}
_FIXED |= {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
_SIZED = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
_COUNTED = {0xDC: (2, 1), 0xDD: (4, 1), 0xDE: (2, 2), 0xDF: (4, 2)}


def encode_frame(payload: bytes) -> bytes:
    """Return the payload behind its length."""
    return struct.pack(">I", len(payload)) + payload


class FrameBuffer:
    """Bytes as they arrive, cut into payloads."""

    def __init__(self) -> None:
        self._data = bytearray()

    def __len__(self) -> int:
        return len(self._data)

    def feed(self, data: bytes) -> None:
        """Add bytes from the peer."""
        self._data += data

    def next_payload(self, limit: int) -> bytes | None:
        """Return the next whole payload, None until it has arrived.

        Raises:
            FrameTooLargeError: its header announces more than `limit` bytes.
            RemoteProtocolError: it announces an empty frame.
        """
        if len(self._data) < HEADER:
            return None
        size = int.from_bytes(self._data[:HEADER], "big")
        if size > limit:
            raise FrameTooLargeError(f"a frame of {size} bytes; at most {limit} are allowed here")
        if size == 0:
            raise RemoteProtocolError("an empty frame", ErrorCode.BAD_FRAME)
        end = HEADER + size
        if len(self._data) < end:
            return None
        payload = bytes(self._data[HEADER:end])
        del self._data[:end]
        return payload


def check_payload(payload: bytes) -> None:
    """Refuse what must not reach the decoder: deep nesting, extension types, cut ends.

    Most frames have too few bytes that could be a container or an extension for
    either rule to bind, and are not walked at all.

    Raises:
        RemoteProtocolError: code `bad_frame`.
    """
    containers = len(payload.translate(None, _NOT_CONTAINERS))
    extensions = len(payload.translate(None, _NOT_EXTENSIONS))
    if containers > MAX_DEPTH or extensions:
        _walk(payload)


def _walk(payload: bytes) -> None:
    """Step over every value, with a count of those still due on each level."""
    at, levels = 0, [1]
    size = len(payload)
    while levels:
        if levels[-1] == 0:
            levels.pop()
            continue
        if at >= size:
            raise RemoteProtocolError("a frame ends inside a value", ErrorCode.BAD_FRAME)
        levels[-1] -= 1
        at, children = _step(payload, at)
        if children is not None:
            levels.append(children)
            if len(levels) > MAX_DEPTH + 1:
                raise RemoteProtocolError(
                    f"values nested deeper than {MAX_DEPTH}", ErrorCode.BAD_FRAME
                )


def _step(payload: bytes, at: int) -> tuple[int, int | None]:
    """Return where the next value begins, and how many values a container holds."""
    byte = payload[at]
    at += 1
    if byte <= 0x7F or byte >= 0xE0:
        return at, None
    if byte <= 0x8F:
        return at, 2 * (byte & 0x0F)
    if byte <= 0x9F:
        return at, byte & 0x0F
    if byte <= 0xBF:
        return at + (byte & 0x1F), None
    if byte in _FIXED:
        return at + _FIXED[byte], None
    if byte in _SIZED:
        width = _SIZED[byte]
        return at + width + int.from_bytes(payload[at : at + width], "big"), None
    if byte in _COUNTED:
        width, per = _COUNTED[byte]
        return at + width, per * int.from_bytes(payload[at : at + width], "big")
    raise RemoteProtocolError(f"byte 0x{byte:02x} starts no allowed value", ErrorCode.BAD_FRAME)
