"""A certificate lets whoever holds course and secret make the same report again, and names what differs."""

import shutil
from contextlib import nullcontext
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.course.course import Course, load_course
from autograder.errors import UsageError
from autograder.gradebook.book import ExerciseGradebook
from autograder.grading.grader import CourseGrader
from autograder.plugins import certificate as certificates
from autograder.plugins.certificate import Certificate, certify_grade, check_certificate, read_certificate
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import read_notebook
from autograder.tests.classroom import WRONG_SUMS, copy_small_course, hand_in, small, solved


@pytest.fixture(scope="module")
def once(
    tmp_path_factory: pytest.TempPathFactory, blank_gradebook: Path, zygote: Zygote
) -> tuple[Course, CourseGrader]:
    """Return a course with one graded submission, and the grader."""
    course = copy_small_course(tmp_path_factory.mktemp("certified") / "course")
    shutil.copy(blank_gradebook, course.root)
    exercise = small(course)
    submission = hand_in(course, "ann", solved(exercise, row_sums=WRONG_SUMS))
    grader, notebook = CourseGrader(course, zygote), read_notebook(submission.notebook)
    with ExerciseGradebook(course, exercise) as book:
        book.take_in(submission, notebook, grader.grade(exercise, notebook))
    return course, grader


@pytest.fixture
def graded(
    once: tuple[Course, CourseGrader], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Course, Certificate]:
    """Return a copy of that course, and the certificate as somebody has read it from a file."""
    course, grader = once
    # In the place of the process that would grade:
    monkeypatch.setattr(certificates, "MarkingProcess", lambda *_, **__: nullcontext(grader))
    copied = load_course(shutil.copytree(course.root, tmp_path / "copy"))
    return copied, read_certificate(certify_grade(copied, small(copied), "ann").to_json())


def differing(course: Course, given: Certificate) -> set[str]:
    return set(check_certificate(course, given))


def test_the_same_course_makes_the_same_report_and_what_differs_is_named(
    graded: tuple[Course, Certificate],
) -> None:
    course, given = graded
    assert differing(course, given) == set()
    with small(course).suite.open("a", encoding="utf-8") as suite:
        suite.write("\n# a comment\n")
    assert differing(course, given) == {"suite"}  # the report is still the same
    hand_in(course, "ann", solved(small(course)))
    assert differing(course, given) == {"suite", "notebook", "report"}


def test_only_the_secret_makes_the_seal_and_it_is_not_told(graded: tuple[Course, Certificate]) -> None:
    course, given = graded
    key = course.root / "hidden_inputs.key"
    assert key.read_text(encoding="ascii").strip() not in given.to_json()
    assert differing(course, given.model_copy(update={"score": 5.0})) == {"seal"}
    key.write_text("00" * 32, encoding="ascii")
    assert differing(course, given) == {"seal", "inputs"}


def test_the_commands_print_and_check(graded: tuple[Course, Certificate]) -> None:
    course, given = graded
    arguments = ["--course", str(course.root)]
    printed = CliRunner().invoke(main, [*arguments, "certificate", "ann", "01_small"])
    assert read_certificate(printed.output) == given
    file = course.root / "certificate.json"
    file.write_text(printed.output, encoding="utf-8")
    checked = CliRunner().invoke(main, [*arguments, "certificate", "--check", str(file)])
    assert (checked.exit_code, checked.output) == (0, "01_small ann: the report is the same, byte for byte\n")
    file.write_text(printed.output.replace('"score": ', '"score": 1'), encoding="utf-8")
    checked = CliRunner().invoke(main, [*arguments, "certificate", "--check", str(file)])
    assert checked.exit_code == 1
    assert checked.output.startswith("differs: seal: ")
    assert checked.output.endswith("the report is the same, byte for byte; what is named above is not\n")
    for hostile in ('{"certificate": 1}', "[" * 100_000, printed.output.replace('"ann"', '"../ann"')):
        file.write_text(hostile, encoding="utf-8")
        assert CliRunner().invoke(main, [*arguments, "certificate", "--check", str(file)]).exit_code == 2


def test_what_was_not_graded_has_no_certificate(course: Course) -> None:
    for student in ("ann", "../ann"):
        with pytest.raises(UsageError, match="autograder grade --force"):
            certify_grade(course, small(course), student)
