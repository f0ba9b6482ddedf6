"""Random players that play legally, and deals in which things happen.

Random hands hardly ever go down. So the players here look for a contract with a
simple search of their own, then with the exact one where that is quick, and `rig`
deals hands that are nearly there.
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
    LayOff,
    Meld,
    MeldKind,
    MeldSpec,
    Pass,
    Phase,
    Play,
    PlayerView,
    RuleSet,
    Swap,
    apply,
    best_laydown,
    explain,
    may_go_down,
    next_lay_offs,
    position_after,
    time_out,
    view,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.cards import (
    HIGH_ACE,
    PLACE_RANKS,
    RANKS,
    SUITS,
    remove_cards,
    sort_hand,
)
from hollywood.protocol.rules.melds import (
    check_contract,
    extend,
    places_for,
    run_of,
    runs_keep_apart,
    set_of,
)
from hollywood.protocol.rules.offers import default_play
from hollywood.protocol.rules.turns import (
    discardable,
    lay_offs_now,
    may_lay_off_now,
    swaps_now,
    table_after_lay_off,
    table_after_swap,
)

TRIES = 2
"""How often a player looks for its contract in one turn."""

EXACT = frozenset({"hollywood", "hollywood_seven", "hollywood_seven_chips", "dummy"})
"""Rule sets in which the exact search takes a few milliseconds, however many wilds there are."""


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
            if check_contract(found, contract, rules) is None:
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
        if rules.set.distinct_suits:
            own = sorted(set(own))
        if len(own) + most >= spec.size:
            is_big = rules.meld.oversize == "allow" and rng.random() < 0.5
            own = own if is_big else own[: spec.size]
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
        for suit in (SUITS if rules.run.suit == "same" else ("",))
        for low in range(rules.low_place, min(rules.high_place - spec.size + 1, 13) + 1)
        if all(
            runs_keep_apart(low, low + spec.size - 1, meld.low, meld.high, rules)
            for meld in found
            if meld.kind is MeldKind.RUN and meld.suit == suit
        )
    ]
    rng.shuffle(spans)
    for suit, low in spans:
        wanted = [_natural(cards, PLACE_RANKS[low + i], suit, rules) for i in range(spec.size)]
        if wanted.count(None) <= most:
            own = [card if card is not None else wilds.pop() for card in wanted]
            cards.subtract(own)
            return run_of(suit, low, own)
    return None


def _natural(cards: Counter[Card], rank: str, suit: str, rules: RuleSet) -> Card | None:
    """A card in hand for that place of a run; of any suit, if none is given."""
    kinds = [Card(rank + each) for each in (suit or SUITS)]
    return next((card for card in kinds if cards[card] and card not in rules.wilds), None)


def find_all(
    hand: Hand, contract: Contract, rules: RuleSet, rng: Random
) -> tuple[Meld, ...] | None:
    """Look for melds that meet the contract and take the whole hand (1-36)."""
    found = list(find_contract(hand, contract, rules, rng) or ())
    rest = remove_cards(hand, [card for meld in found for card in meld.cards]) if found else None
    for card in rest or ():
        for i, meld in enumerate(found):
            places = places_for(meld, card, rules)
            if places:
                found[i] = extend(meld, card, places[0])
                break
        else:
            return None
    if rest is None or check_contract(found, contract, rules) is not None:
        return None
    return tuple(found)


def search(seen: PlayerView, rng: Random) -> tuple[Meld, ...] | None:
    """Look for melds with which this seat could go down, whether it may or not."""
    rules, round_ = seen.rules, seen.contracts[seen.me]
    takes_all = rules.takes_all_cards(round_)
    find = find_all if takes_all else find_contract
    melds = find(seen.hand, seen.contract, rules, rng)
    if melds is None and rules.name in EXACT:
        laydown = best_laydown(seen.hand, seen.contract, rules, round_)
        melds = None if laydown is None else laydown.melds
    rest = remove_cards(seen.hand, [card for meld in melds or () for card in meld.cards])
    return melds if rest or takes_all or rules.out.empty_hand != "illegal" else None


def random_play(seen: PlayerView, rng: Random) -> Play:
    """A whole legal turn: go down when a contract is found, lay off, discard."""
    begun = Play(swaps=random_swap(seen, rng))
    if not seen.is_down and rng.random() < 0.9 and may_go_down(seen):
        begun = Play(search(seen, rng) or ())
    play = complete(seen, begun, rng)
    if seen.rules.out.discard == "forbidden" and explain(seen, play) is not None:
        return default_play(seen)  # one card would be left that may not go
    return play


def random_swap(seen: PlayerView, rng: Random) -> tuple[Swap, ...]:
    """Now and then a natural for a wild, where the wild can be laid off again."""
    choices = swaps_now(seen)
    if not choices or not seen.is_down or rng.random() < 0.3:
        return ()
    chosen = (rng.choice(choices),)
    return chosen if _wild_lay_offs(seen, Play(swaps=chosen)) else ()


def _wild_lay_offs(seen: PlayerView, begun: Play) -> list[LayOff]:
    """What can be done with the wild that was taken back."""
    _, wild = table_after_swap(seen.table, begun.swaps[0])
    return [found for found in next_lay_offs(seen, begun) if found.card == wild]


def complete(seen: PlayerView, begun: Play, rng: Random) -> Play:
    """Go on with a legal beginning of a turn: lay off in random order, then discard."""
    rules, went_down_now = seen.rules, bool(begun.melds) and not seen.is_down
    if begun.swaps:
        begun = replace(begun, lay_offs=(rng.choice(_wild_lay_offs(seen, begun)),))
    is_down = seen.is_down or went_down_now
    table, rest = position_after(seen, begun)
    lay_offs = list(begun.lay_offs)
    takes_all = rules.takes_all_cards(seen.contracts[seen.me])
    is_last_laid = rules.out.discard == "forbidden"
    if is_down and may_lay_off_now(seen, went_down_now) and not takes_all:
        while len(rest) > (rules.out.empty_hand == "illegal"):
            choices = lay_offs_now(seen, table, rest)
            is_due = rules.layoff.mandatory or (is_last_laid and len(rest) == 1)
            if not choices or (not is_due and rng.random() < 0.2):
                break
            lay_off = rng.choice(choices)
            table = table_after_lay_off(seen, table, lay_off)
            rest = remove_cards(rest, (lay_off.card,)) or ()
            lay_offs.append(lay_off)
        if len(rest) == 1 and is_last_laid and lay_offs[len(begun.lay_offs) :]:
            lay_offs.pop()  # two cards are kept, since the last one may not be discarded
            table, rest = position_after(seen, replace(begun, lay_offs=tuple(lay_offs)))
    allowed = discardable(seen, table, rest, is_down)
    discard = rng.choice(allowed) if allowed else None
    return replace(begun, lay_offs=tuple(lay_offs), discard=discard)


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
    for hand, round_ in zip(state.hands, state.contracts, strict=True):
        contract = state.rules.contracts[round_] if hand else ()
        wanted = _wanted(contract, state.rules, rng) if rng.random() < 0.75 else []
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


def _wanted(contract: Contract, rules: RuleSet, rng: Random) -> list[Card]:
    """Cards of one way to meet the contract; more than one pack may be needed."""
    cards: list[Card] = []
    for spec in contract:
        if spec.kind is MeldKind.SET:
            rank = rng.choice("3456789TJQKA")
            cards += [Card(rank + rng.choice(SUITS)) for _ in range(spec.size)]
        else:
            lowest, highest = rules.low_place, min(rules.high_place, HIGH_ACE)
            low, suit = rng.randrange(lowest, highest - spec.size + 2), rng.choice(SUITS)
            cards += [Card(PLACE_RANKS[low + i] + suit) for i in range(spec.size)]
    return cards


def rigged(happened: tuple[Event, ...], state: GameState) -> tuple[Event, ...]:
    """Make the events of the deal tell the hands that `rig` dealt."""
    return tuple(
        replace(event, hands=state.hands) if isinstance(event, ev.Dealt) else event
        for event in happened
    )
