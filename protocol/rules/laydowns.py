"""What a hand can do: go down, come closer, lay off.

The answers are exact under every rule set. How they are found:
`laydown_distance`, `laydown_outlook`, `laydown_best`, `laydown_layoffs`.
"""

from __future__ import annotations

import msgspec

from ..errors import ErrorCode, NotationError
from .cards import Card, Hand, remove_cards
from .contracts import Contract, MeldKind
from .laydown_best import Laydowns
from .laydown_distance import Distances
from .laydown_outlook import Outlooks
from .laydown_layoffs import LayOffs
from .laydown_runs import FAR
from .laydown_tables import Tables
from .melds import LayOff, Meld, TableMeld
from .rulesets import RuleSet


class Laydown(msgspec.Struct, frozen=True):
    """A way to go down, with what stays in hand and what that costs."""

    melds: tuple[Meld, ...]
    cards_left: Hand
    points_left: int


class Outlook(msgspec.Struct, frozen=True):
    """How far a hand is from going down, and what a card more or less does to that."""

    distance: int | None
    useful: Hand
    after_discards: dict[Card, int | None]


class _Searches:
    """The searches for the contracts of one rule set, made when first asked for."""

    def __init__(self, rules: RuleSet) -> None:
        self.tables = Tables(rules)
        self.distances: dict[Contract, Distances] = {}
        self.outlooks: dict[Contract, Outlooks] = {}
        self.laydowns: dict[Contract, Laydowns] = {}
        self.lay_offs = LayOffs(self.tables)


_MOST_CONTRACTS = 64


def _searches(rules: RuleSet) -> _Searches:
    try:
        found: _Searches = rules.__dict__["_laydown_searches"]
    except KeyError:
        found = rules.__dict__["_laydown_searches"] = _Searches(rules)
    return found


def _distances(searches: _Searches, contract: Contract, deal: int | None) -> Distances:
    # A final round that leaves no card over will need searches of its own, chosen by `deal`.
    found = searches.distances.get(contract)
    if found is None:
        if not contract:
            raise NotationError("a contract asks for one meld or more", ErrorCode.BAD_CONTRACT)
        if len(searches.distances) >= _MOST_CONTRACTS:
            searches.distances.clear()
            searches.outlooks.clear()
            searches.laydowns.clear()
        found = searches.distances[contract] = Distances(
            searches.tables,
            [spec.size for spec in contract if spec.kind is MeldKind.SET],
            [spec.size for spec in contract if spec.kind is MeldKind.RUN],
        )
    return found


def best_laydown(
    hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None
) -> Laydown | None:
    """Return the laydown that leaves the fewest points in hand, None if there is none."""
    searches = _searches(rules)
    distances = _distances(searches, contract, deal)
    laydowns = searches.laydowns.get(contract)
    if laydowns is None:
        laydowns = searches.laydowns[contract] = Laydowns(distances)
    melds = laydowns.of(searches.tables.tally(hand), hand)
    if melds is None:
        return None
    left = remove_cards(hand, [card for meld in melds for card in meld.cards])
    assert left is not None, f"laid {melds}, not all from {hand}"
    if left and deal is not None and rules.takes_all_cards(deal):
        return None
    return Laydown(melds, left, rules.hand_points(left))


def distance(hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None) -> int | None:
    """Return the fewest cards that must be added so that the hand can go down."""
    searches = _searches(rules)
    found = _distances(searches, contract, deal).of(searches.tables.tally(hand), len(hand))
    return found if found < FAR else None


def outlook(hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None) -> Outlook:
    """Return distance, useful cards and distances after discards, in one pass."""
    searches = _searches(rules)
    outlooks = searches.outlooks.get(contract)
    if outlooks is None:
        outlooks = searches.outlooks[contract] = Outlooks(_distances(searches, contract, deal))
    now, useful, after = outlooks.of(searches.tables.tally(hand), hand)
    return Outlook(
        now if now < FAR else None,
        useful,
        {card: there if there < FAR else None for card, there in after.items()},
    )


def useful_cards(hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None) -> Hand:
    """Return the cards of which adding one lowers the distance."""
    return outlook(hand, contract, rules, deal).useful


def distance_after_discards(
    hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None
) -> dict[Card, int | None]:
    """Return for each card the distance without one copy of it."""
    return outlook(hand, contract, rules, deal).after_discards


def lay_offs(hand: Hand, table: tuple[TableMeld, ...], rules: RuleSet) -> tuple[LayOff, ...]:
    """Return the lay-offs, in a legal order, that shed the most points."""
    return _searches(rules).lay_offs.of(hand, table)
