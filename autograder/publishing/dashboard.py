"""Writes the dashboard for instructors: a page about the whole class, and its numbers as tables."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from urllib.parse import quote

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.files import write_whole
from autograder.gradebook.pages import read_graders, read_people
from autograder.publishing.export import Row, write_table
from autograder.publishing.graded_work import GradedWork, read_graded_work
from autograder.publishing.statistics import (
    MIN_ANSWERS,
    TENTHS,
    ClassStatistics,
    ExerciseStatistics,
    QuestionStatistics,
    class_statistics,
)
from autograder.report.report import Verdict
from autograder.report.safe_html import load_template
from autograder.submission.submission import Submission

_TEMPLATE = Path(__file__).with_suffix(".html")
_HEADERS: dict[str, Row] = {
    "questions": (
        "exercise", "question", "points", "answers", "mean", "full_marks", "not_attempted", "crashed",
        "timed_out", "discrimination", "compared", "only_check_passes", "only_tests_pass",
    ),
    "scores": ("exercise", "from_percent", "submissions"),
    "mistakes": ("exercise", "question", "mistake", "count", "students"),
    "students": ("student", "exercise", "why"),
}  # fmt: skip
_COUNTED = (Verdict.NOT_ATTEMPTED, Verdict.CRASHED, Verdict.TIMED_OUT)
_Bar = tuple[str, str, float]  # of a chart: its label, its number, and its length between 0 and 1


def write_dashboard(course: Course, exercises: Sequence[Exercise]) -> list[Path]:
    """Write build/dashboard.html and build/exports/dashboard-*.csv and return the files."""
    works = list(read_graded_work(course, exercises))
    statistics = class_statistics(works)
    path = course.build / "dashboard.html"
    page = render_dashboard(course, statistics, _missing(course, works), read_graders(course, exercises))
    write_whole(path, page)
    return [path, *write_dashboard_tables(course.build / "exports", statistics)]


def render_dashboard(
    course: Course,
    statistics: ClassStatistics,
    missing: Mapping[str, Sequence[str]],
    graders: Mapping[tuple[str, str], int],
) -> str:
    """Return the page; it links to those feedback pages that exist, and names who handed in nothing."""
    return load_template(_TEMPLATE).render(
        course_title=course.settings.title,
        statistics=statistics,
        missing=missing,
        hand_grading=[one for one in statistics.questions if one.waiting or one.graded],
        differing=[one for one in statistics.questions if one.only_check_passes or one.only_tests_pass],
        graders=graders,
        score_bars=lambda exercise: list(_score_bars(exercise)),
        mean_bars=lambda questions: list(_mean_bars(questions)),
        address=lambda student, exercise: _address(course, student, exercise),
        pages=lambda exercise: _pages(course, exercise),
        Verdict=Verdict,
        min_answers=MIN_ANSWERS,
    )


def write_dashboard_tables(folder: Path, statistics: ClassStatistics) -> list[Path]:
    """Write dashboard-*.csv to `folder` and return their paths."""
    rows: dict[str, Iterable[Row]] = {
        "questions": map(_question_row, statistics.questions),
        "scores": (
            (exercise.name, 100 * tenth / TENTHS, submissions)
            for exercise in statistics.exercises
            for tenth, submissions in enumerate(exercise.histogram)
        ),
        "mistakes": (
            (made.exercise, made.question, made.name, len(made.students), " ".join(made.students))
            for made in statistics.mistakes
        ),
        "students": map(astuple, statistics.concerns),
    }
    return [write_table(folder / f"dashboard-{name}.csv", _HEADERS[name], rows[name]) for name in _HEADERS]


def _missing(course: Course, works: Iterable[GradedWork]) -> dict[str, list[str]]:
    """Return who of the class has handed in nothing, by those exercises that others have handed in."""
    came = defaultdict[str, set[str]](set)
    for work in works:
        came[work.exercise].add(work.student)
    people = read_people(course)
    return {exercise: [one for one in people if one not in students] for exercise, students in came.items()}


def _score_bars(exercise: ExerciseStatistics) -> Iterator[_Bar]:
    """Yield how many submissions scored in each tenth of the points; the longest bar is the fullest tenth."""
    width = 100 // TENTHS
    most = max(*exercise.histogram, 1)
    for tenth, submissions in enumerate(exercise.histogram):
        low = tenth * width
        high = 100 if tenth == TENTHS - 1 else low + width - 1
        yield f"{low}\N{EN DASH}{high}", str(submissions), submissions / most


def _mean_bars(questions: Sequence[QuestionStatistics]) -> Iterator[_Bar]:
    """Yield the mean score of each tested question that has one, as a part of its points."""
    for question in questions:
        if question.mean is not None and not question.written:
            share = question.mean / question.points
            yield question.name, f"{share:.0%}", min(max(share, 0.0), 1.0)


def _address(course: Course, student: str, exercise: str) -> str | None:
    """Return the address of a feedback page relative to the dashboard, or None if there is no such page."""
    feedback = Submission(course.root, student, exercise).feedback
    return f"../{quote(feedback.relative_to(course.root).as_posix())}" if feedback.is_file() else None


def _pages(course: Course, exercise: str) -> dict[str, list[tuple[str, str]]]:
    """Return the pages that lie in build/NAME/EXERCISE, such as a plug-in's: words and addresses by NAME."""
    found = defaultdict[str, list[tuple[str, str]]](list)
    for folder in sorted(course.build.glob(f"*/{exercise}")):
        for page in sorted(folder.rglob("*.html")):
            words = page.relative_to(folder).with_suffix("").as_posix()
            found[folder.parent.name].append((words, quote(page.relative_to(course.build).as_posix())))
    return found


def _question_row(question: QuestionStatistics) -> Row:
    scores = (question.points, len(question.scores), question.mean, question.full_marks)
    counts = map(question.count, _COUNTED)
    checked = (question.compared, len(question.only_check_passes), len(question.only_tests_pass))
    return (question.exercise, question.name, *scores, *counts, question.discrimination, *checked)
