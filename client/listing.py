"""Screens that are a list: a title, lines to choose from, a notice, a text, the key bar."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from .field import Field
from .frame import keys_line
from .keys import Action, Context, bar, find
from .prefs import Prefs
from .text import Line, Look, fit, paint, printable, spot, spread, to_ascii, wrap


class Listing:
    """What lists have in common: which line is chosen, a text being typed, a notice."""

    def __init__(self) -> None:
        self.index = 0
        self.notice = ""
        self.field: Field | None = None
        self.label = ""
        """What stands before the text."""

    def move(self, step: int, count: int) -> None:
        """Choose another line; it goes round the ends."""
        self.index = (self.index + step) % count if count else 0

    def type(self, label: str, field: Field) -> None:
        """Begin to type a text."""
        self.label, self.field = label, field


class ListScreen(Listing, ABC):
    """A list that is a screen of its own: Enter, or a second click, opens the chosen line.

    A subclass says what its lines are (`rows`), which keys work (`contexts`), what
    opening a line does and what a typed text is for; keys of its own it takes in `do`.

    Args:
        prefs: What the player likes.
    """

    def __init__(self, prefs: Prefs) -> None:
        super().__init__()
        self.prefs = prefs
        self.is_done = False
        """Set when the player leaves."""

    @abstractmethod
    def rows(self) -> Sequence[object]:
        """What the lines are about."""

    @abstractmethod
    def contexts(self) -> frozenset[Context]:
        """The contexts whose keys work now."""

    @abstractmethod
    def open_row(self) -> None:
        """Do what the chosen line is for."""

    @abstractmethod
    def submit(self, text: str) -> None:
        """Take the text that was typed."""

    def press(self, key: str, _now: float) -> bool:
        """Do what the key does now; False if it does nothing."""
        if self.field is not None and self.field.press(key):
            return True
        return self.do(find(key, self.contexts()))

    def do(self, action: Action | None) -> bool:
        """Do what a key means; False if that is nothing here."""
        match action:
            case Action.SUBMIT if self.field is not None:
                self.submit(self.field.text)
            case Action.CANCEL:
                self.field = None
            case Action.PREVIOUS:
                self.move(-1, len(self.rows()))
            case Action.NEXT:
                self.move(1, len(self.rows()))
            case Action.OPEN:
                self.open_row()
            case Action.BACK | Action.INTERRUPT:
                self.is_done = True
            case Action.MOUSE:
                self.notice = self.prefs.toggle_mouse()
            case Action.SUITS:
                self.notice = self.prefs.next_suits()
            case _:
                return False
        return True

    def click_row(self, number: int) -> None:
        """Choose a line; a second click opens it."""
        if number == self.index:
            self.open_row()
        self.index = number


def chosen_row(cells: Line, number: int, *, is_chosen: bool, cols: int) -> Line:
    """Return one line of a list, to be clicked."""
    head = ("class:cursor", "▸") if is_chosen else ("", " ")
    line = fit([head, ("", " "), *cells], cols)
    style = " class:turn" if is_chosen else ""
    return [(spot(f"{old}{style}".strip(), f"row:{number}"), text) for old, text in line]


def visible(lines: Sequence[Line], chosen: int, rows: int) -> list[Line]:
    """Return at most so many lines, with the chosen one among them."""
    first = max(0, min(chosen - rows // 2, len(lines) - rows))
    return list(lines[first : first + max(0, rows)])


def list_frame(
    title: str,
    rows_of_list: Sequence[Line],
    listing: Listing,
    active: Iterable[Context],
    cols: int,
    rows: int,
    look: Look,
    head: Sequence[Line] = (),
    foot: Sequence[Line] = (),
) -> list[Line]:
    """Draw a list in exactly `rows` lines of exactly `cols` cells."""
    if cols <= 0 or rows <= 0:
        return []
    active = frozenset(active)
    keys = keys_line(bar(active), find("?", active) is Action.HELP, cols)
    said = [fit(paint(f" {line}", look, "class:notice"), cols) for line in _said(listing, cols)]
    if listing.field is not None:
        label = f" {listing.label}: "
        room = max(4, cols - len(label))
        said.append(fit([("class:ask", label), *listing.field.draw(room)], cols))
    below = [*said, keys][-max(1, rows - 1) :]
    room = rows - 1 - len(below)
    head, foot = (list(head), list(foot)) if room > len(head) + len(foot) + 3 else ([], [])
    room -= len(head) + len(foot)
    body = visible(rows_of_list, listing.index, room)
    count = len(rows_of_list)
    at: Line = [("class:header", f"{listing.index + 1} of {count} ")] if count > room else []
    top = spread([("class:header", f" {title}")], at, cols)
    blank = [fit([], cols)] * max(0, room - len(body))
    lines = [top, *head, *body, *blank, *foot, *below][-rows:]
    return [to_ascii(line) for line in lines] if look.ascii else lines


def _said(listing: Listing, cols: int) -> list[str]:
    return wrap(printable(listing.notice), cols - 2)[:3]
