"""Plays one game of Hollywood rummy, written from protocol/PROTOCOL.md alone.

    pip install msgpack
    python bot.py HOST PORT TABLE NAME

It asks for hints and does what they say. When the game is over it prints one line of
JSON; it exits 0 if no answer was rejected, else 1.
"""

import json
import socket
import struct
import sys
from collections import Counter

import msgpack


class Talk:
    """Frames over a socket."""

    def __init__(self, host: str, port: int) -> None:
        self._socket = socket.create_connection((host, port))

    def send(self, message: dict) -> None:
        """Send one message."""
        body = msgpack.packb(message)
        self._socket.sendall(struct.pack(">I", len(body)) + body)

    def receive(self) -> dict:
        """Wait for the next message."""
        (size,) = struct.unpack(">I", self._read(4))
        return msgpack.unpackb(self._read(size))

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self._socket.recv(size - len(data))
            if not more:
                raise SystemExit("the server closed the connection")
            data += more
        return data


def choose(decision: dict) -> dict:
    """Return what to answer: what the hints say, else the default."""
    legal, hints = decision["legal"], decision.get("hints", {})
    if legal["t"] == "window" and hints.get("claim"):
        return {"t": "claim"}
    if legal["t"] == "play" and hints.get("play"):
        return hints["play"]
    return legal["default"]


def play(host: str = "127.0.0.1", port: str = "7878", table: str = "den", name: str = "py") -> int:
    """Play one game and return the exit code."""
    talk = Talk(host, int(port))
    talk.send(
        {"t": "hello", "magic": "hrp", "v": [1, 1], "role": "bot", "name": name, "caps": ["+hints"]}
    )
    talk.send({"t": "join", "cid": 1, "table": table})
    cid, seat, defaults, verdicts = 1, None, {}, Counter()
    while True:
        message = talk.receive()
        kind = message["t"]
        if kind == "joined":
            seat = message["seat"]
        elif kind == "decide":
            cid, did = cid + 1, message["did"]
            defaults[did] = message["legal"]["default"]
            talk.send({"t": "answer", "cid": cid, "did": did, "action": choose(message)})
        elif kind == "verdict":
            verdicts[message["status"]] += 1
            if message["status"] == "rejected":
                print(message["code"], message["text"], file=sys.stderr)
                cid, did = cid + 1, message["did"]
                talk.send({"t": "answer", "cid": cid, "did": did, "action": defaults[did]})
        elif kind == "ping":
            talk.send({"t": "pong", "n": message["n"]})
        elif kind in ("reject", "error"):
            print(message["code"], message["text"], file=sys.stderr)
            if kind == "reject" or message.get("fatal") or seat is None:
                return 1
        elif kind == "events":
            for event in message["events"]:
                if event["t"] == "game_ended":
                    result = {key: event[key] for key in ("totals", "winners")}
                    print(json.dumps({"seat": seat, **result, "verdicts": verdicts}))
                    return int("rejected" in verdicts)


if __name__ == "__main__":
    sys.exit(play(*sys.argv[1:]))
