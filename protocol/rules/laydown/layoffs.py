"""The lay-offs that shed the most points.

A natural always fits the sets of its rank, so only runs and wilds ask for choices.
A run grows at two *arms*. What it can take is found by growing it card by card,
each wild within the limit at that moment, as far as there are naturals ahead: the
ends of such a growth are naturals, and the naturals in it say what it is worth.
Wilds that bridge nothing are laid last, wherever the limit has room for them; each
natural makes room for more.

One growth is chosen for each run, depth first, the most valuable first, as far as
there are cards for them all and as long as the rest could still make it the best.
At first a growth takes each natural that it meets, unless another run may want it.
Only where that leaves room for improvement, a wild is tried in its place as well.

One search from the hand to the lay-offs in order: its parts share so much that the file
is longer than most.
"""

from __future__ import annotations

from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple

from ..cards import ORDER, PLACE_RANKS, RANK, SUITS, Card, Hand
from ..melds import LayOff, Meld, TableMeld, count_wilds, lay_on, places_for
from .opentable import OpenRun, OpenTable
from .runs import lesser, present
from .tables import (
    AT_LEAST,
    FIELDS,
    HIGHS,
    ONES,
    PLACE_BITS,
    PRESENT,
    SHIFTS,
    TWO_FIELD,
    Tables,
)

MOST_KEPT = 1 << 12
MOST_TABLES = 16
MOST_ROOM = 64
"""More wilds than a hand holds."""

Step = tuple[int, bool]
"""A place of a run, and whether a natural goes there."""


class Growth(NamedTuple):
    """A way to grow a run, its ends being naturals."""

    gain: int
    """The weight of the naturals that would otherwise stay in hand."""
    used: int
    """The naturals, as a suit tally; a natural two is in it."""
    wilds: int
    """The wilds between them."""
    room: int
    """How many more wilds fit then."""
    steps: tuple[Step, ...]
    """The places in the order in which they are taken."""


class LayOffs:
    """The best lay-offs of any hand on any table under one rule set."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        rules = tables.rules
        self.weights = {card: rules.points[card] * 64 + 1 for card in ORDER}
        self.field_weights = [self.weights[Card(rank + "C")] for rank in FIELDS]
        self.is_unlimited = rules.wild.limit_scope == "creation"
        self.longest = min(rules.run.max, 14)
        self.keep = 1 if rules.out.empty_hand == "illegal" else 0
        self.wild_counts: dict[Meld, int] = {}
        self.rooms: dict[int, int] = {}
        """The room of a meld by its size and its wilds."""
        self.growths: dict[tuple[int, ...], list[Growth]] = {}
        """The ways to grow a run, by the run and by all that they depend on in hand and table."""
        self.tables_seen: dict[int, OpenTable] = {}
        self.is_plain = (
            rules.wild.adjacent == "forbid"
            or rules.wild.relocate != "never"
            or rules.set.distinct_suits
            or rules.run.suit == "any"
            or rules.run.wrap
        )
        """Whether the rules ask for what the search does not know of."""

    def of(self, hand: Hand, table: tuple[TableMeld, ...]) -> tuple[LayOff, ...]:
        """Return the lay-offs in a legal order."""
        if self.is_plain:
            return self._one_by_one(hand, table)
        open_table = self._open(table)
        found = _Search(self, hand, open_table).lay_offs()
        if len(found) + self.keep <= len(hand):
            return found
        # A card must stay for the discard: try each, the cheapest first.
        weights = self.weights
        whole = sum([weights[card] for card in hand])
        best: tuple[LayOff, ...] = ()
        best_weight = -1
        for kept in sorted(dict.fromkeys(hand), key=weights.__getitem__):
            if whole - weights[kept] <= best_weight:
                break
            rest = list(hand)
            rest.remove(kept)
            found = _Search(self, tuple(rest), open_table).lay_offs()
            weight = sum([weights[lay_off.card] for lay_off in found])
            if weight > best_weight:
                best, best_weight = found, weight
        return best

    def _open(self, table: tuple[TableMeld, ...]) -> OpenTable:
        """Return what is known of a table; it is asked about more than once until it changes."""
        found = self.tables_seen.get(id(table))
        if found is None or found.table is not table:
            if len(self.tables_seen) >= MOST_TABLES:
                self.tables_seen.clear()
            found = self.tables_seen[id(table)] = OpenTable(self.tables, self.wilds_in, table)
        return found

    def _one_by_one(self, hand: Hand, table: tuple[TableMeld, ...]) -> tuple[LayOff, ...]:
        """Lay off naturals while there are any, then wilds; the dearest first."""
        self.tables.tally(hand)
        rules, weights = self.tables.rules, self.weights
        rest = list(hand)
        melds = {target.number: target.meld for target in table}
        found: list[LayOff] = []
        while len(rest) > self.keep:
            fitting = [
                (card in rules.wilds, -weights[card], number, place, card)
                for card in dict.fromkeys(rest)
                for number, meld in melds.items()
                for place in places_for(meld, card, rules)
            ]
            if not fitting:
                break
            _, _, number, place, card = min(fitting)
            melds[number] = lay_on(melds[number], card, place, rules)
            rest.remove(card)
            found.append(LayOff(number, card, place))
        return tuple(found)

    def wilds_in(self, meld: Meld) -> int:
        """Return how many cards of a meld stand for others."""
        found = self.wild_counts.get(meld)
        if found is None:
            if len(self.wild_counts) >= MOST_KEPT:
                self.wild_counts.clear()
            found = self.wild_counts[meld] = count_wilds(meld, self.tables.rules)
        return found

    def may_add(self, size: int, wilds: int) -> bool:
        """Return whether a meld of that size with so many wilds may take one more."""
        return self.is_unlimited or wilds < self.tables.limits[size + 1]

    def room(self, size: int, wilds: int, most: int) -> int:
        """Return how many wilds such a meld may take, one after the other, up to a number."""
        if self.is_unlimited or not most:
            return most
        key = size << 8 | wilds
        found = self.rooms.get(key)
        if found is None:
            found = 0
            while (
                found < MOST_ROOM
                and size + found < 128
                and self.may_add(size + found, wilds + found)
            ):
                found += 1
            self.rooms[key] = found
        return found if found < most else most


class _Search:
    """One search."""

    def __init__(self, laying: LayOffs, hand: Hand, table: OpenTable) -> None:
        self.laying = laying
        self.tables = tables = laying.tables
        self.hand = hand
        self.table = table
        wilds = tables.rules.wilds
        weights = laying.weights
        self.wilds = [card for card in hand if card in wilds]
        if len(self.wilds) > 1:
            self.wilds.sort(key=lambda card: (-weights[card], ORDER[card]))
        tally = tables.tally(hand)
        mask = tables.in_runs
        self.suits = [
            tally & mask,
            tally >> SHIFTS[1] & mask,
            tally >> SHIFTS[2] & mask,
            tally >> SHIFTS[3] & mask,
        ]
        self.has_natural_twos = tables.has_natural_twos
        self.naturals = [card for card in hand if card not in wilds]
        self.ranks = [RANK[card] for card in self.naturals]
        self.sets = table.sets
        self.other_sets = table.other_sets
        self.runs = table.runs
        self.scarce = [
            self._scarce(suit, n) if n > 1 else 0
            for suit, n in zip(self.suits, table.runs_of_suit, strict=True)
        ]
        """For each suit the cards of which there are fewer than runs."""
        self.shared = table.set_ranks | (self.has_natural_twos << 8 * TWO_FIELD)
        """The ranks that sets take as well; twos may go anywhere."""
        self.base = sum([weights[card] for card in self.naturals if RANK[card] in self.sets])
        """The weight of what goes to sets if no run takes of it."""
        self.all_wilds = sum([weights[card] for card in self.wilds])
        self.best_weight = -1
        self.best: tuple[Growth, ...] = ()

    def _scarce(self, suit: int, runs: int) -> int:
        return suit + PRESENT & ~(suit + AT_LEAST[runs]) & HIGHS

    def lay_offs(self) -> tuple[LayOff, ...]:
        """Return the lay-offs in a legal order."""
        top = self._choose([self._grow(run, self.scarce[run.suit] >> 7) for run in self.runs])
        if self.best_weight < top and self.wilds:
            spared = [self._may_be_spared(run) for run in self.runs]
            if any(spared):
                self._choose([self._grow(*each) for each in zip(self.runs, spared, strict=True)])
        return self._in_order()

    def _may_be_spared(self, run: OpenRun) -> int:
        """The naturals in whose place a wild may be of use, as ones; any if that fills the run.

        Otherwise a run that has the natural can have the wild as well, at an end.
        """
        cards = self.suits[run.suit]
        if not cards:
            return 0
        size = run.high - run.low + 1 + len(self._held_places(run)) + len(self.wilds)
        if size >= min(self.laying.longest, self.tables.high - self.tables.low + 1):
            return ONES
        return self.scarce[run.suit] >> 7 | self.shared & present(cards)

    # -- growing one run

    def _grow(self, run: OpenRun, spared: int) -> list[Growth]:
        """The ways to grow a run, not growing among them, that no other betters.

        They depend on the cards beyond its ends and what is said of these, and on how many
        wilds there are: what was seen before is kept.

        Args:
            run: The run.
            spared: The naturals in whose place wilds are tried as well, as ones.
        """
        held = present(self.suits[run.suit] & run.beyond)
        wanted = self.scarce[run.suit] >> 7 | self.shared
        most = len(self.wilds)
        key = run.key, held, spared & held, wanted & held, self.shared & held, most
        known = self.laying.growths
        found = known.get(key)
        if found is None:
            if len(known) >= MOST_KEPT:
                known.clear()
            found = known[key] = self._all_growths(run, spared, wanted)
        return found

    def _all_growths(self, run: OpenRun, spared: int, wanted: int) -> list[Growth]:
        """The same, worked out; `wanted` are the cards that others may take, as ones."""
        laying = self.laying
        cards = self.suits[run.suit]
        none = Growth(0, 0, 0, self._room(run.low, run.high, run.wilds), ())
        if not cards & (run.beyond if self.wilds else run.beside):
            return [none]
        places = self._held_places(run)
        lowest, highest = places[0], places[-1]
        most = len(self.wilds)
        found: dict[tuple[int, int], Growth] = {(0, 0): none}
        lowest_place, highest_place = self.tables.low, self.tables.high
        seen = set()
        todo: list[tuple[int, int, int, int, tuple[Step, ...]]] = [(run.low, run.high, 0, 0, ())]
        while todo:
            low, high, used, wilds, steps = todo.pop()
            if (low, high, used) in seen:
                continue
            seen.add((low, high, used))
            is_done = (low == run.low or used & PLACE_BITS[low]) and (
                high == run.high or used & PLACE_BITS[high]
            )
            size = high - low + 1
            if is_done and steps:
                growth = Growth(
                    self._gain(used),
                    used,
                    wilds,
                    self._room(low, high, run.wilds + wilds),
                    steps,
                )
                other = found.get((used, wilds))
                if other is None or other.room < growth.room:
                    found[used, wilds] = growth
            if size >= laying.longest:
                continue
            may_bridge = wilds < most and laying.may_add(size, run.wilds + wilds)
            for place in (low - 1, high + 1):
                if not lowest_place <= place <= highest_place:
                    continue
                bit = PLACE_BITS[place]
                left, right = (place, high) if place < low else (low, place)
                has_natural = cards & bit * 0xFF and not used & bit
                if has_natural:
                    todo.append((left, right, used | bit, wilds, (*steps, (place, True))))
                    if not spared & bit:
                        continue
                is_bridge = lowest < place if place < low else place < highest
                if may_bridge and is_bridge:
                    todo.append((left, right, used, wilds + 1, (*steps, (place, False))))
        return self._without_worse(list(found.values()), wanted)

    def _without_worse(self, growths: list[Growth], wanted: int) -> list[Growth]:
        """Leave out what another way betters that takes the same of the cards that others want."""
        growths.sort(key=lambda growth: (-growth.gain, growth.wilds, -growth.room))
        kept: list[Growth] = []
        alike: dict[int, list[Growth]] = {}
        for growth in growths:
            better = alike.setdefault(growth.used & wanted, [])
            most = growth.wilds + growth.room
            if not any(o.wilds <= growth.wilds and o.wilds + o.room >= most for o in better):
                better.append(growth)
                kept.append(growth)
        return kept

    def _held_places(self, run: OpenRun) -> list[int]:
        """The places beyond the run's ends for which there is a natural."""
        cards = self.suits[run.suit]
        if not cards & run.beyond:
            return []
        return [
            place
            for place in range(self.tables.low, self.tables.high + 1)
            if not run.low <= place <= run.high and cards & PLACE_BITS[place] * 0xFF
        ]

    def _gain(self, used: int) -> int:
        """The weight of some naturals of a suit that would otherwise stay in hand."""
        used &= ~(self.shared * 0xFF)
        if not used:
            return 0
        counts = used.to_bytes(len(FIELDS), "little")
        return sum([n * w for n, w in zip(counts, self.laying.field_weights, strict=True) if n])

    def _room(self, low: int, high: int, wilds: int) -> int:
        """How many wilds may be added at a run's ends."""
        tables = self.tables
        if not self.wilds:
            return 0
        size = high - low + 1
        places = min(low - tables.low + tables.high - high, self.laying.longest - size)
        return self.laying.room(size, wilds, min(places, len(self.wilds)))

    # -- choosing

    def _choose(self, growths: list[list[Growth]]) -> int:
        """Choose a growth for each run; the weight that could not be bettered."""
        base = self.base
        first = tuple([ways[0] for ways in growths])
        ahead = [0, *accumulate([growth.gain for growth in reversed(first)])]
        ahead.reverse()
        all_wilds = self.all_wilds
        if self._can_be_had(first):
            # often the best of each run can be had together, and no wild is left
            weight, top = base + ahead[0] + self._wild_weight(first), base + ahead[0] + all_wilds
            if weight > self.best_weight:
                self.best, self.best_weight = first, weight
            if weight == top or all(len(ways) == 1 for ways in growths):
                return top
        supply = self._supply(growths)
        top = base + min(ahead[0], supply) + all_wilds
        most = len(self.wilds)
        left = list(self.suits)
        chosen: list[Growth] = []
        wanted = self._wanted_from(growths)
        tried: dict[tuple[int, ...], list[tuple[int, int, int]]] = {}

        def is_bettered(i: int, gain: int, wilds: int, room: int) -> bool:
            """Whether the same runs took no more of what others want, and did better."""
            key = (i, *[cards & mask for cards, mask in zip(left, wanted[i], strict=True)])
            others = tried.setdefault(key, [])
            for other in others:
                if other[0] >= gain and other[1] <= wilds and other[2] >= room:
                    return True
            others.append((gain, wilds, room))
            return False

        def choose(i: int, gain: int, wilds: int, room: int) -> None:
            if self.best_weight >= top:
                return
            if i == len(growths):
                weight = base + gain + self._wild_weight(chosen)
                if weight > self.best_weight:
                    self.best_weight, self.best = weight, tuple(chosen)
                return
            if len(growths[i]) > 1 and is_bettered(i, gain, wilds, room):
                return
            suit = self.runs[i].suit
            for growth in growths[i]:
                if base + gain + growth.gain + ahead[i + 1] + all_wilds <= self.best_weight:
                    return
                if wilds + growth.wilds > most or not self._holds(left[suit], growth.used):
                    continue
                left[suit] -= growth.used
                chosen.append(growth)
                bridges = wilds + growth.wilds
                choose(i + 1, gain + growth.gain, bridges, room + growth.wilds + growth.room)
                chosen.pop()
                left[suit] += growth.used

        choose(0, 0, 0, 0)
        return top

    def _can_be_had(self, growths: tuple[Growth, ...]) -> bool:
        """Whether there are cards for all of these."""
        wilds, taken = 0, [0, 0, 0, 0]
        for run, growth in zip(self.runs, growths, strict=True):
            if growth.used:
                if not self._holds(self.suits[run.suit] - taken[run.suit], growth.used):
                    return False
                taken[run.suit] += growth.used
            wilds += growth.wilds
        return wilds <= len(self.wilds)

    def _wanted_from(self, growths: list[list[Growth]]) -> list[list[int]]:
        """For each run, the cards of each suit that it, those after it or sets may fight for."""
        found = [[self.shared * 0xFF] * 4]
        for run, ways in zip(reversed(self.runs), reversed(growths), strict=True):
            masks = list(found[-1])
            for growth in ways:
                masks[run.suit] |= (growth.used & self.scarce[run.suit] >> 7) * 0xFF
            found.append(masks)
        found.reverse()
        return found

    def _supply(self, growths: list[list[Growth]]) -> int:
        """The most that the naturals of all runs can weigh, each card used once."""
        wanted = [0, 0, 0, 0]
        for run, ways in zip(self.runs, growths, strict=True):
            used = 0
            for growth in ways:
                used |= growth.used
            wanted[run.suit] += used
        return sum(
            [
                self._gain(lesser(used, cards))
                for used, cards in zip(wanted, self.suits, strict=True)
            ]
        )

    def _holds(self, suit: int, used: int) -> bool:
        """Whether a suit tally still has one of each card."""
        return not used or not (used << 7) & ~(suit + 0x7F7F7F7F7F7F7F7F7F7F7F7F7F)

    def _wild_weight(self, chosen: list[Growth] | tuple[Growth, ...]) -> int:
        if not self.wilds:
            return 0
        weights = self.laying.weights
        return sum([weights[card] for card in self._wilds_laid(chosen)[0]])

    def _twos_in_place(self, chosen: tuple[Growth, ...] | list[Growth]) -> list[Card]:
        """The twos that are naturals of runs."""
        if not self.has_natural_twos:
            return []
        return [
            Card("2" + SUITS[run.suit])
            for run, growth in zip(self.runs, chosen, strict=True)
            if growth.used >> 8 * TWO_FIELD & 1
        ]

    def _wilds_laid(self, chosen: tuple[Growth, ...] | list[Growth]) -> tuple[list[Card], int]:
        """The wilds that can be laid, natural twos among them; how many go as twos into a set."""
        if not self.wilds:
            return [], 0
        twos_in_place = self._twos_in_place(chosen)
        wilds = list(self.wilds)
        for card in twos_in_place:
            wilds.remove(card)
        bridges = sum([growth.wilds for growth in chosen])
        room = bridges + sum([growth.room for growth in chosen])
        most = len(wilds)
        if bridges > most:
            return [], 0
        for rank, target in self.sets.items():
            if room >= most:
                break
            if rank != "2" or not self.has_natural_twos:
                room += self._set_room(target, self._naturals_for(rank, chosen))
        for target in self.other_sets:
            if room >= most:
                break
            room += self._set_room(target, 0)
        if not (self.has_natural_twos and "2" in self.sets):
            return twos_in_place + wilds[:room], 0
        # All twos fit their set, and each makes room there; bridges spare them.
        twos = [card for card in wilds if RANK[card] == "2"]
        others = [card for card in wilds if RANK[card] != "2"]
        free = len(twos) - max(0, bridges - len(others))
        room += self._set_room(self.sets["2"], free)
        return twos_in_place + twos + others[:room], free

    def _naturals_for(self, rank: str, chosen: tuple[Growth, ...] | list[Growth]) -> int:
        count = self.ranks.count(rank)
        if not count:
            return 0
        shift = 8 * FIELDS.index(rank)
        return count - sum([growth.used >> shift & 1 for growth in chosen])

    def _set_room(self, target: TableMeld, naturals: int) -> int:
        """How many wilds a set takes after so many naturals."""
        meld = target.meld
        size = len(meld.cards) + naturals
        return self.laying.room(size, self.table.wilds[target.number], len(self.wilds))

    # -- the answer

    def _in_order(self) -> tuple[LayOff, ...]:
        """Naturals into sets, then the runs' growths, then the wilds that are left."""
        chosen = self.best
        laid, twos_free = self._wilds_laid(chosen)
        rest = list(self.naturals)
        for card in self._twos_in_place(chosen):
            laid.remove(card)
        runs: list[LayOff] = []
        sizes: dict[int, tuple[int, int, int]] = {}
        bridges = sum([growth.wilds for growth in chosen]) if laid else 0
        # Where all twos fit a set of twos, other wilds are the better bridges.
        pile = sorted(laid, key=lambda card: RANK[card] == "2") if twos_free else list(laid)
        across, spare = pile[:bridges], pile[bridges:]
        for run, growth in zip(self.runs, chosen, strict=True):
            if not growth.steps:
                if spare:
                    sizes[run.number] = run.low, run.high, growth.room
                continue
            low, high = run.low, run.high
            for place, is_natural in growth.steps:
                card = Card(PLACE_RANKS[place] + SUITS[run.suit])
                if not is_natural:
                    card = across.pop()
                elif card in rest:
                    rest.remove(card)
                runs.append(LayOff(run.number, card, place))
                low, high = min(low, place), max(high, place)
            sizes[run.number] = (low, high, growth.room)
        in_sets = self.sets
        sets = [LayOff(in_sets[RANK[card]].number, card) for card in rest if RANK[card] in in_sets]
        if not spare:
            return (*sets, *runs)
        return (*sets, *runs, *self._spread(spare, chosen, sizes))

    def _spread(
        self, wilds: list[Card], chosen: tuple[Growth, ...], runs: dict[int, tuple[int, int, int]]
    ) -> list[LayOff]:
        """Lay the wilds that bridge nothing: twos on twos, then by number of meld."""
        found: list[LayOff] = []
        twos = self.sets.get("2") if self.has_natural_twos else None
        if twos is not None:
            found += [LayOff(twos.number, card) for card in wilds if RANK[card] == "2"]
            wilds = [card for card in wilds if RANK[card] != "2"]
        if not wilds:
            return found
        added = len(found)
        targets = [*self.table.sets_by_number, *[(number, None, False) for number in runs]]
        targets.sort(key=itemgetter(0))
        for number, target, is_first in targets:
            if not wilds:
                break
            if target is None:
                low, high, room = runs[number]
                for card in wilds[:room]:
                    place = high + 1 if high < self.tables.high else low - 1
                    low, high = min(low, place), max(high, place)
                    found.append(LayOff(number, card, place))
            else:
                naturals = 0
                if is_first:
                    naturals = (
                        added if target is twos else self._naturals_for(target.meld.rank, chosen)
                    )
                room = self._set_room(target, naturals)
                found += [LayOff(number, card) for card in wilds[:room]]
            wilds = wilds[room:]
        return found
