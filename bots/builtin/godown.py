"""Going down so that little stays in hand: some cards are better laid off than melded.

Where lay-offs have to wait for the next turn, a card that will fit then is as good as
gone: a wild is better kept for that than laid in the place of a card that fits nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from hollywood.protocol.rules import (
    Card,
    Hand,
    Meld,
    Play,
    PlayerView,
    TableMeld,
    best_laydown,
    explain,
    lay_offs,
    may_go_down,
    position_after,
)
from hollywood.protocol.rules.cards import remove_cards
from hollywood.protocol.rules.turns import is_target


def ways_down(view: PlayerView) -> list[Play]:
    """Return turns that go down and lay off, without their discards; [] if there is none.

    The laydown that leaves the fewest points is one. But a card that fits a meld on
    the table may serve better there, with another in its place in the contract.
    """
    if view.is_down or not may_go_down(view):
        return []
    found = best_laydown(view.hand, view.contract, view.rules, view.round)
    if found is None:
        return []
    ways = [found.melds]
    if not view.takes_all_cards:
        is_later = view.rules.layoff.first != "same_turn"
        ways += _with_some_kept(view) if is_later else _without_what_fits(view)
    return [_with_lay_offs(view, melds) for melds in dict.fromkeys(ways)]


def _with_some_kept(view: PlayerView) -> Iterator[tuple[Meld, ...]]:
    """The laydowns that keep a certain card, or two wilds."""
    wilds = [(card,) for card in view.hand if view.rules.is_wild(card)]
    kept = {*[(card,) for card in view.hand], *[(*a, *b) for a, b in combinations(wilds, 2)]}
    for cards in sorted(kept):
        less = remove_cards(view.hand, cards) or ()
        found = best_laydown(less, view.contract, view.rules, view.round)
        if found is not None:
            yield found.melds


def _without_what_fits(view: PlayerView) -> list[tuple[Meld, ...]]:
    """The laydown of the cards that fit nowhere yet, and of as few others as it takes."""
    hand = view.hand
    ways: list[tuple[Meld, ...]] = []
    for lay_off in lay_offs(hand, _targets(view, view.table), view.rules):
        less = remove_cards(hand, (lay_off.card,))
        if less is None:
            continue
        found = best_laydown(less, view.contract, view.rules, view.round)
        if found is not None:
            hand, ways = less, [found.melds]
    return ways


def _with_lay_offs(view: PlayerView, melds: tuple[Meld, ...]) -> Play:
    play = Play(melds)
    if view.takes_all_cards or (melds and view.rules.layoff.first != "same_turn"):
        return play
    table, rest = position_after(view, play)
    return Play(melds, lay_offs(rest, _targets(view, table), view.rules))


def _targets(view: PlayerView, table: Sequence[TableMeld]) -> tuple[TableMeld, ...]:
    return tuple([laid for laid in table if is_target(view, laid)])


def cards_left(view: PlayerView, play: Play) -> Hand:
    """Return what stays in hand before the discard."""
    return position_after(view, play)[1]


def stuck_cards(view: PlayerView, play: Play) -> Hand:
    """Return what stays in hand before the discard and will fit nowhere in the turn after."""
    table, rest = position_after(view, play)
    for lay_off in lay_offs(rest, _targets(view, table), view.rules):
        rest = remove_cards(rest, (lay_off.card,)) or ()
    return rest


def is_out(view: PlayerView, left: Hand) -> bool:
    """Whether the deal is over when that is left before the discard."""
    out = view.rules.out
    return len(left) == (0 if out.discard == "forbidden" else 1) or (
        not left and out.empty_hand == "out"
    )


def finished(view: PlayerView, play: Play, discard: Card | None) -> Play | None:
    """Return the Play with its discard, None if the rules do not allow it."""
    whole = Play(play.melds, play.lay_offs, discard)
    return whole if explain(view, whole) is None else None
