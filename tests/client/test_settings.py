"""Remembered settings: what people like, kept in a file that may be broken at any time."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from hollywood.client.settings import Settings, SettingsFile, dump, load, save, with_server


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hollywood" / "settings.toml"


def test_nothing_there_is_no_fault(path: Path) -> None:
    file = SettingsFile(path)
    assert (file.settings, file.complaint) == (Settings(), "")
    assert not path.exists()


def test_what_is_changed_is_there_next_time(path: Path) -> None:
    assert not SettingsFile(path).change(name="bea", theme="light", sort="suit", wants="7H Q")
    found = SettingsFile(path).settings
    assert found == Settings(name="bea", theme="light", sort="suit", wants="7H Q")


def test_recent_servers_are_the_newest_first_each_once_and_ten_at_most(path: Path) -> None:
    for number in range(14):
        SettingsFile(path).remember_server(f"den-{number}:7878")
    SettingsFile(path).remember_server("DEN-9:7878")
    servers = SettingsFile(path).settings.servers
    assert servers[:3] == ("DEN-9:7878", "den-13:7878", "den-12:7878")
    assert len(servers) == 10
    assert len({server.casefold() for server in servers}) == 10


def test_two_programs_keep_each_others_changes(path: Path) -> None:
    one, other = SettingsFile(path), SettingsFile(path)
    one.change(theme="light")
    other.change(name="bea")
    other.remember_server("den:7878")
    found = SettingsFile(path).settings
    assert (found.theme, found.name, found.servers) == ("light", "bea", ("den:7878",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "it is not TOML"),
        ("\x00", "it is not TOML"),
        ('thame = "dark"', "'thame' is no setting, did you mean 'theme'?"),
        ("bell = 3", "'bell' is not used (expected bool, got int): correct or delete it"),
        ('sort = "colour"', "'sort' is not used (invalid enum value 'colour')"),
        ('name = "\\u001b[31m"', "'name' cannot be a name: use 1 to 24 letters"),
        ('wants = ["7H"]', "'wants' is not used (expected str, got array)"),
        ('servers = ["den\\n"]', "'servers' has a server that is no HOST:PORT"),
        ("#" * 70_000, "far too long"),
    ],
)
def test_a_broken_file_is_said_once_and_stops_nothing(path: Path, text: str, said: str) -> None:
    path.parent.mkdir()
    path.write_text(f"plain = true\n{text}\n".replace("\r", ""))
    file = SettingsFile(path)
    assert said in file.complaint
    assert str(path) in file.complaint
    assert "\n" not in file.complaint
    assert file.complaint.endswith("the file is now settings.toml.bad beside it")
    again = SettingsFile(path)
    assert again.complaint == ""
    assert again.settings == file.settings
    assert text in path.with_name("settings.toml.bad").read_text()


def test_the_sound_part_of_a_broken_file_is_kept(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('name = "bea"\nbell = "loud"\ntheme = "light"\n')
    assert SettingsFile(path).settings == Settings(name="bea", theme="light")
    assert SettingsFile(path).settings == Settings(name="bea", theme="light")


def test_a_file_that_is_not_text(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"name = '\xff'")
    assert "it is not UTF-8" in SettingsFile(path).complaint


def test_a_folder_in_its_place(path: Path) -> None:
    path.mkdir(parents=True)
    (path / "x").touch()
    file = SettingsFile(path)
    assert "cannot be read" in file.complaint


def test_where_nothing_can_be_written_the_change_still_counts(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    file = SettingsFile(tmp_path / "file" / "settings.toml")
    said = file.change(name="bea")
    assert said.startswith("the settings could not be written to ")
    assert file.settings.name == "bea"


def test_an_interrupted_write_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = SettingsFile(path)
    file.change(name="bea")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", fail)
        assert "No space left" in file.change(name="chen")
    assert load(path)[0].name == "bea"
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.toml"]


def test_only_the_user_can_read_them(path: Path) -> None:
    SettingsFile(path).change(name="bea")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_is_as_by_default_is_not_written(path: Path) -> None:
    SettingsFile(path).change(bell=True)
    assert not path.exists()
    SettingsFile(path).change(bell=False)
    assert path.read_text() == "bell = false\n"


TEXTS = st.text(st.characters(exclude_categories=["C", "M", "Z"]), min_size=1, max_size=20)


@examples(max_examples=30)
@given(
    servers=st.lists(TEXTS, max_size=12),
    theme=st.text(st.characters(codec="utf-8"), max_size=20),
    suits=st.sampled_from(["four", "two", "none", None]),
)
def test_any_settings_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, servers: list[str], theme: str, suits: str
) -> None:
    kept: tuple[str, ...] = ()
    for server in servers:
        kept = with_server(kept, "".join(server.split()) or "x")
    settings = msgspec.convert({"theme": theme, "suits": suits, "servers": kept}, Settings)
    path = tmp_path_factory.getbasetemp() / "any.toml"
    assert save(path, settings) == ""
    assert load(path) == (settings, "")
    assert dump(settings) == path.read_text("utf-8")
