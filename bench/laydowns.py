"""How long the laydown search takes, on seeded hands, after a warm-up.

    python bench/laydowns.py [--rules hollywood] [--hands 2000] [--sizes 11,16,22,28]

Microseconds for one call, from a tuple of cards to the answer: p50, p99 and the
longest, by contract and hand size; of three calls for each hand the shortest, since
other programs disturb. Every other hand gets wilds until it can go down or has six.
Laydowns are timed on the hands that can go down, `down` is how many these are;
lay-offs for four and ten cards on a table of twelve melds.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable

from hollywood.protocol.rules import (
    Card,
    Contract,
    Hand,
    RuleSet,
    TableMeld,
    best_laydown,
    distance,
    format_contract,
    lay_offs,
    load_rules,
)
from hollywood.protocol.rules.cards import sort_hand
from hollywood.protocol.rules.laydowns import outlook

SEED = 8


def main() -> None:
    """Print one line for each contract and size."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rules", default="hollywood")
    parser.add_argument("--hands", type=int, default=2000)
    parser.add_argument("--sizes", default="11,16,22,28")
    args = parser.parse_args()
    rules = load_rules(args.rules)
    sizes = [int(size) for size in args.sizes.split(",")]
    head = "distance p50/p99/max", "outlook p50/p99/max", "laydown p50/p99/max"
    print(f"{'contract':14} {'n':>2} " + " ".join(f"{h:>22}" for h in head) + "   down")
    for contract in dict.fromkeys(rules.contracts):
        for size in sizes:
            print(line(contract, size, args.hands, rules), flush=True)
    for size in (4, 10):
        table, hands = positions(size, args.hands, rules)

        def lay(hand: Hand, table: tuple[TableMeld, ...] = table) -> object:
            return lay_offs(hand, table, rules)

        print(f"lay-offs of {size:2} cards {times(lay, hands)}")


def line(contract: Contract, size: int, count: int, rules: RuleSet) -> str:
    """Time the three questions about hands of one size."""
    hands = corpus(contract, size, count, rules)
    down = [hand for hand in hands if distance(hand, contract, rules) == 0]
    fields = [
        times(lambda hand: distance(hand, contract, rules), hands),
        times(lambda hand: outlook(hand, contract, rules), hands),
        times(lambda hand: best_laydown(hand, contract, rules), down),
    ]
    name = format_contract(contract)
    return f"{name:14} {size:2} " + " ".join(f"{f:>22}" for f in fields) + f" {len(down):6}"


def corpus(contract: Contract, size: int, count: int, rules: RuleSet) -> list[Hand]:
    """Random hands; every other one with wilds in it until it can go down or has six."""
    rng = random.Random(f"{SEED} {format_contract(contract)} {size}")
    deck = list(rules.deck_cards)
    wilds = sorted(rules.wilds)
    hands = []
    for i in range(count):
        hand: list[Card] = rng.sample(deck, size)
        if i % 2:
            for k in range(6):
                if distance(tuple(hand), contract, rules) == 0:
                    break
                hand[k] = rng.choice(wilds)
                if hand.count(hand[k]) > deck.count(hand[k]):
                    hand[k] = Card("JK")
        hands.append(sort_hand(hand))
    return hands


def positions(size: int, count: int, rules: RuleSet) -> tuple[tuple[TableMeld, ...], list[Hand]]:
    """A table of twelve melds, laid from random hands, and hands to lay off from."""
    rng = random.Random(f"{SEED} lay-offs {size}")
    deck = list(rules.deck_cards)
    table: list[TableMeld] = []
    while len(table) < 12:
        contract = rng.choice(rules.contracts)
        laydown = best_laydown(sort_hand(rng.sample(deck, 16)), contract, rules)
        for meld in laydown.melds if laydown else ():
            table.append(TableMeld(len(table), 0, meld))
    return tuple(table), [sort_hand(rng.sample(deck, size)) for _ in range(count)]


def times(call: Callable[[Hand], object], hands: list[Hand]) -> str:
    """Return p50, p99 and the longest of one call for each hand, in microseconds."""
    if not hands:
        return "-"
    clock = time.perf_counter
    for hand in hands:
        call(hand)
    found = []
    for hand in hands:
        least = 1.0
        for _ in range(3):
            started = clock()
            call(hand)
            least = min(least, clock() - started)
        found.append(least)
    found.sort()
    p50, p99, most = found[len(found) // 2], found[len(found) * 99 // 100], found[-1]
    return f"{p50 * 1e6:.1f}/{p99 * 1e6:.0f}/{most * 1e6:.0f}"


if __name__ == "__main__":
    main()
