"""What the player at this terminal is doing, and what each key does about it.

The model knows the table; the desk knows the cursor, the draft, what is being
asked and what covers the screen. `press` takes a key's name and the time, so a
whole game can be played on a desk without any terminal.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Literal

import msgspec

from hollywood.protocol.rules import Action as GameAction
from hollywood.protocol.rules import Claim, Pass, Play, explain
from hollywood.protocol.wire.messages import ClientMessage, Leave, Ready

from .composer import AskPlace, AskReading, CardKey, Composer, Draft
from .hand import HandView, cards_per_row
from .keys import Action, Context, find
from .model import ClientModel
from .narrate import describe_meld, run_span
from .suggest import suggest

DEAD_TIME = 0.3
"""Seconds after a window opens in which its keys do nothing: they were meant otherwise."""

PAGE = 8
"""Lines that PgUp and PgDn scroll."""

Outcome = Literal["quit", "game over"]


class Reading(StrEnum):
    """What covers the table while it is read."""

    HELP = "help"
    SCORES = "scores"
    LOG = "log"


class Question(msgspec.Struct, frozen=True):
    """Something asked of the player; its keys come before all others."""

    context: Context
    text: str
    options: tuple[str, ...] = ()
    """What the numbers from 1 on stand for, where the context is CHOICE."""
    keys: tuple[CardKey, ...] = ()
    """The cards it is about."""


class Desk:
    """One player's place at a table."""

    def __init__(self, model: ClientModel, send: Callable[[ClientMessage], bool]) -> None:
        self.model = model
        self.hand = HandView()
        self.composer = Composer()
        self.is_composing = False
        self.question: Question | None = None
        self.reading: Reading | None = None
        self.scroll = 0
        """Lines scrolled down in what is read; the log opens at its end."""
        self.notice = ""
        """The answer to the last key."""
        self.outcome: Outcome | None = None
        """Set when the player leaves."""
        self.cols = 80
        """Width of the screen, for moving between the rows of the hand."""
        self._send = send
        self._pick: Callable[[int], None] | None = None
        self._actions: dict[Action, Callable[[], object]] = {
            Action.TAKE: lambda: self._answer(Claim()),
            Action.BUY: lambda: self._answer(Claim()),
            Action.PASS: lambda: self._answer(Pass()),
            Action.DISCARD: self._discard,
            Action.COMPOSE: self._open_composer,
            Action.CLOSE: self._close,
            Action.LAY_OFF: self._ask_meld,
            Action.SUGGEST: self._suggest,
            Action.UNDO: self._undo,
            Action.SEND: self._send_turn,
            Action.SELECT: self.hand.toggle,
            Action.SORT: self.hand.toggle_sort,
            Action.LEFT: lambda: self.hand.move(-1),
            Action.RIGHT: lambda: self.hand.move(1),
            Action.HOME: lambda: self.hand.move_to_end(last=False),
            Action.END: lambda: self.hand.move_to_end(last=True),
            Action.UP: lambda: self.hand.move_row(-1, cards_per_row(self.cols)),
            Action.DOWN: lambda: self.hand.move_row(1, cards_per_row(self.cols)),
            Action.YES: self._yes,
            Action.NO: self._drop_question,
            Action.READY: self._ready,
            Action.FINISH: lambda: self._leave("game over"),
            Action.SCORES: lambda: self._read(Reading.SCORES),
            Action.LOG: lambda: self._read(Reading.LOG),
            Action.HELP: lambda: self._read(Reading.HELP),
            Action.SCROLL_UP: lambda: self._scroll(-1),
            Action.SCROLL_DOWN: lambda: self._scroll(1),
            Action.PAGE_UP: lambda: self._scroll(-PAGE),
            Action.PAGE_DOWN: lambda: self._scroll(PAGE),
            Action.LEAVE: self._ask_leave,
            Action.INTERRUPT: self._interrupt,
        }
        self._with_key: dict[Action, Callable[[str], None]] = {
            Action.LETTER: self._lay_off_on,
            Action.NUMBER: self._choose,
            Action.PILE: self._put,
            Action.FIND: self.hand.find,
        }

    # where we are

    def contexts(self) -> frozenset[Context]:
        """The contexts whose keys work now."""
        return frozenset({Context.ALWAYS, *self._place()})

    def _place(self) -> set[Context]:
        model = self.model
        if self.question is not None:
            return {self.question.context}
        if self.reading is not None:
            return {Context.READING} | self._asked() - {Context.PLAY}
        if not model.is_seated:
            return {Context.START}
        if model.is_game_over:
            return {Context.OVER}
        if model.result is not None:
            return {Context.RESULT}
        return self._base() | self._asked()

    def _base(self) -> set[Context]:
        if not self.is_composing:
            return {Context.TABLE}
        return {Context.COMPOSER, Context.PILES} if self.composer.contract else {Context.COMPOSER}

    def _asked(self) -> set[Context]:
        if (window := self.model.open_window) is not None:
            return {Context.TAKE if window.is_free else Context.BUY}
        return {Context.PLAY} if self.model.is_our_play else set()

    def sync(self) -> None:
        """Follow the model after each message."""
        view = self.model.view
        if view is None or view.deal < 0:
            return
        self.hand.sync(view.hand, view.rules)
        self.composer.sync(view)
        if self.model.result is not None or self.model.is_game_over:
            self.is_composing = False
            if self.question is not None and self.question.context is not Context.LEAVE:
                self._drop_question()
        elif self.question is not None and not set(self.question.keys) <= set(self.hand.keys):
            self._drop_question()

    # what keys do

    def press(self, key: str, now: float) -> bool:
        """Do what the key does now; False if it does nothing."""
        action = find(key, self.contexts())
        if action is None:
            return False
        if action in (Action.TAKE, Action.BUY, Action.PASS) and self._is_dead_time(now):
            return False
        self.notice = self.model.notice = ""
        if (with_key := self._with_key.get(action)) is not None:
            with_key(key)
        elif (do := self._actions.get(action)) is not None:
            do()
        return True

    def _is_dead_time(self, now: float) -> bool:
        decision = self.model.decision
        return decision is not None and now - decision.opened_at < DEAD_TIME

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

    def _yes(self) -> None:
        question, self.question = self.question, None
        if question is None:
            return
        if question.context is Context.LEAVE:
            self._send(Leave(cid=self.model.next_cid()))
            self._leave("quit")
        else:
            self._answer(Play(discard=question.keys[0][0]))

    def _open_composer(self) -> None:
        self.is_composing = True

    def _close(self) -> None:
        if self.reading is not None:
            self.reading, self.scroll = None, 0
        else:
            self.is_composing = False

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
        letters = " ".join(self.composer.letter(target) for target in self.composer.fitting(cards))
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
        self._after_lay_off(self.composer.lay_off(question.keys, target))
        self.hand.selected.clear()

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
        elif not self.composer.undo():
            self.notice = "nothing to take back"

    def _send_turn(self) -> None:
        check = self.composer.check()
        if check.ask is not None:
            self._ask_reading(check.ask)
        elif check.play is None:
            self.notice = f"not sent: {self.model.words(check.text)}"
        elif self._answer(check.play):
            self.is_composing = False
            self.hand.selected.clear()

    def _ask_reading(self, ask: AskReading) -> None:
        options = tuple(
            run_span(meld) if meld.suit else describe_meld(meld) for meld in ask.readings
        )

        def pick(number: int) -> None:
            self.composer.choose_reading(ask.pile, ask.readings[number])
            self._send_turn()

        self._ask(f"Pile {ask.pile + 1} can be several runs:", options, pick)

    def _ready(self) -> None:
        if not self.model.is_ready and self._sent(Ready(cid=self.model.next_cid())):
            self.model.is_ready = True
            self.scroll = 0

    def _read(self, what: Reading) -> None:
        self.reading = None if self.reading is what else what
        self.scroll = 0

    def _scroll(self, step: int) -> None:
        # the log is scrolled back from its end
        self.scroll = max(0, self.scroll + (-step if self.reading is Reading.LOG else step))

    def _ask_leave(self) -> None:
        self.question = Question(Context.LEAVE, "a bot plays on for you, and you cannot come back")

    def _interrupt(self) -> None:
        if self.question is not None and self.question.context is Context.LEAVE:
            self._leave("quit")
        elif self.model.is_game_over:
            self._leave("game over")
        else:
            self._ask_leave()

    def _leave(self, outcome: Outcome) -> None:
        self.question = None
        self.outcome = outcome


def _at(suit: str, place: int) -> str:
    return f"{' A23456789TJQKA'[place]}{suit}"
