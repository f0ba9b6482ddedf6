"""Rule sets: every choice a table can make, as validated data.

A rule set is one TOML file of options; no code anywhere asks for its name. The
options, and which row of the rule book each one answers, are listed in RULES.md.
"""

from __future__ import annotations

import difflib
import hashlib
import tomllib
from collections.abc import Mapping
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..errors import ErrorCode, NotationError, RuleSetError
from .cards import CARDS, HIGH_ACE, JOKER, PACK, PLACE_RANKS, RANK, RANKS, Card, Hand
from .contracts import Contract, MeldKind, parse_contract

_SHIPPED = resources.files("hollywood.protocol") / "rulesets"


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    pass


class Players(_Options, frozen=True):
    """How many may sit down (0-2)."""

    min: int = 2
    max: int = 8


class Deck(_Options, frozen=True):
    """What is shuffled together (0-1)."""

    packs: int = 4
    jokers: int = 2
    """Jokers in each pack."""


class Round(_Options, frozen=True):
    """One deal: how many cards each seat gets and what it must lay (0-5, 0-6)."""

    deal: int
    contract: str


class Game(_Options, frozen=True):
    """How a game is won."""

    winner: Literal["lowest"] = "lowest"
    """The fewest points after the last deal (0-4)."""
    tie: Literal["shared"] = "shared"
    """Equal points share the win (0-55)."""


class Turn(_Options, frozen=True):
    """Who sits where and who goes first. Seats are numbered in turn order."""

    direction: Literal["cw", "ccw"] = "cw"
    """How a screen seats people round the table (0-10)."""
    first: Literal["left", "right"] = "left"
    """The side of the dealer on which the first player sits (0-8)."""


class Dealing(_Options, frozen=True):
    """Who deals next."""

    rotation: Literal["first_player"] = "first_player"
    """The seat that went first deals the next deal (0-9)."""


class Upcard(_Options, frozen=True):
    """The card turned up after the deal."""

    initial: bool = True
    """Off: the first player can only draw from the stock (0-11)."""
    buyable: bool = True
    """Whether the first upcard may be bought before anyone discarded (T62)."""


class Draw(_Options, frozen=True):
    """What a turn may begin with."""

    down_may_take_discard: bool = True
    """Whether a seat that is down may take the upcard on its own turn (0-24)."""


class Discard(_Options, frozen=True):
    """What a turn may end with."""

    covered: Literal["dead"] = "dead"
    """Only the top card is ever live (0-25)."""
    return_upcard: Literal["forbid", "allow"] = "forbid"
    """Discarding the upcard just taken (0-26)."""
    playable: Literal["forbid", "allow"] = "allow"
    """Discarding a card that fits a meld on the table, before going down (0-36)."""
    playable_fallback: Literal["any_card"] = "any_card"
    """What may be discarded when every card in hand fits (0-37)."""


class Buy(_Options, frozen=True):
    """Getting a discard out of turn."""

    enabled: bool = True
    down_players: bool = False
    """Whether seats that are down may buy (0-41)."""
    discarder: bool = False
    """Whether the seat that discarded the card may buy it back, last in line (0-42)."""
    limit_round: int | tuple[int, ...] | None = None
    """Buys a seat has in a deal; a list gives one limit for each deal (0-44)."""
    limit_game: int | None = None
    """Buys a seat has in the whole game."""
    penalty: int = 1
    """Cards from the stock that come with a bought card (0-43)."""
    priority: Literal["seat"] = "seat"
    """The first in turn order after the discarder (0-45)."""
    window: Literal["before_draw"] = "before_draw"
    """Claims are settled before the seat in turn draws (0-47)."""
    successive: Literal["allow"] = "allow"
    """The same seat may buy twice running (0-50)."""


class Wild(_Options, frozen=True):
    """Cards that stand for others."""

    ranks: tuple[str, ...] = ("2", "JK")
    """Rank letters, and `JK` for jokers (0-15)."""
    natural_twos: Literal["never", "in_place"] = "never"
    """`in_place`: a two counts as natural in its own place of a run or a set of twos."""
    limit: Literal["half", "fewer", "none"] | int = "none"
    """At most half of a meld, fewer than its naturals, or a number (0-16)."""
    min_naturals: int = 0
    """Naturals that a meld needs whatever its limit."""
    limit_scope: Literal["always", "creation"] = "always"
    """`creation`: the limit does not bind later lay-offs (0-17)."""
    adjacent: Literal["allow"] = "allow"
    """Wilds may lie beside each other in a run."""
    take_back: Literal["never"] = "never"
    """Wilds on the table stay where they are (0-33)."""


class Melds(_Options, frozen=True):
    """The melds of a contract together."""

    oversize: Literal["allow", "exact"] = "allow"
    """Whether a meld may have more cards than its contract asks for (0-14)."""
    extra: Literal["forbid"] = "forbid"
    """Nobody lays melds beyond the contract (0-34)."""


class Sets(_Options, frozen=True):
    """Cards of one rank."""

    same_rank: Literal["forbid", "allow"] = "allow"
    """Whether two sets of one contract may have the same rank (0-13)."""
    distinct_suits: Literal[False] = False
    """Suits never matter in a set (0-12)."""


class Runs(_Options, frozen=True):
    """Cards of one suit in order (0-18)."""

    same_suit: Literal["any", "no_adjacent", "gap", "gap2", "different"] = "any"
    """What two runs of one contract in the same suit must keep between them (0-21)."""
    ace: Literal["high", "low", "both"] = "both"
    """Which ends of a run an ace can make; never both in one run (0-19, 0-20)."""
    low_rank: Literal["A", "2", "3"] = "A"
    """The lowest rank that exists in a run (0-19)."""
    max: int = 13
    """The longest run there can be."""


class Down(_Options, frozen=True):
    """Laying the contract."""

    timing: Literal["same_turn", "next_turn"] = "same_turn"
    """`next_turn`: the hand before this turn's draw must meet the contract."""
    mandatory: Literal[False] = False
    """Nobody has to go down (0-27)."""


class Layoff(_Options, frozen=True):
    """Adding cards to melds on the table."""

    first: Literal["same_turn", "next_turn"] = "same_turn"
    """When a seat that went down may first lay off (0-28)."""
    targets: Literal["all", "own", "others"] = "all"
    """Whose melds may be added to (0-29)."""
    mandatory: bool = False
    """Whether every card that fits must be laid off before the discard (0-31)."""


class Out(_Options, frozen=True):
    """Playing the last card."""

    discard: Literal["required", "optional"] = "required"
    """Whether a turn must end with a discard while there are cards (0-35)."""
    empty_hand: Literal["float", "out", "illegal"] = "float"
    """What happens when everything was laid off and nothing is left to discard (0-40)."""


class Stock(_Options, frozen=True):
    """When the stock runs out (0-54)."""

    empty: Literal["reshuffle", "end"] = "reshuffle"
    """The discards below the upcard are shuffled into a new stock, or the deal ends."""
    max_reshuffles: int | None = 1
    """Rebuilds in one deal; when they are used up, the deal ends."""


class Score(_Options, frozen=True):
    """What cards left in hand cost."""

    ranks: dict[str, int]
    """Points by rank letters: "3456789" = 5 (0-52)."""
    joker: int
    down_is_zero: bool = False
    """Whether everybody who is down scores nothing (0-53)."""


class RuleSet(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The rules of one table. Each attribute is a group of options.

    `load_rules` reads one; constructing one checks it as a whole.
    """

    name: str
    title: str
    rounds: tuple[Round, ...]
    score: Score
    players: Players = Players()
    deck: Deck = Deck()
    game: Game = Game()
    turn: Turn = Turn()
    deal: Dealing = Dealing()
    upcard: Upcard = Upcard()
    draw: Draw = Draw()
    discard: Discard = Discard()
    buy: Buy = Buy()
    wild: Wild = Wild()
    meld: Melds = Melds()
    set: Sets = Sets()
    run: Runs = Runs()
    down: Down = Down()
    layoff: Layoff = Layoff()
    out: Out = Out()
    stock: Stock = Stock()

    def __post_init__(self) -> None:
        """Refuse options that contradict each other.

        Raises:
            RuleSetError: names the key and what to change.
        """
        for problem in _problems(self):
            raise RuleSetError(f"rule set {self.name!r}: {problem}")

    @cached_property
    def contracts(self) -> tuple[Contract, ...]:
        """The contract of each deal, parsed."""
        return tuple(parse_contract(round_.contract) for round_ in self.rounds)

    @cached_property
    def points(self) -> dict[Card, int]:
        """What each card costs in hand (0-52)."""
        by_rank = {rank: n for ranks, n in self.score.ranks.items() for rank in ranks}
        return {card: self.score.joker if card == JOKER else by_rank[RANK[card]] for card in CARDS}

    @cached_property
    def wilds(self) -> frozenset[Card]:
        """The cards that may stand for others (0-15)."""
        return frozenset(card for card in CARDS if RANK[card] in self.wild.ranks)

    @cached_property
    def has_natural_twos(self) -> bool:
        """Whether a two is natural in its own place."""
        return self.wild.natural_twos == "in_place"

    @cached_property
    def deck_cards(self) -> Hand:
        """Every card of the game before the shuffle (0-1)."""
        return (PACK + (JOKER,) * self.deck.jokers) * self.deck.packs

    @cached_property
    def low_place(self) -> int:
        """The lowest place of a run: 1 is the low ace (0-19)."""
        lowest = PLACE_RANKS.index(self.run.low_rank)
        return max(lowest, 2) if self.run.ace == "high" else lowest

    @cached_property
    def high_place(self) -> int:
        """The highest place of a run: 14 is the high ace (0-19)."""
        return HIGH_ACE - 1 if self.run.ace == "low" else HIGH_ACE

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the options as canonical JSON, 16 hex digits.

        Two rule sets with one hash play the same game under the same name.
        """
        data = msgspec.json.encode(self, order="sorted")
        return hashlib.sha256(data).hexdigest()[:16]

    def is_wild(self, card: Card) -> bool:
        """Whether the card may stand for others."""
        return card in self.wilds

    def max_wilds(self, size: int) -> int:
        """How many wilds a meld of that many cards may hold (0-16).

        >>> [load_rules("hollywood").max_wilds(n) for n in (3, 4, 5)]
        [1, 2, 2]
        """
        limit = self.wild.limit
        if limit == "half":
            most = size // 2
        elif limit == "fewer":
            most = (size - 1) // 2
        elif limit == "none":
            most = size
        else:
            most = min(limit, size)
        return min(most, size - self.wild.min_naturals)

    def buy_limit(self, deal: int) -> int | None:
        """Buys a seat has in a deal, None for no limit (0-44)."""
        limit = self.buy.limit_round
        return limit[deal] if isinstance(limit, tuple) else limit

    def hand_points(self, cards: Hand) -> int:
        """What cards left in hand cost (0-51, T45).

        >>> from hollywood.protocol.rules.cards import parse_hand
        >>> load_rules("hollywood").hand_points(parse_hand("2C JK AD KS 9H 3D"))
        80
        """
        points = self.points
        return sum([points[card] for card in cards])


def _problems(rules: RuleSet) -> list[str]:
    """What is wrong with the options, each named with its key."""
    found: list[str] = []
    seats, rounds = rules.players, rules.rounds
    if not 2 <= seats.min <= seats.max:
        found.append(
            f"players.min = {seats.min} and players.max = {seats.max}: "
            "give 2 or more, the smaller first"
        )
    if rules.deck.packs < 1 or rules.deck.jokers < 0:
        found.append("deck: there must be a pack, and jokers cannot be fewer than none")
    if not rounds:
        found.append("rounds: list at least one deal")
    if unknown := [r for r in rules.wild.ranks if r != "JK" and (len(r) != 1 or r not in RANKS)]:
        found.append(f"wild.ranks: {unknown[0]!r} is no rank; write A23456789TJQK or JK")
    if sorted("".join(rules.score.ranks)) != sorted(RANKS):
        found.append("score.ranks: every rank of A23456789TJQK needs points exactly once")
    if rules.buy.penalty < 0:
        found.append(f"buy.penalty = {rules.buy.penalty}: give 0 or more cards")
    limit = rules.buy.limit_round
    if isinstance(limit, tuple) and len(limit) != len(rounds):
        found.append(
            f"buy.limit_round lists {len(limit)} limits for {len(rounds)} rounds: give one each"
        )
    if any(n < 0 for n in (limit if isinstance(limit, tuple) else (limit or 0,))):
        found.append("buy.limit_round: a limit cannot be negative")
    found.extend(
        found_round for i, r in enumerate(rounds) for found_round in _in_round(rules, i, r)
    )
    return found


def _in_round(rules: RuleSet, index: int, round_: Round) -> list[str]:
    where = f"rounds[{index + 1}]"
    try:
        contract = parse_contract(round_.contract)
    except NotationError as error:
        return [f"{where}.contract: {error}"]
    longest = min(rules.run.max, rules.high_place - rules.low_place + 1)
    found = [
        f"{where}.contract: {spec} is longer than any run can be ({longest} cards)"
        for spec in contract
        if spec.kind is MeldKind.RUN and spec.size > longest
    ]
    size = len(PACK) + rules.deck.jokers
    if round_.deal < 1 or round_.deal * rules.players.max >= size * rules.deck.packs:
        found.append(
            f"{where}.deal = {round_.deal}: {rules.players.max} players cannot be dealt that "
            f"from {size * rules.deck.packs} cards; change deck.packs or players.max"
        )
    return found


def rule_set_names() -> list[str]:
    """The rule sets that come with the program."""
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in _SHIPPED.iterdir()
        if entry.name.endswith(".toml")
    )


def load_rules(name_or_path: str | Path) -> RuleSet:
    """Load a rule set by its name, or from a TOML file.

    >>> load_rules("hollywood").title
    'Hollywood rummy, ten rounds'

    Raises:
        RuleSetError: unknown name (`unknown_rule_set`), unreadable file, or
            options that are unknown, of the wrong type or contradict each other.
    """
    path = Path(name_or_path)
    names = rule_set_names()
    if str(name_or_path) in names:
        text = (_SHIPPED / f"{name_or_path}.toml").read_text("utf-8")
        return rules_from_toml(text, str(name_or_path), str(name_or_path))
    if path.suffix == ".toml" or path.is_file():
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise RuleSetError(
                f"cannot read the rule set {str(path)!r}: {reason}", ErrorCode.UNKNOWN_RULE_SET
            ) from None
        return rules_from_toml(text, path.stem, str(path))
    raise RuleSetError(
        f"there is no rule set {str(name_or_path)!r}: use {', '.join(names)}, or a .toml file",
        ErrorCode.UNKNOWN_RULE_SET,
    )


def rules_from_toml(text: str, name: str, where: str) -> RuleSet:
    """Read a rule set from TOML text; `where` names it in errors."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RuleSetError(f"{where} is not TOML: {error}") from None
    _refuse_unknown(data, RuleSet, where, "")
    try:
        return msgspec.convert({"name": name, **data}, RuleSet)
    except RuleSetError as error:
        raise RuleSetError(f"{where}: {error.message}") from None
    except msgspec.ValidationError as error:
        cause = error.__cause__
        if isinstance(cause, RuleSetError):
            raise RuleSetError(f"{where}: {cause.message}") from None
        raise RuleSetError(f"{where}: {_plain(str(error))}") from None


def _plain(message: str) -> str:
    """Turn msgspec's path notation into the keys of the file."""
    text, _, path = message.partition(" - at `$")
    return f"{path.strip('`.') or 'the file'}: {text[:1].lower()}{text[1:]}"


def _refuse_unknown(data: Mapping[str, Any], group: type, where: str, prefix: str) -> None:
    known = {field.name: field.type for field in msgspec.structs.fields(group)}
    for key, value in data.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {prefix}{near[0]}?" if near else f"known: {', '.join(known)}"
            raise RuleSetError(f"{where}: unknown option {prefix}{key}; {hint}")
        inner = known[key]
        if isinstance(value, dict) and isinstance(inner, type) and issubclass(inner, _Options):
            _refuse_unknown(value, inner, where, f"{prefix}{key}.")
        if key == "rounds" and isinstance(value, list):
            for entry in value:
                if isinstance(entry, dict):
                    _refuse_unknown(entry, Round, where, "rounds.")
