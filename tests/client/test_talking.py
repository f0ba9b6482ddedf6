"""What is typed at the table: things said, standing orders, words for the owner."""

from __future__ import annotations

import doctest

import pytest

from builders import HOLLYWOOD, position
from hollywood.client import wants
from hollywood.client.field import Field
from hollywood.client.keys import Context
from hollywood.client.wants import describe_order, parse_order, write_order
from hollywood.protocol.errors import NotationError
from hollywood.protocol.rules import Claim, Pass, Phase
from hollywood.protocol.wire import messages as msg

from .table import Client

HAND = "7H 7D 7S KS KH 2C 5S 9C"


def window(turn: int = 1) -> Client:
    state = position(HAND, "3C", "4C", phase=Phase.WINDOW, upcard="7C", turn=turn, discarder=2)
    return Client(state, seconds=9.0)


# a text


def test_a_field_edits_like_a_line() -> None:
    field = Field("one two", limit=10)
    for key in ("c-w", *"2", "home", "delete", "right", "backspace", "end", *"345678"):
        assert field.press(key)
    assert field.text == "e 2345678"
    field.press("c-u")
    assert field.text == ""
    assert field.press("backspace")
    assert not field.press("enter")


def test_a_field_takes_no_control_characters_and_no_more_than_fits() -> None:
    field = Field(limit=6)
    field.insert("a\x1b[2J\nbcdef")
    assert field.text == "a[2J b"


@pytest.mark.parametrize("cols", [5, 9, 20])
def test_a_field_is_drawn_in_its_cells_with_the_cursor_in_sight(cols: int) -> None:
    field = Field("a rather long text")
    for key in ("end", "left", "home"):
        field.press(key)
        line = field.draw(cols)
        assert sum(len(text) for _, text in line) == cols
        assert any("class:cursor" in style for style, _ in line)


# things said


def test_letters_are_text_while_talking_and_enter_sends() -> None:
    client = window()
    client.press("t", *"q b?", "enter")
    assert client.sent(msg.Chat) == [msg.Chat(cid=1, text="q b?")]
    assert client.desk.contexts() >= {Context.TEXT}
    client.press("enter")  # an empty line ends it
    assert Context.TABLE in client.desk.contexts()


def test_a_claim_is_answered_while_talking() -> None:
    client = window()
    client.press("t", *"hm")
    assert "F5 buy  F6 no" in client.text()
    client.press("f5")
    assert [answer.action for answer in client.sent(msg.AnswerDecision)] == [Claim()]
    assert "say: hm" in client.text()


def test_what_could_not_be_sent_stays() -> None:
    client = window()
    client.referee.is_online = False
    client.press("t", *"hello", "enter")
    assert "not connected" in client.text()
    assert "say: hello" in client.text()


def test_what_others_say_is_in_the_log_without_control_characters() -> None:
    client = window()
    client.deliver(msg.Said(seat=1, name="bea", text="nice\x1b[2J one"))
    client.deliver(msg.Notice(code="announcement", text="the server stops soon"))
    assert "<bea> nice[2J one" in client.text()
    assert "the server stops soon" in client.text()


def test_the_owner_moderates_by_words() -> None:
    client = window()
    client.press("t", *"/kick bea", "enter")
    assert "only the owner" in client.text()
    client.deliver(msg.Seated(seats=client.model.seats, owner=0))
    client.press("enter")
    assert client.sent(msg.Moderate)[-1] == msg.Moderate(cid=1, act=msg.Act.KICK, seat=1)
    client.press(*"/mute somebody else", "enter")
    assert client.sent(msg.Moderate)[-1].name == "somebody else"
    client.press(*"/dance", "enter")
    assert "say /mute, /unmute, /kick, /replace and a name" in client.desk.notice


# standing orders


def test_examples_of_orders() -> None:
    assert doctest.testmod(wants).failed == 0
    assert doctest.testmod(wants).attempted > 4


@pytest.mark.parametrize("text", ["7H", "Q K", "7H Q pass", "pass", "JK"])
def test_orders_are_read_as_they_are_written(text: str) -> None:
    assert write_order(parse_order(text, HOLLYWOOD, 1)) == text


def test_a_word_that_is_no_card_is_named() -> None:
    with pytest.raises(NotationError, match="'7X' is no card of this game"):
        parse_order("QH 7X", HOLLYWOOD, 1)
    assert len(parse_order("*", HOLLYWOOD, 1).claim) == 5
    assert parse_order("10h 0", HOLLYWOOD, 1).claim == ("TH", "TC", "TD", "TS")


def test_wants_are_sent_shown_and_taken_back() -> None:
    client = window()
    client.press("w", *"7x", "enter")
    assert "'7x' is no card" in client.text()
    client.press("backspace", *"h q", "enter")
    order = client.sent(msg.Order)[-1]
    assert order.claim == ("7H", "QC", "QD", "QH", "QS")
    assert describe_order(client.model.order) == "you want 7H Q"
    client.press("w")
    assert "want: 7H Q" in client.text()
    assert client.desk.prefs.wants == "7H Q"
    client.press("c-u", "enter")
    assert client.sent(msg.Order)[-1].claim == ()
    assert client.desk.prefs.wants == ""
    assert client.model.order is None


def test_an_order_answers_the_window_that_is_open_already() -> None:
    wanting = window()
    wanting.press("w", *"7c", "enter")
    assert [answer.action for answer in wanting.sent(msg.AnswerDecision)] == [Claim()]
    passing = window()
    passing.press("W")
    assert [answer.action for answer in passing.sent(msg.AnswerDecision)] == [Pass()]
    in_turn = window(turn=0)
    in_turn.press("W")
    assert in_turn.sent(msg.AnswerDecision) == []


def test_passing_until_the_own_turn_ends_there() -> None:
    client = window()
    client.press("w", *"KH", "enter", "W")
    assert client.sent(msg.Order)[-1] == msg.Order(cid=2, claim=("KH",), pass_until_turn=True)
    assert "you want KH, you pass until your turn" in client.desk.notice
    for _ in range(20):
        client.now += 1
        client.press("n")
        if client.model.turn_alerts:
            break
    assert client.model.order == msg.Order(cid=2, claim=("KH",))
    client.press("W", "W")
    assert write_order(client.model.order) == "KH"
