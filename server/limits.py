"""How often somebody may do something: on one connection, and from one address."""

from __future__ import annotations

import ipaddress

from hollywood.protocol.errors import ErrorCode, RefusedError

from .config import Limits

_REMEMBERED = 10_000
"""Addresses kept at the most; those that are at peace are forgotten first."""


class TooOftenError(RefusedError):
    """Somebody did something too often; `wait` is in seconds."""

    default_code = ErrorCode.TOO_OFTEN

    def __init__(self, message: str, wait: float) -> None:
        super().__init__(message)
        self.wait = wait


class Allowance:
    """So many times in so many seconds (a token bucket)."""

    def __init__(self, times: int, seconds: float) -> None:
        self._times = times
        self._per_second = times / seconds
        self._left = float(times)
        self._asked_at: float | None = None

    def take(self, now: float) -> float:
        """Use it once; return 0, or the seconds to wait if it is used up."""
        wait = self.wait(now)
        if not wait:
            self._left -= 1
        return wait

    def wait(self, now: float) -> float:
        """Return the seconds to wait until it may be used, 0 if it may be now."""
        if self._asked_at is not None:
            self._left = min(self._times, self._left + (now - self._asked_at) * self._per_second)
        self._asked_at = now
        return 0.0 if self._left >= 1 else (1 - self._left) / self._per_second

    def give_back(self) -> None:
        """Take back one use."""
        self._left = min(self._times, self._left + 1)

    def is_full(self, now: float) -> bool:
        """Whether it is as if it had never been used."""
        self.wait(now)
        return self._left >= self._times


class _Address:
    def __init__(self, limits: Limits) -> None:
        self.open = 0
        self.hellos = Allowance(*limits.hellos)
        self.guesses = Allowance(*limits.guesses)


class AddressBook:
    """What each address has done lately. Addresses are texts, "" if not known."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._known: dict[str, _Address] = {}

    def __len__(self) -> int:
        return len(self._known)

    def enter(self, address: str, now: float) -> None:
        """Count a new connection; `leave` takes it back, whether or not it was let in.

        Raises:
            TooOftenError: too many from there are open, or came lately.
        """
        known = self._of(address, now)
        known.open += 1
        if self._is_trusted(address):
            return
        if known.open > self._limits.connections:
            raise TooOftenError("too many connections from your address: close some", 10.0)
        wait = known.hellos.take(now)
        if wait:
            raise TooOftenError("too many connections from your address: wait a moment", wait)

    def leave(self, address: str, now: float) -> None:
        """A connection is gone."""
        known = self._of(address, now)
        known.open -= 1
        if known.open <= 0 and known.hellos.is_full(now) and known.guesses.is_full(now):
            del self._known[address]

    def guess(self, address: str, now: float) -> None:
        """Count a password or token before it is looked at.

        Raises:
            TooOftenError: too many were wrong.
        """
        wait = self._of(address, now).guesses.take(now)
        if wait:
            raise TooOftenError("too many wrong passwords or tokens: wait a while", wait)

    def guessed_right(self, address: str, now: float) -> None:
        """It was right, so it does not count."""
        self._of(address, now).guesses.give_back()

    def _of(self, address: str, now: float) -> _Address:
        known = self._known.get(address)
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._forget_some(now)
            known = self._known[address] = _Address(self._limits)
        return known

    def _forget_some(self, now: float) -> None:
        quiet = [
            address
            for address, known in self._known.items()
            if known.open <= 0 and known.hellos.is_full(now) and known.guesses.is_full(now)
        ]
        for address in quiet or [a for a, known in self._known.items() if known.open <= 0][:1]:
            del self._known[address]

    def _is_trusted(self, address: str) -> bool:
        return self._limits.trusts_loopback and (not address or is_loopback(address))


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's own."""
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False
