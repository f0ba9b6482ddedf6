"""What a decision of a whole game costs here, and in engines of the nearest game.

    python bench/rules.py [--rules hollywood] [--seconds 1] [--rounds 5]

Microseconds of CPU time, in one process, driven from Python: a decision and a turn
(a turn here has a window before its play, so it has more decisions than one of gin).
Ours are whole games of four seats through `play_game`: a view for each decision, the
bot's own thinking, every answer judged. `referee` is what a server does for the same
games, sockets aside: it judges each answer, applies it, blanks the events for four
seats, works out what the next seats are offered, digests, and encodes all that, either
for each seat or the public part once. The others play gin rummy, two seats, with
random legal actions. All are measured in turn, round by round, since other programs
disturb; each figure is the median of the rounds, the ratio is to our `random` bot.

The engines to compare with come with the dependency group `bench`; one that is not
installed is left out.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import statistics
import time
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import msgspec

from hollywood.bots.api import Bot
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.local import play_game, play_recorded
from hollywood.protocol.rules import (
    Event,
    GameState,
    Phase,
    apply,
    digest,
    load_rules,
    next_deal,
    options,
    redact,
    redactions,
    seed_from_text,
    start,
    view,
)
from hollywood.protocol.wire import messages as m

SEATS = 4
REFEREED = 5
"""Recorded games of which the referee's share is measured."""
WARM_UP = 25
"""Games before anything is measured; the laydown search keeps what it has worked out."""


encode = msgspec.msgpack.Encoder().encode


class Played(NamedTuple):
    """What one game had."""

    decisions: int
    turns: int


class Player(NamedTuple):
    """Something that plays a game by itself, from a number."""

    name: str
    play: Callable[[int], Played]


class Cost(NamedTuple):
    """Microseconds of CPU time."""

    decision: float
    turn: float


class OneGenerator(RandomBot):
    """The random bot with one generator for all seats, as the other engines are driven.

    Bots take a fresh one for each decision, so that a game does not depend on where it
    is played; the difference is what that costs.
    """

    shared = Random(1)

    @property
    def rng(self) -> Random:
        """The common one."""
        return self.shared


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rules", default="hollywood")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each, in each round")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    players = [
        ours("random", args.rules, RandomBot),
        ours("random, one generator", args.rules, OneGenerator),
        ours("greedy", args.rules, GreedyBot),
        referee("referee", args.rules, told_apart),
        referee("referee, public once", args.rules, told_together),
        *others(),
    ]
    for player in players:
        for number in range(WARM_UP):
            player.play(number)
    gc.freeze()  # what was loaded, by whichever engine, is no garbage
    costs: dict[str, list[Cost]] = {player.name: [] for player in players}
    for number in range(args.rounds):
        for player in players:
            costs[player.name].append(measure(player, args.seconds, 1000 * number))
    print_table(costs)


def ours(name: str, rules: str, bot: type[Bot]) -> Player:
    """Return four of one bot in this program's game."""
    loaded = load_rules(rules)

    def play(number: int) -> Played:
        result = play_game(loaded, [bot] * SEATS, seed_from_text(f"bench {number}"))
        return Played(result.decisions, sum(deal.turns for deal in result.deals))

    return Player(f"{rules}: {name}", play)


Tell = Callable[[tuple[Event, ...], GameState, int], None]
"""Encodes what all seats are told: events, the state after them, how many came before."""


def referee(name: str, rules: str, tell: Tell) -> Player:
    """Return a server's share of games that were played before."""
    loaded = load_rules(rules)
    records = [
        play_recorded(loaded, [RandomBot] * SEATS, seed_from_text(f"referee {number}"))
        for number in range(REFEREED)
    ]

    def play(number: int) -> Played:
        result, record = records[number % REFEREED]
        count = turns = 0
        state, events = start(loaded, SEATS, bytes.fromhex(record.seed))
        tell(events, state, count)
        for step in record.steps:
            while state.phase is Phase.DEAL_OVER:
                turns += state.turns
                state, events = next_deal(state)
                tell(events, state, count)
            assert step.action is not None, "no bot's time ran out"
            state, events = apply(state, step.seat, step.action)
            if events:
                tell(events, state, count)
                count += len(events)
        return Played(result.decisions, turns + state.turns)

    return Player(f"{rules}: {name}", play)


def told_apart(events: tuple[Event, ...], state: GameState, before: int) -> None:
    """Blank and encode for each seat."""
    for seat in range(SEATS):
        news = tuple([redact(event, seat) for event in events])
        encode(m.Events(before + 1, news, checked(events, state, seat, before)))
    ask(state, before)


def told_together(events: tuple[Event, ...], state: GameState, before: int) -> None:
    """Blank and encode once for all who see no more than the public."""
    pairs = [redactions(event) for event in events]
    public = tuple([event for event, _ in pairs])
    seeing_more = {seat for _, own in pairs for seat in own}
    common = b""
    for seat in range(SEATS):
        digested = checked(events, state, seat, before)
        if seat in seeing_more:
            news = tuple([own.get(seat, event) for event, own in pairs])
            encode(m.Events(before + 1, news, digested))
        elif digested or not common:
            common = encode(m.Events(before + 1, public, digested))
    ask(state, before)


def checked(events: tuple[Event, ...], state: GameState, seat: int, before: int) -> str:
    """A digest when 16 more events are full."""
    is_due = (before + len(events)) // 16 > before // 16
    return digest(view(state, seat)) if is_due else ""


def ask(state: GameState, before: int) -> None:
    """Encode what the seats that are asked next are offered."""
    if state.phase is Phase.WINDOW or state.phase is Phase.PLAY:
        for seat in (state.turn,) if state.window is None else state.window.order:
            legal = options(view(state, seat))
            assert legal is not None
            encode(m.Decide(before, before, before, legal, 20_000))


def others() -> list[Player]:
    """Return the other engines that are installed; say which are not."""
    found: list[Player] = []
    for module, make in (
        ("pyspiel", open_spiel),
        ("rlcard", rlcard),
        ("pettingzoo.classic.gin_rummy_v4", pettingzoo),
    ):
        try:
            found += make(importlib.import_module(module))
        except ImportError as error:
            print(
                f"{module} is left out ({error}): "
                "install the dependency group bench, `pip install --group bench`"
            )
    return found


def open_spiel(pyspiel: Any) -> list[Player]:  # noqa: ANN401  no types come with it
    """Gin rummy in C++, as it is usually driven, and with one first state for all games."""
    game = pyspiel.load_game("gin_rummy")
    first = game.new_initial_state()

    def play(state: Any, rng: Random) -> Played:  # noqa: ANN401
        decisions, turns, last = 0, 0, None
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[int(rng.random() * len(outcomes))][0])
                continue
            seat, actions = state.current_player(), state.legal_actions()
            state.apply_action(actions[int(rng.random() * len(actions))])
            decisions, turns, last = decisions + 1, turns + (seat != last), seat
        return Played(decisions, turns)

    return [
        Player("OpenSpiel gin rummy", lambda n: play(game.new_initial_state(), Random(n))),
        Player("OpenSpiel gin rummy, cloned", lambda n: play(first.clone(), Random(n))),
    ]


def rlcard(module: Any) -> list[Player]:  # noqa: ANN401
    """The environment that agents are trained in, with its observations."""
    env = module.make("gin-rummy", config={"seed": 1})

    def play(number: int) -> Played:
        rng = Random(number)
        decisions, turns, last = 0, 0, None
        state, seat = env.reset()
        while not env.is_over():
            actions = list(state["legal_actions"])
            decisions, turns, last = decisions + 1, turns + (seat != last), seat
            state, seat = env.step(actions[int(rng.random() * len(actions))])
        return Played(decisions, turns)

    return [Player("RLCard gin rummy", play)]


def pettingzoo(module: Any) -> list[Player]:  # noqa: ANN401
    """The environment with all its wrappers."""
    env = module.env()

    def play(number: int) -> Played:
        rng = Random(number)
        decisions, turns, last = 0, 0, None
        env.reset(seed=number)
        for seat in env.agent_iter():
            seen, _, is_over, is_cut, _ = env.last()
            if is_over or is_cut:
                env.step(None)
                continue
            (actions,) = seen["action_mask"].nonzero()
            env.step(int(actions[int(rng.random() * len(actions))]))
            decisions, turns, last = decisions + 1, turns + (seat != last), seat
        return Played(decisions, turns)

    return [Player("PettingZoo gin rummy", play)]


def measure(player: Player, seconds: float, first: int) -> Cost:
    """Play games until that much CPU time is gone."""
    decisions = turns = 0
    began = now = time.process_time()
    while now < began + seconds:
        played = player.play(first)
        decisions, turns, first = decisions + played.decisions, turns + played.turns, first + 1
        now = time.process_time()
    spent = 1e6 * (now - began)
    return Cost(spent / decisions, spent / turns)


def print_table(costs: dict[str, list[Cost]]) -> None:
    """Print one line for each, with its ratio to the first."""
    print(f"{'':30} {'us/decision':>22} {'us/turn':>10} {'ratio':>8}")
    ratio_to = next(iter(costs.values()))
    for name, rounds in costs.items():
        each = sorted(cost.decision for cost in rounds)
        turn = statistics.median(cost.turn for cost in rounds)
        # round by round, as a neighbour's load changes from one to the next
        ratio = statistics.median(
            cost.decision / other.decision for cost, other in zip(rounds, ratio_to, strict=True)
        )
        spread = f"({each[0]:.1f} to {each[-1]:.1f})"
        print(f"{name:30} {statistics.median(each):7.1f} {spread:>14} {turn:10.1f} {ratio:8.2f}")


if __name__ == "__main__":
    main()
