"""Rows 0-36 to 0-40: which cards may be discarded, and what an empty hand means."""

from __future__ import annotations

import pytest

from builders import all_pass, asked, play, position, refusal, run, some
from hollywood.protocol.errors import ErrorCode
from hollywood.protocol.rules import (
    Card,
    Claim,
    GameState,
    Pass,
    Phase,
    Play,
    apply,
    explain,
    options,
    view,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.offers import PlayOptions

DIAMONDS = ((1, "5D: 5D 6D 7D 8D"), (1, "K: KS KH KD"))
FULL_OF_WILDS = ((1, "9: 9S 9H 2D JK"),)


def discards(state: GameState) -> set[str]:
    """The cards that the seat in turn is offered as a discard."""
    offered = options(view(state, state.turn))
    assert isinstance(offered, PlayOptions)
    return set(offered.discards)


@pytest.mark.row("0-36", "T16")
@pytest.mark.parametrize("card", ["9D", "4D", "KC", "JK", "2H"])
def test_a_card_that_plays_may_not_be_discarded(card: str) -> None:
    """0-36, T16: another's run 5-8 takes 9 and 4 of diamonds, and a wild."""
    hand = f"{card} 9H 3S"
    state = position(hand, "3C", table=DIAMONDS)
    assert refusal(state, 0, play(discard=card)) is ErrorCode.CARD_PLAYS
    assert refusal(state, 0, play(discard="9H")) is None
    assert discards(state) == {"9H", "3S"}
    flipped = position(hand, "3C", table=DIAMONDS, discard__playable="allow")
    assert refusal(flipped, 0, play(discard=card)) is None


@pytest.mark.row("0-36")
def test_the_refusal_names_the_meld() -> None:
    """0-36: the sentence says which meld takes the card."""
    state = position("9D 9H", "3C", table=DIAMONDS)
    violation = explain(view(state, 0), play(discard="9D"))
    assert violation is not None
    assert "meld 0" in violation.text


@pytest.mark.row("0-37")
def test_where_every_card_plays_any_may_be_discarded() -> None:
    """0-37: otherwise the turn could not end."""
    state = position("9D 4D KC JK", "3C", table=DIAMONDS)
    assert discards(state) == {"9D", "4D", "KC", "JK"}
    for card in ("9D", "4D", "KC", "JK"):
        assert refusal(state, 0, play(discard=card)) is None


@pytest.mark.row("0-37", "0-26")
def test_the_fallback_keeps_the_upcard_back() -> None:
    """0-37 with 0-26: any card but the upcard just taken."""
    state = position("9D 4D KC", "3C", table=DIAMONDS, took="KC")
    assert discards(state) == {"9D", "4D"}
    assert refusal(state, 0, play(discard="KC")) is not None


@pytest.mark.row("0-38", "T16")
def test_a_wild_plays_where_a_meld_can_take_it() -> None:
    """0-38, T16: not where the only meld is half wild already."""
    state = position("JK 5H", "3C", table=FULL_OF_WILDS)
    assert refusal(state, 0, play(discard="JK")) is None
    roomier = position("JK 5H", "3C", table=((1, "9: 9S 9H 9D 2D"),))
    assert refusal(roomier, 0, play(discard="JK")) is ErrorCode.CARD_PLAYS


@pytest.mark.row("0-38")
def test_a_wild_does_not_play_beyond_the_ranks() -> None:
    """0-38: the rank bounds count too."""
    whole = "3D: 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD"
    state = position("JK 5H", "3C", table=((1, whole),))
    assert refusal(state, 0, play(discard="JK")) is None


@pytest.mark.row("0-39")
def test_what_a_down_seat_discards_does_not_play() -> None:
    """0-39: it follows from the duty to lay off."""
    state = position("9D 9H 3S", "3C", table=DIAMONDS, down=[0])
    assert refusal(state, 0, play(discard="9D")) is ErrorCode.MUST_LAY_OFF
    assert refusal(state, 0, play(discard="9H")) is ErrorCode.MUST_LAY_OFF
    assert refusal(state, 0, play(off="9D>0@9", discard="9H")) is None


@pytest.mark.row("0-40")
def test_the_last_discard_ends_the_deal() -> None:
    """0-40: everything else was laid off, and the last card plays nowhere."""
    state = position("9D 3S", "4C 9C", table=DIAMONDS, down=[0])
    after, events = run(state, (0, play(off="9D>0@9", discard="3S")))
    assert [type(event) for event in events] == [
        ev.LaidOff,
        ev.Discarded,
        ev.WentOut,
        ev.DealEnded,
    ]
    assert after.phase is Phase.DEAL_OVER
    assert after.scores[-1] == (0, 10)


def floated(next_draw: str) -> GameState:
    """A seat that had to lay off both of its cards and will draw that card next."""
    state = position(
        "9D KC", "4C 9C 3H", "3S 4S", table=DIAMONDS, down=[0], stock=f"QD QC {next_draw}"
    )
    assert refusal(state, 0, play(off="9D>0@9", discard="KC")) is ErrorCode.MUST_LAY_OFF
    state, events = run(state, (0, play(off="9D>0@9 KC>1")))
    assert [type(event) for event in events] == [ev.LaidOff, ev.LaidOff, ev.Floated, ev.Drew]
    return state


def back_to_the_floater(state: GameState) -> GameState:
    """Play the two turns of the others."""
    state, _ = run(state, (1, play(discard="4C")))
    state, _ = all_pass(state)
    state, _ = run(state, (2, play(discard="3S")))
    assert 0 not in asked(state)
    state, _ = all_pass(state)
    return state


@pytest.mark.row("0-40", "T19")
def test_an_empty_hand_floats() -> None:
    """0-40, T19: the seat is down, holds nothing, and the next one goes on."""
    state = floated("KH")
    assert state.hands[0] == ()
    assert state.turn == 1
    assert view(state, 0).is_floating
    assert not view(state, 1).is_floating


@pytest.mark.row("0-40", "T19")
def test_a_floater_discards_what_does_not_play_and_is_out() -> None:
    """0-40, T19: the drawn card has no home, so the deal ends with 0 points."""
    state = back_to_the_floater(floated("QS"))
    assert (state.turn, state.phase, state.hands[0]) == (0, Phase.PLAY, ("QS",))
    after, events = run(state, (0, play(discard="QS")))
    assert some(events, ev.WentOut) == [ev.WentOut(0)]
    assert after.scores[-1] == (0, 20, 15)


@pytest.mark.row("0-40", "T19")
def test_a_floater_must_play_what_plays_and_floats_on() -> None:
    """0-40, T19: a king is drawn and there is a set of kings."""
    state = back_to_the_floater(floated("KH"))
    assert refusal(state, 0, play(discard="KH")) is ErrorCode.MUST_LAY_OFF
    after, events = run(state, (0, play(off="KH>1")))
    assert some(events, ev.Floated) == [ev.Floated(0)]
    assert after.phase is not Phase.DEAL_OVER
    assert after.hands[0] == ()


@pytest.mark.row("0-40")
def test_a_floater_neither_takes_nor_buys() -> None:
    """0-40: it draws from the stock only, in its own turn and out of it."""
    for turn in (0, 1):
        state = position(
            "", "4C", "3S", table=DIAMONDS, down=[0], turn=turn, upcard="QC", phase=Phase.WINDOW
        )
        assert 0 not in asked(state)
        assert refusal(state, 0, Claim()) is ErrorCode.NOT_ELIGIBLE
        assert refusal(state, 0, Pass()) is ErrorCode.NOT_ELIGIBLE


@pytest.mark.row("0-40")
def test_after_a_float_the_upcard_is_offered_again() -> None:
    """0-40: the next seat gets a window for the card that the floater left there."""
    state = position("9D", "4C 9C", "3S", table=DIAMONDS, down=[0], upcard="QC")
    after, events = run(state, (0, play(off="9D>0@9")))
    (opened,) = some(events, ev.WindowOpened)
    assert (opened.turn, opened.upcard, opened.order) == (1, "QC", (1,))
    after, events = run(after, (1, Claim()))
    assert some(events, ev.Took) == [ev.Took(1, opened.upcard)]
    assert after.discarder == 2


@pytest.mark.row("0-40", "0-25")
def test_after_a_float_with_the_upcard_the_card_below_is_dead() -> None:
    """0-40 and 0-25: no window opens, the next seat draws."""
    state = position("9D", "4C 9C", "3S", table=DIAMONDS, down=[0], discards="QC", took="9D")
    after, events = run(state, (0, play(off="9D>0@9")))
    assert [type(event) for event in events] == [ev.LaidOff, ev.Floated, ev.Drew]
    assert after.upcard is None


@pytest.mark.row("0-40", "T19")
def test_an_empty_hand_may_end_the_deal() -> None:
    """0-40, T19 flip: `out.empty_hand = out`."""
    out = {"out__empty_hand": "out", "out__discard": "optional"}
    state = position("9D KC", "4C 9C", table=DIAMONDS, down=[0], **out)  # type: ignore[arg-type]
    after, events = run(state, (0, play(off="9D>0@9 KC>1")))
    assert some(events, ev.WentOut) == [ev.WentOut(0)]
    assert not some(events, ev.Discarded)
    assert after.scores[-1] == (0, 10)


@pytest.mark.row("0-40", "T19")
def test_an_empty_hand_may_be_illegal() -> None:
    """0-40, T19 flip: one card is kept and discarded although it plays."""
    state = position("9D KC", "4C 9C", table=DIAMONDS, down=[0], out__empty_hand="illegal")
    assert refusal(state, 0, play(off="9D>0@9 KC>1")) is ErrorCode.MUST_DISCARD
    assert refusal(state, 0, play(discard="KC")) is ErrorCode.MUST_LAY_OFF
    after, events = run(state, (0, play(off="9D>0@9", discard="KC")))
    assert some(events, ev.WentOut) == [ev.WentOut(0)]
    assert after.phase is Phase.DEAL_OVER


@pytest.mark.row("0-40", "0-53", "T21")
def test_a_floater_scores_nothing_when_another_goes_out() -> None:
    """0-40, T21: an empty hand is worth 0; the other one went out."""
    state = position("3S", "", "9C KC", table=DIAMONDS, down=[0, 1])
    after, events = run(state, (0, play(discard="3S")))
    (ended,) = some(events, ev.DealEnded)
    assert ended.went_out == 0
    assert after.scores[-1] == (0, 0, 15)


@pytest.mark.row("0-40", "T22")
def test_going_down_with_all_twelve_cards_floats() -> None:
    """0-40, T22: three runs of four and nothing left to discard."""
    hand = "3S 4S 5S 6S 8S 9S TS JS 3H 4H 5H 6H"
    down = play("3S: 3S 4S 5S 6S | 8S: 8S 9S TS JS | 3H: 3H 4H 5H 6H")
    state = position(hand, "3C", deal=4)
    after, events = run(state, (0, down))
    assert some(events, ev.Floated) == [ev.Floated(0)]
    assert after.phase is Phase.PLAY
    flipped = position(hand, "3C", deal=4, out__empty_hand="illegal")
    assert refusal(flipped, 0, down) is ErrorCode.MUST_DISCARD


PERFECT = "3S 4S 5S 6S 7S 9S TS JS QS KS 3H 4H 5H 6H 7H"
PERFECT_DOWN = "3S: 3S 4S 5S 6S 7S | 9S: 9S TS JS QS KS | 3H: 3H 4H 5H 6H 7H"


@pytest.mark.row("0-7", "0-40", "T24")
def test_the_perfect_hand_goes_down_and_out() -> None:
    """0-7, T24: sixteen cards, fifteen on the table and a queen to discard."""
    state = position(f"{PERFECT} QH", "3C", deal=9, buys=(2, 0))
    after, events = run(state, (0, play(PERFECT_DOWN, discard="QH")))
    assert some(events, ev.WentOut) == [ev.WentOut(0)]
    assert after.phase is Phase.GAME_OVER
    assert after.scores[-1] == (0, 5)


@pytest.mark.row("0-40", "T24")
def test_a_sixteenth_card_that_plays_must_be_laid() -> None:
    """0-40, T24: the eight of spades goes on 3-7 of spades, so the seat floats."""
    state = position(f"{PERFECT} 8S", "3C", deal=9, buys=(2, 0))
    assert refusal(state, 0, play(PERFECT_DOWN, discard="8S")) is ErrorCode.MUST_LAY_OFF
    _, events = run(state, (0, play(PERFECT_DOWN, off="8S>0@8")))
    assert some(events, ev.Floated) == [ev.Floated(0)]


@pytest.mark.row("0-35", "0-40")
def test_an_empty_play_needs_an_empty_hand() -> None:
    """0-35: a floater that drew must do something with its card."""
    state = position("QS", "4C", table=DIAMONDS, down=[0])
    assert refusal(state, 0, Play()) is ErrorCode.MUST_DISCARD


def test_the_pile_holds_the_hands_own_card() -> None:
    """A card off the wire is another object, and a pile of those would take memory."""
    state = position("9H 3S", "3C", table=DIAMONDS, discard__playable="allow")
    own = next(card for card in state.hands[0] if card == "9H")
    other = Card("".join(("9", "H")))
    assert other is not own
    after, happened = apply(state, 0, Play(discard=other))
    assert after.discards[-1] is own
    assert [event.card for event in happened if isinstance(event, ev.Discarded)] == ["9H"]
