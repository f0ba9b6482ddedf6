"""What a seat is told does not depend on what it cannot see.

Two games that differ only in hidden cards, other hands and the stock, are played
with the same actions. As long as they are publicly the same, and the seat draws
the same cards, it must get identical bytes: events, view, options, refusals.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from builders import HOLLYWOOD, rules
from hollywood.protocol.errors import IllegalActionError
from hollywood.protocol.rules import (
    CARDS,
    Action,
    Card,
    Claim,
    Event,
    GameState,
    LayOff,
    Pass,
    Phase,
    Play,
    apply,
    explain,
    options,
    redact,
    seed_from_text,
    start,
    view,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.cards import sort_hand
from hollywood.protocol.rules.claims import open_seats
from strategies import random_play, random_step, rig

Step = tuple[int, Action]
Viewer = int | None

GAMES = range(12)
AHEAD = 60
"""How many actions are played from a position in both games."""


def positions(seats: int, number: int, rng: Random) -> Iterator[GameState]:
    """Some positions of one deal, early and late."""
    deal = number % 10
    own = rules(
        rounds=HOLLYWOOD.rounds[deal : deal + 1],
        buy__limit_round=3,
        deck__packs=(seats + 2) // 2,
        players__max=seats,
    )
    state, _ = start(own, seats, seed_from_text(f"secret/{seats}/{number}"))
    state = rig(state, rng)
    while state.phase in (Phase.WINDOW, Phase.PLAY):
        if rng.random() < 0.03:
            yield state
        state, _ = random_step(state, rng)


def bytes_for(viewer: Viewer, state: GameState, events: tuple[Event, ...]) -> bytes:
    """All that the viewer gets after a step: events, its view, its options."""
    told = [redact(event, viewer) for event in events]
    seen = view(state, viewer)
    offered = None if viewer is None else options(seen)
    return msgspec.msgpack.encode((told, seen, offered))


def refusals(viewer: int, state: GameState, rng: Random) -> list[str]:
    """What the viewer is told when it tries all sorts of things."""
    seen = view(state, viewer)
    tried: list[Action] = [Claim(), Pass(), Play()]
    tried += [Play(discard=card) for card in CARDS]
    tried += [
        Play(lay_offs=(LayOff(rng.randrange(8), rng.choice(CARDS), rng.randrange(16)),))
        for _ in range(40)
    ]
    return [str(explain(seen, action)) for action in tried]


def hidden(state: GameState, viewer: Viewer) -> list[Card]:
    """Cards that the viewer does not see, hand by hand, then the stock."""
    others = [hand for seat, hand in enumerate(state.hands) if seat != viewer]
    return [card for hand in (*others, state.stock) for card in hand]


def with_hidden(state: GameState, viewer: Viewer, cards: list[Card]) -> GameState:
    """Put other cards where the viewer cannot see, as many in each place."""
    left, hands = list(cards), list(state.hands)
    for seat, hand in enumerate(hands):
        if seat != viewer:
            hands[seat] = sort_hand(left[: len(hand)])
            del left[: len(hand)]
    return replace(state, hands=tuple(hands), order=(*state.order[: state.drawn], *left))


def with_drew(state: GameState, viewer: Viewer) -> GameState:
    """Another seat in turn has drawn one of the cards it holds now."""
    if state.phase is Phase.PLAY and state.turn != viewer and not state.took_upcard:
        return replace(state, drew=state.hands[state.turn][0])
    return state


def is_consistent(state: GameState) -> bool:
    """An upcard that was taken in public is still in the hand that took it."""
    return not state.took_upcard or state.drew in state.hands[state.turn]


@pytest.mark.parametrize("seats", [2, 3, 5, 8])
def test_any_exchange_of_hidden_cards_is_invisible(seats: int) -> None:
    """A position looks the same whatever the others hold, to each seat and a spectator."""
    compared = 0
    for number in GAMES:
        rng = Random(f"{seats}/{number}")
        for state in positions(seats, number, rng):
            for viewer in (*range(seats), None):
                cards = hidden(state, viewer)
                rng.shuffle(cards)
                twin = with_drew(with_hidden(state, viewer, cards), viewer)
                if not is_consistent(twin):
                    continue
                compared += twin != state
                assert bytes_for(viewer, state, ()) == bytes_for(viewer, twin, ())
                if viewer is not None:
                    tries = rng.random()
                    ours, theirs = Random(tries), Random(tries)
                    assert refusals(viewer, state, ours) == refusals(viewer, twin, theirs)
    assert compared > 100


def plan(state: GameState, rng: Random) -> tuple[list[Step], GameState]:
    """Play on for a while; return what everyone said, and the last position."""
    steps: list[Step] = []
    while state.phase in (Phase.WINDOW, Phase.PLAY) and len(steps) < AHEAD:
        if state.window is not None:
            seat = rng.choice(open_seats(state.window))
            action: Action = Claim() if rng.random() < 0.25 else Pass()
        else:
            seat = state.turn
            action = random_play(view(state, seat), rng)
        steps.append((seat, action))
        state, _ = apply(state, seat, action)
    return steps, state


def twin_of(state: GameState, viewer: Viewer, last: GameState, rng: Random) -> GameState:
    """Exchange hidden cards that do not come to light before the last position.

    A card that another seat holds all the time changes places with one that
    lies in the stock all the time, so the same public game can be played.
    """
    if last.reshuffles != state.reshuffles or last.deal != state.deal:
        return state
    order, hands = list(state.order), [list(hand) for hand in state.hands]
    deep = list(range(last.drawn, len(order)))
    for seat, hand in enumerate(state.hands):
        kept = [card for card in set(hand) if seat != viewer and card in last.hands[seat]]
        for card in sorted(kept, key=lambda c: (rng.random(), c))[:3]:
            if deep and not (state.took_upcard and card == state.drew):
                at = deep.pop(rng.randrange(len(deep)))
                hands[seat].remove(card)
                hands[seat].append(order[at])
                order[at] = card
    new_hands = tuple(sort_hand(hand) for hand in hands)
    return with_drew(replace(state, hands=new_hands, order=tuple(order)), viewer)


def follow(
    state: GameState, twin: GameState, viewer: Viewer, steps: list[Step]
) -> tuple[int, bool]:
    """Play both games; return how many steps were the same, and whether hands differed."""
    differed = twin != state
    for done, (seat, action) in enumerate(steps):
        state, happened = apply(state, seat, action)
        try:
            twin, happened_too = apply(twin, seat, action)
        except IllegalActionError:
            return done, differed  # what the seat holds now forbids it: publicly another game
        if not is_same_game(happened, happened_too, viewer):
            return done, differed
        ours, theirs = bytes_for(viewer, state, happened), bytes_for(viewer, twin, happened_too)
        assert ours == theirs, f"seat {viewer} learns something from {action}"
    return len(steps), differed


def is_same_game(one: tuple[Event, ...], other: tuple[Event, ...], viewer: Viewer) -> bool:
    """Whether the same happened in public and to the viewer: no hands shown, no other draw.

    Only fields that the viewer may see are compared, and they by name: this must
    not lean on `redact`, which is on trial.
    """
    return all(
        not isinstance(a, ev.DealEnded)
        and type(a) is type(b)
        and not (isinstance(a, ev.Drew) and a.seat == viewer and a != b)
        and not (isinstance(a, ev.Bought) and a.seat == viewer and a != b)
        for a, b in zip(one, other, strict=False)
    )


@pytest.mark.parametrize("seats", [2, 3, 5, 8])
def test_a_game_goes_on_the_same_for_those_who_cannot_see(seats: int) -> None:
    """The same actions on other hidden cards give a seat and a spectator the same bytes."""
    followed = 0
    for number in GAMES:
        rng = Random(f"on/{seats}/{number}")
        for state in positions(seats, number, rng):
            steps, last = plan(state, rng)
            for viewer in (*range(seats), None):
                twin = twin_of(state, viewer, last, rng)
                done, differed = follow(state, twin, viewer, steps)
                followed += done * differed
    assert followed > 2000


def test_a_claim_that_lost_stays_private() -> None:
    """Two windows that differ in answers that did not matter look the same to all."""
    state, _ = start(HOLLYWOOD, 4, bytes(32))
    assert state.window is not None
    first, second, third, fourth = state.window.order
    seen: set[bytes] = set()
    for later in (Claim(), Pass()):
        for last in (Claim(), Pass()):
            after = state
            for seat, action in ((fourth, last), (third, later), (first, Pass())):
                after, events = apply(after, seat, action)
                assert events == ()
            after, events = apply(after, second, Claim())
            seen.add(b"".join(bytes_for(viewer, after, events) for viewer in (0, 1, 2, 3, None)))
    assert len(seen) == 1


def test_an_answer_is_seen_by_nobody_before_the_window_closes() -> None:
    """Views of an open window do not change with the answers."""
    state, _ = start(HOLLYWOOD, 4, bytes(32))
    assert state.window is not None
    for seat in state.window.order[1:]:
        for action in (Claim(), Pass()):
            after, events = apply(state, seat, action)
            for viewer in (0, 1, 2, 3, None):
                assert bytes_for(viewer, after, events) == bytes_for(viewer, state, ())


def test_hands_are_hidden_from_the_first_event_on() -> None:
    """A seat sees its own hand in `Dealt`, a spectator none."""
    _, events = start(HOLLYWOOD, 3, bytes(32))
    (dealt,) = [event for event in events if isinstance(event, ev.Dealt)]
    for viewer in (0, 1, 2, None):
        told = redact(dealt, viewer)
        assert isinstance(told, ev.Dealt)
        assert [hand is not None for hand in told.hands] == [viewer == seat for seat in range(3)]


def test_a_penalty_and_a_draw_are_hidden_from_others() -> None:
    """The two other places where a card is blanked."""
    drew = ev.Drew(1, Card("9D"))
    bought = ev.Bought(1, Card("KS"), (Card("9D"),), 1)
    assert redact(drew, 1) == drew
    assert redact(bought, 1) == bought
    for viewer in (0, 2, None):
        assert redact(drew, viewer) == ev.Drew(1, None)
        assert redact(bought, viewer) == ev.Bought(1, Card("KS"), None, 1)
        assert b"9D" not in msgspec.msgpack.encode([redact(drew, viewer), redact(bought, viewer)])
