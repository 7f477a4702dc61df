"""A cell runs on without what cannot work here, says so, and else runs as it always did."""

from typing import Any

import pytest

from autograder.tests.worker.conftest import Run

HERE = "where notebooks are graded"
ALONE = "Your own files are not available in grading: write what you need into the notebook."


def said(shown: dict[str, Any]) -> str:
    """Return what a cell wrote to stderr."""
    return "".join(item["text"] for item in shown["outputs"] if item.get("name") == "stderr")


def printed(shown: dict[str, Any]) -> str:
    return "".join(item["text"] for item in shown["outputs"] if item.get("name") == "stdout")


@pytest.mark.parametrize(
    ("line", "quoted"),
    [
        ("import einops", "`import einops`"),
        ("import math, einops, os", "`import einops`"),
        ("from torch import nn, no_such_thing", "`from torch import no_such_thing`"),
        ("from my_helpers import *", "`from my_helpers import *`"),
        ("%load_ext tensorboard", "`%load_ext tensorboard`"),
        ("%tensorflow_version 2.x", "`%tensorflow_version 2.x`"),
        ("%matplotlib widget", "`%matplotlib widget`"),
        ("%cd /content/drive/MyDrive", "`%cd /content/drive/MyDrive`"),
        ("import os; os.chdir('/content/drive')", "`os.chdir('/content/drive')`"),
        ("text = open('/kaggle/input/a.txt').read()", "`text = open('/kaggle/input/a.txt').read()`"),
        ("import torch; torch.zeros(1).cuda()", "`torch.zeros(1).cuda()`"),
        ("name = input()", "`name = input()`"),
    ],
)
def test_a_line_that_cannot_work_here_is_left_out_and_named(run: Run, line: str, quoted: str) -> None:
    shown = run(f"{line}\nprint('on')\nready = 1")
    assert printed(shown) == "on\n"
    assert said(shown).startswith(f"Line 1, {quoted}, was left out: ")
    assert said(shown).count("\n") == 1
    assert printed(run("print(ready)")) == "1\n"


def test_what_an_import_brings_beside_what_is_missing_is_there(run: Run) -> None:
    run("import math, einops, os\nfrom torch import nn, no_such_thing")
    assert run("math, os, nn")["error"] is None


def test_lines_that_need_what_was_left_out_are_left_out_too(run: Run) -> None:
    shown = run("from google.colab import drive\ndrive.mount('/content')\nimport einops\nx = 1")
    assert "`drive` should come from `from google.colab import drive`, which was left out." in said(shown)
    assert shown["error"] is None
    assert run("x")["error"] is None
    assert run("drive.flush_and_unmount()")["error"] is None


def test_a_name_of_an_import_of_all_names_is_known_to_be_missing(run: Run) -> None:
    shown = run("from utils import *\nset_seed(0)\nprint('on')")
    assert printed(shown) == "on\n"
    assert "`set_seed` should come from `from utils import *`" in said(shown)


def test_a_call_that_uses_a_missing_name_says_which_import_was_left_out(run: Run, call: Run) -> None:
    run("from einops import rearrange\ndef turn(x):\n    return rearrange(x, 'a b -> b a')")
    error = call("turn", 1)["error"]
    assert error["message"] == (
        "name 'rearrange' is not defined. It should come from `from einops import rearrange`, "
        f"which was left out: the imported package or name does not exist {HERE}. {ALONE}"
    )


def test_a_call_that_lacks_a_file_says_that_none_lies_there(run: Run, call: Run) -> None:
    run("text = open('words.txt').read()\ndef late():\n    return open('words.txt')\ndef early():\n    text")
    assert call("late")["error"]["message"].endswith(f"'words.txt'. {ALONE}")
    message = call("early")["error"]["message"]
    assert "from `text = open('words.txt').read()`, which was left out: FileNotFoundError: it " in message
    assert message.endswith(ALONE)


def test_what_asks_for_input_says_that_nobody_can_answer(run: Run, call: Run) -> None:
    assert said(run("input()")) == "Line 1, `input()`, was left out: a graded cell cannot ask for input.\n"
    run("def asking():\n    return input('Name: ')")
    error = call("asking")["error"]
    assert error["message"] == "a graded cell cannot ask for input"


def test_a_call_that_imports_what_is_missing_says_that_it_is_not_here(run: Run, call: Run) -> None:
    run("def turn():\n    import einops")
    error = call("turn")["error"]
    assert error["message"] == f"No module named 'einops' {HERE}"


def test_annotations_and_decorators_of_what_is_missing_cost_no_definition(run: Run) -> None:
    shown = run(
        "from jaxtyping import Float, jaxtyped\n@jaxtyped\n"
        "def same(x: Float[object, 'n'], *more: Float) -> Float[object, 'n']:\n"
        "    y: Float = x\n    return y\n"
        "class Two:\n    size: Float[object, 'n'] = 2\n    def get(self) -> Float: return self.size\n"
        "print(same(3), Two().get())"
    )
    assert printed(shown) == "3 2\n"
    assert "A decorator of same was left out: `jaxtyped` should come" in said(shown)
    assert "Annotations of Two were ignored: `Float` should come" in said(shown)


def test_a_definition_that_cannot_do_without_it_fails_and_says_so(run: Run) -> None:
    shown = run("import pytorch as L\nclass Head(L.LightningModule):\n    pass\nprint('on')")
    assert printed(shown) == ""
    assert shown["error"]["message"].endswith(
        "from `import pytorch as L`, which was left out: "
        f"the imported package or name does not exist {HERE}. {ALONE}"
    )


def test_a_cell_lacks_a_name_only_where_nothing_else_makes_it(run: Run) -> None:
    assert run("data = open('/content/a').read()\nprint('on')")["error"]["type"] == "FileNotFoundError"
    assert run("data = open('/content/a').read()\ndata = ''")["error"] is None
    assert run("from google.colab import drive")["error"] is None


@pytest.mark.parametrize(
    "line", ["1 / 0", "unknown", "assert 1 == 2", "raise RuntimeError('my own')", "int('x')", "return 1"]
)
def test_a_student_s_own_failure_ends_the_cell_as_ever(run: Run, line: str) -> None:
    shown = run(f"import einops\nprint('on')\n{line}\nprint('further')")
    assert printed(shown) == "on\n"
    assert shown["error"]["places"] == [[4, 3]]


def test_a_timed_cell_defines_shows_and_fails_like_any_other(run: Run) -> None:
    shown = run("%%time\nimport einops\nready = 1\nready")
    assert [item.get("text") or item["data"]["text/plain"] for item in shown["outputs"]] == [
        f"Line 2, `import einops`, was left out: the imported package or name does not exist {HERE}.\n", "1",
    ]  # fmt: skip
    assert run("%%time\nready\n1 / 0")["error"]["places"][0] == [4, 3]


def test_a_captured_cell_says_what_was_left_out(run: Run) -> None:
    assert "`import einops`, was left out" in said(run("%%capture\nimport einops\nready = 1"))
    assert run("ready")["error"] is None


@pytest.mark.parametrize(
    "write",
    [
        "%%writefile my_helpers.py\ndef double(x):\n    return 2 * x",
        "%%file my_helpers.py\ndef double(x):\n    return 2 * x",
        "import pathlib\npathlib.Path('my_helpers.py').write_text('double = lambda x: 2 * x')",
        "import pathlib\npathlib.Path('my_helpers').mkdir()\n"
        "pathlib.Path('my_helpers/__init__.py').write_text('double = lambda x: 2 * x')",
    ],
)
def test_a_module_that_the_notebook_writes_can_be_imported(run: Run, call: Run, write: str) -> None:
    assert run("try:\n    import my_helpers\nexcept ImportError:\n    pass")["error"] is None
    assert run(write)["error"] is None
    assert said(run("from my_helpers import double\nimport my_helpers as h")) == ""
    assert call("double", 4)["value"] == 8


@pytest.mark.parametrize("name", ["torch", "random", "einops", "autograder"])
def test_a_written_module_takes_the_name_of_no_installed_or_customary_one(run: Run, name: str) -> None:
    run(f"%%writefile {name}.py\nraise SystemExit('taken')")
    shown = run(f"import {name}\nprint('on')")
    assert printed(shown) == "on\n"
    assert shown["error"] is None


@pytest.mark.parametrize("place", ["../other.py", "/tmp/other.py", "/etc/other.py", "no/such/folder.py"])
def test_a_module_is_written_nowhere_but_in_the_notebooks_own_folder(run: Run, place: str) -> None:
    assert run(f"%%writefile {place}\nx = 1")["error"] is not None
