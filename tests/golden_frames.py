"""Reads the golden frames. It needs the standard library only; copy it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple


class Golden(NamedTuple):
    """Bytes, and what a receiver must make of them."""

    name: str
    sender: str  # "client" or "server"
    phase: str  # what is due: "hello", "answer" to it, or "open" after the welcome
    data: bytes  # one frame with its length
    message: Any  # the message as plain data; null: a newer one, to be skipped
    code: str  # of the error, where the frame breaks the protocol; else ""


def load_frames(path: Path) -> list[Golden]:
    """Read valid.json, newer.json or invalid.json."""
    return [
        Golden(f["name"], f["from"], f["phase"], bytes.fromhex(f["hex"]), f["message"], f["code"])
        for f in json.loads(path.read_text("utf-8"))["frames"]
    ]


def load_session(path: Path) -> tuple[dict[str, Any], list[tuple[str, bytes]]]:
    """Read session_*.json: what is said about it, and (sender, frame) in order."""
    about = json.loads(path.read_text("utf-8"))
    sender = {"C": "client", "S": "server"}
    return about, [(sender[f[0]], bytes.fromhex(f[1:])) for f in about.pop("frames")]
