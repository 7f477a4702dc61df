"""One exercise's part of the gradebook: what goes in as a whole, stays when nothing changes, and is late."""

import os

import pytest

from autograder.course.course import Course
from autograder.gradebook.book import ExerciseGradebook
from autograder.gradebook.pages import read_gradebook
from autograder.tests.classroom import CONFIG, WRONG_SUMS, hand_in, small, solved
from autograder.tests.gradebook.rows import full_marks, gradebook_submission, record, ruled, take_in


def test_late_work_loses_what_the_instructor_s_settings_say(ready: Course) -> None:
    course = ruled(ready, due="2026-01-01T10:00:00+01:00")
    added = f"{CONFIG.read_text(encoding='utf-8')}\nc.LateSubmissionPlugin.penalty_method = 'zero'\n"
    (course.root / "nbgrader_config.py").write_text(added, encoding="utf-8")
    hand_in(course, "ann", solved(small(course)), late="2026-01-01 10:00:00 UTC")
    hand_in(course, "ben", solved(small(course)), late="2026-01-01 09:00:00 UTC")
    for student in ("ann", "ben"):
        record(course, student)
    seen = {one.student: (one.penalty, one.score) for one in read_gradebook(course, small(course))}
    assert seen == {"ann": (5.0, 0.0), "ben": (0.0, 5.0)}
    record(course, "ann", made=solved(small(course)), late="2026-01-01 09:00:00 UTC")
    assert gradebook_submission(course, "ann").score == 5.0


def test_a_report_stands_until_the_submission_or_the_rules_change(ready: Course) -> None:
    submission = hand_in(ready, "ann", solved(small(ready)))
    with ExerciseGradebook(ready, small(ready)) as book:
        assert len(book.begin(submission) or ()) == 1
        take_in(book, submission, full_marks(small(ready)))
        assert book.begin(submission) == []
        line = book.finish(submission)
        assert (line.status, line.score, line.graded) == ("graded", 5.0, False)
    submission.notebook.write_bytes(submission.notebook.read_bytes() + b"\n")
    with ExerciseGradebook(ready, small(ready)) as book:
        assert len(book.begin(submission) or ()) == 1
        take_in(book, submission, full_marks(small(ready)))
    small(ready).suite.write_text("# other tests", encoding="utf-8")
    with ExerciseGradebook(ready, small(ready)) as book:
        assert len(book.begin(submission) or ()) == 1


def full(*args: object) -> None:
    raise OSError("no space left on device")


def test_the_autograded_notebook_comes_last_and_nobody_may_write_to_it(
    ready: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = record(ready, "ann", made=solved(small(ready)))
    assert not submission.autograded.stat().st_mode & 0o222
    monkeypatch.setattr("autograder.gradebook.config.write_whole", full)
    hand_in(ready, "ann", solved(small(ready), row_sums=WRONG_SUMS))
    with pytest.raises(OSError, match="no space"):
        record(ready, "ann")
    assert not submission.autograded.exists()  # whoever grades next sees that it is not done
    monkeypatch.undo()
    record(ready, "ann")
    assert submission.autograded.is_file()


def test_other_files_of_a_submission_never_reach_nbgrader(ready: Course) -> None:
    submission = hand_in(ready, "ann", solved(small(ready)), late="2026-01-01 12:00:00 UTC")
    (submission.folder / "data").mkdir()
    (submission.folder / "data" / "helper.py").write_text("x = 1")
    os.mkfifo(submission.folder / "pipe.txt")
    (submission.folder / "secret.txt").symlink_to("/etc/hostname")
    record(ready, "ann")
    folder = submission.autograded.parent
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
    assert found == {"01_small.ipynb", "timestamp.txt"}
