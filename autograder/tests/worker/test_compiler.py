"""A cell of plain Python is read once, every other as IPython reads it."""

import ast
import warnings

import pytest
from IPython.core.async_helpers import _should_be_async
from IPython.core.inputtransformer2 import TransformerManager

from autograder.worker.compiler import CellTransformer, Compiler, may_wait

PLAIN = [
    "x = 1",
    "\n\n  y = 1\n  z = 5 % 2",
    "text = '''\n%matplotlib inline\n!ls\nwhat?\n'''",
    "# Why?\nprint(f'{1!r} % 3', 7 != 8)",
    ">>> x = 1\n>>> y = 2",
    "@property\ndef f(a, /, b):\n    return a % b",
]
WAITS = "import asyncio\nawait asyncio.sleep(0)"
OTHERS = [
    "%matplotlib inline\nx = 1",
    "x = %who_ls",
    "files = !ls",
    "torch.softmax?",
    "%%time\nx = 1",
    "!pip install torch",
    "print('a\\n')\n%time f()",
    "def broken(:\n  pass",
    "/f 1",
    "",
    "x = 1\x00",
]


@pytest.mark.parametrize("cell", [*PLAIN, *OTHERS])
def test_a_cell_becomes_what_ipython_makes_of_it(cell: str) -> None:
    assert transformer().transform_cell(cell) == TransformerManager().transform_cell(cell)


def test_plain_python_is_searched_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(*_: object) -> None:
        raise AssertionError("nobody has to look for magics here")

    monkeypatch.setattr(TransformerManager, "do_one_token_transform", search)
    for cell in PLAIN:
        transformer().transform_cell(cell)
    with pytest.raises(AssertionError):
        transformer().transform_cell(OTHERS[0])


def test_a_notebook_with_transformers_of_its_own_has_all_its_cells_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[list[str]] = []

    def search(_: object, lines: list[str]) -> tuple[bool, list[str]]:
        searched.append(lines)
        return False, lines

    monkeypatch.setattr(TransformerManager, "do_one_token_transform", search)
    own = transformer()
    own.token_transformers.append(own.token_transformers[0])
    assert own.transform_cell("x = 1") == "x = 1\n"
    assert searched == [["x = 1\n"]]


def test_a_cell_is_read_once_and_what_is_strange_in_it_is_warned_of_once() -> None:
    compiler = Compiler()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        text = CellTransformer(compiler).transform_cell("x = '\\d'")
        tree = compiler.ast_parse(text, "cell 0")
        again = ast.parse(text)
    assert [one.filename for one in warned] == [f"cell {Compiler.number}", "<unknown>"]
    assert ast.dump(tree) == ast.dump(again)


def test_a_text_that_was_changed_after_it_was_read_is_read_again() -> None:
    compiler = Compiler()
    assert compiler.reads("x = 1\n")
    assert ast.unparse(compiler.ast_parse("x = 2\n")) == "x = 2"
    assert ast.unparse(compiler.ast_parse("x = 1\n")) == "x = 1"


@pytest.mark.parametrize("cell", [*PLAIN, *OTHERS, WAITS, "[x async for x in y]", "return 1"])
def test_what_cannot_wait_is_not_taken_for_what_does(cell: str) -> None:
    assert may_wait(cell) or not _should_be_async(cell)


def transformer() -> CellTransformer:
    return CellTransformer(Compiler())
