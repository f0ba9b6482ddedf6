"""Writes the tables of PROTOCOL.md and RULES.md from the code and the files they describe.

    python docs/tables.py          rewrites the parts between the markers
    python docs/tables.py --check  exits 1 if it would change anything

The source is read as text, so that each field's docstring comes along. The rule sets
are loaded, with all that they extend.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from hollywood.protocol.rules import RuleSet, load_rules, rule_set_names

ROOT = Path(__file__).parent.parent
SOURCES = {
    "messages": ("protocol/wire/messages.py",),
    "events": ("protocol/rules/events.py",),
    "values": (
        "protocol/rules/actions.py",
        "protocol/rules/melds.py",
        "protocol/rules/offers.py",
        "protocol/rules/hints.py",
        "protocol/rules/laydowns.py",
    ),
    "codes": ("protocol/errors.py",),
}


NOT_SENT = {"Outlook", "Violation"}
"""Structs of these files that never stand in a message."""

TEXTS = ("hollywood", "hollywood_seven", "hollywood_seven_chips", "dummy")
"""The rule sets that come first; the others follow by name."""

COLUMNS = 7
"""How many rule sets one table of options shows."""


def main() -> int:
    """Rewrite or check the documents."""
    is_changed = False
    for name, parts in DOCUMENTS.items():
        document = ROOT / "protocol" / name
        before = document.read_text("utf-8")
        after = fill_in(before, parts)
        is_changed |= before != after
        if "--check" not in sys.argv[1:]:
            document.write_text(after, "utf-8")
    return int(is_changed and "--check" in sys.argv[1:])


def fill_in(text: str, parts: dict[str, Callable[[str], Iterator[str]]]) -> str:
    """Return the document with each marked part written anew."""
    for name, write in parts.items():
        begin, end = f"<!-- {name}: written by docs/tables.py -->", f"<!-- end of {name} -->"
        new = "\n".join((begin, *write(name), end)).replace("\\", r"\\")
        text = re.sub(re.escape(begin) + ".*?" + re.escape(end), new, text, flags=re.S)
    return text


# the protocol


def structs(name: str) -> Iterator[str]:
    """One section for each struct of the sources: its tag, its meaning, its fields."""
    for source in SOURCES[name]:
        for node in ast.parse((ROOT / source).read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and _is_struct(node):
                yield from _section(node)


def _is_struct(node: ast.ClassDef) -> bool:
    bases = {ast.unparse(base) for base in node.bases}
    is_struct = bool(bases & {"msgspec.Struct", "_Message", "_Event"})
    return is_struct and not node.name.startswith("_") and node.name not in NOT_SENT


def _section(node: ast.ClassDef) -> Iterator[str]:
    tag = next((ast.literal_eval(k.value) for k in node.keywords if k.arg == "tag"), None)
    is_plain = tag is not None and tag.replace("_", "") == node.name.lower()
    yield f"\n#### `{tag}`\n" if is_plain else f"\n#### {node.name}{_tagged(tag)}\n"
    yield _one_line(ast.get_docstring(node) or "")
    fields = list(_fields(node))
    if fields:
        yield "\n| field | type | meaning |\n|---|---|---|"
        for field, kind, meaning in fields:
            yield f"| `{field}` | `{kind}` | {meaning} |"


def _tagged(tag: str | None) -> str:
    return "" if tag is None else f", `{tag}` on the wire"


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, str, str]]:
    for item, after in zip(node.body, [*node.body[1:], None], strict=True):
        if not isinstance(item, ast.AnnAssign) or not isinstance(item.target, ast.Name):
            continue
        meaning = ""
        if (
            isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
            and isinstance(after.value.value, str)
        ):
            meaning = _one_line(after.value.value)
        name = item.target.id
        if item.value is not None and "name=" in ast.unparse(item.value):
            name = re.search(r"name='(\w+)'", ast.unparse(item.value))[1]  # type: ignore[index]
        kind = ast.unparse(_Plain().visit(item.annotation)).replace("|", "\\|")
        if item.value is not None and "field(" not in ast.unparse(item.value):
            kind += f" = {ast.unparse(item.value)}"
        yield name, kind, meaning


class _Plain(ast.NodeTransformer):
    """Drops the limits from annotations: `Annotated[str, ...]` reads `str`."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        is_annotated = isinstance(node.value, ast.Name) and node.value.id == "Annotated"
        if is_annotated and isinstance(node.slice, ast.Tuple):
            return node.slice.elts[0]
        return node


def codes(_: str) -> Iterator[str]:
    """The values of ErrorCode."""
    tree = ast.parse((ROOT / "protocol" / "errors.py").read_text("utf-8"))
    enum = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "ErrorCode")
    values = [n.value for n in enum.body if isinstance(n, ast.Assign)]
    yield ", ".join(f"`{ast.literal_eval(value)}`" for value in values)


# the rules


def meanings(_: str) -> Iterator[str]:
    """Each option, its values and what it says."""
    yield "\n| option | values | meaning |\n|---|---|---|"
    tree = ast.parse((ROOT / "protocol/rules/ruleoptions.py").read_text("utf-8"))
    groups = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    rules = ast.parse((ROOT / "protocol/rules/rulesets.py").read_text("utf-8"))
    whole = next(n for n in rules.body if isinstance(n, ast.ClassDef) and n.name == "RuleSet")
    for option, kind, meaning in _fields(whole):
        if option in ("name", "rounds"):
            continue
        group = groups.get(kind.partition(" ")[0].removeprefix("o."))
        if group is None:
            yield f"| `{option}` | {_values(kind)} | {meaning} |"
            continue
        for key, inner, told in _fields(group):
            yield f"| `{option}.{key}` | {_values(inner)} | {told} |"
    yield ""


_TYPES = {
    "int": "number",
    "bool": "true, false",
    "str": "text",
    "tuple[int, ...]": "list of numbers",
}


def _values(kind: str) -> str:
    """Write a type as what may stand in a file."""
    kind = kind.partition(" = ")[0].replace("\\|", "|")
    told = []
    for part in re.split(r" \| ", kind):
        if part.startswith("Literal["):
            told += [f"`{value}`" for value in ast.literal_eval(part[7:])]
        elif part != "None":
            told.append(_TYPES.get(part, "list" if part.startswith("tuple") else "table"))
    return ", ".join(_TYPES.get(part, part) for part in told)


def deals(_: str) -> Iterator[str]:
    """The hands and contracts of each rule set."""
    yield "\n| rule set | hands | contracts |\n|---|---|---|"
    for rules in _rule_sets():
        hands = _cell(tuple(round_.deal for round_ in rules.rounds))
        contracts = "; ".join(round_.contract for round_ in rules.rounds).replace("x", "×")
        yield f"| `{rules.name}` | {hands} | {contracts} |"
    yield ""


def options(_: str) -> Iterator[str]:
    """What each rule set chooses, in tables that a page is wide enough for."""
    all_rules = _rule_sets()
    split = len(TEXTS)
    parts = [all_rules[:split]]
    parts += [all_rules[i : i + COLUMNS] for i in range(split, len(all_rules), COLUMNS)]
    for part in parts:
        yield f"\n| option | {' | '.join(f'`{rules.name}`' for rules in part)} |"
        yield f"|---|{'---|' * len(part)}"
        for key in _keys(part[0]):
            yield f"| `{key}` | {' | '.join(_cell(_choice(rules, key)) for rules in part)} |"
    yield ""


def _rule_sets() -> list[RuleSet]:
    names = [*TEXTS, *(name for name in rule_set_names() if name not in TEXTS)]
    return [load_rules(name) for name in names]


def _keys(rules: RuleSet) -> Iterator[str]:
    for group in rules.__struct_fields__:
        if group not in ("name", "title", "rounds"):
            inner = getattr(getattr(rules, group), "__struct_fields__", None)
            yield from [group] if inner is None else [f"{group}.{key}" for key in inner]


def _choice(rules: RuleSet, key: str) -> object:
    value: object = rules
    for name in key.split("."):
        value = getattr(value, name)
    return value


def _cell(value: object) -> str:
    if value is None or value in ((), {}):
        return "–"
    match value:
        case bool():
            return "true" if value else "false"
        case dict():
            return _points(value)
        case tuple() | list():
            return _many(value)
    return str(value)


def _points(points: dict[str, int]) -> str:
    """Write values by ranks; those that are the rank's own number together."""
    faces = "".join(rank for rank, cost in points.items() if rank == str(cost))
    told = [f"{faces}: face"] if len(faces) > 1 else []
    told += [f"{ranks}: {cost}" for ranks, cost in points.items() if ranks not in faces]
    return ", ".join(told)


def _many(values: Sequence[object]) -> str:
    runs = [(value, len(list(same))) for value, same in groupby(values)]
    return ", ".join(f"{n}×{value}" if n > 1 else str(value) for value, n in runs)


def _one_line(text: str) -> str:
    return " ".join(text.split())


DOCUMENTS: dict[str, dict[str, Callable[[str], Iterator[str]]]] = {
    "PROTOCOL.md": {"messages": structs, "events": structs, "values": structs, "codes": codes},
    "RULES.md": {"meanings": meanings, "deals": deals, "options": options},
}


if __name__ == "__main__":
    sys.exit(main())
