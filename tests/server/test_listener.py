"""What a server does beside its connections."""

from __future__ import annotations

import gc
from unittest import mock

import pytest
import trio
from trio.testing import MockClock

from hollywood.server import listener
from hollywood.server.config import ServerConfig
from hollywood.server.listener import Server
from house import RULES


async def test_memory_is_searched_now_and_then_and_never_in_between(
    autojump_clock: MockClock,
) -> None:
    usual = gc.get_threshold()
    with mock.patch.object(gc, "collect") as collect:
        async with trio.open_nursery() as nursery:
            config = ServerConfig(host="127.0.0.1", port=0, rules=RULES)
            await nursery.start(Server(config).run)
            await trio.sleep(1)
            assert gc.get_threshold()[:2] == usual[:2]
            assert gc.get_threshold()[2] > 1_000_000
            await trio.sleep(1800)
            assert collect.call_count == 3
            nursery.cancel_scope.cancel()
    assert gc.get_threshold() == usual


@pytest.mark.parametrize(("plays_until", "searched_at"), [(0, 600), (930, 960), (9e9, 3600)])
async def test_memory_is_searched_when_nobody_plays_or_once_an_hour(
    plays_until: float,
    searched_at: float,
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Lobby:
        @property
        def has_games(self) -> bool:
            return trio.current_time() - began < plays_until

    began = trio.current_time()
    searches: list[float] = []
    monkeypatch.setattr("gc.collect", lambda: searches.append(trio.current_time() - began))
    with trio.move_on_after(3700):
        await listener._tidy_up(Lobby())  # type: ignore[arg-type]
    assert searches[0] == pytest.approx(searched_at)
