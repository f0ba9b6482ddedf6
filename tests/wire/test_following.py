"""A server that tells of what cannot be is a typed error, never a crash."""

from __future__ import annotations

import pytest

from hollywood.protocol.errors import RemoteProtocolError
from hollywood.protocol.rules import Card, fold, load_rules, new_view, seed_from_text, start
from hollywood.protocol.rules import events as ev
from hollywood.protocol.wire import follow
from hollywood.protocol.wire.messages import Unknown


@pytest.mark.parametrize(
    "event",
    [
        ev.LaidOff(0, 7, Card("3C")),
        ev.Discarded(0, Card("ZZ")),
        ev.Discarded(9, Card("3C")),
        ev.Swapped(0, 3, Card("3C"), 4, Card("JK")),
        ev.Bought(12, Card("3C"), None, 1),
    ],
)
def test_what_cannot_be_is_refused(event: ev.Event) -> None:
    rules = load_rules("hollywood")
    view = new_view(rules, 3, 0)
    for begun in start(rules, 3, seed_from_text("1"))[1]:
        view = fold(view, begun)
    with pytest.raises(RemoteProtocolError, match="cannot be"):
        follow(view, event)
    assert follow(view, Unknown()) is view
