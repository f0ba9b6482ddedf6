"""What the player likes, shared by all screens of one run."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from .hand import Sort
from .text import Look, Suits

_SUITS: tuple[Suits, ...] = ("four", "two", "none")


def _keep_nothing(**_fields: object) -> object:
    return None


class Prefs:
    """How things are shown and signalled; every change is told to `keep`.

    Args:
        look: How to draw.
        name: What the player is called.
        servers: HOST:PORT of servers of before, the newest first.
        bell: Whether the bell rings when something is asked.
        mouse: Whether clicks are taken; the terminal selects no text then.
        hints: Whether hints are shown where the table allows them.
        sort: The order of the hand.
        wants: The last standing order, as it was typed.
        keep: Called with the fields that have changed: `name`, `servers`, `suits`,
            `mouse`, `sort`, `hints`, `wants`.
    """

    def __init__(
        self,
        look: Look | None = None,
        *,
        name: str = "player",
        servers: tuple[str, ...] = (),
        bell: bool = True,
        mouse: bool = True,
        hints: bool = False,
        sort: Sort = "rank",
        wants: str = "",
        keep: Callable[..., object] = _keep_nothing,
    ) -> None:
        self.look = look or Look()
        self.name = name
        self.servers = servers
        self.bell = bell
        self.mouse = mouse
        self.hints = hints
        self.sort: Sort = sort
        self.wants = wants
        self._keep = keep

    def set_name(self, name: str) -> None:
        """Be called something else."""
        self.name = name
        self._keep(name=name)

    def toggle_mouse(self) -> str:
        """Take clicks, or leave them to the terminal; say which."""
        self.mouse = not self.mouse
        self._keep(mouse=self.mouse)
        if self.mouse:
            return "mouse on: click cards, melds and keys (Shift selects text in most terminals)"
        return "mouse off: the terminal selects text again"

    def toggle_hints(self) -> None:
        """Show hints, or no more."""
        self.hints = not self.hints
        self._keep(hints=self.hints)

    def next_suits(self) -> str:
        """Go on to another number of colours for the suits; say which."""
        suits = _SUITS[(_SUITS.index(self.look.suits) + 1) % len(_SUITS)]
        self.look = replace(self.look, suits=suits)
        self._keep(suits=suits)
        return {"four": "suits in four colours", "two": "suits in two colours"}.get(
            suits, "suits without colours"
        )

    def set_sort(self, sort: Sort) -> None:
        """Remember the order of the hand."""
        if sort != self.sort:
            self.sort = sort
            self._keep(sort=sort)

    def set_wants(self, wants: str) -> None:
        """Remember what was wanted last."""
        if wants != self.wants:
            self.wants = wants
            self._keep(wants=wants)

    def remember_server(self, address: str) -> None:
        """Put a server first among those of before."""
        others = tuple(known for known in self.servers if known != address)
        self._set_servers((address, *others)[:10])

    def forget_server(self, address: str) -> None:
        """Take a server out of those of before."""
        self._set_servers(tuple(known for known in self.servers if known != address))

    def _set_servers(self, servers: tuple[str, ...]) -> None:
        if servers != self.servers:
            self.servers = servers
            self._keep(servers=servers)
