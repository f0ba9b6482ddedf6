"""Every example in the documentation of the rules and of the bot kit is true.

Not `pytest --doctest-modules`: that imports each file a second time under another
name, and two copies of an enum are not equal.
"""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import hollywood.bots
import hollywood.protocol


def module_names() -> Iterator[str]:
    """All modules of the packages that programs of others import."""
    for package in (hollywood.protocol, hollywood.bots):
        yield package.__name__
        walked = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        yield from (module.name for module in walked)


NAMES = list(module_names())


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_a_module(name: str) -> None:
    """Run them all; a failure prints what came out."""
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_there_are_examples() -> None:
    """Walking found the rules, and the rules have examples."""
    assert "hollywood.protocol.rules.melds" in NAMES
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = [importlib.import_module(name) for name in NAMES]
    examples = [test.examples for module in modules for test in finder.find(module)]
    assert sum(len(found) for found in examples) > 20
