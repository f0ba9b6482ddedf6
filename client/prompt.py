"""The prompt: what is awaited, from whom, and which keys answer it.

Keys come before text, so that a narrow screen can only cut text off.
"""

from __future__ import annotations

from hollywood.protocol.rules import Phase, PlayerView

from .desk import Desk, Question
from .keys import Context
from .model import ClientModel, is_claim, seats_ahead
from .narrate import join_words
from .text import Line, Look, fit, line_width, paint, wrap

BAR = 12
"""Cells of a countdown bar."""


def prompt(desk: Desk, cols: int, rows: int, now: float, look: Look) -> list[Line]:
    """Return one to `rows` lines; the last ones matter most and are kept."""
    claim = _claim(desk, cols, now, look)
    must: list[Line] = [] if claim is None else [claim]
    if desk.question is not None:
        must += _lines(_question(desk.question), cols, max(1, rows - len(must)), look, "class:ask")
    notice = desk.notice or desk.model.notice
    room = max(0, rows - max(1, len(must)))
    if desk.is_composing and desk.reading is None and desk.model.link.state != "lost":
        if must:
            notice = notice or verdict(desk)[0]
        else:
            return _composing(desk, notice, cols, rows, now, look)
    above = _lines(notice, cols, room, look, "class:notice")
    if not must:
        text, style = _awaited(desk, now)
        clock = _countdown(desk.model, cols, len(text) + 3, now, look)
        must = [fit([*paint(f" {text}", look, style), *clock], cols, style)]
    return [*above, *must][-rows:]


def _composing(desk: Desk, notice: str, cols: int, rows: int, now: float, look: Look) -> list[Line]:
    """How the draft is doing, and the time left for it."""
    said, style = verdict(desk)
    lines = _lines(notice or said, cols, rows, look, "class:notice" if notice else style)
    clock = _countdown(desk.model, cols, 0, now, look)
    if clock and len(lines) < rows:
        lines.append(fit(clock, cols))
    return lines


def verdict(desk: Desk) -> tuple[str, str]:
    """Say what Enter would do in the composer, with the style of the line."""
    check = desk.composer.check()
    if check.play is not None:
        return "legal: Enter plays the whole turn; until then u takes any step back", "class:good"
    return desk.model.words(check.text), "class:prompt"


def _lines(text: str, cols: int, rows: int, look: Look, style: str) -> list[Line]:
    """Wrap a text into at most so many lines; an ellipsis shows what is cut off."""
    texts = wrap(text, cols - 2)
    if len(texts) > rows > 0:
        texts = [*texts[: rows - 1], " ".join(texts[rows - 1 :])]
    return [fit(paint(f" {line}", look, style), cols, style) for line in texts[:rows]]


def _question(question: Question) -> str:
    match question.context:
        case Context.CONFIRM:
            return f"x yes, Esc no: {question.text}"
        case Context.LEAVE:
            return f"y leave, n stay: {question.text}"
        case Context.MELD:
            return f"a-z, Esc no: {question.text}"
    numbered = [f"{i} {option}" for i, option in enumerate(question.options, 1)]
    return f"{question.text} {'; '.join(numbered)}"


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
    is_blocked = desk.question is not None  # its keys come first
    if window.is_free:
        line = [
            (style, " TAKE? "),
            *card,
            (f"{style} class:key", "" if is_blocked else "  p take  n draw"),
        ]
        more = ("  free, instead of drawing from the stock", "  free, instead of drawing")
    else:
        line = [
            (style, " BUY? "),
            *card,
            (f"{style} class:key", "" if is_blocked else "  b buy  n no"),
        ]
        price = _price(window.penalty)
        more = (f"  {price}{_buys_left(view)}", f"  {price}")
    line += _countdown(model, cols, line_width(line), now, look, style)
    room = cols - line_width(line)
    text = next((text for text in more if len(text) <= room), "")
    return fit([*line, (style, text)], cols, style)


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
    return _turn(model, view)


def _turn(model: ClientModel, view: PlayerView) -> tuple[str, str]:
    if model.is_our_play:
        drew = (
            ""
            if view.drew is None
            else f" you {'took' if view.took_upcard else 'drew'} {view.drew};"
        )
        options = "l lays off, x discards" if view.is_down else "x discards, g to go down"
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
