"""What is wrong with a rule set as a whole, each problem named with its key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import NotationError
from .cards import CARDS, PACK, RANKS
from .contracts import MeldKind, contract_size, parse_contract
from .rulelimits import excesses

if TYPE_CHECKING:
    from .ruleoptions import Round
    from .rulesets import RuleSet


def problems(rules: RuleSet) -> list[str]:
    """Return what to change, in the order of the file; empty if all is well."""
    too_large = list(excesses(rules))
    if too_large:
        return too_large
    return [
        *_players(rules),
        *_progress(rules),
        *_cards(rules),
        *_buying(rules),
        *_going_out(rules),
        *_scores(rules),
        *(problem for i, round_ in enumerate(rules.rounds) for problem in _round(rules, i, round_)),
    ]


def _players(rules: RuleSet) -> Iterator[str]:
    seats = rules.players
    if not 2 <= seats.min <= seats.max <= 12:
        yield (
            f"players.min = {seats.min} and players.max = {seats.max}: "
            "give 2 to 12, the smaller first"
        )
        return
    counts = seats.max - seats.min + 1
    for key, value in (("packs", rules.deck.packs), ("jokers_total", rules.deck.jokers_total)):
        if isinstance(value, tuple) and len(value) != counts:
            yield (
                f"deck.{key} lists {len(value)} numbers for {counts} sizes of the table: "
                f"give one for each of {seats.min} to {seats.max} players"
            )


def _progress(rules: RuleSet) -> Iterator[str]:
    if not rules.rounds:
        yield "rounds: list at least one deal"
    game, each = rules.game, rules.progress == "per_player"
    if each and game.end == "after_rounds":
        yield 'game.end = "after_rounds" needs progress = "lockstep"; take "first_finisher"'
    if not each and game.end != "after_rounds":
        yield f'game.end = "{game.end}" needs progress = "per_player"'
    if not each and game.winner == "lowest_finisher":
        yield 'game.winner = "lowest_finisher" needs progress = "per_player"; take "lowest"'
    if each and game.max_deals is None:
        yield 'game.max_deals: give a number, since progress = "per_player" could go on for ever'
    if game.max_deals is not None and game.max_deals < len(rules.rounds):
        yield (
            f"game.max_deals = {game.max_deals} ends the game before its {len(rules.rounds)} "
            "rounds: give more"
        )
    if game.max_turns < 12:
        yield f"game.max_turns = {game.max_turns} stops a deal before it begins: give 12 or more"
    if game.tie == "playoff" and each:
        yield 'game.tie = "playoff" needs progress = "lockstep"'


def _cards(rules: RuleSet) -> Iterator[str]:
    deck = rules.deck
    packs = deck.packs if isinstance(deck.packs, tuple) else (deck.packs,)
    if any(isinstance(n, int) and n < 1 for n in packs):
        yield "deck.packs: there must be a pack"
    jokers = deck.jokers_total if isinstance(deck.jokers_total, tuple) else (deck.jokers_total,)
    if deck.jokers < 0 or any(n is not None and n < 0 for n in jokers):
        yield "deck.jokers: there cannot be fewer than none"
    for rank in rules.wild.ranks:
        if rank != "JK" and (len(rank) != 1 or rank not in RANKS):
            yield f"wild.ranks: {rank!r} is no rank; write A23456789TJQK or JK"
    if rules.wild.natural_twos == "in_place" and "2" not in rules.wild.ranks:
        yield 'wild.natural_twos = "in_place" needs "2" in wild.ranks'
    limit = rules.wild.limit
    if isinstance(limit, int) and limit < 0:
        yield f"wild.limit = {limit}: give 0 or more"
    if rules.wild.min_naturals < 0:
        yield f"wild.min_naturals = {rules.wild.min_naturals}: give 0 or more"
    if not 3 <= rules.run.max <= 13:
        yield f"run.max = {rules.run.max}: give 3 to 13"
    if rules.run.wrap and rules.run.ace != "both":
        yield 'run.wrap needs run.ace = "both"'
    if rules.run.wrap and rules.run.low_rank != "A":
        yield 'run.wrap needs run.low_rank = "A"'
    if rules.run.ace == "low" and rules.run.low_rank != "A":
        yield f'run.ace = "low" cannot be with run.low_rank = "{rules.run.low_rank}"'
    if rules.run.suit == "any" and rules.run.same_suit != "any":
        yield 'run.same_suit has no meaning with run.suit = "any"; take "any"'


def _buying(rules: RuleSet) -> Iterator[str]:
    for key in ("penalty", "limit_round"):
        value = getattr(rules.buy, key)
        numbers = value if isinstance(value, tuple) else (value,)
        if isinstance(value, tuple) and len(value) != len(rules.rounds):
            yield (
                f"buy.{key} lists {len(value)} numbers for {len(rules.rounds)} rounds: "
                "give one each"
            )
        if any(n is not None and n < 0 for n in numbers):
            yield f"buy.{key} = {min(n for n in numbers if n is not None)}: give 0 or more"
    if rules.buy.limit_game is not None and rules.buy.limit_game < 0:
        yield f"buy.limit_game = {rules.buy.limit_game}: give 0 or more"


def _going_out(rules: RuleSet) -> Iterator[str]:
    out = rules.out
    if out.discard == "required" and out.empty_hand == "out":
        yield (
            'out.empty_hand = "out" lets a deal end without a discard: take out.discard = '
            '"optional", or out.empty_hand = "float" or "illegal"'
        )
    if out.discard == "forbidden" and out.empty_hand != "out":
        yield (
            f'out.discard = "forbidden" leaves no way out with out.empty_hand = '
            f'"{out.empty_hand}": take "out"'
        )
    if out.discard == "forbidden" and rules.layoff.mandatory:
        yield 'out.discard = "forbidden" cannot be with layoff.mandatory = true'
    if rules.layoff.mandatory and rules.layoff.targets != "all":
        yield 'layoff.mandatory = true needs layoff.targets = "all"'
    if rules.stock.max_reshuffles is not None and rules.stock.max_reshuffles < 0:
        yield f"stock.max_reshuffles = {rules.stock.max_reshuffles}: give 0 or more"
    if rules.down.mandatory and rules.down.timing == "next_turn":
        yield 'down.mandatory = true needs down.timing = "same_turn"'


def _scores(rules: RuleSet) -> Iterator[str]:
    named = "".join(rules.score.ranks)
    if sorted(named) != sorted(RANKS):
        yield "score.ranks: every rank of A23456789TJQK needs points exactly once"
    if unknown := [card for card in rules.score.cards if card not in CARDS]:
        yield f"score.cards: {unknown[0]!r} is no card; write AS, TD or JK"
    costs = (rules.score.joker, *rules.score.ranks.values(), *rules.score.cards.values())
    if min(costs) < 0:
        yield f"score: {min(costs)} points; a card in hand cannot cost less than nothing"


def _round(rules: RuleSet, index: int, round_: Round) -> Iterator[str]:
    where = f"rounds[{index + 1}]"
    try:
        contract = parse_contract(round_.contract)
    except NotationError as error:
        yield f"{where}.contract: {error}"
        return
    places = 13 if rules.run.wrap else rules.high_place - rules.low_place + 1
    longest = min(rules.run.max, places)
    for spec in contract:
        if spec.kind is MeldKind.RUN and spec.size > longest:
            yield f"{where}.contract: {spec} is longer than any run can be ({longest} cards)"
    if not 2 <= rules.players.min <= rules.players.max:
        return
    yield from _supply(rules, index, round_, contract_size(contract))


def _supply(rules: RuleSet, index: int, round_: Round, needed: int) -> Iterator[str]:
    """Whether a full table can be dealt to, and whether a hand can meet its contract."""
    where = f"rounds[{index + 1}]"
    for seats in range(rules.players.min, rules.players.max + 1):
        try:
            deck = len(rules.deck_for(seats))
        except (IndexError, TypeError):
            return  # named above
        if round_.deal < 1 or round_.deal * seats >= deck - 1:
            yield (
                f"{where}.deal = {round_.deal}: {seats} players cannot be dealt that from "
                f"{deck} cards; change deck.packs or players.max"
            )
            return
    hand = round_.deal + 1
    limit = rules.buy.limit_round
    buys = limit[index] if isinstance(limit, tuple) and index < len(limit) else limit
    if not rules.buy.enabled:
        buys = 0
    if isinstance(buys, int):
        penalty = rules.buy.penalty
        each = penalty[index] if isinstance(penalty, tuple) and index < len(penalty) else penalty
        hand += buys * (1 + (each if isinstance(each, int) else 1))
        if needed + (rules.out.empty_hand == "illegal") > hand:
            yield (
                f"{where}.contract takes {needed} cards, but no hand can have more than {hand}: "
                "deal more, or allow more buys"
            )
    if rules.takes_all_cards(index) and rules.meld.oversize == "exact":
        yield from _exact_hand(rules, index, round_, needed)
    if needed > len(PACK):
        yield f"{where}.contract takes {needed} cards: that is more than a pack"


def _exact_hand(rules: RuleSet, index: int, round_: Round, needed: int) -> Iterator[str]:
    """Whether a hand can have just the cards of a contract that takes all of it (1-36)."""
    limit = rules.buy.limit_round
    most = limit[index] if isinstance(limit, tuple) and index < len(limit) else limit
    penalty = rules.buy.penalty
    each = penalty[index] if isinstance(penalty, tuple) and index < len(penalty) else penalty
    missing, bought = needed - round_.deal - 1, 1 + (each if isinstance(each, int) else 1)
    buys, over = divmod(missing, bought)
    if not rules.buy.enabled:
        most = 0
    if over or buys < 0 or (isinstance(most, int) and buys > most):
        yield (
            f'meld.oversize = "exact": no hand of rounds[{index + 1}] can have just the {needed} '
            'cards of its contract, which takes all of it; take "allow"'
        )
