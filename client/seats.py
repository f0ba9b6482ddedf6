"""Seats that are kept: their tokens in files, so that a killed client comes back to its seat.

A running client holds the lock of its seat's file; a file whose lock is free belongs to
a client that is gone. Only this user can read them: a token opens the seat.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

import msgspec
import platformdirs

try:
    import fcntl
except ImportError:  # Windows: no locks, so a seat may be taken over from a running client
    fcntl = None  # type: ignore[assignment]

SEATS_FOLDER = Path(platformdirs.user_state_dir("hollywood-rummy")) / "seats"

_MAX_FILE = 4096


class KeptSeat(msgspec.Struct, frozen=True):
    """A seat at some server, and what opens it."""

    address: str
    """HOST:PORT, as it was connected to."""
    table: str
    seat: int
    name: str
    """What its player is called."""
    token: str


class HeldSeat:
    """The file of a seat that this program has; others leave it alone."""

    def __init__(self, path: Path, fd: int) -> None:
        self._path = path
        self._fd = fd

    def write(self, seat: KeptSeat) -> None:
        """Keep the newest token."""
        data = msgspec.json.encode(seat)
        with contextlib.suppress(OSError):
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, data, 0)

    def read(self) -> KeptSeat | None:
        """Return what is kept, None if that is nothing of use."""
        try:
            return msgspec.json.decode(os.pread(self._fd, _MAX_FILE, 0), type=KeptSeat)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None

    def drop(self) -> None:
        """Forget the seat: it was given up, or is no more."""
        with contextlib.suppress(OSError):
            self._path.unlink()
        self.release()

    def release(self) -> None:
        """Leave the seat to whoever comes next; nothing more can be done with it."""
        with contextlib.suppress(OSError):
            os.close(self._fd)


class SeatKeeper:
    """The folder of kept seats.

    Args:
        folder: Where the files are; it need not be there. Where it cannot be written,
            nothing is kept.
    """

    def __init__(self, folder: Path = SEATS_FOLDER) -> None:
        self._folder = folder

    def hold(self, seat: KeptSeat) -> HeldSeat | None:
        """Keep a seat of ours; None if that is not possible here."""
        name = f"{seat.address}/{seat.table}/{seat.seat}"
        digest = hashlib.sha256(name.encode()).hexdigest()[:16]
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        held = _lock(self._folder / f"{digest}.json", os.O_CREAT)
        if held is not None:
            held.write(seat)
        return held

    def take(self, address: str, name: str, table: str = "") -> tuple[KeptSeat, HeldSeat] | None:
        """Take a seat over that a client of this user left, at any table if none is named."""
        for path in self._files():
            held = _lock(path)
            if held is None:
                continue
            seat = held.read()
            is_it = seat is not None and (seat.address, seat.name) == (address, name)
            if seat is not None and is_it and table in ("", seat.table):
                return seat, held
            held.release()
        return None

    def tables(self, address: str, name: str) -> frozenset[str]:
        """Return the tables of a server at which a seat can be taken over."""
        found: set[str] = set()
        for path in self._files():
            held = _lock(path)
            if held is not None:
                seat = held.read()
                if seat is not None and (seat.address, seat.name) == (address, name):
                    found.add(seat.table)
                held.release()
        return frozenset(found)

    def _files(self) -> list[Path]:
        with contextlib.suppress(OSError):
            found = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
            return found[::-1]
        return []


def _lock(path: Path, create: int = 0) -> HeldSeat | None:
    try:
        fd = os.open(path, os.O_RDWR | create, 0o600)
    except OSError:
        return None
    if fcntl is not None:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(fd)
            return None
    return HeldSeat(path, fd)
