"""Code keeps its meaning when what is used once is written where it is used."""

import ast

import pytest

from autograder.diagnosis.wrong import inlined


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("s = q @ k; w = f(s); return w @ v", "return f(q @ k) @ v"),
        ("s = q @ k; s = g(s, 0); return f(s)", "return f(g(q @ k, 0))"),
        ("s = q @ k; return s + s", "s = q @ k; return s + s"),
        ("s = q @ k; w = f(s); return w @ s", "s = q @ k; return f(s) @ s"),
        ("s = q @ k; b = 1; return s", "s = q @ k; b = 1; return s"),
    ],
)
def test_what_is_used_once_in_the_next_statement_is_written_there(body: str, expected: str) -> None:
    def function(text: str) -> str:
        return "def f(q, k, v):\n" + "".join(f"    {line}\n" for line in text.split("; "))

    assert ast.unparse(inlined(ast.parse(function(body)))) == function(expected).rstrip()
