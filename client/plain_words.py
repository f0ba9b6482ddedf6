"""Plain mode's sentences: the table, the hand, the draft and what is asked, as lines of words.

Each line can be understood alone, in the order in which it came. Nothing is told
by colour, place or sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hollywood.protocol.rules import Card, Meld, MeldKind, PlayerView, RuleSet
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.cards import PLACE_RANKS
from hollywood.protocol.rules.melds import is_natural

from .composer import Composer
from .model import ClientModel, OpenDecision, seats_ahead
from .narrate import (
    SUIT_NAMES,
    describe_contract,
    describe_meld,
    join_words,
    meld_letter,
    name_deal,
)

_CARD = re.compile(r"(?<![A-Za-z0-9])(?:[A2-9TJQK][CDHS]|JK)(?![A-Za-z0-9])")

_ROWS = re.compile(r" \(\d-\d+(?:, \d-\d+)*\)")

_SPOKEN = {
    "A": "ace", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven",
    "8": "eight", "9": "nine", "T": "ten", "J": "jack", "Q": "queen", "K": "king",
}  # fmt: skip

_KEYS_TO_WORDS = (
    ("Enter sends it when it is your turn", "go plays it when it is your turn"),
    (": put the cursor on a card and press x", ": type discard and a card"),
    ("Enter asks where the wilds stand", "go asks where the wilds stand"),
    ("Enter plays it", "go plays it"),
    ("; x does it", "; go plays it"),
    (" (l, then a letter)", ", as in off 9H on b"),
)
"""What other screens say about their keys, and what it is here."""


def without_rows(text: str) -> str:
    """Leave out the rows of the rules that a sentence cites: read aloud they only disturb.

    >>> without_rows("a turn ends with a discard (0-35).")
    'a turn ends with a discard.'
    """
    return _ROWS.sub("", text)


def spell(text: str) -> str:
    """Say each card in words.

    >>> spell("bea discarded 7H and JK")
    'bea discarded seven of hearts and joker'
    """
    return _CARD.sub(lambda match: spell_card(match.group()), text)


def spell_card(card: str) -> str:
    """Say a card in words: "ten of diamonds"."""
    return "joker" if card == "JK" else f"{_SPOKEN[card[0]]} of {SUIT_NAMES[card[1]]}"


def in_words(text: str) -> str:
    """Put commands where a sentence of the other screens names keys."""
    for keys, words in _KEYS_TO_WORDS:
        text = text.replace(keys, words)
    return text


def cards_text(cards: Sequence[str]) -> str:
    """Write cards beside each other, so that a list read aloud has pauses."""
    return ", ".join(cards) if cards else "none"


def count(number: int, what: str) -> str:
    """Write a number with its word: 1 card, 2 cards."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def seconds_text(seconds: float | None) -> str:
    """Say how long there is."""
    return "Take your time." if seconds is None else f"You have {count(round(seconds), 'second')}."


# what is asked


def question(model: ClientModel, decision: OpenDecision, now: float) -> str:
    """Say what is asked of the player, what may be typed, and how long there is."""
    view = model.view
    time = seconds_text(decision.remaining(now))
    window = model.open_window
    if view is None:
        return ""
    if window is None:
        drew = ""
        if view.drew is not None:
            drew = f" You {'took' if view.took_upcard else 'drew'} {view.drew}."
        do = "Type off and a card, or discard and a card" if view.is_down else _before_down()
        return f"Your turn.{drew} {do}. {time}"
    if window.is_free:
        return f"Your turn begins: take {view.upcard} free, or pass and draw from the stock? {time}"
    price = f"with {count(window.penalty, 'card')} from the stock" if window.penalty else "free"
    left = view.buys_left
    buys = "" if left is None else f" You have {count(left, 'buy')} left."
    ahead = [model.who(seat) for seat in seats_ahead(view)]
    order = "" if not ahead else f" {join_words(ahead)} {_be(ahead)} before you."
    return f"{view.upcard} is for sale, {price}: buy or pass?{buys}{order} {time}"


def _before_down() -> str:
    return "Type discard and a card; or lay and cards for each meld, then go"


def _be(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


# looking around


def hand_line(cards: Sequence[str]) -> str:
    """Say what the player holds."""
    if not cards:
        return "You hold no cards."
    return f"You hold {count(len(cards), 'card')}: {cards_text(cards)}."


def contract_line(view: PlayerView) -> str:
    """Say what the player must lay, or that it is laid."""
    deal = name_deal(view.rules, view.deal)
    if view.is_down:
        return f"{deal}. You are down: lay off and discard."
    left = view.buys_left
    buys = "" if left is None or not view.rules.buy.enabled else f" {count(left, 'buy')} left."
    return f"{deal}. You need {describe_contract(view.contract)}.{buys}"


def table_lines(model: ClientModel, view: PlayerView) -> Iterator[str]:
    """Say who holds how many cards, what lies on the table, and what was discarded."""
    if view.seat is not None:
        yield contract_line(view)
    for seat in range(view.seats):
        turn = ", in turn" if seat == view.turn else ""
        down = ", down" if view.went_down[seat] is not None else ""
        points = count(view.totals[seat], "point")
        yield f"{model.who(seat)}: {count(view.hand_sizes[seat], 'card')}, {points}{down}{turn}."
    for laid in view.table:
        yield f"{meld_line(laid.meld, laid.number, view.rules)}; laid by {model.who(laid.seat)}."
    if not view.table:
        yield "No meld lies on the table."
    yield discards_line(model, view)
    yield f"Stock: {count(view.stock, 'card')}."


def meld_line(meld: Meld, number: int, rules: RuleSet) -> str:
    """Say what a meld is, card by card; a wild with what it stands for."""
    cards = [_melded(meld, i, card, rules) for i, card in enumerate(meld.cards)]
    return f"Meld {meld_letter(number)}, {describe_meld(meld)}: {cards_text(cards)}"


def _melded(meld: Meld, place: int, card: Card, rules: RuleSet) -> str:
    if is_natural(meld, place, rules):
        return card
    if meld.kind is MeldKind.SET:
        return f"{card} as a wild"
    return f"{card} as {PLACE_RANKS[meld.low + place]}{meld.suit}"


def discards_line(model: ClientModel, view: PlayerView) -> str:
    """Say what lies on the discards, the newest first."""
    pile = list(reversed(view.discards))
    if not pile:
        return "No card was discarded."
    if view.upcard is None:
        return f"No discard can be taken; there lie {cards_text(pile[:8])}."
    by = "turned up" if view.discarder is None else f"discarded by {model.who(view.discarder)}"
    under = f"; under it {cards_text(pile[1:8])}" if pile[1:] else ""
    return f"Upcard: {view.upcard}, {by}{under}."


def scores_lines(model: ClientModel, view: PlayerView) -> Iterator[str]:
    """Say everybody's points, the best first."""
    order = sorted(range(view.seats), key=lambda seat: (view.totals[seat], seat))
    for place, seat in enumerate(order, 1):
        deals = ", ".join(str(points[seat]) for points in view.scores) or "no deal yet"
        yield f"{place}. {model.who(seat)}: {count(view.totals[seat], 'point')} ({deals})."
    rules = view.rules
    if rules.game.winner == "lowest":
        yield "Fewest points win."
    else:
        yield f"Fewest points win, of those who have made contract {len(rules.rounds)}."
    if rules.progress == "per_player" and view.contracts:
        for seat, contract in enumerate(view.contracts):
            at = f"contract {contract + 1} of {len(rules.rounds)}"
            made = contract >= len(rules.rounds)
            yield f"{model.who(seat)}: {'all contracts are made' if made else at}."


def result_lines(model: ClientModel, ended: ev.DealEnded) -> Iterator[str]:
    """Say what the end of a deal cost everybody."""
    for seat in sorted(range(len(ended.totals)), key=lambda seat: (ended.totals[seat], seat)):
        left = f", left with {cards_text(ended.hands[seat])}" if ended.hands[seat] else ""
        points = f"{ended.points[seat]} more, {count(ended.totals[seat], 'point')} in all"
        yield f"{model.who(seat)}: {points}{left}."


# the draft


def draft_lines(composer: Composer) -> Iterator[str]:
    """Say what the turn in the making is."""
    draft = composer.draft
    if draft.is_empty:
        yield "Nothing is planned."
        return
    if draft.has_melds:
        for pile in range(len(composer.contract)):
            yield pile_line(composer, pile)
    for lay_off in draft.lay_offs:
        yield f"Planned: lay off {lay_off.card} on meld {composer.letter(lay_off.target)}."
    if (discard := composer.discard()) is not None:
        yield f"Planned: discard {discard}."
    yield f"Without a place: {cards_text(composer.free_cards())}."


def pile_line(composer: Composer, pile: int) -> str:
    """Say how one meld of the contract is doing."""
    spec, state = composer.contract[pile], composer.pile_states()[pile]
    cards = composer.draft.piles[pile]
    said = state.text.replace("OK: ", "complete, ").replace("OK", "complete")
    held = f"{cards_text(cards)}; " if cards else ""
    return f"Pile {pile + 1}, {spec.kind} of {spec.size}: {held}{said}."


def sentence(text: str, *, is_first: bool = True) -> str:
    """Give a text a capital and a full stop, so that it is read as a sentence.

    >>> sentence("bea discarded 7H")
    'Bea discarded 7H.'
    """
    text = text.strip()
    if is_first:
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."
