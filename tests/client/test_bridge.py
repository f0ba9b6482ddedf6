"""The bridge: whatever ends, both sides end, and every error comes out."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

import pytest
import trio

from hollywood.client.bridge import run_ui_with_trio


async def for_ever() -> str:
    await asyncio.Event().wait()
    return "never"


def test_the_result_of_the_ui_ends_the_network() -> None:
    seen: list[str] = []

    async def net() -> None:
        try:
            await trio.sleep_forever()
        finally:
            seen.append("cancelled")

    async def ui() -> str:
        await asyncio.sleep(0)
        return "quit"

    assert asyncio.run(run_ui_with_trio(ui, net)) == "quit"
    assert seen == ["cancelled"]


def test_the_ui_goes_on_when_the_network_returns() -> None:
    done: list[Callable[[], None]] = []

    async def net() -> None:
        await trio.lowlevel.checkpoint()
        done[0]()

    async def ui() -> str:
        returned = asyncio.Event()
        done.append(returned.set)
        await returned.wait()
        await asyncio.sleep(0.01)
        return "later"

    assert asyncio.run(run_ui_with_trio(ui, net)) == "later"


def test_an_error_of_the_network_ends_the_ui() -> None:
    async def net() -> None:
        await trio.lowlevel.checkpoint()
        raise KeyError("net")

    with pytest.raises(KeyError, match="net"):
        asyncio.run(run_ui_with_trio(for_ever, net))


def test_an_error_of_the_ui_ends_the_network() -> None:
    async def ui() -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(run_ui_with_trio(ui, trio.sleep_forever))


def test_an_error_in_a_callback_of_the_loop_counts_as_the_uis() -> None:
    def bug() -> None:
        raise IndexError("a key binding")

    async def ui() -> str:
        asyncio.get_running_loop().call_soon(bug)
        return await for_ever()

    with pytest.raises(IndexError, match="a key binding"):
        asyncio.run(run_ui_with_trio(ui, trio.sleep_forever))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_cancels(number: signal.Signals) -> None:
    async def ui() -> str:
        signal.raise_signal(number)
        return await for_ever()

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run_ui_with_trio(ui, trio.sleep_forever))


def test_two_runs_in_a_row_on_one_loop() -> None:
    async def ui() -> str:
        return "done"

    async def both() -> list[str]:
        return [await run_ui_with_trio(ui, trio.sleep_forever) for _ in range(2)]

    assert asyncio.run(both()) == ["done", "done"]
