"""From what is remembered of earlier games to how the screens are shown in this one."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from .prefs import Prefs
from .settings import SettingsFile
from .styles import look_for
from .text import Look
from .themes import DEFAULT, load_theme, theme_look, theme_rules


def prefs_from(
    file: SettingsFile, name: str, *, is_ascii: bool = False, theme: str = ""
) -> tuple[Prefs, Callable[[Look], dict[str, str]]]:
    """Return what the player likes, as remembered, and the styles of the theme.

    Args:
        file: Where changes are remembered.
        name: What the player is called this time.
        is_ascii: Whether ASCII was asked for.
        theme: A theme that was asked for, instead of the remembered one.

    Raises:
        ThemeError: there is no such theme.
    """
    kept = file.settings
    chosen = load_theme(theme or kept.theme or DEFAULT)
    only_ascii = is_ascii or kept.ascii
    look = theme_look(chosen, look_for(sys.stdout.encoding, os.environ, ascii_only=only_ascii))
    if kept.suits is not None:
        look = replace(look, suits=kept.suits)
    prefs = Prefs(
        look,
        name=name,
        servers=kept.servers,
        bell=kept.bell,
        mouse=kept.mouse,
        hints=kept.hints,
        sort=kept.sort,
        wants=kept.wants,
        keep=file.change,
    )
    return prefs, partial(theme_rules, chosen)
