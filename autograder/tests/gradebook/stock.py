"""nbgrader as it comes: its own command, run in a course's folder, and what the formgrader's buttons do."""

import sys
from pathlib import Path
from subprocess import PIPE, CompletedProcess

from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from autograder.course.course import Course
from autograder.gradebook.config import load
from autograder.tests.warm import WarmPopen


def nbgrader(course: Course, *arguments: str) -> CompletedProcess[str]:
    """Run nbgrader's own command in the course's folder, in a process of its own."""
    command = [sys.executable, "-m", "nbgrader", *arguments]
    with WarmPopen(command, cwd=course.root, stdout=PIPE, stderr=PIPE, text=True) as process:
        said = process.communicate(timeout=300)
    return CompletedProcess(command, process.returncode, *said)


def formgrader(course: Course, exchange: Path | None = None) -> NbGraderAPI:
    """Return what stands behind the formgrader's buttons."""
    config = load(course)
    config.merge(Config({"Exchange": {"root": str(exchange or course.root)}}))
    return NbGraderAPI(config=config)
