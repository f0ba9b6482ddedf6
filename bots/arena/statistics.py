"""Statistics over deal sets, never over single games.

A margin is the mean of the other seats' points less the bot's own, in points a game:
fewer points are better, so a positive margin is good. Games of one deal, at any
table, depend on each other; so whatever was played with the cards of one deal is one
observation.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from .errors import needs_extra

try:
    import numpy as np
    from scipy import stats
except ImportError:
    raise needs_extra("tournament") from None

from .event import Stop
from .tally import LUCK, MEASURES, RANK, SCORE, WIN, Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CONFIDENCE = 0.95
LEAST_FOR_INTERVAL = 2


class Estimate(msgspec.Struct, frozen=True):
    """A mean with its 95 % interval."""

    mean: float
    low: float | None
    """None where there are too few observations."""
    high: float | None
    sd: float
    """The standard deviation of one observation."""
    count: int
    """Observations: deals."""

    @property
    def half_width(self) -> float:
        """Half the width of the interval; infinite where there is none."""
        return math.inf if self.high is None else self.high - self.mean


class Call(StrEnum):
    """What a sequential test says."""

    BETTER = "better"
    """The margin is h1 rather than h0."""
    NOT_BETTER = "not better"
    OPEN = "open"


class Verdict(msgspec.Struct, frozen=True):
    """A sequential test as it stands."""

    call: Call
    llr: float
    """The log-likelihood ratio of h1 to h0."""
    lower: float
    upper: float
    sets: int


class Running:
    """Mean and variance of observations that come one by one (Welford)."""

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self._squares = 0.0

    def add(self, value: float) -> None:
        """Add an observation."""
        self.count += 1
        step = value - self.mean
        self.mean += step / self.count
        self._squares += step * (value - self.mean)

    @property
    def variance(self) -> float:
        """The sample variance."""
        return self._squares / (self.count - 1) if self.count > 1 else 0.0

    def estimate(self) -> Estimate:
        """Return the mean with its interval."""
        return _estimate(self.mean, math.sqrt(self.variance), self.count)


def gsprt(running: Running, stop: Stop) -> Verdict:
    """Return a generalised sequential probability ratio test of a margin.

    The margin of a set is taken for normal, of a variance that is estimated along
    the way; so nothing is decided before `stop.at_least` sets.

    Args:
        running: The margins so far, in the order of the sets' indices.
        stop: Both hypotheses and the risks.
    """
    lower = math.log(stop.beta / (1 - stop.alpha))
    upper = math.log((1 - stop.beta) / stop.alpha)
    count = running.count
    from_middle = running.mean - (stop.h0 + stop.h1) / 2
    variance = running.variance
    if variance > 0:
        llr = (stop.h1 - stop.h0) * count * from_middle / variance
    else:
        llr = math.copysign(1e9, from_middle) if count else 0.0
    call = Call.OPEN
    if count >= stop.at_least:
        call = Call.BETTER if llr >= upper else Call.NOT_BETTER if llr <= lower else Call.OPEN
    return Verdict(call, max(-1e9, min(1e9, llr)), lower, upper, count)


def estimate(values: Floats) -> Estimate:
    """Return the mean of independent observations with its interval by Student's t."""
    count = len(values)
    if not count:
        return Estimate(0.0, None, None, 0.0, 0)
    sd = float(values.std(ddof=1)) if count > 1 else 0.0
    return _estimate(float(values.mean()), sd, count)


def _estimate(mean: float, sd: float, count: int) -> Estimate:
    if count < LEAST_FOR_INTERVAL:
        return Estimate(mean, None, None, sd, count)
    half = t_quantile(count) * sd / math.sqrt(count)
    return Estimate(mean, mean - half, mean + half, sd, count)


def t_quantile(count: int) -> float:
    """Return how many standard errors the interval reaches on each side."""
    return float(stats.t.ppf((1 + CONFIDENCE) / 2, count - 1))


class Numbers:
    """A tally as arrays.

    Attributes:
        values: Shape (sets, measures, seats).
        table: Shape (sets,), the number of the table.
        deal: Shape (sets,), from 0 on without gaps.
    """

    def __init__(self, tally: Tally, round_: int | None = None, since: int = 0) -> None:
        """Take all sets, or those of one round, from the number `since` on."""
        shape = (tally.sets, MEASURES, tally.seats)
        values = np.frombuffer(tally.values, dtype=np.float64).reshape(shape).copy()
        table = np.frombuffer(tally.table_of, dtype=np.int64).copy()
        deals = np.frombuffer(tally.deal_of, dtype=np.int64).copy()
        rounds = np.frombuffer(tally.round_of, dtype=np.int64).copy()
        keep = np.arange(tally.sets) >= since
        if round_ is not None:
            keep &= rounds == round_
        self.values, self.table = values[keep], table[keep]
        self.deal = np.unique(deals[keep], return_inverse=True)[1]
        self.tables = sorted(tally.tables, key=tally.tables.__getitem__)

    def by_deal(self, wanted: dict[int, Floats], measure: int) -> Floats:
        """Return for each deal the mean over its sets of a weighted sum of the seats.

        Args:
            wanted: For each number of a table the weights of its seats.
            measure: Which measure is summed.

        Returns:
            One observation for each deal in which such a table played.
        """
        deals = int(self.deal.max(initial=-1)) + 1
        sums, counts = np.zeros(deals), np.zeros(deals)
        for table, weights in wanted.items():
            rows = np.flatnonzero(self.table == table)
            found = self.values[rows, measure, : len(weights)] @ weights
            np.add.at(sums, self.deal[rows], found)
            np.add.at(counts, self.deal[rows], 1.0)
        played = counts > 0
        result: Floats = sums[played] / counts[played]
        return result

    def margin_weights(self, bot: int) -> dict[int, Floats]:
        """Weights that give the margin of a bot at each table where it meets others."""
        found = {}
        for number, table in enumerate(self.tables):
            own = np.array([name == bot for name in table])
            if own.any() and not own.all():
                found[number] = ~own / (~own).sum() - own / own.sum()
        return found

    def own_weights(self, bot: int) -> dict[int, Floats]:
        """Weights that give a bot's own mean at each of its tables."""
        found = {}
        for number, table in enumerate(self.tables):
            own = np.array([name == bot for name in table])
            if own.any():
                found[number] = own / own.sum()
        return found

    def pair_weights(self, one: int, other: int) -> dict[int, Floats]:
        """Weights that give the points of the other less those of the one."""
        found = {}
        for number, table in enumerate(self.tables):
            ours = np.array([name == one for name in table])
            theirs = np.array([name == other for name in table])
            if ours.any() and theirs.any():
                found[number] = theirs / theirs.sum() - ours / ours.sum()
        return found

    def margin(self, bot: int, coefficient: float = 0.0) -> Estimate:
        """Return a bot's margin; with a coefficient, less what it owes to luck."""
        return estimate(self._corrected(self.margin_weights(bot), coefficient))

    def pair(self, one: int, other: int, coefficient: float = 0.0) -> Estimate:
        """Return by how much one bot beats another at the same table."""
        return estimate(self._corrected(self.pair_weights(one, other), coefficient))

    def at_table(self, bot: int, table: int) -> Estimate:
        """Return a bot's margin in one field."""
        weights = self.margin_weights(bot)
        return estimate(self.by_deal({table: weights[table]}, SCORE))

    def _corrected(self, weights: dict[int, Floats], coefficient: float) -> Floats:
        margins = self.by_deal(weights, SCORE)
        if coefficient:
            # weights are the others' less the own: luck of the others raises the margin
            return margins - coefficient * -self.by_deal(weights, LUCK)
        return margins

    def mean(self, bot: int, measure: int) -> float:
        """Return a bot's mean score, luck, win share or rank."""
        found = self.by_deal(self.own_weights(bot), measure)
        return float(found.mean()) if len(found) else 0.0

    def luck_slope(self) -> tuple[float, float]:
        """Return the points that a useful card is worth here, and the share of variance.

        Fit over single seats' scores against their luck, within deal sets and beside
        what each bot scores anyway; only for later events, since a coefficient must
        not come from the games it corrects.
        """
        scores, lucks = [], []
        for number, table in enumerate(self.tables):
            rows = np.flatnonzero(self.table == number)
            if len(rows) >= LEAST_FOR_INTERVAL:
                found = self.values[rows][:, :, : len(table)]
                scores.append(_centred(found[:, SCORE]))
                lucks.append(_centred(found[:, LUCK]))
        if not scores:
            return 0.0, 0.0
        score, luck = np.concatenate(scores, axis=None), np.concatenate(lucks, axis=None)
        spread, total = float((luck**2).sum()), float((score**2).sum())
        if spread == 0.0 or total == 0.0:
            return 0.0, 0.0
        slope = -float((score * luck).sum()) / spread
        return slope, slope**2 * spread / total


def _centred(values: Floats) -> Floats:
    """Take the means of each deal set and of each seat's bot out, shape (sets, seats)."""
    by_set = values.mean(axis=1, keepdims=True)
    by_bot = values.mean(axis=0, keepdims=True)
    centred: Floats = values - by_set - by_bot + values.mean()
    return centred


def win_share(numbers: Numbers, bot: int) -> float:
    """Return the share of its games that a seat of the bot wins."""
    return numbers.mean(bot, WIN)


def mean_rank(numbers: Numbers, bot: int) -> float:
    """Return the mean rank of its seats, 1 for the best."""
    return numbers.mean(bot, RANK)


def p_value(found: Estimate) -> float:
    """Return how often a margin of 0 would look as far from it as this one, or farther."""
    if found.count < LEAST_FOR_INTERVAL:
        return 1.0
    if found.sd == 0.0:
        return 1.0 if found.mean == 0.0 else 0.0
    t = abs(found.mean) / (found.sd / math.sqrt(found.count))
    return float(2 * stats.t.sf(t, found.count - 1))


def holm(values: list[float]) -> list[float]:
    """Return p-values adjusted for their number, by Holm's step-down.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted = [0.0] * len(values)
    highest = 0.0
    for place, number in enumerate(order):
        highest = max(highest, min(1.0, values[number] * (len(values) - place)))
        adjusted[number] = highest
    return adjusted


def non_transitive(beats: set[tuple[int, int]], bots: int) -> list[tuple[int, int, int]]:
    """Return circles of three, each of which beats the next, the lowest number first.

    >>> non_transitive({(0, 1), (1, 2), (2, 0), (3, 0)}, 4)
    [(0, 1, 2)]
    """
    return [
        (a, b, c)
        for a in range(bots)
        for b in range(bots)
        for c in range(bots)
        if a < b and a < c and {(a, b), (b, c), (c, a)} <= beats
    ]
