"""Values of a YAML file are found again by line, and a broken file says where it breaks."""

import pytest

from autograder.course.yaml_lines import DocumentError, KeyPath, Problem, dotted, read_document

TEXT = """\
course: small
exercises:
  - name: one
    due: 2026-03-01
  - {name: two,
     limits: {memory_mb: 64}}
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("exercises", 0, "due"), 4),
        (("exercises", 1), 5),
        (("exercises", 1, "limits", "memory_mb"), 6),
        (("exercises", 1, "limits", "cell_seconds"), 6),  # is not there, but has something around it
        (("title",), 1),
    ],
)
def test_each_value_has_its_line(path: KeyPath, line: int) -> None:
    assert read_document(TEXT).line(path) == line


def test_dates_stay_text() -> None:
    assert read_document(TEXT).data["exercises"][0]["due"] == "2026-03-01"


def test_a_path_is_written_as_people_write_it() -> None:
    assert dotted(("exercises", 0, "limits", "memory_mb")) == "exercises[0].limits.memory_mb"
    assert dotted(()) == ""


def test_every_repeated_key_is_a_problem_on_its_line() -> None:
    with pytest.raises(DocumentError) as caught:
        read_document("a: 1\nb: {c: 1, c: 2}\na: 2\n")
    assert caught.value.problems == (
        Problem(2, "b.c: repeats the key of line 2; keep one of them"),
        Problem(3, "a: repeats the key of line 1; keep one of them"),
    )
