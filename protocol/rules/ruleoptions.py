"""The options of a rule set, in groups: every choice a table can make.

Each option names the row of RULES.md that it answers. Values are data; what they
mean is decided where the rule is: melds, legality, transitions, scoring.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """A group of options."""


class Players(Options, frozen=True):
    """How many may sit down (0-2)."""

    min: int = 2
    """The fewest players."""
    max: int = 8
    """The most players."""


class Deck(Options, frozen=True):
    """What is shuffled together (0-1)."""

    packs: int | Literal["per_two"] | tuple[int, ...] = 4
    """`per_two`: one for every two players, rounded up (1-2). A list gives one number
    for each number of players, from `players.min` on."""
    jokers: int = 2
    """Jokers in each pack."""
    jokers_total: int | tuple[int, ...] | None = None
    """Jokers in the whole deck instead (3-2); a list as for `packs`."""


class Round(Options, frozen=True):
    """One contract: how many cards are dealt for it and what must be laid (0-5, 0-6)."""

    deal: int
    contract: str


class Game(Options, frozen=True):
    """How a game ends and is won."""

    end: Literal["after_rounds", "first_finisher", "all_finish"] = "after_rounds"
    """After the last round (0-3), or, where each player has a contract of their own,
    after the deal in which somebody (3-6) or everybody (3-29) has made the last one."""
    max_deals: int | None = None
    """Ends a game that could go on for ever: most contracts made, then fewest points."""
    max_turns: int = 1000
    """Ends a deal that could go on for ever: everybody takes what the other has thrown.
    It is scored as if the stock had run out."""
    winner: Literal["lowest", "lowest_finisher"] = "lowest"
    """The fewest points (0-4); of those only who have made the last contract (3-6)."""
    tie: Literal["shared", "fewest_points_last_round", "most_zero_rounds", "playoff"] = "shared"
    """What decides between equal points (0-55); what still ties after it is shared.
    `playoff`: the last round is dealt again until nobody ties."""


class Turn(Options, frozen=True):
    """Who sits where and who goes first. Seats are numbered in turn order."""

    direction: Literal["cw", "ccw"] = "cw"
    """How a screen seats people round the table (0-10)."""
    first: Literal["left", "right"] = "left"
    """The side of the dealer on which the first player sits (0-8)."""


class Dealing(Options, frozen=True):
    """Who deals next."""

    rotation: Literal["first_player", "winner"] = "first_player"
    """The seat that went first (0-9); or the one that went out, if anybody did."""


class Upcard(Options, frozen=True):
    """The card turned up after the deal."""

    initial: bool = True
    """Off: the first player can only draw from the stock (0-11)."""
    buyable: bool = True
    """Whether the first upcard may be bought before anyone discarded (T62)."""


class Draw(Options, frozen=True):
    """What a turn may begin with."""

    down_may_take_discard: bool = True
    """Whether a seat that is down may take the upcard on its own turn (0-24)."""


class Discard(Options, frozen=True):
    """What a turn may end with."""

    covered: Literal["dead"] = "dead"
    """Only the top card is ever live (0-25)."""
    return_upcard: Literal["forbid", "allow"] = "forbid"
    """Discarding the upcard just taken (0-26)."""
    playable: Literal["forbid", "allow"] = "allow"
    """Discarding a card that fits a meld on the table, before going down (0-36)."""
    playable_fallback: Literal["any_card"] = "any_card"
    """What may be discarded when every card in hand fits (0-37)."""


class Buy(Options, frozen=True):
    """Getting a discard out of turn."""

    enabled: bool = True
    """Whether there is buying at all (3-11)."""
    down_players: bool = False
    """Whether seats that are down may buy (0-41)."""
    discarder: bool = False
    """Whether the seat that discarded the card may buy it back, last in line (0-42)."""
    limit_round: int | tuple[int, ...] | None = None
    """Buys a seat has in a deal; a list gives one limit for each round (0-44)."""
    limit_game: int | None = None
    """Buys a seat has in the whole game (1-15)."""
    penalty: int | tuple[int, ...] = 1
    """Cards from the stock that come with a bought card (0-43); a list as above."""
    priority: Literal["seat"] = "seat"
    """The first in turn order after the discarder (0-45)."""
    window: Literal["before_draw"] = "before_draw"
    """Claims are settled before the seat in turn draws (0-47)."""
    successive: Literal["allow", "not_twice_running"] = "allow"
    """Whether who bought a card may buy the next one, too (0-50)."""


class Wild(Options, frozen=True):
    """Cards that stand for others."""

    ranks: tuple[str, ...] = ("2", "JK")
    """Rank letters, and `JK` for jokers (0-15)."""
    natural_twos: Literal["never", "in_place"] = "never"
    """`in_place`: a two counts as natural in its own place of a run or a set of twos."""
    limit: Literal["half", "fewer", "none"] | int = "none"
    """At most half of a meld, fewer than its naturals, or a number (0-16)."""
    min_naturals: int = 0
    """Naturals that a meld needs whatever its limit (3-22)."""
    limit_scope: Literal["always", "creation"] = "always"
    """`creation`: the limit does not bind later lay-offs (0-17)."""
    adjacent: Literal["allow", "forbid"] = "allow"
    """Whether wilds may lie beside each other in a run."""
    take_back: Literal["never", "run_down", "run_any"] = "never"
    """Whether the natural may be swapped for a wild of a run on the table (0-33):
    by a seat down since an earlier turn, which must lay the wild off in that turn;
    or by any seat, which may keep it."""
    relocate: Literal["never", "to_end"] = "never"
    """`to_end`: the natural may be laid off on a wild in a run, which moves to the
    top end, or to the low end where the top is full."""


class Melds(Options, frozen=True):
    """The melds of a contract together."""

    oversize: Literal["allow", "exact"] = "allow"
    """Whether a meld may have more cards than its contract asks for (0-14)."""
    extra: Literal["forbid", "allow"] = "forbid"
    """Whether melds beyond the contract may be laid (0-34): three or more of a rank,
    runs of four or more, by who is down."""


class Sets(Options, frozen=True):
    """Cards of one rank."""

    same_rank: Literal["forbid", "allow"] = "allow"
    """Whether two sets of one contract may have the same rank (0-13)."""
    distinct_suits: bool = False
    """Whether a set may not hold two naturals of one suit (0-12)."""


class Runs(Options, frozen=True):
    """Cards in order (0-18)."""

    suit: Literal["same", "any"] = "same"
    """Whether all naturals of a run are of one suit."""
    same_suit: Literal["any", "no_adjacent", "gap", "gap2", "different"] = "any"
    """What two runs of one contract in the same suit must keep between them (0-21)."""
    ace: Literal["high", "low", "both"] = "both"
    """Which ends of a run an ace can make; never both in one run (0-19, 0-20)."""
    low_rank: Literal["A", "2", "3"] = "A"
    """The lowest rank that exists in a run (0-19)."""
    wrap: bool = False
    """Whether a run may go on over the ace, as in K-A-2 (0-20)."""
    max: int = 13
    """The longest run there can be (0-19)."""


class Down(Options, frozen=True):
    """Laying the contract."""

    timing: Literal["same_turn", "next_turn"] = "same_turn"
    """`next_turn`: the hand before this turn's draw must meet the contract (1-28).
    A last round that takes all cards at once is always `same_turn` (1-36)."""
    mandatory: bool = False
    """Whether whoever can go down must (0-27)."""


class Layoff(Options, frozen=True):
    """Adding cards to melds on the table."""

    first: Literal["same_turn", "next_turn"] = "same_turn"
    """When a seat that went down may first lay off (0-28)."""
    targets: Literal["all", "own", "others"] = "all"
    """Whose melds may be added to (0-29)."""
    mandatory: bool = False
    """Whether every card that fits must be laid off before the discard (0-31)."""


class Out(Options, frozen=True):
    """Playing the last card."""

    discard: Literal["required", "optional", "forbidden"] = "required"
    """Whether the last card must, may or must not be a discard (0-35)."""
    empty_hand: Literal["float", "out", "illegal"] = "float"
    """What happens when everything was laid off and nothing is left to discard (0-40)."""


class Stock(Options, frozen=True):
    """When the stock runs out (0-54)."""

    empty: Literal["reshuffle", "flip", "end"] = "reshuffle"
    """The discards below the upcard are shuffled, or turned over as they lie, to make a
    new stock; or the deal ends."""
    max_reshuffles: int | None = 1
    """Rebuilds in one deal; when they are used up, the deal ends."""


class Score(Options, frozen=True):
    """What cards left in hand cost."""

    ranks: dict[str, int]
    """Points by rank letters: "3456789" = 5 (0-52)."""
    joker: int
    """Points of a joker."""
    cards: dict[str, int] = {}
    """Points of single cards where they differ from their rank's: AS = 15."""
    down_is_zero: bool = False
    """Whether everybody who is down scores nothing (0-53)."""
