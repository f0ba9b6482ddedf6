"""A new table: every option as a line that is typed or changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from hollywood.protocol.errors import RulesError
from hollywood.protocol.rules import RuleSet, load_rules, rule_set_names
from hollywood.protocol.wire import is_name
from hollywood.protocol.wire import messages as msg

from .field import Field
from .keys import Action, Context
from .listing import Listing, chosen_row, list_frame
from .prefs import Prefs
from .text import Line, fit, paint, wrap

_MAX_TOML = 12_000


class Choice:
    """A line with a few values to choose from."""

    def __init__(self, label: str, values: Sequence[str], index: int = 0, about: str = "") -> None:
        self.label = label
        self.values = tuple(values)
        self.index = index
        self.about = about

    @property
    def value(self) -> str:
        """What is chosen."""
        return self.values[self.index]

    def change(self, step: int) -> None:
        """Go on to another value."""
        self.index = (self.index + step) % len(self.values)

    def limit(self, values: Sequence[str]) -> None:
        """Offer other values; the choice stays if it is among them."""
        chosen = self.value
        self.values = tuple(values)
        near = len(self.values) - 1 if self.index >= len(self.values) else self.index
        self.index = self.values.index(chosen) if chosen in self.values else near


class Typed:
    """A line with a text."""

    def __init__(
        self, label: str, text: str = "", about: str = "", *, limit: int = 24, secret: bool = False
    ) -> None:
        self.label = label
        self.field = Field(text, limit=limit, is_secret=secret)
        self.about = about


Row = Choice | Typed

_SECONDS = ("as the server has it", "5", "10", "15", "20", "30", "45", "60", "90", "120", "300")


class Form(Listing):
    """Describes a table that does not exist yet.

    Args:
        prefs: The player's name suggests one for the table.
        bots: Names of house bots.
        read: Reads a rule-set file.
    """

    def __init__(
        self,
        prefs: Prefs,
        bots: Sequence[str],
        read: Callable[[str], str] = lambda path: Path(path).expanduser().read_text("utf-8"),
    ) -> None:
        super().__init__()
        self.prefs = prefs
        names = rule_set_names()
        start = names.index("hollywood") if "hollywood" in names else 0
        self.name = Typed("table", f"{prefs.name}'s"[:24], "what others see in the list")
        self.rules = Choice("rules", names, start)
        self.file = Typed("own rules", "", "a TOML file, instead of the rules above", limit=200)
        self.seats = Choice("seats", ("4",))
        self.bots = Choice("bots", ("0",), 0, "seats that house bots take")
        self.bot = Choice("which bot", bots, _at(bots, "greedy"))
        self.password = Typed(
            "password", "", "asked of everybody; empty: of nobody", limit=64, secret=True
        )
        self.timing = Choice(
            "windows",
            (msg.Timing.FAST, msg.Timing.SEALED),
            0,
            "when the others can no longer buy: fast, as soon as it is decided; sealed, on a beat, "
            "so that nobody learns who answered",
        )
        self.window = Choice("to buy", _SECONDS, 0, "seconds for others to answer a discard")
        self.turn = Choice("turn", _SECONDS, 0, "seconds for each decision in turn")
        self.bank = Choice(
            "bank",
            (*_SECONDS[:1], "0", "60", "120", "300", "600"),
            0,
            "seconds in reserve for longer turns, in a whole game",
        )
        self.hints = Choice("hints", ("allowed", "none"), 0, "advice and hints for players")
        self.watching = Choice("watching", ("allowed", "none"), 0, "whether others may look on")
        self.delay = Choice(
            "delay",
            ("0", "10", "30", "60", "300"),
            0,
            "who watches sees everything so many seconds later",
        )
        self._read = read
        self._follow_rules()
        if "4" in self.seats.values:
            self.seats.index = self.seats.values.index("4")
        self._follow_seats()

    def rows(self) -> list[Row]:
        """The lines in order."""
        return [
            self.name,
            self.rules,
            self.seats,
            self.bots,
            self.bot,
            self.password,
            self.timing,
            self.window,
            self.turn,
            self.bank,
            self.hints,
            self.watching,
            self.delay,
            self.file,
        ]

    def _rule_set(self) -> RuleSet:
        return load_rules(self.rules.value)

    def _follow_rules(self) -> None:
        players = self._rule_set().players
        counts = range(players.min, players.max + 1) if not self.file.field.text else range(2, 13)
        self.seats.limit([str(n) for n in counts])

    def _follow_seats(self) -> None:
        self.bots.limit([str(n) for n in range(int(self.seats.value))])

    def press(self, key: str, action: Action | None) -> bool:
        """Change the chosen line, or choose another."""
        row = self.rows()[self.index]
        self.notice = ""
        if action in (Action.PREVIOUS, Action.NEXT):
            self.move(-1 if action is Action.PREVIOUS else 1, len(self.rows()))
        elif isinstance(row, Typed):
            if not row.field.press(key):
                return False
        elif action in (Action.LESS, Action.MORE) or key == " ":
            row.change(-1 if action is Action.LESS else 1)
        else:
            return False
        self._follow_rules()
        self._follow_seats()
        return True

    def paste(self, text: str) -> None:
        """Put text into the chosen line."""
        row = self.rows()[self.index]
        if isinstance(row, Typed):
            row.field.insert(text)

    def message(self, cid: int) -> msg.Create | str:
        """Return the request, or why it cannot be made."""
        name = self.name.field.text.strip()
        if not is_name(name):
            return "a table's name has 1 to 24 letters, digits, spaces or _.'-, a letter or digit first"
        rules, toml = self.rules.value, ""
        if path := self.file.field.text.strip():
            found = self._toml(path)
            if found[1]:
                return found[1]
            rules, toml = Path(path).stem[:64], found[0]
        return msg.Create(
            cid=cid,
            table=name,
            rules=rules,
            rules_toml=toml,
            seats=int(self.seats.value),
            bots=(self.bot.value,) * int(self.bots.value),
            password=self.password.field.text,
            hints=self.hints.index == 0,
            watchers=self.watching.index == 0,
            watch_delay=int(self.delay.value),
            timing=msg.Timing(self.timing.value),
            window_seconds=_number(self.window),
            turn_seconds=_number(self.turn),
            bank_seconds=_number(self.bank),
        )

    def _toml(self, path: str) -> tuple[str, str]:
        """Return the text of a rule-set file, or why not."""
        try:
            text = self._read(path)
        except (OSError, UnicodeDecodeError) as error:
            return "", f"{path} cannot be read: {getattr(error, 'strerror', None) or 'no UTF-8'}"
        if len(text) > _MAX_TOML:
            return "", f"{path} is too long: {_MAX_TOML} characters at most"
        return text, ""

    def frame(self, active: Iterable[Context], cols: int, rows: int) -> list[Line]:
        """Draw the screen."""
        look = self.prefs.look
        lines = [
            chosen_row(
                self._cells(row, i == self.index, cols), i, is_chosen=i == self.index, cols=cols
            )
            for i, row in enumerate(self.rows())
        ]
        foot = [fit([], cols)]
        about = self._about(self.rows()[self.index])
        foot += [fit(paint(f" {line}", look, "class:dim"), cols) for line in wrap(about, cols - 2)]
        return list_frame("A new table", lines, self, active, cols, rows, look, (), foot[:4])

    def _cells(self, row: Row, is_chosen: bool, cols: int) -> Line:
        label = f"{row.label:<10} "
        if isinstance(row, Choice):
            arrows = ("← ", " →") if is_chosen else ("  ", "")
            return [("", f"{label}{arrows[0]}{row.value}{arrows[1]}")]
        room = min(30, cols - len(label) - 4)
        shown: Line = row.field.draw(room) if is_chosen else [("", row.field.shown())]
        return [("", f"{label}  "), *shown]

    def _about(self, row: Row) -> str:
        if row is not self.rules:
            return row.about
        try:
            rules = self._rule_set()
        except RulesError as error:
            return str(error)
        rounds = len(rules.rounds)
        return f"{rules.title}: {rules.players.min} to {rules.players.max} players, {rounds} rounds"


def _at(names: Sequence[str], name: str) -> int:
    return list(names).index(name) if name in names else 0


def _number(choice: Choice) -> int | None:
    return None if choice.index == 0 else int(choice.value)
