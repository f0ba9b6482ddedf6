"""A table in lines and words: for screen readers, dumb terminals and pipes.

The same model and composer as the screen's, the same rules; only what is said and
how it is typed differ. Output is lines that are added, never changed. Nothing
here knows of terminals, sockets or clocks: whoever runs it hands in lines and the
time, so a whole game can be played by a script.

It is long since every word that can be typed has its answer here, but for those of a
turn in the making (`plain_turn`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hollywood.protocol.errors import NotationError
from hollywood.protocol.rules import Action, Claim, Pass, parse_card
from hollywood.protocol.wire import ClientMessage, ServerMessage
from hollywood.protocol.wire import messages as msg

from . import plain_words as words
from .desk import Outcome
from .hand import Sort
from .model import ClientModel, LinkStatus, is_claim, seats_ahead
from .narrate import join_words
from .plain_commands import Command, Verb, find, help_lines
from .plain_lobby import PlainLobby
from .plain_turn import PlainTurn
from .plain_words import sentence
from .rulespage import in_short, rules_sentences
from .talking import Entry, Topic, message_for, skip_order
from .text import printable
from .wants import describe_order

CALLED_AT = (30, 10, 5, 3)
"""Seconds left at which the time is called out."""

HISTORY = 500

Keep = Callable[..., object]


def _keep_nothing(**_fields: object) -> None:
    return None


class Plain:
    """One player's place at a table, in words.

    Args:
        model: What is known of the table; only this object hands messages to it.
        send: Queues a message without blocking; False if there is no connection.
        say: Takes each line of output, without its end.
        spells: Whether cards are said in words.
        sort: The order in which the hand is said.
        wants: The last standing order of an earlier game, as it was typed.
        password: Of the table that will be named first.
        is_alone: Whether the server is part of this program and ends with it.
        keep: Called with the settings that have changed: `spell`, `sort`, `wants`.
    """

    def __init__(
        self,
        model: ClientModel,
        send: Callable[[ClientMessage], bool],
        say: Callable[[str], object],
        *,
        spells: bool = False,
        sort: Sort = "rank",
        wants: str = "",
        password: str = "",
        is_alone: bool = False,
        keep: Keep = _keep_nothing,
    ) -> None:
        self.model = model
        self.lobby = PlainLobby(model, self.say, self._deliver, password)
        self.turn = PlainTurn(model, self.say, self._answer, sort)
        self.outcome: Outcome | None = None
        """Set when the player leaves."""
        self.send = send
        self._print = say
        self._keep = keep
        self._is_alone = is_alone
        self._spells = spells
        self._wants = wants
        self._history: list[str] = []
        self._link = ""
        self._was_lost = False
        self._deal = -1
        self._asked: int | None = None
        """The decision that was said."""
        self._called: set[int] = set()
        """Seconds that were called out for it."""
        self._said_result = self._said_over = self._said_seats = False
        self._is_leaving = False
        self._verbs: dict[Verb, Callable[[str, float], object]] = {
            Verb.HELP: lambda rest, _: self._lines(help_lines(rest)),
            Verb.HAND: lambda _, __: self._say_hand(),
            Verb.TABLE: lambda _, __: self._say_table(),
            Verb.NEED: lambda _, __: self._say_need(),
            Verb.RULES: lambda rest, _: self._say_rules(rest),
            Verb.SCORES: lambda _, __: self._say_scores(),
            Verb.LOG: lambda rest, _: self._say_log(rest),
            Verb.WHAT: lambda _, now: self._say_what(now),
            Verb.TAKE: lambda _, __: self._window(Claim()),
            Verb.PASS: lambda _, __: self._window(Pass()),
            Verb.LAY: lambda rest, _: self.turn.lay(rest),
            Verb.OFF: lambda rest, _: self.turn.lay_off(rest),
            Verb.SWAP: lambda rest, _: self.turn.swap(rest),
            Verb.DISCARD: lambda rest, _: self.turn.discard(rest),
            Verb.SUGGEST: lambda _, __: self.turn.suggest(),
            Verb.PLAN: lambda _, __: self.turn.say_plan(),
            Verb.UNDO: lambda _, __: self.turn.undo(),
            Verb.CLEAR: lambda _, __: self.turn.clear(),
            Verb.GO: lambda _, __: self.turn.go(),
            Verb.CHAT: lambda rest, _: self._talk(rest),
            Verb.WANT: lambda rest, _: self._want(rest),
            Verb.SKIP: lambda _, __: self._order(skip_order(self.model)),
            Verb.SORT: lambda rest, _: self._sort(rest),
            Verb.WORDS: lambda _, __: self._toggle_words(),
            Verb.TABLES: lambda _, __: self.lobby.ask(),
            Verb.SIT: lambda rest, _: self.lobby.sit(rest),
            Verb.WATCH: lambda rest, _: self.lobby.watch(rest),
            Verb.PASSWORD: lambda rest, _: self.lobby.set_password(rest),
            Verb.READY: lambda _, __: self._ready(),
            Verb.BEGIN: lambda _, __: self._begin(),
            Verb.AGAIN: lambda _, __: self._again(),
            Verb.QUIT: lambda _, __: self._quit(),
            Verb.YES: lambda _, __: self._yes(),
            Verb.NO: lambda _, __: self._no(),
        }

    @property
    def is_asked(self) -> bool:
        """Whether the game waits for the player."""
        model = self.model
        if self._is_leaving or self.turn.is_asking or model.is_game_over:
            return True
        if model.is_watching:
            return False
        if model.view is None:
            return self.lobby.is_asked
        if not model.is_seated:
            return model.is_owner and any(seat.kind == "open" for seat in model.seats)
        waits = model.result is not None and not model.is_ready
        return waits or model.open_window is not None or model.is_our_play

    # what comes in

    def receive(self, message: ServerMessage | LinkStatus, now: float) -> None:
        """Take in what the server or the link says, and say what is new."""
        model = self.model
        if isinstance(message, LinkStatus):
            model.set_link(message, now)
            self._say_link(message)
        else:
            if self._is_played(message):
                # another copy of a card that was played must not stay planned
                self.turn.forget()
            model.receive(message, now)
        if model.view is None and not isinstance(message, LinkStatus):
            self.lobby.receive(message)
        if model.question is not None and self.send(model.question):
            model.question = None
        self._sync()
        news = self._take_log()
        self._lines(news)
        if model.notice and (notice := sentence(model.notice)) not in news:
            self.say(notice)
        model.notice = ""
        self._say_news()
        self._ask(now)

    def _is_played(self, message: ServerMessage) -> bool:
        decision = self.model.decision
        return (
            isinstance(message, msg.Verdict)
            and message.status is msg.VerdictStatus.ACCEPTED
            and decision is not None
            and decision.did == message.did
            and not decision.is_window
        )

    def line(self, text: str, now: float) -> None:
        """Do what a typed line asks for."""
        text = printable(text.replace("\t", " ")).strip()
        if not text:
            self._empty(now)
        elif text.isdecimal() and self.turn.is_asking:
            self.turn.choose(int(text))
        else:
            self._command(text, now)
        if self.outcome is None:
            self._ask(now)

    def tick(self, now: float) -> None:
        """Call out the time where little is left."""
        decision = self.model.decision
        left = None if decision is None or decision.cid else decision.remaining(now)
        if decision is None or left is None or decision.did != self._asked:
            return
        due = [at for at in CALLED_AT if left <= at and at < decision.total - 1]
        new = set(due) - self._called
        self._called |= new
        if new and left > 0:
            self.say(f"{words.count(min(new), 'second')} left.")

    def next_tick(self, now: float) -> float | None:
        """Seconds until `tick` will have something to say, None where nothing runs."""
        decision = self.model.decision
        left = None if decision is None or decision.cid else decision.remaining(now)
        if decision is None or left is None:
            return None
        waits = [left - at for at in CALLED_AT if at not in self._called and left > at]
        return min(waits, default=None)

    def end_of_input(self) -> None:
        """Nothing more will be typed: leave."""
        if self.outcome is None:
            if self.model.is_game_over:
                self.outcome = "game over"
            else:
                self.say("The input has ended: you leave the table.")
                self._give_up()

    def say(self, text: str) -> None:
        """Say one line."""
        text = words.without_rows(text)
        self._print(words.spell(text) if self._spells else text)

    def _lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.say(line)

    # what is said by itself

    def _take_log(self) -> list[str]:
        """Return what has happened since; this object keeps the log itself."""
        news = [sentence(line) for line in self.model.log]
        self.model.log.clear()
        self._history += news
        del self._history[:-HISTORY]
        return news

    def _sync(self) -> None:
        view = self.model.view
        if view is not None and view.deal >= 0 and view.seat is not None:
            self.turn.sync(view)

    def _say_link(self, link: LinkStatus) -> None:
        before, self._link = self._link, link.state
        if link.state == "lost":
            why = f" ({link.text})" if link.text else ""
            wait = words.count(max(1, round(link.retry_in)), "second")
            self.say(f"The connection is lost; trying again in {wait}{why}.")
        elif link.state == "online" and before in ("lost", "connecting") and self._was_lost:
            self.say("The connection is back.")
        elif link.state not in ("online", "connecting") and link.text:
            self.say(sentence(link.text))
        self._was_lost = link.state == "lost" or (self._was_lost and link.state == "connecting")

    def _say_news(self) -> None:
        """Say what no single event tells: a new hand, a result, the end."""
        model, view = self.model, self.model.view
        if view is None:
            return
        if view.deal < 0:
            self._say_waiting()
            return
        if view.deal != self._deal:
            self._deal, self._said_result = view.deal, False
            self._said_over = False
            if view.seat is not None:
                self.say(words.hand_line(self.turn.cards()))
                self._say_last_wants(view.deal)
        if model.result is not None and not self._said_result:
            self._said_result = True
            self._lines(sentence(line) for line in words.result_lines(model, model.result))
            if not (model.is_game_over or model.is_watching):
                self.say("Type ready for the next deal.")
        if model.is_game_over and not self._said_over:
            self._said_over = True
            self.say("The game is over. Type again for another game, or quit.")

    def _say_last_wants(self, deal: int) -> None:
        if deal == 0 and self._wants and self.model.order is None:
            self.say(f"Last time you wanted {self._wants}: want last wants it again.")

    def _say_waiting(self) -> None:
        if self._said_seats or not self.model.seats:
            return
        self._said_seats = True
        seats = enumerate(self.model.seats)
        taken = [self.model.name(i) for i, seat in seats if seat.kind != "open"]
        free = len(self.model.seats) - len(taken)
        self.say(
            f"You are at table {self.model.table}, {words.count(free, 'seat')} free. "
            f"Here: {join_words(taken)}. Type help for what you can type."
        )
        if free and self.model.is_owner:
            self.say("Type begin to begin now, with bots on the free seats.")

    def _ask(self, now: float) -> None:
        """Say what is asked, once."""
        decision = self.model.decision
        if decision is None or decision.cid is not None or decision.did == self._asked:
            return
        self._asked = decision.did
        left = decision.remaining(now)
        # what the question itself says of the time need not be called out
        self._called = set() if left is None else {at for at in CALLED_AT if at >= left - 1}
        if not decision.is_window and not self.model.is_watching:
            self.say(words.hand_line(self.turn.cards()))
            self.turn.say_draft()
        self.say(words.question(self.model, decision, now))

    # lines

    def _command(self, text: str, now: float) -> None:
        word, _, rest = text.partition(" ")
        command = self._meant(word, rest)
        if isinstance(command, str):
            self.say(command)
            return
        verb, rest = command.verb, rest.strip()
        if verb is Verb.OFF and _is_card(word):
            rest = text
        elif verb is Verb.LAY and rest.lower().startswith("off "):
            verb, rest = Verb.OFF, rest[4:]
        elif verb is Verb.LAY and " on " in f" {rest.lower()} ":
            verb = Verb.OFF
        if verb not in (Verb.YES, Verb.NO):
            self._is_leaving = False
        if verb in _NEEDS_CARDS and not self._has_cards():
            return
        if verb in _NEEDS_TURNS and self._is_between_deals():
            self.say("This deal is over: type ready for the next one.")
            return
        self._verbs[verb](rest, now)

    def _meant(self, word: str, rest: str) -> Command | str:
        if _is_card(word) and " on " in f" {rest.lower()} ":
            word = Verb.OFF.value
        return find(word)

    def _empty(self, now: float) -> None:
        """Enter alone goes on where that is harmless, and says what is asked."""
        if self._is_between_deals():
            self._ready()
        else:
            self._say_what(now)

    def _is_between_deals(self) -> bool:
        model = self.model
        return model.result is not None and not (model.is_game_over or model.is_watching)

    def _has_cards(self) -> bool:
        view = self.model.view
        if view is None or view.deal < 0:
            self.say("No cards were dealt yet.")
            return False
        if view.seat is None:
            self.say("You watch: you have no cards of your own.")
            return False
        return True

    # looking around

    def _say_hand(self) -> None:
        self.say(words.hand_line(self.turn.cards()))
        new = [card for card in self.turn.cards() if card in self.model.new_cards]
        if new:
            self.say(f"New since your last turn: {words.cards_text(list(self.model.new_cards))}.")

    def _say_table(self) -> None:
        view = self.model.view
        if view is None:
            self.say("You are at no table; tables says which there are.")
            return
        if view.deal < 0:
            self._said_seats = False
            self._say_news()
            return
        self._lines(sentence(line) for line in words.table_lines(self.model, view))
        if order := describe_order(self.model.order):
            self.say(sentence(order))

    def _say_need(self) -> None:
        if self.model.view is not None:
            self.say(words.contract_line(self.model.view))

    def _say_rules(self, rest: str) -> None:
        view = self.model.view
        if view is None:
            self.say("You are at no table: sit down first, its rules are known then.")
        elif rest.lower() == "all":
            self._lines(sentence(line) for line in rules_sentences(view.rules))
        else:
            self._lines(in_short(view.rules, "need says which"))
            self.say("Type rules all for every rule.")

    def _say_scores(self) -> None:
        view = self.model.view
        if view is None or view.deal < 0:
            self.say("No cards were dealt yet.")
        else:
            self._lines(sentence(line) for line in words.scores_lines(self.model, view))

    def _say_log(self, rest: str) -> None:
        count = int(rest) if rest.isdecimal() and int(rest) > 0 else 10
        self._lines(self._history[-count:] or ["Nothing has happened yet."])

    def _say_what(self, now: float) -> None:
        model = self.model
        if model.open_window is not None or model.is_our_play:
            self._asked = None
        elif model.is_game_over:
            self.say("The game is over. Type again for another game, or quit.")
        elif model.result is not None and not model.is_watching:
            self.say("Waiting for the others." if model.is_ready else "Type ready to go on.")
        elif model.decision is not None:
            self.say("You have answered; the others are still asked.")
        elif model.view is not None and model.view.deal >= 0:
            self.say(f"{sentence(model.who(model.view.turn))[:-1]} is in turn.")
        elif model.view is not None:
            self._say_table()
        else:
            self.lobby.ask()

    # the upcard

    def _window(self, action: Action) -> None:
        window = self.model.open_window
        if window is None:
            self.say("No card is offered to you now.")
            return
        asked = self._asked
        if self._answer(action) and not window.is_free:
            self._say_answered(action, asked)

    def _say_answered(self, action: Action, asked: int | None) -> None:
        view, decision = self.model.view, self.model.decision
        if decision is None or view is None or decision.did != asked:
            return  # it was settled at once: what happened has been said
        ahead = [self.model.who(seat) for seat in seats_ahead(view)]
        if not is_claim(decision) or action != Claim():
            self.say("You passed.")
        elif ahead:
            self.say(f"You asked for it; {join_words(ahead)} may take it before you.")
        else:
            self.say("You asked for it.")

    def _answer(self, action: Action) -> bool:
        message = self.model.answer(action)
        if message is None:
            self.say("It is not your turn.")
            return False
        # first remember, then send: the verdict may come before sending returns
        before = self.model.decision
        self.model.was_sent(message)
        if not self.send(message):
            self.model.decision = before
            self.say("Not connected: nothing was sent.")
            return False
        return True

    # talking and settings

    def _talk(self, rest: str) -> None:
        self._deliver(message_for(Entry(Topic.CHAT, rest), self.model))

    def _want(self, rest: str) -> None:
        if rest.lower() == "last" and self._wants:
            rest = self._wants
        message = message_for(Entry(Topic.WANT, rest), self.model)
        if isinstance(message, msg.Order):
            self._order(message)
            self._wants = rest or self._wants
            self._keep(wants=self._wants)
        else:
            self._deliver(message)

    def _order(self, order: msg.Order) -> None:
        if not self._deliver(order):
            return
        self.model.order = order if order.claim or order.pass_until_turn else None
        self.say(sentence(describe_order(self.model.order) or "you are asked about every card"))

    def _deliver(self, message: ClientMessage | str) -> bool:
        if isinstance(message, str):
            if message:
                self.say(sentence(message))
            return False
        if not self.send(message):
            self.say("Not connected: nothing was sent.")
            return False
        return True

    def _sort(self, rest: str) -> None:
        if rest not in ("rank", "suit"):
            rest = "suit" if self.turn.hand.sort == "rank" else "rank"
        while self.turn.hand.sort != rest:
            self.turn.hand.toggle_sort()
        self._keep(sort=self.turn.hand.sort)
        self.say(f"By {rest}. {words.hand_line(self.turn.cards())}")

    def _toggle_words(self) -> None:
        self._spells = not self._spells
        self._keep(spell=self._spells)
        self.say("Cards are said in words." if self._spells else "Cards are said in short.")

    # from deal to deal

    def _ready(self) -> None:
        if self.model.result is None or self.model.is_game_over or self.model.is_watching:
            self.say("No deal is over: there is nothing to go on to.")
        elif self.model.is_ready:
            self.say("You are ready; waiting for the others.")
        else:
            # remembered first: the next deal may come before sending returns
            self.model.is_ready = True
            if not self._deliver(msg.Ready(cid=self.model.next_cid())):
                self.model.is_ready = False

    def _begin(self) -> None:
        if self.model.is_owner:
            self._deliver(msg.Start(cid=self.model.next_cid()))
        else:
            self.say("Only the owner of the table begins.")

    def _again(self) -> None:
        if self.model.is_game_over:
            self._said_seats = False
            self._deliver(msg.Rematch(cid=self.model.next_cid()))
        else:
            self.say("This game is not over.")

    # leaving

    def _quit(self) -> None:
        if self.model.is_game_over or self.model.view is None or self.model.is_watching:
            self.outcome = "game over" if self.model.is_game_over else "quit"
            return
        self._is_leaving = True
        then = "A bot plays on for you, and you cannot come back."
        if self._is_alone:
            then = "The game ends, and nothing of it is kept."
        self.say(f"Leave the table? {then} Type yes or no.")

    def _yes(self) -> None:
        if self._is_leaving:
            self._give_up()
        elif self.model.open_window is not None:
            self._window(Claim())
        else:
            self.say("Nothing was asked.")

    def _no(self) -> None:
        if self._is_leaving:
            self._is_leaving = False
            self.say("You stay.")
        else:
            self._window(Pass())

    def _give_up(self) -> None:
        if not self.model.is_watching:
            self.send(msg.Leave(cid=self.model.next_cid()))
        self.outcome = "quit"


_NEEDS_CARDS = frozenset(
    {
        *(Verb.HAND, Verb.NEED, Verb.SORT, Verb.PLAN, Verb.UNDO, Verb.CLEAR, Verb.GO),
        *(Verb.LAY, Verb.OFF, Verb.SWAP, Verb.DISCARD, Verb.SUGGEST),
    }
)
"""What makes sense only with a hand."""

_NEEDS_TURNS = frozenset(
    {
        *(Verb.TAKE, Verb.PASS, Verb.LAY, Verb.OFF, Verb.SWAP),
        *(Verb.DISCARD, Verb.SUGGEST, Verb.GO),
    }
)
"""What makes sense only while turns are taken."""


def _is_card(word: str) -> bool:
    try:
        parse_card(word)
    except NotationError:
        return False
    return True
