"""What is announced on the LAN, what is believed of it, and once the real thing."""

from __future__ import annotations

import logging
import socket
import struct
from collections.abc import Callable

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from zeroconf import IPVersion, Zeroconf

from hollywood.protocol.errors import ErrorCode, UnreachableError
from hollywood.protocol.rules import rule_set_names
from hollywood.protocol.wire import VERSIONS
from hollywood.server import discovery
from hollywood.server.announcements import (
    MAX_FREE,
    MAX_TEXT,
    Announcement,
    Found,
    by_preference,
    fold,
    label,
    parse,
    properties,
    reachable_at,
)
from hollywood.server.discovery import Lan, announce, browse, ip_version, watching

INFO = Announcement(
    name="Zoë's den",
    port=7878,
    version="0.1.0",
    rules=("dummy", "hollywood"),
    free=3,
    instance="00112233aabbccdd",
)
FOUND = Found(name="den", host="10.0.0.7", port=7878, instance="00112233aabbccdd")


def record(**changed: str) -> dict[bytes, bytes | None]:
    """A TXT record as it arrives."""
    return {key.encode(): text.encode() for key, text in (properties(INFO) | changed).items()}


# what is said


def test_what_is_announced_is_what_is_found() -> None:
    found = parse(INFO.port, ["10.0.0.7", "fd00::7"], record())
    assert found == Found(
        name="Zoë's den",
        host="10.0.0.7",
        port=7878,
        alternatives=("fd00::7",),
        version="0.1.0",
        v=VERSIONS,
        rules=("dummy", "hollywood"),
        free=3,
        tls=False,
        instance=INFO.instance,
    )


@given(
    st.builds(
        Announcement,
        name=st.text(max_size=300),
        port=st.integers(1, 65535),
        version=st.text(max_size=300),
        rules=st.lists(st.sampled_from([*rule_set_names(), "my_house"]), max_size=40).map(tuple),
        free=st.integers(-5, 10**6),
        tls=st.booleans(),
    )
)
def test_any_announcement_fits_and_can_be_read(info: Announcement) -> None:
    told = properties(info)
    assert all(len(f"{key}={text}".encode()) <= 255 for key, text in told.items())
    assert len(label(info).encode()) <= 63
    assert "." not in label(info)
    raw: dict[bytes, bytes | None] = {key.encode(): text.encode() for key, text in told.items()}
    found = parse(info.port, ["10.0.0.7"], raw)
    assert found is not None
    assert (found.instance, found.tls, found.port) == (info.instance, info.tls, info.port)
    assert set(found.rules) <= set(info.rules)
    assert found.free == min(max(info.free, 0), MAX_FREE)


def test_rule_sets_are_told_once_and_never_by_halves() -> None:
    info = replace(INFO, rules=("dummy", *(f"house_{n}" for n in range(100)), "dummy"))
    told = properties(info)["rules"].split(",")
    assert told[0] == "dummy"
    assert told[1:] == [f"house_{n}" for n in range(len(told) - 1)]
    assert len(told) > 20


@pytest.mark.parametrize(
    ("port", "addresses", "changed"),
    [
        (None, ["10.0.0.7"], {}),
        (0, ["10.0.0.7"], {}),
        (65536, ["10.0.0.7"], {}),
        (7878, [], {}),
        (7878, ["0.0.0.0", "224.0.0.251", "ff02::1", "255.255.255.255", "den", ""], {}),
        (7878, ["10.0.0.7"], {"id": ""}),
        (7878, ["10.0.0.7"], {"id": "00112233AABBCCDD"}),
        (7878, ["10.0.0.7"], {"id": "00112233aabbccdd\n"}),
        (7878, ["10.0.0.7"], {"v": ""}),
        (7878, ["10.0.0.7"], {"v": "1"}),
        (7878, ["10.0.0.7"], {"v": "١-١"}),
    ],
)
def test_what_nobody_could_join_is_dropped(
    port: int | None, addresses: list[str], changed: dict[str, str]
) -> None:
    assert parse(port, addresses, record(**changed)) is None


def test_rubbish_is_cleaned() -> None:
    found = parse(
        7878,
        ["10.0.0.7", "fe80::1%\x1b[2J"],
        record(
            name="\x1b[2Jeve\r\n\u202emoc " + "x" * 200,
            version="\x00",
            rules="dummy,,../etc,\x1b[31m,hollywood,dummy",
            free="-1",
            tls="yes",
        ),
    )
    assert found is not None
    assert found.name == ("[2Jeve moc " + "x" * 200)[:MAX_TEXT]
    assert found.alternatives == ()
    assert (found.version, found.rules, found.free, found.tls) == (
        "", ("dummy", "hollywood"), 0, False,
    )  # fmt: skip


@given(
    st.one_of(st.none(), st.integers()),
    st.lists(st.one_of(st.text(), st.ip_addresses().map(str))),
    st.dictionaries(
        st.one_of(st.binary(), st.sampled_from([*record()])),
        st.one_of(st.none(), st.binary(max_size=400)),
    ),
)
def test_nothing_that_is_announced_breaks_anything(
    port: int | None, addresses: list[str], txt: dict[bytes, bytes | None]
) -> None:
    base: dict[bytes, bytes | None] = {b"id": b"00112233aabbccdd", b"v": b"1-1"}
    for told in (txt, base | txt, txt | base):
        found = parse(port, addresses, told)
        if found is not None:
            texts = [found.name, found.version, found.host, *found.rules, *found.alternatives]
            assert all(text.isprintable() and len(text) <= MAX_TEXT for text in texts)
            assert found.name
            assert 0 <= found.free <= MAX_FREE


def test_a_nameless_server_is_called_by_its_address() -> None:
    found = parse(7878, ["10.0.0.7"], record(name=" \t"))
    assert found is not None
    assert found.name == "10.0.0.7"


def test_who_speaks_our_protocol() -> None:
    newest = VERSIONS[1]
    assert replace(FOUND, v=(newest, newest + 3)).is_ours
    assert not replace(FOUND, v=(newest + 1, newest + 3)).is_ours
    backwards = parse(7878, ["10.0.0.7"], record(v="9-2"))
    assert backwards is not None
    assert backwards.v == (9, 9)


# addresses and folding


def test_the_likeliest_address_comes_first() -> None:
    ours = ["127.0.0.1/8", "192.168.1.3/24", "172.17.0.1/16", "fe80::3/64"]
    told = [
        "::1", "fe80::9%2", "2001:db8::9", "8.8.8.8", "10.9.9.9", "172.17.0.1", "192.168.1.9",
    ]  # fmt: skip
    assert by_preference(told, ours) == (
        "192.168.1.9", "10.9.9.9", "8.8.8.8", "2001:db8::9", "172.17.0.1", "fe80::9%2", "::1",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("addresses", "version"),
    [
        (("127.0.0.1/8", "::1/128"), IPVersion.V4Only),
        (("127.0.0.1/8", "::1/128", "10.0.0.2/24"), IPVersion.V4Only),
        (("127.0.0.1/8", "10.0.0.2/24", "fe80::2/64"), IPVersion.All),
        (("127.0.0.1/8", "::1/128", "fd77::2/64"), IPVersion.V6Only),
    ],
)
def test_a_machine_speaks_what_it_has(addresses: tuple[str, ...], version: IPVersion) -> None:
    assert ip_version(addresses) is version


def test_a_cable_between_two_machines_is_a_lan() -> None:
    assert by_preference(["10.0.0.1", "169.254.7.7"], ["169.254.1.1/16"])[0] == "169.254.7.7"


def test_a_server_on_this_machine_is_found_at_an_address_of_it() -> None:
    ours = ["127.0.0.1/8", "192.168.1.3/24", "fd00::3/64"]
    assert by_preference(["fd00::3", "192.168.1.3"], ours) == ("192.168.1.3", "fd00::3")


def test_one_server_on_many_interfaces_is_one() -> None:
    heard = [
        replace(FOUND, host="fe80::7%2", free=3),
        replace(FOUND, host="192.168.1.7", alternatives=("fd00::7",), free=2),
        replace(FOUND, name="Attic", host="10.0.0.9", instance="ffffffffffffffff"),
        replace(FOUND, host="192.168.1.7", free=1),
    ]
    attic, den = fold(heard, ["192.168.1.3/24"])
    assert attic.name == "Attic"
    assert (den.host, den.alternatives) == ("192.168.1.7", ("fd00::7", "fe80::7%2"))
    assert den.free == 1


def test_two_servers_are_two() -> None:
    """Of one name, on one machine, or with a port that somebody made up."""
    heard = [
        FOUND,
        replace(FOUND, instance="ffffffffffffffff"),
        replace(FOUND, port=7879),
    ]
    assert len(fold(heard)) == 3


@pytest.mark.parametrize(
    ("host", "reached"),
    [
        (None, ("10.0.0.7", "169.254.7.7", "fd00::7")),
        ("0.0.0.0", ("10.0.0.7", "169.254.7.7")),
        ("::", ("fd00::7",)),
        ("10.0.0.7", ("10.0.0.7",)),
        ("127.0.0.1", ()),
        ("::1", ()),
    ],
)
def test_only_addresses_that_others_reach_are_announced(
    host: str | None, reached: tuple[str, ...]
) -> None:
    ours = ["127.0.0.1/8", "::1/128", "10.0.0.7/24", "fd00::7/64", "fe80::7/64", "169.254.7.7/16"]
    assert set(reachable_at(host, ours)) == set(reached)
    assert reachable_at(host, ours)[:1] == reached[:1]


# keeping up


async def test_a_late_answer_changes_nothing() -> None:
    lan = Lan()
    first, second = lan.ask("a"), lan.ask("a")
    assert first is not None
    assert second is not None
    lan.told("a", second, replace(FOUND, free=2))
    lan.told("a", first, replace(FOUND, free=1))
    assert [server.free for server in await lan.changed()] == [2]
    lan.gone("a")
    lan.told("a", second, FOUND)
    assert await lan.changed() == ()


async def test_who_floods_the_lan_does_not_fill_the_memory() -> None:
    lan = Lan()
    questions = [lan.ask(str(n)) for n in range(discovery.MAX_SERVERS + 1)]
    assert questions[-1] is None
    assert None not in questions[:-1]
    assert lan.ask("0") is not None
    lan.told("1", questions[1] or object(), None)
    assert lan.ask("another") is not None


async def test_nothing_is_announced_of_a_server_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_network(interfaces: object, ip_version: IPVersion) -> Zeroconf:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(discovery, "Zeroconf", no_network)
    async with trio.open_nursery() as nursery:
        await nursery.start(announce, INFO, "127.0.0.1")
        nursery.cancel_scope.cancel()


async def test_without_a_network_a_server_runs_on_and_a_client_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The log tells it once, however often it is tried again."""
    tries = 0

    def no_network(interfaces: object, ip_version: IPVersion) -> Zeroconf:
        nonlocal tries
        tries += 1
        raise OSError("no such device")

    monkeypatch.setattr(discovery, "Zeroconf", no_network)
    monkeypatch.setattr(discovery, "NETWORK_SECONDS", 0)
    with caplog.at_level(logging.WARNING):
        async with trio.open_nursery() as nursery:
            await nursery.start(announce, INFO, "10.0.0.7")
            while tries < 3:
                await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()
    assert [entry.message for entry in caplog.records] == ["announcing_failed"]
    with pytest.raises(UnreachableError, match="give the server's address") as refused:
        await browse(0)
    assert refused.value.code is ErrorCode.UNREACHABLE


async def test_where_ipv6_may_not_be_used_it_is_done_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[IPVersion] = []

    def without_it(interfaces: object, ip_version: IPVersion) -> Zeroconf:
        tried.append(ip_version)
        raise OSError("address family not supported")

    monkeypatch.setattr(discovery, "Zeroconf", without_it)
    monkeypatch.setattr(discovery, "machine_addresses", lambda: ("10.0.0.2/24", "fe80::2/64"))
    with pytest.raises(UnreachableError):
        await browse(0)
    assert tried == [IPVersion.All, IPVersion.V4Only]


# the real thing, on this machine only

LOOPBACK = ["127.0.0.1"]


def can_multicast() -> bool:
    """Whether a datagram to a group comes back on the loopback interface."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.bind(("", 0))
            group = socket.inet_aton("224.0.0.251")
            sock.setsockopt(
                socket.IPPROTO_IP,
                socket.IP_ADD_MEMBERSHIP,
                group + socket.inet_aton(LOOPBACK[0]),
            )
            sock.setsockopt(
                socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(LOOPBACK[0])
            )
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, struct.pack("b", 1))
            sock.settimeout(2)
            sock.sendto(b"?", ("224.0.0.251", sock.getsockname()[1]))
            return sock.recv(8) == b"?"
    except OSError:
        return False


async def until(lan: Lan, is_so: Callable[[list[int]], bool]) -> None:
    """Wait until the free seats of our server's entries are so."""
    while not is_so([s.free for s in lan.servers if s.instance == INFO.instance]):
        await lan.changed()


@pytest.mark.skipif(not can_multicast(), reason="no multicast on the loopback interface")
async def test_a_server_is_found_changes_and_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seats go and come back, so that what is told equals what was told before."""
    monkeypatch.setattr(discovery, "REFRESH_SECONDS", 1.1)
    free = 3
    with trio.fail_after(60):
        async with watching(LOOPBACK) as lan:
            async with trio.open_nursery() as nursery:

                def now(info: Announcement) -> Announcement:
                    return replace(info, free=free)

                async def run(task_status: trio.TaskStatus[None]) -> None:
                    await announce(
                        INFO,
                        refresh=now,
                        interfaces=LOOPBACK,
                        addresses=LOOPBACK,
                        task_status=task_status,
                    )

                await nursery.start(run)
                await until(lan, lambda told: told == [3])
                found = next(s for s in lan.servers if s.instance == INFO.instance)
                assert (found.host, found.port, found.name) == ("127.0.0.1", 7878, INFO.name)
                assert found.rules == INFO.rules
                free = 2
                await until(lan, lambda told: told == [2])
                free = 3
                await until(lan, lambda told: told == [3])
                nursery.cancel_scope.cancel()
            await until(lan, lambda told: told == [])
