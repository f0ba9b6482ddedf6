"""Records: played again to the last card, and refused where anything differs."""

from __future__ import annotations

import msgspec
import pytest

from hollywood.bots import Bot
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.local import play_game, play_recorded
from hollywood.protocol.errors import ErrorCode, RecordError
from hollywood.protocol.rules import (
    Card,
    GameRecord,
    decode_record,
    encode_record,
    load_rules,
    seed_from_text,
    verify,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.records import Step, make_record

BOTS: tuple[type[Bot], ...] = (GreedyBot, RandomBot, GreedyBot)
SEED = seed_from_text("records")


@pytest.fixture(scope="module", params=["hollywood", "hollywood_seven", "dummy"])
def record(request: pytest.FixtureRequest) -> GameRecord:
    """A game of each text."""
    return play_recorded(load_rules(request.param), BOTS, SEED)[1]


def test_a_record_is_read_as_it_was_written_and_verifies(record: GameRecord) -> None:
    again = decode_record(encode_record(record))
    assert again == record
    state = verify(again)
    assert state.totals() == play_game(record.rules, BOTS, SEED).scores


def remade(record: GameRecord, **changes: object) -> GameRecord:
    """The record with a change, and a digest that does not tell of it."""
    changed = msgspec.structs.replace(record, **changes)
    return make_record(
        changed.rules, bytes.fromhex(changed.seed), changed.players, changed.steps, changed.events
    )


def test_a_changed_event_is_named(record: GameRecord) -> None:
    at = next(i for i, e in enumerate(record.events) if type(e).__name__ == "Discarded")
    event = msgspec.structs.replace(record.events[at], seat=99)
    events = (*record.events[:at], event, *record.events[at + 1 :])
    with pytest.raises(RecordError, match=f"event {at + 1} is"):
        verify(remade(record, events=events))


def test_a_missing_or_further_event_is_named(record: GameRecord) -> None:
    with pytest.raises(RecordError, match=f"event {len(record.events)} is None"):
        verify(remade(record, events=record.events[:-1]))
    with pytest.raises(RecordError, match=f"event {len(record.events) + 1} is"):
        verify(remade(record, events=(*record.events, record.events[-1])))


def test_another_seed_or_step_is_found(record: GameRecord) -> None:
    with pytest.raises(RecordError):
        verify(remade(record, seed="00" * 32))
    with pytest.raises(RecordError, match="step 1, of seat 9"):
        verify(remade(record, steps=(Step(9, record.steps[0].action), *record.steps[1:])))


def test_a_changed_byte_is_found(record: GameRecord) -> None:
    data = encode_record(record)
    for at in range(40, len(data), len(data) // 40):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        with pytest.raises(RecordError):
            verify(decode_record(changed))


def test_a_changed_card_is_named(record: GameRecord) -> None:
    """In the bytes, without a new digest: the first event that is not as it was."""
    discards = ((i, e) for i, e in enumerate(record.events) if isinstance(e, ev.Discarded))
    at, event = next(discards)
    other = msgspec.structs.replace(event, card=Card("4C" if event.card == "3C" else "3C"))
    events = (*record.events[:at], other, *record.events[at + 1 :])
    forged = msgspec.structs.replace(record, events=events)
    with pytest.raises(RecordError, match=rf"was changed.*event {at + 1} is"):
        decode_record(encode_record(forged))
    renamed = msgspec.structs.replace(record, players=("x", *record.players[1:]))
    with pytest.raises(RecordError, match=r"was changed.*players' names"):
        decode_record(encode_record(renamed))


def test_other_rules_are_refused_naming_the_difference() -> None:
    today = load_rules("hollywood")
    buy = msgspec.structs.replace(today.buy, penalty=2)
    rules = msgspec.structs.replace(today, buy=buy)
    _, record = play_recorded(rules, BOTS, SEED)
    with pytest.raises(RecordError, match=r"buy\.penalty was 2 and is 1 now") as refused:
        decode_record(encode_record(record))
    assert refused.value.code is ErrorCode.OTHER_RULES


def test_a_house_rule_set_travels_with_its_record() -> None:
    today = load_rules("hollywood")
    limit = msgspec.structs.replace(today.buy, limit_round=3)
    rules = msgspec.structs.replace(today, name="my_house", rounds=today.rounds[:2], buy=limit)
    _, record = play_recorded(rules, BOTS, SEED)
    assert len(verify(decode_record(encode_record(record))).scores) == 2


def test_a_hash_that_is_not_the_rules_is_refused(record: GameRecord) -> None:
    forged = msgspec.structs.replace(record, rules_hash="0" * 16)
    with pytest.raises(RecordError) as refused:
        decode_record(encode_record(forged))
    assert refused.value.code is ErrorCode.OTHER_RULES


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b"\xff", b'{"rules_hash": 1}', b'{"rules_hash": "x", "format": 9}']
)
def test_rubbish_is_no_record(data: bytes) -> None:
    with pytest.raises(RecordError):
        decode_record(data)
