"""Attacks, the host that they would change, and the desk where submissions that hold them are graded."""

import copy
import json
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
import yaml

from autograder.course.course import Course
from autograder.course.rule import Rule, all_operators
from autograder.course.settings import Limits, Repairs, Tier
from autograder.grading.graded import Graded
from autograder.grading.grader import Grader
from autograder.report.report import QuestionReport, Report, Status, Verdict
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook, read_notebook
from autograder.testing.inputs import Inputs
from autograder.tests.classroom import SECRET as INPUTS_SECRET
from autograder.tests.classroom import cell_of, small, solved, stripped
from autograder.tests.sandbox.processes import descendants

FOLDER = Path(__file__).parent / "files"
# A call may import sympy, through torch: that takes more than a second of a slow machine.
LIMITS = Limits(cell_seconds=2, call_seconds=3, total_seconds=20, memory_mb=512)
HURRIED = LIMITS.model_copy(update={"cell_seconds": 0.5, "call_seconds": 0.4})  # for what never ends
FEW_REPAIRS = Repairs(seconds=0.01)  # by a handful of edits, of which each runs the attack once more
TIERS = (Tier.FULL, Tier.CONTAINER)
# Attacks by what answers hold, how they end and how long they take, which a search for repairs meets, too.
MET_BY_REPAIRS = {*(2, *range(5, 11), 13, *range(15, 19), *range(22, 26), 39, 40, 76, 78, 84, 85, 88)}
RIGHT = {"double": "def double(x):\n    return x + x"}
WRONG = "def row_sums(x):\n    return None"
SECRET = "what no submission may read"
STUDENT = "eve.of.the.first.row"
FORGING = """\
import json
import struct
import sys


def channel():
    frame = sys._getframe()
    while "channel" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["channel"], frame.f_locals["header"]["id"]


def answer(text, payload=b""):
    sock, number = channel()
    text = text.replace(b"NUMBER", number.encode())
    sock.sendall(struct.pack("!II", len(text), len(payload)) + text + payload)


"""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGIO, signal.SIGCHLD)


@dataclass(frozen=True)
class Attack:
    """What one file tries, and what must come of it; the other question of the submission must pass."""

    path: Path
    about: str
    verdicts: tuple[str, ...]  # several where it is left to chance which wall it meets first
    score: float = 0  # of the question that it answers
    hint: str = ""
    tiers: tuple[Tier, ...] = TIERS  # the tiers that stop it
    answer: str = "row_sums"
    cell: str = "answer"  # "first": a cell of its own, above a plain wrong answer
    times: int = 1
    forbid: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()  # what torch may run, in the words of course.yaml; nothing: anything
    earlier: str = ""  # a wrong answer to double, on which row_sums may then build
    forging: bool = False  # whether it writes to the worker's channel itself, by functions of `FORGING`
    alike: str = ""  # another answer, which must get the same report to the byte
    form: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.name.partition(".")[0]

    @property
    def number(self) -> int:
        """Its number in the ledger."""
        return int(self.name[:2])


def load(path: Path) -> Attack:
    """Read an attack: a sentence, an empty line, and what to expect of it, in YAML."""
    text = path.read_text(encoding="utf-8")
    form = json.loads(text) if path.suffix == ".json" else {}
    doc = form["about"] if form else text.split('"""')[1]
    about, _, expectation = doc.partition("\n\n")
    expected = yaml.safe_load(expectation)
    verdict = expected.pop("verdict")
    expected["verdicts"] = (verdict,) if isinstance(verdict, str) else tuple(verdict)
    expected["tiers"] = tuple(map(Tier, expected.get("tiers", TIERS)))
    return Attack(path, about.strip(), form=form, **expected)


ATTACKS = [load(path) for path in sorted(FOLDER.iterdir()) if path.suffix in (".py", ".json")]


class Host:
    """The machine and the grader's own process: what an attack would like to change."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "gradebook.db"
        self.file.write_text(SECRET, encoding="utf-8")
        self.folder = folder
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / "agent"))
        self.listener.listen()
        self.listener.setblocking(False)

    def knocked(self) -> bool:
        """Whether somebody has connected to the host's socket."""
        try:
            self.listener.accept()[0].close()
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        """Listen no more."""
        self.listener.close()

    def state(self) -> dict[str, Any]:
        """Return everything that must be the same before and after an attack."""
        return {
            "file": (self.file.read_text(encoding="utf-8"), _status(self.file)),
            "folder": (sorted(self.folder.iterdir()), _status(self.folder)),
            "descriptors": sorted(path.name for path in Path("/proc/self/fd").iterdir()),
            "threads": threading.active_count(),
            "signals": [signal.getsignal(number) for number in SIGNALS],
            "environment": dict(os.environ),
            "place": (Path.cwd(), list(sys.path)),
            "torch": (torch.allclose, torch.equal, torch.get_default_dtype(), torch.is_grad_enabled()),
            "random": torch.get_rng_state().tolist(),
            "knocked": self.knocked(),
        }


class Desk:
    """A grader with a zygote of one tier, which also knows the processes and files around that zygote."""

    def __init__(self, course: Course, zygote: Zygote, host: Host) -> None:
        self.exercise = small(course)
        self.grader = Grader(self.exercise, {}, LIMITS, zygote, INPUTS_SECRET, repairs=FEW_REPAIRS)
        self.zygote = zygote
        self.host = host
        self._by_rules: dict[str, Grader] = {}
        self._folder = course.root
        self._names = {
            "{canary}": str(host.file),
            "{grader}": str(os.getpid()),
            "{course}": str(self.exercise.folder),
            "{grader_home}": str(Path.home()),
            "{socket}": str(host.folder / "agent"),
            "{student_backwards}": STUDENT[::-1],
        }
        worker = zygote.fork(LIMITS)
        code = {"op": "cell", "number": 0, "code": "import os; print(os.getcwd())"}
        reply, _ = worker.ask(code, [], 10)
        worker.close()
        scratch = Path(reply["outputs"][0]["text"].strip()).parent
        family = {process.pid for process in descendants(zygote.process_id)}
        python = max(family, default=zygote.process_id)  # the zygote itself starts last of all
        self._scratch = Path(f"/proc/{python}/root{scratch}")
        self._own = set(self._surroundings())

    def grade(self, attack: Attack, code: str = "") -> Graded:
        """Grade a submission that holds the attack, or other `code` in its place."""
        path = self._folder / "submitted" / STUDENT / "01_small" / "01_small.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.notebook(attack, code)), encoding="utf-8")
        return self._grader(attack).grade(read_notebook(path))

    def grade_with(self, attack: Attack, inputs: Inputs) -> Graded:
        """Grade a submission that holds the attack, with these hidden inputs in place of its own."""
        content = json.dumps(self.notebook(attack)).encode()
        return self._grader(attack).grade_cells(Notebook(content).cells, inputs)

    def reference(self) -> Report:
        """Grade the right answers."""
        path = self._folder / "reference.ipynb"
        path.write_text(json.dumps(solved(self.exercise, **RIGHT)), encoding="utf-8")
        return self.grader.grade(read_notebook(path)).report

    def notebook(self, attack: Attack, code: str = "") -> dict[str, Any]:
        """Return the notebook that holds the attack, or other `code` in its place."""
        if attack.form:
            return self._formed(attack.form)
        text = attack.path.read_text(encoding="utf-8").split('"""', 2)[2].lstrip("\n")
        code = self._filled(code or attack.forging * FORGING + text)
        if attack.cell == "answer":
            earlier = {"double": attack.earlier} if attack.earlier else {}
            made = solved(self.exercise, **{**RIGHT, **earlier, attack.answer: code})
            made["cells"].remove(cell_of(made, f"check-{attack.answer}"))  # only hidden tests set it off
            return made
        made = solved(self.exercise, **RIGHT, row_sums=WRONG)
        cell: dict[str, Any] = {
            "cell_type": "code",
            "metadata": {},
            "source": code,
            "outputs": [],
            "execution_count": None,
        }
        return {**made, "cells": [cell, *made["cells"]]}

    def _grader(self, attack: Attack) -> Grader:
        """Return the grader by whose rules the attack is judged; attacks of the same rules share one.

        Repairs are looked for behind the first tier's walls alone, as other walls change nothing about that,
        and in attacks that the search for them meets.
        """
        rule = Rule(tuple(attack.forbid), all_operators(attack.by_hand) if attack.by_hand else None)
        rules = {attack.answer: rule} if attack.forbid or attack.by_hand else {}
        builds_on = {"row_sums": ("double",)} if attack.earlier else {}
        limits = HURRIED if attack.verdicts == (Verdict.TIMED_OUT,) else LIMITS
        key = repr((rules, builds_on, limits))
        if key not in self._by_rules:
            arguments = (limits, self.zygote, INPUTS_SECRET, builds_on, FEW_REPAIRS)
            self._by_rules[key] = Grader(self.exercise, rules, *arguments)
        grader = self._by_rules[key]
        grader.marks_only = self.zygote.tier is not TIERS[0] or attack.number not in MET_BY_REPAIRS
        return grader

    def left_behind(self) -> list[str]:
        """Return the processes and files that graded submissions have left."""
        return sorted(set(self._surroundings()) - self._own)

    def _surroundings(self) -> Iterator[str]:
        """Yield what is around the zygote: all processes behind its walls, and the files in its folder."""
        yield from (f"process {process.pid}" for process in descendants(self.zygote.process_id))
        yield from (path.name for path in self._scratch.iterdir())

    def _formed(self, form: dict[str, Any]) -> dict[str, Any]:
        made = copy.deepcopy(solved(self.exercise, **RIGHT))
        for name, change in form.get("cells", {}).items():
            cell = cell_of(made, name)
            if change is None:
                made["cells"].remove(cell)
            else:
                _merge(cell, change)
        made["cells"] += form.get("append", [])
        made["metadata"] = json.loads(self._filled(json.dumps(form.get("metadata", made["metadata"]))))
        return stripped(made) if form.get("stripped") else made

    def _filled(self, text: str) -> str:
        for name, value in self._names.items():
            text = text.replace(name, value)
        return text


def _status(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_mode, status.st_uid, status.st_size, status.st_mtime_ns


def _merge(target: dict[str, Any], change: dict[str, Any]) -> None:
    for key, value in change.items():
        if isinstance(value, dict) and isinstance(target.get(key), dict):
            _merge(target[key], value)
        else:
            target[key] = value


RIGHT_SUMS = "def row_sums(x):\n    return x.sum(-1)"


def try_attack(desk: Desk, attack: Attack) -> None:
    """Expect that an attack is stopped, costs its own question alone, and leaves nothing behind."""
    before = desk.host.state()
    for _ in range(attack.times):
        graded = desk.grade(attack)
    report = graded.report
    assert report.status is Status.GRADED, report.message
    attacked = of(report, attack.answer)
    assert attacked.verdict in attack.verdicts, attacked.hint
    assert attacked.score == attack.score
    assert attack.hint in " ".join([attacked.hint, *(test.hint for test in attacked.tests)])
    beside = of(report, "double" if attack.answer == "row_sums" else "row_sums")
    if attack.earlier:
        assert beside == of(desk.grade(attack, RIGHT_SUMS).report, "double")
    else:
        assert beside.verdict is Verdict.PASSED, beside.hint
    assert_discreet(desk, graded)
    if attack.alike:
        other = desk.grade(attack, attack.alike)
        assert said(other.report) == said(report)
        assert not attack.earlier or repr(other.results) == repr(graded.results)
    assert desk.left_behind() == []
    assert desk.reference().score == 5.0
    assert desk.left_behind() == []
    assert desk.host.state() == before


def assert_discreet(desk: Desk, graded: Graded) -> None:
    """Expect nothing in a report that a student must not see, and nothing without bounds."""
    texts = [graded.report.message]
    for question in graded.report.questions:
        texts += [unquoted(question.hint), *(test.hint for test in question.tests)]
    shown = "".join(output.text + str(output.data) for r in graded.results.values() for output in r.outputs)
    assert all(len(text) < 600 and text.replace("\n", "").isprintable() for text in texts)
    assert len(shown) < 1 << 20
    seen = " ".join([*texts, shown])
    for word in ("Traceback", "test_hidden", str(Path(__file__).parents[1]), SECRET):
        assert word not in seen
    for path in re.findall(r"autograder/(\S*)", seen):  # a stack shows the worker, in a path that may be cut
        assert path.startswith("worker/") or "worker/".startswith(path)


def unquoted(hint: str) -> str:
    """Return a hint without the student's own code, which it may quote."""
    assert all(len(quoted) < 80 for quoted in re.findall(r"`([^`]*)`", hint))
    return re.sub(r"`[^`]*`", "``", hint)


def said(report: Report) -> str:
    """Return a report without examples and quotes, which show the answer itself."""
    questions = tuple(replace(one, shown=None, hint=unquoted(one.hint)) for one in report.questions)
    return replace(report, questions=questions).to_json()


def of(report: Report, name: str) -> QuestionReport:
    return next(question for question in report.questions if question.name == name)
