"""Proves exercises in several processes, keeps the proofs, and says what was at work if interrupted."""

import hashlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from multiprocessing import active_children
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from pydantic import TypeAdapter

import autograder
from autograder.authoring import in_kernel
from autograder.authoring.verify import SECONDS, SETS_THOROUGH, SETS_TRIED, Proof, Steps, prove
from autograder.batch.pool import CONTEXT
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise, own_files
from autograder.course.source import SourceError
from autograder.errors import AutograderError
from autograder.files import write_whole
from autograder.sandbox.zygote import Zygote
from autograder.submission.digest import rules
from autograder.worker.walls import die_with_parent

FOLDER = "build/proofs"
_COMPUTING = ("torch", "ipython", "safetensors", "ipykernel", "matplotlib")
_AUTHORING = Path(autograder.__file__).parent / "authoring"
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
    for folder in (exercise.folder, _AUTHORING):
        for path in own_files(folder):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{path.relative_to(folder)} {content}\n".encode())
    return course.root / FOLDER / f"{exercise.name}-{digest.hexdigest()}.json"


class StoppedError(AutograderError):
    """Somebody interrupted the proof; the message says what was at work."""

    exit_code: ClassVar[int] = 1


def prove_together(
    course: Course, exercises: Sequence[Exercise], jobs: int, *, anew: bool = False, thorough: bool = False
) -> Iterator[Proof]:
    """Verify exercises in `jobs` processes, each with its own zygote; the proofs come in order.

    What was proved before and has not changed is not proved again, unless `anew` asks for that.
    """
    sets = SETS_THOROUGH if thorough else SETS_TRIED
    before = {one.name: None if anew else kept_proof(course, one, sets) for one in exercises}
    left = [exercise for exercise in exercises if before[exercise.name] is None]
    others = active_children()
    workers = min(jobs, max(len(left), 1))
    with (
        TemporaryDirectory() as steps,
        ProcessPoolExecutor(workers, CONTEXT, initializer=die_with_parent) as pool,
    ):
        try:
            # The last exercises take longest; begun first, they do not run alone at the end.
            proofs = {
                one.name: pool.submit(_verified, course.root, Path(steps), sets, one.name)
                for one in reversed(left)
            }
            for exercise in exercises:
                if (proof := before[exercise.name]) is None:
                    keep_proof(course, exercise, sets, proof := proofs[exercise.name].result())
                yield proof
        except KeyboardInterrupt:
            at_work = list(_at_work(Path(steps), left))
            for child in set(active_children()) - set(others):
                child.terminate()
            raise StoppedError("\n".join(["stopped", *at_work])) from None


def _at_work(steps: Path, exercises: Iterable[Exercise]) -> Iterator[str]:
    """Yield for each exercise whose proof has begun and not ended what it was at."""
    for exercise in exercises:
        with suppress(OSError):
            yield f"{exercise.name}: {(steps / exercise.name).read_text(encoding='utf-8')}"


def _verified(root: Path, folder: Path, sets: int, name: str) -> Proof:
    """Verify one exercise, and if nothing is found run its notebook in a kernel."""
    course = load_course(root)
    exercise = course.exercises[name]
    steps = Steps(folder / name)
    try:
        with Zygote() as zygote:
            proof = next(prove(course, (exercise,), zygote, steps, sets))
        if not proof.findings:
            steps.begin("running the notebook in a kernel")
            proof = replace(proof, findings=tuple(in_kernel.problems(exercise)))
    except KeyboardInterrupt:
        if not steps.endless:
            raise
    steps.end()
    (folder / name).unlink()
    if steps.endless:
        limit = f"{SECONDS // 60} minutes of computing"
        said = f"{steps.now} took more than {limit}; look for a loop there that never ends"
        return Proof(name, findings=(f"{exercise.folder}: {said}",))
    return proof
