"""What is played for a seat whose time ran out."""

from __future__ import annotations

from builders import all_pass, play, position, run, some
from hollywood.protocol.rules import Card, Phase, Play, options, time_out, view
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.offers import PlayOptions, default_play

TABLE = ((1, "K: KS KH KD"), (1, "9: 9S 9H 9D"), (1, "TS: TS JS QS KS"))


def test_the_dearest_card_goes() -> None:
    """Ties by code; what may not be discarded stays."""
    state = position("AD AC 5H KD", "3C")
    assert default_play(view(state, 0)) == play(discard="AC")
    plays = position("AD AC 5H KD", "3C", table=((1, "A: AS AH AS"), (1, "3: 3S 3H 3D")))
    assert default_play(view(plays, 0)) == play(discard="KD")
    taken = position("AC KD 5H", "3C", took="AC")
    assert default_play(view(taken, 0)) == play(discard="KD")


def test_no_meld_is_laid() -> None:
    """Even where the hand has the contract."""
    state = position("9S 9H 9D KS KH KD 4C", "3C")
    assert default_play(view(state, 0)) == play(discard="KD")


def test_lay_offs_go_to_the_lowest_meld_and_place() -> None:
    """Only what must be laid off is, in the order of the table."""
    state = position("2C 9C 5H 6D", "3C", table=TABLE, down=[0])
    expected = play(off="2C>0 9C>1", discard="5H")
    assert default_play(view(state, 0)) == expected
    ends = position("2C 5H", "3C", table=TABLE[2:], down=[0])
    assert default_play(view(ends, 0)) == play(off="2C>0@9", discard="5H")
    choice = position("2C 9C 5H", "3C", table=TABLE, down=[0], layoff__mandatory=False)
    assert default_play(view(choice, 0)) == play(discard="2C")


def test_a_default_may_float() -> None:
    """Where every card plays; where a card must be kept, it is discarded."""
    state = position("9C", "3C", table=TABLE, down=[0])
    assert default_play(view(state, 0)) == play(off="9C>1")
    kept = position("9C", "3C", table=TABLE, down=[0], out__empty_hand="illegal")
    assert default_play(view(kept, 0)) == play(discard="9C")


def test_the_event_says_that_the_time_ran_out() -> None:
    """Of a discard and of a float; never of a Play that was sent."""
    state = position("AD 5H", "3C")
    after, events = time_out(state, 0)
    assert some(events, ev.Discarded) == [ev.Discarded(0, Card("AD"), timed_out=True)]
    assert after == run(state, (0, play(discard="AD")))[0]
    _, events = time_out(position("9C", "3C 4C", table=TABLE, down=[0]), 0)
    assert some(events, ev.Floated) == [ev.Floated(0, timed_out=True)]
    _, events = run(state, (0, play(discard="AD")))
    assert not some(events, ev.Discarded)[0].timed_out


def test_the_default_is_offered_with_the_decision() -> None:
    """So that a seat knows what its silence means."""
    state, _ = all_pass(position("AD", "3C", upcard="9D", phase=Phase.WINDOW))
    offered = options(view(state, 0))
    assert isinstance(offered, PlayOptions)
    assert offered.default == Play(discard=Card("AD"))
