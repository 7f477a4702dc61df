"""nbgrader as it comes: its own command, run in a course's folder, and what the formgrader's buttons do."""

import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from autograder.course.course import Course
from autograder.gradebook.config import load


def nbgrader(course: Course, *arguments: str) -> CompletedProcess[str]:
    """Run nbgrader's own command in the course's folder, in a process of its own."""
    command = [sys.executable, "-m", "nbgrader", *arguments]
    return subprocess.run(command, cwd=course.root, capture_output=True, text=True, check=False)


def formgrader(course: Course, exchange: Path | None = None) -> NbGraderAPI:
    """Return what stands behind the formgrader's buttons."""
    config = load(course)
    config.merge(Config({"Exchange": {"root": str(exchange or course.root)}}))
    return NbGraderAPI(config=config)
