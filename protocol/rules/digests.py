"""A few characters by which server and client check that they know the same."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from .melds import Meld
from .views import PlayerView


def digest(view: PlayerView) -> str:
    """Return 16 hex digits by which both ends check that they know the same.

    The first 16 of the SHA-256 of this text, which PROTOCOL.md writes down: deal,
    turn, turns, hand, hand sizes, stock, discards, whether the upcard is live,
    the melds, buys, and the points of every deal, joined by "|".
    """
    parts = (
        str(view.deal),
        str(view.turn),
        str(view.turns),
        " ".join(view.hand),
        _numbers(view.hand_sizes),
        str(view.stock),
        " ".join(view.discards),
        "live" if view.is_upcard_live else "dead",
        ";".join([f"{laid.number} {laid.seat} {_meld_text(laid.meld)}" for laid in view.table]),
        _numbers(view.buys),
        _scores_text(view.scores),
    )
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]


@lru_cache(maxsize=64)
def _scores_text(scores: tuple[tuple[int, ...], ...]) -> str:
    return ";".join(map(_numbers, scores))


def _meld_text(meld: Meld) -> str:
    text: str | None = meld.__dict__.get("text")
    if text is None:
        text = f"{meld.kind} {meld.rank or meld.suit} {meld.low} {' '.join(meld.cards)}"
        meld.__dict__["text"] = text
    return text


def _numbers(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))
