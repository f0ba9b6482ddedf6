"""The model driven by the real rules: views, decisions, log, link."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from builders import position
from hollywood.client.model import ClientModel, LinkStatus, seats_ahead
from hollywood.protocol.errors import ErrorCode, RemoteProtocolError
from hollywood.protocol.rules import Pass, Phase, digest, view
from hollywood.protocol.rules import events as ev
from hollywood.protocol.wire import messages as msg

from .table import Client


def test_the_view_is_that_of_the_state_after_every_decision() -> None:
    client = Client(seats=5, seed="views")
    for _ in range(60):
        assert client.view == view(client.referee.state, 0)
        if client.model.open_window is not None:
            client.press("n")
        elif client.model.is_our_play:
            client.press("x", "x", "right")
        client.now += 1
    assert client.view.turns > 20


def test_a_decision_has_its_deadline_on_our_clock() -> None:
    client = Client(seats=3, seconds=12.0)
    assert client.model.decision is not None
    assert client.model.decision.deadline == 112.0
    assert client.model.remaining(client.now) == 11.0


def test_without_a_limit_no_time_runs() -> None:
    assert Client(seats=3).model.remaining(101.0) is None


def test_events_out_of_sequence_are_refused() -> None:
    client = Client(seats=3)
    gap = msg.Events(seq=client.model.seq + 2, events=(ev.StockRanOut(0),))
    with pytest.raises(RemoteProtocolError, match="missing"):
        client.deliver(gap)


def test_events_seen_before_are_not_folded_twice() -> None:
    client = Client(seats=3)
    before, seq = client.view, client.model.seq
    client.deliver(msg.Events(seq=seq, events=(ev.StockRanOut(0),)))
    assert (client.view, client.model.seq) == (before, seq)


def test_events_before_a_seat_are_refused() -> None:
    with pytest.raises(RemoteProtocolError, match="seat"):
        ClientModel().receive(msg.Events(seq=1, events=(ev.StockRanOut(0),)), 0.0)


def test_the_log_names_players_and_shows_own_cards() -> None:
    client = Client(seats=4, seed="1")
    client.press("n")
    until_play(client)
    log = "\n".join(client.model.log)
    assert "Round 1 of 10: 2 sets of 3" in log
    assert "bea" in log
    assert f"you drew {client.view.drew}" in log
    assert "drew from the stock" in log


def until_play(client: Client) -> None:
    while not client.model.is_our_play:
        client.now += 1
        client.press("n")


def test_new_cards_last_until_the_turn_ends() -> None:
    client = Client(seats=3)
    until_play(client)
    assert list(client.model.new_cards) == [client.view.drew]
    client.press("x", "x")
    assert not client.model.new_cards


def test_a_rejected_answer_leaves_the_decision_open() -> None:
    client = Client(seats=3)
    until_play(client)
    decision = client.model.decision
    assert decision is not None
    answer = client.model.answer(Pass())
    assert answer is not None
    client.model.was_sent(answer)
    assert client.model.answer(Pass()) is None
    client.deliver(
        msg.Verdict(
            cid=answer.cid,
            did=answer.did,
            status=msg.VerdictStatus.REJECTED,
            text="it is seat 1's turn",
        )
    )
    assert client.model.notice == "the server refused that: it is bea's turn"
    assert client.model.is_our_play
    assert client.model.decision == replace(decision, attempts=decision.attempts - 1)


def test_a_late_answer_closes_the_decision() -> None:
    client = Client(seats=3)
    decision = client.model.decision
    assert decision is not None
    client.deliver(msg.Verdict(cid=1, did=decision.did, status=msg.VerdictStatus.LATE))
    assert client.model.decision is None
    assert "too late" in client.model.notice


def test_a_verdict_of_another_decision_changes_nothing() -> None:
    client = Client(seats=3)
    before = client.model.decision
    client.deliver(msg.Verdict(cid=1, did=999, status=msg.VerdictStatus.LATE))
    assert client.model.decision is before


def test_a_default_played_for_us_is_told() -> None:
    client = Client(seats=3, seconds=5)
    until_play(client)
    client.referee.run_out_of_time()
    assert "your time ran out" in client.model.notice
    assert "was discarded for you" in client.model.notice
    assert any("time ran out" in line for line in client.model.log)


def test_a_lost_link_closes_the_decision_until_it_is_asked_again() -> None:
    client = Client(seats=3, seconds=5)
    client.model.set_link(LinkStatus("lost", 2.0), client.now)
    assert client.model.decision is None
    assert client.model.remaining(client.now + 0.5) == 1.5
    client.model.set_link(LinkStatus("online"), client.now)
    view_before, log = client.view, list(client.model.log)
    client.referee.join()
    client.referee.ask_again()
    assert client.model.decision is not None
    assert client.view is view_before
    assert client.model.log == log


def test_joining_another_table_starts_anew() -> None:
    client = Client(seats=3)
    other = Client(seats=2)
    other.referee._deliver = client.deliver
    client.model.seq = 12345
    other.referee.join()
    assert client.view.seats == 2
    assert client.model.seq == other.model.seq
    assert client.model.log == []


def test_refusals_are_kept() -> None:
    model = ClientModel()
    model.receive(msg.Reject(code="server_full", text="the server is full", v=(1, 1)), 0.0)
    assert model.refusal == "the server is full"
    model = ClientModel()
    error = msg.Error(code="bad_message", klass=msg.ErrorClass.PROTOCOL, text="no", fatal=True)
    model.receive(error, 0.0)
    assert model.refusal == "no"


def test_names_are_made_safe() -> None:
    client = Client(seats=2)
    seats = (msg.SeatInfo("ann", "player"), msg.SeatInfo("\x1b[31mevil\x07", "player"))
    client.deliver(msg.Seated(seats=seats))
    assert client.model.who(1) == "[31mevil"


def test_coming_and_going_is_logged() -> None:
    client = Client(seats=2)
    seats = client.model.seats
    client.deliver(msg.Seated(seats=(seats[0], replace(seats[1], is_away=True))))
    client.deliver(msg.Seated(seats=seats))
    client.deliver(msg.Seated(seats=(seats[0], replace(seats[1], name="zoe"))))
    assert client.model.log[-3:] == [
        "bea lost the connection; a bot fills in after a while",
        "bea came back",
        "zoe sat down",
    ]


def test_seats_ahead_are_those_with_priority() -> None:
    state = position("3C", "4C", "5C", "6C", phase=Phase.WINDOW, upcard="9D", turn=2, discarder=1)
    assert seats_ahead(view(state, 0)) == (2, 3)
    assert seats_ahead(view(state, 2)) == ()


def test_a_result_lasts_from_the_deal_to_the_next() -> None:
    state = position("KS", "3C", deal=0, turn=0, table=[(0, "7: 7C 7D 7H")])
    client = Client(state)
    client.press("x", "x")
    result = client.model.result
    assert result is not None
    assert result.went_out == 0
    client.press("enter")
    assert client.model.result is None
    assert client.view.deal == 1
    assert [type(message).__name__ for message in client.referee.sent] == [
        "AnswerDecision",
        "Ready",
    ]


def test_commands_are_numbered_from_one() -> None:
    client = Client(seats=3)
    client.press("n")
    assert client.sent(msg.AnswerDecision)[0].cid == 1
    assert client.model.next_cid() == 2


def test_a_standing_order_and_chat_are_logged() -> None:
    client = Client(seats=3)
    client.deliver(msg.Closed(did=99, code=ErrorCode.STANDING_ORDER, default=Pass()))
    client.deliver(msg.Said(seat=1, name="bea", text="nice\x1b[2J"))
    assert client.model.log[-2] == "your standing order passed"
    assert "<bea> nice" in client.model.log[-1]
    assert "\x1b" not in client.model.log[-1]


def test_a_digest_that_differs_asks_for_everything_anew() -> None:
    client = Client(seats=3)
    view = client.model.view
    assert view is not None
    fine = msg.Events(seq=client.model.seq + 1, events=(msg.Unknown(),), digest=digest(view))
    client.deliver(fine)
    assert client.model.question is None
    client.deliver(msg.Events(seq=client.model.seq + 1, events=(msg.Unknown(),), digest="0" * 16))
    asked = client.model.question
    assert isinstance(asked, msg.Desync)
    assert (asked.seq, asked.digest) == (client.model.seq, digest(view))
