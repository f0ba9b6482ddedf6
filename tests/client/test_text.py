"""Cells, clipping, wrapping and the two character sets."""

from __future__ import annotations

import doctest
import importlib

import pytest

from hollywood.client.styles import look_for, style_rules
from hollywood.client.text import (
    Look,
    cell_width,
    clip,
    fit,
    line_width,
    pack,
    pad,
    paint,
    printable,
    spread,
    to_ascii,
    wrap,
)

MODULES = ("text", "narrate", "actions", "styles")


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"hollywood.client.{name}"))
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("cells", range(1, 12))
@pytest.mark.parametrize("text", ["", "abc", "abcdefghijk", "麻雀の達人", "a麻b雀"])
def test_fitting_is_exact(text: str, cells: int) -> None:
    assert line_width(fit([("", text)], cells)) == cells
    assert line_width(fit([("", text), ("x", text)], cells)) == cells
    assert cell_width(clip(text, cells)) <= cells
    assert cell_width(pad(text, cells)) == cells


def test_what_is_cut_off_shows_an_ellipsis() -> None:
    assert clip("abcdef", 4) == "abc…"
    assert fit([("", "abcd"), ("", "e")], 4) == [("", "abc…")]


def test_the_right_text_stays_whole_while_it_fits() -> None:
    line = "".join(text for _, text in spread([("", "left side")], [("", "right")], 12))
    assert line == "left … right"
    assert line_width(spread([("", "left side")], [("", "right")], 6)) == 6


def test_cards_are_painted_and_words_are_not() -> None:
    painted = paint("7H fits, AHA and JK2 do not, JK does", Look())
    assert "".join(text for _, text in painted) == "7♥ fits, AHA and JK2 do not, JK does"
    assert ("class:suit.h", "7♥") in painted
    assert ("class:joker", "JK") in painted


def test_chunks_are_never_broken() -> None:
    chunks = [[("", "aaaa")], [("", "bbbb")], [("", "cc")]]
    assert ["".join(t for _, t in line) for line in pack(chunks, 10)] == ["aaaa  bbbb", "cc"]


def test_wrapping_keeps_words_and_cuts_only_what_is_too_long() -> None:
    assert wrap("", 10) == []
    assert wrap("aaaaaaaaaaaa bb", 5) == ["aaaa…", "bb"]


def test_ascii_keeps_the_width() -> None:
    line = [("", "── 7♥ 麻 …│█░←→↑↓·")]
    plain = to_ascii(line)
    assert plain[0][1].isascii()
    assert line_width(plain) == line_width(line)


def test_names_lose_what_would_move_the_cursor() -> None:
    assert printable("a\x1b[2J b\u0301x\u202e\n\u3000d\x07") == "a[2J bxd"


@pytest.mark.parametrize(
    ("encoding", "is_ascii"),
    [("utf-8", False), ("UTF8", False), ("latin-1", True), (None, True), ("ascii", True)],
)
def test_ascii_where_the_output_cannot_do_more(encoding: str | None, is_ascii: bool) -> None:
    assert look_for(encoding, {}).ascii is is_ascii
    assert look_for(encoding, {}, ascii_only=True).ascii


def test_suits_have_four_two_or_no_colours() -> None:
    def colours(look: Look) -> int:
        rules = style_rules(look)
        return len({rules[f"suit.{suit}"] for suit in "cdhs"} - {""})

    assert [colours(Look(suits=suits)) for suits in ("four", "two", "none")] == [3, 1, 0]
    assert look_for("utf-8", {"NO_COLOR": "1"}).color is False
