"""Graded work of made-up students, as the dashboard and its statistics take it."""

from collections.abc import Mapping
from dataclasses import replace

from autograder.publishing.dashboard import QuestionStatistics, class_statistics
from autograder.publishing.graded_work import GradedWork
from autograder.report.report import (
    Entry,
    GradebookSubmission,
    QuestionReport,
    Report,
    Status,
    Verdict,
    total,
    written,
)
from autograder.report.report import TestReport as HiddenTest

POINTS = {"double": 2.0, "row_sums": 3.0}
Answers = Mapping[str, float | Verdict | str]
RIGHT: Answers = {"double": 2.0, "row_sums": 3.0}


def question(name: str, answer: float | Verdict | str) -> QuestionReport:
    """Return a question by its score, by what went wrong, or by the mistake that was made."""
    points = POINTS[name]
    score = answer if isinstance(answer, float) else 0.0
    verdict = answer if isinstance(answer, Verdict) else Verdict.FAILED
    tests = (HiddenTest("It holds.", verdict, 1.0, ""),)
    if isinstance(answer, float) and answer == points:
        return QuestionReport(name, Verdict.PASSED, points, points, "", None, ())
    if verdict is Verdict.GRADER_ERROR:
        return QuestionReport(name, verdict, None, points, "", None, tests)
    mistake = answer if isinstance(answer, str) and not isinstance(answer, Verdict) else None
    return QuestionReport(name, verdict, score, points, "Look again.", mistake, tests)


def report_on(answers: Answers, exercise: str = "01_small") -> Report:
    questions = tuple(question(name, answer) for name, answer in answers.items())
    score, maximum = total(questions)
    status = Status.GRADED if score is not None else Status.GRADER_ERROR
    return Report(exercise, status, "", score, maximum, (), (*questions, written("why", 2.0)))


def in_gradebook(student: str, report: Report, person: bool = True) -> GradebookSubmission:
    """Return what the gradebook has of a report; `person` says whether someone still has to look."""
    waits, unread = (Verdict.REVIEW, Verdict.GRADER_ERROR), report.status is Status.UNREADABLE
    entries = [
        Entry(
            student, q.name, q.verdict is Verdict.UNGRADED,
            0.0 if unread else q.score, None, None, q.max_score,
            person and (q.verdict in waits or (unread and not place)), "", "",
        )
        for place, q in enumerate(report.questions)
    ]  # fmt: skip
    return GradebookSubmission(student, 0.0, 0.0, tuple(entries))


def work(student: str, answers: Answers, exercise: str = "01_small") -> GradedWork:
    report = report_on(answers, exercise)
    return GradedWork(exercise, in_gradebook(student, report), report)


def unreadable(student: str, message: str = "not JSON") -> GradedWork:
    report = report_on(dict.fromkeys(POINTS, Verdict.NOT_ATTEMPTED))
    report = replace(report, status=Status.UNREADABLE, message=message)
    return GradedWork("01_small", in_gradebook(student, report), report)


def statistics_of(name: str, *works: GradedWork) -> QuestionStatistics:
    return next(question for question in class_statistics(works).questions if question.name == name)


SMALL_CLASS = [
    work("ada", RIGHT),
    work("blaise", {"double": "double__squares", "row_sums": 3.0}),
    work("carl", {"double": 2.0, "row_sums": "row_sums__columns"}),
    work("d.o+rothy@home", {"double": 1.0, "row_sums": "row_sums__columns"}),
    work("emmy", {"double": Verdict.CRASHED, "row_sums": Verdict.TIMED_OUT}),
    work("felix", {"double": Verdict.REVIEW, "row_sums": 3.0}),
    work("grace", dict.fromkeys(POINTS, Verdict.NOT_ATTEMPTED)),
    unreadable("kurt", "<script>alert(1)</script>"),
]
