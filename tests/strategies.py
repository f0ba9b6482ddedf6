"""Random players that play legally, and deals in which things happen.

Random hands hardly ever go down. So the players here look for a contract with a
simple search of their own, and `rig` deals hands that are nearly there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from msgspec.structs import replace

from builders import Steps, waited_for
from hollywood.protocol.rules import (
    Card,
    Claim,
    Contract,
    Event,
    GameState,
    Hand,
    Meld,
    MeldKind,
    MeldSpec,
    Pass,
    Phase,
    Play,
    PlayerView,
    RuleSet,
    TableMeld,
    apply,
    time_out,
    view,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.cards import PLACE_RANKS, RANKS, SUITS, remove_cards, sort_hand
from hollywood.protocol.rules.melds import extend, run_of, runs_keep_apart, set_of
from hollywood.protocol.rules.turns import (
    discardable,
    lay_offs_now,
    may_lay_off_now,
    table_after_melds,
)

TRIES = 2
"""How often a player looks for its contract in one turn."""


def find_contract(
    hand: Hand, contract: Contract, rules: RuleSet, rng: Random
) -> tuple[Meld, ...] | None:
    """Look for melds that meet the contract. It may miss them; what it finds is legal."""
    for _ in range(TRIES):
        cards, wilds = Counter(hand), [card for card in hand if card in rules.wilds]
        found: list[Meld] = []
        for spec in sorted(contract, key=lambda s: (s.kind is MeldKind.SET, -s.size)):
            build = _build_set if spec.kind is MeldKind.SET else _build_run
            meld = build(cards, wilds, spec, found, rules, rng)
            if meld is None:
                break
            found.append(meld)
        else:
            return tuple(found)
    return None


def _build_set(
    cards: Counter[Card],
    wilds: list[Card],
    spec: MeldSpec,
    found: Sequence[Meld],
    rules: RuleSet,
    rng: Random,
) -> Meld | None:
    used = {meld.rank for meld in found} if rules.set.same_rank == "forbid" else set()
    most = min(rules.max_wilds(spec.size), len(wilds))
    ranks = [rank for rank in RANKS if rank not in (*rules.wild.ranks, *used)]
    rng.shuffle(ranks)
    for rank in ranks:
        own = [Card(rank + suit) for suit in SUITS for _ in range(cards[Card(rank + suit)])]
        if len(own) + most >= spec.size:
            own = own if rng.random() < 0.5 else own[: spec.size]
            own += [wilds.pop() for _ in range(spec.size - len(own))]
            cards.subtract(own)
            return set_of(rank, own)
    return None


def _build_run(
    cards: Counter[Card],
    wilds: list[Card],
    spec: MeldSpec,
    found: Sequence[Meld],
    rules: RuleSet,
    rng: Random,
) -> Meld | None:
    most = min(rules.max_wilds(spec.size), len(wilds))
    spans = [
        (suit, low)
        for suit in SUITS
        for low in range(rules.low_place, rules.high_place - spec.size + 2)
        if all(
            runs_keep_apart(low, low + spec.size - 1, meld.low, meld.high, rules)
            for meld in found
            if meld.suit == suit
        )
    ]
    rng.shuffle(spans)
    for suit, low in spans:
        wanted = [Card(PLACE_RANKS[low + i] + suit) for i in range(spec.size)]
        missing = sum(not cards[card] or card in rules.wilds for card in wanted)
        if missing <= most:
            own = [c if cards[c] and c not in rules.wilds else wilds.pop() for c in wanted]
            cards.subtract(own)
            return run_of(suit, low, own)
    return None


def random_play(seen: PlayerView, rng: Random) -> Play:
    """A whole legal turn: go down when a contract is found, lay off, discard."""
    melds: tuple[Meld, ...] = ()
    if not seen.is_down and rng.random() < 0.9:
        melds = find_contract(seen.hand, seen.contract, seen.rules, rng) or ()
    rest = remove_cards(seen.hand, [card for meld in melds for card in meld.cards])
    if not rest and seen.rules.out.empty_hand == "illegal":
        melds, rest = (), seen.hand
    return complete(seen, Play(melds), rng)


def complete(seen: PlayerView, begun: Play, rng: Random) -> Play:
    """Go on with a legal beginning of a turn: lay off in random order, then discard."""
    table = table_after_melds(seen, begun)
    laid = [card for meld in begun.melds for card in meld.cards]
    rest = remove_cards(seen.hand, laid)
    assert rest is not None
    for lay_off in begun.lay_offs:
        table, rest = _lay_off(table, rest, lay_off.meld, lay_off.card, lay_off.place)
    lay_offs, rules = list(begun.lay_offs), seen.rules
    is_down = seen.is_down or bool(begun.melds)
    if is_down and may_lay_off_now(seen, bool(begun.melds)):
        while len(rest) > (rules.out.empty_hand == "illegal"):
            choices = lay_offs_now(seen, table, rest)
            if not choices or (not rules.layoff.mandatory and rng.random() < 0.2):
                break
            lay_off = rng.choice(choices)
            table, rest = _lay_off(table, rest, lay_off.meld, lay_off.card, lay_off.place)
            lay_offs.append(lay_off)
    allowed = discardable(seen, table, rest, is_down)
    return Play(begun.melds, tuple(lay_offs), rng.choice(allowed) if allowed else None)


def _lay_off(
    table: tuple[TableMeld, ...], rest: Hand, number: int, card: Card, place: int
) -> tuple[tuple[TableMeld, ...], Hand]:
    grown = replace(table[number], meld=extend(table[number].meld, card, place))
    left = remove_cards(rest, (card,))
    assert left is not None
    return (*table[:number], grown, *table[number + 1 :]), left


def random_step(state: GameState, rng: Random) -> Steps:
    """One answer or one turn; now and then a time runs out."""
    if state.window is not None:
        seats = [
            s for s, a in zip(state.window.order, state.window.answers, strict=True) if a == "open"
        ]
        seat = rng.choice(seats)
        if rng.random() < 0.05:
            return time_out(state, seat)
        return apply(state, seat, Claim() if rng.random() < 0.25 else Pass())
    if rng.random() < 0.05:
        return time_out(state, state.turn)
    return apply(state, waited_for(state), random_play(view(state, state.turn), rng))


def rig(state: GameState, rng: Random) -> GameState:
    """Exchange hidden cards at the start of a deal, so that many seats are nearly there."""
    assert state.phase is Phase.WINDOW
    pool = [card for hand in (*state.hands, state.stock) for card in hand]
    rng.shuffle(pool)
    hands: list[list[Card]] = []
    for hand in state.hands:
        wanted = _wanted(state.rules.contracts[state.deal], rng) if rng.random() < 0.75 else []
        rng.shuffle(wanted)
        wanted = [*wanted[: len(hand) - rng.randrange(3)], Card("JK"), Card("2C"), Card("2S")]
        own: list[Card] = []
        for card in wanted[: len(hand)]:
            if card in pool:
                pool.remove(card)
                own.append(card)
        hands.append(own)
    for own, hand in zip(hands, state.hands, strict=True):
        while len(own) < len(hand):
            own.append(pool.pop())
    order = (*state.order[: state.drawn], *pool)
    return replace(state, hands=tuple(sort_hand(own) for own in hands), order=order)


def _wanted(contract: Contract, rng: Random) -> list[Card]:
    """Cards of one way to meet the contract; more than one pack may be needed."""
    cards: list[Card] = []
    for spec in contract:
        if spec.kind is MeldKind.SET:
            rank = rng.choice("3456789TJQKA")
            cards += [Card(rank + rng.choice(SUITS)) for _ in range(spec.size)]
        else:
            low, suit = rng.randrange(3, 16 - spec.size), rng.choice(SUITS)
            cards += [Card(PLACE_RANKS[low + i] + suit) for i in range(spec.size)]
    return cards


def rigged(happened: tuple[Event, ...], state: GameState) -> tuple[Event, ...]:
    """Make the events of the deal tell the hands that `rig` dealt."""
    return tuple(
        replace(event, hands=state.hands) if isinstance(event, ev.Dealt) else event
        for event in happened
    )
