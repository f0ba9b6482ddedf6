"""What a seat was told about its last answers, so that a repeated one hears the same.

Arrays of numbers, since a server with a thousand tables has four thousand of these,
and nearly all verdicts say the same.
"""

from __future__ import annotations

from array import array

from hollywood.protocol.wire import messages as m

REMEMBERED = 64
"""Verdicts and closed decisions kept for each seat."""

_INT64 = "q"


class Verdicts:
    """The last verdicts of a seat, and its last closed decisions."""

    def __init__(self) -> None:
        # Rings: the one at `_judged % REMEMBERED` is the next to be written over.
        self._cids, self._dids = array(_INT64), array(_INT64)
        self._judged = 0
        self._refusals: dict[tuple[int, int], m.Verdict] = {}
        """Those that say more than that the answer was accepted, by command and decision."""
        self._highest = -1
        """Of the commands; whatever is above was not judged yet."""
        self._closed, self._answered = array(_INT64), bytearray()
        self._closings = 0

    def accept(self, cid: int, did: int) -> m.Verdict:
        """Remember that a command was accepted as answer; return the verdict."""
        self._keep(cid, did)
        return _accepted(cid, did)

    def remember(self, verdict: m.Verdict) -> None:
        """Remember what was said of an answer."""
        self._keep(verdict.cid, verdict.did)
        if verdict != _accepted(verdict.cid, verdict.did):
            self._refusals[verdict.cid, verdict.did] = verdict

    def on(self, cid: int, did: int) -> m.Verdict | None:
        """Return the verdict that a command has had as an answer to a decision."""
        if cid > self._highest:
            return None
        if (refusal := self._refusals.get((cid, did))) is not None:
            return refusal
        is_known = (cid, did) in zip(self._cids, self._dids, strict=True)
        return _accepted(cid, did) if is_known else None

    def _keep(self, cid: int, did: int) -> None:
        at = self._judged % REMEMBERED
        if self._judged < REMEMBERED:
            self._cids.append(cid)
            self._dids.append(did)
        else:
            self._refusals.pop((self._cids[at], self._dids[at]), None)
            self._cids[at], self._dids[at] = cid, did
        self._judged += 1
        self._highest = max(self._highest, cid)

    def close(self, did: int, *, answered: bool) -> None:
        """Remember that a decision is closed, and whether it was answered."""
        at = self._closings % REMEMBERED
        if self._closings < REMEMBERED:
            self._closed.append(did)
            self._answered.append(answered)
        else:
            self._closed[at], self._answered[at] = did, answered
        self._closings += 1

    def was_answered(self, did: int) -> bool | None:
        """Whether a closed decision was answered; None: not one of the last."""
        if did not in self._closed:
            return None
        return bool(self._answered[self._closed.index(did)])


def _accepted(cid: int, did: int) -> m.Verdict:
    return m.Verdict(cid=cid, did=did, status=m.VerdictStatus.ACCEPTED)
