"""Hints: how far the hand is, which cards count, what a discard would give away.

`look_at` may search for a while; the rest is quick. All of it rests on what the
seat may know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from hollywood.protocol.rules import (
    Card,
    Contract,
    Hand,
    PlayerView,
    TableMeld,
    best_laydown,
)
from hollywood.protocol.rules.cards import RANK, SUIT, remove_cards
from hollywood.protocol.rules.fitting import fits
from hollywood.protocol.rules.laydowns import distance_after_discards, outlook

from .narrate import Who, describe_meld, join_words, meld_letter

_NEAR = 2
"""Ranks between cards of one suit that may end in one run."""


class Glance(msgspec.Struct, frozen=True):
    """What there is to say about one hand."""

    hand: Hand
    contract: Contract
    """() once down."""
    distance: int | None = None
    """Cards missing; None when down, or when no card could help."""
    useful: Hand = ()
    """Cards that bring the contract nearer; once down, those that fit on the table."""
    needed: Hand = ()
    """Cards of the hand that count: enough of them to be as near to the contract, or, once
    down, those that fit on the table."""

    def is_about(self, view: PlayerView) -> bool:
        """Whether it still holds, but for cards laid on the table meanwhile."""
        contract = () if view.is_down else view.contract
        return self.hand == view.hand and self.contract == contract


def look_at(view: PlayerView) -> Glance:
    """Search the hand: how far it is, and what helps."""
    if view.is_down:
        fitting = frozenset(card for laid in view.table for card in fits(laid.meld, view.rules))
        needed = tuple(card for card in view.hand if card in fitting)
        return Glance(view.hand, (), None, tuple(sorted(fitting)), needed)
    found = outlook(view.hand, view.contract, view.rules, view.round)
    needed = () if found.distance is None else _enough(view, found.distance)
    return Glance(view.hand, view.contract, found.distance, found.useful, needed)


def _enough(view: PlayerView, now: int) -> Hand:
    """Return as few cards as leave the contract as near; the laydown where it is complete."""
    hand, contract, rules = view.hand, view.contract, view.rules
    if now == 0 and (laydown := best_laydown(hand, contract, rules, view.round)) is not None:
        return tuple(card for meld in laydown.melds for card in meld.cards)
    while True:
        after = distance_after_discards(hand, contract, rules)
        spare = [card for card in dict.fromkeys(hand) if after[card] == now]
        if not spare:
            break
        hand = remove_cards(hand, (min(spare, key=lambda card: _company(card, hand)),)) or ()
    if len(hand) + now > sum(spec.size for spec in contract):
        # one is there for the discard only
        hand = remove_cards(hand, (min(hand, key=lambda card: _company(card, hand)),)) or ()
    return hand


def _company(card: Card, hand: Hand) -> int:
    """How many other cards it might end in one meld with; a wild with all of them."""
    return sum(_go_together(card, other) or not SUIT[card] for other in hand)


def describe_glance(glance: Glance, view: PlayerView) -> str:
    """Say in a few words how far the hand is, and what helps."""
    if view.is_down:
        fit = [card for card in dict.fromkeys(view.hand) if card in glance.needed]
        return f"fits on the table: {' '.join(fit)}" if fit else "nothing in hand fits the table"
    if glance.distance is None:
        return "no card could complete this hand now"
    if glance.distance == 0:
        return "the contract is complete"
    naturals = [card for card in glance.useful if not view.rules.is_wild(card)]
    more = " ..." if len(naturals) > 7 else ""
    cards = "card" if glance.distance == 1 else "cards"
    helps = f", {' '.join(naturals[:7])}{more} would help" if naturals else ""
    return f"{glance.distance} {cards} short{helps}"


def next_seat(view: PlayerView) -> int:
    """Return the seat to which a discard of ours is offered first."""
    seat = view.me
    for step in range(1, view.seats):
        seat = (view.me + step) % view.seats
        if view.is_playing(seat):
            return seat
    return seat


def giveaway(view: PlayerView, card: Card, known: Mapping[int, Sequence[Card]], who: Who) -> str:
    """Say what a discard would give to the next player, as far as all may know.

    Args:
        view: What our seat knows.
        card: The discard.
        known: Cards that each seat took and still holds.
        who: Gives the name of a seat.
    """
    seat = next_seat(view)
    name = who(seat)
    is_down = view.went_down[seat] is not None
    if view.rules.is_wild(card):
        return f"{card} is wild: {name} would like it"
    if is_down:
        onto = _fitting(view.table, card, view)
        if not onto:
            return f"{card} gives {name} nothing to lay off"
        return f"{card} fits {join_words(onto, 'and')}: {name} is down and could lay it off"
    near = [held for held in known.get(seat, ()) if _go_together(card, held)]
    if near:
        return f"{card} may suit {name}, who took {' '.join(dict.fromkeys(near))}"
    return f"nothing is known of {name} that {card} would suit"


def _fitting(table: Sequence[TableMeld], card: Card, view: PlayerView) -> list[str]:
    return [
        f"{meld_letter(laid.number)} ({describe_meld(laid.meld)})"
        for laid in table
        if card in fits(laid.meld, view.rules)
    ][:2]


def _go_together(card: Card, held: Card) -> bool:
    """Whether the two may end in one set or one run."""
    if RANK[card] == RANK[held]:
        return True
    ranks = "A23456789TJQKA"
    gaps = [
        abs(i - j)
        for i, one in enumerate(ranks)
        for j, other in enumerate(ranks)
        if (one, other) == (RANK[card], RANK[held])
    ]
    return SUIT[card] == SUIT[held] != "" and min(gaps, default=99) <= _NEAR
