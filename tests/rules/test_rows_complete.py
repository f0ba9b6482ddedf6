"""No row of the rule book, and no situation of it, without a test that names it."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

LAST_ROWS = {"0": 55, "1": 40, "3": 29}
"""The last row of each text."""

ROWS = {f"{text}-{row}" for text, last in LAST_ROWS.items() for row in range(1, last + 1)}

SITUATIONS = {
    f"T{number}"
    for number in (
        *(1, 2, 3, 4, 6, 7, 9, 11, 13, 14, 15, 16, 18, 19, 21, 22, 24, 25, 26, 28, 29, 30),
        *(31, 32, 34, 35, 38, 39, 40, 42, 43, 44, 45, 47, 48, 49, 50, 52, 53, 54, 55, 57),
        *(58, 59, 61, 62),
    )
}
"""The situations of section 7 of the rule book."""


def tabled() -> Iterator[tuple[str, str]]:
    """Yield each name in the scenario tables, with the scenario that bears it."""
    for path in (Path(__file__).parent / "scenarios").glob("*.toml"):
        for scenario in tomllib.loads(path.read_text("utf-8"))["scenario"]:
            for name in scenario["row"]:
                yield name, scenario["name"]


def marked(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each name in a `row` mark, with the docstring of the test that bears it."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.row":
                for name in mark.args:
                    yield ast.literal_eval(name), ast.get_docstring(node) or ""


def all_named() -> set[str]:
    """Every row and situation that some test or scenario holds."""
    return {name for name, _ in (*all_marked(), *tabled())}


def all_marked() -> list[tuple[str, str]]:
    """The marks of all tests beside this one."""
    return [found for path in Path(__file__).parent.glob("test_*.py") for found in marked(path)]


def test_each_row_has_a_test() -> None:
    """Rows 0-1 to 0-55, 1-1 to 1-40 and 3-1 to 3-29."""
    assert sorted(ROWS - all_named()) == []


def test_each_situation_has_a_test() -> None:
    """The situations of section 7."""
    assert sorted(SITUATIONS - all_named()) == []


def test_no_mark_names_what_is_not_there() -> None:
    """A misspelt row would hide a missing one."""
    assert all_named() <= ROWS | SITUATIONS


def test_each_docstring_names_a_row_of_its_mark() -> None:
    """So that a failing test says which rule is broken."""
    names: dict[str, set[str]] = {}
    for name, docstring in all_marked():
        names.setdefault(docstring, set()).add(name)
    assert [doc for doc, rows in names.items() if not any(row in doc for row in rows)] == []
