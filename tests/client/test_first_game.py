"""What somebody meets in the first game: words that say what is so, at every moment."""

from __future__ import annotations

from builders import position
from hollywood.client.model import ClientModel
from hollywood.client.suggest import suggest
from hollywood.client.text import Look
from hollywood.protocol.rules import Claim, GameState, Phase, view
from hollywood.protocol.wire import messages as msg

from .scenes import SCENES
from .table import Client
from .test_plain import Lines

HAND = "7H 7D 7S KS KH 2C 5S 9C"


def window(turn: int = 0) -> GameState:
    return position(HAND, "3C", "4C", phase=Phase.WINDOW, upcard="7C", turn=turn, discarder=2)


def drawn(scene: str, cols: int, rows: int) -> list[str]:
    return ["".join(text for _, text in line) for line in SCENES[scene][0](Look())(cols, rows)]


def test_after_a_round_and_after_the_game_nothing_is_needed_any_more() -> None:
    for cols, rows in ((40, 10), (80, 24), (200, 60)):
        for scene, over in (("result", "round"), ("over", "game")):
            header = drawn(scene, cols, rows)[0]
            assert f"{over} is over" in header or f"{over} over" in header
            assert "lay off" not in header
            assert "buys" not in header


def test_the_chart_takes_the_room_there_is() -> None:
    def height(cols: int, rows: int) -> int:
        return sum("·" in line for line in drawn("over", cols, rows))

    assert height(200, 60) > height(120, 40) - 1 > 1.5 * height(80, 24)
    assert max(len(line.rstrip()) for line in drawn("over", 200, 60)[10:40]) > 150


def test_advice_on_anothers_turn_promises_no_key_that_does_nothing_yet() -> None:
    _, comment = suggest(view(window(turn=1), 0))
    assert comment == "advice for your turn: go down"
    down = position("KS 4C", "3C", down=[0], phase=Phase.WINDOW, upcard="7C", discarder=1)
    assert suggest(view(down, 0))[1] == "nothing to lay off: draw first"


def test_leaving_a_game_of_ones_own_says_that_it_ends() -> None:
    client = Client(window())
    client.press("q")
    assert "y leave, n stay: the game ends" in client.text()


def test_a_free_card_is_taken_while_talking() -> None:
    client = Client(window())
    client.press("t", *"hm")
    assert "F5 take  F6 draw" in client.text()
    client.press("f5")
    assert [answer.action for answer in client.sent(msg.AnswerDecision)] == [Claim()]


def test_bots_of_one_name_can_be_told_apart() -> None:
    model = ClientModel()
    names = ("zoe", "hard", "greedy", "hard")
    model.seats = tuple(msg.SeatInfo(name, "house") for name in names)
    assert [model.name(seat) for seat in range(4)] == ["zoe", "hard 2", "greedy", "hard 4"]


def test_who_waits_is_told_when_it_begins() -> None:
    assert any("it begins when every seat is taken" in line for line in drawn("waiting", 80, 24))


def test_between_deals_words_say_how_to_go_on() -> None:
    table = [(0, "7: 7C 7D 7H")]
    lines = Lines(position("KS", "3C AD", "JK", down=[0], table=table, scores=[]))
    lines.type("discard KS")
    assert "ready for the next" in lines.said[-1]
    assert lines.type("suggest") == "This deal is over: type ready for the next one."
    assert lines.type("pass") == "This deal is over: type ready for the next one."


def test_the_rules_are_said_in_short_and_whole() -> None:
    lines = Lines()
    assert "Type rules all for every rule." in lines.type("rules")
    assert "The fewest points win." in lines.type("rules all")


def test_help_begins_with_the_keys_that_work_there() -> None:
    assert "Servers, tables, a new table" in drawn("menu help", 80, 24)[1]
    client = Client(window())
    client.press("?")
    text = "\n".join(client.lines(80, 200))
    assert text.index("Your turn") < text.index("Servers, tables, a new table")


def test_a_set_is_called_by_its_rank_not_by_what_could_be_its_size() -> None:
    client = Client(position("7H KS", "3C", down=[0], table=[(1, "7: 7C 7D 7H")]))
    client.press("end", "x")
    assert "fits the set of sevens: 7♣ 7♦ 7♥" in client.text()


def test_rows_of_the_rules_are_cited_on_the_screen_but_not_read_aloud() -> None:
    state = position("7H KS", "3C", down=[0], table=[(1, "7: 7C 7D 7H")])
    client = Client(state)
    client.press("end", "x")
    assert "(0-31)" in client.text()
    said = Lines(state).type("discard KS")
    assert "lay it off before you discard" in said
    assert "0-31" not in said


def test_who_watches_sees_what_is_played_for_where_there_is_room() -> None:
    assert "Round 4 of 10   3 sets of 3 + run of 4" in drawn("watching", 80, 24)[0]
    assert "Round 4 of 10" in drawn("watching", 40, 10)[0]
