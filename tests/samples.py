"""At least one of every message, for the session's tests and the golden frames."""

from __future__ import annotations

from hollywood.protocol.errors import ErrorCode
from hollywood.protocol.rules import (
    Card,
    Claim,
    Event,
    Hints,
    Laydown,
    LayOff,
    Meld,
    MeldKind,
    Pass,
    Play,
    PlayOptions,
    Swap,
    TableMeld,
    WindowOptions,
    load_rules,
    redact,
    seed_from_text,
    start,
)
from hollywood.protocol.rules import events as ev
from hollywood.protocol.wire import Message
from hollywood.protocol.wire import messages as m

RULES = load_rules("hollywood")
TOKEN = "00112233445566778899aabbccddeeff"

HELLO = m.Hello(magic=m.MAGIC, v=(1, 1), role=m.Role.BOT, name="bea", caps=("hints",))
WELCOME = m.Welcome(v=1, caps=("entropy", "hints"), server="hollywood-rummy")
REJECT = m.Reject(
    code=ErrorCode.VERSION_MISMATCH,
    text="this server speaks protocol 1 to 1, you 7 to 8: update the older of the two",
    v=(1, 1),
)
MORE_GREETINGS: tuple[Message, ...] = (
    m.Hello(magic=m.MAGIC, v=(1, 1), role=m.Role.PLAYER, name="Zoë 2"),
    m.Hello(
        magic=m.MAGIC,
        v=(1, 3),
        role=m.Role.BOT,
        name="bea",
        caps=("+hints", "entropy"),
        client="tests 1.0",
        token=TOKEN,
        resume=m.Resume(table="den", seq=41),
    ),
    m.Hello(magic=m.MAGIC, v=(1, 1), role=m.Role.WATCHER, name="eve"),
    m.Welcome(v=1),
    m.Welcome(v=1, minor=3, caps=("entropy", "hints", "zip"), server="another server"),
    m.Reject(
        code=ErrorCode.MISSING_CAPABILITY,
        text="this server cannot zip",
        v=(1, 1),
        caps_missing=("zip",),
    ),
    m.Error(
        code=ErrorCode.TIMED_OUT,
        klass=m.ErrorClass.PROTOCOL,
        text="no hello within 10 seconds",
        fatal=True,
    ),
)
"""Other forms of what opens a conversation."""

KINGS = Meld(MeldKind.SET, (Card("KS"), Card("KH"), Card("2D")), rank="K")
DIAMONDS = Meld(MeldKind.RUN, (Card("5D"), Card("6D"), Card("JK"), Card("8D")), suit="D", low=5)
PLAY = Play((KINGS, DIAMONDS), (LayOff(1, Card("9D"), 9),), Card("3C"))
SWAP = Play((), (LayOff(0, Card("JK")),), Card("4C"), (Swap(1, Card("7D"), 7),))
SEATS = (m.SeatInfo("bea", "bot"), m.SeatInfo("ada", "player", True), m.SeatInfo("", "open"))

CLIENT_SAYS: tuple[Message, ...] = (
    m.Join(cid=1, table="den"),
    m.Create(cid=2, table="attic", rules="hollywood_seven", seats=4, bots=("greedy",)),
    m.Create(cid=2, table="attic", rules="dummy", seats=2, hints=False, watchers=False),
    m.Create(
        cid=2,
        table="cellar",
        rules="ours",
        seats=4,
        rules_toml='extend = "hollywood"',
        password="secret",
        watch_delay=30,
        timing=m.Timing.SEALED,
        window_seconds=20,
        turn_seconds=120,
        bank_seconds=300,
    ),
    m.Start(cid=3),
    m.Moderate(cid=18, act=m.Act.KICK, seat=2),
    m.Moderate(cid=19, act=m.Act.MUTE, name="eve"),
    m.Rematch(cid=20),
    m.Join(cid=21, table="cellar", password="secret", secret="5ec2e7" * 4),
    m.Watch(cid=22, table="cellar", password="secret"),
    m.ListTables(cid=23, follow=True),
    m.Watch(cid=4, table="den"),
    m.Chat(cid=5, text="well played"),
    m.Order(cid=6, claim=(Card("KS"), Card("JK")), pass_until_turn=True),
    m.Order(cid=7),
    m.AddEntropy(cid=8, hex="5eed" * 16),
    m.Desync(cid=9, seq=48, digest="0123456789abcdef"),
    m.AnswerDecision(cid=10, did=9, action=Claim()),
    m.AnswerDecision(cid=11, did=9, action=Pass()),
    m.AnswerDecision(cid=12, did=10, action=PLAY),
    m.AnswerDecision(cid=13, did=11, action=SWAP),
    m.AnswerDecision(cid=2**53, did=2**53, action=Play()),
    m.Ready(cid=14),
    m.Leave(cid=15),
    m.ListTables(cid=16),
    m.Ping(n=17),
    m.Pong(n=17),
)
"""What a client may say after the welcome."""

_STARTED = start(RULES, 3, seed_from_text("1"), ("", "5eed", ""))[1]

HAPPENED: tuple[Event, ...] = (
    *(redact(event, 1) for event in _STARTED),
    ev.WindowClosed(1),
    ev.WindowClosed(None, (0, 2)),
    ev.Took(0, Card("QH")),
    ev.Bought(1, Card("QH"), (Card("3C"),), 1),
    ev.Bought(2, Card("QH"), None, 2),
    ev.Reshuffled(80),
    ev.Drew(0, None),
    ev.Drew(1, Card("JK")),
    ev.WentDown(1, (TableMeld(0, 1, KINGS), TableMeld(1, 1, DIAMONDS))),
    ev.Swapped(1, 1, Card("7D"), 7, Card("JK")),
    ev.LaidOff(1, 0, Card("KD")),
    ev.LaidOff(1, 1, Card("9D"), 9),
    ev.Discarded(1, Card("3C")),
    ev.Discarded(2, Card("AS"), True),
    ev.Floated(1),
    ev.Floated(1, True),
    ev.WentOut(1),
    ev.StockRanOut(2),
    ev.Stalled(),
    ev.DealEnded(0, 1, ((Card("3C"),), (), (Card("JK"),)), (5, 0, 20), (5, 0, 20)),
    ev.DealEnded(1, None, ((), (), ()), (0, 0, 0), (5, 0, 20)),
    ev.GameEnded((5, 0, 20), (1,), "6b" * 32),
)
"""One of every event, as seat 1 of three is told it."""

HINTED = Hints(
    distance=2,
    useful=(Card("6D"), Card("JK")),
    laydown=Laydown((KINGS, DIAMONDS), (Card("9D"), Card("3C")), 10),
    claim=None,
    play=PLAY,
)

SERVER_SAYS: tuple[Message, ...] = (
    m.Joined(
        cid=1,
        table="den",
        seat=1,
        token=TOKEN,
        rules=RULES,
        rules_hash=RULES.hash,
        seats=SEATS,
        rng="00" * 32,
        seq=0,
        commitment="c0" * 32,
        owner=0,
    ),
    m.Watching(cid=4, table="den", rules=RULES, rules_hash=RULES.hash, seats=SEATS),
    m.Done(cid=5),
    m.Said(seat=1, name="ada", text="well played"),
    m.Said(seat=None, name="eve", text="hello"),
    m.Notice(code="rematch", text="ada plays again: say rematch to join", seat=0),
    m.Seated(seats=SEATS),
    m.Seated(seats=SEATS, owner=1),
    m.TablesChanged(
        tables=(m.TableInfo("cellar", "jo", 4, 1, locked=True, timing=m.Timing.SEALED),),
        gone=("attic",),
    ),
    m.Tables(cid=16, tables=()),
    m.Tables(
        cid=16,
        tables=(
            m.TableInfo("den", "hollywood", 4, 2),
            m.TableInfo("attic", "dummy", 2, 0, True, False),
        ),
    ),
    m.Events(seq=1, events=HAPPENED, digest="0123456789abcdef"),
    m.Events(seq=33, events=(ev.Drew(0, None),)),
    m.Events(seq=34, events=(m.Unknown(),)),
    m.Decide(did=1, n=0, seq=4, legal=WindowOptions(True, 0), remaining_ms=15000),
    m.Decide(did=1, n=0, seq=4, legal=WindowOptions(True, 0), remaining_ms=150000, bank_ms=60000),
    m.Decide(
        did=2,
        n=1,
        seq=9,
        legal=WindowOptions(False, 1),
        remaining_ms=15000,
        hints=Hints(distance=3, useful=(Card("QH"),), claim=True),
    ),
    m.Decide(
        did=3,
        n=2,
        seq=19,
        legal=PlayOptions(
            True,
            (LayOff(1, Card("9D"), 9),),
            True,
            (),
            Play(lay_offs=(LayOff(1, Card("9D"), 9),), discard=Card("3C")),
            (Swap(1, Card("7D"), 7),),
        ),
        remaining_ms=None,
        attempts=1,
        hints=HINTED,
    ),
    m.Verdict(cid=10, did=9, status=m.VerdictStatus.ACCEPTED),
    m.Verdict(
        cid=11,
        did=10,
        status=m.VerdictStatus.REJECTED,
        code=ErrorCode.NOT_IN_HAND,
        text="3C is not in your hand",
        remaining_ms=8211,
    ),
    m.Verdict(cid=12, did=9, status=m.VerdictStatus.LATE, code=ErrorCode.LATE, text="closed"),
    m.Verdict(
        cid=13,
        did=9,
        status=m.VerdictStatus.ALREADY_ANSWERED,
        code=ErrorCode.ALREADY_ANSWERED,
        text="an answer is final",
    ),
    m.Verdict(
        cid=14,
        did=8,
        status=m.VerdictStatus.NOT_YOURS,
        code=ErrorCode.NOT_YOUR_TURN,
        text="another seat's",
    ),
    m.Closed(did=1, code=ErrorCode.STANDING_ORDER, default=Pass()),
    m.Closed(did=1, code=ErrorCode.STANDING_ORDER, default=Claim()),
    m.Closed(
        did=2,
        code=ErrorCode.TIMED_OUT,
        text="your time ran out",
        default=Play(discard=Card("3C")),
    ),
    m.Error(code="new_code", klass=m.ErrorClass.LIMIT, text="later", ref=4),
    m.Error(
        code=ErrorCode.TOO_OFTEN,
        klass=m.ErrorClass.LIMIT,
        text="you say too much; wait a moment",
        ref=5,
        retry_after_ms=2000,
    ),
    m.Ping(n=1),
    m.Pong(n=1),
)
"""What a server may say after its welcome."""
