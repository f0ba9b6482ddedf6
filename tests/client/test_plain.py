"""Plain mode: whole games by lines of words; every line can be understood alone."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from builders import position
from hollywood.bots.builtin.greedy import GreedyBot
from hollywood.client.link import Link
from hollywood.client.model import ClientModel, LinkStatus
from hollywood.client.plain import Plain
from hollywood.client.plain_commands import COMMANDS, Verb, find
from hollywood.client.plain_run import MAX_LINE, play_plain, print_line, typed_lines, wants_plain
from hollywood.protocol.errors import RefusedError
from hollywood.protocol.rules import Claim, GameState, LayOff, Pass, Phase, Play, load_rules, view
from hollywood.protocol.wire import messages as msg
from hollywood.server.config import Clocks
from house import House, den, open_house

from .referee import Referee


class Lines:
    """A player in plain mode at the referee's table; what was said, line by line."""

    def __init__(
        self,
        state: GameState | None = None,
        *,
        seats: int = 3,
        seed: str = "plain",
        seconds: float | None = None,
        spells: bool = False,
        rules: str = "hollywood",
    ) -> None:
        self.now = 100.0
        self.said: list[str] = []
        self.kept: dict[str, object] = {}
        self.model = ClientModel()
        self.plain = Plain(
            self.model,
            lambda message: self.referee.receive(message),
            self.said.append,
            spells=spells,
            keep=self.kept.update,
        )
        seats = seats if state is None else state.seats
        self.referee = Referee(
            self.deliver, seats=seats, seed=seed, seconds=seconds, rules=load_rules(rules)
        )
        self.deliver(LinkStatus("online"))
        if state is None:
            self.referee.begin()
        else:
            self.referee.set_position(state)
            self.referee.join()
            self.model.view = view(state, 0)
            self.referee.go_on()

    def deliver(self, message: msg.ServerMessage | LinkStatus) -> None:
        self.plain.receive(message, self.now)

    def type(self, *lines: str) -> str:
        """Type lines; return what was said to them."""
        before = len(self.said)
        for line in lines:
            self.plain.line(line, self.now)
        return "\n".join(self.said[before:])

    def actions(self) -> list[object]:
        return [m.action for m in self.referee.sent if isinstance(m, msg.AnswerDecision)]


def next_lines(said: str) -> tuple[str, ...]:
    """What somebody types who only hears the last line."""
    if "take" in said and "free" in said:
        return ("pass",)
    if "buy or pass?" in said:
        return ("n",)
    if said.startswith("Your turn."):
        return ("suggest", "go")
    if "Type ready" in said:
        return ("ready",)
    raise AssertionError(f"what now? {said!r}")


@pytest.mark.parametrize(
    ("rules", "deals"), [("hollywood", 10), ("hollywood_seven", 7), ("dummy", None)]
)
def test_a_whole_game_from_words_alone(rules: str, deals: int | None) -> None:
    lines = Lines(seed="whole", rules=rules)
    for _ in range(6000):
        if lines.model.is_game_over:
            break
        lines.type(*next_lines(lines.said[-1]))
    assert lines.said[-1] == "The game is over. Type again for another game, or quit."
    lines.type("scores", "quit")
    assert lines.plain.outcome == "game over"
    told = "\n".join(lines.said)
    assert "You WENT DOWN: a " in told
    assert "Not played" not in told
    assert "refused" not in told
    assert deals is None or f"Round {deals} of {deals} scored: " in told
    if deals is None:
        assert "Fewest points win, of those who have made contract" in told


def test_every_line_stands_alone_without_drawing_or_keys() -> None:
    lines = Lines(seed="whole")
    for _ in range(400):
        if lines.model.is_game_over:
            break
        typed = next_lines(lines.said[-1])
        lines.type("hand", "table", "scores", "need", "plan", "what", "log 3")
        lines.type(*typed)
    lines.type("help", *(f"help {command.verb}" for command in COMMANDS), "rules", "rules all")
    for line in lines.said:
        assert line.isascii()
        assert line.isprintable()
        assert line == line.strip() != ""
        assert line[0].isupper() or line[0].isdigit() or line.split()[0].rstrip(":") in _WORDS, line
        assert not re.search(r"\bEnter (sends|asks|plays)|\bpress\b|cursor|\bkey\b|\bx does", line)


_WORDS = {name for command in COMMANDS for name in command.names}


def test_what_is_asked_says_what_may_be_typed_and_how_long() -> None:
    state = position("3C 4D 9H", "5H", "6S", phase=Phase.WINDOW, turn=2, upcard="7H")
    lines = Lines(state, seconds=15)
    assert lines.said[-1] == (
        "7H is for sale, with 1 card from the stock: buy or pass? You have 3 buys left. "
        "chen is before you. You have 15 seconds."
    )
    lines = Lines(position("3C 4D 9H", "5H", "6S", phase=Phase.WINDOW, upcard="7H"))
    assert lines.said[-1] == (
        "Your turn begins: take 7H free, or pass and draw from the stock? Take your time."
    )
    lines = Lines(position("3C 4D 9H", "5H", "6S", drew="9H"))
    assert lines.said[-2:] == [
        "You hold 3 cards: 3C, 4D, 9H.",
        "Your turn. You drew 9H. Type discard and a card; or lay and cards for each meld, "
        "then go. Take your time.",
    ]


@pytest.mark.parametrize(
    ("word", "action"),
    [
        ("buy", Claim()), ("claim", Claim()), ("take", Claim()), ("YES", Claim()), ("b", Claim()),
        ("pass", Pass()), ("no", Pass()), ("n", Pass()), ("draw", Pass()),
    ],
)  # fmt: skip
def test_the_words_of_a_window(word: str, action: object) -> None:
    state = position("3C 4D 9H", "5H", "6S", phase=Phase.WINDOW, turn=2, upcard="7H")
    lines = Lines(state)
    lines.referee.holds_back = True
    said = lines.type("buy" if word == "b" else word)
    assert lines.actions() == [action]
    assert said == (
        "You passed." if action == Pass() else "You asked for it; chen may take it before you."
    )


def test_a_turn_with_melds_lay_offs_and_a_discard() -> None:
    state = position(
        "KC KD KH QC QD QH 9H 3C 4D", "5H", "6S", drew="3C", table=[(1, "9: 9C 9S 9D")]
    )
    lines = Lines(state)
    assert "Pile 1, set of 3: KH, KD, KC; complete, kings." in lines.type("lay KH KD KC")
    assert "These cards are no meld of your contract; as a set of 3: " in lines.type("lay QC QD 4D")
    said = lines.type("meld qh qd qc")
    assert "Pile 2, set of 3: QH, QD, QC; complete, queens." in said
    assert "9H fits the set of nines: 9C 9D 9S: lay it off before you discard" in said
    assert "9H does not fit the set of kings (b)." in lines.type("9H on b").replace("The", "the")
    assert "type discard and a card" in lines.type("lay off 9h on A")
    said = lines.type("discard 3C")
    assert "Planned: discard 3C." in said
    assert "This is a legal turn: go plays it" in said
    assert lines.actions() == []
    said = lines.type("plan")
    assert "Planned: lay off 9H on meld a." in said
    assert "Without a place: 4D." in said
    lines.type("go")
    play = lines.actions()[0]
    assert isinstance(play, Play)
    assert [meld.rank for meld in play.melds] == ["K", "Q"]
    assert play.lay_offs == (LayOff(0, "9H"),)  # type: ignore[arg-type]
    assert play.discard == "3C"
    assert "You WENT DOWN: b (set of kings) KC KD KH; c (set of queens) QC QD QH." in "\n".join(
        lines.said
    )


def test_several_melds_in_one_line_and_taking_steps_back() -> None:
    lines = Lines(position("KC KD KH QC QD QH 9H 3C 4D", "5H", "6S", drew="3C"))
    said = lines.type("lay 2 KC KD KH; 1 QC QD QH")
    assert "Pile 2, set of 3: KC, KD, KH; complete, kings." in said
    assert "Pile 1, set of 3: QC, QD, QH; complete, queens." in said
    assert "type discard and a card" in said
    assert "Pile 1, set of 3: empty." in lines.type("undo")
    assert lines.type("undo") == "Nothing is planned."
    assert lines.type("undo") == "There is nothing to take back."
    lines.type("lay KC KD KH")
    assert lines.type("clear") == "Nothing is planned any more; undo brings it back."
    assert "Pile 1, set of 3: KC, KD, KH; complete, kings." in lines.type("undo")
    assert "Not played: " in lines.type("go")
    assert lines.actions() == []


def test_a_single_discard_ends_the_turn_and_a_refused_one_is_no_plan() -> None:
    lines = Lines(position("3C 4D 9H", "5H", "6S", drew="9H", took="9H"))
    said = lines.type("discard 9H")
    assert said.startswith("Not played: ")
    assert lines.type("plan") == "Nothing is planned."
    lines.type("discard 4d")
    assert lines.actions() == [Play(discard="4D")]  # type: ignore[arg-type]


def test_both_ends_and_several_readings_are_asked_with_numbers() -> None:
    state = position("JK 4D 9H 3C", "5H", "6S", drew="3C", table=[(0, "5S: 5S 6S 7S 8S")], down=[0])
    lines = Lines(state)
    said = lines.type("off JK on a")
    assert "JK fits both ends of meld a. Type a number:" in said
    assert "1: at the low end, as 4S." in said
    assert lines.type("7") == "Type a number from 1 to 2."
    lines.type("2", "discard 3C", "go")
    play = lines.actions()[0]
    assert isinstance(play, Play)
    assert play.lay_offs == (LayOff(0, "JK", 9),)  # type: ignore[arg-type]


def test_a_wild_is_taken_back_for_its_natural_and_laid_off() -> None:
    table = [(0, "5S: 5S 6S JK 8S"), (0, "9: 9C 9D 9H")]
    state = position("7S 4H 3C", "5H", "6S", table=table, wild__take_back="run_down", drew="3C")
    lines = Lines(state)
    assert "Say the natural and the meld" in lines.type("swap 7S")
    assert "4H cannot be swapped for a wild of meld a now." in lines.type("swap 4H on a")
    said = lines.type("swap 7s on a")
    assert "Planned: put 7S on meld a for its wild." in said
    assert lines.type("hand").startswith("You hold 3 cards: 3C, 4H, JK.")
    assert lines.type("undo") == "Nothing is planned."
    assert lines.type("hand").startswith("You hold 3 cards: 3C, 4H, 7S.")
    lines.type("swap 7s on a", "discard 3C")
    assert lines.actions() == []
    assert "Not played: " in lines.type("go")  # the wild must be laid off
    lines.type("off JK on b", "go")
    play = lines.actions()[0]
    assert isinstance(play, Play)
    assert [(swap.card, swap.meld, swap.place) for swap in play.swaps] == [("7S", 0, 7)]
    assert play.lay_offs == (LayOff(1, "JK"),)  # type: ignore[arg-type]
    assert "You put 7S on a and took JK." in lines.said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("discrad 3C", "there is no word 'discrad'; did you mean discard?"),
        ("s", "'s' can be "),
        ("discard", "Name one card, as in discard 3C."),
        ("discard 3C 4D", "Name one card"),
        ("discard KS", "You do not hold KS."),
        ("lay 3C 3C 3C", "You do not hold 3C so often."),
        ("lay", "Type the cards after it, as in lay KH KD KC."),
        ("lay ZZ", "'ZZ' is not a card"),
        ("lay 7 3C", "There are 2 piles: the contract has no pile 7."),
        ("off 3C", "Say on which meld"),
        ("off 3C on q", "There is no meld q"),
        ("take", "No card is offered to you now."),
        ("yes", "Nothing was asked."),
        ("ready", "No deal is over"),
        ("again", "This game is not over."),
        ("begin", "Only the owner of the table begins."),
        ("want ZZ", "'ZZ' is no card of this game"),
        ("go", "Not played: "),
        ("help me", "'me' can be lay or table"),
        ("\x1b[A", "there is no word"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(line: str, said: str) -> None:
    lines = Lines(position("3C 4D 9H", "5H", "6S", drew="9H"))
    assert said in lines.type(line)
    assert lines.actions() == []
    assert lines.plain.outcome is None


def test_talking_wanting_skipping() -> None:
    lines = Lines(position("3C 4D 9H", "5H", "6S", drew="9H"))
    assert lines.type("chat well played") == ""
    assert lines.type("want 7h Q") == "You want 7H Q."
    assert lines.type("skip") == "You want 7H Q, you pass until your turn."
    assert lines.type("want") == "You are asked about every card."
    sent = [m for m in lines.referee.sent if isinstance(m, msg.Chat | msg.Order)]
    assert isinstance(sent[0], msg.Chat)
    assert sent[0].text == "well played"
    orders = [m for m in sent if isinstance(m, msg.Order)]
    assert [(" ".join(o.claim), o.pass_until_turn) for o in orders] == [
        ("7H QC QD QH QS", False),
        ("7H QC QD QH QS", True),
        ("", False),
    ]
    lines.deliver(msg.Said(seat=1, name="bea\x1b[2J", text="hi\nthere"))
    assert lines.said[-1] == "<bea[2J> hithere."


def test_the_last_order_can_be_given_again() -> None:
    said: list[str] = []
    model = ClientModel()
    plain = Plain(model, lambda message: referee.receive(message), said.append, wants="7H Q")
    referee = Referee(lambda message: plain.receive(message, 0.0), seats=3, seed="wants")
    plain.receive(LinkStatus("online"), 0.0)
    referee.begin()
    assert "Last time you wanted 7H Q: want last wants it again." in said
    plain.line("want last", 0.0)
    assert said[-1] == "You want 7H Q."


def test_sorting_and_spelling_are_remembered() -> None:
    lines = Lines(position("3H 4C 9H", "5H", "6S", drew="9H"))
    assert lines.type("sort suit") == "By suit. You hold 3 cards: 4C, 3H, 9H."
    assert lines.type("sort") == "By rank. You hold 3 cards: 3H, 4C, 9H."
    assert lines.type("words") == "Cards are said in words."
    assert lines.type("hand") == (
        "You hold 3 cards: three of hearts, four of clubs, nine of hearts."
    )
    assert lines.kept == {"sort": "rank", "spell": True}


def test_leaving_is_asked_and_can_be_taken_back() -> None:
    lines = Lines(position("3C 4D 9H", "5H", "6S", drew="9H"))
    assert "Leave the table?" in lines.type("quit")
    assert lines.type("no") == "You stay."
    assert lines.type("yes") == "Nothing was asked."
    lines.type("quit", "hand")
    assert lines.type("yes") == "Nothing was asked."
    lines.type("quit", "yes")
    assert lines.plain.outcome == "quit"
    assert isinstance(lines.referee.sent[-1], msg.Leave)


def test_the_time_is_called_out_at_30_10_5_and_3_seconds() -> None:
    lines = Lines(position("3C 4D 9H", "5H", "6S", drew="9H"), seconds=90)
    called = []
    while (wait := lines.plain.next_tick(lines.now)) is not None:
        lines.now += wait
        before = len(lines.said)
        lines.plain.tick(lines.now)
        called += lines.said[before:]
    assert called == ["30 seconds left.", "10 seconds left.", "5 seconds left.", "3 seconds left."]
    assert lines.now == 100 + 87
    short = Lines(position("3C 4D 9H", "5H", "6S", drew="9H"), seconds=5)
    assert short.plain.next_tick(short.now) == 2
    lines.referee.run_out_of_time()
    assert any(
        re.fullmatch(r"Your time ran out: \w\w was discarded for you\.", said)
        for said in lines.said
    )


def test_a_lost_connection_is_said_and_commands_answer() -> None:
    lines = Lines(position("3C 4D 9H", "5H", "6S", drew="9H"))
    lines.deliver(LinkStatus("lost", 2.0, "the server closed the connection"))
    assert lines.said[-1] == (
        "The connection is lost; trying again in 2 seconds (the server closed the connection)."
    )
    lines.referee.is_online = False
    assert lines.type("discard 3C").startswith("Planned: discard 3C.")
    assert lines.type("chat hello") == "Not connected: nothing was sent."
    lines.referee.is_online = True
    lines.deliver(LinkStatus("online"))
    assert lines.said[-1] == "The connection is back."
    lines.referee.ask_again()
    lines.type("go")
    assert lines.actions() == [Play(discard="3C")]  # type: ignore[arg-type]


def test_the_beginning_of_a_word_is_enough_where_it_is_clear() -> None:
    assert getattr(find("sugg"), "verb", None) is Verb.SUGGEST
    assert getattr(find("Q"), "verb", None) is Verb.QUIT
    assert find("zzz") == "there is no word 'zzz': help says what there is"
    names = [name for command in COMMANDS for name in command.names]
    assert len(names) == len(set(names))
    assert {command.verb for command in COMMANDS} == set(Verb)


# over a link, with a virtual clock


@pytest.fixture
def in_memory(monkeypatch: pytest.MonkeyPatch) -> Callable[[House], None]:
    """Let the client's connections end in a house."""

    def connect(house: House) -> None:
        async def open_stream(_host: str, _port: int) -> trio.abc.Stream:
            await trio.lowlevel.checkpoint()
            return house.connect()

        monkeypatch.setattr(trio, "open_tcp_stream", open_stream)

    return connect


async def test_a_whole_game_over_a_link(
    autojump_clock: MockClock, in_memory: Callable[[House], None]
) -> None:
    said: list[str] = []
    send, receive = trio.open_memory_channel[str](100)

    def say(line: str) -> None:
        said.append(line)
        if line.startswith(("Your turn", "Type ready")) or "buy or pass?" in line:
            for typed in next_lines(line):
                send.send_nowait(typed)
        elif line.startswith("The game is over."):
            send.send_nowait("quit")

    async def typed() -> AsyncGenerator[str, None]:
        async for line in receive:
            yield line

    clocks = Clocks(start_up=0, pause=3600)
    async with open_house(den(seats=3, house=(GreedyBot, GreedyBot), clocks=clocks)) as house:
        in_memory(house)
        link = Link("den", 1, "bea", "den")
        plain = Plain(ClientModel(), link.send, say)
        with trio.fail_after(100_000):
            outcome = await play_plain(plain, link, typed(), is_paced=False)
    assert outcome == "game over"
    assert sum("scored: " in line for line in said) == 10
    assert said[-1].startswith("The game is over.")


async def test_lines_of_a_pipe_wait_until_something_is_asked(
    autojump_clock: MockClock, in_memory: Callable[[House], None]
) -> None:
    async def script() -> AsyncGenerator[str, None]:
        for line in ("hand", "pass", "suggest", "go", "table"):
            await trio.lowlevel.checkpoint()
            yield line

    said: list[str] = []
    table = den(seats=2, house=(GreedyBot,), clocks=Clocks(start_up=0, turn=30))
    async with open_house(table) as house:
        in_memory(house)
        link = Link("den", 1, "bea", "den")
        plain = Plain(ClientModel(), link.send, said.append)
        online: list[bool] = []
        outcome = await play_plain(
            plain, link, script(), is_paced=True, on_online=lambda: online.append(True)
        )
        assert outcome == "quit"
        assert online == [True]
        await trio.testing.wait_all_tasks_blocked()
        assert house.lobby.tables["den"].seats[0].name != ""
    assert said[-1] == "The input has ended: you leave the table."
    assert any(line.startswith("You discarded ") for line in said)


async def test_without_a_table_the_servers_tables_are_said(
    autojump_clock: MockClock, in_memory: Callable[[House], None]
) -> None:
    said: list[str] = []

    async def script() -> AsyncGenerator[str, None]:
        for line in ("sit", "sit \u00b7", "hand", "watch nix", "sit den", "tables", "quit", "yes"):
            await trio.sleep(1)
            yield line

    table = den(seats=2, house=(GreedyBot,), clocks=Clocks(start_up=0, turn=100))
    async with open_house(table) as house:
        in_memory(house)
        link = Link("den", 1, "ann")
        plain = Plain(ClientModel(), link.send, said.append)
        opening = msg.ListTables(cid=plain.model.next_cid())
        outcome = await play_plain(plain, link, script(), is_paced=True, opening=opening)
    assert outcome == "quit"
    assert said[0] == "Table den: hollywood, 2 seats, 1 seat free."
    assert said[1].startswith("Type sit and a table's name")
    assert said[2:4] == [said[2], said[2]]
    assert said[2].startswith("Name a table: ")
    assert said[4] == "No cards were dealt yet."
    assert "'nix'" in said[5]
    assert any(line.startswith("You hold 11 cards") for line in said)
    assert "You are at a table: quit leaves it." in said


async def test_watching_says_what_everybody_may_see(
    autojump_clock: MockClock, in_memory: Callable[[House], None]
) -> None:
    said: list[str] = []
    table = den(seats=2, house=(GreedyBot,), clocks=Clocks(start_up=0, turn=5))

    async def script() -> AsyncGenerator[str, None]:
        await trio.sleep(3)
        for line in ("hand", "table", "suggest", "quit"):
            yield line

    async with open_house(table) as house:
        in_memory(house)
        player = await house.enter()
        await player.join()
        await player.hear(msg.Decide)
        link = Link("den", 1, "ann")
        plain = Plain(ClientModel(), link.send, said.append)
        opening = msg.Watch(cid=1, table="den")
        outcome = await play_plain(plain, link, script(), is_paced=False, opening=opening)
        assert outcome == "quit"
        link = Link("den", 1, "ann")
        plain = Plain(ClientModel(), link.send, said.append)
        with pytest.RaisesGroup(pytest.RaisesExc(RefusedError, match="nix")):
            await play_plain(
                plain, link, script(), is_paced=False, opening=msg.Watch(cid=1, table="nix")
            )
    assert "You watch: you have no cards of your own." in said
    assert any(line.startswith("Upcard: ") for line in said)
    assert not any(line.startswith("You hold") for line in said)


async def test_lines_are_read_from_a_file_descriptor() -> None:
    ours, theirs = os.pipe()
    text = "hand\r\ntable\n" + "x" * 9000 + "\nm\u00e4ld" + "\n\nlast"
    with os.fdopen(theirs, "wb") as file:
        file.write(text.encode() + b"\xff")
    lines = [line async for line in typed_lines(ours)]
    os.close(ours)
    assert lines[:2] == ["hand", "table"]
    assert len(lines[2]) <= MAX_LINE
    assert lines[-3:] == ["m\u00e4ld", "", "last\ufffd"]


def test_names_that_the_output_cannot_write() -> None:
    raw = BytesIO()
    out = TextIOWrapper(raw, "ascii")
    print_line("<J\u00fcrgen> h\u00e9", out)
    assert raw.getvalue() == b"<J?rgen> h?\n"


class Stream:
    def __init__(self, is_tty: bool) -> None:
        self.is_tty = is_tty

    def isatty(self) -> bool:
        return self.is_tty


@pytest.mark.parametrize(
    ("term", "ends", "wanted"),
    [
        ("xterm", (True, True), False), ("dumb", (True, True), True),
        ("xterm", (False, True), True), ("xterm", (True, False), True),
    ],
)  # fmt: skip
def test_when_plain_mode_is_chosen_by_itself(
    term: str, ends: tuple[bool, bool], wanted: bool
) -> None:
    stdin, stdout = (Stream(end) for end in ends)
    assert wants_plain({"TERM": term}, stdin, stdout) is wanted  # type: ignore[arg-type]


# the command


def spoken(child: subprocess.Popen[str]) -> Iterator[str]:
    assert child.stdout is not None
    for line in child.stdout:
        yield line.rstrip("\n")


def test_a_dumb_terminal_gets_lines(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    main = "from hollywood.client.cli import main; main()"
    child = subprocess.Popen(
        [sys.executable, "-c", main, "play", "--seats", "2", "--seed", "plain", "--name", "bea"],
        stdin=theirs, stdout=theirs, stderr=theirs,
        env={
            **os.environ, "TERM": "dumb", "XDG_STATE_HOME": str(tmp_path),
            "XDG_CONFIG_HOME": str(tmp_path),
        },
    )  # fmt: skip
    shown = b""
    try:
        while b"Type yes or no." not in shown:
            assert select.select([ours], [], [], 20)[0], shown
            shown += os.read(ours, 65536)
            if b"Your turn" in shown and b"quit" not in shown:
                os.write(ours, b"quit\n")
        os.write(ours, b"yes\n")
        assert child.wait(20) == 0
    finally:
        child.kill()
        child.wait()
        os.close(ours)
        os.close(theirs)
    assert b"\x1b" not in shown


def test_the_command_with_words_through_a_pipe(tmp_path: Path) -> None:
    main = "from hollywood.client.cli import main; main()"
    command = [sys.executable, "-c", main, "play", "--plain"]
    child = subprocess.Popen(
        [*command, "--bots", "random", "--seats", "2", "--seed", "plain", "--name", "bea"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)},
    )  # fmt: skip
    assert child.stdin is not None
    heard, asked = [], 0
    try:
        for line in spoken(child):
            heard.append(line)
            if line.startswith("Your turn"):
                asked += 1
                typed = next_lines(line) if asked < 7 else ("quit", "yes")
                child.stdin.write("".join(f"{words}\n" for words in typed))
                child.stdin.flush()
            elif "buy or pass?" in line:
                child.stdin.write("pass\n")
                child.stdin.flush()
        assert child.wait(20) == 0, heard
    finally:
        child.kill()
        child.wait()
        child.stdin.close()
        assert child.stdout is not None
        child.stdout.close()
    assert heard[0].startswith("You are at table home")
    assert any(line.startswith("You discarded ") for line in heard)
    assert not any("\x1b" in line for line in heard)
