"""The laydown search against plain enumeration, on seeded hands under many rule sets.

A sample runs with the other tests. The full run, some minutes on one core:

    PYTHONPATH=tests python tests/rules/test_laydowns_oracle.py --hands 20000

prints what it compared, or a hand that the search gets wrong with its seed.
Where the search reasons (about flows, bounds, ranks counted together), the oracle
tries: every place and length of every run, every rank for every set, every way to
hand the cards that several melds want to one of them. It gives up on a branch only
when even free cards for everything still open would not make it better.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import pytest

from builders import rules as variant
from hollywood.protocol.rules import (
    CARDS,
    Card,
    Contract,
    Hand,
    Laydown,
    MeldKind,
    RuleSet,
    best_laydown,
    distance,
    parse_contract,
)
from hollywood.protocol.rules.cards import PLACE_RANKS, RANK, RANKS, SUITS, remove_cards, sort_hand
from hollywood.protocol.rules.laydowns import outlook
from hollywood.protocol.rules.melds import check_contract, runs_keep_apart, set_ranks

SEED = 20240611


class Shape(NamedTuple):
    """A meld without its cards: a rank, or a suit with a lowest place; and a size."""

    rank: str
    suit: str
    low: int
    size: int

    def wants(self) -> tuple[Card, ...]:
        """The naturals of a run's places."""
        places = range(self.low, self.low + self.size)
        return tuple(Card(PLACE_RANKS[place] + self.suit) for place in places)


class Oracle:
    """Everything about one hand, by trying."""

    def __init__(self, hand: Hand, contract: Contract, rules: RuleSet) -> None:
        self.hand, self.contract, self.rules = hand, contract, rules
        self.count = Counter(hand)
        self.wilds = [card for card in hand if card in rules.wilds]
        self.exact = rules.meld.oversize == "exact"
        self.keep = 1 if rules.out.empty_hand == "illegal" else 0
        self.twos_natural = rules.has_natural_twos

    def stands_for_itself(self, card: Card) -> bool:
        """Whether the card is natural in its own place."""
        return card not in self.rules.wilds or (self.twos_natural and RANK[card] == "2")

    # -- shapes

    def shapes(self, kind: MeldKind, size: int) -> Iterator[Shape]:
        """Every shape for one meld of the contract."""
        rules = self.rules
        if kind is MeldKind.SET:
            largest = size if self.exact else max(size, rules.wild.min_naturals) + 1
            for n in range(size, largest + 1):
                for rank in set_ranks(rules):
                    if rules.max_wilds(n) >= 0:
                        yield Shape(rank, "", 0, n)
            return
        for suit in SUITS:
            for n in range(size, (size if self.exact else min(13, rules.run.max)) + 1):
                for low in range(rules.low_place, rules.high_place - n + 2):
                    shape = Shape("", suit, low, n)
                    only_wild = sum(not self.stands_for_itself(card) for card in shape.wants())
                    if only_wild <= rules.max_wilds(n):
                        yield shape

    def held(self, shape: Shape) -> int:
        """How many naturals the meld would have if no other meld wanted any."""
        if shape.suit:
            cards = [card for card in shape.wants() if card not in self.rules.wilds]
            return sum(self.count[card] > 0 for card in cards)
        cards = [Card(shape.rank + suit) for suit in SUITS]
        return min(
            shape.size, sum(self.count[card] for card in cards if card not in self.rules.wilds)
        )

    def may_stand_together(self, one: Shape, other: Shape) -> bool:
        """Whether one contract may have both melds."""
        if one.suit and one.suit == other.suit:
            return runs_keep_apart(
                one.low, one.low + one.size - 1, other.low, other.low + other.size - 1, self.rules
            )
        return self.rules.set.same_rank == "allow" or not one.rank or one.rank != other.rank

    # -- who gets which natural

    def assignments(self, shapes: list[Shape]) -> Iterator[list[Counter[Card]]]:
        """Every way to deal naturals to the shapes, wanted by several or not.

        A card that only one meld can use goes there.
        """
        users: dict[Card, list[int]] = {}
        for i, shape in enumerate(shapes):
            cards = shape.wants() if shape.suit else [Card(shape.rank + s) for s in SUITS]
            for card in dict.fromkeys(cards):
                if self.count[card] and self.stands_for_itself(card):
                    users.setdefault(card, []).append(i)
        choices = []
        for card, melds in users.items():
            ways = []
            is_wild = card in self.rules.wilds
            for given in product(range(self.count[card] + 1), repeat=len(melds)):
                if any(n > 1 and shapes[m].suit for n, m in zip(given, melds, strict=True)):
                    continue
                if sum(given) > self.count[card]:
                    continue
                room = [1 if shapes[m].suit else self.count[card] for m in melds]
                if not is_wild and sum(given) < min(self.count[card], sum(room)):
                    continue
                ways.append(dict(zip(melds, given, strict=True)))
            choices.append([(card, way) for way in ways])
        for choice in product(*choices):
            dealt: list[Counter[Card]] = [Counter() for _ in shapes]
            for card, way in choice:
                for meld, n in way.items():
                    dealt[meld][card] += n
            yield dealt

    # -- distance

    def distance(self) -> int | None:
        """The fewest cards to add."""
        specs = sorted(self.contract, key=lambda spec: (spec.kind is MeldKind.SET, -spec.size))
        lists = [
            sorted(
                self.shapes(spec.kind, spec.size),
                key=lambda shape: (shape.size - self.held(shape), shape),
            )
            for spec in specs
        ]
        best: int | None = None
        wilds = len(self.wilds)
        shortest = max(0, sum(spec.size for spec in self.contract) + self.keep - len(self.hand))

        def choose(laid: list[Shape], first: int, gap: int) -> None:
            nonlocal best
            i = len(laid)
            if i == len(specs):
                found = self._lacking(laid)
                best = found if best is None else min(best, found)
                return
            ahead = sum(
                (lists[k][0].size - self.held(lists[k][0]) if lists[k] else 0)
                for k in range(i + 1, len(specs))
            )
            start = first if i and specs[i] == specs[i - 1] else 0
            for j in range(start, len(lists[i])):
                shape = lists[i][j]
                more = shape.size - self.held(shape)
                if best is not None and gap + more + ahead - wilds >= best:
                    return
                if best == shortest:
                    return
                if all(self.may_stand_together(shape, other) for other in laid):
                    choose([*laid, shape], j, gap + more)

        choose([], 0, 0)
        return best

    def _lacking(self, shapes: list[Shape]) -> int:
        """The fewest cards that complete these shapes."""
        limits = [self.rules.max_wilds(shape.size) for shape in shapes]
        size = sum(shape.size for shape in shapes)
        short = max(0, size + self.keep - len(self.hand))
        best = 1000
        for dealt in self.assignments(shapes):
            wilds = len(self.wilds) - sum(
                n for cards in dealt for card, n in cards.items() if card in self.rules.wilds
            )
            gaps = [
                max(0, shape.size - cards.total())
                for shape, cards in zip(shapes, dealt, strict=True)
            ]
            usable = sum(map(min, gaps, limits))
            best = min(best, max(short, sum(gaps) - min(wilds, usable)))
        return best

    # -- the best laydown

    def best(self) -> tuple[int, int] | None:
        """Points and cards left by the best laydown, None if there is none."""
        points = self.rules.points
        weight = {card: points[card] * 100 + 1 for card in CARDS}
        specs = sorted(self.contract, key=lambda spec: (spec.kind is MeldKind.SET, -spec.size))
        wild_weight = sum(weight[card] for card in self.wilds)
        naturals = {
            rank: sum(
                weight[card] * n
                for card, n in self.count.items()
                if RANK[card] == rank and card not in self.rules.wilds
            )
            for rank in RANKS
        }

        def most(shape: Shape) -> int:
            if shape.rank:
                return naturals[shape.rank]
            cards = [card for card in shape.wants() if card not in self.rules.wilds]
            return sum(weight[card] for card in cards if self.count[card])

        # A set's size is left open: its shape has the least there can be.
        least = {
            spec: min((s.size for s in self.shapes(spec.kind, spec.size)), default=0)
            for spec in specs
        }
        lists = []
        for spec in specs:
            shapes = [
                shape
                for shape in self.shapes(spec.kind, spec.size)
                if (self._may_be_filled(shape) if shape.suit else shape.size == least[spec])
            ]
            lists.append(sorted(shapes, key=lambda shape: (-most(shape), shape)))
        if not all(lists):
            return None
        best: tuple[int, int] | None = None
        total = sum(weight[card] for card in self.hand)

        def choose(laid: list[Shape], first: int, bound: int, gap: int) -> None:
            nonlocal best
            i = len(laid)
            if i == len(specs):
                for found in self._laid(laid, weight):
                    if best is None or found > best:
                        best = found
                return
            start = first if i and specs[i] == specs[i - 1] else 0
            ahead = sum(most(lists[k][0]) for k in range(i + 1, len(specs)))
            for j in range(start, len(lists[i])):
                shape = lists[i][j]
                if best is not None and bound + most(shape) + ahead <= best[0]:
                    return
                lacking = gap + max(0, shape.size - self.held(shape))
                if lacking <= len(self.wilds) and all(
                    self.may_stand_together(shape, other) for other in laid
                ):
                    choose([*laid, shape], j, bound + most(shape), lacking)

        choose([], 0, wild_weight, 0)
        if best is None:
            return None
        points_laid, cards_laid = best[1] // 1000, best[1] % 1000
        assert total >= best[0]
        return (self.rules.hand_points(self.hand) - points_laid, len(self.hand) - cards_laid)

    def _may_be_filled(self, shape: Shape) -> bool:
        gap = shape.size - self.held(shape)
        most = self.rules.max_wilds(shape.size) + self.twos_natural
        return gap <= min(most, len(self.wilds))

    def _laid(self, shapes: list[Shape], weight: dict[Card, int]) -> Iterator[tuple[int, int]]:
        """Weight and (1000 x points + cards) of all ways to fill these shapes.

        Runs are filled at their size. Whether a set takes one natural more never
        matters to another meld, so sets take all that were dealt to them, or as
        many as their size under exact sizes.
        """
        points = self.rules.points
        for dealt in self._with_dropped(shapes):
            pool = Counter(self.wilds)
            for cards in dealt:
                pool -= Counter({c: n for c, n in cards.items() if c in self.rules.wilds})
            laid = [card for cards in dealt for card in cards.elements()]
            sizes = [cards.total() for cards in dealt]
            ranges = []
            for shape, n in zip(shapes, sizes, strict=True):
                if shape.suit or self.exact:
                    amounts: list[int] = [shape.size - n]
                else:
                    amounts = list(range(max(0, shape.size - n), len(self.wilds) + 1))
                ranges.append([w for w in amounts if 0 <= w <= self.rules.max_wilds(n + w)])
            no_twos = [bool(shape.rank == "2" and self.twos_natural) for shape in shapes]
            for used in self._totals(ranges, no_twos, pool):
                whole = [*laid, *used]
                if len(whole) + self.keep <= len(self.hand):
                    value = sum(weight[card] for card in whole)
                    yield value, 1000 * sum(points[card] for card in whole) + len(whole)

    def _with_dropped(self, shapes: list[Shape]) -> Iterator[list[Counter[Card]]]:
        """Every assignment, also with naturals left in hand where a wild may lie instead."""
        for dealt in self.assignments(shapes):
            options = []
            for shape, cards in zip(shapes, dealt, strict=True):
                if shape.suit:
                    held = sorted(cards.elements())
                    limit = self.rules.max_wilds(shape.size) - (shape.size - len(held))
                    drops: list[Counter[Card]] = [
                        Counter(card for k, card in enumerate(held) if not bits >> k & 1)
                        for bits in range(1 << len(held))
                        if bits.bit_count() <= limit
                    ]
                elif self.exact:
                    held = list(cards.elements())
                    drops = [Counter(held[:n]) for n in range(min(len(held), shape.size) + 1)]
                else:
                    drops = [cards]
                    if self.keep:
                        drops += [cards - Counter([card]) for card in cards]
                options.append(drops)
            for choice in product(*options):
                yield list(choice)

    def _totals(
        self, ranges: list[list[int]], no_twos: list[bool], pool: Counter[Card]
    ) -> Iterator[list[Card]]:
        """The dearest wilds for every total that the melds can take."""
        points = self.rules.points
        dearest = sorted(pool.elements(), key=lambda card: -points[card])
        if any(no_twos):
            seen: set[tuple[int, int]] = set()
            for amounts in product(*ranges):
                others = sum(n for n, no in zip(amounts, no_twos, strict=True) if no)
                both = (others, sum(amounts))
                if both in seen:
                    continue
                seen.add(both)
                first = [card for card in dearest if RANK[card] != "2"][:others]
                if len(first) == others and both[1] <= len(dearest):
                    rest = list(dearest)
                    for card in first:
                        rest.remove(card)
                    yield first + rest[: both[1] - others]
            return
        totals = {0}
        for choice in ranges:
            totals = {a + b for a in totals for b in choice if a + b <= len(dearest)}
        for n in totals:
            yield dearest[:n]


# -- corpora

CONTRACTS = [
    "2xS3", "2xS3 + R4", "2xS4", "3xS3 + R4", "3xR4",
    "S3 + R7", "2xS3 + R5", "S3 + R10", "3xS4", "3xR5",
]  # fmt: skip
OTHER_CONTRACTS = [
    "S2 + S5", "2xR4", "S3 + 2xR4", "R3 + R5", "S4 + R4", "R4", "3xR3", "S3",
    "2xS3 + 2xR4", "S2 + S4 + R3", "S3 + R3 + R4",
]  # fmt: skip

VARIANTS: list[tuple[str, RuleSet]] = [
    ("hollywood", variant()),
    ("fewer", variant(wild__limit="fewer")),
    ("none", variant(wild__limit="none")),
    ("one", variant(wild__limit=1, wild__min_naturals=1)),
    ("two naturals", variant(wild__limit="none", wild__min_naturals=2)),
    ("exact", variant(meld__oversize="exact")),
    ("same rank", variant(set__same_rank="allow")),
    ("any", variant(run__same_suit="any")),
    ("no_adjacent", variant(run__same_suit="no_adjacent")),
    ("gap2", variant(run__same_suit="gap2")),
    ("different", variant(run__same_suit="different")),
    ("ace both", variant(run__ace="both", run__low_rank="A", run__max=13)),
    ("ace low", variant(run__ace="low", run__low_rank="A", run__max=13)),
    ("low two", variant(run__low_rank="2", run__max=13)),
    ("keep one", variant(out__empty_hand="illegal")),
    (
        "seven",
        variant(
            wild__limit="fewer", wild__natural_twos="in_place", set__same_rank="allow",
            run__same_suit="any", run__ace="both", run__low_rank="A", run__max=13,
            score__ranks={"3456789": 5, "TJQK": 10, "A": 15, "2": 20}, score__joker=50,
        ),
    ),
    (
        "dummy",
        variant(
            wild__limit="none", wild__natural_twos="in_place", set__same_rank="allow",
            meld__oversize="exact", run__same_suit="any", run__ace="both", run__low_rank="A",
            run__max=13, out__empty_hand="illegal",
            score__ranks={"3456789": 5, "TJQK": 10, "A": 15, "2": 20},
        ),
    ),
    ("twos in gaps", variant(wild__natural_twos="in_place", run__low_rank="2", run__max=13)),
    ("jokers only", variant(wild__ranks=("JK",), run__low_rank="A", run__ace="both")),
    ("cheap wilds", variant(score__joker=1, score__ranks={"3456789TJQKA": 10, "2": 3})),
]  # fmt: skip


def hands(rng: random.Random, rules: RuleSet, n: int) -> Iterator[Hand]:
    """Random hands and hands made to hurt: many wilds, two suits, few ranks, near runs."""
    deck = list(rules.deck_cards)
    wilds = [card for card in deck if card in rules.wilds]
    for i in range(n):
        size = rng.randint(4, 16)
        match i % 8:
            case 0 | 1 | 2:
                cards = rng.sample(deck, size)
            case 3:
                w = rng.randint(1, min(7, size))
                cards = [*rng.sample(wilds, w), *rng.sample(deck, size - w)]
            case 4:
                suits = rng.sample(SUITS, 2)
                some = [card for card in deck if card[1:] in suits]
                w = rng.randint(0, 2)
                cards = [*rng.sample(some, size - w), *rng.sample(wilds, w)]
            case 5:
                ranks = rng.sample(RANKS, 3)
                some = [card for card in deck if card[0] in ranks]
                cards = [*rng.sample(some, max(0, size - 3)), *rng.sample(wilds, 2)]
            case 6:
                suit = rng.choice(SUITS)
                some = [card for card in deck if card[1:] == suit]
                cards = rng.sample(some, min(size, 12)) + rng.sample(deck, 2)
            case _:
                some = [card for card in deck if card[0] in "2A345QK" or card == "JK"]
                cards = rng.sample(some, size)
        kept: Counter[Card] = Counter()
        for card in cards:
            if kept[card] < deck.count(card):
                kept[card] += 1
        yield sort_hand(kept.elements())


def cases(seed: int, n: int) -> Iterator[tuple[str, RuleSet, Contract, Hand]]:
    """Seeded cases; every other one under plain Hollywood rules."""
    rng = random.Random(seed)
    made = {name: hands(rng, rules, n) for name, rules in VARIANTS}
    for i in range(n):
        name, rules = VARIANTS[0] if i % 2 else VARIANTS[1 + i // 2 % (len(VARIANTS) - 1)]
        texts = CONTRACTS if i % 2 or i % 3 else OTHER_CONTRACTS
        contract = parse_contract(rng.choice(texts))
        hand = next(made[name], None)
        if hand is not None:
            yield name, rules, contract, hand


def check_case(name: str, rules: RuleSet, contract: Contract, hand: Hand, seed: int) -> None:
    """Compare all answers about one hand."""
    note = f"{name}: {contract} with {' '.join(hand)} (seed {seed})"
    oracle = Oracle(hand, contract, rules)
    now = distance(hand, contract, rules)
    assert now == oracle.distance(), note
    found = best_laydown(hand, contract, rules)
    assert (found is not None) == (now == 0), note
    if found is not None:
        check_laydown(found, hand, contract, rules, note)
        assert (found.points_left, len(found.cards_left)) == oracle.best(), note
    look = outlook(hand, contract, rules)
    assert look.distance == now, note
    assert set(look.after_discards) == set(hand), note
    copies = Counter(rules.deck_cards)
    for card, after in look.after_discards.items():
        rest = remove_cards(hand, (card,))
        assert rest is not None
        assert after == distance(rest, contract, rules), f"{note} without {card}"
    useful = []
    for card in CARDS:
        if hand.count(card) < copies[card]:
            then = distance(sort_hand((*hand, card)), contract, rules)
            if now is not None and then is not None and then < now:
                useful.append(card)
    assert look.useful == tuple(useful), note


def check_laydown(
    found: Laydown, hand: Hand, contract: Contract, rules: RuleSet, note: str
) -> None:
    """The melds are the contract, from the hand, and the rest is the rest."""
    violation = check_contract(found.melds, contract, rules)
    assert violation is None, f"{note}: {violation}"
    laid = [card for meld in found.melds for card in meld.cards]
    assert sort_hand([*laid, *found.cards_left]) == sort_hand(hand), note
    assert found.points_left == rules.hand_points(found.cards_left), note
    assert found.cards_left or rules.out.empty_hand != "illegal", note


@pytest.mark.parametrize("seed", range(SEED, SEED + 4))
def test_search_equals_enumeration(seed: int) -> None:
    for name, rules, contract, hand in cases(seed, 100):
        check_case(name, rules, contract, hand, seed)


def main() -> None:
    """Compare as many hands as asked for."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--hands", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--keep-going", action="store_true")
    args = parser.parse_args()
    started, done, wrong = time.perf_counter(), 0, 0
    by_variant: Counter[str] = Counter()
    slowest = (0.0, "")
    for name, rules, contract, hand in cases(args.seed, args.hands):
        before = time.perf_counter()
        try:
            check_case(name, rules, contract, hand, args.seed)
        except AssertionError as error:
            if not args.keep_going:
                raise
            wrong += 1
            sys.stdout.write(f"WRONG {str(error).splitlines()[0]}\n")
        slowest = max(slowest, (time.perf_counter() - before, f"{name} {contract} {hand}"))
        done += 1
        by_variant[name] += 1
    seconds = time.perf_counter() - started
    sys.stdout.write(f"{done} hands, {wrong} wrong, {seconds:.0f} s; {dict(by_variant)}\n")
    sys.stdout.write(f"slowest {slowest}\n")


if __name__ == "__main__":
    main()
