"""nbgrader's settings: its own commands and the formgrader grade as `autograder grade` does."""

from pathlib import Path

from autograder.course.course import load_course
from autograder.gradebook import configuration

c = get_config()  # noqa: F821 - nbgrader provides it
# Course id, folders, and our exporters and preprocessors in the place of those that execute and believe
# submissions. What you add below this line holds for nbgrader and for `autograder` alike.
c.merge(configuration(load_course(Path(__file__).parent)))
