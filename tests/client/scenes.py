"""Every screen in every situation, by name: what the size matrix draws."""

from __future__ import annotations

import random
from collections.abc import Callable

from builders import HOLLYWOOD, position
from hollywood.bots.connection import parse_address
from hollywood.client.frame import frame
from hollywood.client.hints import look_at
from hollywood.client.menu import Nearby, Server
from hollywood.client.model import LinkStatus
from hollywood.client.prefs import Prefs
from hollywood.client.screens import Goal, Screens
from hollywood.client.text import Line, Look
from hollywood.protocol.rules import GameState, Phase, view
from hollywood.protocol.wire import messages as msg

from .table import Client

TABLE = (
    (0, "K: KD KH 2S"),
    (0, "7S: 7S 8S JK TS JS QS"),
    (1, "Q: QS QD JK"),
    (1, "A: AS AD AC AC"),
    (3, "8: 8S 8D 8C"),
    (3, "9H: 9H TH JH QH 2C"),
    (4, "6: 6S 6S 6D"),
    (5, "7: 7S 7C 7C"),
    (5, "J: JS JD JC"),
    (5, "4C: 4C 5C 6C 7C"),
)

DEN = Server(host="192.0.2.7", port=7878, name="den", note="3 seats free, hollywood")


def eight_players(cards: int, phase: Phase = Phase.WINDOW, turn: int = 7) -> GameState:
    """A full table late in a deal; the client's seat is 2."""
    hand = random.Random(cards).sample(HOLLYWOOD.deck_cards, cards)
    return position(
        *["3C 4D"] * 2,
        " ".join(hand),
        *["3C 4D"] * 5,
        phase=phase,
        upcard="QH",
        discards="3S 4S 5S 6S 7S",
        turn=2 if phase is Phase.PLAY else turn,
        deal=3,
        scores=[(120, 30, 40, 0, 25, 300, 20, 5)] * 3,
        table=TABLE,
        down=[2] if cards == 0 else [],
    )


class Dial:
    """A network of which only the requests are kept."""

    def __init__(self, kept: frozenset[str] = frozenset()) -> None:
        self.is_up = True
        self.sent: list[msg.ClientMessage] = []
        self.went: list[tuple[Server, str]] = []
        self.hung_up = 0
        self.looks = False
        self._kept = kept

    def send(self, message: msg.ClientMessage) -> bool:
        if self.is_up:
            self.sent.append(message)
        return self.is_up

    def go(self, server: Server, table: str = "") -> None:
        self.went.append((server, table))

    def hang_up(self) -> None:
        self.hung_up += 1

    def look_around(self, wanted: bool) -> None:
        self.looks = wanted

    def kept_tables(self, server: Server) -> frozenset[str]:
        return self._kept


def screens(
    goal: Goal | None = None, dial: Dial | None = None, look: Look | None = None
) -> Screens:
    prefs = Prefs(look, name="ann", servers=("attic:7878",))
    return Screens(prefs, dial or Dial(), goal or Goal(), parse_address, ("greedy", "random"))


def tables() -> msg.Tables:
    infos = [
        msg.TableInfo("den", "hollywood", 4, 2),
        msg.TableInfo("a table with a long name", "dummy", 6, 0, has_started=True),
        msg.TableInfo("quiet", "carioca", 4, 4, locked=True, watchers=False),
    ]
    return msg.Tables(cid=1, tables=tuple(infos))


def in_lobby(look: Look | None = None, dial: Dial | None = None) -> Screens:
    made = screens(Goal(server=DEN), dial, look)
    made.receive(LinkStatus("online"), 0.0)
    made.receive(tables(), 0.0)
    return made


def joined(owner: int | None = 0) -> msg.Joined:
    seats = (msg.SeatInfo("ann", "player"), msg.SeatInfo("", "open"), msg.SeatInfo("bot", "house"))
    return msg.Joined(
        cid=1,
        table="den",
        seat=0,
        token="secret",
        rules=HOLLYWOOD,
        rules_hash=HOLLYWOOD.hash,
        seats=seats,
        rng="00" * 32,
        owner=owner,
    )


# the scenes


Draw = Callable[[int, int], list[Line]]


def _listed(keys: str | list[str], made: Screens) -> Draw:
    for key in keys:
        made.press(key, 0.0)
    return lambda cols, rows: made.frame(cols, rows, 0.0)


def _menu(look: Look) -> Screens:
    made = screens(look=look)
    old = Server(host="192.0.2.9", port=7879, name="attic of the old house", is_usable=False)
    made.receive(Nearby((DEN, old)), 0.0)
    return made


def _waiting(look: Look, owner: int | None) -> Screens:
    made = in_lobby(look)
    made.receive(joined(owner), 0.0)
    made.receive(msg.Said(seat=None, name="bea", text="when do we begin? " * 4), 0.0)
    return made


def _watching(look: Look) -> Screens:
    made = in_lobby(look)
    seats = tuple(
        msg.SeatInfo(name, "player")
        for name in ["ann", "bea", "chen", "dmitri", "eve", "farouk", "gus", "hana"]
    )
    made.receive(
        msg.Watching(cid=1, table="den", rules=HOLLYWOOD, rules_hash=HOLLYWOOD.hash, seats=seats),
        0.0,
    )
    assert made.table is not None
    made.table.model.view = view(eight_players(11), None)
    return made


def _at_table(
    look: Look,
    keys: str | list[str] = "",
    cards: int = 18,
    phase: Phase = Phase.WINDOW,
    **kind: int,
) -> Client:
    client = Client(eight_players(cards, phase, **kind), seat=2, seconds=9.0)
    client.desk.prefs.look = look
    client.press(*keys)
    return client


def _table(client: Client, look: Look) -> Draw:
    return lambda cols, rows: frame(client.model, client.desk, cols, rows, client.now, look)


def _with_hints(look: Look) -> Client:
    client = _at_table(look, phase=Phase.PLAY)
    client.desk.prefs.hints = True
    client.desk.glance = look_at(client.view)
    return client


def _over(look: Look) -> Client:
    scores = [(5, 0, 20, 40), (30, 5, 0, 100), (0, 10, 60, 5)] * 3
    table = [(0, "7: 7C 7D 7H")]
    client = Client(position("KS", "3C AD", "3C 4C", "JK JK", deal=9, scores=scores, table=table))
    client.press("x", "x")
    return client


def _result(look: Look) -> Client:
    client = Client(position("KS", "3C AD", "JK", scores=[], table=[(0, "7: 7C 7D 7H")]))
    client.press("x", "x")
    return client


def _lost(look: Look) -> Client:
    client = _at_table(look)
    client.model.set_link(LinkStatus("lost", 3.0, "no server answers at den:7878"), client.now)
    return client


SCENES: dict[str, tuple[Callable[[Look], Draw], str]] = {
    "menu": (lambda look: _listed("", _menu(look)), "den"),
    "empty menu": (lambda look: _listed("", screens(look=look)), "attic:7878"),
    "address": (lambda look: _listed(["i", "d", "e", "n"], _menu(look)), "HOST:PORT: den"),
    "menu help": (lambda look: _listed("?", _menu(look)), "Help"),
    "lobby": (lambda look: _listed("", in_lobby(look)), "a table with"),
    "password": (lambda look: _listed(["down", "enter", "x", "y"], in_lobby(look)), "quiet: **"),
    "new table": (lambda look: _listed("c", in_lobby(look)), "ann's"),
    "waiting": (lambda look: _listed("", _waiting(look, None)), "waiting for 1 more player"),
    "owner": (lambda look: _listed("", _waiting(look, 0)), "s begins now"),
    "watching": (lambda look: _listed("", _watching(look)), "you watch"),
    "buy": (lambda look: _table(_at_table(look), look), "b buy  n no"),
    "take": (lambda look: _table(_at_table(look, turn=2), look), "p take  n draw"),
    "asked": (lambda look: _table(_at_table(look, "t"), look), "F5 buy  F6 no"),
    "wants": (lambda look: _table(_at_table(look, "w"), look), "want: "),
    "play": (lambda look: _table(_at_table(look, phase=Phase.PLAY), look), "YOUR TURN"),
    "hints": (lambda look: _table(_with_hints(look), look), "hint: "),
    "composer": (
        lambda look: _table(_at_table(look, [*"g", " ", "1"], phase=Phase.PLAY), look),
        "1 ",
    ),
    "meld": (lambda look: _table(_at_table(look, "l", phase=Phase.PLAY), look), "on which"),
    "leave": (lambda look: _table(_at_table(look, "q"), look), "y leave"),
    "scores": (lambda look: _table(_at_table(look, "S"), look), "Scores"),
    "log": (lambda look: _table(_at_table(look, "L"), look), "Log"),
    "lost": (lambda look: _table(_lost(look), look), "LINK LOST"),
    "result": (lambda look: _table(_result(look), look), "is over"),
    "over": (lambda look: _table(_over(look), look), "The game is over"),
}
"""How to set up each scene, and what has to be seen of it at every size."""
