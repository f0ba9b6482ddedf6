"""Frames: caps on the header, a scan before decoding."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hollywood.protocol.errors import ErrorCode, FrameTooLargeError, RemoteProtocolError
from hollywood.protocol.wire.frames import (
    MAX_DEPTH,
    FrameBuffer,
    check_payload,
    encode_frame,
)


def test_payloads_come_out_as_they_went_in() -> None:
    buffer = FrameBuffer()
    buffer.feed(encode_frame(b"one") + encode_frame(b"two")[:5])
    assert buffer.next_payload(10) == b"one"
    assert buffer.next_payload(10) is None
    buffer.feed(encode_frame(b"two")[5:])
    assert buffer.next_payload(10) == b"two"
    assert len(buffer) == 0


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=6), st.data())
def test_any_split_of_the_bytes_gives_the_same_payloads(
    payloads: list[bytes], data: st.DataObject
) -> None:
    stream = b"".join(encode_frame(payload) for payload in payloads)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    buffer, seen = FrameBuffer(), []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        buffer.feed(stream[start:end])
        while (payload := buffer.next_payload(40)) is not None:
            seen.append(payload)
    assert seen == payloads


@pytest.mark.parametrize("size", [11, 2**31, 2**32 - 1])
def test_a_length_above_the_cap_is_refused_on_the_header_alone(size: int) -> None:
    buffer = FrameBuffer()
    buffer.feed(size.to_bytes(4, "big"))
    with pytest.raises(FrameTooLargeError):
        buffer.next_payload(10)


def test_an_empty_frame_is_refused() -> None:
    buffer = FrameBuffer()
    buffer.feed(bytes(4))
    with pytest.raises(RemoteProtocolError):
        buffer.next_payload(10)


def nested(depth: int) -> bytes:
    return b"\x91" * depth + b"\xc0"


def test_depth_is_limited() -> None:
    check_payload(nested(MAX_DEPTH))
    for depth in (MAX_DEPTH + 1, 60_000):
        with pytest.raises(RemoteProtocolError) as refused:
            check_payload(nested(depth))
        assert refused.value.code is ErrorCode.BAD_FRAME


@pytest.mark.parametrize("head", [0xC7, 0xC8, 0xC9, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xC1])
def test_extension_types_are_refused(head: int) -> None:
    payload = b"\x81\xa1x" + bytes([head]) + bytes(20)
    if head == 0xC1:  # never used in msgpack; the decoder refuses it
        with pytest.raises(msgspec.DecodeError):
            msgspec.msgpack.decode(payload)
        return
    with pytest.raises(RemoteProtocolError) as refused:
        check_payload(payload)
    assert refused.value.code is ErrorCode.BAD_FRAME


json_like = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(), inner, max_size=20),
    max_leaves=60,
)


@given(json_like)
def test_whatever_the_encoder_writes_is_walked_to_its_end(value: object) -> None:
    payload = msgspec.msgpack.encode(value)
    try:
        check_payload(payload)
    except RemoteProtocolError as error:
        assert "nested deeper" in error.message


@given(st.binary(max_size=200))
def test_rubbish_raises_nothing_but_the_typed_error(payload: bytes) -> None:
    try:
        check_payload(payload)
    except RemoteProtocolError as error:
        assert error.code is ErrorCode.BAD_FRAME
