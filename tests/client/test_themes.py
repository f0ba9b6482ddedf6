"""Themes: the shipped ones can be read on their ground, a wrong file says where and what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.styles import Style
from prompt_toolkit.styles.base import Attrs

from hollywood.client.styles import style_rules
from hollywood.client.text import Look
from hollywood.client.themes import (
    _WORD,
    ThemeError,
    load_theme,
    remembered_theme,
    style_names,
    theme_look,
    theme_names,
    theme_rules,
)

ANSI = {
    "ansiblack": "000000", "ansired": "cd0000", "ansigreen": "00cd00", "ansiyellow": "cdcd00",
    "ansiblue": "0000ee", "ansimagenta": "cd00cd", "ansicyan": "00cdcd", "ansigray": "e5e5e5",
    "ansibrightblack": "7f7f7f", "ansibrightred": "ff0000", "ansibrightgreen": "00ff00",
    "ansibrightyellow": "ffff00", "ansibrightblue": "5c5cff", "ansibrightmagenta": "ff00ff",
    "ansibrightcyan": "00ffff", "ansiwhite": "ffffff",
}  # fmt: skip
"""What xterm makes of the 16 names."""


def drawn(theme: str, classes: str) -> Attrs:
    found = load_theme(theme)
    style = Style.from_dict(theme_rules(found, theme_look(found, Look())))
    return style.get_attrs_for_style_str(classes)


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(theme: str, name: str, ground: str, text: str) -> float:
    """The contrast of a class as WCAG 2 counts it, 1 to 21."""
    attrs = drawn(theme, "" if name == "base" else f"class:{name}")
    colors = [attrs.color or text, attrs.bgcolor or ground]  # reversed they are the same two
    darker, lighter = sorted(luminance(ANSI.get(color, color)) for color in colors)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize(
    ("theme", "ground", "text", "least"),
    [
        ("dark", "000000", "e5e5e5", 4.5),
        ("light", "ffffff", "000000", 4.5),
        ("contrast", "000000", "ffffff", 7.0),
        ("contrast", "ffffff", "000000", 7.0),
    ],
)
def test_every_part_can_be_read(theme: str, ground: str, text: str, least: float) -> None:
    cards = ("suit.c", "suit.d", "suit.h", "suit.s", "joker")
    both = [f"claim class:{card}" for card in cards]
    both += [f"{card} class:{on}" for on in ("cursor", "selected") for card in cards]
    found = {name: contrast(theme, name, ground, text) for name in (*style_names(), *both)}
    assert {name: ratio for name, ratio in found.items() if ratio < least} == {}


def test_mono_has_no_colour_at_all() -> None:
    for name in style_names():
        attrs = drawn("mono", f"class:{name}")
        assert (attrs.color, attrs.bgcolor) == ("", ""), name


def test_four_suits_are_four_colours() -> None:
    for theme in ("dark", "light", "contrast"):
        colors = {drawn(theme, f"class:suit.{suit}").color for suit in "cdhs"}
        assert len(colors) == 4, theme
        assert theme_look(load_theme(theme), Look(suits="none")).suits == "four"
    assert theme_look(load_theme("mono"), Look()).suits == "none"


def test_other_suits_than_the_themes_may_be_asked_for() -> None:
    rules = theme_rules(load_theme("light"), Look(suits="two"))
    assert rules["suit.d"] == rules["suit.h"] != rules["suit.c"] == rules["suit.s"]


def test_the_shipped_themes() -> None:
    assert theme_names() == ["dark", "contrast", "light", "mono"]
    for name in theme_names():
        theme = load_theme(name)
        assert theme.name == name
        assert theme.about


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "den.toml"
    path.write_text(
        'extend = "light"\nabout = "as in the den"\nsuits = "two"\n'
        '[styles]\nbase = "bg:#202020 #e0e0e0"\nsuit.h = "#ff8080"\ncursor = "noreverse underline"'
    )
    theme = load_theme(str(path))
    assert (theme.name, theme.about, theme.suits) == ("den", "as in the den", "two")
    rules = theme_rules(theme, theme_look(theme, Look()))
    assert rules[""] == "bg:#202020 #e0e0e0"
    assert rules["suit.h"] == "#ff8080"
    assert rules["suit.c"] == "#005f00"  # from the light theme
    assert rules["header"] == style_rules(Look())["header"]
    attrs = Style.from_dict(rules).get_attrs_for_style_str("class:cursor")
    assert (attrs.color, attrs.bgcolor, attrs.underline) == ("e0e0e0", "202020", True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[styles", "it is not TOML"),
        ('style = "x"', r"style is not known: did you mean styles\?"),
        ('extend = "drak"', "extend must be one of dark, contrast, light, mono, not 'drak'"),
        ('suits = "six"', "suits must be one of four, two, none, not 'six'"),
        ("about = 3", "about must be a text, not 3"),
        ("styles = 3", r"styles must be a table, \[styles\], not 3"),
        ('[styles]\nheadr = "bold"', r"styles.headr is no part of the screen: did you mean header"),
        ("[styles]\nheader = true", "styles.header must be a text"),
        ('[styles]\nheader = "bolt"', "styles.header is no style: 'bolt' in 'bolt'"),
        ('[styles]\nheader = "bg:#12"', "styles.header is no style: 'bg:#12'"),
        ('[styles]\nheader = "class:me"', "styles.header is no style: 'class:me'"),
        ('[styles]\n"claim siut.d" = "bold"', r"styles.claim siut.d is no part.*mean suit.d\?"),
        ('[styles]\nsuit.x = "bold"', "styles.suit.x is no part of the screen"),
        ("#" * 70_000, "far too long"),
    ],
)
def test_a_wrong_file_names_itself_the_key_and_what_to_do(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "den.toml"
    path.write_text(text)
    with pytest.raises(ThemeError, match=said) as caught:
        load_theme(str(path))
    assert str(caught.value).startswith(f"theme file {path}: ")
    assert "\n" not in str(caught.value)


@given(words=st.lists(st.from_regex(_WORD, fullmatch=True), max_size=5))
def test_what_is_taken_as_a_style_is_one(words: list[str]) -> None:
    Style.from_dict({"x": " ".join(words)})


def test_a_remembered_theme_that_is_wrong_stops_nothing(tmp_path: Path) -> None:
    theme, said = remembered_theme(str(tmp_path / "gone.toml"))
    assert theme == load_theme("dark")
    assert said.startswith("there is no theme file ")
    assert remembered_theme("") == (load_theme("dark"), "")
    assert remembered_theme("mono")[0].name == "mono"


def test_a_theme_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ThemeError, match=r"no theme is called 'lihgt': did you mean 'light'\?"):
        load_theme("lihgt")
    missing = tmp_path / "none.toml"
    with pytest.raises(ThemeError, match=re.escape(f"there is no theme file {missing}")):
        load_theme(str(missing))
    with pytest.raises(ThemeError, match="cannot be read"):
        load_theme(f"{tmp_path}/")
    missing.write_bytes(b"about = '\xff'")
    with pytest.raises(ThemeError, match="not UTF-8"):
        load_theme(str(missing))
