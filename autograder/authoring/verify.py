"""Verifies exercises: right answers must get full marks, and known mistakes must lose points.

The result, called a proof, is saved. It is valid until something changes that can affect it.
"""

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from itertools import chain
from pathlib import Path

from pydantic import TypeAdapter

import autograder
from autograder.authoring import costs, entry, release
from autograder.authoring.answers import solved_cells, stubs
from autograder.authoring.calls import other_signatures, stale
from autograder.authoring.costs import Costs
from autograder.authoring.strength import Strength, measure
from autograder.authoring.trials import (
    SECRET,
    SETS_THOROUGH,
    SETS_TRIED,
    Trial,
    failed_runs,
    failures,
    input_sets_for_answer,
    lines_of_tests,
    located,
)
from autograder.course.answers import Answer
from autograder.course.code import bound_names, code_parts, dependencies
from autograder.course.course import Course
from autograder.course.exercise import Exercise, in_handout_folder, own_files
from autograder.course.names import checked_question
from autograder.course.settings import CourseSettings
from autograder.course.source import Cell, Role, SourceError
from autograder.diagnosis.known import known_mistakes
from autograder.diagnosis.misconceptions import format_rule, load_catalogue
from autograder.files import write_whole
from autograder.grading.graded import CellResult
from autograder.grading.grader import Grader
from autograder.grading.outcomes import attribute_fault
from autograder.report.report import Report, Verdict
from autograder.sandbox.zygote import Zygote
from autograder.submission.digest import rules
from autograder.testing.inputs import numbered_inputs
from autograder.testing.student import names_asked
from autograder.testing.suite import HiddenTest, Run

# The number of sets of hidden inputs on which the reference runs with --thorough, to find rare failures.
_REFERENCE_SETS = 320


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of verifying one exercise. The exercise is proved if there are no findings."""

    exercise: str
    accepted: int = 0  # number of accepted answers
    mistakes: int = 0  # number of known mistakes
    bits: int = 0  # the largest number of bits that one graded attempt can reveal about the hidden inputs
    carried: str = ""  # `entry.measure`'s summary of the pairs in `builds_on`
    strength: Strength | None = None  # the numbers of mutants that the hidden tests catch and miss
    costs: Costs | None = None  # the points that wrong answers keep, by hidden tests only
    findings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # possible problems, which the author may intend
    is_reused: bool = False  # whether this is the saved proof of an earlier run


def explanations(course: Course, exercises: Sequence[Exercise], zygote: Zygote) -> Iterator[str]:
    """Yield the feedback that a student would get for each known mistake."""
    for exercise in exercises:
        yield from explained(course, exercise, zygote, known_mistakes(exercise))


def explained(course: Course, exercise: Exercise, zygote: Zygote, answers: Sequence[Answer]) -> Iterator[str]:
    """Yield the feedback that a student would get for each of these wrong answers."""
    if answers:
        grader = Grader.of_course(course, exercise, zygote, SECRET)
        for answer in answers:
            cells = solved_cells(exercise, exercise.replaced(answer.code))
            report = grader.grade_cells(cells, asked={answer.question}).report
            question = next(question for question in report.questions if question.name == answer.question)
            yield f"{answer.place}: {question.mistake or 'no explanation'}: {' '.join(question.hint.split())}"


def idle_rules(course: Course, proofs: Sequence[Proof]) -> list[str]:
    """Return the misconceptions' rules that change no right answer of the course.

    `proofs` must be those of all exercises.
    """
    fitting = frozenset[str]().union(*(proof.costs.fitting for proof in proofs if proof.costs))
    first = next(iter(course.exercises.values()))
    catalogue = load_catalogue(first.catalogue)
    rules = [
        format_rule(misconception, rule)
        for misconception in catalogue.misconceptions
        for rule in misconception.rules
    ]
    return [rule for rule in rules if rule not in fitting]


def appearances(course: Course, proofs: Sequence[Proof]) -> Iterator[str]:
    """Yield each entry of the catalogue that feedback can quote, with the questions where it can appear."""
    catalogue = load_catalogue(next(iter(course.exercises.values())).catalogue)
    pairs = [pair for proof in proofs if proof.costs for pair in proof.costs.sentences]
    for mistake in catalogue.entries:
        if questions := [question for name, question in pairs if name == mistake.name]:
            yield f"{mistake.name}: {mistake.sentence} {mistake.hint} Appears in {', '.join(questions)}."


def prove(
    course: Course,
    exercises: Sequence[Exercise],
    zygote: Zygote,
    sets: int = SETS_TRIED,
    *,
    whole: bool = False,
    measured: bool = True,
) -> Iterator[Proof]:
    """Verify each exercise with the worker and the hidden tests that grade submissions.

    Mutants are tested only if `measured`. Otherwise the caller adds their results by `with_strength`.
    """
    for exercise in exercises:
        try:
            grader = Grader.of_course(course, exercise, zygote, SECRET)
            grader.marks_only = True
            suite = grader.suite
            proof = _Verification(exercise, grader, course.settings, sets, whole).proof()
            if measured and proof.costs is not None:
                proof = with_strength(proof, measure(suite, course.settings.mutants_fail))
            notes = *entry.double_answers(exercise, suite), *entry.without_examples(exercise, suite)
            yield replace(proof, notes=notes)
        except SourceError as error:
            yield Proof(exercise.name, findings=(str(error),))


def with_strength(proof: Proof, strength: Strength) -> Proof:
    """Return the proof with the mutants' results. Findings on mutants come before those on costs."""
    costs_findings = proof.costs.findings if proof.costs else ()
    return replace(proof, strength=strength, findings=(*proof.findings, *strength.findings, *costs_findings))


def misjudged(course: Course, exercise: Exercise, zygote: Zygote) -> list[str]:
    """Return the findings of a quick verification, with one set of inputs.

    Right answers must get full marks, and known mistakes must lose points.
    """
    grader = Grader.of_course(course, exercise, zygote, SECRET)
    grader.marks_only = True
    verification = _Verification(exercise, grader, course.settings, sets=1, whole=False)
    if verification.right_answers_pass():
        trials = {question: Trial(grader.suite, question) for question in exercise.points}
        for mistake in known_mistakes(exercise):
            if not trials[mistake.question].fails(exercise.variant(mistake.code)):
                # No test fails, but grading may find an operation that the question forbids.
                verification.grade_mistake(mistake)
    return verification.findings


@dataclass
class _Verification:
    """Verifies one exercise and collects its findings.

    It checks the exercise's files, then grades the untouched release, all right answers and each known
    mistake, and then measures the costs of wrong answers. It does not test mutants.
    """

    exercise: Exercise
    grader: Grader
    settings: CourseSettings
    sets: int  # sets of hidden inputs on which each answer runs
    whole: bool  # whether all tests run on each wrong answer
    findings: list[str] = field(default_factory=list)
    accepted_fails: bool = False  # whether an accepted answer fails a test or a visible check
    checks: dict[str, str] = field(default_factory=dict)  # each question's check, if the reference passes it
    # For each known mistake: the failed runs of its question's tests, with the first set of inputs.
    failed: dict[Answer, list[Run]] = field(default_factory=dict)

    def proof(self) -> Proof:
        exercise, share = self.exercise, self.settings.mutants_fail
        suite, builds_on = self.grader.suite, self.grader.builds_on
        mistakes = known_mistakes(exercise)
        proof = Proof(exercise.name, len(exercise.accepted), len(mistakes))
        if not self.right_answers_pass():  # a failing reference would cause many other findings
            return replace(proof, findings=tuple(self.findings))
        for mistake in mistakes:
            self._try_mistake(mistake)
        if self.accepted_fails:  # the author may change tests next, so costs are measured later
            return replace(proof, findings=tuple(self.findings))
        carried, carrying_findings = entry.measure(exercise, builds_on, suite, self._grade)
        cost = costs.measure(suite, self.checks, self.sets, share, self.failed, whole=self.whole)
        findings, bits = (*self.findings, *carrying_findings), self.grader.max_leaked_bits
        return replace(proof, bits=bits, carried=carried, costs=cost, findings=findings)

    def right_answers_pass(self) -> bool:
        """Verify the reference. If it passes, verify the untouched release and the accepted answers, too.

        Return whether the reference passes.
        """
        self.findings += release.problems(self.exercise)
        if not self._reference_passes():
            return False
        self._try_untouched()
        answers = self.exercise.accepted, known_mistakes(self.exercise)
        self.findings += other_signatures(self.exercise, chain.from_iterable(answers))
        count = len(self.findings)
        for number, variant in enumerate(self.exercise.accepted, 1):
            self._try_accepted(number, variant)
        self.accepted_fails = len(self.findings) > count
        return True

    def _grade(self, answers: Mapping[str, str], *, checked: bool = False) -> Report:
        """Grade the reference after putting `answers` into it. The visible checks run if `checked`."""
        cells = solved_cells(self.exercise, answers)
        chosen = (cell for cell in cells if checked or checked_question(cell.name) is None)
        return self.grader.grade_cells(tuple(chosen)).report

    def _reference_passes(self) -> bool:
        """Report visible checks and tests that the reference fails; return whether it passes all tests."""
        cells = solved_cells(self.exercise, {})
        graded = self.grader.grade_cells(cells)
        right = self._has_full_marks(0, str(self.exercise.source), graded.report, self.exercise.reference)
        checks = {cell.grade_id: cell for cell in self.exercise.cells if cell.role is Role.CHECK}
        given = self.exercise.given_checks
        if given:  # grading skips the cell with the checks' helpers, so each check gets a copy of them
            above = f"# A check\n{given}\n"
            joined = (
                replace(cell, text=above + cell.text) if cell.name in checks else cell for cell in cells
            )
            graded = self.grader.grade_cells(tuple(joined), asked=())
        for cell in cells:
            if cell.name in checks:
                self._note_check(checks[cell.name], cell.number, graded.results.get(cell.number))
        return right

    def _note_check(self, check: Cell, number: int, result: CellResult | None) -> None:
        """Add a check to `checks` if the reference passes it; otherwise, report it."""
        line, failure = 1, "it ended the program or ran too long"
        if result is not None:
            if (error := result.error) is None:
                self.checks[check.name] = check.text
                return
            failure = str(error)
            if not self.exercise.given_checks:
                line = next((line for cell, line in error.places if cell == number and line), 1)
        problem = f"the solution fails the check of {check.name}: {failure}; fix the check or the solution"
        self.findings.append(f"{self.exercise.source}:{check.line + line - 1}: {problem}")

    def _try_accepted(self, number: int, variant: Answer) -> None:
        """Report tests and visible checks that an accepted answer fails."""
        cells = self.exercise.variant(variant.code)
        self._has_full_marks(number, variant.place, self._grade(self.exercise.replaced(variant.code)), cells)
        for name, check in self.checks.items():
            with in_handout_folder(self.exercise):
                error = costs.check_error(check, cells)
            if error:
                text = f"{type(error).__name__}: {error}"
                self._find(variant.place, f"is right, but the check of {name} fails: {text}; fix the check")

    def _has_full_marks(self, number: int, place: str, report: Report, cells: tuple[str, ...]) -> bool:
        """Report tests that a right answer fails in grading, or with other sets of hidden inputs.

        Number 0 is the reference. Return whether the answer passes all tests.
        """
        is_thorough = number == 0 and self.sets == SETS_THOROUGH
        set_numbers = range(_REFERENCE_SETS) if is_thorough else input_sets_for_answer(self.sets, number)
        if number and self.sets <= SETS_TRIED:
            set_numbers = set_numbers[1:]  # grading has already used one set
        sets = [numbered_inputs(SECRET, self.exercise.name, set_number) for set_number in set_numbers]
        failed = failures(self.grader.suite, cells, sets)
        for test, message in failed.items():
            self._find(place, f'must get full marks, but {test.question}, "{test.title}" fails: {message}')
        reported = {(test.question, test.title) for test in failed}
        for question in report.questions:
            for test_report in question.tests:
                key = question.name, test_report.title
                if test_report.verdict is not Verdict.PASSED and key not in reported:
                    reported.add(key)
                    breaks = test_report.verdict is Verdict.GRADER_ERROR
                    error = self._broken(question.name, test_report.title) if breaks else ""
                    result = f"{test_report.verdict}. {error or test_report.hint}"
                    title = f'{question.name}, "{test_report.title}"'
                    self._find(place, f"must get full marks, but {title}: {result}")
        return not reported

    def _try_untouched(self) -> None:
        """Report questions that count as attempted in an untouched release."""
        for question in self._grade(stubs(self.exercise), checked=True).questions:
            breaks = question.verdict is Verdict.GRADER_ERROR
            if breaks and (error := self._broken(question.name)):
                problem = f"a hidden test raises an error if {question.name} is not answered: {error}"
                fix = "above this line, call expect() to check the type or length that the line needs"
                self._find(str(self.exercise.source), f"{problem}; {fix}")
            elif question.verdict not in (Verdict.NOT_ATTEMPTED, Verdict.UNGRADED):
                passed = [test.title for test in question.tests if test.verdict is Verdict.PASSED]
                tests = lines_of_tests(self.grader.suite, passed, question.name)
                cause = f"; make {tests} fail without an answer" if tests else f". {question.hint}"
                problem = f'the question "{question.name}" is {question.verdict}{cause}'
                rule = "a notebook without answers must not count as attempted"
                self._find(str(self.exercise.source), f"{rule}, but {problem}")

    def _try_mistake(self, mistake: Answer) -> None:
        """Report a known mistake that gets full marks, or that costs points in another question.

        First, tests run without a worker, which is quick. If only the mistake's question fails, no more is
        needed. Otherwise a worker grades the whole notebook. This also finds forbidden operations, and
        `builds_on` can restore the points of other questions.
        """
        suite, inputs = self.grader.suite, numbered_inputs(SECRET, self.exercise.name, 0)
        failed = [
            *failed_runs(suite, self.exercise.variant(mistake.code), inputs, self._affected_tests(mistake))
        ]
        self.failed[mistake] = [run for run in failed if run.test.question == mistake.question]
        if problem := stale(mistake, self.failed[mistake]):
            self._find(mistake.place, problem)
        breaks = any(attribute_fault(suite, run, inputs).kind is Verdict.GRADER_ERROR for run in failed)
        if breaks or {run.test.question for run in failed} != {mistake.question}:
            self.grade_mistake(mistake)

    def _affected_tests(self, mistake: Answer) -> list[HiddenTest]:
        """Return the tests that use, even indirectly, a name that the mistake binds.

        Tests of the mistake's question come first: with other sets of inputs, only these tests run. An answer
        may count its calls. In this order, the count is the same with each set.
        """
        bound = bound_names(mistake.code)
        reached = (test for test, names in self._names.items() if not bound.isdisjoint(names))
        return sorted(reached, key=lambda test: test.question != mistake.question)

    @cached_property
    def _names(self) -> dict[HiddenTest, set[str]]:
        """The names on which each test depends, directly or through the code of the solution."""
        parts, names = code_parts(self.exercise.reference), dict[HiddenTest, set[str]]()
        for run in self.grader.suite.reference_runs:
            asked = set(names_asked([exchange.request[0] for exchange in run.exchanges]))
            names[run.test] = asked.union(*(dependencies(name, parts)[1] for name in asked))
        return names

    def grade_mistake(self, mistake: Answer) -> None:
        """Grade a mistake. Report full marks, a test that is at fault, or points lost in other questions."""
        builds_on = self.grader.builds_on
        for question in self._grade(self.exercise.replaced(mistake.code)).questions:
            full = question.score == question.max_score or question.verdict is Verdict.UNGRADED
            is_answered = question.name == mistake.question
            if is_answered and full:
                fix = f"add a hidden test of {question.name} that this mistake fails"
                self._find(mistake.place, f"gets full marks; {fix}")
            elif is_answered and question.verdict is Verdict.GRADER_ERROR:
                error = self._broken(question.name) or question.hint
                self._find(mistake.place, f"a hidden test cannot judge this mistake: {error}")
            elif not is_answered and not full:
                fix = entry.fix_for_dependence(self.exercise, builds_on, question.name, mistake.question)
                self._find(mistake.place, f"also fails {question.name}: {question.hint} {fix}")

    def _broken(self, question: str, title: str = "") -> str:
        """Return line and error of each test that was at fault when the question was last graded.

        With a `title`, return them only for the test with this title.
        """
        runs = (run for test, run in self.grader.broken.items() if test.question == question)
        chosen = (run for run in runs if title in ("", run.test.title))
        return ", ".join(located(self.exercise.suite, run, run.error) for run in chosen if run.error)

    def _find(self, place: str, problem: str) -> None:
        self.findings.append(f"{place}: {problem}")


FOLDER = "build/proofs"
_PACKAGES = ("ipython", "safetensors", "ipykernel")  # packages whose versions a proof depends on
_AUTHORING, _KIT = (Path(autograder.__file__).parent / room for room in ("authoring", "course/kit"))
_JSON = TypeAdapter(Proof)


def load_proof(course: Course, exercise: Exercise, sets: int, *, whole: bool = False) -> Proof | None:
    """Return the saved proof of an exercise if it is still valid, else None.

    A proof depends on the exercise's folder, its entry in course.yaml, the catalogue, the autograder's code,
    and the versions of Python and packages. The name of its file contains a digest of these. A proof with
    findings is not saved.
    """
    with suppress(OSError, ValueError, SourceError):
        return replace(_JSON.validate_json(_path(course, exercise, sets, whole).read_bytes()), is_reused=True)
    return None


def save_proof(course: Course, exercise: Exercise, sets: int, proof: Proof, *, whole: bool = False) -> None:
    """Delete all earlier proofs of the exercise, and save this one unless it has findings."""
    for path in (course.root / FOLDER).glob(f"{exercise.name}-*.json"):
        path.unlink(missing_ok=True)
    if not proof.findings:
        write_whole(_path(course, exercise, sets, whole), _JSON.dump_json(proof))


def unproved(course: Course, exercises: Sequence[Exercise]) -> Iterator[str]:
    """Yield a message on each exercise that has no valid proof."""
    kinds = [(sets, whole) for sets in (SETS_TRIED, SETS_THOROUGH) for whole in (False, True)]
    for exercise in exercises:
        if not any(load_proof(course, exercise, sets, whole=whole) for sets, whole in kinds):
            fix = f"run `autograder verify {exercise.name}`"
            yield f"{exercise.name}: has not been verified, or has changed since then; {fix}"


def _path(course: Course, exercise: Exercise, sets: int, whole: bool) -> Path:
    settings = course.settings.mutants_fail, sets, whole
    versions = sys.version, *map(version, _PACKAGES)
    digest = hashlib.sha256(repr((rules(course, exercise), settings, versions)).encode())
    for folder in (exercise.folder, _AUTHORING, _KIT):
        for path in own_files(folder):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{path.relative_to(folder)} {content}\n".encode())
    return course.root / FOLDER / f"{exercise.name}-{digest.hexdigest()}.json"
