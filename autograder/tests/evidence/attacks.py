"""The same attacks on this grader, stock nbgrader and Otter, and what each of them gains.

An attack is a notebook of one small exercise. It is graded before an honest one, in a temporary folder, and
may do nothing but leave harmless marks there. What would harm the machine, such as a full disk, is left out.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import psutil
import yaml

from autograder.authoring.answers import fill, right_answers
from autograder.authoring.release import release_notebooks
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.names import checked_question
from autograder.course.notebook import NotebookJson
from autograder.files import write_whole
from autograder.plugins.bench.graders import (
    Command,
    ComparedGrader,
    install_otter,
    our_grader,
    prepare_otter,
    prepare_stock,
    process_environment,
)
from autograder.plugins.bench.page import page_of, write_table
from autograder.submission.submission import Submission

ATTACKER, HONEST = "attacker", "honest"  # graded in this order
SECONDS = 100  # after which a command is ended
CANARY, EXPECTED = "canary-b71f", "3.0625"  # what a submission must not find
MARKS = ("points", "tests", "host", "class")
Marks = Sequence[str]
_DATA = yaml.safe_load((Path(__file__).parent / "attacks.yaml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Attack:
    """A wrong answer to one question, or a change of the notebook around it."""

    name: str
    code: str = ""
    answer: str = "mean"  # the question
    checks: Mapping[str, Any] = field(default_factory=dict)  # what changes in cells with tests, by question
    content: str = ""  # what stands in the place of a notebook
    wait: float = 0  # seconds until all marks are there


ATTACKS = tuple(Attack(**one) for one in _DATA["attacks"])


@dataclass(frozen=True, slots=True)
class Site:
    """A machine as a grader sees it: a home, the course, and what no submission should reach."""

    home: Path
    host: Path
    course: Path
    listeners: tuple[socket.socket, socket.socket]

    def touched(self) -> bool:
        """Whether a mark was left outside the course, or somebody has connected to a socket."""
        if (self.host / "touched").exists():
            return True
        for one in self.listeners:
            with suppress(BlockingIOError):
                one.accept()[0].close()
                return True
        return False


def compare(course: Course, notify: Callable[[str], None]) -> str:
    """Return a table of the attacks by graders; `notify` gets the name of each attack that is done."""
    with TemporaryDirectory() as folder:
        exercise, notebook, graders = _prepare(course, Path(folder))
        marks = dict[str, list[Marks]]()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = pool.map(
                lambda pair: _attack(pair[0], pair[1], exercise, notebook), product(ATTACKS, graders)
            )
            for attack in ATTACKS:
                marks[attack.name] = [next(found) for _ in graders]
                notify(attack.name)
    rows = [("attack", *(one.name for one in graders)), ("---",) * (1 + len(graders))]
    rows += [(name, *(", ".join(one) or "none" for one in each)) for name, each in marks.items()]
    rows.append((f"**of {len(ATTACKS)}**", *map(_counts, zip(*marks.values(), strict=True))))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _counts(of_one_grader: Sequence[Marks]) -> str:
    return ", ".join(f"{mark} {sum(mark in one for one in of_one_grader)}" for mark in MARKS)


def _prepare(course: Course, folder: Path) -> tuple[Exercise, NotebookJson, list[ComparedGrader]]:
    """Make the exercise for each grader; return it, the notebook that students get, and the graders."""
    for name, text in _DATA["files"].items():
        write_whole(folder / "ours" / name, text)
    own = load_course(folder / "ours")
    (exercise,) = own.exercises.values()
    release_notebooks(own, [exercise])
    hidden = {question: text.splitlines() for question, text in _DATA["hidden"].items()}
    plain, notebook = prepare_stock(folder / "stock", exercise, hidden.__getitem__)
    other = prepare_otter(folder / "otter", exercise, hidden.__getitem__, install_otter(course))
    rivals = [plain, other, replace(our_grader(own.root, exercise.name, 1), name="this grader")]
    return exercise, notebook, rivals


def _attack(attack: Attack, grader: ComparedGrader, exercise: Exercise, released: NotebookJson) -> Marks:
    """Have a grader grade an attack and an honest submission; return the marks that the attack left."""
    students = ATTACKER, HONEST
    with _site(grader.root) as site:
        _hand_in(attack, site, exercise, released)
        all(_run(command, site) for command in grader.commands(site.course, students))
        time.sleep(attack.wait)
        submissions = (Submission(site.course, student, exercise.name) for student in students)
        earned, honest = (sum(grader.scores(submission).values()) for submission in submissions)
        found = _found(site)
        others = sum(points for question, points in exercise.points.items() if question != attack.answer)
        left = (
            earned > others,
            EXPECTED in found,
            CANARY in found or site.touched(),
            honest != sum(exercise.points.values()),
        )
    return [mark for mark, there in zip(MARKS, left, strict=True) if there]


@contextmanager
def _site(prepared: Path) -> Iterator[Site]:
    """Yield a machine with a copy of a folder; whatever still runs there afterwards is ended."""
    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        socket.socket(socket.AF_INET) as tcp,
        socket.socket(socket.AF_UNIX) as unix,
    ):
        root = Path(folder)
        site = Site(root / "home", root / "host", root / "course", (tcp, unix))
        site.home.mkdir()
        site.host.mkdir()
        shutil.copytree(prepared, site.course)
        (site.home / ".token").write_text(CANARY, encoding="utf-8")
        tcp.bind(("127.0.0.1", 0))
        unix.bind(str(site.host / "socket"))
        for one in site.listeners:
            one.listen()
            one.setblocking(False)
        try:
            yield site
        finally:
            _end(site)


def _hand_in(attack: Attack, site: Site, exercise: Exercise, released: NotebookJson) -> None:
    """Put the attack and an honest submission where collected submissions lie."""
    right, port = right_answers(exercise), site.listeners[0].getsockname()[1]
    places = {"HOST": str(site.host), "HOME": str(site.home), "COURSE": str(site.course), "PORT": port}
    known = "\n".join(f"{name} = {value!r}" for name, value in places.items())
    code = "\n\n".join([known, _DATA["prelude"], _DATA["wrong"][attack.answer], attack.code])
    attacking = fill(released, {**right, attack.answer: code})
    for cell in attacking["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        _merge(cell, attack.checks.get(checked_question(name) or "", {}))
    honest = fill(released, {**right, "mean": f"{right['mean']}\n# {CANARY}"})
    for student, notebook in ((ATTACKER, attacking), (HONEST, honest)):
        path = Submission(site.course, student, exercise.name).notebook
        path.parent.mkdir(parents=True)
        if student == ATTACKER and attack.content == "pipe":
            os.mkfifo(path)
            continue
        deep = student == ATTACKER and attack.content == "deep"
        path.write_text("[" * 100_000 if deep else json.dumps(notebook, indent=1), encoding="utf-8")


def _merge(target: dict[str, Any], change: Mapping[str, Any]) -> None:
    for key, value in change.items():
        if isinstance(value, dict) and isinstance(target.get(key), dict):
            _merge(target[key], value)
        else:
            target[key] = value


def _run(command: Command, site: Site) -> bool:
    """Run a grader's command; return whether it ended by itself within SECONDS."""
    env = process_environment({"HOME": str(site.home), "GRADER_TOKEN": CANARY})
    silent = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=site.course, env=env, stdin=silent, stdout=silent, stderr=silent
    ) as process:
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            _end(site)
            process.kill()
            return False
    return True


def _end(site: Site) -> None:
    """End all processes of a site: those whose home it is."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get("HOME") == str(site.home):
                process.kill()


def _found(site: Site) -> str:
    """Return what the attack says it has found, in a file or in what the grader keeps of its outputs."""
    places = f"autograded/{ATTACKER}/*/*.ipynb", f"submitted/{ATTACKER}/*/results.json"
    kept = [path for place in places for path in site.course.glob(place)]
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in kept]
    found = re.findall(r"found: [^\\\n]*", "\n".join(texts))
    with suppress(OSError):
        found.append((site.host / "found").read_text(encoding="utf-8"))
    return "\n".join(found)


def main() -> None:
    """Write the table of attacks to docs/evidence.md of the course in the current folder."""
    page = page_of(Path.cwd(), "attacks")
    write_table(page, "attacks", compare(load_course(Path.cwd()), click.echo))


if __name__ == "__main__":
    main()
