"""What a player might do: the best laydown, every lay-off, a sensible discard."""

from __future__ import annotations

from hollywood.protocol.rules import (
    Card,
    Hand,
    Meld,
    Phase,
    Play,
    PlayerView,
    best_laydown,
    distance,
    may_go_down,
    next_lay_offs,
    useful_cards,
)
from hollywood.protocol.rules.cards import add_cards, remove_cards
from hollywood.protocol.rules.hints import least_useful
from hollywood.protocol.rules.turns import (
    Table,
    discardable,
    lay_offs_now,
    table_after_lay_off,
    table_after_melds,
)

from .composer import Draft, PlannedLayOff, Target
from .narrate import describe_contract


def suggest(view: PlayerView) -> tuple[Draft, str]:
    """Return a draft of a good turn, and a sentence about it.

    On another's turn it is a plan without a discard.
    """
    melds: tuple[Meld, ...] = ()
    rest = view.hand
    if not view.is_down:
        laydown = best_laydown(view.hand, view.contract, view.rules, view.round)
        if laydown is not None and may_go_down(view):
            melds, rest = _in_contract_order(laydown.melds, view), laydown.cards_left
    table = table_after_melds(view, Play(melds=melds))
    lay_offs: tuple[PlannedLayOff, ...] = ()
    if next_lay_offs(view, Play(melds=melds)):
        lay_offs, table, rest = _lay_off_all(view, table, rest)
    discard = _discard(view, table, rest, view.is_down or bool(melds))
    draft = Draft(
        piles=tuple(meld.cards for meld in melds),
        chosen=melds,
        lay_offs=lay_offs,
        discard=discard,
    )
    return draft, _comment(view, draft)


def _in_contract_order(melds: tuple[Meld, ...], view: PlayerView) -> tuple[Meld, ...]:
    """Put the melds where the contract's piles are: the larger meld for the larger one."""
    by_size = sorted(melds, key=lambda meld: (meld.kind, len(meld.cards)))
    order = sorted(
        range(len(view.contract)), key=lambda i: (view.contract[i].kind, view.contract[i].size)
    )
    placed = dict(zip(order, by_size, strict=True))
    return tuple(placed[i] for i in range(len(order)))


def _lay_off_all(
    view: PlayerView, table: Table, rest: Hand
) -> tuple[tuple[PlannedLayOff, ...], Table, Hand]:
    """Lay off everything that fits, naturals before wilds."""
    keep = 1 if view.rules.out.empty_hand == "illegal" else 0
    first_own = len(view.table)
    planned: list[PlannedLayOff] = []
    while len(rest) > keep and (found := lay_offs_now(view, table, rest)):
        best = min(found, key=lambda f: (view.rules.is_wild(f.card), f.meld, f.place))
        table = table_after_lay_off(view, table, best)
        rest = remove_cards(rest, (best.card,)) or ()
        is_pile = best.meld >= first_own
        target = Target(best.meld - first_own * is_pile, is_pile)
        planned.append(PlannedLayOff(target, best.card, best.place))
    return tuple(planned), table, rest


def _discard(view: PlayerView, table: Table, rest: Hand, is_down: bool) -> Card | None:
    """The card that helps least: before going down by the contract, then by its points."""
    if not view.is_my_turn or view.phase is not Phase.PLAY:
        return None
    if not is_down:
        return least_useful(view)
    points = view.rules.points
    cards = discardable(view, table, rest, is_down)
    return min(
        cards, key=lambda card: (view.rules.is_wild(card), -points[card], card), default=None
    )


def _comment(view: PlayerView, draft: Draft) -> str:
    if view.is_down or draft.has_melds:
        parts = ["go down"] if draft.has_melds else []
        if draft.lay_offs:
            parts.append(f"lay off {' '.join(lay.card for lay in draft.lay_offs)}")
        if draft.discard is not None:
            parts.append(f"discard {draft.discard}")
        if not parts:
            return (
                f"nothing to lay off: {'draw first' if view.is_my_turn else 'wait for your turn'}"
            )
        if not view.is_my_turn or view.phase is not Phase.PLAY:
            return f"advice for your turn: {', '.join(parts)}"
        how = "Enter plays it" if draft.has_melds or draft.lay_offs else "x does it"
        return f"advice: {', '.join(parts)}; {how}"
    away = distance(view.hand, view.contract, view.rules)
    if view.phase is Phase.WINDOW and view.upcard is not None and away is not None:
        return _about_upcard(view, view.upcard, away)
    need = describe_contract(view.contract)
    if away is None:
        return f"this hand cannot make {need} with the cards that are left"
    useful = useful_cards(view.hand, view.contract, view.rules) or ()
    if away == 0:
        advice = f"; discard {draft.discard}" if draft.discard is not None else ""
        why = (
            "but in the last round every card must fit (1-36)"
            if view.takes_all_cards
            else "complete before your next draw, it goes down then (1-28)"
        )
        return f"you have {need}, {why}{advice}"
    naturals = [card for card in useful if not view.rules.is_wild(card)]
    wanted = f"; useful: {' '.join(naturals[:8])}{' ...' if len(naturals) > 8 else ''}"
    advice = f"; discard {draft.discard}" if draft.discard is not None else ""
    cards = "card" if away == 1 else "cards"
    return f"not yet: {away} {cards} short of {need}{advice}{wanted if naturals else ''}"


def _about_upcard(view: PlayerView, upcard: Card, away: int) -> str:
    """Say whether the upcard brings the contract nearer."""
    hand = add_cards(view.hand, (upcard,))
    found = distance(hand, view.contract, view.rules)
    short = f"{away} {'card' if away == 1 else 'cards'} short of {describe_contract(view.contract)}"
    if found is None or found >= away:
        return f"{upcard} brings you no nearer: you are {short}"
    return f"{upcard} helps: you are {short}, with it {found or 'none'}"
