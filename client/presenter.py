"""The application: one full-screen window that shows `frame` and takes keys.

The only module of the table that knows prompt_toolkit. It repaints when what is
seen would change, and runs a timer only while a countdown is on the screen.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from functools import partial

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import Style

from hollywood.protocol.rules import PlayerView
from hollywood.protocol.wire.messages import ClientMessage, ServerMessage

from .desk import Desk, Outcome
from .frame import frame, scroll_limit
from .keys import ALL_KEYS, Action, find
from .model import ClientModel, LinkStatus
from .styles import look_for, style_rules
from .suggest import suggest
from .text import Line, Look

TICK = 0.25
"""Seconds between repaints while a countdown runs."""

OnMessage = Callable[[ServerMessage | LinkStatus], None]


def build_app(
    model: ClientModel,
    send: Callable[[ClientMessage], bool],
    *,
    clock: Callable[[], float] = time.monotonic,
    input: Input | None = None,  # noqa: A002 - prompt_toolkit's own name for it
    output: Output | None = None,
    look: Look | None = None,
    bell: bool = True,
) -> tuple[Application[Outcome], OnMessage]:
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

    Returns:
        The application, and a function to call with each message of the server
        and each status of the link, in the thread of the application.
    """
    look = look or look_for(sys.stdout.encoding, os.environ)
    presenter = _Presenter(model, send, clock, look, bell)
    app = presenter.build(input, output)
    return app, presenter.on_message


class _Presenter:
    """Joins model, desk and application."""

    def __init__(
        self,
        model: ClientModel,
        send: Callable[[ClientMessage], bool],
        clock: Callable[[], float],
        look: Look,
        bell: bool,
    ) -> None:
        self._model = model
        self._desk = Desk(model, send)
        self._send = send
        self._clock = clock
        self._look = look
        self._bell = bell
        self._shown: list[Line] = []
        """The last frame that was painted."""
        self._alerts = model.alerts
        self._title = ""
        self._ticker: asyncio.Task[None] | None = None
        self._app: Application[Outcome]

    def build(self, given_input: Input | None, output: Output | None) -> Application[Outcome]:
        """Build the application, once."""
        control = FormattedTextControl(self._text, focusable=True, show_cursor=False)
        window = Window(control, always_hide_cursor=True, wrap_lines=False)
        self._app = Application(
            layout=Layout(window),
            key_bindings=self._bindings(),
            style=Style.from_dict(style_rules(self._look)),
            full_screen=True,
            color_depth=None if self._look.color else ColorDepth.DEPTH_1_BIT,
            after_render=lambda _app: self._keep_ticking(),
            input=given_input,
            output=output,
        )
        # Esc must not wait long for the rest of an escape sequence
        self._app.ttimeoutlen = 0.05
        self._app.timeoutlen = 0.1
        return self._app

    def on_message(self, message: ServerMessage | LinkStatus) -> None:
        """Take in what the server or the link says, and repaint if that shows."""
        now = self._clock()
        if isinstance(message, LinkStatus):
            self._model.set_link(message, now)
        else:
            self._model.receive(message, now)
        self._desk.sync()
        if self._model.question is not None and self._send(self._model.question):
            self._model.question = None
        if self._app.is_running:
            self._call_player()
            self._repaint()

    def _frame(self) -> list[Line]:
        size = self._app.output.get_size()
        self._desk.cols = size.columns
        now = self._clock()
        return frame(self._model, self._desk, size.columns, size.rows, now, self._look)

    def _text(self) -> StyleAndTextTuples:
        self._shown = self._frame()
        fragments: StyleAndTextTuples = []
        for i, line in enumerate(self._shown):
            if i:
                fragments.append(("", "\n"))
            fragments += line
        return fragments

    def _repaint(self) -> None:
        if self._frame() != self._shown:
            self._app.invalidate()

    # time

    def _keep_ticking(self) -> None:
        """Start the timer where a countdown came on the screen."""
        is_ticking = self._ticker is not None and not self._ticker.done()
        if not is_ticking and self._has_countdown():
            self._ticker = self._app.create_background_task(self._tick())

    def _has_countdown(self) -> bool:
        return bool(self._model.remaining(self._clock()))

    async def _tick(self) -> None:
        while self._has_countdown():
            await asyncio.sleep(TICK)
            self._repaint()

    # attention

    def _call_player(self) -> None:
        """Ring once for each decision and say in the title what is asked."""
        output = self._app.output
        if self._model.alerts != self._alerts:
            self._alerts = self._model.alerts
            if self._bell:
                output.bell()
        title = self._wanted_title()
        if title != self._title:
            self._title = title
            output.set_title(title)
        output.flush()

    def _wanted_title(self) -> str:
        model = self._model
        window = model.open_window
        if window is not None and model.view is not None:
            return f"{'take' if window.is_free else 'buy'} {model.view.upcard}? - Hollywood rummy"
        return "your turn - Hollywood rummy" if model.is_our_play else "Hollywood rummy"

    # keys

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        for key in ALL_KEYS:
            bindings.add(key)(partial(self._on_key, key))
        return bindings

    async def _advise(self, view: PlayerView) -> None:
        """Search in a thread: it may take longer than a key may block the screen."""
        draft, comment = await asyncio.to_thread(suggest, view)
        if view is self._model.view:
            self._desk.take_advice(draft, comment)
            self._app.invalidate()

    def _press(self, key: str) -> None:
        desk, now = self._desk, self._clock()
        desk.press(key, now)
        if desk.scroll:
            size = self._app.output.get_size()
            limit = scroll_limit(self._model, desk, size.columns, size.rows, now, self._look)
            desk.scroll = min(desk.scroll, limit)

    def _on_key(self, key: str, event: KeyPressEvent) -> None:
        action = find(key, self._desk.contexts())
        if action is Action.REDRAW:
            event.app.renderer.clear()
        elif action is Action.SUSPEND:
            event.app.suspend_to_background()
        elif action is Action.SUGGEST:
            self._desk.notice = "thinking ..."
            event.app.create_background_task(self._advise(self._desk.composer.view))
        else:
            self._press(key)
        if self._desk.outcome is not None:
            self._app.output.set_title("")
            self._app.exit(result=self._desk.outcome)
