"""Names what lies in a course's folder beside what its author has written there.

The first names are of what no command can make again, and a backup packs all of it. `MADE` names the rest. A
test runs a whole term and finds each file of the folder under one of these names, so whoever lets a command
write a new file says here which of both it is.
"""

from collections.abc import Mapping
from fnmatch import fnmatch

from autograder.course.secret import FILE as SECRET

GRADEBOOK = "gradebook.db"
STUDENTS = "students.csv"
EXTENSIONS = "extensions.csv"
COMMENTS = "comments.yaml"
REQUESTS = "regrade_requests.csv"
DONE = "regrade_done.jsonl"
AUDIT = "audit.jsonl"
EXPORTS = "exports.jsonl"
FILES = (SECRET, STUDENTS, EXTENSIONS, COMMENTS, REQUESTS, DONE, AUDIT, EXPORTS)
FOLDERS = ("submitted", "attempts", "autograded", "build/reports")
# People write these, too; the others are for their owner's eyes alone.
OPEN = (STUDENTS, EXTENSIONS, COMMENTS, REQUESTS)
MADE: Mapping[str, str] = {  # patterns of names at the top of the folder
    "assignments": "autograder release",
    "build": "whichever command has written there",
    "feedback": "autograder feedback",
    "backups": "they are the backups",
    "gradebook.db.of-*": "nobody needs it: what it holds is in the gradebook, too",
    ".nbgrader.log": "nobody needs it",
    ".*.lock": "it holds nothing",
}


def is_kept(name: str) -> bool:
    """Whether a backup holds the file of this name, as it is seen from the course's folder."""
    return name in (GRADEBOOK, *FILES) or any(name.startswith(f"{folder}/") for folder in FOLDERS)


def is_made(name: str) -> bool:
    """Whether the file of this name can be made again, or holds nothing."""
    top = name.partition("/")[0]
    return not is_kept(name) and any(fnmatch(top, pattern) for pattern in MADE)
