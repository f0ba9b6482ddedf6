"""The one table of keys: the key bar, the help and the bindings all read it.

Names of keys are prompt_toolkit's ("left", "c-c", "escape"); this module itself
knows nothing of it. A key works where one of its contexts is active; several
contexts are active at once, as listed in `COMBINATIONS`, and none of these gives
one key two meanings.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from string import ascii_letters

import msgspec


class Context(StrEnum):
    """Where the player is."""

    START = "start"
    """No cards yet."""
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
    RESULT = "result"
    """A deal was scored."""
    OVER = "over"
    """The game was scored."""
    READING = "reading"
    """Help, scores or the log cover the table."""
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
    HELP = "help"
    SCROLL_UP = "scroll_up"
    SCROLL_DOWN = "scroll_down"
    PAGE_UP = "page_up"
    PAGE_DOWN = "page_down"
    LEAVE = "leave"
    INTERRUPT = "interrupt"
    REDRAW = "redraw"
    SUSPEND = "suspend"


class Section(StrEnum):
    """The headings of the help."""

    UPCARD = "The upcard (asked before every turn)"
    TURN = "Your turn"
    COMPOSER = "Composer: a whole turn, sent with Enter"
    HAND = "Your hand"
    ANY = "Any time"


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


C = Context
_HAND = frozenset({C.TABLE, C.COMPOSER})
_PAGES = frozenset({C.READING, C.RESULT, C.OVER})
_ANYWHERE = frozenset({C.TABLE, C.COMPOSER, C.RESULT, C.OVER, C.READING})


def _on(*contexts: Context) -> frozenset[Context]:
    return frozenset(contexts)


_U, _T, _D, _H, _N = Section  # in the order of the enum


def _key(
    keys: str | tuple[str, ...],
    action: Action,
    contexts: frozenset[Context],
    section: Section,
    label: str = "",
    help: str = "",  # noqa: A002 - the field's name
    *,
    show: str = "",
    bar: frozenset[Context] = frozenset(),
) -> Binding:
    """Write one binding on as few lines as it needs; a text of keys is split at blanks."""
    names = tuple(keys.split()) if isinstance(keys, str) else keys
    return Binding(names, action, contexts, section, label, help, show, bar)


A = Action
BINDINGS: tuple[Binding, ...] = (
    # questions first: they own the keys while they are open
    _key(tuple(ascii_letters), A.LETTER, _on(C.MELD), _T, "meld", show="a-z"),
    _key(tuple("123456789"), A.NUMBER, _on(C.CHOICE), _D, "choose", show="1-9"),
    _key("x enter", A.YES, _on(C.CONFIRM), _T, "yes, discard"),
    _key("y q", A.YES, _on(C.LEAVE), _N, "leave", show="y"),
    _key("escape", A.NO, _on(C.MELD, C.CHOICE, C.CONFIRM, C.LEAVE), _N, "no, go back"),
    _key("n", A.NO, _on(C.CONFIRM, C.LEAVE), _N),
    # the upcard
    _key("p", A.TAKE, _on(C.TAKE), _U, "take", "take it: free on your turn, instead of drawing"),
    _key(
        "b f5", A.BUY, _on(C.BUY), _U, "buy", "buy it (F5): a penalty card comes with it", show="b"
    ),
    _key(
        "n d f6",
        A.PASS,
        _on(C.TAKE),
        _U,
        "no, draw",
        "no (d, F6): then the stock is drawn",
        show="n",
    ),
    _key("n d f6", A.PASS, _on(C.BUY), _U, "no", show="n"),
    # results
    _key(
        ("enter", " "),
        A.READY,
        _on(C.RESULT),
        _N,
        "next round",
        "after a round: go on",
        show="Enter",
    ),
    _key("enter q", A.FINISH, _on(C.OVER), _N, "leave", show="Enter"),
    # reading
    _key("escape enter q", A.CLOSE, _on(C.READING), _N, "close", show="Esc"),
    _key("up", A.SCROLL_UP, _PAGES, _N, "scroll", show="↑↓", bar=_on(C.READING)),
    _key("down", A.SCROLL_DOWN, _PAGES, _N),
    _key("pageup", A.PAGE_UP, _PAGES, _N),
    _key("pagedown", A.PAGE_DOWN, _PAGES, _N),
    # the composer
    _key((" ",), A.SELECT, _on(C.COMPOSER), _H, "select"),
    _key(
        "enter",
        A.SEND,
        _on(C.COMPOSER),
        _D,
        "play it",
        "send the turn, once it is legal",
        bar=_on(C.PLAY),
    ),
    _key(
        tuple("123456789"),
        A.PILE,
        _on(C.PILES),
        _D,
        "to pile",
        "put the selected cards on that pile; again: take them back",
        show="1-9",
    ),
    # the turn
    _key(
        "x",
        A.DISCARD,
        _HAND,
        _T,
        "discard",
        "discard the card under the cursor: ends the turn (asks)",
        bar=_on(C.PLAY, C.COMPOSER),
    ),
    _key("g", A.COMPOSE, _on(C.TABLE), _T, "plan turn", "plan the turn: go down, lay off, discard"),
    _key(
        "l",
        A.LAY_OFF,
        _HAND,
        _T,
        "lay off",
        "lay the selected cards off on a meld: then its letter",
        bar=_on(C.PLAY, C.COMPOSER),
    ),
    _key("a", A.SUGGEST, _HAND, _T, "advice", "advice: a good turn to look over and send"),
    _key(
        "u",
        A.UNDO,
        _HAND,
        _D,
        "undo",
        "take back the last step (nothing was sent yet)",
        bar=_on(C.COMPOSER),
    ),
    _key(
        "escape g", A.CLOSE, _on(C.COMPOSER), _D, "close", "close it; the draft stays", show="Esc"
    ),
    # the hand
    _key("left", A.LEFT, _HAND, _H, "move", "move the cursor [ ] (also ↑↓ Home End)", show="←→"),
    _key("right", A.RIGHT, _HAND, _H),
    _key("up", A.UP, _HAND, _H),
    _key("down", A.DOWN, _HAND, _H),
    _key("home", A.HOME, _HAND, _H),
    _key("end", A.END, _HAND, _H),
    _key((" ",), A.SELECT, _on(C.TABLE), _H, "select", "select the card ^, or let it go"),
    _key("s", A.SORT, _HAND, _H, "sort", "sort by rank or by suit"),
    _key(tuple("23456789"), A.FIND, _on(C.TABLE), _H),
    _key(
        tuple("0TJQKA*"),
        A.FIND,
        _HAND,
        _H,
        "",
        "to the next card of that rank: 0 is ten, * a wild",
        show="2-9 0 JQKA *",
    ),
    # any time
    _key("S", A.SCORES, _ANYWHERE, _N, "scores", "scores of every round", bar=_on(C.TABLE, C.OVER)),
    _key("L", A.LOG, _ANYWHERE, _N, "log", "the whole log", bar=_on(C.TABLE)),
    _key("? f1", A.HELP, _ANYWHERE | {C.START}, _N, "help", "this help (also F1)", show="?"),
    _key(
        "q",
        A.LEAVE,
        _on(C.START, C.TABLE, C.COMPOSER, C.RESULT),
        _N,
        "quit",
        "leave the table (asks; Ctrl-C twice leaves at once)",
        bar=_on(C.START),
    ),
    _key("c-c <sigint>", A.INTERRUPT, _on(C.ALWAYS), _N),
    _key("c-l", A.REDRAW, _on(C.ALWAYS), _N, "", "draw the screen anew"),
    _key("c-z", A.SUSPEND, _on(C.ALWAYS), _N, "", "back to the shell; fg returns"),
)

_BASES = ({C.TABLE}, {C.COMPOSER}, {C.COMPOSER, C.PILES})

_SETTINGS: list[set[Context]] = [
    *({context} for context in (C.START, C.RESULT, C.OVER)),
    *({context} for context in (C.MELD, C.CHOICE, C.CONFIRM, C.LEAVE)),
    *(base | asked for base in _BASES for asked in (set[Context](), {C.TAKE}, {C.BUY}, {C.PLAY})),
    *({C.READING} | asked for asked in (set[Context](), {C.TAKE}, {C.BUY})),
]

COMBINATIONS: tuple[frozenset[Context], ...] = tuple(
    frozenset(setting | {C.ALWAYS}) for setting in _SETTINGS
)
"""Every set of contexts that can be active together."""

ALL_KEYS: tuple[str, ...] = tuple(
    dict.fromkeys(key for binding in BINDINGS for key in binding.keys)
)


def find(key: str, active: frozenset[Context]) -> Action | None:
    """Return what the key does now, None if nothing."""
    for binding in BINDINGS:
        if key in binding.keys and binding.is_active(active):
            return binding.action
    return None


def bar(active: frozenset[Context]) -> list[tuple[str, str]]:
    """Return the keys for the bar with their words, the most urgent first."""
    return [
        (binding.written, binding.label)
        for binding in BINDINGS
        if binding.is_active(active) and binding.is_in_bar(active) and binding.action is not _HELP
    ]


_HELP = Action.HELP


def help_sections() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return every key with what it does, by heading."""
    sections: dict[Section, list[tuple[str, str]]] = {section: [] for section in Section}
    for binding in BINDINGS:
        if binding.help:
            sections[binding.section].append((binding.written, binding.help))
    return [(section.value, lines) for section, lines in sections.items()]
