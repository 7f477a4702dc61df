"""Writes source notebooks into build/ and students' notebooks into assignments/.

The same exercise always gives the same bytes.
"""

import ast
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat

from autograder.authoring.answers import last_due_time
from autograder.course.answers import ACCEPTED, MISTAKES
from autograder.course.course import Course, CourseError
from autograder.course.exercise import HANDOUT, Exercise, left_by_programs, own_files
from autograder.course.hints import Secret, check_hints, secrets
from autograder.course.kit import NAMES
from autograder.course.notebook import build_notebook, student_files, to_json
from autograder.course.source import SUFFIXES, Role, SourceError
from autograder.diagnosis.known import known_mistakes
from autograder.files import write_whole
from autograder.gradebook.assignment import generate

# The limits for handout/: bytes of one file, bytes of all files, number of files. Each worker gets a copy: a
# file must fit into a message of 16 MB, and all files together must fit into a folder of 128 MB.
MAX_FILE, MAX_HANDOUT, MAX_FILES = 15 << 20, 32 << 20, 200


def build_sources(course: Course, exercises: Sequence[Exercise]) -> list[Path]:
    """Write each exercise's source notebook, kit and handout to build/source/ and return the files."""
    folders = {exercise: course.build / "source" / exercise.name for exercise in exercises}
    return [path for exercise, folder in folders.items() for path in write_source(exercise, folder)]


def build_missing(course: Course, exercises: Iterable[Exercise]) -> None:
    """Build the exercises that are missing in build/source/, so that the formgrader lists all exercises.

    Exercises with errors are left out, because grading and releasing report these errors.
    """
    for exercise in exercises:
        if not (course.build / "source" / exercise.name).is_dir():
            with suppress(SourceError, CourseError):
                build_sources(course, [exercise])


def write_source(exercise: Exercise, folder: Path) -> list[Path]:
    """Write all files that students need for `exercise` into `folder`, and return them.

    They are the notebook, the modules that it imports, the files in handout/ and the Markdown files in
    solutions/, to which notebooks may link. Other files in `folder` are deleted. Raise SourceError if
    handout/ has problems.
    """
    if problems := list(handout_problems(exercise)):
        raise SourceError("\n".join(problems))
    texts: dict[str, str | bytes] = {
        f"{exercise.name}.ipynb": to_json(build_notebook(exercise)),
        **student_files(exercise),
    }
    shared = own_files(exercise.folder.parent, "*.md")
    texts |= {path.name: path.read_bytes() for path in shared} | exercise.handed_out
    if folder.exists():
        shutil.rmtree(folder)  # otherwise nbgrader would also release old files in `folder`
    return [write_whole(folder / name, text) for name, text in texts.items()]


def release_notebooks(course: Course, exercises: Sequence[Exercise]) -> list[Path]:
    """Build the exercises and write their releases to assignments/. The gradebook is not used."""
    build_sources(course, exercises)
    return [path for exercise in exercises for path in _release(course, exercise)]


def answered_early(course: Course, exercises: Sequence[Exercise], now: datetime) -> Iterator[str]:
    """Yield a warning for each exercise with answers to an earlier exercise that has not ended.

    An exercise has an answer if its released code cells define a function or class named like the question.
    """
    order = list(course.exercises)
    for exercise in exercises:
        given = "\n".join(cell.text for cell in exercise.cells if cell.role is Role.CODE)
        defined = {getattr(node, "name", "") for node in ast.parse(given).body}
        for earlier in order[: order.index(exercise.name)]:
            answered = ", ".join(name for name in course.exercises[earlier].points if name in defined)
            last = last_due_time(course, earlier)
            if answered and (last is None or now <= last):
                when = f"after {last.isoformat(' ', 'minutes')}" if last else f"when {earlier} has ended"
                problem = f"the code for students contains answers to {answered} of {earlier}"
                yield f"{exercise.name}: {problem}; release {exercise.name} {when}"


def stale(course: Course, exercises: Sequence[Exercise]) -> list[str]:
    """Return the files in assignments/ that a new release would change, and folders without an exercise."""
    changed: list[Path] = []
    with TemporaryDirectory() as folder:
        fresh = Course(Path(folder), course.settings)
        release_notebooks(fresh, exercises)
        for exercise in exercises:
            new, old = _contents(fresh, exercise), _contents(course, exercise)
            changed += sorted(path for path in new.keys() | old.keys() if new.get(path) != old.get(path))
    folders = sorted(course.assignments.glob("*/"))
    strays = [path.relative_to(course.root) for path in folders if path.name not in course.exercises]
    return [str(path) for path in changed + strays]


def _release(course: Course, exercise: Exercise) -> list[Path]:
    """Release an exercise, without metadata that depends on nbgrader's version, and return its files."""
    generate(course, exercise)
    folder = course.assignments / exercise.name
    path = folder / f"{exercise.name}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for key in set(notebook["metadata"]) - {"kernelspec", "language_info"}:
        del notebook["metadata"][key]
    path.write_text(to_json(notebook), encoding="utf-8", newline="\n")
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _contents(course: Course, exercise: Exercise) -> dict[Path, bytes]:
    """Return the bytes of each file of the exercise in assignments/, by path in the course."""
    files = (path for path in (course.assignments / exercise.name).rglob("*") if path.is_file())
    return {path.relative_to(course.root): path.read_bytes() for path in files}


def _release_problems(exercise: Exercise) -> Iterator[str]:
    """Yield each problem with the handout or the hints, and each answer that a release would show."""
    yield from handout_problems(exercise)
    try:
        check_hints(exercise)
    except SourceError as error:
        yield from str(error).splitlines()
    yield from _revealed_answers(exercise)


_TOO_MUCH = "too much to copy for each notebook that is graded; hand out less"


def handout_problems(exercise: Exercise) -> Iterator[str]:
    """Yield a message for each file in handout/ with a taken name, an invalid notebook or too many bytes."""
    shared = (path.name for path in own_files(exercise.folder.parent, "*.md"))
    written = {name.lower() for name in (f"{exercise.name}.ipynb", *NAMES, *shared)}
    sizes = {path: path.stat().st_size for path in exercise.handout.values()}
    for name, path in exercise.handout.items():
        if name.partition("/")[0].lower() in written:
            yield f"{path}: would replace a file that the release writes; rename it"
        elif path.suffix == ".ipynb" and not _is_notebook(path):
            yield f"{path}: is not a notebook; save it again from Jupyter, or rename it"
        elif sizes[path] > MAX_FILE:
            yield f"{path}: has more than {MAX_FILE >> 20} MB, {_TOO_MUCH}"
    if len(sizes) > MAX_FILES or sum(sizes.values()) > MAX_HANDOUT:
        limits = f"{MAX_FILES} files or {MAX_HANDOUT >> 20} MB"
        yield f"{exercise.folder / HANDOUT}: has more than {limits}, {_TOO_MUCH}"


def _is_notebook(path: Path) -> bool:
    try:
        nbformat.read(path, as_version=4)
    except Exception:  # the file may have any content
        return False
    return True


def _revealed_answers(exercise: Exercise) -> Iterator[str]:
    """Yield each part of an answer in the lesson or in handed-out files."""
    hidden_parts = secrets(exercise)
    for cell in exercise.cells:
        hidden = {number for number, _ in cell.hidden()}
        lines = ("" if number in hidden else line for number, line in enumerate(cell.text.split("\n")))
        yield from _revealed_in(exercise.source, "\n".join(lines), cell.line, hidden_parts)
    for path in (*own_files(exercise.folder.parent, "*.md"), *exercise.handout.values()):
        yield from _revealed_in(path, path.read_bytes().decode("utf-8", "replace"), 1, hidden_parts)


def _revealed_in(path: Path, text: str, first: int, hidden_parts: list[Secret]) -> Iterator[str]:
    for secret in hidden_parts:
        if (line := secret.line(text)) is not None:
            problem = f"students would read a part of the answer to {secret.name} here; delete it"
            yield f"{path}:{first + line}: {problem}: {secret.text}"


_FILES = {ACCEPTED, MISTAKES, HANDOUT, "hints.yaml", "test_hidden.py"}


def problems(exercise: Exercise) -> Iterator[str]:
    """Yield a message for each problem with an exercise's files, with advice to the author."""
    for path in sorted(exercise.folder.iterdir()):
        is_used = path.name in _FILES | {exercise.source.name} or path.suffix in SUFFIXES
        if not left_by_programs(path.name) and not is_used:
            fix = f"move any answers in it to {ACCEPTED} or {MISTAKES}, then delete the file"
            yield f"{path}: is not used in an exercise; {fix}"
    if exercise.points and not exercise.accepted:
        yield f"{exercise.folder / ACCEPTED}: has no right answer besides the solution; write at least one"
    if exercise.points and not known_mistakes(exercise):
        yield f"{exercise.folder / MISTAKES}: has no known mistake; write at least one"
    yield from _release_problems(exercise)
