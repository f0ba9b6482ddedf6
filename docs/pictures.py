"""Draw the pictures of the README from real screens of a real game.

    python docs/pictures.py            write docs/pictures/*.svg
    python docs/pictures.py --check    say which of them are not as the screens are now
    python docs/pictures.py --record   play another game for them first

A frame goes through prompt_toolkit's output into a terminal in memory (pyte), and what
that shows becomes an SVG: the same bytes on every machine. The game is kept beside the
pictures as a list of actions, so that better bots do not change the pictures.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TextIO, cast

import msgspec
import pyte
from prompt_toolkit.data_structures import Size
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.formatted_text.base import OneStyleAndTextTuple
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.renderer import print_formatted_text
from prompt_toolkit.styles import Style
from pyte.screens import Char

from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.local import play_recorded
from hollywood.client.desk import Desk
from hollywood.client.frame import frame
from hollywood.client.hints import look_at
from hollywood.client.model import ClientModel, LinkStatus
from hollywood.client.prefs import Prefs
from hollywood.client.replay import Player, Tape
from hollywood.client.replay_frame import Pane, replay_frame
from hollywood.client.suggest import suggest
from hollywood.client.text import Line, Look
from hollywood.client.themes import DEFAULT, load_theme, theme_look, theme_rules
from hollywood.protocol.rules import (
    Event,
    GameRecord,
    GameState,
    PlayerView,
    WindowOptions,
    load_rules,
    options,
    redact,
    seed_from_text,
    view,
)
from hollywood.protocol.rules.claims import open_seats
from hollywood.protocol.rules.events import DealEnded
from hollywood.protocol.rules.records import Step, replay
from hollywood.protocol.wire import messages as msg

FOLDER = Path(__file__).parent / "pictures"
GAME = FOLDER / "game.json"
PLAYERS = ("ann", "bea", "chen", "dmitri")
SEAT = 0
COLS, ROWS = 92, 27
RESULT_ROWS = 15
"""A result needs fewer lines; what is empty shows nothing."""
SECONDS = 15.0

CELL, LINE, FONT = 8.4, 18, 14
"""Width of a cell, height of a line, size of the letters, in pixels."""
PAD, BAR = 12, 30
"""Room around the screen, and above it for the title."""

PALETTE = {
    "black": "#1c1f26", "red": "#e06c75", "green": "#98c379", "brown": "#e5c07b",
    "yellow": "#e5c07b", "blue": "#61afef", "magenta": "#c678dd", "cyan": "#56b6c2",
    "white": "#d7dae0", "brightblack": "#848b98", "brightred": "#ff7b85",
    "brightgreen": "#b5e08f", "brightbrown": "#ffd68a", "brightyellow": "#ffd68a",
    "brightblue": "#7cc0ff", "brightmagenta": "#dd93f2", "bfightmagenta": "#dd93f2",
    "brightcyan": "#6fd3df", "brightwhite": "#ffffff",
}  # fmt: skip
"""What the 16 colours of a terminal are in the pictures."""
TEXT, GROUND = "#d7dae0", "#1c1f26"


class Game(msgspec.Struct, frozen=True):
    """A game as its actions."""

    rules: str
    seed: str
    players: tuple[str, ...]
    steps: tuple[Step, ...]


# the game


def record_game(seed: str = "pictures 12") -> Game:
    """Let bots play a game."""
    rules = load_rules("hollywood")
    _, record = play_recorded(rules, [GreedyBot] * 4, seed_from_text(seed), PLAYERS)
    return Game(rules.name, record.seed, PLAYERS, record.steps)


def states(game: Game) -> Iterator[tuple[GameState, tuple[Event, ...]]]:
    """Play the game again: each state with the events that led to it."""
    rules = load_rules(game.rules)
    record = GameRecord(
        rules=rules,
        rules_hash=rules.hash,
        seed=game.seed,
        players=game.players,
        steps=game.steps,
        events=(),
    )
    return replay(record)


class Seat:
    """A client at the table up to a moment of the game."""

    def __init__(self, game: Game, look: Look) -> None:
        self.game = game
        self.look = look
        self.now = 100.0
        self.model = ClientModel()
        self.desk = Desk(self.model, lambda _message: True, Prefs(look, name=PLAYERS[SEAT]))
        self._seq = 0
        self.model.set_link(LinkStatus("online"), self.now)
        rules = load_rules(game.rules)
        kinds = ("player", "player", "player", "bot")
        seats = tuple(msg.SeatInfo(*one) for one in zip(game.players, kinds, strict=True))
        joined = msg.Joined(
            cid=0, table="den", seat=SEAT, token="", rules=rules, rules_hash=rules.hash,
            seats=seats, rng="",
        )  # fmt: skip
        self.model.receive(joined, self.now)

    def go_to(self, is_there: Callable[[GameState, tuple[Event, ...]], bool]) -> PlayerView:
        """Follow the game until something holds; be asked what the rules ask then."""
        for state, events in states(self.game):
            blanked = tuple(redact(event, SEAT) for event in events)
            self.model.receive(msg.Events(seq=self._seq + 1, events=blanked), self.now)
            self._seq += len(events)
            self.desk.sync()
            if is_there(state, events):
                self._ask(state)
                return view(state, SEAT)
        raise LookupError("the game has no such moment: play another one with --record")

    def _ask(self, state: GameState) -> None:
        asked = options(view(state, SEAT))
        if asked is None:
            return
        decide = msg.Decide(
            did=1, n=0, seq=self._seq, legal=asked, remaining_ms=int(SECONDS * 1000)
        )
        self.model.receive(decide, self.now)
        self.now += SECONDS * 0.4

    def frame(self, rows: int = ROWS) -> list[Line]:
        """Draw what the player sees."""
        return frame(self.model, self.desk, COLS, rows, self.now, self.look)


# the screens


def table(game: Game, look: Look) -> list[Line]:
    """A whole turn in the composer, as the advice has it, with melds to lay off on."""
    seat = Seat(game, look)

    def is_there(state: GameState, _events: tuple[Event, ...]) -> bool:
        if not 3 <= state.deal <= 8 or state.turn != SEAT or state.window is not None:
            return False
        known = view(state, SEAT)
        is_asked = options(known) is not None and len(known.table) >= 2 and not known.is_down
        return is_asked and bool(suggest(known)[0].has_melds) and bool(suggest(known)[0].lay_offs)

    known = seat.go_to(is_there)
    seat.desk.prefs.hints = True
    seat.desk.glance = look_at(known)
    seat.desk.take_advice(*suggest(known))
    seat.desk.notice = ""
    return seat.frame()


def window(game: Game, look: Look) -> list[Line]:
    """A card that may be bought, and helps."""
    seat = Seat(game, look)

    def is_there(state: GameState, _events: tuple[Event, ...]) -> bool:
        if state.deal < 1 or state.window is None or SEAT not in open_seats(state.window):
            return False
        known = view(state, SEAT)
        asked = options(known)
        is_sale = isinstance(asked, WindowOptions) and not asked.is_free and not known.is_down
        now, after = known.distance(), known.distance(known.upcard)
        helps = now is not None and after is not None and after < now
        return is_sale and helps and bool(known.table) and len(state.window.order) > 2

    seat.desk.prefs.hints = True
    seat.desk.glance = look_at(seat.go_to(is_there))
    return seat.frame()


def result(game: Game, look: Look) -> list[Line]:
    """The end of a deal."""
    seat = Seat(game, look)

    def is_there(state: GameState, events: tuple[Event, ...]) -> bool:
        return state.deal == 4 and any(isinstance(event, DealEnded) for event in events)

    seat.go_to(is_there)
    return seat.frame(RESULT_ROWS)


def replayed(game: Game, look: Look) -> list[Line]:
    """The same game looked at again, in the middle of a deal."""
    tape = Tape(load_rules(game.rules), game.players, range(len(game.players)))
    for _, events in states(game):
        tape.add(events)
    player = Player(tape)
    player.deal(5)
    last = tape.deals[6] - 1
    while len(tape.view(player.place).table) < 4 and player.place < last:
        player.step(1)
    return replay_frame(player, Pane.TABLE, 0, COLS, ROWS, look)


PICTURES: dict[str, tuple[str, Callable[[Game, Look], list[Line]]]] = {
    "table": ("Your turn: the composer with the whole turn, ready to be sent", table),
    "window": ("A claim window: a card that may be bought, and the time left", window),
    "result": ("The end of a round: points, totals, what everybody held", result),
    "replay": ("A recorded game looked at again, with everybody's hands", replayed),
}


# from lines to a picture


class _Memory:
    """A terminal in memory, as prompt_toolkit's output wants it."""

    encoding = "utf-8"

    def __init__(self, rows: int) -> None:
        self.screen = pyte.Screen(COLS, rows)
        self.stream = pyte.Stream(self.screen)

    def write(self, data: str) -> int:
        """Show what is written."""
        self.stream.feed(data)
        return len(data)

    def flush(self) -> None:
        """Everything is shown already."""

    def isatty(self) -> bool:
        """Colours are wanted."""
        return True

    def fileno(self) -> int:
        """No file."""
        return -1


def shown(lines: list[Line], rules: dict[str, str]) -> pyte.Screen:
    """Return the terminal that shows these lines."""
    memory = _Memory(len(lines))
    output = Vt100_Output(
        cast("TextIO", memory), lambda: Size(rows=len(lines), columns=COLS), term="xterm-256color"
    )
    # each line fills the screen's width, so that the next one begins by itself
    fragments: list[OneStyleAndTextTuple] = [part for line in lines for part in line]
    print_formatted_text(
        output,
        FormattedText(fragments),
        Style.from_dict(rules),
        color_depth=ColorDepth.DEPTH_24_BIT,
    )
    return memory.screen


def svg(screen: pyte.Screen, title: str) -> str:
    """Return what a terminal shows as an SVG."""
    width, height = COLS * CELL + 2 * PAD, screen.lines * LINE + BAR + 2 * PAD
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.1f} {height}" '
        f'width="{width:.1f}" height="{height}" role="img" aria-label="{html.escape(title)}">',
        f"<title>{html.escape(title)}</title>",
        f"<style>text{{font:{FONT}px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',"
        "monospace;white-space:pre;font-variant-emoji:text}.b{font-weight:bold}"
        ".u{text-decoration:underline}.i{font-style:italic}</style>",
        f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>',
        f'<rect width="100%" height="{BAR}" rx="8" fill="#2b2f38"/>',
        f'<text x="{width / 2:.1f}" y="20" fill="#9aa1ad" text-anchor="middle">hollywood</text>',
    ]
    for row in range(screen.lines):
        parts += _row(screen, row)
    return "\n".join([*parts, "</svg>", ""])


def _row(screen: pyte.Screen, row: int) -> Iterator[str]:
    cells: list[Char] = [screen.buffer[row][column] for column in range(COLS)]
    column = 0
    top = BAR + PAD + row * LINE
    grounds, texts = [], []
    for (look, is_block), run in groupby(cells, key=lambda cell: (_drawn(cell), cell.data == "█")):
        text = "".join(cell.data for cell in run)
        start, column = column, column + len(text)
        color, ground, classes = look
        x, length = PAD + start * CELL, len(text) * CELL
        if is_block or ground != GROUND:
            grounds.append(
                f'<rect x="{x:.1f}" y="{top}" width="{length:.1f}" height="{LINE}" '
                f'fill="{color if is_block else ground}"/>'
            )
        if text.strip() and not is_block:
            # blanks at the ends need no drawing, but what stands between must keep its place
            lead = len(text) - len(text.lstrip())
            text = text.strip()
            x, length = x + lead * CELL, len(text) * CELL
            kind = f' class="{classes}"' if classes else ""
            texts.append(
                f'<text x="{x:.1f}" y="{top + 13}" fill="{color}"{kind} '
                f'textLength="{length:.1f}" lengthAdjust="spacingAndGlyphs">'
                f"{html.escape(text, quote=False)}</text>"
            )
    yield from grounds
    yield from texts


def _drawn(cell: Char) -> tuple[str, str, str]:
    """Return colour, ground and classes of a cell."""
    color, ground = _color(cell.fg, TEXT), _color(cell.bg, GROUND)
    if cell.reverse:
        color, ground = ground, color
    flags = (("b", cell.bold), ("u", cell.underscore), ("i", cell.italics))
    return color, ground, " ".join(name for name, is_on in flags if is_on)


def _color(name: str, default: str) -> str:
    if name == "default":
        return default
    return PALETTE.get(name, f"#{name}")


# the command


def draw(name: str, game: Game) -> str:
    """Return one picture."""
    title, screen = PICTURES[name]
    theme = load_theme(DEFAULT)
    look = theme_look(theme, Look())
    return svg(shown(screen(game, look), theme_rules(theme, look)), title)


def main(arguments: list[str]) -> int:
    """Write the pictures, or say which are old."""
    FOLDER.mkdir(exist_ok=True)
    if "--record" in arguments:
        GAME.write_bytes(msgspec.json.encode(record_game()) + b"\n")
    game = msgspec.json.decode(GAME.read_bytes(), type=Game)
    old = []
    for name in PICTURES:
        path = FOLDER / f"{name}.svg"
        picture = draw(name, game)
        if not path.exists() or path.read_text("utf-8") != picture:
            old.append(str(path.name))
            if "--check" not in arguments:
                path.write_text(picture, "utf-8", newline="\n")
    if "--check" in arguments and old:
        sys.stderr.write(f"not as the screens are now: {', '.join(old)}; run docs/pictures.py\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
