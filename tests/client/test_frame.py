"""The screen as a pure function: every size, every situation, both character sets."""

from __future__ import annotations

import re
import time
from functools import cache

import pytest
from msgspec.structs import replace

from builders import HOLLYWOOD, position
from hollywood.client.frame import frame
from hollywood.client.model import ClientModel, LinkStatus
from hollywood.client.text import Look, cell_width
from hollywood.protocol.rules import Pass, Phase
from hollywood.protocol.wire import messages as msg

from .scenes import SCENES, eight_players
from .table import Client

WIDTHS = (40, 45, 50, 66, 80, 100, 120, 200)
HEIGHTS = (10, 12, 14, 18, 24, 40, 60)
HANDS = (0, 1, 11, 18, 26)


@cache
def crowded(cards: int) -> Client:
    return Client(eight_players(cards), seat=2, seconds=9.0)


@pytest.mark.parametrize("cards", HANDS)
@pytest.mark.parametrize("rows", HEIGHTS)
@pytest.mark.parametrize("cols", WIDTHS)
def test_every_size_fits_and_keeps_what_matters(cols: int, rows: int, cards: int) -> None:
    client = crowded(cards)
    lines = client.lines(cols, rows)
    assert len(lines) == rows
    assert {len(line) for line in lines} == {cols}
    text = "\n".join(lines)
    if client.model.open_window is not None:
        assert "BUY? [Q♥]  b buy  n no" in text
    for card, _ in client.desk.hand.keys:
        assert (card if card == "JK" else card[0]) in text
    shown = sum(len(re.findall(r"(?:[2-9TJQKA][♣♦♥♠]|JK)", line)) for line in lines[rows // 2 :])
    assert shown >= cards
    assert lines[-1].rstrip().endswith("? help")


SIZES = ((40, 10), (50, 14), (66, 18), (80, 24), (100, 30), (120, 40), (200, 60))
LOOKS = {
    "colour": Look(),
    "mono": Look(color=False, suits="none"),
    "ascii": Look(ascii=True, suits="two"),
}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("scene", SCENES)
def test_every_scene_fits_every_size(scene: str, look: str, size: tuple[int, int]) -> None:
    set_up, must_show = SCENES[scene]
    lines = set_up(LOOKS[look])(*size)
    texts = ["".join(text for _, text in line) for line in lines]
    assert [cell_width(text) for text in texts] == [size[0]] * size[1]
    drawn = "\n".join(texts)
    assert must_show in drawn
    assert "give this window" not in drawn
    if look == "ascii":
        assert drawn.isascii()


@pytest.mark.parametrize("keys", ["g", "?", "S", "L", "R", "ga", "a", "q", "gl"])
@pytest.mark.parametrize("size", [(40, 10), (60, 16), (80, 24), (120, 40), (200, 60)])
def test_every_situation_fits(keys: str, size: tuple[int, int]) -> None:
    for phase in (Phase.WINDOW, Phase.PLAY):
        client = Client(eight_players(20, phase), seat=2, seconds=9.0)
        client.press(*keys)
        for look in (Look(), Look(ascii=True)):
            lines = client.lines(*size, look)
            assert [len(line) for line in lines] == [size[0]] * size[1]


@pytest.mark.parametrize("size", [(1, 1), (3, 3), (10, 2), (20, 5), (39, 9), (40, 3), (80, 4)])
def test_a_tiny_window_still_shows_the_prompt(size: tuple[int, int]) -> None:
    lines = crowded(11).lines(*size)
    assert [len(line) for line in lines] == [size[0]] * size[1]
    if size[1] > 2 and size[0] >= 10:
        assert any("BUY?" in line for line in lines)


def test_ascii_has_nothing_else() -> None:
    client = crowded(18)
    text = client.text(60, 30, Look(ascii=True))
    assert text.isascii()
    assert "BUY? [Qh]" in text
    assert "s78*TJQ" in text


def test_in_ascii_the_help_writes_suits_as_the_table_does() -> None:
    client = Client(eight_players(11), seat=2)
    client.press("?")
    text = client.text(120, 60, Look(ascii=True))
    assert "a 7hds* is a set of sevens" in text
    assert "b s9T*Q a run, its wild stands for Js" in text


@pytest.mark.parametrize("scene", ["play", "lost", "over", "owner", "watching", "new table"])
def test_the_narrowest_screen_cuts_no_sentence_that_matters(scene: str) -> None:
    lines = SCENES[scene][0](Look())(40, 10)
    texts = ["".join(text for _, text in line) for line in lines]
    matters = {
        "play": ["YOUR TURN: drew 3♦  8.0s █"],
        "lost": ["no connection; trying again in 3s "],
        "over": ["game over; Enter leaves, r plays again "],
        "owner": ["s begins now, with bots "],
        "watching": ["you watch   Round 4 of 10     stock 12 "],
        "new table": ["ann's                    "],
    }
    for sentence in matters[scene]:
        assert sentence in "\n".join(texts)


def test_names_of_wide_characters_keep_lines_in_shape() -> None:
    client = Client(eight_players(11), seat=2)
    seats = list(client.model.seats)
    seats[3] = replace(seats[3], name="麻雀の達人たち")
    client.deliver(msg.Seated(seats=tuple(seats)))
    for cols, rows in ((40, 10), (80, 24), (120, 40)):
        assert {cell_width(line) for line in client.lines(cols, rows)} == {cols}


def test_a_wild_shows_what_it_stands_for() -> None:
    state = position(*["3C 4D"] * 2, table=[(0, "7S: 7S 8S JK TS"), (1, "K: KD KH 2S")])
    text = Client(state).text(100, 24)
    assert "a 7♠ 8♠ *9♠ T♠" in text
    assert "b K♦ K♥ *K" in text
    assert "b ♠78*TJQ" in crowded(11).text(60, 24)


def test_short_screens_drop_the_log_first_then_bare_players() -> None:
    client = crowded(11)
    assert "│" in client.text(120, 40)
    assert "& gus" not in client.text(40, 10)
    tall = client.text(80, 24)
    assert "& farouk" in tall
    assert "& gus" in tall
    lower = client.text(80, 12)
    assert "& farouk" in lower
    assert "& gus" not in lower
    for letter in "abcdefghij":
        assert re.search(rf"(?<!\w){letter} ", client.text(40, 12))


def test_buying_says_what_it_costs() -> None:
    text = crowded(11).text(120, 24)
    assert "+1 card from the stock, 3 buys left; you are behind hana, ann and bea" in text
    assert "+1 card from the stock; 3 are ahead of you" in crowded(11).text(90, 24)


def test_the_countdown_runs_down() -> None:
    client = Client(eight_players(11), seat=2, seconds=8.0)
    client.now = 104.0
    assert "4.0s ██████░░░░░░" in client.text()
    client.now = 120.0
    assert "0.0s ░░░░░░░░░░░░" in client.text()


def test_after_answering_it_says_who_is_ahead() -> None:
    client = Client(eight_players(11), seat=2, seconds=8.0)
    client.referee.holds_back = True
    client.press("b")
    assert "[Q♥] asked; hana, ann and bea are ahead of you" in client.text()


def test_after_passing_it_says_so() -> None:
    client = Client(eight_players(11), seat=2, seconds=8.0)
    client.referee.holds_back = True
    client.press("n")
    assert "passed; the others are still asked" in client.text()


def test_waiting_says_for_whom() -> None:
    client = Client(eight_players(11), seat=2, seconds=8.0)
    client.referee.holds_back = True
    client.press("n")
    for seat in (7, 0, 1, 3, 4, 5):
        client.referee.act(seat, Pass())
    assert "hana is playing" in client.text()


def test_a_claim_that_came_too_late_is_not_offered_any_more() -> None:
    client = Client(eight_players(11), seat=2, seconds=8.0)
    assert 2 in client.view.order
    client.model.decision = None
    assert " Q♥: hana, ann, bea, dmitri, eve or farouk may take it" in client.text()


def test_marks_show_new_selected_and_placed_cards() -> None:
    client = Client(position("7H 7D 7S KS 5C", "3C"))
    client.model.new_cards = client.view.hand[:1]
    client.press("right", "right", " ", "g", "1", "right", " ")
    lines = client.lines(80, 24)
    assert lines[-2].startswith("  5♣  7♦  7♥ [7♠] K♠")
    assert lines[-3].startswith("  +       1   ^")
    short = client.lines(40, 10)
    assert "·7♥" in short[-2] or "1" in short[-3]


def test_the_prompt_says_what_to_press() -> None:
    text = Client(position("7H 7D 7S KS 5C", "3C")).text()
    assert "YOUR TURN: you drew 5♣; x discards, g to go down, a advises" in text
    down = Client(position("7H KS", "3C", table=[(0, "8: 8C 8D 8H")])).text()
    assert "l lays off, x discards" in down


def test_before_the_cards_the_seats_are_shown() -> None:
    client = Client(seats=2)
    model = ClientModel()
    client.desk.model = model
    assert "connecting to the table" in flat(model, client)
    joined = msg.Joined(
        cid=0,
        table="den",
        seat=0,
        token="t",
        rules=HOLLYWOOD,
        rules_hash=HOLLYWOOD.hash,
        seats=(msg.SeatInfo("ann", "player"), msg.SeatInfo("", "open")),
        rng="00",
    )
    model.receive(joined, 0.0)
    text = flat(model, client)
    assert "waiting for 1 more player" in text
    assert "seat 2  (free)" in text


def flat(model: ClientModel, client: Client) -> str:
    drawn = frame(model, client.desk, 80, 24, 0.0, Look())
    return "\n".join("".join(text for _, text in line) for line in drawn)


def test_a_lost_link_is_shown_and_the_table_stays() -> None:
    client = Client(eight_players(11), seat=2)
    client.model.set_link(LinkStatus("lost", 3.0), client.now)
    text = client.text()
    assert "LINK LOST" in text
    assert "trying again in 3s" in text
    assert "farouk" in text


def test_a_result_names_points_totals_and_cards_left() -> None:
    client = Client(position("KS", "3C AD", "JK", scores=[], table=[(0, "7: 7C 7D 7H")]))
    client.press("x", "x")
    text = client.text()
    assert "Round 1 of 10 is over" in text
    assert "You went out." in text
    assert "Next: 2 sets of 3 + run of 4." in text
    assert re.search(r"bea +25 +25  3♣ A♦", text)
    assert "Enter goes on" in text


def test_the_end_names_winners_and_every_deal() -> None:
    state = position("KS", "3C AD", deal=9, scores=[(5, 0)] * 9, table=[(0, "7: 7C 7D 7H")])
    client = Client(state)
    client.press("x", "x")
    text = client.text()
    assert "The game is over" in text
    assert "Bea won with 25 points, the fewest." in text
    assert re.search(r"you +5 +5 +5 +5 +5 +5 +5 +5 +5 +0 +45", text)
    narrow = client.text(40, 16)
    assert "…" in narrow
    assert re.search(r"you .* 45\n", narrow)


def test_equal_points_share_the_win() -> None:
    state = position("KS", "3C", deal=9, scores=[(5, 0)], table=[(0, "7: 7C 7D 7H")])
    client = Client(state)
    client.press("x", "x")
    assert "You and bea won with 5 points, the fewest. Equal points share the win." in (
        client.text()
    )


def test_a_frame_takes_less_than_five_milliseconds() -> None:
    client = crowded(18)
    client.lines(120, 40)
    best = min(_timed(client) for _ in range(20))
    assert best < 0.005


def _timed(client: Client) -> float:
    start = time.perf_counter()
    frame(client.model, client.desk, 120, 40, client.now, Look())
    return time.perf_counter() - start
