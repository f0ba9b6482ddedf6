"""The claim window: who gets the upcard. A pure function of the answers.

All eligible seats are asked at once. The window is decided exactly when some
seat claimed and every seat before it passed, or when all passed; when an answer
arrived is never an input. Silence at the deadline is a pass (0-45, 0-47).
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

import msgspec

from ..errors import ErrorCode, StaleActionError


class Answer(StrEnum):
    """What a seat in the window's order has said."""

    OPEN = "open"
    CLAIM = "claim"
    PASS = "pass"
    SILENT = "silent"
    """Its time ran out; counts as a pass."""


# a name of the module is found three times as fast as a member of an enum
_OPEN, _CLAIM, _SILENT = Answer.OPEN, Answer.CLAIM, Answer.SILENT


class Window(msgspec.Struct, frozen=True, gc=False):
    """One claim window: the order of priority and the answers so far."""

    order: tuple[int, ...]
    """Eligible seats, the first in priority first."""
    answers: tuple[Answer, ...]
    """One for each seat of `order`."""


class Decision(msgspec.Struct, frozen=True, gc=False):
    """A decided window: the seat that gets the upcard, None if nobody does."""

    winner: int | None
    silent: tuple[int, ...]


@lru_cache(maxsize=1024)
def open_window(order: tuple[int, ...]) -> Window:
    """Ask every seat in the order."""
    return Window(order, (_OPEN,) * len(order))


def record_answer(window: Window, seat: int, answer: Answer) -> Window:
    """Return the window with one seat's answer in it. Answers are final.

    Raises:
        StaleActionError: the seat is not asked (`not_eligible`) or has answered
            (`already_answered`).
    """
    order, answers = window.order, window.answers
    if seat not in order:
        raise StaleActionError(f"seat {seat} may not claim in this window", ErrorCode.NOT_ELIGIBLE)
    i = order.index(seat)
    if answers[i] is not _OPEN:
        raise StaleActionError(
            f"seat {seat} has answered in this window; an answer is final",
            ErrorCode.ALREADY_ANSWERED,
        )
    return Window(order, (*answers[:i], answer, *answers[i + 1 :]))


def decide(window: Window) -> Decision | None:
    """Say who gets the upcard, None while that still depends on an open answer.

    >>> window = open_window((1, 2, 3))
    >>> window = record_answer(window, 3, Answer.CLAIM)
    >>> decide(window) is None  # 1 and 2 come before 3
    True
    >>> window = record_answer(record_answer(window, 1, Answer.PASS), 2, Answer.SILENT)
    >>> decide(window)
    Decision(winner=3, silent=(2,))
    """
    silent: tuple[int, ...] = ()
    for seat, answer in zip(window.order, window.answers, strict=True):
        if answer is _OPEN:
            return None
        if answer is _CLAIM:
            return Decision(seat, silent)
        if answer is _SILENT:
            silent = (*silent, seat)
    return Decision(None, silent)


def open_seats(window: Window) -> tuple[int, ...]:
    """The seats that have not answered, in order of priority."""
    return tuple(
        seat
        for seat, answer in zip(window.order, window.answers, strict=True)
        if answer is Answer.OPEN
    )
