"""Following a game that somebody else tells."""

from __future__ import annotations

from ..errors import RemoteProtocolError
from ..rules.views import PlayerView, fold


def follow(view: PlayerView, event: object) -> PlayerView:
    """Return the view after an event that a server has told.

    `fold` takes its events from a referee and may rely on them; a server may tell
    of melds that are not there and of cards that nobody holds.

    Raises:
        RemoteProtocolError: the event cannot have happened in this game.
    """
    try:
        return fold(view, event)
    except (AssertionError, IndexError, KeyError, ValueError) as error:
        raise RemoteProtocolError(
            f"the server tells of something that cannot be: {type(event).__name__} ({error})"
        ) from error
