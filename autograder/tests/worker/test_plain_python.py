"""A cell of plain Python is not searched for magics, and every other is, as IPython searches it."""

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from autograder.worker import plain_python
from autograder.worker.plain_python import CellTransformer

PLAIN = [
    "x = 1",
    "\n\n  y = 1\n  z = 5 % 2",
    "text = '''\n%matplotlib inline\n!ls\nwhat?\n'''",
    "# Why?\nprint(f'{1!r} % 3', 7 != 8)",
    ">>> x = 1\n>>> y = 2",
    "@property\ndef f(a, /, b):\n    return a % b",
]
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
    assert CellTransformer().transform_cell(cell) == TransformerManager().transform_cell(cell)


def test_plain_python_is_searched_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(*_: object) -> None:
        raise AssertionError("nobody has to look for magics here")

    monkeypatch.setattr(TransformerManager, "do_one_token_transform", search)
    for cell in PLAIN:
        CellTransformer().transform_cell(cell)
    with pytest.raises(AssertionError):
        CellTransformer().transform_cell(OTHERS[0])


def test_a_notebook_with_transformers_of_its_own_has_all_its_cells_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[list[str]] = []

    def search(_: object, lines: list[str]) -> tuple[bool, list[str]]:
        searched.append(lines)
        return False, lines

    monkeypatch.setattr(TransformerManager, "do_one_token_transform", search)
    transformer = CellTransformer()
    transformer.token_transformers.append(transformer.token_transformers[0])
    assert transformer.transform_cell("x = 1") == "x = 1\n"
    assert searched == [["x = 1\n"]]


def test_what_may_give_a_warning_is_left_to_ipython() -> None:
    assert not plain_python._is_python("text = '\\d'")
