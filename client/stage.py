"""What the presenter shows: anything that takes keys and draws itself as lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from hollywood.protocol.wire.messages import ClientMessage, ServerMessage

from .desk import Desk, Outcome
from .frame import frame, scroll_limit
from .hints import Glance, look_at
from .keys import Context
from .menu import Nearby
from .model import ClientModel, LinkStatus
from .prefs import Prefs
from .suggest import suggest
from .text import Line

TITLE = "Hollywood rummy"

News = ServerMessage | LinkStatus | Nearby
"""What comes from the network."""


class Call(msgspec.Struct, frozen=True):
    """What wants the player's attention."""

    alerts: int = 0
    """Counts what the bell rings for."""
    turns: int = 0
    """Counts the turns of ours that began."""
    title: str = TITLE
    """Of the terminal's window."""


Job = Callable[[], Callable[[], None]]
"""A search that may take longer than a key may block the screen: called in a thread, it
touches nothing that changes. It returns what is to be called with what was found, in the
thread of the application."""


class Stage(Protocol):
    """One screen, or several of which one is shown."""

    @property
    def prefs(self) -> Prefs:
        """What the player likes."""

    @property
    def outcome(self) -> str | None:
        """Why the application ends, None while it goes on."""

    def contexts(self) -> frozenset[Context]:
        """The contexts whose keys work now."""

    def press(self, key: str, now: float) -> bool:
        """Do what the key does; False if nothing."""

    def paste(self, text: str) -> None:
        """Put text where text is typed."""

    def click(self, target: str, now: float) -> bool:
        """Do what a click does on what `text.spot` marked."""

    def receive(self, message: News, now: float) -> None:
        """Take in what the server, the link or the network says."""

    def frame(self, cols: int, rows: int, now: float) -> list[Line]:
        """Draw it in exactly so many cells and lines."""

    def is_counting(self, now: float) -> bool:
        """Whether seconds run on the screen."""

    def call(self) -> Call:
        """What wants the player's attention now."""

    def job(self) -> Job | None:
        """What is to be searched next; each job is given once."""


class TableStage:
    """A table: its desk, drawn.

    Args:
        model: What is known of the table.
        send: Queues a message without blocking; False if there is no connection.
        prefs: What the player likes.
        can_return: Whether the seat can be come back to after leaving the program.
    """

    def __init__(
        self,
        model: ClientModel,
        send: Callable[[ClientMessage], bool],
        prefs: Prefs,
        *,
        can_return: bool = False,
    ) -> None:
        self.prefs = prefs
        self.model = model
        self.desk = Desk(model, send, prefs, can_return=can_return)
        self.desk.thinks_aside = True
        self._send = send
        self._size = (80, 24)
        self._looking_at: tuple[object, object] | None = None

    @property
    def outcome(self) -> Outcome | None:
        """How the table was left, None while it was not."""
        return self.desk.outcome

    def contexts(self) -> frozenset[Context]:
        """The contexts whose keys work now."""
        return self.desk.contexts()

    def press(self, key: str, now: float) -> bool:
        """Do what the key does; what is read scrolls no farther than its end."""
        desk = self.desk
        is_done = desk.press(key, now)
        if desk.scroll:
            limit = scroll_limit(self.model, desk, *self._size, now, self.prefs.look)
            desk.scroll = min(desk.scroll, limit)
        return is_done

    def paste(self, text: str) -> None:
        """Put text where text is typed."""
        if self.desk.entry is not None:
            self.desk.entry.field.insert(text)

    def click(self, target: str, now: float) -> bool:
        """Do what a click does; one on the key bar is the key."""
        return self.desk.click(target, now)

    def receive(self, message: News, now: float) -> None:
        """Take in what the server or the link says."""
        if isinstance(message, Nearby):
            return
        self.desk.receive(message, now)
        if self.model.question is not None and self._send(self.model.question):
            self.model.question = None

    def frame(self, cols: int, rows: int, now: float) -> list[Line]:
        """Draw the table."""
        self._size = (cols, rows)
        self.desk.cols, self.desk.page = cols, max(4, rows - 8)
        return frame(self.model, self.desk, cols, rows, now, self.prefs.look)

    def is_counting(self, now: float) -> bool:
        """Whether seconds run on the screen."""
        return bool(self.model.remaining(now))

    def call(self) -> Call:
        """What wants the player's attention: a decision, in the window's title as well."""
        model = self.model
        title = TITLE
        if model.open_window is not None and model.view is not None:
            verb = "take" if model.open_window.is_free else "buy"
            title = f"{verb} {model.view.upcard}? - {TITLE}"
        elif model.is_our_play:
            title = f"your turn - {TITLE}"
        return Call(model.alerts, model.turn_alerts, title)

    def job(self) -> Job | None:
        """Advice that was asked for, or hints on a hand that has changed."""
        desk, view = self.desk, self.model.view
        if desk.wants_advice:
            desk.wants_advice = False
            asked = desk.composer.view

            def advise() -> Callable[[], None]:
                found = suggest(asked)
                return lambda: desk.take_advice(*found) if asked is desk.composer.view else None

            return advise
        if view is None or not desk.shows_hints or view.seat is None:
            return None
        about = (view.hand, view.table)
        if about == self._looking_at:
            return None
        self._looking_at = about

        def look() -> Callable[[], None]:
            found = look_at(view)
            return lambda: self._show(found)

        return look

    def _show(self, glance: Glance) -> None:
        self.desk.glance = glance
