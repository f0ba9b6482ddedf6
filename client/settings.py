"""What is remembered from one game to the next, in a TOML file that people may edit.

Nothing here stops the program: a file that cannot be used is said once and set
aside, one that cannot be written is said and forgotten.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec
import platformdirs

from hollywood.protocol.wire import is_name

from .text import Suits, printable

SETTINGS_FILE = Path(platformdirs.user_config_dir("hollywood-rummy")) / "settings.toml"

MAX_SERVERS = 10
"""Servers that are remembered."""

_MAX_FILE = 65_536


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What the player likes. Every field has a default, so any of them may be missing."""

    name: str = ""
    """At the table; "": that of the user."""
    servers: tuple[str, ...] = ()
    """HOST:PORT, the newest first."""
    theme: str = ""
    """A shipped theme's name or a file; "": the default."""
    suits: Suits | None = None
    """How many colours tell the suits apart; None: as the theme has it."""
    ascii: bool = False
    """Whether to draw with ASCII only even where the terminal could do more."""
    bell: bool = True
    """Whether the bell rings when something is asked."""
    mouse: bool = True
    """Whether clicks are taken; the terminal selects no text then."""
    hints: bool = False
    """Whether hints are shown where the table allows them."""
    sort: Literal["rank", "suit", "mine"] = "rank"
    """The order of the hand."""
    wants: str = ""
    """The last standing order, as it is typed: "7H Q"."""
    plain: bool = False
    """Whether to play in lines of text."""
    spell: bool = False
    """Whether plain mode says "seven of hearts" for 7H."""


class SettingsFile:
    """The settings of one user: the one mutable owner of them.

    Args:
        path: The file; it need not be there.
    """

    def __init__(self, path: Path = SETTINGS_FILE) -> None:
        self._path = path
        self.settings, self.complaint = load(path)
        """`complaint` is what is wrong with the file, for people; "" if nothing."""
        if self.complaint:
            self._set_aside()

    def change(self, **fields: object) -> str:
        """Change some settings and write the file; return why it was not written, or "".

        Other programs of this user may have changed theirs meanwhile: only the
        fields named here are overwritten.
        """
        settings, trouble = load(self._path)
        if trouble:
            settings = self.settings
        before = settings
        settings = msgspec.structs.replace(settings, **fields)
        self.settings = msgspec.structs.replace(self.settings, **fields)
        if settings == before and not trouble:
            return ""
        return save(self._path, settings)

    def remember_server(self, address: str) -> str:
        """Put a server first in the list; return why that was not written, or ""."""
        current, trouble = load(self._path)
        known = self.settings.servers if trouble else current.servers
        return self.change(servers=with_server(known, address))

    def _set_aside(self) -> None:
        """Move a broken file away, so that it is complained about once, and keep the rest."""
        bad = self._path.with_name(f"{self._path.name}.bad")
        try:
            self._path.replace(bad)
        except OSError:
            return
        self.complaint += f"; the file is now {bad.name} beside it"
        if self.settings != Settings():
            save(self._path, self.settings)


def with_server(servers: tuple[str, ...], address: str) -> tuple[str, ...]:
    """Return the list with that server first, each once, the oldest dropped.

    >>> with_server(("den:7878", "attic:7878"), "attic:7878")
    ('attic:7878', 'den:7878')
    """
    others = [known for known in servers if known.casefold() != address.casefold()]
    return (address, *others)[:MAX_SERVERS]


def load(path: Path) -> tuple[Settings, str]:
    """Read settings; what cannot be used is as if it were not there.

    Returns:
        The settings, and what is wrong with the file in one sentence, or "".
    """
    try:
        data = _read(path)
    except FileNotFoundError:
        return Settings(), ""
    except tomllib.TOMLDecodeError as error:
        return Settings(), f"settings file {path}: it is not TOML ({error}); correct or delete it"
    except (OSError, UnicodeDecodeError, ValueError) as error:
        return Settings(), f"settings file {path} cannot be read: {_why(error)}"
    fields: dict[str, Any] = {}
    wrong: list[str] = []
    for key, value in data.items():
        try:
            fields[key] = _checked(key, value)
        except ValueError as error:
            wrong.append(f"{key!r} {error}")
    settings = Settings(**fields)
    return settings, f"settings file {path}: {'; '.join(wrong)}" if wrong else ""


def _read(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        text = file.read(_MAX_FILE + 1)
    if len(text) > _MAX_FILE:
        raise ValueError("it is far too long for a settings file")
    return tomllib.loads(text.decode("utf-8"))


def _why(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    return getattr(error, "strerror", None) or str(error)


_FIELDS = {field.name: field for field in msgspec.structs.fields(Settings)}


def _checked(key: str, value: object) -> object:
    """Return the value of a setting.

    Raises:
        ValueError: it is none; the rest of a sentence that begins with the key.
    """
    field = _FIELDS.get(key)
    if field is None:
        near = difflib.get_close_matches(key, _FIELDS, 1)
        raise ValueError(f"is no setting{f', did you mean {near[0]!r}?' if near else ''}")
    try:
        value = msgspec.convert(value, field.type)
    except msgspec.ValidationError as error:
        raise ValueError(f"is not used ({_lower(str(error))}): correct or delete it") from None
    check = _CHECKS.get(key)
    return value if check is None else check(value)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:].replace("`", "")


def _check_name(value: str) -> object:
    if value and not is_name(value):
        raise ValueError(
            "cannot be a name: use 1 to 24 letters, digits, spaces or _.'- "
            "and start with a letter or digit"
        )
    return value


def _check_servers(value: tuple[str, ...]) -> object:
    if any(printable(server) != server or not server for server in value):
        raise ValueError("has a server that is no HOST:PORT")
    servers: tuple[str, ...] = ()
    for server in reversed(value):
        servers = with_server(servers, server)
    return servers


_CHECKS: dict[str, Callable[..., object]] = {
    "name": _check_name,
    "servers": _check_servers,
}


def save(path: Path, settings: Settings) -> str:
    """Write settings, all or nothing; return why it did not work, or "".

    The old file stays whole until the new one is complete, also when the machine
    stops in between.
    """
    text = dump(settings)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd, temporary = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
        try:
            with open(fd, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        return f"the settings could not be written to {path}: {error.strerror}"
    return ""


def dump(settings: Settings) -> str:
    r"""Return settings as TOML; those that are as by default are left out.

    >>> dump(Settings(name="bea", wants="7H Q"))
    'name = "bea"\nwants = "7H Q"\n'
    """
    plain = msgspec.to_builtins(settings)
    standard = msgspec.to_builtins(Settings())
    return "".join(
        f"{key} = {_toml(value)}\n" for key, value in plain.items() if value != standard[key]
    )


def _toml(value: object) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_toml(part) for part in value)}]"
    # a JSON string or truth value is one of TOML, but for DEL, which TOML wants escaped
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")
