"""The JSON Schema of the messages: written from the code, and true of the golden frames."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import jsonschema
import msgspec
import pytest

from golden_frames import Golden, load_frames
from hollywood.protocol.errors import ErrorCode

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "wire" / "v1"

BEYOND = {"rules that contradict themselves", "another magic", "a list of 2^32 - 1 values"}
"""What a schema cannot say."""


@cache
def validator(side: str) -> jsonschema.Draft202012Validator:
    """What holds for one side's messages."""
    schema = msgspec.json.decode((ROOT / "protocol" / "wire" / "schema.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    ref = {"$ref": f"#/$defs/{side.title()}Message", "$defs": schema["$defs"]}
    return jsonschema.Draft202012Validator(ref)


def broken() -> list[Golden]:
    """Golden frames that are msgpack, but no messages."""
    frames = load_frames(GOLDEN / "invalid.json")
    wrong = [golden for golden in frames if golden.code == ErrorCode.BAD_MESSAGE]
    return [g for g in wrong if "UTF-8" not in g.name and g.name not in BEYOND]


def name(golden: Golden) -> str:
    return f"{golden.sender}-{golden.name}"


def test_the_schema_is_up_to_date() -> None:
    check = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "schema.py"), "--check"], check=False
    )
    assert check.returncode == 0, "run: python docs/schema.py"


@pytest.mark.parametrize(
    "golden", [*load_frames(GOLDEN / "valid.json"), *load_frames(GOLDEN / "newer.json")], ids=name
)
def test_the_schema_allows_what_is_valid(golden: Golden) -> None:
    """Unknown events have to be blanked before, as the session does."""
    if golden.message is not None:
        validator(golden.sender).validate(golden.message)


@pytest.mark.parametrize("golden", broken(), ids=name)
def test_the_schema_refuses_what_is_no_message(golden: Golden) -> None:
    data = msgspec.msgpack.decode(golden.data[4:])
    assert not validator(golden.sender).is_valid(data)
