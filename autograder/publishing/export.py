"""Writes the gradebook as CSV tables: by question, by exercise, for Canvas and for Moodle."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.pages import read_people
from autograder.publishing import canvas, moodle
from autograder.publishing.csv_table import Row, write_table
from autograder.publishing.exported import Exports
from autograder.publishing.graded_work import GradedWork, read_graded_work
from autograder.report.gradebook_submission import GradebookEntry
from autograder.submission.students import listed_students

_QUESTIONS = ("student", "exercise", "question", "score", "max_score", "status")
_EXERCISES = ("student", "exercise", "score", "max_score", "penalty", "status")
_STATUSES = ("grader error", "not graded yet", "to be reviewed", "to be graded by hand")  # the gravest first
_GRADED, _MISSING = "graded", "nothing handed in"


@dataclass(frozen=True, slots=True)
class Leaving:
    """Which scores of an exercise may leave, and what is to be said of them and of the others."""

    scores: Mapping[str, float]
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Which scores may leave; a file that could not be read has none, unless it is to count as 0."""

    final_only: bool = False
    unreadable_as_zero: bool = False

    def of(self, exercise: Exercise, works: Iterable[GradedWork]) -> Leaving:
        """Return what leaves of an exercise's graded work."""
        works = list(works)
        scored = {work.student: score for work in works if (score := work.submission.score) is not None}
        unreadable = {work.student for work in works if work.is_unreadable}
        provisional = {work.student for work in works if work.submission.is_provisional} - unreadable
        late = sorted(work.student for work in works if work.is_late_untimed)
        out = (set() if self.unreadable_as_zero else unreadable) | (provisional if self.final_only else set())
        told = list[str]()
        if held := provisional & scored.keys():
            how = ", left out" if self.final_only else ""
            told.append(
                f"{len(held)} of {len(works)} scores are provisional{how}: a person has to settle them"
            )
        if unreadable:
            how = "given as 0" if self.unreadable_as_zero else "left out; --unreadable-as-zero gives 0"
            told.append(f"{len(unreadable)} unreadable, {how}: {', '.join(sorted(unreadable))}")
        if late:
            told.append(f"{len(late)} late, time unknown, so nothing is taken off: {', '.join(late)}")
        scores = {student: score for student, score in scored.items() if student not in out}
        return Leaving(scores, tuple(f"{exercise.name}: {line}" for line in told))


ALL = Choice()


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables that were written, and what is to be said of the scores in them."""

    paths: tuple[Path, ...]
    told: tuple[str, ...]


def write_tables(
    course: Course, exercises: Sequence[Exercise], *, changed: bool = False, choice: Choice = ALL
) -> Tables:
    """Write questions, exercises, canvas and moodle.csv to build/exports/ and return what was written.

    Platforms take a column for a new assignment, and an empty cell for a grade to be deleted. So their files
    hold only exercises and students that have scores; `exercises.csv` names everybody. With `changed` they
    hold only those exercises and students of whom a score is another one than in the last export; what else
    such a student has in such an exercise is repeated, since a cell may not be empty.
    """
    people = read_people(course)
    graded = {exercise: list(works_of_class(course, exercise, people)) for exercise in exercises}
    leaving = {exercise.name: choice.of(exercise, works) for exercise, works in graded.items()}
    scores = {exercise: one.scores for exercise, one in leaving.items()}
    points = {exercise.name: points_of(exercise) for exercise in exercises if scores[exercise.name]}
    chosen = set(chain.from_iterable(scores.values()))
    exports = Exports(course, "tables")
    if changed:
        new = {exercise: exports.changed(exercise, scores[exercise]) for exercise in points}
        points = {exercise: most for exercise, most in points.items() if new[exercise]}
        chosen = set(chain.from_iterable(new.values()))
    ordered = {
        student: {exercise: scores[exercise].get(student) for exercise in points}
        for student in sorted(chosen)
    }
    names = {student: people[student].name if student in people else student for student in ordered}
    folder = course.build / "exports"
    questions = (row for works in graded.values() for work in works for row in _by_question(work))
    rows = (row for exercise, works in graded.items() for row in _by_exercise(exercise, works, people))
    for_canvas = canvas.rows(points, ordered, names, canvas_ids(course))
    written = (
        write_table(folder / "questions.csv", _QUESTIONS, questions),
        write_table(folder / "exercises.csv", _EXERCISES, rows),
        write_table(folder / "canvas.csv", (*canvas.STUDENT_COLUMNS, *points), for_canvas),
        write_table(folder / "moodle.csv", (*moodle.STUDENT_COLUMNS, *points), moodle.rows(points, ordered)),
    )
    for exercise, given in scores.items():
        exports.note(exercise, given)
    return Tables(written, tuple(chain.from_iterable(one.told for one in leaving.values())))


def works_of_class(course: Course, exercise: Exercise, people: Collection[str]) -> Iterator[GradedWork]:
    """Yield the graded work of an exercise without that of those who have left the class."""
    works = read_graded_work(course, [exercise])
    return (work for work in works if not people or work.student in people)


def points_of(exercise: Exercise) -> float:
    """Return the points of an exercise, with those of its written answers."""
    return sum(exercise.points.values()) + sum(exercise.written.values())


def canvas_ids(course: Course) -> dict[str, str]:
    """Return what students.csv says in its column canvas, by student."""
    listed = listed_students(course.root)
    students = listed.all if listed else ()
    return {student.id: student.platforms["canvas"] for student in students if "canvas" in student.platforms}


def _by_question(work: GradedWork) -> Iterator[Row]:
    for entry in work.submission.entries:
        yield work.student, work.exercise, entry.question, entry.score, entry.max_score, _status(entry)


def _by_exercise(exercise: Exercise, works: Sequence[GradedWork], people: Collection[str]) -> Iterator[Row]:
    """Yield a row for each student: of the class, and of those who handed in."""
    found = {work.student: work for work in works}
    for student in sorted({*found, *people}):
        if work := found.get(student):
            statuses = {_status(entry) for entry in work.submission.entries}
            told = ["unreadable"] if work.is_unreadable else [one for one in _STATUSES if one in statuses]
            told += ["late, time unknown"] if work.is_late_untimed else []
            score = None if work.is_unreadable else work.submission.score
            scores = score, work.submission.max_score, work.submission.penalty
            yield student, exercise.name, *scores, "; ".join(told) or _GRADED
        else:
            yield student, exercise.name, None, points_of(exercise), None, _MISSING


def _status(entry: GradebookEntry) -> str:
    """Return whether a score is final, and if not, what it waits for."""
    if entry.score is not None:
        return "to be reviewed" if entry.needs_person else _GRADED
    if entry.written:
        return "to be graded by hand"
    return "grader error" if entry.comment else "not graded yet"
