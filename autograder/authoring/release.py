"""Writes source notebooks to build/ and releases to assignments/, with the same bytes each time."""

import ast
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat

from autograder.authoring.answers import end
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

# Each worker gets a copy of the handout: its messages carry 16 MB, and its folder holds 128 MB.
MAX_FILE, MAX_HANDOUT, MAX_FILES = 15 << 20, 32 << 20, 200  # bytes, bytes


def build_sources(course: Course, exercises: Sequence[Exercise]) -> list[Path]:
    """Write each exercise's source notebook and kit to build/source/ and return the files."""
    folders = {exercise: course.build / "source" / exercise.name for exercise in exercises}
    return [path for exercise, folder in folders.items() for path in write_source(exercise, folder)]


def build_missing(course: Course, exercises: Iterable[Exercise]) -> None:
    """Build what is not in build/source/, since the formgrader lists an exercise only if it lies there.

    What is wrong with a source is for others to say, when it is graded or released.
    """
    for exercise in exercises:
        if not (course.build / "source" / exercise.name).is_dir():
            with suppress(SourceError, CourseError):
                build_sources(course, [exercise])


def write_source(exercise: Exercise, folder: Path) -> list[Path]:
    """Fill `folder` with source notebook, kit and set-up of `exercise` alone, and return these files.

    The Markdown files that lie beside all exercises, in solutions/, come along: notebooks may link to them.
    So does what lies in the exercise's own handout/. SourceError says what of that cannot be handed out.
    """
    if problems := list(refused(exercise)):
        raise SourceError("\n".join(problems))
    texts: dict[str, str | bytes] = {
        f"{exercise.name}.ipynb": to_json(build_notebook(exercise)),
        **student_files(exercise),
    }
    shared = own_files(exercise.folder.parent, "*.md")
    texts |= {path.name: path.read_bytes() for path in shared} | exercise.handed_out
    if folder.exists():
        shutil.rmtree(folder)  # nbgrader releases whatever lies here
    return [write_whole(folder / name, text) for name, text in texts.items()]


def release_notebooks(course: Course, exercises: Sequence[Exercise]) -> list[Path]:
    """Build the exercises and write their releases to assignments/, without touching a gradebook."""
    build_sources(course, exercises)
    return [path for exercise in exercises for path in _released(course, exercise)]


def answered_early(course: Course, exercises: Sequence[Exercise], now: datetime) -> Iterator[str]:
    """Yield a warning for each earlier exercise that is not over and that given code answers.

    Given code answers a question if it defines a function or class of that name.
    """
    order = list(course.exercises)
    for exercise in exercises:
        given = "\n".join(cell.text for cell in exercise.cells if cell.role is Role.CODE)
        defined = {getattr(node, "name", "") for node in ast.parse(given).body}
        for earlier in order[: order.index(exercise.name)]:
            answered = ", ".join(name for name in course.exercises[earlier].points if name in defined)
            last = end(course, earlier)
            if answered and (last is None or now <= last):
                when = last.isoformat(" ", "minutes") if last else f"{earlier} is over"
                yield f"{exercise.name}: answers {answered} of {earlier}; hand it out after {when}"


def stale(course: Course, exercises: Sequence[Exercise]) -> list[str]:
    """Return the files in assignments/ that a fresh release would change, and folders of no exercise."""
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


def _released(course: Course, exercise: Exercise) -> list[Path]:
    """Release an exercise, without the notebook's metadata by which versions of nbgrader differ."""
    generate(course, exercise)
    folder = course.assignments / exercise.name
    path = folder / f"{exercise.name}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for key in set(notebook["metadata"]) - {"kernelspec", "language_info"}:
        del notebook["metadata"][key]
    path.write_text(to_json(notebook), encoding="utf-8", newline="\n")
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _contents(course: Course, exercise: Exercise) -> dict[Path, bytes]:
    """Return what the exercise's folder in assignments/ holds, by path in the course's folder."""
    files = (path for path in (course.assignments / exercise.name).rglob("*") if path.is_file())
    return {path.relative_to(course.root): path.read_bytes() for path in files}


def _not_released(exercise: Exercise) -> Iterator[str]:
    """Yield all that keeps an exercise from being released, and each answer in what students would get."""
    yield from refused(exercise)
    try:
        check_hints(exercise)
    except SourceError as error:
        yield from str(error).splitlines()
    yield from _given_away(exercise)


_TOO_MUCH = "too much to copy beside each notebook that is graded; take a part of it"


def refused(exercise: Exercise) -> Iterator[str]:
    """Yield what lies in handout/ and cannot be handed out as it is, and what to do."""
    shared = (path.name for path in own_files(exercise.folder.parent, "*.md"))
    written = {name.lower() for name in (f"{exercise.name}.ipynb", *NAMES, *shared)}
    sizes = {path: path.stat().st_size for path in exercise.handout.values()}
    for name, path in exercise.handout.items():
        if name.partition("/")[0].lower() in written:
            yield f"{path}: would take the place of a file that the release writes; rename it"
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
    except Exception:  # whatever the file holds
        return False
    return True


def _given_away(exercise: Exercise) -> Iterator[str]:
    found = secrets(exercise)
    for cell in exercise.cells:
        hidden = {number for number, _ in cell.hidden()}
        lines = ("" if number in hidden else line for number, line in enumerate(cell.text.split("\n")))
        yield from _in_text(exercise.source, "\n".join(lines), cell.line, found)
    for path in (*own_files(exercise.folder.parent, "*.md"), *exercise.handout.values()):
        yield from _in_text(path, path.read_bytes().decode("utf-8", "replace"), 1, found)


def _in_text(path: Path, text: str, first: int, found: list[Secret]) -> Iterator[str]:
    for secret in found:
        if (line := secret.line(text)) is not None:
            problem = f"students would read a part of the answer to {secret.name} here: {secret.text}"
            yield f"{path}:{first + line}: {problem}; take it out"


_FILES = {ACCEPTED, MISTAKES, HANDOUT, "hints.yaml", "test_hidden.py"}


def problems(exercise: Exercise) -> Iterator[str]:
    """Yield what is wrong with the files in an exercise's folder, and how to mend it."""
    for path in sorted(exercise.folder.iterdir()):
        known = path.name in _FILES | {exercise.source.name} or path.suffix in SUFFIXES
        if not left_by_programs(path.name) and not known:
            fix = f"move its answers to {ACCEPTED} or {MISTAKES}, or delete it"
            yield f"{path}: belongs to no exercise; {fix}"
    if exercise.points and not exercise.accepted:
        yield f"{exercise.folder / ACCEPTED}: holds no other right answer; write at least one"
    if exercise.points and not known_mistakes(exercise):
        yield f"{exercise.folder / MISTAKES}: holds no known mistake; write at least one"
    yield from _not_released(exercise)
