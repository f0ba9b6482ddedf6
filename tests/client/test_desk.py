"""What keys do, without a terminal: claims, discards, the composer, leaving."""

from __future__ import annotations

import random

import pytest

from builders import lay_offs, position, swaps
from hollywood.client.desk import DEAD_TIME, Reading
from hollywood.client.frame import frame
from hollywood.client.keys import ALL_KEYS, Context
from hollywood.client.model import LinkStatus
from hollywood.client.text import Look, target_at
from hollywood.protocol.rules import Card, Claim, Pass, Phase, Play, view
from hollywood.protocol.wire import messages as msg

from .table import Client, until

HAND = "7H 7D 7S KS KH 2C 5S 9C"
DOWN = [(0, "5D: 5D 6D 7D 8D"), (1, "K: KD KH KC")]


def window(turn: int = 0) -> Client:
    return Client(
        position(HAND, "3C", "4C", phase=Phase.WINDOW, upcard="7C", turn=turn, discarder=2)
    )


def actions(client: Client) -> list[object]:
    return [message.action for message in client.sent(msg.AnswerDecision)]


@pytest.mark.parametrize("key", ["n", "d", "f6"])
def test_passing_in_turn_draws_from_the_stock(key: str) -> None:
    client = window()
    client.press(key)
    assert actions(client) == [Pass()]
    assert client.model.is_our_play


def test_p_takes_the_upcard_free_in_turn() -> None:
    client = window()
    client.press("b")
    assert actions(client) == []
    client.press("p")
    assert actions(client) == [Claim()]
    assert "7C" in client.view.hand
    assert client.model.new_cards == ("7C",)


@pytest.mark.parametrize("key", ["b", "f5"])
def test_b_buys_out_of_turn(key: str) -> None:
    client = window(turn=1)
    client.press("p")
    assert actions(client) == []
    client.press(key)
    assert actions(client) == [Claim()]


def test_keys_of_a_window_do_nothing_at_first() -> None:
    client = window()
    client.now = 100.0 + DEAD_TIME - 0.01
    client.press("p", "n")
    assert actions(client) == []
    client.now = 100.0 + DEAD_TIME + 0.01
    client.press("n")
    assert actions(client) == [Pass()]


def test_an_answer_is_sent_once() -> None:
    client = window()
    client.referee.holds_back = True
    client.press("n", "n", "p")
    assert actions(client)[:1] == [Pass()]
    assert len(actions(client)) == 1


def test_without_a_connection_it_is_said_and_nothing_is_lost() -> None:
    client = window()
    client.referee.is_online = False
    client.press("p")
    assert client.desk.notice == "not connected: nothing was sent"
    assert "not connected" in client.text()
    client.referee.is_online = True
    client.press("p")
    assert actions(client) == [Claim()]


@pytest.mark.parametrize("confirm", ["x", "enter"])
def test_a_discard_is_confirmed(confirm: str) -> None:
    client = Client(position(HAND, "3C"))
    client.on("9C")
    client.press("x")
    assert "x yes, Esc no: discard 9♣ and end the turn?" in client.text()
    assert actions(client) == []
    client.press(confirm)
    assert client.last_play() == Play(discard=Card("9C"))
    assert "9C" not in client.view.hand


@pytest.mark.parametrize("refuse", ["escape", "n"])
def test_a_discard_can_be_taken_back(refuse: str) -> None:
    client = Client(position(HAND, "3C"))
    client.press("x", refuse)
    assert client.desk.question is None
    assert actions(client) == []


def test_a_discard_that_is_not_allowed_is_not_asked_about() -> None:
    client = Client(position("9D 3S", "3C", table=DOWN))
    client.on("3S")
    client.press("x")
    assert client.desk.question is None
    assert "9D fits the run 5-8 of D" in client.desk.notice


def test_rules_sentences_get_names_and_letters() -> None:
    state = position("7C 3S 4S", "3C", turn=0, table=[(1, "7: 7D 7H 7S")])
    client = Client(state)
    client.on("7C")
    client.press("x")
    assert "of bea (meld a)" in client.desk.notice


def test_out_of_turn_x_says_so() -> None:
    client = window(turn=1)
    client.press("x")
    assert "not your turn" in client.desk.notice


def test_going_down_by_keys() -> None:
    client = Client(position(HAND, "3C"))
    client.press("g")
    client.select("7H 7D 7S")
    client.press("1")
    client.select("KS KH 2C")
    client.press("2")
    client.press("enter")
    assert actions(client) == []
    assert "press x" in client.desk.notice
    client.on("9C")
    client.press("x", "enter")
    play = client.last_play()
    assert len(play.melds) == 2
    assert play.discard == "9C"
    assert client.view.is_down
    assert not client.desk.is_composing


def test_escape_keeps_the_draft() -> None:
    client = Client(position(HAND, "3C"))
    client.press("g")
    client.select("7H 7D 7S")
    client.press("1", "escape")
    assert not client.desk.is_composing
    client.press("g")
    assert client.desk.composer.draft.piles[0] == ("7D", "7H", "7S")


def test_a_quick_discard_leaves_the_draft_unsent() -> None:
    client = Client(position(HAND, "3C"))
    client.press("g")
    client.select("7H 7D 7S")
    client.press("1", "escape")
    client.on("9C")
    client.press("x")
    assert "Your draft stays, unsent." in client.text()
    client.press("x")
    assert client.last_play() == Play(discard=Card("9C"))
    assert client.desk.composer.draft.piles[0] == ("7D", "7H", "7S")


def test_a_claim_is_answered_while_composing() -> None:
    client = window()
    client.press("g")
    client.select("7H 7D 7S")
    client.press("1")
    assert "TAKE?" in client.text()
    client.press("p")
    assert actions(client) == [Claim()]
    assert client.desk.is_composing
    assert client.desk.composer.draft.piles[0] == ("7D", "7H", "7S")


def test_a_claim_is_answered_while_reading() -> None:
    client = window()
    client.press("?")
    assert client.desk.reading is Reading.HELP
    client.press("n")
    assert actions(client) == [Pass()]


def test_laying_off_on_a_letter() -> None:
    client = Client(position("9D KS 3S 4S", "3C", table=DOWN))
    client.on("9D")
    client.press("l")
    assert "(it fits a)" in client.text()
    client.press("z")
    assert client.desk.notice == "there is no meld z"
    client.press("a")
    assert client.desk.is_composing
    client.on("KS")
    client.press("l", "b")
    client.on("3S")
    client.press("x", "enter")
    assert client.last_play().lay_offs == lay_offs("9D>0@9 KS>1")


def test_a_wild_is_laid_off_at_the_chosen_end() -> None:
    client = Client(position("2C 3S 4S", "3C", table=DOWN[:1]))
    client.on("2C")
    client.press("l", "a")
    assert "1 low end, as 4♦; 2 high end, as 9♦" in client.text()
    client.press("9", "2")
    client.on("3S")
    client.press("x", "enter")
    assert client.last_play().lay_offs == lay_offs("2C>0@9")


def test_readings_are_asked_and_the_turn_goes_out_after_the_answer() -> None:
    client = Client(position("5H 6H 2C JK 9D TD JD QD 3C 4C 5C 6C AS KS", "3C", deal=4))
    client.press("g")
    for pile, cards in enumerate(("5H 6H 2C JK", "9D TD JD QD", "3C 4C 5C 6C"), 1):
        client.select(cards)
        client.press(str(pile))
    client.on("AS")
    client.press("x", "enter")
    assert "Pile 1 can be several runs: 1 3-6; 2 4-7; 3 5-8" in client.text()
    client.press("2")
    assert client.last_play().melds[0].low == 4


def test_advice_opens_the_composer_and_undo_takes_it_back() -> None:
    client = Client(position(HAND, "3C"))
    client.press("a")
    assert client.desk.is_composing
    assert "advice: go down" in client.text()
    client.press("u")
    assert client.desk.composer.draft.is_empty
    client.press("u")
    assert client.desk.notice == "nothing to take back"
    client.press("a", "enter")
    assert client.view.is_down


def test_advice_without_a_laydown_puts_the_cursor_on_a_discard() -> None:
    client = Client(position("7H 7D KS KH 2C 5S 9C", "3C", deal=2))
    client.press("a")
    assert not client.desk.is_composing
    assert client.desk.hand.cursor is not None
    assert client.desk.hand.cursor[0] in ("5S", "9C")


def test_the_cursor_moves_finds_and_goes_by_rows() -> None:
    client = Client(position("3C 4C 7H 7D TS KS 2C JK 5S 6S AH", "3C"))
    hand = client.desk.hand

    def at() -> str:
        assert hand.cursor is not None
        return hand.cursor[0]

    client.press("home")
    assert at() == "3C"
    client.press("left")
    assert at() == "JK"
    client.press("right", "7")
    assert at() == "7D"
    client.press("7")
    assert at() == "7H"
    client.press("0")
    assert at() == "TS"
    client.press("A")
    assert at() == "AH"
    client.press("*")
    assert at() == "2C"
    client.desk.cols = 40
    client.press("home", "down")
    assert at() == "2C"
    client.press("up")
    assert at() == "3C"
    client.press("end", "down")
    assert at() == "JK"
    client.press("Q")
    assert at() == "JK"


def test_sorting_keeps_cursor_and_selection_on_their_cards() -> None:
    client = Client(position("3C 4H 7H 7D TS", "3C"))
    client.on("7H")
    client.press(" ", "s")
    assert [card for card, _ in client.desk.hand.keys] == ["3C", "7D", "4H", "7H", "TS"]
    assert client.desk.hand.cursor == ("7H", 0)
    assert client.desk.hand.selected == {("7H", 0)}
    client.press("s", " ")
    assert client.desk.hand.selected == set()


def test_a_question_about_a_card_that_left_is_dropped() -> None:
    client = Client(position(HAND, "3C"), seconds=5)
    client.on("9C")
    client.press("x")
    client.referee.run_out_of_time()
    assert client.desk.question is None or client.desk.question.keys[0] in client.desk.hand.keys
    assert "your time ran out" in client.text()


def test_the_result_waits_for_enter_and_goes_on() -> None:
    client = Client(position("KS", "3C", table=[(0, "7: 7C 7D 7H")]))
    client.press("x", "x")
    assert client.desk.contexts() == {Context.RESULT, Context.ALWAYS}
    client.referee.is_online = False
    client.press("enter")
    assert not client.model.is_ready
    client.referee.is_online = True
    client.press("S", "escape", "enter")
    assert client.view.deal == 1


def test_the_end_of_the_game_leaves_with_its_outcome() -> None:
    client = Client(position("KS", "3C", deal=9, table=[(0, "7: 7C 7D 7H")]))
    client.press("x", "x")
    assert client.desk.contexts() == {Context.OVER, Context.ALWAYS}
    client.press("enter")
    assert client.desk.outcome == "game over"


def test_q_asks_before_it_leaves_and_gives_up_the_seat() -> None:
    client = window()
    client.press("q")
    assert "y leave, n stay" in client.text()
    assert "TAKE?" in client.text()
    assert "n draw" not in client.text()
    client.press("n")
    assert client.desk.outcome is None
    assert "n draw" in client.text()
    assert actions(client) == []
    client.press("q", "y")
    assert client.desk.outcome == "quit"
    assert len(client.sent(msg.Leave)) == 1


def test_ctrl_c_asks_and_a_second_one_leaves_at_once() -> None:
    client = window()
    client.press("c-c")
    assert client.desk.outcome is None
    client.press("c-c")
    assert client.desk.outcome == "quit"
    assert client.sent(msg.Leave) == []


def test_reading_opens_switches_scrolls_and_closes() -> None:
    client = window()
    client.press("?", "down", "down", "up")
    assert (client.desk.reading, client.desk.scroll) == (Reading.HELP, 1)
    client.press("L")
    assert (client.desk.reading, client.desk.scroll) == (Reading.LOG, 0)
    client.press("up")
    assert client.desk.scroll == 1
    client.press("pagedown", "S", "S")
    assert client.desk.reading is None
    client.press("?", "q")
    assert client.desk.reading is None
    assert client.desk.question is None


def test_a_link_that_is_lost_takes_the_claim_away() -> None:
    client = window()
    client.model.set_link(LinkStatus("lost", 1.0), client.now)
    client.press("p")
    assert actions(client) == []


@pytest.mark.parametrize("seed", range(12))
def test_any_keys_at_any_time_do_no_harm(seed: int) -> None:
    """Whatever is pressed, the screen fits and the referee refuses nothing."""
    rng = random.Random(seed)
    client = Client(seats=rng.randint(2, 5), seed=str(seed), seconds=rng.choice([None, 20.0]))
    usual = [*"xxngal12 s", "enter", "right", "left", "escape", " ", "p", "b"]
    for _ in range(250):
        pool = (
            usual if rng.random() < 0.8 else [k for k in ALL_KEYS if k not in ("c-c", "<sigint>")]
        )
        client.press(rng.choice(pool))
        client.now += rng.choice([0.1, 0.5])
        if client.desk.outcome is not None:
            client.desk.outcome = None
        cols, rows = rng.choice([(40, 10), (80, 24), (120, 40)])
        assert [len(line) for line in client.lines(cols, rows)] == [cols] * rows
    assert "refused" not in client.model.notice


def test_whole_rounds_by_advice_alone() -> None:
    """`a` and Enter play on until a round is over."""
    client = Client(seats=3, seed="advice")

    def step() -> bool:
        client.now += 1
        return client.model.result is not None

    until(client, step, "n", "a", "enter", "x", "x", "escape", limit=600)
    assert client.view.scores


# moving cards, the mouse, leaving


def shown(client: Client) -> str:
    return " ".join(card for card, _ in client.desk.hand.keys)


def test_cards_are_moved_and_new_ones_come_last() -> None:
    client = Client(position("3C 7H KS 9C", "4C", stock="5D 6D 7D 8D"))
    client.on("KS")
    client.press("s-left", "s-left", "s-left")
    assert shown(client) == "KS 3C 7H 9C"
    assert client.desk.hand.sort == "mine"
    client.press("s-left")
    assert shown(client) == "KS 3C 7H 9C"
    client.press("s-right")
    assert shown(client) == "3C KS 7H 9C"
    client.on("9C")
    client.press("x", "x")
    for _ in range(9):
        client.now += 1
        client.press("n")
    assert shown(client).startswith("3C KS 7H ")
    assert len(client.desk.hand.keys) == 4


def test_the_orders_of_the_hand_go_round_and_are_remembered() -> None:
    client = Client(position(HAND, "3C"))
    orders = []
    for _ in range(3):
        client.press("s")
        orders.append(client.desk.prefs.sort)
    assert orders == ["suit", "mine", "rank"]


def spots(client: Client, cols: int = 80, rows: int = 24) -> dict[str, tuple[int, int]]:
    """Where each thing that can be clicked is: row and column."""
    found: dict[str, tuple[int, int]] = {}
    lines = frame(client.model, client.desk, cols, rows, client.now, Look())
    for row, line in enumerate(lines):
        for column in range(cols):
            if target := target_at(line, column):
                found.setdefault(target, (row, column))
    return found


def test_everything_on_the_table_can_be_clicked() -> None:
    state = position("9D 3S 4S", "3C", table=DOWN, phase=Phase.WINDOW, upcard="7C")
    found = spots(Client(state))
    assert {"card:9D:0", "card:3S:0", "meld:0", "meld:1", "upcard:", "stock:"} <= set(found)
    assert {"key:p", "key:g", "key:?"} <= set(found)
    assert found["card:9D:0"][0] == 22


def test_clicks_select_lay_off_and_send() -> None:
    client = Client(position("9D 3S 4S", "3C", table=DOWN))
    client.click("card:9D:0", "meld:0")
    assert client.desk.is_composing
    client.click("card:3S:0", "card:4S:0", "card:4S:0", "key:x", "key:enter")
    assert client.last_play().lay_offs == lay_offs("9D>0@9")


def test_a_click_on_upcard_or_stock_answers_the_window() -> None:
    client = window()
    client.click("stock:")
    assert actions(client) == [Pass()]
    buyer = window(turn=1)
    buyer.click("upcard:")
    assert actions(buyer) == [Claim()]
    nobody = Client(position(HAND, "3C"))
    assert not nobody.desk.click("upcard:", nobody.now)
    assert not nobody.desk.click("stock:", nobody.now)


def test_a_click_on_a_pile_puts_the_selected_cards_there() -> None:
    client = Client(position("7H 7D 7S KS KH 2C 5S", "3C"))
    client.press("g")
    client.click("card:7H:0", "card:7D:0", "card:7S:0")
    assert "key:2" in spots(client)
    client.click("key:2")
    assert client.desk.composer.draft.piles[1] == ("7D", "7H", "7S")


def test_a_wild_is_taken_back_for_its_natural_and_laid_off_elsewhere() -> None:
    table = [(1, "4S: 4S JK 6S 7S"), (0, "9: 9C 9D 9H")]
    client = Client(position("5S KS 3D", "3C", book="onze", table=table, down=[0, 1]))
    client.on("5S")
    client.press("l")
    assert "it fits a" in client.text()
    client.press("a")
    assert sorted(card for card, _ in client.desk.hand.keys) == ["3D", "JK", "KS"]
    assert "5♠ on a for its wild" in client.text()
    client.press("u")
    assert "5S" in {card for card, _ in client.desk.hand.keys}
    client.on("5S")
    client.press("l", "a")
    client.on("JK")
    client.press("l", "b")
    client.on("3D")
    client.press("x", "enter")
    sent = client.last_play()
    assert sent.swaps == swaps("5S>0@5")
    assert sent.lay_offs == lay_offs("JK>1")
    assert sent.discard == "3D"
    assert client.desk.swaps == ()


def test_where_no_wild_may_be_taken_back_the_card_is_laid_off_or_not() -> None:
    table = [(1, "4S: 4S JK 6S 7S")]
    client = Client(position("5S KS 3D", "3C", table=table, down=[0, 1]))
    client.on("5S")
    client.press("l")
    assert "it fits none of them" in client.text()


def test_leaving_with_the_seat_kept_says_nothing_to_the_server() -> None:
    client = Client(position(HAND, "3C"))
    client.desk._can_return = True
    client.press("q")
    assert "leave? y: a bot plays on for good; k: only until you are back; n: stay" in client.text()
    client.press("k")
    assert client.desk.outcome == "kept"
    assert client.sent(msg.Leave) == []


def test_playing_again_asks_for_the_same_seat() -> None:
    client = Client(position("KS", "3C", deal=9, table=[(0, "7: 7C 7D 7H")]))
    client.press("x", "x", "r")
    assert len(client.sent(msg.Rematch)) == 1
    client.press("enter")
    assert client.desk.outcome == "game over"
    assert len(client.sent(msg.Leave)) == 1


def test_who_watches_has_no_hand_and_leaves_at_once() -> None:
    client = window()
    client.deliver(
        msg.Watching(
            cid=1,
            table="den",
            rules=client.view.rules,
            rules_hash=client.view.rules.hash,
            seats=client.model.seats,
        )
    )
    client.model.view = view(client.referee.state, None)
    client.desk.sync()
    assert client.desk.contexts() == {Context.WATCHING, Context.ALWAYS}
    assert "you watch" in client.text()
    client.press("S")
    assert "Scores" in client.text()
    client.press("escape", "q")
    assert client.desk.outcome == "quit"
    assert len(client.sent(msg.Leave)) == 1


def test_an_answer_that_was_given_is_kept_over_a_lost_link() -> None:
    client = window(turn=1)
    client.referee.holds_back = True
    client.press("b")
    assert "asked; bea is ahead of you" in client.text()
    client.model.set_link(LinkStatus("lost", 1.0), client.now)
    assert "LINK LOST" in client.text()
    client.model.set_link(LinkStatus("online"), client.now)
    client.referee.join()
    assert "asked; bea is ahead of you" in client.text()
    client.referee.act(1, Pass())
    assert client.model.decision is None or not client.model.decision.is_window


def test_the_time_bank_is_told_apart() -> None:
    client = window(turn=1)
    options = client.model.open_window
    assert options is not None
    client.deliver(
        msg.Decide(did=7, n=1, seq=0, legal=options, remaining_ms=40_000, bank_ms=30_000)
    )
    client.now += 4
    assert "6.0s +30s bank" in client.text(120, 24)
    client.now += 11
    assert "25s of your bank" in client.text(120, 24)
