"""Verifies an exercise on its own answers: right ones must get full marks, wrong ones must fail."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.authoring import costs, entry, release
from autograder.authoring.answers import solved_cells, stubs
from autograder.authoring.costs import Costs
from autograder.authoring.strength import Strength, measure
from autograder.authoring.trials import Touched, failures, place, trial_runs
from autograder.course.course import Course
from autograder.course.exercise import Exercise, Mistake, Variant
from autograder.course.names import checked_question
from autograder.course.settings import CourseSettings, Limits
from autograder.course.source import Cell, Role, SourceError
from autograder.diagnosis.misconceptions import load_catalogue, spelt
from autograder.grading.graded import CellResult
from autograder.grading.grader import Grader
from autograder.grading.outcomes import Running
from autograder.report.report import Report, Verdict
from autograder.sandbox.zygote import Zygote
from autograder.testing.inputs import numbered_inputs


@dataclass(frozen=True, slots=True)
class Proof:
    """What verifying one exercise has shown; the exercise is proved if there are no findings."""

    exercise: str
    accepted: int = 0
    mistakes: int = 0
    bits: int = 0  # that one graded attempt can tell about hidden inputs, at most
    carried: entry.Carried | None = None  # whether earlier mistakes cost later questions nothing
    strength: Strength | None = None  # how many mutants of the reference the hidden tests fail
    costs: Costs | None = None  # of each wrong answer, by hidden tests alone
    findings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # of what may be wrong and may be meant
    before: bool = False  # whether this was shown before, and nothing has changed since


_SECRET = b"Verifying twice must find the same, so it does not use the course's own secret."
SETS_TRIED, SETS_THOROUGH = 4, 16  # sets of hidden inputs that each answer of an author meets


def explanations(course: Course, exercises: Sequence[Exercise], zygote: Zygote) -> Iterator[str]:
    """Yield what a student would read of each wrong answer in mistakes/ and heldout/, with its repair.

    If these are all exercises, then yield which misconceptions are found in none of these answers.
    """
    found = set[str]()
    for exercise in exercises:
        grader = Grader.of_course(course, exercise, zygote, _SECRET)
        for answer in (*exercise.mistakes, *exercise.heldout):
            cells = solved_cells(exercise, exercise.replaced(answer.code))
            report = grader.grade_cells(cells, asked={answer.question}).report
            own = next(one for one in report.questions if one.name == answer.question)
            found.add((own.mistake or "").removeprefix(f"{answer.question}__"))
            yield f"{answer.path}: {own.mistake or 'no name'}: {' '.join(own.hint.split())}"
    if len(exercises) == len(course.exercises):
        names = (one.name for one in load_catalogue(exercises[0].catalogue).misconceptions)
        for name in (name for name in names if name not in found):
            yield f"No wrong answer in mistakes/ or heldout/ needs this misconception: {name}"


def idle_rules(course: Course, proofs: Sequence[Proof]) -> list[str]:
    """Return the catalogue's rules that change no right answer; they say something of all exercises only."""
    fitting = frozenset[str]().union(*(proof.costs.fitting for proof in proofs if proof.costs))
    first = next(iter(course.exercises.values()))
    catalogue = load_catalogue(first.catalogue)
    rules = [spelt(one, rule) for one in catalogue.misconceptions for rule in one.rules]
    return [rule for rule in rules if rule not in fitting]


def prove(
    course: Course,
    exercises: Sequence[Exercise],
    zygote: Zygote,
    sets: int = SETS_TRIED,
) -> Iterator[Proof]:
    """Verify each exercise with the same worker and suite that grade submissions."""
    for exercise in exercises:
        try:
            grader = Grader.of_course(course, exercise, zygote, _SECRET)
            grader.marks_only = True
            wrong = tuple(entry.unknown_operators(course, exercise))
            notes = tuple(entry.unknown_calls(course, exercise))
            proof = _Verification(exercise, grader, course.settings, sets).proof()
            yield replace(proof, findings=(*wrong, *proof.findings), notes=notes)
        except SourceError as error:
            yield Proof(exercise.name, findings=(str(error),))


class _Verification:
    """Verifies one exercise and gathers its findings.

    It looks at the exercise's files, and then grades the reference with the visible checks, the untouched
    release, the other right answers and each known mistake. Last it measures what wrong answers cost, and how
    many mutants of the reference the hidden tests fail.
    """

    def __init__(self, exercise: Exercise, grader: Grader, settings: CourseSettings, sets: int) -> None:
        self._exercise = exercise
        self._grader = grader
        self._settings = settings
        self._sets = sets
        self._touched = Touched(grader.suite)
        self._findings: list[str] = []
        self._checks: dict[str, str] = {}  # the visible checks that the reference passes, by question

    def proof(self) -> Proof:
        exercise = self._exercise
        self._findings.extend(release.problems(exercise))
        if not self._reference():  # what else is wrong would follow from it
            counts = len(exercise.accepted), len(exercise.mistakes)
            return Proof(exercise.name, *counts, findings=tuple(self._findings))
        self._untouched()
        for variant in exercise.accepted:
            answers, cells = exercise.replaced(variant.code), exercise.variant(variant.code)
            self._full_marks(variant.path, self._grade(answers), cells, self._touched.by(answers))
            self._passes_checks(variant)
        for mistake in exercise.mistakes:
            self._caught(mistake)
        counts = len(exercise.accepted), len(exercise.mistakes)
        return Proof(
            exercise.name,
            *counts,
            self._grader.told_bits,
            carried=self._carried(),
            strength=self._strength(),
            costs=self._costs(),
            findings=tuple(self._findings),
        )

    def _grade(self, answers: Mapping[str, str]) -> Report:
        """Grade the reference with `answers` in its place."""
        return self._grader.grade_cells(solved_cells(self._exercise, answers)).report

    def _grade_unchecked(self, answers: Mapping[str, str]) -> Report:
        """Grade the reference with `answers` in its place, without the visible checks.

        What these answers cannot touch is left out.
        """
        cells = solved_cells(self._exercise, answers)
        unchecked = tuple(cell for cell in cells if checked_question(cell.name) is None)
        return self._grader.grade_cells(unchecked, asked=self._touched.by(answers)).report

    def _reference(self) -> bool:
        """Find visible checks and hidden tests that the reference fails; return whether it passes these."""
        cells = solved_cells(self._exercise, {})
        graded = self._grader.grade_cells(cells)
        right = self._full_marks(
            self._exercise.source, graded.report, self._exercise.reference, self._exercise.points
        )
        checks = {cell.grade_id: cell for cell in self._exercise.cells if cell.role is Role.CHECK}
        given = self._exercise.given_checks
        if given:  # grading leaves it out, and checks do nothing then; here they bring it along
            above = f"# A check\n{given}\n"
            joined = (replace(c, text=above + c.text) if c.name in checks else c for c in cells)
            graded = self._grader.grade_cells(tuple(joined), asked=())
        for cell in cells:
            if cell.name in checks:
                self._visible_check(checks[cell.name], cell.number, graded.results.get(cell.number))
        return right

    def _visible_check(self, check: Cell, number: int, result: CellResult | None) -> None:
        line, said = 1, "it ended the program or ran too long"
        if result is not None:
            if (error := result.error) is None:
                self._checks[check.name] = check.text
                return
            line = next((line for place, line in error.places if place == number and line), 1)
            line = 1 if self._exercise.given_checks else line
            said = f"{error.type}: {error.message}" if error.message else error.type
        problem = f"the check of {check.name} fails on the reference: {said}; fix the check or the solution"
        self._findings.append(f"{self._exercise.source}:{check.line + line - 1}: {problem}")

    def _passes_checks(self, variant: Variant) -> None:
        """Find visible checks that another right answer fails, since its student would look for a mistake."""
        cells = self._exercise.variant(variant.code)
        for name, check in self._checks.items():
            if error := costs.check_error(check, cells):
                said = f"{type(error).__name__}: {error}"
                self._find(variant.path, f"is right, but the check of {name} fails: {said}; fix the check")

    def _full_marks(
        self, path: Path, report: Report, cells: tuple[str, ...], touched: Container[str]
    ) -> bool:
        """Find tests that a right answer fails, when it is graded or with other sets of hidden inputs."""
        sets = [numbered_inputs(_SECRET, self._exercise.name, number) for number in range(self._sets)]
        failed = failures(self._grader.suite, cells, sets, touched)
        for test, said in failed.items():
            self._find(path, f'must get full marks, but {test.question}, "{test.title}" fails: {said}')
        told = {(test.question, test.title) for test in failed}
        for question in report.questions:
            for one in question.tests:
                if one.verdict is not Verdict.PASSED and (question.name, one.title) not in told:
                    told.add((question.name, one.title))
                    seen = f'{question.name}, "{one.title}": {one.verdict}. {one.hint}'
                    self._find(path, f"must get full marks, but {seen}")
        return not told

    def _untouched(self) -> None:
        for question in self._grade(stubs(self._exercise)).questions:
            if question.verdict not in (Verdict.NOT_ATTEMPTED, Verdict.UNGRADED):
                passed = [test.title for test in question.tests if test.verdict is Verdict.PASSED]
                where = place(self._grader.suite, passed, question.name)
                seen = f'question "{question.name}" is {question.verdict}'
                seen = (
                    f"{seen}, since it passes {where}; let that ask for more"
                    if where
                    else f"{seen}. {question.hint}"
                )
                self._find(self._exercise.source, f"untouched, all must be not attempted, but {seen}")

    def _caught(self, mistake: Mistake) -> None:
        """Find a mistake that passes its question or fails another.

        Tests of what it can touch run here. Unless just its own question fails, a worker grades it: rules may
        catch it, and what builds on it may lose nothing.
        """
        answers, suite = self._exercise.replaced(mistake.code), self._grader.suite
        inputs = numbered_inputs(_SECRET, self._exercise.name, 0)
        chosen = [test for test in suite.tests if test.question in self._touched.by(answers)]
        running = Running(suite, {}, Limits())
        seen = trial_runs(suite, self._exercise.variant(mistake.code), inputs, chosen)
        failed = [running.blamed(run, inputs) for run in seen if run.error is not None]
        breaks = any(run.kind is Verdict.GRADER_ERROR for run in failed)
        if breaks or {run.test.question for run in failed} != {mistake.question}:
            self._graded(mistake, answers)

    def _graded(self, mistake: Mistake, answers: Mapping[str, str]) -> None:
        """Grade a mistake, and find what `_caught` looks for."""
        for question in self._grade_unchecked(answers).questions:
            full = question.score == question.max_score or question.verdict is Verdict.UNGRADED
            if question.name != mistake.question:
                if not full:
                    fix = entry.independent(
                        self._exercise, self._grader.building, question.name, mistake.question
                    )
                    self._find(mistake.path, f"also fails {question.name}: {question.hint} {fix}")
            elif full:
                self._find(
                    mistake.path, f"gets full marks; add a hidden test to {question.name} that sees it"
                )
            elif question.verdict is Verdict.GRADER_ERROR:
                self._find(mistake.path, f"breaks a hidden test of its own: {question.hint}")

    def _carried(self) -> entry.Carried | None:
        """Prove what questions may build on, if course.yaml says anything about that."""
        building, suite = self._grader.building, self._grader.suite
        if not building.builds_on:
            return None
        carried = entry.measure(self._exercise, building, suite, self._grade_unchecked)
        self._findings.extend(carried.findings)
        return carried

    def _strength(self) -> Strength:
        """Measure how many mutants of the reference the hidden tests fail."""
        measured = measure(self._grader.suite, self._settings.mutants_fail)
        self._findings.extend(measured.findings)
        return measured

    def _costs(self) -> costs.Costs:
        """Measure what wrong answers cost, and find those that cost too much or too little."""
        share = self._settings.mutants_fail
        found = costs.measure(self._grader.suite, self._checks, self._sets, share)
        self._findings.extend(found.findings)
        return found

    def _find(self, path: Path, problem: str) -> None:
        self._findings.append(f"{path}: {problem}")
