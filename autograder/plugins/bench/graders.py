"""Prepares the graders to grade a class with the same hidden tests, and measures their time and memory."""

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
_OTTER_NEEDS = ("torch", "ipykernel", "safetensors")
_NBGRADER = (sys.executable, "-m", "nbgrader")
_SCORES = """
    SELECT cell.name, grade.auto_score FROM submitted_assignment AS submission
    JOIN submitted_notebook AS notebook ON notebook.assignment_id = submission.id
    JOIN grade ON grade.notebook_id = notebook.id JOIN base_cell AS cell ON cell.id = grade.cell_id
    WHERE submission.student_id = ?
"""
Command = Sequence[str]
Answers = Mapping[str, Mapping[str, str]]  # code by student and question
Scores = Mapping[str, float]  # points by question
Hidden = Callable[[str], Sequence[str]]  # returns the lines of Python that test a question


class BenchError(AutograderError):
    """A grader failed, or it cannot run the tests of this exercise."""


@dataclass(frozen=True, slots=True)
class ComparedGrader:
    """A grader: its folder, the commands that grade submissions, and a function that reads the scores."""

    name: str
    root: Path
    commands: Callable[[Path, Sequence[str]], Sequence[Command]]  # takes the folder and the students' ids
    scores: Callable[[Submission], Scores]  # returns {} if the submission was not graded
    explains: bool = False  # whether a second command adds explanations to the first command's marks
    is_idle_again: bool = False  # whether a second run grades nothing; the second run's time is subtracted


@dataclass(frozen=True, slots=True)
class Measurement:
    """A grader's time and memory for some submissions, and the answers that got full marks."""

    grader: str
    seconds: float
    peak_mb: float
    full: Mapping[str, frozenset[str]]  # the questions with full marks, by student
    marks_seconds: float | None = None  # seconds of the command that gives only marks

    @property
    def parts(self) -> Sequence[tuple[str, float]]:
        """The measured steps: a name and the seconds for each submission."""
        if self.marks_seconds is None:
            return [(self.grader, self.each)]
        marks = self.marks_seconds / len(self.full)
        return [(f"{self.grader}, marks", marks), (f"{self.grader}, marks and explanations", self.each)]

    @property
    def each(self) -> float:
        """Seconds for each submission."""
        return self.seconds / len(self.full)


def grade(
    grader: ComparedGrader, notebook: NotebookJson, exercise: Exercise, answers: Answers
) -> Measurement:
    """Fill each student's answers into a copy of the notebook, and measure the grader on these copies."""
    submissions = {student: Submission(grader.root, student, exercise.name) for student in answers}
    for student, submission in submissions.items():
        submission.folder.mkdir(parents=True)
        filled = json.dumps(fill(notebook, answers[student]), indent=1)
        submission.notebook.write_text(filled, encoding="utf-8")
    commands = grader.commands(grader.root, list(answers))
    seconds, peaks = zip(*(measure(command, grader.root) for command in commands), strict=True)
    start = measure(commands[0], grader.root)[0] if grader.is_idle_again else 0.0
    full = dict[str, frozenset[str]]()
    for student, submission in submissions.items():
        if not (scores := grader.scores(submission)):
            raise BenchError(f"{grader.name}: {exercise.name} of {student} was not graded")
        full[student] = frozenset(name for name, most in exercise.points.items() if scores.get(name) == most)
    marks_seconds = seconds[0] if grader.explains else None
    return Measurement(grader.name, sum(seconds) - start, max(peaks), full, marks_seconds)


def class_answers(exercise: Exercise, count: int) -> Answers:
    """Return the answers of `count` students. A comment with the student's id makes each notebook different.

    The first student has the solutions. The second has another right answer to one question, and the third a
    known mistake in one question. Later students repeat this sequence.
    """
    first, answers = next(iter(exercise.points)), {}
    kinds = cycle([demo.right, demo.otherwise, demo.mistaken])
    for number, make_answers in enumerate(islice(kinds, count), 1):
        student = f"student-{number:05}"
        codes = make_answers(exercise, student)
        answers[student] = {**codes, first: f"{codes[first]}\n# {student}"}
    return answers


def our_grader(root: Path, name: str, jobs: int, *options: str) -> ComparedGrader:
    """Return this project's grader, for the course at `root`. `options` are further options of `grade`."""
    command = [sys.executable, "-m", "autograder", "grade", name, "--jobs", str(jobs), *options]
    commands = [[*command, "--marks-only"], command]
    title = f"this grader, {jobs} job{'s' * (jobs > 1)}"
    return ComparedGrader(title, root, lambda *_: commands, _our_scores, explains=True)


def copy_ours(course: Course, exercise: Exercise, root: Path, jobs: int) -> ComparedGrader:
    """Copy a course and its release to `root`, and return this project's grader for the copy."""
    shutil.copytree(course.assignments / exercise.name, root / "assignments" / exercise.name)
    copy_course(course, [exercise], root)
    # No student wrote these submissions, so they may run in a weaker sandbox than the course requires.
    return our_grader(root, exercise.name, jobs, "--unsafe")


def _our_scores(submission: Submission) -> Scores:
    report = read_report(submission)
    return {question.name: question.score or 0.0 for question in report.questions} if report else {}


def prepare_stock(root: Path, exercise: Exercise, hidden: Hidden) -> tuple[ComparedGrader, NotebookJson]:
    """Release an exercise with nbgrader, in a new course. Return the grader and the released notebook."""
    name = exercise.name
    folder = root / "source" / name
    folder.mkdir(parents=True)
    (folder / f"{name}.ipynb").write_text(json.dumps(source_notebook(exercise, hidden)), encoding="utf-8")
    settings = "c = get_config()\nc.CourseDirectory.course_id = 'bench'\n"
    (root / "nbgrader_config.py").write_text(settings, encoding="utf-8")
    measure([*_NBGRADER, "generate_assignment", name], root)
    command, title = [*_NBGRADER, "autograde", name], f"stock nbgrader {version('nbgrader')}"
    grader = ComparedGrader(title, root, lambda *_: [command], _stock_scores, is_idle_again=True)
    return grader, parse_notebook((root / "release" / name / f"{name}.ipynb").read_bytes())


def _stock_scores(submission: Submission) -> Scores:
    path = submission.root / "gradebook.db"
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as book:
        rows = book.execute(_SCORES, [submission.student]).fetchall()
        return {checked_question(name) or "": score or 0.0 for name, score in rows}
    return {}


def prepare_otter(root: Path, exercise: Exercise, hidden: Hidden, programs: Path) -> ComparedGrader:
    """Write Otter's configuration for an exercise, and return Otter as a grader."""
    root.mkdir()
    with zipfile.ZipFile(root / "autograder.zip", "w") as archive:
        archive.writestr("otter_config.json", json.dumps({"lang": "python", "pdf": False}))
        for question, points in exercise.points.items():
            archive.writestr(f"tests/{question}.py", ok_test(question, points, hidden(question)))

    def commands(root: Path, students: Sequence[str]) -> list[Command]:
        submissions = [Submission(root, student, exercise.name) for student in students]
        run = [str(programs / "otter"), "run", "--no-logo", "-a", str(root / "autograder.zip"), "-o"]
        return [[*run, str(submission.folder), str(submission.notebook)] for submission in submissions]

    return ComparedGrader(f"Otter {OTTER}", root, commands, partial(_otter_scores, exercise))


def _otter_scores(exercise: Exercise, submission: Submission) -> Scores:
    with suppress(OSError):
        tests = json.loads((submission.folder / "results.json").read_text(encoding="utf-8"))["tests"]
        return {test["name"]: test.get("score", 0) for test in tests if test["name"] in exercise.points}
    return {}


def install_otter(course: Course) -> Path:
    """Install Otter in build/bench/ unless it is there, and return the folder of its programs."""
    folder = course.build / "bench" / "otter"
    packages = {package: version(package).partition("+")[0] for package in _OTTER_NEEDS}
    pins = [f"{package}=={number}" for package, number in {"otter-grader": OTTER, **packages}.items()]
    ready = folder / "ready"  # marks a complete installation, and contains the versions of its packages
    if not ready.is_file() or ready.read_text(encoding="utf-8") != "\n".join(pins):
        measure([sys.executable, "-m", "venv", "--clear", str(folder)], course.root)
        constraints = course.root / "constraints.txt"
        bounds = ["-c", str(constraints)] if constraints.is_file() else []
        measure([str(folder / "bin/python"), "-m", "pip", "install", "--quiet", *bounds, *pins], course.root)
        ready.write_text("\n".join(pins), encoding="utf-8")
        os.sync()  # writes the new files to the disk now instead of during a measurement
    return folder / "bin"


def record_tests(exercise: Exercise) -> replay.Recorded:
    """Return the calls that the hidden tests make, with the results of the course's solution."""
    tests: replay.Recorded = {name: [] for name in exercise.points}
    for run in Suite(exercise).reference_runs:
        if run.error is not None:
            raise BenchError(f'the solution fails "{run.test.title}"; run `autograder verify` first')
        if any(hands_over_function(exchange.request[0]) for exchange in run.exchanges):
            why = "this test has a function as an argument, so other graders cannot repeat the test"
            raise BenchError(f'"{run.test.title}": {why}; choose another exercise')
        exchanges = [(_encoded(exchange.request), _encoded(exchange.reply)) for exchange in run.exchanges]
        tests[run.test.question].append(exchanges)
    return tests


def _encoded(message: Reply) -> str:
    return b64encode(pack(*message)).decode()


def replay_lines(question: str, tests: Path) -> list[str]:
    """Return the lines of Python with which another grader repeats the calls of a question's hidden tests."""
    return [
        "import sys",
        f"sys.path += {[str(Path(file).parent) for file in (replay.__file__, autograder.__path__[0])]!r}",
        "from replay import replay",
        f"replay({str(tests)!r}, {question!r}, globals())",
    ]


def source_notebook(exercise: Exercise, hidden: Hidden) -> NotebookJson:
    """Return a source notebook for nbgrader, with hidden tests in its cells and without the demo cells."""
    notebook = build_notebook(exercise)
    notebook["cells"] = [cell for cell in notebook["cells"] if "demo" not in cell["metadata"].get("tags", ())]
    for cell in notebook["cells"]:
        if question := checked_question(cell["metadata"].get("nbgrader", {}).get("grade_id", "")):
            lines = ["", "### BEGIN HIDDEN TESTS", *hidden(question), "### END HIDDEN TESTS"]
            cell["source"] = "".join(cell["source"]) + "\n".join(lines)
    return notebook


def ok_test(question: str, points: float, lines: Sequence[str]) -> str:
    """Return a test file in Otter's format "OK". The test runs these lines as a doctest."""
    code = "\n".join(f">>> {line}" for line in lines)
    case = {"code": code, "hidden": True, "locked": False}
    suite = {"cases": [case], "scored": True, "setup": "", "teardown": "", "type": "doctest"}
    return f"OK_FORMAT = True\ntest = { ({'name': question, 'points': points, 'suites': [suite]})!r}\n"


def process_environment(environment: Mapping[str, str] = {}) -> dict[str, str]:
    """Return this process's environment variables, changed by `environment`.

    The folder of this Python comes first on the PATH, because nbgrader runs the program alembic there.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**os.environ, "PATH": path, **environment}


def measure(command: Command, folder: Path) -> tuple[float, float]:
    """Run `command` in `folder`. Return the seconds, and the peak megabytes of all its processes.

    Raise BenchError for an exit code other than 0.
    """
    start = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - only commands of this package
        command,
        cwd=folder,
        env=process_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        output, peak = None, 0
        while output is None:
            try:
                output, _ = process.communicate(timeout=0.25)  # memory is measured every 0.25 seconds
            except subprocess.TimeoutExpired:
                peak = max(peak, memory(process.pid))
        seconds = time.perf_counter() - start
    if process.returncode != 0:
        raise BenchError(
            f"{' '.join(command)}: ended with code {process.returncode}\n{output[-2000:].strip()}"
        )
    return seconds, peak / 1e6


def memory(root: int) -> int:
    """Return the bytes of memory of process `root` and its descendants.

    Memory that several of these processes share is counted once.
    """
    total = 0
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(root)
        for member in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):  # the process has ended meanwhile
                try:
                    total += member.memory_full_info().pss
                except psutil.AccessDenied:
                    total += member.memory_info().rss
    return total
