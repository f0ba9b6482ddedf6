"""The package list in pyproject.toml names every package there is: one left out would
miss from wheels, silently. And nothing answers to a bare name."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
CONF = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
TOPS = ("bots", "client", "protocol", "server")


def test_every_package_is_listed() -> None:
    found = {
        ".".join(("hollywood", *init.parent.relative_to(ROOT).parts))
        for top in TOPS
        for init in (ROOT / top).rglob("__init__.py")
    }
    assert sorted(CONF["tool"]["setuptools"]["packages"]) == sorted(found)


def test_bare_names_are_nobodys(tmp_path: Path) -> None:
    """Installed, the folders answer to hollywood.* only; a bot author may have a `client`."""
    code = f"import importlib.util as u; print([n for n in {TOPS} if u.find_spec(n)])"
    found = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert found.stdout.strip() == "[]"


def test_no_code_asks_for_the_name_of_a_rule_set() -> None:
    """A rule set is options: design, section 1.1 of the style."""
    asks = re.compile(r"(rules|rule_set)\.name\s*(==|!=|in\b)|case .*RuleSet\(name")
    for top in TOPS:
        for path in (ROOT / top).rglob("*.py"):
            assert not asks.search(path.read_text("utf-8")), path


def test_every_entry_point_loads() -> None:
    project = CONF["project"]
    targets = [*project["scripts"].values()]
    targets += [v for group in project["entry-points"].values() for v in group.values()]
    for target in targets:
        module, _, name = target.partition(":")
        assert hasattr(importlib.import_module(module), name)


def test_no_file_grows_beyond_its_idea() -> None:
    for top in TOPS:
        for path in (ROOT / top).rglob("*.py"):
            assert len(path.read_text("utf-8").splitlines()) <= 650, path
