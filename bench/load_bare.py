"""The limit that `load.py` measures beside the server: bare trio TCP, the same frames.

    python bench/load_bare.py [--rules NAME] [--deals N]

It knows no rules and decodes nothing: each answer makes it send the next step of a game
that was written down before, to the four connections of its table. One read takes all
frames that have come, and what a connection is owed leaves in one plain non-blocking
send; `send_all` only takes what a socket did not.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import msgspec
import trio

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.load_script import SEATS, Script, make_script
from bench.load_server import first_deals, raise_file_limit

_READ_SIZE = 65536


def _frame(message: dict[str, object]) -> bytes:
    payload = msgspec.msgpack.encode(message)
    return len(payload).to_bytes(4, "big") + payload


_WELCOME = _frame({"t": "welcome", "v": 1})
_JOINED = _frame({"t": "joined", "cid": 1})
_DONE = _frame({"t": "done", "cid": 1})


class _Table:
    def __init__(self) -> None:
        self.seats: list[_Connection] = []
        self.step = 0


class _Connection:
    def __init__(self, stream: trio.SocketStream, server: _Bare) -> None:
        self._stream = stream
        self._server = server
        self._writing = trio.Lock()
        self.owed = bytearray()
        self.table: _Table | None = None

    async def run(self) -> None:
        rest = b""
        while data := await self._stream.receive_some(_READ_SIZE):
            rest += data
            at, size = 0, len(rest)
            while size - at >= 4:
                end = at + 4 + int.from_bytes(rest[at : at + 4], "big")
                if end > size:
                    break
                self._server.hear(self, rest[at + 4 : end])
                at = end
            rest = rest[at:]
            await self._server.flush()

    async def flush(self) -> None:
        """Send what is owed: plainly, and only what is left by `send_all`."""
        if self._writing.locked():
            return
        try:
            sent = os.write(self._stream.socket.fileno(), self.owed)
        except BlockingIOError:
            sent = 0
        del self.owed[:sent]
        if self.owed:
            async with self._writing:
                while self.owed:
                    data, self.owed = self.owed, bytearray()
                    await self._stream.send_all(data)


class _Bare:
    def __init__(self, script: Script) -> None:
        self._script = script.steps
        self._tables: dict[str, _Table] = {}
        self._owing: dict[_Connection, None] = {}

    async def handle(self, stream: trio.SocketStream) -> None:
        try:
            await _Connection(stream, self).run()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    def hear(self, connection: _Connection, payload: bytes) -> None:
        """Do what a frame asks, by the first letter of its type."""
        letter = payload[4:5]
        if letter == b"a":
            self._go_on(connection.table)
        elif letter == b"h":
            self._owe(connection, _WELCOME)
        elif letter == b"j":
            self._join(connection, msgspec.msgpack.decode(payload)["table"])
        elif letter == b"l":
            self._owe(connection, _DONE)

    def _join(self, connection: _Connection, name: str) -> None:
        table = self._tables.setdefault(name, _Table())
        table.seats.append(connection)
        connection.table = table
        self._owe(connection, _JOINED)
        if len(table.seats) == SEATS:
            del self._tables[name]
            self._go_on(table)

    def _go_on(self, table: _Table | None) -> None:
        assert table is not None, "an answer before the join"
        for connection, data in zip(table.seats, self._script[table.step], strict=True):
            self._owe(connection, data)
        table.step += 1

    def _owe(self, connection: _Connection, data: bytes) -> None:
        if data:
            connection.owed += data
            self._owing[connection] = None

    async def flush(self) -> None:
        owing, self._owing = self._owing, {}
        for connection in owing:
            await connection.flush()


async def _serve(script: Script) -> None:
    async with trio.open_nursery() as nursery:
        server = _Bare(script)
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, server.handle, listeners)
        print(listeners[0].socket.getsockname()[1], flush=True)


def main() -> None:
    """Serve on a free port of this machine."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rules", default="hollywood")
    parser.add_argument("--deals", type=int, default=0)
    args = parser.parse_args()
    raise_file_limit()
    trio.run(_serve, make_script(first_deals(args.rules, args.deals)))


if __name__ == "__main__":
    main()
