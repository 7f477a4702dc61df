"""The command `similar`: writes a page of suspiciously similar answers.

Code is compared by its syntax: local names, formatting, comments, docstrings and annotations do not count.
Right answers to a short question are always similar. So two answers are compared by rare passages: sequences
of tokens that only a few students wrote, and that occur neither in the stub nor in the course's own answers.
The thresholds below are tested with our course's accepted answers in place of students' answers: no two are
suspicious. But each answer and its copy with renamed variables are suspicious.
"""

import ast
import io
import token
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import click
import networkx
from rapidfuzz.distance import Indel

from autograder.cli import options
from autograder.course.code import quick_to_parse
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import OnFailure, raise_failure, skipping
from autograder.course.source import Role
from autograder.diagnosis.known import known_mistakes
from autograder.files import write_whole
from autograder.publishing.graded_work import read_graded_work
from autograder.report.safe_html import load_template
from autograder.report.text import clean_text
from autograder.submission.students import student_names, with_name

_TEMPLATE = Path(__file__).with_name("similar.html")
PASSAGE = 6  # tokens in a passage
MIN_RARE = 12  # the answers of a suspicious pair share at least this many rare passages
MIN_ALIKE = 0.8  # minimum similarity of the tokens of a suspicious pair, from 0 to 1
_MAX_CODE = 20_000  # characters; a longer answer is not compared
# A passage is rare if at most 10 % of the class wrote it. This limit is never below 4 or above 10 students.
_FEW, _MOST, _SHARE = 4, 10, 0.1
_SKIPPED = {token.ENCODING, token.NEWLINE, token.NL, token.ENDMARKER, token.COMMENT}
Tokens = tuple[str, ...]
Answers = Mapping[str, Mapping[str, str]]  # code by question and student


@click.command()
@options.exercises
def similar(course: Course, exercises: list[Exercise]) -> None:
    """Write a page of suspiciously similar answers.

    Judge the pairs on the page, build/similar.html, yourself: similarity proves nothing.
    """
    with options.failures(course) as on_failure:
        path, similar_groups, left_out = write_similar(course, exercises, on_failure)
        names = student_names(course.root)
        for cluster in similar_groups:
            questions = ", ".join(dict.fromkeys(pair.question for pair in cluster.pairs))
            students = ", ".join(with_name(student, names) for student in cluster.students)
            options.print_lines([f"{cluster.exercise}: {students}: {questions}"])
        options.print_lines(left_out, err=True)
        click.echo(f"wrote {path.relative_to(course.root)}")


@dataclass(frozen=True, slots=True)
class Likeness:
    """Two students' suspiciously similar answers to one question."""

    question: str
    first: str
    second: str
    share: float  # similarity of the tokens, from 0 to 1
    rare: int  # number of rare passages in both


@dataclass(frozen=True, slots=True)
class Cluster:
    """Pairs of similar answers to an exercise. Common students connect the pairs."""

    exercise: str
    pairs: tuple[Likeness, ...]
    answers: Answers  # the answers in `pairs`

    @property
    def students(self) -> list[str]:
        """The students' ids, sorted."""
        return sorted({student for pair in self.pairs for student in (pair.first, pair.second)})


def write_similar(
    course: Course, exercises: Sequence[Exercise], on_failure: OnFailure = raise_failure
) -> tuple[Path, list[Cluster], list[str]]:
    """Write build/similar.html. Return its path, the groups on it, and a line about each skipped answer."""
    similar_groups, left_out, names = list[Cluster](), list[str](), student_names(course.root)
    for exercise in exercises:
        answers = read_answers(course, exercise, on_failure)
        similar_groups += find_clusters(exercise, answers)
        left_out += not_compared(exercise, answers, names)
    page = load_template(_TEMPLATE).render(
        course_title=course.settings.title,
        clusters=similar_groups,
        named=partial(with_name, names=names),
    )
    return write_whole(course.build / "similar.html", page), similar_groups, left_out


def read_answers(course: Course, exercise: Exercise, on_failure: OnFailure = raise_failure) -> Answers:
    """Return the code of the graded submissions of an exercise, by question and student."""
    answers: dict[str, dict[str, str]] = defaultdict(dict)
    for work in read_graded_work(course, [exercise], on_failure):
        with skipping(course, exercise.name, work.student, on_failure):
            for code in work.answers.values():
                # An exception here leaves out only this submission. Later calls use the cached result.
                normalised(code)
                clean_text(code)
            for name, code in work.answers.items():
                answers[name][work.student] = code
    return answers


def not_compared(exercise: Exercise, answers: Answers, names: Mapping[str, str]) -> Iterator[str]:
    """Yield a line about each answer that cannot be compared."""
    for question in exercise.points:
        for student, code in sorted(answers.get(question, {}).items()):
            if normalised(code) is None:
                why = "is not compared: it is too long, nested too deeply, or not Python"
                yield f"{exercise.name} {with_name(student, names)}: {question} {why}"


def find_clusters(exercise: Exercise, answers: Answers) -> Iterator[Cluster]:
    """Yield the groups of students with similar answers to an exercise."""
    pairs = [
        pair
        for question in exercise.points
        for pair in likenesses(question, answers.get(question, {}), _course_code(exercise, question))
    ]
    for group in clusters(pairs):
        shown: dict[str, dict[str, str]] = defaultdict(dict)
        for pair in group:
            for student in (pair.first, pair.second):
                shown[pair.question][student] = clean_text(answers[pair.question][student])
        yield Cluster(exercise.name, group, shown)


def _course_code(exercise: Exercise, question: str) -> Iterator[str]:
    """Yield the question's stub, and the course's right and wrong answers."""
    for cell in exercise.cells:
        if cell.role is Role.SOLUTION and cell.name == question:
            yield from (cell.released(), cell.text)
    for answer in (*exercise.accepted, *known_mistakes(exercise)):
        yield answer.code


def likenesses(question: str, answers: Mapping[str, str], course_code: Iterable[str]) -> Iterator[Likeness]:
    """Yield the suspicious pairs among the answers to a question. `answers` maps each student to the code."""
    tokens = {student: normalised(code) or () for student, code in answers.items()}
    expected = {passage for code in course_code for passage in _passages(normalised(code) or ())}
    passages_of = {student: _passages(words) - expected for student, words in tokens.items()}
    authors = Counter(passage for passages in passages_of.values() for passage in passages)
    few = min(max(_FEW, round(_SHARE * len(answers))), _MOST)
    shared = {passage for passage, count in authors.items() if 2 <= count <= few}
    rare = {student: passages & shared for student, passages in sorted(passages_of.items())}
    for first, second in combinations([s for s, passages in rare.items() if len(passages) >= MIN_RARE], 2):
        both = rare[first] & rare[second]
        if len(both) < MIN_RARE:
            continue
        share = Indel.normalized_similarity(tokens[first], tokens[second])
        if share >= MIN_ALIKE:
            yield Likeness(question, first, second, share, len(both))


def clusters(pairs: Iterable[Likeness]) -> list[tuple[Likeness, ...]]:
    """Put pairs with a common student into one group. Return groups with many rare passages first."""
    ordered = sorted(pairs, key=lambda pair: (-pair.rare, pair.question, pair.first, pair.second))
    graph = networkx.Graph((pair.first, pair.second) for pair in ordered)
    groups = [
        tuple(pair for pair in ordered if pair.first in students)
        for students in networkx.connected_components(graph)
    ]
    return sorted(groups, key=lambda group: (-sum(pair.rare for pair in group), group[0].first))


@cache
def normalised(code: str) -> Tokens | None:
    """Return the tokens of code, with local names replaced and without docstrings and annotations.

    Return None for code that is too long, too deeply nested or not Python.
    """
    if len(code) > _MAX_CODE or not quick_to_parse(code):
        return None
    try:
        tree = ast.parse(code)
        local_names = {name for node in ast.walk(tree) for name in _bound(node)}
        text = ast.unparse(_Plain(local_names).visit(tree))
        return tuple(
            part.string.strip() or token.tok_name[part.type]
            for part in tokenize.generate_tokens(io.StringIO(text).readline)
            if part.type not in _SKIPPED
        )
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return None


def _passages(tokens: Sequence[str]) -> set[Tokens]:
    return {tuple(tokens[start : start + PASSAGE]) for start in range(len(tokens) - PASSAGE + 1)}


def _bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
            yield name


class _Plain(ast.NodeTransformer):
    """Replaces local names with `_`, and removes docstrings and annotations."""

    def __init__(self, local_names: set[str]) -> None:
        self._local_names = local_names

    def visit(self, node: ast.AST) -> Any:
        """Change a node, then its children. A declaration without a value, such as `x: int`, is removed."""
        match node:
            case ast.AnnAssign(value=None):
                return None
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                node = ast.Assign([target], value, lineno=node.lineno)
            case ast.Name(id=name) if name in self._local_names:
                node.id = "_"
            case ast.Attribute(value=ast.Name(name), ctx=ast.Store()) if name in self._local_names:
                node.attr = "_"  # students choose the names of attributes, too, such as self.width
            case ast.arg():
                node.arg, node.annotation = "_", None
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                if ast.get_docstring(node, clean=False) is not None:
                    node.body = node.body[1:] or [ast.Pass()]
                node.name = "_"
                if not isinstance(node, ast.ClassDef):
                    node.returns = None
        return self.generic_visit(node)
