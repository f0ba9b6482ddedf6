"""What another answer would have been worth: the same deal played on after both.

    python bench/what_if.py claims --rules hollywood --seats 4 --pairs 400
    python bench/what_if.py throws --pairs 400
    python bench/what_if.py points --pairs 400

In games of planners with a stock pile for each seat (so that later draws stay the same)
a position is taken now and then, and played to the end of the deal twice: with the
planner's answer, and with another. Printed is how much better the other one was, the
other seats' points less one's own, with the 95 % interval of the mean.

    claims   the upcard passed on where the planner claims it, claimed where it passes
    throws   another discard that leaves the contract as near, and one that does not
    points   throwing the dearest card from here on, the contract given up
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from hollywood.bots import Bot
from hollywood.bots.api import decide
from hollywood.bots.builtin.planner import PlannerBot
from hollywood.protocol.rules import (
    Action,
    Card,
    Claim,
    GameState,
    Hand,
    Pass,
    Phase,
    Play,
    PlayerView,
    apply,
    game_seed,
    load_rules,
    next_deal,
    next_discards,
    seed_from_text,
    start,
    view,
)

_OFTEN = 0.08
"""How often a position is tried."""


class GivesUp(PlannerBot):
    """Throws what costs most."""

    def wants(self, view: PlayerView) -> bool:
        """Buy nothing any more."""
        return view.is_down and super().wants(view)

    def _throws(self, view: PlayerView) -> list[Card]:
        return self._dearest(view, next_discards(view, Play()))


class Trial(NamedTuple):
    """A position, the seat that is asked, and what it would say instead."""

    state: GameState
    seat: int
    answer: Action
    other: Action
    player: Bot
    """Who plays that seat on after the other answer."""
    kind: str


def main() -> None:
    """Try other answers and print what came out, by kind of position."""
    parser = argparse.ArgumentParser(description="What another answer would have been worth.")
    parser.add_argument("what", choices=("claims", "throws", "points"))
    parser.add_argument("--rules", default="hollywood")
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--seed", default="what if")
    args = parser.parse_args()
    planner = PlannerBot()
    found: dict[str, list[float]] = defaultdict(list)
    for number, trial in enumerate(_trials(args, planner)):
        if number == args.pairs:
            break
        better = _margin(trial, trial.other, trial.player, planner)
        found[trial.kind].append(better - _margin(trial, trial.answer, planner, planner))
    for kind, margins in sorted(found.items()):
        half = 1.96 * statistics.stdev(margins) / math.sqrt(len(margins)) if margins[1:] else 0
        print(f"{kind:50} {statistics.fmean(margins):+6.1f} ± {half:4.1f}  of {len(margins)}")


def _trials(args: argparse.Namespace, planner: PlannerBot) -> Iterator[Trial]:
    """Positions of game after game of planners."""
    rules, rng = load_rules(args.rules), random.Random(args.seed)
    number = 0
    while True:
        seed = game_seed(seed_from_text(args.seed), number)
        state, _ = start(rules, args.seats, seed, own_piles=True)
        number += 1
        while state.phase is not Phase.GAME_OVER:
            if state.phase is Phase.DEAL_OVER:
                state, _ = next_deal(state)
                continue
            if rng.random() < _OFTEN:
                yield from _trial(state, args.what, planner, rng)
            state = _step(state, {}, planner)


def _trial(state: GameState, what: str, planner: PlannerBot, rng: random.Random) -> Iterator[Trial]:
    order = (state.turn,) if state.window is None else state.window.order
    seat = order[int(rng.random() * len(order))]
    seen = view(state, seat)
    if seen.is_down or seen.takes_all_cards or (what == "claims") is (state.window is None):
        return
    answer = decide(planner, seen, 0)
    if what == "claims":
        how = "free" if seen.is_my_turn else "bought"
        other: Action = Pass() if isinstance(answer, Claim) else Claim()
        said = "passed instead" if isinstance(answer, Claim) else "claimed instead"
        yield Trial(state, seat, answer, other, planner, f"{how}, {said}")
    elif isinstance(answer, Play) and not answer.melds:
        yield from _other_throw(state, seen, answer, what, planner, rng)


def _other_throw(
    state: GameState,
    seen: PlayerView,
    answer: Play,
    what: str,
    planner: PlannerBot,
    rng: random.Random,
) -> Iterator[Trial]:
    away = seen.distance(less=answer.discard)
    after = 99 if away is None else away
    if what == "points":
        gives_up = GivesUp()
        other = gives_up.play(seen)
        if after > 1 and other != answer:
            yield Trial(state, seen.me, answer, other, gives_up, _stage(seen, after))
        return
    cards: Hand = tuple([card for card in next_discards(seen, Play()) if card != answer.discard])
    if cards:
        card = cards[int(rng.random() * len(cards))]
        kind = "as near" if seen.distance(less=card) == away else "further"
        yield Trial(state, seen.me, answer, Play(discard=card), planner, kind)


def _stage(seen: PlayerView, lacks: int) -> str:
    """What giving up depends on."""
    down = [n for n, turn in zip(seen.hand_sizes, seen.went_down, strict=True) if turn is not None]
    left = min(down, default=99)
    soon = "one card or none" if left <= 1 else "two or three cards" if left <= 3 else "more"
    far = "two" if lacks == 2 else "three or four" if lacks <= 4 else "five or more"
    return f"lacks {far}; the nearest to going out has {soon}"


def _margin(trial: Trial, answer: Action, player: Bot, others: Bot) -> float:
    """Play the deal on after an answer; return the others' mean less the seat's points."""
    state, seat = trial.state, trial.seat
    deals = len(state.scores)
    players = {seat: player}
    state = _step(state, players, others, {seat: answer})
    while len(state.scores) == deals:
        state = _step(state, players, others)
    points = state.scores[-1]
    return (sum(points) - points[seat]) / (len(points) - 1) - points[seat]


def _step(
    state: GameState,
    players: dict[int, Bot],
    others: Bot,
    said: dict[int, Action] | None = None,
) -> GameState:
    """Ask whoever is asked, unless it has said something already."""
    order = (state.turn,) if state.window is None else state.window.order
    known = said or {}
    answers = [
        (
            seat,
            known[seat]
            if seat in known
            else decide(players.get(seat, others), view(state, seat), 0),
        )
        for seat in order
    ]
    is_window = state.window is not None
    for seat, answer in answers:
        if not is_window or state.window is not None:
            state, _ = apply(state, seat, answer)
    return state


if __name__ == "__main__":
    main()
