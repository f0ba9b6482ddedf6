"""Whatever is logged, a line is a line, and tells no secret."""

from __future__ import annotations

import io
import json
import logging
import warnings
from collections.abc import Iterator
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hollywood.server import logs

log = logging.getLogger("hollywood.server.test_logs")

HOSTILE = "eve\x1b[2J\r\nat=1 level=info \u202egnp.exe\u2028\x00\x9b\ud800"


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Logging belongs to the whole process."""
    root, own = logging.getLogger(), logging.getLogger("hollywood")
    before = root.handlers[:], root.level, own.level
    yield
    logging.captureWarnings(False)
    root.handlers[:], root.level = before[0], before[1]
    own.setLevel(before[2])


def logged(as_json: bool, level: int = logging.INFO) -> io.StringIO:
    stream = io.StringIO()
    logs.configure(as_json=as_json, stream=stream, level=level)
    return stream


def test_an_event_for_people() -> None:
    stream = logged(as_json=False)
    logs.event(log, "table_started", table="the den", seats=4, hints=True, seed_given=None)
    line = stream.getvalue()
    at, rest = line.split(" ", 1)
    assert datetime.fromisoformat(at).tzinfo is not None
    assert rest == (
        'info server.test_logs table_started table="the den" seats=4 hints=yes seed_given=none\n'
    )


def test_an_event_for_programs() -> None:
    stream = logged(as_json=True)
    logs.event(log, "table_started", severity=logging.WARNING, table="den", rules=["a", "b"])
    line = json.loads(stream.getvalue())
    at = line.pop("at")
    assert at.endswith("Z")
    assert line == {
        "level": "warning",
        "logger": "server.test_logs",
        "event": "table_started",
        "table": "den",
        "rules": ["a", "b"],
    }


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_nothing_hostile_gets_out(as_json: bool) -> None:
    stream = logged(as_json)
    logs.event(log, "hello_refused", client=HOSTILE, caps=[HOSTILE, "x"])
    log.warning("a client said %s", HOSTILE)
    text = stream.getvalue()
    assert text.count("\n") == 2
    assert text.replace("\n", "").isprintable()


@given(st.text(max_size=300))
def test_cleaned_text_is_printable_and_short(text: str) -> None:
    cleaned = logs.clean(text)
    assert cleaned.isprintable()
    assert len(cleaned) <= 10 * logs.MAX_VALUE + 20


@given(st.text(max_size=20), st.text(max_size=20))
def test_cleaning_keeps_texts_apart(one: str, other: str) -> None:
    """Nobody can pretend to be another by letters that are escaped."""
    assert (logs.clean(one) == logs.clean(other)) == (one == other)


def test_a_value_cannot_pretend_to_be_a_field() -> None:
    stream = logged(as_json=False)
    logs.event(log, "joined", name='eve" level=error name="root', table="")
    assert stream.getvalue().endswith('joined name="eve\\" level=error name=\\"root" table=""\n')


def test_long_values_and_lists_are_cut() -> None:
    stream = logged(as_json=True)
    logs.event(log, "said", text_of="x" * 1000, names=[str(n) for n in range(100)])
    line = json.loads(stream.getvalue())
    assert line["text_of"] == "x" * 200 + "...(+800)"
    assert line["names"] == [*map(str, range(16)), "...(+84)"]


def test_secrets_are_not_written() -> None:
    stream = logged(as_json=True)
    logs.event(log, "resumed", token="5ec7e7", password="hunter2", seed="00ff", entropy="ab")
    assert [json.loads(stream.getvalue())[key] for key in sorted(logs.SECRET)] == ["***"] * 4


def test_a_field_cannot_take_the_place_of_what_each_line_has() -> None:
    with pytest.raises(AssertionError):
        logs.event(log, "joined", at="never")


def test_a_fault_is_one_line_with_its_end() -> None:
    stream = logged(as_json=True)
    try:
        raise ValueError("first\nsecond\x1b[0m")
    except ValueError:
        log.exception("table %s is closed", "den")
    line = json.loads(stream.getvalue())
    assert line["event"] == "log"
    assert line["text"] == "table den is closed"
    assert line["level"] == "error"
    assert line["traceback"].endswith("ValueError: first\\nsecond\\x1b[0m")
    assert stream.getvalue().count("\n") == 1


def test_levels_and_libraries() -> None:
    """Of libraries only warnings are written; ours from the level that was asked for."""
    stream = logged(as_json=True, level=logging.DEBUG)
    logs.event(log, "answered", severity=logging.DEBUG)
    logging.getLogger("zeroconf").info("chatter")
    logging.getLogger("zeroconf").warning("trouble")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("old", stacklevel=1)
    told = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["logger"] for line in told] == ["server.test_logs", "zeroconf", "py.warnings"]


def test_an_event_below_the_level_is_not_written() -> None:
    stream = logged(as_json=False, level=logging.WARNING)
    logs.event(log, "answered", action="pass")
    assert stream.getvalue() == ""


def test_other_values() -> None:
    stream = logged(as_json=True)
    extra = {"fields": {"data": b"\x00\x01", "thing": object, "share": 0.25}}
    log.info("measured", extra=extra)
    line = json.loads(stream.getvalue())
    assert (line["data"], line["thing"], line["share"]) == ("2 bytes", "<class 'object'>", 0.25)
