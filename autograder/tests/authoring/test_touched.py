"""Which questions an answer can touch: its own, and those that ask for something that rests on it."""

from autograder.authoring.trials import Touched
from autograder.course.course import Course
from autograder.testing.suite import Suite
from autograder.tests.classroom import small


def touched_by(course: Course, **answers: str) -> frozenset[str]:
    return Touched(Suite(small(course))).by(answers)


def test_an_answer_touches_its_own_question(course: Course) -> None:
    assert touched_by(course, double="def double(x):\n    return x") == {"double"}


def test_an_answer_touches_what_it_defines_beside_its_own_question(course: Course) -> None:
    both = "def row_sums(x):\n    return x\n\ndef double(x):\n    return x"
    assert touched_by(course, row_sums=both) == {"double", "row_sums"}


def test_an_answer_touches_what_calls_it_in_the_solution(course: Course) -> None:
    source = small(course).source
    text = source.read_text(encoding="utf-8")
    calling = text.replace("return x.sum(", "return 0.5 * double(x).sum(")
    assert calling != text
    source.write_text(calling, encoding="utf-8")
    assert touched_by(course, double="def double(x):\n    return x") == {"double", "row_sums"}


def test_an_answer_touches_what_asks_for_it_in_a_test(course: Course) -> None:
    with small(course).suite.open("a", encoding="utf-8") as suite:
        suite.write('\n\n@question("row_sums")\ndef test_both(student):\n    """It holds."""\n')
        suite.write("    student.double(student.row_sums(torch.ones(2, 2)))\n")
    assert touched_by(course, double="def double(x):\n    return x") == {"double", "row_sums"}
