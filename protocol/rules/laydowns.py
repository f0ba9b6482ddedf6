"""What a hand can do: go down, come closer, lay off. (first version)"""

from __future__ import annotations

from itertools import combinations

import msgspec

from ..errors import ErrorCode, NotationError
from .cards import CARDS, ORDER, PLACE_RANKS, RANK, SUITS, Card, Hand, remove_cards
from .contracts import Contract, MeldKind
from .melds import LayOff, Meld, TableMeld, extend, places_for, run_of, runs_keep_apart, set_of
from .rulesets import RuleSet


class Laydown(msgspec.Struct, frozen=True):
    """A way to go down, with what stays in hand and what that costs."""

    melds: tuple[Meld, ...]
    cards_left: Hand
    points_left: int


class _Count:
    def __init__(self, hand: Hand, rules: RuleSet) -> None:
        self.rules = rules
        self.wilds = [c for c in hand if c in rules.wilds]
        self.count: dict[Card, int] = {}
        for card in hand:
            if card not in rules.wilds:
                self.count[card] = self.count.get(card, 0) + 1
        self.ranks: dict[str, int] = {r: 0 for r in "3456789TJQKA"}
        for card, n in self.count.items():
            self.ranks[RANK[card]] = self.ranks.get(RANK[card], 0) + n


def _check(hand: Hand, contract: Contract) -> None:
    if not contract:
        raise NotationError("a contract asks for one meld or more", ErrorCode.BAD_CONTRACT)
    for card in hand:
        if card not in ORDER:
            raise NotationError(f"{card!r} is not a card", ErrorCode.BAD_CARD)


_WINDOWS: dict[tuple[str, int, int, int], list[tuple[int, int, tuple[Card, ...]]]] = {}


def _windows(rules: RuleSet, suit: str, size: int) -> list[tuple[int, int, tuple[Card, ...]]]:
    key = (suit, size, rules.low_place, rules.high_place)
    if key not in _WINDOWS:
        _WINDOWS[key] = [
            (low, n, tuple(Card(PLACE_RANKS[p] + suit) for p in range(low, low + n)))
            for n in range(size, min(rules.run.max, 13) + 1)
            for low in range(rules.low_place, rules.high_place - n + 2)
        ]
    return _WINDOWS[key]


_Run = tuple[str, int, int, tuple[Card, ...]]


def _single(
    hand: _Count, suit: str, size: int, most_gap: int, exact_only: bool
) -> list[tuple[int, int, _Run]]:
    rules, found = hand.rules, []
    for low, n, cards in _windows(rules, suit, size):
        if exact_only and n > size:
            break
        used = tuple([c for c in cards if c in hand.count])
        gap = n - len(used)
        if gap > most_gap:
            continue
        need = max(0, gap - rules.max_wilds(n))
        found.append((gap, need, (suit, low, n, used)))
    return found


def distance(hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None) -> int | None:
    """Fewest cards to add."""
    _check(hand, contract)
    count = _Count(hand, rules)
    sets = sorted((s.size for s in contract if s.kind is MeldKind.SET), reverse=True)
    runs = sorted((s.size for s in contract if s.kind is MeldKind.RUN), reverse=True)
    w = len(count.wilds)
    total = sum(sets) + sum(runs)
    least = max(0, total + (rules.out.empty_hand == "illegal") - len(hand))
    quotas = [k - rules.max_wilds(k) for k in sets]

    def set_cost(used: list[Card]) -> tuple[int, int]:
        ranks = dict(count.ranks)
        for card in used:
            ranks[RANK[card]] -= 1
        best = sorted(ranks.values(), reverse=True)
        return (
            sum([k - c for k, c in zip(sets, best, strict=False) if c < k]),
            sum([q - c for q, c in zip(quotas, best, strict=False) if c < q]),
        )

    best = 99
    if not runs:
        g, e = set_cost([])
        return max(g - w, e, least, 0)
    g0, e0 = set_cost([])
    options = sorted(
        (option for suit in SUITS for option in _single(count, suit, runs[0], 99, True)),
        key=lambda o: o[:2],
    )
    # longer runs only where the limit binds
    longer = [
        (gap, need, run)
        for suit in SUITS
        for gap, need, run in _single(count, suit, runs[0], 99, False)
        if run[2] > runs[0]
        and run[3]
        and len(run[3]) + gap == run[2]
        and RANK[run[3][0]] == PLACE_RANKS[run[1]]
        and RANK[run[3][-1]] == PLACE_RANKS[run[1] + run[2] - 1]
        and run[2] // 2 >= gap > 1
    ]
    if len(runs) == 1:
        for gap, need, run in options + sorted(longer, key=lambda o: o[:2]):
            if gap + g0 - w >= best:
                continue
            g, e = set_cost(list(run[3]))
            slack = max(0, run[2] - gap - (run[2] - rules.max_wilds(run[2])))
            e -= min(slack, e - e0)
            best = min(best, max(gap + g - w, need + e, least, 0))
        return best
    # several runs, no sets: additive
    options = sorted(options + longer, key=lambda o: o[:2])

    def search(i: int, gap: int, need: int, laid: list[_Run]) -> None:
        nonlocal best
        if len(laid) == len(runs):
            best = min(best, max(gap - w, need, least, 0))
            return
        left = len(runs) - len(laid)
        for j in range(i, len(options)):
            g, n, run = options[j]
            if gap + left * g - w >= best or best == least:
                return
            if max(gap + g - w, need + n) < best and all(
                run[0] != o[0]
                or runs_keep_apart(run[1], run[1] + run[2] - 1, o[1], o[1] + o[2] - 1, rules)
                for o in laid
            ):
                search(j + 1, gap + g, need + n, [*laid, run])

    search(0, 0, 0, [])
    return best


def useful_cards(hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None) -> Hand:
    """Cards of which adding one lowers the distance."""
    now = distance(hand, contract, rules, deal)
    return tuple(
        card for card in CARDS if now and distance((*hand, card), contract, rules, deal) != now
    )


def distance_after_discards(
    hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None
) -> dict[Card, int | None]:
    """For each distinct card the distance without one copy of it."""
    return {
        card: distance(remove_cards(hand, (card,)) or (), contract, rules, deal)
        for card in dict.fromkeys(hand)
    }


def best_laydown(
    hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None
) -> Laydown | None:
    """Fewest points left."""
    if distance(hand, contract, rules, deal) != 0:
        return None
    count = _Count(hand, rules)
    points = rules.points
    wilds = sorted(count.wilds, key=lambda c: (-points[c], ORDER[c]))
    w = len(wilds)
    value = [0]
    for card in wilds:
        value.append(value[-1] + points[card] * 64 + 1)
    weight = {card: points[card] * 64 + 1 for card in CARDS}
    sets = sorted((s.size for s in contract if s.kind is MeldKind.SET), reverse=True)
    runs = sorted((s.size for s in contract if s.kind is MeldKind.RUN), reverse=True)
    best = -1
    chosen: tuple[tuple[_Run, ...], tuple[str, ...], frozenset[Card], int] | None = None
    options = (
        sorted(
            (
                (gap, sum([weight[c] for c in run[3]]), run)
                for suit in SUITS
                for gap, need, run in _single(count, suit, runs[0], w, False)
                if need == 0
            ),
            key=lambda o: (-o[1], o[0]),
        )
        if runs
        else []
    )
    rank_weight = {
        rank: sum([n * weight[c] for c, n in count.count.items() if RANK[c] == rank])
        for rank in count.ranks
    }
    order = sorted(count.ranks, key=lambda r: -rank_weight[r])
    top = sum([rank_weight[r] for r in order[: len(sets)]])

    def judge(laid: list[_Run], ranks: tuple[str, ...]) -> None:
        nonlocal best, chosen
        naturals = sum([weight[c] for run in laid for c in run[3]])
        left = dict(count.ranks)
        contested = [c for run in laid for c in run[3] if RANK[c] in ranks]
        for run in laid:
            for card in run[3]:
                left[RANK[card]] -= 1
        naturals += sum(
            [
                (n - sum(c in run[3] for run in laid)) * weight[c]
                for c, n in count.count.items()
                if RANK[c] in ranks
            ]
        )
        if naturals + value[w] <= best:
            return
        for size in range(len(contested) + 1):
            for back in combinations(contested, size):
                least = most = 0
                for k, rank in zip(sets, ranks, strict=True):
                    c = left[rank] + sum(RANK[b] == rank for b in back)
                    if c < k - k // 2:
                        break
                    least += max(0, k - c)
                    most += c
                else:
                    costs = []
                    for run in laid:
                        gap = run[2] - len(run[3]) + sum(b in run[3] for b in back)
                        if gap > run[2] // 2:
                            break
                        least += gap
                        most += gap
                        spare = sorted(weight[c] for c in run[3] if c not in back)
                        costs += spare[: run[2] // 2 - gap]
                    else:
                        if least > w:
                            continue
                        use = min(w, most)
                        total = naturals + value[use]
                        for cost in sorted(costs):
                            if use == w or value[use + 1] - value[use] <= cost:
                                break
                            use += 1
                            total += value[use] - value[use - 1] - cost
                        if total > best:
                            best = total
                            chosen = (tuple(laid), ranks, frozenset(back), use)

    def pick_sets(laid: list[_Run], base: int) -> None:
        gaps = sum([run[2] - len(run[3]) for run in laid])
        for ranks in combinations(order, len(sets)):
            if (
                base + sum([rank_weight[r] for r in ranks]) + value[w] > best
                and gaps
                + sum(
                    [
                        k - count.ranks[r]
                        for k, r in zip(sets, ranks, strict=True)
                        if count.ranks[r] < k
                    ]
                )
                <= w
            ):
                judge(laid, ranks)

    def pick_runs(i: int, laid: list[_Run], base: int, gaps: int) -> None:
        if len(laid) == len(runs):
            pick_sets(laid, base)
            return
        need = len(runs) - len(laid)
        for j in range(i, len(options)):
            gap, naturals, run = options[j]
            if base + naturals * need + top + value[w] <= best:
                return
            if gaps + gap <= w and all(
                run[0] != o[0]
                or runs_keep_apart(run[1], run[1] + run[2] - 1, o[1], o[1] + o[2] - 1, rules)
                for o in laid
            ):
                pick_runs(j + 1, [*laid, run], base + naturals, gaps + gap)

    pick_runs(0, [], 0, 0)
    if chosen is None:
        return None
    return _build(hand, rules, sets, chosen, wilds, weight)


def _build(
    hand: Hand,
    rules: RuleSet,
    sets: list[int],
    chosen: tuple[tuple[_Run, ...], tuple[str, ...], frozenset[Card], int],
    wilds: list[Card],
    weight: dict[Card, int],
) -> Laydown:
    laid, ranks, back, use = chosen
    stack = wilds[:use]
    rest = [c for c in hand if c not in rules.wilds]
    gaps = sum([run[2] - sum(c not in back for c in run[3]) for run in laid])
    groups = []
    for run in laid:
        for card in run[3]:
            if card not in back:
                rest.remove(card)
    for k, rank in zip(sets, ranks, strict=True):
        cards = [c for c in rest if RANK[c] == rank]
        for card in cards:
            rest.remove(card)
        groups.append((rank, k, cards, max(0, k - len(cards))))
    spare = use - gaps - sum([group[3] for group in groups])
    melds = []
    for rank, _, cards, least in groups:
        more = max(0, min(spare, len(cards) - least))
        spare -= more
        melds.append(set_of(rank, [*cards, *[stack.pop() for _ in range(least + more)]]))
    held = {run: [c for c in run[3] if c not in back] for run in laid}
    by_price = sorted((weight[c], i, c) for i, run in enumerate(laid) for c in held[run])
    for _, i, card in by_price:
        run = laid[i]
        if spare > 0 and run[2] - len(held[run]) < run[2] // 2:
            held[run].remove(card)
            spare -= 1
    for run in laid:
        melds.append(
            run_of(
                run[0],
                run[1],
                [
                    card if (card := Card(PLACE_RANKS[p] + run[0])) in held[run] else stack.pop()
                    for p in range(run[1], run[1] + run[2])
                ],
            )
        )
    left = remove_cards(hand, [c for meld in melds for c in meld.cards])
    assert left is not None
    return Laydown(tuple(melds), left, rules.hand_points(left))


def lay_offs(hand: Hand, table: tuple[TableMeld, ...], rules: RuleSet) -> tuple[LayOff, ...]:
    """Shed points."""
    melds = {target.number: target.meld for target in table}
    rest = list(hand)
    found: list[LayOff] = []
    while True:
        if rules.out.empty_hand == "illegal" and len(rest) == 1:
            return tuple(found)
        options = [
            (
                card in rules.wilds,
                meld.kind is MeldKind.SET,
                -rules.points[card],
                number,
                place,
                card,
            )
            for number, meld in melds.items()
            for card in dict.fromkeys(rest)
            for place in places_for(meld, card, rules)
        ]
        if not options:
            return tuple(found)
        _, _, _, number, place, card = min(options)
        rest.remove(card)
        melds[number] = extend(melds[number], card, place)
        found.append(LayOff(number, card, place))
