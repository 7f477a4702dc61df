"""nbgrader's settings: its own commands and the formgrader grade as `autograder grade` does."""

from pathlib import Path

from autograder.course.course import load_course
from autograder.gradebook import configuration

c = get_config()  # noqa: F821 - nbgrader provides it
# The course id, the folders, and exporters and preprocessors that replace nbgrader's own, which would execute
# submissions and trust their outputs. Settings that you add below apply to nbgrader and to `autograder`.
c.merge(configuration(load_course(Path(__file__).parent)))
