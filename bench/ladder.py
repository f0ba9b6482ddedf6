"""Which bot is better, and by how much: one against copies of the other, on duplicate deals.

    python bench/ladder.py                              the table of bots/LADDER.md
    python bench/ladder.py planner greedy --rules dummy --seats 4 --sets 50
    python bench/ladder.py planner greedy --own-piles   each seat draws from a pile of its own:
                                                        less chance between the games of a set
    python bench/ladder.py --speed                      what a decision of each rung takes

A *set* is one deal of cards played once with the challenger on each seat, against
copies of the champion on all others. The margin of a game is what the others
scored on average minus what the challenger scored: points are penalties, so above
0 is better. The margin of a set is the mean over its games, and the interval that
is printed is the 95 % interval of the mean over sets. Same arguments, same bytes.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from hollywood.bots import Bot
from hollywood.bots.loading import load_bot
from hollywood.bots.local import LocalGame, play_game
from hollywood.protocol.rules import Play, PlayerView, game_seed, load_rules, seed_from_text

# started as a script, this file has its own folder on the path, not the project's
sys.path.insert(0, str(Path(__file__).parents[1]))
from bench.sets import SetOfGames, plays_alike

LADDER = ("random", "greedy", "planner", "counter", "sampler")
RULES = ("hollywood", "dummy", "hollywood_seven")
SEATS = (2, 4, 6)


class Match(NamedTuple):
    """One rung against the one below it, under one rule set."""

    challenger: str
    champion: str
    rules: str
    seats: int
    own_piles: bool = False


class Margin(NamedTuple):
    """What a match came to, in points a game."""

    mean: float
    half: float
    """Half the width of the 95 % interval."""
    sets: int


def play_set(match: Match, seed: str, number: int) -> float:
    """Play one deal of cards with the challenger on each seat; return the mean margin."""
    rules = load_rules(match.rules)
    challenger, champion = load_bot(match.challenger), load_bot(match.champion)
    cards = game_seed(seed_from_text(seed), number)
    if plays_alike(champion):
        games = SetOfGames(
            rules, challenger, champion, match.seats, cards, own_piles=match.own_piles
        )
        return games.mean()
    margins = []
    for seat in range(match.seats):
        bots = [champion] * match.seats
        bots[seat] = challenger
        game = LocalGame(rules, bots, cards, own_piles=match.own_piles)
        game.play()
        scores = game.state.totals()
        others = (sum(scores) - scores[seat]) / (match.seats - 1)
        margins.append(others - scores[seat])
    return statistics.fmean(margins)


def measure(match: Match, sets: int, seed: str, pool: ProcessPoolExecutor) -> Margin:
    """Play sets and return the mean margin with its interval."""
    play = partial(play_set, match, seed)
    margins = list(pool.map(play, range(sets)))
    half = 1.96 * statistics.stdev(margins) / math.sqrt(sets) if sets > 1 else math.inf
    return Margin(statistics.fmean(margins), half, sets)


def main() -> None:
    """Measure what the arguments name, the whole ladder without any."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("challenger", nargs="?")
    parser.add_argument("champion", nargs="?")
    parser.add_argument("--rules", nargs="+", default=RULES)
    parser.add_argument("--seats", nargs="+", type=int, default=SEATS)
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--seed", default="ladder")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--own-piles", action="store_true", help="a stock pile for each seat")
    parser.add_argument("--speed", action="store_true", help="measure decisions, not margins")
    args = parser.parse_args()
    if args.speed:
        named = [name for name in (args.challenger, args.champion) if name]
        _print_speeds(named or list(LADDER), args.rules)
        return
    if (args.challenger is None) != (args.champion is None):
        parser.error("name the challenger and the champion")
    pairs = [(args.challenger, args.champion)] if args.challenger else _rungs()
    with ProcessPoolExecutor(args.jobs) as pool:
        _print_table(pairs, args, pool)


def _print_table(
    pairs: list[tuple[str, str]], args: argparse.Namespace, pool: ProcessPoolExecutor
) -> None:
    print("| challenger | against | rules | seats | margin a game | sets | |")
    print("|---|---|---|--:|--:|--:|---|")
    for challenger, champion in pairs:
        for rules in args.rules:
            players = load_rules(rules).players
            for seats in args.seats:
                if players.min <= seats <= players.max:
                    match = Match(challenger, champion, rules, seats, args.own_piles)
                    began = time.monotonic()
                    found = measure(match, args.sets, args.seed, pool)
                    _print_row(match, found)
                    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)


def _print_speeds(bots: list[str], rule_sets: list[str]) -> None:
    """Print the median time of a decision, windows and plays together, at four seats."""
    print("| bot | rules | median | 95 % below | decisions |")
    print("|---|---|--:|--:|--:|")
    for name in bots:
        for rules in rule_sets:
            times = sorted(_decision_times(name, rules))
            median, late = times[len(times) // 2], times[len(times) * 19 // 20]
            row = f"{median * 1e6:.0f} µs | {late * 1e6:.0f} µs | {len(times)}"
            print(f"| {name} | {rules} | {row} |", flush=True)


def _decision_times(name: str, rules: str) -> list[float]:
    """The processor time of each decision of one seat, greedy on the others."""
    bot_class, times = load_bot(name), []

    class Timed(bot_class):  # type: ignore[valid-type, misc]
        def wants(self, view: PlayerView) -> bool:
            began = time.process_time()
            wanted: bool = super().wants(view)
            times.append(time.process_time() - began)
            return wanted

        def play(self, view: PlayerView) -> Play:
            began = time.process_time()
            play: Play = super().play(view)
            times.append(time.process_time() - began)
            return play

    bots: list[type[Bot]] = [Timed, *[load_bot("greedy")] * 3]
    for number in range(3):
        play_game(load_rules(rules), bots, game_seed(seed_from_text("speed"), number))
    return times


def _rungs() -> list[tuple[str, str]]:
    return [(above, below) for below, above in pairwise(LADDER)]


def _print_row(match: Match, margin: Margin) -> None:
    if margin.mean - margin.half > 0:
        verdict = "better"
    else:
        verdict = "worse" if margin.mean + margin.half < 0 else "open"
    print(
        f"| {match.challenger} | {match.champion} | {match.rules} | {match.seats} "
        f"| {margin.mean:+.1f} ± {margin.half:.1f} | {margin.sets} | {verdict} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
