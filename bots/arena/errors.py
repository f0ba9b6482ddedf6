"""What can go wrong in a tournament."""

from __future__ import annotations

from hollywood.protocol.errors import ErrorCode, HollywoodError


class EventError(HollywoodError):
    """An event file cannot be read, or asks for what cannot be."""

    default_code = ErrorCode.BAD_EVENT


class JournalError(HollywoodError):
    """A journal was changed, or belongs to another event."""

    default_code = ErrorCode.BAD_RECORD


class TournamentError(HollywoodError):
    """An event cannot go on; the sentence says why and how it can."""

    default_code = ErrorCode.BOT_FAILED


class NeedsExtraError(HollywoodError):
    """A package that only tournaments need is not installed."""

    default_code = ErrorCode.MISSING_EXTRA


def needs_extra(extra: str) -> NeedsExtraError:
    """Return the error that says how to install an extra."""
    return NeedsExtraError(f"this needs more packages: pip install 'hollywood-rummy[{extra}]'")
