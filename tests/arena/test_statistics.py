"""Statistics against what other libraries and plain arithmetic say."""

from __future__ import annotations

import math

import choix
import numpy as np
import pytest
from scipy import stats

from arena import harness
from hollywood.bots.arena.course import Course
from hollywood.bots.arena.event import Stop
from hollywood.bots.arena.lines import DealLine, GameLine, SetLine, StrikeLine
from hollywood.bots.arena.plan import expected_sets
from hollywood.bots.arena.results import crosstable, results_of
from hollywood.bots.arena.statistics import (
    Call,
    Numbers,
    Running,
    estimate,
    gsprt,
    holm,
    non_transitive,
    p_value,
)
from hollywood.bots.arena.strength import fit, strengths
from hollywood.bots.arena.tally import Tally


def game(scores: tuple[int, ...], luck: tuple[int, ...] = (), strikes: object = ()) -> GameLine:
    seats = len(scores)
    deal = DealLine(scores, (0,) * seats, (None,) * seats, None, 9)
    return GameLine(scores, luck or (0,) * seats, "0" * 12, (deal,), strikes)  # type: ignore[arg-type]


def test_an_interval_is_students() -> None:
    values = np.array([3.0, 5.0, 8.0, 1.0, 4.0])
    found = estimate(values)
    low, high = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    assert found.low == pytest.approx(low)
    assert found.high == pytest.approx(high)
    running = Running()
    for value in values:
        running.add(float(value))
    assert running.estimate().high == pytest.approx(found.high)
    assert p_value(found) == pytest.approx(stats.ttest_1samp(values, 0).pvalue)


def test_a_margin_counts_all_games_of_a_deal_as_one_observation() -> None:
    setup = harness.event(dict.fromkeys("abc", "random"), format="round_robin")
    tally = Tally(setup)
    # deal 0 at two tables, deal 1 at one; scores by seat
    tally.add(SetLine(0, 1, 0, 0, (0, 1), (game((10, 30)), game((40, 20)))))
    tally.add(SetLine(1, 1, 0, 1, (2, 0), (game((5, 5)), game((0, 50)))))
    tally.add(SetLine(2, 1, 1, 0, (1, 0), (game((0, 8)), game((2, 0)))))
    numbers = Numbers(tally)
    # deal 0: +20 at the first table and (0 + 50) / 2 at the second; deal 1: (-8 - 2) / 2
    assert numbers.margin(0).mean == pytest.approx(((20 + 25) / 2 - 5) / 2)
    assert numbers.margin(0).count == 2
    assert numbers.pair(0, 1).mean == pytest.approx((20 - 5) / 2)
    assert numbers.pair(0, 1).mean == -numbers.pair(1, 0).mean
    assert numbers.pair(1, 2).count == 0


def test_a_replaced_bot_gets_its_penalty() -> None:
    setup = harness.event({"a": "random", "b": "random"}, failures={"penalty": 70})
    tally = Tally(setup)
    struck = (tuple(StrikeLine(n, "illegal", "no") for n in range(3)), ())
    tally.add(SetLine(0, 1, 0, 0, (0, 1), (game((10, 10), strikes=struck), game((10, 10)))))
    assert Numbers(tally).margin(0).mean == -35
    assert tally.failed[0].replaced == 1
    assert tally.failed[0].strikes == {"illegal": 3}
    assert tally.struck == {0: (0, 0)}


def test_the_test_waits_for_thirty_sets_and_then_decides() -> None:
    stop = Stop(h0=0.0, h1=10.0)
    better, equal = Running(), Running()
    for number in range(30):
        assert gsprt(better, stop).call is Call.OPEN
        better.add(12.0 + number % 3)
        equal.add(float(number % 3) - 1)
    assert gsprt(better, stop).call is Call.BETTER
    assert gsprt(equal, stop).call is Call.NOT_BETTER
    still = Running()
    for _ in range(30):
        still.add(0.0)
    assert gsprt(still, stop).call is Call.NOT_BETTER


def test_expected_sets_are_those_of_a_simulation() -> None:
    stop, sd = Stop(h0=0.0, h1=10.0), 60.0
    rng = np.random.default_rng(5)
    for truth in (0.0, 5.0, 10.0):
        counts = []
        for _ in range(300):
            llr = np.cumsum((rng.normal(truth, sd, 3000) - 5.0) * 10.0 / sd**2)
            counts.append(1 + int(np.argmax(np.abs(llr) >= math.log(19))))
        assert expected_sets(stop, truth, sd) == pytest.approx(np.mean(counts), rel=0.2)


def test_holm_adjusts_for_the_number_of_pairs() -> None:
    assert holm([]) == []
    assert holm([0.5]) == [0.5]
    assert holm([0.001, 0.2, 0.9, 0.02]) == pytest.approx([0.004, 0.4, 0.9, 0.06])


def test_circles_are_found_once() -> None:
    beats = {(0, 1), (1, 2), (2, 0), (0, 3), (1, 3)}
    assert non_transitive(beats, 4) == [(0, 1, 2)]
    assert non_transitive({(0, 1), (1, 2), (0, 2)}, 3) == []


def test_strengths_are_those_of_choix() -> None:
    rng = np.random.default_rng(3)
    truth = np.array([0.8, 0.2, -0.3, -0.7])
    orders = []
    for _ in range(400):
        keys = truth + rng.gumbel(size=4)
        orders.append(tuple(int(bot) for bot in np.argsort(-keys)))
    ranked = np.array(orders)
    ours = fit(ranked, np.ones(len(orders)), 4)
    theirs = choix.opt_rankings(4, orders)
    assert ours == pytest.approx(theirs - theirs.mean(), abs=0.02)


def test_strengths_of_tables_of_different_sizes() -> None:
    ranked = np.array([[0, 1, 2], [1, 0, 3], [2, 0, 3]])
    found = fit(ranked, np.array([10.0, 2.0, 3.0]), 3)
    assert found.sum() == pytest.approx(0)
    assert list(np.argsort(-found)) == [0, 1, 2]


def test_intervals_of_strengths_hold_them_and_come_again() -> None:
    setup = harness.event(dict.fromkeys("abc", "random"), format="round_robin", seats=3)
    tally = Tally(setup)
    rng = np.random.default_rng(1)
    for deal in range(40):
        games = []
        for rotation in range(3):
            by_bot = rng.normal([0, 20, 40], 30).astype(int)
            games.append(game(tuple(int(by_bot[(seat - rotation) % 3]) for seat in range(3))))
        tally.add(SetLine(deal, 1, deal, 0, (0, 1, 2), tuple(games)))
    found = strengths(tally)
    assert found == strengths(tally)
    assert found[0].first > 0.95
    for bot in found:
        assert bot.low < bot.value < bot.high


def test_luck_is_taken_out() -> None:
    """Scores that are nothing but luck: the corrected margins do not spread any more."""
    setup = harness.event({"a": "random", "b": "random"}, luck_coefficient=20.0)
    tally, rng = Tally(setup), np.random.default_rng(2)
    for deal in range(50):
        games = []
        for _ in range(2):
            luck = rng.integers(-3000, 3000, 2)
            scores = tuple(int(200 - 20 * number / 1000) for number in luck)
            games.append(game(scores, tuple(map(int, luck))))
        tally.add(SetLine(deal, 1, deal, 0, (0, 1), tuple(games)))
    numbers = Numbers(tally)
    slope, explained = numbers.luck_slope()
    assert slope == pytest.approx(20, abs=0.2)
    assert explained > 0.99
    assert numbers.margin(0).sd > 20
    assert numbers.margin(0, 20.0).sd < 1


def test_a_crosstable_says_the_same_from_both_sides() -> None:
    setup = harness.event(dict.fromkeys("ab", "random"))
    course = Course(setup)
    for deal in range(3):
        line = SetLine(deal, 1, deal, 0, (0, 1), (game((deal, 30)), game((30, 9))))
        course.tally.add(line)
    one, other = crosstable(results_of(course))
    assert one["margin"]["mean"] == -other["margin"]["mean"]
    assert one["margin"]["low"] == -other["margin"]["high"]
