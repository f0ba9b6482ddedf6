"""Contracts as texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hollywood.protocol.errors import ErrorCode, NotationError
from hollywood.protocol.rules import (
    Contract,
    MeldKind,
    MeldSpec,
    format_contract,
    parse_contract,
)
from hollywood.protocol.rules.contracts import contract_size

specs = st.builds(MeldSpec, st.sampled_from(MeldKind), st.integers(2, 13))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2xS3", ["S3", "S3"]),
        ("S3 + R10", ["S3", "R10"]),
        ("3xS3+R4", ["S3", "S3", "S3", "R4"]),
        ("2*s3 + 1×r5", ["S3", "S3", "R5"]),
        (" 2 x S 3 ", ["S3", "S3"]),
    ],
)
def test_reading(text: str, expected: list[str]) -> None:
    """Counts, signs and blanks."""
    assert [str(spec) for spec in parse_contract(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "S",
        "3S",
        "S3 R4",
        "S3 +",
        "+ S3",
        "S1",
        "S0",
        "0xS3",
        "10xS3",
        "X3",
        "2xS3 - R4",
        "-1xS3",
    ],
)
def test_what_is_no_contract(text: str) -> None:
    """Refused with its code."""
    with pytest.raises(NotationError) as refused:
        parse_contract(text)
    assert refused.value.code is ErrorCode.BAD_CONTRACT


@pytest.mark.parametrize(
    ("text", "written"),
    [("S3+S3+R4", "2xS3 + R4"), ("R4+S3", "R4 + S3"), ("S3+R4+S3", "S3 + R4 + S3")],
)
def test_writing(text: str, written: str) -> None:
    """Equal neighbours are counted; the order of the text stays."""
    assert format_contract(parse_contract(text)) == written


@given(st.lists(specs, min_size=1, max_size=9).map(tuple))
def test_a_contract_reads_as_it_is_written(contract: Contract) -> None:
    """Formatting and parsing are inverse."""
    assert parse_contract(format_contract(contract)) == contract
    assert contract_size(contract) == sum(spec.size for spec in contract)
