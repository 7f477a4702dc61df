"""The graders that are compared, each ready to grade a class by the same hidden tests."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
import zipfile
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import cycle, islice
from pathlib import Path

import psutil

import autograder
from autograder import demo
from autograder.authoring.answers import fill
from autograder.course.course import Course, copy_course
from autograder.course.exercise import Exercise
from autograder.course.names import checked_question
from autograder.course.notebook import NotebookJson, build_notebook
from autograder.errors import AutograderError
from autograder.plugins.bench import replay
from autograder.records.reports import read_report
from autograder.submission.notebook import parse_notebook
from autograder.submission.submission import Submission
from autograder.testing.exchange import Reply, hands_over_function
from autograder.testing.suite import Suite
from autograder.worker.protocol import pack

OTTER = "7.0.0"
_NEEDED = ("torch", "ipykernel", "safetensors")
_NBGRADER = (sys.executable, "-m", "nbgrader")
_SCORES = """
    SELECT cell.name, grade.auto_score FROM submitted_assignment AS one
    JOIN submitted_notebook AS notebook ON notebook.assignment_id = one.id
    JOIN grade ON grade.notebook_id = notebook.id JOIN base_cell AS cell ON cell.id = grade.cell_id
    WHERE one.student_id = ?
"""
Command = Sequence[str]
Answers = Mapping[str, Mapping[str, str]]  # by student and question
Scores = Mapping[str, float]  # by question
Hidden = Callable[[str], Sequence[str]]  # the lines of Python that test a question


class BenchError(AutograderError):
    """What was to be measured failed."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A grader: a folder ready for submissions, its commands there, and the scores that they leave."""

    name: str
    root: Path
    commands: Callable[[Path, Sequence[str]], Sequence[Command]]  # by folder and students
    scores: Callable[[Submission], Scores]  # none where a submission was not graded
    explains: bool = False  # the first command writes marks, the second adds explanations
    is_idle_again: bool = False  # a second run grades nothing, and takes what the start takes


@dataclass(frozen=True, slots=True)
class Graded:
    """What a grader took for a class, or for the part of it that it was given."""

    grader: str
    seconds: float
    peak_mb: float
    full: Mapping[str, frozenset[str]]  # the questions with full marks, by student
    marks_seconds: float | None = None  # for the marks alone, where explanations take a second command

    @property
    def parts(self) -> Sequence[tuple[str, float]]:
        """What is measured, with the seconds for each submission."""
        if self.marks_seconds is None:
            return [(self.grader, self.each)]
        marks = self.marks_seconds / len(self.full)
        return [(f"{self.grader}, marks", marks), (f"{self.grader}, marks and explanations", self.each)]

    @property
    def each(self) -> float:
        """Seconds for each submission."""
        return self.seconds / len(self.full)


def grade(rival: Rival, notebook: NotebookJson, exercise: Exercise, crowd: Answers) -> Graded:
    """Let a grader grade a class, whose notebooks are made from a released one."""
    submissions = {student: Submission(rival.root, student, exercise.name) for student in crowd}
    for student, submission in submissions.items():
        submission.folder.mkdir(parents=True)
        submission.notebook.write_text(json.dumps(fill(notebook, crowd[student]), indent=1), encoding="utf-8")
    commands = rival.commands(rival.root, list(crowd))
    seconds, peaks = zip(*(measure(command, rival.root) for command in commands), strict=True)
    start = measure(commands[0], rival.root)[0] if rival.is_idle_again else 0.0
    full = dict[str, frozenset[str]]()
    for student, submission in submissions.items():
        if not (scores := rival.scores(submission)):
            raise BenchError(f"{rival.name}: {exercise.name} of {student} was not graded")
        full[student] = frozenset(name for name, most in exercise.points.items() if scores.get(name) == most)
    marks_seconds = seconds[0] if rival.explains else None
    return Graded(rival.name, sum(seconds) - start, max(peaks), full, marks_seconds)


def class_answers(exercise: Exercise, count: int) -> Answers:
    """Return a class's answers: the reference, other right answers, known mistakes in turn, all different."""
    first, crowd = next(iter(exercise.points)), {}
    kinds = cycle([demo.right, demo.otherwise, demo.mistaken])
    for number, answer in enumerate(islice(kinds, count), 1):
        student = f"student-{number:05}"
        written = answer(exercise, student)
        crowd[student] = {**written, first: f"{written[first]}\n# {student}"}
    return crowd


def ours(root: Path, name: str, jobs: int, *words: str) -> Rival:
    """Return this grader in a course that is ready."""
    command = [sys.executable, "-m", "autograder", "grade", name, "--jobs", str(jobs), *words]
    commands = [[*command, "--marks-only"], command]
    title = f"this grader, {jobs} job{'s' * (jobs > 1)}"
    return Rival(title, root, lambda *_: commands, _our_scores, explains=True)


def copy_ours(course: Course, exercise: Exercise, root: Path, jobs: int) -> Rival:
    """Copy a course and its release to `root`, and return this grader there."""
    shutil.copytree(course.assignments / exercise.name, root / "assignments" / exercise.name)
    copy_course(course, [exercise], root)
    # All submissions are our own, so fewer walls than the course demands are enough.
    return ours(root, exercise.name, jobs, "--unsafe")


def _our_scores(submission: Submission) -> Scores:
    report = read_report(submission)
    return {one.name: one.score or 0.0 for one in report.questions} if report else {}


def stock(root: Path, exercise: Exercise, hidden: Hidden) -> tuple[Rival, NotebookJson]:
    """Release an exercise as nbgrader does, in a new course; return that grader and the notebook."""
    name = exercise.name
    folder = root / "source" / name
    folder.mkdir(parents=True)
    (folder / f"{name}.ipynb").write_text(json.dumps(source(exercise, hidden)), encoding="utf-8")
    settings = "c = get_config()\nc.CourseDirectory.course_id = 'bench'\n"
    (root / "nbgrader_config.py").write_text(settings, encoding="utf-8")
    measure([*_NBGRADER, "generate_assignment", name], root)
    command, title = [*_NBGRADER, "autograde", name], f"stock nbgrader {version('nbgrader')}"
    rival = Rival(title, root, lambda *_: [command], _stock_scores, is_idle_again=True)
    return rival, parse_notebook((root / "release" / name / f"{name}.ipynb").read_bytes())


def _stock_scores(submission: Submission) -> Scores:
    path = submission.root / "gradebook.db"
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as book:
        found = book.execute(_SCORES, [submission.student]).fetchall()
        return {checked_question(name) or "": score or 0.0 for name, score in found}
    return {}


def otter(root: Path, exercise: Exercise, hidden: Hidden, programs: Path) -> Rival:
    """Write the zip with which Otter grades an exercise, by `otter run` for each submission."""
    root.mkdir()
    with zipfile.ZipFile(root / "autograder.zip", "w") as archive:
        archive.writestr("otter_config.json", json.dumps({"lang": "python", "pdf": False}))
        for question, points in exercise.points.items():
            archive.writestr(f"tests/{question}.py", ok_file(question, points, hidden(question)))

    def commands(root: Path, students: Sequence[str]) -> list[Command]:
        places = [Submission(root, student, exercise.name) for student in students]
        run = [str(programs / "otter"), "run", "--no-logo", "-a", str(root / "autograder.zip"), "-o"]
        return [[*run, str(one.folder), str(one.notebook)] for one in places]

    return Rival(f"Otter {OTTER}", root, commands, partial(_otter_scores, exercise))


def _otter_scores(exercise: Exercise, submission: Submission) -> Scores:
    with suppress(OSError):
        tests = json.loads((submission.folder / "results.json").read_text(encoding="utf-8"))["tests"]
        return {test["name"]: test.get("score", 0) for test in tests if test["name"] in exercise.points}
    return {}


def install_otter(course: Course) -> Path:
    """Return the folder of Otter's programs; they are installed in build/bench/ unless they are there."""
    folder = course.build / "bench" / "otter"
    packages = {package: version(package).partition("+")[0] for package in _NEEDED}
    pins = [f"{package}=={number}" for package, number in {"otter-grader": OTTER, **packages}.items()]
    ready = folder / "ready"  # lists what was installed, once all of it is there
    if not ready.is_file() or ready.read_text(encoding="utf-8") != "\n".join(pins):
        measure([sys.executable, "-m", "venv", "--clear", str(folder)], course.root)
        constraints = course.root / "constraints.txt"
        bounds = ["-c", str(constraints)] if constraints.is_file() else []
        measure([str(folder / "bin/python"), "-m", "pip", "install", "--quiet", *bounds, *pins], course.root)
        ready.write_text("\n".join(pins), encoding="utf-8")
        os.sync()  # all of it is on the disk before anything is measured
    return folder / "bin"


def recorded(exercise: Exercise) -> replay.Recorded:
    """Return the requests of the hidden tests, and the reference's answers."""
    tests: replay.Recorded = {name: [] for name in exercise.points}
    for run in Suite(exercise).reference_runs:
        if run.error is not None:
            raise BenchError(f'the reference fails "{run.test.title}"; run `autograder verify` first')
        if any(hands_over_function(one.request[0]) for one in run.exchanges):
            why = "other graders cannot call functions of a hidden test; choose another exercise"
            raise BenchError(f'"{run.test.title}": {why}')
        tests[run.test.question].append([(_frame(one.request), _frame(one.reply)) for one in run.exchanges])
    return tests


def _frame(message: Reply) -> str:
    return b64encode(pack(*message)).decode()


def replaying(question: str, tests: Path) -> list[str]:
    """Return the lines of Python with which another grader runs the hidden tests of a question."""
    return [
        "import sys",
        f"sys.path += {[str(Path(file).parent) for file in (replay.__file__, autograder.__path__[0])]!r}",
        "from replay import replay",
        f"replay({str(tests)!r}, {question!r}, globals())",
    ]


def source(exercise: Exercise, hidden: Hidden) -> NotebookJson:
    """Return nbgrader's source notebook with hidden tests in its cells, without the pictures."""
    made = build_notebook(exercise)
    made["cells"] = [cell for cell in made["cells"] if "demo" not in cell["metadata"].get("tags", ())]
    for cell in made["cells"]:
        if question := checked_question(cell["metadata"].get("nbgrader", {}).get("grade_id", "")):
            lines = ["", "### BEGIN HIDDEN TESTS", *hidden(question), "### END HIDDEN TESTS"]
            cell["source"] = "".join(cell["source"]) + "\n".join(lines)
    return made


def ok_file(question: str, points: float, lines: Sequence[str]) -> str:
    """Return lines that test a question in OK format, as a doctest."""
    code = "\n".join(f">>> {line}" for line in lines)
    case = {"code": code, "hidden": True, "locked": False}
    suite = {"cases": [case], "scored": True, "setup": "", "teardown": "", "type": "doctest"}
    return f"OK_FORMAT = True\ntest = { ({'name': question, 'points': points, 'suites': [suite]})!r}\n"


def with_programs(environment: Mapping[str, str] = {}) -> dict[str, str]:
    """Return our environment and this one, with this Python's programs: nbgrader runs alembic."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**os.environ, "PATH": path, **environment}


def measure(command: Command, folder: Path) -> tuple[float, float]:
    """Run `command` in `folder`; return its seconds, and the most megabytes of it and all that it starts.

    A page that processes share counts once. An exit code other than 0 is a BenchError.
    """
    start = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - only commands that this package makes
        command,
        cwd=folder,
        env=with_programs(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        output, peak = None, 0
        while output is None:
            try:
                output, _ = process.communicate(timeout=0.25)  # to look takes milliseconds a process
            except subprocess.TimeoutExpired:
                peak = max(peak, memory(process.pid))
        seconds = time.perf_counter() - start
    if process.returncode != 0:
        raise BenchError(
            f"{' '.join(command)}: ended with code {process.returncode}\n{output[-2000:].strip()}"
        )
    return seconds, peak / 1e6


def memory(root: int) -> int:
    """Return the bytes of process `root` and all its descendants; a page of several counts in parts."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(root)
        for member in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
                try:
                    total += member.memory_full_info().pss
                except psutil.AccessDenied:
                    total += member.memory_info().rss
    return total
