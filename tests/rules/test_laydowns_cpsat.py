"""A sample of hands against CP-SAT, where OR-tools is installed; see `cpsat.py`."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from hollywood.protocol.rules import format_contract

HANDS = 12

pytestmark = pytest.mark.skipif(find_spec("ortools") is None, reason="needs OR-tools")


def test_search_equals_cp_sat() -> None:
    from cpsat import cases, compare  # only where OR-tools is installed

    for rules, contract, hand in cases(HANDS, seed=20240611):
        note = f"{rules.name} {format_contract(contract)} with {' '.join(hand)}"
        assert compare(hand, contract, rules) == "", note
