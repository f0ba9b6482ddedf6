"""No row of the rule book, and no situation of it, without a test that names it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROWS = {f"0-{row}" for row in range(1, 56)}

SITUATIONS = {
    f"T{number}"
    for number in (
        *(1, 2, 3, 4, 6, 7, 9, 11, 13, 14, 15, 16, 18, 19, 21, 22, 24, 25, 26, 28),
        *(32, 34, 45, 57, 58, 61, 62),
    )
}
"""What section 7 of the rule book asks of text 000, or of any text."""


def marked(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each name in a `row` mark, with the docstring of the test that bears it."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.row":
                for name in mark.args:
                    yield ast.literal_eval(name), ast.get_docstring(node) or ""


def all_marked() -> list[tuple[str, str]]:
    """The marks of all tests beside this one."""
    return [found for path in Path(__file__).parent.glob("test_*.py") for found in marked(path)]


def test_each_row_has_a_test() -> None:
    """Rows 0-1 to 0-55."""
    assert sorted(ROWS - {name for name, _ in all_marked()}) == []


def test_each_situation_has_a_test() -> None:
    """The situations of section 7."""
    assert sorted(SITUATIONS - {name for name, _ in all_marked()}) == []


def test_no_mark_names_what_is_not_there() -> None:
    """A misspelt row would hide a missing one."""
    assert {name for name, _ in all_marked()} <= ROWS | SITUATIONS


def test_each_docstring_names_a_row_of_its_mark() -> None:
    """So that a failing test says which rule is broken."""
    names: dict[str, set[str]] = {}
    for name, docstring in all_marked():
        names.setdefault(docstring, set()).add(name)
    assert [doc for doc, rows in names.items() if not any(row in doc for row in rows)] == []
