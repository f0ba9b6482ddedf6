"""What a hand can do: go down, come closer, lay off.

All answers are exact: no laydown leaves fewer points, no fewer cards would do. What
is legal is decided in `melds` alone; here is only searched. Not known to the search
are `wild.adjacent = "forbid"` and `set.distinct_suits` (distances come out too low,
and a laydown is given only if it is legal), `run.suit = "any"` and `run.wrap` (some
runs are not found) and points that differ by suit; lay-offs under such rules, and
where they move wilds, are legal and go on as long as a card fits, no more.

The parts of the search:

    laydown.tables     a hand as one integer, and a rule set's limits as lists
    laydown.placing    how runs can lie in a suit, for each suit worked out once
                       (`laydown.suits`: what is kept of it; `laydown.runs`: what is
                       said of a run; `laydown.rivals`: which places need not be
                       kept; `laydown.lies`: the same by the cards used, where only
                       gaps matter)
    laydown.distance   the cards that a hand lacks: `laydown.gaps` where gaps decide
                       it, `laydown.limited` where the wild limit may, of runs only,
                       `laydown.setplans` where ranks make several sets or twos one,
                       and `laydown.settle` of sets and several runs; `laydown.needs`
                       is a bound for it
    laydown.outlook    what every card more or less changes in that, at once, told by
                       `laydown.signs`: `laydown.changes` of sets and one run at the
                       most, `laydown.trading` of runs under a wild limit, by the
                       `laydown.deltas` of each suit
    laydown.best       the best laydown: `laydown.shapes`, `laydown.filling`, and
                       where a contract has runs only `laydown.packing`, or
                       `laydown.overlapping` if they may want the same cards
    laydown.layoffs    the lay-offs that shed most, on an `laydown.opentable`

Whatever depends on a rule set or a contract only is computed at its first use and
kept with the rule set. Hands may be in any order; the answer is always the same.
"""

from __future__ import annotations

import msgspec

from ..errors import ErrorCode, NotationError
from .cards import Card, Hand, remove_cards
from .contracts import Contract, MeldKind
from .laydown.best import Laydowns
from .laydown.distance import Distances
from .laydown.layoffs import LayOffs
from .laydown.outlook import Outlooks
from .laydown.runs import FAR
from .laydown.tables import Tables
from .melds import LayOff, Meld, TableMeld, check_contract
from .rulesets import RuleSet

_MOST_CONTRACTS = 64


class Laydown(msgspec.Struct, frozen=True):
    """A way to go down, with what stays in hand and what that costs."""

    melds: tuple[Meld, ...]
    """Sets first, then runs."""
    cards_left: Hand
    points_left: int


class Outlook(msgspec.Struct, frozen=True):
    """How far a hand is from going down, and what a card more or less does to that."""

    distance: int | None
    """See `distance`."""
    useful: Hand
    """See `useful_cards`."""
    after_discards: dict[Card, int | None]
    """See `distance_after_discards`."""


class _Search:
    """Everything that is kept for one contract."""

    def __init__(self, tables: Tables, contract: Contract, *, takes_all: bool) -> None:
        if not contract:
            raise NotationError("a contract asks for one meld or more", ErrorCode.BAD_CONTRACT)
        self.distances = Distances(
            tables,
            [spec.size for spec in contract if spec.kind is MeldKind.SET],
            [spec.size for spec in contract if spec.kind is MeldKind.RUN],
            takes_all=takes_all,
        )
        self.outlooks = Outlooks(self.distances)
        self.laydowns = Laydowns(self.distances)


class _Searches:
    """Everything that is kept for one rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self.tables = Tables(rules)
        self.lay_offs = LayOffs(self.tables)
        self.by_contract: dict[tuple[Contract, bool], _Search] = {}
        self.is_checked = rules.wild.adjacent == "forbid" or rules.set.distinct_suits
        """Whether the rules ask for what the search does not know of yet."""

    def takes_all(self, deal: int | None) -> bool:
        """Whether going down takes the whole hand in that round (1-36)."""
        return deal is not None and self.tables.rules.takes_all_cards(deal)

    def of(self, contract: Contract, deal: int | None) -> _Search:
        """Return the search for a contract.

        A round that takes all cards has one of its own: no card is kept for a discard.
        """
        key = contract, self.takes_all(deal)
        found = self.by_contract.get(key)
        if found is None:
            if len(self.by_contract) >= _MOST_CONTRACTS:
                self.by_contract.clear()
            found = self.by_contract[key] = _Search(self.tables, contract, takes_all=key[1])
        return found


def _searches(rules: RuleSet) -> _Searches:
    """The searches of a rule set, which it carries along as it does its cached properties."""
    try:
        found: _Searches = rules.__dict__["_laydown_searches"]
    except KeyError:
        found = rules.__dict__["_laydown_searches"] = _Searches(rules)
    return found


def best_laydown(
    hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None
) -> Laydown | None:
    """Return the laydown that leaves the fewest points in hand, None if there is none.

    In a round that takes all cards (1-36), None as well if a card would be left.
    Of equal points, the one that leaves fewer cards; of equal cards, the one found
    first, in an order that hand, contract and rules determine.

    >>> from hollywood.protocol.rules import load_rules, parse_contract, parse_hand
    >>> rules = load_rules("hollywood")
    >>> hand = parse_hand("KS KH KD 9C 9D 3S JK")
    >>> found = best_laydown(hand, parse_contract("2xS3"), rules)
    >>> [str(meld) for meld in found.melds], found.cards_left, found.points_left
    (['set of K: KD KH KS', 'set of 9: 9C 9D JK'], ('3S',), 5)

    Args:
        hand: The cards, in any order.
        contract: What must be laid.
        rules: The rules.
        deal: The 0-based round, for rules that differ in the last one.

    Raises:
        NotationError: an unknown card, or more of one than the packs hold
            (`bad_card`); a contract without melds (`bad_contract`).
    """
    searches = _searches(rules)
    laydowns = searches.of(contract, deal).laydowns
    melds = laydowns.of(searches.tables.tally(hand), hand)
    if melds is None:
        return None
    left = remove_cards(hand, [card for meld in melds for card in meld.cards])
    assert left is not None, f"laid {melds}, not all from {hand}"
    if left and searches.takes_all(deal):
        return None
    if searches.is_checked and check_contract(melds, contract, rules) is not None:
        return None
    return Laydown(melds, left, rules.hand_points(left))


def distance(hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None) -> int | None:
    """Return the fewest cards that must be added so that the hand can go down.

    0: it can. None: no cards added could do it. Where the rules ask for a discard
    at the end, a card for it is counted, too. Cards are added as if the packs never
    ran out of them. In a round that takes all cards (1-36), 0 only if the hand can go
    down with all of them, and otherwise 1 at the least: cards missing, or to be
    exchanged. Arguments and errors are those of `best_laydown`.

    >>> from hollywood.protocol.rules import load_rules, parse_contract, parse_hand
    >>> rules = load_rules("hollywood")
    >>> distance(parse_hand("KS KH KD 9C 3S"), parse_contract("2xS3"), rules)
    2
    """
    searches = _searches(rules)
    distances = searches.of(contract, deal).distances
    found = distances.of(searches.tables.tally(hand), len(hand))
    if not found and searches.takes_all(deal):
        return 0 if best_laydown(hand, contract, rules, deal) is not None else 1
    return found if found < FAR else None


def outlook(hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None) -> Outlook:
    """Return distance, useful cards and the distances after discards, in one pass.

    That costs little more than one of them. Useful cards and distances after discards
    take no notice of a round that takes all cards, but that no card is kept in it for
    a discard. Arguments and errors are those of
    `best_laydown`.

    >>> from hollywood.protocol.rules import load_rules, parse_contract, parse_hand
    >>> rules = load_rules("hollywood")
    >>> found = outlook(parse_hand("KS KH KD 9C 9D 3S"), parse_contract("2xS3"), rules)
    >>> found.distance, " ".join(found.useful)
    (1, '9C 9D 9H 9S 2C 2D 2H 2S JK')
    >>> found.after_discards["3S"], found.after_discards["9C"]
    (1, 2)
    """
    searches = _searches(rules)
    outlooks = searches.of(contract, deal).outlooks
    now, useful, after = outlooks.of(searches.tables.tally(hand), hand)
    if not now and searches.takes_all(deal) and best_laydown(hand, contract, rules, deal) is None:
        now = 1
    if now >= FAR:
        return Outlook(None, (), dict.fromkeys(after))
    # a card more always brings back what the loss of one takes: all of these are distances
    return Outlook(now, useful, {**after})


def useful_cards(hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None) -> Hand:
    """Return the cards of which adding one lowers the distance.

    Cards of which the hand holds all there are in the packs are not among them.
    Arguments and errors are those of `best_laydown`.

    >>> from hollywood.protocol.rules import load_rules, parse_contract, parse_hand
    >>> rules = load_rules("hollywood")
    >>> hand = parse_hand("5D 6D 7D 9D KS KH KC 9C 9S")
    >>> " ".join(useful_cards(hand, parse_contract("2xS3 + R4"), rules))
    '4D 8D 2C 2D 2H 2S JK'
    """
    return outlook(hand, contract, rules, deal).useful


def distance_after_discards(
    hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None
) -> dict[Card, int | None]:
    """Return for each card of the hand the distance without one copy of it.

    Arguments and errors are those of `best_laydown`.

    >>> from hollywood.protocol.rules import load_rules, parse_contract, parse_hand
    >>> rules = load_rules("hollywood")
    >>> distance_after_discards(parse_hand("KS KH KD 9C"), parse_contract("2xS3"), rules)
    {'9C': 3, 'KD': 3, 'KH': 3, 'KS': 3}
    """
    return outlook(hand, contract, rules, deal).after_discards


def lay_offs(hand: Hand, table: tuple[TableMeld, ...], rules: RuleSet) -> tuple[LayOff, ...]:
    """Return the lay-offs, in a legal order, that shed the most points.

    No card that is left fits any meld then (0-31); where a card must be kept for
    the discard, one is. All melds given are laid on: leave out those that the rules
    do not let the seat add to (`layoff.targets`).

    >>> from hollywood.protocol.rules import load_rules, parse_hand
    >>> from hollywood.protocol.rules.melds import TableMeld, run_of
    >>> run = TableMeld(0, 0, run_of("D", 5, parse_hand("5D 6D 7D 8D")))
    >>> found = lay_offs(parse_hand("TD JK KS"), (run,), load_rules("hollywood"))
    >>> [(lay_off.card, lay_off.place) for lay_off in found]
    [('JK', 9), ('TD', 10)]

    Raises:
        NotationError: an unknown card, or more of one than the packs hold (`bad_card`).
    """
    return _searches(rules).lay_offs.of(hand, table)
