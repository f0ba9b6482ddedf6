"""What a redraw of the table costs: the pure frame, and the whole of it in a terminal.

    python bench/frames.py

CPU time of the process, eight players, eighteen cards in hand, ten melds, hints on;
and the time on the wall from a key to the bytes for the terminal.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from prompt_toolkit.input import create_pipe_input

from client.scenes import eight_players
from client.table import Client
from client.term import Term
from hollywood.client.hints import look_at
from hollywood.client.prefs import Prefs
from hollywood.client.presenter import Presenter
from hollywood.client.stage import TableStage

SIZES = ((40, 10), (80, 24), (120, 40), (200, 60))
ROUNDS = 200


def milliseconds(spent: list[float]) -> str:
    """Median and 95th percentile of seconds."""
    ordered = sorted(spent)
    return (
        f"{statistics.median(ordered) * 1000:6.2f} {ordered[int(len(ordered) * 0.95)] * 1000:6.2f}"
    )


def crowded() -> Client:
    """A full table with everything that can be shown."""
    client = Client(eight_players(18), seat=2, seconds=9.0)
    client.desk.prefs.hints = True
    client.desk.glance = look_at(client.view)
    for i in range(100):
        client.model.log.append(f"line {i}: gus discarded 7H and bea laid off QS on b")
    return client


def frames(client: Client, cols: int, rows: int) -> list[float]:
    """CPU seconds of each pure frame; the countdown differs in each."""
    spent: list[float] = []
    for i in range(ROUNDS):
        client.now += 0.01 if i else 0.0
        began = time.process_time()
        client.lines(cols, rows)
        spent.append(time.process_time() - began)
    return spent


async def redraws(client: Client, cols: int, rows: int) -> tuple[list[float], list[float]]:
    """CPU seconds of each redraw by prompt_toolkit, and seconds from a key to the screen."""
    term = Term(cols, rows)
    spent: list[float] = []
    waited: list[float] = []
    with create_pipe_input() as keys:
        stage = TableStage(client.model, lambda _message: True, Prefs(client.desk.prefs.look))
        stage.desk = client.desk
        app = Presenter(stage, clock=lambda: client.now).build(keys, term.output)
        running = asyncio.create_task(app.run_async(set_exception_handler=False))
        while not app.is_running or not term.raw:
            await asyncio.sleep(0.01)
        written = asyncio.Event()

        def write(data: str) -> int:
            written.set()
            return len(data)

        term.write = write  # type: ignore[method-assign]  # no time for pyte
        for i in range(ROUNDS):
            client.desk.hand.move(1 if i % 2 else -1)
            client.now += 0.01
            began = time.process_time()
            app._redraw()
            spent.append(time.process_time() - began)
        for i in range(ROUNDS // 4):
            await asyncio.sleep(0.01)
            written.clear()
            began = time.perf_counter()
            keys.send_text("0" if i % 2 else "J")
            await written.wait()
            waited.append(time.perf_counter() - began)
        app.exit(result="quit")
        await running
    return spent, waited


def main() -> None:
    """Print one line for each size: median and 95th percentile in milliseconds."""
    print("size      pure frame   p95    redraw   p95   (ms of CPU)   key to screen   p95 (ms)")
    for cols, rows in SIZES:
        client = crowded()
        pure = milliseconds(frames(client, cols, rows))
        spent, waited = asyncio.run(redraws(client, cols, rows))
        print(
            f"{f'{cols}x{rows}':9} {pure}    {milliseconds(spent)}"
            f"                 {milliseconds(waited)}"
        )


if __name__ == "__main__":
    main()
