"""The pages for whoever uses or changes the engine: their links, commands and names are right."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

import autograder
from autograder.cli import main
from autograder.course.settings import CourseSettings, ExerciseSettings

ENGINE = Path(autograder.__file__).parent
ROOT = ENGINE.parent
PAGES = (
    ROOT / "README.md",
    *sorted((ENGINE / "docs").glob("*.md")),
    ROOT / ".github" / "SECURITY.md",
    *(ENGINE / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "testing/README.md")),
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FILE = re.compile(r"`((?:autograder|tests|solutions)/[a-z0-9_./-]+)`")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
COMMAND = re.compile(r"autograder ([a-z][a-z0-9-]*)([^`\n#]*)")
CODE = re.compile(r"`([^`]+)`|^    ((?:\S*/)?autograder .*)$", re.MULTILINE)
SETTINGS = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
TARGET = re.compile(r"\bmake ((?:[a-z]+ ?)+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_link_to_a_file_leads_to_one(page: Path) -> None:
    links = [link.partition("#")[0] for link in links_inside(page)]
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_link_to_a_heading_leads_to_one(page: Path) -> None:
    links = [link.partition("#") for link in links_inside(page) if "#" in link]
    lost = [(to, at) for to, _, at in links if at not in anchors(page.parent / to if to else page)]
    assert lost == []


def links_inside(page: Path) -> list[str]:
    """Return the links of a page that lead to no other site."""
    links = LINK.findall(page.read_text(encoding="utf-8"))
    return [link for link in links if not re.match("[a-z]+:", link)]


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    found: dict[str, int] = {}
    fenced = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for heading in HEADING.findall(fenced):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
    again = {f"{name}-{number}" for name, last in found.items() for number in range(1, last + 1)}
    return found.keys() | again


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_command_that_is_named_is_there_with_its_options(page: Path) -> None:
    code = [inline or line for inline, line in CODE.findall(page.read_text(encoding="utf-8"))]
    shown = [found for text in code for found in COMMAND.findall(text)]
    assert [(name, option) for name, rest in shown for option in unknown(name, rest)] == []


def unknown(name: str, rest: str) -> list[str]:
    """Return what the program does not know of a command and its options."""
    command = main.get_command(click.Context(main), name)
    if command is None:
        return [name]
    context = command.make_context(name, [], resilient_parsing=True)
    known = {
        option
        for parameter in context.command.get_params(context)
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    return [word for word in re.findall(r"(?<!\S)--[a-z-]+", rest) if word not in known]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_settings_that_are_shown_can_be_in_course_yaml(page: Path) -> None:
    for shown in SETTINGS.findall(page.read_text(encoding="utf-8")):
        check_settings(yaml.safe_load(shown))


def check_settings(shown: dict[str, Any]) -> None:
    """Read settings of a course or of an exercise, as course.yaml has them."""
    if shown.keys() <= ExerciseSettings.model_fields.keys():
        ExerciseSettings.model_validate({"name": "01_small", **shown})
    else:
        exercises = [{"name": "01_small"}]
        CourseSettings.model_validate({"course": "x", "title": "x", "exercises": exercises, **shown})


def test_the_dev_container_runs_a_script_that_reads_as_one() -> None:
    folder = ROOT / ".devcontainer"
    command = json.loads((folder / "devcontainer.json").read_text(encoding="utf-8"))["onCreateCommand"]
    script = ROOT / command
    assert os.access(script, os.X_OK)
    assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
    targets = re.findall(r"^make (.+)$", script.read_text(encoding="utf-8"), re.MULTILINE)
    assert subprocess.run(["make", "-n", "-C", ROOT, *targets[0].split()], check=False).returncode == 0


def test_every_page_of_the_documentation_is_linked_from_the_first_one() -> None:
    linked = {(ROOT / link.partition("#")[0]).resolve() for link in links_inside(ROOT / "README.md")}
    assert {page for page in PAGES if page.resolve() not in linked} == {ROOT / "README.md"}


def test_the_first_page_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 90


def test_every_room_is_in_the_picture() -> None:
    rooms = {path.parent.name for path in ENGINE.glob("*/__init__.py")}
    text = (ENGINE / "README.md").read_text(encoding="utf-8")
    assert {room for room in rooms if not re.search(rf"^ +{room}\b", text, re.MULTILINE)} == set()


def test_every_room_lists_its_modules_in_its_docstring() -> None:
    for face in (*ENGINE.glob("*/__init__.py"), *ENGINE.glob("plugins/*/__init__.py")):
        text = face.read_text(encoding="utf-8")
        modules = {path.stem for path in face.parent.glob("[!_]*.py")}
        assert {module for module in modules if not re.search(rf"\b{module}\b", text)} == set(), face
