"""Explains a wrong answer by a repair of its code, a known mistake with equal results, or test messages.

A repair is one or two edits that make all tests pass. A known mistake is an author's wrong answer and hint.
The catalogue has misconceptions and places. A place is a step of right answers where students make mistakes.
"""

import ast
import gc
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain, tee
from pathlib import Path
from warnings import catch_warnings

from pydantic import TypeAdapter

from autograder.course.answers import Answer
from autograder.course.code import parsed
from autograder.course.exercise import reference_errors
from autograder.course.settings import DEFAULT_REPAIRS, Repairs, RepairsShown
from autograder.diagnosis import words
from autograder.diagnosis.candidates import Candidate, CandidateRunner, Repair
from autograder.diagnosis.code import Code
from autograder.diagnosis.fragments import Edit
from autograder.diagnosis.known import known_mistakes
from autograder.diagnosis.known_results import SECOND, Mistake
from autograder.diagnosis.misconceptions import Misconception
from autograder.diagnosis.repairs import Repairer, sort_of
from autograder.diagnosis.same import agreement
from autograder.diagnosis.trees import names_in
from autograder.diagnosis.words import Looked, Spot, Unplaced
from autograder.files import locked, write_whole
from autograder.grading.explanation import RunSubmission, missing_name
from autograder.grading.looking import code_of, definition, look
from autograder.report.report import AnswerLine
from autograder.testing.exchange import Local, StudentError
from autograder.testing.inputs import DISCLOSED, Inputs
from autograder.testing.suite import HiddenTest, Run, Suite
from autograder.worker.protocol import pack

_ENOUGH = 0.5  # at least this fraction of the failed tests must show the misconception
_MOST_EXPLANATIONS = 2000  # greatest number of cached explanations
_SPOT = re.compile("\0(\\d+)\0")  # the index of a changed place in a shared explanation
# Types of errors whose messages help more than the line of a repair.
_EXPLAINING_ERRORS = "NameError|UnboundLocalError|AttributeError|TypeError"
# Kinds of edits that replace a single word of the code.
_REPLACED_WORDS = ("name", "operator", "dimension", "switch", "function")
_TWO_THINGS = "All tests pass after these two changes:"
_TWO_MISTAKES = "Your code has two mistakes."


@dataclass(frozen=True, slots=True)
class Explanation:
    """The mistake in an answer: its name or "", a hint for the student, and a line of the answer."""

    name: str
    hint: str
    place: AnswerLine | None = None


@dataclass(frozen=True, slots=True)
class SharedExplanation:
    """An explanation for all answers with equal syntax trees: an index into `spots` replaces each line."""

    explanation: Explanation
    spots: tuple[Spot, ...] = ()

    def of(self, looked: Looked | None) -> Explanation:
        """Return the explanation with the lines and quotations of one answer."""
        if looked is None:
            return self.explanation
        hint = _SPOT.sub(lambda match: looked.at(self.spots[int(match[1])]), self.explanation.hint)
        place = self.explanation.place
        line = place and looked.line(place.question, self.spots[place.line])
        return replace(self.explanation, hint=hint, place=line)


_SHARED_EXPLANATION = TypeAdapter[SharedExplanation | None](SharedExplanation | None)


@dataclass(frozen=True, slots=True)
class FailedAnswer:
    """A wrong answer and its failed runs on disclosed inputs. If `looked` is None, no repair is tried."""

    question: str
    failed: Sequence[Run]
    submitted: RunSubmission
    looked: Looked | None


class Diagnosis:
    """Explains failed answers to the questions of one exercise. Equal answers get the same explanation."""

    def __init__(self, suite: Suite, repairs: Repairs = DEFAULT_REPAIRS) -> None:
        self.suite = suite
        self._shown = repairs.shown
        self._shows_lines = repairs.shown in (RepairsShown.PLACE, RepairsShown.SHOWN)
        self.repairer = Repairer(suite, repairs.seconds)
        self.runs = cache(self._runs)
        self._repair_keys: dict[Answer, frozenset[tuple[object, ...]]] = {}
        self._explanations: dict[str, SharedExplanation | None] = {}
        self.shared: Path | None = None  # the folder in which processes share their explanations
        self._texts = not suite.exercise.has_torch  # whether strings in results are compared

    def explain(self, question: str, runs: Sequence[Run], submitted: RunSubmission) -> Explanation | None:
        """Return the explanation of the failed tests of `question`, or None.

        `runs` are runs on disclosed inputs, which students may see. A test that has not run counts as passed.
        """
        failed = [run for run in runs if run.error is not None and run.test.question == question]
        if not failed:
            return None
        judged = all(isinstance(run.error, AssertionError | StudentError) for run in failed)
        # If a name is missing, or a later cell changes a name, a repair could hide this mistake.
        is_whole = not submitted.later_change(question) and not any(map(submitted.lacks_something, failed))
        is_whole &= submitted.may_try_repairs
        looked = look(question, submitted.cells, self.suite.exercise) if judged and is_whole else None
        wrong = FailedAnswer(question, failed, submitted, looked)
        if (key := _key(wrong)) not in self._explanations:
            if len(self._explanations) >= _MOST_EXPLANATIONS:
                self._explanations.clear()
            self._explanations[key] = self._shared_explanation(key, wrong)
        shared = self._explanations[key]
        return shared.of(looked) if shared else None

    def _shared_explanation(self, key: str, wrong: FailedAnswer) -> SharedExplanation | None:
        """Read the explanation from another process, or write it for other processes."""
        if self.shared is None:
            return self._search(wrong)
        path = self.shared / self.suite.exercise.name / key
        path.parent.mkdir(exist_ok=True)
        with locked(path.with_suffix(".lock"), lambda _: None):
            if path.exists():
                return _SHARED_EXPLANATION.validate_json(path.read_bytes())
            explanation = self._search(wrong)
            write_whole(path, _SHARED_EXPLANATION.dump_json(explanation))
        return explanation

    def _search(self, wrong: FailedAnswer) -> SharedExplanation | None:
        placed = wrong.looked
        looked = Unplaced(placed.code, placed.texts, placed.main) if placed else None
        with without_garbage_collection():
            explanation = self._explain_new(replace(wrong, looked=looked))
        return SharedExplanation(explanation, tuple(looked.spots) if looked else ()) if explanation else None

    @cached_property
    def _mistakes(self) -> tuple[Answer, ...]:
        return known_mistakes(self.suite.exercise)

    def count_failing_mistakes(self, test: HiddenTest) -> int:
        """Return the number of known mistakes that fail a test."""
        mistakes = (mistake for mistake in self._mistakes if mistake.question == test.question)
        failing = (run for mistake in mistakes for run in self.runs(mistake) if run.error is not None)
        return sum(run.test == test for run in failing)

    def _explain_new(self, wrong: FailedAnswer) -> Explanation | None:
        if (looked := wrong.looked) and self._shown is not RepairsShown.OFF:
            with wrong.submitted.open_for_repairs(looked.texts) as session:
                tests = [run.test for run in wrong.failed]
                searched = self.repairer.search(wrong.question, looked.code, tests, session)
                repairs = (repair for repair in searched if not _hides_undefined_name(wrong, repair))
                best = next(repairs, None)
                if best and (explained := self._describe_repair(wrong, looked, best, repairs, session)):
                    return explained
        if mistake := self._find_equivalent_mistake(wrong):
            return Explanation(mistake.name, mistake.hint)
        return (
            self._misconception_of_same_code(wrong)
            or self._explain_by_messages(wrong)
            or self._explain_by_errors(wrong)
        )

    def _describe_repair(
        self,
        wrong: FailedAnswer,
        looked: Looked,
        best: Repair,
        others: Iterator[Repair],
        runner: CandidateRunner,
    ) -> Explanation | None:
        """Return the explanation of an answer by its best repair, or None.

        It names the mistake or place that the repairs show. It has a line only if the course shows lines.
        """
        if best.remaining:
            return self._describe_recognized(wrong, looked, best)
        to_name, to_compare = tee(chain([best], others))
        if len(best.edits) > 1:
            return self._describe_two_edits(wrong, looked, best, to_compare)
        named = (
            (misconception, repair.edits[0])
            for repair in to_name
            for misconception in self.repairer.names(wrong.question, repair)
            if self._fits(wrong, misconception)
        )
        misconception, edit = next(named, (None, best.edits[0]))
        change = f"ll tests pass after one change {looked.where(edit)}"
        if misconception:
            explained = _explanation(wrong, misconception)
        elif mistake := self._find_equivalent_mistake(wrong, to_compare):
            explained = Explanation(mistake.name, mistake.hint)
        elif effect := (
            self._explain_by_messages(wrong, whole=True) or self._explain_by_errors(wrong, _EXPLAINING_ERRORS)
        ):
            explained = effect
        elif place := self.repairer.place(wrong.question, edit):
            said = f"{place.sentence.removesuffix('.')}: a{change}." if self._shows_lines else place.sentence
            explained, change = Explanation(f"{wrong.question}__{place.name}", f"{said} {place.hint}"), ""
        elif mistakes := self._known_mistakes(wrong, looked, runner):
            name = words.joined(wrong.question, [words.short_name(mistakes[0])])
            explained = Explanation(name, f"Y{words.same_results(mistakes)}")
        else:
            explained = self._explain_by_errors(wrong) or Explanation("", "")
            change += "" if explained.name else f": {words.KINDS[edit.kind]}"
        if not self._shows_lines:
            return explained if explained.name else None
        hint = f"{explained.hint} A{change}.".strip() if change else explained.hint
        end = f" Write `{words.new_code(edit)}` there." if self._shown is RepairsShown.SHOWN else ""
        return Explanation(explained.name, f"{hint}{end}", looked.place(wrong.question, edit))

    def _known_mistakes(
        self, wrong: FailedAnswer, looked: Looked, runner: CandidateRunner
    ) -> Sequence[Mistake]:
        candidate = Candidate(runner, looked.code)

        def run(test: HiddenTest, inputs: Inputs) -> Run:
            return self.suite.run_one(test, candidate, inputs)

        return self.repairer.known_results(wrong.question).mistakes(wrong.failed[0], run)

    def _describe_two_edits(
        self, wrong: FailedAnswer, looked: Looked, best: Repair, repairs: Iterable[Repair]
    ) -> Explanation | None:
        """Return an explanation by a best repair with two edits, or None.

        It describes a known mistake, a misconception or, if the course shows lines, both edits.
        """
        if mistake := self._find_equivalent_mistake(wrong, repairs):
            return Explanation(mistake.name, mistake.hint)
        fitting = (each for each in self.repairer.names(wrong.question, best) if self._fits(wrong, each))
        if misconception := next(fitting, None):
            where = " and ".join(looked.where(edit) for edit in best.edits)
            explained = _explanation(wrong, misconception)
            if not self._shows_lines:
                return explained
            hint = f"{explained.hint} All tests pass after changes in two places: {where}."
            return replace(explained, hint=hint, place=looked.place(wrong.question, best.edits[0]))
        if not self._shows_lines:
            return None
        edits, lines, names = best.edits, [_TWO_THINGS], list[str]()
        for number, (edit, mistakes) in enumerate(zip(edits, best.repaired or ((), ()), strict=True), 1):
            name, what = self._described_edit(wrong, looked, edit, mistakes)
            lines.append(f"{number}. {what}")
            names.append(name)
        places = (looked.place(wrong.question, edit) for edit in edits)
        name = words.joined(wrong.question, names)
        return Explanation(name, "\n".join(lines), next(filter(None, places), None))

    def _describe_recognized(self, wrong: FailedAnswer, looked: Looked, repair: Repair) -> Explanation | None:
        """Explain an answer that, unchanged or after one edit, has the same results as known mistakes."""
        name, results = words.short_name(repair.remaining[0]), words.same_results(repair.remaining)
        if not repair.edits:
            same_code = self._find_equivalent_mistake(wrong)
            hint = same_code.hint if same_code else f"Y{results}"
            return Explanation(words.joined(wrong.question, [name]), hint)
        if not self._shows_lines:
            hint = f"{_TWO_MISTAKES} If only one of them is repaired, y{results}"
            return Explanation(words.joined(wrong.question, [name]), hint)
        (edit,) = repair.edits
        first_name, what = self._described_edit(wrong, looked, edit)
        lines = [_TWO_MISTAKES, f"1. {what}", f"2. After this change, y{results}"]
        names = words.joined(wrong.question, [first_name, name])
        return Explanation(names, "\n".join(lines), looked.place(wrong.question, edit))

    def _described_edit(
        self, wrong: FailedAnswer, looked: Looked, edit: Edit, mistakes: Sequence[Mistake] = ()
    ) -> tuple[str, str]:
        """Return a name and a description of one edit. `mistakes` are those that it may repair.

        An item of `mistakes` whose rule reverses the edit is described. If there is none, the edit's place is
        described, else the only item of `mistakes`, else the kind of the edit.
        """
        where, question = looked.where(edit), wrong.question
        names = {one.name for one in self.repairer.names_of_edit(question, edit)} if mistakes else ()
        mistake = next((one for one in mistakes if one.name in names), None)
        place = None if mistake else self.repairer.place(question, edit)
        # An edit of one word or sign proves no mistake. It may only compensate for the repair's other edit.
        is_sign = edit.kind == "too much" and isinstance(edit.old, ast.UnaryOp)
        if place and (place.patterns or edit.kind not in _REPLACED_WORDS) and not is_sign:
            return place.name, f"{place.sentence.removesuffix('.')}: {where}"
        if mistake is None and len(mistakes) == 1:
            (mistake,) = mistakes
        if isinstance(mistake, Misconception):
            return mistake.name, f"{mistake.sentence.removesuffix('.')}: {where}"
        name, hint = (words.short_name(mistake), f". {mistake.hint}") if mistake else ("", "")
        return name, f"{words.KINDS[edit.kind]}: {where}{hint}"

    def _fits(self, wrong: FailedAnswer, misconception: Misconception) -> bool:
        """Whether code with this misconception fails the same tests, with equal results in at least half."""
        return any(
            agreement(runs, wrong.failed, texts=self._texts) >= _ENOUGH
            for runs in self.repairer.failed(wrong.question, misconception)
        )

    def _find_equivalent_mistake(self, wrong: FailedAnswer, repairs: Iterable[Repair] = ()) -> Answer | None:
        """Return a known mistake whose hint is also true of this answer, or None.

        Both must have the same results on two sets of inputs. Different mistakes can have the same results,
        so both must also have the same code (except for style and names) or similar repairs.
        """
        if (looked := wrong.looked) is None:
            return None
        repair_keys: set[tuple[object, ...]] | None = None
        for mistake in (mistake for mistake in self._mistakes if mistake.question == wrong.question):
            mistake_runs = [run for run in self.runs(mistake) if run.error is not None]
            if agreement(mistake_runs, wrong.failed, texts=self._texts) == 1:
                if repair_keys is None:
                    repair_keys = {_repair_key(repair, looked.code) for repair in repairs}
                same_code = self.repairer.same_code(looked.code, code_of(mistake))
                if same_code or repair_keys & self._repair_keys_of(mistake, wrong.submitted):
                    return mistake if self._agrees_on_second_inputs(mistake, wrong, looked) else None
        return None

    def _agrees_on_second_inputs(self, mistake: Answer, wrong: FailedAnswer, looked: Looked) -> bool:
        tests = [run.test for run in wrong.failed]
        with wrong.submitted.open_for_repairs(looked.texts) as session:
            runs = [self.suite.run_one(test, session, SECOND) for test in tests]
            if session.failure is not None:
                raise session.failure
        mistake_runs = [run for run in self.runs(mistake, SECOND) if run.test in tests]
        return agreement(mistake_runs, runs, texts=self._texts) == 1

    def _repair_keys_of(self, mistake: Answer, submitted: RunSubmission) -> frozenset[tuple[object, ...]]:
        """Return the keys of the repairs of a known mistake. Similar repairs have the same key."""
        if self._shown is RepairsShown.OFF:
            return frozenset()
        if mistake not in self._repair_keys:
            failed = [run.test for run in self.runs(mistake) if run.error is not None]
            code = code_of(mistake)
            with submitted.open_reference() as session:
                repairs = self.repairer.search(mistake.question, code, failed, session)
                self._repair_keys[mistake] = frozenset(_repair_key(repair, code) for repair in repairs)
        return self._repair_keys[mistake]

    def _misconception_of_same_code(self, wrong: FailedAnswer) -> Explanation | None:
        """If repairs are turned off, return a misconception whose rule makes this answer from a right one."""
        if (looked := wrong.looked) is None or self._shown is not RepairsShown.OFF:
            return None
        student_code = definition(looked.code.statements, wrong.question)
        for wrong_answer in self.repairer.answers(wrong.question).wrong:
            wrong_code = definition(ast.parse(wrong_answer.code).body, wrong.question)
            misconception = wrong_answer.misconception
            if self.repairer.same_code(student_code, wrong_code) and self._fits(wrong, misconception):
                return _explanation(wrong, misconception)
        return None

    def _explain_by_errors(self, wrong: FailedAnswer, errors: str = "") -> Explanation | None:
        """Return a misconception that the messages of at least half of the failed tests show, or None.

        The messages come from exceptions in the student's code and match `errors`. Messages about a missing
        module, or about a name that is missing because a cell failed, need no explanation.
        """
        raising = (run for run in wrong.failed if not wrong.submitted.lacks_something(run))
        messages = [str(run.error) for run in raising if isinstance(run.error, StudentError)]
        messages = [message for message in messages if re.match(errors, message)]
        right_answers = self.repairer.answers(wrong.question).right
        for misconception in self.repairer.catalogue.misconceptions:
            count = misconception.fits(right_answers) and sum(
                bool(misconception.crash and re.search(misconception.crash, text)) for text in messages
            )
            if count and count >= _ENOUGH * len(wrong.failed):
                return _explanation(wrong, misconception)
        return None

    def _explain_by_messages(self, wrong: FailedAnswer, *, whole: bool = False) -> Explanation | None:
        """Return a misconception that the messages of failed tests show, or None.

        If `whole` is true, the messages of all failed tests must show it.
        """
        messages = [str(run.error) for run in wrong.failed if not isinstance(run.error, StudentError)]
        for misconception in self.repairer.catalogue.misconceptions:
            if (
                misconception.says
                and not (whole and misconception.if_unrepaired)
                and self.repairer.answers(wrong.question).can_show(misconception)
            ):
                matches = [match for message in messages if (match := re.search(misconception.says, message))]
                if len(matches) == len(wrong.failed) or (matches and not (whole or misconception.whole)):
                    return _explanation(wrong, misconception, matches)
        return None

    def _runs(self, mistake: Answer, inputs: Inputs = DISCLOSED) -> tuple[Run, ...]:
        exercise = self.suite.exercise
        with catch_warnings(action="ignore"):  # warnings about wrong code are not for the grader's log
            with reference_errors(exercise, mistake):
                namespace = self.suite.namespace(exercise.variant(mistake.code))
            return tuple(self.suite.run(Local(namespace), inputs, self.suite.of(mistake.question)))


def _hides_undefined_name(wrong: FailedAnswer, repair: Repair) -> bool:
    """Whether a repair edits a rewritten form of the code, and the undefined name is not in this form.

    For instance, `math.sqrt(x)` is rewritten as `x**0.5`, which runs even if `math` is not imported.
    """
    missing = {missing_name(run.error) for run in wrong.failed} - {""}
    rewritten = [statement for edit in repair.edits if edit.within for statement in edit.within.statements]
    return not missing <= {name for statement in rewritten for name in names_in(statement)}


def _key(wrong: FailedAnswer) -> str:
    """Return a digest of all data that decide an explanation, such as syntax trees, errors and replies."""
    texts = wrong.looked.texts.values() if wrong.looked else ()
    bodies = ((text, parsed(text)) for text in texts)
    trees = [text if body is None else repr([*map(ast.dump, body)]) for text, body in bodies]
    outcomes = [
        f"{run.test.number} {run.error} {wrong.submitted.lacks_something(run)}" for run in wrong.failed
    ]
    head = "\0".join([wrong.question, repr(wrong.submitted.given), *outcomes, *trees])
    replies = (exchange.reply for run in wrong.failed for exchange in run.exchanges)
    answers = (pack({"value": reply.get("value")}, parts) for reply, parts in replies)
    return hashlib.sha256(b"\0".join([head.encode(errors="surrogatepass"), *answers])).hexdigest()


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Turn off garbage collection during a `with` block. Use it for blocks that free few objects."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _explanation(
    wrong: FailedAnswer, misconception: Misconception, messages: Iterable[re.Match[str]] = ()
) -> Explanation:
    name = f"{wrong.question}__{misconception.name}"
    return Explanation(name, f"{misconception.quoting(messages)} {misconception.hint}")


def _repair_key(repair: Repair, code: Code) -> tuple[object, ...]:
    """Return a key that similar repairs share: the keys of the edits."""
    return tuple(sort_of(edit, code) for edit in repair.edits)
