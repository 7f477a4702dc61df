"""Authors declare mutants that no test can tell from the solution; a declaration needs all its parts."""

import pytest

from autograder.authoring.strength import read_equivalents
from autograder.course.course import Course
from autograder.course.source import SourceError

ENTRY = "- {question: double, line: ' x ', instead: y, because: both are the same}\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("double: x\n", "equivalent.yaml:1: must be a list of mutants, each with the keys question, line"),
        (
            f"{ENTRY}- double\n",
            "equivalent.yaml:2: needs the keys question, line, instead, because",
        ),
        (ENTRY.replace("'' x ''", "1"), None),
        (ENTRY.replace("y,", "1,"), "equivalent.yaml:1: needs the keys"),
        (ENTRY.replace("both are the same", "''"), "equivalent.yaml:1: gives no reason; say in `because`"),
        (ENTRY.replace("double", "triple"), '"triple" is not a question; use one of double, row_sums'),
        (ENTRY.replace("}", ", more: x}"), "equivalent.yaml:1: needs the keys"),
        ("- [\n", "equivalent.yaml:2: not YAML: "),
    ],
)
def test_a_declaration_that_cannot_be_read_is_refused_with_its_place_and_fix(
    course: Course, text: str, problem: str | None
) -> None:
    exercise = course.exercises["01_small"]
    (exercise.folder / "equivalent.yaml").write_text(text, encoding="utf-8")
    if problem is None:
        (declared,) = read_equivalents(exercise)
        assert (declared.question, declared.line, declared.instead) == ("double", "x", "y")
    else:
        with pytest.raises(SourceError) as refused:
            read_equivalents(exercise)
        assert problem in str(refused.value)


def test_an_exercise_may_declare_nothing(course: Course) -> None:
    assert read_equivalents(course.exercises["01_small"]) == ()
