"""A planner that keeps in mind what each opponent has taken, passed on and thrown."""

from __future__ import annotations

from hollywood.protocol.rules import Event, PlayerView

from .danger import Danger
from .memory import Memory
from .planner import PlannerBot
from .unseen import Unseen


class CounterBot(PlannerBot):
    """Plans, and remembers what each of the others has taken, passed on and thrown."""

    def __init__(self, seed: bytes = bytes(32)) -> None:
        super().__init__(seed)
        self._memory = Memory()

    def observe(self, event: Event) -> None:
        """Remember what the others show."""
        self._memory.observe(event)

    def _danger(self, view: PlayerView, unseen: Unseen) -> Danger:
        shown = self._memory.seats
        return Danger(view, unseen, shown if len(shown) == view.seats else None)
