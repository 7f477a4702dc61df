"""Reads course.yaml, and gives the paths of a course's files and folders."""

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from tempfile import NamedTemporaryFile

import yaml

from autograder.course.exercise import RULES, Exercise, own_files, wrong_rules
from autograder.course.names import question_after
from autograder.course.settings import CourseSettings, read_settings
from autograder.course.yaml_lines import DocumentError, KeyPath, Problem, dotted, read_document
from autograder.errors import UsageError
from autograder.files import ANYBODY, OWNER, write_whole

FILE = "course.yaml"


class CourseError(UsageError):
    """Something is wrong with course.yaml. Each line of the message gives a place, a problem and a fix."""


class Course:
    """A course in the folder `root`."""

    def __init__(self, root: Path, settings: CourseSettings) -> None:
        self.root = root
        self.settings = settings
        self.logged = set[str]()  # the tracebacks in the logs
        self.build = root / "build"  # the folder of files that commands can recreate
        self.assignments = root / "assignments"  # the folder of released files, which students get

    @cached_property
    def exercises(self) -> dict[str, Exercise]:
        """The exercises by name, in the course's order."""
        root = self.root / "solutions"
        return {
            entry.name: Exercise(root / entry.name, self.settings.of(entry), self.settings.packages)
            for entry in self.settings.exercises
        }

    def chosen(self, names: Sequence[str]) -> list[Exercise]:
        """Return the exercises of these names, or all exercises if `names` is empty, in the course's order.

        The beginning of a name, such as `01`, is enough if no other name begins with it.
        """
        wanted = set[str]()
        for name in names:
            matches = [full for full in self.exercises if name and full.startswith(name)]
            if name not in self.exercises and len(matches) != 1:
                problem = (
                    f'"{name}" is the beginning of {" and ".join(matches)}'
                    if matches
                    else f'has no exercise "{name}"'
                )
                advice = "write more letters" if matches else f"use one of {', '.join(self.exercises)}"
                raise CourseError(f"{_relative(self.root / FILE)}: {problem}; {advice}")
            wanted.add(name if name in self.exercises else matches[0])
        return [exercise for name, exercise in self.exercises.items() if name in wanted or not names]


def load_course(root: Path) -> Course:
    """Return the course in `root`. For an invalid course.yaml, raise CourseError with all problems."""
    path = root / FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CourseError(f"{_relative(path)}: missing; run this in the course's folder") from None
    except UnicodeDecodeError:
        raise CourseError(f"{_relative(path)}: not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise CourseError(f"{_relative(path)}: {error.strerror}; it must be a readable file") from None
    try:
        document = read_document(text)
        course = Course(root, read_settings(document))
        if wrong := [*_repeated_names(course.settings), *_missing_exercises(course), *_wrong_rules(course)]:
            raise DocumentError(*(Problem(document.line(at), f"{dotted(at)}: {text}") for at, text in wrong))
    except DocumentError as error:
        problems = sorted(error.problems, key=attrgetter("line"))
        lines = (f"{_relative(path)}:{problem.line}: {problem.message}" for problem in problems)
        raise CourseError("\n".join(lines)) from None
    return course


def find_course(folder: Path) -> Path:
    """Return `folder` or its nearest parent that contains a course.yaml; return `folder` if none does."""
    candidates = (folder, *folder.absolute().parents)
    return next((candidate for candidate in candidates if (candidate / FILE).is_file()), folder)


def _relative(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _repeated_names(settings: CourseSettings) -> Iterator[tuple[KeyPath, str]]:
    """Yield the key and a problem for each exercise that has the name of an earlier one.

    Names that differ only in case count as equal, because some file systems give both the same folder.
    """
    first: dict[str, int] = {}
    for number, entry in enumerate(settings.exercises):
        if (earlier := first.setdefault(entry.name.casefold(), number)) != number:
            text = f'"{entry.name}" is also the name of exercises[{earlier}]; rename one or delete it'
            yield ("exercises", number, "name"), text


def _missing_exercises(course: Course) -> Iterator[tuple[KeyPath, str]]:
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
    """Yield the key and a problem for each wrong entry in `forbid`, `by_hand` and `builds_on`."""
    for number, entry in enumerate(course.settings.exercises):
        # An Exercise caches its source. A new object reads the source as it is now.
        exercise = Exercise(course.root / "solutions" / entry.name)
        for at, text in wrong_rules(exercise, {kind: getattr(entry, kind) for kind in RULES}):
            yield ("exercises", number, *at), text


KEY_FILE = "hidden_inputs.key"
_BYTES = 32


def course_secret(course: Course) -> bytes:
    """Return the secret from which hidden inputs are computed. The first call creates it."""
    path = course.root / KEY_FILE
    try:
        if not path.exists():
            _create_secret(path)
        secret = bytes.fromhex(path.read_text(encoding="ascii"))
    except OSError as error:
        fix = "hidden inputs are computed from this file, so allow this user to read and write it"
        raise UsageError(f"{path}: {error.strerror}; {fix}") from None
    except ValueError:
        secret = b""
    if len(secret) != _BYTES:
        fix = "restore the file from your backup, or delete the file and grade everything again"
        raise UsageError(f"{path}: is damaged; {fix}")
    return secret


def _create_secret(path: Path) -> None:
    """Write a secret that only its owner can read, unless another process has just written one."""
    with NamedTemporaryFile("w", dir=path.parent, prefix=".", suffix=".part") as draft:
        draft.write(f"{secrets.token_hex(_BYTES)}\n")
        draft.flush()
        with suppress(FileExistsError):
            os.link(draft.name, path)


_NBGRADER_CONFIG = "nbgrader_config.py"


def course_files(
    course: Course, exercises: Sequence[Exercise], limits: Mapping[str, float] = {}, due: str = ""
) -> dict[str, bytes]:
    """Return the content of the files needed to grade these exercises, by path in the course's folder.

    The course's secret is included if it exists, so that other machines compute the same hidden inputs. Each
    entry of `limits` replaces the course's limit of that name. `due`, if not empty, becomes the due date of
    every exercise.
    """
    settings = course.settings.model_dump(mode="json", exclude_unset=True)
    names, dates = {exercise.name for exercise in exercises}, {"due": due} if due else {}
    settings["exercises"] = [entry | dates for entry in settings["exercises"] if entry["name"] in names]
    if limits:
        settings["limits"] = {**settings.get("limits", {}), **limits}
    files = {FILE: yaml.safe_dump(settings, sort_keys=False).encode()}
    if (course.root / KEY_FILE).exists():
        files[KEY_FILE] = f"{course_secret(course).hex()}\n".encode()
    paths = {path for exercise in exercises for path in exercise.all_files}
    return files | {path.relative_to(course.root).as_posix(): path.read_bytes() for path in sorted(paths)}


def copy_course(
    course: Course, exercises: Sequence[Exercise], root: Path, limits: Mapping[str, float] = {}, due: str = ""
) -> Course:
    """Write a course with only these exercises to the folder `root`, and return it.

    The copy includes nbgrader_config.py. It also includes the Markdown files in solutions/, because students
    get them with each exercise.
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
