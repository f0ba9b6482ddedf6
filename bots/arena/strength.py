"""One strength for each bot, from all games at once: Plackett and Luce's model.

In it the winner of a table is drawn with chances in proportion to strengths, then
the second from those that are left, and so on. Strengths are logarithms, 0 on
average. They say in one number what margins by field say better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from .errors import needs_extra

try:
    import numpy as np
    from scipy import sparse
except ImportError:
    raise needs_extra("tournament") from None

from .tally import Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .statistics import Floats

    Integers = NDArray[np.int64]

RESAMPLES = 200
_MOST_STEPS = 500
_CLOSE = 1e-9
_PRIOR = 0.5
"""Games won and lost against an average bot that each starts with: keeps a bot that
never loses at a finite strength."""


class Strength(msgspec.Struct, frozen=True):
    """A bot's strength with its 95 % interval, and how often it came first."""

    value: float
    low: float
    high: float
    first: float
    """The share of resamples in which it is the strongest."""


def strengths(tally: Tally, resamples: int = RESAMPLES) -> list[Strength]:
    """Return each bot's strength; intervals by drawing deals again with replacement."""
    bots = len(tally.setup.event.bots)
    orders = sorted(tally.rankings, key=tally.rankings.__getitem__)
    if not orders:
        return [Strength(0.0, 0.0, 0.0, 0.0)] * bots
    widest = max(map(len, orders))
    ranked = np.full((len(orders), widest), bots, dtype=np.int64)
    for number, order in enumerate(orders):
        ranked[number, : len(order)] = order
    ranking = np.frombuffer(tally.ranking_of, dtype=np.int64)
    deal = np.unique(np.frombuffer(tally.ranking_deal, dtype=np.int64), return_inverse=True)[1]
    # each game is listed twice, ties forwards and backwards
    counts = sparse.csr_matrix(
        (np.full(len(ranking), 0.5), (deal, ranking)), shape=(int(deal.max()) + 1, len(orders))
    )
    best = fit(ranked, np.asarray(counts.sum(axis=0)).ravel(), bots)
    rng = np.random.default_rng(int(tally.setup.digest[:16], 16))
    deals = counts.shape[0]
    drawn = np.empty((resamples, bots))
    for number in range(resamples):
        weights = rng.multinomial(deals, np.full(deals, 1 / deals)).astype(np.float64)
        drawn[number] = fit(ranked, counts.T @ weights, bots, best)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    first = np.bincount(drawn.argmax(axis=1), minlength=bots) / resamples
    return [Strength(*map(float, found)) for found in zip(best, low, high, first, strict=True)]


def fit(ranked: Integers, counts: Floats, bots: int, begin: Floats | None = None) -> Floats:
    """Fit strengths by Hunter's minorisation and maximisation.

    Args:
        ranked: Shape (orders, places), bots from the best to the worst; places that
            are not taken hold `bots`.
        counts: Shape (orders,), how often each order was seen.
        bots: How many bots there are.
        begin: Strengths to start from.

    Returns:
        Shape (bots,), logarithms with mean 0.
    """
    taken = ranked < bots
    # who is last wins against nobody
    stages = taken.copy()
    last = taken.sum(axis=1) - 1
    stages[np.arange(len(ranked)), last] = False
    won = np.repeat(counts, stages.sum(axis=1))
    counted = np.bincount(ranked[stages], weights=won, minlength=bots)[:bots]
    wins = _PRIOR + counted.astype(np.float64)
    worth = np.ones(bots + 1) if begin is None else np.append(np.exp(begin), 1.0)
    for _ in range(_MOST_STEPS):
        worth[bots] = 0.0
        left = np.cumsum(worth[ranked][:, ::-1], axis=1)[:, ::-1]
        share = np.where(stages, counts[:, None] / np.where(left > 0, left, 1.0), 0.0)
        owed = np.cumsum(share, axis=1)
        sums = np.bincount(ranked.ravel(), weights=owed.ravel(), minlength=bots + 1)[:bots]
        # the average bot, which each has beaten and lost to
        new: Floats = wins / (sums + 2 * _PRIOR / (worth[:bots] + 1.0))
        new /= np.exp(np.log(new).mean())
        moved = float(np.abs(np.log(new) - np.log(worth[:bots])).max())
        worth[:bots] = new
        if moved < _CLOSE:
            break
    result: Floats = np.log(worth[:bots])
    return result
