"""Writes a table of the audit, which is the history of all scores."""

from collections.abc import Collection, Iterator
from pathlib import Path

from autograder.course.course import Course
from autograder.gradebook.pages import read_people
from autograder.publishing.export import Row, write_table
from autograder.records.audit import Line, audit_lines
from autograder.report.report import score_that_counts, with_penalty

_HEADER = ("time", "who", "student", "name", "exercise", "question", "before", "after", "why")
_GRADER = "autograder"  # the entry in the column "who" if the autograder changed the score


def chosen_lines(course: Course, exercises: Collection[str]) -> Iterator[Line]:
    """Yield the audit's lines about `exercises` and about exercises that are no longer in the course."""
    others = course.exercises.keys() - {*exercises}
    yield from (line for line in audit_lines(course) if line["exercise"] not in others)


def write_audit(course: Course, exercises: Collection[str]) -> Path:
    """Write build/exports/audit.csv, and return its path."""
    people = {student: person.name for student, person in read_people(course).items()}
    rows = _rows(chosen_lines(course, exercises), people)
    return write_table(course.build / "exports" / "audit.csv", _HEADER, rows)


def _rows(lines: Iterator[Line], people: dict[str, str]) -> Iterator[Row]:
    before: dict[tuple[str, str], dict[str, float | None]] = {}
    for line in lines:
        student, exercise = line["student"], line["exercise"]
        scores = {name: score_that_counts(*given) for name, given in line["questions"].items()}
        old, new = before.get((student, exercise), {}), with_penalty(scores, line["penalty"])
        before[student, exercise] = new
        changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        # `changed` is empty if an instructor confirmed a score, or if a later grading changed no score.
        for name in changed or [line["question"] or ""]:
            whose = line["time"], line["by"] or _GRADER, student, people.get(student, ""), exercise
            yield (*whose, name, old.get(name), new.get(name), line["why"])
