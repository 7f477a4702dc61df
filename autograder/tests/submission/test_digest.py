"""What makes a class be graded again: all that can change a grade, and nothing else."""

from pathlib import Path

import grimp
import pytest

import autograder
from autograder.course.course import Course, load_course
from autograder.submission.digest import digest_of, grading_modules, rules
from autograder.submission.notebook import Notebook
from autograder.tests.classroom import small

ENGINE = Path(autograder.__file__).parent
# Whatever grades and whatever the gradebook keeps of it is imported from one of these.
ROOTS = ("autograder.grading.marking", "autograder.gradebook.grades", "autograder.worker.zygote")


def file_of(module: str) -> Path:
    path = ENGINE.parent / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def test_all_that_grading_imports_counts() -> None:
    graph = grimp.build_graph("autograder")
    imported = {module for root in ROOTS for module in (root, *graph.find_upstream_modules(root))}
    needed = {file_of(module) for module in imported} - {ENGINE / "__init__.py"}
    assert {str(path.relative_to(ENGINE)) for path in needed - set(grading_modules())} == set()


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("01_small.py", True),
        ("test_hidden.py", True),
        ("mistakes/double__squares.py", True),
        ("flow.svg", True),
        ("accepted/by_adding.py", True),
        ("../misconceptions/masks.py", True),
        ("heldout/double__squares.py", False),
        (".ipynb_checkpoints/01_small-checkpoint.py", False),
        ("notes.md", False),
        ("handout/data.txt", False),
    ],
)
def test_a_change_of_an_exercise_s_file_counts_if_it_can_change_a_grade(
    course: Course, file: str, counts: bool
) -> None:
    before = rules(course, small(course))
    path = small(course).folder / file
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as changed:
        changed.write("\n# a comment\n")
    changed_course = load_course(course.root)
    assert (rules(changed_course, small(changed_course)) != before) is counts


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("walls: bare", "walls: full", True),
        ("- name: 01_small", "- name: 01_small\n    due: 2026-01-01T12:00:00+00:00", False),
        ("- name: 01_small", "- name: 01_small\n    limits: {call_seconds: 1}", True),
        ("row_sums: [", "row_sums: [dot, ", True),
        ("title: A course", "title: Another course", False),
    ],
)
def test_a_change_of_course_yaml_counts_if_it_can_change_a_grade(
    course: Course, old: str, new: str, counts: bool
) -> None:
    before = rules(course, small(course))
    path = course.root / "course.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    changed = load_course(course.root)
    assert (rules(changed, small(changed)) != before) is counts


def test_other_bytes_are_another_submission() -> None:
    digests = {digest_of("rules", Notebook(content)) for content in (b"", b"one", b"two")}
    digests |= {digest_of("other rules", Notebook(b"one")), digest_of("rules", Notebook(b"", "no file"))}
    assert len(digests) == 5
