"""A turn in words: melds, lay-offs and the discard are planned, then played as one.

The composer and the rules behind it are the screen's; here cards are named and
what comes of it is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from hollywood.protocol.errors import NotationError
from hollywood.protocol.rules import Action, Card, PlayerView, Swap, explain, fold, parse_card
from hollywood.protocol.rules import events as ev
from hollywood.protocol.rules.cards import PLACE_RANKS
from hollywood.protocol.rules.melds import swap as swap_in
from hollywood.protocol.rules.turns import swaps_now

from . import plain_words as words
from .composer import AskPlace, AskReading, CardKey, Check, Composer
from .desk import NO_HINTS
from .hand import HandView, Sort
from .model import ClientModel
from .narrate import describe_meld, meld_letter, meld_number, run_span
from .piles import judge_pile
from .plain_words import sentence
from .suggest import suggest


class PlainTurn:
    """The hand of a seat and its turn in the making.

    Args:
        model: What is known of the table.
        say: Takes each line of output.
        answer: Sends an answer to the open decision; False if that did not work.
        sort: The order in which the hand is said.
    """

    def __init__(
        self,
        model: ClientModel,
        say: Callable[[str], None],
        answer: Callable[[Action], bool],
        sort: Sort,
    ) -> None:
        self.model = model
        self.composer = Composer()
        self.hand = HandView(sort)
        self.say = say
        self._answer = answer
        self._swaps: tuple[Swap, ...] = ()
        """Wilds that are to be taken back, in order."""
        self._pick: Callable[[int], None] | None = None
        self._options = 0

    @property
    def is_asking(self) -> bool:
        """Whether a number is to be typed."""
        return self._pick is not None

    def sync(self, view: PlayerView) -> None:
        """Follow the game; what is planned of it is as if it had been done."""
        kept: list[Swap] = []
        for swap in self._swaps:
            if (after := _swapped(view, swap)) is not None:
                kept.append(swap)
                view = after
        self._swaps = tuple(kept)
        self.hand.sync(view.hand, view.rules)
        self.composer.sync(view)

    def forget(self) -> None:
        """Plan nothing any more: the turn was played."""
        self.composer = Composer()
        self._swaps = ()
        self._pick = None

    def cards(self) -> list[Card]:
        """Return the hand in its order."""
        return [card for card, _ in self.hand.keys]

    def _lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.say(line)

    def say_draft(self) -> None:
        """Say what is planned, if anything is."""
        if self.has_plan:
            self._say_plan()

    @property
    def has_plan(self) -> bool:
        """Whether anything is planned."""
        return bool(self._swaps) or not self.composer.draft.is_empty

    def _say_plan(self) -> None:
        for swap in self._swaps:
            self.say(f"Planned: put {swap.card} on meld {meld_letter(swap.meld)} for its wild.")
        if not (self._swaps and self.composer.draft.is_empty):
            self._lines(words.draft_lines(self.composer))

    def choose(self, number: int) -> None:
        """Take the number of what was offered."""
        pick = self._pick
        if pick is None or not 1 <= number <= self._options:
            self.say(f"Type a number from 1 to {self._options}.")
            return
        self._pick = None
        pick(number - 1)

    def _offer(self, text: str, options: Sequence[str], pick: Callable[[int], None]) -> None:
        self.say(f"{text} Type a number:")
        for number, option in enumerate(options, 1):
            self.say(f"{number}: {option}.")
        self._pick, self._options = pick, len(options)

    def say_plan(self) -> None:
        """Say what is planned, and whether it can be played."""
        self._say_plan()
        if self.has_plan:
            self._say_check()

    def _keys(self, cards: Iterable[Card]) -> list[CardKey] | str:
        """Return which cards of the hand are meant, those without a place first."""
        spots = self.composer.spots()
        free = sorted(self.hand.keys, key=lambda key: key in spots)
        found: list[CardKey] = []
        for card in cards:
            key = next((key for key in free if key[0] == card and key not in found), None)
            if key is None:
                more = " so often" if card in self.cards() else ""
                return f"You do not hold {card}{more}."
            found.append(key)
        return found

    def _named(self, text: str) -> list[CardKey] | None:
        """Read cards of the hand; None once it was said what is wrong."""
        try:
            cards = [parse_card(word) for word in text.replace(",", " ").split()]
        except NotationError as error:
            self.say(sentence(error.message))
            return None
        keys = self._keys(cards)
        if isinstance(keys, str):
            self.say(keys)
            return None
        return keys

    def lay(self, rest: str) -> None:
        """Put cards on the melds of the contract; `;` stands between melds."""
        if self.composer.view.is_down:
            self.say("You are down: add cards to melds instead, as in off 9H on b.")
            return
        for part in rest.split(";"):
            first, _, cards = part.strip().partition(" ")
            is_numbered = first.isdecimal() and len(first) == 1 and first != "0"
            if not self._lay_one(cards if is_numbered else part, int(first) if is_numbered else 0):
                return
        self._say_check()

    def _lay_one(self, text: str, number: int) -> bool:
        keys = self._named(text)
        if keys is None:
            return False
        if not keys:
            self.say("Type the cards after it, as in lay KH KD KC.")
            return False
        pile = number - 1 if number else self._pile_for([card for card, _ in keys])
        if pile is None:
            return False
        if trouble := self.composer.put(keys, pile):
            self.say(words.in_words(sentence(trouble)))
            return False
        self.say(words.pile_line(self.composer, pile))
        return True

    def _pile_for(self, cards: Sequence[Card]) -> int | None:
        """Return the meld of the contract that the cards are; None once it was said why not."""
        composer = self.composer
        empty = [i for i, pile in enumerate(composer.draft.piles) if not pile]
        if not empty:
            self.say("Every meld of the contract is laid; undo or clear takes them back.")
            return None
        whys: dict[str, None] = {}
        for pile in empty:
            spec = composer.contract[pile]
            state = judge_pile(cards, spec, composer.view.rules)
            if state.is_legal:
                return pile
            whys[f"as a {spec.kind} of {spec.size}: {state.text}"] = None
        self.say(f"These cards are no meld of your contract; {'; '.join(whys)}.")
        return None

    def lay_off(self, rest: str) -> None:
        """Plan to add cards to a meld: CARDS on LETTER."""
        text, on, letter = rest.rpartition(" on ")
        letter = letter.strip()
        if not on:
            self.say("Say on which meld, as in off 9H on b; table says the melds.")
            return
        target = self.composer.target(letter) or self.composer.target(letter.lower())
        if target is None:
            self.say(f"There is no meld {letter} to add to; table says the melds.")
            return
        keys = self._named(text)
        if keys:
            self._after_lay_off(self.composer.lay_off(keys, target))

    def _after_lay_off(self, found: AskPlace | str) -> None:
        if isinstance(found, str):
            if found:
                self.say(sentence(found))
            else:
                self._say_check()
            return
        meld = self.composer.melds()[found.target]
        ends = [
            f"at the {'low' if place < meld.low else 'high'} end, as {PLACE_RANKS[place]}{meld.suit}"
            for place in found.places
        ]
        self._offer(
            f"{found.card} fits both ends of meld {self.composer.letter(found.target)}.",
            ends,
            lambda i: self._after_lay_off(self.composer.place(found, found.places[i])),
        )

    def discard(self, rest: str) -> None:
        """Plan a discard; where nothing else is planned, end the turn with it."""
        keys = self._named(rest)
        if keys is None:
            return
        if len(keys) != 1:
            self.say("Name one card, as in discard 3C.")
            return
        composer = self.composer
        draft = composer.draft
        if is_new := draft.discard != keys[0][0]:
            composer.set_discard(keys[0])
        if self.model.is_our_play and not (draft.has_melds or draft.lay_offs or self._swaps):
            self.go()
            if is_new and self.model.is_our_play:
                composer.undo()  # it was refused: it is no plan either
        else:
            self.say(f"Planned: discard {keys[0][0]}.")
            self._say_check()

    def _say_check(self) -> None:
        check = self._check()
        if check.play is not None or check.ask is not None:
            self.say("This is a legal turn: go plays it, plan says it, undo takes a step back.")
        else:
            self.say(words.in_words(sentence(self.model.words(check.text))))

    def suggest(self) -> None:
        """Plan a sensible turn."""
        if not self.model.allows_hints:
            self.say(sentence(NO_HINTS))
            return
        draft, comment = suggest(self.composer.view)
        if self.model.is_our_play or draft.has_melds or draft.lay_offs:
            self.composer.replace(draft)
        self.say(words.in_words(sentence(comment)))
        if self.model.is_our_play and not self.composer.draft.is_empty:
            self._lines(words.draft_lines(self.composer))
            self._say_check()

    def undo(self) -> None:
        """Take back the last step."""
        if self.composer.undo():
            self._say_plan()
        elif self._swaps:
            self._swaps = self._swaps[:-1]
            self._resync()
            self._say_plan()
        else:
            self.say("There is nothing to take back.")

    def clear(self) -> None:
        """Take back everything."""
        self.composer.clear()
        self._swaps = ()
        self._resync()
        self.say("Nothing is planned any more; undo brings it back.")

    def go(self) -> None:
        """Play what is planned."""
        if self.model.open_window is not None:
            self.say("First say whether you take the upcard: take or pass.")
            return
        if not self.model.is_our_play:
            self.say("It is not your turn; your plan stays.")
            return
        check = self._check()
        if check.ask is not None:
            self._ask_reading(check.ask)
        elif check.play is None:
            why = words.in_words(self.model.words(check.text))
            self.say(f"Not played: {sentence(why, is_first=False)}")
        else:
            self._answer(check.play)

    def _check(self) -> Check:
        """Say whether the plan can be played, its swaps included."""
        check, view = self.composer.check(), self.model.view
        if not self._swaps or check.play is None or view is None:
            return check
        play = replace(check.play, swaps=self._swaps)
        violation = explain(view, play)
        return Check(play) if violation is None else Check(text=violation.text)

    def swap(self, rest: str) -> None:
        """Plan to take a wild back for its natural: CARD on LETTER."""
        text, _, letter = rest.rpartition(" on ")
        keys = self._named(text)
        if keys is None:
            return
        number = meld_number(letter.strip())
        if len(keys) != 1 or number is None:
            self.say("Say the natural and the meld of the wild, as in swap 7S on b.")
            return
        card = keys[0][0]
        found = [
            swap
            for swap in swaps_now(self.composer.view)
            if (swap.card, swap.meld) == (card, number)
        ]
        if not found or not self.composer.view.is_my_turn:
            self.say(f"{card} cannot be swapped for a wild of meld {letter.strip()} now.")
            return
        self._swaps = (*self._swaps, found[0])
        self._resync()
        self._say_plan()
        self._say_check()

    def _resync(self) -> None:
        if self.model.view is not None:
            self.sync(self.model.view)

    def _ask_reading(self, ask: AskReading) -> None:
        readings = ask.readings
        options = [run_span(meld) if meld.suit else describe_meld(meld) for meld in readings]

        def pick(number: int) -> None:
            self.composer.choose_reading(ask.pile, readings[number])
            self.go()

        self._offer(f"Pile {ask.pile + 1} can be several melds.", options, pick)


def _swapped(view: PlayerView, swap: Swap) -> PlayerView | None:
    """Return the view after a swap of our own, None where it is not possible any more."""
    if not view.is_my_turn or swap not in swaps_now(view):
        return None
    _, wild = swap_in(view.table[swap.meld].meld, swap.card, swap.place)
    return fold(view, ev.Swapped(view.me, swap.meld, swap.card, swap.place, wild))
