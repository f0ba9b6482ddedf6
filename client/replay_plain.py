"""A game as lines of text: all that happened, or one deal of it."""

from __future__ import annotations

from collections.abc import Iterator

from hollywood.protocol.rules import events as ev

from .plain_words import cards_text, count
from .replay import DOWN, Eyes, Tape


def replay_lines(tape: Tape, eyes: Eyes = "all", deal: int | None = None) -> Iterator[str]:
    """Yield what happened, each line to be understood alone.

    Args:
        tape: The game.
        eyes: Whose cards are told.
        deal: Only that deal, counted from 0; None: the whole game.
    """
    first, last = _range(tape, deal)
    if deal is None:
        yield f"{tape.rules.title}, played by {', '.join(tape.names)}."
    for place in range(first, last + 1):
        text = tape.tell(place, eyes)
        if place and text:
            yield _sentence(text)
        if place:
            yield from _more(tape, place, eyes)


def _range(tape: Tape, deal: int | None) -> tuple[int, int]:
    """The places of a deal: from its first cards to the event before the next deal's."""
    if deal is None:
        return 1, len(tape)
    ends = [*(place - 1 for place in tape.deals[1:]), len(tape)]
    return tape.deals[deal], ends[deal]


def _more(tape: Tape, place: int, eyes: Eyes) -> Iterator[str]:
    """What is seen rather than told: the hands that were dealt, the standing."""
    match tape.events[place - 1]:
        case ev.Dealt():
            for seat in tape.known if eyes == "all" else ():
                yield _hand(tape, place, seat)
            if isinstance(eyes, int):
                yield _hand(tape, place, eyes)
        case ev.DealEnded(totals=totals, hands=hands):
            for seat, hand in enumerate(hands):
                left = f", left with {cards_text(hand)}" if hand else ", left with no card"
                yield f"{_sentence(tape.name(seat))[:-1]}: {count(totals[seat], 'point')}{left}."


def _hand(tape: Tape, place: int, seat: int) -> str:
    hand = tape.hand(place, seat) or ()
    strength = tape.strength(place, seat)
    far = "" if strength is None or strength == DOWN else f"; {count(strength, 'card')} short"
    return f"{_sentence(tape.name(seat))[:-1]} holds {cards_text(hand)}{far}."


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
