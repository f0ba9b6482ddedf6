"""The golden frames: what every version of the protocol's first major reads alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from golden_frames import Golden, load_frames, load_session
from hollywood.protocol.errors import RemoteProtocolError
from hollywood.protocol.rules import Action, Event, PlayerView, digest, fold, new_view
from hollywood.protocol.wire import ClientMessage, Message, ServerMessage, Session, Side, State
from hollywood.protocol.wire import messages as m

GOLDEN = Path(__file__).parent.parent / "golden" / "wire" / "v1"
VALID = load_frames(GOLDEN / "valid.json")
INVALID = load_frames(GOLDEN / "invalid.json")
NEWER = load_frames(GOLDEN / "newer.json")
SESSIONS = ("hollywood", "hollywood_seven", "dummy", "example")

KINDS = [kind.__struct_config__.tag for kind in get_args(ClientMessage)]
KINDS += [kind.__struct_config__.tag for kind in get_args(ServerMessage)]


def name(golden: Golden) -> str:
    return f"{golden.sender}-{golden.name}"


def receiver_of(golden: Golden) -> Session:
    """The other end, waiting for that frame."""
    session = Session(Side(golden.sender).other)
    session.state = State[golden.phase.upper()]
    return session


def has_at_least(ours: object, golden: object) -> bool:
    """Whether we read all that is written there; newer versions may know more fields."""
    if isinstance(golden, dict):
        return isinstance(ours, dict) and all(
            key in ours and has_at_least(ours[key], golden[key]) for key in golden
        )
    if isinstance(golden, list):
        return (
            isinstance(ours, list | tuple)
            and len(ours) == len(golden)
            and all(map(has_at_least, ours, golden))
        )
    return ours == golden


def tags(value: object) -> set[str]:
    """Every `t` in a message."""
    if isinstance(value, dict):
        own = {value["t"]} if "t" in value else set()
        return own.union(*map(tags, value.values()))
    return set().union(*map(tags, value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("golden", VALID, ids=name)
def test_a_valid_frame(golden: Golden) -> None:
    """It is read as it is written down, and no message is lost when it is sent on."""
    receiver = receiver_of(golden)
    receiver.receive_data(golden.data)
    message = receiver.next_message()
    assert message is not None
    assert has_at_least(msgspec.to_builtins(message), golden.message)
    sender = Session(receiver.side.other)
    sender.state = State[golden.phase.upper()]
    data = sender.send(message)
    again = receiver_of(golden)
    again.receive_data(data)
    assert again.next_message() == message
    if golden.phase != "open":
        assert data == golden.data, "these bytes never change"


def test_every_kind_is_there() -> None:
    """Every message, every event, every action, every error class and status."""
    there = set().union(*(tags(golden.message) for golden in VALID))
    kinds = {kind.__struct_config__.tag for union in (Event, Action) for kind in get_args(union)}
    assert there == {*KINDS, *kinds, "window", "unknown"}
    assert {(g.sender, g.message["t"]) for g in VALID} == {
        *(("client", kind.__struct_config__.tag) for kind in get_args(ClientMessage)),
        *(("server", kind.__struct_config__.tag) for kind in get_args(ServerMessage)),
    }
    statuses = {g.message["status"] for g in VALID if g.message["t"] == "verdict"}
    assert statuses == set(m.VerdictStatus)
    assert {g.message["role"] for g in VALID if g.message["t"] == "hello"} == set(m.Role)


def whole(session: Session, data: bytes) -> Message | None:
    session.receive_data(data)
    return session.next_message()


def byte_by_byte(session: Session, data: bytes) -> Message | None:
    for byte in data:
        session.receive_data(bytes([byte]))
        if (message := session.next_message()) is not None:
            return message
    return None


@pytest.mark.parametrize("feed", [whole, byte_by_byte])
@pytest.mark.parametrize("golden", INVALID, ids=name)
def test_an_invalid_frame(golden: Golden, feed: Callable[[Session, bytes], Message | None]) -> None:
    """The code is as written down; the session is closed and reads no more."""
    session = receiver_of(golden)
    with pytest.raises(RemoteProtocolError) as refused:
        feed(session, golden.data)
    assert refused.value.code == golden.code
    assert session.state is State.CLOSED
    session.receive_data(VALID[0].data)
    assert session.next_message() is None


@pytest.mark.parametrize("golden", NEWER, ids=name)
def test_a_frame_of_a_version_to_come(golden: Golden) -> None:
    """New fields are ignored, new events blanked, new messages skipped."""
    session = receiver_of(golden)
    session.receive_data(golden.data)
    message = session.next_message()
    if golden.message is None:
        assert message is None
        assert session.state is State.OPEN
    else:
        assert has_at_least(msgspec.to_builtins(message), golden.message)


@pytest.mark.parametrize("rules", SESSIONS)
def test_a_recorded_session(rules: str) -> None:
    """Both ends read it, the seat's view folds, and every digest is the seat's own."""
    about, frames = load_session(GOLDEN / f"session_{rules}.json")
    client, server = Session(Side.CLIENT), Session(Side.SERVER)
    view: PlayerView | None = None
    seq = digests = 0
    for sender, data in frames:
        ours, theirs = (client, server) if sender == "client" else (server, client)
        theirs.receive_data(data)
        message = theirs.next_message()
        assert message is not None, "one frame, one message"
        ours.send(message)
        assert ours.state is theirs.state
        if isinstance(message, m.Joined):
            view = new_view(message.rules, len(message.seats), message.seat)
        if isinstance(message, m.Events):
            assert view is not None
            assert message.seq == seq + 1
            seq += len(message.events)
            for event in message.events:
                view = fold(view, event)
            if message.digest:
                assert message.digest == digest(view)
                digests += 1
        if isinstance(message, m.Decide):
            assert message.seq == seq, "a decision follows the events it rests on"
    assert view is not None
    assert view.rules.name == about["rules"]
    assert (view.seat, digests) == (about["seat"], about["digests"])
    assert [*view.totals] == about["totals"]
    assert [*view.winners] == about["winners"]
