"""A session runs what it can of a notebook, whatever its cells do, and answers for it while time is left."""

import pytest

from autograder.course.settings import Limits
from autograder.grading.graded import MAX_SHOWN
from autograder.grading.session import FORGED, MAX_RECEIVED, MAX_RESTARTS, LeftOut, Session
from autograder.report.report import Verdict
from autograder.sandbox.errors import StarvedError
from autograder.sandbox.process import DeadlineError, DiedError
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import NotebookCell
from autograder.testing.exchange import ExhaustedError, LostError, NotDefinedError
from autograder.testing.student import Student
from autograder.testing.student_error import StudentError
from autograder.tests.grading.workers import ScriptedZygote
from autograder.worker.protocol import Header, ProtocolError

LIMITS = Limits(cell_seconds=1.0, call_seconds=1.0, memory_mb=512)
CALL: Header = {"op": "call", "of": {"name": "f"}, "args": {"tuple": []}, "kwargs": {"dict": []}}


def session(zygote: Zygote, *codes: str, limits: Limits = LIMITS) -> Session:
    return Session(
        zygote, tuple(NotebookCell(number, "code", code) for number, code in enumerate(codes)), limits
    )


def test_cells_run_in_order_and_keep_what_they_show_and_raise(zygote: Zygote) -> None:
    with session(zygote, "a = 1", "print(a + 1)", "1 / 0", "b = a") as running:
        running.start()
        assert running.results[1].outputs[0].text == "2\n"
        assert isinstance(running.results[2].error, StudentError)
        assert running.results[2].error.type == "ZeroDivisionError"
        assert (list(running.results), running.lost) == ([0, 1, 2, 3], {})


def test_what_loses_the_worker_is_left_out_or_raises_and_the_rest_runs_in_a_fresh_one(zygote: Zygote) -> None:
    """What else loses a worker, and how each is told, stands in the table of test_grader.py."""
    codes = (
        "calls = []",
        "import os; os._exit(3)",
        "def bad():\n    os._exit(0)\nimport os",
        "def count():\n    calls.append(1)\n    return len(calls)",
    )
    with session(zygote, *codes) as running:
        student = Student(running)
        assert (student.count(), student.count()) == (1, 2)
        why = "ended the program: the process ended itself (exit code 3)"
        lost = {1: LeftOut(Verdict.CRASHED, why)}
        assert (running.lost, list(running.results)) == (lost, [0, 2, 3])
        with pytest.raises(LostError, match="A call ended the program: the process ended itself") as caught:
            student.bad()
        assert caught.value.verdict is Verdict.CRASHED
        assert student.count() == 1
        assert running.lost == lost


def test_a_name_that_only_a_lost_cell_defines_is_missing(zygote: Zygote) -> None:
    with session(zygote, "def f(): ...\nimport os; os._exit(0)") as running, pytest.raises(NotDefinedError):
        Student(running).f()


def test_what_cells_do_after_the_first_request_is_neither_kept_nor_told() -> None:
    """A worker that has seen hidden inputs may tell the next one, whose cells could say so."""
    asked = list[str]()

    def answers(header: Header) -> Header:
        if header["op"] == "cell":
            if header["number"] == 1 and asked:
                raise DiedError("it knows hidden inputs")
            text = "again" if asked else "first"
            return {"outputs": [{"output_type": "stream", "name": "stdout", "text": text}]}
        asked.append(header["op"])
        raise DeadlineError

    zygote = ScriptedZygote(answers)
    with session(zygote, "a", "b") as running:
        running.start()
        for _ in range(2):
            with pytest.raises(LostError, match="A call computed"):
                running.ask(CALL, [])
        assert [result.outputs[0].text for result in running.results.values()] == ["first", "first"]
        assert running.lost == {}
    assert [asked["number"] for asked in zygote.forked[-1].asked if asked["op"] == "cell"] == [0]


def test_a_cell_that_python_would_read_for_many_seconds_is_not_run() -> None:
    zygote = ScriptedZygote()
    with session(zygote, "def f(): ...", f"import a{'.a' * 20_000}", "x = 1.5\n" * 2000) as running:
        running.start()
        why = "holds a name with more than 1,000 dots and was not run"
        assert running.lost == {1: LeftOut(Verdict.CRASHED, why)}
        assert list(running.results) == [0, 2]
    assert [asked["code"][:3] for asked in zygote.forked[0].asked] == ["def", "x ="]


def test_cells_that_an_earlier_session_has_lost_are_not_run() -> None:
    zygote = ScriptedZygote(lambda _: {"value": 1})
    cells = [NotebookCell(number, "code", code) for number, code in enumerate("abc")]
    with Session(zygote, cells, LIMITS, {1: LeftOut(Verdict.CRASHED, "")}) as running:
        running.start()
    assert [asked["code"] for asked in zygote.forked[0].asked] == ["a", "c"]


def test_a_cell_is_left_out_for_each_time_that_the_notebook_is_run_again() -> None:
    def answers(header: Header) -> Header:
        if header["code"] in "bd":
            raise DiedError("it wrote longer than it may")
        return {}

    zygote = ScriptedZygote(answers)
    with session(zygote, *"abcde") as running:
        running.start()
        assert ["".join(asked["code"] for asked in worker.asked) for worker in zygote.forked] == [
            "ab",
            "acd",
            "ace",
        ]
        assert [[asked["number"] for asked in worker.asked] for worker in zygote.forked] == [
            [0, 1],
            [0, 1, 2],
            [0, 1, 2],
        ]
        assert running.lost == dict.fromkeys(
            (1, 3), LeftOut(Verdict.CRASHED, "ended the program: it wrote longer than it may")
        )
        assert [worker.closed for worker in zygote.forked] == [True, True, False]
    assert zygote.forked[-1].closed


def test_cells_that_flood_show_only_what_the_whole_notebook_has_room_for_in_each_run() -> None:
    """A cell that dies at the end starts another run, which has the same room again."""

    def answers(header: Header) -> Header:
        if header["number"] == 4:
            raise DiedError("it broke")
        text = "x" * (1 if header["number"] == 3 else MAX_SHOWN // 2 - 200)
        return {"outputs": [{"output_type": "stream", "name": "stdout", "text": text}]}

    with session(ScriptedZygote(answers), *"abcde") as running:
        running.start()
        assert [len(result.outputs) for result in running.results.values()] == [1, 1, 0, 1]


def test_a_notebook_gets_only_so_many_fresh_starts() -> None:
    def answers(header: Header) -> Header:
        raise DeadlineError

    zygote = ScriptedZygote(answers)
    with session(zygote, *"abcdefghijklmnop") as running, pytest.raises(ExhaustedError):
        running.ask(CALL, [])
    assert len(zygote.forked) == len(running.lost) == MAX_RESTARTS + 1


def test_checks_that_hang_one_after_another_do_not_use_up_the_fresh_starts() -> None:
    def answers(header: Header) -> Header:
        if header.get("code") == "a check":
            raise DeadlineError
        return {"value": 1}

    zygote = ScriptedZygote(answers)
    cells = [NotebookCell(0, "code", "def f(): ...", "f")]
    cells += [NotebookCell(number, "code", "a check", "check-f") for number in range(1, 20)]
    with Session(zygote, cells, LIMITS) as running:
        running.start()
        assert running.ask(CALL, []) == ({"value": 1}, [])
        assert 0 in running.results
    assert len(zygote.forked) < MAX_RESTARTS


def two_checks(answer: str, check: str) -> list[NotebookCell]:
    """Return cells that answer a question and check it, and a check of another one that passes."""
    own = [NotebookCell(0, "code", answer, "f"), NotebookCell(1, "code", check, "check-f")]
    return [*own, NotebookCell(2, "code", "passes", "check-g")]


def cells_run(zygote: ScriptedZygote) -> list[list[str]]:
    """Return the code of the cells that each worker has run."""
    return [[asked["code"] for asked in one.asked if asked["op"] == "cell"] for one in zygote.forked]


def test_a_check_that_has_failed_is_not_run_again_after_a_call_has_lost_the_worker() -> None:
    def answers(header: Header) -> Header:
        if header["op"] == "call":
            raise DiedError("it broke")
        return {"error": {"type": "AssertionError"}} if header.get("code") == "fails" else {}

    zygote = ScriptedZygote(answers)
    with Session(zygote, two_checks("fails", "fails"), LIMITS) as running:
        for _ in range(2):
            with pytest.raises(LostError, match="it broke"):
                running.ask(CALL, [])
        assert list(running.results) == [0, 1, 2]
    assert cells_run(zygote) == [["fails", "fails", "passes"], ["fails", "passes"]]


def test_no_check_runs_again_for_whoever_forges_an_answer() -> None:
    def answers(header: Header) -> Header:
        if header["op"] == "call" or header.get("code") == "forges":
            raise ProtocolError("no answer")
        return {}

    zygote = ScriptedZygote(answers)
    with Session(zygote, two_checks("defines", "forges"), LIMITS) as running:
        for _ in range(2):
            with pytest.raises(LostError, match="something that is not a valid answer"):
                running.ask(CALL, [])
        assert running.lost == {1: FORGED}
        assert list(running.results) == [0, 2]
    assert cells_run(zygote) == [["defines", "forges"], ["defines", "passes"], ["defines"]]


def test_a_notebook_without_time_left_is_not_even_started() -> None:
    zygote, none_left = ScriptedZygote(), Limits().model_copy(update={"total_seconds": 0})
    with session(zygote, "a", limits=none_left) as running, pytest.raises(ExhaustedError):
        running.ask(CALL, [])
    assert zygote.forked == []


def test_no_request_may_take_longer_than_is_left_in_all() -> None:
    zygote = ScriptedZygote(lambda _: {"value": 1})
    limits = Limits(cell_seconds=100, call_seconds=50, total_seconds=20)
    with session(zygote, "a", limits=limits) as running:
        running.ask(CALL, [])
        assert all(0 < asked["seconds"] <= 20 for asked in zygote.forked[0].asked)


def test_seconds_are_taken_from_one_budget_of_which_a_later_session_gets_a_fixed_share() -> None:
    """How long a submission takes on hidden inputs must not tell a later worker more than one bit."""
    zygote = ScriptedZygote(lambda header: {"value": 1}, takes=3.0)
    limits = Limits(cell_seconds=100, call_seconds=100, total_seconds=20)
    with session(zygote, "a", limits=limits) as first:
        first.ask(CALL, [])  # a cell and a call: 6 of 20 seconds
    with first.another([]) as later:
        later.ask(CALL, [])
        with pytest.raises(ExhaustedError):
            later.ask(CALL, [])
    assert [asked["seconds"] for asked in zygote.forked[-1].asked] == [5, 2]
    with first.another([]) as later:
        later.ask(CALL, [])  # 9 were left, and now 6
    with first.another([]) as later:
        later.ask(CALL, [])  # now 3, too few for a share
    with first.another([]) as later, pytest.raises(ExhaustedError):
        later.ask(CALL, [])
    assert len(zygote.forked) == 4


def test_a_call_or_cell_at_which_the_budget_ends_says_that_and_no_more() -> None:
    def answers(header: Header) -> Header:
        if header.get("code") == "b" or header["op"] == "call":
            raise DeadlineError
        return {}

    limits = Limits(cell_seconds=100, call_seconds=100, total_seconds=5)
    with session(ScriptedZygote(answers, takes=3.0), "a", "b", limits=limits) as running:
        running.start()
        why = "was stopped, since the notebook may run for 5 s in all"
        assert running.lost == {1: LeftOut(Verdict.TIMED_OUT, why)}
    zygote = ScriptedZygote(answers, takes=3.0)
    with session(zygote, "a", limits=limits) as running, pytest.raises(ExhaustedError):
        running.ask(CALL, [])


def test_a_failure_of_the_sandbox_is_kept_where_a_test_could_catch_it() -> None:
    failure = StarvedError("the machine was too busy")

    def answers(header: Header) -> Header:
        raise failure

    with session(ScriptedZygote(answers)) as running:
        with pytest.raises(StarvedError):
            running.ask(CALL, [])
        assert running.failure is failure
        assert running.lost == {}


def test_answers_that_are_too_large_together_lose_the_worker() -> None:
    zygote = ScriptedZygote(lambda _: {"value": 1}, size=MAX_RECEIVED // 3 + 1)
    with session(zygote, "a") as running:
        running.ask(CALL, [])
        running.ask(CALL, [])
        with pytest.raises(LostError, match="something that is not a valid answer"):
            running.ask(CALL, [])
        assert zygote.forked[0].closed


def test_errors_and_tracebacks_get_the_numbers_of_the_file_in_a_second_worker_too() -> None:
    def answers(header: Header) -> Header:
        if header.get("code") == "b":
            raise DiedError("it broke")
        traceback = 'File "cell 1", line 2\ncell 1:3: UserWarning: x\nFile "cell 9", line 1\nthe cell 1'
        forged = [[True, 1], [-1, 1], [7, 1], ["1", 1], [1], 1]
        return {
            "outputs": [{"output_type": "stream", "name": "stderr", "text": traceback}],
            "error": {"type": "ValueError", "places": [*forged, [1, 2], [0, 5]]},
        }

    with session(ScriptedZygote(answers), *"abc") as running:
        running.start()
        last = running.results[2]
        reply, _ = running.ask(CALL, [])
    assert reply["error"]["places"] == [[2, 2], [0, 5]]
    assert last.error is not None
    assert last.error.places == ((2, 2), (0, 5))
    lines = ("cell 3 of the notebook:3: UserWarning: x", 'File "cell 9", line 1', "the cell 1")
    assert last.outputs[0].text.splitlines() == ['File "cell 3 of the notebook", line 2', *lines]
