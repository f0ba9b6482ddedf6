"""Reading rule sets from TOML: those that come with the program, and a house's own.

A file may `extend` another and give only what differs. Unknown keys are errors,
with the nearest known one, so that a typing mistake never plays other rules.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec

from ..errors import ErrorCode, RuleSetError
from .ruleoptions import Options, Round
from .rulesets import RuleSet

EXTEND = "extend"
"""The key that names the rule set a file starts from."""

_SHIPPED = resources.files("hollywood.protocol") / "rulesets"
_MAX_BYTES = 64 * 1024
_MAX_DOTS = 32
"""In a line; dotted keys cost the parser their square."""
_NAME = re.compile(r"[\w-]{1,24}")
_WORDS = {
    int: "a whole number",
    bool: "true or false",
    str: "a text",
    tuple: "a list",
    dict: "a table of whole numbers",
}


def rule_set_names() -> list[str]:
    """The rule sets that come with the program."""
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in _SHIPPED.iterdir()
        if entry.name.endswith(".toml")
    )


def is_shipped(name: str) -> bool:
    """Whether a rule set of that name comes with the program."""
    return name in rule_set_names()


def load_rules(name_or_path: str | Path) -> RuleSet:
    """Load a rule set by its name, or from a TOML file.

    >>> load_rules("hollywood").title
    'Hollywood rummy, ten rounds'

    Raises:
        RuleSetError: unknown name (`unknown_rule_set`), unreadable file, or
            options that are unknown, of the wrong type or contradict each other.
    """
    name, where, data = _merged(str(name_or_path), Path(), ())
    return _build(data, name, where)


def rules_from_toml(text: str, name: str, where: str) -> RuleSet:
    """Read a rule set from TOML text; `where` names it in errors."""
    return _build(_extended(_parse(text, where), where, Path(), ()), name, where)


def rules_from_upload(text: str, name: str) -> RuleSet:
    """Read a rule set that somebody else has sent: it extends shipped ones, never files.

    Raises:
        RuleSetError: as `load_rules`.
    """
    if not _NAME.fullmatch(name):
        raise RuleSetError("call a rule set by 1 to 24 letters, digits or _-")
    base = _parse(text, name).get(EXTEND)
    if base is not None and base not in rule_set_names():
        raise RuleSetError(
            f"{name}: extend: there is no rule set {base!r} here; use {', '.join(rule_set_names())}"
        )
    return rules_from_toml(text, name, name)


def _merged(
    name_or_path: str, folder: Path, seen: tuple[str, ...]
) -> tuple[str, str, dict[str, Any]]:
    """Return the name, the place and the options of a file, with all that it extends."""
    name, where, text, inner = _text_of(name_or_path, folder)
    if where in seen:
        circle = " extends ".join((*seen[seen.index(where) :], where))
        raise RuleSetError(f"{circle}: a rule set cannot extend itself; take one `extend` out")
    return name, where, _extended(_parse(text, where), where, inner, (*seen, where))


def _extended(
    data: dict[str, Any], where: str, folder: Path, seen: tuple[str, ...]
) -> dict[str, Any]:
    base = data.pop(EXTEND, None)
    _refuse_unknown(data, RuleSet, where, "")
    if base is None:
        return data
    if not isinstance(base, str):
        raise RuleSetError(f'{where}: extend: name one rule set or file, as in extend = "dummy"')
    _, _, under = _merged(base, folder, seen or (where,))
    return _overlay(under, data)


def _overlay(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Groups are merged key by key; lists and values are replaced."""
    result = dict(under)
    for key, value in over.items():
        old = result.get(key)
        both = isinstance(old, dict) and isinstance(value, dict) and key != "ranks"
        result[key] = _overlay(old, value) if both and old is not None else value
    return result


def _text_of(name_or_path: str, folder: Path) -> tuple[str, str, str, Path]:
    """Return name, place, text, and the folder in which its `extend` is looked for."""
    names = rule_set_names()
    if name_or_path in names:
        text = (_SHIPPED / f"{name_or_path}.toml").read_text("utf-8")
        return name_or_path, name_or_path, text, folder
    path = folder / name_or_path
    if path.suffix != ".toml" and not path.is_file():
        near = difflib.get_close_matches(name_or_path, names, 1)
        hint = f"did you mean {near[0]}?" if near else f"use {', '.join(names)},"
        raise RuleSetError(
            f"there is no rule set {name_or_path!r}: {hint} or a .toml file",
            ErrorCode.UNKNOWN_RULE_SET,
        )
    try:
        data = path.read_bytes()[: _MAX_BYTES + 1]
        if len(data) > _MAX_BYTES:
            raise RuleSetError(f"{path}: a rule set has at most {_MAX_BYTES // 1024} KiB")
        return path.stem, str(path), data.decode("utf-8"), path.parent
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise RuleSetError(
            f"cannot read the rule set {str(path)!r}: {reason}", ErrorCode.UNKNOWN_RULE_SET
        ) from None


def _parse(text: str, where: str) -> dict[str, Any]:
    if any(line.count(".") > _MAX_DOTS for line in text.splitlines()):
        raise RuleSetError(f"{where} is not a rule set: a line has more than {_MAX_DOTS} dots")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # a ValueError that is no TOMLDecodeError is a number of thousands of digits
        raise RuleSetError(f"{where} is not TOML: {error}") from None


def _build(data: dict[str, Any], name: str, where: str) -> RuleSet:
    try:
        return msgspec.convert({"title": name, **data, "name": name}, RuleSet)
    except msgspec.ValidationError as error:
        cause = error.__cause__
        if isinstance(cause, RuleSetError):
            raise RuleSetError(f"{where}: {cause.message.partition(': ')[2]}") from None
        raise RuleSetError(f"{where}: {_plain(str(error))}") from None


def _plain(message: str) -> str:
    """Turn msgspec's path notation into the keys of the file, rounds counted from 1."""
    text, _, path = message.partition(" - at `$")
    key = re.sub(r"rounds\[(\d+)\]", lambda m: f"rounds[{int(m[1]) + 1}]", path.strip("`."))
    sentence = f"{key or 'the file'}: {text[:1].lower()}{text[1:]}"
    allowed = _allowed(key)
    return f"{sentence}; write {' or '.join(allowed)}" if allowed else sentence


def _allowed(key: str) -> list[str]:
    """What may stand at a key, in the words of the file; nothing if that cannot be told."""
    hint: Any = None if key.endswith("]") else RuleSet
    for name in key.split("."):
        if hint == tuple[Round, ...]:
            hint = Round
        if not (isinstance(hint, type) and issubclass(hint, msgspec.Struct)):
            return []
        fields = {field.name: field.type for field in msgspec.structs.fields(hint)}
        hint = fields.get(name.partition("[")[0])
    return _written(hint)


def _written(hint: Any) -> list[str]:  # noqa: ANN401 - a type, of any sort
    if get_origin(hint) is Literal:
        return [f'"{value}"' for value in get_args(hint)]
    if get_origin(hint) in (Union, UnionType):
        return [text for part in get_args(hint) for text in _written(part)]
    if isinstance(hint, type) and issubclass(hint, Options):
        return ["a group of options"]
    return [_WORDS[kind] for kind in (get_origin(hint) or hint,) if kind in _WORDS]


def _refuse_unknown(data: Mapping[str, Any], group: type, where: str, prefix: str) -> None:
    known = {field.name: field.type for field in msgspec.structs.fields(group)}
    known.pop("name", None)
    for key, value in data.items():
        if key not in known:
            near = difflib.get_close_matches(key, (*known, EXTEND), 1)
            hint = f"did you mean {prefix}{near[0]}?" if near else f"known: {', '.join(known)}"
            raise RuleSetError(f"{where}: unknown option {prefix}{key}; {hint}")
        inner = known[key]
        if isinstance(value, dict) and isinstance(inner, type) and issubclass(inner, Options):
            _refuse_unknown(value, inner, where, f"{prefix}{key}.")
        if key == "rounds" and isinstance(value, list):
            for entry in value:
                if isinstance(entry, dict):
                    _refuse_unknown(entry, Round, where, "rounds.")
