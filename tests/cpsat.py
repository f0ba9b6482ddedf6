"""The laydown search's questions as models for OR-tools CP-SAT, a second oracle.

A model knows melds as the rules define them: for a set its rank, for a run its suit,
lowest place and size, each with the hand's naturals and wilds in it and with cards
added; and no more than that about how they can be found. It holds for every option
that touches a laydown but `run.suit = "any"` and `run.wrap`.

OR-tools is installed by the group `bench` only; without it the tests that need this
are skipped. The full comparison is one command:

    PYTHONPATH=tests python tests/cpsat.py --hands 3000
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from typing import Any

from hollywood.protocol.rules import (
    Card,
    Contract,
    Hand,
    MeldKind,
    RuleSet,
    best_laydown,
    distance,
    format_contract,
    load_rules,
)
from hollywood.protocol.rules.cards import HIGH_ACE, PLACE_RANKS, RANK, SUITS, sort_hand
from hollywood.protocol.rules.melds import set_ranks
from laydown_hands import SEED, SHIPPED, adverse, contracts_of

cp_model: Any = import_module("ortools.sat.python.cp_model")
"""Without its types: they are not there where OR-tools is not."""

LONGEST = 13
POINT = 64
"""The weight of a point; a card more weighs one."""

Expr = Any
Terms = list[Expr]

Windows = dict[tuple[str, int, int], Expr]
"""Whether a run lies in a suit from one place to another."""


class Model:
    """One hand and one contract; ask either for the distance or for the best laydown."""

    def __init__(self, hand: Hand, contract: Contract, rules: RuleSet, *, may_add: bool) -> None:
        self.hand, self.rules, self.may_add = hand, rules, may_add
        self.count = Counter(hand)
        self.model = cp_model.CpModel()
        self.wilds: Terms = []
        """How many of the hand's wilds each meld has."""
        self.used: dict[Card, Terms] = {}
        """The uses of each card of the hand as a natural."""
        self.added: Terms = []
        self.sizes: Terms = []
        sets, runs = [], []
        for spec in contract:
            if spec.kind is MeldKind.SET:
                sets.append(self._set(spec.size))
            else:
                runs.append(self._run(spec.size))
        if rules.set.same_rank == "forbid":
            for rank in set_ranks(rules):
                self.model.add_at_most_one(ranks[rank] for ranks in sets)
        for i, one in enumerate(runs):
            for other in runs[i + 1 :]:
                self._keep_apart(one, other)
        self._supply()

    def distance(self) -> int | None:
        """The fewest cards to add; None if none would do."""
        added = self.model.new_int_var(0, 200, "distance")
        keep = self.rules.out.empty_hand == "illegal"
        self.model.add(added >= sum(self.added))
        self.model.add(len(self.hand) + added >= sum(self.sizes) + keep)
        self.model.minimize(added)
        return self._solve()

    def best(self) -> tuple[int, int] | None:
        """The points and the cards that the best laydown leaves; None if there is none."""
        points = self.rules.points
        kinds = {
            card: self.model.new_int_var(0, n, f"wild {card}")
            for card, n in self.count.items()
            if card in self.rules.wilds
        }
        for card, var in kinds.items():
            self.model.add(var + sum(self.used.get(card, [])) <= self.count[card])
        self.model.add(sum(kinds.values()) == sum(self.wilds))
        keep = self.rules.out.empty_hand == "illegal"
        self.model.add(sum(self.sizes) + keep <= len(self.hand))
        laid: Terms = [(points[card] * POINT + 1) * var for card, var in kinds.items()]
        laid += [(points[card] * POINT + 1) * sum(uses) for card, uses in self.used.items() if uses]
        self.model.maximize(sum(laid))
        weight = self._solve()
        if weight is None:
            return None
        whole = sum(points[card] * POINT + 1 for card in self.hand)
        return (whole - weight) // POINT, (whole - weight) % POINT

    def _solve(self) -> int | None:
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        status = solver.solve(self.model)
        if status == cp_model.INFEASIBLE:
            return None
        assert status == cp_model.OPTIMAL, solver.status_name(status)
        value: int = round(solver.objective_value)
        return value

    # -- melds

    def _is_natural(self, card: Card) -> bool:
        """Whether the card is natural in its own place."""
        rules = self.rules
        return card not in rules.wilds or (rules.has_natural_twos and RANK[card] == "2")

    def _natural(self, card: Card, most: int, condition: Expr) -> Terms:
        """The uses of a card as a natural in one meld, from the hand and added."""
        found: Terms = []
        if not self._is_natural(card):
            return found
        if self.count[card]:
            own = self.model.new_int_var(0, min(most, self.count[card]), f"own {card}")
            self.used.setdefault(card, []).append(own)
            found.append(own)
        if self.may_add:
            more = self.model.new_int_var(0, most, f"add {card}")
            self.added.append(more)
            found.append(more)
        if found:
            self.model.add(sum(found) <= most * condition)
        return found

    def _wilds(self, count: Expr) -> None:
        """So many places of a meld have wilds."""
        own = self.model.new_int_var(0, len(self.hand), "wilds")
        self.wilds.append(own)
        more = self.model.new_int_var(0, 60 if self.may_add else 0, "added wilds")
        self.added.append(more)
        self.model.add(own + more == count)

    def _set(self, least: int) -> dict[str, Expr]:
        rules, model = self.rules, self.model
        most = least if rules.meld.oversize == "exact" else max(least, len(self.hand)) + 4
        ranks = {rank: model.new_bool_var(f"set of {rank}") for rank in set_ranks(rules)}
        model.add_exactly_one(ranks.values())
        copies = 1 if rules.set.distinct_suits else most
        naturals: Terms = []
        for rank, chosen in ranks.items():
            for suit in SUITS:
                naturals += self._natural(Card(rank + suit), copies, chosen)
        size = model.new_int_var(least, most, "size")
        wilds = model.new_int_var(0, most, "wilds in set")
        model.add(sum(naturals) + wilds == size)
        limits = [rules.max_wilds(n) for n in range(most + 1)]
        limit = model.new_int_var(-9, most, "limit")
        model.add_element(size, limits, limit)
        model.add(wilds <= limit)
        self._wilds(wilds)
        self.sizes.append(size)
        return ranks

    def _run(self, least: int) -> Windows:
        rules, model = self.rules, self.model
        longest = min(LONGEST, rules.run.max)
        windows: Windows = {
            (suit, low, low + size - 1): model.new_bool_var(f"run {low} {size}{suit}")
            for suit in SUITS
            for size in range(least, (least if rules.meld.oversize == "exact" else longest) + 1)
            for low in range(rules.low_place, min(rules.high_place, HIGH_ACE) - size + 2)
            if rules.max_wilds(size) >= 0
        }
        model.add_exactly_one(windows.values())
        naturals: Terms = []
        for suit in SUITS:
            wild_at: list[Expr] = []
            for place in range(rules.low_place, HIGH_ACE + 1):
                covered = covers(windows, suit, place)
                here = self._natural(Card(PLACE_RANKS[place] + suit), 1, covered)
                naturals += here
                wild_at.append(covered - sum(here))
            for wild in wild_at:
                model.add(wild >= 0)
            if rules.wild.adjacent == "forbid":
                for wild, beside in pairwise(wild_at):
                    model.add(wild + beside <= 1)
        size = sum((high - low + 1) * var for (_, low, high), var in windows.items())
        limit = sum(
            rules.max_wilds(high - low + 1) * var for (_, low, high), var in windows.items()
        )
        wilds = size - sum(naturals)
        model.add(wilds <= limit)
        model.add(wilds >= 0)
        self._wilds(wilds)
        self.sizes.append(size)
        return windows

    def _keep_apart(self, one: Windows, other: Windows) -> None:
        rules, model = self.rules, self.model
        apart = {"gap": 1, "gap2": 2, "different": LONGEST}.get(rules.run.same_suit)
        for suit in SUITS:
            for place in range(rules.low_place, HIGH_ACE + 1):
                if apart is not None:
                    for beside in range(place - apart, place + apart + 1):
                        model.add(covers(one, suit, place) + covers(other, suit, beside) <= 1)
                elif rules.run.same_suit == "no_adjacent":
                    for left, right in ((one, other), (other, one)):
                        ends = [v for (s, _, high), v in left.items() if (s, high) == (suit, place)]
                        starts = [
                            v for (s, low, _), v in right.items() if (s, low) == (suit, place + 1)
                        ]
                        model.add(sum(ends) + sum(starts) <= 1)

    def _supply(self) -> None:
        """No card is used more often than there is one; twos are natural or wild."""
        rules = self.rules
        for card, uses in self.used.items():
            self.model.add(sum(uses) <= self.count[card])
        wild = sum(n for card, n in self.count.items() if card in rules.wilds)
        natural = [use for card, uses in self.used.items() if card in rules.wilds for use in uses]
        self.model.add(sum(self.wilds) + sum(natural) <= wild)


def covers(windows: Windows, suit: str, place: int) -> Expr:
    """Whether a run covers a place."""
    return sum(v for (s, low, high), v in windows.items() if s == suit and low <= place <= high)


def compare(hand: Hand, contract: Contract, rules: RuleSet) -> str:
    """Return what differs between the search and CP-SAT, nothing if all is alike."""
    wanted = Model(hand, contract, rules, may_add=True).distance()
    found = distance(hand, contract, rules)
    if wanted != found:
        return f"distance {found}, not {wanted}"
    laydown = best_laydown(hand, contract, rules)
    left = None if laydown is None else (laydown.points_left, len(laydown.cards_left))
    best = Model(hand, contract, rules, may_add=False).best()
    return "" if left == best else f"best laydown leaves {left}, not {best}"


def cases(hands: int, seed: int) -> Iterator[tuple[RuleSet, Contract, Hand]]:
    """Adverse hands for the contracts of the rule sets that the search knows all about."""
    whole = [
        (rules, contract)
        for rules in map(load_rules, SHIPPED)
        if rules.run.suit == "same" and not rules.run.wrap and rules.wild.adjacent == "allow"
        for contract in contracts_of(rules)
    ]
    rng = random.Random(seed)
    streams = [adverse(rules, contract, hands, seed) for rules, contract in whole]
    for _ in range(hands):
        k = rng.randrange(len(whole))
        hand = next(streams[k])
        size = rng.randint(6, 22)
        yield (*whole[k], sort_hand(rng.sample(hand, min(size, len(hand)))))


def main() -> int:
    """Compare the search with CP-SAT."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--hands", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=SEED)
    args = parser.parse_args()
    wrong = done = down = 0
    for rules, contract, hand in cases(args.hands, args.seed):
        difference = compare(hand, contract, rules)
        done += 1
        down += distance(hand, contract, rules) == 0
        if difference:
            wrong += 1
            name = f"{rules.name} {format_contract(contract)}"
            sys.stdout.write(f"WRONG {name} with {' '.join(hand)}: {difference}\n")
    sys.stdout.write(f"{done} hands, {down} of them can go down, {wrong} wrong\n")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
