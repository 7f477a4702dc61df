"""A session runs what it can of a notebook, whatever its cells do, and answers for it while time is left."""

import pytest

from autograder.course.settings import Limits
from autograder.grading.graded import MAX_SHOWN
from autograder.grading.session import MAX_RECEIVED, MAX_RESTARTS, LeftOut, Session
from autograder.report.report import Verdict
from autograder.sandbox.errors import StarvedError
from autograder.sandbox.process import DeadlineError, DiedError
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import NotebookCell
from autograder.testing.exchange import ExhaustedError, LostError, NotDefinedError, StudentError
from autograder.testing.student import Student
from autograder.tests.grading.workers import Answer, ScriptedZygote
from autograder.worker.protocol import Header

LIMITS = Limits(cell_seconds=1.0, call_seconds=1.0, memory_mb=512)
CALL: Header = {"op": "call", "of": {"name": "f"}, "args": {"tuple": []}, "kwargs": {"dict": []}}


def session(zygote: Zygote, *codes: str, limits: Limits = LIMITS) -> Session:
    return Session(zygote, [NotebookCell(number, "code", code) for number, code in enumerate(codes)], limits)


def printed(text: str, stream: str = "stdout") -> Header:
    """Return the answer of a cell that has printed some text."""
    return {"outputs": [{"output_type": "stream", "name": stream, "text": text}]}


def test_cells_run_in_order_and_keep_what_they_show_and_raise(zygote: Zygote) -> None:
    with session(zygote, "a = 1", "print(a + 1)", "1 / 0", "b = a") as running:
        running.start()
        assert running.results[1].outputs[0].text == "2\n"
        assert isinstance(running.results[2].error, StudentError)
        assert running.results[2].error.type == "ZeroDivisionError"
        assert (list(running.results), running.lost) == ([0, 1, 2, 3], {})


def test_matplotlib_is_there_before_a_notebook_runs_that_may_draw() -> None:
    is_loaded = "import sys; print('matpl' 'otlib' in sys.modules)"
    shown = []
    with Zygote(packages=("matplotlib",)) as drawing:
        for cell in ("a = [3, 1]", "a = frame.hist()", "a = 1"):
            with session(drawing, is_loaded, cell) as running:
                running.start()
                shown.append(running.results[0].outputs[0].text)
    assert shown == ["False\n", "True\n", "True\n"]


def test_what_loses_the_worker_is_left_out_or_raises_and_the_rest_runs_in_a_fresh_one(zygote: Zygote) -> None:
    """What else loses a worker, and how each is told, is tried by the files of tests/hostile."""
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

    def answers(header: Header) -> Header | Exception:
        if header["op"] != "cell":
            asked.append(header["op"])
            return DeadlineError()
        if header["number"] == 1 and asked:
            return DiedError("it knows hidden inputs")
        return printed("again" if asked else "first")

    zygote = ScriptedZygote(answers)
    with session(zygote, *"ab") as running:
        running.start()
        for _ in range(2):
            with pytest.raises(LostError, match="A call computed"):
                running.ask(CALL, [])
        assert [result.outputs[0].text for result in running.results.values()] == ["first", "first"]
        assert running.lost == {}
    assert zygote.cells_run() == ["ab", "ab", "a"]


def test_a_cell_that_python_would_read_for_many_seconds_is_not_run() -> None:
    zygote = ScriptedZygote()
    with session(zygote, "def f(): ...", f"import a{'.a' * 20_000}", "x = 1.5\n" * 2000) as running:
        running.start()
        why = "contains a name with more than 1,000 dots and was not run"
        assert running.lost == {1: LeftOut(Verdict.CRASHED, why)}
        assert list(running.results) == [0, 2]
    assert [asked["code"][:3] for asked in zygote.forked[0].asked] == ["def", "x ="]


def test_cells_that_an_earlier_session_has_lost_are_not_run() -> None:
    zygote = ScriptedZygote()
    cells = [NotebookCell(number, "code", code) for number, code in enumerate("abc")]
    with Session(zygote, cells, LIMITS, {1: LeftOut(Verdict.CRASHED, "")}) as running:
        running.start()
    assert zygote.cells_run() == ["ac"]


def test_a_cell_is_left_out_for_each_time_that_the_notebook_is_run_again() -> None:
    died = DiedError("it wrote longer than it may")
    zygote = ScriptedZygote({"b": died, "d": died})
    with session(zygote, *"abcde") as running:
        running.start()
        assert zygote.cells_run() == ["ab", "acd", "ace"]
        assert [[one["number"] for one in worker.asked] for worker in zygote.forked[::2]] == [
            [0, 1],
            [0, 1, 2],
        ]
        why = "ended the program: it wrote longer than it may"
        assert running.lost == dict.fromkeys((1, 3), LeftOut(Verdict.CRASHED, why))
        assert [worker.closed for worker in zygote.forked] == [True, True, False]
    assert zygote.forked[-1].closed


def test_cells_that_flood_show_only_what_the_whole_notebook_has_room_for_in_each_run() -> None:
    """A cell that dies at the end starts another run, which has the same room again."""
    flooding = dict.fromkeys("abc", printed("x" * (MAX_SHOWN // 2 - 200)))
    table: dict[str, Answer] = {**flooding, "d": printed("x"), "e": DiedError("it broke")}
    with session(ScriptedZygote(table), *"abcde") as running:
        running.start()
        assert [len(result.outputs) for result in running.results.values()] == [1, 1, 0, 1]


def test_a_notebook_gets_only_so_many_fresh_starts() -> None:
    zygote = ScriptedZygote(lambda _: DeadlineError())
    with session(zygote, *"abcdefghijklmnop") as running, pytest.raises(ExhaustedError):
        running.ask(CALL, [])
    assert len(zygote.forked) == len(running.lost) == MAX_RESTARTS + 1


def checked(*checks: str) -> list[NotebookCell]:
    """Return cells that answer a question, and check it and then another one that passes."""
    codes = [("a", "f"), *((check, "check-f") for check in checks), ("p", "check-g")]
    return [NotebookCell(number, "code", code, name) for number, (code, name) in enumerate(codes)]


def test_checks_that_hang_one_after_another_do_not_use_up_the_fresh_starts() -> None:
    zygote = ScriptedZygote({"h": DeadlineError(), "call": {"value": 1}})
    with Session(zygote, checked(*"h" * 19), LIMITS) as running:
        running.start()
        assert running.ask(CALL, []) == ({"value": 1}, [])
        assert 0 in running.results
    assert len(zygote.forked) < MAX_RESTARTS


def test_a_check_that_has_failed_is_not_run_again_after_a_call_has_lost_the_worker() -> None:
    failed: Header = {"error": {"type": "AssertionError"}}
    zygote = ScriptedZygote({"a": failed, "f": failed, "call": DiedError("it broke")})
    with Session(zygote, checked("f"), LIMITS) as running:
        for _ in range(2):
            with pytest.raises(LostError, match="it broke"):
                running.ask(CALL, [])
        assert list(running.results) == [0, 1, 2]
    assert zygote.cells_run() == ["afp", "ap"]


def test_a_notebook_without_time_left_is_not_even_started() -> None:
    zygote, none_left = ScriptedZygote(), Limits().model_copy(update={"total_seconds": 0})
    with session(zygote, "a", limits=none_left) as running, pytest.raises(ExhaustedError):
        running.ask(CALL, [])
    assert zygote.forked == []


def test_no_request_may_take_longer_than_is_left_in_all() -> None:
    zygote = ScriptedZygote()
    limits = Limits(cell_seconds=100, call_seconds=50, total_seconds=20)
    with session(zygote, "a", limits=limits) as running:
        running.ask(CALL, [])
        assert all(0 < asked["seconds"] <= 20 for asked in zygote.forked[0].asked)


def test_seconds_are_taken_from_one_budget_of_which_a_later_session_gets_a_fixed_share() -> None:
    """How long a submission takes on hidden inputs must not tell a later worker more than one bit."""
    zygote = ScriptedZygote(takes=3.0)
    limits = Limits(cell_seconds=100, call_seconds=100, total_seconds=20)
    with session(zygote, "a", limits=limits) as first:
        first.ask(CALL, [])  # a cell and a call: 6 of 20 seconds
    with first.another([]) as later:
        later.ask(CALL, [])
        with pytest.raises(ExhaustedError):
            later.ask(CALL, [])
    assert [asked["seconds"] for asked in zygote.forked[-1].asked] == [5, 2]
    for _ in range(2):
        with first.another([]) as later:
            later.ask(CALL, [])  # 9 were left, then 6, and now 3, too few for a share
    with first.another([]) as later, pytest.raises(ExhaustedError):
        later.ask(CALL, [])
    assert len(zygote.forked) == 4


def test_a_call_or_cell_at_which_the_budget_ends_says_that_and_no_more() -> None:
    table = {"b": DeadlineError(), "call": DeadlineError()}
    limits = Limits(cell_seconds=100, call_seconds=100, total_seconds=5)
    with session(ScriptedZygote(table, takes=3.0), *"ab", limits=limits) as running:
        running.start()
        why = "was stopped, because the whole notebook may run for at most 5 s"
        assert running.lost == {1: LeftOut(Verdict.TIMED_OUT, why)}
    zygote = ScriptedZygote(table, takes=3.0)
    with session(zygote, "a", limits=limits) as running, pytest.raises(ExhaustedError):
        running.ask(CALL, [])


def test_a_failure_of_the_sandbox_is_kept_where_a_test_could_catch_it() -> None:
    failure = StarvedError("the machine was too busy")
    with session(ScriptedZygote({"call": failure})) as running:
        with pytest.raises(StarvedError):
            running.ask(CALL, [])
        assert running.failure is failure
        assert running.lost == {}


def test_answers_that_are_too_large_together_lose_the_worker() -> None:
    zygote = ScriptedZygote(size=MAX_RECEIVED // 3 + 1)
    with session(zygote, "a") as running:
        running.ask(CALL, [])
        running.ask(CALL, [])
        with pytest.raises(LostError, match="something that is not a valid reply"):
            running.ask(CALL, [])
        assert zygote.forked[0].closed


def test_errors_and_tracebacks_get_the_numbers_of_the_file_in_a_second_worker_too() -> None:
    traceback = 'File "cell 1", line 2\ncell 1:3: UserWarning: x\nFile "cell 9", line 1\nthe cell 1'
    forged = [[True, 1], [-1, 1], [7, 1], ["1", 1], [1], 1]
    error = {"type": "ValueError", "places": [*forged, [1, 2], [0, 5]]}
    answer = {**printed(traceback, "stderr"), "error": error}
    table: dict[str, Answer] = {"a": answer, "b": DiedError("it broke"), "c": answer, "call": answer}
    with session(ScriptedZygote(table), *"abc") as running:
        running.start()
        last = running.results[2]
        reply, _ = running.ask(CALL, [])
    assert reply["error"]["places"] == [[2, 2], [0, 5]]
    assert last.error is not None
    assert last.error.places == ((2, 2), (0, 5))
    lines = ("cell 3 of the notebook:3: UserWarning: x", 'File "cell 9", line 1', "the cell 1")
    assert last.outputs[0].text.splitlines() == ['File "cell 3 of the notebook", line 2', *lines]
