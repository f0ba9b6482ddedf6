"""The sums that statistics are made of: added up deal set by deal set, in order.

For each deal set it keeps four numbers a seat, so a million games fit in memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import groupby

import msgspec

from hollywood.bots.seated import MAX_STRIKES

from .event import Setup
from .lines import GameLine, SetLine, seat_of

MEASURES = 4
"""Numbers kept for each slot of a set: score, luck, share of a win, rank."""
SCORE, LUCK, WIN, RANK = range(MEASURES)
_THOUSAND = 1000
_MOST_EXAMPLES = 5


class DealSums(msgspec.Struct):
    """What a bot did in one deal of the game, over all games."""

    games: int = 0
    points: int = 0
    buys: int = 0
    downs: int = 0
    """How often it went down."""
    down_turns: int = 0
    """The sum of its own turns before that, its first turn counted as 1."""
    outs: int = 0
    """How often it went out."""


class Failed(msgspec.Struct):
    """What went wrong with a bot."""

    games: int = 0
    """All its games."""
    replaced: int = 0
    """Those that a stand-in finished."""
    strikes: dict[str, int] = {}
    """By kind of fault."""
    examples: list[str] = []


class Tally:
    """All that was played, rounds of a bot against itself left out."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        bots = len(setup.event.bots)
        self.seats = setup.event.seats
        self.sets = 0
        self.games = 0
        self.tables: dict[tuple[int, ...], int] = {}
        """Each table that played, with its number."""
        self.table_of, self.deal_of, self.round_of = array("q"), array("q"), array("q")
        """For each deal set."""
        self.values = array("d")
        """For each deal set `MEASURES` times `seats` numbers, means over its games."""
        self.rankings: dict[tuple[int, ...], int] = {}
        """Each order of bots, the best first, that a game ended with."""
        self.ranking_of, self.ranking_deal = array("q"), array("q")
        """For each half of a game: an order, ties listed forwards and backwards."""
        self.by_deal: list[dict[int, DealSums]] = [{} for _ in range(bots)]
        """For each bot by number of the deal in a game."""
        self.failed = [Failed(strikes={}, examples=[]) for _ in range(bots)]
        self.struck: dict[int, tuple[int, int]] = {}
        """For each bot that failed, the first set and game in which it did."""
        self.wild_sets: list[tuple[float, int, int]] = []
        """The widest results: spread of a game, index of the set, its game."""

    def add(self, line: SetLine) -> None:
        """Add a deal set."""
        bots, seats = line.bots, len(line.bots)
        slots = _slots(bots)
        sums = [[0.0] * self.seats for _ in range(MEASURES)]
        for rotation, game in enumerate(line.games):
            seated = [seat_of(slot, rotation, seats) for slot in slots]
            names = [bots[slot] for slot in slots]
            scores = self._scores(names, seated, game)
            if game.strikes:
                self._note_struck(names, seated, game, (line.index, rotation))
            self._add_game(names, scores, line.deal)
            for column, (win, rank) in enumerate(_ranked(scores)):
                sums[SCORE][column] += scores[column]
                sums[LUCK][column] += game.luck[seated[column]] / _THOUSAND
                sums[WIN][column] += win
                sums[RANK][column] += rank
            self._add_deals(names, seated, game)
            self._note_wild(max(scores) - min(scores), line.index, rotation)
        table = tuple(bots[slot] for slot in slots)
        self.table_of.append(self.tables.setdefault(table, len(self.tables)))
        self.deal_of.append(line.deal)
        self.round_of.append(line.round)
        for measure in sums:
            self.values.extend([value / seats for value in measure])
        self.sets += 1
        self.games += seats

    def _scores(self, names: Sequence[int], seated: Sequence[int], game: GameLine) -> list[int]:
        """The points of each slot, penalties for bots that had to be replaced included."""
        scores = [game.scores[seat] for seat in seated]
        for column, (bot, seat) in enumerate(zip(names, seated, strict=True)):
            failed = self.failed[bot]
            failed.games += 1
            strikes = game.strikes[seat] if game.strikes else ()
            if not strikes:
                continue
            for strike in strikes:
                failed.strikes[strike.kind] = failed.strikes.get(strike.kind, 0) + 1
                if len(failed.examples) < _MOST_EXAMPLES and strike.text not in failed.examples:
                    failed.examples.append(strike.text)
            if len(strikes) >= MAX_STRIKES:
                failed.replaced += 1
                scores[column] += self.setup.event.failures.penalty
        return scores

    def _note_struck(
        self,
        names: Sequence[int],
        seated: Sequence[int],
        game: GameLine,
        where: tuple[int, int],
    ) -> None:
        for bot, seat in zip(names, seated, strict=True):
            if game.strikes[seat]:
                self.struck.setdefault(bot, where)

    def _add_game(self, names: Sequence[int], scores: Sequence[int], deal: int) -> None:
        pairs = sorted(zip(scores, names, strict=True))
        tied = [[name for _, name in group] for _, group in groupby(pairs, lambda pair: pair[0])]
        forwards = tuple(name for group in tied for name in group)
        backwards = tuple(name for group in tied for name in reversed(group))
        for order in (forwards, backwards):
            self.ranking_of.append(self.rankings.setdefault(order, len(self.rankings)))
            self.ranking_deal.append(deal)

    def _add_deals(self, names: Sequence[int], seated: Sequence[int], game: GameLine) -> None:
        seats = len(names)
        for number, deal in enumerate(game.deals):
            for bot, seat in zip(names, seated, strict=True):
                kept = self.by_deal[bot]
                sums = kept.get(number)
                if sums is None:
                    sums = kept[number] = DealSums()
                sums.games += 1
                sums.points += deal.scores[seat]
                sums.buys += deal.buys[seat]
                turn = deal.went_down[seat]
                if turn is not None:
                    sums.downs += 1
                    sums.down_turns += -(-turn // seats)
                sums.outs += deal.went_out == seat

    def _note_wild(self, spread: float, index: int, rotation: int) -> None:
        if len(self.wild_sets) < _MOST_EXAMPLES or spread > self.wild_sets[-1][0]:
            self.wild_sets.append((spread, index, rotation))
            self.wild_sets.sort(key=lambda found: (-found[0], found[1], found[2]))
            del self.wild_sets[_MOST_EXAMPLES:]


def _slots(bots: Sequence[int]) -> list[int]:
    """The slots in the order that names a table: of different bots the sorted one."""
    if len(set(bots)) < len(bots):
        return list(range(len(bots)))
    return sorted(range(len(bots)), key=lambda slot: bots[slot])


def _ranked(scores: Sequence[int]) -> list[tuple[float, float]]:
    """Share of the win and rank of each score; the lowest is the best.

    >>> _ranked([5, 0, 0])
    [(0.0, 3.0), (0.5, 1.5), (0.5, 1.5)]
    """
    best = min(scores)
    winners = sum(score == best for score in scores)
    ranked = []
    for score in scores:
        better = sum(other < score for other in scores)
        equal = sum(other == score for other in scores)
        ranked.append(((score == best) / winners, better + (equal + 1) / 2))
    return ranked


def duel_margin(line: SetLine, tally: Tally) -> float:
    """Return the margin of the challenger, who has slot 0, in the deal set just added.

    That is the mean of the others' points less its own, in points a game.
    """
    seats = len(line.bots)
    begin = len(tally.values) - MEASURES * tally.seats
    scores = tally.values[begin : begin + seats]
    return sum(scores[1:]) / (seats - 1) - scores[0]
