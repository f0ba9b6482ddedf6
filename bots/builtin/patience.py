"""What time brings: when it costs nothing to go down later, and which cards will fit soon."""

from __future__ import annotations

from collections.abc import Collection

from hollywood.protocol.rules import Card, PlayerView, RuleSet, best_laydown
from hollywood.protocol.rules.cards import add_cards
from hollywood.protocol.rules.fitting import fits, grown
from hollywood.protocol.rules.turns import Table, is_target

from .reach import spare_cards

_FEW = 2
"""With fewer cards a seat that is down is likely to be out in its next turn."""


def may_wait(view: PlayerView) -> bool:
    """Whether there is one other player, who is not likely to be out in its next turn.

    Who holds its melds back gives the other nothing to lay off on, and loses nothing:
    what would be laid off on them is kept with them. That is so where melds take all
    cards that fit, and lay-offs may follow in the turn of going down; and where a deal
    that is lost does not cost a contract as well. Not among several: of those who all
    wait, all but one are caught, and who does not wait gains on them.
    """
    if view.seats > 2 or view.is_down or view.takes_all_cards or not _waiting_is_free(view.rules):
        return False
    other = 1 - view.me
    if view.went_down[other] is not None:
        return view.hand_sizes[other] >= _FEW
    # else it may go down and be out in the same turn
    return spare_cards(view, other) >= _FEW


def _waiting_is_free(rules: RuleSet) -> bool:
    return (
        rules.progress == "lockstep"
        and rules.down.timing == "same_turn"
        and not rules.down.mandatory
        and rules.layoff.first == "same_turn"
        and rules.meld.oversize == "allow"
        and rules.meld.extra == "forbid"
        and not rules.score.down_is_zero
    )


def is_laid(view: PlayerView, card: Card) -> bool:
    """Whether a hand that has its contract would lay one more card, and leave no more than before."""
    more = add_cards(view.hand, (card,))
    now = best_laydown(view.hand, view.contract, view.rules, view.round)
    then = best_laydown(more, view.contract, view.rules, view.round)
    if now is None or then is None:
        return False
    return card not in then.cards_left and len(then.cards_left) <= len(now.cards_left)


def chances_to_fit(view: PlayerView, table: Table, cards: Collection[Card]) -> dict[Card, float]:
    """Return for each card how likely the next unseen card makes it fit a meld.

    Args:
        view: The position.
        table: The melds that lie there.
        cards: What is asked about.
    """
    unseen = view.unseen()
    total = max(1, sum(unseen.values()))
    chances = dict.fromkeys(cards, 0.0)
    for laid in table:
        if not is_target(view, laid):
            continue
        now = fits(laid.meld, view.rules)
        for card, places in now.items():
            left = unseen.get(card, 0)
            if left and not view.rules.is_wild(card):
                place = places[0] if places else 0
                then = fits(grown(laid.meld, card, place, view.rules), view.rules)
                for asked in cards:
                    if asked in then and asked not in now:
                        chances[asked] += left / total
    return chances
