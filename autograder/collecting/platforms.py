"""Recognises the names that Canvas, Moodle and Gradescope give to files in their exports."""

import re
from collections.abc import Sequence

# Canvas: its user id stays the same throughout the course; the second number counts uploads.
_CANVAS = r"(?P<who>[^/]+?)_(?:(?P<late>LATE)_)?(?P<student>\d+)_(?P<number>\d+)_[^/]+"
# Moodle: it numbers participants anew in each assignment, so the name has to serve as the id.
_MOODLE = r"(?P<who>(?P<student>[^/]+?))_\d+_assignsubmission_file_?.+"
_PLATFORMS = (re.compile(_CANVAS), re.compile(_MOODLE))
_GRADESCOPE = re.compile(r"(assignment_\d+_export/)?submission_\d+/")


def match_platform(name: str) -> re.Match[str] | None:
    """Return what Canvas or Moodle has written into a name.

    Platforms write before what students choose, so the leftmost sign of a platform counts.
    """
    matches = [match for form in _PLATFORMS if (match := form.match(name))]
    return min(matches, key=lambda match: match.end("who"), default=None)


def is_gradescope(name: str) -> bool:
    """Whether the file lies in a folder of Gradescope's, whose name tells no student."""
    return bool(_GRADESCOPE.match(name))


def class_folder(paths: Sequence[str], exercises: Sequence[str]) -> str:
    """Return the folder, with its slash, in which the whole class lies, or an empty text.

    A class has at least two students: the only folder of an archive may be a student's own.
    """
    tops = {path.partition("/")[0] for path in paths}
    below = [path.partition("/")[2] for path in paths]
    students = {path.partition("/")[0] for path in below} - set(exercises)
    if len(tops) != 1 or len(students) < 2:
        return ""
    uniform = all("/" in path for path in below) or all(match_platform(path) for path in below)
    return f"{tops.pop()}/" if uniform else ""
