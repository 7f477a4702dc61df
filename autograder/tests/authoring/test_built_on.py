"""What questions may build on is proved: beside a wrong earlier answer, a right later one loses nothing."""

from collections.abc import Mapping

import pytest

from autograder.authoring import entry
from autograder.authoring.answers import solved_cells
from autograder.authoring.verify import prove
from autograder.course.course import Course, load_course
from autograder.report.report import QuestionReport, Report, Status, Verdict
from autograder.sandbox.zygote import Zygote
from autograder.testing.suite import Suite

BUILDS = {"row_sums": ("double",)}
CALLS = '"""The sums of halves, doubled."""\n\n\ndef row_sums(x):\n    return double(x / 2).sum(dim=-1)\n'


def write_caller(course: Course) -> None:
    (course.exercises["01_small"].folder / "accepted" / "by_doubling.py").write_text(CALLS, encoding="utf-8")


def test_a_pair_of_course_yaml_is_proved_by_a_right_answer_that_calls_the_earlier_one(
    course: Course, zygote: Zygote
) -> None:
    file = course.root / "course.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "    builds_on: {row_sums: [double]}\n", "utf-8")
    write_caller(course)
    course = load_course(course.root)
    (proof,) = prove(course, course.chosen([]), zygote)
    assert proof.findings == ()
    assert proof.carried == "1 of 1 earlier mistakes carried forward"


def test_a_pair_without_a_right_answer_that_calls_the_earlier_one_is_a_finding(course: Course) -> None:
    exercise = course.exercises["01_small"]
    _, (finding,) = entry.measure(exercise, BUILDS, Suite(exercise), lambda _: pytest.fail("graded"))
    assert finding.endswith(
        "01_small: no right answer to row_sums builds on double; "
        "write accepted/what_is_different.py, in which row_sums calls it"
    )


def test_what_a_wrong_earlier_answer_still_costs_is_a_finding(course: Course) -> None:
    write_caller(course)
    exercise, seen = course.exercises["01_small"], list[Mapping[str, str]]()

    def grade(answers: Mapping[str, str]) -> Report:
        seen.append(answers)
        question = QuestionReport("row_sums", Verdict.FAILED, 1.0, 3.0, "Too small.")
        return Report(exercise.name, Status.GRADED, "", 1.0, 3.0, (), (question,))

    said, (finding,) = entry.measure(exercise, BUILDS, Suite(exercise), grade)
    assert said.startswith("0 of 1 ")
    assert finding.endswith(
        "by_doubling.py: must lose no points in row_sums if double is wrong, "
        "but row_sums is failed. Too small."
    )
    wrong = dict[str, object]()
    exec(seen[0]["double"], wrong)
    assert callable(wrong["double"])
    assert solved_cells(exercise, seen[0])


def test_nothing_builds_on_a_question_that_answers_it_by_itself(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entry, "MOST", -1.0)
    exercise = course.exercises["01_small"]
    _, (finding,) = entry.measure(exercise, BUILDS, Suite(exercise), lambda _: pytest.fail("graded"))
    assert finding.endswith(
        "double alone is worth 0% of row_sums, so nothing may build on it; take it out of course.yaml"
    )
