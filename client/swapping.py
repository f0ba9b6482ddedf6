"""Wilds of runs on the table that are taken back for their naturals, where rules allow it.

They come first in a turn, so what is planned after them is planned in the position
that they leave: `after_swaps` gives the view of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from hollywood.protocol.rules import Card, PlayerView, Swap, explain, fold
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.melds import swap as put_in
from hollywood.protocol.rules.turns import swaps_now

from .composer import Check, Composer


def after_swaps(view: PlayerView, swaps: Sequence[Swap]) -> tuple[PlayerView, tuple[Swap, ...]]:
    """Return the view after those of the swaps that are still possible, and these."""
    kept: list[Swap] = []
    for swap in swaps:
        if view.is_my_turn and swap in swaps_now(view):
            _, wild = put_in(view.table[swap.meld].meld, swap.card, swap.place)
            view = fold(view, ev.Swapped(view.me, swap.meld, swap.card, swap.place, wild))
            kept.append(swap)
    return view, tuple(kept)


def possible_swap(view: PlayerView, card: Card, meld: int) -> Swap | None:
    """Return the swap of a card for the wild of a meld, None if there is none."""
    if not view.is_my_turn:
        return None
    found = (swap for swap in swaps_now(view) if (swap.card, swap.meld) == (card, meld))
    return next(found, None)


def check_with_swaps(composer: Composer, view: PlayerView | None, swaps: Sequence[Swap]) -> Check:
    """Say what Enter would do, the swaps included."""
    check = composer.check()
    if not swaps or check.play is None or view is None:
        return check
    play = replace(check.play, swaps=tuple(swaps))
    violation = explain(view, play)
    return Check(play) if violation is None else Check(text=violation.text)
