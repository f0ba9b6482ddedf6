"""The table of keys: one meaning in each place, the same in the bar, the help and the bindings."""

from __future__ import annotations

from pathlib import Path

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
    markdown,
)
from hollywood.client.model import ClientModel
from hollywood.client.reading import help_lines
from hollywood.client.text import Look

HANDLED_BY_THE_PRESENTER = {Action.REDRAW, Action.SUSPEND}

OF_THE_LISTS = {
    *(Action.PREVIOUS, Action.NEXT, Action.LESS, Action.MORE, Action.OPEN, Action.NAME),
    *(Action.ADDRESS, Action.FORGET, Action.CREATE, Action.WATCH, Action.BACK),
}


@pytest.mark.parametrize("active", COMBINATIONS, ids=lambda active: "+".join(sorted(active)))
def test_no_key_has_two_meanings_in_one_place(active: frozenset[Context]) -> None:
    found: dict[str, Action] = {}
    for binding in BINDINGS:
        if binding.is_active(active):
            for key in binding.keys:
                if Context.TEXT in active and len(key) == 1:
                    continue  # a letter is a letter there
                assert key not in found, f"{key}: {found[key]} and {binding.action}"
                found[key] = binding.action


@pytest.mark.parametrize("active", COMBINATIONS, ids=lambda active: "+".join(sorted(active)))
def test_the_bar_shows_only_keys_that_work(active: frozenset[Context]) -> None:
    assert bar(active)
    for written, label, key in bar(active):
        assert written
        assert label
        assert find(key, active) is not None


def test_claim_keys_come_first_in_the_bar() -> None:
    take = [("p", "take", "p"), ("n", "no, draw", "n")]
    assert bar(frozenset({Context.TABLE, Context.TAKE}))[:2] == take
    assert bar({Context.COMPOSER, Context.BUY})[:2] == [("b", "buy", "b"), ("n", "no", "n")]


def test_while_typing_only_keys_that_are_no_letters_claim() -> None:
    active = frozenset({Context.TEXT, Context.BUY, Context.ALWAYS})
    assert find("b", active) is None
    assert find("f5", active) is Action.BUY
    assert ("F5", "buy", "f5") in bar(active)


def test_every_action_is_bound_and_done() -> None:
    assert {binding.action for binding in BINDINGS} == set(Action)
    desk = Desk(ClientModel(), lambda _message: True)
    done = set(desk._actions) | set(desk._with_key) | HANDLED_BY_THE_PRESENTER | OF_THE_LISTS
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
        *(Action.SUBMIT, Action.CANCEL, Action.NEXT, Action.MORE, Action.MOVE_RIGHT),
        *(Action.INTERRUPT, Action.KEEP),  # told with leaving
    }
    assert told | obvious == set(Action)


def test_the_manual_has_the_table_of_keys() -> None:
    manual = Path(__file__).parents[2] / "docs" / "keys.md"
    assert manual.read_text("utf-8").endswith(f"\n\n{markdown()}")


def test_keys_of_no_context_do_nothing() -> None:
    assert find("p", frozenset({Context.TABLE})) is None
    assert find("p", frozenset({Context.TABLE, Context.TAKE})) is Action.TAKE
    assert find("7", frozenset({Context.TABLE})) is Action.FIND
    assert find("7", frozenset({Context.COMPOSER, Context.PILES})) is Action.PILE


def test_keys_are_listed_once() -> None:
    assert len(set(ALL_KEYS)) == len(ALL_KEYS)
