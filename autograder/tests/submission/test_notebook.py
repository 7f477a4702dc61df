"""Hostile files become plain cells or one clear refusal."""

import json
import math
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.submission import notebook
from autograder.submission.notebook import (
    MAX_TEXT,
    Notebook,
    UnreadableError,
    parse_notebook,
    read_notebook,
    without_large_outputs,
    without_pictures,
)

CELL: dict[str, Any] = {
    "cell_type": "code",
    "metadata": {"nbgrader": {"grade_id": "double"}},
    "source": ["a\n", "b"],
}
BOOK: dict[str, Any] = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [CELL]}


SAVE = "open it in Jupyter and save it"
NEW_CELL = "copy its content into a new cell, delete the old cell, and save the notebook"
READ = "it must be the notebook itself (.ipynb), or its export as a script or text by"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty; save the notebook"),
        (b"   ", "the file is empty; save the notebook"),
        (b"{", f"not JSON (line 1, column 2), so the file may be incomplete; {SAVE}"),
        (b"Dear teacher", f"not a notebook; {READ} Jupyter, Colab, Databricks, jupytext, marimo, Quarto"),
        (b"[" * 100_000, f"nested too deeply to be a notebook; {SAVE}"),
        (b'{"nbformat": 4, "x": ' + b'{"a":' * 100_000, f"nested too deeply to be a notebook; {SAVE}"),
        (b'{"nbformat": NaN}', "not a notebook of format 4; open it in Jupyter and save it again"),
        (b'{"nbformat": ' + b"4" * 5000 + b"}", "not a notebook of format 4; open it in Jupyter"),
        (b"\xff\xfe", f"not UTF-8 text; {SAVE}"),
        (b"[]", f"JSON, but not a notebook; {READ}"),
        (b'"text"', f"JSON, but not a notebook; {READ}"),
        (json.dumps({**BOOK, "nbformat": 5}).encode(), "open it in Jupyter and save it again"),
        (json.dumps({**BOOK, "cells": {}}).encode(), f"its entry `cells` is not a list of cells; {SAVE}"),
        (json.dumps({**BOOK, "cells": "x"}).encode(), f"its entry `cells` is not a list of cells; {SAVE}"),
        (json.dumps({**BOOK, "cells": [1]}).encode(), f"its entry `cells` is not a list of cells; {SAVE}"),
        (
            json.dumps({**BOOK, "cells": [CELL, {**CELL, "source": 1}]}).encode(),
            f"cell 2 is damaged, because its content is not text; {NEW_CELL}",
        ),
        (
            json.dumps({**BOOK, "cells": [{**CELL, "source": ["a", 1]}]}).encode(),
            f"cell 1 is damaged, because its content is not text; {NEW_CELL}",
        ),
        (json.dumps({**BOOK, "cells": [CELL] * 1001}).encode(), "more than 1000 cells; delete those"),
        (
            json.dumps({**BOOK, "cells": [{**CELL, "source": "x" * 200_001}]}).encode(),
            "cell 1 is longer than 200,000",
        ),
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


def output(text: str) -> str:
    """Return a code cell's JSON with an output of this JSON."""
    return json.dumps({**CELL, "outputs": ["here"]}).replace('"here"', text)


@pytest.mark.parametrize(
    "cell",
    [
        output('{"output_type": "execute_result", "data": {"application/json": {"loss": NaN}}}'),
        output('{"output_type": "display_data", "data": {"plotly": [Infinity, -Infinity, 1e999]}}'),
        output('{"output_type": "widget of a later format", "data": 7}'),
        output('{"output_type": "stream", "text": ' + "4" * 5000 + "}"),
        output("null"),
        output('{"a": 1, "a": 2, "b": "\\ud800"}'),
        json.dumps({**CELL, "outputs": None, "metadata": {**CELL["metadata"], "score": "x"}}).replace(
            '"x"', "NaN"
        ),
        json.dumps({**CELL, "execution_count": "x"}).replace('"x"', "Infinity"),
        json.dumps({**CELL, "source": ["a\n", None, "b"]}),
        json.dumps({**CELL, "attachments": [1], "id": 5}),
    ],
)
@pytest.mark.parametrize("whole", ["{}", '{"accuracy": NaN}', "null", "[-Infinity]"])
def test_what_grading_does_not_read_may_be_anything(cell: str, whole: str) -> None:
    empty = '{"cell_type": "code", "metadata": {}, "source": null}'
    unknown = '{"cell_type": "sql", "metadata": null, "source": ["select 1"]}, {"cell_type": "code"}, null'
    content = f'{{"nbformat": 4, "metadata": {whole}, "cells": [{empty}, {unknown}, {cell}]}}'.encode()
    cells = Notebook(content).cells
    assert [(each.kind, each.text) for each in cells] == [
        ("code", ""), ("raw", "select 1"), ("code", ""), ("code", "a\nb"),
    ]  # fmt: skip
    assert cells[3].name == "double"


@pytest.mark.parametrize(
    ("about", "version"),
    [
        ({"language_info": {"name": "python", "version": "3.13.1"}}, (3, 13)),
        (
            {"language_info": {"codemirror_mode": {"name": "ipython", "version": 3}, "version": "3.12.0rc1"}},
            (3, 12),
        ),
        ({"language_info": {"version": "3.9"}, "papermill": {"version": "2.4.0"}}, (3, 9)),
        ({"language_info": {"name": "python"}, "papermill": {"version": "2.4.0"}}, None),
        ({"language_info": {"version": 3.12}}, None),
        ({"language_info": "3.12"}, None),
        ({"kernelspec": {"name": "python3"}}, None),
    ],
)
def test_a_notebook_tells_with_which_python_it_was_written(
    about: Any, version: tuple[int, int] | None
) -> None:
    said = {**CELL, "source": '"language_info": {"version": "3.99.0"}'}
    forms: list[dict[str, Any]] = [{}, {"indent": 1}, {"sort_keys": True}]
    orders: list[dict[str, Any]] = [
        {"metadata": about, "cells": [said]},
        {"cells": [said], "metadata": about},
    ]
    for form in forms:
        for book in orders:
            assert Notebook(json.dumps({"nbformat": 4, **book}, **form).encode()).python == version


OLD_CELLS: list[dict[str, Any]] = [
    {"cell_type": "heading", "level": 2, "source": ["Doubling"], "metadata": {}},
    {"cell_type": "code", "input": ["def f():\n", "    return 1"], "outputs": [], "language": "python"},
]


def test_a_notebook_of_jupyter_s_first_years_is_read_like_any_other() -> None:
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": OLD_CELLS}]}
    content = json.dumps(old).encode()
    assert parse_notebook(content) == parse_notebook(content)
    assert [(cell.kind, cell.text) for cell in Notebook(content).cells] == [
        ("markdown", "## Doubling"),
        ("code", "def f():\n    return 1"),
    ]
    worse = [{**cell, "outputs": [{"output_type": "x", "y": math.nan}], "input": None} for cell in OLD_CELLS]
    content = json.dumps({**old, "worksheets": [{"cells": worse[1:]}], "metadata": {"x": math.inf}}).encode()
    assert [(cell.kind, cell.text) for cell in Notebook(content).cells] == [("code", "")]
    damaged = json.dumps({**old, "worksheets": 7}).encode()
    with pytest.raises(UnreadableError, match="it has an old format and is damaged"):
        _ = Notebook(damaged).cells


def test_outputs_are_dropped_from_what_is_too_large_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook, "MAX_BYTES", 1000)
    output = {"output_type": "stream", "name": "stdout", "text": "x" * 1000}
    about = {"loss": math.nan, "lone": "\ud800"}
    cell = {"cell_type": "code", "source": "a = 1", "metadata": about, "outputs": [output]}
    path = tmp_path / "book.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [cell]}))
    read = read_notebook(path)
    assert [one.text for one in read.cells] == ["a = 1"]
    assert len(read.content) < 1000
    kept = json.loads(read.content, parse_constant=pytest.fail)
    assert kept["cells"][0]["metadata"] == {"loss": None, "lone": "\ud800"}
    assert read.content == without_large_outputs(path.read_bytes())


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "MAX_BYTES", 10)
    (tmp_path / "book.ipynb").write_text("x" * 11, encoding="utf-8")
    with pytest.raises(UnreadableError, match="even without outputs"):
        _ = read_notebook(tmp_path / "book.ipynb").cells


def test_cells_are_read_with_their_text_and_name(tmp_path: Path) -> None:
    path = tmp_path / "book.ipynb"
    odd = {**CELL, "source": "a\ud800b"}
    path.write_text("\ufeff" + json.dumps({**BOOK, "cells": [CELL, odd]}), encoding="utf-8")
    cell, other = read_notebook(path).cells
    assert (cell.number, cell.kind, cell.text, cell.name) == (0, "code", "a\nb", "double")
    assert other.text == "a?b"


def picture(kind: str, letters: int) -> str:
    return f"![a](data:image/{kind};base64,{'iVBO' * (letters // 4)})"


def test_a_notebook_with_a_large_picture_in_a_text_cell_is_read() -> None:
    text = f"Because\n\n{picture('png', 400_000)}\n\nof this."
    cell = {"cell_type": "markdown", "metadata": {}, "source": text}
    (read,) = Notebook(json.dumps({"nbformat": 4, "metadata": {}, "cells": [cell]}).encode()).cells
    assert read.text == "Because\n\n![a](attachment:picture-1.png)\n\nof this."
    assert read.attachments == (("picture-1.png", "iVBO" * 100_000),)


def test_of_a_long_text_no_more_pictures_are_taken_than_pages_can_show() -> None:
    short = picture("png", 4000)
    assert without_pictures(short) == (short, ())
    text, pictures = without_pictures(picture("png", 20_000) * 30)
    assert (len(pictures), text.count("missing:picture")) == (20, 10)
    text, pictures = without_pictures(picture("jpeg", 300_000) + "x" * (2 * MAX_TEXT))
    assert text.startswith("![a](missing:picture)xxx")
    assert text.endswith("(The rest of this cell is left out: it is too long.)")
    assert len(text) < MAX_TEXT + 100
    assert pictures == ()


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
def test_any_json_and_any_noise_is_read_or_refused(cells: Any, noise: bytes) -> None:
    for content in (json.dumps({**BOOK, "cells": cells}).encode(), noise):
        with suppress(UnreadableError):
            _ = Notebook(content).cells
