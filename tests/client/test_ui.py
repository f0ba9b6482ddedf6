"""The application in a terminal in memory: keys in, screen out, no network, no sleeping."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from msgspec.structs import replace
from prompt_toolkit.application import Application
from prompt_toolkit.input import PipeInput, create_pipe_input

from builders import position
from hollywood.client.model import ClientModel, LinkStatus
from hollywood.client.prefs import Prefs
from hollywood.client.presenter import OnMessage, Presenter, build_app
from hollywood.client.stage import TableStage
from hollywood.client.text import Look
from hollywood.protocol.errors import RemoteProtocolError
from hollywood.protocol.rules import Claim, GameState, Pass, Phase, view
from hollywood.protocol.wire import messages as msg

from .referee import Referee
from .term import Term

LEFT_ALTERNATE_SCREEN = "\x1b[?1049l"


@pytest.fixture
def pipe() -> Iterator[PipeInput]:
    with create_pipe_input() as made:
        yield made


class Screen:
    """A client in a terminal at the referee's table."""

    def __init__(
        self,
        pipe: PipeInput,
        state: GameState | None = None,
        *,
        seats: int = 3,
        seed: str = "ui",
        seconds: float | None = None,
        size: tuple[int, int] = (80, 24),
        look: Look | None = None,
    ) -> None:
        self.now = 100.0
        self.term = Term(*size)
        self.model = ClientModel()
        self.app: Application[str]
        self.on_message: OnMessage
        self.app, self.on_message = build_app(
            self.model,
            lambda message: self.referee.receive(message),
            clock=lambda: self.now,
            input=pipe,
            output=self.term.output,
            look=look or Look(),
        )
        seats = seats if state is None else state.seats
        self.referee = Referee(self.on_message, seats=seats, seed=seed, seconds=seconds)
        self._pipe = pipe
        self._state = state

    def begin(self) -> None:
        self.on_message(LinkStatus("online"))
        if self._state is None:
            self.referee.begin()
        else:
            self.referee.set_position(self._state)
            self.referee.join()
            self.model.view = view(self._state, 0)
            self.referee.go_on()
        self.now += 1

    def press(self, text: str) -> None:
        self._pipe.send_text(text)

    async def until(self, want: str | Callable[[], bool]) -> None:
        await self.term.until(want)

    def actions(self) -> list[object]:
        return [m.action for m in self.referee.sent if isinstance(m, msg.AnswerDecision)]


def play(screen: Screen, script: Callable[[], Coroutine[Any, Any, None]]) -> str:
    """Run the application and the script beside it; the script ends it by keys."""

    async def both() -> str:
        async with asyncio.TaskGroup() as group:
            group.create_task(script())
            return await screen.app.run_async(set_exception_handler=False)

    return asyncio.run(asyncio.wait_for(both(), 60))


async def leave(screen: Screen) -> None:
    screen.press("\x03\x03")


def test_a_whole_deal_by_keys_alone(pipe: PipeInput) -> None:
    screen = Screen(pipe, seats=3, seed="short")
    model = screen.model

    def has(*texts: str) -> bool:
        shown = screen.term.text()
        return any(text in shown for text in texts)

    def is_asked() -> bool:
        """What the model waits for is on the screen, not what it waited for before."""
        if model.open_window is not None:
            return has("TAKE?", "BUY?")
        if model.is_our_play:
            return has("YOUR TURN")
        return model.result is not None and has("is over")

    async def acted(keys: str) -> None:
        count = len(screen.actions())
        screen.press(keys)
        await screen.until(lambda: len(screen.actions()) > count)

    async def turn() -> None:
        screen.press("a")
        await screen.until(lambda: has("advice:", "not yet:"))
        if has("Enter plays it"):
            await acted("\r")
        else:
            screen.press("x")
            await screen.until("x yes")
            await acted("x")

    async def script() -> None:
        screen.begin()
        turns = 0
        while True:
            await screen.until(is_asked)
            screen.now += 1
            if model.result is not None:
                break
            if model.is_our_play:
                turns += 1
                await turn()
            else:
                await acted("n")
        assert turns > 1
        assert has("total")
        screen.press("\r")
        await screen.until("round 2/10")
        await leave(screen)

    assert play(screen, script) == "quit"
    assert screen.term.count(LEFT_ALTERNATE_SCREEN) == 1


WINDOW = position(
    "7H 7D 7S KS KH 2C 5S 9C", "3C", "4C", phase=Phase.WINDOW, upcard="7C", discarder=2
)


def test_taking_going_down_and_discarding(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    async def changed(keys: str) -> None:
        before = screen.term.text()
        screen.press(keys)
        await screen.until(lambda: screen.term.text() != before)

    async def script() -> None:
        screen.begin()
        await screen.until("TAKE? [7♣]")
        screen.press("p")
        await screen.until("YOUR TURN: you took 7♣")
        screen.press("g")
        await screen.until("1 set of 3   empty")
        screen.press("\x1b[H7")  # Home; in the composer a digit is a pile
        await screen.until("no pile 7")
        for card in ("7♣", "7♦", "7♥", "7♠"):
            while f"[{card}]" not in screen.term.text():
                await changed("\x1b[C")
            screen.press(" ")
        screen.press("1")
        await screen.until("OK: sevens")
        screen.press("KK")
        await screen.until("[K♠]")
        screen.press(" \x1b[D ")
        await screen.until("[K♥]")
        screen.press("*")
        await screen.until("[2♣]")
        screen.press(" 2")
        await screen.until("OK: kings")
        screen.press("\x1b[H")
        await screen.until("[5♠]")
        screen.press("x")
        await screen.until("legal: Enter plays the whole turn")
        screen.press("\r")
        await screen.until("you WENT DOWN")
        await screen.until("down")
        await leave(screen)

    assert play(screen, script) == "quit"
    assert screen.actions()[0] == Claim()


def test_keys_of_a_window_are_dead_at_first(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    async def script() -> None:
        screen.begin()
        screen.now = 100.1
        await screen.until("TAKE?")
        screen.press("ns")
        await screen.until("K♥ [5♠] 7♠")  # the s arrived: sorted by suit
        assert screen.actions() == []
        screen.now = 101.0
        screen.press("n")
        await screen.until("YOUR TURN")
        await leave(screen)

    assert play(screen, script) == "quit"
    assert screen.actions() == [Pass()]


def test_resizing_redraws_and_loses_nothing(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    async def script() -> None:
        screen.begin()
        await screen.until("buys left 3")
        for cols, rows in ((40, 10), (120, 40), (50, 12), (20, 5), (80, 24)):
            screen.term.screen.reset()
            screen.term.resize(screen.app, cols, rows)
            await screen.until("TAKE?")
            assert all(len(line) <= cols for line in screen.term.text().splitlines())
        await leave(screen)

    assert play(screen, script) == "quit"


def test_ctrl_c_asks_first(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    async def script() -> None:
        screen.begin()
        await screen.until("TAKE?")
        screen.press("\x03")
        await screen.until("y leave, n stay")
        screen.press("n")
        await screen.until(lambda: "y leave" not in screen.term.text())
        screen.press("\x03")
        await screen.until("y leave, n stay")
        screen.press("\x03")

    assert play(screen, script) == "quit"
    assert "".join(screen.term.raw).rindex(LEFT_ALTERNATE_SCREEN) > 0


def test_escape_closes_the_help_without_a_long_wait(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    async def script() -> None:
        screen.begin()
        await screen.until("TAKE?")
        screen.press("?")
        await screen.until("Help")
        screen.press("\x1b[6~\x1b[6~\x1b[6~\x1b[6~\x1b[6~\x1b[6~\x1b[A")  # PgDn past the end, up
        await screen.until("Servers, tables, a new table")
        screen.press("\x1b")
        await screen.until(lambda: "Servers, tables" not in screen.term.text())
        await leave(screen)

    assert play(screen, script) == "quit"


def test_the_game_over_screen_leaves_with_game_over(pipe: PipeInput) -> None:
    state = position("KS", "3C", deal=9, table=[(0, "7: 7C 7D 7H")])
    screen = Screen(pipe, state)

    async def script() -> None:
        screen.begin()
        await screen.until("YOUR TURN")
        screen.press("xx")
        await screen.until("The game is over")
        screen.press("\r")

    assert play(screen, script) == "game over"


def test_the_bell_rings_and_the_title_says_why(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    async def script() -> None:
        await screen.until("connecting")
        screen.begin()
        await screen.until("TAKE?")
        assert "".join(screen.term.raw).count("\x07") >= 1
        await screen.until(lambda: screen.term.screen.title == "take 7C? - Hollywood rummy")
        screen.press("n")
        await screen.until("YOUR TURN")
        await screen.until(lambda: screen.term.screen.title == "your turn - Hollywood rummy")
        await leave(screen)

    assert play(screen, script) == "quit"


def test_nothing_is_painted_while_nothing_changes(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    async def script() -> None:
        screen.begin()
        await screen.until("TAKE?")
        screen.on_message(msg.Pong(n=1))
        screen.press("s")
        await screen.until("K♥ [5♠] 7♠")
        before = screen.app.render_counter
        for n in range(20):
            screen.on_message(msg.Pong(n=n))
            await asyncio.sleep(0)
        assert screen.app.render_counter == before
        await leave(screen)

    assert play(screen, script) == "quit"


def test_a_countdown_repaints_by_itself(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW, seconds=9.0)

    async def script() -> None:
        await screen.until("connecting")
        screen.begin()
        await screen.until("8.0s")
        screen.now = 103.0
        await screen.until("6.0s")
        await leave(screen)

    assert play(screen, script) == "quit"


def test_a_lost_link_keeps_the_table_and_refuses_aloud(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    async def script() -> None:
        screen.begin()
        await screen.until("TAKE?")
        screen.referee.is_online = False
        screen.press("p")
        await screen.until("not connected: nothing was sent")
        screen.on_message(LinkStatus("lost", 2.0))
        await screen.until("LINK LOST")
        screen.referee.is_online = True
        screen.on_message(LinkStatus("online"))
        screen.referee.join()
        screen.referee.ask_again()
        await screen.until("TAKE?")
        await leave(screen)

    assert play(screen, script) == "quit"


def test_ascii_only_where_asked_for(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW, look=Look(ascii=True))

    async def script() -> None:
        screen.begin()
        await screen.until("TAKE? [7c]")
        assert screen.term.text().isascii()
        await leave(screen)

    assert play(screen, script) == "quit"


def test_no_color_writes_no_colors(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW, look=Look(color=False))

    async def script() -> None:
        screen.begin()
        await screen.until("TAKE?")
        await leave(screen)

    play(screen, script)
    assert not any(f"\x1b[0;3{n}" in "".join(screen.term.raw) for n in range(1, 8))


def test_ctrl_l_draws_anew(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    async def script() -> None:
        screen.begin()
        await screen.until("TAKE?")
        screen.term.screen.reset()
        screen.press("\x0c")
        await screen.until("TAKE?")
        await leave(screen)

    assert play(screen, script) == "quit"


def test_a_fault_of_the_server_comes_out_of_on_message(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)
    screen.begin()
    with pytest.raises(RemoteProtocolError, match="missing"):
        screen.on_message(msg.Events(seq=999, events=()))


# the mouse, texts, colours


def click(screen: Screen, text: str) -> None:
    """Press and release the left button on the first place where that text stands."""
    row, line = next((i, line) for i, line in enumerate(screen.term.screen.display) if text in line)
    at = f"{line.index(text) + 1};{row + 1}"
    screen.press(f"\x1b[<0;{at}M\x1b[<0;{at}m")


def test_clicks_take_select_and_open_the_help(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    async def script() -> None:
        screen.begin()
        await screen.until("TAKE? [7♣]")
        click(screen, "p take")
        await screen.until("YOUR TURN: you took 7♣")
        click(screen, "K♥")
        await screen.until("[K♥]")
        assert "^" in screen.term.text()
        click(screen, "? help")
        await screen.until("Help")
        screen.press("\x1b[<65;10;10M")  # the wheel
        await screen.until("2-")
        screen.press("\x1b")
        await screen.until("YOUR TURN")
        await leave(screen)

    assert play(screen, script) == "quit"
    assert screen.actions() == [Claim()]


def test_m_gives_the_mouse_back_to_the_terminal(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    async def script() -> None:
        screen.begin()
        await screen.until("TAKE?")
        assert screen.term.count("\x1b[?1000h") == 1
        screen.press("m")
        await screen.until("mouse off")
        assert screen.term.count("\x1b[?1000l") == 1
        await leave(screen)

    assert play(screen, script) == "quit"


def test_what_is_said_is_typed_pasted_and_sent(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    async def script() -> None:
        screen.begin()
        await screen.until("TAKE?")
        screen.press("tqué?\x1b[200~ pasted\ntext\x1b[201~")
        await screen.until("say: qué? pasted text")
        screen.press("\r")
        await screen.until(lambda: "pasted" not in screen.term.text())
        await leave(screen)

    assert play(screen, script) == "quit"
    assert [m.text for m in screen.referee.sent if isinstance(m, msg.Chat)] == ["qué? pasted text"]


def test_other_colours_of_suits_show_at_once(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    def colours() -> set[str]:
        row = screen.term.screen.buffer[screen.term.rows - 2]
        return {row[x].fg for x in range(screen.term.cols) if row[x].data in "♣♦♥♠"}

    async def script() -> None:
        screen.begin()
        await screen.until("TAKE?")
        assert len(colours()) == 4
        screen.press("o")
        await screen.until(lambda: colours() == {"red", "default"})
        screen.press("o")
        await screen.until(lambda: colours() == {"default"})
        await leave(screen)

    assert play(screen, script) == "quit"


def test_the_ground_of_a_theme_fills_the_screen(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)
    stage = TableStage(screen.model, lambda _message: True, Prefs())
    presenter = Presenter(stage, rules=lambda _look: {"": "bg:#0000ff"})
    screen.app = presenter.build(pipe, screen.term.output)
    screen.on_message = presenter.on_message

    async def script() -> None:
        await screen.until("connecting")
        buffer = screen.term.screen.buffer
        grounds = {buffer[y][x].bg for y in range(3, 20) for x in range(40, 79)}
        assert len(grounds) == 1
        assert grounds != {"default"}
        screen.press("\x03\x03")

    assert play(screen, script) == "quit"


def test_the_start_of_a_turn_is_told_to_the_terminal_once(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    async def script() -> None:
        await screen.until("connecting")
        screen.begin()
        await screen.until("TAKE?")
        screen.press("n")
        await screen.until("YOUR TURN")
        await leave(screen)

    assert play(screen, script) == "quit"
    assert screen.term.count("\x1b]9;Hollywood rummy: your turn\x07") == 1


def test_hints_are_searched_beside_the_screen(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    async def script() -> None:
        screen.begin()
        await screen.until("TAKE?")
        screen.press("h")
        await screen.until("hint: the contract is complete")
        screen.press("n")
        await screen.until("YOUR TURN")
        await screen.until("bea that")
        await leave(screen)

    assert play(screen, script) == "quit"


def test_wide_names_keep_their_columns(pipe: PipeInput) -> None:
    screen = Screen(pipe, WINDOW)

    async def script() -> None:
        screen.begin()
        await screen.until("TAKE?")
        seats = list(screen.model.seats)
        seats[1] = replace(seats[1], name="麻雀")
        screen.on_message(msg.Seated(seats=tuple(seats)))
        await screen.until("麻")
        row = next(line for line in screen.term.screen.display if "麻" in line)
        assert row.rstrip().endswith("-")
        await leave(screen)

    assert play(screen, script) == "quit"
