"""Hints, and the chart: what is marked, what a discard gives away, what is drawn."""

from __future__ import annotations

import doctest

import pytest

from builders import position
from hollywood.client import chart as chart_module
from hollywood.client.chart import chart, running_totals
from hollywood.client.desk import NO_HINTS
from hollywood.client.hints import describe_glance, giveaway, look_at, next_seat
from hollywood.protocol.rules import Card, Claim, Phase, Play
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.offers import WindowOptions
from hollywood.protocol.wire import messages as msg

from .table import Client

NAMES = ("you", "bea", "chen", "dmitri")


def hinted(client: Client) -> Client:
    client.press("h")
    client.desk.glance = look_at(client.view)
    return client


def marks(client: Client) -> str:
    """The cards with a ! above them."""
    lines = client.lines(100, 24)
    above, hand = lines[-3], lines[-2]
    return " ".join(
        hand[i : i + 2] for i in range(2, len(hand) - 2, 4) if "!" in above[i - 1 : i + 3]
    )


def test_cards_that_count_are_marked_and_the_distance_said() -> None:
    client = hinted(Client(position("7H 7D 9C 9S KS 3D 4S", "5C")))
    assert marks(client) == "7♦ 7♥ 9♣ 9♠"
    text = client.text(100, 24)
    assert "hint: 2 cards short" in text
    assert "7♣" in text
    client.press("h")
    client.press("right")
    assert "hint" not in client.text(100, 24).replace("h hints", "")
    assert marks(client) == ""


def test_a_complete_contract_marks_its_laydown() -> None:
    client = hinted(Client(position("7H 7D 7S 9C 9S 9D KS", "5C")))
    assert "the contract is complete" in client.text(100, 24)
    assert marks(client) == "7♦ 7♥ 7♠ 9♣ 9♦ 9♠"


def test_once_down_what_fits_the_table_is_marked() -> None:
    client = hinted(Client(position("8H KS 4C", "5C", table=[(0, "8: 8C 8D 8S")])))
    assert marks(client) == "8♥"
    assert "fits on the table: 8♥" in client.text(100, 24)
    nothing = hinted(Client(position("KS 4C", "5C", table=[(0, "8: 8C 8D 8S")])))
    assert "nothing in hand fits the table" in nothing.text(100, 24)


def test_a_useful_upcard_is_marked() -> None:
    state = position("7H 7D 9C 9S KS 3D 4S", "5C", phase=Phase.WINDOW, upcard="7C", turn=0)
    assert "[7♣]!" in hinted(Client(state)).text(100, 24)
    other = position("7H 7D 9C 9S KS 3D 4S", "5C", phase=Phase.WINDOW, upcard="QC", turn=0)
    assert "[Q♣]!" not in hinted(Client(other)).text(100, 24)


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ("8H", "8H fits a (set of eights): bea is down and could lay it off"),
        ("KS", "KS gives bea nothing to lay off"),
        ("2D", "2D is wild: bea would like it"),
    ],
)
def test_what_a_discard_gives_to_a_player_who_is_down(card: str, said: str) -> None:
    state = position("8H KS 2D", "5C 6C", "3C", table=[(1, "8: 8C 8D 8S")])
    view = Client(state).view
    assert giveaway(view, Card(card), {}, NAMES.__getitem__) == said


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ("8H", "8H may suit bea, who took 8C"),
        ("7C", "7C may suit bea, who took 8C"),
        ("7D", "nothing is known of bea that 7D would suit"),
    ],
)
def test_what_a_discard_gives_to_one_who_took_cards(card: str, said: str) -> None:
    view = Client(position("8H 7C 7D", "5C 8C", "3C")).view
    assert giveaway(view, Card(card), {1: [Card("8C")]}, NAMES.__getitem__) == said
    assert next_seat(view) == 1


def test_cards_that_others_took_are_known_until_they_lose_them() -> None:
    hand = "8C 8D 9S 3H"
    state = position("KS 4C", hand, "5C", turn=1, phase=Phase.WINDOW, upcard="8H", discarder=2)
    client = Client(state)
    client.referee.holds_back = True
    client.press("n")
    client.referee.act(1, Claim())
    assert client.model.known == {1: ["8H"]}
    client.referee.act(1, Play(discard=Card("3H")))
    assert client.model.known == {1: ["8H"]}
    client.model._watch_others(ev.Discarded(seat=1, card=Card("8H")))
    assert client.model.known == {1: []}


def test_a_table_without_hints_gives_none_and_no_advice() -> None:
    client = Client(position("7H 7D 9C 9S KS 3D 4S", "5C"))
    client.model._asks_hints = True
    client.deliver(msg.Decide(did=9, n=1, seq=0, legal=WindowOptions(True, 0), remaining_ms=None))
    for key in ("h", "a"):
        client.press(key)
        assert client.desk.notice == NO_HINTS
    assert not client.desk.shows_hints


def test_a_hand_that_nothing_can_complete_is_said() -> None:
    view = Client(position("7H 7D 9C 9S KS 3D 4S", "5C")).view
    glance = look_at(view)
    assert glance.is_about(view)
    assert describe_glance(glance, view).startswith("2 cards short, ")


# the chart


def drawn(totals: list[list[int]], cols: int = 60, rows: int = 9) -> list[str]:
    lines = chart(totals, "1234", cols, rows, own=0)
    return ["".join(text for _, text in line) for line in lines]


def test_examples_of_the_chart() -> None:
    assert doctest.testmod(chart_module).attempted > 0
    assert doctest.testmod(chart_module).failed == 0


def test_the_chart_has_a_mark_for_each_deal_of_each_seat() -> None:
    totals = running_totals([(0, 50), (10, 20), (5, 30)], 2)
    lines = drawn(totals)
    assert len(lines) == 9
    assert {len(line) for line in lines} == {60}
    assert "".join(lines[:-1]).count("1") - lines[0].count("100") == 3
    assert lines[0].startswith(" 100")
    assert lines[6].lstrip().startswith("0 ")
    assert lines[-1].split() == ["1", "2", "3"]


def test_points_below_nothing_move_the_axis() -> None:
    lines = drawn(running_totals([(-20, 10)], 2))
    assert lines[0].lstrip().startswith("10 ")
    assert lines[6].lstrip().startswith("-20 ")


@pytest.mark.parametrize(("cols", "rows"), [(20, 9), (60, 4)])
def test_no_chart_where_there_is_no_room_or_no_deal(cols: int, rows: int) -> None:
    assert drawn([[0, 5], [0, 7]], cols, rows) == []
    assert drawn([[0], [0]]) == []
