"""The application: one full-screen window that shows a stage's frames and takes keys.

The only module of the screens that knows prompt_toolkit. It repaints when what is
seen would change, and runs a timer only while a countdown is on the screen.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.filters import Condition
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import BaseStyle, DynamicStyle, Style

from hollywood.protocol.wire.messages import ClientMessage

from .canvas import Canvas
from .field import FIELD_KEYS
from .keys import ALL_KEYS, Action, find
from .model import ClientModel
from .prefs import Prefs
from .stage import Job, News, Stage, TableStage
from .styles import look_for, style_rules
from .suspend import suspend
from .text import Line, Look, target_at

if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone

TICK = 0.25
"""Seconds between repaints while a countdown runs."""

StyleRules = Callable[[Look], dict[str, str]]

OnMessage = Callable[[News], None]


def build_app(
    model: ClientModel,
    send: Callable[[ClientMessage], bool],
    *,
    clock: Callable[[], float] = time.monotonic,
    input: Input | None = None,  # noqa: A002 - prompt_toolkit's own name for it
    output: Output | None = None,
    look: Look | None = None,
    bell: bool = True,
    prefs: Prefs | None = None,
) -> tuple[Application[str], OnMessage]:
    """Build the application of one table.

    Run it with `await app.run_async(set_exception_handler=False)`, so that errors
    come out; it returns "quit" or "game over".

    Args:
        model: What is known of the table; only `on_message` and keys change it.
        send: Queues a message without blocking; False if there is no connection.
        clock: Seconds that never go back; the same one times the countdowns.
        input: Where keys come from, the terminal if not given.
        output: Where the screen is, the terminal if not given.
        look: How to draw; chosen from the encoding of stdout and NO_COLOR if not given.
        bell: Whether the bell rings when the player is asked something.
        prefs: What the player likes, instead of look and bell.

    Returns:
        The application, and a function to call with each message of the server
        and each status of the link, in the thread of the application.
    """
    look = look or look_for(sys.stdout.encoding, os.environ)
    stage = TableStage(model, send, prefs or Prefs(look, bell=bell))
    presenter = Presenter(stage, clock=clock)
    return presenter.build(input, output), presenter.on_message


class Presenter:
    """Shows a stage on a terminal.

    Args:
        stage: What is shown.
        clock: Seconds that never go back; the same one times the countdowns.
        rules: Gives the style of each class for a way to draw.
    """

    def __init__(
        self,
        stage: Stage,
        *,
        clock: Callable[[], float] = time.monotonic,
        rules: StyleRules = style_rules,
    ) -> None:
        self._stage = stage
        self._clock = clock
        self._rules = rules
        self._styles: dict[Look, Style] = {}
        self._ground = rules(stage.prefs.look).get("", "")
        """The style of the whole screen."""
        self._shown: list[Line] = []
        """The last frame that was painted."""
        self._fresh: list[Line] | None = None
        """A frame that was drawn but not painted yet."""
        self._called = stage.call()
        self._painted_look = stage.prefs.look
        self._title = ""
        self._ticker: asyncio.Task[None] | None = None
        self._app: Application[str]

    def build(
        self, given_input: Input | None = None, output: Output | None = None
    ) -> Application[str]:
        """Build the application, once."""
        window = Canvas(self.lines, self.on_mouse, self._has_ground)
        prefs = self._stage.prefs
        self._app = Application(
            layout=Layout(window),
            key_bindings=self._bindings(),
            style=DynamicStyle(self._style),
            full_screen=True,
            mouse_support=Condition(lambda: prefs.mouse),
            color_depth=None if prefs.look.color else ColorDepth.DEPTH_1_BIT,
            after_render=lambda _app: self._keep_ticking(),
            input=given_input,
            output=output,
        )
        # Esc must not wait long for the rest of an escape sequence
        self._app.ttimeoutlen = 0.05
        self._app.timeoutlen = 0.1
        return self._app

    def on_message(self, message: News) -> None:
        """Take in what the server, the link or the network says; repaint if that shows."""
        self._stage.receive(message, self._clock())
        if self._app.is_running:
            self._follow()
            self._repaint()

    # the screen

    def lines(self, cols: int, rows: int) -> list[Line]:
        """Return the lines to paint."""
        fresh, self._fresh = self._fresh, None
        is_as_large = fresh is not None and len(fresh) == rows
        self._shown = fresh if fresh is not None and is_as_large else self._draw(cols, rows)
        return self._shown

    def _draw(self, cols: int, rows: int) -> list[Line]:
        return self._stage.frame(cols, rows, self._clock())

    def _repaint(self) -> None:
        size = self._app.output.get_size()
        drawn = self._draw(size.columns, size.rows)
        if drawn != self._shown:
            self._fresh = drawn
            self._app.invalidate()

    def _style(self) -> BaseStyle:
        look = self._stage.prefs.look
        if look not in self._styles:
            self._styles[look] = Style.from_dict(self._rules(look))
        return self._styles[look]

    def _has_ground(self) -> bool:
        return bool(self._ground)

    def _repaint_all(self) -> None:
        """Colours have changed, which no cell shows by itself."""
        look = self._stage.prefs.look
        if look != self._painted_look:
            self._painted_look = look
            self._app.renderer.clear()

    # time

    def _keep_ticking(self) -> None:
        """Start the timer where a countdown came on the screen."""
        is_ticking = self._ticker is not None and not self._ticker.done()
        if not is_ticking and self._stage.is_counting(self._clock()):
            self._ticker = self._app.create_background_task(self._tick())

    async def _tick(self) -> None:
        while self._stage.is_counting(self._clock()):
            await asyncio.sleep(TICK)
            self._repaint()

    # attention, searches, the end

    def _follow(self) -> None:
        """Do what a message or a key has led to."""
        self._fresh = None
        self._call_player()
        self._repaint_all()
        while (job := self._stage.job()) is not None:
            self._app.create_background_task(self._search(job))
        outcome = self._stage.outcome
        if outcome is not None and self._app.is_running and not self._is_over():
            self._app.output.set_title("")
            self._app.exit(result=outcome)

    def _is_over(self) -> bool:
        return self._app.future is not None and self._app.future.done()

    async def _search(self, job: Job) -> None:
        use_found = await asyncio.to_thread(job)
        use_found()
        self._fresh = None
        self._app.invalidate()

    def _call_player(self) -> None:
        """Ring once for each decision, and show in the title what is asked."""
        output, call, before = self._app.output, self._stage.call(), self._called
        self._called = call
        if self._stage.prefs.bell and call.alerts > before.alerts:
            output.bell()
        if self._stage.prefs.bell and call.turns > before.turns and _takes_notices():
            output.write_raw("\x1b]9;Hollywood rummy: your turn\x07")
        if call.title != self._title:
            self._title = call.title
            output.set_title(call.title)
        output.flush()

    # keys and mouse

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        for key in dict.fromkeys((*ALL_KEYS, *FIELD_KEYS)):
            bindings.add(key)(partial(self._on_key, key))
        bindings.add(Keys.Any)(self._on_any)
        bindings.add(Keys.BracketedPaste)(self._on_paste)
        return bindings

    def _on_any(self, event: KeyPressEvent) -> None:
        if len(event.data) == 1 and event.data.isprintable():
            self._on_key(event.data, event)

    def _on_paste(self, event: KeyPressEvent) -> None:
        self._stage.paste(event.data)
        self._follow()

    def _on_key(self, key: str, event: KeyPressEvent) -> None:
        action = find(key, self._stage.contexts())
        if action is Action.REDRAW:
            event.app.renderer.clear()
        elif action is Action.SUSPEND:
            run_in_terminal(suspend)
        else:
            self._stage.press(key, self._clock())
            self._follow()

    def on_mouse(self, event: MouseEvent) -> NotImplementedOrNone:
        """Take a click or the wheel; NotImplemented if it means nothing here."""
        now = self._clock()
        match event.event_type:
            case MouseEventType.SCROLL_UP:
                is_done = self._stage.press("up", now)
            case MouseEventType.SCROLL_DOWN:
                is_done = self._stage.press("down", now)
            case MouseEventType.MOUSE_UP if event.button is not MouseButton.RIGHT:
                row, column = event.position.y, event.position.x
                line = self._shown[row] if row < len(self._shown) else []
                target = target_at(line, column)
                is_done = bool(target) and self._stage.click(target, now)
            case _:
                return NotImplemented
        if not is_done:
            return NotImplemented
        self._follow()
        return None


def _takes_notices() -> bool:
    """Whether the terminal passes over a notice that it does not know (OSC 9)."""
    return os.environ.get("TERM", "") not in ("linux", "dumb", "vt100", "vt220")
