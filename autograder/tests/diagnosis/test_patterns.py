"""A rule finds places in code by pattern, and writes something else there."""

import ast
from pathlib import Path

import pytest

import autograder
from autograder.diagnosis.patterns import PatternError, rules, table

CODE = """
def f(q, k, v):
    s = q @ k.T / k.shape[-1] ** 0.5
    w = torch.softmax(s, dim=-1)
    self.a = make(1, size=2)
    self.b = make(3)
    return w @ v
"""


def made(text: str, code: str = CODE) -> list[str]:
    tree = ast.parse(code)
    return [ast.unparse(one) for rule in rules(text) for one in rule.apply(tree)]


def lines(text: str, code: str = CODE) -> list[set[str]]:
    """Return the lines that are new in each code that a rule makes."""
    old = set(ast.unparse(ast.parse(code)).splitlines())
    return [{line.strip() for line in one.splitlines() if line not in old} for one in made(text, code)]


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("X / Y**0.5 => X", [{"s = q @ k.T"}]),  # a letter is any expression
        ("X / k.A[-1]**0.5 => X / Y || X.A", [{"s = q @ k.T / Y"}, {"s = (q @ k.T).shape"}]),
        ("torch.softmax(X, dim=D) => softmin(X, D)", [{"w = softmin(s, -1)"}]),
        ("make(..., size=S) => made(..., of=S)", [{"self.a = made(1, of=2)"}]),
        ("self.A = make(3) => self.A = 3", [{"self.b = 3"}]),
        ("X.T => X", [{"s = q @ k / k.shape[-1] ** 0.5"}]),  # T is torch's own
        ("return X => X", [{"w @ v"}]),
        ("return X => X && A @ k.T => A", [{"s = q / k.shape[-1] ** 0.5", "w @ v"}]),
        ("X + Y => X", []),
        ("X @ X => 1", []),  # one letter is one code
    ],
)
def test_a_rule_writes_something_else_where_its_pattern_fits(text: str, new: list[set[str]]) -> None:
    assert lines(text) == new


def test_statements_that_follow_one_another_are_found_and_exchanged() -> None:
    text = """
        self.A = make(...)
        self.B = Y
        =>
        self.B = Y
        self.A = make(...)
    """
    (code,) = made(text)
    assert code.index("self.b = make(3)") < code.index("self.a = make(1, size=2)")


def test_each_of_several_places_is_rewritten_alone_and_then_all_of_them() -> None:
    assert lines("X @ Y => X * Y") == [
        {"s = q * k.T / k.shape[-1] ** 0.5"},
        {"return w * v"},
        {"s = q * k.T / k.shape[-1] ** 0.5", "return w * v"},
    ]


def test_a_body_that_loses_its_only_statement_stays_a_body() -> None:
    assert made("return X\n=>\n", "def f(x):\n    return x") == ["def f(x):\n    pass"]


@pytest.mark.parametrize(
    ("text", "code", "undone"),
    [
        ("X.view(A, B).transpose(0, 1) => X.view(B, A)", "q.view(n, 2)", "q.view(2, n).transpose(0, 1)"),
        ("make(..., size=S) => made(..., of=S)", "made(1, b, of=2)", "make(1, b, size=2)"),
        ("X.A(dim=0) => X.A(dim=1)", "q.sum(dim=1)", "q.sum(dim=0)"),
        ("X @ X => X * X", "q * k", None),
        ("X / Y**0.5 => X * 1", "q * 1", None),  # by which root is not known any more
        ("X.clone() => X", "q", None),
        ("X @ Y => X * Y && A / B => A", "q * k", None),
        ("return X.clone() => return X + 0", "q + 0", None),
    ],
)
def test_a_rule_is_undone_where_its_right_side_tells_what_was_there(
    text: str, code: str, undone: str | None
) -> None:
    (rule,) = rules(text)
    made = rule.inverse and rule.inverse.at(ast.parse(code, mode="eval").body)
    assert undone == (made and ast.unparse(made))


@pytest.mark.parametrize("text", ["X / Y", "X / => Y"])
def test_what_is_no_rule_is_said(text: str) -> None:
    with pytest.raises(PatternError, match="X /"):
        rules(text)[0].check()


def test_a_target_is_no_value_and_only_what_is_near_is_rewritten() -> None:
    (rule,) = rules("w => w.T")
    tree = ast.parse("def f(w):\n    w = w + w\n    return w @ w")
    assert len([*rule.apply(tree)]) == 5  # each place, and all four
    last = tree.body[0].body[1]  # type: ignore[attr-defined]
    near = {id(tree), id(tree.body[0]), *map(id, ast.walk(last))}
    assert len([*rule.apply(tree, near=near)]) == 3


def test_a_table_says_the_kind_and_the_rank_of_each_rule() -> None:
    read = table("""
        operator 1.3 | X + Y => X - Y || X * Y
        too much     | X.T => X
    """)
    assert [(one.before, one.after, one.kind, one.rank) for one in read] == [
        ("X + Y", "X - Y", "operator", 1.3),
        ("X + Y", "X * Y", "operator", 1.3),
        ("X.T", "X", "too much", 0.0),
    ]


def test_an_argument_of_the_right_side_takes_the_place_of_the_same_one_in_the_code() -> None:
    (rule,) = rules("X.sum(...) => X.sum(..., keepdim=True)")
    made = rule.at(ast.parse("w.sum(dim=1, keepdim=False)", mode="eval").body)
    assert made is not None
    assert ast.unparse(made) == "w.sum(keepdim=True, dim=1)"


PAGE = (Path(autograder.__file__).parent / "docs/authors.md").read_text(encoding="utf-8")
EXAMPLES = PAGE.partition("<!-- rules -->\n```text\n")[2].partition("\n```\n<!-- /rules -->")[0].splitlines()


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_for_authors_do_what_the_page_says(example: str) -> None:
    rule, _, shown = example.partition("  # ")
    code, _, expected = shown.partition(" -> ")
    codes = made(rule.strip(), f"def f():\n    {code}")
    lines = ", ".join(one.partition("\n    ")[2] for one in codes)
    assert lines == ("" if expected == "no match" else expected)


def test_the_page_for_authors_has_ten_examples() -> None:
    assert len(EXAMPLES) == 10
