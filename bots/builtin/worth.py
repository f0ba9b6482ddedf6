"""How many points a deal will cost each seat, guessed from a position with open cards.

Linear in what is named below, fitted by least squares on the positions before each turn
of some hundred games between planners: one fit for two seats, where a deal is long, and
one for more. It explains about half of what becomes of a seat that is down (and of two
seats that are not), a tenth for a hand among several: the rest is what the cards bring.
"""

from __future__ import annotations

from collections.abc import Sequence

from hollywood.protocol.rules import GameState

_FAR = 7
"""Further away makes no more difference."""
_SOON = 6
"""Cards of a seat that is down, or missing to a seat that is not, from which on the end
of the deal comes near."""

# the weights of `_hand_facts`
_HAND_OF_TWO = (
    67.43, -16.90, 6.48, -47.59, -31.02, 7.87, -20.59, 4.95, 2.76, -17.37, 2.11, -6.80, 1.64, 0.43,
    -0.70, -0.51, 0.09, 8.17,
)  # fmt: skip
_HAND = (
    -62.50, 16.29, -0.55, 0.92, -20.93, 4.63, 0.25, 69.84, 2.65, -6.16, 0.86, 4.02, 0.53, 7.34,
    -5.24, 0.21, -0.34, 14.77,
)  # fmt: skip
# the weights of `_rest_facts`
_REST_OF_TWO = (
    -1.45, 1.06, -1.17, 2.23, -4.77, 0.79, 0.13, 1.78, 0.87, 0.55, -0.41, -0.95, -1.27,
)  # fmt: skip
_REST = (
    0.14, 3.08, -1.36, -1.22, -2.33, 0.26, -0.46, 2.46, 0.25, -0.21, 0.30, 0.63, 0.97,
)  # fmt: skip


def worth(state: GameState, away: Sequence[int]) -> list[float]:
    """Return the points that the deal is likely to cost each seat.

    Args:
        state: A position with all cards open, in a deal that is not over.
        away: What each seat's hand lacks for its contract; 0 for a seat that is down.
    """
    return [_of_seat(state, away, seat) for seat in range(state.seats)]


def _of_seat(state: GameState, away: Sequence[int], seat: int) -> float:
    round_ = state.contracts[seat]
    if round_ >= len(state.rules.rounds):
        return 0.0
    others = [other for other in range(state.seats) if other != seat]
    down = [len(state.hands[other]) for other in others if state.went_down[other] is not None]
    waiting = [away[other] for other in others if state.went_down[other] is None]
    near_out = _SOON - min([_SOON, *down])
    near_down = _SOON - min([_SOON, *waiting])
    share_down = len(down) / len(others)
    hand = state.hands[seat]
    points = state.rules.hand_points(hand) / 10
    place = ((seat - state.turn) % state.seats) / state.seats
    is_two = state.seats == 2
    ready = float(near_down == _SOON)
    if state.went_down[seat] is not None:
        facts = _rest_facts(len(hand), points, share_down, near_out, near_down, place, ready)
        return _weigh(_REST_OF_TWO if is_two else _REST, facts)
    size = sum([spec.size for spec in state.rules.contracts[round_]]) + 1
    spare = max(0, len(hand) - size)
    lacks = min(away[seat], _FAR)
    facts = _hand_facts(lacks, points, spare, share_down, near_out, near_down, place, ready)
    return _weigh(_HAND_OF_TWO if is_two else _HAND, facts)


def _weigh(weights: tuple[float, ...], facts: tuple[float, ...]) -> float:
    return sum([weight * fact for weight, fact in zip(weights, facts, strict=True)])


def _hand_facts(
    lacks: int,
    points: float,
    spare: int,
    share_down: float,
    near_out: int,
    near_down: int,
    place: float,
    ready: float,
) -> tuple[float, ...]:
    return (
        1.0,
        lacks,
        lacks * lacks / 4,
        lacks == 1,
        lacks == 0,
        points,
        spare,
        share_down,
        near_out,
        lacks * share_down,
        lacks * near_out,
        near_down,
        lacks * near_down,
        place,
        points * share_down,
        points * near_out,
        points * lacks,
        ready,
    )


def _rest_facts(
    cards: int,
    points: float,
    share_down: float,
    near_out: int,
    near_down: int,
    place: float,
    ready: float,
) -> tuple[float, ...]:
    return (
        1.0,
        cards,
        min(cards, 3),
        points,
        share_down,
        near_out,
        near_down,
        place,
        cards * near_out,
        cards * near_down,
        points * near_out,
        points * near_down,
        ready,
    )
