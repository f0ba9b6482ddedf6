"""Plays one game with a bot over TCP."""

from __future__ import annotations

import secrets
import ssl
from collections.abc import Callable

import msgspec
import trio

from hollywood.protocol.errors import (
    ErrorCode,
    RefusedError,
    RemoteProtocolError,
    SessionClosedError,
    UnreachableError,
)
from hollywood.protocol.rules import Action, Event, PlayerView, digest, new_view
from hollywood.protocol.wire import follow
from hollywood.protocol.wire import messages as m

from .api import Bot
from .connection import ServerConnection, connect, error_code, hello
from .seated import SeatedBot

RETRY_SECONDS = 60.0
"""How long a lost server is looked for before the bot gives up."""

_FIRST_WAIT, _LONGEST_WAIT = 0.25, 5.0


class Outcome(msgspec.Struct, frozen=True):
    """How a game over TCP ended, seen from a seat."""

    seat: int
    totals: tuple[int, ...]
    winners: tuple[int, ...]


class SeatRunner:
    """One bot on one seat: follows the game and answers what it is asked.

    It outlives its connections: what it knows is kept, and a new connection
    takes the seat up where the old one stopped.
    """

    def __init__(
        self,
        bot: type[Bot],
        name: str,
        table: str,
        report: Callable[[str], object] = lambda text: None,
    ) -> None:
        self._bot_class = bot
        self._name = name
        self._table = table
        self._report = report
        self._bot: SeatedBot | None = None
        self._told = 0
        """Strikes that were reported."""
        self._asked: tuple[m.Decide, PlayerView] | None = None
        """The decision that was answered last."""
        self._view: PlayerView | None = None
        self._rng = ""
        self._seq = 0
        self._token = ""
        self._secret = secrets.token_hex(16)
        """Opens our seat if the answer to the join is lost."""
        self._has_asked = False
        self._cid = 0
        self.seat = -1

    async def run(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> Outcome:
        """Join the table and play until the game is over.

        Raises:
            UnreachableError: no server, or it was lost for too long.
            RefusedError: the server refused the hello or the seat.
        """
        try:
            return await self._run(host, port, tls)
        finally:
            if self._bot is not None:
                self._bot.close()

    async def _run(self, host: str, port: int, tls: ssl.SSLContext | None) -> Outcome:
        wait, lost_at = _FIRST_WAIT, None
        while True:
            try:
                async with connect(host, port, self._hello(), tls) as connection:
                    wait, lost_at = _FIRST_WAIT, None
                    return await self._play(connection)
            except (UnreachableError, SessionClosedError) as error:
                now = trio.current_time()
                lost_at = now if lost_at is None else lost_at
                if not self._has_asked or now - lost_at > RETRY_SECONDS:
                    raise
                self._report(f"{error}; trying again in {wait:g} s")
                await trio.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT)

    def _hello(self) -> m.Hello:
        if not self._has_asked:
            return hello(self._name, m.Role.BOT)
        resume = m.Resume(table=self._table, seq=self._seq)
        return hello(self._name, m.Role.BOT, self._token or self._secret, resume)

    async def _play(self, connection: ServerConnection) -> Outcome:
        if not self._has_asked:
            await self._join(connection)
        while True:
            outcome = await self._handle(connection, await connection.receive())
            if outcome is not None:
                return outcome

    @property
    def _may_rejoin(self) -> bool:
        """Whether we had asked for a seat, at a game that had not begun."""
        return self._has_asked and self._seq == 0

    async def _join(self, connection: ServerConnection) -> None:
        self._cid += 1
        self._has_asked = True
        await connection.send(m.Join(cid=self._cid, table=self._table, secret=self._secret))

    async def _handle(
        self, connection: ServerConnection, message: m.ServerMessage
    ) -> Outcome | None:
        match message:
            case m.Joined():
                self._sit_down(message)
            case m.Events(seq=first, events=events):
                self._follow(first, events)
                await self._compare(connection, message.digest)
                if self._view is not None and self._view.winners:
                    return Outcome(self.seat, self._view.totals, self._view.winners)
            case m.Decide(did=did, n=number):
                if self._bot is None or self._view is None:
                    raise RemoteProtocolError("a decision came before the seat")
                self._asked = message, self._view
                await self._answer(connection, did, await self._ask(self._bot, number))
            case m.Verdict(status=m.VerdictStatus.REJECTED, text=text):
                await self._after_rejection(connection, text)
            case m.Error(
                code=ErrorCode.SHUTTING_DOWN | ErrorCode.STORE_FAILED, text=text, fatal=True
            ):
                raise SessionClosedError(text)
            case m.Error(code=ErrorCode.BAD_TOKEN | ErrorCode.NO_SUCH_TABLE, ref=None) if (
                self._may_rejoin
            ):
                # before the game no seat is kept
                self._token = ""
                await self._join(connection)
            case m.Error(code=code, text=text) if message.fatal or not self._token:
                raise RefusedError(text, error_code(code))
            case m.Error(code=ErrorCode.BAD_TOKEN | ErrorCode.NO_SUCH_TABLE as code, text=text):
                raise RefusedError(text, error_code(code))
            case m.Error(text=text):
                self._report(text)
            case m.Ping(n=n):
                await connection.send(m.Pong(n=n))
        return None

    async def _ask(self, bot: SeatedBot, number: int) -> Action:
        """Let the bot decide: in a thread if it takes its time, or nobody would answer pings."""
        assert self._view is not None, "asked before it had a seat"
        if self._bot_class.is_quick:
            action = bot.ask(self._view, number)
        else:
            action = await trio.to_thread.run_sync(bot.ask, self._view, number)
        for strike in bot.strikes[self._told :]:
            self._report(f"strike {self._told + 1}: {strike.kind}: {strike.text}")
            self._told += 1
        return action

    async def _answer(self, connection: ServerConnection, did: int, action: Action) -> None:
        self._cid += 1
        await connection.send(m.AnswerDecision(cid=self._cid, did=did, action=action))

    async def _after_rejection(self, connection: ServerConnection, text: str) -> None:
        """An illegal answer is a strike; the default is answered for the bot."""
        self._report(f"an answer was rejected: {text}")
        if self._bot is None or self._asked is None:
            return
        decision, seen = self._asked
        action = self._bot.refuse(seen, decision.n, text)
        self._told = len(self._bot.strikes)
        await self._answer(connection, decision.did, action)

    def _sit_down(self, joined: m.Joined) -> None:
        if self._bot is None or joined.rng != self._rng:
            # another seat, or another game: a seat that was lost before its game began
            if self._bot is not None:
                self._bot.close()
            self._bot = SeatedBot(self._bot_class, bytes.fromhex(joined.rng))
            self._rng = joined.rng
            self._told = 0
        if joined.seq == 0 or self._view is None:
            self._view = new_view(joined.rules, len(joined.seats), joined.seat)
        self.seat, self._token, self._seq = joined.seat, joined.token, joined.seq
        self._report(f"seat {joined.seat} at table {joined.table}")

    def _follow(self, first: int, events: tuple[object, ...]) -> None:
        if first != self._seq + 1:
            raise RemoteProtocolError(f"event {first} came after event {self._seq}")
        if self._view is None:
            raise RemoteProtocolError("events came before the seat")
        for event in events:
            self._view = follow(self._view, event)
            if self._bot is not None and isinstance(event, Event):
                # what the server tells a seat is redacted already
                self._bot.observe(event, None, 0)
        self._seq += len(events)

    async def _compare(self, connection: ServerConnection, theirs: str) -> None:
        """Ask to be told everything anew when the server knows another game than we."""
        if not theirs or self._view is None or digest(self._view) == theirs:
            return
        self._report(f"out of step after event {self._seq}: asking anew")
        self._cid += 1
        await connection.send(m.Desync(cid=self._cid, seq=self._seq, digest=digest(self._view)))
