"""Reads course.yaml, and knows where everything of the course lies."""

import logging
import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import yaml

from autograder.course.exercise import Exercise, wrong_rules
from autograder.course.names import NAME
from autograder.course.settings import CourseSettings, Repairs, read_settings
from autograder.course.yaml_lines import Document, DocumentError, KeyPath, Problem, dotted, read_document
from autograder.errors import UsageError
from autograder.files import ANYBODY, OWNER, write_whole

FILE = "course.yaml"


class CourseError(UsageError):
    """Something is wrong with course.yaml; each line of the message gives a place, a problem and a fix."""


class Course:
    """A course in the folder `root`: its settings, its exercises and its folders.

    With `marks_only` nobody looks for what is wrong in answers: scores come first, explanations later.
    """

    def __init__(self, root: Path, settings: CourseSettings) -> None:
        self.root = root
        self.settings = settings
        self.marks_only = False

    @property
    def build(self) -> Path:
        """The folder for everything that commands can make again."""
        return self.root / "build"

    @property
    def assignments(self) -> Path:
        """The folder with what students get."""
        return self.root / "assignments"

    @cached_property
    def exercises(self) -> dict[str, Exercise]:
        """The exercises by name, in the course's order."""
        return {
            one.name: Exercise(
                self.root / "solutions" / one.name, self.settings.of(one), self.settings.packages
            )
            for one in self.settings.exercises
        }

    def unlisted(self) -> list[Path]:
        """Return the sources of exercises that lie in solutions/ and have no entry in course.yaml."""
        found = sorted(self.root.glob("solutions/*/*.py"))
        return [one for one in found if one.stem == one.parent.name and one.stem not in self.exercises]

    def chosen(self, names: Sequence[str]) -> list[Exercise]:
        """Return the exercises of these names, or all of them if none is given, in the course's order.

        Instead of a name its beginning will do where no other exercise begins so, such as `01`.
        """
        wanted = {self._full_name(name) for name in names}
        return [exercise for name, exercise in self.exercises.items() if name in wanted or not names]

    def _full_name(self, name: str) -> str:
        """Return the name of the exercise that is named so, or begins so."""
        if name in self.exercises:
            return name
        found = [known for known in self.exercises if name and known.startswith(name)]
        if len(found) == 1:
            return found[0]
        problem = f'"{name}" can be {" or ".join(found)}' if found else f'has no exercise "{name}"'
        advice = "write more of it" if found else f"use one of {', '.join(self.exercises)}"
        raise CourseError(f"{_shown(self.root / FILE)}: {problem}; {advice}")

    def repairs(self, exercise: Exercise) -> Repairs:
        """Return how repairs of failed answers to an exercise are looked for."""
        return Repairs(exercise.settings.repairs or self.settings.repairs, self.settings.repair_seconds)


def load_course(root: Path) -> Course:
    """Return the course in `root`; CourseError names every line that is wrong in its course.yaml."""
    path = root / FILE
    document = _document(path)
    settings = read_settings(document)
    wrong = settings if isinstance(settings, list) else []
    wrong += [*_repeated_names(document), *_wrong_rules(root, document)]
    if wrong or isinstance(settings, list):
        raise _error(path, wrong)
    return Course(root, settings)


def find_course(folder: Path) -> Path:
    """Return the nearest of `folder` and the folders around it that holds a course.yaml, else `folder`."""
    around = (folder, *folder.absolute().parents)
    return next((place for place in around if (place / FILE).is_file()), folder)


def _document(path: Path) -> Document:
    try:
        return read_document(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(f"{_shown(path)}: missing; run this in the course's folder") from None
    except UnicodeDecodeError:
        raise CourseError(f"{_shown(path)}: not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise CourseError(f"{_shown(path)}: {error.strerror}; it must be a file that can be read") from None
    except DocumentError as error:
        raise _error(path, error.problems) from None


def _error(path: Path, problems: Sequence[Problem]) -> CourseError:
    ordered = sorted(problems, key=attrgetter("line"))
    return CourseError("\n".join(f"{_shown(path)}:{problem.line}: {problem.message}" for problem in ordered))


def _shown(path: Path) -> str:
    """Return `path` as someone in the current folder would type it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _repeated_names(document: Document) -> Iterator[Problem]:
    """Yield a problem for each exercise that has an earlier one's name.

    Names that differ in case alone count as one, since some systems give both the same folder.
    """
    first: dict[str, KeyPath] = {}
    for path, entry in _entries(document):
        name = entry.get("name")
        if isinstance(name, str) and (seen := first.setdefault(name.casefold(), path)) != path:
            problem = f'"{name}" is the name of {dotted(seen)} too; rename one or delete it'
            yield Problem(document.line((*path, "name")), f"{dotted(path)}.name: {problem}")


def _wrong_rules(root: Path, document: Document) -> Iterator[Problem]:
    """Yield a problem for each rule that names a question which its exercise has not, or not there."""
    for path, entry in _entries(document):
        match entry:
            case {"name": str(name)} if re.match(NAME, name):
                for where, problem in wrong_rules(Exercise(root / "solutions" / name), entry):
                    place = (*path, *where)
                    yield Problem(document.line(place), f"{dotted(place)}: {problem}")


def _entries(document: Document) -> Iterator[tuple[KeyPath, dict[str, Any]]]:
    """Yield the path and the settings of each exercise in a document that may have any form."""
    match document.data:
        case {"exercises": list(entries)}:
            numbered = ((("exercises", number), entry) for number, entry in enumerate(entries))
            yield from ((path, entry) for path, entry in numbered if isinstance(entry, dict))


KEY_FILE = "hidden_inputs.key"
_BYTES = 32


class SecretError(UsageError):
    """The course's secret can neither be read nor made; the message says what to do."""


def course_secret(course: Course) -> bytes:
    """Return the secret of `course`, which is made at the first call."""
    path = course.root / KEY_FILE
    try:
        if not path.exists():
            _make(path)
        secret = bytes.fromhex(path.read_text(encoding="ascii"))
    except OSError as error:
        raise SecretError(f"{path}: {error.strerror}; hidden inputs come from this file") from None
    except ValueError:
        secret = b""
    if len(secret) != _BYTES:
        raise SecretError(f"{path}: is damaged; put back your copy, or delete it and grade everything again")
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
    written = {path for one in exercises for path in (*one.files, *one.catalogue, *one.loaded)}
    return files | {path.relative_to(course.root).as_posix(): path.read_bytes() for path in sorted(written)}


def copy_course(
    course: Course, exercises: Sequence[Exercise], root: Path, limits: Mapping[str, float] = {}, due: str = ""
) -> Course:
    """Write a course of these exercises, with nbgrader's settings, to the folder `root` and return it."""
    files = course_files(course, exercises, limits, due)
    config = course.root / _NBGRADER_CONFIG
    if config.is_file():
        files[_NBGRADER_CONFIG] = config.read_bytes()
    for name, content in files.items():
        write_whole(root / name, content, OWNER if name == KEY_FILE else ANYBODY)
    return load_course(root)


@contextmanager
def log_of(course: Course, name: str) -> Iterator[logging.Logger]:
    """Yield a logger that appends warnings and errors to build/<name>.log."""
    course.build.mkdir(exist_ok=True)
    log = logging.Logger(name, logging.WARNING)
    with closing(logging.FileHandler(course.build / f"{name}.log", encoding="utf-8", delay=True)) as handler:
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        log.addHandler(handler)
        yield log
