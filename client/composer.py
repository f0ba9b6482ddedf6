"""A whole turn, put together locally: piles, lay-offs in order, the discard.

Nothing here is sent to anybody. `check` builds the Play and says in a sentence
why it is not legal yet; the referee's own `explain` judges it, so what passes
here passes there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from hollywood.protocol.errors import ErrorCode
from hollywood.protocol.rules import (
    Card,
    Contract,
    Hand,
    LayOff,
    Meld,
    Phase,
    Play,
    PlayerView,
    explain,
    parse_contract,
)
from hollywood.protocol.rules.melds import lay_on, places_for
from hollywood.protocol.rules.turns import is_target

from .narrate import describe_meld, meld_letter, meld_number
from .piles import PileState, judge_pile

_FURTHER: Contract = parse_contract("2xS3 + 2xR4")
"""Piles for melds beyond the contract."""

CardKey = tuple[Card, int]
"""One card in hand: its code, and which of its copies, from 0."""

HISTORY = 100
"""Steps that can be taken back."""


class Target(msgspec.Struct, frozen=True):
    """A meld to lay off on: one of the table by its number, or one of our own piles."""

    index: int
    is_pile: bool = False


class PlannedLayOff(msgspec.Struct, frozen=True):
    """A card for a meld; `place` is a run's new end, 0 for a set."""

    target: Target
    card: Card
    place: int = 0


class Draft(msgspec.Struct, frozen=True):
    """A turn in the making. Piles follow the melds of the contract."""

    piles: tuple[Hand, ...] = ()
    chosen: tuple[Meld | None, ...] = ()
    """The reading chosen for each pile, where there are several."""
    lay_offs: tuple[PlannedLayOff, ...] = ()
    discard: Card | None = None

    @property
    def has_melds(self) -> bool:
        """Whether any card lies in a pile."""
        return any(self.piles)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is planned."""
        return not (self.has_melds or self.lay_offs or self.discard)

    def cards(self) -> list[Card]:
        """Every card that has been given a place."""
        planned = [card for pile in self.piles for card in pile]
        planned += [lay_off.card for lay_off in self.lay_offs]
        return planned if self.discard is None else [*planned, self.discard]


class Spot(msgspec.Struct, frozen=True):
    """Where a card of the hand goes in the draft."""

    kind: Literal["pile", "lay_off", "discard"]
    index: int = 0


class AskPlace(msgspec.Struct, frozen=True):
    """A card fits both ends of a run: which one? `rest` is laid off after it."""

    target: Target
    card: Card
    places: tuple[int, ...]
    rest: Hand


class AskReading(msgspec.Struct, frozen=True):
    """A pile can be several melds: which one?"""

    pile: int
    readings: tuple[Meld, ...]


class Check(msgspec.Struct, frozen=True):
    """What pressing Enter would do: send `play`, ask, or say `text`."""

    play: Play | None = None
    text: str = ""
    ask: AskReading | None = None


class Composer:
    """The draft of one seat, with its history."""

    def __init__(self) -> None:
        self.draft = Draft()
        self._view: PlayerView | None = None
        self._history: list[Draft] = []

    @property
    def view(self) -> PlayerView:
        """What the seat knows.

        Raises:
            ValueError: nothing was dealt yet.
        """
        if self._view is None:
            raise ValueError("no cards were dealt yet")
        return self._view

    @property
    def contract(self) -> Contract:
        """The melds that can be laid now; once down none, or further ones where rules allow it."""
        return pile_specs(self.view)

    def sync(self, view: PlayerView) -> None:
        """Follow the game: cards that left the hand leave the draft, the rest stays."""
        before, self._view = self._view, view
        if before is None or before.deal != view.deal or before.seat != view.seat:
            self._history.clear()
            self.draft = Draft()
        elif before is view:
            return
        self.draft = _settled(self.draft, view)

    # looking

    def free_cards(self) -> Hand:
        """The cards of the hand that have no place yet."""
        left = Counter(self.view.hand) - Counter(self.draft.cards())
        return tuple(left.elements())

    def discard(self) -> Card | None:
        """The card to be discarded: the chosen one, or the only one left over."""
        if self.draft.discard is not None:
            return self.draft.discard
        free = self.free_cards()
        is_last = len(free) == 1 and (self.draft.has_melds or self.draft.lay_offs)
        return free[0] if is_last or (len(self.view.hand) == 1 and free) else None

    def spots(self) -> dict[CardKey, Spot]:
        """Say for each card of the hand where it goes; cards without a place are left out."""
        found: dict[CardKey, Spot] = {}
        used: Counter[Card] = Counter()
        draft = self.draft
        planned = [(card, Spot("pile", i)) for i, pile in enumerate(draft.piles) for card in pile]
        planned += [(lay.card, Spot("lay_off", i)) for i, lay in enumerate(draft.lay_offs)]
        if draft.discard is not None:
            planned.append((draft.discard, Spot("discard")))
        for card, spot in planned:
            found[card, used[card]] = spot
            used[card] += 1
        return found

    def pile_states(self) -> tuple[PileState, ...]:
        """Say for each pile whether it is the meld it should be."""
        return _pile_states(self.draft, self.view)

    def melds(self) -> dict[Target, Meld]:
        """Every meld that can be added to, as it is after the draft's lay-offs."""
        table, _ = _walk(self.draft, self.view)
        return table

    def letter(self, target: Target) -> str:
        """Return the letter of a meld; own piles follow the table."""
        return meld_letter(target.index + (len(self.view.table) if target.is_pile else 0))

    def target(self, letter: str) -> Target | None:
        """Return the meld of that letter, None if there is none."""
        number = meld_number(letter)
        if number is None:
            return None
        on_table = len(self.view.table)
        found = Target(number) if number < on_table else Target(number - on_table, is_pile=True)
        return found if found in self.melds() else None

    def fitting(self, cards: Iterable[Card]) -> tuple[Target, ...]:
        """The melds on which at least one of the cards fits now."""
        kinds, rules = set(cards), self.view.rules
        return tuple(
            target
            for target, meld in self.melds().items()
            if any(places_for(meld, card, rules) for card in kinds)
        )

    # changing

    def put(self, keys: Sequence[CardKey], pile: int) -> str:
        """Put cards on a pile; take them back where all of them lie there already.

        Returns:
            Why not, or "".
        """
        if pile >= len(self.contract):
            return (
                "you are down: lay cards off on melds instead (l, then a letter)"
                if self.view.is_down
                else f"there are {len(self.contract)} piles: the contract has no pile {pile + 1}"
            )
        spots = self.spots()
        if keys and all(spots.get(key) == Spot("pile", pile) for key in keys):
            self._change(self._without(keys))
            return ""
        draft = self._without(keys)
        piles, chosen = list(draft.piles), list(draft.chosen)
        piles[pile] += tuple(card for card, _ in keys)
        chosen[pile] = None
        self._change(replace(draft, piles=tuple(piles), chosen=tuple(chosen)))
        return ""

    def lay_off(self, keys: Sequence[CardKey], target: Target) -> AskPlace | str:
        """Lay cards off on a meld, in the order in which they fit.

        Returns:
            A question where a card fits both ends, why not all fit, or "".
        """
        return self._lay_off(self._without(keys), tuple(card for card, _ in keys), target)

    def place(self, ask: AskPlace, place: int) -> AskPlace | str:
        """Answer the question about a place and go on with the rest."""
        draft = _with_lay_off(self.draft, PlannedLayOff(ask.target, ask.card, place))
        return self._lay_off(draft, ask.rest, ask.target)

    def _lay_off(self, draft: Draft, cards: Hand, target: Target) -> AskPlace | str:
        rules = self.view.rules
        rest = sorted(cards, key=rules.is_wild)
        while rest:
            meld = _walk(draft, self.view)[0].get(target)
            places = [(card, places_for(meld, card, rules) if meld else ()) for card in rest]
            card, where = next(((c, p) for c, p in places if p), (rest[0], ()))
            if not where:
                self._change(draft)
                what = "that meld" if meld is None else f"the {describe_meld(meld)}"
                return f"{' '.join(rest)} does not fit {what} ({self.letter(target)})"
            rest.remove(card)
            if len(where) > 1:
                self._change(draft)
                return AskPlace(target, card, where, tuple(rest))
            draft = _with_lay_off(draft, PlannedLayOff(target, card, where[0]))
        self._change(draft)
        return ""

    def choose_reading(self, pile: int, meld: Meld) -> None:
        """Say which meld a pile is."""
        chosen = list(self.draft.chosen)
        chosen[pile] = meld
        self._change(replace(self.draft, chosen=tuple(chosen)))

    def set_discard(self, key: CardKey) -> None:
        """Plan the discard; take it back if it was planned already."""
        if self.spots().get(key) == Spot("discard"):
            self._change(replace(self.draft, discard=None))
        else:
            self._change(replace(self._without([key]), discard=key[0]))

    def take_back(self, keys: Sequence[CardKey]) -> None:
        """Take cards out of the draft."""
        self._change(self._without(keys))

    def replace(self, draft: Draft) -> None:
        """Put another draft in place of this one; `undo` brings it back."""
        self._change(draft)

    def clear(self) -> None:
        """Take everything back."""
        self._change(Draft())

    def undo(self) -> bool:
        """Take back the last step; False if there is none."""
        while self._history:
            before = _settled(self._history.pop(), self.view)
            if before != self.draft:
                self.draft = before
                return True
        return False

    def _change(self, draft: Draft) -> None:
        settled = _settled(draft, self.view)
        if settled != self.draft:
            self._history.append(self.draft)
            del self._history[:-HISTORY]
            self.draft = settled

    def _without(self, keys: Sequence[CardKey]) -> Draft:
        """Return the draft without those cards; free ones are not in it anyway."""
        spots = self.spots()
        draft = self.draft
        piles, chosen = list(draft.piles), list(draft.chosen)
        gone: set[int] = set()
        discard = draft.discard
        for key in keys:
            spot = spots.get(key)
            if spot is None:
                continue
            if spot.kind == "pile":
                cards = list(piles[spot.index])
                cards.remove(key[0])
                piles[spot.index], chosen[spot.index] = tuple(cards), None
            elif spot.kind == "lay_off":
                gone.add(spot.index)
            else:
                discard = None
        lay_offs = tuple(lay for i, lay in enumerate(draft.lay_offs) if i not in gone)
        return Draft(tuple(piles), tuple(chosen), lay_offs, discard)

    # sending

    def check(self) -> Check:
        """Say what Enter would do now."""
        view, draft = self.view, self.draft
        if draft.has_melds and (check := self._check_piles()) is not None:
            return check
        play = self._play()
        is_plan = not (view.is_my_turn and view.phase is Phase.PLAY)
        judged = replace(view, turn=view.me, phase=Phase.PLAY) if is_plan else view
        violation = explain(judged, play)
        if is_plan:
            if draft.is_empty:
                return Check(text="a plan for your turn: nothing in it yet")
            if violation is None or violation.code is ErrorCode.MUST_DISCARD:
                return Check(text="this works so far; Enter sends it when it is your turn")
            return Check(text=violation.text)
        if violation is None:
            return Check(play)
        if violation.code is ErrorCode.MUST_DISCARD:
            return Check(text=f"{violation.text}: put the cursor on a card and press x")
        return Check(text=violation.text)

    def _check_piles(self) -> Check | None:
        ask: AskReading | None = None
        for i, (spec, state) in enumerate(zip(self.contract, self.pile_states(), strict=True)):
            if self.view.is_down and not self.draft.piles[i]:
                continue  # further melds are as many as one likes
            if not state.is_legal:
                return Check(text=f"pile {i + 1} ({spec.kind} of {spec.size}): {state.text}")
            if ask is None and len(state.readings) > 1 and self.draft.chosen[i] is None:
                ask = AskReading(i, state.readings)
        return None if ask is None else Check(ask=ask, text="Enter asks where the wilds stand")

    def _play(self) -> Play:
        melds = [_pile_meld(self.draft, self.view, i) for i in range(len(self.draft.piles))]
        number = {Target(laid.number): laid.number for laid in self.view.table}
        laid_now = [i for i, meld in enumerate(melds) if meld is not None]
        for at, pile in enumerate(laid_now, len(self.view.table)):
            number[Target(pile, is_pile=True)] = at
        return Play(
            melds=tuple(meld for meld in melds if meld is not None),
            lay_offs=tuple(
                LayOff(number[lay.target], lay.card, lay.place) for lay in self.draft.lay_offs
            ),
            discard=self.discard(),
        )


def pile_specs(view: PlayerView) -> Contract:
    """Return what the piles are for: the contract, or further melds of a seat that is down."""
    if not view.is_down:
        return view.contract
    return _FURTHER if view.rules.meld.extra == "allow" else ()


def _with_lay_off(draft: Draft, lay_off: PlannedLayOff) -> Draft:
    return replace(draft, lay_offs=(*draft.lay_offs, lay_off))


def _pile_states(draft: Draft, view: PlayerView) -> tuple[PileState, ...]:
    return tuple(
        judge_pile(pile, spec, view.rules)
        for pile, spec in zip(draft.piles, pile_specs(view), strict=True)
    )


def _pile_meld(draft: Draft, view: PlayerView, pile: int) -> Meld | None:
    """The meld that a pile is: the chosen reading, or the only one."""
    if draft.chosen[pile] is not None:
        return draft.chosen[pile]
    found = _pile_states(draft, view)[pile].readings
    return found[0] if len(found) == 1 else None


def _walk(draft: Draft, view: PlayerView) -> tuple[dict[Target, Meld], list[PlannedLayOff]]:
    """Lay the piles, then the lay-offs in order; return the melds and what fitted."""
    melds = {Target(laid.number): laid.meld for laid in view.table if is_target(view, laid)}
    for i in range(len(draft.piles)):
        meld = _pile_meld(draft, view, i)
        if meld is not None and view.rules.layoff.targets != "others":
            melds[Target(i, is_pile=True)] = meld
    fitted: list[PlannedLayOff] = []
    for lay_off in draft.lay_offs:
        grown = melds.get(lay_off.target)
        places = () if grown is None else places_for(grown, lay_off.card, view.rules)
        if grown is None or not places:
            continue
        # somebody may have grown the run meanwhile: a card with one place left goes there
        place = places[0] if len(places) == 1 else lay_off.place
        if place in places:
            melds[lay_off.target] = lay_on(grown, lay_off.card, place, view.rules)
            fitted.append(replace(lay_off, place=place))
    return melds, fitted


def _settled(draft: Draft, view: PlayerView) -> Draft:
    """Return the draft without what is no longer in hand or no longer fits."""
    left = Counter(view.hand)
    contract = pile_specs(view)
    piles: list[Hand] = []
    chosen: list[Meld | None] = []
    for i in range(len(contract)):
        before = draft.piles[i] if i < len(draft.piles) else ()
        kept = _take(before, left)
        reading = draft.chosen[i] if i < len(draft.chosen) else None
        piles.append(kept)
        chosen.append(reading if kept == before else None)
    held = [lay for lay in draft.lay_offs if _take((lay.card,), left)]
    discard = draft.discard
    if discard is not None and not _take((discard,), left):
        discard = None
    settled = Draft(tuple(piles), tuple(chosen), tuple(held), discard)
    return replace(settled, lay_offs=tuple(_walk(settled, view)[1]))


def _take(cards: Hand, left: Counter[Card]) -> Hand:
    """Return the cards that are still there, and take them out of `left`."""
    kept: list[Card] = []
    for card in cards:
        if left[card] > 0:
            left[card] -= 1
            kept.append(card)
    return tuple(kept)
