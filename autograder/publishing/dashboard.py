"""Writes the dashboard: one page and its numbers as tables, for those who run the course."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, StrictUndefined

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.publishing import picture
from autograder.publishing.csv_table import Row, write_sheet
from autograder.publishing.graded_work import read_classwork
from autograder.publishing.statistics import DROP, FEWEST, Numbers, QuestionNumbers, count
from autograder.report.report import Verdict
from autograder.report.safe_html import POLICY
from autograder.submission.submission import Submission

_HERE = Path(__file__).parent
_STYLE = _HERE.parent / "report" / "page.css"
_BINS = 10
_SHEETS: dict[str, Row] = {
    "questions": (
        "exercise", "question", "points", "answers", "mean", "full_marks", "not_attempted", "crashed",
        "timed_out", "discrimination", "compared", "only_check_passes", "only_tests_pass",
    ),
    "scores": ("exercise", "from_percent", "submissions"),
    "mistakes": ("exercise", "question", "mistake", "count", "students"),
    "students": ("student", "exercise", "why"),
}  # fmt: skip


def write_dashboard(course: Course, exercises: Sequence[Exercise]) -> list[Path]:
    """Write build/dashboard.html and build/exports/dashboard-*.csv and return the files."""
    numbers = count(read_classwork(course, exercises))
    path = course.build / "dashboard.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(course, numbers), encoding="utf-8")
    return [path, *_sheets(course.build / "exports", numbers)]


def page(course: Course, numbers: Numbers) -> str:
    """Return the page; it links to those feedback pages that there are."""
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    template = environment.from_string((_HERE / "dashboard.html").read_text(encoding="utf-8"))
    return template.render(
        title=course.settings.title,
        policy=POLICY,
        style=_STYLE.read_text(encoding="utf-8"),
        numbers=numbers,
        pictures=_pictures(numbers),
        address=lambda student, exercise: _address(course, student, exercise),
        Verdict=Verdict,
        drop=DROP,
        fewest=FEWEST,
    )


def bins(shares: Iterable[float]) -> list[int]:
    """Return how many of `shares` lie in each tenth; full marks are in the last."""
    counts = [0] * _BINS
    for share in shares:
        counts[min(max(int(share * _BINS + 1e-9), 0), _BINS - 1)] += 1
    return counts


def _pictures(numbers: Numbers) -> dict[str, list[str]]:
    """Return the pictures of each exercise: its scores, and its questions' means."""
    edges = [100 * edge // _BINS for edge in range(_BINS + 1)]
    labels = [f"{low}\N{EN DASH}{high - (high < 100)}" for low, high in pairwise(edges)]
    drawn = {}
    for exercise in numbers.exercises:
        scores = picture.columns(
            f"scores-{exercise.name}",
            f"How many submissions of {exercise.name} scored so many percent of the tested points",
            labels,
            bins(exercise.shares),
            "percent of the tested points",
        )
        means = _means(exercise.name, [q for q in numbers.questions if q.exercise == exercise.name])
        drawn[exercise.name] = [svg for svg in (scores, means) if svg]
    return drawn


def _means(exercise: str, questions: Sequence[QuestionNumbers]) -> str:
    shares = {q.name: q.mean / q.points for q in questions if q.mean is not None and not q.written}
    if not shares:
        return ""
    title = f"Mean score of each question of {exercise}, as part of its points"
    return picture.rows(f"means-{exercise}", title, list(shares), list(shares.values()))


def _address(course: Course, student: str, exercise: str) -> str | None:
    """Return where a feedback page lies, as seen from the dashboard; None where there is none yet."""
    feedback = Submission(course.root, student, exercise).feedback
    return f"../{quote(feedback.relative_to(course.root).as_posix())}" if feedback.is_file() else None


def _sheets(folder: Path, numbers: Numbers) -> Iterator[Path]:
    rows: dict[str, Iterable[Row]] = {
        "questions": map(_question_row, numbers.questions),
        "scores": (
            (exercise.name, edge * 100 / _BINS, number)
            for exercise in numbers.exercises
            for edge, number in enumerate(bins(exercise.shares))
        ),
        "mistakes": (
            (m.exercise, m.question, m.name, len(m.students), " ".join(m.students)) for m in numbers.mistakes
        ),
        "students": ((look.student, look.exercise, look.why) for look in numbers.looks),
    }
    return (write_sheet(folder / f"dashboard-{name}.csv", _SHEETS[name], rows[name]) for name in _SHEETS)


def _question_row(question: QuestionNumbers) -> Row:
    return (
        question.exercise,
        question.name,
        question.points,
        len(question.scores),
        question.mean,
        question.full,
        question.count(Verdict.NOT_ATTEMPTED),
        question.count(Verdict.CRASHED),
        question.count(Verdict.TIMED_OUT),
        question.discrimination,
        question.compared,
        len(question.only_check),
        len(question.only_tests),
    )
