"""Attacks on the grader: each is stopped, costs its own question alone, and leaves nothing behind."""

import ast
import copy
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

from autograder.course import Course
from autograder.grading import Graded, Grader
from autograder.report import QuestionReport, Report, Status, Verdict
from autograder.sandbox import Limits, Tier, Zygote
from autograder.tests.classroom import cell_of, open_course, small, solved, stripped

FOLDER = Path(__file__).parent / "hostile"
LIMITS = Limits(cell_seconds=2, call_seconds=1, total_seconds=20, memory_mb=512)
TIERS = (Tier.FULL, Tier.CONTAINER)
RIGHT = {"double": "def double(x):\n    return x + x"}
WRONG = "def row_sums(x):\n    return None"
SECRET = "what no submission may read"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGIO, signal.SIGCHLD)


@dataclass(frozen=True)
class Attack:
    """What one file tries, and what comes of it; the question beside it must pass."""

    path: Path
    about: str
    verdicts: tuple[str, ...]  # several where it is a race which wall it meets first
    score: float = 0  # of the question that it answers
    hint: str = ""
    tiers: tuple[Tier, ...] = TIERS  # those that stop it
    answer: str = "row_sums"
    cell: str = "answer"  # "first": a cell of its own, above a plain wrong answer
    times: int = 1
    forbid: tuple[str, ...] = ()
    form: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.name.partition(".")[0]


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
    """The machine and the grader's own process: what an attack may want to change."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "gradebook.db"
        self.file.write_text(SECRET, encoding="utf-8")
        self.folder = folder

    def state(self) -> dict[str, Any]:
        """Return all that must be the same before and after."""
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
        }


class Desk:
    """A grader with a zygote of one tier, and what its zygote has around it."""

    def __init__(self, course: Course, zygote: Zygote, host: Host) -> None:
        self.exercise = small(course)
        self.grader = Grader(self.exercise, {}, LIMITS, zygote)
        self.zygote = zygote
        self.host = host
        self._folder = course.root
        self._names = {
            "{canary}": str(host.file),
            "{grader}": str(os.getpid()),
            "{course}": str(self.exercise.folder),
            "{grader_home}": str(Path.home()),
        }
        worker = zygote.fork(LIMITS)
        code = {"op": "cell", "number": 0, "code": "import os; print(os.getcwd())"}
        reply, _ = worker.ask(code, [], 10)
        worker.close()
        self._scratch = Path(reply["outputs"][0]["text"].strip()).parent
        self._own = set(self._surroundings())

    def grade(self, attack: Attack) -> Graded:
        """Grade a submission that holds the attack."""
        path = self._folder / "attack.ipynb"
        path.write_text(json.dumps(self.notebook(attack)), encoding="utf-8")
        if attack.forbid:
            forbidden = {attack.answer: attack.forbid}
            return Grader(self.exercise, forbidden, LIMITS, self.zygote).grade(path)
        return self.grader.grade(path)

    def reference(self) -> Report:
        """Grade the right answers."""
        path = self._folder / "reference.ipynb"
        path.write_text(json.dumps(solved(self.exercise, **RIGHT)), encoding="utf-8")
        return self.grader.grade(path).report

    def notebook(self, attack: Attack) -> dict[str, Any]:
        """Return the notebook that holds the attack."""
        if attack.form:
            return self._formed(attack.form)
        code = self._filled(attack.path.read_text(encoding="utf-8").split('"""', 2)[2].lstrip("\n"))
        if attack.cell == "answer":
            made = solved(self.exercise, **{**RIGHT, attack.answer: code})
            made["cells"].remove(cell_of(made, f"check-{attack.answer}"))  # only hidden tests set it off
            return made
        made = solved(self.exercise, **RIGHT, row_sums=WRONG)
        own: dict[str, Any] = {
            "cell_type": "code",
            "metadata": {},
            "source": code,
            "outputs": [],
            "execution_count": None,
        }
        return {**made, "cells": [own, *made["cells"]]}

    def left_behind(self) -> list[str]:
        """Return the processes and files that a graded submission has left."""
        return sorted(set(self._surroundings()) - self._own)

    def _surroundings(self) -> Iterator[str]:
        """Yield what the zygote has around it: its children, and the files in its folder."""
        family = _descendants(self.zygote._process.pid)
        python = max(family, default=self.zygote._process.pid)
        yield from (f"process {child}" for child in _descendants(python))
        yield from (path.name for path in Path(f"/proc/{python}/root{self._scratch}").iterdir())

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


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Tier, Desk]]:
    """Return a desk for each tier, all on one host."""
    host = Host(tmp_path_factory.mktemp("host"))
    with Zygote() as full, Zygote(outer=False) as container:
        found = {}
        for zygote in (full, container):
            course = open_course(tmp_path_factory.mktemp("desk") / "course")
            found[zygote.tier] = Desk(course, zygote, host)
        yield found


def cases() -> Iterator[Any]:
    for attack in ATTACKS:
        for tier in attack.tiers:
            yield pytest.param(attack, tier, id=f"{attack.name}-{tier}")


@pytest.mark.parametrize(("attack", "tier"), list(cases()))
def test_an_attack_is_stopped_and_leaves_nothing_behind(
    attack: Attack, tier: Tier, desks: dict[Tier, Desk]
) -> None:
    if tier not in desks:
        pytest.skip(f"this machine cannot raise the {tier} walls")
    desk = desks[tier]
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
    assert beside.verdict is Verdict.PASSED, beside.hint
    assert_discreet(desk, graded)
    assert desk.left_behind() == []
    assert desk.reference().score == 5.0
    assert desk.left_behind() == []
    assert desk.host.state() == before


def assert_discreet(desk: Desk, graded: Graded) -> None:
    """Expect nothing in a report that a student must not see, and nothing without bounds."""
    texts = [graded.report.message]
    for question in graded.report.questions:
        texts += [question.hint, *(test.hint for test in question.tests)]
    shown = "".join(output.text + str(output.data) for r in graded.results.values() for output in r.outputs)
    assert all(len(text) < 600 and text.isprintable() for text in texts)
    assert len(shown) < 1 << 20
    told = " ".join([*texts, shown])
    for word in ("Traceback", "test_hidden", "autograder/", str(Path(__file__).parent), SECRET):
        assert word not in told
    for number in hidden_numbers(desk.grader):
        assert number not in told


def hidden_numbers(grader: Grader) -> set[str]:
    """Return the numbers of the hidden inputs and expected values, as anybody would write them."""
    exchanges = [exchange for run in grader.suite.reference_runs for exchange in run.exchanges]
    tensors = [tensor for exchange in exchanges for tensor in exchange.request[1] + exchange.reply[1]]
    numbers = {abs(number) for tensor in tensors for number in tensor.flatten().tolist()}
    return {f"{number:.4f}"[:5] for number in numbers if number != round(number)}


def test_every_attack_is_described_and_python_where_it_says_so() -> None:
    for attack in ATTACKS:
        assert attack.about.endswith("."), attack.name
        if attack.path.suffix == ".py" and not attack.name.startswith(("33_shell", "33_bash", "33_run")):
            ast.parse(attack.path.read_text(encoding="utf-8").replace("{grader}", "1"))


def test_what_each_tier_stops_is_told_by_name(golden: Callable[[str, str], None]) -> None:
    lines = []
    for tier in TIERS:
        through = [attack for attack in ATTACKS if tier not in attack.tiers]
        lines.append(f"{tier}: stops {len(ATTACKS) - len(through)} of {len(ATTACKS)} attacks")
        lines += [f"    not {attack.name}: {attack.about}" for attack in through]
    golden("hostile_tiers.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize(
    "attack", [a for a in ATTACKS if Tier.CONTAINER not in a.tiers], ids=lambda a: a.name
)
def test_what_a_tier_is_said_not_to_stop_it_does_not(attack: Attack, desks: dict[Tier, Desk]) -> None:
    """The list is honest: should a wall begin to stop this, the list is to be shortened."""
    assert of(desks[Tier.CONTAINER].grade(attack).report, attack.answer).verdict is Verdict.PASSED


def test_many_submissions_in_a_row_are_graded_each_as_if_alone(
    desks: dict[Tier, Desk], pytestconfig: pytest.Config
) -> None:
    count = pytestconfig.getoption("--stress")
    quick = [
        a for a in ATTACKS if a.verdicts[0] in ("failed", "blocked") and a.cell == "answer" and not a.form
    ]
    desk = desks.get(Tier.FULL) or desks[Tier.CONTAINER]
    alone = desk.reference().to_json()
    for number in range(count // 3):
        attack_or_reference(desk, number, quick)
    before, memory = desk.host.state(), resident()
    for number in range(count):
        report = attack_or_reference(desk, number, quick)
        assert report is None or report.to_json() == alone
    assert desk.left_behind() == []
    assert desk.host.state() == before
    assert resident() - memory < 20 << 20


def attack_or_reference(desk: Desk, number: int, attacks: list[Attack]) -> Report | None:
    """Grade an attack if `number` is a tenth one, else the right answers, and return their report."""
    if number % 10 == 9:
        desk.grade(attacks[number // 10 % len(attacks)])
        return None
    return desk.reference()


def resident() -> int:
    """Return the bytes of memory that this process occupies."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def of(report: Report, name: str) -> QuestionReport:
    return next(question for question in report.questions if question.name == name)


def _status(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_mode, status.st_uid, status.st_size, status.st_mtime_ns


def _merge(target: dict[str, Any], change: dict[str, Any]) -> None:
    for key, value in change.items():
        if isinstance(value, dict) and isinstance(target.get(key), dict):
            _merge(target[key], value)
        else:
            target[key] = value


def _descendants(process: int) -> set[int]:
    """Return every living process that `process` has started, directly or not."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent, *_ = path.read_text(encoding="utf-8").rpartition(")")[2].split()
            parents[int(path.parent.name)] = int(parent) if state != "Z" else 0
    found = {child for child, parent in parents.items() if parent == process}
    return found.union(*map(_descendants, found))
