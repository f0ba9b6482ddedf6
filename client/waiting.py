"""The waiting room of a table: who is there, who is missing, what will be played."""

from __future__ import annotations

from hollywood.protocol.wire.messages import SeatInfo

from .model import ClientModel
from .narrate import describe_contract, name_deal
from .text import Line, Look, fit, pad, paint, wrap

_KINDS = {"player": "", "bot": "a bot over the network", "house": "a bot of the server"}


def waiting_room(model: ClientModel, cols: int, rows: int, look: Look) -> list[Line]:
    """Return the lines; the seats come first, then what fits of the rules and the log."""
    lines = [fit([], cols)]
    if model.table:
        lines.append(fit([("", " table "), ("class:title", model.table)], cols))
    for number, seat in enumerate(model.seats):
        lines.append(_seat(model, number, seat, cols))
    rules = [] if model.view is None else _rules(model, cols, look)
    said = [
        fit(paint(f" {line}", look), cols)
        for text in model.log[-4:]
        for line in wrap(text, cols - 2)
    ]
    room = rows - len(lines) - len(said)
    if room > 2 and rules:
        lines += [fit([], cols), *rules[: room - 2], fit([], cols)]
    return [*lines, *said]


def _seat(model: ClientModel, number: int, seat: SeatInfo, cols: int) -> Line:
    is_own = model.view is not None and number == model.view.seat
    if seat.kind == "open":
        name, more = "(free)", ""
    else:
        name, more = seat.name, "you" if is_own else _KINDS.get(seat.kind, seat.kind)
    notes = [note for note in (more, "owner" if number == model.owner else "") if note]
    style = "class:dim" if seat.kind == "open" else "class:me" if is_own else ""
    told = ", ".join(notes)
    name = pad(name, 24 if cols >= 60 else 12)
    return fit([(style, f" seat {number + 1}  {name}"), ("class:dim", told)], cols)


def _rules(model: ClientModel, cols: int, look: Look) -> list[Line]:
    view = model.view
    assert view is not None, "the rules are known with the seat"
    rules = view.rules
    lines = [fit([("", " "), ("class:title", rules.title)], cols)]
    for deal, contract in enumerate(rules.contracts):
        name = name_deal(rules, deal).split(" of ")[0].replace("Deal", "Contract")
        text = f" {name:<12} {describe_contract(contract)}"
        lines.append(fit(paint(text, look, "class:dim"), cols))
    return lines
