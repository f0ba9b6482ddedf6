"""Servers, lobby, new table, waiting room: what keys and messages lead to."""

from __future__ import annotations

import pytest

from builders import HOLLYWOOD
from hollywood.client.form import Form
from hollywood.client.keys import Action, Context
from hollywood.client.menu import Nearby, Server
from hollywood.client.model import LinkStatus
from hollywood.client.prefs import Prefs
from hollywood.client.screens import Goal, Screens
from hollywood.protocol.errors import ErrorCode, RefusedError
from hollywood.protocol.wire import messages as msg

from .scenes import DEN, Dial, in_lobby, joined, screens, tables


def press(made: Screens, *keys: str) -> None:
    for key in keys:
        made.press(key, 1.0)


def text(made: Screens, cols: int = 80, rows: int = 24) -> str:
    lines = made.frame(cols, rows, 1.0)
    return "\n".join("".join(t for _, t in line).rstrip() for line in lines)


def row(made: Screens, name: str) -> str:
    return next(line for line in text(made).splitlines() if name in line)


# servers


def test_servers_of_the_lan_come_before_those_of_before() -> None:
    dial = Dial()
    made = screens(dial=dial)
    assert dial.looks
    assert "looking for servers" in text(made)
    made.receive(Nearby((DEN,)), 0.0)
    assert text(made).index("den") < text(made).index("attic")
    assert "of before" in row(made, "attic")
    press(made, "up", "enter")
    assert dial.went == [(DEN, "")]
    assert made.prefs.servers == ("192.0.2.7:7878", "attic:7878")


def test_a_narrow_list_shows_whole_addresses() -> None:
    made = screens()
    assert " looking for servers on this network\n" in text(made, 40, 10)
    made.prefs.servers = ("192.168.100.200:17878",)
    assert "▸ 192.168.100.200:17878  of before" in text(made, 40, 10)
    made.receive(Nearby(), 0.0)
    assert " no server found on this network yet\n" in text(made, 40, 10)


def test_the_choice_stays_on_its_server_when_others_appear() -> None:
    made = screens()
    made.receive(Nearby((DEN,)), 0.0)
    assert row(made, "attic").startswith("▸")
    press(made, "up")
    new = Server(host="192.0.2.1", port=7878, name="aa")
    made.receive(Nearby((new, DEN)), 0.0)
    assert row(made, "den").startswith("▸")
    assert row(made, "aa").startswith(" ")
    made.receive(Nearby(note="no network here"), 0.0)
    assert "no network here" in text(made)
    assert row(made, "attic").startswith("▸")


def test_a_server_of_another_version_is_not_gone_to() -> None:
    dial = Dial()
    made = screens(dial=dial)
    made.receive(Nearby((Server(host="h", port=1, name="old", is_usable=False),)), 0.0)
    press(made, "up", "enter")
    assert dial.went == []
    assert "another version" in text(made)


def test_an_address_is_typed_and_a_bad_one_is_said() -> None:
    dial = Dial()
    made = screens(dial=dial)
    press(made, "i", *"den:x", "enter")
    assert "'x' is no port" in text(made)
    press(made, "backspace", *"99", "enter")
    assert [server.address for server, _ in dial.went] == ["den:99"]


def test_the_name_is_changed_and_kept() -> None:
    kept: list[dict[str, object]] = []
    prefs = Prefs(name="ann", keep=lambda **fields: kept.append(fields))
    made = Screens(prefs, Dial(), Goal(), lambda text: (text, 1))
    press(made, "n", "c-u", "/", "enter")
    assert "a name has 1 to 24 letters" in text(made)
    press(made, "backspace", *"bea", "enter")
    assert kept == [{"name": "bea"}]
    assert "you are bea" in text(made)


def test_servers_of_before_can_be_forgotten() -> None:
    made = screens()
    press(made, "d")
    assert made.prefs.servers == ()
    press(made, "enter")
    assert "no server to choose" in text(made)


def test_help_covers_the_list_and_comes_off() -> None:
    made = screens()
    press(made, "?")
    assert made.contexts() == {Context.READING, Context.ALWAYS}
    press(made, "pagedown", "down", "up")
    assert "Help" in text(made)
    press(made, "escape")
    assert "attic" in text(made)


@pytest.mark.parametrize("key", ["q", "escape", "c-c"])
def test_leaving_the_menu_ends_the_program(key: str) -> None:
    made = screens()
    press(made, key)
    assert made.outcome == "quit"


def test_a_server_that_is_not_there_leads_back_to_the_menu() -> None:
    dial = Dial()
    made = screens(dial=dial)
    press(made, "enter")
    made.receive(LinkStatus("connecting"), 0.0)
    made.receive(LinkStatus("failed", text="no server answers at attic:7878"), 0.0)
    assert "no server answers" in text(made)
    assert made.lobby is None
    assert dial.looks


# the lobby


def test_the_lobby_asks_for_the_tables_and_follows_them() -> None:
    dial = Dial()
    made = in_lobby(dial=dial)
    assert dial.sent == [msg.ListTables(cid=1, follow=True)]
    assert "2 of 4 free" in row(made, "den")
    assert "playing" in row(made, "a table with")
    assert "password" in row(made, "quiet")
    changed = msg.TableInfo("den", "hollywood", 4, 1)
    made.receive(msg.TablesChanged(tables=(changed,), gone=("quiet",)), 0.0)
    assert "1 of 4 free" in row(made, "den")
    assert "quiet" not in text(made)


def test_enter_joins_and_the_answer_shows_the_waiting_room() -> None:
    dial = Dial()
    made = in_lobby(dial=dial)
    press(made, "enter")
    assert dial.sent[-1] == msg.Join(cid=2, table="den")
    made.receive(joined(), 0.0)
    assert "seat 1  ann" in text(made)
    assert "you, owner" in text(made)
    press(made, "s")
    assert isinstance(dial.sent[-1], msg.Start)


def test_a_refusal_is_said_in_the_lobby() -> None:
    made = in_lobby()
    press(made, "enter")
    error = msg.Error(code="table_full", klass=msg.ErrorClass.STATE, text="table 'den' is full")
    made.receive(error, 0.0)
    assert "table 'den' is full" in text(made)


def test_a_password_is_asked_and_not_shown() -> None:
    dial = Dial()
    made = in_lobby(dial=dial)
    press(made, "down", "enter", *"sesame")
    assert "password of quiet: ******" in text(made)
    assert "sesame" not in text(made)
    press(made, "enter")
    assert dial.sent[-1] == msg.Join(cid=2, table="quiet", password="sesame")


def test_full_tables_are_watched_not_joined() -> None:
    dial = Dial()
    made = in_lobby(dial=dial)
    press(made, "up", "enter")
    assert "no seat to take" in text(made)
    press(made, "w")
    assert dial.sent[-1] == msg.Watch(cid=2, table="a table with a long name")
    press(made, "up", "w")
    assert "may not be watched" in text(made)


def test_a_kept_seat_comes_first_and_is_taken_back() -> None:
    dial = Dial(kept=frozenset({"quiet"}))
    made = in_lobby(dial=dial)
    assert "your seat is kept" in row(made, "quiet")
    press(made, "enter")
    assert dial.went == [(DEN, "quiet")]


def test_clicks_choose_and_open_lines() -> None:
    dial = Dial()
    made = in_lobby(dial=dial)
    assert made.click("row:1", 0.0)
    assert row(made, "quiet").startswith("▸")
    assert made.click("row:0", 0.0)
    assert made.click("row:0", 0.0)
    assert dial.sent[-1] == msg.Join(cid=2, table="den")
    assert made.click("key:?", 0.0)
    assert "Help" in text(made)


def test_a_lost_link_is_shown_and_the_list_asked_for_anew() -> None:
    dial = Dial()
    made = in_lobby(dial=dial)
    dial.is_up = False
    made.receive(LinkStatus("lost", 1.0, "the server closed the connection"), 0.0)
    assert "LINK LOST" in text(made)
    press(made, "enter")
    assert "not connected" in text(made)
    dial.is_up = True
    made.receive(LinkStatus("online"), 0.0)
    assert "LINK LOST" not in text(made)
    assert isinstance(dial.sent[-1], msg.ListTables)


def test_leaving_a_table_leads_back_to_the_lobby_leaving_that_to_the_servers() -> None:
    dial = Dial()
    made = screens(dial=dial)
    made.receive(Nearby((DEN,)), 0.0)
    press(made, "enter")
    made.receive(LinkStatus("online"), 0.0)
    made.receive(tables(), 0.0)
    press(made, "enter")
    made.receive(joined(), 0.0)
    press(made, "q", "y")
    assert isinstance(dial.sent[-2], msg.Leave)
    assert isinstance(dial.sent[-1], msg.ListTables)
    assert made.outcome is None
    press(made, "q")
    assert dial.hung_up == 1
    assert "Servers" in text(made)


def test_keeping_the_seat_ends_the_program_without_leaving() -> None:
    dial = Dial()
    made = in_lobby(dial=dial)
    made.receive(joined(), 0.0)
    press(made, "q", "k")
    assert made.outcome == "kept"
    assert not any(isinstance(message, msg.Leave) for message in dial.sent)


# what the program was started for


def test_a_table_that_was_asked_for_is_shown_at_once() -> None:
    dial = Dial()
    made = screens(Goal(server=DEN, table="den"), dial)
    made.receive(LinkStatus("online"), 0.0)
    assert dial.sent == []  # the link itself sits down
    assert "connecting to the table" in text(made)
    made.receive(joined(None), 0.0)
    assert "waiting for 1 more player" in text(made)
    press(made, "q", "y")
    assert made.outcome == "quit"


def test_watching_what_was_asked_for_and_again_after_a_lost_link() -> None:
    dial = Dial()
    goal = Goal(server=DEN, table="den", password="sesame", is_watching=True)
    made = screens(goal, dial)
    made.receive(LinkStatus("online"), 0.0)
    wanted = msg.Watch(cid=0, table="den", password="sesame")
    assert dial.sent == [wanted]
    seats = (msg.SeatInfo("bea", "player"), msg.SeatInfo("chen", "player"))
    rules_hash = HOLLYWOOD.hash
    made.receive(
        msg.Watching(cid=0, table="den", rules=HOLLYWOOD, rules_hash=rules_hash, seats=seats), 0.0
    )
    assert "seat 1  bea" in text(made)
    made.receive(LinkStatus("lost", 1.0), 0.0)
    made.receive(LinkStatus("online"), 0.0)
    assert dial.sent == [wanted, wanted]


def test_what_cannot_be_watched_ends_the_program() -> None:
    made = screens(Goal(server=DEN, table="den", is_watching=True))
    made.receive(LinkStatus("online"), 0.0)
    error = msg.Error(code="no_such_table", klass=msg.ErrorClass.STATE, text="there is no table")
    with pytest.raises(RefusedError) as caught:
        made.receive(error, 0.0)
    assert caught.value.code is ErrorCode.NO_SUCH_TABLE


def test_a_seat_that_is_no_more_leads_to_the_lobby() -> None:
    dial = Dial()
    made = in_lobby(dial=dial)
    made.receive(joined(), 0.0)
    made.receive(LinkStatus("lost", 1.0), 0.0)
    made.receive(LinkStatus("unseated", text="there is no table 'den' any more"), 0.0)
    assert "your seat is no more: there is no table 'den' any more" in text(made)
    assert isinstance(dial.sent[-1], msg.ListTables)


# a new table


def form() -> Form:
    return Form(Prefs(name="ann"), ("greedy", "random"), read=lambda _path: 'title = "mine"')


def test_a_table_is_made_as_described() -> None:
    dial = Dial()
    made = in_lobby(dial=dial)
    press(made, "c", "c-u", *"attic")
    press(made, "down", "down", "right", "down", "right", "right", "down", "right", "down")
    press(made, *"sesame", "down", "right", "down", "right", "enter")
    assert dial.sent[-1] == msg.Create(
        cid=2,
        table="attic",
        rules="hollywood",
        seats=5,
        bots=("random", "random"),
        password="sesame",
        timing=msg.Timing.SEALED,
        window_seconds=5,
    )
    assert "******" in text(made)
    error = msg.Error(code="bad_name", klass=msg.ErrorClass.STATE, text="there is such a table")
    made.receive(error, 0.0)
    assert "there is such a table" in text(made)
    press(made, "escape")
    assert "Tables at" in text(made)


def test_seats_follow_the_rules_and_bots_the_seats() -> None:
    made = form()
    most = HOLLYWOOD.players.max
    made.index = 2
    made.seats.index = len(made.seats.values) - 2
    made.press("right", Action.MORE)
    assert made.seats.value == str(most)
    assert made.bots.values == tuple(str(n) for n in range(most))


def test_own_rules_are_sent_as_text() -> None:
    made = form()
    made.file.field.insert("~/mine.toml")
    message = made.message(7)
    assert isinstance(message, msg.Create)
    assert (message.rules, message.rules_toml) == ("mine", 'title = "mine"')


def test_what_cannot_be_sent_is_said() -> None:
    made = form()
    made.name.field.press("c-u")
    assert "a table's name has" in str(made.message(1))

    def fail(_path: str) -> str:
        raise FileNotFoundError(2, "No such file or directory")

    broken = Form(Prefs(name="ann"), ("greedy",), read=fail)
    broken.file.field.insert("x.toml")
    assert broken.message(1) == "x.toml cannot be read: No such file or directory"
    long = Form(Prefs(name="ann"), ("greedy",), read=lambda _path: "#" * 20_000)
    long.file.field.insert("x.toml")
    assert "too long" in str(long.message(1))


def test_text_is_pasted_where_text_is_typed() -> None:
    made = in_lobby()
    press(made, "c", "c-u")
    made.paste("the\nden\x1b[2J")
    assert "the den[2J" in text(made)


def test_a_narrow_lobby_tells_all_of_the_chosen_table_below() -> None:
    made = in_lobby()
    press(made, "down")
    assert "password, no watching" in row(made, "quiet")
    assert "quiet: " not in text(made)
    narrow = text(made, 40, 10)
    assert " quiet: 4 of 4 free, password, no\n watching\n" in narrow


def test_a_list_longer_than_the_screen_says_where_one_is() -> None:
    made = in_lobby()
    press(made, "c", "down")
    assert text(made, 40, 10).splitlines()[0].endswith(" 2 of 14")
    assert text(made, 80, 24).splitlines()[0] == " A new table"


def test_a_narrow_waiting_room_still_tells_the_owner_from_the_bots() -> None:
    made = in_lobby()
    made.receive(joined(), 1.0)
    narrow = text(made, 40, 10)
    assert "seat 1  ann         you, owner\n" in narrow
    assert "seat 3  bot         a bot of the server\n" in narrow


def test_the_chosen_table_stays_chosen_while_others_come_and_go() -> None:
    made = in_lobby()
    assert made.lobby is not None

    made.press("down", 0.0)
    new = tuple(msg.TableInfo(f"a table {i}", "hollywood", 4, 4) for i in (11, 2))
    made.receive(msg.TablesChanged(tables=new, gone=("den",)), 0.0)
    rows = [info.name for info in made.lobby.rows()]
    assert rows[:3] == ["a table 2", "a table 11", "quiet"]
    assert rows[made.lobby.index] == "quiet"
    made.receive(msg.TablesChanged(tables=(), gone=("quiet",)), 0.0)
    assert made.lobby.index < len(made.lobby.rows())
