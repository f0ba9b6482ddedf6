"""Whole random games, watched after every step: the invariants of the engine.

Deterministic: a game follows from its number. A failure names the game, and
`play_deals(seats, [number])` plays it again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

import msgspec
import pytest

import oracle
from builders import HOLLYWOOD, rules
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
from strategies import complete, random_step, rig, rigged

GAMES = 75
"""Games of two deals for each number of seats."""

LOOK_CLOSELY = 0.03
"""The part of decisions at which everything that could be said is tried."""

FLIPS: tuple[dict[str, object], ...] = (
    {"upcard__initial": False},
    {"upcard__buyable": False},
    {"buy__discarder": True},
    {"buy__down_players": False},
    {"buy__penalty": 2},
    {"buy__penalty": 0},
    {"draw__down_may_take_discard": False},
    {"discard__playable": "allow"},
    {"discard__return_upcard": "allow"},
    {"layoff__mandatory": False},
    {"layoff__first": "next_turn"},
    {"layoff__targets": "own", "layoff__mandatory": False},
    {"layoff__targets": "others", "layoff__mandatory": False},
    {"out__empty_hand": "out", "out__discard": "optional"},
    {"out__empty_hand": "illegal"},
    {"wild__limit_scope": "creation"},
    {"wild__limit": "none"},
    {"set__same_rank": "allow"},
    {"run__same_suit": "any"},
    {"stock__empty": "end"},
    {"stock__max_reshuffles": 3},
    {"score__down_is_zero": True},
)

EVENTS = {kind.__name__ for kind in Event.__args__} - {"Swapped", "Stalled"}

LAY_OFF_CODES = {
    ErrorCode.NOT_IN_HAND,
    ErrorCode.NOT_DOWN,
    ErrorCode.TOO_SOON,
    ErrorCode.NO_SUCH_MELD,
    ErrorCode.DOES_NOT_FIT,
}
"""Refusals of a lay-off itself; others are about how the turn goes on."""


def rules_of_game(seats: int, number: int) -> RuleSet:
    """Two deals of text 000: every third game with one flip, most with fewer packs."""
    first = number % 9
    flip = FLIPS[number // 3 % len(FLIPS)] if number % 3 == 2 else {}
    packs = 4 if number % 5 == 4 else (seats + 1) // 2
    return rules(
        rounds=HOLLYWOOD.rounds[first : first + 2],
        buy__limit_round=3,
        players__max=seats,
        deck__packs=packs,
        **flip,
    )


class Watched:
    """A game with every view that is folded from what its seat saw."""

    def __init__(self, seats: int, number: int) -> None:
        self.rng = Random(f"{seats}/{number}")
        self.rules = rules_of_game(seats, number)
        self.deck = Counter(self.rules.deck_cards)
        self.is_plain = number % 3 != 2
        self.counted: Counter[str] = Counter()
        self.viewers: list[int | None] = [*range(seats), None]
        self.views = {seat: new_view(self.rules, seats, seat) for seat in self.viewers}
        state, events = start(self.rules, seats, seed_from_text(f"{seats}/{number}"))
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
            if self.rng.random() < LOOK_CLOSELY:
                self.look_closely()
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
        assert code_of(state, state.turn, play) is None
    for lay_off in every_lay_off(state, rng):
        code = code_of(state, state.turn, Play(lay_offs=(lay_off,)))
        assert (code in LAY_OFF_CODES) == (lay_off not in offered.lay_offs), lay_off


def every_lay_off(state: GameState, rng: Random) -> Iterable[LayOff]:
    """All melds and one more, all places and two more, with the hand and some other cards."""
    others = CARDS if rng.random() < 0.1 else rng.sample(CARDS, 3)
    for card in dict.fromkeys((*state.hands[state.turn], *others)):
        for number in range(len(state.table) + 1):
            for place in range(16):
                yield LayOff(number, card, place)


def play_deals(seats: int, numbers: Iterable[int]) -> Counter[str]:
    """Play those games; return how often everything happened."""
    counted: Counter[str] = Counter()
    for number in numbers:
        try:
            game = Watched(seats, number)
            game.play()
        except BaseException as error:
            error.add_note(f"replay: play_deals({seats}, [{number}])")
            raise
        counted += game.counted
    return counted


@pytest.mark.parametrize("seats", range(2, 9))
def test_random_games(seats: int) -> None:
    """Conserved cards, folds equal to views, offered if and only if allowed."""
    counted = play_deals(seats, range(GAMES))
    assert counted["Dealt"] == counted["DealEnded"] == 2 * GAMES
    assert EVENTS - set(counted) == set()
    assert counted["looked at window"] > 100
    assert counted["looked at play"] > 100
