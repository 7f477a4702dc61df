"""Verifies exercises in several processes and in a real kernel, and keeps the results."""

import hashlib
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from multiprocessing import active_children
from pathlib import Path
from subprocess import DEVNULL
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import matplotlib.font_manager  # noqa: F401 - builds the font cache, which a kernel would announce as a warning
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from pydantic import TypeAdapter

import autograder
from autograder.authoring.verify import SETS_THOROUGH, SETS_TRIED, Proof, prove
from autograder.batch.pool import CONTEXT
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise, own_files
from autograder.course.source import SourceError
from autograder.errors import AutograderError
from autograder.files import write_whole
from autograder.report.text import one_line
from autograder.sandbox.zygote import Zygote
from autograder.submission.digest import rules
from autograder.testing.suite import use_one_thread
from autograder.worker.walls import die_with_parent

FOLDER = "build/proofs"
_COMPUTING = ("ipython", "safetensors", "ipykernel")
_AUTHORING, _KIT = (Path(autograder.__file__).parent / room for room in ("authoring", "course/kit"))
_JSON = TypeAdapter(Proof)


def kept_proof(course: Course, exercise: Exercise, sets: int) -> Proof | None:
    """Return the proof of an exercise if it was proved as it is now.

    A proof is kept under a digest of all on which it depends: the exercise's folder, the catalogue, its entry
    in course.yaml, the engine, and the versions of what computes. One with findings is not kept.
    """
    with suppress(OSError, ValueError, SourceError):
        return replace(_JSON.validate_json(_path(course, exercise, sets).read_bytes()), before=True)
    return None


def keep_proof(course: Course, exercise: Exercise, sets: int, proof: Proof) -> None:
    """Keep a proof in the place of an earlier one, unless it has findings."""
    for path in (course.root / FOLDER).glob(f"{exercise.name}-*.json"):
        path.unlink(missing_ok=True)
    if not proof.findings:
        write_whole(_path(course, exercise, sets), _JSON.dump_json(proof))


def _path(course: Course, exercise: Exercise, sets: int) -> Path:
    settings = course.settings.mutants_fail, sets
    computing = sys.version, *map(version, _COMPUTING)
    digest = hashlib.sha256(repr((rules(course, exercise), settings, computing)).encode())
    for folder in (exercise.folder, _AUTHORING, _KIT):
        for path in own_files(folder):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{path.relative_to(folder)} {content}\n".encode())
    return course.root / FOLDER / f"{exercise.name}-{digest.hexdigest()}.json"


class StoppedError(AutograderError):
    """Somebody interrupted the proof."""

    exit_code: ClassVar[int] = 1


def prove_together(
    course: Course, exercises: Sequence[Exercise], jobs: int, *, anew: bool = False, thorough: bool = False
) -> Iterator[Proof]:
    """Verify exercises in `jobs` processes, each with its own zygote; the proofs come in order.

    What was proved before and has not changed is not proved again, unless `anew` asks for that.
    """
    sets = SETS_THOROUGH if thorough else SETS_TRIED
    before = {one.name: None if anew else kept_proof(course, one, sets) for one in exercises}
    left = [exercise.name for exercise in exercises if before[exercise.name] is None]
    others = active_children()
    with ProcessPoolExecutor(min(jobs, max(len(left), 1)), CONTEXT, initializer=die_with_parent) as pool:
        try:
            # The last exercises take longest; begun first, they do not run alone at the end.
            proofs = {name: pool.submit(_verified, course.root, sets, name) for name in reversed(left)}
            for exercise in exercises:
                if (proof := before[exercise.name]) is None:
                    keep_proof(course, exercise, sets, proof := proofs[exercise.name].result())
                yield proof
        except KeyboardInterrupt:
            for child in set(active_children()) - set(others):
                child.terminate()
            raise StoppedError("stopped") from None


def _verified(root: Path, sets: int, name: str) -> Proof:
    """Verify one exercise, and if nothing is found run its notebook in a kernel."""
    course = load_course(root)
    use_one_thread(course.exercises[name])
    with Zygote(packages=course.settings.packages) as zygote:
        proof = next(prove(course, (course.exercises[name],), zygote, sets))
    if proof.findings:
        return proof
    return replace(proof, findings=tuple(kernel_problems(course.exercises[name])))


CELL_SECONDS = 300
_CHARACTERS = 300  # characters


def kernel_problems(exercise: Exercise) -> Iterator[str]:
    """Yield each cell that fails in a kernel or writes to stderr there, as warnings do, with its place."""
    cells = [cell for cell in exercise.cells if cell.is_code]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.text) for cell in cells])
    with TemporaryDirectory() as folder:
        for path in exercise.handout:
            shutil.copy(path, folder)
        last, ended = _run(notebook, Path(folder))
    for number, (cell, run) in enumerate(zip(cells, notebook.cells, strict=True)):
        said = [ended] if ended and number == last else map(_said, run.outputs)
        for words in filter(None, said):
            problem = f"in a kernel, this cell {words}; students would see that too, so fix it"
            yield f"{exercise.source}:{cell.line}: {problem}"


def _run(notebook: nbformat.NotebookNode, folder: Path) -> tuple[int, str]:
    """Run all cells in `folder`, whatever they raise; return the last one's place, and what it ended by."""
    begun = [0]
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        allow_errors=True,
        on_cell_start=lambda cell_index, **_: begun.append(cell_index),
        resources={"metadata": {"path": str(folder)}},
    )
    ended = ""
    try:
        # Other exercises run beside this one; and what a kernel says of itself is of no use to an author.
        client.execute(env={**os.environ, "OMP_NUM_THREADS": "1"}, stdout=DEVNULL, stderr=DEVNULL)
    except CellTimeoutError:
        ended = f"takes longer than {CELL_SECONDS} s"
    except DeadKernelError:
        ended = "ends the kernel"
    return begun[-1], ended


def _said(output: dict[str, Any]) -> str:
    """Return what is wrong with a cell that shows this output, or nothing."""
    match output:
        case {"output_type": "error", "ename": name, "evalue": message}:
            return one_line(f"fails: {name}: {message}", _CHARACTERS)
        case {"output_type": "stream", "name": "stderr", "text": text}:
            return one_line(f"writes to stderr: {text.strip()}", _CHARACTERS)
    return ""
