"""What a seat was told is remembered as a plain list of its last verdicts would be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hollywood.protocol.wire import messages as m
from hollywood.server.verdicts import REMEMBERED, Verdicts

COMMANDS = st.tuples(st.integers(0, 90), st.integers(0, 3))
STATUSES = st.sampled_from([m.VerdictStatus.ACCEPTED, *list(m.VerdictStatus)])


@given(st.lists(st.tuples(COMMANDS, STATUSES), max_size=200, unique_by=lambda said: said[0]))
def test_the_last_verdicts_are_known_and_no_others(
    said: list[tuple[tuple[int, int], m.VerdictStatus]],
) -> None:
    kept = Verdicts()
    plain: list[m.Verdict] = []
    for (cid, did), status in said:
        if status is m.VerdictStatus.ACCEPTED:
            plain.append(kept.accept(cid, did))
        else:
            text = f"why {len(plain)}"
            plain.append(m.Verdict(cid=cid, did=did, status=status, text=text))
            kept.remember(plain[-1])
    last = {(verdict.cid, verdict.did): verdict for verdict in plain[-REMEMBERED:]}
    for cid in range(-1, 92):
        for did in range(5):
            assert kept.on(cid, did) == last.get((cid, did))


def test_a_restored_seat_may_be_given_a_verdict_that_says_no_more_than_accepted() -> None:
    kept = Verdicts()
    kept.remember(m.Verdict(cid=1, did=2, status=m.VerdictStatus.ACCEPTED))
    assert kept.on(1, 2) == Verdicts().accept(1, 2)


@given(st.lists(st.booleans(), max_size=200))
def test_the_last_closed_decisions_are_known_and_no_others(answered: list[bool]) -> None:
    kept = Verdicts()
    for did, was_answered in enumerate(answered):
        kept.close(did, answered=was_answered)
    oldest = max(0, len(answered) - REMEMBERED)
    for did in range(len(answered) + 2):
        is_known = oldest <= did < len(answered)
        assert kept.was_answered(did) == (answered[did] if is_known else None)
