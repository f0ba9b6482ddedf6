"""What PROTOCOL.md says an event changes is enough to follow a game and to check digests.

Nothing of our code is used here but the golden sessions: plain data, as a client in
another language would have it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgpack
import pytest

from golden_frames import load_session

GOLDEN = Path(__file__).parent.parent / "golden" / "wire" / "v1"
ORDER = [rank + suit for rank in "3456789TJQKA2" for suit in "CDHS"] + ["JK"]


class Follower:
    """One seat's knowledge, from the table of events in PROTOCOL.md."""

    def __init__(self, joined: dict[str, Any]) -> None:
        self.me, self.seats = joined["seat"], len(joined["seats"])
        self.rounds = joined["rules"]["rounds"]
        self.points: list[list[int]] = []
        self.hand: list[str] = []
        self.sizes: list[int] = []
        self.pile: list[str] = []
        self.melds: list[dict[str, Any]] = []
        self.turns = 0
        self.is_between_turns = True

    def _begin_turn(self, seat: int) -> None:
        if self.is_between_turns:
            self.turn, self.turns, self.is_between_turns = seat, self.turns + 1, False

    def _gain(self, seat: int, count: int, cards: list[str] | None) -> None:
        self.sizes[seat] += count
        if seat == self.me and cards is not None:
            self.hand = sorted(self.hand + cards, key=ORDER.index)

    def _lose(self, seat: int, *cards: str) -> None:
        self.sizes[seat] -= len(cards)
        for card in cards:
            if seat == self.me:
                self.hand.remove(card)

    def see(self, e: dict[str, Any]) -> None:
        """Take one event in."""
        match e["t"]:
            case "dealt":
                self.deal, self.turn, self.stock = e["deal"], e["first"], e["stock"]
                self.hand = e["hands"][self.me]
                sizes = [r["deal"] for r in self.rounds]
                self.sizes = [sizes[i] if i < len(sizes) else 0 for i in e["contracts"]]
                self.pile = [e["upcard"]] if e["upcard"] else []
                self.is_live = bool(self.pile)
                self.melds = []
                self.turns, self.buys = 0, [0] * self.seats
                self.is_between_turns = True
            case "window_opened":
                self._begin_turn(e["turn"])
            case "took":
                self.is_live = False
                self._gain(e["seat"], 1, [self.pile.pop()])
            case "bought":
                self.is_live = False
                card, count = self.pile.pop(), e["penalty_count"]
                self._gain(e["seat"], 1 + count, [card, *(e["penalty"] or [])])
                self.stock -= count
                self.buys[e["seat"]] += 1
            case "reshuffled":
                self.stock, self.pile = e["stock"], self.pile[-1:] if self.is_live else []
            case "drew":
                self._begin_turn(e["seat"])
                self.stock -= 1
                self._gain(e["seat"], 1, e["card"] and [e["card"]])
            case "went_down":
                for laid in e["melds"]:
                    self._lose(e["seat"], *laid["meld"]["cards"])
                    self.melds.append(laid)
            case "laid_off":
                self._lose(e["seat"], e["card"])
                meld, place = self.melds[e["meld"]]["meld"], e.get("place", 0)
                if meld["kind"] == "run" and place < meld["low"]:
                    meld["cards"].insert(0, e["card"])
                    meld["low"] = place
                else:
                    meld["cards"].append(e["card"])
            case "discarded":
                self._lose(e["seat"], e["card"])
                self.pile.append(e["card"])
                self.is_live = self.is_between_turns = True
            case "floated" | "went_out" | "stalled":
                self.is_between_turns = True
            case "stock_ran_out":
                self._begin_turn(e["seat"])
                self.is_between_turns = True
            case "deal_ended":
                self.points.append(e["points"])

    def digest(self) -> str:
        """The digest as PROTOCOL.md writes it down."""

        def line(items: list[Any]) -> str:
            return " ".join(map(str, items))

        melds = []
        for laid in self.melds:
            meld = laid["meld"]
            name = meld.get("rank") or meld.get("suit", "")
            head = [laid["number"], laid["seat"], meld["kind"], name, meld.get("low", 0)]
            melds.append(line([*head, *meld["cards"]]))
        parts = (
            self.deal,
            self.turn,
            self.turns,
            line(self.hand),
            line(self.sizes),
            self.stock,
            line(self.pile),
            "live" if self.is_live else "dead",
            ";".join(melds),
            line(self.buys),
            ";".join(map(line, self.points)),
        )
        return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()[:16]


@pytest.mark.parametrize("rules", ["hollywood", "hollywood_seven", "dummy", "example"])
def test_the_table_of_events_gives_the_digests(rules: str) -> None:
    about, frames = load_session(GOLDEN / f"session_{rules}.json")
    follower: Follower | None = None
    right = 0
    for sender, data in frames:
        message = msgpack.unpackb(data[4:])
        if message["t"] == "joined":
            follower = Follower(message)
        if sender == "server" and message["t"] == "events":
            assert follower is not None
            for event in message["events"]:
                follower.see(event)
            if "digest" in message:
                assert follower.digest() == message["digest"]
                right += 1
    assert right == about["digests"] > 1
