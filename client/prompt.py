"""The prompt: what is awaited, from whom, and which keys answer it.

Keys come before text, so that a narrow screen can only cut text off.
"""

from __future__ import annotations

from hollywood.protocol.rules import Phase, PlayerView

from .desk import Desk
from .keys import Context
from .model import ClientModel, is_claim, seats_ahead
from .narrate import join_words
from .text import Line, Look, fit, line_width, paint, wrap

BAR = 12
"""Cells of a countdown bar."""


def prompt(desk: Desk, cols: int, rows: int, now: float, look: Look) -> list[Line]:
    """Return one to `rows` lines; the last ones matter most and are kept."""
    notice = desk.notice or desk.model.notice
    style = "class:notice"
    lines = [
        fit(paint(f" {line}", look, style), cols, style)
        for line in wrap(notice, cols - 2)
        if notice
    ]
    status = _status(desk, cols, now, look)
    return [*lines[: max(0, rows - len(status))], *status][-rows:]


def _status(desk: Desk, cols: int, now: float, look: Look) -> list[Line]:
    """The lines that are there without a notice; the last one is the one to answer."""
    claim = _claim(desk, cols, now, look)
    if desk.question is not None:
        asked = _question(desk, cols, look)
        return asked if claim is None else [claim, *asked]
    if claim is not None:
        return [claim]
    text, style = _awaited(desk, now)
    line = [
        *paint(f" {text}", look, style),
        *_countdown(desk.model, cols, len(text) + 3, now, look),
    ]
    return [fit(line, cols, style)]


def _question(desk: Desk, cols: int, look: Look) -> list[Line]:
    question, style = desk.question, "class:ask"
    if question is None:
        return []
    match question.context:
        case Context.CONFIRM:
            keys = "x yes  Esc no  "
        case Context.LEAVE:
            keys = "y leave  n stay  "
        case Context.MELD:
            keys = "a-z meld  Esc no  "
        case _:
            numbered = (f"{i} {option}" for i, option in enumerate(question.options, 1))
            lines = wrap(f"{question.text}  {'; '.join(numbered)}", cols - 2)
            return [fit(paint(f" {line}", look, style), cols, style) for line in lines]
    return [
        fit([(style + " class:key", f" {keys}"), *paint(question.text, look, style)], cols, style)
    ]


def _claim(desk: Desk, cols: int, now: float, look: Look) -> Line | None:
    """The line of an open claim window: asked, or answered and not yet settled."""
    model = desk.model
    view, decision = model.view, model.decision
    if view is None or view.upcard is None or decision is None or not decision.is_window:
        return None
    style = "class:claim"
    card = paint(f"[{view.upcard}]", look, style)
    window = model.open_window
    if window is None:
        ahead = [model.who(seat) for seat in seats_ahead(view)]
        if not is_claim(decision):
            text = " passed; the others are still asked"
        elif ahead:
            text = f" asked; {join_words(ahead)} {'is' if len(ahead) == 1 else 'are'} ahead of you"
        else:
            text = " asked; nobody is ahead of you"
        line = [("class:prompt", " "), *card, ("class:prompt", text)]
        return fit([*line, *_countdown(model, cols, line_width(line), now, look)], cols)
    if window.is_free:
        line = [(style, " TAKE? "), *card, (f"{style} class:key", "  p take  n draw")]
        more = "  free; n draws from the stock instead"
    else:
        line = [(style, " BUY? "), *card, (f"{style} class:key", "  b buy  n no")]
        more = f"  {_price(window.penalty)}{_buys_left(view)}"
    line += _countdown(model, cols, line_width(line), now, look, style)
    return fit([*line, (style, more)], cols, style)


def _price(penalty: int) -> str:
    if not penalty:
        return "no penalty card"
    return f"+{penalty} card{'s' if penalty > 1 else ''} from the stock"


def _buys_left(view: PlayerView) -> str:
    left = view.buys_left
    return "" if left is None else f", {left} {'buy' if left == 1 else 'buys'} left"


def _awaited(desk: Desk, now: float) -> tuple[str, str]:
    """Say what is waited for, with the style of the line."""
    model = desk.model
    view = model.view
    if model.refusal:
        return model.refusal, "class:alarm"
    if model.link.state == "lost":
        wait = model.remaining(now) or 0.0
        why = f" ({model.link.text})" if model.link.text else ""
        return f"the connection is lost; trying again in {wait:.0f}s{why}", "class:alarm"
    if view is None:
        return "connecting to the table ...", "class:prompt"
    if view.deal < 0:
        free = sum(seat.kind == "open" for seat in model.seats)
        seats = f"{free} more {'player' if free == 1 else 'players'}"
        return f"waiting for {seats if free else 'the first cards'}", "class:prompt"
    if model.is_game_over:
        return "the game is over; Enter leaves, S shows the scores", "class:prompt"
    if model.result is not None:
        if model.is_ready:
            return "ready; waiting for the others", "class:prompt"
        return "Enter goes on to the next round", "class:ask"
    if desk.is_composing:
        return _composing(desk), "class:ask" if model.is_our_play else "class:prompt"
    return _turn(model, view)


def _composing(desk: Desk) -> str:
    model, view = desk.model, desk.model.view
    if model.is_our_play:
        if desk.composer.check().play is not None:
            return "Enter plays the whole turn; until then u takes any step back"
        if view is not None and view.is_down:
            return "select cards (space), then l and a meld's letter; x marks the discard"
        return "select cards (space), then a pile's number; x marks the discard"
    return f"a plan for your turn; {_turn(model, view)[0]}" if view is not None else ""


def _turn(model: ClientModel, view: PlayerView) -> tuple[str, str]:
    if model.is_our_play:
        drew = (
            ""
            if view.drew is None
            else f" you {'took' if view.took_upcard else 'drew'} {view.drew};"
        )
        options = "l lays off, x discards" if view.is_down else "x discards, g goes down"
        return f"YOUR TURN:{drew} {options}, a advises", "class:ask"
    if model.decision is not None:
        return "sent; waiting for the server", "class:prompt"
    if view.phase is Phase.WINDOW:
        asked = [model.who(seat) for seat in view.order]
        return f"{view.upcard}: {join_words(asked, 'or')} may take it", "class:prompt"
    if view.phase is Phase.PLAY and not view.is_my_turn:
        return f"{model.who(view.turn)} is playing", "class:prompt"
    return "waiting for the server", "class:prompt"


def _countdown(
    model: ClientModel, cols: int, used: int, now: float, look: Look, style: str = "class:prompt"
) -> Line:
    """Seconds left and a bar that shrinks; nothing where no time runs."""
    decision = model.decision
    left = None if decision is None else decision.remaining(now)
    if decision is None or left is None:
        return []
    seconds = f"{left:.1f}s" if left < 10 else f"{left:.0f}s"
    line: Line = [(style, f"  {seconds} ")]
    room = cols - used - line_width(line) - 1
    cells = min(BAR, room)
    if cells >= 4:
        full = min(cells, round(cells * left / decision.total)) if decision.total > 0 else 0
        line.append((f"{style} class:bar", "█" * full + "░" * (cells - full)))
    return line
