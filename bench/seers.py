"""What knowing the future would bring: planners that see the cards they will draw.

    python bench/seers.py --what throws --sets 150
    python bench/seers.py --what claims --seats 2

A seer throws what lets its next ten cards complete its contract soonest; with `claims`
it also takes and buys what completes it sooner than they would. No bot may know these
cards, and only in games with a stock pile for each seat are they the ones it will draw.
So this is what better discards and better claims could bring at the most, or nearly:
a seer does not look at points, nor at what the others want.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from hollywood.bots.builtin.planner import PlannerBot
from hollywood.bots.builtin.reach import is_in_reach
from hollywood.protocol.rules import (
    Card,
    GameState,
    Hand,
    Play,
    PlayerView,
    game_seed,
    load_rules,
    next_discards,
    seed_from_text,
)
from hollywood.protocol.rules.cards import add_cards, remove_cards
from hollywood.protocol.rules.laydowns import distance
from hollywood.protocol.rules.views import buys_left

# started as a script, this file has its own folder on the path, not the project's
sys.path.insert(0, str(Path(__file__).parents[1]))
from bench.sets import SetOfGames

_SEEN = 10
"""Cards of its pile that a seer knows."""
_NEVER = 99


class Thrower(PlannerBot):
    """Throws by the cards to come."""

    shown: GameState | None = None
    """The whole position, as `bench.sets` shows it to a bot that asks for it like this."""

    def _pile(self, view: PlayerView) -> Hand:
        state = self.shown
        assert state is not None, "games in which bots are shown the position"
        first = sum(state.piles[: view.me])
        return state.order[first : first + state.piles[view.me]]

    def _throws(self, view: PlayerView) -> list[Card]:
        planned = super()._throws(view)
        if not is_in_reach(view, view.me):
            return planned
        pile = self._pile(view)[:_SEEN]

        def cost(card: Card) -> tuple[int, int, Card]:
            rest = remove_cards(view.hand, (card,)) or ()
            order = planned.index(card) if card in planned else len(planned)
            return _turns(view, rest, pile), order, card

        return sorted(next_discards(view, Play()), key=cost)


class Claimer(Thrower):
    """Throws and claims by the cards to come."""

    def wants(self, view: PlayerView) -> bool:
        """Claim what completes the contract sooner than the cards to come would."""
        planned = super().wants(view)
        upcard = view.upcard
        if upcard is None or view.is_down or view.takes_all_cards:
            return planned
        if not is_in_reach(view, view.me):
            return planned
        pile = self._pile(view)
        more, turns = add_cards(view.hand, (upcard,)), 1
        if not view.is_my_turn:
            left = buys_left(
                view.rules, view.contracts[view.me], view.buys[view.me], view.game_buys[view.me]
            )
            if not view.rules.buy.enabled or left == 0:
                return planned
            # the penalty comes from the bottom of the pile
            more, turns = add_cards(more, pile[-1:]), 0
        now = _turns(view, view.hand, pile[:_SEEN])
        then = turns + _turns(view, more, pile[:_SEEN])
        if now == 0 or min(now, then) >= _NEVER:
            return planned
        return then < now or (then == now and turns == 1 and planned)


def _turns(view: PlayerView, hand: Hand, pile: Hand) -> int:
    """Return after how many of these cards the hand has the contract."""
    for turn in range(len(pile) + 1):
        away = distance(hand, view.contract, view.rules)
        if away == 0:
            return turn
        if turn < len(pile):
            hand = add_cards(hand, (pile[turn],))
    return _NEVER + (away or 0)


SEERS = {"throws": Thrower, "claims": Claimer}


def play_set(what: str, rules: str, seats: int, seed: str, number: int) -> float:
    """Play one deal of cards with the seer on each seat; return the mean margin."""
    cards = game_seed(seed_from_text(seed), number)
    games = SetOfGames(load_rules(rules), SEERS[what], PlannerBot, seats, cards, own_piles=True)
    return games.mean()


def main() -> None:
    """Measure and print the margin of one seer against planners."""
    parser = argparse.ArgumentParser(description="What knowing the next cards would bring.")
    parser.add_argument("--what", choices=tuple(SEERS), default="throws")
    parser.add_argument("--rules", default="hollywood")
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--seed", default="seers")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    play = partial(play_set, args.what, args.rules, args.seats, args.seed)
    with ProcessPoolExecutor(args.jobs) as pool:
        margins = list(pool.map(play, range(args.sets)))
    half = 1.96 * statistics.stdev(margins) / math.sqrt(len(margins)) if margins[1:] else math.inf
    print(
        f"{args.what} by the next {_SEEN} cards, against planner, {args.rules} {args.seats}: "
        f"{statistics.fmean(margins):+.1f} ± {half:.1f} of {len(margins)} sets"
    )


if __name__ == "__main__":
    main()
