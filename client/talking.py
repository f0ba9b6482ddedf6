"""What the player types at the table: things said, words for the owner, standing orders."""

from __future__ import annotations

from enum import StrEnum

from hollywood.protocol.errors import NotationError
from hollywood.protocol.wire import messages as msg

from .field import Field
from .model import ClientModel
from .wants import parse_order, write_order

MAX_SAID = 200


class Topic(StrEnum):
    """What a text is for."""

    CHAT = "chat"
    WANT = "want"


class Entry:
    """A text that is being typed at the table."""

    def __init__(self, topic: Topic, text: str = "") -> None:
        self.topic = topic
        self.field = Field(text, limit=MAX_SAID)

    @property
    def label(self) -> str:
        """What stands before the text."""
        return "say" if self.topic is Topic.CHAT else "want"

    @property
    def help(self) -> str:
        """What may be typed."""
        if self.topic is Topic.CHAT:
            return ""
        return "cards (7H), ranks (Q), * wilds, pass = until your turn; nothing = no order"


def chat_entry() -> Entry:
    """Begin to say something."""
    return Entry(Topic.CHAT)


def want_entry(model: ClientModel, last: str = "") -> Entry:
    """Begin to change the standing order; where there is none, the last one is offered."""
    return Entry(Topic.WANT, write_order(model.order) or last)


def message_for(entry: Entry, model: ClientModel) -> msg.ClientMessage | str:
    """Return what a text means to the server, "" if nothing, or why it means nothing."""
    text = entry.field.text.strip()
    if entry.topic is Topic.WANT:
        return _order(text, model)
    if not text:
        return ""
    if text.startswith("/"):
        return _moderate(text[1:], model)
    return msg.Chat(cid=model.next_cid(), text=text)


def _order(text: str, model: ClientModel) -> msg.Order | str:
    if model.view is None:
        return ""
    try:
        return parse_order(text, model.view.rules, model.next_cid())
    except NotationError as error:
        return error.message


def skip_order(model: ClientModel) -> msg.Order:
    """Return the order that passes until our turn, or one that does not any more."""
    before = model.order
    claim = before.claim if before is not None else ()
    is_passing = before is not None and before.pass_until_turn
    return msg.Order(cid=model.next_cid(), claim=claim, pass_until_turn=not is_passing)


def _moderate(text: str, model: ClientModel) -> msg.Moderate | str:
    word, _, name = text.partition(" ")
    name = name.strip()
    if word not in set(msg.Act) or not name:
        return f"say /{', /'.join(msg.Act)} and a name; begin with another sign to say it to all"
    if not model.is_owner:
        return "only the owner of the table does that"
    seats = [i for i in range(len(model.seats)) if model.name(i).casefold() == name.casefold()]
    cid, act = model.next_cid(), msg.Act(word)
    if seats:
        return msg.Moderate(cid=cid, act=act, seat=seats[0])
    return msg.Moderate(cid=cid, act=act, name=name)
