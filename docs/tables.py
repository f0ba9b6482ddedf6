"""Writes the tables of PROTOCOL.md from the code they describe.

    python docs/tables.py          rewrites the part between the markers
    python docs/tables.py --check  exits 1 if it would change anything

The source is read as text, so that each field's docstring comes along.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "protocol" / "PROTOCOL.md"
SOURCES = {
    "messages": ("protocol/wire/messages.py",),
    "events": ("protocol/rules/events.py",),
    "values": (
        "protocol/rules/actions.py",
        "protocol/rules/melds.py",
        "protocol/rules/legality.py",
    ),
    "codes": ("protocol/errors.py",),
}


def main() -> int:
    """Rewrite or check the document."""
    before = DOCUMENT.read_text("utf-8")
    after = fill_in(before)
    if "--check" in sys.argv[1:]:
        return int(before != after)
    DOCUMENT.write_text(after, "utf-8")
    return 0


def fill_in(text: str) -> str:
    """Return the document with each marked part written anew."""
    for name in SOURCES:
        begin, end = f"<!-- {name}: written by docs/tables.py -->", f"<!-- end of {name} -->"
        part = "\n".join(codes() if name == "codes" else structs(name))
        pattern = re.escape(begin) + ".*?" + re.escape(end)
        text = re.sub(pattern, lambda _, p=part, b=begin, e=end: f"{b}\n{p}\n{e}", text, flags=re.S)
    return text


def structs(name: str) -> Iterator[str]:
    """One section for each struct of the sources: its tag, its meaning, its fields."""
    for source in SOURCES[name]:
        for node in ast.parse((ROOT / source).read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and _is_struct(node):
                yield from _section(node)


def _is_struct(node: ast.ClassDef) -> bool:
    bases = {ast.unparse(base) for base in node.bases}
    return bool(bases & {"msgspec.Struct", "_Message", "_Event"}) and not node.name.startswith("_")


def _section(node: ast.ClassDef) -> Iterator[str]:
    tag = next((ast.literal_eval(k.value) for k in node.keywords if k.arg == "tag"), None)
    yield f"\n#### {f'`{tag}`' if tag else node.name}\n"
    yield _one_line(ast.get_docstring(node) or "")
    fields = list(_fields(node))
    if fields:
        yield "\n| field | type | meaning |\n|---|---|---|"
        for field, kind, meaning in fields:
            yield f"| `{field}` | `{kind}` | {meaning} |"


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


def codes() -> Iterator[str]:
    """The values of ErrorCode."""
    tree = ast.parse((ROOT / "protocol" / "errors.py").read_text("utf-8"))
    enum = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "ErrorCode")
    values = [n.value for n in enum.body if isinstance(n, ast.Assign)]
    yield ", ".join(f"`{ast.literal_eval(value)}`" for value in values)


def _one_line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    sys.exit(main())
