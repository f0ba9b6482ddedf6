"""A turn at the desk: what is claimed, discarded, laid off, composed, asked and sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from hollywood.protocol.rules import Action as GameAction
from hollywood.protocol.rules import MeldKind, Play, Swap, explain
from hollywood.protocol.wire.messages import ClientMessage

from .composer import AskPlace, AskReading, CardKey, Check, Composer, Draft, Target
from .hand import HandView
from .keys import Context
from .model import ClientModel
from .narrate import describe_meld, run_span
from .prefs import Prefs
from .suggest import suggest
from .swapping import after_swaps, check_with_swaps, possible_swap

NO_HINTS = "this table plays without hints and advice"


class Question(msgspec.Struct, frozen=True):
    """Something asked of the player; its keys come before all others."""

    context: Context
    text: str
    options: tuple[str, ...] = ()
    """What the numbers from 1 on stand for, where the context is CHOICE."""
    keys: tuple[CardKey, ...] = ()
    """The cards it is about."""


class TurnDesk:
    """Cards, draft and questions of one player.

    Args:
        model: What is known of the table.
        send: Queues a message without blocking; False if there is no connection.
        prefs: What the player likes.
    """

    def __init__(
        self, model: ClientModel, send: Callable[[ClientMessage], bool], prefs: Prefs
    ) -> None:
        self.model = model
        self.prefs = prefs
        self.hand = HandView(prefs.sort)
        self.composer = Composer()
        self.swaps: tuple[Swap, ...] = ()
        """Wilds that are to be taken back, in order."""
        self.is_composing = False
        self.question: Question | None = None
        self.notice = ""
        """The answer to the last key."""
        self.thinks_aside = False
        """Whether somebody else searches for advice when `wants_advice` is set."""
        self.wants_advice = False
        self._send = send
        self._pick: Callable[[int], None] | None = None

    def _answer(self, action: GameAction) -> bool:
        message = self.model.answer(action)
        if message is None:
            return False
        if not self._sent(message):
            return False
        self.model.was_sent(message)
        return True

    def _sent(self, message: ClientMessage) -> bool:
        if self._send(message):
            return True
        self.notice = "not connected: nothing was sent"
        return False

    def _discard(self) -> None:
        key = self.hand.cursor
        if key is None:
            return
        if self.is_composing:
            self.composer.set_discard(key)
            return
        if not self.model.is_our_play:
            self.notice = "it is not your turn to discard; g opens the composer for a plan"
            return
        violation = explain(self.composer.view, Play(discard=key[0]))
        if violation is not None:
            self.notice = self.model.words(violation.text)
            return
        plan = "" if self.composer.draft.is_empty else " Your draft stays, unsent."
        self.question = Question(
            Context.CONFIRM, f"discard {key[0]} and end the turn?{plan}", keys=(key,)
        )

    def _put(self, key: str) -> None:
        self.notice = self.composer.put(self.hand.chosen(), int(key) - 1)
        self.hand.selected.clear()

    def _ask_meld(self) -> None:
        keys = tuple(self.hand.chosen())
        cards = [card for card, _ in keys]
        if not keys:
            return
        targets = self.composer.melds()
        if not targets:
            self.notice = "no meld lies on the table yet"
            return
        fitting = list(self.composer.fitting(cards))
        fitting += [
            target
            for target in targets
            if target not in fitting and len(cards) == 1 and self._swap_on(keys, target)
        ]
        letters = " ".join(self.composer.letter(target) for target in fitting)
        fits = f"it fits {letters}" if letters else "it fits none of them"
        if len(cards) > 1:
            fits = fits.replace("it fits", "some fit" if letters else "they fit")
        self.question = Question(
            Context.MELD, f"lay off {' '.join(cards)} on which meld? ({fits})", keys=keys
        )

    def _lay_off_on(self, letter: str) -> None:
        question = self.question
        if question is None:
            return
        target = self.composer.target(letter)
        if target is None:
            self.notice = f"there is no meld {letter}"
            return
        self.question = None
        self.is_composing = True
        swap = self._swap_on(question.keys, target)
        if swap is None:
            self._after_lay_off(self.composer.lay_off(question.keys, target))
        elif target not in self.composer.fitting([swap.card]):
            self._swap(swap)
        else:
            self._ask_swap(question.keys, target, swap)
        self.hand.selected.clear()

    def _swap_on(self, keys: Sequence[CardKey], target: Target) -> Swap | None:
        """Return the swap that this card could make on that meld, if it could."""
        if len(keys) != 1 or target.is_pile:
            return None
        return possible_swap(self.composer.view, keys[0][0], target.index)

    def _ask_swap(self, keys: Sequence[CardKey], target: Target, swap: Swap) -> None:
        def pick(number: int) -> None:
            if number:
                self._swap(swap)
            else:
                self._after_lay_off(self.composer.lay_off(keys, target))

        options = ("lay it off", "put it in for the wild, which comes to your hand")
        self._ask(f"{swap.card} on {self.composer.letter(target)}:", options, pick)

    def _swap(self, swap: Swap) -> None:
        self.swaps = (*self.swaps, swap)
        self.follow_view()

    def follow_view(self) -> None:
        """Follow the game: hand and draft are as the planned swaps leave them."""
        if self.model.view is not None:
            view, self.swaps = after_swaps(self.model.view, self.swaps)
            self.hand.sync(view.hand, view.rules)
            self.composer.sync(view)

    def check(self) -> Check:
        """Say what Enter would do."""
        return check_with_swaps(self.composer, self.model.view, self.swaps)

    def _after_lay_off(self, found: AskPlace | str) -> None:
        if isinstance(found, str):
            self.notice = found
            return
        meld = self.composer.melds()[found.target]
        ends = tuple(
            f"{'low' if place < meld.low else 'high'} end, as {_at(meld.suit, place)}"
            for place in found.places
        )

        def pick(number: int) -> None:
            self._after_lay_off(self.composer.place(found, found.places[number]))

        self._ask(
            f"{found.card} fits both ends of {self.composer.letter(found.target)}:", ends, pick
        )

    def _ask(self, text: str, options: tuple[str, ...], pick: Callable[[int], None]) -> None:
        self.question = Question(Context.CHOICE, text, options)
        self._pick = pick

    def _choose(self, key: str) -> None:
        question, number = self.question, int(key) - 1
        if question is None or self._pick is None or number >= len(question.options):
            return
        pick = self._pick
        self._drop_question()
        pick(number)

    def _drop_question(self) -> None:
        self.question = self._pick = None

    def _suggest(self) -> None:
        if not self.model.allows_hints:
            self.notice = NO_HINTS
        elif self.thinks_aside:
            self.wants_advice, self.notice = True, "thinking ..."
        else:
            self.take_advice(*suggest(self.composer.view))

    def take_advice(self, draft: Draft, comment: str) -> None:
        """Put a suggested turn into the composer, or the cursor on a suggested discard."""
        self.notice = comment
        if draft.has_melds or draft.lay_offs:
            self.composer.replace(draft)
            self.hand.selected.clear()
            self.is_composing = True
        elif draft.discard is not None:
            self.hand.go_to(draft.discard)

    def _undo(self) -> None:
        if self.hand.selected:
            self.hand.selected.clear()
        elif self.composer.undo():
            return
        elif self.swaps:
            self.swaps = self.swaps[:-1]
            self.follow_view()
        else:
            self.notice = "nothing to take back"

    def _send_turn(self) -> None:
        check = self.check()
        if check.ask is not None:
            self._ask_reading(check.ask)
        elif check.play is None:
            self.notice = f"not sent: {self.model.words(check.text)}"
        elif self._answer(check.play):
            self.is_composing = False
            self.hand.selected.clear()

    def _ask_reading(self, ask: AskReading) -> None:
        options = tuple(
            run_span(meld) if meld.kind is MeldKind.RUN else describe_meld(meld)
            for meld in ask.readings
        )

        def pick(number: int) -> None:
            self.composer.choose_reading(ask.pile, ask.readings[number])
            self._send_turn()

        self._ask(f"Pile {ask.pile + 1} can be several runs:", options, pick)


def _at(suit: str, place: int) -> str:
    return f"{' A23456789TJQKA'[place]}{suit}"
