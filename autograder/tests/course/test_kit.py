"""The student's kit at work: real pytest on the released exercise, as students leave it."""

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.answers import fill, right_answers
from autograder.authoring.answers import released as released_notebook
from autograder.course.exercise import Exercise
from autograder.course.kit import CHECKS
from autograder.tests.classroom import real_course

COURSE = real_course()
Notebook = dict[str, Any]
STUB = "# YOUR CODE HERE\n    raise NotImplementedError()"
# Imports torch and pytest once, then forks for each line, and runs pytest as a shell starts one with `&`.
RUN_ALL = """
import gc, importlib, json, os, signal, sys, torch, pytest
from _pytest.config import default_plugins
for name in default_plugins:
    importlib.import_module(f"_pytest.{name}")
gc.freeze()
signal.signal(signal.SIGINT, signal.SIG_IGN)
for line in sys.stdin:
    folder, arguments, output, errors = json.loads(line)
    if not os.fork():
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, path in ((1, output), (2, errors)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
        status = pytest.main(arguments)
        sys.stdout.flush()
        os._exit(status)
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""


SUM, DOUBLE = "return x.sum(dim=-1)", "return x + x"
SOLVED: dict[Any, str] = {"double": DOUBLE, "row_sums": SUM}
TIMED = "def double(x):\n    return x + x"
IMPORTS = """\
from __future__ import annotations
import einops, no_such_thing
from google.colab import drive
drive.mount('/content')
open('/no/such')
ready = 1
assert ready"""
MAGICS = "%matplotlib inline\n!pip install nothing\nfiles = !ls\nready = True\ntorch.nn?\n?print"
# What students do: bodies of answers, whole cells (with "!"; None deletes), and cells before a place.
CASES: dict[str, dict[str | int, Any]] = {
    "leave": {},
    "solve": SOLVED,
    "mistype": {
        **SOLVED,
        "double!": "def double(x):\n    return (x * 2",
        3: ["for x in range(3)\n    print(x)"],
    },
    "mistake": {
        "double": 'print("x is", x[0, 0].item())\n    return x * x',
        "row_sums": "return x.sum(dim=0)",
    },
    "crash": {"double": "y = torch.ones(7)\n    return x + y", "row_sums": "return x.sum(dim=rows)"},
    "forget_return": {**SOLVED, "double!": "def double(x):\n    x + x"},
    "disorder": {  # uses what is made further down, made in a check, or gone
        **SOLVED,
        -1: ["factor = 3", "print(sums)"],
        3: ["print(double(table) * factor)", "old = remembered + 1", "newer = old + 1"],
    },
    "soften_check": {
        "double": "return x",
        "row_sums": SUM,
        "check-double!": "# Check of double\nassert double(table) is not None",
        "check-row_sums!": None,
    },
    "use_magics": {
        "double!": f"%%time\n{TIMED}",
        "row_sums": f"%pdb off\n    {SUM}",
        3: [MAGICS, "%%bash\nexit 1", "if ready:\n    !exit 1\nassert ready\ndisplay(table)"],
    },
    "rename": {"double!": "def twice(x):\n    return x + x", "row_sums!": None},
    "leave_early": {
        **SOLVED,
        3: [
            "print('loud')\nimport warnings\nwarnings.warn('careful')\nexit()",
            "raise KeyError('gone')",
            "assert 1 == 2",
        ],
    },
    "lack_packages": {
        **SOLVED,
        "row_sums!": "def row_sums(x):\n    return einops.reduce(x, 'a b -> a', 'sum')",
        0: [IMPORTS],
    },
    "read_beside": {
        "double": "return x * helper.two()",
        "row_sums": f"open('own.txt').close()\n    open('words.txt').close()\n    {SUM}",
        3: ["import helper", "open('words.txt').read()", "open('own.txt', 'w').write('1')"],
    },
    "end_program": {
        "double": "import sys\n    sys.exit()",
        "row_sums!": f"exit()\ndef row_sums(x):\n    {SUM}",
        3: ["sys = __import__('sys')\nsys.exit('no data')"],
    },
    "ask_input": {
        **SOLVED,
        "double!": "def double(x):\n    return x * int(input('factor: '))",
        3: ["name = input()"],
    },
    "read_nothing": {**SOLVED, "double!": "def double(x):\n    return open('no_such.txt').read()"},
    "steer_the_terminal": {
        **SOLVED,
        "double": "import os\n    os.write(1, b'\\x1b[2J')\n    print('\\x1b[1Ared')\n    x + '\\x9b1A'",
        "row_sums": "raise ValueError('\\x1b]0;title\\x07 \\u202e')",
        3: ["raise KeyError('\\x1b[2K')", "open('\\x1b[1m')"],
    },
    "change_types": {  # by a key in Jupyter: Y, M or R
        **SOLVED,
        "double!!": {"cell_type": "raw"},
        "row_sums!!": {"cell_type": "markdown"},
        "check-row_sums!!": {"cell_type": "markdown"},
        "why!!": {"cell_type": "code", "source": ["Both are linear."]},
        3: [None],
    },
    "use_names_again": {
        **SOLVED,
        -1: ["row_sums = row_sums(table)", "range = 5\nfrom torch import *", "def double(x):\n    return x"],
    },
    "mend_later": {"double": "return x", "row_sums": SUM, -1: [TIMED]},
    "write_module": {
        **SOLVED,
        "double!": "from halves import half\ndef double(x):\n    return x / half",
        3: ["%%writefile halves.py\nhalf = 0.5"],
    },
    "loop": {"double": "while True: print('x')", "row_sums": SUM},
}


def edited(text: str, **edits: Any) -> str:
    """Return a notebook's text after what a student does."""
    return json.dumps(edit(json.loads(text), edits))


def edit(notebook: Notebook, edits: dict[Any, Any]) -> Notebook:
    """Change a notebook as a line of CASES says, and return it."""
    cells = notebook["cells"]
    for key, what in edits.items():
        if isinstance(key, int):
            place = len(cells) if key < 0 else key
            cells[place:place] = [
                {"cell_type": "code", "metadata": {}, "source": text, "outputs": [], "execution_count": None}
                for text in what
            ]
            continue
        cell = next(each for each in cells if each.get("id") == key.rstrip("!"))
        if what is None:
            cells.remove(cell)
        elif isinstance(what, dict):
            cell.update(what)
        else:
            source = "".join(cell["source"]).replace(STUB, what)
            cell["source"] = (what if key.endswith("!") else source).splitlines(keepends=True)
    return notebook


SEEN = "f'expected\\n{table}\\nfound\\n{double(table)}'"
VALUES = 'expect_close(double(table), table, "No doubling.")'
RAISES = 'expect_raises("ValueError", row_sums, x, hint="A row of ones is no row.")'
CLOSE = "torch.testing.assert_close(row_sums(table)[0], torch.tensor(7.0), msg='not 7')"
# Checks other than the exercise's own, on right answers.
OTHER_CHECKS = {
    "wrap_assert": {"double": "assert (\n    double(table).sum()\n    == 0\n)", "row_sums": CLOSE},
    "see_values": {
        "double": f"assert torch.equal(double(table), table), {SEEN}",
        "row_sums": "assert len(row_sums(table)) == 5, 'a\\nb'",
    },
    "expect": {
        "double": f"@check('double')\ndef f():\n    {VALUES}",
        "row_sums": f"@check('row_sums')\ndef f():\n    x = torch.ones(1, 2)\n    {RAISES}",
    },
}
ASKED = {"hint": "--hint double", "no_hint": "--hint row_sums"}
OTHERS = ("two_notebooks", "no_notebook_there", "exported_script", *ASKED)
BESIDE = {
    "read_beside": {"helper.py": "def two():\n    return 2\n", "words.txt": "a b"},
    "exported_script": {"01_small (1).py": "# %%\ndef double(x):\n    return 2 * x\n"},
}
FILES = {
    "no_json": '{"cells": [\n<<<<<<< HEAD\n',
    "no_notebook": "[1, 2]",
    "old_notebook": '{"nbformat": 3, "worksheets": []}',
}


def environment() -> dict[str, str]:
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT") if name in os.environ}
    return {**keep, "COLUMNS": "110", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OMP_NUM_THREADS": "1"}


class Pytest:
    """Runs pytest in folders, each time in a process of its own that has torch already."""

    def __init__(self) -> None:
        self._warm = subprocess.Popen(
            [sys.executable, "-c", RUN_ALL],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )

    def run(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run it in one folder."""
        paths = [folder.with_name(f"{folder.name}.{kind}") for kind in ("out", "err")]
        code = self.into(folder, arguments, *paths)
        said = [path.read_text(encoding="utf-8") for path in paths]
        for path in paths:
            path.unlink()
        return subprocess.CompletedProcess(arguments, code, *said)

    def into(self, folder: Path, arguments: Sequence[str], output: Path, errors: Path) -> int:
        """Run it, let these files have what it says, and return its code."""
        assert self._warm.stdin is not None
        assert self._warm.stdout is not None
        self._warm.stdin.write(json.dumps([str(folder), arguments, str(output), str(errors)]) + "\n")
        self._warm.stdin.flush()
        return int(self._warm.stdout.readline())

    def everywhere(self, root: Path) -> Path:
        """Run it in each folder in `root`; its output lies beside the folder."""
        for folder in sorted(root.iterdir()):
            asked = folder / ".asked"
            arguments = asked.read_text(encoding="utf-8").split() if asked.is_file() else []
            said = root / f"{folder.name}.txt"
            self.into(folder, arguments, said, said)
        return root

    def close(self) -> None:
        """End the warm process."""
        self._warm.communicate(timeout=60)


@pytest.fixture(scope="module")
def warm_pytest() -> Iterator[Pytest]:
    """Return what runs pytest; one process of it serves all tests."""
    warm = Pytest()
    yield warm
    warm.close()


@pytest.fixture(scope="module")
def outputs(released: Path, warm_pytest: Pytest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder where each case's output lies, one run of pytest a case."""
    root = tmp_path_factory.mktemp("kit")
    original = (released / "01_small.ipynb").read_text(encoding="utf-8")
    for name, edits in CASES.items():
        hand_out(released, root / name, json.dumps(edit(json.loads(original), edits)))
    for name, text in FILES.items():
        hand_out(released, root / name, text)
    for name in OTHERS:
        hand_out(released, root / name, original)
    for name, arguments in ASKED.items():
        (root / name / ".asked").write_text(arguments, encoding="utf-8")
    for name, checks in OTHER_CHECKS.items():
        folder = hand_out(released, root / name, edited(original, **SOLVED))
        changed(folder, **checks)
    hinted(root / "hint", ["", "Add."], ["filled", "Begin."])
    kit = root / "loop" / "conftest.py"
    kit.write_text(kit.read_text(encoding="utf-8").replace("= 60", "= 2"), encoding="utf-8")
    for name in ("no_notebook_there", "exported_script"):
        (root / name / "01_small.ipynb").unlink()
    for name, texts in BESIDE.items():
        for file, text in texts.items():
            (root / name / file).write_text(text, encoding="utf-8")
    for name in ("Untitled.ipynb", "01_small-Copy1.ipynb"):
        (root / "two_notebooks" / name).write_text(edited(original, **SOLVED), encoding="utf-8")
    os.utime(root / "two_notebooks" / "01_small.ipynb", (0, 0))
    return warm_pytest.everywhere(root)


def hand_out(released: Path, folder: Path, notebook: str) -> Path:
    shutil.copytree(released, folder)
    (folder / "01_small.ipynb").write_text(notebook, encoding="utf-8")
    return folder


def changed(folder: Path, **checks: str) -> None:
    """Change the checks that the kit in a folder knows."""
    place = folder / "exercise.json"
    facts = json.loads(place.read_text(encoding="utf-8"))
    facts["questions"] |= checks
    place.write_text(json.dumps(facts), encoding="utf-8")


def hinted(folder: Path, *hints: list[str]) -> None:
    """Give the kit in a folder these hints on a question, each with the pattern of what it fits."""
    place = folder / "exercise.json"
    facts = json.loads(place.read_text(encoding="utf-8"))
    assert "_HINTS = {\n}" in facts["given"]
    facts["given"] = facts["given"].replace("_HINTS = {\n}", f"_HINTS = {{'double': {list(hints)}}}")
    place.write_text(json.dumps(facts), encoding="utf-8")


def counted(output: str) -> str:
    """Return what pytest has counted."""
    return str(re.findall(r"((?:\d+ \w+, )*\d+ \w+) in \d", output)[-1])


def settled(output: str) -> str:
    """Return pytest's output without what differs from run to run, and from folder to folder."""
    kept = [line for line in output.splitlines() if not line.startswith(("platform ", "rootdir: "))]
    text = re.sub(r"(as|ERROR: not found:) /\S+/(?=\w+/\w+\.ipynb)", r"\1 /home/me/", "\n".join(kept))
    last = re.compile(r"(?m)^=+ (.* in) \d+\.\d+s(?: \([\d:]+\))? =+$")
    return last.sub(without_time, re.sub(r"(x\n){9,}", "x\n", text)) + "\n"


def without_time(line: re.Match[str]) -> str:
    """Return pytest's last line as if the tests had taken no time; it is as wide as the terminal."""
    title, width = f" {line[1]} 0.00s ", len(line[0])
    left = (width - len(title)) // 2
    return "=" * left + title + "=" * (width - len(title) - left)


@pytest.mark.parametrize("name", [*CASES, *OTHER_CHECKS, *FILES, *OTHERS])
def test_students_see(name: str, outputs: Path, golden: Callable[[str, str], None]) -> None:
    golden(f"kit/{name}.txt", settled((outputs / f"{name}.txt").read_text(encoding="utf-8")))


def test_nothing_that_a_notebook_writes_steers_the_terminal(
    released: Path, outputs: Path, warm_pytest: Pytest, tmp_path: Path
) -> None:
    original = (released / "01_small.ipynb").read_text(encoding="utf-8")
    stop = "class Stop(BaseException):\n    pass\nraise Stop('\\x1b[2J')"
    noted = json.dumps(edit(json.loads(original), {**SOLVED, 3: [stop]}))
    stopped = warm_pytest.run(hand_out(released, tmp_path / "stop", noted))
    for text in ((outputs / "steer_the_terminal.txt").read_text(encoding="utf-8"), stopped.stdout):
        assert "\\x1b[2J" in text
        assert all(c.isprintable() for c in text if c not in "\n\t")


def hand_in(exercise: Exercise, root: Path, **answers: str) -> Path:
    """Answer a release of this course as its reference does, where `answers` has nothing else."""
    folder = Path(shutil.copytree(COURSE.assignments / exercise.name, root / exercise.name))
    solved = fill(released_notebook(COURSE.assignments, exercise), {**right_answers(exercise), **answers})
    (folder / f"{exercise.name}.ipynb").write_text(json.dumps(solved), encoding="utf-8")
    return folder


def test_each_reference_passes_the_checks_of_its_exercise(warm_pytest: Pytest, tmp_path: Path) -> None:
    """All but one, which trains for seconds; test_solutions.py runs it with its checks."""
    exercises = [one for one in COURSE.exercises.values() if one.name != "09_tiny_gpt"]
    for exercise in exercises:
        hand_in(exercise, tmp_path)
    done = warm_pytest.run(tmp_path)
    assert counted(done.stdout) == f"{sum(len(one.points) for one in exercises)} passed", done.stdout
    assert "note: " not in done.stdout


def test_what_a_question_forbids_is_red_in_pytest_too(warm_pytest: Pytest, tmp_path: Path) -> None:
    exercise = COURSE.exercises["01_dot_products"]
    folder = hand_in(exercise, tmp_path, dot_product="def dot_product(a, b):\n    return (a * b).sum()")
    done = warm_pytest.run(folder, "-k", "dot_product")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "dot_product: `sum` is not allowed here" in done.stdout


@pytest.fixture
def folders(released: Path, tmp_path: Path) -> Path:
    """Return a folder of two exercises: the small one solved, and one like it with one question solved."""
    original = (released / "01_small.ipynb").read_text(encoding="utf-8")
    folder = hand_out(released, tmp_path / "02_other", edited(original, double=DOUBLE))
    (folder / "01_small.ipynb").rename(folder / "02_other.ipynb")
    facts = (folder / "exercise.json").read_text(encoding="utf-8")
    (folder / "exercise.json").write_text(facts.replace("01_small", "02_other"), encoding="utf-8")
    hand_out(released, tmp_path / "01_small", edited(original, **SOLVED))
    return tmp_path


def test_several_folders_are_counted_together_or_one_of_them_or_one_question(
    folders: Path, warm_pytest: Pytest
) -> None:
    done = warm_pytest.run(folders, "-q")
    assert done.returncode == 1, done.stdout + done.stderr
    assert counted(done.stdout) == "1 failed, 3 passed"
    missing = "02_other/02_other.ipynb::test[row_sums] - Failed: row_sums: not filled in yet"
    assert f"FAILED {missing}" in done.stdout
    done = warm_pytest.run(folders, "01_small", "-k", "double", "-p", "no:cacheprovider")
    assert (done.returncode, done.stderr) == (0, "")
    assert counted(done.stdout) == "1 passed, 1 deselected"


def test_the_exercise_s_own_files_are_there_and_others_are_not(
    released: Path, warm_pytest: Pytest, tmp_path: Path
) -> None:
    original = (released / "01_small.ipynb").read_text(encoding="utf-8")
    double = "return x * int(open('data/factor.txt').read())"
    folder = hand_out(released, tmp_path / "files", edited(original, double=double, row_sums=SUM))
    (folder / "data").mkdir()
    for name in ("factor.txt", "own.txt"):
        (folder / "data" / name).write_text("2", encoding="utf-8")
    place = folder / "exercise.json"
    facts = json.loads(place.read_text(encoding="utf-8"))
    place.write_text(json.dumps({**facts, "files": ["data/factor.txt", "gone.txt"]}), encoding="utf-8")
    assert counted(warm_pytest.run(folder).stdout) == "2 passed"
    own = edited(original, double=double.replace("factor", "own"), row_sums=SUM)
    (folder / "01_small.ipynb").write_text(own, encoding="utf-8")
    assert "No such file or directory: 'data/own.txt'" in warm_pytest.run(folder).stdout


def test_a_hint_for_an_unknown_question_lists_the_known_ones(folders: Path, warm_pytest: Pytest) -> None:
    done = warm_pytest.run(folders / "02_other", "--hint", "treble")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert re.search(r"invalid choice: 'treble' \(choose from '?double'?, '?row_sums'?\)", done.stderr)


def test_a_notebook_under_another_name_is_found_and_only_pytest_s_own_files_are_left_behind(
    folders: Path, warm_pytest: Pytest
) -> None:
    folder, other = folders / "01_small", "Copy of 01_small (1).ipynb"
    (folder / "01_small.ipynb").rename(folder / other)
    assert counted(warm_pytest.run(folder).stdout) == "2 passed"
    kit = {"SETUP.md", "conftest.py", "exercise.json"}
    assert {path.name for path in folder.iterdir()} == {other, *kit, "__pycache__", ".pytest_cache"}


def test_the_kit_is_one_page_that_needs_only_pytest_and_the_standard_library() -> None:
    text = CHECKS.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 420
    tree = ast.parse(text, feature_version=(3, 10))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name for node in imports
    }
    assert {name.partition(".")[0] for name in names} - {"pytest"} <= sys.stdlib_module_names


@pytest.fixture
def kit(released: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the released conftest.py as a module."""
    specification = spec_from_file_location("released_kit", released / "conftest.py")
    assert specification is not None
    assert specification.loader is not None
    module = module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "released_kit", module)
    specification.loader.exec_module(module)
    return module


def interrupted() -> None:
    """Press Ctrl-C."""
    signal.raise_signal(signal.SIGINT)


def interrupted_twice() -> None:
    """Catch what the first Ctrl-C raises, and go on."""
    with suppress(RuntimeError):
        interrupted()
    interrupted()


def test_ctrl_c_ends_one_cell_and_everything_if_that_catches_it(kit: Any) -> None:
    with (
        pytest.raises(RuntimeError, match=r"by Ctrl-C, or after 60 s\. Is there a loop that never ends\?"),
        kit.limited(),
    ):
        interrupted()
    with pytest.raises(KeyboardInterrupt), kit.limited():
        interrupted_twice()


def test_a_check_ends_with_the_hint_that_fits_and_hints_go_from_there_to_the_plainest(
    folders: Path, warm_pytest: Pytest
) -> None:
    folder = folders / "02_other"
    when = [[word, f"About the {word}."] for word in ("shape", "not every")]
    hinted(folder, ["", "Think."], *when, ["", "Add."])
    place = folder / "02_other.ipynb"
    told = []
    for body in ("x + x", "x[0]", "x[0]", "x", "x"):
        text = place.read_text(encoding="utf-8")
        place.write_text(re.sub(r"return x\b[^\"\\]*", f"return {body}", text, count=1), encoding="utf-8")
        lines = warm_pytest.run(folder, "--hint", "double").stdout.splitlines()
        told += [line.partition(": ")[2] for line in lines if line.strip().startswith("hint")]
    shape, other = "About the shape.", "About the not every."  # with which the check itself ends
    assert told == [shape, "Think.", shape, "Add.", other, "Add.", other, "Add."]
    place.write_text(re.sub(r"return x\b[^\"\\]*", "return x + x", text, count=1), encoding="utf-8")
    green = warm_pytest.run(folder, "--hint", "double").stdout
    assert "02_other.ipynb passes the check of double, so there is no hint" in green
