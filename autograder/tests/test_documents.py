"""The pages for whoever uses or changes the engine: their links lead somewhere, their names are right."""

import re
from pathlib import Path

import pytest

import autograder

ENGINE = Path(autograder.__file__).parent
ROOT = ENGINE.parent
PAGES = (
    ROOT / "README.md",
    *(ENGINE / name for name in ("README.md", "CONTRIBUTING.md", "testing/README.md")),
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FILE = re.compile(r"`((?:autograder|tests|solutions)/[a-z0-9_./-]+)`")
TARGET = re.compile(r"\bmake ((?:[a-z]+ ?)+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_link_to_a_file_leads_to_one(page: Path) -> None:
    links = [link.partition("#")[0] for link in LINK.findall(page.read_text(encoding="utf-8"))]
    inside = [link for link in links if link and not link.startswith("http")]
    assert [link for link in inside if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_file_that_is_named_is_there(page: Path) -> None:
    named = FILE.findall(page.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).exists() and not (ENGINE / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_target_of_make_that_is_named_is_there(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    known = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    code = re.findall(r"`(make [^`]+)`|^    (make .*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    commands = [one or other for one, other in code]
    named = {word for command in commands for word in TARGET.findall(command)[0].split()}
    assert named <= known, named - known


def test_every_room_is_in_the_picture() -> None:
    rooms = {path.parent.name for path in ENGINE.glob("*/__init__.py")}
    text = (ENGINE / "README.md").read_text(encoding="utf-8")
    assert {room for room in rooms if not re.search(rf"^ +{room}\b", text, re.MULTILINE)} == set()


def test_every_room_lists_its_modules_in_its_docstring() -> None:
    for face in ENGINE.glob("*/__init__.py"):
        text = face.read_text(encoding="utf-8")
        modules = {path.stem for path in face.parent.glob("[!_]*.py")}
        assert {module for module in modules if not re.search(rf"\b{module}\b", text)} == set(), face
