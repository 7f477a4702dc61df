"""A cell's statements are those that IPython would run, with what magics hide brought to light."""

import ast
import warnings

import pytest

from autograder.grading import magics
from autograder.grading.magics import Found, involved
from autograder.grading.ran_cell import RanCell


def statements(code: str) -> list[str]:
    return [ast.unparse(one.tree) for one in found(code)]


def found(code: str, failed_at: int | None = None) -> list[Found]:
    return list(magics.statements(RanCell(0, code, failed_at)))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a = 1\nb = a", ["a = 1", "b = a"]),
        ("%time total = a + b", ["total = a + b"]),
        ("%%time\na = 1\nb = 2", ["a = 1", "b = 2"]),
        ("%%capture out\nimport torch", ["import torch"]),
        ("%time %time a = 1", ["a = 1"]),
        ("import a, b as c", ["import a", "import b as c"]),
        ("from a import b, c as d", ["from a import b", "from a import c as d"]),
        ("%%time\nimport a, b", ["import a", "import b"]),
        ("%timeit -n 10 -r3 a = 1", ["a = 1"]),
        ("%%timeit -n1 a = 1\nb = a", ["a = 1", "b = a"]),
        ("%prun -q a = 1", ["a = 1"]),
        ("%%capture --no-stdout out\na = 1", ["a = 1"]),
        ("%%html\na = 1", ["pass"]),
        ("%%writefile a.py\na = 1", ["pass"]),
        ("%matplotlib inline", ["pass"]),
        ("%load_ext autoreload", ["pass"]),
        ("%load_ext a_module_of_its_own", ["exec()"]),
        ("%run a.py", ["exec()"]),
        ("%%unknown\na = 1", ["exec()"]),
        ("%%capture\na =", ["exec()"]),
        ("", []),
        ("# a comment", []),
    ],
)
def test_a_cell_gives_its_statements_with_those_inside_magics(code: str, expected: list[str]) -> None:
    assert statements(code) == expected


@pytest.mark.parametrize("code", ["def broken(:", "a = = 1", "a\x00b", "'" + "\\"])
def test_a_cell_that_is_no_python_gives_none_since_it_does_not_run_either(code: str) -> None:
    assert statements(code) == []


def test_a_shell_command_is_a_call_that_names_its_method() -> None:
    assert statements("!ls") == ["get_ipython().system('ls')"]


@pytest.mark.parametrize(
    "code", ["%time " * 6 + "a = 1", "%time a = 1\n" + "# long\n" * 2_000], ids=["deep", "long"]
)
def test_what_takes_too_long_to_read_counts_as_exec(code: str) -> None:
    assert statements(code) == ["exec()"]


def test_a_cell_that_failed_is_read_as_far_as_it_came_and_is_not_certain() -> None:
    code = "\n  \na = 1\nb = (\n    a / 0)\nc = 2"
    assert [(ast.unparse(one.tree), one.certain) for one in found(code, failed_at=3)] == [
        ("a = 1", False),
        ("b = a / 0", False),
    ]
    assert [one.certain for one in found(code, failed_at=0)] == [False, False, False]
    assert [one.certain for one in found(code)] == [True, True, True]


@pytest.mark.parametrize("code", ["%run missing.py", "import missing"])
def test_what_a_cell_failed_to_load_has_done_nothing(code: str) -> None:
    assert found(f"{code}\na = 1", failed_at=1) == []
    assert len(found(f"{code}\na = 1", failed_at=2)) == 2
    assert len(found(f"b = 1; {code}" if "%" not in code else f"{code}\na = 1", failed_at=0)) == 2


def test_what_stands_in_a_magic_is_never_certain_since_some_swallow_errors() -> None:
    assert [(one.certain, one.plain) for one in found("%%capture\n1 / 0\na = 1")] == [(False, False)] * 2


def test_plain_code_may_be_long() -> None:
    assert len(statements("a = 1\n" * 3_000)) == 3_000


def test_a_students_odd_escape_warns_nobody() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(statements(r"a = '\d'")) == 1


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (["a = 1\n" * 100_000], False),
        (["%time a = 1\n" * 10], False),
        (["%time a\n" * 400] * 2, True),
        (["?a\n" * 3_000], True),
        (["%time a\n" * 5_000], False),  # longer than any cell that IPython is given
    ],
    ids=["no magics", "few", "many", "short ones", "too long to be read"],
)
def test_a_notebook_is_involved_where_many_magics_are_read_again_and_again(
    codes: list[str], expected: bool
) -> None:
    assert involved(codes) is expected
