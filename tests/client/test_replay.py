"""Replay: any place of a game, through anybody's eyes, as lines or on a screen."""

from __future__ import annotations

import asyncio
import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from prompt_toolkit.input import create_pipe_input

from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.bots.builtin.random import RandomBot
from hollywood.bots.local import play_recorded
from hollywood.client.prefs import Prefs
from hollywood.client.presenter import Presenter
from hollywood.client.replay import DOWN, SPEEDS, Player, Tape, tape_of
from hollywood.client.replay_command import replay as replay_command
from hollywood.client.replay_frame import Pane, replay_frame, sparkline
from hollywood.client.replay_plain import replay_lines
from hollywood.client.replay_stage import ReplayStage, live_replay
from hollywood.client.text import Line, Look, line_width
from hollywood.client.themes import load_theme, theme_rules
from hollywood.protocol.errors import RecordError
from hollywood.protocol.rules import (
    GameRecord,
    Phase,
    distance,
    encode_record,
    load_rules,
    redact,
    seed_from_text,
    view,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.records import replay
from hollywood.protocol.wire import messages as msg

from .term import Term

NAMES = ("ann", "bea", "chen")


@pytest.fixture(scope="module")
def record() -> GameRecord:
    rules = load_rules("hollywood")
    bots = [GreedyBot, RandomBot, GreedyBot]
    return play_recorded(rules, bots, seed_from_text("replay"), NAMES)[1]


@pytest.fixture(scope="module")
def tape(record: GameRecord) -> Tape:
    return tape_of(record)


@pytest.fixture
def player(tape: Tape) -> Player:
    return Player(tape)


def text(lines: list[Line]) -> str:
    return "\n".join("".join(part for _, part in line).rstrip() for line in lines)


def shown(player: Player, pane: Pane = Pane.TABLE, cols: int = 80, rows: int = 24) -> str:
    return text(replay_frame(player, pane, 0, cols, rows, Look()))


# the tape


def test_what_each_seat_knew_is_what_the_rules_say(record: GameRecord, tape: Tape) -> None:
    place = 0
    for state, events in replay(record):
        place += len(events)
        for seat in (0, 1, 2, None):
            assert tape.view(place, "public" if seat is None else seat) == view(state, seat)
    assert place == len(tape)
    assert tape.is_over
    assert len(tape.deals) == 10


def test_the_eyes_decide_what_is_told(tape: Tape) -> None:
    place = next(i for i, e in enumerate(tape.events, 1) if isinstance(e, ev.Drew) and e.seat == 1)
    event = tape.events[place - 1]
    assert isinstance(event, ev.Drew)
    assert tape.tell(place, "all") == tape.tell(place, 1) == f"bea drew {event.card}"
    assert tape.tell(place, 0) == tape.tell(place, "public") == "bea drew from the stock"
    assert tape.new_cards(place) == {1: (event.card,)}


def test_strengths_are_the_distances_at_the_deal_and_after_each_turn(tape: Tape) -> None:
    last = tape.deals[3] - 1
    went_down = tape.view(last).went_down
    assert any(turn is not None for turn in went_down)
    for seat, turn in enumerate(went_down):
        found = tape.strengths(last, seat)
        assert (found[-1] == DOWN) is (turn is not None)
        first = tape.view(tape.deals[2], seat)
        assert found[0] == distance(first.hand, first.contract, first.rules)
    assert tape.strengths(0, 0) == []


def test_bots_of_one_name_can_be_told_apart(record: GameRecord) -> None:
    tape = tape_of(replace(record, players=("greedy", "bea", "greedy")))
    assert tape.names == ("greedy 1", "bea", "greedy 3")


# moving


def test_steps_go_to_all_that_is_told_and_stop_at_the_ends(player: Player) -> None:
    player.step(-3)
    assert player.place == 0
    told = []
    while not player.is_at_end:
        player.step(1)
        told.append(player.tape.tell(player.place))
    assert all(told)
    assert told == [line for i in range(1, len(player.tape) + 1) if (line := player.tape.tell(i))]
    player.step(1)
    assert player.step_number == player.steps == len(told)


def test_turns_and_deals_can_be_jumped(player: Player) -> None:
    tape = player.tape
    player.next_deal(1)
    assert player.place == tape.deals[0]
    player.turn(1)
    event = tape.events[player.place - 1]
    assert isinstance(event, ev.Discarded | ev.Floated)
    player.turn(1)
    player.turn(-1)
    assert tape.events[player.place - 1] == event
    player.next_deal(-1)
    assert player.place == tape.deals[0]
    player.deal(4)
    assert player.place == tape.deals[4]
    player.next_deal(1)
    player.next_deal(1)
    assert player.place == tape.deals[6]
    player.next_deal(-1)
    assert player.place == tape.deals[5]
    player.deal(99)
    assert player.place == tape.deals[-1]
    player.next_deal(1)
    assert player.is_at_end
    player.turn(1)
    assert player.is_at_end
    player.go_to(0)
    player.turn(-1)
    player.next_deal(-1)
    assert player.place == 0


def test_playing_goes_on_by_the_clock(player: Player) -> None:
    player.toggle(100.0)
    player.run(100.9)
    assert player.step_number == 0
    player.run(103.5)
    assert player.step_number == 3
    player.faster(1)
    assert player.speed == 2.0
    player.run(104.0)
    assert player.step_number == 5  # half a second was left over
    player.toggle(104.0)
    player.run(200.0)
    assert player.step_number == 5
    for _ in range(9):
        player.faster(1)
    assert player.speed == SPEEDS[-1]
    player.toggle(200.0)
    player.run(2000.0)
    assert player.is_at_end
    assert not player.is_playing
    player.toggle(2000.0)
    assert player.step_number == 0  # once more from the beginning
    for _ in range(9):
        player.faster(-1)
    assert player.speed == SPEEDS[0]


def test_eyes_go_round(player: Player) -> None:
    seen = []
    for _ in player.choices:
        seen.append(player.eyes)
        player.next_eyes(1)
    assert seen == ["all", 0, 1, 2, "public"]
    player.next_eyes(-1)
    assert player.eyes == "public"
    assert not player.see(7)


def test_a_table_that_is_being_played_is_followed_at_its_end(record: GameRecord) -> None:
    public = [redact(event, None) for event in record.events]
    seats = tuple(msg.SeatInfo(name, "player") for name in ("ann", "", "chen"))
    watching = msg.Watching(
        cid=1, table="den", rules=record.rules, rules_hash=record.rules.hash, seats=seats
    )
    stage = live_replay(watching, Prefs())
    player = stage.player
    assert player.tape.names == ("ann", "seat 2", "chen")
    stage.receive(msg.Seated(seats=tuple(msg.SeatInfo(name, "player") for name in NAMES)), 0.0)
    assert player.tape.names == NAMES
    for start in range(0, 60, 5):
        stage.receive(msg.Events(seq=start + 1, events=tuple(public[start : start + 5])), 0.0)
        assert player.is_at_end
    assert len(player.tape) == 60
    assert player.choices == ("public",)
    # told again after a reconnect: nothing is there twice
    stage.receive(msg.Events(seq=51, events=tuple(public[50:70])), 0.0)
    assert player.tape.events == public[:70]
    assert "live" in text(stage.frame(80, 24, 0.0))
    stage.press("left", 0.0)
    place = player.place
    stage.receive(msg.Events(seq=71, events=(*public[70:80], msg.Unknown())), 0.0)
    assert player.place == place
    stage.press("G", 0.0)
    assert player.is_at_end
    player.toggle(0.0)
    player.run(100.0)
    assert player.is_playing  # it waits for what comes


def test_a_seat_sees_its_own_cards_while_it_plays(record: GameRecord) -> None:
    own = [redact(event, 1) for event in record.events[:200]]
    player = Player(Tape(record.rules, NAMES, {1}), is_live=True)
    player.add(own)
    assert player.choices == (1, "public")
    assert player.tape.hand(player.place, 1) is not None
    assert player.tape.hand(player.place, 0) is None


# the screen


@pytest.mark.parametrize(
    "size", [(80, 24), (120, 40), (50, 14), (40, 10), (30, 8), (200, 60), (1, 1)]
)
def test_every_screen_has_its_size(tape: Tape, size: tuple[int, int]) -> None:
    cols, rows = size
    for look in (Look(), Look(ascii=True)):
        player = Player(tape)
        for place in (0, 1, 40, tape.deals[4], tape.deals[7] - 1, len(tape)):
            player.go_to(place)
            for pane in Pane:
                for eyes in player.choices:
                    player.see(eyes)
                    lines = replay_frame(player, pane, 3, cols, rows, look)
                    assert len(lines) == rows
                    assert {line_width(line) for line in lines} == {cols}
                    assert text(lines).isascii() or not look.ascii


def test_who_only_watches_sees_no_more_than_was_public(record: GameRecord, tape: Tape) -> None:
    public = Tape(record.rules, NAMES)
    public.add(redact(event, None) for event in record.events)
    for place in range(0, len(tape), 31):
        one, other = Player(tape), Player(public)
        one.see("public")
        for player in (one, other):
            player.go_to(place)
        for pane in Pane:
            assert shown(one, pane) == shown(other, pane)


def test_the_table_shows_all_hands_or_one(player: Player) -> None:
    player.deal(1)
    screen = shown(player)
    assert "Round 2 of 10" in screen
    for seat in range(3):
        hand = player.tape.hand(player.place, seat)
        assert hand is not None
        row = next(line for line in screen.splitlines() if line.startswith(f" {NAMES[seat]} "))
        assert len(hand) == 11
        assert sum(sign in row for sign in "♣♦♥♠") > 0
    player.see(1)
    rows = [
        line.split()[0] for line in shown(player).splitlines() if " short" in line or "▁" in line
    ]
    assert "bea's hand" in shown(player)
    assert not any(row in ("ann", "chen") for row in rows)


def test_the_chart_shows_points_and_strengths(player: Player) -> None:
    player.go_to(player.tape.deals[5] + 20)
    screen = shown(player, Pane.CHART)
    totals = player.tape.view(player.place).totals
    for seat, name in enumerate(NAMES):
        assert any(name in line and str(totals[seat]) in line for line in screen.splitlines())
    assert "Cards short of going down" in screen
    assert any(bar in screen for bar in "▃▄▅▆")
    assert sparkline([None, 9, 3, 0, DOWN], Look(ascii=True)) == "?930v"


def test_the_end_says_who_won(player: Player) -> None:
    player.go_to(len(player.tape))
    winners = player.tape.view(player.place).winners
    assert player.tape.view(player.place).phase is Phase.GAME_OVER
    assert f"points: {NAMES[winners[0]]}" in shown(player)


def test_keys_of_the_stage(tape: Tape) -> None:
    player = Player(tape)
    stage = ReplayStage(player, Prefs())
    stage.press("right", 0.0)
    assert player.step_number == 1
    stage.press("5", 0.0)
    assert player.place == tape.deals[4]
    stage.press("?", 0.0)
    assert "whose cards are seen" in text(stage.frame(80, 24, 0.0))
    stage.press("escape", 0.0)
    stage.press("L", 0.0)
    last = text(stage.frame(80, 24, 0.0))
    for _ in range(60):
        stage.press("pageup", 0.0)
    first = text(stage.frame(80, 24, 0.0))
    assert first.splitlines()[1] == " The game begins: Hollywood rummy, ten rounds, 3 players."
    for _ in range(600):
        stage.press("down", 0.0)
    assert text(stage.frame(80, 24, 0.0)) == last
    assert player.place == tape.deals[4]
    stage.press("L", 0.0)
    stage.press("space", 10.0)
    assert stage.is_counting(10.0)
    stage.frame(80, 24, 14.0)
    assert tape.stops[player.step_number - 4] == tape.deals[4]
    assert stage.click("key:space", 14.0)
    assert not stage.is_counting(14.0)
    assert not stage.click("card:7H:0", 14.0)
    assert not stage.press("z", 14.0)
    stage.press("q", 14.0)
    assert stage.outcome == "quit"


def test_the_application_in_a_terminal(tape: Tape) -> None:
    term = Term()
    theme = load_theme("light")

    async def look() -> str:
        with create_pipe_input() as pipe:
            stage = ReplayStage(Player(tape), Prefs())
            presenter = Presenter(stage, rules=lambda look: theme_rules(theme, look))
            app = presenter.build(pipe, term.output)
            running = asyncio.create_task(app.run_async(set_exception_handler=False))
            await term.until("before the first card")
            pipe.send_text("]\x1b[C\x1b[C")
            await term.until("Round 1 of 10")
            pipe.send_text("c")
            await term.until("no deal has been scored yet")
            pipe.send_text("\x1b")
            await term.until("discard [")
            pipe.send_text("G")
            await term.until("The game is over.")
            pipe.send_text("q")
            return await running

    assert asyncio.run(asyncio.wait_for(look(), 20)) == "quit"
    assert term.count("\x1b[?1049l") == 1


# lines, and the command


def test_the_game_as_lines(tape: Tape) -> None:
    lines = list(replay_lines(tape))
    assert lines[0] == "Hollywood rummy, ten rounds, played by ann, bea, chen."
    assert sum(" holds " in line for line in lines) == 30
    assert sum(" scored: " in line for line in lines) == 10
    assert lines[-1].startswith("The game is over.")
    for line in lines:
        assert line.isascii()
        assert line.isprintable()
        assert line[0].isupper()
        assert line.endswith(".")
    one = list(replay_lines(tape, "public", 3))
    assert one[0].startswith("Round 4 of 10: ")
    assert not any(" holds " in line for line in one)
    assert sum("Round " in line for line in one) == 2


@pytest.fixture
def file(record: GameRecord, tmp_path: Path) -> Path:
    path = tmp_path / "game.json"
    path.write_bytes(encode_record(record))
    return path


def test_the_command_prints_where_there_is_no_terminal(file: Path) -> None:
    run = CliRunner().invoke(replay_command, [str(file), "--deal", "2", "--seat", "BEA"])
    assert run.exit_code == 0, run.output
    lines = run.output.splitlines()
    assert lines[0].startswith("Round 2 of 10")
    assert lines[1].startswith("Bea holds ")
    same = CliRunner().invoke(replay_command, [str(file), "--deal", "2", "--seat", "2"])
    assert same.output == run.output
    spelled = CliRunner().invoke(replay_command, [str(file), "--deal", "2", "--spell"])
    assert " of hearts" in spelled.output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--deal", "11"], "this game has 10 deals: there is no deal 11"),
        (["--seat", "dan"], "nobody here is 'dan': the seats are 1 ann, 2 bea, 3 chen"),
        (["--seat", "4"], "nobody here is '4'"),
        (["--theme", "drak"], "no theme is called 'drak': did you mean 'dark'?"),
    ],
)
def test_wrong_use_is_said(file: Path, options: list[str], said: str) -> None:
    run = CliRunner().invoke(replay_command, [str(file), *options])
    assert run.exit_code == 2
    assert said in run.output


def test_a_changed_record_is_refused(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b'"ann"', b'"eve"'))
    run = CliRunner().invoke(replay_command, [str(file)])
    assert isinstance(run.exception, RecordError)


def read_until(fd: int, want: str) -> Iterator[str]:
    seen = ""
    while want not in seen:
        assert select.select([fd], [], [], 20)[0], f"never saw {want!r} in {seen!r}"
        seen += os.read(fd, 65536).decode(errors="replace")
    yield seen


def test_the_command_on_a_real_terminal(file: Path, tmp_path: Path) -> None:
    (tmp_path / "hollywood-rummy").mkdir()
    (tmp_path / "hollywood-rummy" / "settings.toml").write_text("theme = 3\n")
    ours, theirs = pty.openpty()
    main = "from hollywood.client.cli import main; main()"
    child = subprocess.Popen(
        [sys.executable, "-c", main, "replay", str(file), "--deal", "3"],
        stdin=theirs, stdout=theirs, stderr=theirs,
        env={
            **os.environ, "TERM": "xterm-256color", "XDG_CONFIG_HOME": str(tmp_path),
            "COLUMNS": "80", "LINES": "24",
        },
    )  # fmt: skip
    try:
        start = "".join(read_until(ours, "?1049h"))
        assert "settings file" in start
        assert "'theme' is not used" in start
        os.write(ours, b"q")
        "".join(read_until(ours, "\x1b[?1049l"))
        assert child.wait(20) == 0
    finally:
        child.kill()
        child.wait()
        os.close(ours)
        os.close(theirs)


def test_a_short_screen_wastes_no_row_and_the_log_tells_nothing_twice(player: Player) -> None:
    player.go_to(200)
    player.see(1)
    lines = shown(player, cols=40, rows=10).splitlines()
    assert all(line.strip() for line in lines)
    told = shown(player, Pane.LOG).splitlines()
    assert told[-4] != told[-3]
