"""The screen of a replay: its keys, and what the presenter wants of a stage."""

from __future__ import annotations

from collections.abc import Callable

from hollywood.protocol.wire import messages as msg

from .keys import Context
from .prefs import Prefs
from .replay import Player, Tape
from .replay_frame import Pane, log_length, replay_frame
from .stage import TITLE, Call, Job, News
from .text import Line, printable

_PAGE = 10


def live_replay(message: msg.Joined | msg.Watching, prefs: Prefs) -> ReplayStage:
    """Return the replay of a table that is being played; it grows by what it receives.

    Hand it every message of the table from this one on, or at least `Events` and
    `Seated`. A player sees the own cards in it, who watches none.

    Args:
        message: What the server said when the table was entered.
        prefs: How things are shown.
    """
    known = {message.seat} if isinstance(message, msg.Joined) else set[int]()
    tape = Tape(message.rules, _names(message.seats), known)
    return ReplayStage(Player(tape, is_live=True), prefs)


def _names(seats: tuple[msg.SeatInfo, ...]) -> tuple[str, ...]:
    return tuple(printable(seat.name) or f"seat {number}" for number, seat in enumerate(seats, 1))


class ReplayStage:
    """A game that is looked at: a record, or a table while it is played.

    Args:
        player: The place in the game.
        prefs: How things are shown.
    """

    def __init__(self, player: Player, prefs: Prefs) -> None:
        self.player = player
        self.prefs = prefs
        self.pane = Pane.TABLE
        self.scroll = 0
        self.outcome: str | None = None
        """Set when the viewer leaves."""
        self._size = (80, 24)
        self._log_size: tuple[object, int] = (None, 0)
        """The lines of the log, and of which log."""
        self._keys: dict[str, Callable[[], object]] = {
            "left": lambda: player.step(-1),
            "right": lambda: player.step(1),
            "up": lambda: self._up(-1),
            "down": lambda: self._up(1),
            "pageup": lambda: self._page(-1),
            "pagedown": lambda: self._page(1),
            "home": lambda: player.go_to(0),
            "g": lambda: player.go_to(0),
            "end": lambda: player.go_to(len(player.tape)),
            "G": lambda: player.go_to(len(player.tape)),
            "[": lambda: player.next_deal(-1),
            "p": lambda: player.next_deal(-1),
            "]": lambda: player.next_deal(1),
            "n": lambda: player.next_deal(1),
            "+": lambda: player.faster(1),
            "=": lambda: player.faster(1),
            "-": lambda: player.faster(-1),
            "v": lambda: player.next_eyes(1),
            "V": lambda: player.next_eyes(-1),
            "c": lambda: self._show(Pane.CHART),
            "S": lambda: self._show(Pane.CHART),
            "L": lambda: self._show(Pane.LOG),
            "?": lambda: self._show(Pane.HELP),
            "f1": lambda: self._show(Pane.HELP),
            "escape": self._close,
            "m": self.prefs.toggle_mouse,
            "o": self.prefs.next_suits,
            "q": self._leave,
            "c-c": self._leave,
            "<sigint>": self._leave,
        } | {str(number): self._go_to_deal(number - 1) for number in range(1, 10)}

    def contexts(self) -> frozenset[Context]:
        """Only the keys that work everywhere are not the replay's own."""
        return frozenset({Context.ALWAYS})

    def press(self, key: str, now: float) -> bool:
        """Do what the key does; False if nothing."""
        self.player.run(now)
        if key in (" ", "space"):
            self.player.toggle(now)
            return True
        do = self._keys.get(key)
        if do is None:
            return False
        do()
        return True

    def paste(self, text: str) -> None:
        """Nothing is typed here."""

    def click(self, target: str, now: float) -> bool:
        """Do what a click on a key of the bar does; False for one elsewhere."""
        kind, _, what = target.partition(":")
        return kind == "key" and self.press(what, now)

    def receive(self, message: News, now: float) -> None:
        """Append what has happened at a table that is being played."""
        self.player.run(now)
        tape = self.player.tape
        if isinstance(message, msg.Seated):
            tape.names = _names(message.seats)
        elif isinstance(message, msg.Events) and message.seq <= len(tape) + 1:
            # after a reconnect the server may tell again what is known
            self.player.add(message.events[len(tape) + 1 - message.seq :])

    def frame(self, cols: int, rows: int, now: float) -> list[Line]:
        """Draw the game as it was, or is."""
        self._size = (cols, rows)
        self.player.run(now)
        return replay_frame(self.player, self.pane, self.scroll, cols, rows, self.prefs.look)

    def is_counting(self, now: float) -> bool:
        """Whether the game is playing by itself."""
        return self.player.is_playing

    def call(self) -> Call:
        """Nothing calls for attention in a replay."""
        return Call(title=f"replay - {TITLE}")

    def job(self) -> Job | None:
        """Nothing needs a long search."""
        return None

    # keys

    def _up(self, direction: int) -> None:
        if self.pane is Pane.LOG:
            self._scroll(-direction)
        else:
            self.player.turn(direction)

    def _page(self, direction: int) -> None:
        if self.pane is Pane.LOG:
            self._scroll(-direction * _PAGE)
        else:
            self.player.step(direction * _PAGE)

    def _scroll(self, lines: int) -> None:
        cols, rows = self._size
        key = (self.player.place, self.player.eyes, cols)
        if self._log_size[0] != key:
            self._log_size = (key, log_length(self.player, cols))
        most = max(0, self._log_size[1] - (rows - 4))
        self.scroll = max(0, min(most, self.scroll + lines))

    def _show(self, pane: Pane) -> None:
        self.pane = Pane.TABLE if self.pane is pane else pane
        self.scroll = 0

    def _close(self) -> None:
        self.pane, self.scroll = Pane.TABLE, 0

    def _go_to_deal(self, number: int) -> Callable[[], object]:
        return lambda: self.player.deal(number)

    def _leave(self) -> None:
        self.outcome = "quit"
