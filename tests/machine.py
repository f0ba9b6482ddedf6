"""A game of random players that is watched after every step: the invariants of the engine.

A game follows from its rule set, number of seats and name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

import msgspec

import oracle
from hollywood.protocol.errors import ErrorCode, IllegalActionError
from hollywood.protocol.rules import (
    CARDS,
    Action,
    Claim,
    Event,
    GameState,
    LayOff,
    Pass,
    Phase,
    Play,
    PlayerView,
    RuleSet,
    Swap,
    apply,
    fold,
    new_view,
    next_deal,
    options,
    redact,
    seed_from_text,
    start,
    view,
)
from hollywood.protocol.rules.claims import Answer
from hollywood.protocol.rules.offers import PlayOptions, WindowOptions
from strategies import complete, random_step, rig, rigged, search

MOST_TURNS = 5000
"""A deal of more turns will never end."""

LAY_OFF_CODES = {
    ErrorCode.NOT_IN_HAND,
    ErrorCode.NOT_DOWN,
    ErrorCode.TOO_SOON,
    ErrorCode.NO_SUCH_MELD,
    ErrorCode.DOES_NOT_FIT,
}
"""Refusals of a lay-off itself; others are about how the turn goes on."""


class Watched:
    """A game with every view that is folded from what its seat saw."""

    def __init__(
        self,
        rules: RuleSet,
        seats: int,
        name: str,
        *,
        look: float = 0.03,
        is_plain: bool = False,
    ) -> None:
        """Deal the first hands.

        Args:
            rules: The rule set.
            seats: How many play.
            name: What the game follows from.
            look: The part of decisions at which everything that could be said is tried.
            is_plain: Whether what `oracle` says of lay-offs and discards holds.
        """
        self.rng = Random(name)
        self.look = look
        self.deck = Counter(rules.deck_for(seats))
        self.is_plain = is_plain
        self.counted: Counter[str] = Counter()
        self.viewers: list[int | None] = [*range(seats), None]
        self.views = {seat: new_view(rules, seats, seat) for seat in self.viewers}
        state, events = start(rules, seats, seed_from_text(name))
        self.state = self.dealt(state, events)

    def dealt(self, state: GameState, events: tuple[Event, ...]) -> GameState:
        """Rig the hands of a new deal where nobody has drawn yet."""
        if state.phase is Phase.WINDOW:
            state = rig(state, self.rng)
            events = rigged(events, state)
        self.check(state, events)
        return state

    def play(self) -> None:
        """Play to the end of the game."""
        while self.state.phase is not Phase.GAME_OVER:
            if self.state.phase is Phase.DEAL_OVER:
                check_nothing_to_say(self.state)
                self.state = self.dealt(*next_deal(self.state))
                continue
            if self.rng.random() < self.look:
                self.look_closely()
            assert self.state.turns <= MOST_TURNS, "this deal does not end"
            state, events = random_step(self.state, self.rng)
            self.check(state, events)
            self.state = state
        check_nothing_to_say(self.state)

    def check(self, state: GameState, events: tuple[Event, ...]) -> None:
        """Cards are conserved, and every fold is the view."""
        held = [card for hand in state.hands for card in hand]
        laid = [card for target in state.table for card in target.meld.cards]
        assert Counter([*held, *laid, *state.stock, *state.discards]) == self.deck
        for seat in self.viewers:
            seen = self.views[seat]
            for event in events:
                seen = fold(seen, redact(event, seat))
            assert seen == view(state, seat), f"fold and view of seat {seat} differ"
            self.views[seat] = seen
        self.counted.update(type(event).__name__ for event in events)

    def look_closely(self) -> None:
        """Try all that could be said; the state must not change by it."""
        before = msgspec.msgpack.encode(self.state)
        if self.state.phase is Phase.WINDOW:
            check_window(self.state)
        else:
            check_play(self.state, self.is_plain, self.rng)
        assert msgspec.msgpack.encode(self.state) == before
        self.counted[f"looked at {self.state.phase}"] += 1


def code_of(state: GameState, seat: int, action: Action) -> ErrorCode | None:
    """Why the action is refused; None if it applies and something changes."""
    try:
        after, _ = apply(state, seat, action)
    except IllegalActionError as error:
        return error.code
    assert after != state
    return None


def check_nothing_to_say(state: GameState) -> None:
    """Between deals and after the game nothing is asked and nothing is allowed."""
    for seat in range(state.seats):
        assert options(view(state, seat)) is None
        tried: list[Action] = [Claim(), Pass(), Play()]
        tried += [Play(discard=card) for card in state.hands[seat]]
        for action in tried:
            assert code_of(state, seat, action) is not None


def check_window(state: GameState) -> None:
    """Those who are asked and have not answered may claim or pass, nobody else."""
    assert state.window is not None
    answers = dict(zip(state.window.order, state.window.answers, strict=True))
    for seat in range(state.seats):
        offered = options(view(state, seat))
        assert isinstance(offered, WindowOptions) == (seat in answers)
        if isinstance(offered, WindowOptions):
            assert offered.is_free == (seat == state.turn)
        expected = {
            None: ErrorCode.NOT_ELIGIBLE,
            Answer.OPEN: None,
        }.get(answers.get(seat), ErrorCode.ALREADY_ANSWERED)
        assert code_of(state, seat, Claim()) is expected
        assert code_of(state, seat, Pass()) is expected
        when = ErrorCode.WRONG_PHASE if seat == state.turn else ErrorCode.NOT_YOUR_TURN
        for play in (Play(), *(Play(discard=card) for card in state.hands[seat])):
            assert code_of(state, seat, play) is when


def check_play(state: GameState, is_plain: bool, rng: Random) -> None:
    """Every discard and every lay-off that is offered applies, no other one does."""
    for seat in range(state.seats):
        assert code_of(state, seat, Claim()) is ErrorCode.WRONG_PHASE
        assert code_of(state, seat, Pass()) is ErrorCode.WRONG_PHASE
        if seat != state.turn:
            assert options(view(state, seat)) is None
            for play in (Play(), *(Play(discard=card) for card in state.hands[seat])):
                assert code_of(state, seat, play) is ErrorCode.NOT_YOUR_TURN
    seen = view(state, state.turn)
    offered = options(seen)
    assert isinstance(offered, PlayOptions)
    assert code_of(state, state.turn, offered.default) is None
    assert code_of(state, state.turn, Play()) is not None
    if is_plain:
        assert set(offered.discards) == oracle.discards(state)
        if seen.is_down:
            assert oracle.as_triples(offered.lay_offs) == oracle.lay_offs(state, seen.hand)
    check_discards(state, offered)
    check_lay_offs(state, seen, offered, rng)
    check_swaps(state, seen, offered)
    if not seen.is_down:
        check_going_down(state, seen, offered, rng)


def check_discards(state: GameState, offered: PlayOptions) -> None:
    """Each card there is, as a discard and nothing else."""
    for card in CARDS:
        code = code_of(state, state.turn, Play(discard=card))
        assert (code is None) == (card in offered.discards), card
        assert (code is ErrorCode.NOT_IN_HAND) == (card not in state.hands[state.turn])


def check_lay_offs(state: GameState, seen: PlayerView, offered: PlayOptions, rng: Random) -> None:
    """Each offered lay-off can begin a turn; no other meld, card and place can."""
    for lay_off in offered.lay_offs:
        play = complete(seen, Play(lay_offs=(lay_off,)), rng)
        assert code_of(state, state.turn, play) is None, lay_off
    if seen.rules.out.discard == "forbidden" and len(seen.hand) == 2:
        return  # of two cards one is not laid off alone, though it fits
    for lay_off in every_lay_off(state, rng):
        code = code_of(state, state.turn, Play(lay_offs=(lay_off,)))
        assert (code in LAY_OFF_CODES) == (lay_off not in offered.lay_offs), lay_off


def every_lay_off(state: GameState, rng: Random) -> Iterable[LayOff]:
    """All melds and one more, all places and two more, with the hand and some other cards."""
    others = CARDS if rng.random() < 0.1 else rng.sample(CARDS, 3)
    for card in dict.fromkeys((*state.hands[state.turn], *others)):
        for number in range(len(state.table) + 1):
            for place in range(state.rules.high_place + 2):
                yield LayOff(number, card, place)


def check_swaps(state: GameState, seen: PlayerView, offered: PlayOptions) -> None:
    """Each offered swap can begin a turn; no other card in hand has a wild to take."""
    for number in range(len(state.table)):
        for card in dict.fromkeys(state.hands[state.turn]):
            for place in range(state.rules.high_place + 2):
                swap = Swap(number, card, place)
                code = code_of(state, state.turn, Play(swaps=(swap,)))
                assert (code is ErrorCode.DOES_NOT_FIT) == (swap not in offered.swaps), swap


def check_going_down(state: GameState, seen: PlayerView, offered: PlayOptions, rng: Random) -> None:
    """A contract in hand may be laid if that is offered, else it is too soon."""
    melds = search(seen, rng)
    if melds is None:
        return
    if not offered.may_go_down:
        assert code_of(state, state.turn, Play(melds)) is ErrorCode.TOO_SOON
    elif seen.rules.out.discard != "forbidden":
        assert code_of(state, state.turn, complete(seen, Play(melds), rng)) is None
