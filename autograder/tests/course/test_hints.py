"""An author's hints reach the kit as they are written, and what is wrong with them is told by line."""

import json
import re
from typing import Any

import pytest

from autograder.course.course import Course
from autograder.course.hints import check_hints
from autograder.course.kit import EVERYWHERE, hints_of
from autograder.course.notebook import student_files
from autograder.course.source import SourceError
from autograder.tests.classroom import real_course, small

COURSE = real_course()
GOOD = """
double:
  - "Add: what to what?"
  - when: "shape|x - y"
    hint: "It's as large as \\"x\\"."
"""
SHARED = '- {when: nan, hint: "Where?"}\n'


def write(course: Course, text: str) -> None:
    (small(course).folder / "hints.yaml").write_text(text, encoding="utf-8")


def test_hints_travel_in_the_kit(course: Course) -> None:
    write(course, GOOD)
    (small(course).folder.parent / "hints.yaml").write_text(SHARED, encoding="utf-8")
    check_hints(small(course))
    given: dict[str, Any] = {}
    exec(json.loads(student_files(small(course))["exercise.json"])["given"], given)
    own = [["", "Add: what to what?"], ["shape|x - y", 'It\'s as large as "x".']]
    assert given["_HINTS"] == {"double": own, "*": [["nan", "Where?"]]}


def test_hints_for_all_questions_need_a_pattern(course: Course) -> None:
    path = small(course).folder.parent / "hints.yaml"
    path.write_text(f"{SHARED}- Think.\n", encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        check_hints(small(course))
    assert str(caught.value) == f"{path}:2: needs `when` and `hint` in each item"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("- a", 1, "must have questions as keys"),
        ("\nduble:\n  - a", 2, '"duble" is not a question; did you mean "double"?'),
        ("double: a", 1, '"double" needs a list of hints'),
        ("double:\n  - a\n  - 3", 3, "a hint must be a text"),
        ("double:\n  - when: a", 2, "a hint must be a text"),
        ("double:\n  - a\n  - when: '('\n    hint: b", 3, "`when` is not a valid regular expression"),
        (
            "double:\n  - a\n  - do return torch.mul(x, 2) there",
            3,
            'quotes the solution: "return torch.mul(x, 2)"',
        ),
        ("double: [", 1, ""),
    ],
)
def test_what_is_wrong_is_told_by_line(course: Course, text: str, line: int, message: str) -> None:
    write(course, text)
    with pytest.raises(SourceError) as caught:
        check_hints(small(course))
    assert f"hints.yaml:{line}: " in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", list(COURSE.exercises))
def test_the_course_hints_at_each_question_in_steps_and_at_slips_only_where_one_was_seen(name: str) -> None:
    exercise = COURSE.exercises[name]
    all_hints = {name: hints for name, hints in hints_of(exercise.folder) if name != EVERYWHERE}
    assert list(all_hints) == exercise.questions
    for question, hints in all_hints.items():
        patterns = [when for when, _ in hints if when]
        assert len(hints) >= 3
        assert len(hints) - len(patterns) >= 2
        assert not [when for when in patterns if re.search(when, f"{question}: not filled in yet")]
