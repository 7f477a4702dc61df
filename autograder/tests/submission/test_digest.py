"""What makes a class be graded again: all that can change a grade, and nothing else."""

from pathlib import Path

import grimp
import pytest

import autograder
from autograder.course.course import Course, course_files, load_course
from autograder.submission.digest import fingerprint_of, grading_modules, rules
from autograder.submission.notebook import Notebook
from autograder.tests.classroom import small

ENGINE = Path(autograder.__file__).parent
SETTINGS = "../../course.yaml"
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


COMMENT = "\n# a comment\n"


@pytest.mark.parametrize(
    ("file", "old", "new", "counts"),
    [
        *(
            (file, "", COMMENT, True)
            for file in ("01_small.py", "test_hidden.py", "mistakes.py", "flow.svg",
                         "accepted.py", "../misconceptions/masks.py", "handout/data.txt",
                         "handout/deep/data.txt")
        ),
        *(
            (file, "", COMMENT, False)
            for file in (".ipynb_checkpoints/01_small-checkpoint.py",
                         "notes.md", "handout/.hidden")
        ),
        (SETTINGS, "walls: bare", "walls: full", True),
        (SETTINGS, "- name: 01_small", "- name: 01_small\n    due: 2026-01-01T12:00:00+00:00", False),
        (SETTINGS, "- name: 01_small", "- name: 01_small\n    limits: {call_seconds: 1}", True),
        (SETTINGS, "row_sums: [", "row_sums: [dot, ", True),
        (SETTINGS, "title: A course", "title: Another course", False),
    ],
)  # fmt: skip
def test_a_change_counts_if_it_can_change_a_grade(
    course: Course, file: str, old: str, new: str, counts: bool
) -> None:
    before = rules(course, small(course))
    path = small(course).folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    assert old in text
    path.write_text(text.replace(old, new) if old else text + new, encoding="utf-8")
    changed = load_course(course.root)
    assert (rules(changed, small(changed)) != before) is counts


def test_what_a_suite_imports_from_beside_the_exercises_counts_and_is_copied(course: Course) -> None:
    exercise = small(course)
    shared, further, other = (
        exercise.folder.parent / f"{name}.py" for name in ("shared", "further", "other")
    )
    shared.write_text("import torch\nfrom further import right", "utf-8")
    for path in (further, other):
        path.write_text("right = 1", "utf-8")
    suite = exercise.suite.read_text(encoding="utf-8")
    exercise.suite.write_text(
        suite.replace("import torch", "import torch\nfrom shared import right", 1), "utf-8"
    )
    assert exercise.imported == (shared, further)
    assert set(course_files(course, [exercise])) >= {"solutions/shared.py", "solutions/further.py"}
    seen = [rules(course, exercise)]
    for path in (shared, further, other):
        path.write_text(f"{path.read_text(encoding='utf-8')}\n# changed", "utf-8")
        seen.append(rules(course, exercise))
    assert len(set(seen)) == 3
    assert seen[2] == seen[3]


def test_other_bytes_are_another_submission() -> None:
    digests = {fingerprint_of("rules", Notebook(content).digest) for content in (b"", b"one", b"two")}
    digests |= {fingerprint_of("other rules", Notebook(b"one").digest)}
    digests |= {fingerprint_of("rules", Notebook(b"", "no file").digest)}
    assert len(digests) == 5
