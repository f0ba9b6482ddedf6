"""Some of the runs of `interleavings.py`."""

from __future__ import annotations

import pytest
from trio.testing import MockClock

from .interleavings import disturbed


@pytest.mark.parametrize("part", range(5))
async def test_flaky_clients_play_the_undisturbed_game(
    autojump_clock: MockClock, part: int
) -> None:
    breaks = 0
    for number in range(part * 20, part * 20 + 20):
        breaks += await disturbed(number)
    assert breaks > 20
