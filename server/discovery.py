"""Servers on the LAN, found by multicast DNS (DNS-SD).

A server announces `_hollywood-rummy._tcp.local.` with what somebody who looks for a
game wants to know; `browse` and `watching` find it. What is told and believed is in
`announcements`.

The library `zeroconf` runs an event loop in a thread of its own. Its calls that wait
are made in worker threads, and its callbacks only leave a note for trio, so neither
loop ever waits for the other.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from ipaddress import ip_interface

import ifaddr
import trio
from zeroconf import Error as ZeroconfError
from zeroconf import (
    InterfaceChoice,
    IPVersion,
    ServiceBrowser,
    ServiceInfo,
    ServiceListener,
    Zeroconf,
)

from hollywood.protocol.errors import UnreachableError

from .announcements import Announcement as Announcement
from .announcements import Found as Found
from .announcements import fold, label, parse, properties, reachable_at
from .logs import event

SERVICE = "_hollywood-rummy._tcp.local."

REFRESH_SECONDS = 2.0
"""How often an announcement may change. A listener replaces what it has heard more than a
second ago only (RFC 6762, 10.2), so one that comes sooner after the last may be lost."""
NETWORK_SECONDS = 30.0
"""How often the machine's addresses are looked at, and a lost network is tried again."""
GOODBYE_SECONDS = 3.0
"""How long it may take to tell the LAN that a server is gone."""
ASK_SECONDS = 3.0
"""How long a server that announced itself may take to say the rest."""

MAX_SERVERS = 200
"""Servers that are kept in mind; whoever floods the LAN does not fill the memory."""
_ASK_AT_ONCE = 8
_MAX_NOTES = 1000

Interfaces = list[str] | InterfaceChoice
"""Addresses of this machine's interfaces, or a choice of zeroconf's."""
_Note = tuple[str, bool]
"""A service's name, and whether it is (still) there."""

log = logging.getLogger("hollywood.server.discovery")


def machine_addresses() -> tuple[str, ...]:
    """Return the addresses of this machine's interfaces, each with its prefix."""
    return tuple(
        f"{ip.ip if ip.is_IPv4 else ip.ip[0]}/{ip.network_prefix}"
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
    )


def ip_version(addresses: Sequence[str]) -> IPVersion:
    """Return what to speak on a machine with these addresses: both where it has both.

    Args:
        addresses: As `machine_addresses` gives them.
    """
    outside = [ip for ip in map(ip_interface, addresses) if not ip.is_loopback]
    if not any(ip.version == 6 for ip in outside):
        return IPVersion.V4Only
    return IPVersion.All if any(ip.version == 4 for ip in outside) else IPVersion.V6Only


def _open(interfaces: Interfaces) -> Zeroconf:
    if isinstance(interfaces, list):
        return Zeroconf(interfaces=interfaces)
    version = ip_version(machine_addresses())
    try:
        return Zeroconf(interfaces=interfaces, ip_version=version)
    except OSError:
        if version is not IPVersion.All:
            raise
        # an IPv6 that is there, but may not be used
        return Zeroconf(interfaces=interfaces, ip_version=IPVersion.V4Only)


@asynccontextmanager
async def _zeroconf(interfaces: Interfaces) -> AsyncIterator[Zeroconf]:
    """Open zeroconf's sockets; say goodbye for all that was announced and close them."""
    zeroconf = await trio.to_thread.run_sync(_open, interfaces)
    try:
        yield zeroconf
    finally:
        with trio.move_on_after(GOODBYE_SECONDS, shield=True):
            try:
                await trio.to_thread.run_sync(zeroconf.close, abandon_on_cancel=True)
            except ZeroconfError as error:
                event(log, "goodbye_failed", error=repr(error))


async def announce(
    info: Announcement,
    host: str | None = None,
    *,
    refresh: Callable[[Announcement], Announcement] = lambda info: info,
    interfaces: Interfaces = InterfaceChoice.All,
    addresses: Sequence[str] | None = None,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Announce a server on the LAN until cancelled; then tell the LAN that it is gone.

    A network that is not there, or comes back with other addresses, is tried again
    every half a minute. Nothing that the network does raises.

    Args:
        info: What is told first.
        host: What the server listens on; see `reachable_at`.
        refresh: Called in the event loop every other second with what was told last; returns
            what is to be told from now on: `structs.replace(info, free=3)`. Port and
            instance stay.
        interfaces: Where to announce.
        addresses: What to tell instead of what `reachable_at` finds.
        task_status: Started when the LAN has been told, or could not be.
    """
    waiting, last_failure = [task_status.started], ""

    def told_or_not() -> None:
        while waiting:
            waiting.pop()()

    while True:
        try:
            ours = await trio.to_thread.run_sync(machine_addresses)
            told = addresses if addresses is not None else reachable_at(await _numeric(host), ours)
            if told:
                async with _zeroconf(interfaces) as zeroconf:
                    voice = _Voice(zeroconf, info, told)
                    await voice.register()
                    told_or_not()
                    last_failure = ""
                    info = await _keep_told(voice, refresh, ours)
                    continue
        except (OSError, RuntimeError, ZeroconfError) as error:
            if repr(error) != last_failure:
                event(log, "announcing_failed", severity=logging.WARNING, error=repr(error))
            last_failure = repr(error)
        told_or_not()
        await trio.sleep(NETWORK_SECONDS)


async def _numeric(host: str | None) -> str | None:
    """Return the address of a host that may have been given by name."""
    if host is None:
        return None
    found = await trio.socket.getaddrinfo(host, None, type=trio.socket.SOCK_STREAM)
    return str(found[0][4][0])


class _Voice:
    """One registered service. Its calls wait in worker threads."""

    def __init__(self, zeroconf: Zeroconf, info: Announcement, addresses: Sequence[str]) -> None:
        self.info = info
        self._zeroconf = zeroconf
        self._addresses = list(addresses)
        self._edition = 0
        self._name = f"{label(info)}.{SERVICE}"

    def _service(self) -> ServiceInfo:
        return ServiceInfo(
            SERVICE,
            self._name,
            port=self.info.port,
            properties=properties(self.info, self._edition),
            server=f"hollywood-{self.info.instance}.local.",
            parsed_addresses=self._addresses,
        )

    async def register(self) -> None:
        """Tell the LAN that the server is there."""
        # the instance in the name makes it unique: nobody has to be asked first
        register = partial(self._zeroconf.register_service, cooperating_responders=True)
        await trio.to_thread.run_sync(register, self._service())
        event(log, "announced", name=self.info.name, addresses=self._addresses)

    async def update(self, info: Announcement) -> None:
        """Tell the LAN what has changed."""
        self.info = info
        self._edition += 1
        await trio.to_thread.run_sync(self._zeroconf.update_service, self._service())


async def _keep_told(
    voice: _Voice, refresh: Callable[[Announcement], Announcement], ours: Sequence[str]
) -> Announcement:
    """Pass on changes until the machine's addresses change; return what was told last."""
    look_at = trio.current_time() + NETWORK_SECONDS
    while True:
        await trio.sleep(REFRESH_SECONDS)
        info = refresh(voice.info)
        if info != voice.info:
            await voice.update(info)
        if trio.current_time() >= look_at:
            if await trio.to_thread.run_sync(machine_addresses) != ours:
                event(log, "addresses_changed")
                return voice.info
            look_at = trio.current_time() + NETWORK_SECONDS


class Lan:
    """The servers on the LAN as they are now."""

    def __init__(self, ours: Sequence[str] = ()) -> None:
        self.servers: tuple[Found, ...] = ()
        self._ours = ours
        self._heard: dict[str, Found] = {}
        self._asked: dict[str, object] = {}
        """The newest question about each service that may still become or is a server."""
        self._changed = trio.Event()

    async def changed(self) -> tuple[Found, ...]:
        """Wait until the servers are others than when this was asked last; return them."""
        await self._changed.wait()
        self._changed = trio.Event()
        return self.servers

    def ask(self, name: str) -> object | None:
        """Note that a service is asked about; None: there are too many already."""
        if name not in self._asked and len(self._asked) >= MAX_SERVERS:
            return None
        self._asked[name] = question = object()
        return question

    def told(self, name: str, question: object, found: Found | None) -> None:
        """Take an answer; one to an older question, or about a service gone since, is late."""
        if self._asked.get(name) is question:
            if found is None:
                self.gone(name)
            else:
                self._heard[name] = found
                self._fold()

    def gone(self, name: str) -> None:
        """Forget a service."""
        self._asked.pop(name, None)
        if self._heard.pop(name, None) is not None:
            self._fold()

    def _fold(self) -> None:
        servers = fold(self._heard.values(), self._ours)
        if servers != self.servers:
            self.servers = servers
            self._changed.set()


class _Notes(ServiceListener):
    """Called in zeroconf's thread; leaves a note for trio and never waits."""

    def __init__(self, notes: trio.MemorySendChannel[_Note]) -> None:
        self._notes = notes
        self._token = trio.lowlevel.current_trio_token()

    def add_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        """A service appeared."""
        self._leave(name, True)

    def update_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        """What a service says has changed."""
        self._leave(name, True)

    def remove_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        """A service said goodbye or has not been heard of for too long."""
        self._leave(name, False)

    def _leave(self, name: str, is_there: bool) -> None:
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(self._put, name, is_there)

    def _put(self, name: str, is_there: bool) -> None:
        # who makes more notes than are read is flooding the LAN: what is too much is lost
        with suppress(trio.WouldBlock, trio.BrokenResourceError, trio.ClosedResourceError):
            self._notes.send_nowait((name, is_there))


@asynccontextmanager
async def watching(interfaces: Interfaces = InterfaceChoice.All) -> AsyncIterator[Lan]:
    """Keep up with the servers on the LAN while the block runs.

    Raises:
        UnreachableError: this machine has no network to look at.
    """
    lan = Lan(await trio.to_thread.run_sync(machine_addresses))
    notes, to_read = trio.open_memory_channel[_Note](_MAX_NOTES)
    async with AsyncExitStack() as stack:
        try:
            zeroconf = await stack.enter_async_context(_zeroconf(interfaces))
            browse_for = partial(ServiceBrowser, zeroconf, SERVICE, listener=_Notes(notes))
            await trio.to_thread.run_sync(browse_for)
        except (OSError, RuntimeError, ZeroconfError) as error:
            raise UnreachableError(
                f"cannot look for servers on this network ({error}): give the server's address"
            ) from None
        nursery = await stack.enter_async_context(trio.open_nursery())
        for _ in range(_ASK_AT_ONCE):
            nursery.start_soon(_read_notes, lan, zeroconf, to_read)
        yield lan
        nursery.cancel_scope.cancel()


async def _read_notes(
    lan: Lan, zeroconf: Zeroconf, notes: trio.MemoryReceiveChannel[_Note]
) -> None:
    async for name, is_there in notes:
        if not is_there:
            lan.gone(name)
        elif (question := lan.ask(name)) is not None:
            lan.told(name, question, await _ask(zeroconf, name))


async def _ask(zeroconf: Zeroconf, name: str) -> Found | None:
    """Ask a service for its port, addresses and TXT record; None: no answer of any use."""
    try:
        info = ServiceInfo(SERVICE, name)
        request = partial(info.request, zeroconf, ASK_SECONDS * 1000)
        if not await trio.to_thread.run_sync(request, abandon_on_cancel=True):
            return None
        return parse(info.port, info.parsed_scoped_addresses(), info.properties)
    except (OSError, ZeroconfError) as error:
        event(log, "not_understood", service=name, error=repr(error))
        return None


async def browse(
    seconds: float = 2.0, interfaces: Interfaces = InterfaceChoice.All
) -> tuple[Found, ...]:
    """Look for servers on the LAN for so long.

    Raises:
        UnreachableError: this machine has no network to look at.
    """
    async with watching(interfaces) as lan:
        await trio.sleep(seconds)
        return lan.servers
