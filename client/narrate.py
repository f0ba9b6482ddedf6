"""What happened, in words: one line of the log for each event worth one.

Cards stay codes here; `text.paint` gives them their signs on the screen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hollywood.protocol.rules import Contract, Meld, MeldKind, PlayerView, RuleSet
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.cards import PLACE_RANKS

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

SUIT_NAMES = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}

RANK_NAMES = {"A": "aces", "K": "kings", "Q": "queens", "J": "jacks", "T": "tens"}

_SET_OF = re.compile(r"\bset of ([A2-9TJQK])(?=: (?:[A2-9TJQK][CDHS]|JK))")
"""A set as the rules write it, before its cards."""

Who = Callable[[int], str]
"""Gives the name of a seat."""


def meld_letter(number: int) -> str:
    """Return the letter by which a meld of the table is named on the screen.

    >>> meld_letter(0), meld_letter(27)
    ('a', 'B')
    """
    return _LETTERS[number] if number < len(_LETTERS) else "?"


def meld_number(letter: str) -> int | None:
    """Return the number of the meld with that letter, None for no letter."""
    number = _LETTERS.find(letter)
    return number if len(letter) == 1 and number >= 0 else None


def describe_meld(meld: Meld) -> str:
    """Say what a meld is, without its cards.

    >>> from hollywood.protocol.rules.melds import run_of, set_of
    >>> from hollywood.protocol.rules import parse_hand
    >>> describe_meld(set_of("7", parse_hand("7C 7D 7H")))
    'set of sevens'
    """
    if meld.kind is MeldKind.SET:
        return f"set of {rank_name(meld.rank)}"
    suit = SUIT_NAMES.get(meld.suit, meld.suit)
    return f"run {run_span(meld)} of {suit}" if suit else f"run {run_span(meld)}"


def run_span(run: Meld) -> str:
    """Return the first and last rank of a run, as in "4-7"."""
    return f"{PLACE_RANKS[run.low]}-{PLACE_RANKS[run.high]}"


def rank_name(rank: str) -> str:
    """Return the plural by which a rank is called: sevens, kings."""
    numbers = ("twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines")
    return numbers[int(rank) - 2] if rank.isdigit() else RANK_NAMES.get(rank, rank)


def describe_contract(contract: Contract) -> str:
    """Say what a deal asks for.

    >>> from hollywood.protocol.rules import parse_contract
    >>> describe_contract(parse_contract("2xS3 + R4"))
    '2 sets of 3 + run of 4'
    """
    parts: list[str] = []
    for spec in dict.fromkeys(contract):
        count = contract.count(spec)
        parts.append(
            f"{count} {spec.kind}s of {spec.size}" if count > 1 else f"{spec.kind} of {spec.size}"
        )
    return " + ".join(parts)


def humanize(text: str, who: Who) -> str:
    """Put names and letters where the rules' sentences have numbers.

    >>> humanize("it is seat 2's turn (meld 1)", ["you", "bea", "chen"].__getitem__)
    "it is chen's turn (meld b)"

    A set of fives is never called a set of 5, which says how many cards it has.
    """
    text = _SET_OF.sub(lambda match: f"set of {rank_name(match[1])}", text)
    text = re.sub(r"\bseat (\d+)\b", lambda match: who(int(match[1])), text)
    return re.sub(r"\bmeld (\d+)\b", lambda match: f"meld {meld_letter(int(match[1]))}", text)


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Join names as people do.

    >>> join_words(["bea", "chen", "gus"])
    'bea, chen and gus'
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def narrate(view: PlayerView, event: object, who: Who) -> str | None:
    """Say what happened, None where nothing needs saying.

    `view` is the view before the event.
    """
    match event:
        case ev.GameStarted(seats=seats):
            return f"The game begins: {view.rules.title}, {seats} players."
        case ev.Dealt():
            return _dealt(view, event, who)
        case ev.WindowClosed(silent=silent) if silent:
            return f"{join_words([who(seat) for seat in silent])} did not answer in time"
        case ev.Took(seat=seat, card=card):
            return f"{who(seat)} took {card} from the discards"
        case ev.Bought():
            return _bought(event, who)
        case ev.Drew(seat=seat, card=card):
            return f"{who(seat)} drew {'from the stock' if card is None else card}"
        case ev.Reshuffled(stock=stock):
            return f"the stock ran low: old discards were shuffled into it, {stock} cards now"
        case ev.WentDown(seat=seat, melds=melds):
            laid = "; ".join(
                f"{meld_letter(laid.number)} ({describe_meld(laid.meld)}) {' '.join(laid.meld.cards)}"
                for laid in melds
            )
            return f"{who(seat)} WENT DOWN: {laid}"
        case ev.Swapped(seat=seat, meld=number, card=card, wild=wild):
            return f"{who(seat)} put {card} on {meld_letter(number)} and took {wild}"
        case ev.LaidOff(seat=seat, meld=number, card=card):
            target = view.table[number].meld
            return f"{who(seat)} laid off {card} on {meld_letter(number)} ({describe_meld(target)})"
        case ev.Discarded(seat=seat, card=card, timed_out=late):
            return f"{who(seat)} discarded {card}{' (time ran out)' if late else ''}"
        case ev.Floated(seat=seat):
            return f"{who(seat)} laid off the last card and floats: the round goes on"
        case ev.WentOut(seat=seat):
            return f"{who(seat)} WENT OUT"
        case ev.StockRanOut():
            return "no card is left to draw: the round ends"
        case ev.Stalled():
            return "the round has gone on for too long: it ends here"
        case ev.DealEnded(deal=deal, points=points):
            scored = ", ".join(f"{who(seat)} {n}" for seat, n in enumerate(points))
            return f"{name_deal(view.rules, deal)} scored: {scored}"
        case ev.GameEnded(winners=winners, totals=totals):
            names = join_words([who(seat) for seat in winners])
            return f"The game is over. Won with {totals[winners[0]]} points: {names}"
    return None


def name_deal(rules: RuleSet, deal: int) -> str:
    """Return what people call the deal: "Round 3 of 10", or "Deal 3" where each goes alone.

    >>> from hollywood.protocol.rules import load_rules
    >>> name_deal(load_rules("hollywood"), 2), name_deal(load_rules("dummy"), 2)
    ('Round 3 of 10', 'Deal 3')
    """
    if rules.progress == "per_player":
        return f"Deal {deal + 1}"
    return f"Round {deal + 1} of {len(rules.rounds)}"


def _dealt(view: PlayerView, event: ev.Dealt, who: Who) -> str:
    own = event.contracts[view.seat or 0]
    contract = view.rules.contracts[min(own, len(view.rules.rounds) - 1)]
    upcard = "" if event.upcard is None else f" {event.upcard} is turned up."
    return (
        f"{name_deal(view.rules, event.deal)}: {describe_contract(contract)}. "
        f"Dealer: {who(event.dealer)}; first to play: {who(event.first)}.{upcard}"
    )


def _bought(event: ev.Bought, who: Who) -> str:
    if event.penalty:
        return f"{who(event.seat)} BOUGHT {event.card} and drew {' '.join(event.penalty)} with it"
    cost = f" (+{event.penalty_count} from the stock)" if event.penalty_count else ""
    return f"{who(event.seat)} BOUGHT {event.card}{cost}"
