"""The table of keys: one meaning in each place, the same in the bar, the help and the bindings."""

from __future__ import annotations

import pytest

from hollywood.client.desk import Desk
from hollywood.client.keys import (
    ALL_KEYS,
    BINDINGS,
    COMBINATIONS,
    Action,
    Context,
    bar,
    find,
    help_sections,
)
from hollywood.client.model import ClientModel
from hollywood.client.reading import help_lines
from hollywood.client.text import Look

HANDLED_BY_THE_PRESENTER = {Action.REDRAW, Action.SUSPEND}


@pytest.mark.parametrize("active", COMBINATIONS, ids=lambda active: "+".join(sorted(active)))
def test_no_key_has_two_meanings_in_one_place(active: frozenset[Context]) -> None:
    found: dict[str, Action] = {}
    for binding in BINDINGS:
        if binding.is_active(active):
            for key in binding.keys:
                assert key not in found, f"{key}: {found[key]} and {binding.action}"
                found[key] = binding.action


@pytest.mark.parametrize("active", COMBINATIONS, ids=lambda active: "+".join(sorted(active)))
def test_the_bar_shows_only_keys_that_work(active: frozenset[Context]) -> None:
    working = {binding.written for binding in BINDINGS if binding.is_active(active)}
    assert {written for written, _ in bar(active)} <= working
    assert bar(active)


def test_claim_keys_come_first_in_the_bar() -> None:
    assert bar(frozenset({Context.TABLE, Context.TAKE}))[:2] == [("p", "take"), ("n", "no, draw")]
    assert bar(frozenset({Context.COMPOSER, Context.BUY}))[:2] == [("b", "buy"), ("n", "no")]


def test_every_action_is_bound_and_done() -> None:
    assert {binding.action for binding in BINDINGS} == set(Action)
    desk = Desk(ClientModel(), lambda _message: True)
    done = set(desk._actions) | set(desk._with_key) | HANDLED_BY_THE_PRESENTER
    assert done == set(Action)


def test_the_help_tells_every_line_of_the_table() -> None:
    text = "\n".join("".join(t for _, t in line) for line in help_lines(200, Look()))
    for _, entries in help_sections():
        for written, what in entries:
            assert f"  {written}" in text
            assert what in text


def test_every_key_but_the_obvious_ones_is_in_the_help() -> None:
    told = {binding.action for binding in BINDINGS if binding.help}
    obvious = {
        *(Action.LETTER, Action.NUMBER, Action.YES, Action.NO, Action.FINISH),
        *(Action.SCROLL_UP, Action.SCROLL_DOWN, Action.PAGE_UP, Action.PAGE_DOWN),
        *(Action.RIGHT, Action.UP, Action.DOWN, Action.HOME, Action.END),
        Action.INTERRUPT,  # told with leaving
    }
    assert told | obvious == set(Action)


def test_keys_of_no_context_do_nothing() -> None:
    assert find("p", frozenset({Context.TABLE})) is None
    assert find("p", frozenset({Context.TABLE, Context.TAKE})) is Action.TAKE
    assert find("7", frozenset({Context.TABLE})) is Action.FIND
    assert find("7", frozenset({Context.COMPOSER, Context.PILES})) is Action.PILE


def test_keys_are_listed_once() -> None:
    assert len(set(ALL_KEYS)) == len(ALL_KEYS)
