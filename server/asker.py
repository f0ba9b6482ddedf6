"""Asking seats: what is to be decided, how long it may take, and what is left of that."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from hollywood.protocol.rules import hints, options, view
from hollywood.protocol.wire import messages as m

from . import entries
from .audience import Audience
from .config import TableConfig
from .game import Game
from .seating import OpenDecision, Seat


class Asker:
    """Opens decisions and tells their seats."""

    def __init__(
        self,
        config: TableConfig,
        audience: Audience,
        game: Game,
        clock: Callable[[], float],
        note: Callable[[entries.Entry], None],
    ) -> None:
        self.note = note
        self._config = config
        self._audience = audience
        self._game = game
        self._clock = clock
        self._next_did = 1

    def open(self, seat: Seat) -> OpenDecision:
        """Give a seat a decision, with the time it has for it."""
        clocks = self._config.clocks
        is_in_turn = self._game.state.turn == seat.number
        limit = clocks.turn if is_in_turn else clocks.window
        if limit is not None and seat.asked == 0:
            limit += clocks.start_up
        bank = seat.bank if is_in_turn and limit is not None else 0.0
        self.note(entries.Asked(seat.number, self._next_did, limit, bank, time.time()))
        return self.ask(seat, self._next_did, limit, bank)

    def ask(self, seat: Seat, did: int, limit: float | None, bank: float) -> OpenDecision:
        """Give a seat a decision, which was noted."""
        now, clocks = self._clock(), self._config.clocks
        rtt = seat.link.rtt if seat.link is not None else None
        decision = OpenDecision(
            did=did,
            number=seat.asked,
            now=now,
            limit=math.inf if limit is None else limit,
            bank=bank,
            lag=min(rtt or 0.0, clocks.lag),
            due=now + (clocks.pace if self._game.state.window is None else 0.0),
        )
        self._next_did = did + 1
        seat.asked += 1
        seat.decision = decision
        return decision

    def send(self, seat: Seat, decision: OpenDecision) -> None:
        """Tell a seat what it is asked, if anybody listens."""
        if seat.link is None:
            return
        known = view(self._game.state, seat.number)
        legal = options(known)
        assert legal is not None, f"nothing to ask seat {seat.number}"
        is_hinted = self._config.hints and "hints" in seat.caps
        seat.link.send(
            m.Decide(
                did=decision.did,
                n=decision.number,
                seq=len(self._audience.events),
                legal=legal,
                remaining_ms=self.remaining(decision),
                bank_ms=round(decision.bank * 1000),
                attempts=decision.attempts,
                hints=hints(known) if is_hinted else None,
            )
        )

    def send_open(self, seat: Seat) -> None:
        """Tell a seat again what it is asked, if anything."""
        if seat.decision is not None:
            self.send(seat, seat.decision)

    def remaining(self, decision: OpenDecision) -> int | None:
        """Return what is left in milliseconds, None if the seat may take as long as it likes."""
        left = decision.remaining(self._clock())
        return None if math.isinf(left) else round(left * 1000)
