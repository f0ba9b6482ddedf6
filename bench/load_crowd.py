"""Many light-weight players in one process: plain sockets, one epoll, hardly any decoding.

A frame's type is read off its first bytes; only decisions are decoded, into the two
fields that an answer needs, and each is answered with its default. That costs a
fraction of what the server spends, so that the server is what is measured.
"""

from __future__ import annotations

import select
import socket
import time
from collections import deque
from collections.abc import Callable

import msgspec

from bench.load_machine import EVERY, Machine

SEATS = 4

_READ_SIZE = 262_144
_GAME_ENDED = b"game_ended"
_LONGEST_WAIT = 0.05
_LOOK_AGAIN = 0.5
"""Seconds until a watcher asks again for a game that has not begun."""


class _Legal(msgspec.Struct):
    default: msgspec.Raw


class _Decide(msgspec.Struct):
    did: int
    legal: _Legal


class _Numbered(msgspec.Struct):
    n: int


class _Said(msgspec.Struct):
    code: str
    text: str


_decide = msgspec.msgpack.Decoder(_Decide)
_numbered = msgspec.msgpack.Decoder(_Numbered)
_said = msgspec.msgpack.Decoder(_Said)
_encode = msgspec.msgpack.Encoder().encode


class CrowdError(Exception):
    """The server said or did what no player expects."""


class Player:
    """One connection: a seat of a table, or somebody who watches."""

    __slots__ = ("asked", "cid", "fd", "game", "is_watching", "rest", "sent_at", "sock", "table")

    def __init__(self, sock: socket.socket, table: int, *, is_watching: bool) -> None:
        self.sock = sock
        self.fd = sock.fileno()
        self.table = table
        self.is_watching = is_watching
        self.game = 0
        self.cid = 0
        self.rest = b""
        self.asked: bytes = b""
        """The decision that waits for its answer, in a paced run."""
        self.sent_at = 0.0


class Crowd:
    """The players of all tables, those who watch, and what they have counted."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._epoll = select.epoll()
        self._players: dict[int, Player] = {}
        self._stalled: list[socket.socket] = []
        self._waiting: deque[Player] = deque()
        self._again: deque[tuple[float, Player]] = deque()
        self._free_at = 0.0
        self.rate = 0.0
        """Decisions a second, 0: as many as the server can."""
        self.decisions = 0
        self.games = 0
        self.seated = 0
        self.watching = 0
        self.bytes_in = 0
        self.bytes_out = 0
        self.frames = 0
        self.latencies: list[tuple[float, float]] = []
        """When each answer was sent, and the seconds to its verdict."""
        self.machine = Machine()

    def close(self) -> None:
        """Go away."""
        for player in self._players.values():
            player.sock.close()
        for sock in self._stalled:
            sock.close()
        self._epoll.close()

    # coming in

    def connect(self, count: int, first_table: int, *, is_watching: bool = False) -> None:
        """Open connections and say hello: `SEATS` a table, or watchers one a table."""
        for number in range(count):
            table = first_table + (number if is_watching else number // SEATS)
            sock = socket.create_connection(("127.0.0.1", self._port))
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            player = Player(sock, table, is_watching=is_watching)
            self._players[player.fd] = player
            self._epoll.register(player.fd, select.EPOLLIN)
            role = "watcher" if is_watching else "bot"
            self._send(player, _hello(f"{role} {number % SEATS}", role))
            self._welcome(player)
            sock.setblocking(False)

    def stall(self, table: int) -> None:
        """Watch a table over a connection that is never read from again."""
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.connect(("127.0.0.1", self._port))
        sock.sendall(_hello("stalled", "watcher"))
        sock.sendall(_frame({"t": "watch", "cid": 1, "table": _table(table, 0)}))
        self._stalled.append(sock)

    def sit_down(self) -> None:
        """All players join their tables, and all watchers begin to watch."""
        for player in self._players.values():
            if not player.is_watching:
                self._join(player)

    def watch(self) -> None:
        """All watchers begin to watch the games that run."""
        for player in self._players.values():
            if player.is_watching:
                self._watch(player)

    def _welcome(self, player: Player) -> None:
        """Wait for the welcome, so that connections are opened one after the other."""
        data = b""
        while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4], "big"):
            more = player.sock.recv(4096)
            if not more:
                raise CrowdError("the server closed the connection at the hello")
            data += more
        if data[8 : 8 + (data[7] & 0x1F)] != b"welcome":
            raise CrowdError(f"the server answered the hello with {data!r}")

    def _join(self, player: Player) -> None:
        player.cid += 1
        table = _table(player.table, player.game)
        self._send(player, _frame({"t": "join", "cid": player.cid, "table": table}))

    def _watch(self, player: Player) -> None:
        player.cid += 1
        table = _table(player.table, player.game)
        self._send(player, _frame({"t": "watch", "cid": player.cid, "table": table}))

    # playing

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Play for so long, or until something is so."""
        end = time.perf_counter() + seconds
        players, epoll = self._players, self._epoll
        while (now := time.perf_counter()) < end and not until():
            wait = _LONGEST_WAIT
            if self.rate:
                wait = min(EVERY, self._answer_in_time(now))
                if now >= self.machine.next_at:
                    self.machine.look(now)
            for fd, _ in epoll.poll(min(wait, end - now)):
                self._hear(players[fd])
            while self._again and self._again[0][0] <= now:
                self._watch(self._again.popleft()[1])

    def _answer_in_time(self, now: float) -> float:
        """Answer what the pace allows; return the seconds until the next may go."""
        waiting = self._waiting
        while waiting and self._free_at <= now:
            player = waiting.popleft()
            self._answer(player, player.asked)
            # a pause is not made up for: that would be a burst, not a pace
            self._free_at = max(self._free_at + 1 / self.rate, now - 0.01)
        return max(0.0, self._free_at - now) if waiting else _LONGEST_WAIT

    def _hear(self, player: Player) -> None:
        try:
            data = player.sock.recv(_READ_SIZE)
        except BlockingIOError:
            return
        if not data:
            raise CrowdError("the server closed a connection")
        self.bytes_in += len(data)
        if player.rest:
            data = player.rest + data
        at, size = 0, len(data)
        while size - at >= 4:
            end = at + 4 + int.from_bytes(data[at : at + 4], "big")
            if end > size:
                break
            self.frames += 1
            tag = data[at + 8 : at + 8 + (data[at + 7] & 0x1F)]
            if tag == b"events":
                if data.find(_GAME_ENDED, at, end) >= 0:
                    self._leave(player)
            elif tag == b"verdict":
                self._note_verdict(player, data[at + 4 : end])
            elif tag == b"decide":
                self._decide(player, data[at + 4 : end])
            else:
                self._hear_else(player, tag, data[at + 4 : end])
            at = end
        player.rest = data[at:]

    def _note_verdict(self, player: Player, payload: bytes) -> None:
        if b"accepted" not in payload:
            raise CrowdError(f"an answer was not accepted: {payload!r}")
        self.latencies.append((player.sent_at, time.perf_counter() - player.sent_at))
        self.decisions += 1

    def _decide(self, player: Player, payload: bytes) -> None:
        if not self.rate:
            self._answer(player, payload)
            return
        player.asked = payload
        self._waiting.append(player)

    def _answer(self, player: Player, payload: bytes) -> None:
        asked = _decide.decode(payload)
        player.cid += 1
        answer = {"t": "answer", "cid": player.cid, "did": asked.did, "action": asked.legal.default}
        player.sent_at = time.perf_counter()
        self._send(player, _frame(answer))

    def _leave(self, player: Player) -> None:
        """The game is over: leave, then go on at the table's next game."""
        self.games += not player.is_watching
        player.game += 1
        player.cid += 1
        self._send(player, _frame({"t": "leave", "cid": player.cid}))

    def _hear_else(self, player: Player, tag: bytes, payload: bytes) -> None:
        if tag == b"done":
            (self._watch if player.is_watching else self._join)(player)
        elif tag == b"ping":
            self._send(player, _frame({"t": "pong", "n": _numbered.decode(payload).n}))
        elif tag == b"joined":
            self.seated += 1
        elif tag == b"watching":
            self.watching += 1
        elif tag == b"error":
            said = _said.decode(payload)
            if said.code != "no_such_table" or not player.is_watching:
                raise CrowdError(f"the server says: {said.text} [{said.code}]")
            # the next game is still to be made
            self._again.append((time.perf_counter() + _LOOK_AGAIN, player))

    def _send(self, player: Player, frame: bytes) -> None:
        player.sock.send(frame)
        self.bytes_out += len(frame)


def _frame(message: dict[str, object]) -> bytes:
    payload = _encode(message)
    return len(payload).to_bytes(4, "big") + payload


def _hello(name: str, role: str) -> bytes:
    return _frame({"t": "hello", "magic": "hrp", "v": [1, 1], "role": role, "name": name})


def _table(number: int, game: int) -> str:
    return f"t{number}-{game}"
