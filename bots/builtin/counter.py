"""A planner that counts: which cards are left to help it, and what the others wait for."""

from __future__ import annotations

from collections.abc import Callable

from hollywood.protocol.rules import Card, Event, PlayerView
from hollywood.protocol.rules.cards import add_cards

from .danger import Danger
from .memory import Memory
from .planner import PlannerBot
from .reach import is_in_reach, must_buy
from .unseen import Unseen


class CounterBot(PlannerBot):
    """Buys also what makes many more of the unseen cards help; watches the others.

    When it is down, it throws what nobody waits for, by what each of them has taken,
    passed on and thrown. Before that it does so only where nobody buys and the next seat
    alone may have the discard; else it goes its own way as the planner does. Between two
    it takes the only card of a deal that the other could buy, where that one has to buy.
    """

    share_worth_a_buy = 0.06
    """A share of the unseen cards: to buy a card that only makes more others help."""
    per_danger = 30.0
    """What it costs to throw what somebody surely wants, shared by all others."""
    share_of_danger = 0.5
    """How much of that counts before it is down: its own contract counts more then."""

    def __init__(self, seed: bytes = bytes(32)) -> None:
        super().__init__(seed)
        self._memory = Memory()

    def observe(self, event: Event) -> None:
        """Remember what the others show."""
        self._memory.observe(event)

    def wants(self, view: PlayerView) -> bool:
        """Claim as the planner does, and buy what makes many more cards help."""
        if super().wants(view):
            return True
        if view.upcard is None or view.is_down or view.takes_all_cards:
            return False
        # taken free it would come instead of a card from the stock, which helps as often
        if view.is_my_turn or not is_in_reach(view, view.me):
            return False
        now = self._outlook(view, view.hand)
        if not now.distance:
            return False
        then = self._outlook(view, add_cards(view.hand, (view.upcard,)))
        unseen = Unseen(view)
        return unseen.share(then.useful) - unseen.share(now.useful) > self.share_worth_a_buy

    def _wants_out_of_reach(self, view: PlayerView, upcard: Card) -> bool:
        """Take also what the other needs: without it nobody has the contract in this deal."""
        if view.is_my_turn and view.seats == 2:
            other = 1 - view.me
            if other in view.order and must_buy(view, other) and is_in_reach(view, other):
                return True
        return super()._wants_out_of_reach(view, upcard)

    def _gift(self, view: PlayerView, unseen: Unseen) -> Callable[[Card], float]:
        shown = self._memory.seats
        danger = Danger(view, unseen, shown if len(shown) == view.seats else None)
        price = self.per_danger / (view.seats - 1)
        return lambda card: price * danger.of(card)

    def _risk(self, view: PlayerView, unseen: Unseen) -> Callable[[Card], float]:
        if view.rules.buy.enabled:
            return super()._risk(view, unseen)
        gift = self._gift(view, unseen)
        return lambda card: self.share_of_danger * gift(card)
