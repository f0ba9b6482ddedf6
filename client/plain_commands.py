"""The words of plain mode: one table that the help and the reading of lines share."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from enum import StrEnum

import msgspec


class Verb(StrEnum):
    """What a line asks for."""

    HELP = "help"
    HAND = "hand"
    TABLE = "table"
    NEED = "need"
    RULES = "rules"
    SCORES = "scores"
    LOG = "log"
    WHAT = "what"
    TAKE = "take"
    PASS = "pass"
    LAY = "lay"
    OFF = "off"
    SWAP = "swap"
    DISCARD = "discard"
    SUGGEST = "suggest"
    PLAN = "plan"
    UNDO = "undo"
    CLEAR = "clear"
    GO = "go"
    CHAT = "chat"
    WANT = "want"
    SKIP = "skip"
    SORT = "sort"
    WORDS = "words"
    TABLES = "tables"
    SIT = "sit"
    WATCH = "watch"
    PASSWORD = "password"
    READY = "ready"
    BEGIN = "begin"
    AGAIN = "again"
    QUIT = "quit"
    YES = "yes"
    NO = "no"


class Command(msgspec.Struct, frozen=True):
    """One word of the table."""

    verb: Verb
    help: str
    aliases: tuple[str, ...] = ()
    takes: str = ""
    """What follows the word, for the help."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every word that means it, the one of the help first."""
        return (self.verb.value, *self.aliases)

    @property
    def line(self) -> str:
        """The line of the help."""
        also = f" (also: {', '.join(self.aliases)})" if self.aliases else ""
        takes = f" {self.takes}" if self.takes else ""
        return f"{self.verb}{takes}: {self.help}{also}."


COMMANDS = (
    Command(Verb.TAKE, "take the upcard, free or bought", ("claim", "buy")),
    Command(Verb.PASS, "leave the upcard; in your turn you draw from the stock", ("draw",)),
    Command(
        Verb.LAY,
        "put cards on a meld of your contract; a number first says which, as in lay 2 4S 5S 6S 7S, "
        "and a semicolon stands between several melds",
        ("meld",),
        "KH KD KC",
    ),
    Command(Verb.OFF, "add cards to a meld; also as: 9H on b", (), "9H on b"),
    Command(
        Verb.SWAP,
        "take back the wild of a run for its natural, where the rules let you",
        (),
        "7S on b",
    ),
    Command(
        Verb.DISCARD,
        "discard; ends your turn at once if nothing else is planned",
        ("throw",),
        "3C",
    ),
    Command(Verb.GO, "play the turn that you have planned", ("send",)),
    Command(Verb.SUGGEST, "plan a sensible turn for me", ("advise",)),
    Command(Verb.PLAN, "say what is planned"),
    Command(Verb.UNDO, "take back the last step of the plan"),
    Command(Verb.CLEAR, "take back all of the plan"),
    Command(Verb.HAND, "say my cards", ("cards",)),
    Command(Verb.TABLE, "say players, melds, discards and stock", ("look", "melds", "discards")),
    Command(Verb.NEED, "say what I must lay", ("contract",)),
    Command(Verb.RULES, "say the rules in short; rules all says every one of them"),
    Command(Verb.SCORES, "say everybody's points", ("score", "points")),
    Command(Verb.LOG, "say the last ten things that happened, or so many", (), "20"),
    Command(Verb.WHAT, "say again what is asked of me, and how long", ("time",)),
    Command(Verb.CHAT, "say something to everybody", ("say",), "hello"),
    Command(
        Verb.WANT,
        "claim cards or ranks whenever they come up; want last: those of last time; want alone: none",
        ("wants",),
        "7H Q",
    ),
    Command(Verb.SKIP, "pass on everything until my turn; once more: no longer"),
    Command(Verb.SORT, "put my cards in order by rank or by suit", (), "suit"),
    Command(Verb.WORDS, "say cards as seven of hearts, or as 7H again", ("spell",)),
    Command(Verb.TABLES, "say which tables the server has, before you sit", ("list",)),
    Command(Verb.SIT, "take a seat at a table; a new name makes one", ("join",), "den"),
    Command(Verb.WATCH, "watch a table", (), "den"),
    Command(Verb.PASSWORD, "for the table that you name next", (), "sesame"),
    Command(Verb.READY, "go on to the next deal", ("next",)),
    Command(Verb.BEGIN, "begin now, with bots on the free seats (for the owner)", ("start",)),
    Command(Verb.AGAIN, "play another game with the same players", ("rematch",)),
    Command(Verb.HELP, "say what can be typed, or more about one word", ("?",), "lay"),
    Command(Verb.QUIT, "leave the table", ("leave", "exit", "bye")),
    Command(Verb.YES, "yes, to a question", ("y",)),
    Command(Verb.NO, "no, to a question; otherwise the same as pass", ("n",)),
)

_BY_NAME = {name: command for command in COMMANDS for name in command.names}


def find(word: str) -> Command | str:
    """Return the command of a word or of its beginning; else what to type instead.

    >>> find("disc").verb
    <Verb.DISCARD: 'discard'>
    >>> find("tabel")
    "there is no word 'tabel'; did you mean table? help says what there is"
    """
    word = word.lower()
    if word in _BY_NAME:
        return _BY_NAME[word]
    meant = {c.verb: c for name, c in _BY_NAME.items() if name.startswith(word)}
    if len(meant) == 1:
        return next(iter(meant.values()))
    if meant:
        return f"{word!r} can be {' or '.join(meant)}: type more of it"
    near = difflib.get_close_matches(word, _BY_NAME, 1)
    guess = f"; did you mean {near[0]}?" if near else ":"
    return f"there is no word {word!r}{guess} help says what there is"


def help_lines(word: str = "") -> Iterator[str]:
    """Return the help: every word on a line of its own, or one of them."""
    if word:
        found = find(word)
        yield found if isinstance(found, str) else found.line
        return
    yield "Type a word and Enter; the beginning of a word is enough where it is clear."
    yield "A turn: take the upcard or pass; then lay, off and discard, or only discard; go plays it."
    yield "Cards are rank and suit: 7H, TD for the ten of diamonds, JK for a joker."
    for command in COMMANDS:
        yield command.line
