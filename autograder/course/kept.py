"""Lists the files in a course's folder that no command can recreate. A backup contains all of them.

The files that commands can recreate are listed in `tests/course/made.py`. A test simulates a whole term, and
fails if a file in the folder is in neither list.
"""

from autograder.course.course import KEY_FILE

GRADEBOOK = "gradebook.db"
STUDENTS = "students.csv"
EXTENSIONS = "extensions.csv"
COMMENTS = "comments.yaml"
REQUESTS = "regrade_requests.csv"
STORE = "autograder.db"
FILES = (KEY_FILE, STUDENTS, EXTENSIONS, COMMENTS, REQUESTS)
DATABASES = (GRADEBOOK, STORE)
FOLDERS = ("submitted", "attempts", "autograded")
# Files that earlier versions wrote. Backups of these versions contain them.
FORMER = ("audit.jsonl", "exports.jsonl", "regrade_done.jsonl", "attempts/*/*")
BEFORE_STORE = (
    f"was written before {STORE} existed; the autograder's version at commit 3e0e7002 can convert it"
)
# Instructors edit these files, so they have ordinary permissions. Only the owner can read the other files.
OPEN = (STUDENTS, EXTENSIONS, COMMENTS, REQUESTS)


def is_kept(name: str) -> bool:
    """Whether a backup contains the file with this path relative to the course's folder."""
    return name in (*DATABASES, *FILES) or any(name.startswith(f"{folder}/") for folder in FOLDERS)
