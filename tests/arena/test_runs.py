"""Events from the first deal set to the report, in this process."""

from __future__ import annotations

import json
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from arena import harness
from hollywood.bots.arena.course import Course
from hollywood.bots.arena.errors import JournalError, TournamentError
from hollywood.bots.arena.event import Format, bot_classes
from hollywood.bots.arena.executors import LocalPool, WorkerDiedError, open_workers
from hollywood.bots.arena.journal import merge_journals
from hollywood.bots.arena.lines import Unit, decode_set
from hollywood.bots.arena.match import BotTime, deal_seed, play, play_set
from hollywood.bots.arena.outputs import fold_journal, write_outputs
from hollywood.bots.arena.results import encode_results, results_of
from hollywood.bots.arena.runner import Runner, Shard
from hollywood.bots.arena.statistics import Call, Numbers
from hollywood.bots.local import play_game
from hollywood.protocol.rules import decode_record, verify

BOTS = ("greedy", "random")


def journal(folder: Path) -> bytes:
    return (folder / "journal.jsonl").read_bytes()


def results(course: Course) -> bytes:
    return encode_results(results_of(course))


def test_without_piles_a_game_is_that_of_simulate() -> None:
    setup = harness.event(BOTS)
    bots = bot_classes(setup)
    for deal in range(5):
        seed = deal_seed(setup, deal)
        ours = play(setup.rules, bots, seed, own_piles=False, luck=True)
        theirs = play_game(setup.rules, bots, seed)
        assert ours.line.scores == theirs.scores
        assert [deal.turns for deal in ours.line.deals] == [deal.turns for deal in theirs.deals]
        assert sum(ours.decisions) == theirs.decisions


def test_a_bot_against_itself_is_exactly_even() -> None:
    setup = harness.event(BOTS, seats=4, rules="sprint.toml")
    bots = bot_classes(setup)
    for bot in range(2):
        line = play_set(setup, bots, Unit(0, 0, 3, 0, (bot,) * 4), {})
        assert all(game == line.games[0] for game in line.games)


def test_luck_is_none_on_average() -> None:
    """A control that was not 0 on average would move margins."""
    setup = harness.event(BOTS, rules="sprint.toml")
    bots = bot_classes(setup)
    luck = [
        played / 1000
        for deal in range(60)
        for played in play(
            setup.rules, bots, deal_seed(setup, deal), own_piles=True, luck=True
        ).line.luck
    ]
    mean = sum(luck) / len(luck)
    spread = (sum((value - mean) ** 2 for value in luck) / len(luck)) ** 0.5
    assert abs(mean) < 3 * spread / len(luck) ** 0.5
    assert spread > 0.3


@pytest.mark.parametrize("format_", list(Format))
def test_every_format_runs_to_its_end_and_again_from_any_line(
    format_: Format, tmp_path: Path
) -> None:
    bots = harness.noisy(1, 2) if format_ is Format.PAIR else harness.noisy(1, 2, 3, 4, 5)
    setup = harness.event(
        bots, format=format_, deals=2, extensions=1, seats=2 if len(bots) == 2 else 3
    )
    whole, part = tmp_path / "whole", tmp_path / "part"
    whole.mkdir()
    part.mkdir()
    course = harness.run(setup, whole)
    assert course.is_over
    assert course.tally.sets > 0
    lines = journal(whole).splitlines(keepends=True)
    for cut in (1, len(lines) // 3, len(lines) - 1):
        # what was half written is cut off
        (part / "journal.jsonl").write_bytes(b"".join(lines[:cut]) + lines[cut][:20])
        harness.run(setup, part)
        assert journal(part) == journal(whole)
    assert results(fold_journal(setup, whole / "journal.jsonl")) == results(course)


def test_the_order_in_which_results_come_makes_no_difference(tmp_path: Path) -> None:
    setup = harness.event(harness.noisy(1, 2, 3), format="round_robin", deals=8)
    found = []
    for name, workers in [
        ("one", harness.here()),
        ("backwards", harness.here(harness.Backwards(), count=2)),
    ]:
        folder = tmp_path / name
        folder.mkdir()
        runner = Runner(setup, folder / "journal.jsonl", workers)
        runner.run()
        found.append((journal(folder), results(runner.course)))
    assert found[0] == found[1]


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    setup = harness.event(BOTS, deals=20)
    runner = Runner(
        setup, tmp_path / "journal.jsonl", harness.here(), on_progress=lambda run: run.stop()
    )
    course = runner.run()
    assert not course.is_over
    assert 0 < course.next < 22
    again = harness.run(setup, tmp_path)
    assert again.is_over
    assert again.tally.sets == 20


def test_a_sequential_test_stops_a_duel(tmp_path: Path) -> None:
    stop = {"rule": "gsprt", "h0": 0.0, "h1": 10.0}
    setup = harness.event(BOTS, deals=500, stop=stop)
    course = harness.run(setup, tmp_path)
    assert course.verdict(0).call is Call.BETTER
    assert course.tally.sets == 30


def test_an_interval_that_is_narrow_enough_stops_an_event(tmp_path: Path) -> None:
    stop = {"rule": "interval", "points": 10.0}
    setup = harness.event(harness.noisy(1, 2, 3), format="round_robin", deals=500, stop=stop)
    course = harness.run(setup, tmp_path)
    widths = [Numbers(course.tally).margin(bot).half_width for bot in range(3)]
    assert max(widths) <= 10.0
    assert 90 <= course.tally.sets < 600


def test_a_planted_difference_is_found_and_none_is_not(tmp_path: Path) -> None:
    """A sample of tests/arena/planted.py."""
    found = []
    for number in range(3):
        for points in (10, 0):
            folder = tmp_path / f"{number}-{points}"
            folder.mkdir()
            setup = harness.event(
                harness.noisy(2 * number, 2 * number + 1),
                deals=600,
                seed=f"planted/{number}",
                recheck=0,
                luck=False,
                stop={"rule": "gsprt"},
            )
            course = harness.run(setup, folder, play=harness.credited(0, points))
            found.append((points, course.verdict(0).call))
    assert sum(call is Call.BETTER for points, call in found if points) == 3
    assert sum(call is Call.BETTER for points, call in found if not points) <= 1


def test_a_bot_that_is_not_deterministic_is_named(tmp_path: Path) -> None:
    bots = {"greedy": "greedy", **harness.own(forgetful=harness.ForgetfulBot)}
    with pytest.raises(TournamentError, match="forgetful is not deterministic: against itself"):
        harness.run(harness.event(bots), tmp_path)
    (tmp_path / "open").mkdir()
    assert harness.run(harness.event(bots, rated=False), tmp_path / "open").is_over


def test_a_set_that_differs_when_it_is_played_again_stops_the_event(tmp_path: Path) -> None:
    bots = {"greedy": "greedy", **harness.own(forgetful=harness.ForgetfulBot)}
    setup = harness.event(bots, recheck=1)
    with pytest.raises(TournamentError, match=r"the bot forgetful is not deterministic: in deal"):
        harness.run(setup, tmp_path, play=harness.even_against_itself)


def test_failing_bots_are_replaced_and_parked(tmp_path: Path) -> None:
    bots = {"greedy": "greedy", "random": "random", "noisy": "random"} | harness.own(
        cheat=harness.CheatingBot, raising=harness.RaisingBot
    )
    setup = harness.event(
        bots, format="round_robin", seats=3, deals=4, failures={"park_after": 9, "penalty": 50}
    )
    course = harness.run(setup, tmp_path)
    assert course.is_over
    assert {parked.bot for parked in course.parked} == {3, 4}
    assert set(course.tally.failed[3].strikes) == {"illegal"}
    assert set(course.tally.failed[4].strikes) == {"exception"}
    assert course.tally.failed[3].games < course.tally.failed[0].games
    document = write_outputs(course, tmp_path, with_records=False)
    assert document["ranking"][-2:] in (["cheat", "raising"], ["raising", "cheat"])
    page = (tmp_path / "report.html").read_text()
    assert "was taken out after deal set" in page
    (tmp_path / "strict").mkdir()
    strict = harness.event(bots, format="round_robin", seats=3, failures={"stop": True})
    with pytest.raises(TournamentError, match="failed in deal set"):
        harness.run(strict, tmp_path / "strict")


def test_shards_are_merged_to_the_same_event(tmp_path: Path) -> None:
    setup = harness.event(harness.noisy(1, 2, 3), format="round_robin", deals=7)
    for name, shard in [("whole", None), ("a", Shard(1, 2)), ("b", Shard(2, 2))]:
        (tmp_path / name).mkdir()
        harness.run(setup, tmp_path / name, shard=shard)
        again = journal(tmp_path / name)
        harness.run(setup, tmp_path / name, shard=shard)
        assert journal(tmp_path / name) == again
    parts = [tmp_path / name / "journal.jsonl" for name in "ab"]
    with pytest.raises(TournamentError, match="merge their journals first"):
        fold_journal(setup, parts[1])
    (tmp_path / "merged").mkdir()
    merge_journals(parts, tmp_path / "merged" / "journal.jsonl", setup)
    assert journal(tmp_path / "merged") == journal(tmp_path / "whole")
    assert fold_journal(setup, tmp_path / "merged" / "journal.jsonl").is_over


def test_shards_of_a_swiss_are_merged_after_each_round(tmp_path: Path) -> None:
    setup = harness.event(harness.noisy(1, 2, 3, 4), format="swiss", deals=2)
    (tmp_path / "whole").mkdir()
    harness.run(setup, tmp_path / "whole")
    merged = tmp_path / "start"
    merged.mkdir()
    for round_ in range(3):
        parts = []
        for number in (1, 2):
            folder = tmp_path / f"{round_}-{number}"
            folder.mkdir()
            if round_:
                (folder / "journal.jsonl").write_bytes(journal(merged))
            harness.run(setup, folder, shard=Shard(number, 2))
            parts.append(folder / "journal.jsonl")
        merged = tmp_path / f"merged{round_}"
        merged.mkdir()
        merge_journals(parts, merged / "journal.jsonl", setup)
    assert journal(merged) == journal(tmp_path / "whole")


def test_shards_that_differ_are_refused(tmp_path: Path) -> None:
    setup = harness.event(BOTS, deals=3)
    for name, points in (("a", 0), ("b", 5)):
        (tmp_path / name).mkdir()
        harness.run(setup, tmp_path / name, play=harness.credited(0, points))
    paths = [tmp_path / name / "journal.jsonl" for name in "ab"]
    with pytest.raises(JournalError, match="one of greedy, random is not deterministic"):
        merge_journals(paths, tmp_path / "journal.jsonl", setup)
    assert not (tmp_path / "journal.jsonl").exists()


def test_a_changed_journal_is_refused(tmp_path: Path) -> None:
    setup = harness.event(BOTS, deals=3)
    harness.run(setup, tmp_path)
    path = tmp_path / "journal.jsonl"
    good = path.read_bytes()
    digit = good.index(b"[[", good.index(b'"set":[3')) + 3
    path.write_bytes(good[:digit] + b"7" + good[digit + 1 :])
    with pytest.raises(JournalError, match=r"line \d was changed|or the one before it"):
        fold_journal(setup, path)
    path.write_bytes(good)
    with pytest.raises(JournalError, match="of another event"):
        fold_journal(harness.event(BOTS, deals=4), path)
    path.write_bytes(b"hello\n")
    with pytest.raises(JournalError, match="no journal"):
        fold_journal(setup, path)


def test_records_can_be_made_again(tmp_path: Path) -> None:
    setup = harness.event(BOTS, deals=2)
    course = harness.run(setup, tmp_path)
    write_outputs(course, tmp_path)
    files = sorted((tmp_path / "records").iterdir())
    assert files
    page = (tmp_path / "report.html").read_text()
    scores: dict[tuple[int, int], tuple[int, ...]] = {}
    for raw in journal(tmp_path).splitlines()[1:]:
        line = decode_set(json.dumps(json.loads(raw)["set"]))
        scores |= {(line.index, game): found.scores for game, found in enumerate(line.games)}
    for file in files:
        record = decode_record(file.read_bytes())
        _, index, _, number = file.stem.split("-")
        assert verify(record).totals() == scores[int(index), int(number)]
        assert f"records/{file.name}" in page


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    setup = harness.event(harness.noisy(1, 2, 3), format="round_robin", deals=5)
    course = harness.run(setup, tmp_path)
    write_outputs(course, tmp_path, with_records=False)
    page = (tmp_path / "report.html").read_text()
    assert page.count("<svg") == page.count("</svg>") == 5
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "")
    write_outputs(course, tmp_path, with_records=False)
    assert (tmp_path / "report.html").read_text() == page
    assert (tmp_path / "ranking.csv").read_text().count("\n") == 4
    assert (tmp_path / "crosstable.csv").read_text().count("\n") == 7


def test_a_dead_worker_costs_nothing(tmp_path: Path) -> None:
    setup = harness.event(BOTS, deals=4)

    dying = harness.Failing(WorkerDiedError("killed"), lambda call: call in (2, 4))
    (tmp_path / "whole").mkdir()
    whole = harness.run(setup, tmp_path / "whole")
    course = harness.run(setup, tmp_path, workers=harness.here(dying))
    assert journal(tmp_path) == journal(tmp_path / "whole")
    assert results(course) == results(whole)


def test_a_set_that_always_kills_its_worker_is_named(tmp_path: Path) -> None:
    dead = harness.Failing(WorkerDiedError("its process died"), lambda _: True)
    with pytest.raises(TournamentError, match=r"deal set 0 died .* child:BOT; it is one of greedy"):
        harness.run(harness.event(BOTS), tmp_path, workers=harness.here(dead))


def test_a_scheduler_that_is_gone_is_one_sentence(tmp_path: Path) -> None:
    gone = harness.Failing(CancelledError(), lambda _: True)
    with pytest.raises(TournamentError, match="run the same command to go on"):
        harness.run(harness.event(BOTS), tmp_path, workers=harness.here(gone))


def test_the_local_pool_survives_its_processes(tmp_path: Path) -> None:
    import os

    pool = LocalPool(1)
    try:
        first = pool.submit(os.getpid).result(60)
        dies = pool.submit(os._exit, 3)
        with pytest.raises(WorkerDiedError):
            dies.result(60)
        assert pool.submit(os.getpid).result(60) != first
        setup = harness.event(BOTS, deals=2)
        course = harness.run(setup, tmp_path, workers=harness.here(pool))
        assert course.is_over
    finally:
        pool.shutdown()


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("local:none", "use local:4"),
        ("cloud", "there is no executor 'cloud'"),
        ("os:getpid", "returned no concurrent.futures.Executor"),
        ("nothing.at.all:here", "cannot open the executor"),
        ("tls://127.0.0.1:1", "--tls-ca"),
    ],
)
def test_executors_that_are_none(spec: str, sentence: str) -> None:
    with pytest.raises(TournamentError, match=sentence):
        open_workers(spec)


def test_times_are_kept_apart(tmp_path: Path) -> None:
    setup = harness.event(BOTS, deals=3)
    runner = Runner(setup, tmp_path / "journal.jsonl", harness.here())
    runner.run()
    assert all(isinstance(used, BotTime) and used.decisions for used in runner.clock.bots.values())
    assert b"seconds" not in journal(tmp_path)
    assert b"seconds" not in results(runner.course)
