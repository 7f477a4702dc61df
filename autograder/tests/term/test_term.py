"""A whole term by the commands of the instructors' page: final grades are those of a ledger kept by rules."""

import csv
import json
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from click.testing import CliRunner

import autograder
from autograder.authoring.answers import fill, right_answers
from autograder.batch.pool import Done, Task
from autograder.cli import main
from autograder.course.course import Course, copy_course, load_course
from autograder.course.kept import is_kept
from autograder.course.notebook import build_notebook
from autograder.gradebook.pages import read_gradebook
from autograder.grading.graded import Graded
from autograder.records.audit import audit_lines
from autograder.sandbox.zygote import Zygote
from autograder.tests.course.made import is_made
from autograder.tests.gradebook.rows import Formgrader
from autograder.tests.gradebook.stock import IGNORED_WARNINGS, nbgrader
from autograder.tests.in_process import InProcess
from autograder.tests.term import platforms
from autograder.tests.term.rules import (
    CLASS,
    COUNTS,
    DROPPED,
    DUE,
    EXERCISES,
    EXTENSIONS,
    GROUPS,
    LATE,
    OVERRIDDEN,
    PLATFORMS,
    RENAMED,
    ByHand,
    counting,
    hand_ins,
    ledger,
    platform,
    read_points,
)  # fmt: skip

ROOT = Path(autograder.__file__).parent.parent
FIRST = EXERCISES[0]
REQUESTS = f"student,exercise,question,reason\ns07,{FIRST},softmax,Look again.\ns06,{FIRST},softmax,Please.\n"
SLIP = '''

@question("softmax")
def test_of_a_slip(student):
    """It is as on its author's machine, where it was only tried."""
    code = "import os\\ndef is_here():\\n    return 'PYTEST_CURRENT_TEST' in os.environ"
    assert student.define(code, "is_here")()
'''
pytestmark = IGNORED_WARNINGS


def commands_of_the_page() -> list[str]:
    """Return the commands of "A term on one page", in order."""
    text = (ROOT / "autograder/docs/instructors.md").read_text(encoding="utf-8")
    page = text.partition("## A term on one page\n")[2].partition("\n## ")[0]
    return re.findall(r"^    \.venv/bin/(.+)$", page, re.MULTILINE)


class Remembering(InProcess):
    """Grades each distinct notebook once, in the place of a pool: most students hand in the same bytes."""

    known: ClassVar[dict[tuple[object, ...], Graded]] = {}

    def __init__(self, zygote: Zygote, course: Course, *_: int, **__: bool) -> None:
        super().__init__(course, zygote)
        self._course = course

    def __enter__(self) -> "Remembering":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def start(self) -> None:
        pass

    def map(self, tasks: Iterable[Task], *, marks_only: bool = False) -> Iterator[Done]:
        for submission, notebook, _ in tasks:
            exercise = self._course.exercises[submission.exercise]
            key = (submission.exercise, exercise.suite.read_bytes(), notebook.digest)
            if key not in self.known:
                ((*_, self.known[key]),) = super().map([Task(submission, notebook)])
            yield submission, notebook, self.known[key]


class Term:
    """The course's folder, and what somebody who runs the course does there."""

    def __init__(self, root: Path, course: Course, downloads: Path) -> None:
        self.root, self.course, self.downloads = root, course, downloads
        self.left = commands_of_the_page()
        self.done: set[str] = set()
        self.at_first = files(root)

    def do(self, begins: str, exercise: str = FIRST) -> str:
        """Run the commands of the page that begin so, on another exercise perhaps; return what was said."""
        found = [command for command in self.left if command == begins]
        found = found or [command for command in self.left if command.startswith(begins)]
        assert found, f"the page has no command {begins}"
        said = ""
        for command in dict.fromkeys(found):
            self.done.add(command)
            words = shlex.split(command.replace(FIRST, exercise))[1:]
            words = [
                str(self.downloads / word) if word.endswith((".zip", ".csv")) else word for word in words
            ]
            said += self.say(*words, *(["--rounds", "1"] if words[0] == "watch" else ()))
        return said

    def say(self, *words: str) -> str:
        """Run a command, and return what it said."""
        result = CliRunner().invoke(main, ["--course", str(self.root), *words])
        assert result.exit_code == 0, (words, result.output, result.exception)
        return result.output


@cache
def notebooks(exercise: str) -> dict[str, bytes]:
    """Return an exercise's notebook as each kind of student hands it in."""
    one = load_course(ROOT).exercises[exercise]
    right, names = right_answers(one), list(one.points)
    half = {name: right[name] for name in names[: (len(names) + 1) // 2]}
    empty = build_notebook(one)
    stubs = {cell.name: cell.released() for cell in one.cells if cell.name in right}
    answers = {"right": right, "half": {**stubs, **half}, "empty": stubs}
    answers["last broken"] = {**right, names[-1]: "def broken(:"}
    return {kind: json.dumps(fill(empty, given)).encode() for kind, given in answers.items()}


@pytest.fixture
def term(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zygote: Zygote) -> Term:
    """Return a course of the real exercises, whose first one has a test that is wrong."""
    root, downloads = tmp_path / "course", tmp_path / "downloads"
    downloads.mkdir()
    make_course(root, tmp_path / "exchange", slip=True)
    (root / "students.csv").write_text(platforms.students_csv(), encoding="utf-8")
    monkeypatch.setattr("autograder.batch.pool.ProcessPool", partial(Remembering, zygote))
    return Term(root, load_course(root), downloads)


def make_course(root: Path, exchange: Path, *, slip: bool) -> None:
    """Write the course as it comes out of git."""
    whole = load_course(ROOT)
    copy_course(whole, [whole.exercises[name] for name in EXERCISES], root)
    settings = yaml.safe_load((root / "course.yaml").read_text(encoding="utf-8"))
    settings |= {"late": yaml.safe_load(LATE), "walls": "bare"}
    for entry in settings["exercises"]:
        entry["due"] = f"{DUE[entry['name']]:%Y-%m-%d %H:%M} Europe/Berlin"
        entry["attempts"] = {"counts": COUNTS[entry["name"]]}
    (root / "course.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    exchange.mkdir(exist_ok=True)
    exchange.chmod(0o777)
    with (root / "nbgrader_config.py").open("a") as config:
        config.write(f'c.Exchange.root = "{exchange}"\nc.ExchangeCollect.check_owner = False\n')
    if slip:
        with (root / "solutions" / FIRST / "test_hidden.py").open("a") as suite:
            suite.write(SLIP)


def comes_due(term: Term, exercise: str) -> None:
    """Let an exercise come due: whoever takes it hands in, some once more, and it is collected."""
    prepared = notebooks(exercise)
    came = {
        student: [(one, prepared[one.kind]) for one in attempts]
        for student in CLASS
        if (attempts := hand_ins(student, exercise))
    }
    names = PLATFORMS if exercise == FIRST else (platform(exercise),)
    if "exchange" in names:
        inbound = term.root.parent / "exchange" / term.course.settings.course / "inbound"
        platforms.exchange(inbound, exercise, {s: came[s] for s in GROUPS["exchange"] if s in came})
        term.do("autograder watch", exercise)
    for attempt in range(1, max(map(len, came.values())) + 1):
        for name in (name for name in names if name != "exchange"):
            work = {s: came[s][:attempt] for s in GROUPS[name] if s in came}
            getattr(platforms, name)(term.downloads, exercise, work)
            if name == "canvas" and exercise == FIRST:  # at first without the times
                said = term.say("collect", str(term.downloads / "canvas.zip"))
                assert "but marks the submission as late" in said
            term.do(f"autograder collect {name}", exercise)
    for student, extended in EXTENSIONS:
        if extended == exercise and exercise != FIRST:  # which the page itself does
            term.say(
                "extend", student, exercise, f"{EXTENSIONS[student, extended]:%Y-%m-%d %H:%M} Europe/Berlin"
            )


def files(root: Path) -> set[str]:
    """Return the files of a course by their places in its folder, without what Python leaves there."""
    found = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return {name for name in found if "__pycache__" not in name}


def people_grade(term: Term) -> ByHand:
    """Let people read the first written answer, and set the points of one question for one student."""
    given = ByHand()
    (exercise,) = [term.course.exercises[FIRST]]
    written, question = next(iter(exercise.written)), next(iter(exercise.points))
    person = Formgrader(term.course, FIRST)
    for student in CLASS:
        if hand_ins(student, FIRST) and counting(student, FIRST, read_points(exercise.source)).kind in (
            "right", "last broken"
        ):  # fmt: skip
            given.written[student] = float(int(student[1:]) % 3)
            person.grade(student, written, given.written[student])
    person.grade(OVERRIDDEN[0], f"check-{question}", OVERRIDDEN[1])
    given.override[OVERRIDDEN[0]] = OVERRIDDEN[1]
    person.gradebook.close()
    return given


def final_grades(root: Path) -> dict[tuple[str, str], float | None]:
    """Return what `autograder export` has written."""
    with (root / "build" / "exports" / "exercises.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return {(r["student"], r["exercise"]): float(r["score"]) if r["score"] else None for r in rows}


def apart(one: dict[Any, float | None], other: dict[Any, float | None]) -> dict[Any, object]:
    """Return where two ledgers differ."""
    return {
        key: (one.get(key, "no row"), other.get(key, "no row"))
        for key in one.keys() | other.keys()
        if one.get(key, "no row") != pytest.approx(other.get(key, "no row"))
    }


def test_a_term(term: Term, tmp_path: Path) -> None:
    points = {name: read_points(ROOT / "solutions" / name / f"{name}.py") for name in EXERCISES}
    term.do("autograder release")
    (command,) = [command for command in term.left if command.startswith("nbgrader")]
    term.done.add(command)
    nbgrader(term.course, *shlex.split(command)[1:])
    outbound = tmp_path / "exchange" / term.course.settings.course / "outbound"
    assert (outbound / FIRST / f"{FIRST}.ipynb").is_file()
    comes_due(term, FIRST)
    term.do("autograder grade")
    assert f"{len(CLASS)} students" in term.do(f"autograder students {FIRST}")
    by_hand = people_grade(term)
    term.done.add("jupyter lab")
    term.do("autograder extend")
    term.do("autograder export")
    expected = ledger(points, by_hand)
    early = final_grades(term.root)
    slips = {key for key in apart(expected, early) if key[1] == FIRST and early.get(key) is not None}
    assert len(slips) > 10, "the test that is wrong costs nobody anything"

    (term.root / "solutions" / FIRST / "test_hidden.py").write_bytes(
        (ROOT / "solutions" / FIRST / "test_hidden.py").read_bytes()
    )
    dry = term.do("autograder grade --dry-run")
    assert dry.count("changed tests") > 10
    term.do("autograder grade")
    people = term.root / "students.csv"
    kept = [line for line in people.read_text().splitlines() if not line.startswith(f"{DROPPED},")]
    people.write_text("\n".join(kept) + "\n")
    term.do("autograder students --rename")
    (term.root / "regrade_requests.csv").write_text(REQUESTS)
    term.say("requests", FIRST, "--done", "s07", "softmax")
    for exercise in EXERCISES[1:5]:
        comes_due(term, exercise)
    term.say("grade", *EXERCISES[1:5])
    term.do("autograder backup")

    written = files(term.root) - term.at_first
    assert {name for name in written if not is_kept(name) and not is_made(name)} == set(), (
        "name it in kept.py"
    )
    kept_files = {name for name in written if is_kept(name)}
    shutil.rmtree(term.root)  # the laptop is lost
    make_course(term.root, tmp_path / "exchange", slip=False)
    term.course = load_course(term.root)
    (term.root / "hidden_inputs.key").unlink(missing_ok=True)  # git has none
    term.do("autograder restore")
    assert files(term.root) >= kept_files
    assert (term.root / "hidden_inputs.key").stat().st_mode & 0o777 == 0o600
    assert {path.name for path in (term.root / "build" / "source").iterdir()} == set(EXERCISES)
    asked = term.say("requests", FIRST)
    assert ("s06" in asked, "s07" in asked) == (True, False)
    for exercise in EXERCISES[5:]:
        comes_due(term, exercise)
    term.say("grade", *EXERCISES[5:])
    term.do("autograder export")
    assert apart(final_grades(term.root), expected) == {}

    term.do("autograder dashboard")
    term.do("autograder feedback")
    page = (term.root / "feedback" / "s07" / FIRST / f"{FIRST}.html").read_text(encoding="utf-8")
    assert "you could hand in until 2026-03-04 18:00 CET" in page
    assert term.done == set(term.left), "the page has commands that were not run"
    history = read_gradebook(term.course, term.course.exercises[FIRST])
    assert DROPPED in {one.student for one in history}
    last = {(line["student"], line["exercise"]): line["score"] for line in audit_lines(term.course)}
    gone = {RENAMED[0], DROPPED}
    told = {key: score for key, score in last.items() if key[0] not in gone}
    assert apart(told, {key: score for key, score in expected.items() if score is not None}) == {}
