"""Standing orders: answers that the server gives for a seat, so nobody presses a key each time."""

from __future__ import annotations

from hollywood.protocol.rules import Action, Claim, Pass, PlayerView
from hollywood.protocol.wire.messages import Order


def standing_answer(order: Order | None, view: PlayerView) -> Action | None:
    """Return what a standing order answers in this window, None if it leaves it open."""
    if order is None:
        return None
    if view.upcard in order.claim:
        return Claim()
    if order.pass_until_turn and not view.is_my_turn:
        return Pass()
    return None


def order_after(order: Order | None, view: PlayerView) -> Order | None:
    """Return what is left of a standing order when the seat is asked: its own turn ends a pass."""
    if order is not None and order.pass_until_turn and view.is_my_turn:
        return Order(cid=order.cid, claim=order.claim) if order.claim else None
    return order
