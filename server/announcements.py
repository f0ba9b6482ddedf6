"""What servers tell the LAN of themselves, as data: written, read, and put together.

Nothing here knows the network. Anybody on the LAN can announce anything, so what is
read is only believed to be a hint: it is cleaned, cut, and dropped where it makes no
sense. Nothing secret is announced.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import msgspec

from hollywood.protocol.wire import VERSIONS

TXT_VERSION = "1"

MAX_RULES = 24
MAX_FREE = 9999
MAX_TEXT = 64
_MAX_ENTRY = 255
"""Bytes of one `key=value` of a TXT record."""

_INSTANCE = re.compile(r"[0-9a-f]{16}")
_RULE_SET = re.compile(r"[A-Za-z0-9_-]{1,40}")
_RANGE = re.compile(r"(\d{1,4})-(\d{1,4})", flags=re.ASCII)
_COUNT = re.compile(r"\d{1,9}", flags=re.ASCII)

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Interface = ipaddress.IPv4Interface | ipaddress.IPv6Interface


class Announcement(msgspec.Struct, frozen=True, kw_only=True):
    """What a server tells the LAN."""

    name: str
    """For people; the machine's name if nobody chose another."""
    port: int
    version: str
    """The program's."""
    v: tuple[int, int] = VERSIONS
    """Oldest and newest protocol version."""
    rules: tuple[str, ...] = ()
    """Names of the rule sets of its tables, each once."""
    free: int = 0
    """Seats that can be taken."""
    tls: bool = False
    instance: str = msgspec.field(default_factory=partial(secrets.token_hex, 8))
    """Tells apart servers, and is the same on every interface; lasts as long as the server."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A server that announced itself. Nothing of it is to be trusted."""

    name: str
    host: str
    """The address to try first."""
    port: int
    alternatives: tuple[str, ...] = ()
    """Its other addresses, the likeliest first."""
    version: str = ""
    v: tuple[int, int] = VERSIONS
    rules: tuple[str, ...] = ()
    free: int = 0
    tls: bool = False
    instance: str

    @property
    def is_ours(self) -> bool:
        """Whether it speaks a protocol version that we speak."""
        return self.v[0] <= VERSIONS[1] and VERSIONS[0] <= self.v[1]


# what is said: pure functions


def properties(info: Announcement, edition: int = 0) -> dict[str, str]:
    """Return the TXT record; rule sets that would make an entry too long are left out.

    Args:
        info: What to tell.
        edition: Another number each time. Without it, a listener that still has an
            older record in mind which says the same would take no notice.
    """
    rules = _up_to(_MAX_ENTRY - len("rules="), dict.fromkeys(info.rules))
    return {
        "txtvers": TXT_VERSION,
        "id": info.instance,
        "name": _plain(info.name),
        "version": _plain(info.version),
        "v": f"{info.v[0]}-{info.v[1]}",
        "rules": rules,
        "free": str(min(max(info.free, 0), MAX_FREE)),
        "tls": "1" if info.tls else "0",
        "edition": str(edition),
    }


def _up_to(most: int, names: Iterable[str]) -> str:
    text = ""
    for name in names:
        longer = f"{text},{name}" if text else name
        if len(longer.encode()) > most:
            break
        text = longer
    return text


def label(info: Announcement) -> str:
    """Return the service's own label: what other programs show; at most 63 bytes, no dots."""
    plain = _plain(info.name).replace(".", " ").encode()[:40].decode(errors="ignore").strip()
    return f"{plain or 'server'} {info.instance[:8]}"


def parse(
    port: int | None, addresses: Iterable[str], record: Mapping[bytes, bytes | None]
) -> Found | None:
    """Read what a machine on the LAN announced; None if that is no server we could join.

    Args:
        port: The port of its SRV record.
        addresses: Its addresses as text, with their zone where they need one.
        record: Its TXT record.
    """
    txt = {_text(key): _text(value or b"") for key, value in record.items()}
    hosts = by_preference(addresses)
    versions = _RANGE.fullmatch(txt.get("v", ""))
    if port is None or not 0 < port < 65536 or not hosts or versions is None:
        return None
    if not _INSTANCE.fullmatch(txt.get("id", "")):
        return None
    oldest, newest = int(versions[1]), int(versions[2])
    rules = [name for name in txt.get("rules", "").split(",") if _RULE_SET.fullmatch(name)]
    free = txt.get("free", "")
    return Found(
        name=_plain(txt.get("name", "")) or hosts[0],
        host=hosts[0],
        port=port,
        alternatives=hosts[1:],
        version=_plain(txt.get("version", "")),
        v=(oldest, max(oldest, newest)),
        rules=tuple(dict.fromkeys(rules[:MAX_RULES])),
        free=min(int(free), MAX_FREE) if _COUNT.fullmatch(free) else 0,
        tls=txt.get("tls") == "1",
        instance=txt["id"],
    )


def _text(data: bytes) -> str:
    return data[:_MAX_ENTRY].decode("utf-8", errors="replace")


def _plain(text: str) -> str:
    """Return one short line that moves no cursor and turns no text around."""
    kept = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(kept.split())[:MAX_TEXT].strip()


def by_preference(addresses: Iterable[str], ours: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the addresses that can be connected to, the likeliest to work first.

    >>> by_preference(["fe80::1%eth0", "::1", "10.0.0.7", "fd00::7", "0.0.0.0", "x"])
    ('10.0.0.7', 'fd00::7', 'fe80::1%eth0', '::1')
    >>> by_preference(["172.17.0.1", "192.168.1.9"], ["172.17.0.1/16", "192.168.1.3/24"])
    ('192.168.1.9', '172.17.0.1')

    Args:
        addresses: Of one server.
        ours: This machine's addresses with their prefix. What lies in one of its
            networks is near; another machine that has the same address as this one
            cannot be reached there (bridges of containers are alike everywhere).
    """
    near = [ipaddress.ip_interface(own) for own in ours]
    ranks: dict[str, tuple[int, int, str]] = {}
    for text in addresses:
        address = _address(text)
        if address is not None:
            ranks[text] = _rank(address, near), address.version, text
    return tuple(sorted(ranks, key=ranks.__getitem__))


def _address(text: str) -> _Address | None:
    """Read an address that somebody could be connected to at."""
    if not text.isprintable() or len(text) > MAX_TEXT:
        return None
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    is_nobody = address.is_unspecified or address.is_multicast or text == "255.255.255.255"
    return None if is_nobody else address


def _rank(address: _Address, near: Sequence[_Interface]) -> int:
    """Near IPv4, private IPv4, other IPv4, IPv6, our own, link-local, loopback."""
    if address.is_loopback:
        return 6
    if any(address == own.ip for own in near):
        return 4
    if address.version == 4 and any(address in own.network for own in near):
        return 0
    if address.is_link_local:
        return 5
    if address.version == 6:
        return 3
    return 1 if address.is_private else 2


def fold(heard: Iterable[Found], ours: Sequence[str] = ()) -> tuple[Found, ...]:
    """Make one of what one server announced on several interfaces or address families.

    The last one heard says how things are; the addresses of all are kept. Sorted by
    name, then address.
    """
    servers: dict[tuple[str, int], Found] = {}
    for found in heard:
        key = found.instance, found.port
        hosts = [found.host, *found.alternatives]
        if key in servers:
            hosts += [servers[key].host, *servers[key].alternatives]
        first, *others = by_preference(hosts, ours)
        servers[key] = msgspec.structs.replace(found, host=first, alternatives=tuple(others))
    return tuple(sorted(servers.values(), key=lambda s: (s.name.casefold(), s.host, s.port)))


def reachable_at(host: str | None, ours: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses at which the LAN reaches a server that listens on `host`.

    None at all where it listens for this machine only: then there is nothing to announce.

    >>> reachable_at(None, ["127.0.0.1/8", "10.0.0.7/24", "fd00::7/64", "fe80::7/64"])
    ('10.0.0.7', 'fd00::7')
    >>> reachable_at("0.0.0.0", ["127.0.0.1/8", "10.0.0.7/24", "fd00::7/64"])
    ('10.0.0.7',)
    >>> reachable_at("127.0.0.1", ["127.0.0.1/8", "10.0.0.7/24"])
    ()

    Args:
        host: An address; None: all of the machine's.
        ours: This machine's addresses with their prefix.
    """
    asked = None if host is None else ipaddress.ip_address(host)
    if asked is not None and not asked.is_unspecified:
        return () if asked.is_loopback else (str(asked),)
    versions = (4, 6) if asked is None else (asked.version,)
    own = [ipaddress.ip_interface(text).ip for text in ours]
    # a link-local IPv6 address means nothing to others: its zone is theirs to know
    reached = [
        str(address)
        for address in own
        if address.version in versions
        and not address.is_loopback
        and not (address.version == 6 and address.is_link_local)
    ]
    return by_preference(reached)
