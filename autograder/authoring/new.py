"""Starts a course or an exercise, from a small working sample or from an nbgrader source notebook."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.authoring.from_nbgrader import draft
from autograder.course.course import Course, CourseError
from autograder.course.names import NAME
from autograder.course.packages import DEFAULT, name_of
from autograder.files import write_whole

FIRST = {  # the sample exercise of a new course, by subject: a package, or Python itself
    "torch": "01_half",
    "pandas": "01_mean_heights",
    "numpy": "01_scaled",
    "python": "01_counts",
}
_HERE = Path(__file__).parent
_TEMPLATE = ".template"
_CATALOGUE = "misconceptions"  # the folder in solutions/ with the course's misconceptions
_COURSE = ("course.yaml", ".gitignore", "nbgrader_config.py", "Makefile", "README.md")
_IGNORED = {".git", ".venv"}  # a folder that contains nothing else counts as empty
_Files = Mapping[str, str | bytes]


def create_course(folder: Path, notebook: Path | None = None, subject: str = "torch") -> list[Path]:
    """Write a course with one exercise and return the files.

    The exercise is made from `notebook`. Without a notebook, it is the sample exercise FIRST[subject]. Raise
    CourseError if `folder` exists and is not empty.
    """
    if folder.is_file() or {path.name for path in folder.glob("*")} - _IGNORED:
        raise CourseError(f"{folder}: is not an empty folder; choose an empty folder, or a new name")
    name = _as_name(notebook.stem, "exercise") if notebook else FIRST[subject]
    if notebook:
        imported = draft(notebook, name)
        exercise, packages = _in_folder(name, imported.files), imported.packages
    else:
        exercise = _sample(name, subject)
        packages = DEFAULT if subject == "torch" else (subject,) if subject != "python" else ()
    course = _as_name(folder.resolve().name, "course")
    words = {"NAME": name, "COURSE": course, "PACKAGES": f"[{', '.join(packages)}]"}
    files: _Files = {
        **_filled("new_course", _COURSE, words),
        **{f"solutions/{path}": text for path, text in exercise.items()},
    }
    return [write_whole(folder / file, content) for file, content in files.items()]


def create(course: Course, name: str, notebook: Path | None = None) -> list[Path]:
    """Write a new exercise to solutions/<name>/ and return the files.

    Raise CourseError if the name is not valid or the folder exists.
    """
    solutions = course.root / "solutions"
    folder = solutions / name
    if not re.fullmatch(NAME, name):
        raise CourseError(f'"{name}" is not a name for an exercise; use letters, digits, _ and -')
    if folder.exists():
        raise CourseError(f"{folder}: already exists; choose another name, or delete the folder first")
    packages = [*map(name_of, course.settings.packages)]
    subject = next((package for package in FIRST if package in packages), "python")
    files = _in_folder(name, draft(notebook, name, packages).files) if notebook else _sample(name, subject)
    # Misconceptions apply to all exercises. If the course has some, the sample's file is left out.
    if any((solutions / _CATALOGUE).glob("*.py")):
        files = {path: text for path, text in files.items() if not path.startswith(f"{_CATALOGUE}/")}
    return [write_whole(solutions / path, content) for path, content in files.items()]


def entry(name: str) -> str:
    """Return the line that adds the exercise `name` to course.yaml."""
    return f"  - name: {name}"


def _as_name(text: str, default: str) -> str:
    """Return a valid name for a course or exercise, made from the text, or `default`."""
    return re.sub("[^A-Za-z0-9_-]+", "_", text).strip("_-")[:100] or default


def _in_folder(name: str, files: _Files) -> _Files:
    return {f"{name}/{file}": content for file, content in files.items()}


def _sample(name: str, subject: str) -> _Files:
    """Return the files of a sample exercise and its file of misconceptions, by path in solutions/."""
    folder = _HERE / f"new_{subject}"
    files = sorted(path.name.removesuffix(_TEMPLATE) for path in folder.glob(f"*{_TEMPLATE}"))
    filled = _filled(folder.name, files, {"NAME": name})
    misconception = filled.pop(f"{_CATALOGUE}.py")
    catalogue = f"{_CATALOGUE}/{FIRST[subject].partition('_')[2]}.py"
    return {**_in_folder(name, filled), catalogue: misconception}


def _filled(templates: str, files: Sequence[str], words: Mapping[str, str]) -> dict[str, str]:
    """Return the text of each file, made from its template.

    Each key of `words` is replaced by its value, both in the file's name and in its text.
    """
    filled = {}
    for file in files:
        text = (_HERE / templates / f"{file.removeprefix('.')}{_TEMPLATE}").read_text(encoding="utf-8")
        for word, value in words.items():
            file, text = file.replace(word, value), text.replace(word, value)
        filled[file] = text
    return filled
