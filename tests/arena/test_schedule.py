"""Schedules: balanced, complete, the same each time."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from arena import harness
from hollywood.bots.arena.course import Course
from hollywood.bots.arena.match import seating
from hollywood.bots.arena.plan import plan_of
from hollywood.bots.arena.schedule import (
    Round,
    first_tables,
    knockout_tables,
    round_robin_tables,
    swiss_tables,
    unit_of,
)


@pytest.mark.parametrize(("bots", "seats"), [(2, 2), (5, 3), (8, 4), (12, 8), (13, 4), (20, 6)])
def test_round_robins_are_balanced(bots: int, seats: int) -> None:
    tables = round_robin_tables(bots, seats)
    played = Counter(bot for table in tables for bot in table)
    met = Counter(pair for table in tables for pair in combinations(table, 2))
    assert all(len(set(table)) == seats for table in tables)
    assert len(met) == bots * (bots - 1) // 2
    assert max(played.values()) - min(played.values()) <= 1
    assert max(met.values()) <= 3 * min(met.values())


def test_each_bot_sits_on_each_seat() -> None:
    seats = [seating((4, 5, 6, 7), rotation) for rotation in range(4)]
    for seat in range(4):
        assert {sitting[seat] for sitting in seats} == {4, 5, 6, 7}


def test_duels_have_a_challenger_and_copies() -> None:
    names = dict.fromkeys("abc", "random")
    gauntlet = harness.event(names, format="gauntlet", seats=4, reference="b").event
    assert first_tables(gauntlet) == ((0, 1, 1, 1), (2, 1, 1, 1))
    ladder = harness.event(names, format="ladder", seats=3).event
    assert first_tables(ladder) == ((1, 0, 0), (2, 1, 1))


def test_every_table_plays_the_same_deals_in_an_order_of_its_own() -> None:
    event = harness.event(dict.fromkeys("abcde", "random"), format="round_robin", seats=4).event
    round_ = Round(1, first_tables(event), 0, 6, 0)
    units = [unit_of(event, round_, index) for index in range(round_.size)]
    assert units == [unit_of(event, round_, index) for index in range(round_.size)]
    deals = {table: [u.deal for u in units if u.table == table] for table in range(5)}
    assert set(map(tuple, deals.values())) == {tuple(range(6))}
    orders = {u.bots for u in units if u.table == 0}
    assert len(orders) > 2
    assert {tuple(sorted(order)) for order in orders} == {round_.tables[0]}


def test_swiss_seats_those_that_stand_alike_and_have_not_met() -> None:
    meetings: dict[tuple[int, int], int] = {}
    played = [0] * 8
    first = swiss_tables(range(8), 4, meetings, played)
    assert first == ((0, 1, 2, 3), (4, 5, 6, 7))
    second = swiss_tables(range(8), 4, meetings, played)
    for table in second:
        assert len({bot // 4 for bot in table}) == 2
    assert played == [2] * 8


def test_a_swiss_table_is_filled_with_bots_that_played_least() -> None:
    played = [0] * 12
    for _ in range(3):
        tables = swiss_tables(range(12), 8, {}, played)
        assert [len(set(table)) for table in tables] == [8, 8]
        assert {bot for table in tables for bot in table} == set(range(12))
    assert max(played) - min(played) <= 2


@pytest.mark.parametrize("bots", range(2, 20))
@pytest.mark.parametrize("seats", [2, 3, 4, 8])
def test_a_knockout_gets_smaller_until_one_is_left(bots: int, seats: int) -> None:
    left = list(range(bots))
    for _ in range(10):
        tables, byes = knockout_tables(left, seats, 2)
        assert sorted([*byes, *(bot for table in tables for bot in table)]) == sorted(left)
        if len(left) <= seats:
            assert tables == (tuple(left),)
            return
        left = [*byes, *(bot for table in tables for bot in table[: seats // 2])]
    raise AssertionError("it does not end")


def test_a_plan_counts_what_will_be_played() -> None:
    setup = harness.event(dict.fromkeys("abcd", "random"), format="round_robin", seats=3, deals=10)
    plan = plan_of(setup)
    assert (plan.sets, plan.null_games, plan.meetings) == (40, 12, (2, 2))
    assert plan.games == 40 * 3 + 12
    course = Course(setup)
    assert [unit.round for unit in course.upcoming(-1)] == [0] * 4
