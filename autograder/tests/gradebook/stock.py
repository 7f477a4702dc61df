"""nbgrader as it comes: its own command, run in a course's folder."""

import subprocess
import sys
from pathlib import Path

from autograder.course.course import Course


def nbgrader(course: Course, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run nbgrader's own command in the course's folder."""
    command = [str(Path(sys.executable).with_name("nbgrader")), *arguments]
    return subprocess.run(command, cwd=course.root, capture_output=True, text=True, timeout=300, check=False)
