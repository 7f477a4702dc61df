"""A sheet of questions for each student: made from a submission, written as a page, and marked."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.names import checked_question
from autograder.errors import UsageError
from autograder.files import write_whole
from autograder.grading.session import Session
from autograder.plugins.viva.questions import LETTERS, Question, choose_questions
from autograder.plugins.viva.source import read_answer
from autograder.report.safe_html import load_template
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook, UnreadableError
from autograder.testing.suite import Suite, use_one_thread

_PAGE, _EXAMINER = (Path(__file__).with_name(name) for name in ("viva.html", "examiner.html"))
_CALL_SECONDS, _TOTAL_SECONDS = 1.0, 60.0


class VivaError(UsageError):
    """There is nothing to ask about, or to mark; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The questions for one student, or the problem why there are none."""

    exercise: str
    student: str
    key: str = ""  # a digest of the student's code and the seed, which chose the questions
    questions: Sequence[Question] = ()
    problem: str = ""

    def marked(self, letters: str) -> list[bool]:
        """Return for each question whether its letter is the right one."""
        said = [letter for letter in letters.lower() if letter.isalnum() or letter == "-"]
        if len(said) != len(self.questions) or not {*said} <= {*LETTERS, "-"}:
            raise VivaError(f"--mark takes {len(self.questions)} letters from a to d, or - for no answer")
        return [one.letter == letter for one, letter in zip(self.questions, said, strict=True)]


class Examiner:
    """Makes sheets for an exercise, in workers of a zygote."""

    def __init__(self, exercise: Exercise, zygote: Zygote, seed: int = 0) -> None:
        self._exercise, self._zygote, self._seed = exercise, zygote, seed
        limits = exercise.settings.limits
        call, total = min(limits.call_seconds, _CALL_SECONDS), min(limits.total_seconds, _TOTAL_SECONDS)
        self._limits = limits.model_copy(update={"call_seconds": call, "total_seconds": total})
        use_one_thread(exercise)
        self._suite = Suite(exercise)

    def sheet(self, student: str, notebook: Notebook) -> Sheet:
        """Return the sheet for a submitted notebook."""
        name = self._exercise.name
        try:
            cells = [one for one in notebook.cells if one.kind == "code" and not checked_question(one.name)]
        except UnreadableError as error:
            return Sheet(name, student, problem=f"the notebook cannot be read: {error}")
        code = [one for one in cells if not self._exercise.needs_no_run(one.text)]
        answers = [one for question in self._exercise.points if (one := read_answer(question, code))]
        text = json.dumps([name, [one.text for one in answers], self._seed])
        key = hashlib.sha256(text.encode()).hexdigest()[:12]
        with Session(self._zygote, code, self._limits) as first:
            first.start()  # which finds the cells that hang or die
        opened = partial(Session, self._zygote, code, self._limits, first.lost)
        questions = choose_questions(self._suite, answers, opened, key)
        problem = "" if questions else "no answer is a short function or class that runs on a small input"
        return Sheet(name, student, key, questions, problem)


def write_sheet(course: Course, sheet: Sheet, *, answers: bool) -> Path:
    """Write a sheet as a page, with its answers or without, and return the file."""
    folder = course.build / "viva" / sheet.exercise / ("with_answers" if answers else "for_students")
    return _write(folder / f"{sheet.student}.html", _PAGE, course, sheet=sheet, answers=answers)


def write_examiner_sheet(course: Course, exercise: Exercise, sheets: Sequence[Sheet]) -> Path:
    """Write the right answers of a whole class on one page, and return the file."""
    path = course.build / "viva" / exercise.name / "examiner.html"
    return _write(path, _EXAMINER, course, sheets=sheets, exercise=exercise.name)


def _write(path: Path, template: Path, course: Course, **values: object) -> Path:
    return write_whole(path, load_template(template).render(title=course.settings.title, **values))
