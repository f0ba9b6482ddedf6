"""Which cards fit a meld: worked out once for each meld and kept with it.

`melds.places_for` decides; here its answers are only collected, since a meld lies
on the table for many turns and every seat asks the same of it again and again.
"""

from __future__ import annotations

from collections.abc import Mapping

from .cards import ORDER, PLACE_RANKS, RANKS, SUITS, Card
from .contracts import MeldKind
from .melds import Meld, TableMeld, count_wilds, lay_on, places_for
from .rulesets import RuleSet

_NOWHERE: tuple[int, ...] = ()

_MOST_SHAPES = 4096
"""More than one rule set has; what a client tries out need not be a meld at all."""

_MOST_TABLES = 256


def fits(meld: Meld, rules: RuleSet) -> Mapping[Card, tuple[int, ...]]:
    """Return every card that may be laid off on the meld, with its places.

    >>> from hollywood.protocol.rules import load_rules, parse_hand
    >>> from hollywood.protocol.rules.melds import run_of
    >>> found = fits(run_of("D", 5, parse_hand("5D 6D 7D 8D")), load_rules("hollywood"))
    >>> found["9D"], found["2C"], "9C" in found
    ((9,), (4, 9), False)
    """
    kept = meld.__dict__.get("fits")
    if kept is None or kept[0] is not rules:
        kept = meld.__dict__["fits"] = rules, _look_up(meld, rules)
    answer: Mapping[Card, tuple[int, ...]] = kept[1]
    return answer


def _look_up(meld: Meld, rules: RuleSet) -> Mapping[Card, tuple[int, ...]]:
    """Find what was found for a meld like this one, under rules that look no closer."""
    wild = rules.wild
    if rules.set.distinct_suits or wild.adjacent == "forbid" or wild.relocate != "never":
        return _find(meld, rules)
    wilds = 0 if rules.wilds.isdisjoint(meld.cards) else count_wilds(meld, rules)
    shape = (meld.kind, meld.rank, meld.suit, meld.low, len(meld.cards), wilds)
    by_shape: dict[object, Mapping[Card, tuple[int, ...]]]
    by_shape = rules.__dict__.setdefault("_fits_by_shape", {})
    found = by_shape.get(shape)
    if found is None:
        if len(by_shape) >= _MOST_SHAPES:
            by_shape.clear()
        found = by_shape[shape] = _find(meld, rules)
    return found


def _find(meld: Meld, rules: RuleSet) -> dict[Card, tuple[int, ...]]:
    """Ask for the cards that can fit at all; the others need not be tried."""
    ranks, suits = _ranks(meld, rules), meld.suit
    if meld.kind is MeldKind.SET or rules.run.suit != "same":
        suits = SUITS
    cards = {Card(rank + suit) for rank in ranks for suit in suits} & ORDER.keys() - rules.wilds
    found = {card: places for card in cards if (places := places_for(meld, card, rules))}
    wilds = rules.wilds
    if rules.has_natural_twos and "2" in ranks:
        found |= {card: places for card in wilds if (places := places_for(meld, card, rules))}
    elif wilds and (places := places_for(meld, next(iter(wilds)), rules)):
        found |= dict.fromkeys(wilds, places)  # none would be natural, so all are alike
    return found


def places_on(meld: Meld, card: Card, rules: RuleSet) -> tuple[int, ...]:
    """Return what `places_for` does, looked up where it is known."""
    return fits(meld, rules).get(card, _NOWHERE)


def grown(meld: Meld, card: Card, place: int, rules: RuleSet) -> Meld:
    """Return the meld with the card on it, as `lay_on` does; kept with the meld.

    A lay-off is tried before it is judged and judged before it is done: that makes one
    new meld, not three, and what fits on it is found once.
    """
    if rules.wild.relocate != "never":
        return lay_on(meld, card, place, rules)  # under other rules it is another meld
    by_card: dict[tuple[Card, int], Meld] = meld.__dict__.setdefault("grown", {})
    found = by_card.get((card, place))
    if found is None:
        found = by_card[card, place] = lay_on(meld, card, place, rules)
    return found


def playing_cards(table: tuple[TableMeld, ...], rules: RuleSet) -> frozenset[Card]:
    """Return every card that fits any of the melds, whoever may add to it (0-36).

    Kept for the very tables asked about last, since a table stays as it is for turns.
    """
    by_table: dict[int, tuple[tuple[TableMeld, ...], frozenset[Card]]]
    by_table = rules.__dict__.setdefault("_playing_cards", {})
    kept = by_table.get(id(table))
    if kept is not None and kept[0] is table:
        return kept[1]
    if len(by_table) >= _MOST_TABLES:
        by_table.clear()
    found = frozenset[Card]().union(*[fits(laid.meld, rules) for laid in table])
    by_table[id(table)] = table, found
    return found


def _ranks(meld: Meld, rules: RuleSet) -> str:
    """The ranks of all naturals that can fit."""
    if meld.kind is MeldKind.SET:
        return meld.rank
    if rules.wild.relocate != "never":
        return RANKS  # wilds inside the run may make room
    # slices, since a meld that is only being tried may lie anywhere
    below, above = meld.low - 1, meld.high + 1
    ranks = PLACE_RANKS[below:][:1] + PLACE_RANKS[above:][:1]
    return ranks + "K" if below == 0 else ranks  # the king where runs go round the ace
