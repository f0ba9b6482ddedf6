"""What a seat may say: claim or pass in a window, then one whole turn as a Play."""

from __future__ import annotations

import msgspec

from .cards import Card
from .melds import LayOff, Meld, Swap


class Claim(msgspec.Struct, frozen=True, gc=False, tag="claim", tag_field="t"):
    """I want the upcard: free for the seat in turn, bought by any other (0-41, 0-46)."""


class Pass(msgspec.Struct, frozen=True, gc=False, tag="pass", tag_field="t"):
    """I do not want the upcard."""


class Play(msgspec.Struct, frozen=True, gc=False, tag="play", tag_field="t", omit_defaults=True):
    """A whole turn after the draw: take wilds back, go down, lay off in this order, discard.

    Numbers of melds laid in the same Play follow on from those on the table, in
    the order of `melds`, so a lay-off can name them.
    """

    melds: tuple[Meld, ...] = ()
    lay_offs: tuple[LayOff, ...] = ()
    discard: Card | None = None
    swaps: tuple[Swap, ...] = ()
    """Naturals for wilds in runs, before all else, where the rules let wilds be taken back."""


Action = Claim | Pass | Play
