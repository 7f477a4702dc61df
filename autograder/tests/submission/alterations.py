"""What editors and tools are documented to do to a notebook, or are seen to do in public ones.

Each alteration takes a filled notebook as it was released and gives the bytes that a student would hand in.
It leaves the answers as they are, or writes them otherwise with the same meaning.
"""

import ast
import copy
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import jupytext
import nbformat
from nbconvert import NotebookExporter, PythonExporter

Json = dict[str, Any]
Alteration = Callable[[Json], bytes]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
SPREAD = "ZYXWVUTSRQPO"


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


def token(notebook: Json) -> Callable[[], str]:
    """Return a source of made-up ids, the same each time."""
    draw = random.Random(len(notebook["cells"]))
    return lambda: "".join(draw.choices(SPREAD, k=12))


# Jupyter itself


def jupyterlab_saves(notebook: Json) -> bytes:
    """JupyterLab: folded headings, hidden outputs, tags, scrolled outputs, lines in lists."""
    each_cell(
        notebook, lambda cell: cell["metadata"].update({"jp-MarkdownHeadingCollapsed": True}), "markdown"
    )
    each_cell(notebook, lambda cell: cell["metadata"].update(scrolled=True, tags=[], collapsed=False), "code")
    return dump(
        each_cell(notebook, lambda cell: cell.update(source=source_of(cell).splitlines(keepends=True)))
    )


def notebook_6_saves(notebook: Json) -> bytes:
    """Notebook 6 with its extensions: format 4.4, table of contents, variable inspector, run times."""
    notebook["metadata"].update(toc={"base_numbering": 1}, varInspector={"cols": {}}, hide_input=False)
    each_cell(notebook, lambda cell: cell["metadata"].update(ExecuteTime={"end_time": "2026-01-01"}), "code")
    return dump(without_ids(notebook, 4))


def runs_with_outputs(notebook: Json) -> bytes:
    """Any editor: counts and outputs below each cell, a traceback among them."""
    shown = {
        "output_type": "display_data",
        "data": {"image/png": PIXEL, "text/plain": ["<Figure>"]},
        "metadata": {},
    }
    failed = {"output_type": "error", "ename": "E", "evalue": "e", "traceback": ["\x1b[0;31mE\x1b[0m"]}
    each_cell(notebook, lambda cell: cell.update(execution_count=7, outputs=[shown, failed]), "code")
    return dump(notebook)


def big_outputs(notebook: Json) -> bytes:
    """Any editor: two megabytes of what was printed and drawn."""
    printed = {"output_type": "stream", "name": "stdout", "text": ["0.1234 " * 100 + "\n"] * 1000}
    drawn = {"output_type": "display_data", "data": {"image/png": PIXEL * 10_000}, "metadata": {}}
    notebook["cells"][2]["outputs"] = [printed, drawn]
    return dump(notebook)


def widgets(notebook: Json) -> bytes:
    """ipywidgets: saved state in the notebook's metadata, and views as outputs."""
    state = {"state": {"a1": {"model_module": "@jupyter-widgets/base", "model_name": "LayoutModel"}}}
    notebook["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": state}
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "a1"}, "text/plain": ["HBox()"]}
    notebook["cells"][2]["outputs"] = [{"output_type": "display_data", "data": view, "metadata": {}}]
    return dump(notebook)


def attachments(notebook: Json) -> bytes:
    """JupyterLab: a picture that was pasted into a text cell."""
    notebook["cells"].insert(
        1, {**text("![p](attachment:p.png)"), "attachments": {"p.png": {"image/png": PIXEL}}}
    )
    return dump(notebook)


def new_ids(notebook: Json) -> bytes:
    """Jupyter: cells that were cut and pasted get new ids, and keep their metadata."""
    draw = token(notebook)
    return dump(each_cell(notebook, lambda cell: cell.update(id=draw().lower())))


def pasted_without_metadata(notebook: Json) -> bytes:
    """Jupyter: all cells were typed anew into a new notebook, so ids and metadata are others."""
    draw = token(notebook)
    each_cell(notebook, lambda cell: cell.update(id=draw().lower(), metadata={}))
    notebook["metadata"] = {}
    return dump(notebook)


def own_cells(notebook: Json) -> bytes:
    """Any editor: a student's scratch cells between all others, empty ones, and raw ones."""
    cells = notebook["cells"]
    extra = (code(""), code("print(1 + 1)"), text("my note"), {**text("raw"), "cell_type": "raw"})
    notebook["cells"] = [each for n, cell in enumerate(cells) for each in (cell, copy.deepcopy(extra[n % 4]))]
    return dump(without_ids(notebook, 4))


def exported_as_notebook(notebook: Json) -> bytes:
    """Nbconvert --to notebook."""
    made, _ = NotebookExporter().from_notebook_node(node(notebook))
    return str(made).encode()


def exported_as_script(notebook: Json) -> bytes:
    """Nbconvert --to script."""
    made, _ = PythonExporter().from_notebook_node(node(notebook))
    return str(made).encode()


def slides(notebook: Json) -> bytes:
    """RISE and nbconvert's slides: a slide type for each cell."""
    notebook["metadata"]["rise"] = {"scroll": True}
    return dump(each_cell(notebook, lambda cell: cell["metadata"].update(slideshow={"slide_type": "slide"})))


def downgraded(minor: int) -> Alteration:
    """nbformat: an older minor format, which knows no cell ids."""
    return lambda notebook: dump(without_ids(notebook, minor))


def through_format_3(notebook: Json) -> bytes:
    """nbformat: to format 3 and back."""
    old = nbformat.convert(node(without_ids(notebook, 4)), 3)
    return str(nbformat.writes(nbformat.convert(old, 4))).encode()


def upgraded_with_other_ids(notebook: Json) -> bytes:
    """nbformat: from 4.4 to 4.5, with ids that it makes up."""
    draw = token(notebook)
    without_ids(notebook, 4)
    return dump(each_cell({**notebook, "nbformat_minor": 5}, lambda cell: cell.update(id=draw())))


def of_a_later_minor(notebook: Json) -> bytes:
    """nbformat: a minor format yet to come, with keys that nobody knows."""
    return dump(each_cell({**notebook, "nbformat_minor": 9}, lambda cell: cell.update(future=[1])))


# The bytes


def crlf(notebook: Json) -> bytes:
    """Git with autocrlf, on Windows: the file's line ends."""
    return dump(notebook).replace(b"\n", b"\r\n")


def crlf_inside(notebook: Json) -> bytes:
    """Windows editors: the line ends inside cells."""
    return dump(each_cell(notebook, lambda cell: cell.update(source=source_of(cell).replace("\n", "\r\n"))))


def bom(notebook: Json) -> bytes:
    """Notepad and PowerShell: a byte order mark."""
    return b"\xef\xbb\xbf" + dump(notebook)


def escaped(notebook: Json) -> bytes:
    """json.dump as it comes: letters beyond ASCII are escaped, all on one line."""
    return dump(notebook, ensure_ascii=True, indent=None)


def reordered(notebook: Json) -> bytes:
    """Formatters of JSON: keys in another order, four spaces."""
    return dump(notebook, sort_keys=True, indent=4)


def keys_last(notebook: Json) -> bytes:
    """Colab and Deepnote: the cells stand last in the file, and each cell's source first."""
    each_cell(notebook, lambda cell: cell.update(reversed(list({**cell}.items()))))
    return dump({key: notebook[key] for key in ("nbformat", "nbformat_minor", "metadata", "cells")})


def text_in_one(notebook: Json) -> bytes:
    """Deepnote: a cell's source is one text, not a list of lines."""
    return dump(each_cell(notebook, lambda cell: cell.update(source=source_of(cell))))


def letter_by_letter(notebook: Json) -> bytes:
    """Cut each text anywhere, as the format allows so long as the parts join to it."""
    return dump(each_cell(notebook, lambda cell: cell.update(source=list(source_of(cell)))))


def trailing_lines(notebook: Json) -> bytes:
    """Do as editors do that end each cell with empty lines."""
    return dump(each_cell(notebook, lambda cell: cell.update(source=source_of(cell) + "\n\n")))


def trimmed(notebook: Json) -> bytes:
    """Editors that take blanks off line ends and out of empty lines."""
    return dump(
        each_cell(notebook, lambda cell: cell.update(source=re.sub(r"(?m)[ \t]+$", "", source_of(cell))))
    )


# Other editors


def colab(notebook: Json) -> bytes:
    """Colab: format 4.0, ids in metadata, a badge above, packages and Drive, form fields."""
    draw = token(notebook)
    without_ids(notebook, 0)
    each_cell(notebook, lambda cell: cell["metadata"].update(id=draw(), outputId=draw()))
    each_cell(
        notebook, lambda cell: cell["metadata"].update(colab={"base_uri": "https://localhost:8080/"}), "code"
    )
    badge = '<a href="https://colab.research.google.com/x"><img src="badge.svg" alt="Open in Colab"></a>'
    mount = "from google.colab import drive\ndrive.mount('/content/drive')\n!pip install -q torch"
    form = '#@title A field { display-mode: "form" }\nrate = 0.1 #@param {type:"number"}'
    added = [
        text(badge, id="view-in-github", colab_type="text"),
        code(mount, id=draw()),
        code(form, cellView="form"),
    ]
    notebook["cells"] = added + notebook["cells"]
    notebook["metadata"] = {"colab": {"provenance": [], "toc_visible": True}, "accelerator": "GPU"}
    notebook["metadata"] |= {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    return dump(notebook, indent=2)


def colab_drops_metadata(notebook: Json) -> bytes:
    """Colab, where a notebook was copied cell by cell: only its own ids are left."""
    draw = token(notebook)
    without_ids(notebook, 0)
    return dump(each_cell(notebook, lambda cell: cell.update(metadata={"id": draw()})), indent=2)


def colab_as_script(notebook: Json) -> bytes:
    """Colab's download as .py: texts as strings, no marks between cells, a heading of its own."""
    parts = ['# -*- coding: utf-8 -*-\n"""x.ipynb\n\nAutomatically generated by Colab.\n"""']
    for cell in notebook["cells"]:
        source = source_of(cell)
        parts.append(source if cell["cell_type"] == "code" else '"""' + source.replace('"""', "'''") + '"""')
    return ("\n\n".join(parts) + "\n").encode()


def vs_code(notebook: Json) -> bytes:
    """VS Code: format 4.2 without ids, a language for each cell, the interpreter's hash."""
    each_cell(notebook, lambda cell: cell["metadata"].update(vscode={"languageId": "python"}))
    notebook["metadata"]["vscode"] = {"interpreter": {"hash": "31f2aee4e71d21fbe5cf8b01ff0e069b"}}
    notebook["metadata"]["kernelspec"] = {"display_name": ".venv", "language": "python", "name": "python3"}
    return dump(without_ids(notebook))


def vs_code_as_script(notebook: Json) -> bytes:
    """VS Code's interactive window: `# %%` above each cell, texts as comments."""
    parts = []
    for cell in notebook["cells"]:
        is_code = cell["cell_type"] == "code"
        lines = source_of(cell) if is_code else re.sub(r"^", "# ", source_of(cell), flags=re.MULTILINE)
        parts.append(f"# %%{'' if is_code else ' [markdown]'}\n{lines}\n")
    return "\n".join(parts).encode()


def kaggle(notebook: Json) -> bytes:
    """Kaggle: a first cell that lists inputs, ids and times of its own, data sources."""
    draw = token(notebook)
    listing = "import numpy as np\nimport pandas as pd\nimport os\n"
    listing += "for dirname, _, filenames in os.walk('/kaggle/input'):\n    print(dirname, filenames)"
    times = {"iopub.status.busy": "2026-01-01T00:00:00Z", "shell.execute_reply": "2026-01-01T00:00:01Z"}
    each_cell(
        notebook,
        lambda c: c["metadata"].update(_uuid=draw(), _cell_guid=draw(), trusted=True, execution=times),
    )
    notebook["cells"].insert(0, code(listing, _uuid=draw()))
    notebook["metadata"]["kaggle"] = {"accelerator": "none", "dataSources": [], "isInternetEnabled": False}
    return dump(without_ids(notebook, 4), indent=None)


def deepnote(notebook: Json) -> bytes:
    """Deepnote: hashes and times, sources in one, a cell of advertisement at the end."""
    draw = token(notebook)
    about = {"deepnote_to_be_reexecuted": False, "execution_millis": 3, "deepnote_app_coordinates": {"x": 0}}
    each_cell(notebook, lambda cell: cell["metadata"].update(cell_id=draw(), source_hash=draw(), **about))
    each_cell(notebook, lambda cell: cell["metadata"].update(deepnote_cell_type=cell["cell_type"]))
    made = "<a style='text-decoration:none' href='https://deepnote.com'>Created in <b>Deepnote</b></a>"
    notebook["cells"].append(text(made, created_in_deepnote_cell=True, deepnote_cell_type="markdown"))
    notebook["metadata"]["deepnote"] = {"is_reactive": False}
    return text_in_one(without_ids(notebook, 2))


def pycharm(notebook: Json) -> bytes:
    """PyCharm and DataSpell: a name for each cell, `collapsed` for all."""
    each_cell(
        notebook, lambda cell: cell["metadata"].update(pycharm={"name": "#%%\n", "is_executing": False})
    )
    return dump(without_ids(notebook, 0))


def cocalc(notebook: Json) -> bytes:
    """CoCalc: short ids, the last run's times, a kernel of its own."""
    draw = token(notebook)
    each_cell(notebook, lambda cell: cell.update(id=draw()[:6].lower()))
    each_cell(notebook, lambda cell: cell["metadata"].update(cocalc={"outputs": {}}, collapsed=False))
    notebook["metadata"]["kernelspec"]["metadata"] = {"cocalc": {"priority": 10}}
    return dump(notebook, sort_keys=True)


def databricks(notebook: Json) -> bytes:
    """Databricks: nuids, titles and widths for each cell."""
    about = {"cellMetadata": {}, "inputWidgets": {}, "nuid": "a-b-c", "showTitle": False, "title": ""}
    each_cell(notebook, lambda cell: cell["metadata"].update({"application/vnd.databricks.v1+cell": about}))
    return dump(without_ids(notebook, 0), indent=None)


def azure(notebook: Json) -> bytes:
    """Azure and nteract: transient states, hidden sources, gather's log."""
    about = {"transient": {"deleting": False}}
    each_cell(notebook, lambda cell: cell["metadata"].update(nteract=about, jupyter={"source_hidden": False}))
    each_cell(notebook, lambda cell: cell["metadata"].update(gather={"logged": 1}), "code")
    return dump(without_ids(notebook, 2), indent=2)


def sagemaker(notebook: Json) -> bytes:
    """SageMaker Studio: a list of machines in the notebook's metadata."""
    machines = [{"_defaultOrder": n, "name": f"ml.t{n}.medium", "vcpuNum": 2} for n in range(60)]
    notebook["metadata"].update(availableInstances=machines, instance_type="ml.t3.medium")
    return dump(without_ids(notebook, 4), indent=4)


# Tools


def papermill(notebook: Json) -> bytes:
    """papermill: parameters in a cell of their own, times for each cell."""
    each_cell(
        notebook, lambda cell: cell["metadata"].update(papermill={"duration": 0.1, "status": "completed"})
    )
    notebook["cells"].insert(1, code('# Parameters\nalpha = 0.6\nname = "run"', tags=["injected-parameters"]))
    notebook["metadata"]["papermill"] = {"version": "2.4.0", "parameters": {"alpha": 0.6}}
    return dump(without_ids(notebook, 4))


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


def nbstripout(notebook: Json) -> bytes:
    """Nbstripout with all its keys: no counts, no metadata but nbgrader's."""
    notebook["metadata"] = {"language_info": {"name": "python"}}
    return dump(each_cell(notebook, lambda cell: cell["metadata"].pop("tags", None)))


def clean_metadata(notebook: Json) -> bytes:
    """nb-clean: no cell metadata at all, ids kept."""
    return dump(each_cell(notebook, lambda cell: cell.update(metadata={})))


def jupytext_round_trip(form: str) -> Alteration:
    """jupytext: to a text format and back to a notebook."""

    def alter(notebook: Json) -> bytes:
        written = jupytext.writes(node(notebook), fmt=form)
        return str(nbformat.writes(jupytext.reads(written, fmt=form))).encode()

    return alter


def jupytext_script(form: str) -> Alteration:
    """jupytext: the text itself is handed in."""
    return lambda notebook: str(jupytext.writes(node(notebook), fmt=form)).encode()


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


def nbgrader_autograded(notebook: Json) -> bytes:
    """Nbgrader itself: checksums in the metadata."""
    return dump(
        each_cell(notebook, lambda cell: cell["metadata"].get("nbgrader", {}).update(checksum="a" * 32))
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
    jupyterlab_saves, notebook_6_saves, runs_with_outputs, big_outputs, widgets, attachments,
    new_ids, pasted_without_metadata, own_cells, exported_as_notebook, exported_as_script, slides,
    through_format_3, upgraded_with_other_ids, of_a_later_minor, crlf, crlf_inside, bom, escaped,
    reordered, keys_last, text_in_one, letter_by_letter, trailing_lines, trimmed, colab,
    colab_drops_metadata, colab_as_script, vs_code, vs_code_as_script, kaggle, deepnote, pycharm,
    cocalc, databricks, azure, sagemaker, papermill, conflict_cells, nbstripout, clean_metadata,
    reformatted, magics, nbgrader_autograded, all_checks_gone, in_other_order,
)  # fmt: skip
FORMS = ("py:percent", "py:light", "md", "md:myst", "py:sphinx", "Rmd")


def alterations() -> Iterator[tuple[str, Alteration]]:
    """Yield every alteration with its name."""
    yield from ((alter.__name__, alter) for alter in ALTERATIONS)
    yield from ((f"format_4_{minor}", downgraded(minor)) for minor in range(5))
    yield from ((f"through_jupytext_{form}", jupytext_round_trip(form)) for form in FORMS)
    yield from ((f"jupytext_{form}", jupytext_script(form)) for form in ("py:percent", "py:light"))
