"""The words of the course and of the engine need no second reading.

Texts of the course have none of the listed phrases. Neither have modules of the engine, and in these modules
a name of more than three lines says what it stands for.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[1]
COURSE = ENGINE.parent / "solutions"
TEXTS = sorted(path for path in COURSE.rglob("*") if path.suffix in {".py", ".yaml", ".md"})
MODULES = sorted(path for path in ENGINE.rglob("*.py") if path.relative_to(ENGINE).parts[0] != "tests")
LINE_BREAK = re.compile(r"""["']?\s*\n[\s#]*(?:f?["'])?""")  # within a comment, a docstring or a split string
REASONS = {
    r"\bis no ": 'is read as "is" at first: write "is not a", or name what it is instead',
    r", and not ": 'is read as one more fact at first: write "instead of"',
    r"\bReturn what ": "leaves out the noun: name the result, with its type where it matters",
    r"\bWhether nothing": "has to be turned round to know what True means",
    r"\bsuch a one\b": "sends the reader back for the noun: repeat it",
    r"\b[Ww]hoever\b": 'leaves out the actor: write "the student", "the caller" or "you"',
}
RIGHT = re.compile(r"\b[Tt]here is no |\bis there no |\bis no longer ")  # plain English, although they match

# A reader who meets one of these names some lines below its origin has to go back for the noun.
VAGUE = {"came", "found", "known", "made", "one", "own", "spelt", "told"}
LINES = 3  # through which such a name is easily remembered
ALLOWED = {("report/example.py", "made")}  # a key of the reports that gradebooks store
LASTING = (ast.Module, ast.ClassDef)
SCOPES = (
    *LASTING, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


def phrases(text: str) -> list[tuple[str, str]]:
    """Return each listed phrase with the words around it, and the reason against it."""
    joined = RIGHT.sub("", " ".join(LINE_BREAK.sub(" ", text).split()))
    return [
        (joined[max(0, match.start() - 30) : match.end() + 30], reason)
        for pattern, reason in REASONS.items()
        for match in re.finditer(pattern, joined)
    ]


def vague_names(code: str) -> set[tuple[str, int]]:
    """Return each vague name that lives for more than LINES lines, with its first line.

    A variable lives from its first to its last line in its function or comprehension. The name of a function,
    a class or an attribute is used elsewhere, too, and so is a variable of a module or a class.
    """
    vague = set[tuple[str, int]]()
    for scope in (node for node in ast.walk(ast.parse(code)) if isinstance(node, SCOPES)):
        uses = [use for node in ast.walk(scope) for use in _names(node, ast.expr_context)]
        for node in _inside(scope):
            for name in VAGUE & {name for name, _ in _names(node, ast.Store)}:
                lines = [line for used, line in uses if used == name]
                lasts = isinstance(scope, LASTING) or not isinstance(node, ast.Name | ast.arg)
                if lasts or max(lines) - min(lines) >= LINES:
                    vague.add((name, min(lines)))
    return vague


def _inside(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, without those of the scopes inside it."""
    pending = list(ast.iter_child_nodes(scope))
    while pending:
        yield (node := pending.pop())
        pending += [] if isinstance(node, SCOPES) else ast.iter_child_nodes(node)


def _names(node: ast.AST, context: type[ast.expr_context]) -> Iterator[tuple[str, int]]:
    """Yield the name that a node binds, and its line; with the general context also a name that it reads."""
    match node:
        case ast.Name(name, ctx) | ast.Attribute(attr=name, ctx=ctx) if isinstance(ctx, context):
            yield name, node.lineno
        case ast.arg(name) | ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            yield name, node.lineno


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(COURSE)))
def test_a_text_of_the_course_has_no_phrase_of_the_list(path: Path) -> None:
    assert phrases(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ENGINE)))
def test_a_module_of_the_engine_has_no_phrase_and_no_long_lived_name_of_the_lists(path: Path) -> None:
    code, name = path.read_text(encoding="utf-8"), path.relative_to(ENGINE).as_posix()
    assert phrases(code) == []
    assert [(vague, line) for vague, line in vague_names(code) if (name, vague) not in ALLOWED] == []


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("def f(one):\n    a = 1\n    b = 2\n    return one + a + b", {("one", 1)}),
        ("def f():\n    one = 1\n    b = 2\n    return one + b", set()),
        (
            "def f():\n    return [\n        one.a\n        for one in\n        f()\n        if one.b]",
            {("one", 3)},
        ),
        (
            "def f():\n    a = [one for one in f()]\n    b = 1\n    c = 2\n    return [one for one in c]",
            set(),
        ),
        ("class A:\n    own: int = 0", {("own", 2)}),
        ("def f(self):\n    self.told = 1", {("told", 2)}),
        ("def found():\n    pass", {("found", 1)}),
        ("a.found(own=1)\nfound.one\nknown_lines = 2", set()),
    ],
)
def test_a_vague_name_is_reported_if_it_lives_for_more_than_three_lines(
    code: str, names: set[tuple[str, int]]
) -> None:
    assert vague_names(code) == names
