"""Verifies exercises on their own answers: right ones must get full marks, wrong ones must fail.

A proof is kept until something changes on which it depends.
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
    met,
    stands,
)
from autograder.course.answers import Answer
from autograder.course.code import bound_names, pieces, rests_on
from autograder.course.course import Course
from autograder.course.exercise import Exercise, beside_handout, own_files
from autograder.course.names import checked_question
from autograder.course.settings import CourseSettings
from autograder.course.source import Cell, Role, SourceError
from autograder.diagnosis.known import known_mistakes
from autograder.diagnosis.misconceptions import load_catalogue, spelt
from autograder.files import write_whole
from autograder.grading.graded import CellResult
from autograder.grading.grader import Grader
from autograder.grading.outcomes import blamed
from autograder.report.report import Report, Verdict
from autograder.sandbox.zygote import Zygote
from autograder.submission.digest import rules
from autograder.testing.inputs import numbered_inputs
from autograder.testing.student import names_asked
from autograder.testing.suite import HiddenTest, Run

_RARE = 320  # sets that the reference meets, if asked for: chance may make a test fail with one of them


@dataclass(frozen=True, slots=True)
class Proof:
    """What verifying one exercise has shown; the exercise is proved if there are no findings."""

    exercise: str
    accepted: int = 0
    mistakes: int = 0
    bits: int = 0  # that one graded attempt can tell about hidden inputs, at most
    carried: str = ""  # how many earlier mistakes cost later questions nothing
    strength: Strength | None = None  # how many mutants of the reference the hidden tests fail
    costs: Costs | None = None  # of each wrong answer, by hidden tests alone
    findings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # of what may be wrong and may be meant
    before: bool = False  # whether this was shown before, and nothing has changed since


def explanations(course: Course, exercises: Sequence[Exercise], zygote: Zygote) -> Iterator[str]:
    """Yield what a student would read of each known mistake, with its repair."""
    for exercise in exercises:
        yield from explained(course, exercise, zygote, known_mistakes(exercise))


def explained(course: Course, exercise: Exercise, zygote: Zygote, answers: Sequence[Answer]) -> Iterator[str]:
    """Yield what a student would read of each of these wrong answers, with its repair."""
    if answers:
        grader = Grader.of_course(course, exercise, zygote, SECRET)
        for answer in answers:
            cells = solved_cells(exercise, exercise.replaced(answer.code))
            report = grader.grade_cells(cells, asked={answer.question}).report
            own = next(one for one in report.questions if one.name == answer.question)
            yield f"{answer.place}: {own.mistake or 'no name'}: {' '.join(own.hint.split())}"


def idle_rules(course: Course, proofs: Sequence[Proof]) -> list[str]:
    """Return the catalogue's rules that change no right answer; they say something of all exercises only."""
    fitting = frozenset[str]().union(*(proof.costs.fitting for proof in proofs if proof.costs))
    first = next(iter(course.exercises.values()))
    catalogue = load_catalogue(first.catalogue)
    rules = [spelt(one, rule) for one in catalogue.misconceptions for rule in one.rules]
    return [rule for rule in rules if rule not in fitting]


def appearances(course: Course, proofs: Sequence[Proof]) -> Iterator[str]:
    """Yield each sentence of the catalogue, with the questions of these exercises where it may appear."""
    catalogue = load_catalogue(next(iter(course.exercises.values())).catalogue)
    found = [pair for proof in proofs if proof.costs for pair in proof.costs.sentences]
    for one in catalogue.entries:
        if questions := [question for name, question in found if name == one.name]:
            yield f"{one.name}: {one.sentence} {one.hint} Appears in {', '.join(questions)}."


def prove(
    course: Course,
    exercises: Sequence[Exercise],
    zygote: Zygote,
    sets: int = SETS_TRIED,
    *,
    whole: bool = False,
    measured: bool = True,
) -> Iterator[Proof]:
    """Verify each exercise with the same worker and suite that grade submissions.

    Unless the strength of the hidden tests is `measured` here, `with_strength` completes the proof.
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
    """Return a proof with what mutants say about the hidden tests; findings on costs come last."""
    costs_findings = proof.costs.findings if proof.costs else ()
    return replace(proof, strength=strength, findings=(*proof.findings, *strength.findings, *costs_findings))


def misjudged(course: Course, exercise: Exercise, zygote: Zygote) -> list[str]:
    """Return what is wrong with the marks of the author's answers, each tried on one set of inputs.

    This is the quick part of a proof: a mistake has to fail its question, and nothing is measured.
    """
    grader = Grader.of_course(course, exercise, zygote, SECRET)
    grader.marks_only = True
    verification = _Verification(exercise, grader, course.settings, sets=1, whole=False)
    if verification.right_answers_pass():
        trials = {question: Trial(grader.suite, question) for question in exercise.points}
        for mistake in known_mistakes(exercise):
            if not trials[mistake.question].fails(exercise.variant(mistake.code)):
                verification.grade_mistake(mistake)  # a rule may catch it
    return verification.findings


@dataclass
class _Verification:
    """Verifies one exercise and gathers its findings.

    It looks at the exercise's files, and then grades the reference with the visible checks, the untouched
    release, the other right answers and each known mistake. Last it measures what wrong answers cost. How
    many mutants the hidden tests fail is measured apart, since several processes can share that work.
    """

    exercise: Exercise
    grader: Grader
    settings: CourseSettings
    sets: int
    whole: bool  # whether all tests run on each wrong answer
    findings: list[str] = field(default_factory=list)
    accepted_fails: bool = False  # whether an accepted answer fails a test or a visible check
    checks: dict[str, str] = field(default_factory=dict)  # that the reference passes, by question
    failed: dict[Answer, list[Run]] = field(default_factory=dict)  # of its question, by each mistake

    def proof(self) -> Proof:
        exercise, share = self.exercise, self.settings.mutants_fail
        suite, builds_on = self.grader.suite, self.grader.builds_on
        mistakes = known_mistakes(exercise)
        proof = Proof(exercise.name, len(exercise.accepted), len(mistakes))
        if not self.right_answers_pass():  # what else is wrong would follow from it
            return replace(proof, findings=tuple(self.findings))
        for mistake in mistakes:
            self._caught(mistake)
        if self.accepted_fails:  # exceptions would seem to be needless, and the tests may have to change
            return replace(proof, findings=tuple(self.findings))
        carried, found = entry.measure(exercise, builds_on, suite, self._grade)
        cost = costs.measure(suite, self.checks, self.sets, share, self.failed, whole=self.whole)
        findings, bits = (*self.findings, *found), self.grader.told_bits
        return replace(proof, bits=bits, carried=carried, costs=cost, findings=findings)

    def right_answers_pass(self) -> bool:
        """Verify the reference and, if it passes, the untouched release and accepted answers."""
        self.findings += release.problems(self.exercise)
        if not self._reference():
            return False
        self._untouched()
        known = self.exercise.accepted, known_mistakes(self.exercise)
        self.findings += other_signatures(self.exercise, chain.from_iterable(known))
        before = len(self.findings)
        for number, variant in enumerate(self.exercise.accepted, 1):
            self._accepted(number, variant)
        self.accepted_fails = len(self.findings) > before
        return True

    def _grade(self, answers: Mapping[str, str], *, checked: bool = False) -> Report:
        """Grade the reference with `answers` in its place, with or without the visible checks."""
        cells = solved_cells(self.exercise, answers)
        chosen = (cell for cell in cells if checked or checked_question(cell.name) is None)
        return self.grader.grade_cells(tuple(chosen)).report

    def _reference(self) -> bool:
        """Find visible checks and hidden tests that the reference fails; return whether it passes these."""
        cells = solved_cells(self.exercise, {})
        graded = self.grader.grade_cells(cells)
        right = self._full_marks(0, str(self.exercise.source), graded.report, self.exercise.reference)
        checks = {cell.grade_id: cell for cell in self.exercise.cells if cell.role is Role.CHECK}
        given = self.exercise.given_checks
        if given:  # grading leaves it out, and checks do nothing then; here they bring it along
            above = f"# A check\n{given}\n"
            joined = (replace(c, text=above + c.text) if c.name in checks else c for c in cells)
            graded = self.grader.grade_cells(tuple(joined), asked=())
        for cell in cells:
            if cell.name in checks:
                self._visible_check(checks[cell.name], cell.number, graded.results.get(cell.number))
        return right

    def _visible_check(self, check: Cell, number: int, result: CellResult | None) -> None:
        line, said = 1, "it ended the program or ran too long"
        if result is not None:
            if (error := result.error) is None:
                self.checks[check.name] = check.text
                return
            said = str(error)
            if not self.exercise.given_checks:
                line = next((line for place, line in error.places if place == number and line), 1)
        problem = f"the check of {check.name} fails on the reference: {said}; fix the check or the solution"
        self.findings.append(f"{self.exercise.source}:{check.line + line - 1}: {problem}")

    def _accepted(self, number: int, variant: Answer) -> None:
        """Find tests and visible checks that another right answer fails."""
        cells = self.exercise.variant(variant.code)
        self._full_marks(number, variant.place, self._grade(self.exercise.replaced(variant.code)), cells)
        for name, check in self.checks.items():
            with beside_handout(self.exercise):
                error = costs.check_error(check, cells)
            if error:
                said = f"{type(error).__name__}: {error}"
                self._find(variant.place, f"is right, but the check of {name} fails: {said}; fix the check")

    def _full_marks(self, number: int, place: str, report: Report, cells: tuple[str, ...]) -> bool:
        """Find tests that a right answer fails, when it is graded or with other sets of hidden inputs."""
        several = range(_RARE) if number == 0 and self.sets == SETS_THOROUGH else met(self.sets, number)
        if number and self.sets <= SETS_TRIED:
            several = several[1:]  # to be graded, it has met another set already
        sets = [numbered_inputs(SECRET, self.exercise.name, one) for one in several]
        failed = failures(self.grader.suite, cells, sets)
        for test, said in failed.items():
            self._find(place, f'must get full marks, but {test.question}, "{test.title}" fails: {said}')
        told = {(test.question, test.title) for test in failed}
        for question in report.questions:
            for one in question.tests:
                if one.verdict is not Verdict.PASSED and (question.name, one.title) not in told:
                    told.add((question.name, one.title))
                    seen = f'{question.name}, "{one.title}": {one.verdict}. {one.hint}'
                    self._find(place, f"must get full marks, but {seen}")
        return not told

    def _untouched(self) -> None:
        for question in self._grade(stubs(self.exercise), checked=True).questions:
            if question.verdict not in (Verdict.NOT_ATTEMPTED, Verdict.UNGRADED):
                passed = [test.title for test in question.tests if test.verdict is Verdict.PASSED]
                where = stands(self.grader.suite, passed, question.name)
                seen = f'question "{question.name}" is {question.verdict}'
                seen += f", since it passes {where}; let that ask for more" if where else f". {question.hint}"
                self._find(str(self.exercise.source), f"untouched, all must be not attempted, but {seen}")

    def _caught(self, mistake: Answer) -> None:
        """Find a mistake that passes its question or fails another.

        The tests run here that a mistake can reach. Unless just its own question fails, a worker grades it:
        rules may catch it, and what builds on it may lose nothing.
        """
        suite, inputs = self.grader.suite, numbered_inputs(SECRET, self.exercise.name, 0)
        failed = [*failed_runs(suite, self.exercise.variant(mistake.code), inputs, self._reached(mistake))]
        self.failed[mistake] = [run for run in failed if run.test.question == mistake.question]
        if problem := stale(mistake, self.failed[mistake]):
            self._find(mistake.place, problem)
        breaks = any(blamed(suite, run, inputs).kind is Verdict.GRADER_ERROR for run in failed)
        if breaks or {run.test.question for run in failed} != {mistake.question}:
            self.grade_mistake(mistake)

    def _reached(self, mistake: Answer) -> list[HiddenTest]:
        """Return the tests that ask for a name which the mistake binds, or which rests on such a name.

        Those of its own question come first, as they do on other inputs: a mistake may remember something.
        """
        bound = bound_names(mistake.code)
        found = (test for test, names in self._names.items() if not bound.isdisjoint(names))
        return sorted(found, key=lambda test: test.question != mistake.question)

    @cached_property
    def _names(self) -> dict[HiddenTest, set[str]]:
        """The names that each test asks for, and those on which these rest in the reference."""
        found, names = pieces(self.exercise.reference), dict[HiddenTest, set[str]]()
        for run in self.grader.suite.reference_runs:
            asked = set(names_asked([one.request[0] for one in run.exchanges]))
            names[run.test] = asked.union(*(rests_on(name, found)[1] for name in asked))
        return names

    def grade_mistake(self, mistake: Answer) -> None:
        """Grade a mistake, and find what `_caught` looks for."""
        builds_on = self.grader.builds_on
        for one in self._grade(self.exercise.replaced(mistake.code)).questions:
            full = one.score == one.max_score or one.verdict is Verdict.UNGRADED
            if one.name == mistake.question and full:
                self._find(mistake.place, f"gets full marks; add a hidden test to {one.name} that sees it")
            elif one.name == mistake.question and one.verdict is Verdict.GRADER_ERROR:
                self._find(mistake.place, f"breaks a hidden test of its own: {one.hint}")
            elif one.name != mistake.question and not full:
                fix = entry.independent(self.exercise, builds_on, one.name, mistake.question)
                self._find(mistake.place, f"also fails {one.name}: {one.hint} {fix}")

    def _find(self, place: str, problem: str) -> None:
        self.findings.append(f"{place}: {problem}")


FOLDER = "build/proofs"
_COMPUTING = ("ipython", "safetensors", "ipykernel")
_AUTHORING, _KIT = (Path(autograder.__file__).parent / room for room in ("authoring", "course/kit"))
_JSON = TypeAdapter(Proof)


def kept_proof(course: Course, exercise: Exercise, sets: int, *, whole: bool = False) -> Proof | None:
    """Return the proof of an exercise if it was proved as it is now.

    A proof is kept under a digest of all on which it depends: the exercise's folder, the catalogue, its entry
    in course.yaml, the engine, and the versions of what computes. One with findings is not kept.
    """
    with suppress(OSError, ValueError, SourceError):
        return replace(_JSON.validate_json(_path(course, exercise, sets, whole).read_bytes()), before=True)
    return None


def keep_proof(course: Course, exercise: Exercise, sets: int, proof: Proof, *, whole: bool = False) -> None:
    """Keep a proof in the place of an earlier one, unless it has findings."""
    for path in (course.root / FOLDER).glob(f"{exercise.name}-*.json"):
        path.unlink(missing_ok=True)
    if not proof.findings:
        write_whole(_path(course, exercise, sets, whole), _JSON.dump_json(proof))


def unproved(course: Course, exercises: Sequence[Exercise]) -> Iterator[str]:
    """Yield the exercises that have no proof as they are now, in words."""
    kinds = [(sets, whole) for sets in (SETS_TRIED, SETS_THOROUGH) for whole in (False, True)]
    for exercise in exercises:
        if not any(kept_proof(course, exercise, sets, whole=whole) for sets, whole in kinds):
            yield f"{exercise.name}: is not proved as it is now; run `autograder verify {exercise.name}`"


def _path(course: Course, exercise: Exercise, sets: int, whole: bool) -> Path:
    settings = course.settings.mutants_fail, sets, whole
    computing = sys.version, *map(version, _COMPUTING)
    digest = hashlib.sha256(repr((rules(course, exercise), settings, computing)).encode())
    for folder in (exercise.folder, _AUTHORING, _KIT):
        for path in own_files(folder):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{path.relative_to(folder)} {content}\n".encode())
    return course.root / FOLDER / f"{exercise.name}-{digest.hexdigest()}.json"
