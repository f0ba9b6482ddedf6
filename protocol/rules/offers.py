"""What a decision offers, and what is done for a seat that does not answer."""

from __future__ import annotations

import msgspec

from .actions import Pass, Play
from .cards import Hand, remove_cards
from .laydowns import best_laydown
from .melds import LayOff, Meld, Swap
from .state import Phase
from .turns import (
    discardable,
    lay_offs_bind,
    lay_offs_now,
    may_go_down,
    may_lay_off_now,
    next_lay_offs,
    position_after,
    swaps_now,
    table_after_lay_off,
)
from .views import PlayerView


class WindowOptions(msgspec.Struct, frozen=True, tag="window", tag_field="t"):
    """A window decision: Claim or Pass."""

    is_free: bool
    """True for the seat in turn, which takes the upcard as its draw (0-46)."""
    penalty: int
    """Cards from the stock that a claim brings along (0-43)."""
    default: Pass = Pass()


class PlayOptions(msgspec.Struct, frozen=True, tag="play", tag_field="t"):
    """A play decision: one whole turn."""

    may_go_down: bool
    """Whether the contract may be laid now, if the hand has it."""
    lay_offs: tuple[LayOff, ...]
    """Every lay-off that is legal as the first of this turn."""
    must_lay_off: bool
    """Whether a card that fits must be laid off before the discard (0-31)."""
    discards: Hand
    """Every card that may be discarded when nothing is laid before."""
    default: Play
    """What is played when the time runs out."""
    swaps: tuple[Swap, ...] = ()
    """Every wild on the table that may be taken for its natural."""


Options = WindowOptions | PlayOptions


def options(view: PlayerView) -> Options | None:
    """Return what this seat is asked and may answer; None if nothing is asked of it."""
    if view.phase is Phase.WINDOW and view.seat in view.order:
        is_free = view.is_my_turn
        penalty = 0 if is_free else view.rules.buy_penalty(view.round)
        return WindowOptions(is_free, penalty)
    if view.phase is not Phase.PLAY or not view.is_my_turn:
        return None
    lay_offs = next_lay_offs(view, Play())
    must_lay_off = bool(lay_offs) and view.rules.layoff.mandatory and lay_offs_bind(view, view.hand)
    default = default_play(view)
    is_stuck = must_lay_off or (view.rules.down.mandatory and bool(default.melds))
    return PlayOptions(
        may_go_down=may_go_down(view),
        lay_offs=lay_offs,
        must_lay_off=must_lay_off,
        discards=() if is_stuck else discardable(view, view.table, view.hand, view.is_down),
        default=default,
        swaps=swaps_now(view),
    )


def default_play(view: PlayerView) -> Play:
    """Return what is played for a seat that does not answer.

    Compulsory lay-offs by lowest meld number, then lowest place; then the
    dearest card that may be discarded, ties by code; a meld only where going
    down is compulsory.
    """
    play = Play(melds=_compulsory_melds(view))
    is_down = view.is_down or bool(play.melds)
    went_down_now = bool(play.melds)
    table, rest = position_after(view, play)
    lay_offs: list[LayOff] = []
    if is_down and view.rules.layoff.mandatory and may_lay_off_now(view, went_down_now):
        while lay_offs_bind(view, rest) and (found := lay_offs_now(view, table, rest)):
            lay_off = min(found, key=lambda f: (f.meld, f.place, f.card))
            table = table_after_lay_off(view, table, lay_off)
            rest = remove_cards(rest, (lay_off.card,)) or ()
            lay_offs.append(lay_off)
    cards = discardable(view, table, rest, is_down)
    points = view.rules.points
    discard = min(cards, key=lambda card: (-points[card], card), default=None)
    return Play(play.melds, tuple(lay_offs), discard)


def _compulsory_melds(view: PlayerView) -> tuple[Meld, ...]:
    if not view.rules.down.mandatory or not may_go_down(view):
        return ()
    laydown = best_laydown(view.hand, view.contract, view.rules, view.round)
    return laydown.melds if laydown is not None else ()
