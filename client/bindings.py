"""The one table of keys: the key bar, the help, the bindings and the manual all read it.

Names of keys are prompt_toolkit's ("left", "c-c", "escape"); this module itself
knows nothing of it. A key works where one of its contexts is active; several
contexts are active at once, as listed in `COMBINATIONS`, and none of these gives
one key two meanings.
"""

from __future__ import annotations

from string import ascii_letters

from .actions import Action, Binding, Context, Section

C, A = Context, Action
_HAND = frozenset({C.TABLE, C.COMPOSER})
_PAGES = frozenset({C.READING, C.RESULT, C.OVER})
_LISTS = frozenset({C.MENU, C.LOBBY})
_SEATED = frozenset({C.WAITING, C.TABLE, C.COMPOSER, C.WATCHING, C.RESULT, C.OVER})
_ANYWHERE = frozenset({C.TABLE, C.COMPOSER, C.WATCHING, C.RESULT, C.OVER, C.READING})
_NOT_TYPING = _SEATED | _LISTS | {C.READING}


def _on(*contexts: Context) -> frozenset[Context]:
    return frozenset(contexts)


_U, _T, _D, _H, _N, _L = Section  # in the order of the enum


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


_QUESTIONS = (
    # they own the keys while they are open
    _key(tuple(ascii_letters), A.LETTER, _on(C.MELD), _T, "meld", show="a-z"),
    _key(tuple("123456789"), A.NUMBER, _on(C.CHOICE), _D, "choose", show="1-9"),
    _key("x enter", A.YES, _on(C.CONFIRM), _T, "yes, discard", show="x"),
    _key("y", A.YES, _on(C.LEAVE), _N, "leave for good"),
    _key("k", A.KEEP, _on(C.KEEP), _N, "keep the seat"),
    _key("escape", A.NO, _on(C.MELD, C.CHOICE, C.CONFIRM, C.LEAVE), _N, "no, go back"),
    _key("n", A.NO, _on(C.CONFIRM, C.LEAVE), _N),
    _key("enter", A.SUBMIT, _on(C.TEXT), _N, "done"),
    _key("escape", A.CANCEL, _on(C.TEXT), _N, "back"),
)

_TELL_TAKE = "take it (F5, also while you type): free on your turn, instead of drawing"
_TELL_BUY = "buy it (F5): a penalty card comes with it"
_TELL_DRAW = "no (d, F6): then the stock is drawn"
_TELL_WANT = "want: cards or ranks that are claimed for you whenever they are offered"
_TELL_SKIP = "no more questions: pass every upcard until your next turn; again: ask me"

_UPCARD = (
    _key("p f5", A.TAKE, _on(C.TAKE), _U, "take", _TELL_TAKE, show="p"),
    _key("b f5", A.BUY, _on(C.BUY), _U, "buy", _TELL_BUY, show="b"),
    _key("n d f6", A.PASS, _on(C.TAKE), _U, "no, draw", _TELL_DRAW, show="n"),
    _key("n d f6", A.PASS, _on(C.BUY), _U, "no", show="n"),
    _key("w", A.WANT, _HAND, _U, "want", _TELL_WANT, bar=_on(C.TABLE)),
    _key("W", A.SKIP, _HAND, _U, "", _TELL_SKIP),
)

_RESULTS = (
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
    _key("r", A.REMATCH, _on(C.OVER), _N, "play again", "after a game: play again, same seats"),
    # reading
    _key("escape enter q", A.CLOSE, _on(C.READING), _N, "close", show="Esc"),
    _key("up", A.SCROLL_UP, _PAGES, _N, "scroll", show="↑↓", bar=_on(C.READING)),
    _key("down", A.SCROLL_DOWN, _PAGES, _N),
    _key("pageup", A.PAGE_UP, _PAGES, _N),
    _key("pagedown", A.PAGE_DOWN, _PAGES, _N),
)

_TELL_SEND = "send the turn, once it is legal"
_TELL_PILE = "put the selected cards on that pile; again: take them back"
_TELL_DISCARD = "discard the card under the cursor: ends the turn (asks)"
_TELL_OFF = "lay the selected cards off on a meld, or one in for its wild: then its letter"
_TELL_UNDO = "take back the last step (nothing was sent yet)"
_ACTING = _on(C.PLAY, C.COMPOSER)

_COMPOSING = (
    _key((" ",), A.SELECT, _on(C.COMPOSER), _H, "select"),
    _key("enter", A.SEND, _on(C.COMPOSER), _D, "play it", _TELL_SEND, bar=_on(C.PLAY)),
    _key(tuple("123456789"), A.PILE, _on(C.PILES), _D, "to pile", _TELL_PILE, show="1-9"),
    _key("x", A.DISCARD, _HAND, _T, "discard", _TELL_DISCARD, bar=_ACTING),
    _key("g", A.COMPOSE, _on(C.TABLE), _T, "plan turn", "plan the turn: go down, lay off, discard"),
    _key("l", A.LAY_OFF, _HAND, _T, "lay off", _TELL_OFF, bar=_ACTING),
    _key("a", A.SUGGEST, _HAND, _T, "advice", "advice: a good turn to look over and send"),
    _key("u", A.UNDO, _HAND, _D, "undo", _TELL_UNDO, bar=_on(C.COMPOSER)),
    _key(
        "escape g", A.CLOSE, _on(C.COMPOSER), _D, "close", "close it; the draft stays", show="Esc"
    ),
)

_TELL_FIND = "to the next card of that rank: 0 is ten, * a wild"
_TELL_MOVE = "move the card under the cursor: the order is your own then"
_TELL_HINTS = "hints on or off: ! marks cards that count, and what a discard would give away"

_CARDS = (
    _key("left", A.LEFT, _HAND, _H, "move", "move the cursor [ ] (also ↑↓ Home End)", show="←→"),
    _key("right", A.RIGHT, _HAND, _H),
    _key("up", A.UP, _HAND, _H),
    _key("down", A.DOWN, _HAND, _H),
    _key("home", A.HOME, _HAND, _H),
    _key("end", A.END, _HAND, _H),
    _key((" ",), A.SELECT, _on(C.TABLE), _H, "select", "select the card ^, or let it go"),
    _key("s", A.SORT, _HAND, _H, "sort", "sort by rank, by suit, or leave it in your own order"),
    _key("s-left", A.MOVE_LEFT, _HAND, _H, "", _TELL_MOVE, show="Shift-←→"),
    _key("s-right", A.MOVE_RIGHT, _HAND, _H),
    _key(tuple("23456789"), A.FIND, _on(C.TABLE), _H),
    _key(tuple("0TJQKA*"), A.FIND, _HAND, _H, "", _TELL_FIND, show="2-9 0 JQKA *"),
    _key("h", A.HINTS, _HAND, _H, "hints", _TELL_HINTS, bar=_on(C.TABLE)),
)

_TELL_MOUSE = "mouse on or off: click cards, melds, keys; off, the terminal selects text"
_TELL_LEAVE = "leave the table (asks; Ctrl-C twice leaves at once)"
_TELL_BEGIN = "begin, at a table of your own: bots take the free seats"
_TELL_CHAT = "say something; /kick NAME, /mute NAME, /replace NAME for the owner"
_RULED = _SEATED | {C.READING}
_QUITTABLE = _SEATED - {C.OVER}

_ANY = (
    _key("enter s", A.BEGIN, _on(C.OWNER), _N, "begin", _TELL_BEGIN, show="s"),
    _key("t", A.CHAT, _SEATED, _N, "talk", _TELL_CHAT, bar=_on(C.WAITING, C.TABLE, C.WATCHING)),
    _key("S", A.SCORES, _ANYWHERE, _N, "scores", "scores of every round", bar=_on(C.TABLE, C.OVER)),
    _key("L", A.LOG, _ANYWHERE, _N, "log", "the whole log, and what was said", bar=_on(C.TABLE)),
    _key("R", A.RULES, _RULED, _N, "rules", "the rules of this table", bar=_on(C.WAITING)),
    _key("? f1", A.HELP, _NOT_TYPING, _N, "help", "this help (also F1)", show="?"),
    _key("q", A.LEAVE, _QUITTABLE, _N, "quit", _TELL_LEAVE, bar=_on(C.WAITING, C.WATCHING)),
    _key("m", A.MOUSE, _NOT_TYPING, _N, "", _TELL_MOUSE),
    _key("o", A.SUITS, _NOT_TYPING, _N, "", "suits in four colours, two, or none"),
    _key("c-c <sigint>", A.INTERRUPT, _on(C.ALWAYS), _N),
    _key("c-l", A.REDRAW, _on(C.ALWAYS), _N, "", "draw the screen anew"),
    _key("c-z", A.SUSPEND, _on(C.ALWAYS), _N, "", "back to the shell; fg returns"),
)

_ROWS = _LISTS | {C.FORM}

_BEFORE = (
    _key("enter", A.OPEN, _on(C.MENU), _L, "connect", "go there: connect, join, or make the table"),
    _key("enter", A.OPEN, _on(C.LOBBY), _L, "join"),
    _key("enter", A.OPEN, _on(C.FORM), _L, "make it"),
    _key("up", A.PREVIOUS, _ROWS, _L, "choose", "choose a line", show="↑↓"),
    _key("down tab", A.NEXT, _ROWS, _L),
    _key(
        "left",
        A.LESS,
        _on(C.FORM),
        _L,
        "change",
        "change a choice; other lines take text",
        show="←→",
    ),
    _key("right", A.MORE, _on(C.FORM), _L),
    _key("i", A.ADDRESS, _on(C.MENU), _L, "address", "type a server's address"),
    _key("n", A.NAME, _on(C.MENU), _L, "name", "change your name"),
    _key("d delete", A.FORGET, _on(C.MENU), _L, "forget", "forget a server of before", show="d"),
    _key("c", A.CREATE, _on(C.LOBBY), _L, "new table", "describe a new table, with its rules"),
    _key("w", A.WATCH, _on(C.LOBBY), _L, "watch", "watch a table"),
    _key("escape q", A.BACK, _on(C.MENU), _L, "quit", show="q"),
    _key("escape q", A.BACK, _on(C.LOBBY), _L, "back", "back: to the servers, or out", show="q"),
    _key("escape", A.BACK, _on(C.FORM), _L, "back"),
)

BINDINGS: tuple[Binding, ...] = (
    *_QUESTIONS,
    *_UPCARD[:4],
    *_RESULTS,
    *_COMPOSING,
    *_CARDS,
    *_UPCARD[4:],
    *_BEFORE,
    *_ANY,
)

_BASES = ({C.TABLE}, {C.COMPOSER}, {C.COMPOSER, C.PILES})
_ASKED = (set[Context](), {C.TAKE}, {C.BUY}, {C.PLAY})

_SETTINGS: list[set[Context]] = [
    *({context} for context in (C.MENU, C.LOBBY, C.FORM, C.WATCHING, C.RESULT, C.OVER)),
    *({C.WAITING}, {C.WAITING, C.OWNER}),
    *({context} for context in (C.MELD, C.CHOICE, C.CONFIRM, C.LEAVE)),
    {C.LEAVE, C.KEEP},
    *(base | asked for base in _BASES for asked in _ASKED),
    *({C.READING} | asked for asked in _ASKED[:3]),
    *({C.TEXT} | asked for asked in _ASKED[:3]),
]

COMBINATIONS: tuple[frozenset[Context], ...] = tuple(
    frozenset(setting | {C.ALWAYS}) for setting in _SETTINGS
)
"""Every set of contexts that can be active together."""

ALL_KEYS: tuple[str, ...] = tuple(
    dict.fromkeys(key for binding in BINDINGS for key in binding.keys)
)
