"""The list of extensions, which a command and people write."""

import pytest

from autograder.course.course import Course, load_course
from autograder.gradebook.extensions import ExtensionError, extend, read_extensions

BERLIN = "2026-03-03 12:00 Europe/Berlin"


@pytest.fixture
def dated(course: Course) -> Course:
    path = course.root / "course.yaml"
    dated = path.read_text(encoding="utf-8").replace(
        "- name: 01_small", "- name: 01_small\n    due: 2026-03-01 18:00 Europe/Berlin"
    )
    path.write_text(dated, encoding="utf-8")
    return load_course(course.root)


def test_the_list_holds_one_line_a_student_and_exercise(dated: Course) -> None:
    assert read_extensions(dated, "01_small") is None
    extend(dated, "zoe", "01_small", "2026-03-02T12:00:00+00:00")
    extend(dated, "ann", "01_small", "2026-03-02 18:00 Europe/Berlin")
    extend(dated, "ann", "01_small", BERLIN)
    text = (dated.root / "extensions.csv").read_text(encoding="utf-8")
    assert text.splitlines() == [
        "student,exercise,until",
        f"ann,01_small,{BERLIN}",
        "zoe,01_small,2026-03-02T12:00:00+00:00",
    ]
    extend(dated, "zoe", "01_small", None)
    assert list(read_extensions(dated, "01_small") or ()) == ["ann"]


@pytest.mark.parametrize(
    ("student", "until", "message"),
    [
        ("=1+1", BERLIN, "is no student's id"),
        ("ann", "tomorrow", 'UNTIL: "tomorrow" is no date and time; write it as 2026-03-01 18:00 Europe/Be'),
        ("ann", "2026-03-01 18:00 Europe/Berlin", "is not after 2026-03-01T18:00:00"),
    ],
)
def test_what_is_no_extension_is_refused(dated: Course, student: str, until: str, message: str) -> None:
    with pytest.raises(ExtensionError, match=message):
        extend(dated, student, "01_small", until)
    assert not (dated.root / "extensions.csv").exists()


def test_without_a_due_date_there_is_nothing_to_extend(course: Course) -> None:
    with pytest.raises(ExtensionError, match="01_small is never due; give it a `due`"):
        extend(course, "ann", "01_small", BERLIN)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ann,01_small,x\n", r"extensions\.csv:1: must be student,exercise,until"),
        ("student,exercise,until\nann,02_none,x\n", r"extensions\.csv:2: is no extension"),
        ("student,exercise,until\n\nann,01_small,soon\n", r'extensions\.csv:3: "soon" is no date and time'),
        ("", "cannot be read"),
    ],
)
def test_a_list_that_is_wrong_is_refused_with_its_line(dated: Course, text: str, message: str) -> None:
    (dated.root / "extensions.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ExtensionError, match=message):
        read_extensions(dated, "01_small")
