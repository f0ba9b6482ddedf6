"""The prompt: what is awaited, from whom, and which keys answer it.

Keys come before text, so that a narrow screen can only cut text off.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from hollywood.protocol.rules import Phase, PlayerView

from .desk import Desk, Question
from .hints import describe_glance, giveaway
from .keys import Context
from .model import ClientModel, OpenDecision, is_claim, seats_ahead
from .narrate import join_words
from .text import Line, Look, fit, line_width, paint, spot, wrap
from .wants import describe_order

BAR = 12
"""Cells of a countdown bar."""


def prompt(desk: Desk, cols: int, rows: int, now: float, look: Look) -> list[Line]:
    """Return one to `rows` lines; the last ones matter most and are kept."""
    claim = _claim(desk, cols, now, look)
    must: list[Line] = [] if claim is None else [claim]
    if desk.entry is not None and desk.question is None:
        must.insert(0, _entry(desk, cols))
    if desk.question is not None:
        must += _lines(_question(desk.question), cols, max(1, rows - len(must)), look, "class:ask")
    notice = desk.notice or desk.model.notice
    room = max(0, rows - max(1, len(must)))
    if desk.is_composing and desk.reading is None and desk.model.link.state != "lost":
        if must:
            notice = notice or verdict(desk)[0]
        else:
            return _composing(desk, notice, cols, rows, now, look)
    # hints give way on short screens
    above = _lines(notice, cols, room, look, "class:notice") or _lines(
        _hint(desk), cols, min(room, 1 if rows < 4 else room), look, "class:notice"
    )
    if not must or (claim is None and desk.question is None and rows > len(must)):
        text, style = _awaited(desk, now)
        seconds = _countdown(desk.model, 0, 0, now, look)  # no room for the bar
        text = _to_fit(text, cols - 2 - line_width(seconds))
        clock = _countdown(desk.model, cols, len(text) + 3, now, look)
        must = [fit([*paint(f" {text}", look, style), *clock], cols, style), *must]
    return [*above, *must][-rows:]


def _to_fit(text: str, room: int) -> str:
    """Return the fullest wording with room for it.

    The reason in brackets goes first, then advice, then what the key bar says, too.

    >>> _to_fit("YOUR TURN: you drew 3D; x discards, g to go down, a advises", 32)
    'YOUR TURN: drew 3D'
    >>> _to_fit("the connection is lost; trying again in 3s (no server answers)", 38)
    'no connection; trying again in 3s'
    """
    for shorten in _SHORTENINGS:
        if len(text) <= room:
            break
        text = shorten(text)
    return text


_SHORTENINGS: tuple[Callable[[str], str], ...] = (
    lambda text: text.partition(" (")[0].removesuffix(", a advises"),
    lambda text: text.replace(": you ", ": ").replace("discards", "ends it"),
    lambda text: text.replace("the connection is lost", "no connection"),
    lambda text: text.replace("the game is over", "game over"),
    lambda text: text.partition("; ")[0],
    lambda text: text.removesuffix(", g to go down"),
)


def _entry(desk: Desk, cols: int) -> Line:
    """The text that is being typed, with what may stand there."""
    entry = desk.entry
    assert entry is not None, "a text is typed"
    head: Line = [("class:ask", f" {entry.label}: ")]
    room = cols - line_width(head)
    told = entry.help if not entry.field.text else ""
    if told and room > len(told) + 4:
        room -= len(told) + 2
        return [*head, *entry.field.draw(room), ("class:dim", f"  {told}")]
    return [*head, *entry.field.draw(room)]


def _hint(desk: Desk) -> str:
    """What the hints say now: how far we are, and what the card under the cursor gives away."""
    view, glance = desk.model.view, desk.glance
    if not desk.shows_hints or view is None or glance is None or not glance.is_about(view):
        return ""
    text = describe_glance(glance, view)
    if desk.model.is_our_play and desk.hand.cursor is not None:
        card = desk.hand.cursor[0]
        text += f"; {giveaway(view, card, desk.model.known, desk.model.who)}"
    return f"hint: {text}"


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
    check = desk.check()
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
        case Context.LEAVE if question.text.startswith("y:"):
            return f"leave? {question.text} n: stay"
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
    line = [(style, " TAKE? " if window.is_free else " BUY? "), *card]
    if desk.question is None:  # its keys come first
        line += _claim_keys(window.is_free, desk.entry is not None)
    if window.is_free:
        more = ["  free, instead of drawing from the stock", "  free, instead of drawing"]
    else:
        price = _price(window.penalty)
        more = [f"  {price}{_buys_left(view)}", f"  {price}"]
    if ahead := [model.who(seat) for seat in seats_ahead(view)]:
        behind = f"; you are behind {join_words(ahead)}"
        short = f"; {len(ahead)} {'is' if len(ahead) == 1 else 'are'} ahead of you"
        more = [f"{said}{tail}" for tail in (behind, short) for said in more] + more
    line += _countdown(model, cols, line_width(line), now, look, style)
    room = cols - line_width(line)
    text = next((text for text in more if len(text) <= room), "")
    return fit([*line, (style, text)], cols, style)


def _claim_keys(is_free: bool, is_typing: bool) -> Line:
    style = "class:claim class:key"
    if is_free:
        keys = [("F5", "take"), ("F6", "draw")] if is_typing else [("p", "take"), ("n", "draw")]
    else:
        keys = [("F5", "buy"), ("F6", "no")] if is_typing else [("b", "buy"), ("n", "no")]
    return [(spot(style, f"key:{key.lower()}"), f"  {key} {word}") for key, word in keys]


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
        return f"the connection is lost; trying again in {ceil(wait)}s{why}", "class:alarm"
    if view is None:
        return "connecting to the table ...", "class:prompt"
    if view.deal < 0:
        return _waiting(model), "class:ask" if model.is_owner else "class:prompt"
    if model.is_game_over:
        return "the game is over; Enter leaves, r plays again", "class:prompt"
    if model.result is not None:
        if model.is_watching:
            return "waiting for the next round", "class:prompt"
        if model.is_ready:
            return "ready; waiting for the others", "class:prompt"
        return "Enter goes on to the next round", "class:ask"
    return _turn(model, view)


def _waiting(model: ClientModel) -> str:
    free = sum(seat.kind == "open" for seat in model.seats)
    if not free:
        return "waiting for the first cards"
    seats = f"waiting for {free} more {'player' if free == 1 else 'players'}"
    if model.is_owner:
        return f"s begins now, with bots; {seats}"
    return (
        f"{'you watch: ' if model.is_watching else ''}{seats}; it begins when every seat is taken"
    )


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
    # without a decision we have answered, or the time for it ran out
    asked = [model.who(seat) for seat in view.order if seat != view.seat]
    if view.phase is Phase.WINDOW and asked:
        text = f"{view.upcard}: {join_words(asked, 'or')} may take it"
        return _with_order(model, text), "class:prompt"
    if view.phase is Phase.PLAY and not view.is_my_turn:
        return _with_order(model, f"{model.who(view.turn)} is playing"), "class:prompt"
    return "waiting for the server", "class:prompt"


def _with_order(model: ClientModel, text: str) -> str:
    order = describe_order(model.order)
    return f"{text}; {order}" if order else text


def _countdown(
    model: ClientModel, cols: int, used: int, now: float, look: Look, style: str = "class:prompt"
) -> Line:
    """Seconds left and a bar that shrinks; nothing where no time runs."""
    decision = model.decision
    left = None if decision is None else decision.remaining(now)
    if decision is None or left is None:
        return []
    line: Line = [(style, f"  {_clock(decision, left)} ")]
    room = cols - used - line_width(line) - 1
    cells = min(BAR, room)
    if cells >= 4:
        full = min(cells, round(cells * left / decision.total)) if decision.total > 0 else 0
        line.append((f"{style} class:bar", "█" * full + "░" * (cells - full)))
    return line


def _clock(decision: OpenDecision, left: float) -> str:
    """Seconds left: those of this decision, then those of the bank."""
    if not decision.bank:
        return _seconds(left)
    own = left - decision.bank
    if own > 0:
        return f"{_seconds(own)} +{_seconds(decision.bank)} bank"
    return f"{_seconds(left)} of your bank"


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f}s" if seconds < 10 else f"{seconds:.0f}s"
