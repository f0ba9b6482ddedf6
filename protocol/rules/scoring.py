"""Points for cards left in hand, when the game is over, and who has won."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .cards import Hand
from .rulesets import RuleSet
from .state import GameState


def deal_points(
    hands: tuple[Hand, ...], is_down: tuple[bool, ...], rules: RuleSet
) -> tuple[int, ...]:
    """Return each seat's points for the deal (0-51 to 0-53).

    Whoever went out holds nothing and scores nothing; the others count their
    hands, down or not, unless the rules zero everybody who is down.
    """
    return tuple(
        0 if down and rules.score.down_is_zero else rules.hand_points(hand)
        for hand, down in zip(hands, is_down, strict=True)
    )


def contracts_made(state: GameState) -> tuple[int, ...]:
    """Return how many contracts each seat has made, where each has its own (3-5).

    The one of this deal counts for whoever went down, whoever went out.
    """
    made = zip(state.contracts, state.went_down, strict=True)
    return tuple(i + (turn is not None) for i, turn in made)


def is_game_over(state: GameState) -> bool:
    """Whether the deal just scored was the last (0-3, 3-6)."""
    rules, deals = state.rules, state.deal + 1
    if rules.game.max_deals is not None and deals >= rules.game.max_deals:
        return True
    finished = [made >= len(rules.rounds) for made in contracts_made(state)]
    match rules.game.end:
        case "first_finisher":
            return any(finished)
        case "all_finish":
            return all(finished)
    if deals < len(rules.rounds):
        return False
    is_tied = len(_lowest(range(state.seats), state.totals().__getitem__)) > 1
    return rules.game.tie != "playoff" or not is_tied or deals >= 2 * len(rules.rounds)


def winners(state: GameState) -> tuple[int, ...]:
    """Return the seats that win the game that is over (0-4, 0-55, 3-6)."""
    rules = state.rules
    candidates: Iterable[int] = range(state.seats)
    if rules.game.winner == "lowest_finisher":
        # nobody finished before the last deal there could be: the most contracts made
        made = contracts_made(state)
        candidates = [seat for seat in candidates if made[seat] == max(made)]
    lowest = _lowest(candidates, state.totals().__getitem__)
    if rules.game.tie == "fewest_points_last_round":
        lowest = _lowest(lowest, state.scores[-1].__getitem__)
    elif rules.game.tie == "most_zero_rounds":
        lowest = _lowest(lowest, lambda seat: -sum(deal[seat] == 0 for deal in state.scores))
    return tuple(lowest)


def _lowest(seats: Iterable[int], key: Callable[[int], int]) -> list[int]:
    """The seats with the smallest key, in order."""
    seats = list(seats)
    best = min(map(key, seats))
    return [seat for seat in seats if key(seat) == best]
