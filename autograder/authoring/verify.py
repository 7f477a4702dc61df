"""Proves each exercise by its own answers: right ones score in full, wrong ones fail where they should."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring.held_out import Tally, measure
from autograder.batch import pool as crew
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise, Mistake
from autograder.course.source import Role, SourceError
from autograder.grading.grader import Grader
from autograder.report.report import QuestionReport, Report, Verdict
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import NotebookCell

_KNOWN = {"accepted", "heldout", "mistakes", "test_hidden.py", "__pycache__"}


@dataclass(frozen=True, slots=True)
class Proof:
    """What verifying one exercise has shown; without findings it stands."""

    exercise: str
    accepted: int = 0
    mistakes: int = 0
    named: int = 0  # mistakes that the diagnosis calls by their own name
    heldout: Tally | None = None  # how it calls wrong answers that it has not seen
    findings: tuple[str, ...] = ()


def prove(course: Course, exercises: Sequence[Exercise], zygote: Zygote) -> Iterator[Proof]:
    """Verify each exercise through the same worker and suite that grade submissions."""
    for exercise in exercises:
        try:
            name = exercise.name
            grader = Grader(exercise, course.forbidden(name), course.limits(name), zygote)
            yield _Verification(exercise, grader).proof()
        except SourceError as error:
            yield Proof(exercise.name, findings=(str(error),))


def prove_together(course: Course, exercises: Sequence[Exercise], jobs: int) -> Iterator[Proof]:
    """Verify exercises in `jobs` processes, each with its own zygote; the proofs come in order."""
    with ProcessPoolExecutor(min(jobs, len(exercises)), crew.CONTEXT) as pool:
        # The last exercises take longest: begun first, they keep no process waiting at the end.
        proofs = [pool.submit(_verified, course.root, exercise.name) for exercise in reversed(exercises)]
        yield from (proof.result() for proof in reversed(proofs))


def _verified(root: Path, name: str) -> Proof:
    course = load_course(root)
    with Zygote() as zygote:
        (proof,) = prove(course, course.chosen([name]), zygote)
    return proof


def answered(
    exercise: Exercise, answers: Mapping[str, str], *, checks: bool = True
) -> tuple[NotebookCell, ...]:
    """Return the exercise's notebook, solved, with `answers` in the solution cells of these names."""
    return tuple(
        NotebookCell(
            number,
            "code" if cell.is_code else "markdown",
            answers.get(cell.name, cell.text) if cell.role is Role.SOLUTION else cell.text,
            cell.grade_id,
        )
        for number, cell in enumerate(exercise.cells)
        if checks or cell.role is not Role.CHECK
    )


class _Verification:
    """Grades an exercise's own answers and gathers what is not as it must be."""

    def __init__(self, exercise: Exercise, grader: Grader) -> None:
        self._exercise = exercise
        self._grader = grader
        self._findings: list[str] = []

    def proof(self) -> Proof:
        self._stray_files()
        self._full_marks(self._exercise.source, {})
        self._untouched()
        for variant in self._exercise.accepted:
            self._full_marks(variant.path, self._exercise.replaced(variant.code))
        named = sum(self._caught(mistake) for mistake in self._exercise.mistakes)
        return Proof(
            self._exercise.name,
            len(self._exercise.accepted),
            len(self._exercise.mistakes),
            named,
            self._heldout(),
            tuple(self._findings),
        )

    def _grade(self, answers: Mapping[str, str], *, checks: bool = True) -> Report:
        return self._grader.grade_cells(answered(self._exercise, answers, checks=checks)).report

    def _stray_files(self) -> None:
        for path in sorted(self._exercise.folder.iterdir()):
            if path.name not in _KNOWN | {self._exercise.source.name}:
                self._find(
                    path, "belongs to no exercise; move it to accepted/, mistakes/ or heldout/, or delete it"
                )

    def _full_marks(self, path: Path, answers: Mapping[str, str]) -> None:
        report = self._grade(answers)
        for question in report.questions:
            for test in question.tests:
                if test.verdict is not Verdict.PASSED:
                    seen = f'{question.name}, "{test.title}": {test.verdict}. {test.hint}'
                    self._find(path, f"must score in full, but {seen}")

    def _untouched(self) -> None:
        stubs = {cell.name: cell.released() for cell in self._exercise.cells if cell.role is Role.SOLUTION}
        for question in self._grade(stubs).questions:
            if question.verdict not in (Verdict.NOT_ATTEMPTED, Verdict.UNGRADED):
                seen = f'question "{question.name}" is {question.verdict}. {question.hint}'
                self._find(self._exercise.source, f"untouched, all must be not attempted, but {seen}")

    def _caught(self, mistake: Mistake) -> bool:
        """Note where a mistake is not caught, or caught elsewhere; return whether it is named rightly."""
        report = self._grade(self._exercise.replaced(mistake.code), checks=False)
        for question in report.questions:
            full = _full(question)
            if question.name == mistake.question and full:
                self._find(mistake.path, f"scores in full; add a hidden test to {question.name} that sees it")
            elif question.name != mistake.question and not full:
                seen = f"{question.name}: {question.hint}"
                self._find(mistake.path, f"also fails {seen} Make that test independent")
        own = next(question for question in report.questions if question.name == mistake.question)
        if own.verdict is Verdict.GRADER_ERROR:
            self._find(mistake.path, f"breaks a hidden test of its own: {own.hint}")
        if own.mistake != mistake.name and own.verdict is not Verdict.REVIEW and not _full(own):
            taken = own.mistake or "any of several"
            self._find(mistake.path, f"is taken for {taken}; let a hidden test tell them apart, or drop one")
        return own.mistake == mistake.name

    def _heldout(self) -> Tally | None:
        """Measure how wrong answers that are not in the bank are called, where there are any."""
        if not self._exercise.heldout:
            return None
        tally = measure(
            self._exercise, self._grader.diagnosis, lambda answers: self._grade(answers, checks=False)
        )
        self._findings.extend(tally.findings)
        return tally

    def _find(self, place: Path, fault: str) -> None:
        self._findings.append(f"{place}: {fault}")


def _full(question: QuestionReport) -> bool:
    return question.score == question.max_score or question.verdict is Verdict.UNGRADED
