"""Throws mutated golden frames and rubbish at the wire, and counts what comes of it.

    python bench/fuzz_wire.py [--inputs 10000000] [--seed 1] [--report 1000000]

Each input is up to three frames, fed in portions to a session of either side in any
phase, to a bare frame buffer, or to the scan. Nothing but the typed errors may come
out, a session must be closed after one, what was read must survive being sent on, and
memory must stay flat. Prints the figures; exits 1 where something else happened.
"""

from __future__ import annotations

import argparse
import math
import random
import resource
import struct
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

import msgspec

from hollywood.protocol.errors import RemoteProtocolError
from hollywood.protocol.wire import Message, Session, Side, State
from hollywood.protocol.wire.frames import MAX_TO_CLIENT, FrameBuffer, check_payload

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden" / "wire" / "v1"

MOST_GROWTH = 16 * 1024
"""KiB that memory may grow after the first tenth of a run."""

MOST_OFTEN = 600
"""Bytes of the frames that are taken nine times in ten: the rules of a table are long."""

ODD: tuple[object, ...] = (
    None, True, False, 0, 1, -1, 7, 127, 128, 255, 2**16, 2**31, 2**53, 2**53 + 1, 2**63, 2**64 - 1,
    -(2**63), 0.0, 1.5, -0.0, math.nan, math.inf, "", "x", "3C", "JK", "XX", "\0", "é" * 40,
    "x" * 300, b"", b"\xff" * 8, [], {}, [[]], [None] * 70, ["3C"] * 70, {"t": "play"},
    {"t": "unknown"}, {"t": "claim"}, "S3", "2xS3 + R4", "set", "run", "hello", "events", [0, 0],
)  # fmt: skip


def main() -> int:
    """Run and report."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--inputs", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=int, default=1_000_000)
    args = parser.parse_args()
    fuzzer = Fuzzer(args.seed)
    began, early = time.perf_counter(), 0
    for number in range(1, args.inputs + 1):
        fuzzer.one()
        if number == max(1, args.inputs // 10):
            early = memory()
        if number % args.report == 0 or number == args.inputs:
            rate = number / (time.perf_counter() - began)
            print(f"{number:>12,} inputs  {rate:>9,.0f}/s  {memory():>8,} KiB", flush=True)
    growth = memory() - early
    print(f"seed {args.seed}: {args.inputs:,} inputs, {fuzzer.bytes_fed:,} bytes")
    for outcome, count in fuzzer.outcomes.most_common():
        print(f"{count:>12,}  {outcome}")
    print(f"memory grew by {growth:,} KiB after the first tenth")
    for failure, example in fuzzer.failures.items():
        print(f"FAILED {failure}\n  {example}")
    return int(bool(fuzzer.failures) or growth > MOST_GROWTH)


def memory() -> int:
    """The most memory this process has had, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def golden_payloads() -> dict[Side, list[bytes]]:
    """The payload of every golden frame, by who sends it."""
    found: dict[Side, dict[bytes, None]] = {side: {} for side in Side}
    for path in sorted(GOLDEN.glob("*.json")):
        for frame in msgspec.json.decode(path.read_bytes())["frames"]:
            if isinstance(frame, str):
                side, data = Side.CLIENT if frame[0] == "C" else Side.SERVER, frame[1:]
            else:
                side, data = Side(frame["from"]), frame["hex"]
            found[side][bytes.fromhex(data)[4:]] = None
    return {side: [payload for payload in payloads if payload] for side, payloads in found.items()}


class Fuzzer:
    """Makes inputs from one seed and keeps count."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._payloads = golden_payloads()
        self._trees = {
            side: [tree for tree in map(_decoded, payloads) if isinstance(tree, dict)]
            for side, payloads in self._payloads.items()
        }
        self._small = {
            side: [tree for tree in trees if len(msgspec.msgpack.encode(tree)) < MOST_OFTEN]
            for side, trees in self._trees.items()
        }
        self._sender = Side.CLIENT
        self.outcomes: Counter[str] = Counter()
        self.failures: dict[str, str] = {}
        """What went wrong, with one input in hex for each."""
        self.bytes_fed = 0

    def one(self) -> None:
        """Make one input and feed it."""
        rng = self._rng
        self._sender = rng.choice((Side.CLIENT, Side.SERVER))
        data = b"".join(self._frame() for _ in range(rng.choice((1, 1, 1, 2, 3))))
        if rng.random() < 0.05:
            data = data[: rng.randrange(len(data) + 1)]
        self.bytes_fed += len(data)
        way = rng.random()
        try:
            if way < 0.9:
                outcome = self._session(data)
            elif way < 0.95:
                outcome = self._buffer(data)
            else:
                check_payload(data[4:])
                outcome = "scanned"
        except RemoteProtocolError as error:
            outcome = error.code.value
        except Exception as error:  # noqa: BLE001 - what this program looks for
            where = traceback.extract_tb(error.__traceback__)[-1]
            outcome = f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}"
            self.failures.setdefault(outcome, f"{error} {data[:2000].hex()}")
        self.outcomes[outcome] += 1

    # where an input goes

    def _session(self, data: bytes) -> str:
        rng = self._rng
        session = Session(self._sender if rng.random() < 0.1 else self._sender.other)
        session.state = State.OPEN
        if rng.random() < 0.2:
            session.state = rng.choice((State.HELLO, State.ANSWER))
        read = 0
        try:
            for portion in self._portions(data):
                session.receive_data(portion)
                while (message := session.next_message()) is not None:
                    read += 1
                    _survives(message, session.side.other)
        except RemoteProtocolError:
            assert session.state is State.CLOSED, "open after a violation"
            session.receive_data(data)
            assert session.next_message() is None, "read on after a violation"
            raise
        return f"{min(read, 3)} read"

    def _buffer(self, data: bytes) -> str:
        buffer, limit = FrameBuffer(), self._rng.choice((16, 4096, MAX_TO_CLIENT))
        for portion in self._portions(data):
            buffer.feed(portion)
            while (payload := buffer.next_payload(limit)) is not None:
                assert 0 < len(payload) <= limit, "a payload outside its limits"
        return "cut into frames"

    def _portions(self, data: bytes) -> list[bytes]:
        if self._rng.random() < 0.7:
            return [data]
        cut = self._rng.randrange(len(data) + 1)
        return [data[:cut], data[cut:]]

    # what an input is

    def _frame(self) -> bytes:
        rng, payloads = self._rng, self._payloads[self._sender]
        way = rng.random()
        if way < 0.4:
            payload = self._changed_tree()
        elif way < 0.8:
            payload = self._changed_bytes(rng.choice(payloads))
        elif way < 0.9:
            payload = rng.randbytes(rng.randrange(1, 60))
        else:
            payload = rng.choice(payloads)
        if rng.random() < 0.02:
            return rng.randbytes(4) + payload
        return struct.pack(">I", len(payload)) + payload

    def _changed_bytes(self, payload: bytes) -> bytes:
        rng = self._rng
        data = bytearray(payload[: 4096 if rng.random() < 0.1 else MOST_OFTEN])
        for _ in range(rng.choice((1, 1, 2, 4))):
            at = rng.randrange(len(data) + 1)
            match rng.randrange(6):
                case 0:
                    data[at : at + 1] = rng.randbytes(1)
                case 1:
                    data[at:at] = rng.randbytes(rng.randrange(1, 5))
                case 2:
                    del data[at : at + rng.randrange(1, 9)]
                case 3:
                    other = rng.choice(self._payloads[self._sender])
                    start = rng.randrange(len(other))
                    data[at:at] = other[start : start + rng.randrange(1, 40)]
                case 4:
                    byte = rng.choice(
                        b"\x80\x90\x91\xc0\xc1\xc4\xc7\xca\xcb\xcf\xd4\xdb\xdd\xdf\xff"
                    )
                    data[at : at + 1] = bytes([byte]) * rng.choice((1, 1, 1, 20))
                case _:
                    if at < len(data):
                        data[at] ^= 1 << rng.randrange(8)
        return bytes(data) or b"\x80"

    def _changed_tree(self) -> bytes:
        rng = self._rng
        trees = self._trees if rng.random() < 0.1 else self._small
        tree: object = rng.choice(trees[self._sender])
        for _ in range(rng.choice((1, 1, 2, 3))):
            tree = self._changed(tree)
        return msgspec.msgpack.encode(tree)

    def _changed(self, value: object) -> object:
        """The value with one thing in it changed; the value itself stays as it is."""
        rng = self._rng
        if isinstance(value, dict) and value and rng.random() < 0.85:
            key = rng.choice(list(value))
            if rng.random() < 0.7:
                return {**value, key: self._changed(value[key])}
            if rng.random() < 0.5:
                return {k: v for k, v in value.items() if k != key}
            return {**value, rng.choice(("new", "t", "cid", "seq", key + "s")): self._odd()}
        if isinstance(value, list) and value and rng.random() < 0.85:
            at = rng.randrange(len(value))
            way = rng.random()
            if way < 0.6:
                return [*value[:at], self._changed(value[at]), *value[at + 1 :]]
            if way < 0.8:
                return [*value[:at], *value[at + 1 :]]
            return [*value[:at], self._odd(), *value[at:]]
        if rng.random() < 0.6 and (alike := [odd for odd in ODD if type(odd) is type(value)]):
            return rng.choice(alike)
        return self._odd()

    def _odd(self) -> object:
        rng = self._rng
        if rng.random() < 0.1:
            value = rng.choice(ODD)
            for _ in range(rng.choice((2, 14, 15, 16, 17, 40))):
                value = [value] if rng.random() < 0.5 else {"t": value}
            return value
        if rng.random() < 0.1:
            return rng.choice(self._small[self._sender])
        return rng.choice(ODD)


def _decoded(payload: bytes) -> object:
    try:
        return msgspec.msgpack.decode(payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _survives(message: Message, sender: Side) -> None:
    """Send the message on and read it again."""
    state: dict[object, State] = {
        "hello": State.HELLO,
        "welcome": State.ANSWER,
        "reject": State.ANSWER,
    }
    there, back = Session(sender), Session(sender.other)
    tag = type(message).__struct_config__.tag
    there.state = back.state = state.get(tag, State.OPEN)
    back.receive_data(there.send(message))
    again = back.next_message()
    assert again == message, f"{message} became {again}"


if __name__ == "__main__":
    sys.exit(main())
