"""A short, seeded run of bench/fuzz_wire.py: nothing but typed errors, and flat memory."""

from __future__ import annotations

import importlib.util
import tracemalloc
from pathlib import Path
from types import ModuleType

import pytest

INPUTS = 12_000


@pytest.fixture(scope="module")
def fuzz_wire() -> ModuleType:
    """The program of that name, which is no part of a package."""
    path = Path(__file__).parents[2] / "bench" / "fuzz_wire.py"
    spec = importlib.util.spec_from_file_location("fuzz_wire", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_mutated_frames_raise_nothing_but_typed_errors(fuzz_wire: ModuleType) -> None:
    fuzzer = fuzz_wire.Fuzzer(seed=20)
    for _ in range(INPUTS):
        fuzzer.one()
    assert fuzzer.failures == {}
    assert {"1 read", "2 read", "3 read", "scanned", "cut into frames"} <= fuzzer.outcomes.keys()
    assert {"bad_frame", "bad_message", "frame_too_large", "unexpected_message"} <= (
        fuzzer.outcomes.keys()
    )


def test_memory_stays_flat(fuzz_wire: ModuleType) -> None:
    """After a warm-up, nothing that was read or refused is kept."""
    fuzzer = fuzz_wire.Fuzzer(seed=21)
    for _ in range(500):
        fuzzer.one()
    tracemalloc.start()
    try:
        for _ in range(500):
            fuzzer.one()
        early = tracemalloc.get_traced_memory()[0]
        for _ in range(1500):
            fuzzer.one()
        late = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert late - early < 100_000
