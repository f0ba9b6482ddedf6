"""Reading from sockets: one task for all, and nobody suffers for another (real TCP)."""

from __future__ import annotations

import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest
import trio

from hollywood.bots.connection import ServerConnection, hello
from hollywood.protocol.errors import SessionClosedError
from hollywood.protocol.wire import messages as m
from hollywood.protocol.wire.frames import encode_frame
from hollywood.server.config import ServerConfig
from hollywood.server.listener import Server
from hollywood.server.readiness import Readiness
from house import RULES, Guest, den

pytestmark = pytest.mark.skipif(not Readiness.is_offered, reason="needs epoll")

_encode = msgspec.msgpack.Encoder().encode


class Port:
    """A server with a table called den, and those who have come in over TCP."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.guests: list[Guest] = []

    async def enter(self, name: str) -> Guest:
        stream = await trio.open_tcp_stream("127.0.0.1", self.server.port)
        guest = Guest(ServerConnection(stream), stream)
        self.guests.append(guest)
        await guest.connection.greet(hello(name, m.Role.BOT))
        return guest

    async def watches(self, sockets: int) -> None:
        """Wait until the one task watches so many."""
        readiness = self.server.lobby.readiness
        assert readiness is not None
        while len(readiness._readers) != sockets:
            await trio.sleep(0)


@asynccontextmanager
async def open_port() -> AsyncIterator[Port]:
    config = ServerConfig(host="127.0.0.1", port=0, rules=RULES, tables=(den(seats=2),))
    port = Port(Server(config))
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            await nursery.start(port.server.run)
            yield port
            for guest in port.guests:
                await guest.stream.aclose()
            await port.watches(0)
            nursery.cancel_scope.cancel()


async def test_what_comes_behind_a_slow_command_is_done_after_it() -> None:
    """A password takes a thread some time; the rest came in the same bytes."""
    async with open_port() as port:
        ada = await port.enter("ada")
        attic = m.Create(cid=1, table="attic", rules=RULES.name, seats=2, password="pssst")
        said: list[m.ClientMessage] = [attic, m.Leave(cid=2), m.ListTables(cid=3)]
        await ada.stream.send_all(b"".join(encode_frame(_encode(message)) for message in said))
        assert (await ada.hear(m.Joined)).cid == 1
        assert (await ada.hear(m.Done)).cid == 2
        assert (await ada.hear(m.Tables)).cid == 3
        await port.watches(1)


async def test_rubbish_ends_the_connection_it_came_over_and_no_other() -> None:
    async with open_port() as port:
        ada, bea = await port.enter("ada"), await port.enter("bea")
        await port.watches(2)
        await bea.stream.send_all(encode_frame(b"\xc1\xc1\xc1"))
        with pytest.raises(SessionClosedError):
            await bea.hear(m.Joined)
        assert any(isinstance(said, m.Error) and said.fatal for said in bea.heard)
        await port.watches(1)
        assert (await ada.join()).seat == 0


@pytest.mark.parametrize("is_reset", [False, True])
async def test_a_socket_that_has_ended_is_watched_no_longer(is_reset: bool) -> None:
    async with open_port() as port:
        ada, bea = await port.enter("ada"), await port.enter("bea")
        await bea.join()
        await port.watches(2)
        assert isinstance(bea.stream, trio.SocketStream)
        if is_reset:
            bea.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await bea.stream.aclose()
        await port.watches(1)
        assert (await ada.join()).table == "den"
