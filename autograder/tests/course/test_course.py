"""course.yaml is read whole, or refused with every line that is wrong in it."""

import pytest

from autograder.course.course import Course, CourseError, find_course, load_course
from autograder.course.rule import GROUPS, Rule
from autograder.course.settings import Limits
from autograder.tests.classroom import small

HEAD = "course: small\ntitle: Small\n"
ONE = "exercises:\n  - name: 01_small\n"


def refusal(course: Course, text: str | bytes) -> list[str]:
    """Return the lines with which `text` is refused, without the folder's name."""
    path = course.root / "course.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(CourseError) as caught:
        load_course(course.root)
    return str(caught.value).replace(f"{course.root}/", "").splitlines()


def accepted(course: Course, text: str) -> Course:
    (course.root / "course.yaml").write_text(text, encoding="utf-8")
    return load_course(course.root)


def test_every_problem_is_reported_at_once_by_line(course: Course) -> None:
    text = """\
course: 101
title: ""
wall: full
walls: strong
limits:
  cell_seconds: -1
  call_seconds: fast
  memory_mb: 2.5
  total_second: 3
exercises:
  - name: 01 dots
    due: 2026-03-01 18:00
  - name: one
    du: 3
    due: 20260301
    forbids: {}
    forbid:
      double: mul
  - name: One
    forbid:
    limits: [1]
  - due: 2026-03-01T18:00:00Z
  - 5
"""
    assert refusal(course, text) == [
        "course.yaml:1: course: input should be a valid string, but the value is 101; change it",
        "course.yaml:2: title: string should have at least 1 character, but the value is ''; change it",
        'course.yaml:3: wall: unknown key; did you mean "walls"?',
        "course.yaml:4: walls: input should be 'full', 'container' or 'bare', but the value is 'strong'; "
        "change it",
        "course.yaml:6: limits.cell_seconds: input should be greater than 0, but the value is -1; change it",
        "course.yaml:7: limits.call_seconds: input should be a valid number, but the value is 'fast'; "
        "change it",
        "course.yaml:8: limits.memory_mb: input should be a valid integer, but the value is 2.5; change it",
        'course.yaml:9: limits.total_second: unknown key; did you mean "total_seconds"?',
        "course.yaml:11: exercises[0].name: string should match pattern '^[A-Za-z0-9][A-Za-z0-9_-]*$', "
        "but the value is '01 dots'; change it",
        "course.yaml:12: exercises[0].due: has no time zone; "
        "write it as 2026-03-01T18:00:00+01:00 or 2026-03-01 18:00 Europe/Berlin",
        'course.yaml:14: exercises[1].du: unknown key; did you mean "due"?',
        "course.yaml:15: exercises[1].due: is not a date and time; "
        "write it as 2026-03-01T18:00:00+01:00 or 2026-03-01 18:00 Europe/Berlin",
        'course.yaml:16: exercises[1].forbids: unknown key; did you mean "forbid"?',
        "course.yaml:18: exercises[1].forbid.double: must be a list; write it as [one, two]",
        "course.yaml:20: exercises[2].forbid: is empty; give it a value or take it out",
        "course.yaml:21: exercises[2].limits: must have keys with values; "
        "write each on a separate line, as `key: value`",
        "course.yaml:22: exercises[3].name: is missing; add it",
        "course.yaml:23: exercises[4]: must have keys with values; "
        "write each on a separate line, as `key: value`",
    ]


RULES, AT = HEAD + ONE + "    ", "exercises[0]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1: the file is empty; it needs at least course, title and exercises"),
        ("- one", "1: the file: must have keys with values; write each on a separate line, as `key"),
        (HEAD + "exercises:\n\t- name: one\n", "4: a tab indents this line; use spaces"),
        (HEAD + ONE + "title: Other\n", "5: title: repeats the key of line 2; keep one of them"),
        (RULES + "forbid:\n      a: [@]\n", "6: found character '@' that cannot start any token; put the"),
        (
            "course: small: one\n",
            '1: a ":" where a key is not allowed; check the indentation, or put the text in',
        ),
        (
            "course: [small\ntitle: b\n",
            "2: not YAML: expected ',' or ']', but got ':'; check the indentation,",
        ),
        (HEAD + ONE + "---\n", "5: not YAML: found another document; check the indentation, brackets and"),
        ("course: \x07", "1: a control character; delete it"),
        ("[" * 1000, "1: nested too deeply; use fewer levels"),
        (HEAD + "exercises: []\n", "3: exercises: is empty; list at least one"),
        (
            HEAD + ONE + "  - name: 01_SMALL\n",
            '5: exercises[1].name: "01_SMALL" is also the name of exercises[0];',
        ),
        (
            HEAD + "exercises:\n  - name: 01_smal\n",
            '4: exercises[0].name: there is no folder solutions/01_smal; did you mean "01_small"?',
        ),
        (
            HEAD + ONE + "  - name: graphs\n",
            "5: exercises[1].name: there is no folder solutions/graphs; write the name of a folder in",
        ),
        (
            RULES + "by_hand:\n      doubles: [a]\n",
            f'6: {AT}.by_hand.doubles: 01_small has no question "doubles"; did',
        ),
        (
            RULES + "builds_on:\n      row_sums: [row_sum]\n",
            f"6: {AT}.builds_on.row_sums[0]: 01_small has no q",
        ),
        (
            RULES + "builds_on:\n      row_sums: [row_sums]\n",
            f'6: {AT}.builds_on.row_sums[0]: "row_sums" does',
        ),
        (
            RULES + "builds_on:\n      double: [row_sums]\n",
            f'6: {AT}.builds_on.double[0]: "row_sums" does not',
        ),
    ],
)
def test_a_problem_is_reported_with_its_line_and_its_fix(course: Course, text: str, message: str) -> None:
    (line,) = refusal(course, text)
    assert line.startswith(f"course.yaml:{message}")


def test_what_is_no_file_of_text_is_refused(course: Course) -> None:
    assert refusal(course, b"course: \xff") == ["course.yaml: not UTF-8 text; save it as UTF-8"]
    (course.root / "course.yaml").unlink()
    with pytest.raises(CourseError, match=r"course\.yaml: missing; run this in the course's folder"):
        load_course(course.root)
    (course.root / "course.yaml").mkdir()
    with pytest.raises(CourseError, match="it must be a readable file"):
        load_course(course.root)


def test_a_list_that_holds_itself_is_refused_and_does_not_hang(course: Course) -> None:
    assert refusal(course, HEAD + "exercises: &all [*all]\n")


def test_an_exercise_s_limits_go_over_the_course_s(course: Course) -> None:
    text = HEAD + "limits: {call_seconds: 2, memory_mb: 512}\n" + ONE + "    limits: {memory_mb: 1024}\n"
    assert small(accepted(course, text)).settings.limits == Limits(call_seconds=2, memory_mb=1024)


def test_rules_are_handed_on_by_question(course: Course) -> None:
    assert small(course).rules == {"row_sums": Rule(("einsum",))}
    both = HEAD + ONE + "    forbid: {double: [mul]}\n    by_hand: {double: [add], row_sums: [sums, view]}\n"
    assert small(accepted(course, both)).rules == {
        "double": Rule(("mul",), frozenset({"add"})),
        "row_sums": Rule((), GROUPS["sums"] | {"view"}),
    }


def test_what_a_question_may_build_on_is_handed_on(course: Course) -> None:
    assert small(course).settings.builds_on == {}
    text = HEAD + ONE + "    builds_on: {row_sums: [double]}\n"
    assert small(accepted(course, text)).settings.builds_on == {"row_sums": ("double",)}


def test_no_class_can_be_built_on(course: Course) -> None:
    source = course.exercises["01_small"].source
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("def double(x: torch.Tensor) -> torch.Tensor:", "class double:"), "utf-8")
    assert refusal(course, HEAD + ONE + "    builds_on: {row_sums: [double]}\n") == [
        'course.yaml:5: exercises[0].builds_on.row_sums[0]: "double" is not a function, so grading '
        "cannot put a right answer in its place; delete this entry"
    ]


def test_an_unknown_exercise_is_refused_with_the_known_ones(course: Course) -> None:
    with pytest.raises(CourseError, match='has no exercise "02_big"; use one of 01_small'):
        course.chosen(["02_big"])


def test_an_exercise_may_be_named_by_a_beginning_that_only_one_has(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [exercise.name for exercise in course.chosen(["01"])] == ["01_small"]
    with pytest.raises(CourseError, match='has no exercise ""'):
        course.chosen([""])
    one = course.exercises["01_small"]
    names = "01_small", "01_smaller", "02_big"
    monkeypatch.setitem(vars(course), "exercises", dict.fromkeys(names, one))
    assert course.chosen(["01_small", "01_small"]) == course.chosen(["02"]) == [one]
    with pytest.raises(
        CourseError, match='"01" is the beginning of 01_small and 01_smaller; write more letters'
    ):
        course.chosen(["01"])


def test_a_course_is_found_from_inside_its_folders(course: Course) -> None:
    inside = course.root / "solutions" / "01_small"
    assert find_course(inside) == course.root
