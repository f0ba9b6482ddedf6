"""What is laid down comes back, and what is cleared is used again."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hollywood.server.chronicle import Chronicle
from hollywood.server.shelf import Place, Shelf


@given(
    packs=st.lists(st.binary(max_size=900), max_size=30),
    cleared=st.sets(st.integers(0, 29)),
    more=st.lists(st.binary(max_size=900), max_size=30),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_pack_comes_back(
    tmp_path: Path, packs: list[bytes], cleared: set[int], more: list[bytes]
) -> None:
    shelf = Shelf(tmp_path)
    placed = [(put(shelf, pack), pack) for pack in packs]
    for number in cleared & set(range(len(placed))):
        shelf.clear(placed[number][0])
    kept = [pair for number, pair in enumerate(placed) if number not in cleared]
    kept += [(put(shelf, pack), pack) for pack in more]
    assert [shelf.get(place) for place, _ in kept] == [pack for _, pack in kept]
    shelf.close()


def test_games_that_come_and_go_take_no_more_room(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    sizes = []
    for _ in range(20):
        kept = Chronicle[int](int, shelf)
        kept.extend(range(5000))
        assert list(kept) == list(range(5000))
        sizes.append(shelf.blocks)
        del kept
    assert sizes[0] > 0
    assert set(sizes) == {sizes[0]}
    shelf.close()


def test_garbage_that_is_found_while_a_pack_is_laid_down_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the collector runs is nobody's choice: it may find a game within `put`."""
    shelf = Shelf(tmp_path)
    old = put(shelf, b"of a game that is over")
    write = os.write

    def collect(fd: int, pack: bytes) -> int:
        shelf.clear(old)
        return write(fd, pack)

    with monkeypatch.context() as collecting:
        collecting.setattr(os, "write", collect)
        new = put(shelf, b"of one that goes on")
    later = put(shelf, b"and of a third")
    assert shelf.get(new) == b"of one that goes on"
    assert shelf.get(later) == b"and of a third"
    assert later >> 32 == old >> 32
    shelf.close()


def test_the_file_has_no_name(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.put(b"what happened")
    assert list(tmp_path.iterdir()) == []
    shelf.close()


def test_what_was_given_up_is_neither_read_nor_written(tmp_path: Path) -> None:
    """Its descriptor may be another file's by then."""
    shelf = Shelf(tmp_path)
    place = put(shelf, b"what happened")
    shelf.close()
    other = os.open(tmp_path / "other", os.O_RDWR | os.O_CREAT)
    assert shelf.put(b"more") is None
    with pytest.raises(OSError, match="descriptor"):
        shelf.get(place)
    shelf.close()
    assert os.fstat(other).st_size == 0
    os.close(other)


def test_what_finds_no_room_stays_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shelf = Shelf(tmp_path)
    kept = Chronicle[int](int, shelf)
    kept.extend(range(2000))
    with monkeypatch.context() as broken:
        broken.setattr(os, "write", disk_is_full)
        kept.extend(range(2000, 4000))
        assert "No space left" in caplog.text
        assert len(caplog.records) == 1, "said once"
    kept.extend(range(4000, 6000))
    assert list(kept) == list(range(6000))
    del kept
    shelf.close()


def disk_is_full(fd: int, pack: bytes) -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def put(shelf: Shelf, pack: bytes) -> Place:
    """Lay a pack down where there is room."""
    place = shelf.put(pack)
    assert place is not None
    return place
