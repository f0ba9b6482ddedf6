"""The real rules in process, playing the server: messages in, messages out.

One seat is the client's; the others are played at once, by chance or by script.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from hollywood.protocol.errors import RulesError
from hollywood.protocol.rules import (
    Action,
    Claim,
    Event,
    GameState,
    Pass,
    Phase,
    Play,
    RuleSet,
    apply,
    load_rules,
    next_deal,
    options,
    redact,
    seed_from_text,
    start,
    time_out,
    view,
)
from hollywood.protocol.rules.claims import open_seats
from hollywood.protocol.rules.offers import PlayOptions
from hollywood.protocol.wire import messages as msg

NAMES = ("ann", "bea", "chen", "dmitri", "eve", "farouk", "gus", "hana")

Deliver = Callable[[msg.ServerMessage], None]


def play_by_chance(state: GameState, seat: int, rng: random.Random) -> Action:
    """Any legal action: claims now and then, lay-offs where there are some."""
    known = view(state, seat)
    asked = options(known)
    if not isinstance(asked, PlayOptions):
        return Claim() if rng.random() < 0.2 else Pass()
    if asked.must_lay_off:
        return asked.default
    return Play(discard=rng.choice(asked.discards))


class Referee:
    """A table of the server with one client at it.

    Args:
        deliver: Takes what the server would send.
        seats: How many players.
        seat: The client's.
        seed: Any text.
        seconds: Time for each decision; None: no limit.
        others: What the other seats do.
    """

    def __init__(
        self,
        deliver: Deliver,
        *,
        seats: int = 4,
        seat: int = 0,
        seed: str = "1",
        seconds: float | None = None,
        rules: RuleSet | None = None,
        others: Callable[[GameState, int, random.Random], Action] = play_by_chance,
    ) -> None:
        self.seat = seat
        self.rules = rules or load_rules("hollywood")
        self.sent: list[msg.ClientMessage] = []
        self.is_online = True
        self.holds_back = False
        """Where set, the other seats do not answer by themselves."""
        self.state, self._events = start(self.rules, seats, seed_from_text(seed))
        self._deliver = deliver
        self._seconds = seconds
        self._others = others
        self._rng = random.Random(seed)
        self._seq = self._did = self._n = 0
        self._asked: int | None = None

    def begin(self) -> None:
        """Give the client its seat and play up to its first decision."""
        self.join()
        self._tell(self._events)
        self.go_on()

    def join(self) -> None:
        """Give the client its seat."""
        self._deliver(
            msg.Joined(
                cid=0,
                table="den",
                seat=self.seat,
                token="secret",
                rules=self.rules,
                rules_hash=self.rules.hash,
                seats=tuple(
                    msg.SeatInfo(NAMES[seat], "player" if seat == self.seat else "house")
                    for seat in range(self.state.seats)
                ),
                rng="00" * 32,
                seq=self._seq,
            )
        )

    def set_position(self, state: GameState) -> None:
        """Go on from another position; the client's view must be set to it as well."""
        self.state, self._events = state, ()

    def receive(self, message: msg.ClientMessage) -> bool:
        """Take what the client sends; False while it is not connected."""
        if not self.is_online:
            return False
        self.sent.append(message)
        match message:
            case msg.AnswerDecision(cid=cid, did=did, action=action):
                self._answer(cid, did, action)
            case msg.Ready() if self.state.phase is Phase.DEAL_OVER:
                self.state, events = next_deal(self.state)
                self._tell(events)
                self.go_on()
        return True

    def run_out_of_time(self) -> None:
        """Let the client's time run out."""
        asked = options(view(self.state, self.seat))
        assert asked is not None
        assert self._asked is not None
        self._deliver(
            msg.Closed(did=self._asked, code="timed_out", text="too late", default=asked.default)
        )
        self._asked = None
        self.state, events = time_out(self.state, self.seat)
        self._tell(events)
        self.go_on()

    def act(self, seat: int, action: Action) -> None:
        """Let another seat do something."""
        self.state, events = apply(self.state, seat, action)
        self._tell(events)
        if not self.holds_back:
            self.go_on()
        else:
            self._ask()

    def go_on(self) -> None:
        """Let the others play until the client is asked, or the deal is over."""
        while True:
            waiting = self._waiting()
            if not waiting:
                self._ask()
                return
            if self.holds_back:
                self._ask()
                return
            seat = waiting[0]
            action = self._others(self.state, seat, self._rng)
            self.state, events = apply(self.state, seat, action)
            self._tell(events)

    def ask_again(self) -> None:
        """Send the open decision once more, as after a reconnect."""
        self._asked = None
        self._ask()

    def _waiting(self) -> list[int]:
        if self.state.phase is Phase.PLAY:
            return [] if self.state.turn == self.seat else [self.state.turn]
        if self.state.window is None:
            return []
        # the others wait for the client, so that it is asked in every window
        asked = open_seats(self.state.window)
        return [] if self.seat in asked else list(asked)

    def _ask(self) -> None:
        asked = options(view(self.state, self.seat))
        window = self.state.window
        if asked is None or self._asked is not None:
            return
        if window is not None and self.seat not in open_seats(window):
            return
        self._did += 1
        self._asked = self._did
        left = None if self._seconds is None else int(self._seconds * 1000)
        self._deliver(
            msg.Decide(did=self._did, n=self._n, seq=self._seq, legal=asked, remaining_ms=left)
        )
        self._n += 1

    def _answer(self, cid: int, did: int, action: Action) -> None:
        status, text, code = msg.VerdictStatus.ACCEPTED, "", ""
        events: tuple[Event, ...] = ()
        if did != self._asked:
            status = msg.VerdictStatus.LATE
        else:
            try:
                self.state, events = apply(self.state, self.seat, action)
            except RulesError as error:
                status, text, code = msg.VerdictStatus.REJECTED, error.message, str(error.code)
            else:
                self._asked = None
        self._deliver(msg.Verdict(cid=cid, did=did, status=status, code=code, text=text))
        self._tell(events)
        self.go_on()

    def _tell(self, events: tuple[Event, ...]) -> None:
        if events:
            blanked = tuple(redact(event, self.seat) for event in events)
            self._deliver(msg.Events(seq=self._seq + 1, events=blanked))
            self._seq += len(events)
