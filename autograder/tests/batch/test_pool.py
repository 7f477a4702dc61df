"""Grading in several processes: the same results, a few submissions at a time, and no process left over."""

import time
from collections.abc import Iterator, Sequence

import psutil
import pytest

from autograder.batch.pool import Done, Executor, ProcessPool, Task
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.grading.graded import Graded, failure_report
from autograder.grading.marking import MarkingProcess
from autograder.sandbox.errors import WallError
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook, read_notebook
from autograder.submission.submission import Submission
from autograder.tests.classroom import WRONG_SUMS, answered, hand_in, open_course, small, solved
from autograder.tests.in_process import InProcess

SLOW = "import time\ntime.sleep(0.7)\ndef double(x):\n    return 2 * x"


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a course whose students handed in all sorts of things."""
    course = open_course(tmp_path_factory.mktemp("pool") / "course")
    hand_in(course, "ann", solved(small(course)))
    hand_in(course, "ben", solved(small(course), row_sums=WRONG_SUMS))
    hand_in(course, "cleo", "no notebook")
    hand_in(course, "dan", answered(small(course), double="import os\nos._exit(0)"))
    return course


def tasks_of(course: Course, students: Sequence[str]) -> list[Task]:
    submissions = [Submission(course.root, student, small(course).name) for student in students]
    return [Task(submission, read_notebook(submission.notebook)) for submission in submissions]


def results(executor: Executor, tasks: Sequence[Task]) -> dict[str, str]:
    return {submission.student: graded.to_json() for submission, _, graded in executor.map(tasks)}


def family() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


def test_results_are_those_of_grading_in_this_process(classroom: Course, zygote: Zygote) -> None:
    tasks = tasks_of(classroom, ["ann", "ben", "cleo", "dan"])
    before = family()
    with ProcessPool(classroom, 2) as executor:
        assert results(executor, []) == {}
        assert family() == before  # without a submission there is no process
        executor.start()
        assert results(executor, tasks) == results(InProcess(classroom, zygote), tasks)
        begun = family() - before
    assert len(begun) > 2  # two processes and a zygote at least
    assert not psutil.wait_procs(begun, timeout=30)[1], "a process is left"


def test_each_result_makes_room_for_another_submission(
    classroom: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission, taken = Submission(classroom.root, "cleo", small(classroom).name), 0
    monkeypatch.setattr(MarkingProcess, "start", lambda *_: None)
    graded = Graded(failure_report(small(classroom), ()), {})
    monkeypatch.setattr(MarkingProcess, "attempt", lambda *_: graded)

    def counted() -> Iterator[Task]:
        nonlocal taken
        for _ in range(24):
            taken += 1
            yield Task(submission, Notebook(b"no notebook"))

    ahead = []
    with ProcessPool(classroom, 2) as executor:
        for done, _ in enumerate(executor.map(counted())):
            ahead.append(taken - done)
            time.sleep(0.005)  # meanwhile all that were taken are graded
    assert set(ahead[:16]) == {8}


def test_a_failure_of_ours_in_the_middle_of_an_attempt_is_that_of_its_submission(
    classroom: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    graded = Graded(failure_report(small(classroom), ()), {})

    def attempt(self: MarkingProcess, exercise: Exercise, notebook: Notebook, **_: bool) -> Graded:
        if notebook.content == b"sum":
            raise ArithmeticError
        return graded

    monkeypatch.setattr(MarkingProcess, "start", lambda *_: None)
    monkeypatch.setattr(MarkingProcess, "attempt", attempt)
    students = ["ann", "sum", "zoe"]
    tasks = [Task(Submission(classroom.root, one, "01_small"), Notebook(one.encode())) for one in students]
    with ProcessPool(classroom, 1) as executor:
        done = {submission.student: one.problem for submission, _, one in executor.map(tasks)}
    assert done.pop("sum").startswith("cannot be processed: ArithmeticError; ")
    assert done == {"ann": "", "zoe": ""}


def test_what_may_succeed_later_is_tried_once_more_when_all_others_are_done(
    classroom: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed, tried = failure_report(small(classroom), ()), list[str]()
    students = ["busy", "ann", "lost", "ben"]

    def attempt(self: MarkingProcess, exercise: Exercise, notebook: Notebook, **_: bool) -> Graded:
        student = notebook.content.decode()
        tried.append(student)
        return Graded(failed, {}, again=student == "lost" or (student == "busy" and tried.count("busy") == 1))

    monkeypatch.setattr(MarkingProcess, "start", lambda *_: None)
    monkeypatch.setattr(MarkingProcess, "attempt", attempt)
    exercise = small(classroom).name
    tasks = [Task(Submission(classroom.root, name, exercise), Notebook(name.encode())) for name in students]
    with ProcessPool(classroom, 1) as executor:
        done = [(submission.student, graded.again) for submission, _, graded in executor.map(tasks)]
    assert sorted(done[:2]) == [("ann", False), ("ben", False)]
    assert sorted(done[2:]) == [("busy", False), ("lost", True)]
    assert (tried[:4], sorted(tried[4:])) == (students, ["busy", "lost"])


def test_an_exception_in_the_consumer_ends_the_processes_at_once(course: Course) -> None:
    with (course.root / "course.yaml").open("a", encoding="utf-8") as file:
        file.write("    limits: {cell_seconds: 100, total_seconds: 200}\n")
    course = load_course(course.root)
    students = ["quick", "endless0", "endless1"]
    for student in students:
        code = "double = len" if student == "quick" else "import time\ntime.sleep(90)"
        hand_in(course, student, solved(small(course), double=code))
    before, begun = family(), set[psutil.Process]()

    def stop_at_the_first(done: Iterator[Done]) -> None:
        assert next(done)[0].student == "quick"
        begun.update(family() - before)
        raise RuntimeError("the gradebook is gone")

    with pytest.raises(RuntimeError, match="the gradebook is gone"), ProcessPool(course, 2) as executor:
        stop_at_the_first(executor.map(tasks_of(course, students)))
    assert len(begun) > 2  # two processes and a zygote at least
    assert not psutil.wait_procs(begun, timeout=30)[1]


def test_a_process_that_is_killed_at_work_costs_no_result(course: Course) -> None:
    students = [f"student{number}" for number in range(4)]
    for student in students:
        hand_in(course, student, solved(small(course), double=SLOW))
    before = set(psutil.Process().children())
    with ProcessPool(course, 2) as executor:
        done = executor.map(tasks_of(course, students))
        scores = [next(done)[2].report.score]
        (set(psutil.Process().children()) - before).pop().kill()
        scores += [graded.report.score for _, _, graded in done]
    assert scores == [5.0] * 4


def test_walls_that_do_not_stand_stop_everything(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")  # no bubblewrap is found
    text = (course.root / "course.yaml").read_text(encoding="utf-8")
    (course.root / "course.yaml").write_text(text.replace("walls: bare", "walls: full"), encoding="utf-8")
    course = load_course(course.root)
    hand_in(course, "ann", solved(small(course)))
    with ProcessPool(course, 1) as executor, pytest.raises(WallError, match="demands `walls: full`, but"):
        results(executor, tasks_of(course, ["ann"]))
    with ProcessPool(course, 1, unsafe=True) as executor:
        ((_, _, graded),) = executor.map(tasks_of(course, ["ann"]))
    assert "unsafe" in graded.report.sandbox
    assert graded.report.score == 5.0
