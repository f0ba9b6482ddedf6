"""Run a trio program as a guest of the asyncio loop that prompt_toolkit owns.

Everything runs in one thread: what the trio side calls may touch the model and
the application, and key bindings may call what never blocks on the trio side.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

import trio

if TYPE_CHECKING:
    from outcome import Outcome

T = TypeVar("T")

_SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT")


async def run_ui_with_trio(
    ui: Callable[[], Coroutine[Any, Any, T]], net: Callable[[], Awaitable[object]]
) -> T:
    """Run `ui`, an asyncio coroutine function, with `net`, a trio one, beside it.

    When `ui` returns or raises, `net` is cancelled and waited for. When `net`
    raises, `ui` is cancelled (prompt_toolkit restores the terminal) and the error
    comes out here; when it returns, `ui` goes on. A callback of the loop that
    raises (a key, a redraw) counts as `ui` raising. SIGTERM and SIGHUP cancel
    `ui`, and `asyncio.CancelledError` comes out.
    """
    loop = asyncio.get_running_loop()
    net_done: asyncio.Future[None] = loop.create_future()
    scope = trio.CancelScope()
    errors: list[BaseException] = []
    ui_task = asyncio.ensure_future(ui())

    async def guest() -> None:
        with scope:
            await net()

    def on_net_done(outcome: Outcome[object]) -> None:
        if (error := getattr(outcome, "error", None)) is not None:
            errors.append(error)
            ui_task.cancel()
        net_done.set_result(None)

    def on_loop_error(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        errors.append(context.get("exception") or RuntimeError(context["message"]))
        ui_task.cancel()

    old_handler = loop.get_exception_handler()
    loop.set_exception_handler(on_loop_error)
    on_signal(loop, "SIGTERM", ui_task.cancel)
    on_signal(loop, "SIGHUP", ui_task.cancel)
    trio.lowlevel.start_guest_run(
        guest,
        done_callback=on_net_done,
        run_sync_soon_threadsafe=loop.call_soon_threadsafe,
        run_sync_soon_not_threadsafe=loop.call_soon,
        host_uses_signal_set_wakeup_fd=True,
    )
    result: list[T] = []
    cancelled: asyncio.CancelledError | None = None
    try:
        result.append(await ui_task)  # the terminal is back to normal after this
    except asyncio.CancelledError as error:
        cancelled = error
    except BaseException as error:  # noqa: BLE001 - comes out again below
        errors.append(error)
    scope.cancel()  # no effect when net is done
    # an impatient Ctrl-C must not abandon the guest half way through its goodbye
    on_signal(loop, "SIGINT", scope.cancel)
    while not net_done.done():
        try:
            await asyncio.shield(net_done)
        except asyncio.CancelledError as error:
            cancelled = error
    for name in _SIGNALS:
        on_signal(loop, name, None)
    loop.set_exception_handler(old_handler)
    if errors:
        raise errors[0]
    if cancelled is not None:
        raise cancelled
    return result[0]


def on_signal(
    loop: asyncio.AbstractEventLoop, name: str, callback: Callable[[], object] | None
) -> None:
    """Call something on a signal, from the loop; None: no more."""
    # no such signal on Windows, and none outside the main thread
    with contextlib.suppress(AttributeError, NotImplementedError, RuntimeError, ValueError):
        number = getattr(signal, name)
        if callback is None:
            loop.remove_signal_handler(number)
        else:
            loop.add_signal_handler(number, callback)
