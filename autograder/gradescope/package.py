"""Packs one exercise for Gradescope: our engine, the exercise and two scripts, in one zip.

Gradescope (https://gradescope-autograders.readthedocs.io/en/latest/specs/) wants setup.sh and run_autograder
at the top of the zip, unpacks it in /autograder/source and puts each submission into /autograder/submission.
The same course gives the same bytes everywhere: names are sorted, times fixed, and nothing is compressed.
"""

import zipfile
from collections.abc import Iterator
from pathlib import Path

import yaml

import autograder
from autograder.course.course import FILE, Course
from autograder.course.exercise import Exercise
from autograder.errors import AutograderError

_ENGINE = Path(autograder.__file__).parent
_SCRIPTS = Path(__file__).parent / "container"
_LEFT_OUT = {"bench", "tests", "__pycache__", ".ipynb_checkpoints"}
_NEEDED = ("pyproject.toml", "constraints.txt")


class PackageError(AutograderError):
    """The engine is not where all of it can be packed."""


def write_package(course: Course, exercise: Exercise) -> Path:
    """Write build/packages/<exercise>-gradescope.zip and return it."""
    path = course.build / "packages" / f"{exercise.name}-gradescope.zip"
    path.parent.mkdir(parents=True, exist_ok=True)
    files = dict(_files(course, exercise))
    with zipfile.ZipFile(path, "w") as archive:
        for name in sorted(files):
            archive.writestr(_info(name), files[name])
    return path


def _files(course: Course, exercise: Exercise) -> Iterator[tuple[str, bytes]]:
    """Yield all that goes into the zip, by name."""
    pyproject, constraints = (_needed(name) for name in _NEEDED)
    yield "engine/pyproject.toml", pyproject
    yield "constraints.txt", constraints
    yield from _folder(_SCRIPTS, "")
    yield from _folder(_ENGINE, "engine/autograder/")
    yield from _folder(exercise.folder, f"course/solutions/{exercise.name}/")
    yield f"course/{FILE}", _settings(course, exercise).encode()


def _needed(name: str) -> bytes:
    path = _ENGINE.parent / name
    if not path.is_file():
        raise PackageError(f"{path}: missing; install the engine from its own folder, as `make setup` does")
    return path.read_bytes()


def _folder(folder: Path, prefix: str) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if path.is_file() and not _LEFT_OUT & set(parts):
            yield prefix + "/".join(parts), path.read_bytes()


def _settings(course: Course, exercise: Exercise) -> str:
    """Return course.yaml with this exercise alone."""
    settings = course.settings.model_dump(mode="json", exclude_unset=True)
    entries = [entry for entry in settings["exercises"] if entry["name"] == exercise.name]
    return yaml.safe_dump({**settings, "exercises": entries}, sort_keys=False)


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)  # of 1980: zips know no earlier time
    info.create_system = 3  # Unix, where files have modes
    script = not name.count("/") and name != "constraints.txt"
    info.external_attr = (0o100755 if script else 0o100644) << 16
    return info
