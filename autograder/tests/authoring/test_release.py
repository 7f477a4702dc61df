"""A release is what nbgrader makes of the sources, the same each time, and gives nothing private away."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from autograder.authoring.release import answered_early, build_sources, problems, release_notebooks, stale
from autograder.course.answers import ACCEPTED, MISTAKES
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.kit import CHECKS, GIVEN, SETUP
from autograder.course.notebook import HOW_TO_CHECK, to_json, with_rubric
from autograder.course.source import BEGIN, END, SourceError
from autograder.tests.classroom import HELD_OUT, real_course, small

ROOT = Path(__file__).parents[3]
COURSE = real_course()
NAME = "01_small"
KIT = ["01_small.ipynb", "SETUP.md", "conftest.py", "exercise.json"]


@pytest.fixture
def exercise(course: Course) -> Exercise:
    return course.exercises[NAME]


@pytest.fixture
def folder(course: Course) -> Path:
    release_notebooks(course, course.chosen([]))
    return course.assignments / NAME


def test_the_released_notebook_is_the_golden_one(folder: Path, golden: Callable[[str, str], None]) -> None:
    golden("release/01_small.ipynb", (folder / "01_small.ipynb").read_text(encoding="utf-8"))


def test_two_releases_are_the_same_to_the_byte_and_touch_nothing_else(course: Course, folder: Path) -> None:
    gradebook = course.root / "gradebook.db"
    assert not gradebook.exists()
    gradebook.write_bytes(b"grades of many a student")
    (course.build / "source" / NAME / "answers.txt").write_text("return torch.mul(x, 2)", encoding="utf-8")
    paths = sorted(folder.iterdir())
    assert [path.name for path in paths] == KIT
    first = [path.read_bytes() for path in paths]
    released = release_notebooks(load_course(course.root), course.chosen([]))
    assert released == sorted(folder.iterdir()) == paths
    assert first == [path.read_bytes() for path in released]
    assert b"\r" not in b"".join(first)
    assert gradebook.read_bytes() == b"grades of many a student"


def test_the_built_notebook_is_the_golden_one(course: Course, golden: Callable[[str, str], None]) -> None:
    built = build_sources(course, course.chosen([]))
    assert {path.parent for path in built} == {course.build / "source" / NAME}
    golden("notebook/01_small.ipynb", built[0].read_text(encoding="utf-8"))


def test_what_students_are_to_have_lies_beside_the_notebook_to_the_byte(course: Course) -> None:
    exercise = course.exercises[NAME]
    handout = exercise.folder / "handout"
    (handout / ".ipynb_checkpoints").mkdir(parents=True)
    (handout / ".ipynb_checkpoints" / "data.csv").touch()
    (handout / ".DS_Store").write_bytes(b"what macOS leaves")
    (handout / "model.bin").write_bytes(b"\x00\r\n\xff")
    (handout / "data" / "deep").mkdir(parents=True)
    (handout / "data" / "deep" / "a.csv").write_text("a,b\n", encoding="utf-8")
    more = to_json({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    (handout / "more.ipynb").write_text(more, encoding="utf-8")
    (course.root / "solutions" / "symbols.md").write_text("# Symbols\n", encoding="utf-8")  # for all of them
    assert list(problems(exercise)) == []
    released = {path.name: path.read_bytes() for path in release_notebooks(course, [exercise])}
    assert set(released) == {*KIT, "model.bin", "more.ipynb", "symbols.md", "a.csv"}
    assert (course.assignments / NAME / "data" / "deep" / "a.csv").read_text(encoding="utf-8") == "a,b\n"
    facts = json.loads(released["exercise.json"])
    assert facts["files"] == ["data/deep/a.csv", "model.bin", "more.ipynb"]
    assert released["model.bin"] == b"\x00\r\n\xff"
    assert released["symbols.md"] == b"# Symbols\n"


def test_whatever_differs_from_a_fresh_release_is_stale(course: Course) -> None:
    release_notebooks(course, [])
    assert not course.assignments.exists(), "nothing was asked for"
    assert stale(course, course.chosen([])) == [f"assignments/01_small/{name}" for name in KIT]
    release_notebooks(course, course.chosen([]))
    assert stale(course, course.chosen([])) == []
    source = course.exercises[NAME].source
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("# ## Doubling", "# ## Twice"), encoding="utf-8")
    changed = [f"assignments/01_small/{name}" for name in ("01_small.ipynb", "exercise.json")]
    assert stale(load_course(course.root), [Exercise(source.parent)]) == changed
    source.write_text(text, encoding="utf-8")
    folder = course.assignments / NAME
    (folder / "conftest.py").write_text("# mine", encoding="utf-8")
    (folder / "01_small.ipynb").unlink()
    (folder / "notes.txt").write_text("new", encoding="utf-8")
    (course.assignments / "00_gone").mkdir()
    (course.assignments / "README.md").write_text("for students", encoding="utf-8")
    assert stale(course, course.chosen([])) == [
        "assignments/01_small/01_small.ipynb",
        "assignments/01_small/conftest.py",
        "assignments/01_small/notes.txt",
        "assignments/00_gone",
    ]


def test_given_code_that_answers_an_earlier_exercise_is_warned_of_until_that_is_over() -> None:
    due = datetime(2026, 3, 1, 18, tzinfo=UTC)
    dated = {"07_cross_attention": due, "08_multi_head_attention": due + timedelta(days=7)}
    entries = [one.model_copy(update={"due": dated.get(one.name)}) for one in COURSE.settings.exercises]
    course = Course(ROOT, COURSE.settings.model_copy(update={"exercises": entries}))

    def warned(now: datetime) -> list[str]:
        return list(answered_early(course, course.chosen(["08", "09"]), now))

    undated = (
        "08_multi_head_attention: the code for students contains answers to causal_mask of "
        "06_causal_attention; release 08_multi_head_attention when 06_causal_attention has ended"
    )
    seven = (
        "08_multi_head_attention: the code for students contains answers to Attention of "
        "07_cross_attention; release 08_multi_head_attention after 2026-03-01 18:00+00:00"
    )
    eight = (
        "09_tiny_gpt: the code for students contains answers to MultiHeadAttention of "
        "08_multi_head_attention; release 09_tiny_gpt after 2026-03-08 18:00+00:00"
    )
    assert warned(due) == [undated, seven, eight]
    assert warned(due + timedelta(days=1)) == [undated, eight]
    assert warned(due + timedelta(days=8)) == [undated]


# What students must not see, and whether they do.

QUOTES = " \t#\"'"
ONE_WORD = re.compile(r"\W*\w+\W*")


def leaks(exercise: Exercise, folder: Path) -> list[str]:
    """Return the author's private lines that can be read anywhere in a released folder."""
    seen = list(_readable(folder))
    assert seen, f"{folder} is empty: release the exercise"
    return [line for line in private_lines(exercise) if any(line in text for text in seen)]


def private_lines(exercise: Exercise) -> list[str]:
    """Return the lines that tell, without quotes: those nowhere public, unless short or a single word."""
    given = [path.read_text(encoding="utf-8") for path in (CHECKS, SETUP, GIVEN)]
    public, private = [HOW_TO_CHECK, *given], list[str]()
    for cell in exercise.cells:
        hidden = False
        for line in cell.text.splitlines():
            hidden = hidden or BEGIN in line
            (private if hidden else public).append(line)
            hidden = hidden and END not in line
        public += [shown.text for shown in with_rubric(cell)[1:]]
    for path in private_files(exercise):
        private += path.read_text(encoding="utf-8").splitlines()
    known = "\n".join(public)
    bare = [line.strip(QUOTES) for line in private if line.strip() not in (BEGIN, END)]
    return [line for line in bare if len(line) >= 6 and not ONE_WORD.fullmatch(line) and line not in known]


def private_files(exercise: Exercise) -> list[Path]:
    return [
        exercise.suite,
        exercise.folder / ACCEPTED,
        exercise.folder / MISTAKES,
        *HELD_OUT.glob(f"{exercise.name}.py"),
    ]


def _readable(folder: Path) -> Iterator[str]:
    """Yield all text in a folder: files as they are, and notebooks' strings as Jupyter shows them."""
    for path in (path for path in folder.rglob("*") if path.is_file()):
        yield (text := path.read_bytes().decode("utf-8", "replace"))
        if path.suffix == ".ipynb":
            yield from _strings(json.loads(text))


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list() if all(isinstance(item, str) for item in value):
            yield "".join(value)
        case list():
            for item in value:
                yield from _strings(item)
        case dict():
            for key, item in value.items():
                yield key
                yield from _strings(item)


@pytest.mark.parametrize("name", list(COURSE.exercises))
def test_assignments_leak_nothing(name: str) -> None:
    assert leaks(COURSE.exercises[name], COURSE.assignments / name) == []


PLANTED = {
    "an answer": "return torch.mul(x, 2)",
    "a written answer": "Both are linear: a factor common to all terms can be taken out of the sum.",
    "a hidden test": "expect_tensor(student.row_sums(torch.randn(4, 3)), (4,), torch.float32)",
    "a mistake": "return x.mul_(2)",
    "a hint": "What does the caller's own tensor hold after the call?",
    "an accepted answer": '"""Doubles by adding, and sums the rows in a loop."""',
}


@pytest.mark.parametrize("place", ["a cell", "metadata", "the kit", "another file"])
def test_planted_leaks_are_found(place: str, exercise: Exercise, folder: Path) -> None:
    assert leaks(exercise, folder) == []
    path = folder / "01_small.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    if place == "a cell":
        notebook["cells"][4]["source"] += [f"\n    # {line}" for line in PLANTED.values()]
    elif place == "metadata":
        notebook["cells"][0]["metadata"]["note"] = dict.fromkeys(PLANTED.values(), True)
    elif place == "the kit":
        (folder / "exercise.json").write_text(json.dumps({"hints": [*PLANTED.values()]}), encoding="utf-8")
    else:
        (folder / "deeper").mkdir()
        content = b"\x00".join(line.encode() for line in PLANTED.values())
        (folder / "deeper" / "data.bin").write_bytes(b"\xff\x00" + content + b"\x00")
    path.write_text(to_json(notebook), encoding="utf-8")
    found = leaks(exercise, folder)
    assert [what for what, line in PLANTED.items() if line.strip(QUOTES) not in found] == []


@pytest.fixture
def hand_out(course: Course) -> Callable[[str, bytes], Path]:
    def write(name: str, content: bytes) -> Path:
        path = small(course).folder / "handout" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "conftest.py",
            "handout/conftest.py: would replace a file that the release writes; rename it",
        ),
        ("Setup.md", "handout/Setup.md: would replace a file that the release writes"),
        ("01_small.ipynb", "handout/01_small.ipynb: would replace a file that the release writes"),
        ("notation.md", "handout/notation.md: would replace a file that the release writes"),
        ("more.ipynb", "handout/more.ipynb: is not a notebook; save it again from Jupyter, or rename it"),
        ("conftest.py/a.csv", "handout/conftest.py/a.csv: would replace a file that the release"),
        ("data/more.ipynb", "handout/data/more.ipynb: is not a notebook; save it again from Jupyter, or"),
    ],
)
def test_what_cannot_be_handed_out_is_found_and_not_released(
    course: Course, hand_out: Callable[[str, bytes], Path], name: str, message: str
) -> None:
    (small(course).folder.parent / "notation.md").write_text("# Notation", encoding="utf-8")
    hand_out(name, b"a,b")
    (found,) = problems(small(course))
    assert message in found
    with pytest.raises(SourceError) as refused:
        release_notebooks(course, [small(course)])
    assert str(refused.value) == found
    assert not course.assignments.exists()


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("MAX_FILE", "handout/data/a.csv: has more than 0 MB, too much to copy for each notebook"),
        ("MAX_FILES", "handout: has more than 0 files or 32 MB, too much to copy for each notebook"),
        ("MAX_HANDOUT", "handout: has more than 200 files or 0 MB, too much to copy for each notebook"),
    ],
)
def test_more_than_can_lie_beside_each_graded_notebook_is_refused(
    course: Course,
    hand_out: Callable[[str, bytes], Path],
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    message: str,
) -> None:
    monkeypatch.setattr(f"autograder.authoring.release.{limit}", 0)
    hand_out("data/a.csv", b"a,b")
    assert [message in found for found in problems(small(course))] == [True]


def test_wrong_hints_are_found_before_a_release_refuses_them(course: Course) -> None:
    path = small(course).folder / "hints.yaml"
    path.write_text("double:\n  - a\n\tb", encoding="utf-8")
    assert [line.startswith(f"{path}:3: ") for line in problems(small(course))] == [True]
    path.write_bytes("double:\n  - Hälfte".encode("latin-1"))
    assert list(problems(small(course))) == [f"{path}:2: not UTF-8 text; save it as UTF-8"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    ### BEGIN SOLUTION\n    return torch", "    # {}\n    ### BEGIN SOLUTION\n    return torch"),
        ("any shape. Returns", "any shape: {}. Returns"),
        ("# Twice as much,", "# Twice as much: `{}`,"),
        ('plt.title("The', '# {}\nplt.title("The'),
        ("doubled = double(table)", "doubled = double(table)  # {}"),
        ("table = torch", "# {}\ntable = torch"),
    ],
    ids=["above the markers", "in a docstring", "in a text", "in a demo", "in a check", "in a given cell"],
)
def test_an_answer_in_what_students_get_is_found_with_its_line(course: Course, old: str, new: str) -> None:
    source = small(course).source
    answer = "return torch.mul(x, 2)"
    text = source.read_text(encoding="utf-8").replace(old, new.format(answer), 1)
    source.write_text(text, encoding="utf-8")
    places = [number for number, line in enumerate(text.split("\n"), 1) if answer in line]
    (line,) = (number for number in places if text.split("\n")[number - 1] != f"    {answer}")
    problem = f"students would read a part of the answer to double here; delete it: {answer}"
    assert list(problems(small(course))) == [f"{source}:{line}: {problem}"]


def test_an_answer_in_a_file_beside_the_notebook_is_found(
    course: Course, hand_out: Callable[[str, bytes], Path]
) -> None:
    path = hand_out("tips.txt", b"One way:\nreturn torch.mul( x, 2 )\n")
    assert [line.partition(": ")[0] for line in problems(small(course))] == [f"{path}:2"]


@pytest.mark.parametrize(
    ("file", "finding"),
    [(ACCEPTED, "has no right answer besides the solution"), (MISTAKES, "has no known mistake")],
)
def test_an_exercise_without_any_answer_of_a_kind_is_found(course: Course, file: str, finding: str) -> None:
    (small(course).folder / file).unlink()
    (found,) = problems(small(course))
    assert f"{file}: {finding}; write at least one" in found
