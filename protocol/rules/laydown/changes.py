"""What one card more or less changes, where a contract has sets, and one run at the most.

A *way* is a place for the run, a plan for the sets (`setplans`), and the ranks that are
best then. Counts tell all that matters of it: with `c` the naturals of each rank, `c'`
what the run leaves of them, and `F` how many quotas of the sets they fill, the wild limit
asks for `need + quotas - min(F(c), F(c') + slack)` naturals more, since a run gives back
to the sets what it has beyond its own quota, but no more than it took. A card changes
each of these by one or not at all, which is told for all ranks at once by high bits. So
a card helps if in some way it does all that is lacking there, and it may go if in some
way nothing is lacking without it. Ways that lack more than the hand are of no use for
that: one card never makes up for two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .runs import GAP, Alike
from .setplans import Marks, Plan, SetPlans
from .signs import EVERY_TWO, EVERY_WILD, TWO_SIGNS, WILD, Signs
from .tables import AT_LEAST, HIGHS, JOKER_SHIFT, PRESENT, TWO_FIELD, WILD_SHIFT

if TYPE_CHECKING:
    from .distance import Distances
    from .suits import SuitRuns

NO_RUN = (Alike(0, 0, 0, 0, 0, 0, 0),)
NO_SUIT = 4

Said = tuple[int, int, int, int]
"""A suit, and what the ways with their run in it say of all others, of itself and of wilds."""


class Changes:
    """The signs of any hand for one contract."""

    def __init__(self, distances: Distances, plans: SetPlans) -> None:
        self.distances = distances
        self.plans = plans

    def signs(self, tally: int, cards: int, now: int) -> Signs:
        """Return what every card does to a hand with that distance; all of it is sure."""
        return _Search(self.distances, self.plans, tally, cards, now).signs()


class _Search:
    """One search."""

    def __init__(
        self, distances: Distances, plans: SetPlans, tally: int, cards: int, now: int
    ) -> None:
        self.distances = distances
        self.tally = tally
        self.now = now
        self.reach = now + (tally >> WILD_SHIFT)
        """The most gaps that the wilds and as many cards as are lacking can fill."""
        self.room = now - (distances.size + distances.least_left - cards)
        """The most cards beyond the least sizes."""
        self.ranks = ranks = distances.ranks(tally)
        self.suits = distances.suits(tally)
        self.twos_of = [0, 0, 0, 0, 0]
        self.twos = 0
        self.has_twos = plans.has_twos
        if self.has_twos:
            self.twos_of[:4] = [suit >> 8 * TWO_FIELD & 0xFF for suit in self.suits]
            self.twos = sum(self.twos_of)
        self.useful: list[Said] = []
        self.spare: list[Said] = []
        self.plans: list[tuple[Plan, Marks, dict[int, Marks]]] = []
        """The plans, with the marks of all naturals and of what runs leave of them."""
        most_places = 0
        gaps = self.reach
        self.runs: list[SuitRuns] = []
        if distances.runs:
            self.runs = list(distances.table.of_all(tally))
            gaps -= min([suit.least[1] for suit in self.runs]) >> GAP
        for plan in plans.all(ranks, self.twos, gaps, now):
            marks = plan.marks(ranks)
            if marks[0] > most_places:
                most_places = marks[0]
            self.plans.append((plan, marks, {ranks: marks}))
        self.least = distances.set_size - most_places
        """No way has fewer gaps in its sets."""
        self.held: list[int] = []
        """The high bits of the naturals held in each suit; not known of a hand that lacks cards."""
        self.held_wilds = 0

    def signs(self) -> Signs:
        """Return what all ways say, or what is enough for that."""
        signs = Signs()
        if not self.runs:
            self._note_suit(NO_SUIT, NO_RUN)
            (_, useful, _, wilds), (_, spare, _, spare_wilds) = self.useful[0], self.spare[0]
            signs.useful = [useful, useful, useful, useful, wilds]
            signs.spare = [spare, spare, spare, spare, spare_wilds]
            return signs
        if not self.now:
            self._look_at_hand()
        for own, runs in enumerate(self.runs):
            places = runs.places()
            if not places or places[0].gap + self.least > self.reach:
                continue
            if self._note_suit(own, places):
                break
        signs.useful = _put_together(self.useful)
        signs.spare = _put_together(self.spare)
        return signs

    def _look_at_hand(self) -> None:
        natural_ranks = self.distances.tables.natural_ranks
        self.held = [(suit & natural_ranks) + PRESENT & HIGHS for suit in self.suits]
        if not self.has_twos:
            self.held_wilds = self.tally >> WILD_SHIFT > 0
            return
        self.held_wilds = self.tally >> JOKER_SHIFT & 0xFF > 0
        for sign, twos in zip(TWO_SIGNS, self.twos_of, strict=True):
            if twos:
                self.held_wilds |= sign

    def _note_suit(self, own: int, places: tuple[Alike, ...]) -> bool:
        """Note what the ways say that have their run in a suit.

        Returns whether all cards of a hand that can go down may go by them.
        """
        distances, now, reach, room = self.distances, self.now, self.reach, self.room
        ranks, plans, least = self.ranks, self.plans, self.least
        size, quotas = distances.set_size, distances.quota
        several = self.suits[own] + AT_LEAST[2] if own != NO_SUIT else 0
        # what cards in its own suit do, and in all others; what wilds do
        useful = useful_here = spare = spare_here = useful_wilds = spare_wilds = 0
        held = held_others = 0
        is_checked = bool(self.held)
        if is_checked:
            held_others = self.held[own - 1] | self.held[own - 2] | self.held[own - 3]
            held = self.held[own]
        held_wilds = self.held_wilds
        is_done = False
        for gap, need, extra, used, slack, wanted, two in places:
            if gap + least > reach:
                break
            if need > now or extra > room:
                continue
            left = ranks - used
            needed = used << 7 & ~several
            for plan, (all_filled, all_quota, _, loss, all_gain, all_loss), known in plans:
                # a place left empty for want of one card stays so if more are taken
                if gap + size - all_filled + (used << 7 & loss != 0) > reach:
                    continue
                marks = known.get(left)
                if marks is None:
                    marks = known[left] = plan.marks(left)
                filled, quota, gain, loss, quota_gain, quota_loss = marks
                gaps = gap + size - filled
                if gaps > reach:
                    continue
                needs = need + quotas - quota - slack
                needs_back = need + quotas - all_quota
                if plan.twos:
                    needs -= min(plan.twos, self.twos - (two > 0))
                    needs_back -= min(plan.twos, self.twos)
                if needs > now or needs_back > now:
                    continue
                is_tight = gaps == reach
                if now:
                    more = gain if is_tight else HIGHS
                    if needs_back == now:
                        more &= all_gain
                    if needs == now:
                        more &= quota_gain
                    useful |= more
                    if need or needs_back < now:
                        more |= wanted
                    else:
                        more |= wanted & all_gain
                    useful_here |= more
                    if needs < now and needs_back < now:
                        useful_wilds = EVERY_WILD
                    elif self.has_twos:
                        useful_wilds |= self._useful_twos(own, plan, two, need, needs, needs_back)
                if extra >= room:
                    continue
                less = HIGHS & ~loss if is_tight else HIGHS
                if needs_back == now:
                    less &= ~all_loss
                if needs == now:
                    less &= ~quota_loss
                spare |= less
                less &= ~needed
                if not is_tight:
                    if needs < now:
                        less |= needed & ~all_loss if slack and needs_back == now else needed
                    spare_wilds |= (
                        self._spare_twos(own, plan, two, slack, needs, needs_back)
                        if self.has_twos
                        else EVERY_WILD
                    )
                spare_here |= less
            if is_checked and not (
                held & ~spare_here or held_others & ~spare or held_wilds & ~spare_wilds
            ):
                is_done = True
                break
        self.useful.append((own, useful, useful_here, useful_wilds))
        self.spare.append((own, spare, spare_here, spare_wilds))
        return is_done

    def _useful_twos(
        self, own: int, plan: Plan, two: int, need: int, needs: int, needs_back: int
    ) -> int:
        """The twos that, natural, meet what a way needs."""
        now = self.now
        may_give_back = needs_back < now or self.twos < plan.twos
        if may_give_back and (needs < now or self.twos - (two > 0) < plan.twos):
            return EVERY_TWO
        return TWO_SIGNS[own] if two < 0 and (need or may_give_back) else 0

    def _spare_twos(
        self, own: int, plan: Plan, two: int, slack: int, needs: int, needs_back: int
    ) -> int:
        """The wilds without which a way needs no more, having a gap less than it may."""
        now, twos = self.now, self.twos
        may_give_back = needs_back < now or not 0 < twos <= plan.twos
        is_last = two > 0 and self.twos_of[own] == 1
        wilds = 1
        if may_give_back and (needs < now or not 0 < twos - (two > 0) <= plan.twos):
            wilds = EVERY_WILD & ~TWO_SIGNS[own] if is_last else EVERY_WILD
        if is_last and needs < now and (may_give_back or not slack):
            wilds |= TWO_SIGNS[own]
        return wilds


def _put_together(said: list[Said]) -> list[int]:
    """Return the signs of each suit, and of wilds, by what the ways in each say."""
    found = [0, 0, 0, 0, 0]
    for own, others, here, wilds in said:
        for suit in range(4):
            found[suit] |= here if suit == own else others
        found[WILD] |= wilds
    return found
