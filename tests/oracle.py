"""The rules of lay-offs and discards once more, written from the text and not from the code.

Slow and plain: a card fits where the grown meld is a meld. Only for rule set
`hollywood` and those of its flips that are named here.
"""

from __future__ import annotations

from collections.abc import Iterable

from hollywood.protocol.rules import GameState, LayOff, Meld, MeldKind

PLACES = "..." + "3456789TJQKA"
WILD = {"2C", "2D", "2H", "2S", "JK"}


def is_meld(kind: MeldKind, what: str, low: int, cards: list[str]) -> bool:
    """Whether the cards are a set of that rank, or a run of that suit from that place."""
    wilds = sum(card in WILD for card in cards)
    if 2 * wilds > len(cards):
        return False
    if kind is MeldKind.SET:
        return all(card in WILD or card[0] == what for card in cards)
    if low < 3 or low + len(cards) - 1 > 14:
        return False
    return all(card in WILD or card == PLACES[low + i] + what for i, card in enumerate(cards))


def grown(meld: Meld, card: str, place: int) -> bool:
    """Whether the meld is one with the card at that place (0-17, 0-29)."""
    cards = list(meld.cards)
    if meld.kind is MeldKind.SET:
        return place == 0 and is_meld(meld.kind, meld.rank, 0, [*cards, card])
    if place == meld.low - 1:
        return is_meld(meld.kind, meld.suit, place, [card, *cards])
    if place == meld.low + len(cards):
        return is_meld(meld.kind, meld.suit, meld.low, [*cards, card])
    return False


def lay_offs(state: GameState, cards: Iterable[str]) -> set[tuple[int, str, int]]:
    """Every lay-off of one of the cards, as (meld, card, place)."""
    return {
        (target.number, card, place)
        for target in state.table
        for card in set(cards)
        for place in range(16)
        if grown(target.meld, card, place)
    }


def discards(state: GameState) -> set[str]:
    """What the seat in turn may discard before laying anything (0-26, 0-31, 0-36, 0-37)."""
    hand = state.hands[state.turn]
    playing = {card for _, card, _ in lay_offs(state, hand)}
    allowed: set[str] = set(hand)
    if state.went_down[state.turn] is not None:
        return set() if playing else _without_upcard(state, allowed)
    return _without_upcard(state, (allowed - playing) or allowed)


def _without_upcard(state: GameState, allowed: set[str]) -> set[str]:
    taken = state.drew if state.took_upcard else None
    if taken is None or state.hands[state.turn].count(taken) > 1:
        return allowed
    return (allowed - {taken}) or allowed


def as_triples(offered: Iterable[LayOff]) -> set[tuple[int, str, int]]:
    """Lay-offs in the form of `lay_offs`."""
    return {(lay_off.meld, lay_off.card, lay_off.place) for lay_off in offered}
