"""What a decision offers, and what is done for a seat that does not answer."""

from __future__ import annotations

import msgspec

from .actions import Pass, Play
from .cards import Card, Hand, remove_cards
from .laydowns import best_laydown
from .melds import LayOff, Meld, Swap
from .state import Phase
from .turns import (
    discardable,
    discards_now,
    lay_offs_bind,
    lay_offs_now,
    may_go_down,
    may_lay_off_now,
    next_lay_offs,
    position_after,
    swaps_now,
    with_lay_off,
)
from .views import PlayerView, kept

# names of the module, since members of an enum are looked up three times as long
_WINDOW, _PLAY = Phase.WINDOW, Phase.PLAY


class WindowOptions(msgspec.Struct, frozen=True, gc=False, tag="window", tag_field="t"):
    """A window decision: Claim or Pass."""

    is_free: bool
    """True for the seat in turn, which takes the upcard as its draw (0-46)."""
    penalty: int
    """Cards from the stock that a claim brings along (0-43)."""
    default: Pass = Pass()


class PlayOptions(msgspec.Struct, frozen=True, gc=False, tag="play", tag_field="t"):
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


@kept
def options(view: PlayerView) -> Options | None:
    """Return what this seat is asked and may answer; None if nothing is asked of it."""
    phase = view.phase
    if phase is _WINDOW and view.seat in view.order:
        is_free = view.turn == view.seat
        penalty = 0 if is_free else view.rules.buy_penalty(view.round)
        return WindowOptions(is_free, penalty)
    if phase is not _PLAY or view.turn != view.seat:
        return None
    lay_offs = next_lay_offs(view, Play())
    must_lay_off = bool(lay_offs) and view.rules.layoff.mandatory and lay_offs_bind(view, view.hand)
    default = default_play(view)
    is_stuck = must_lay_off or (view.rules.down.mandatory and bool(default.melds))
    return PlayOptions(
        may_go_down=may_go_down(view),
        lay_offs=lay_offs,
        must_lay_off=must_lay_off,
        discards=() if is_stuck else discards_now(view),
        default=default,
        swaps=swaps_now(view),
    )


@kept
def default_play(view: PlayerView) -> Play:
    """Return what is played for a seat that does not answer.

    Compulsory lay-offs by lowest meld number, then lowest place; then the
    dearest card that may be discarded, ties by code; a meld only where going
    down is compulsory.
    """
    play = Play(melds=_compulsory_melds(view))
    if not play.melds and not view.is_down:
        return Play(discard=dearest(discards_now(view), view))
    is_down = view.is_down or bool(play.melds)
    went_down_now = bool(play.melds)
    table, rest = position_after(view, play)
    lay_offs: list[LayOff] = []
    if is_down and view.rules.layoff.mandatory and may_lay_off_now(view, went_down_now):
        while lay_offs_bind(view, rest) and (found := lay_offs_now(view, table, rest)):
            lay_off = min(found, key=lambda f: (f.meld, f.place, f.card))
            table = with_lay_off(table, lay_off, view.rules)
            rest = remove_cards(rest, (lay_off.card,)) or ()
            lay_offs.append(lay_off)
    discard = dearest(discardable(view, table, rest, is_down), view)
    return Play(play.melds, tuple(lay_offs), discard)


def dearest(cards: Hand, view: PlayerView) -> Card | None:
    """Return the card that would cost most in hand, ties by code; None of no cards."""
    return min(cards, key=view.rules.dearness.__getitem__, default=None)


def _compulsory_melds(view: PlayerView) -> tuple[Meld, ...]:
    if not view.rules.down.mandatory or not may_go_down(view):
        return ()
    laydown = best_laydown(view.hand, view.contract, view.rules, view.round)
    return laydown.melds if laydown is not None else ()
