"""That `flip_every_option.py` knows every option, and flips are legal. The run is a command."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from builders import rules

PATH = Path(__file__).parent / "flip_every_option.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script as a module; running it is another matter."""
    spec = importlib.util.spec_from_file_location("flip_every_option", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_every_option_is_in_the_table(script: ModuleType) -> None:
    """A new option needs values that are tried, and so tests that notice them."""
    assert list(script.VALUES) == [*dict.fromkeys(script.VALUES)]
    assert set(script.VALUES) == set(script.all_options())


@pytest.mark.parametrize("name", ["hollywood", "hollywood_seven", "dummy"])
def test_every_option_with_another_value_is_flipped(script: ModuleType, name: str) -> None:
    """Once at least, unless it has one value only."""
    flipped = {flip.option for flip in script.flips(name)}
    single = {option for option, values in script.VALUES.items() if len(values) == 1}
    impossible = {"buy.limit_round"} if name == "dummy" else set()
    assert set(script.VALUES) - flipped <= single | impossible


@pytest.mark.parametrize("name", ["hollywood", "hollywood_seven", "dummy"])
def test_every_flip_is_a_legal_rule_set(script: ModuleType, name: str) -> None:
    """Or the reason why it is not is told."""
    for flip in script.flips(name):
        if script.reason_for(flip) is None:
            keys = {
                key.replace(".", "__"): tuple(value) if isinstance(value, list) else value
                for key, value in flip.changes.items()
            }
            if "rounds" not in keys:
                assert rules(name, **keys).name == name
