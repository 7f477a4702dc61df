"""What a release would refuse, lose or give away is found before, with its place."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.authoring.release import problems, release_notebooks
from autograder.course.course import Course
from autograder.course.source import SourceError
from autograder.tests.classroom import small


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
            "handout/conftest.py: would take the place of a file that the release writes; rename it",
        ),
        ("Setup.md", "handout/Setup.md: would take the place of a file that the release writes"),
        ("01_small.ipynb", "handout/01_small.ipynb: would take the place of a file that the release writes"),
        ("notation.md", "handout/notation.md: would take the place of a file that the release writes"),
        ("more.ipynb", "handout/more.ipynb: is not a notebook; save it again from Jupyter, or rename it"),
        ("data/a.csv", "handout/data: only files are handed out; lay its files into handout/ itself, or an"),
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
    problem = f"students would read a part of the answer to double here: {answer}; take it out"
    assert list(problems(small(course))) == [f"{source}:{line}: {problem}"]


def test_an_answer_in_a_file_beside_the_notebook_is_found(
    course: Course, hand_out: Callable[[str, bytes], Path]
) -> None:
    path = hand_out("tips.txt", b"One way:\nreturn torch.mul( x, 2 )\n")
    assert [line.partition(": ")[0] for line in problems(small(course))] == [f"{path}:2"]


@pytest.mark.parametrize(
    ("folder", "finding"),
    [("accepted", "holds no other right answer"), ("mistakes", "holds no known mistake")],
)
def test_an_exercise_without_any_answer_of_a_kind_is_found(course: Course, folder: str, finding: str) -> None:
    shutil.rmtree(small(course).folder / folder)
    (found,) = problems(small(course))
    assert f"{folder}: {finding}; write at least one" in found
