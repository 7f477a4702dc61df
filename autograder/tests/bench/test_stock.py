"""Stock nbgrader's source notebook: the same hidden tests, in its own test cells."""

from autograder.bench.asserts import hidden_tests
from autograder.bench.stock import source
from autograder.course.course import Course
from autograder.tests.classroom import small


def test_stock_nbgrader_s_cells_hold_the_hidden_tests_and_no_picture_stays(course: Course) -> None:
    exercise = small(course)
    cells = source(exercise, hidden_tests(exercise))["cells"]
    checks = [c for c in cells if c["metadata"].get("nbgrader", {}).get("grade_id", "").startswith("check-")]
    assert len(checks) == 2
    assert all(cell["source"].count("### BEGIN HIDDEN TESTS") == 1 for cell in checks)
    assert "double(" in checks[0]["source"].partition("### BEGIN HIDDEN TESTS")[2]
    assert not any("plt.show" in "".join(cell["source"]) for cell in cells)
