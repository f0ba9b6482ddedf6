"""What a hand can do: go down, come closer, lay off."""

from __future__ import annotations

import msgspec

from .cards import Hand
from .contracts import Contract
from .melds import LayOff, Meld, TableMeld
from .rulesets import RuleSet


class Laydown(msgspec.Struct, frozen=True):
    """A way to go down, with what stays in hand and what that costs."""

    melds: tuple[Meld, ...]
    cards_left: Hand
    points_left: int


def best_laydown(
    hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None
) -> Laydown | None: ...


def distance(
    hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None
) -> int | None: ...


def useful_cards(
    hand: Hand, contract: Contract, rules: RuleSet, deal: int | None = None
) -> Hand: ...


def lay_offs(hand: Hand, table: tuple[TableMeld, ...], rules: RuleSet) -> tuple[LayOff, ...]: ...
