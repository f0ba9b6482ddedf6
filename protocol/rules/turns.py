"""Composing a turn: what the table and the hand are after each step, and what may follow.

Nothing here says no; `legality.explain` judges a whole Play with these.
"""

from __future__ import annotations

from collections.abc import Iterable

from .actions import Play
from .cards import Card, Hand, add_cards, remove_cards
from .contracts import Contract
from .fitting import fits, grown, playing_cards
from .laydowns import distance
from .melds import LayOff, Swap, TableMeld, stands_for, swap
from .prospects import may_hold
from .rulesets import RuleSet
from .state import set_at
from .views import PlayerView, kept

Table = tuple[TableMeld, ...]


# the steps


def table_after_swap(table: Table, action: Swap) -> tuple[Table, Card]:
    """Return the table with a natural for a wild, and the wild."""
    target = table[action.meld]
    meld, wild = swap(target.meld, action.card, action.place)
    return set_at(table, action.meld, TableMeld(target.number, target.seat, meld)), wild


def table_after_melds(view: PlayerView, play: Play) -> Table:
    """Return the view's table with the Play's melds on it, numbered in their order."""
    return with_melds(view.table, view.me, play)


def with_melds(table: Table, seat: int, play: Play) -> Table:
    """Return the table with the Play's melds on it, numbered in their order."""
    first = len(table)
    return table + tuple([TableMeld(first + i, seat, m) for i, m in enumerate(play.melds)])


def lays_nothing(play: Play) -> bool:
    """Whether the Play leaves the table as it is and only the discard is to come."""
    return not (play.melds or play.lay_offs or play.swaps)


def table_after_lay_off(view: PlayerView, table: Table, lay_off: LayOff) -> Table:
    """Return the table with one more card on one of its melds."""
    return with_lay_off(table, lay_off, view.rules)


def with_lay_off(table: Table, lay_off: LayOff, rules: RuleSet) -> Table:
    """Return the table with one more card on one of its melds."""
    target = table[lay_off.meld]
    meld = grown(target.meld, lay_off.card, lay_off.place, rules)
    return set_at(table, lay_off.meld, TableMeld(target.number, target.seat, meld))


def position_after(view: PlayerView, play: Play) -> tuple[Table, Hand]:
    """Return the table and the rest of the hand when all but the discard is done."""
    table, rest = view.table, view.hand
    if lays_nothing(play):
        return table, rest
    for action in play.swaps:
        table, wild = table_after_swap(table, action)
        rest = add_cards(remove_cards(rest, (action.card,)) or (), (wild,))
    table = with_melds(table, view.me, play)
    for meld in play.melds:
        rest = remove_cards(rest, meld.cards) or ()
    for lay_off in play.lay_offs:
        table = with_lay_off(table, lay_off, view.rules)
        rest = remove_cards(rest, (lay_off.card,)) or ()
    return table, rest


# what may be done


@kept
def may_go_down(view: PlayerView) -> bool:
    """Whether this seat may lay its contract in this turn, if its hand has it (0-27).

    Where the contract must have been complete before the draw (1-28), the hand
    without the drawn card is looked at.
    """
    if view.is_down:
        return False
    if view.rules.down.timing == "same_turn" or view.takes_all_cards:
        return True
    before = view.hand if view.drew is None else remove_cards(view.hand, (view.drew,))
    return before is not None and has_contract(view, before, view.contract)


def has_contract(view: PlayerView, hand: Hand, contract: Contract) -> bool:
    """Whether the cards hold the whole contract."""
    rules = view.rules
    return may_hold(hand, contract, rules) and distance(hand, contract, rules, view.round) == 0


def may_lay_off_now(view: PlayerView, went_down_now: bool) -> bool:
    """Whether the rules let this seat lay off in this turn (0-28)."""
    if went_down_now or view.went_down[view.me] == view.turns:
        return view.rules.layoff.first == "same_turn"
    return view.is_down


def is_target(view: PlayerView, target: TableMeld) -> bool:
    """Whether this seat may add to that meld (0-29)."""
    targets = view.rules.layoff.targets
    return targets == "all" or (target.seat == view.seat) == (targets == "own")


def fitting_meld(view: PlayerView, table: Table, card: Card) -> TableMeld | None:
    """Return the first meld on which this seat could lay the card, None if it plays nowhere."""
    for target in table:
        if card in fits(target.meld, view.rules) and is_target(view, target):
            return target
    return None


def lay_offs_bind(view: PlayerView, rest: Hand) -> bool:
    """Where a card must be kept for the discard, the last one need not be laid off."""
    return view.rules.out.empty_hand != "illegal" or len(rest) > 1


def lay_offs_now(view: PlayerView, table: Table, cards: Iterable[Card]) -> tuple[LayOff, ...]:
    """Return every single lay-off of the cards, by meld number, card and place."""
    rules, kinds = view.rules, tuple(dict.fromkeys(cards))
    if table is view.table:
        playing = playing_cards(table, rules)
        kinds = tuple([card for card in kinds if card in playing])
        if not kinds:
            return ()
    goes_anywhere = rules.layoff.targets == "all"
    return tuple(
        [
            LayOff(target.number, card, place)
            for target in table
            if goes_anywhere or is_target(view, target)
            for fitting in (fits(target.meld, rules),)
            for card in kinds
            if card in fitting
            for place in fitting[card]
        ]
    )


def next_lay_offs(view: PlayerView, play: Play) -> tuple[LayOff, ...]:
    """Return every lay-off that may follow what the Play has so far.

    A card that would be missing for a discard that must come is not offered.
    """
    is_down = view.is_down
    if not (is_down or play.melds):
        return ()
    if lays_nothing(play):
        return first_lay_offs(view)
    if view.takes_all_cards or not may_lay_off_now(view, not is_down):
        return ()
    table, rest = position_after(view, play)
    return _lay_offs_from(view, table, rest)


@kept
def first_lay_offs(view: PlayerView) -> tuple[LayOff, ...]:
    """Return every lay-off that may be the first thing a seat does in its turn."""
    if not may_lay_off_now(view, went_down_now=False) or view.takes_all_cards:
        return ()
    return _lay_offs_from(view, view.table, view.hand)


def _lay_offs_from(view: PlayerView, table: Table, rest: Hand) -> tuple[LayOff, ...]:
    if len(rest) == 1 and view.rules.out.empty_hand == "illegal":
        return ()
    found = lay_offs_now(view, table, rest)
    if len(rest) == 2 and view.rules.out.discard == "forbidden":
        # the last card may not be discarded, so it must be laid off as well
        return tuple(lay_off for lay_off in found if _leads_out(view, table, rest, lay_off))
    return found


def _leads_out(view: PlayerView, table: Table, rest: Hand, lay_off: LayOff) -> bool:
    (last,) = remove_cards(rest, (lay_off.card,)) or ()
    return fitting_meld(view, with_lay_off(table, lay_off, view.rules), last) is not None


def next_discards(view: PlayerView, play: Play) -> Hand:
    """Return the cards with which the Play may end the turn; () if it must end without."""
    if lays_nothing(play):
        return discards_now(view)
    table, rest = position_after(view, play)
    return discardable(view, table, rest, view.is_down or bool(play.melds))


@kept
def discards_now(view: PlayerView) -> Hand:
    """Return the cards with which a turn may end in which nothing is laid."""
    return discardable(view, view.table, view.hand, view.is_down)


def discardable(view: PlayerView, table: Table, rest: Hand, is_down: bool) -> Hand:
    """Return the cards of what is left in hand that may be discarded (0-26, 0-36 to 0-39)."""
    rules = view.rules
    if len(rest) == 1 and rules.out.discard == "forbidden":
        return ()
    if is_down and view.takes_all_cards:
        return ()
    cards: Hand = ()
    if table and not is_down and rules.discard.playable == "forbid":
        playing = playing_cards(table, rules)
        cards = tuple({card: None for card in rest if card not in playing})
    if not cards:
        cards = tuple(dict.fromkeys(rest))
    if view.took_upcard and rules.discard.return_upcard == "forbid":
        upcard = view.drew
        if upcard in cards and len(cards) > 1 and view.hand.count(upcard) == 1:
            cards = tuple([card for card in cards if card != upcard])
    return cards


def swaps_now(view: PlayerView) -> tuple[Swap, ...]:
    """Return every wild of a run that this seat could take for its natural now."""
    if not may_swap(view):
        return ()
    return tuple(
        Swap(target.number, card, place)
        for target in view.table
        for place in range(target.meld.low, target.meld.high + 1)
        if target.meld.suit
        and (card := stands_for(target.meld, place, view.rules)) is not None
        and card in view.hand
    )


def may_swap(view: PlayerView) -> bool:
    """Whether the rules let this seat take a wild back in this turn."""
    rule = view.rules.wild.take_back
    if rule == "run_down":
        return view.is_down and view.went_down[view.me] != view.turns
    return rule == "run_any"
