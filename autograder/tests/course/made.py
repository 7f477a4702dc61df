"""Names what commands write into a course's folder and can make again, so that no backup holds it."""

from fnmatch import fnmatch

from autograder.course.kept import is_kept

MADE = (  # at the top of the folder
    "assignments",
    "build",
    "feedback",
    "backups",
    "gradebook.db.*",  # copies of the gradebook that `nbgrader db upgrade` has made
    ".nbgrader.log",
    ".*.lock",
)


def is_made(name: str) -> bool:
    """Whether the file of this name can be made again, or holds nothing."""
    top = name.partition("/")[0]
    return not is_kept(name) and any(fnmatch(top, pattern) for pattern in MADE)
