"""Finds whose each row of an instructor's own list of times is, and says which rows are nobody's."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from autograder.collecting.entry import EntryError
from autograder.collecting.survey import REFUSED, CollectedLine
from autograder.collecting.times import TimeRow, Times
from autograder.course.names import question_after, suggestion
from autograder.submission.students import Students, spelling


def assigned(
    times: Times, students: Students | None, exercises: Sequence[str]
) -> tuple[Times, Sequence[CollectedLine]]:
    """Return the times with the students' own ids in them, and a line on each row that cannot be used."""
    rows, refused = [], []
    for row in times.rows:
        try:
            rows += [row] if row.number or row.when is None else _assigned(row, students, exercises)
        except EntryError as error:
            refused.append(CollectedLine(row.line, "", REFUSED, str(error)))
    return Times(tuple(rows), exact=students is not None), refused


def nobodys(times: Times, whoever_came: Callable[[], Collection[str]]) -> Iterator[CollectedLine]:
    """Yield a line on each row that is of none of those who came, where no list says who there is."""
    rows = [] if times.exact else [row for row in times.rows if not row.number and row.when is not None]
    came = whoever_came() if rows else ()
    known = set(map(spelling, came))
    for row in rows:
        (name,) = row.names
        if spelling(name) not in known:
            problem = _with(f'nobody called "{name}" came', question_after(name, came))
            yield CollectedLine(row.line, "", REFUSED, problem)


def _assigned(row: TimeRow, students: Students | None, exercises: Sequence[str]) -> list[TimeRow]:
    """Return the row with the id of whom it means, or one for each member of a group."""
    if row.exercise and row.exercise not in exercises:
        raise EntryError(f'"{row.exercise}" is no exercise; {suggestion(row.exercise, exercises)}')
    if students is None:
        return [row]
    (name,) = row.names
    found = students.called(name)
    if len(found) > 1:
        ids = ", ".join(student.id for student in found)
        raise EntryError(f'"{name}" is the name of several students ({ids}); write the id or address')
    if not found and not (found := students.in_group(name)):
        close = students.closest(name)
        meant = " ".join((close.id, *(f"({text})" for text in close.names[:1]))) if close else ""
        raise EntryError(
            _with(f'"{name}" is not in the list of students', meant and f"did you mean {meant}?")
        )
    return [replace(row, names=(student.id,)) for student in found]


def _with(problem: str, question: str) -> str:
    return "; ".join(filter(None, (problem, question)))
