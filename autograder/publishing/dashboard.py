"""Writes the dashboard for instructors, a page about the whole class."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import quote

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.files import write_whole
from autograder.gradebook.pages import read_graders, read_people
from autograder.publishing.graded_work import GradedWork, read_graded_work
from autograder.publishing.statistics import (
    MIN_ANSWERS,
    TENTHS,
    ExerciseStatistics,
    class_statistics,
)
from autograder.report.report import Verdict
from autograder.report.safe_html import load_template
from autograder.submission.submission import Submission

_TEMPLATE = Path(__file__).with_suffix(".html")
_Bar = tuple[str, str, float]  # of a chart: its label, its number, and its length between 0 and 1


def write_dashboard(course: Course, exercises: Sequence[Exercise]) -> Path:
    """Write build/dashboard.html and return it.

    It links to those feedback pages that exist, and names who handed in nothing.
    """
    works = list(read_graded_work(course, exercises))
    statistics = class_statistics(works)
    page = load_template(_TEMPLATE).render(
        course_title=course.settings.title,
        statistics=statistics,
        missing=_missing(course, works),
        hand_grading=[one for one in statistics.questions if one.waiting or one.graded],
        graders=read_graders(course, exercises),
        score_bars=_score_bars,
        address=partial(_address, course),
        pages=partial(_pages, course),
        Verdict=Verdict,
        min_answers=MIN_ANSWERS,
    )
    return write_whole(course.build / "dashboard.html", page)


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
