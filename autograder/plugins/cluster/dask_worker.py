"""Grades notebooks on a Dask worker, which gets them and the exercise's files as bytes."""

import platform
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from autograder.course.course import load_course
from autograder.errors import AutograderError
from autograder.files import write_whole
from autograder.grading.graded import Graded
from autograder.grading.marking import MarkingProcess
from autograder.sandbox.errors import WallError
from autograder.submission.digest import engine
from autograder.submission.notebook import Notebook

# What two machines must have in common to grade alike, as it was when this process loaded it.
VERSIONS = f"{'.'.join(platform.python_version_tuple()[:2])} {engine()}"
HOW_TO_MATCH = "install there what is installed here, the same Python, torch and autograder"
Answer = tuple[str, str]  # "graded" and the result, or "walls" or "versions" and why there is none


class ClusterError(AutograderError):
    """There is no cluster, or it would grade differently from this machine; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Order:
    """What to grade, with which versions, and where the course is on the machine that orders it."""

    versions: str
    exercise: str
    root: str
    unsafe: bool
    marks_only: bool = False


def grade_there(order: Order, files: bytes, packed: bytes, problem: str) -> Answer:
    """Grade one notebook, whose bytes are `packed`; this is the task that a Dask worker runs."""
    from distributed import get_worker

    dask = get_worker()
    notebook = Notebook(zlib.decompress(packed), problem)
    try:
        graded = _THREAD.submit(_grade, order, files, notebook, dask.local_directory).result()
    except (WallError, ClusterError) as error:
        kind = "walls" if isinstance(error, WallError) else "versions"
        return kind, f"Dask worker {dask.address}: {error}"
    return "graded", graded.to_json()


class _ExerciseGrader:
    """Grades submissions of one exercise: it has a private folder with the exercise's files."""

    def __init__(self, order: Order, files: bytes, folder: str) -> None:
        self.job = order, files
        self._root = order.root
        self._folder = TemporaryDirectory(prefix="autograder-", dir=folder, ignore_cleanup_errors=True)
        with ZipFile(BytesIO(files)) as archive:
            for name in archive.namelist():
                write_whole(Path(self._folder.name, name), archive.read(name))
        course = load_course(Path(self._folder.name))
        course.marks_only = order.marks_only
        self._exercise = course.exercises[order.exercise]
        self._grader = MarkingProcess(course, unsafe=order.unsafe)

    def grade(self, notebook: Notebook) -> Graded:
        """Grade a notebook; what is said about failures names paths of the machine that ordered it."""
        graded = self._grader.attempt(self._exercise, notebook)
        here = self._folder.name
        problem, traceback = (text.replace(here, self._root) for text in (graded.problem, graded.traceback))
        return replace(graded, problem=problem, traceback=traceback)

    def close(self) -> None:
        """End the zygote and delete the folder."""
        self._grader.close()
        self._folder.cleanup()


# One thread grades for all of Dask's threads: a marking process ends with the thread that started it. The one
# grader ends with the process, its folder with Dask's own.
_THREAD = ThreadPoolExecutor(1, "autograder")
_GRADER: list[_ExerciseGrader] = []


def _grade(order: Order, files: bytes, notebook: Notebook, folder: str) -> Graded:
    if not _GRADER or _GRADER[0].job != (order, files):
        if order.versions != VERSIONS:
            raise ClusterError(f"has another Python, torch or autograder than here; {HOW_TO_MATCH}")
        while _GRADER:
            _GRADER.pop().close()
        _GRADER.append(_ExerciseGrader(order, files, folder))
    return _GRADER[0].grade(notebook)
