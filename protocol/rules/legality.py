"""Why an action is not allowed.

Everything is judged from a `PlayerView`, so a client or a bot can ask the same
questions as the referee and get the same answers.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import ErrorCode
from .actions import Action, Play
from .cards import ORDER, Card, Hand, add_cards, remove_cards
from .contracts import MeldKind
from .fitting import fits, places_on, playing_cards
from .melds import LayOff, Swap, Violation, check_contract, check_meld, stands_for
from .state import Phase
from .turns import (
    Table,
    discardable,
    discards_now,
    fitting_meld,
    has_contract,
    is_target,
    lay_offs_bind,
    lays_nothing,
    may_go_down,
    may_lay_off_now,
    may_swap,
    table_after_swap,
    with_lay_off,
    with_melds,
)
from .views import PlayerView
from .windows import why_not_asked

# names of the module, since members of an enum are looked up three times as long
_WINDOW, _PLAY, _GAME_OVER = Phase.WINDOW, Phase.PLAY, Phase.GAME_OVER

_EXTRA_SIZES = {MeldKind.SET: 3, MeldKind.RUN: 4}
"""The smallest melds beyond a contract, where the rules allow any."""


def explain(view: PlayerView, action: Action) -> Violation | None:
    """Say why the action is not allowed, or return None if it is.

    Args:
        view: What the seat may know; never a full state.
        action: The action to judge.

    Returns:
        The first violation in the order of a turn, so that messages are stable.
    """
    phase = view.phase
    if phase is _GAME_OVER:
        return Violation(ErrorCode.GAME_OVER, "the game is over")
    if view.seat is None:
        return Violation(ErrorCode.NOT_YOUR_TURN, "whoever watches does not play")
    if isinstance(action, Play):
        if view.__dict__.get("allowed") == action:
            return None  # judged before: a bot asks before it plays, then the referee does
        violation = _explain_play(view, action)
        if violation is None:
            view.__dict__["allowed"] = action
        return violation
    if phase is not _WINDOW:
        return Violation(
            ErrorCode.WRONG_PHASE, "no claim window is open: the upcard cannot be taken now (0-47)"
        )
    if view.seat not in view.order:
        return Violation(ErrorCode.NOT_ELIGIBLE, why_not_asked(view))
    return None


def _explain_play(view: PlayerView, play: Play) -> Violation | None:
    if view.turn != view.seat:
        return Violation(ErrorCode.NOT_YOUR_TURN, f"it is seat {view.turn}'s turn")
    if view.phase is not _PLAY:
        return Violation(ErrorCode.WRONG_PHASE, "the turn begins with the draw (0-23)")
    if lays_nothing(play):
        return _explain_discard(view, play)
    table, hand = view.table, view.hand
    wilds: Hand = ()
    if play.swaps:
        judged = _explain_swaps(view, play)
        if isinstance(judged, Violation):
            return judged
        table, hand, wilds = judged
    laid = [card for meld in play.melds for card in meld.cards]
    laid += [lay_off.card for lay_off in play.lay_offs]
    rest = remove_cards(hand, laid)
    if rest is None or (play.discard is not None and play.discard not in rest):
        return _not_in_hand(hand, laid if rest is None else [*laid, play.discard])
    if (violation := _explain_melds(view, play, hand)) is not None:
        return violation
    went_down_now = bool(play.melds) and not view.is_down
    table = with_melds(table, view.me, play)
    for lay_off in play.lay_offs:
        violation = _explain_lay_off(view, table, lay_off, went_down_now)
        if violation is not None:
            return violation
        table = with_lay_off(table, lay_off, view.rules)
    if wilds and view.rules.wild.take_back == "run_down":
        kept = remove_cards(tuple(lay_off.card for lay_off in play.lay_offs), wilds) is None
        if kept:
            return Violation(
                ErrorCode.MUST_LAY_OFF, "a wild taken back is laid off again in the same turn"
            )
    if view.takes_all_cards and (view.is_down or went_down_now):
        return _explain_last_round(rest, play)
    return _explain_end(view, table, rest, went_down_now, play.discard)


def _explain_discard(view: PlayerView, play: Play) -> Violation | None:
    """Most turns: nothing is laid, so only the end of the turn is judged."""
    hand, discard, is_down = view.hand, play.discard, view.is_down
    if not is_down and not view.rules.down.mandatory and discard in discards_now(view):
        return None
    if discard is not None and discard not in hand:
        return _not_in_hand(hand, [discard])
    if not is_down and view.rules.down.mandatory:
        violation = _explain_melds(view, play, hand)
        if violation is not None:
            return violation
    if is_down and view.takes_all_cards:
        return _explain_last_round(hand, play)
    return _explain_end(view, view.table, hand, False, discard)


def _not_in_hand(hand: Hand, wanted: Iterable[Card | None]) -> Violation:
    left = list(hand)
    for card in wanted:
        if card not in left:
            break
        left.remove(card)
    if card not in ORDER:
        return Violation(ErrorCode.BAD_CARD, f"{card!r} is not a card")
    return Violation(ErrorCode.NOT_IN_HAND, f"you do not hold {card}, or not so many of it")


def _explain_swaps(view: PlayerView, play: Play) -> Violation | tuple[Table, Hand, Hand]:
    """Return why not, or table and hand after the swaps and the wilds they brought."""
    if not may_swap(view):
        return Violation(ErrorCode.DOES_NOT_FIT, "wilds on the table stay where they are (0-33)")
    table, hand = view.table, view.hand
    wilds: Hand = ()
    for action in play.swaps:
        if (violation := _explain_swap(view, table, hand, action)) is not None:
            return violation
        table, wild = table_after_swap(table, action)
        hand = add_cards(remove_cards(hand, (action.card,)) or (), (wild,))
        wilds = (*wilds, wild)
    return table, hand, wilds


def _explain_swap(view: PlayerView, table: Table, hand: Hand, action: Swap) -> Violation | None:
    if not 0 <= action.meld < len(table):
        return Violation(ErrorCode.NO_SUCH_MELD, f"there is no meld {action.meld} on the table")
    meld = table[action.meld].meld
    if meld.kind is not MeldKind.RUN or stands_for(meld, action.place, view.rules) != action.card:
        return Violation(
            ErrorCode.DOES_NOT_FIT, f"no wild stands for {action.card} there: {meld} (0-33)"
        )
    if action.card not in hand:
        return Violation(ErrorCode.NOT_IN_HAND, f"you do not hold {action.card}")
    return None


def _explain_melds(view: PlayerView, play: Play, hand: Hand) -> Violation | None:
    rules = view.rules
    if view.is_down:
        if play.melds and rules.meld.extra == "forbid":
            return Violation(
                ErrorCode.ALREADY_DOWN, "you are down: no more melds, only lay-offs (0-34)"
            )
        return _explain_extra(view, play)
    if not play.melds:
        if rules.down.mandatory and has_contract(view, hand, view.contract):
            return Violation(ErrorCode.MUST_GO_DOWN, "you have the contract: go down (0-27)")
        return None
    if not may_go_down(view):
        return Violation(
            ErrorCode.TOO_SOON,
            "the contract must be complete before you draw: go down on your next turn (1-28)",
        )
    return check_contract(play.melds, view.contract, rules)


def _explain_extra(view: PlayerView, play: Play) -> Violation | None:
    for meld in play.melds:
        if (violation := check_meld(meld, view.rules)) is not None:
            return violation
        if len(meld.cards) < _EXTRA_SIZES[meld.kind]:
            return Violation(
                ErrorCode.BAD_MELD,
                f"a further {meld.kind} has {_EXTRA_SIZES[meld.kind]} cards or more",
            )
    return None


def _explain_lay_off(
    view: PlayerView, table: Table, lay_off: LayOff, went_down_now: bool
) -> Violation | None:
    if not view.is_down and not went_down_now:
        return Violation(ErrorCode.NOT_DOWN, "go down first, then lay off (0-30)")
    if not may_lay_off_now(view, went_down_now):
        return Violation(ErrorCode.TOO_SOON, "lay off from your next turn on (0-28, 3-13)")
    if not 0 <= lay_off.meld < len(table):
        return Violation(ErrorCode.NO_SUCH_MELD, f"there is no meld {lay_off.meld} on the table")
    target = table[lay_off.meld]
    if not is_target(view, target):
        return Violation(ErrorCode.DOES_NOT_FIT, f"meld {lay_off.meld} may not be added to (0-29)")
    places = places_on(target.meld, lay_off.card, view.rules)
    if lay_off.place in places:
        return None
    if places:
        where = " or ".join(str(place) for place in places)
        return Violation(
            ErrorCode.DOES_NOT_FIT, f"{lay_off.card} goes on meld {lay_off.meld} at place {where}"
        )
    return Violation(
        ErrorCode.DOES_NOT_FIT,
        f"{lay_off.card} does not fit the {target.meld} (0-17, 0-29)",
    )


def _explain_last_round(rest: Hand, play: Play) -> Violation | None:
    """Going down takes the whole hand: nothing is kept, laid off or discarded (1-36)."""
    if play.discard is not None:
        return Violation(
            ErrorCode.MUST_NOT_DISCARD, "in the last round going down leaves no discard (1-36)"
        )
    if rest or play.lay_offs:
        return Violation(
            ErrorCode.MUST_USE_ALL, "in the last round every card goes into the contract (1-36)"
        )
    return None


def _explain_end(
    view: PlayerView, table: Table, rest: Hand, went_down_now: bool, discard: Card | None
) -> Violation | None:
    rules, is_down = view.rules, went_down_now or view.is_down
    must_lay_off = is_down and rules.layoff.mandatory and may_lay_off_now(view, went_down_now)
    if must_lay_off and lay_offs_bind(view, rest) and not _plays_nowhere(view, table, rest):
        for card in dict.fromkeys(rest):
            if (target := fitting_meld(view, table, card)) is not None:
                return Violation(
                    ErrorCode.MUST_LAY_OFF,
                    f"{card} fits the {target.meld}: lay it off before you discard (0-31)",
                )
    if discard is None:
        if rest:
            return Violation(ErrorCode.MUST_DISCARD, "a turn ends with a discard (0-35)")
        if rules.out.empty_hand == "illegal":
            return Violation(ErrorCode.MUST_DISCARD, "keep one card to discard (0-40, 3-24)")
        return None
    if table is view.table and rest is view.hand:
        allowed = discards_now(view)
    else:
        allowed = discardable(view, table, rest, is_down)
    return None if discard in allowed else _why_not_discard(view, table, rest, discard, is_down)


def _plays_nowhere(view: PlayerView, table: Table, rest: Hand) -> bool:
    """Whether none of the cards fits any meld, as far as that is known without trying."""
    return table is view.table and playing_cards(table, view.rules).isdisjoint(rest)


def _why_not_discard(
    view: PlayerView, table: Table, rest: Hand, card: Card, is_down: bool
) -> Violation:
    if len(rest) == 1 and view.rules.out.discard == "forbidden":
        return Violation(
            ErrorCode.MUST_NOT_DISCARD, "the last card is laid off, never discarded (0-35)"
        )
    if not is_down and view.rules.discard.playable == "forbid":
        for target in table:
            if card in fits(target.meld, view.rules):
                return Violation(
                    ErrorCode.CARD_PLAYS,
                    f"{card} fits the {target.meld} of seat {target.seat} (meld {target.number}) "
                    "and may not be discarded before you are down (0-36)",
                )
    return Violation(
        ErrorCode.RETURNS_UPCARD, f"you took {card} this turn: discard another card (0-26)"
    )
