"""Server, link, screens and a terminal in memory: all in one process and one thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace
from prompt_toolkit.input import PipeInput, create_pipe_input

from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.connection import parse_address
from hollywood.client.bridge import run_ui_with_trio
from hollywood.client.menu import Server as ServerAt
from hollywood.client.prefs import Prefs
from hollywood.client.presenter import Presenter
from hollywood.client.run import Network
from hollywood.client.screens import Goal, Screens
from hollywood.client.seats import SeatKeeper
from hollywood.client.stage import News
from hollywood.protocol.errors import UnreachableError
from hollywood.protocol.rules import load_rules
from hollywood.server.config import Clocks, HouseBot, ServerConfig, TableConfig
from hollywood.server.journal import Journal
from hollywood.server.listener import Server
from hollywood.server.store import Store

from .term import Term

RULES = load_rules("hollywood")
HERE = "127.0.0.1"
CLOCKS = Clocks(window=None, turn=None, pause=float("inf"))


@pytest.fixture
def pipe() -> Iterator[PipeInput]:
    with create_pipe_input() as made:
        yield made


def table(seats: int = 2) -> TableConfig:
    house = tuple(HouseBot(f"bot {i}", RandomBot) for i in range(seats - 1))
    return TableConfig(
        name="den", rules=RULES, seats=seats, house=house, seed=b"w" * 32, clocks=CLOCKS
    )


class World:
    """A server that can be stopped and started again, and one client in a terminal."""

    def __init__(
        self,
        pipe: PipeInput,
        goal: Goal,
        *,
        data: Path | None = None,
        keeper: SeatKeeper | None = None,
        tables: tuple[TableConfig, ...] = (),
    ) -> None:
        self.term = Term()
        self.server: Server | None = None
        self.screens: Screens | None = None
        self.port = 0
        self._data = data
        self._tables = tables
        self._goal = goal
        self._keeper = keeper
        self._pipe = pipe
        self._nursery: trio.Nursery | None = None

    def press(self, keys: str) -> None:
        self._pipe.send_text(keys)

    async def until(self, want: str | Callable[[], bool]) -> None:
        await self.term.until(want, timeout=40)

    async def _serve(self, nursery: trio.Nursery) -> None:
        config = ServerConfig(
            host=HERE, port=self.port, rules=RULES, tables=self._tables, clocks=CLOCKS
        )
        journal = None if self._data is None else Journal(Store(self._data))
        self.server = Server(config, journal)
        self.port = await nursery.start(self.server.run)

    async def _keep_serving(self, *, task_status: trio.TaskStatus[trio.CancelScope]) -> None:
        """Serve until cancelled by itself: as elsewhere, a server hears the client's goodbye."""
        with trio.CancelScope(shield=True) as scope:
            async with trio.open_nursery() as self._nursery:
                await self._serve(self._nursery)
                task_status.started(scope)
                await trio.sleep_forever()

    def restart(self) -> None:
        """Start a server on the same port and data, in the trio side's own time."""
        assert self._nursery is not None, "the world turns"
        self._nursery.start_soon(self._serve, self._nursery)

    def play(self, script: Callable[[World], Coroutine[None, None, None]]) -> str:
        prefs = Prefs(name="ann")

        async def go() -> str:
            def tell(news: News) -> None:
                presenter.on_message(news)

            network = Network(self._goal, prefs, tell, self._keeper)
            screens = Screens(prefs, network, self._goal, parse_address, ("random",))
            self.screens = screens
            presenter = Presenter(screens)
            app = presenter.build(self._pipe, self.term.output)

            async def net() -> None:
                async with trio.open_nursery() as nursery:
                    servers: trio.CancelScope = await nursery.start(self._keep_serving)
                    if self._goal.server is not None:
                        network.set_port(self.port)
                    try:
                        await network.run()
                        await trio.sleep_forever()
                    finally:
                        servers.cancel()

            async def ui() -> str:
                async with asyncio.TaskGroup() as group:
                    group.create_task(script(self))
                    return await app.run_async(set_exception_handler=False)

            return await run_ui_with_trio(ui, net)

        return asyncio.run(asyncio.wait_for(go(), 120))


def test_a_table_is_made_played_at_and_left(pipe: PipeInput) -> None:
    world = World(pipe, Goal(server=ServerAt(host=HERE, port=1)))

    async def script(world: World) -> None:
        await world.until("no tables yet")
        world.press("c")
        await world.until("A new table")
        world.press("\x15attic\r")  # Ctrl-U, the name, Enter
        await world.until("you, owner")
        world.press("thello\r\x1b")
        await world.until("<ann> hello")
        world.press("s")
        await world.until(lambda: "BUY?" in world.term.text() or "TAKE?" in world.term.text())
        world.press("q")
        await world.until("leave?")
        world.press("y")
        await world.until("all taken")
        assert world.server is not None
        assert world.server.lobby.tables["attic"].seats[0].kind == "house"
        world.press("q")

    assert world.play(script) == "quit"


def test_after_a_game_the_same_table_plays_again(pipe: PipeInput) -> None:
    house = (HouseBot("bot", RandomBot),)
    limits = RULES.buy.limit_round
    assert isinstance(limits, tuple)
    buy = replace(RULES.buy, limit_round=limits[:1])
    short = replace(RULES, rounds=RULES.rounds[:1], buy=buy)
    hasty = Clocks(window=0.01, turn=0.01, pause=0.01, start_up=0)
    den = TableConfig(name="den", rules=short, seats=2, house=house, seed=b"w" * 32, clocks=hasty)
    world = World(pipe, Goal(server=ServerAt(host=HERE, port=1), table="den"), tables=(den,))

    async def script(world: World) -> None:
        await world.until("The game is over")
        assert "won with" in world.term.text()
        assert world.screens is not None
        assert world.screens.table is not None
        model = world.screens.table.model
        first = model._commitment

        def is_over_again() -> bool:
            return model._commitment != first and model.is_game_over

        world.press("r")
        await world.until(lambda: is_over_again() and "The game is over" in world.term.text())
        world.press("\r")

    assert world.play(script) == "game over"


def test_leaving_and_ending_at_once_gives_the_seat_up(pipe: PipeInput) -> None:
    world = World(pipe, Goal(server=ServerAt(host=HERE, port=1), table="den"), tables=(table(3),))

    async def script(world: World) -> None:
        await world.until(lambda: "TAKE?" in world.term.text() or "BUY?" in world.term.text())
        world.press("q")
        await world.until("leave?")
        world.press("y")

    assert world.play(script) == "quit"
    assert world.server is not None
    table_left = world.server.lobby.tables.get("den")
    assert table_left is None or table_left.seats[0].kind != "player"


def test_a_server_that_is_stopped_and_started_again_goes_on(
    pipe: PipeInput, tmp_path: Path
) -> None:
    goal = Goal(server=ServerAt(host=HERE, port=1), table="den")
    world = World(pipe, goal, data=tmp_path / "data", tables=(table(3),))

    async def script(world: World) -> None:
        def is_asked() -> bool:
            return "TAKE?" in world.term.text() or "BUY?" in world.term.text()

        await world.until(is_asked)
        hand = world.term.text().splitlines()[-2]
        assert world.server is not None
        world.server.stop()
        await world.until("LINK LOST")
        assert world.term.text().splitlines()[-2] == hand
        world.restart()
        await world.until(lambda: "LINK LOST" not in world.term.text() and is_asked())
        assert world.term.text().splitlines()[-2] == hand
        world.press("\x03\x03")

    assert world.play(script) == "kept"


def test_a_server_that_is_not_there_is_an_error_at_once(pipe: PipeInput) -> None:
    world = World(pipe, Goal(server=ServerAt(host=HERE, port=1), table="den"))

    async def net_is_gone(world: World) -> None:
        await asyncio.sleep(10)

    async def serve_nothing(_nursery: trio.Nursery) -> None:
        world.port = 1
        await trio.lowlevel.checkpoint()

    world._serve = serve_nothing  # type: ignore[assignment, method-assign]
    with pytest.raises(BaseExceptionGroup) as caught:
        world.play(net_is_gone)
    leaf: BaseException = caught.value
    while isinstance(leaf, BaseExceptionGroup):
        leaf = leaf.exceptions[0]
    assert isinstance(leaf, UnreachableError)
