"""Points for cards left in hand, and who has won."""

from __future__ import annotations

from .cards import Hand
from .rulesets import RuleSet


def deal_points(
    hands: tuple[Hand, ...], is_down: tuple[bool, ...], rules: RuleSet
) -> tuple[int, ...]:
    """Return each seat's points for the deal (0-51 to 0-53).

    Whoever went out holds nothing and scores nothing; the others count their
    hands, down or not, unless the rules zero everybody who is down.
    """
    return tuple(
        0 if down and rules.score.down_is_zero else rules.hand_points(hand)
        for hand, down in zip(hands, is_down, strict=True)
    )


def winners(totals: tuple[int, ...]) -> tuple[int, ...]:
    """Return the seats with the fewest points; equals share the win (0-4, 0-55).

    >>> winners((120, 95, 95))
    (1, 2)
    """
    best = min(totals)
    return tuple(seat for seat, total in enumerate(totals) if total == best)
