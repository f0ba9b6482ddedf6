"""The session: one machine for both sides, fed in any portions."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hollywood.protocol.errors import (
    ErrorCode,
    LocalProtocolError,
    RemoteProtocolError,
)
from hollywood.protocol.wire import Message, Session, Side, State
from hollywood.protocol.wire import messages as m
from hollywood.protocol.wire.frames import MAX_GREETING, MAX_TO_SERVER, encode_frame
from hollywood.protocol.wire.session import TRANSITIONS
from samples import CLIENT_SAYS, HELLO, MORE_GREETINGS, REJECT, SERVER_SAYS, WELCOME


def open_pair() -> tuple[Session, Session]:
    """A client and a server after the welcome."""
    client, server = Session(Side.CLIENT), Session(Side.SERVER)
    transfer(client, server, HELLO)
    transfer(server, client, m.Welcome(v=1))
    return client, server


def transfer(sender: Session, receiver: Session, message: Message) -> None:
    """Send, feed byte by byte, and check that exactly this comes out, at the last byte."""
    data = sender.send(message)
    for i, byte in enumerate(data):
        assert receiver.next_message() is None, f"a message after {i} of {len(data)} bytes"
        receiver.receive_data(bytes([byte]))
    assert receiver.next_message() == message
    assert receiver.next_message() is None
    assert sender.state is receiver.state


def test_the_whole_conversation_byte_by_byte() -> None:
    client, server = open_pair()
    for message in CLIENT_SAYS:
        transfer(client, server, message)
    for message in SERVER_SAYS:
        transfer(server, client, message)


def test_every_message_of_the_table_is_tried() -> None:
    """The list above cannot fall behind the protocol."""
    tried = {type(message) for message in ALL}
    assert {kind for _, _, kind in TRANSITIONS} == tried


def test_several_frames_in_one_read() -> None:
    client, server = open_pair()
    server.receive_data(b"".join(client.send(message) for message in CLIENT_SAYS))
    seen = []
    while (message := server.next_message()) is not None:
        seen.append(message)
    assert tuple(seen) == CLIENT_SAYS


def test_a_reject_ends_the_conversation() -> None:
    client, server = Session(Side.CLIENT), Session(Side.SERVER)
    transfer(client, server, HELLO)
    transfer(server, client, m.Reject(code=ErrorCode.BAD_NAME, text="no", v=(1, 1)))
    assert client.state is State.CLOSED
    with pytest.raises(LocalProtocolError):
        client.send(CLIENT_SAYS[0])


def test_a_second_hello_is_a_violation() -> None:
    client, server = open_pair()
    data = Session(Side.CLIENT).send(HELLO)
    server.receive_data(data)
    with pytest.raises(RemoteProtocolError) as refused:
        server.next_message()
    assert refused.value.code is ErrorCode.UNEXPECTED_MESSAGE
    client.receive_data(server.reply_to_violation(refused.value))
    reply = client.next_message()
    assert isinstance(reply, m.Error)
    assert (reply.code, reply.fatal) == (ErrorCode.UNEXPECTED_MESSAGE, True)
    assert client.state is server.state is State.CLOSED


def test_after_a_violation_nothing_more_is_read() -> None:
    client, server = open_pair()
    server.receive_data(encode_frame(b"rubbish") + client.send(m.Ready(cid=1)))
    with pytest.raises(RemoteProtocolError):
        server.next_message()
    assert server.next_message() is None


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"\xc1", ErrorCode.BAD_FRAME),
        (b"\x81", ErrorCode.BAD_FRAME),
        (msgspec.msgpack.encode({"t": "ready", "cid": 1}) + b"\x00", ErrorCode.BAD_FRAME),
        (msgspec.msgpack.encode([1, 2]), ErrorCode.BAD_MESSAGE),
        (msgspec.msgpack.encode({"t": "cheat", "cid": 1}), ErrorCode.BAD_MESSAGE),
        (msgspec.msgpack.encode({"cid": 1}), ErrorCode.BAD_MESSAGE),
        (msgspec.msgpack.encode({"t": "ready", "cid": "1"}), ErrorCode.BAD_MESSAGE),
        (msgspec.msgpack.encode({"t": "ready", "cid": -1}), ErrorCode.BAD_MESSAGE),
        (msgspec.msgpack.encode({"t": "ready", "cid": 2**60}), ErrorCode.BAD_MESSAGE),
        (msgspec.msgpack.encode({"t": "ready", "cid": float("nan")}), ErrorCode.BAD_MESSAGE),
        (b"\x82\xa1t\xa5ready\xa3cid\xa2\xff\xfe", ErrorCode.BAD_MESSAGE),
        (b"\x82\xa1t\xa5ready\xa3cid\xd4\x00\x00", ErrorCode.BAD_FRAME),
        (b"\x82\xa1t\xa5ready\xa3cid" + b"\x91" * 500, ErrorCode.BAD_FRAME),
    ],
)
def test_rubbish_is_a_typed_error(payload: bytes, code: ErrorCode) -> None:
    _, server = open_pair()
    server.receive_data(encode_frame(payload))
    with pytest.raises(RemoteProtocolError) as refused:
        server.next_message()
    assert refused.value.code is code
    assert server.state is State.CLOSED


def test_a_hello_without_the_magic_is_refused() -> None:
    server = Session(Side.SERVER)
    server.receive_data(Session(Side.CLIENT).send(msgspec.structs.replace(HELLO, magic="http")))
    with pytest.raises(RemoteProtocolError):
        server.next_message()


def test_the_frame_cap_grows_with_the_welcome() -> None:
    server = Session(Side.SERVER)
    server.receive_data((MAX_GREETING + 1).to_bytes(4, "big"))
    with pytest.raises(RemoteProtocolError) as refused:
        server.next_message()
    assert refused.value.code is ErrorCode.FRAME_TOO_LARGE
    _, server = open_pair()
    server.receive_data((MAX_GREETING + 1).to_bytes(4, "big"))
    assert server.next_message() is None
    _, server = open_pair()
    server.receive_data((MAX_TO_SERVER + 1).to_bytes(4, "big"))
    with pytest.raises(RemoteProtocolError):
        server.next_message()


def test_fields_of_a_newer_version_are_ignored() -> None:
    _, server = open_pair()
    server.receive_data(
        encode_frame(msgspec.msgpack.encode({"t": "ready", "cid": 1, "mood": ["good"]}))
    )
    assert server.next_message() == m.Ready(cid=1)


def test_hello_bytes_are_frozen() -> None:
    """What the oldest client sends is understood for ever (design: the wire)."""
    frozen = bytes.fromhex(
        "0000003686a174a568656c6c6fa56d61676963a3687270a176920101a4726f6c65a3626f74a46e616d65"
        "a3626561a46361707391a568696e7473"
    )
    assert Session(Side.CLIENT).send(HELLO) == frozen


ALL = (HELLO, WELCOME, REJECT, *MORE_GREETINGS, *CLIENT_SAYS, *SERVER_SAYS)


@given(
    st.sampled_from(list(Side)),
    st.sampled_from(list(State)),
    st.sampled_from(ALL),
)
def test_any_message_in_any_state_moves_or_raises(
    side: Side, state: State, message: Message
) -> None:
    session = Session(side)
    session.state = state
    after = TRANSITIONS.get((state, side, type(message)))
    if after is not None and isinstance(message, m.Error) and message.fatal:
        after = State.CLOSED
    if after is None:
        with pytest.raises(LocalProtocolError):
            session.send(message)
        assert session.state is state
    else:
        session.send(message)
        assert session.state is after


@given(st.sampled_from(list(State)), st.lists(st.binary(max_size=60), max_size=4))
def test_any_bytes_in_any_state_move_or_raise(state: State, portions: list[bytes]) -> None:
    for side in Side:
        session = Session(side)
        session.state = state
        try:
            for portion in portions:
                session.receive_data(portion)
                while session.next_message() is not None:
                    pass
        except RemoteProtocolError:
            assert session.state is State.CLOSED
