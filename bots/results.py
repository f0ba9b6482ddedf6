"""What is left of a game when it is over."""

from __future__ import annotations

import msgspec

from hollywood.protocol.rules import GameState, format_contract
from hollywood.protocol.rules.events import DealEnded

from .seated import Strike


class DealResult(msgspec.Struct, frozen=True):
    """One deal; tuples have one entry for each seat."""

    contracts: tuple[str, ...]
    scores: tuple[int, ...]
    went_out: int | None
    """The seat that ended the deal, null when the stock ran out."""
    turns: int
    buys: tuple[int, ...]
    went_down: tuple[int | None, ...]
    """The turn in which each seat laid its contract."""


class GameResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """One game; tuples have one entry for each seat."""

    seed: str
    """The game's seed, 64 hex digits."""
    bots: tuple[str, ...]
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    decisions: int
    deals: tuple[DealResult, ...]
    strikes: tuple[tuple[Strike, ...], ...] = ()
    """The decisions that each seat's bot failed; () if no bot failed any."""


def deal_result(state: GameState, ended: DealEnded) -> DealResult:
    """Return the result of the deal that this event has ended, in the state after it."""
    return DealResult(
        contracts=tuple(format_contract(state.rules.contracts[i]) for i in state.contracts),
        scores=ended.points,
        went_out=ended.went_out,
        turns=state.turns,
        buys=state.buys,
        went_down=state.went_down,
    )
