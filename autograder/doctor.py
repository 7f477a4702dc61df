"""Checks whether the machine and the course have everything that grading needs, and says what to fix."""

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager

from autograder.course.course import CourseError, load_course
from autograder.course.guard import SubmissionError
from autograder.course.packages import PackageError, is_right, modules, name_of, versions
from autograder.course.settings import CourseSettings, Limits, Tier
from autograder.sandbox.errors import ZygoteError
from autograder.sandbox.process import WorkerError
from autograder.sandbox.zygote import Zygote
from autograder.submission.submission import count_newer_pythons

PACKAGES = ("nbgrader", "pytest", "jupytext", "ipython", "pydantic")
KERNEL = "python3"
WRITTEN = (".", "build", "assignments", "submitted", "autograded", "feedback")
_INSTALL = "reinstall the autograder: with pip, or with `make setup` in its source folder"
_REMOVE = "repair the file in submitted/, or remove it; build/autograder.log may name the cause"


@dataclass(frozen=True, slots=True)
class Check:
    """The result of checking one requirement of grading."""

    name: str
    ok: bool
    state: str
    fix: str = ""  # instruction if the check failed


def examine(root: Path) -> list[Check]:
    """Check all requirements of grading the course in `root`. If several fail, fix the first one first."""
    course, settings = _course(root)
    return [
        *_machine(),
        *_packages(settings.packages if settings else ()),
        *_guarded("worker", lambda: _worker(settings)),
        course,
        *_guarded("kernel", _kernel),
        *_folders(root),
        *_guarded("notebooks", lambda: _newer_pythons(root)),
    ]


def _guarded(name: str, look: Callable[[], Iterator[Check]]) -> list[Check]:
    """Return the checks that `look` yields. If `look` raises an error, return one failed check instead."""
    try:
        return list(look())
    except Exception as error:
        return [Check(name, False, f"{type(error).__name__}: {error}", _INSTALL)]


def _check(name: str, ok: bool, state: str, fix: str) -> Check:
    return Check(name, ok, state, "" if ok else fix)


def _machine() -> Iterator[Check]:
    system, fix = platform.system(), "grade on Linux; other systems can only build and check notebooks"
    yield _check("system", system == "Linux", f"{system} {platform.release()}", fix)
    yield Check("python", True, platform.python_version())  # older versions cannot load this module


def _packages(packages: Sequence[str]) -> Iterator[Check]:
    fixes = dict.fromkeys(PACKAGES, _INSTALL)
    fixes |= {package: f'python -m pip install "{package}"' for package in packages}
    for package, version in versions([*fixes]).items():
        yield _check(name_of(package), is_right(package, version), version or "not installed", fixes[package])


def _worker(settings: CourseSettings | None) -> Iterator[Check]:
    packages, demanded = (settings.packages, settings.walls) if settings else ((), Tier.BARE)
    try:
        with Zygote(packages=packages) as zygote:
            worker = zygote.fork(Limits())
            code = "\n".join(f"import {module}" for module in modules(packages))
            reply, _ = worker.ask({"op": "cell", "number": 0, "code": code}, [], 30)
            worker.close()
            yield Check("worker", reply.get("error") is None, "starts and answers")
            yield _walls(zygote, demanded)
    except PackageError as error:
        yield Check("worker", False, str(error), "install the package that is named here")
    except (ZygoteError, WorkerError, OSError) as error:
        fix = "make sure that memory is free and that this user may write to the temporary folder"
        yield Check("worker", False, str(error) or type(error).__name__, fix)


def _walls(zygote: Zygote, demanded: Tier) -> Check:
    tiers = list(Tier)  # the strictest tier is the first
    strict_enough = tiers.index(zygote.tier) <= tiers.index(demanded)
    state = f"{zygote.tier}: {', '.join(zygote.walls) or 'no isolation'}"
    fix = (
        f"course.yaml demands `walls: {demanded}`, which this machine does not offer; set it up as in "
        "autograder/docs/walls.md, or choose a weaker value"
    )
    return _check("walls", strict_enough, state, fix)


def _course(root: Path) -> tuple[Check, CourseSettings | None]:
    try:
        course = load_course(root)
    except CourseError as error:
        return Check("course.yaml", False, str(error), "fix the lines named here"), None
    missing = [exercise.name for exercise in course.exercises.values() if not exercise.source.is_file()]
    state = f"missing source files: {', '.join(missing)}" if missing else f"{len(course.exercises)} exercises"
    fix = "write the missing source files, or remove their exercises from course.yaml"
    return _check("course.yaml", not missing, state, fix), course.settings


def _kernel() -> Iterator[Check]:
    kernels = sorted(KernelSpecManager().find_kernel_specs())
    fix = f"{_INSTALL}, then `python -m ipykernel install --sys-prefix`"
    yield _check("kernel", KERNEL in kernels, ", ".join(kernels) or "none", fix)


def _folders(root: Path) -> Iterator[Check]:
    closed = [name for name in WRITTEN if (root / name).exists() and not os.access(root / name, os.W_OK)]
    state = f"cannot write to {', '.join(closed)}" if closed else "can be written to"
    yield _check("folders", not closed, state, "allow this user to write to these folders")


def _newer_pythons(root: Path) -> Iterator[Check]:
    """Report how many submitted notebooks were written with a newer Python, whose syntax may not run here."""
    with suppress(CourseError):  # `_course` has reported this error
        course = load_course(root)
        failures = list[SubmissionError]()
        newer = count_newer_pythons(course, course.exercises.values(), failures.append)
        for error in failures:
            yield Check("notebooks", False, str(error), _REMOVE)
        if newer:
            counts = ", ".join(f"{count} with Python {version}" for version, count in newer.items())
            effect = "if an answer fails because the grader's Python is older, an instructor grades it"
            yield Check("notebooks", True, f"{counts}; {effect}")
