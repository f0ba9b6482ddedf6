"""What there is to do, where, and how a line of the table of keys looks."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import msgspec


class Context(StrEnum):
    """Where the player is."""

    MENU = "menu"
    """The list of servers."""
    LOBBY = "lobby"
    """The list of tables."""
    FORM = "form"
    """A table is being described."""
    TEXT = "text"
    """A text is typed: letters are letters."""
    WAITING = "waiting"
    """Seated, no cards yet."""
    OWNER = "owner"
    """The waiting table is ours."""
    WATCHING = "watching"
    """At a table without a seat."""
    TABLE = "table"
    """At the table, the composer closed."""
    COMPOSER = "composer"
    PILES = "piles"
    """The composer is open and the contract still to be laid."""
    TAKE = "take"
    """The upcard is ours to take free."""
    BUY = "buy"
    """The upcard may be bought."""
    PLAY = "play"
    """A whole turn is asked of us."""
    MELD = "meld"
    """A meld's letter is asked."""
    CHOICE = "choice"
    """A number is asked."""
    CONFIRM = "confirm"
    """A discard is to be confirmed."""
    LEAVE = "leave"
    """Leaving is to be confirmed."""
    KEEP = "keep"
    """The seat can be kept while we are away."""
    RESULT = "result"
    """A deal was scored."""
    OVER = "over"
    """The game was scored."""
    READING = "reading"
    """Help, scores, the log or the rules cover the table."""
    ALWAYS = "always"


class Action(StrEnum):
    """What a key does."""

    TAKE = "take"
    BUY = "buy"
    PASS = "pass"
    DISCARD = "discard"
    COMPOSE = "compose"
    CLOSE = "close"
    LAY_OFF = "lay_off"
    LETTER = "letter"
    NUMBER = "number"
    PILE = "pile"
    SUGGEST = "suggest"
    UNDO = "undo"
    SEND = "send"
    SELECT = "select"
    SORT = "sort"
    LEFT = "left"
    RIGHT = "right"
    HOME = "home"
    END = "end"
    UP = "up"
    DOWN = "down"
    FIND = "find"
    YES = "yes"
    NO = "no"
    READY = "ready"
    FINISH = "finish"
    SCORES = "scores"
    LOG = "log"
    RULES = "rules"
    HELP = "help"
    SCROLL_UP = "scroll_up"
    SCROLL_DOWN = "scroll_down"
    PAGE_UP = "page_up"
    PAGE_DOWN = "page_down"
    LEAVE = "leave"
    KEEP = "keep"
    INTERRUPT = "interrupt"
    CHAT = "chat"
    WANT = "want"
    SKIP = "skip"
    HINTS = "hints"
    MOUSE = "mouse"
    SUITS = "suits"
    MOVE_LEFT = "move_left"
    MOVE_RIGHT = "move_right"
    SUBMIT = "submit"
    CANCEL = "cancel"
    BEGIN = "begin"
    REMATCH = "rematch"
    PREVIOUS = "previous"
    NEXT = "next"
    LESS = "less"
    MORE = "more"
    OPEN = "open"
    NAME = "name"
    ADDRESS = "address"
    FORGET = "forget"
    CREATE = "create"
    WATCH = "watch"
    BACK = "back"
    REDRAW = "redraw"
    SUSPEND = "suspend"


class Section(StrEnum):
    """The headings of the help."""

    UPCARD = "The upcard (asked before every turn)"
    TURN = "Your turn"
    COMPOSER = "Composer: a whole turn, sent with Enter"
    HAND = "Your hand"
    ANY = "Any time"
    LISTS = "Servers, tables, a new table"


class Binding(msgspec.Struct, frozen=True):
    """One line of the table."""

    keys: tuple[str, ...]
    action: Action
    contexts: frozenset[Context]
    section: Section
    label: str = ""
    """The word in the key bar; "" keeps it out of the bar."""
    help: str = ""
    """What the help says; "" keeps it out of the help."""
    show: str = ""
    """How the keys are written, where their names would not do."""
    bar: frozenset[Context] = frozenset()
    """The contexts in which the bar shows it; all of its own where empty."""

    def is_active(self, active: Iterable[Context]) -> bool:
        """Whether the key works now."""
        return not self.contexts.isdisjoint(active)

    def is_in_bar(self, active: Iterable[Context]) -> bool:
        """Whether the bar shows it now."""
        return bool(self.label) and not (self.bar or self.contexts).isdisjoint(active)

    def works_in_text(self) -> str:
        """The key that works while a text is typed, "" if all of them are letters."""
        return next((key for key in self.keys if len(key) > 1), "")

    @property
    def written(self) -> str:
        """The keys as people read them."""
        return self.show or " ".join(key_name(key) for key in self.keys)


_NAMES = {
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    " ": "space",
    "enter": "Enter",
    "escape": "Esc",
    "home": "Home",
    "end": "End",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "s-left": "Shift-←",
    "s-right": "Shift-→",
    "tab": "Tab",
}


def key_name(key: str) -> str:
    """Write one key as people read it.

    >>> key_name("c-l"), key_name("f5"), key_name("escape")
    ('Ctrl-L', 'F5', 'Esc')
    """
    if key.startswith("c-"):
        return f"Ctrl-{key[2:].upper()}"
    if len(key) > 1 and key[0] == "f" and key[1:].isdigit():
        return key.upper()
    return _NAMES.get(key, key)
