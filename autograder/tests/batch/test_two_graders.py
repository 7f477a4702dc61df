"""Two graders at once, and a person in the formgrader meanwhile: nothing is lost, and nobody gives up."""

import multiprocessing
from itertools import pairwise
from pathlib import Path

from autograder.batch.grade import grade_submissions
from autograder.course.course import Course, load_course
from autograder.gradebook.pages import read_gradebook
from autograder.records.audit import audit_lines
from autograder.tests.batch.test_attempts import ByTheirWord, hand_in
from autograder.tests.classroom import small
from autograder.tests.gradebook.rows import Formgrader

FORK = multiprocessing.get_context("fork")
STUDENTS = [f"student{number:02}" for number in range(6)]


def regrade(root: Path, factor: float, failed: "multiprocessing.Queue[str]") -> None:
    course = load_course(root)
    summary = grade_submissions(course, [small(course)], executor=ByTheirWord(factor=factor), force=True)
    for line in summary.failures:
        failed.put(line.message)
    failed.put("")


def test_two_graders_at_once_take_turns_and_a_person_s_points_stay(ready: Course) -> None:
    for student in STUDENTS:
        hand_in(ready, 1.0, -1, student)
    grade_submissions(ready, [small(ready)], executor=ByTheirWord())
    failed: multiprocessing.Queue[str] = FORK.Queue()
    graders = [FORK.Process(target=regrade, args=(ready.root, factor, failed)) for factor in (0.5, 0.2)]
    for grader in graders:
        grader.start()
    person = Formgrader(ready)
    for student in STUDENTS:
        person.grade(student, "why", 2.0)
    person.gradebook.close()
    messages = [failed.get(timeout=120) for _ in graders]
    for grader in graders:
        grader.join(timeout=120)
    assert messages == ["", ""]
    assert [grader.exitcode for grader in graders] == [0, 0]
    scores = {one.student: one.score for one in read_gradebook(ready, small(ready))}
    assert set(scores) == set(STUDENTS)
    assert len(set(scores.values())) == 1, "a grader's scores are mixed with those of the other"
    assert set(scores.values()) <= {4.5, 3.0}
    lines = list(audit_lines(ready))
    for student in STUDENTS:
        story = [line for line in lines if line["student"] == student]
        assert story[-1]["score"] == scores[student]
        for before, after in pairwise(story):
            assert after["before"] == before["score"], (student, story)
