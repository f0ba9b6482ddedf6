"""The README's pictures are the screens as they are now, the same bytes each time."""

from __future__ import annotations

import importlib.util
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

DOCS = Path(__file__).parents[2] / "docs"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def pictures() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pictures", DOCS / "pictures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["pictures"] = module  # the structs in it look for their module
    spec.loader.exec_module(module)
    return module


def test_they_are_as_the_screens_are_now(
    pictures: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pictures.main(["--check"]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("name", ["table", "window", "result", "replay"])
def test_each_shows_its_screen_cell_by_cell(pictures: ModuleType, name: str) -> None:
    game = msgspec.json.decode(pictures.GAME.read_bytes(), type=pictures.Game)
    drawn = pictures.draw(name, game)
    assert drawn == pictures.draw(name, game)
    root = ET.fromstring(drawn)
    title = root.find(f"{SVG}title")
    assert title is not None
    assert root.get("aria-label") == title.text
    lines = pictures.PICTURES[name][1](game, pictures.Look())
    for text in root.findall(f"{SVG}text")[1:]:
        row = (int(text.get("y", "0")) - pictures.BAR - pictures.PAD) // pictures.LINE
        column = round((float(text.get("x", "0")) - pictures.PAD) / pictures.CELL)
        line = "".join(part for _, part in lines[row])
        assert line[column:].startswith(text.text or "")
    written = "".join(text.text or "" for text in root.findall(f"{SVG}text")[1:])
    screen = "".join(part for line in lines for _, part in line)
    assert sorted(written.replace(" ", "")) == sorted(screen.replace(" ", "").replace("█", ""))
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")


def test_an_old_picture_is_named(
    pictures: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(pictures, "FOLDER", tmp_path)
    assert pictures.main([]) == 0
    (tmp_path / "window.svg").write_text("<svg/>")
    assert pictures.main(["--check"]) == 1
    assert "window.svg; run docs/pictures.py" in capsys.readouterr().err
