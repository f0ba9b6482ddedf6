"""What the player at this terminal is doing, and what each key does about it.

The model knows the table; the desk knows the cursor, the draft, what is being
asked and what covers the screen. `press` takes a key's name and the time, so a
whole game can be played on a desk without any terminal.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Literal

from hollywood.protocol.rules import Card, Claim, Pass, Play
from hollywood.protocol.wire.messages import (
    ClientMessage,
    Leave,
    Order,
    Ready,
    Rematch,
    ServerMessage,
    Start,
)

from .hand import cards_per_row
from .hints import Glance
from .keys import Action, Context, find
from .model import ClientModel, LinkStatus
from .narrate import meld_letter
from .prefs import Prefs
from .talking import Entry, Topic, chat_entry, message_for, skip_order, want_entry
from .turn import NO_HINTS as NO_HINTS
from .turn import Question as Question
from .turn import TurnDesk
from .wants import describe_order, write_order

DEAD_TIME = 0.3
"""Seconds after a window opens in which its keys do nothing: they were meant otherwise."""

Outcome = Literal["quit", "kept", "game over"]
"""How a table was left: for good, with the seat kept, or after the end."""


class Reading(StrEnum):
    """What covers the table while it is read."""

    HELP = "help"
    SCORES = "scores"
    LOG = "log"
    RULES = "rules"


class Desk(TurnDesk):
    """One player's place at a table.

    Args:
        model: What is known of the table.
        send: Queues a message without blocking; False if there is no connection.
        prefs: What the player likes.
        can_return: Whether the seat can be come back to after leaving the program.
    """

    def __init__(
        self,
        model: ClientModel,
        send: Callable[[ClientMessage], bool],
        prefs: Prefs | None = None,
        *,
        can_return: bool = False,
    ) -> None:
        super().__init__(model, send, prefs or Prefs())
        self.entry: Entry | None = None
        """What is being typed."""
        self.glance: Glance | None = None
        """What the hints rest on; whoever runs the desk keeps it up to date."""
        self.reading: Reading | None = None
        self.scroll = 0
        """Lines scrolled down in what is read; the log opens at its end."""
        self.outcome: Outcome | None = None
        """Set when the player leaves."""
        self.page = 8
        """Lines that PgUp and PgDn scroll."""
        self.cols = 80
        """Width of the screen, for moving between the rows of the hand."""
        self._can_return = can_return
        self._deal = -1
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
            Action.SORT: self._sort,
            Action.MOVE_LEFT: lambda: self._move_card(-1),
            Action.MOVE_RIGHT: lambda: self._move_card(1),
            Action.LEFT: lambda: self.hand.move(-1),
            Action.RIGHT: lambda: self.hand.move(1),
            Action.HOME: lambda: self.hand.move_to_end(last=False),
            Action.END: lambda: self.hand.move_to_end(last=True),
            Action.UP: lambda: self.hand.move_row(-1, cards_per_row(self.cols)),
            Action.DOWN: lambda: self.hand.move_row(1, cards_per_row(self.cols)),
            Action.YES: self._yes,
            Action.NO: self._drop_question,
            Action.READY: self._ready,
            Action.FINISH: self._finish,
            Action.SCORES: lambda: self._read(Reading.SCORES),
            Action.LOG: lambda: self._read(Reading.LOG),
            Action.RULES: lambda: self._read(Reading.RULES),
            Action.HELP: lambda: self._read(Reading.HELP),
            Action.SCROLL_UP: lambda: self._scroll(-1),
            Action.SCROLL_DOWN: lambda: self._scroll(1),
            Action.PAGE_UP: lambda: self._scroll(-self.page),
            Action.PAGE_DOWN: lambda: self._scroll(self.page),
            Action.CHAT: lambda: self._type(chat_entry()),
            Action.WANT: lambda: self._type(want_entry(self.model, self.prefs.wants)),
            Action.SKIP: lambda: self._order(skip_order(self.model)),
            Action.SUBMIT: self._submit,
            Action.CANCEL: lambda: self._type(None),
            Action.HINTS: self._toggle_hints,
            Action.MOUSE: self._toggle_mouse,
            Action.SUITS: self._next_suits,
            Action.BEGIN: lambda: self._sent(Start(cid=self.model.next_cid())),
            Action.REMATCH: self._play_again,
            Action.KEEP: lambda: self._leave("kept"),
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
            keeps = self._can_return and self.question.context is Context.LEAVE
            return {self.question.context, *({Context.KEEP} if keeps else ())}
        if self.entry is not None:
            return {Context.TEXT} | self._asked() - {Context.PLAY}
        if self.reading is not None:
            return {Context.READING} | self._asked() - {Context.PLAY}
        if not model.is_seated:
            return {Context.WAITING, Context.OWNER} if model.is_owner else {Context.WAITING}
        if model.is_game_over:
            return {Context.OVER}
        if model.is_watching:
            return {Context.WATCHING}
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
        if view is None or view.deal < 0 or view.seat is None:
            return
        if view.deal != self._deal:
            self._deal = view.deal
            self.hand.forget_order()
        self.follow_view()
        if self.model.result is not None or self.model.is_game_over:
            self.is_composing = False
            if self.question is not None and self.question.context is not Context.LEAVE:
                self._drop_question()
        elif self.question is not None and not set(self.question.keys) <= set(self.hand.keys):
            self._drop_question()

    # what keys do

    def receive(self, message: ServerMessage | LinkStatus, now: float) -> None:
        """Take in what the server or the link says."""
        if isinstance(message, LinkStatus):
            self.model.set_link(message, now)
        else:
            self.model.receive(message, now)
        self.sync()

    def press(self, key: str, now: float) -> bool:
        """Do what the key does now; False if it does nothing."""
        if self.question is None and self.entry is not None and self.entry.field.press(key):
            return True
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

    def click(self, target: str, now: float) -> bool:
        """Do what a click on a target does (`text.spot`); False if nothing."""
        kind, _, what = target.partition(":")
        if kind == "key":
            return self.press(" " if what == "space" else what, now)
        if kind == "meld":
            return self._click_meld(int(what), now)
        if kind == "upcard":
            taking = Context.TAKE in self.contexts()
            return self.press("p" if taking else "f5", now)
        if kind == "stock":
            return Context.TAKE in self.contexts() and self.press("n", now)
        if kind != "card" or self.contexts().isdisjoint({Context.TABLE, Context.COMPOSER}):
            return False
        card, _, copy = what.partition(":")
        if self.hand.point((Card(card), int(copy))):
            self.hand.toggle()
        return True

    def _click_meld(self, number: int, now: float) -> bool:
        letter = meld_letter(number)
        if self.question is None:
            self.press("l", now)
        is_asked = self.question is not None and self.question.context is Context.MELD
        return is_asked and self.press(letter, now)

    def _yes(self) -> None:
        question, self.question = self.question, None
        if question is None:
            return
        if question.context is Context.LEAVE:
            self._give_up()
        else:
            self._answer(Play(discard=question.keys[0][0]))

    def _open_composer(self) -> None:
        self.is_composing = True

    def _close(self) -> None:
        if self.reading is not None:
            self.reading, self.scroll = None, 0
        else:
            self.is_composing = False

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

    # words

    def _type(self, entry: Entry | None) -> None:
        self.entry = entry

    def _submit(self) -> None:
        entry = self.entry
        if entry is None:
            return
        message = message_for(entry, self.model)
        if isinstance(message, str):
            self.notice = message
            if message:
                return  # it stays, to be corrected
        elif isinstance(message, Order):
            if not self._order(message):
                return
            self.prefs.set_wants(write_order(Order(cid=0, claim=message.claim)))
        elif not self._sent(message):
            return
        # who talks goes on talking until an empty line
        is_talking = entry.topic is Topic.CHAT and message != ""
        self.entry = chat_entry() if is_talking else None

    def _order(self, order: Order) -> bool:
        if not self._sent(order):
            return False
        self.model.order = order if order.claim or order.pass_until_turn else None
        self.notice = describe_order(self.model.order) or "no standing order: you are asked"
        self._answer_as_ordered(order)
        return True

    def _answer_as_ordered(self, order: Order) -> None:
        """Answer the window that is open already; the server asks the order from the next on."""
        window, view = self.model.open_window, self.model.view
        if window is None or view is None:
            return
        if view.upcard in order.claim:
            self._answer(Claim())
        elif order.pass_until_turn and not window.is_free:
            self._answer(Pass())

    # how things are shown

    def _sort(self) -> None:
        self.hand.toggle_sort()
        self._sorted()

    def _move_card(self, step: int) -> None:
        self.hand.move_card(step)
        self._sorted()

    def _sorted(self) -> None:
        self.prefs.set_sort(self.hand.sort)
        how = {"rank": "by rank", "suit": "by suit", "mine": "your own order: Shift-←→ moves cards"}
        self.notice = f"sorted {how[self.hand.sort]}"

    @property
    def shows_hints(self) -> bool:
        """Whether hints stand on the screen."""
        view = self.model.view
        has_hand = view is not None and view.seat is not None and view.deal >= 0
        return self.prefs.hints and self.model.allows_hints and has_hand

    def _toggle_hints(self) -> None:
        if not self.model.allows_hints:
            self.notice = NO_HINTS
            return
        self.prefs.toggle_hints()
        self.notice = "" if self.prefs.hints else "hints off"

    def _toggle_mouse(self) -> None:
        self.notice = self.prefs.toggle_mouse()

    def _next_suits(self) -> None:
        self.notice = self.prefs.next_suits()

    # leaving

    def _play_again(self) -> None:
        if self._sent(Rematch(cid=self.model.next_cid())):
            self.notice = "waiting for the others to play again"

    def _ask_leave(self) -> None:
        if self.model.is_watching:
            self._give_up()
        elif not self.model.is_seated:
            self.question = Question(Context.LEAVE, "your seat becomes free for others")
        elif self._can_return:
            self.question = Question(
                Context.LEAVE,
                "y: a bot plays on for good; k: only until you are back;",
            )
        else:
            # the server is part of this program
            self.question = Question(Context.LEAVE, "the game ends, and nothing of it is kept")

    def _finish(self) -> None:
        self._send(Leave(cid=self.model.next_cid()))
        self._leave("game over")

    def _give_up(self) -> None:
        self._send(Leave(cid=self.model.next_cid()))
        self._leave("quit")

    def _interrupt(self) -> None:
        if self.question is not None and self.question.context is Context.LEAVE:
            self._leave("kept" if self._can_return else "quit")
        elif self.model.is_game_over:
            self._leave("game over")
        else:
            self._ask_leave()

    def _leave(self, outcome: Outcome) -> None:
        self.question = None
        self.outcome = outcome
