"""A client at a table without a terminal: model, desk, referee and a clock that stands still."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hollywood.client.desk import Desk
from hollywood.client.frame import frame
from hollywood.client.model import ClientModel, LinkStatus
from hollywood.client.text import Look
from hollywood.protocol.rules import Card, GameState, Play, PlayerView, RuleSet, view
from hollywood.protocol.wire import messages as msg

from .referee import Referee

M = TypeVar("M", bound=msg.ClientMessage)


class Client:
    """One client. `now` moves only when a test moves it."""

    def __init__(
        self,
        state: GameState | None = None,
        *,
        seats: int = 4,
        seat: int = 0,
        seed: str = "1",
        seconds: float | None = None,
        rules: RuleSet | None = None,
    ) -> None:
        self.now = 100.0
        self.model = ClientModel()
        self.desk = Desk(self.model, lambda message: self.referee.receive(message))
        if state is not None:
            seats = state.seats
        self.referee = Referee(
            self.deliver, seats=seats, seat=seat, seed=seed, seconds=seconds, rules=rules
        )
        self.model.set_link(LinkStatus("online"), self.now)
        if state is None:
            self.referee.begin()
        else:
            self.sit_down(state)
        self.now += 1

    def sit_down(self, state: GameState) -> None:
        """Begin in the middle of a deal, as after a long absence."""
        self.referee.set_position(state)
        self.referee.join()
        self.model.view = view(state, self.referee.seat)
        self.desk.sync()
        self.referee.go_on()

    def deliver(self, message: msg.ServerMessage) -> None:
        self.model.receive(message, self.now)
        self.desk.sync()

    @property
    def view(self) -> PlayerView:
        assert self.model.view is not None
        return self.model.view

    def press(self, *keys: str) -> None:
        for key in keys:
            self.desk.press(key, self.now)

    def click(self, *targets: str) -> None:
        for target in targets:
            assert self.desk.click(target, self.now), target

    def on(self, card: str) -> None:
        """Put the cursor on a card."""
        self.desk.hand.go_to(Card(card))
        assert self.desk.hand.cursor is not None
        assert self.desk.hand.cursor[0] == card

    def select(self, cards: str) -> None:
        """Select cards; a card named twice means two copies."""
        for word in cards.split():
            key = next(
                key
                for key in self.desk.hand.keys
                if key[0] == word
                and key not in self.desk.hand.selected
                and (key not in self.desk.composer.spots() or word in self._single())
            )
            self.desk.hand.selected.add(key)

    def _single(self) -> set[str]:
        cards = [card for card, _ in self.desk.hand.keys]
        return {card for card in cards if cards.count(card) == 1}

    def lines(self, cols: int = 80, rows: int = 24, look: Look | None = None) -> list[str]:
        drawn = frame(self.model, self.desk, cols, rows, self.now, look or Look())
        return ["".join(text for _, text in line) for line in drawn]

    def text(self, cols: int = 80, rows: int = 24, look: Look | None = None) -> str:
        return "\n".join(line.rstrip() for line in self.lines(cols, rows, look))

    def sent(self, kind: type[M]) -> list[M]:
        return [message for message in self.referee.sent if isinstance(message, kind)]

    def last_play(self) -> Play:
        action = self.sent(msg.AnswerDecision)[-1].action
        assert isinstance(action, Play)
        return action


def until(client: Client, done: Callable[[], bool], *keys: str, limit: int = 200) -> None:
    """Press keys again and again until something holds."""
    for _ in range(limit):
        if done():
            return
        client.press(*keys)
    raise AssertionError(f"never happened; the screen:\n{client.text()}")
