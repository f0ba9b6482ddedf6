"""What happened, in the past tense.

Every change of a game is one of these. An event may carry cards that only some
seats may see; `views.redact` is where hidden becomes unseen, and the field it
blanks is named in the event's docstring.
"""

from __future__ import annotations

import msgspec

from .cards import Card, Hand
from .melds import TableMeld


class _Event(msgspec.Struct, frozen=True, gc=False, tag_field="t", omit_defaults=True):
    pass


class GameStarted(_Event, frozen=True, tag="game_started"):
    """The seats are taken and numbered in turn order."""

    seats: int
    """How many play."""
    rules: str
    """Name of the rule set."""
    rules_hash: str
    """The hash of its options."""
    commitment: str
    """SHA-256 of the server's seed, in hex, which `game_ended` reveals."""
    entropy: tuple[str, ...] = ()
    """What each seat added to the seed, in hex; "" for a seat that added nothing."""


class Dealt(_Event, frozen=True, tag="dealt"):
    """A deal began (0-5). `hands` of other seats are hidden."""

    deal: int
    """0-based number of the deal."""
    dealer: int
    """The seat that dealt."""
    first: int
    """The seat that goes first (0-8)."""
    contracts: tuple[int, ...]
    """For each seat the index of its contract in the rule set's rounds. A seat that has
    made them all is past the last one and gets no cards (3-29)."""
    hands: tuple[Hand | None, ...]
    """For each seat its cards; null where they are hidden."""
    upcard: Card | None
    """The card turned up, None where the rules turn none (0-11)."""
    stock: int
    """Cards left in the stock."""


class WindowOpened(_Event, frozen=True, tag="window_opened"):
    """The seats in `order` are asked, all at once, whether they want the upcard."""

    turn: int
    """The seat in turn: it takes free what others buy."""
    upcard: Card
    """The card they are asked about."""
    order: tuple[int, ...]
    """Every seat that may claim, the first in priority first (0-45)."""


class WindowClosed(_Event, frozen=True, tag="window_closed"):
    """The claim window was decided."""

    winner: int | None
    """The seat that gets the upcard; null: nobody."""
    silent: tuple[int, ...] = ()
    """Seats that had not answered at their deadline; silence is a pass."""


class Took(_Event, frozen=True, tag="took"):
    """The seat in turn drew the upcard (0-46)."""

    seat: int
    card: Card


class Bought(_Event, frozen=True, tag="bought"):
    """A seat bought the upcard (0-41). `penalty` cards are hidden from others (0-43)."""

    seat: int
    card: Card
    penalty: Hand | None
    """The cards from the stock that came with it; null where they are hidden."""
    penalty_count: int
    """How many these are."""


class Reshuffled(_Event, frozen=True, tag="reshuffled"):
    """The discards below the upcard became the stock (0-54)."""

    stock: int
    """Cards it has now."""


class Drew(_Event, frozen=True, tag="drew"):
    """The seat in turn drew from the stock. `card` is hidden from others."""

    seat: int
    card: Card | None
    """Null where it is hidden."""


class WentDown(_Event, frozen=True, tag="went_down"):
    """A seat laid its contract (0-27)."""

    seat: int
    melds: tuple[TableMeld, ...]
    """With their numbers for the rest of the deal."""


class Swapped(_Event, frozen=True, tag="swapped"):
    """A seat put a natural in the place of a wild and took the wild (0-33)."""

    seat: int
    meld: int
    card: Card
    place: int
    wild: Card
    """What the seat took."""


class LaidOff(_Event, frozen=True, tag="laid_off"):
    """A seat added a card to a meld on the table (0-29)."""

    seat: int
    meld: int
    card: Card
    place: int = 0


class Discarded(_Event, frozen=True, tag="discarded"):
    """A seat ended its turn (0-35). The card is the new upcard."""

    seat: int
    card: Card
    timed_out: bool = False
    """The seat's time ran out and the default was played for it."""


class Floated(_Event, frozen=True, tag="floated"):
    """A seat laid off its last card; the deal goes on (0-40)."""

    seat: int
    timed_out: bool = False


class WentOut(_Event, frozen=True, tag="went_out"):
    """A seat played its last card and ended the deal (0-40)."""

    seat: int


class StockRanOut(_Event, frozen=True, tag="stock_ran_out"):
    """A card was due and no stock could give it: the deal ended (0-54)."""

    seat: int
    """The seat in turn, which could not draw."""


class Stalled(_Event, frozen=True, tag="stalled"):
    """The deal had as many turns as the rules let it have and ended."""


class DealEnded(_Event, frozen=True, tag="deal_ended"):
    """The deal was scored (0-51). All hands are shown."""

    deal: int
    """0-based number of the deal."""
    went_out: int | None
    """The seat that played its last card; null: nobody did."""
    hands: tuple[Hand, ...]
    """What each seat was left with."""
    points: tuple[int, ...]
    """What that costs each seat."""
    totals: tuple[int, ...]
    """Points of each seat over all deals so far."""


class GameEnded(_Event, frozen=True, tag="game_ended"):
    """The last deal was scored; equal points share the win (0-4, 0-55)."""

    totals: tuple[int, ...]
    """Points of each seat over all deals."""
    winners: tuple[int, ...]
    """One seat, or several where equal points share the win."""
    seed: str = ""
    """The server's 32-byte seed, in hex: with the entropy it gives every card order."""


Event = (
    GameStarted
    | Dealt
    | WindowOpened
    | WindowClosed
    | Took
    | Bought
    | Reshuffled
    | Drew
    | Swapped
    | WentDown
    | LaidOff
    | Discarded
    | Floated
    | WentOut
    | StockRanOut
    | Stalled
    | DealEnded
    | GameEnded
)
