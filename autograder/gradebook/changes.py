"""Says how a submission's scores differ from those before, and why."""

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.course.course import Course, course_secret
from autograder.course.exercise import Exercise, own_files
from autograder.report.gradebook_submission import GradebookSubmission
from autograder.submission.digest import engine, spelt
from autograder.submission.notebook import Notebook

NEW, DATES, BY_HAND, AGAIN = "new", "dates or late policy", "by hand", "graded again"
_WORDS = {
    "notebook": "another notebook",
    "source": "changed exercise",
    "suite": "changed tests",
    "settings": "changed course.yaml",
    "inputs": "another secret",
    "engine": "changed engine",
    "environment": "another Python",
}
Digests = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """One question whose score changed; `late` is the penalty."""

    name: str
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """A submission whose score, or that of one of its questions, changed."""

    student: str
    exercise: str
    before: float | None
    after: float | None
    why: str
    questions: tuple[QuestionChange, ...]


def score_change(
    exercise: str, before: GradebookSubmission | None, after: GradebookSubmission, why: str
) -> ScoreChange | None:
    """Return what changed, or None where every score is as it was."""
    old, new = _scores(before), _scores(after)
    names = dict.fromkeys((*old, *new))
    changed = tuple(
        QuestionChange(n, old.get(n), new.get(n)) for n in names if old.get(n) != new.get(n) or n not in old
    )
    score = None if before is None else before.score
    if before is not None and not changed and score == after.score:
        return None
    return ScoreChange(after.student, exercise, score, after.score, NEW if before is None else why, changed)


def digests_of(course: Course, exercise: Exercise) -> dict[str, str]:
    """Return a digest of each thing that decides a score besides the notebook."""
    name = exercise.name
    settings = (course.limits(name), spelt(course.rules(name)), course.building(name))
    rules = repr((settings, course.settings.walls))
    tests = (exercise.suite, *own_files(exercise.folder, "mistakes/*.py"))
    return {
        "source": _digest(_content(exercise.source)),
        "suite": _digest(*(part for path in tests for part in (path.name.encode(), _content(path)))),
        "settings": _digest(rules.encode()),
        "inputs": _digest(course_secret(course)),
        "engine": engine(),
        "environment": platform.python_version(),
    }


def cause(before: Digests | None, rules: Digests, notebook: Notebook, attempt: str = "") -> str:
    """Return in words what is not as it was when the submission was graded last.

    `attempt` says which of several attempts the notebook is.
    """
    if before is None:
        return AGAIN
    now = {"notebook": notebook.digest, **rules}
    words = _WORDS | ({"notebook": f"{_WORDS['notebook']} ({attempt})"} if attempt else {})
    return ", ".join(word for key, word in words.items() if before.get(key) != now[key]) or AGAIN


def _scores(submission: GradebookSubmission | None) -> dict[str, float | None]:
    if submission is None:
        return {}
    scores = {entry.question: entry.score for entry in submission.entries}
    return {**scores, "late": -submission.penalty} if submission.penalty else scores


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _digest(*parts: bytes) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()
