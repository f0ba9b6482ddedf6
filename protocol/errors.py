"""One tree of exceptions and one list of codes.

The values of `ErrorCode` go on the wire and into tests; they never change once
released. Whoever raises an error gives a code for programs and a sentence for
people that says what to do.

    HollywoodError
    ├─ RulesError (also a ValueError)
    │  ├─ NotationError            a text is no card, contract or hand
    │  ├─ IllegalActionError       not allowed now
    │  │  └─ StaleActionError      was allowed when asked; the game has moved on
    │  ├─ AmbiguousActionError     has several readings
    │  ├─ RuleSetError             a rule set contradicts itself
    │  └─ RecordError              a game record is none, was changed, or of other rules
    ├─ ProtocolError
    │  ├─ LocalProtocolError       we misused the session
    │  └─ RemoteProtocolError      the peer broke the protocol
    │     └─ FrameTooLargeError
    ├─ RefusedError                the server said no: to the hello, to a join
    ├─ UnreachableError            nobody answers at that address
    ├─ SessionClosedError          the connection is gone
    ├─ BotError                    a bot cannot be loaded or misbehaved
    └─ StoreError                  the server's store cannot be read or written
"""

from __future__ import annotations

from enum import StrEnum


class ErrorCode(StrEnum):
    """Why something was refused. Values are frozen into the wire."""

    # notation and data
    BAD_CARD = "bad_card"
    BAD_CONTRACT = "bad_contract"
    BAD_RULE_SET = "bad_rule_set"
    UNKNOWN_RULE_SET = "unknown_rule_set"
    AMBIGUOUS = "ambiguous"
    BAD_RECORD = "bad_record"
    OTHER_RULES = "other_rules"
    # the game: when
    GAME_OVER = "game_over"
    NOT_YOUR_TURN = "not_your_turn"
    WRONG_PHASE = "wrong_phase"
    NOT_ELIGIBLE = "not_eligible"
    ALREADY_ANSWERED = "already_answered"
    LATE = "late"
    # the game: what
    NOT_IN_HAND = "not_in_hand"
    BAD_MELD = "bad_meld"
    WILD_LIMIT = "wild_limit"
    WRONG_CONTRACT = "wrong_contract"
    SAME_RANK = "same_rank"
    RUNS_TOUCH = "runs_touch"
    ALREADY_DOWN = "already_down"
    NOT_DOWN = "not_down"
    TOO_SOON = "too_soon"
    NO_SUCH_MELD = "no_such_meld"
    DOES_NOT_FIT = "does_not_fit"
    MUST_GO_DOWN = "must_go_down"
    MUST_USE_ALL = "must_use_all"
    MUST_LAY_OFF = "must_lay_off"
    CARD_PLAYS = "card_plays"
    RETURNS_UPCARD = "returns_upcard"
    MUST_DISCARD = "must_discard"
    MUST_NOT_DISCARD = "must_not_discard"
    # the conversation
    FRAME_TOO_LARGE = "frame_too_large"
    BAD_FRAME = "bad_frame"
    BAD_MESSAGE = "bad_message"
    UNEXPECTED_MESSAGE = "unexpected_message"
    VERSION_MISMATCH = "version_mismatch"
    MISSING_CAPABILITY = "missing_capability"
    BAD_NAME = "bad_name"
    SERVER_FULL = "server_full"
    TABLE_FULL = "table_full"
    NO_SUCH_TABLE = "no_such_table"
    ALREADY_SEATED = "already_seated"
    NOT_SEATED = "not_seated"
    BAD_TOKEN = "bad_token"
    REPLACED = "replaced"
    NOT_OWNER = "not_owner"
    NOT_WATCHABLE = "not_watchable"
    STARTED = "started"
    NOT_OVER = "not_over"
    BAD_PASSWORD = "bad_password"
    AT_THE_TABLE = "at_the_table"
    KICKED = "kicked"
    MUTED = "muted"
    NO_SUCH_SEAT = "no_such_seat"
    IDLE = "idle"
    ABANDONED = "abandoned"
    DRAINING = "draining"
    SHUTTING_DOWN = "shutting_down"
    SLOW_CONSUMER = "slow_consumer"
    STORE_FAILED = "store_failed"
    STANDING_ORDER = "standing_order"
    TOO_OFTEN = "too_often"
    TIMED_OUT = "timed_out"
    INTERNAL = "internal"
    # outside the conversation
    UNREACHABLE = "unreachable"
    DISCONNECTED = "disconnected"
    PORT_IN_USE = "port_in_use"
    UNKNOWN_BOT = "unknown_bot"
    BOT_FAILED = "bot_failed"
    NO_SUCH_GAME = "no_such_game"
    MISSING_EXTRA = "missing_extra"
    BAD_CERTIFICATE = "bad_certificate"
    BAD_FILE = "bad_file"
    BAD_THEME = "bad_theme"
    BAD_EVENT = "bad_event"
    NOT_DETERMINISTIC = "not_deterministic"


class HollywoodError(Exception):
    """Anything that went wrong in a way somebody can act on."""

    default_code = ErrorCode.INTERNAL

    def __init__(self, message: str, code: ErrorCode | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code


class RulesError(HollywoodError, ValueError):
    """The game does not allow it, or a text does not mean anything in it."""


class NotationError(RulesError):
    """A text is no card, hand or contract."""

    default_code = ErrorCode.BAD_CARD


class IllegalActionError(RulesError):
    """The action is not allowed now. The code says why."""


class StaleActionError(IllegalActionError):
    """The action was allowed when it was asked for; the game has moved on."""

    default_code = ErrorCode.LATE


class AmbiguousActionError(RulesError):
    """The text can be read in several ways; `readings` lists them."""

    default_code = ErrorCode.AMBIGUOUS

    def __init__(self, message: str, readings: tuple[object, ...]) -> None:
        super().__init__(message)
        self.readings = readings


class RuleSetError(RulesError):
    """A rule set is not TOML, misses something or contradicts itself."""

    default_code = ErrorCode.BAD_RULE_SET


class RecordError(RulesError):
    """A game record is none, was changed, or was made under other rules."""

    default_code = ErrorCode.BAD_RECORD


class ProtocolError(HollywoodError):
    """The conversation left the protocol. Use one of the two below."""


class LocalProtocolError(ProtocolError):
    """We tried to say something that may not be said now."""

    default_code = ErrorCode.UNEXPECTED_MESSAGE


class RemoteProtocolError(ProtocolError):
    """The peer said something that may not be said."""

    default_code = ErrorCode.BAD_MESSAGE


class FrameTooLargeError(RemoteProtocolError):
    """A frame announces more bytes than this phase allows."""

    default_code = ErrorCode.FRAME_TOO_LARGE


class RefusedError(HollywoodError):
    """The server refused the hello or a request, with its code and sentence."""


class UnreachableError(HollywoodError):
    """No server answers at the address."""

    default_code = ErrorCode.UNREACHABLE


class SessionClosedError(HollywoodError):
    """The connection ended while something was still expected from it."""

    default_code = ErrorCode.DISCONNECTED


class BotError(HollywoodError):
    """A bot cannot be loaded, raised, or answered with something illegal."""

    default_code = ErrorCode.BOT_FAILED


class StoreError(HollywoodError):
    """The server's store cannot be read or written."""

    default_code = ErrorCode.STORE_FAILED
