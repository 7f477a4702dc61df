"""Hostile files become plain cells or one clear refusal."""

import json
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.submission import notebook
from autograder.submission.notebook import Notebook, UnreadableError, read_notebook, without_large_outputs

CELL = {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": "double"}}, "source": ["a\n", "b"]}
BOOK: dict[str, Any] = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [CELL]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"   ", "the file is empty"),
        (b"{", "not JSON (line 1, column 2); save it from Jupyter"),
        (b"[" * 100_000, "nested too deeply to be a notebook"),
        (b'{"nbformat": 4, "x": ' + b'{"a":' * 100_000, "nested too deeply to be a notebook"),
        (b'{"nbformat": NaN}', "a number that JSON does not allow"),
        (b'{"nbformat": ' + b"4" * 5000 + b"}", "a number that JSON does not allow"),
        (b"\xff\xfe", "not UTF-8 text"),
        (b"[]", "JSON, but not a notebook"),
        (b'"text"', "JSON, but not a notebook"),
        (
            json.dumps({**BOOK, "nbformat": 2, "worksheets": []}).encode(),
            "open it in Jupyter and save it again",
        ),
        (json.dumps({"nbformat": 3, "worksheets": [1]}).encode(), "its worksheets are not a list"),
        (json.dumps({"nbformat": 3, "worksheets": [{}]}).encode(), "its cells are not a list of cells"),
        (
            json.dumps(
                {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": 1}]}]}
            ).encode(),
            "cell 1 has no text",
        ),
        (json.dumps({**BOOK, "cells": {}}).encode(), "its cells are not a list of cells"),
        (json.dumps({**BOOK, "cells": [1]}).encode(), "its cells are not a list of cells"),
        (json.dumps({**BOOK, "cells": [{"cell_type": "x"}]}).encode(), "neither code, markdown nor raw"),
        (json.dumps({**BOOK, "cells": [{**CELL, "source": 1}]}).encode(), "cell 1 has no text"),
        (json.dumps({**BOOK, "cells": [CELL] * 1001}).encode(), "more than 1000 cells"),
        (json.dumps({**BOOK, "cells": [{**CELL, "source": "x" * 200_001}]}).encode(), "longer than 200,000"),
    ],
)
def test_what_is_no_notebook_is_refused_in_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "book.ipynb"
    path.write_bytes(content)
    with pytest.raises(UnreadableError) as refusal:
        _ = read_notebook(path).cells
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.ipynb")
    (tmp_path / "folder.ipynb").mkdir()
    for name in ("pipe.ipynb", "folder.ipynb", "missing.ipynb"):
        with pytest.raises(UnreadableError, match="no notebook file of this name"):
            _ = read_notebook(tmp_path / name).cells


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "MAX_BYTES", 10)
    (tmp_path / "book.ipynb").write_text("x" * 11, encoding="utf-8")
    with pytest.raises(UnreadableError, match="clear all outputs"):
        _ = read_notebook(tmp_path / "book.ipynb").cells


def test_a_notebook_of_format_3_has_the_same_cells() -> None:
    code = {"cell_type": "code", "language": "python", "input": CELL["source"], "metadata": CELL["metadata"]}
    head = {"cell_type": "heading", "level": 2, "source": "Sums"}
    first, second, third = Notebook(
        json.dumps({"nbformat": 3, "worksheets": [{"cells": [head, code]}, {"cells": [code]}]}).encode()
    ).cells
    assert (first.kind, first.text) == ("markdown", "Sums")
    assert (second.kind, second.text, second.name) == ("code", "a\nb", "double")
    assert third == replace(second, number=2)


@pytest.mark.parametrize("nbformat", [3, 4])
def test_outputs_do_not_count_for_the_size_of_a_file(tmp_path: Path, nbformat: int) -> None:
    outputs = [{"text": ['"]}\\', "x" * (11 << 20)], "outputs": [[]]}]
    cells = [{**CELL, "input": CELL["source"], "outputs": outputs}] * 2
    book = {**BOOK, "cells": cells} if nbformat == 4 else {"nbformat": 3, "worksheets": [{"cells": cells}]}
    path = tmp_path / "book.ipynb"
    path.write_text(json.dumps(book), encoding="utf-8")
    read = read_notebook(path)
    assert len(read.content) < 1000
    assert [cell.text for cell in read.cells] == ["a\nb"] * 2


@pytest.mark.parametrize("piece", ["[", "{", '"outputs":[', '"\\', '"a"', "]", '{"a":[{"outputs":[', "x"])
def test_a_flood_of_anything_stays_too_large(monkeypatch: pytest.MonkeyPatch, piece: str) -> None:
    monkeypatch.setattr(notebook, "MAX_BYTES", 1 << 20)
    monkeypatch.setattr(notebook, "_MAX_TOKENS", 1 << 18)
    flood = piece * ((2 << 20) // len(piece))
    for content in (flood, '{"cells": [{"outputs": ' + flood):
        read = without_large_outputs(content.encode())
        assert 1 << 20 < len(read) < 3 << 20
        with pytest.raises(UnreadableError, match="clear all outputs"):
            _ = Notebook(read).cells


def test_cells_are_read_with_their_text_and_name(tmp_path: Path) -> None:
    path = tmp_path / "book.ipynb"
    path.write_text("\ufeff" + json.dumps(BOOK), encoding="utf-8")
    (cell,) = read_notebook(path).cells
    assert (cell.number, cell.kind, cell.text, cell.name) == (0, "code", "a\nb", "double")


def test_lone_surrogates_become_question_marks() -> None:
    (cell,) = Notebook(json.dumps({**BOOK, "cells": [{**CELL, "source": "a\ud800b"}]}).encode()).cells
    assert cell.text == "a?b"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["cells", "cell_type", "source", "metadata", "nbgrader", "grade_id"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.lists(JSON, max_size=3) | JSON, st.binary(max_size=30))
def test_any_json_and_any_noise_is_read_or_refused(tmp_path_factory: Any, cells: Any, noise: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.ipynb"
    for content in (json.dumps({**BOOK, "cells": cells}).encode(), noise):
        path.write_bytes(content)
        with suppress(UnreadableError):
            _ = read_notebook(path).cells
