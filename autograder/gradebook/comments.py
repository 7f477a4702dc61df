"""Reads comments.yaml, the course's comment bank, and replaces `#name` in comments by the bank's text.

The file is next to course.yaml or in solutions/. Backups include the file only if it is next to course.yaml.
The formgrader shows the bank's comments on a question as buttons. If a grader writes "#units" in a comment,
students read the text that the bank has for "units".

If an instructor replies to a regrade request, this module adds the reply to the grader's comment.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nbgrader.api import MissingEntry

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.kept import COMMENTS
from autograder.course.names import closest, suggestion
from autograder.course.yaml_lines import Document, DocumentError, read_document
from autograder.errors import UsageError
from autograder.gradebook.config import open_gradebook
from autograder.report.report import Entry, GradebookSubmission
from autograder.report.text import one_line

_NAME = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
# Markdown headings do not match, because a space follows their #.
_NAMED = re.compile(r"(?<![\w#&/])#([A-Za-z][\w-]*)", re.ASCII)
_DEPTH = 3  # levels of the file: an exercise, a question, a name
_SHOWN = 3  # the maximum number of students in a warning
_LONGEST = 400  # the maximum length of a warning, in characters


class CommentBank:
    """A course's comments. A comment is for one question, for one exercise, or for the whole course."""

    def __init__(self, root: Path) -> None:
        places = (root / COMMENTS, root / "solutions" / COMMENTS)
        path = next((path for path in places if path.is_file()), None)
        self._document = _read(path) if path else read_document("{}")
        self._texts = dict(_leaves(self._document.data))

    def comments(self, exercise: str, question: str) -> dict[str, str]:
        """Return the bank's texts for a question, by name. Texts for all questions come first."""
        place = (exercise, question)
        paths = (path for path in sorted(self._texts, key=len) if path[:-1] == place[: len(path) - 1])
        return {path[-1]: self._texts[path] for path in paths}

    def put_in(self, exercise: str, graded: GradebookSubmission) -> GradebookSubmission:
        """Return a submission with each `#name` in the graders' comments replaced by the bank's text."""

        def read(entry: Entry) -> str:
            texts = self.comments(exercise, entry.question)
            return _NAMED.sub(lambda name: texts.get(name[1], name[0]), entry.remark)

        return replace(graded, entries=tuple(replace(entry, remark=read(entry)) for entry in graded.entries))

    def unknown_places(self, exercises: Mapping[str, Exercise]) -> Iterator[str]:
        """Yield a line for each unknown exercise or question in comments.yaml."""
        for place in dict.fromkeys(path[:depth] for path in self._texts for depth in range(1, len(path))):
            name, *question = place
            named = exercises[name].named if name in exercises else ()
            if name not in exercises and not question:
                yield self._line(place, f"is not an exercise; {suggestion(name, exercises)}")
            if question and named and question[0] not in named:
                yield self._line(place, f"is not a question of {name}; {suggestion(question[0], named)}")

    def unknown_names(self, exercise: str, graded: Iterable[GradebookSubmission]) -> Iterator[str]:
        """Yield a warning for each `#name` in a grader's comment that the bank does not define.

        Such a name is not replaced. If the bank is empty, there are no warnings.
        """
        students_by_name: dict[tuple[str, str], list[str]] = defaultdict(list)
        entries = (entry for submission in graded for entry in submission.entries)
        for entry in entries if self._texts else ():
            texts = self.comments(exercise, entry.question)
            for name in dict.fromkeys(_NAMED.findall(entry.remark)):
                if name not in texts:
                    students_by_name[entry.question, name].append(entry.student)
        for (question, name), students in students_by_name.items():
            more = f" and {len(students) - _SHOWN} more" if len(students) > _SHOWN else ""
            place = f"{exercise} {question} {', '.join(students[:_SHOWN])}{more}"
            close = closest(name, self.comments(exercise, question))
            hint = f'; did you mean "#{close}"?' if close else ""
            problem = f'"#{name}" is not replaced: {COMMENTS} has no such comment for this question{hint}'
            yield one_line(f"{place}: {problem}", _LONGEST)

    def _line(self, path: tuple[str, ...], problem: str) -> str:
        return one_line(f"{COMMENTS}:{self._document.line(path)}: {path[-1]} {problem}", _LONGEST)


def add_remark(course: Course, exercise: Exercise, student: str, question: str, text: str) -> None:
    """Add a paragraph to the graders' comment on a question, unless it is there already.

    The student's page shows the comment. UsageError is raised if the submission or question does not exist.
    """
    with open_gradebook(course) as gradebook:
        try:
            if gradebook is None:
                raise MissingEntry
            row = gradebook.find_comment(question, exercise.name, exercise.name, student)
        except MissingEntry:
            problem = f"the gradebook has no answer of {student} to {question} of {exercise.name}"
            raise UsageError(f"{problem}; grade it first") from None
        paragraphs = (row.manual_comment or "").split("\n\n")
        if text not in paragraphs:
            row.manual_comment = "\n\n".join(filter(None, (*paragraphs, text)))
            gradebook.db.commit()


def _read(path: Path) -> Document:
    try:
        document = read_document(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{path}: cannot be read; save it as UTF-8") from None
    except DocumentError as error:
        problems = (f"{path}:{problem.line}: {problem.message}" for problem in error.problems)
        raise UsageError("\n".join(problems)) from None
    if not isinstance(document.data, dict):
        raise UsageError(f"{path}:1: must contain comments; write each as `name: text`")
    for keys, value in _leaves(document.data):
        if len(keys) > _DEPTH or not isinstance(value, str) or not _NAME.fullmatch(keys[-1]):
            fix = "write `name: text` at the top level, below an exercise, or below a question of an exercise"
            place, name = f"{path}:{document.line(keys)}", ".".join(keys)
            raise UsageError(f"{place}: {name} is not a comment; {fix}")
    return document


def _leaves(data: Mapping[Any, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*path, str(key)))
        else:
            yield (*path, str(key)), value
