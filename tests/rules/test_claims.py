"""The claim window, exhaustively: who gets the card depends on the set of answers alone.

Everything goes through the step that accumulates answers, `record_answer`, and is
held against a definition written from the rule, not from the code.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from builders import asked, position
from hollywood.protocol.errors import ErrorCode, StaleActionError
from hollywood.protocol.rules import Claim, GameState, Pass, Phase, apply, time_out
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.claims import (
    Answer,
    Decision,
    Window,
    decide,
    open_seats,
    open_window,
    record_answer,
)

SPOKEN = (Answer.CLAIM, Answer.PASS, Answer.SILENT)
Answers = dict[int, Answer]
"""What seats have said so far; a seat that is missing has not."""


def winner_of(order: tuple[int, ...], answers: Answers) -> int | None:
    """The first in order that claimed (0-45); every seat has answered."""
    claimers = [seat for seat in order if answers[seat] is Answer.CLAIM]
    return claimers[0] if claimers else None


def outcomes(order: tuple[int, ...], answers: Answers) -> set[int | None]:
    """All winners that the answers still to come could lead to."""
    missing = [seat for seat in order if seat not in answers]
    return {
        winner_of(order, answers | dict(zip(missing, rest, strict=True)))
        for rest in itertools.product((Answer.CLAIM, Answer.PASS), repeat=len(missing))
    }


def is_decided(order: tuple[int, ...], answers: Answers) -> bool:
    """The rule in its own words: a claim with only passes before it, or passes alone."""
    said = [answers.get(seat) for seat in order]
    passes = (Answer.PASS, Answer.SILENT)
    all_passed = all(answer in passes for answer in said)
    return all_passed or any(
        answer is Answer.CLAIM and all(before in passes for before in said[:i])
        for i, answer in enumerate(said)
    )


def expected(order: tuple[int, ...], answers: Answers) -> Decision | None:
    """What the window must say to these answers."""
    possible = outcomes(order, answers)
    assert is_decided(order, answers) == (len(possible) == 1)
    if len(possible) > 1:
        return None
    (winner,) = possible
    before = order if winner is None else order[: order.index(winner)]
    return Decision(winner, tuple(s for s in before if answers.get(s) is Answer.SILENT))


def assignments(order: tuple[int, ...]) -> Iterator[Answers]:
    """Every answer of every seat."""
    for said in itertools.product(SPOKEN, repeat=len(order)):
        yield dict(zip(order, said, strict=True))


def check_steps(order: tuple[int, ...], answers: Answers, arrival: tuple[int, ...]) -> None:
    """Record the answers as they arrive; after each the window must say what it must."""
    window, said = open_window(order), Answers()
    assert decide(window) is None
    for seat in arrival:
        window = record_answer(window, seat, answers[seat])
        said[seat] = answers[seat]
        assert decide(window) == TABLE[order, frozenset(said.items())]
        assert open_seats(window) == tuple(s for s in order if s not in said)


TABLE: dict[tuple[tuple[int, ...], frozenset[tuple[int, Answer]]], Decision | None] = {}
"""What each set of answers must lead to, worked out once."""


def fill_table(order: tuple[int, ...]) -> None:
    """Work out every set of answers, from none to all."""
    for said in itertools.product((None, *SPOKEN), repeat=len(order)):
        answers = {s: a for s, a in zip(order, said, strict=True) if a is not None}
        TABLE[order, frozenset(answers.items())] = expected(order, answers)


@pytest.mark.row("0-45", "0-47", "T26")
@pytest.mark.parametrize("eligible", range(1, 6))
def test_every_answer_in_every_order_of_arrival(eligible: int) -> None:
    """0-45, 0-47: every set of eligible seats of five, every answer, every arrival."""
    for order in itertools.combinations((2, 3, 4, 0, 1), eligible):
        fill_table(order)
        for answers in assignments(order):
            for arrival in itertools.permutations(order):
                check_steps(order, answers, arrival)


@pytest.mark.row("0-45", "0-47")
@pytest.mark.parametrize("seats", [6, 7, 8])
def test_every_deciding_prefix_of_bigger_tables(seats: int) -> None:
    """0-45: passes and silences up to a claim decide, whatever the later seats said."""
    order = tuple((3 + i) % seats for i in range(seats))
    for length in range(seats + 1):
        for before in itertools.product((Answer.PASS, Answer.SILENT), repeat=length):
            answers = dict(zip(order, before, strict=False))
            if length < seats:
                answers[order[length]] = Answer.CLAIM
            later = order[length + 1 :]
            for rest in ({}, dict.fromkeys(later, Answer.CLAIM), dict.fromkeys(later, Answer.PASS)):
                check_last_answer(order, answers | rest)


def check_last_answer(order: tuple[int, ...], answers: Answers) -> None:
    """The window is open until the last answer that matters, whichever comes last."""
    decided = expected(order, answers)
    assert decided is not None
    end = len(order) if decided.winner is None else order.index(decided.winner) + 1
    for last in order[:end]:
        window = open_window(order)
        for seat, answer in answers.items():
            if seat != last:
                window = record_answer(window, seat, answer)
                assert decide(window) is None
        assert decide(record_answer(window, last, answers[last])) == decided


@pytest.mark.row("0-45")
def test_answers_after_the_decision_change_nothing() -> None:
    """0-45: a decided window stays decided with the same winner."""
    order = (2, 0, 1)
    window = record_answer(open_window(order), 2, Answer.CLAIM)
    assert decide(window) == Decision(2, ())
    for answer in SPOKEN:
        assert decide(record_answer(window, 0, answer)) == Decision(2, ())


def test_a_seat_answers_once_and_only_if_asked() -> None:
    """An answer is final."""
    window = record_answer(open_window((1, 2)), 1, Answer.PASS)
    for seat, code in ((1, ErrorCode.ALREADY_ANSWERED), (0, ErrorCode.NOT_ELIGIBLE)):
        for answer in SPOKEN:
            with pytest.raises(StaleActionError) as refused:
                record_answer(window, seat, answer)
            assert refused.value.code is code


def test_recording_leaves_the_window_as_it_was() -> None:
    """A search can keep it."""
    window = open_window((1, 2))
    record_answer(window, 1, Answer.CLAIM)
    assert window == Window((1, 2), (Answer.OPEN, Answer.OPEN))


def say(state: GameState, seat: int, answer: Answer) -> tuple[GameState, tuple[ev.Event, ...]]:
    """Send one answer to a real game."""
    if answer is Answer.SILENT:
        return time_out(state, seat)
    return apply(state, seat, Claim() if answer is Answer.CLAIM else Pass())


def check_game(state: GameState, answers: Answers, arrival: tuple[int, ...]) -> GameState:
    """Play one window; it closes with the answer that decides it and not before."""
    said = Answers()
    for seat in arrival:
        state, events = say(state, seat, answers[seat])
        said[seat] = answers[seat]
        decided = expected(arrival_order(answers), said)
        if decided is None:
            assert events == ()
            continue
        assert events[0] == ev.WindowClosed(decided.winner, decided.silent)
        return state
    raise AssertionError("all have answered and the window is open")


def arrival_order(answers: Answers) -> tuple[int, ...]:
    """The order of the window: `assignments` keeps it."""
    return tuple(answers)


@pytest.mark.row("0-45", "T26")
@pytest.mark.parametrize("turn", range(4))
def test_a_game_depends_on_the_set_of_answers_alone(turn: int) -> None:
    """0-45, T26: four seats, every answer, every arrival; one position for each set."""
    hands = ("4C 5C", "5D 6D", "6H 7H", "7S 8S")
    start = position(*hands, upcard="JD", phase=Phase.WINDOW, turn=turn, discarder=None)
    order = asked(start)
    assert order == tuple((turn + i) % 4 for i in range(4))
    for answers in assignments(order):
        after = {
            check_game(start, answers, arrival).hands for arrival in itertools.permutations(order)
        }
        assert len(after) == 1
        winner = winner_of(order, answers)
        (ended,) = after
        assert [seat for seat in range(4) if "JD" in ended[seat]] == (
            [] if winner is None else [winner]
        )
