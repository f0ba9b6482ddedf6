"""What is kept packed is what was put in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.local import play_recorded
from hollywood.protocol.rules import Event
from hollywood.protocol.rules.records import Step
from hollywood.server.chronicle import Chronicle
from house import RULES


@given(st.lists(st.integers(0, 300), max_size=6), st.integers(0, 1500), st.integers(0, 1500))
def test_any_part_is_the_part_of_a_list(sizes: list[int], first: int, last: int) -> None:
    kept = Chronicle[int](int)
    plain: list[int] = []
    for size in sizes:
        news = range(len(plain), len(plain) + size)
        kept.extend(news)
        plain.extend(news)
    assert len(kept) == len(plain)
    assert list(kept) == plain
    assert kept[first:last] == plain[first:last]
    assert kept[-first:] == plain[-first:]


def test_a_place_where_nothing_is() -> None:
    kept = Chronicle[int](int)
    kept.extend(range(1000))
    assert (kept[0], kept[777], kept[-1]) == (0, 777, 999)
    with pytest.raises(IndexError):
        kept[1000]


def test_a_whole_game_comes_back_in_a_twentieth_of_its_size() -> None:
    bots = (GreedyBot, RandomBot, GreedyBot, RandomBot)
    _, record = play_recorded(RULES, bots, b"kept" * 8)
    events, steps = Chronicle[Event](Event), Chronicle[Step](Step)
    for event in record.events:
        events.append(event)
    for step in record.steps:
        steps.append(step)
    assert tuple(events) == record.events
    assert tuple(steps) == record.steps
    # an event is some 150 bytes in memory, and some 40 on the wire
    packs = [*events._volumes, *events._sheets]
    packed = sum([len(pack) for pack in packs if isinstance(pack, bytes)])
    assert packed > 0
    assert packed < 15 * len(record.events)
