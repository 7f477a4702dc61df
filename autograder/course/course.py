"""Reads course.yaml, and knows where everything of the course lies."""

import logging
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from tempfile import NamedTemporaryFile

import yaml

from autograder.course.exercise import RULES, Exercise, own_files, wrong_rules
from autograder.course.names import question_after
from autograder.course.settings import CourseSettings, Repairs, read_settings
from autograder.course.yaml_lines import DocumentError, KeyPath, Problem, dotted, read_document
from autograder.errors import UsageError
from autograder.files import ANYBODY, OWNER, write_whole
from autograder.report.text import clean_text

FILE = "course.yaml"


class CourseError(UsageError):
    """Something is wrong with course.yaml; each line of the message gives a place, a problem and a fix."""


class Course:
    """A course in the folder `root`: its settings, its exercises and its folders.

    With `marks_only`, grading gives scores without a search for the mistakes in wrong answers.
    """

    def __init__(self, root: Path, settings: CourseSettings) -> None:
        self.root = root
        self.settings = settings
        self.marks_only = False
        self.logged = set[str]()  # tracebacks that are in a log already
        self.build = root / "build"  # what commands can make again
        self.assignments = root / "assignments"  # what students get

    @contextmanager
    def without_explanations(self) -> Iterator[None]:
        """Set `marks_only` in the `with` block."""
        before, self.marks_only = self.marks_only, True
        try:
            yield
        finally:
            self.marks_only = before

    @cached_property
    def exercises(self) -> dict[str, Exercise]:
        """The exercises by name, in the course's order."""
        root = self.root / "solutions"
        return {
            one.name: Exercise(root / one.name, self.settings.of(one), self.settings.packages)
            for one in self.settings.exercises
        }

    def chosen(self, names: Sequence[str]) -> list[Exercise]:
        """Return the exercises of these names, or all of them if none is given, in the course's order.

        Instead of a name its beginning will do where no other exercise begins so, such as `01`.
        """
        wanted = set[str]()
        for name in names:
            found = [known for known in self.exercises if name and known.startswith(name)]
            if name not in self.exercises and len(found) != 1:
                problem = f'"{name}" can be {" or ".join(found)}' if found else f'has no exercise "{name}"'
                advice = "write more of it" if found else f"use one of {', '.join(self.exercises)}"
                raise CourseError(f"{_shown(self.root / FILE)}: {problem}; {advice}")
            wanted.add(name if name in self.exercises else found[0])
        return [exercise for name, exercise in self.exercises.items() if name in wanted or not names]

    def repairs(self, exercise: Exercise) -> Repairs:
        """Return how repairs of failed answers to an exercise are looked for."""
        return Repairs(exercise.settings.repairs or self.settings.repairs, self.settings.repair_seconds)


def load_course(root: Path) -> Course:
    """Return the course in `root`; CourseError names every line that is wrong in its course.yaml."""
    path = root / FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CourseError(f"{_shown(path)}: missing; run this in the course's folder") from None
    except UnicodeDecodeError:
        raise CourseError(f"{_shown(path)}: not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise CourseError(f"{_shown(path)}: {error.strerror}; it must be a file that can be read") from None
    try:
        document = read_document(text)
        course = Course(root, read_settings(document))
        if wrong := [*_repeated_names(course.settings), *_missing_exercises(course), *_wrong_rules(course)]:
            raise DocumentError(*(Problem(document.line(at), f"{dotted(at)}: {said}") for at, said in wrong))
    except DocumentError as error:
        problems = sorted(error.problems, key=attrgetter("line"))
        lines = (f"{_shown(path)}:{problem.line}: {problem.message}" for problem in problems)
        raise CourseError("\n".join(lines)) from None
    return course


def find_course(folder: Path) -> Path:
    """Return the nearest of `folder` and the folders around it that holds a course.yaml, else `folder`."""
    around = (folder, *folder.absolute().parents)
    return next((place for place in around if (place / FILE).is_file()), folder)


def _shown(path: Path) -> str:
    """Return `path` as someone in the current folder would type it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _repeated_names(settings: CourseSettings) -> Iterator[tuple[KeyPath, str]]:
    """Yield what is wrong with each exercise that has an earlier one's name, and where.

    Names that differ in case alone count as one, since some systems give both the same folder.
    """
    first: dict[str, int] = {}
    for number, one in enumerate(settings.exercises):
        if (seen := first.setdefault(one.name.casefold(), number)) != number:
            text = f'"{one.name}" is the name of exercises[{seen}] too; rename one or delete it'
            yield ("exercises", number, "name"), text


def _missing_exercises(course: Course) -> Iterator[tuple[KeyPath, str]]:
    """Yield each exercise that has no folder in solutions/, and a folder of a similar name."""
    solutions = course.root / "solutions"
    listed = [exercise.name for exercise in course.settings.exercises]
    folders = sorted(path.parent.name for path in solutions.glob("*/*.py") if path.stem == path.parent.name)
    for number, name in enumerate(listed):
        is_repeated = name.casefold() in map(str.casefold, listed[:number])
        if not is_repeated and not (solutions / name).is_dir():
            advice = question_after(name, [folder for folder in folders if folder not in listed])
            advice = advice or "write the name of a folder in solutions/"
            yield ("exercises", number, "name"), f"there is no folder solutions/{name}; {advice}"


def _wrong_rules(course: Course) -> Iterator[tuple[KeyPath, str]]:
    """Yield what is wrong with the rules that name questions, and where."""
    for number, one in enumerate(course.settings.exercises):
        exercise = Exercise(course.root / "solutions" / one.name)  # which keeps nothing that changes later
        for at, text in wrong_rules(exercise, {kind: getattr(one, kind) for kind in RULES}):
            yield ("exercises", number, *at), text


KEY_FILE = "hidden_inputs.key"
_BYTES = 32


def course_secret(course: Course) -> bytes:
    """Return the secret of `course`, which is made at the first call."""
    path = course.root / KEY_FILE
    try:
        if not path.exists():
            _make(path)
        secret = bytes.fromhex(path.read_text(encoding="ascii"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; hidden inputs come from this file") from None
    except ValueError:
        secret = b""
    if len(secret) != _BYTES:
        raise UsageError(f"{path}: is damaged; put back your copy, or delete it and grade everything again")
    return secret


def _make(path: Path) -> None:
    """Write a new secret, for its owner's eyes alone, unless another process has been faster."""
    with NamedTemporaryFile("w", dir=path.parent, prefix=".", suffix=".part") as draft:
        draft.write(f"{secrets.token_hex(_BYTES)}\n")
        draft.flush()
        with suppress(FileExistsError):
            os.link(draft.name, path)


_NBGRADER_CONFIG = "nbgrader_config.py"


def course_files(
    course: Course, exercises: Sequence[Exercise], limits: Mapping[str, float] = {}, due: str = ""
) -> dict[str, bytes]:
    """Return the files by which these exercises are graded, each by its path in the course's folder.

    The course's secret is among them if it has one: a submission meets the same hidden inputs wherever it is
    graded.
    `limits` changes limits of the course; `due`, if given, becomes the due date of every exercise.
    """
    settings = course.settings.model_dump(mode="json", exclude_unset=True)
    names, dates = {exercise.name for exercise in exercises}, {"due": due} if due else {}
    settings["exercises"] = [entry | dates for entry in settings["exercises"] if entry["name"] in names]
    if limits:
        settings["limits"] = {**settings.get("limits", {}), **limits}
    files = {FILE: yaml.safe_dump(settings, sort_keys=False).encode()}
    if (course.root / KEY_FILE).exists():
        files[KEY_FILE] = f"{course_secret(course).hex()}\n".encode()
    written = {path for one in exercises for path in one.all_files}
    return files | {path.relative_to(course.root).as_posix(): path.read_bytes() for path in sorted(written)}


def copy_course(
    course: Course, exercises: Sequence[Exercise], root: Path, limits: Mapping[str, float] = {}, due: str = ""
) -> Course:
    """Write a course of these exercises, with nbgrader's settings, to the folder `root` and return it.

    The Markdown files in solutions/, which each release contains, are copied too.
    """
    files = course_files(course, exercises, limits, due)
    shared = own_files(course.root / "solutions", "*.md")
    files |= {path.relative_to(course.root).as_posix(): path.read_bytes() for path in shared}
    config = course.root / _NBGRADER_CONFIG
    if config.is_file():
        files[_NBGRADER_CONFIG] = config.read_bytes()
    for name, content in files.items():
        write_whole(root / name, content, OWNER if name == KEY_FILE else ANYBODY)
    return load_course(root)


class _CleanFormatter(logging.Formatter):
    """Writes no terminal escapes: names and exceptions may contain strangers' text."""

    def format(self, record: logging.LogRecord) -> str:
        return clean_text(super().format(record))


@contextmanager
def log_of(course: Course, name: str) -> Iterator[logging.Logger]:
    """Yield a logger that appends warnings and errors to build/<name>.log.

    A command that meets the same failure again, as `watch` does in every round, logs its traceback once.
    """

    def is_new(record: logging.LogRecord) -> bool:
        if record.exc_info is None:
            return True
        text = logging.Formatter().format(record)
        if text in course.logged:
            return False
        course.logged.add(text)
        return True

    course.build.mkdir(exist_ok=True)
    log = logging.Logger(name, logging.WARNING)
    log.addFilter(is_new)
    with closing(logging.FileHandler(course.build / f"{name}.log", encoding="utf-8", delay=True)) as handler:
        handler.setFormatter(_CleanFormatter("%(asctime)s %(levelname)s %(message)s"))
        log.addHandler(handler)
        yield log
