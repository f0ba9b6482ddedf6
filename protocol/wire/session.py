"""One connection's conversation, without any I/O (after h11).

Bytes go in by `receive_data`, messages come out of `next_message`; messages go in
by `send`, bytes come out. One machine serves both roles: what a client may send is
what a server may receive, and all transitions stand in one table.
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import get_args

import msgspec

from ..errors import ErrorCode, HollywoodError, LocalProtocolError, RemoteProtocolError
from ..rules.events import Event
from . import messages as m
from .frames import (
    MAX_GREETING,
    MAX_TO_CLIENT,
    MAX_TO_SERVER,
    FrameBuffer,
    check_payload,
    encode_frame,
)


class Side(StrEnum):
    """The two ends of a connection."""

    CLIENT = "client"
    SERVER = "server"

    @property
    def other(self) -> Side:
        """The end this one talks to."""
        return Side.SERVER if self is Side.CLIENT else Side.CLIENT


class State(Enum):
    """How far the conversation is. It is the same at both ends."""

    HELLO = "the client must say hello"
    ANSWER = "the server must answer the hello"
    OPEN = "both talk"
    CLOSED = "nobody talks any more"


_OPEN_CLIENT = (
    m.Join,
    m.Create,
    m.Rematch,
    m.Moderate,
    m.Start,
    m.Watch,
    m.Chat,
    m.Order,
    m.AddEntropy,
    m.Desync,
    m.AnswerDecision,
    m.Ready,
    m.Leave,
    m.ListTables,
    m.Ping,
    m.Pong,
)
_OPEN_SERVER = (
    m.Joined,
    m.Watching,
    m.Done,
    m.Said,
    m.Notice,
    m.Seated,
    m.Tables,
    m.TablesChanged,
    m.Events,
    m.Decide,
    m.Verdict,
    m.Closed,
    m.Error,
    m.Ping,
    m.Pong,
)

TRANSITIONS: dict[tuple[State, Side, type[msgspec.Struct]], State] = {
    (State.HELLO, Side.CLIENT, m.Hello): State.ANSWER,
    (State.HELLO, Side.SERVER, m.Error): State.CLOSED,
    (State.ANSWER, Side.SERVER, m.Welcome): State.OPEN,
    (State.ANSWER, Side.SERVER, m.Reject): State.CLOSED,
    (State.ANSWER, Side.SERVER, m.Error): State.CLOSED,
    **{(State.OPEN, Side.CLIENT, kind): State.OPEN for kind in _OPEN_CLIENT},
    **{(State.OPEN, Side.SERVER, kind): State.OPEN for kind in _OPEN_SERVER},
}
"""What each side may send in each state, and the state after it."""

_OPEN: dict[Side, frozenset[type]] = {
    Side.CLIENT: frozenset(_OPEN_CLIENT),
    Side.SERVER: frozenset(_OPEN_SERVER),
}
"""The same for the state in which nearly everything is said, quicker to look up."""

_encoder = msgspec.msgpack.Encoder()
_decoders: dict[Side, msgspec.msgpack.Decoder[m.Message]] = {
    Side.CLIENT: msgspec.msgpack.Decoder(m.ClientMessage),
    Side.SERVER: msgspec.msgpack.Decoder(m.ServerMessage),
}


def _tags(union: object) -> frozenset[str]:
    return frozenset(kind.__struct_config__.tag for kind in get_args(union))


_SERVER_TAGS = _tags(m.ServerMessage)
_EVENT_TAGS = _tags(Event)


class _Framed:
    """The message that was framed last: what goes to a whole table is encoded once."""

    message: m.Message | None = None
    frame = b""


last_framed = _Framed()


def _framed(message: m.Message) -> bytes:
    if last_framed.message is not message:
        last_framed.message, last_framed.frame = message, encode_frame(_encoder.encode(message))
    return last_framed.frame


def _is_newer(event: object) -> bool:
    """Whether that is an event of a version to come."""
    tag = event.get("t") if isinstance(event, dict) else None
    return isinstance(tag, str) and tag not in _EVENT_TAGS


class Session:
    """The protocol state of one connection, seen from one side."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.state = State.HELLO
        self._says, self._hears = _OPEN[side], _OPEN[side.other]
        self._buffer = FrameBuffer()

    def send(self, message: m.Message) -> bytes:
        """Return the bytes of a message.

        Raises:
            LocalProtocolError: this side may not say that now.
        """
        after = self._after(self.side, self._says, type(message))
        if after is None:
            raise LocalProtocolError(
                f"a {self.side} may not send {type(message).__name__} now: {self.state.value}"
            )
        if isinstance(message, m.Error) and message.fatal:
            after = State.CLOSED
        self.state = after
        return _framed(message)

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the peer. Empty bytes, the peer's end, change nothing."""
        if self.state is not State.CLOSED:
            self._buffer.feed(data)

    def next_message(self) -> m.Message | None:
        """Return the peer's next message, None until more bytes have come.

        Raises:
            RemoteProtocolError: the peer broke the protocol. The session is
                closed then: nothing after a violation is read. If this raises
                anything else, that is a bug here.
        """
        if self.state is State.CLOSED:
            return None
        try:
            message = self._next_known()
            if message is None:
                return None
            after = self._after(self.side.other, self._hears, type(message))
            if after is None:
                raise RemoteProtocolError(
                    f"{type(message).__name__.lower()} may not be sent now: {self.state.value}",
                    ErrorCode.UNEXPECTED_MESSAGE,
                )
        except HollywoodError:
            self.state = State.CLOSED
            raise
        if isinstance(message, m.Error) and message.fatal:
            after = State.CLOSED
        self.state = after
        return message

    def _after(
        self, side: Side, may_say: frozenset[type], kind: type[msgspec.Struct]
    ) -> State | None:
        """Return the state after a message of that side, None if it may not be sent now."""
        if self.state is State.OPEN:
            return State.OPEN if kind in may_say else None
        return TRANSITIONS.get((self.state, side, kind))

    def _next_known(self) -> m.Message | None:
        """Return the next message that is not skipped."""
        while (payload := self._buffer.next_payload(self._limit())) is not None:
            check_payload(payload)
            try:
                return self._decode(payload)
            except RemoteProtocolError:
                if self.side is Side.SERVER or self.state is not State.OPEN:
                    raise
                message = self._decode_newer(payload)
                if message is not None:
                    return message
        return None

    def reply_to_violation(self, error: RemoteProtocolError) -> bytes:
        """Return the one error frame that a peer is owed before the close."""
        message = m.Error(code=error.code, klass=m.ErrorClass.PROTOCOL, text=str(error), fatal=True)
        self.state = State.CLOSED
        return encode_frame(_encoder.encode(message))

    def _limit(self) -> int:
        if self.state is not State.OPEN:
            return MAX_GREETING
        return MAX_TO_SERVER if self.side is Side.SERVER else MAX_TO_CLIENT

    def _decode(self, payload: bytes) -> m.Message:
        try:
            message = _decoders[self.side.other].decode(payload)
        except msgspec.ValidationError as error:
            raise RemoteProtocolError(f"not a message: {error}") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise RemoteProtocolError(f"not msgpack: {error}", ErrorCode.BAD_FRAME) from None
        if isinstance(message, m.Hello) and message.magic != m.MAGIC:
            raise RemoteProtocolError(f"a hello starts with the magic {m.MAGIC!r}")
        return message

    def _decode_newer(self, payload: bytes) -> m.Message | None:
        """Read what a newer server says: unknown messages are skipped, events blanked.

        Raises:
            RemoteProtocolError: a message of a known type that is not as it should be.
        """
        try:
            data = msgspec.msgpack.decode(payload)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise RemoteProtocolError(f"not msgpack: {error}", ErrorCode.BAD_FRAME) from None
        if not isinstance(data, dict) or not isinstance(data.get("t"), str):
            raise RemoteProtocolError("a message is a map with its type under t")
        if data["t"] not in _SERVER_TAGS:
            return None
        if data["t"] == "events" and isinstance(data.get("events"), list):
            data["events"] = [
                {"t": "unknown"} if _is_newer(event) else event for event in data["events"]
            ]
        return self._decode(_encoder.encode(data))
