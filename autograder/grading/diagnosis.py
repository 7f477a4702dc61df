"""Names the mistake in a submission, by a repair of its code or by a known answer that behaves alike."""

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
from autograder.course.code import bound_names, parsed, pieces, readable, rests_on
from autograder.course.exercise import Exercise, reference_errors
from autograder.course.settings import DEFAULT_REPAIRS, Repairs, RepairsShown
from autograder.diagnosis import words
from autograder.diagnosis.candidates import Repair
from autograder.diagnosis.code import Code
from autograder.diagnosis.known import known_mistakes
from autograder.diagnosis.misconceptions import Misconception
from autograder.diagnosis.repairs import Repairer, sort_of
from autograder.diagnosis.same import same_exchanges
from autograder.diagnosis.search import SECOND
from autograder.diagnosis.words import Looked, Spot, Unplaced
from autograder.files import locked, write_whole
from autograder.grading.explanation import Submitted
from autograder.report.report import Place
from autograder.submission.notebook import NotebookCell
from autograder.testing.exchange import Local, StudentError
from autograder.testing.inputs import DISCLOSED, Inputs
from autograder.testing.suite import HiddenTest, Run, Suite
from autograder.worker.protocol import pack

_ENOUGH = 0.5  # of the failed tests must agree on what is wrong
_MOST_PLACES = 2000  # of code whose repair is looked for: each edit takes longer the longer the code is
_MOST_KEPT = 2000  # explanations; equal answers of a class share one
_SPOT = re.compile("\0(\\d+)\0")  # see Unplaced
_FIRST = "NameError|UnboundLocalError|AttributeError|TypeError"  # of which a repair says less than the error
_TWO_THINGS = "Two changes make all tests pass:"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is wrong in an answer, with a hint for the student; the name is empty where nothing has one."""

    name: str
    hint: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class SharedExplanation:
    """What explains answers that have the same syntax tree; each of them has lines of its own."""

    named: Explanation
    spots: tuple[Spot, ...] = ()

    def of(self, looked: Looked | None) -> Explanation:
        """Return it in the words of one answer."""
        if looked is None:
            return self.named
        hint = _SPOT.sub(lambda found: looked.at(self.spots[int(found[1])]), self.named.hint)
        place = self.named.place and looked.line(self.named.place.question, self.spots[self.named.place.line])
        return replace(self.named, hint=hint, place=place)


_SHARED_EXPLANATION = TypeAdapter[SharedExplanation | None](SharedExplanation | None)


@dataclass(frozen=True, slots=True)
class FailedAnswer:
    """A wrong answer: the failed runs on disclosed inputs, and its code if that says what is wrong."""

    question: str
    failed: Sequence[Run]
    submitted: Submitted
    looked: Looked | None


class Diagnosis:
    """Explains failed answers to the questions of one exercise; equal ones share an explanation."""

    def __init__(self, suite: Suite, repairs: Repairs = DEFAULT_REPAIRS) -> None:
        self.suite = suite
        self._shown = repairs.shown
        self.repairer = Repairer(suite, repairs.seconds)
        self.runs = cache(self._runs)
        self._sorts: dict[Answer, frozenset[tuple[object, ...]]] = {}  # of edits that repair a known mistake
        self._known: dict[str, SharedExplanation | None] = {}
        self.shared: Path | None = None  # a folder for explanations that other processes have found
        self._texts = not suite.exercise.has_torch  # whether strings count as answers

    def explain(self, question: str, runs: Sequence[Run], submitted: Submitted) -> Explanation | None:
        """Return what explains the failed tests of `question`, or None.

        The runs are those on disclosed inputs. Tests that are not among them count as passed.
        """
        failed = [run for run in runs if run.error is not None and run.test.question == question]
        if not failed:
            return None
        judged = all(isinstance(run.error, AssertionError | StudentError) for run in failed)
        # A repair would go round what is missing, or what a later cell has changed.
        is_whole = not submitted.later_change(question) and not any(map(submitted.lacks_something, failed))
        is_whole &= submitted.may_try_repairs
        looked = look(question, submitted.cells, self.suite.exercise) if judged and is_whole else None
        wrong = FailedAnswer(question, failed, submitted, looked)
        if (key := _key(wrong)) not in self._known:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            self._known[key] = self._from_others(key, wrong)
        shared = self._known[key]
        return shared.of(looked) if shared else None

    def _from_others(self, key: str, wrong: FailedAnswer) -> SharedExplanation | None:
        """Return the explanation that another process has found, or find it for all of them."""
        if self.shared is None:
            return self._search(wrong)
        path = self.shared / self.suite.exercise.name / key
        path.parent.mkdir(exist_ok=True)
        with locked(path.with_suffix(".lock"), lambda _: None):
            if path.exists():
                return _SHARED_EXPLANATION.validate_json(path.read_bytes())
            found = self._search(wrong)
            write_whole(path, _SHARED_EXPLANATION.dump_json(found))
        return found

    def _search(self, wrong: FailedAnswer) -> SharedExplanation | None:
        own = wrong.looked
        looked = Unplaced(own.code, own.texts, own.main) if own else None
        with uncollected():
            named = self._name(replace(wrong, looked=looked))
        return SharedExplanation(named, tuple(looked.spots) if looked else ()) if named else None

    @cached_property
    def _mistakes(self) -> tuple[Answer, ...]:
        return known_mistakes(self.suite.exercise)

    def rarity(self, test: HiddenTest) -> int:
        """Return how many wrong answers of the author's fail a test: the fewer, the more its failure says."""
        runs = (self.runs(one) for one in self._mistakes if one.question == test.question)
        return sum(any(run.error is not None and run.test == test for run in one) for one in runs)

    def _name(self, wrong: FailedAnswer) -> Explanation | None:
        if (looked := wrong.looked) and self._shown is not RepairsShown.OFF:
            with wrong.submitted.open_for_repairs(looked.texts) as session:
                tests = [run.test for run in wrong.failed]
                repairs = self.repairer.search(wrong.question, looked.code, tests, session)
                if best := next(repairs, None):
                    return self._repaired(wrong, looked, best, repairs)
        if alike := self._find_equivalent_mistake(wrong):
            return Explanation(alike.name, alike.hint)
        return self._written_by_rule(wrong) or self._stated_by_tests(wrong) or self._stated_by_errors(wrong)

    def _repaired(
        self, wrong: FailedAnswer, looked: Looked, best: Repair, others: Iterator[Repair]
    ) -> Explanation:
        """Put a repair into words: the misconception, the known mistake or the place that it proves.

        Where the best has no name, the others are asked for.
        """
        to_name, to_compare = tee(chain([best], others))
        if len(best.edits) > 1:
            return self._two_changes(wrong, looked, best, to_compare)
        named = (
            (one, repair.edits[0])
            for repair in to_name
            for one in self.repairer.names(wrong.question, repair)
            if self._agrees(wrong, one)
        )
        misconception, edit = next(named, (None, best.edits[0]))
        change = f"ll tests pass after one change {looked.where(edit)}"
        if misconception:
            explained = _explanation(wrong, misconception)
        elif alike := self._find_equivalent_mistake(wrong, to_compare):
            explained = Explanation(alike.name, alike.hint)
        elif effect := self._stated_by_tests(wrong, whole=True) or self._stated_by_errors(wrong, _FIRST):
            explained = effect
        elif place := self.repairer.place(wrong.question, edit):
            said = f"{place.sentence.removesuffix('.')}: a{change}. {place.hint}"
            explained, change = Explanation(f"{wrong.question}__{place.name}", said), ""
        else:
            explained = self._stated_by_errors(wrong) or Explanation("", "")
            change += "" if explained.name else f": {words.KINDS[edit.kind]}"
        said = f"{explained.hint} A{change}.".strip() if change else explained.hint
        end = f" Write `{words.shown(edit)}` there." if self._shown is RepairsShown.SHOWN else ""
        return Explanation(explained.name, f"{said}{end}", looked.place(wrong.question, edit))

    def _two_changes(
        self, wrong: FailedAnswer, looked: Looked, best: Repair, repairs: Iterable[Repair]
    ) -> Explanation:
        """Put a repair by two edits into words: the places of both."""
        if alike := self._find_equivalent_mistake(wrong, repairs):
            return Explanation(alike.name, alike.hint)
        named = next(
            (one for one in self.repairer.names(wrong.question, best) if self._agrees(wrong, one)), None
        )
        if named:
            where = " and ".join(looked.where(edit) for edit in best.edits)
            explained = _explanation(wrong, named)
            hint = f"{explained.hint} All tests pass after two changes: {where}."
            return replace(explained, hint=hint, place=looked.place(wrong.question, best.edits[0]))
        edits, lines, names = best.edits, [_TWO_THINGS], list[str]()
        for number, edit in enumerate(edits, 1):
            place = self.repairer.place(wrong.question, edit)
            what = place.sentence.removesuffix(".") if place else words.KINDS[edit.kind]
            lines.append(f"{number}. {what}: {looked.where(edit)}")
            names += [place.name] if place else []
        name = f"{wrong.question}__{'+'.join(dict.fromkeys(names))}" if names else ""
        places = (looked.place(wrong.question, edit) for edit in edits)
        return Explanation(name, "\n".join(lines), next(filter(None, places), None))

    def _agrees(self, wrong: FailedAnswer, misconception: Misconception) -> bool:
        """Whether a right answer with this misconception fails the same tests, and half of them alike.

        A rule may make the same code of another right answer than was meant.
        """
        known = self.repairer.failed(wrong.question, misconception)
        return any(_agreement(runs, wrong.failed, texts=self._texts) >= _ENOUGH for runs in known)

    def _find_equivalent_mistake(self, wrong: FailedAnswer, repairs: Iterable[Repair] = ()) -> Answer | None:
        """Return an author's wrong answer whose hint is true of this one, too.

        Both get equal results from the same tests on two sets of inputs. Other code may do so as well. So
        they are also the same code in one writing, or the same sort of edit repairs both.
        """
        if (looked := wrong.looked) is None:
            return None
        sorts: set[tuple[object, ...]] | None = None
        for mistake in (one for one in self._mistakes if one.question == wrong.question):
            theirs = [run for run in self.runs(mistake) if run.error is not None]
            if _agreement(theirs, wrong.failed, texts=self._texts) == 1:
                if sorts is None:
                    sorts = {_sorts(one, looked.code) for one in repairs}
                if self.repairer.same_code(looked.code, _code_of(mistake)) or sorts & self._sorts_of(
                    mistake, wrong.submitted
                ):
                    return mistake if self._agrees_on_second_inputs(mistake, wrong, looked) else None
        return None

    def _agrees_on_second_inputs(self, mistake: Answer, wrong: FailedAnswer, looked: Looked) -> bool:
        """Whether an answer gets the same as an author's wrong answer on a second set of inputs, too."""
        tests = [run.test for run in wrong.failed]
        with wrong.submitted.open_for_repairs(looked.texts) as session:
            seen = [self.suite.run_one(test, session, SECOND) for test in tests]
            if session.failure is not None:
                raise session.failure
        theirs = [run for run in self.runs(mistake, SECOND) if run.test in tests]
        return _agreement(theirs, seen, texts=self._texts) == 1

    def _sorts_of(self, mistake: Answer, submitted: Submitted) -> frozenset[tuple[object, ...]]:
        """Return which sorts of edits repair an author's wrong answer."""
        if self._shown is RepairsShown.OFF:
            return frozenset()
        if mistake not in self._sorts:
            failed = [run.test for run in self.runs(mistake) if run.error is not None]
            code = _code_of(mistake)
            with submitted.open_reference() as session:
                found = self.repairer.search(mistake.question, code, failed, session)
                self._sorts[mistake] = frozenset(_sorts(one, code) for one in found)
        return self._sorts[mistake]

    def _written_by_rule(self, wrong: FailedAnswer) -> Explanation | None:
        """Return the misconception whose rule makes the answer of a right one, where no repairs are shown."""
        if (looked := wrong.looked) is None or self._shown is not RepairsShown.OFF:
            return None
        own = _definition(looked.code.statements, wrong.question)
        for made in self.repairer.answers(wrong.question).wrong:
            other = _definition(ast.parse(made.code).body, wrong.question)
            if self.repairer.same_code(own, other) and self._agrees(wrong, made.misconception):
                return _explanation(wrong, made.misconception)
        return None

    def _stated_by_errors(self, wrong: FailedAnswer, errors: str = "") -> Explanation | None:
        """Return what the messages of all errors say by themselves, or of those that match `errors`."""
        broken = (run for run in wrong.failed if not wrong.submitted.lacks_something(run))  # says more itself
        messages = [str(run.error) for run in broken if isinstance(run.error, StudentError)]
        messages = [message for message in messages if re.match(errors, message)]
        right = self.repairer.answers(wrong.question).right
        for one in self.repairer.catalogue.misconceptions:
            count = one.fits(right) and sum(
                bool(one.crash and re.search(one.crash, said)) for said in messages
            )
            if count and count >= _ENOUGH * len(wrong.failed):
                return _explanation(wrong, one)
        return None

    def _stated_by_tests(self, wrong: FailedAnswer, *, whole: bool = False) -> Explanation | None:
        """Return the effect that failed tests state in their words; with `whole`, all of them must do so."""
        said = [str(run.error) for run in wrong.failed if not isinstance(run.error, StudentError)]
        for one in self.repairer.catalogue.misconceptions:
            if (
                one.says
                and not (whole and one.if_unrepaired)
                and self.repairer.answers(wrong.question).can_show(one)
            ):
                count = sum(bool(re.search(one.says, words)) for words in said)
                if count == len(wrong.failed) or (count and not (whole or one.whole)):
                    return _explanation(wrong, one)
        return None

    def _runs(self, mistake: Answer, inputs: Inputs = DISCLOSED) -> tuple[Run, ...]:
        exercise = self.suite.exercise
        with catch_warnings(action="ignore"):  # the mistake may deserve a warning, but nobody here made it
            with reference_errors(exercise, mistake):
                namespace = self.suite.namespace(exercise.variant(mistake.code))
            return tuple(self.suite.run(Local(namespace), inputs, self.suite.of(mistake.question)))


def _key(wrong: FailedAnswer) -> str:
    """Return a digest of all that an explanation rests on: the syntax tree, and what failed in which way."""
    texts = wrong.looked.texts.values() if wrong.looked else ()
    bodies = ((text, parsed(text)) for text in texts)
    trees = [text if body is None else repr([*map(ast.dump, body)]) for text, body in bodies]
    told = [f"{run.test.number} {run.error} {wrong.submitted.lacks_something(run)}" for run in wrong.failed]
    same = "\0".join([wrong.question, repr(wrong.submitted.given), *told, *trees])
    replies = (one.reply for run in wrong.failed for one in run.exchanges)
    answers = (pack({"value": reply.get("value")}, parts) for reply, parts in replies)
    return hashlib.sha256(b"\0".join([same.encode(errors="surrogatepass"), *answers])).hexdigest()


@contextmanager
def uncollected() -> Iterator[None]:
    """Leave out garbage collections in the `with` block, in which most objects are syntax trees that stay."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _agreement(known: Sequence[Run], seen: Sequence[Run], *, texts: bool) -> float:
    """Return from which part of the failed tests two answers get the same; 0 if they fail other tests."""
    theirs = {run.test.number: run.exchanges for run in known}
    if theirs.keys() != {run.test.number for run in seen}:
        return 0.0
    same = [same_exchanges(theirs[run.test.number], run.exchanges, texts=texts) for run in seen]
    return sum(same) / len(same)


def _explanation(wrong: FailedAnswer, misconception: Misconception) -> Explanation:
    name = f"{wrong.question}__{misconception.name}"
    return Explanation(name, f"{misconception.sentence} {misconception.hint}")


def _code_of(mistake: Answer) -> Code:
    """Return the definitions of an author's wrong answer."""
    return Code(tuple(one for one in ast.parse(mistake.code).body if _defines(one)))


def _definition(statements: Iterable[ast.stmt], question: str) -> Code:
    return Code(tuple(one for one in statements if getattr(one, "name", "") == question))


def _sorts(repair: Repair, code: Code) -> tuple[object, ...]:
    """Return the sort of each edit of a repair."""
    return tuple(sort_of(edit, code) for edit in repair.edits)


def look(question: str, cells: Sequence[NotebookCell], exercise: Exercise) -> Looked | None:
    """Return the student's own definitions on which a question rests; None without any."""
    own = [cell for cell in cells if cell.text not in exercise.given]
    if not readable([cell.text for cell in own]):
        return None
    found = pieces(cell.text for cell in own)
    rests = {id(piece) for piece in rests_on(question, found)[0]}
    chosen = [piece for piece in found if id(piece) in rests and _defines(piece.tree)]
    statements = tuple(piece.tree for piece in chosen if piece.tree is not None)
    if not any(question in piece.bound for piece in chosen):
        return None
    others = {name for name in exercise.points if name != question}
    fixed = frozenset(at for at, one in enumerate(statements) if getattr(one, "name", "") in others)
    main = next((cell.text for cell in reversed(own) if question in bound_names(cell.text)), "")
    code = Code(statements, tuple(own[piece.at].number for piece in chosen), fixed)
    if len(code.places) > _MOST_PLACES:
        return None
    cells_of = {own[piece.at].number for piece in found if id(piece) in rests}
    return Looked(code, {cell.number: cell.text for cell in own if cell.number in cells_of}, main)


def _defines(tree: ast.stmt | None) -> bool:
    """Whether a statement defines something, and does not compute what the worker has computed already."""
    match tree:
        case ast.FunctionDef() | ast.ClassDef() | ast.AsyncFunctionDef():
            return True
        case ast.Assign(value=ast.Lambda() | ast.Constant() | ast.Name() | ast.Attribute()):
            return True
    return False
