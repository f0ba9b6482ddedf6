"""What the ways to lay a contract say of single cards."""

from __future__ import annotations

from .tables import HIGHS

WILD = 4
"""Wilds are a fifth suit of signs."""
TWO_SIGNS = (2, 4, 8, 16, 0)
"""The bits of twos there, by suit, where they may be natural; all other wilds have bit 1."""
EVERY_TWO = 2 | 4 | 8 | 16
EVERY_WILD = 1 | EVERY_TWO


class Signs:
    """Which cards are of use, and which can be spared, as high bits of suit tallies.

    A sign is sure, a hint must be tried. Every card without sign or hint is known to
    be of no use, or not to be spared.
    """

    __slots__ = ("maybe_spare", "maybe_useful", "spare", "useful")

    def __init__(self) -> None:
        self.useful = [0, 0, 0, 0, 0]
        self.maybe_useful = [0, 0, 0, 0, 0]
        self.spare = [0, 0, 0, 0, 0]
        self.maybe_spare = [0, 0, 0, 0, 0]

    def hint_all(self) -> None:
        """Know nothing."""
        self.maybe_useful = [HIGHS, HIGHS, HIGHS, HIGHS, EVERY_WILD]
        self.maybe_spare = [HIGHS, HIGHS, HIGHS, HIGHS, EVERY_WILD]
