"""Standing orders in words: what is claimed, or passed, without being asked."""

from __future__ import annotations

from hollywood.protocol.errors import NotationError
from hollywood.protocol.rules import CARDS, Card, RuleSet
from hollywood.protocol.rules.cards import RANK
from hollywood.protocol.wire.messages import Order

PASS_WORDS = ("pass", "skip", "no")

MAX_CARDS = 64
"""Cards that an order may name."""


def parse_order(text: str, rules: RuleSet, cid: int) -> Order:
    """Read what a player wants: cards, ranks (all suits), `*` (any wild), `pass`.

    >>> from hollywood.protocol.rules import load_rules
    >>> order = parse_order("7h q pass", load_rules("hollywood"), 1)
    >>> " ".join(order.claim), order.pass_until_turn
    ('7H QC QD QH QS', True)

    Raises:
        NotationError: a word is none of these; says which and what may stand there.
    """
    cards: list[Card] = []
    is_passing = False
    for word in text.replace(",", " ").split():
        if word.lower() in PASS_WORDS:
            is_passing = True
        else:
            cards += _meant(word, rules)
    claim = tuple(dict.fromkeys(cards))
    if len(claim) > MAX_CARDS:
        raise NotationError(f"that is more than {MAX_CARDS} cards: name fewer")
    return Order(cid=cid, claim=claim, pass_until_turn=is_passing)


def _meant(word: str, rules: RuleSet) -> list[Card]:
    name = word.upper().replace("10", "T")
    if name == "*":
        return [card for card in CARDS if rules.is_wild(card)]
    rank = "T" if name == "0" else name
    deck = set(rules.deck_cards)
    found = [card for card in CARDS if card in deck and name == card]
    found = found or [card for card in CARDS if card in deck and rank == RANK[card] != ""]
    if not found:
        raise NotationError(
            f"{word!r} is no card of this game: write cards (7H), ranks (Q), * for wilds, "
            "or pass; nothing at all takes the order back"
        )
    return found


def write_order(order: Order | None) -> str:
    """Write an order as it is typed; whole ranks are written once.

    >>> write_order(Order(cid=1, claim=("7H", "QC", "QD", "QH", "QS"), pass_until_turn=True))
    '7H Q pass'
    """
    if order is None:
        return ""
    words: list[str] = []
    claim = set(order.claim)
    for card in map(Card, order.claim):
        same = {other for other in CARDS if RANK[other] == RANK.get(card) and other != "JK"}
        word = RANK[card] if same and same <= claim else str(card)
        if word not in words:
            words.append(word)
    return " ".join([*words, *(["pass"] if order.pass_until_turn else [])])


def describe_order(order: Order | None) -> str:
    """Say what is done without asking, "" if nothing.

    >>> describe_order(Order(cid=1, claim=("7H",)))
    'you want 7H'
    """
    if order is None:
        return ""
    wanted = write_order(Order(cid=0, claim=order.claim))
    parts = [f"you want {wanted}"] if wanted else []
    if order.pass_until_turn:
        parts.append("you pass until your turn")
    return ", ".join(parts)
