"""What editors and tools are documented to do to a notebook, or are seen to do in public ones.

Each alteration takes a filled notebook as it was released and gives the bytes that a student would hand in.
It leaves the answers as they are, or writes them otherwise with the same meaning.
"""

import ast
import copy
import json
import re
from collections.abc import Callable, Iterator
from itertools import count
from textwrap import indent
from typing import Any

import jupytext
import nbformat
from nbconvert import MarkdownExporter, PythonExporter

Json = dict[str, Any]
Alteration = Callable[[Json], bytes]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="


def dump(notebook: Json, **form: Any) -> bytes:
    """Return the file's bytes, as Jupyter writes them where nothing else is asked for."""
    form = {"indent": 1, "ensure_ascii": False, **form}
    return (json.dumps(notebook, **form) + "\n").encode()


def code(source: str, **metadata: Any) -> Json:
    """Return a code cell that a tool puts in."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": metadata,
        "outputs": [],
        "source": source,
    }


def text(source: str, **metadata: Any) -> Json:
    """Return a text cell that a tool puts in."""
    return {"cell_type": "markdown", "metadata": metadata, "source": source}


def source_of(cell: Json) -> str:
    """Return a cell's text."""
    return "".join(cell["source"])


def node(notebook: Json) -> Any:
    """Return the notebook as nbformat reads it."""
    return nbformat.reads(json.dumps(notebook), as_version=4)


def each_cell(notebook: Json, change: Callable[[Json], object], kind: str = "") -> Json:
    """Change every cell, or every cell of a kind."""
    for cell in notebook["cells"]:
        if kind in ("", cell["cell_type"]):
            change(cell)
    return notebook


def without_ids(notebook: Json, minor: int = 2) -> Json:
    """Take the notebook back to a format that knows no cell ids."""
    notebook["nbformat_minor"] = minor
    return each_cell(notebook, lambda cell: cell.pop("id", None))


def editor(
    minor: int | None = None,
    *,
    bare: bool = False,
    ids: bool = False,
    cell: Json | None = None,
    above: tuple[Json, ...] = (),
    outputs: tuple[Json, ...] = (),
    whole: Json | None = None,
    **form: Any,
) -> Alteration:
    """Return what an editor does that saves its own metadata, without cell ids if `minor` is given.

    Metadata are those of each `cell` and those of the `whole` notebook. A `bare` editor has dropped all
    others before. It may give new `ids`, and `outputs` to each code cell. Cells that it puts in stand `above`
    the others.
    """

    def alter(notebook: Json) -> bytes:
        if bare:
            notebook["metadata"] = {}
            each_cell(notebook, lambda one: one.update(metadata={}))
        each_cell(notebook, lambda one: one["metadata"].update(cell or {}))
        if outputs:
            each_cell(notebook, lambda one: one.update(execution_count=7, outputs=outputs), "code")
        if minor is not None:
            without_ids(notebook, minor)
        if ids:
            numbers = count()
            each_cell(notebook, lambda one: one.update(id=f"made-up-{next(numbers)}"))
        notebook["cells"] = [*copy.deepcopy(above), *notebook["cells"]]
        notebook["metadata"].update(whole or {})
        return dump(notebook, **form)

    return alter


def rewritten(change: Callable[[str], str | list[str]]) -> Alteration:
    """Return what a tool does that writes the text of each cell in another way."""
    return lambda notebook: dump(
        each_cell(notebook, lambda cell: cell.update(source=change(source_of(cell))))
    )


# What tools save of their own, or make of each text.
_BADGE = '<a href="https://colab.research.google.com/x"><img src="badge.svg" alt="Open in Colab"></a>'
_MOUNT = "from google.colab import drive\ndrive.mount('/content/drive')\n!pip install -q torch"
_FORM = '#@title A field { display-mode: "form" }\nrate = 0.1 #@param {type:"number"}'
_LISTING = "import numpy as np\nimport pandas as pd\nimport os\n"
_LISTING += "for dirname, _, filenames in os.walk('/kaggle/input'):\n    print(dirname, filenames)"
_DRAWN: Json = {"output_type": "display_data", "data": {"image/png": PIXEL}, "metadata": {}}
_FAILED: Json = {"output_type": "error", "ename": "E", "evalue": "e", "traceback": ["\x1b[0;31mE\x1b[0m"]}
_VIEW = {"application/vnd.jupyter.widget-view+json": {"model_id": "a1"}, "text/plain": ["HBox()"]}
_WIDGETS = {"state": {"a1": {"model_module": "@jupyter-widgets/base", "model_name": "LayoutModel"}}}
# What tools keep with each cell: JupyterLab, notebook 6, RISE, VS Code, PyCharm, CoCalc, Databricks, Azure.
_OF_CELLS: Json = {
    "tags": [], "collapsed": False, "jp-MarkdownHeadingCollapsed": True, "ExecuteTime": {"end_time": "2026"},
    "slideshow": {"slide_type": "slide"}, "vscode": {"languageId": "python"},
    "pycharm": {"name": "#%%\n", "is_executing": False}, "cocalc": {"outputs": {}},
    "application/vnd.databricks.v1+cell": {"cellMetadata": {}, "nuid": "a-b-c", "showTitle": False},
    "nteract": {"transient": {"deleting": False}}, "gather": {"logged": 1}, "id": "a", "_uuid": "a",
}  # fmt: skip
# What they keep with the notebook, and SageMaker and nbstripout.
_OF_NOTEBOOKS: Json = {
    "toc": {"base_numbering": 1}, "varInspector": {"cols": {}}, "rise": {"scroll": True},
    "vscode": {"interpreter": {"hash": "31f2aee4e71d21fbe5cf8b01ff0e069b"}}, "kernelspec": {},
    "availableInstances": [{"_defaultOrder": n, "name": f"ml.t{n}.medium"} for n in range(60)],
    "widgets": {"application/vnd.jupyter.widget-state+json": _WIDGETS},
}  # fmt: skip
EDITORS: dict[str, Alteration] = {
    "outputs": editor(outputs=(_DRAWN, _FAILED, {**_DRAWN, "data": _VIEW})),  # and counts, below each cell
    "metadata": editor(4, cell=_OF_CELLS, whole=_OF_NOTEBOOKS),
    "new_ids": editor(ids=True),  # cells that were cut and pasted keep their metadata
    "pasted_without_metadata": editor(bare=True, ids=True),  # all cells were typed into a new notebook
    "clean_metadata": editor(bare=True),  # nb-clean
    "colab": editor(
        0,
        cell={"id": "a", "outputId": "b", "colab": {"base_uri": "https://localhost:8080/"}},
        above=(
            text(_BADGE, id="view-in-github", colab_type="text"),
            code(_MOUNT),
            code(_FORM, cellView="form"),
        ),
        whole={"colab": {"provenance": [], "toc_visible": True}, "accelerator": "GPU"},
        indent=2,
    ),
    "colab_drops_metadata": editor(0, bare=True, indent=2),  # copied cell by cell
    "kaggle": editor(4, cell={"trusted": True}, above=(code(_LISTING, _uuid="a"),), indent=None),
    # The bytes
    "escaped": editor(ensure_ascii=True, indent=None),  # json.dump as it comes
    "reordered": editor(sort_keys=True, indent=4),  # formatters of JSON
    "crlf": lambda notebook: dump(notebook).replace(b"\n", b"\r\n"),  # git with autocrlf, on Windows
    "bom": lambda notebook: b"\xef\xbb\xbf" + dump(notebook),  # Notepad and PowerShell
    "crlf_inside": rewritten(lambda text: text.replace("\n", "\r\n")),  # Windows editors
    "text_in_one": rewritten(lambda text: text),  # Deepnote
    "letter_by_letter": rewritten(list),  # as the format allows so long as the parts join to the text
    "trailing_lines": rewritten(lambda text: text + "\n\n"),
    "trimmed": rewritten(lambda text: re.sub(r"(?m)[ \t]+$", "", text)),
}


def attachments(notebook: Json) -> bytes:
    """JupyterLab: a picture that was pasted into a text cell."""
    notebook["cells"].insert(
        1, {**text("![p](attachment:p.png)"), "attachments": {"p.png": {"image/png": PIXEL}}}
    )
    return dump(notebook)


def own_cells(notebook: Json) -> bytes:
    """Any editor: a student's scratch cells between all others, empty ones, and raw ones."""
    cells = notebook["cells"]
    extra = (code(""), code("print(1 + 1)"), text("my note"), {**text("raw"), "cell_type": "raw"})
    notebook["cells"] = [each for n, cell in enumerate(cells) for each in (cell, copy.deepcopy(extra[n % 4]))]
    return dump(without_ids(notebook, 4))


def exported_as_script(notebook: Json) -> bytes:
    """Nbconvert --to script."""
    made, _ = PythonExporter().from_notebook_node(node(notebook))
    return str(made).encode()


def through_format_3(notebook: Json) -> bytes:
    """nbformat: to format 3 and back."""
    old = nbformat.convert(node(without_ids(notebook, 4)), 3)
    return str(nbformat.writes(nbformat.convert(old, 4))).encode()


def of_a_later_minor(notebook: Json) -> bytes:
    """nbformat: a minor format yet to come, with keys that nobody knows."""
    return dump(each_cell({**notebook, "nbformat_minor": 9}, lambda cell: cell.update(future=[1])))


def colab_as_script(notebook: Json) -> bytes:
    """Colab's download as .py: texts as strings, no marks between cells, a heading of its own."""
    first, *others = notebook["cells"]
    heading = "Automatically generated by Colab.\n\nOriginal file is located at\n    https://colab.example/x"
    parts = [f'# -*- coding: utf-8 -*-\n"""x.ipynb\n\n{heading}\n\n{source_of(first)}\n"""']
    for cell in others:
        source = source_of(cell)
        parts.append(source if cell["cell_type"] == "code" else '"""' + source.replace('"""', "'''") + '"""')
    return ("\n\n".join(parts) + "\n").encode()


def databricks_source(notebook: Json) -> bytes:
    """Databricks: exported as a source file, in which text and other languages are comments."""
    parts = ["# MAGIC %pip install einops", "# MAGIC %sql\n# MAGIC select 1\n# MAGIC from there"]
    for cell in notebook["cells"]:
        source = source_of(cell)
        lines = f"%md {source}".split("\n")
        is_code = cell["cell_type"] == "code"
        parts.append(source if is_code else "\n".join(f"# MAGIC {line}".rstrip() for line in lines))
    parts[-1] = f"# DBTITLE 1,Why\n{parts[-1]}"
    return ("# Databricks notebook source\n" + "\n\n# COMMAND ----------\n\n".join(parts) + "\n").encode()


def _marimo_cell(source: str, kind: str) -> str:
    if kind == "code":
        return f"@app.cell\ndef _(\n    Tensor,\n    torch,\n):\n{indent(source, '    ')}\n    return (x,)\n"
    text = f'mo.md(r"""\n{source}\n""")'
    return f"@app.cell(hide_code=True)\ndef _(mo):\n{indent(text, '    ')}\n    return\n"


def marimo(notebook: Json) -> bytes:
    """Marimo convert: each cell is the body of a function."""
    parts = ['import marimo\n\n__generated_with = "0.25.2"\napp = marimo.App()\n']
    parts += [_marimo_cell(source_of(cell), cell["cell_type"]) for cell in notebook["cells"]]
    return ("\n\n".join(parts) + '\n\nif __name__ == "__main__":\n    app.run()\n').encode()


def marimo_definitions(notebook: Json) -> bytes:
    """Marimo of today: imports in a set-up cell, functions and classes as cells of their own."""
    first, *others = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    parts = ["import marimo\n\napp = marimo.App()"]
    parts.append(f"with app.setup:\n{indent(source_of(first), '    ')}")
    for cell in notebook["cells"]:
        source = source_of(cell)
        if cell["cell_type"] != "code":
            parts.append(_marimo_cell(source, "markdown"))
        elif cell in others:
            alone = source.startswith(("def ", "class ")) and len(ast.parse(source).body) == 1
            word = "function" if source.startswith("def ") else "class_definition"
            parts.append(f"@app.{word}\n{source}" if alone else _marimo_cell(source, "code"))
    return ("\n\n\n".join(parts) + "\n").encode()


def quarto(notebook: Json) -> bytes:
    """Quarto convert: a document with code between fences, and options as comments."""
    parts = ["---\ntitle: Attention\njupyter: python3\n---"]
    for cell in notebook["cells"]:
        source = source_of(cell)
        is_code = cell["cell_type"] == "code"
        parts.append(f"```{{python}}\n#| echo: true\n{source}\n```" if is_code else source)
    return ("\n\n".join(parts) + "\n").encode()


def marked(above_code: str, above_text: str, text_line: str = "# ") -> Alteration:
    """Return what an editor of scripts does that has a line above each cell."""

    def alter(notebook: Json) -> bytes:
        parts = []
        for cell in notebook["cells"]:
            source, is_code = source_of(cell), cell["cell_type"] == "code"
            parts.append(
                f"{above_code}\n{source}" if is_code else f"{above_text}\n{indent(source, text_line, bool)}"
            )
        return ("\n\n".join(parts) + "\n").encode()

    return alter


def exported_as_markdown(notebook: Json) -> bytes:
    """Nbconvert --to markdown."""
    made, _ = MarkdownExporter().from_notebook_node(node(notebook))
    return str(made).encode()


SCRIPTS: dict[str, Alteration] = {
    "spyder": marked("#%% a title", "#%% [markdown]"),
    "vs_code": marked("# %%", "# %% [markdown]"),
    "pycharm": marked("#%%", "#%% md"),
    "kaggle_script": marked('# %% [code] {"execution":{"iopub.status.busy":"2026"}}', "# %% [markdown] {}"),
}


def conflict_cells(notebook: Json) -> bytes:
    """Nbdev and nbdime: a merge that left marks as text cells, and one side's cell twice."""
    place = next(
        n for n, cell in enumerate(notebook["cells"]) if "raise" not in source_of(cell) and is_graded(cell)
    )
    twin = copy.deepcopy(notebook["cells"][place])
    marks = [text(f"`{mark}`") for mark in ("<<<<<<< HEAD", "=======", ">>>>>>> origin/main")]
    notebook["cells"][place : place + 1] = [marks[0], twin, marks[1], notebook["cells"][place], marks[2]]
    return dump(without_ids(notebook, 4))


def is_graded(cell: Json) -> bool:
    """Whether a cell holds a question's answer."""
    about = cell["metadata"].get("nbgrader", {})
    return cell["cell_type"] == "code" and bool(about.get("solution"))


def jupytext_round_trip(form: str) -> Alteration:
    """jupytext: to a text format and back to a notebook."""

    def alter(notebook: Json) -> bytes:
        written = jupytext.writes(node(notebook), fmt=form)
        return str(nbformat.writes(jupytext.reads(written, fmt=form))).encode()

    return alter


def jupytext_script(form: str, **settings: str) -> Alteration:
    """jupytext: the text itself is handed in."""
    about = {"metadata": {"jupytext": settings}} if settings else {}
    return lambda notebook: str(jupytext.writes(node({**notebook, **about}), fmt=form)).encode()


def reformatted(notebook: Json) -> bytes:
    """Formatters at their extreme: other quotes, other breaks, no comments, imports sorted."""

    def change(cell: Json) -> None:
        tree = ast.parse(source_of(cell))
        names = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        if names == tree.body[: len(names)]:
            tree.body[: len(names)] = sorted(
                names, key=lambda node: (isinstance(node, ast.ImportFrom), ast.unparse(node))
            )
        cell["source"] = ast.unparse(tree)

    return dump(each_cell(notebook, change, "code"))


def magics(notebook: Json) -> bytes:
    """IPython: magics above, timed cells, a shell line."""
    first = "%load_ext autoreload\n%autoreload 2\n%matplotlib inline\n%config InlineBackend.dpi = 90"
    notebook["cells"].insert(0, code(first))
    return dump(
        each_cell(
            notebook,
            lambda cell: cell.update(source="%%time\n" + source_of(cell)) if is_graded(cell) else None,
        )
    )


def all_checks_gone(notebook: Json) -> bytes:
    """Delete what stands below the answers, as a student might."""
    cells = [cell for cell in notebook["cells"] if not source_of(cell).startswith("# Check of")]
    return dump({**notebook, "cells": cells})


def in_other_order(notebook: Json) -> bytes:
    """Move all text to the end, as a student might."""
    cells = sorted(
        notebook["cells"], key=lambda cell: cell["cell_type"] == "markdown" and not cell["metadata"]
    )
    return dump({**notebook, "cells": cells})


ALTERATIONS: tuple[Alteration, ...] = (
    attachments, own_cells, exported_as_script, through_format_3, of_a_later_minor,
    colab_as_script, databricks_source, marimo, marimo_definitions, quarto, exported_as_markdown,
    conflict_cells, reformatted, magics,
    all_checks_gone, in_other_order,
)  # fmt: skip
SCRIPT_FORMS = ("py:percent", "py:light", "py:hydrogen", "md", "md:myst", "Rmd")
FORMS = ("py:percent", "py:light", "md", "md:myst", "py:sphinx", "Rmd")


def alterations() -> Iterator[tuple[str, Alteration]]:
    """Yield every alteration with its name."""
    yield from EDITORS.items()
    yield from SCRIPTS.items()
    yield from ((alter.__name__, alter) for alter in ALTERATIONS)
    yield from ((f"through_jupytext_{form}", jupytext_round_trip(form)) for form in FORMS)
    yield from ((f"jupytext_{form}", jupytext_script(form)) for form in SCRIPT_FORMS)
    yield "jupytext_in_quotes", jupytext_script("py:percent", cell_markers='"""')
