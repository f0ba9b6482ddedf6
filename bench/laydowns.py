"""How long the laydown search takes, on seeded hands, after a warm-up, beside CP-SAT.

    PYTHONPATH=tests python bench/laydowns.py [--rules hollywood,dummy,hollywood_seven]
        [--sizes 11,16,22,28] [--hands 400] [--runs 5] [--cpsat 5]
    PYTHONPATH=tests python bench/laydowns.py --pooled 30 [--rules ...] [--runs 5]
    PYTHONPATH=tests python bench/laydowns.py --worst 100 [--rules all]

Microseconds of CPU for one call, from a tuple of cards to the answer: p50, p99 and the
longest, by rule set, contract and hand size, each the median of all runs; in a run
the shorter of two calls for each hand, since other programs disturb. All times are
told as if a loop of a million steps took 33 ms, as it does here on a quiet machine:
it is timed in between, and what it takes longer is taken off. Every other hand
gets wilds until it can go down or has six. Laydowns are timed on the hands that can go
down; lay-offs for four and ten cards on a table of twelve melds. CP-SAT answers the
first few hands in every run: what follows the times is how many times as long it takes,
p50 to p50.

`--pooled` puts hands of 11 to 16 cards together, so many of each size for each contract,
by rule set and by what the contracts ask for, and those of all rule sets together.

`--worst` looks for the hands that take longest: up to 30 cards with every number of
wilds that the packs hold, and with naturals of few suits or ranks. Milliseconds of CPU
for the first call with each hand, nothing about its suits being known from another.
The corpora are in `tests/laydown_hands.py`, the models in `tests/cpsat.py`.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from statistics import median
from typing import Any

from hollywood.protocol.rules import (
    Contract,
    Hand,
    MeldKind,
    RuleSet,
    best_laydown,
    distance,
    format_contract,
    lay_offs,
    load_rules,
)
from hollywood.protocol.rules.laydowns import outlook
from laydown_hands import SHIPPED, adverse, contracts_of, played, table_of

Ask = Callable[[Hand], object]

MICRO, MILLI = 1000, 1_000_000
"""Nanoseconds."""

LOOP = 33
"""Milliseconds that the loop takes on a quiet machine."""


def main() -> None:
    """Print one line for each contract and size."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rules", default="hollywood,dummy,hollywood_seven")
    parser.add_argument("--sizes", default="11,16,22,28")
    parser.add_argument("--hands", type=int, default=400)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cpsat", type=int, default=5, help="hands for CP-SAT")
    parser.add_argument("--pooled", type=int, default=0, help="hands of each size and contract")
    parser.add_argument("--worst", type=int, default=0, help="adverse hands for each contract")
    args = parser.parse_args()
    names = SHIPPED if args.rules == "all" else args.rules.split(",")
    gc.disable()
    print(f"a loop of a million steps takes {yardstick():.0f} ms")
    if args.pooled:
        print_pooled([load_rules(name) for name in names], args.pooled, args.runs)
        return
    for name in names:
        rules = load_rules(name)
        if args.worst:
            print_worst(rules, args.worst)
            continue
        models = args.cpsat if find_spec("ortools") else 0
        for size in map(int, args.sizes.split(",")):
            for contract in contracts_of(rules):
                print(line(rules, contract, size, args.hands, args.runs, models), flush=True)
        for size in (4, 10):
            table, hands = table_of(rules, size, args.hands)
            ask = partial(lay_offs, table=table, rules=rules)
            print(f"{name:16} lay-offs of {size:2} cards {times(ask, hands, args.runs)[0]}")


def yardstick(steps: int = 1_000_000) -> float:
    """Return the milliseconds of CPU of a million steps of a loop that never changes."""
    started = time.process_time_ns()
    total = 0
    for i in range(steps):
        total += i
    return (time.process_time_ns() - started) / MILLI * 1_000_000 / steps


def quiet() -> float:
    """Return what to multiply a time with to have that of a quiet machine."""
    return LOOP / yardstick(200_000)


def line(rules: RuleSet, contract: Contract, size: int, count: int, runs: int, models: int) -> str:
    """Time the three questions about hands of one size."""
    hands = played(rules, contract, size, count)
    down = [hand for hand in hands if distance(hand, contract, rules) == 0]
    questions: list[tuple[str, Ask, list[Hand]]] = [
        ("distance", partial(distance, contract=contract, rules=rules), hands),
        ("outlook", partial(outlook, contract=contract, rules=rules), hands),
        ("laydown", partial(best_laydown, contract=contract, rules=rules), down),
    ]
    fields = []
    for name, ask, some in questions:
        text, p50 = times(ask, some, runs)
        if models and name != "outlook" and some:
            slow = median(model_times(name, some[:models], contract, rules, runs))
            text += f" x{slow / p50:,.0f}"
        fields.append(f"{name} {text:24}")
    return f"{rules.name:16} {format_contract(contract):13} {size:2} " + " ".join(fields)


def times(ask: Callable[[Any], object], hands: Sequence[Any], runs: int) -> tuple[str, float]:
    """Return p50, p99 and the longest of one call for each hand, and p50 in nanoseconds."""
    if not hands:
        return "-", 1.0
    clock = time.process_time_ns
    of_runs: list[list[float]] = []
    for hand in hands:
        ask(hand)
    for _ in range(runs):
        found = []
        before = quiet()
        for hand in hands:
            least = MILLI * MILLI
            for _ in range(2):
                started = clock()
                ask(hand)
                least = min(least, clock() - started)
            found.append(least)
        of_runs.append(sorted(found))
        scale = (before + quiet()) / 2
        of_runs[-1] = [taken * scale for taken in of_runs[-1]]
        gc.collect()
    n = len(hands)
    p50, p99, most = (median([run[k] for run in of_runs]) for k in (n // 2, n * 99 // 100, n - 1))
    return f"{p50 / MICRO:.1f}/{p99 / MICRO:.0f}/{most / MICRO:.0f}", p50


def model_times(
    question: str, hands: list[Hand], contract: Contract, rules: RuleSet, runs: int
) -> Iterator[float]:
    """Yield the median time of CP-SAT in each run, in nanoseconds, building the model included."""
    from cpsat import Model  # only where OR-tools is installed

    clock = time.process_time_ns
    for _ in range(runs):
        found = []
        for hand in hands:
            started = clock()
            if question == "distance":
                Model(hand, contract, rules, may_add=True).distance()
            else:
                Model(hand, contract, rules, may_add=False).best()
            found.append(clock() - started)
        yield median(found) * quiet()


Asked = tuple[RuleSet, Contract, Hand]


def of_asked(ask: Callable[..., object]) -> Callable[[Asked], object]:
    """Return what asks about a hand, its contract and its rules."""

    def call(asked: Asked) -> object:
        rules, contract, hand = asked
        return ask(hand, contract, rules)

    return call


def kind_of(contract: Contract) -> str:
    """Return what a contract asks for, roughly."""
    of_runs = sum(spec.kind is MeldKind.RUN for spec in contract)
    if not of_runs:
        return "sets"
    if of_runs == len(contract):
        return "runs"
    return "sets and a run" if of_runs == 1 else "sets and runs"


def print_pooled(rule_sets: Sequence[RuleSet], count: int, runs: int) -> None:
    """Print lines for all contracts of a kind: of each rule set, and of all of them together."""
    together: dict[str, list[Asked]] = {}
    lay_off: dict[int, list[tuple[RuleSet, Any, Hand]]] = {4: [], 10: []}
    for rules in rule_sets:
        by_kind: dict[str, list[Asked]] = {}
        for contract in contracts_of(rules):
            asked = by_kind.setdefault(kind_of(contract), [])
            for size in range(11, 17):
                asked += [(rules, contract, hand) for hand in played(rules, contract, size, count)]
        for kind, asked in by_kind.items():
            print_kind(rules.name, kind, asked, runs)
            together.setdefault(kind, []).extend(asked)
        for size, some in lay_off.items():
            table, hands = table_of(rules, size, 6 * count)
            some += [(rules, table, hand) for hand in hands]
            print_lay_offs(rules.name, size, some[-len(hands) :], runs)
    if len(rule_sets) > 1:
        for kind, asked in together.items():
            print_kind("all", kind, asked, runs)
        print_kind("all", "all", [one for asked in together.values() for one in asked], runs)
        for size, some in lay_off.items():
            print_lay_offs("all", size, some, runs)


def print_kind(name: str, kind: str, asked: list[Asked], runs: int) -> None:
    """Print one line: what each question takes for these hands."""
    down = [(r, c, hand) for r, c, hand in asked if distance(hand, c, r) == 0]
    others = [(r, c, hand) for r, c, hand in asked if distance(hand, c, r) != 0]
    questions: list[tuple[str, Callable[..., object], list[Asked]]] = [
        ("distance", distance, asked),
        ("outlook", outlook, asked),
        ("laydown", best_laydown, down),
        ("no laydown", best_laydown, others),
    ]
    fields = [f"{what} {times(of_asked(ask), some, runs)[0]:18}" for what, ask, some in questions]
    print(f"{name:16} {kind:15} {' '.join(fields)}", flush=True)


def print_lay_offs(name: str, size: int, some: list[tuple[RuleSet, Any, Hand]], runs: int) -> None:
    """Print one line: what the lay-offs of hands of that size take."""

    def ask(asked: tuple[RuleSet, Any, Hand]) -> object:
        rules, table, hand = asked
        return lay_offs(hand, table=table, rules=rules)

    print(f"{name:16} lay-offs of {size:2} cards {times(ask, some, runs)[0]}", flush=True)


def print_worst(rules: RuleSet, count: int) -> None:
    """Print for each contract the hand that takes longest, and for lay-offs."""
    for contract in contracts_of(rules):
        asks: dict[str, Ask] = {
            "distance": partial(distance, contract=contract, rules=rules),
            "outlook": partial(outlook, contract=contract, rules=rules),
            "laydown": partial(best_laydown, contract=contract, rules=rules),
        }
        warm = played(rules, contract, 14, 1)[0]
        fields = []
        for name, ask in asks.items():
            ask(warm)
            longest, hand = slowest(ask, adverse(rules, contract, count, name))
            fields.append(f"{name} {longest:6.1f}")
            if longest > 30:
                fields.append(f"({' '.join(hand)})")
        print(f"{rules.name:16} {format_contract(contract):13} {' '.join(fields)}", flush=True)
    table, _ = table_of(rules, 4, 1)
    longest, _ = slowest(
        partial(lay_offs, table=table, rules=rules),
        adverse(rules, contracts_of(rules)[0], count, "lay-offs"),
    )
    print(f"{rules.name:16} lay-offs      {longest:6.1f}", flush=True)


def slowest(ask: Ask, hands: Iterator[Hand]) -> tuple[float, Hand]:
    """Return the milliseconds of CPU of the slowest first call, and its hand."""
    clock = time.process_time_ns
    longest = 0
    worst: Hand = ()
    gc.collect()
    for hand in hands:
        started = clock()
        ask(hand)
        taken = clock() - started
        if taken > 5 * MILLI:
            taken = int(taken * quiet())
        if taken > longest:
            longest, worst = taken, hand
    return longest / MILLI, worst


if __name__ == "__main__":
    main()
