"""The gradebook when people, time or the course itself have changed something."""

import pytest

from autograder.authoring.build import build_sources
from autograder.course.course import Course, CourseError, load_course
from autograder.gradebook import generate, register
from autograder.gradebook.config import database, load
from autograder.grading.graded import Graded
from autograder.report.report import Report, Status, Verdict
from autograder.tests.classroom import CONFIG, hand_in, small, solved
from autograder.tests.gradebook.rows import by_hand, dump, entry, full_marks, handin, record

AND_NOW = """
# %% [markdown]
# And now?

# %% [markdown] manual="now" points=1
# ### BEGIN SOLUTION
# Onwards.
# ### END SOLUTION
"""


@pytest.fixture
def course(ready: Course) -> Course:
    """Return a course with an empty gradebook."""
    return ready


@pytest.fixture
def marked(course: Course) -> Graded:
    """Return what a right answer comes to."""
    return full_marks(small(course))


def test_what_a_person_gave_survives_grading_again(course: Course, marked: Graded) -> None:
    hand_in(course, "ann", solved(small(course)))
    record(course, "ann", marked)
    by_hand(course, "ann", "why", 1.5, "Say why it is linear.")
    by_hand(course, "ann", "check-double", 0.5)
    record(course, "ann", marked)
    why, double = entry(course, "ann", "why"), entry(course, "ann", "double")
    assert (why.manual_score, why.remark, why.score) == (1.5, "Say why it is linear.", 1.5)
    assert (double.auto_score, double.manual_score, double.score) == (2.0, 0.5, 0.5)
    assert double.needs_person  # as in nbgrader: somebody should see whether it still holds


def test_a_grader_error_leaves_no_score_and_asks_for_a_person(course: Course, marked: Graded) -> None:
    hand_in(course, "ann", solved(small(course)))
    broken = marked.report.as_dict()
    broken["questions"][0].update(verdict=Verdict.GRADER_ERROR, score=None)
    report = Report.from_dict({**broken, "status": Status.GRADER_ERROR, "score": None})
    record(course, "ann", Graded(report, {}))
    seen = entry(course, "ann", "double")
    assert (seen.auto_score, seen.score, seen.needs_person) == (None, None, True)
    assert handin(course, "ann").score is None


def test_late_submissions_are_late_in_the_gradebook(course: Course, marked: Graded) -> None:
    text = (course.root / "course.yaml").read_text(encoding="utf-8")
    dated = text.replace("- name: 01_small\n", "- name: 01_small\n    due: 2026-01-01T10:00:00+01:00\n")
    (course.root / "course.yaml").write_text(dated, encoding="utf-8")
    course = load_course(course.root)
    hand_in(course, "ann", solved(small(course)), late="2026-01-01 10:00:00 UTC")
    record(course, "ann", marked)
    assert handin(course, "ann").seconds_late == 3600


def edit(course: Course, old: str, new: str) -> Course:
    """Return the course with its exercise changed, as its author might."""
    source = small(course).source
    text = source.read_text(encoding="utf-8")
    assert old in text
    source.write_text(text.replace(old, new), encoding="utf-8")
    return load_course(course.root)


def test_changed_points_and_checks_reach_the_gradebook_and_keep_what_people_gave(
    course: Course, marked: Graded
) -> None:
    hand_in(course, "ann", solved(small(course)))
    record(course, "ann", marked)
    by_hand(course, "ann", "why", 1.5)
    course = edit(course, 'check="double" points=2', 'check="double" points=4')
    register(course, small(course))
    assert entry(course, "ann", "double").max_score == 4.0
    assert entry(course, "ann", "why").manual_score == 1.5


def test_a_question_that_is_added_gets_its_rows(course: Course, marked: Graded) -> None:
    hand_in(course, "ann", solved(small(course)))
    record(course, "ann", marked)
    by_hand(course, "ann", "why", 1.5)
    with small(course).source.open("a", encoding="utf-8") as source:
        source.write(AND_NOW)
    course = load_course(course.root)
    register(course, small(course))
    now = entry(course, "ann", "now")
    assert (now.score, now.max_score, now.needs_person) == (None, 1.0, True)
    assert entry(course, "ann", "why").manual_score == 1.5


def without_why(course: Course) -> Course:
    text = small(course).source.read_text(encoding="utf-8")
    small(course).source.write_text(text[: text.index("# %% [markdown] manual")], encoding="utf-8")
    return load_course(course.root)


def test_a_question_that_is_gone_leaves_the_gradebook(course: Course, marked: Graded) -> None:
    hand_in(course, "ann", solved(small(course)))
    record(course, "ann", marked)
    course = without_why(course)
    register(course, small(course))
    assert [e.question for e in handin(course, "ann").entries] == ["double", "row_sums"]
    assert all("why" not in row for rows in dump(course.root / "gradebook.db").values() for row in rows)


def test_a_question_that_people_graded_is_never_deleted(course: Course, marked: Graded) -> None:
    hand_in(course, "ann", solved(small(course)))
    record(course, "ann", marked)
    by_hand(course, "ann", "why", 1.5)
    course = without_why(course)
    with pytest.raises(CourseError, match='"why" is gone, but 1 of its grades'):
        register(course, small(course))
    assert any("why" in row for row in dump(course.root / "gradebook.db")["grades"])


def test_release_needs_no_gradebook_and_never_disturbs_one(course: Course) -> None:
    build_sources(course, [small(course)])
    (course.root / "gradebook.db").unlink()
    generate(course, small(course), database=False)
    assert (course.assignments / "01_small" / "01_small.ipynb").is_file()
    assert not (course.root / "gradebook.db").exists()
    generate(course, small(course), database=True)
    assert dump(course.root / "gradebook.db")["assignments"] == [("01_small", None, "small")]


def test_settings_added_by_an_instructor_hold_for_both_ways(course: Course, marked: Graded) -> None:
    added = (
        "\nc.LateSubmissionPlugin.penalty_method = 'zero'\nc.CourseDirectory.db_url = 'sqlite:///other.db'\n"
    )
    (course.root / "nbgrader_config.py").write_text(
        CONFIG.read_text(encoding="utf-8") + added, encoding="utf-8"
    )
    config = load(course)
    assert config.LateSubmissionPlugin.penalty_method == "zero"
    assert database(course) == "sqlite:///other.db"
