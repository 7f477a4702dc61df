"""Keeps proofs in build/, so that an exercise that has not changed need not be proved again.

A proof is kept under a digest of all on which it depends: the exercise's folder, the catalogue, its entry in
course.yaml, the engine, and the versions of what computes. One with findings is not kept.
"""

import hashlib
import sys
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from pydantic import TypeAdapter

import autograder
from autograder.authoring.proof import Proof
from autograder.course.course import Course
from autograder.course.exercise import Exercise, own_files
from autograder.course.source import SourceError
from autograder.files import write_whole
from autograder.submission.digest import rules

FOLDER = "build/proofs"
_COMPUTING = ("torch", "ipython", "safetensors", "ipykernel", "matplotlib")
_AUTHORING = Path(autograder.__file__).parent / "authoring"
_JSON = TypeAdapter(Proof)


def kept_proof(course: Course, exercise: Exercise, sets: int) -> Proof | None:
    """Return the proof of an exercise if it was proved as it is now."""
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
