"""What is kept with melds, tables and views says the same as what it is kept from."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import msgspec
import pytest

from builders import HOLLYWOOD, rules
from hollywood.protocol.rules import (
    CARDS,
    Card,
    Event,
    GameState,
    Meld,
    MeldKind,
    Pass,
    Phase,
    Play,
    RuleSet,
    TableMeld,
    apply,
    digest,
    explain,
    fold,
    load_rules,
    new_view,
    next_deal,
    next_discards,
    options,
    redact,
    redactions,
    rule_set_names,
    start,
    view,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.cards import PLACE_RANKS, RANKS, SUITS
from hollywood.protocol.rules.claims import open_seats
from hollywood.protocol.rules.fitting import fits, places_on, playing_cards
from hollywood.protocol.rules.melds import check_meld, places_for, run_of, set_of
from hollywood.protocol.rules.turns import discardable
from strategies import random_step

SHIPPED = {name: load_rules(name) for name in rule_set_names()}

FLIPPED = {
    "natural twos": rules(wild__natural_twos="in_place"),
    "no wilds beside each other": rules(wild__adjacent="forbid"),
    "wilds move": rules(wild__relocate="to_end"),
    "each suit once": rules(set__distinct_suits=True),
    "limit at creation": rules(wild__limit_scope="creation"),
    "round the ace": rules(run__wrap=True, run__ace="both", run__low_rank="A"),
    "runs of any suit": rules(run__suit="any", run__same_suit="any"),
    "any wilds": rules(wild__limit="none"),
}


def some_melds(ruleset: RuleSet, rng: Random) -> Iterator[Meld]:
    """Sets and runs of all ranks and places, with wilds here and there."""
    wilds = sorted(ruleset.wilds) or [Card("JK")]
    for rank in RANKS:
        for size in (3, 5):
            cards = [Card(rank + rng.choice(SUITS)) for _ in range(size)]
            yield set_of(rank, [rng.choice((card, card, rng.choice(wilds))) for card in cards])
    for low in range(ruleset.low_place, ruleset.high_place):
        for size in (3, 4, 7):
            suit = rng.choice(SUITS)
            cards = [Card(rank + suit) for rank in PLACE_RANKS[low : low + size]]
            shown = suit if ruleset.run.suit == "same" else ""
            yield run_of(
                shown, low, [rng.choice((card, card, rng.choice(wilds))) for card in cards]
            )


@pytest.mark.parametrize("name", [*SHIPPED, *FLIPPED])
def test_every_card_that_fits_is_found(name: str) -> None:
    """`fits` has each card that `places_for` has a place for, and no other."""
    ruleset = (SHIPPED | FLIPPED)[name]
    rng = Random(name)
    seen = dict.fromkeys(MeldKind, 0)
    for meld in some_melds(ruleset, rng):
        if check_meld(meld, ruleset) is not None:
            continue
        seen[meld.kind] += 1
        asked = {card: places_for(meld, card, ruleset) for card in CARDS}
        assert fits(meld, ruleset) == {card: places for card, places in asked.items() if places}
        for card in rng.sample(CARDS, 3):
            assert places_on(meld, card, ruleset) == asked[card]
    assert min(seen.values()) >= 4, f"too few melds are legal here: {seen}"


def test_a_meld_that_is_only_tried_out_fits_nothing_and_breaks_nothing() -> None:
    """A client may ask what goes on a meld which is none."""
    for meld in (run_of("D", -3, ()), run_of("", 40, CARDS[:3]), set_of("", ()), set_of("JK", ())):
        asked = {card: places_for(meld, card, HOLLYWOOD) for card in CARDS}
        assert fits(meld, HOLLYWOOD) == {card: places for card, places in asked.items() if places}


def test_what_is_kept_with_a_meld_belongs_to_one_rule_set() -> None:
    """The same meld under two rule sets, asked in turn."""
    run = run_of("D", 5, [Card(code) for code in ("5D", "6D", "JK", "JK")])
    loose = rules(wild__limit="none")
    for _ in range(2):
        assert Card("JK") not in fits(run, HOLLYWOOD)
        assert fits(run, loose)[Card("JK")] == (4, 9)


def test_cards_that_play_on_a_table() -> None:
    """The union over its melds, for many more tables than are kept."""
    rng = Random(1)
    melds = [meld for meld in some_melds(HOLLYWOOD, rng) if check_meld(meld, HOLLYWOOD) is None]
    tables = [
        tuple(TableMeld(i, 0, meld) for i, meld in enumerate(rng.sample(melds, 4)))
        for _ in range(300)
    ]
    for table in (*tables, *tables[:20], ()):
        playing = {card for card in CARDS for laid in table if card in fits(laid.meld, HOLLYWOOD)}
        assert playing_cards(table, HOLLYWOOD) == playing


def steps(seats: int, number: int) -> Iterator[tuple[GameState, tuple[Event, ...]]]:
    """A random game of two deals, state by state."""
    ruleset = rules(rounds=HOLLYWOOD.rounds[number : number + 2], buy__limit_round=3)
    rng = Random(f"{seats}/{number}")
    state, events = start(ruleset, seats, bytes([number] * 32))
    yield state, events
    while state.phase is not Phase.GAME_OVER:
        is_over = state.phase is Phase.DEAL_OVER
        state, events = next_deal(state) if is_over else random_step(state, rng)
        yield state, events


@pytest.mark.parametrize("seats", [2, 4])
def test_views_that_are_kept_are_those_of_their_state(seats: int) -> None:
    """After every step each view, and what is kept with it, is as if nothing were kept."""
    for state, _ in steps(seats, 3):
        anew = msgspec.structs.replace(state)
        for viewer in (None, *range(seats)):
            assert view(state, viewer) is view(state, viewer)
            assert view(state, viewer) == view(anew, viewer)
        for seat in range(seats):
            seen, again = view(state, seat), view(anew, seat)
            assert options(seen) == options(seen) == options(again)
            assert digest(seen) == digest(again)
            if seen.phase is Phase.PLAY and seen.is_my_turn:
                allowed = discardable(seen, seen.table, seen.hand, seen.is_down)
                assert next_discards(seen, Play()) == allowed == next_discards(again, Play())


def test_an_answer_in_a_window_keeps_the_views() -> None:
    """Nobody sees it, so nothing has to be worked out again."""
    state, _ = start(HOLLYWOOD, 4, bytes(32))
    assert state.window is not None
    before = [view(state, seat) for seat in range(4)]
    after, events = apply(state, state.window.order[-1], Pass())
    assert events == ()
    assert all(view(after, seat) is before[seat] for seat in range(4))
    assert after.window != state.window


def test_a_play_that_was_allowed_is_no_pass_for_another() -> None:
    """The verdict that is kept is for that Play in that view."""
    state, _ = start(HOLLYWOOD, 3, bytes(32))
    while state.window is not None:
        state, _ = apply(state, open_seats(state.window)[0], Pass())
    seen = view(state, state.turn)
    good, bad = Play(discard=seen.hand[0]), Play(discard=seen.hand[0], melds=(set_of("K", ()),))
    for _ in range(2):
        assert explain(seen, good) is None
        assert explain(seen, bad) is not None
        assert explain(seen, Play(discard=seen.hand[0])) is None
    after, _ = apply(state, state.turn, good)
    assert explain(view(after, state.turn), good) is not None


def test_redactions_have_a_form_for_everybody() -> None:
    """Who sees more than all others sees what `redact` leaves; nobody else is listed."""
    hidden = {ev.Dealt, ev.Drew, ev.Bought}
    met: set[type] = set()
    for _, events in steps(4, 5):
        for event in events:
            public, own = redactions(event)
            met.add(type(event))
            assert bool(own) == (type(event) in hidden)
            assert redact(event, None) == public
            for seat in range(4):
                assert redact(event, seat) == own.get(seat, public)
                assert (seat in own) == (redact(event, seat) != public)
    assert hidden <= met


def test_unknown_events_change_no_view() -> None:
    """An event of a later version is passed over."""
    seen = new_view(HOLLYWOOD, 2, 0)
    assert fold(seen, {"t": "of_a_later_version"}) is seen
    assert fold(seen, ev.WentOut(1)) is seen
