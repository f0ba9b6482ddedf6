"""Themes: what each part of the screen looks like, as TOML files without any code in them.

    extend = "dark"          # the theme to start from
    about = "as at home"     # one line for people
    suits = "four"           # how many colours tell the suits apart: four, two, none

    [styles]
    base = "bg:#202020 #e0e0e0"
    upcard = "bold ansiyellow"
    "suit.h" = "#ff8080"

A style is words: a colour (`ansired`, `#ff8080`), `bg:` and a colour, and `bold`,
`underline`, `reverse`, `italic` or `no` before one of these. `base` is the whole screen;
`"claim suit.d"` is what is both, a diamond in the line of a claim window.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NoReturn, get_args

import msgspec

from hollywood.protocol.errors import ErrorCode, HollywoodError

from .styles import style_rules
from .text import Look, Suits

DEFAULT = "dark"
"""The theme that is used if nobody says otherwise."""

_SHIPPED = resources.files("hollywood.client") / "palettes"
_MAX_FILE = 65_536
_BASE = "base"
_ANSI = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "gray"]
_BRIGHT = [f"bright{name}" for name in _ANSI[:-1]]
_COLORS = "|".join(["default", "white", *_ANSI, *_BRIGHT])
_WORD = re.compile(
    rf"(fg:|bg:)?(ansi({_COLORS})|#([0-9a-fA-F]{{3}}){{1,2}})"
    r"|(no)?(bold|dim|italic|underline|strike|reverse|blink|hidden)"
)
"""One word of a style, as prompt_toolkit reads it."""


class ThemeError(HollywoodError, ValueError):
    """A theme is not there, or its file says something that is no theme."""

    default_code = ErrorCode.BAD_THEME


class Theme(msgspec.Struct, frozen=True):
    """How the screen looks."""

    name: str
    about: str = ""
    """One line for people."""
    path: str = ""
    """What it was asked for by: its name, or its file."""
    suits: Suits = "four"
    """How many colours tell the suits apart."""
    styles: dict[str, str] = {}
    """Styles of classes, in place of those of before; "" is the whole screen."""


def theme_names() -> list[str]:
    """Return the themes that come with the program, the default first."""
    names = [
        entry.name.removesuffix(".toml")
        for entry in _SHIPPED.iterdir()
        if entry.name.endswith(".toml")
    ]
    return sorted(names, key=lambda name: (name != DEFAULT, name))


def style_names() -> list[str]:
    """Return every key that the styles of a theme may have."""
    return [_BASE, *style_rules(Look())]


def load_theme(name_or_path: str) -> Theme:
    """Read a theme that comes with the program, or a file.

    >>> load_theme("mono").suits
    'none'

    Raises:
        ThemeError: names the file, the key and what to do.
    """
    if name_or_path in theme_names():
        theme = _theme(name_or_path, _SHIPPED / f"{name_or_path}.toml")
        return msgspec.structs.replace(theme, path=name_or_path)
    path = Path(name_or_path).expanduser()
    if not path.is_file() and path.suffix != ".toml" and "/" not in name_or_path:
        near = difflib.get_close_matches(name_or_path, theme_names(), 1)
        guess = f"did you mean {near[0]!r}? There" if near else "there"
        raise ThemeError(
            f"no theme is called {name_or_path!r}: {guess} are {', '.join(theme_names())}, "
            "or name a TOML file"
        )
    return msgspec.structs.replace(_theme(path.stem, path), path=name_or_path)


def remembered_theme(name: str) -> tuple[Theme, str]:
    """Return the theme of that name or file; the default one where it cannot be had.

    Returns:
        The theme, and what is wrong with the one that was asked for, or "".
    """
    try:
        return load_theme(name or DEFAULT), ""
    except ThemeError as error:
        return load_theme(DEFAULT), str(error)


def theme_look(theme: Theme, look: Look) -> Look:
    """Return how to draw in a theme, where nothing else was asked for."""
    return msgspec.structs.replace(look, suits=theme.suits)


def theme_rules(theme: Theme, look: Look) -> dict[str, str]:
    """Return the style of each class of the screen in a theme."""
    rules = {**style_rules(look), **theme.styles}
    if look.suits != theme.suits:
        # asked for other suits than the theme's: those of the program
        rules |= {name: style for name, style in style_rules(look).items() if "suit." in name}
    return rules


def _theme(name: str, file: Traversable | Path) -> Theme:
    data = _read(file)
    before = Theme(name)
    if "extend" in data:
        before = _extended(data.pop("extend"), file)
    about, suits = data.pop("about", before.about), data.pop("suits", before.suits)
    styles = data.pop("styles", {})
    for key in data:
        _wrong(file, key, f"is not known: {_known(key, ['extend', 'about', 'suits', 'styles'])}")
    if not isinstance(about, str):
        _wrong(file, "about", f"must be a text, not {about!r}")
    if suits not in get_args(Suits):
        _wrong(file, "suits", f"must be one of {', '.join(get_args(Suits))}, not {suits!r}")
    if not isinstance(styles, dict):
        _wrong(file, "styles", f"must be a table, [styles], not {styles!r}")
    found = {_class(key): _style(file, key, style) for key, style in _flat(styles).items()}
    return Theme(name, about, suits=suits, styles={**before.styles, **found})


def _read(file: Traversable | Path) -> dict[str, Any]:
    try:
        with file.open("rb") as stream:
            text: bytes = stream.read(_MAX_FILE + 1)
        if len(text) > _MAX_FILE:
            raise ThemeError(f"theme file {file}: it is far too long for a theme")
        return tomllib.loads(text.decode("utf-8"))
    except FileNotFoundError:
        raise ThemeError(f"there is no theme file {file}: name one that is there") from None
    except OSError as error:
        raise ThemeError(f"theme file {file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ThemeError(f"theme file {file}: it is not UTF-8, save it as that") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ThemeError(f"theme file {file}: it is not TOML ({error}), correct it") from None


def _extended(name: object, file: Traversable | Path) -> Theme:
    if not isinstance(name, str) or name not in theme_names():
        _wrong(file, "extend", f"must be one of {', '.join(theme_names())}, not {name!r}")
    return _theme(name, _SHIPPED / f"{name}.toml")


def _flat(styles: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """`suit.h = ...` without quotes is a table in a table: the same is meant."""
    flat: dict[str, Any] = {}
    for key, value in styles.items():
        inner = (
            _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
        )
        flat |= inner
    return flat


def _class(key: str) -> str:
    return "" if key == _BASE else key


def _style(file: Traversable | Path, key: str, style: object) -> str:
    where = f"styles.{key}"
    for part in key.split() or [key]:
        if part not in style_names():
            _wrong(file, where, f"is no part of the screen: {_known(part, style_names())}")
    if not isinstance(style, str):
        _wrong(file, where, f'must be a text such as "bold ansired", not {style!r}')
    for word in style.split():
        if not _WORD.fullmatch(word):
            _wrong(
                file,
                where,
                f"is no style: {word!r} in {style!r}; write words such as "
                '"bold ansired" or "bg:#202020 #ffffff"',
            )
    return style


def _known(key: str, names: list[str]) -> str:
    near = difflib.get_close_matches(key, names, 1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"


def _wrong(file: Traversable | Path, key: str, what: str) -> NoReturn:
    raise ThemeError(f"theme file {file}: {key} {what}")
