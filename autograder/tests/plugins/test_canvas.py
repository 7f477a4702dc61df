"""Grades reach Canvas, or what stands in its place, by its documented API; the token goes nowhere else."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.course.course import Course
from autograder.plugins import canvas as plugin
from autograder.publishing import graded_work
from autograder.report.report import GradebookSubmission
from autograder.tests.publishing.test_export import entry, submission

TOKEN = "7~verysecret"
OTHERS = [{"id": n, "course_id": 4711, "name": f"Essay {n}", "points_possible": 10.0} for n in range(3)]
HOSTILE = {"id": 9, "workflow_state": "failed", "message": "\x1b[2Jgone\x07"}
SMALL = {"id": 55, "course_id": 4711, "name": "01_small", "points_possible": 7.0}


class StandIn(ThreadingHTTPServer):
    """Stands in the place of Canvas: it keeps what it was asked and which grades it got."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.assignments = [*OTHERS, {**SMALL, "id": 54, "name": "01_small (old)"}, SMALL]
        self.grades: dict[str, dict[str, str]] = {}
        self.end, self.asked = "completed", 0
        self.deducts: bool | None = None  # for late work; None where the course has no late policy
        self.silent = ""  # the end of an address to which nothing is answered
        self.odd: dict[str, object] = {}  # answers of odd form, by the end of an address
        self.over = threading.Event()


class Handler(BaseHTTPRequestHandler):
    """Answers as the documentation says: JSON, lists in pages of two, a progress for grades."""

    server: StandIn

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = dict(parse_qsl(address.query))
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            self._answer(401, {"errors": [{"message": f"no: {self.headers['Authorization']}"}]})
        elif address.path == "/api/v1/courses/4711":
            self._answer(200, {"id": 4711, "name": "Attention"})
        elif address.path == "/api/v1/courses/4711/late_policy" and self.server.deducts is not None:
            policy = {"id": 1, "late_submission_deduction_enabled": self.server.deducts}
            self._answer(200, {"late_policy": policy})
        elif address.path == "/api/v1/courses/4711/assignments/55":
            self._answer(200, SMALL)
        elif address.path == "/api/v1/courses/4711/assignments":
            found = [one for one in self.server.assignments if query["search_term"] in str(one["name"])]
            page = int(query.get("page", 1))
            here = (
                f"http://127.0.0.1:{self.server.server_port}{address.path}?search_term={query['search_term']}"
            )
            more = {"Link": f'<{here}&page={page + 1}>; rel="next"'} if len(found) > page else {}
            self._answer(200, found[page - 1 : page], more)
        elif address.path == "/api/v1/progress/9":
            self.server.asked += 1
            self._answer(200, self._progress(self.server.end if self.server.asked > 1 else "running"))
        else:
            self._answer(404, {"errors": [{"message": "The specified resource does not exist."}]})

    def do_POST(self) -> None:
        assert self.path == "/api/v1/courses/4711/assignments/55/submissions/update_grades"
        assert self.headers["Authorization"] == f"Bearer {TOKEN}"
        fields = parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode())
        for name, value in fields:
            kind, user, key = name.replace("]", "").split("[")
            assert kind == "grade_data"
            self.server.grades.setdefault(user, {})[key] = value
        self.server.asked = 0
        self._answer(200, self._progress("queued"))

    def log_message(self, *_: object) -> None:
        """Stay silent."""

    def _progress(self, state: str) -> dict[str, object]:
        return {"id": 9, "workflow_state": state, "completion": 100, "message": "it broke"}

    def _answer(self, status: int, data: object, headers: dict[str, str] | None = None) -> None:
        if self.server.silent and urlsplit(self.path).path.endswith(self.server.silent):
            self.server.over.wait(60)
            return
        path = urlsplit(self.path).path
        data = next((odd for end, odd in self.server.odd.items() if path.endswith(end)), data)
        body = json.dumps(data).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def canvas(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with StandIn() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("CANVAS_API_URL", f"http://127.0.0.1:{server.server_port}/")
        monkeypatch.setenv("CANVAS_API_TOKEN", TOKEN)
        monkeypatch.setattr(plugin, "PAUSE", 0.0)
        yield server
        server.over.set()
        server.shutdown()
        thread.join()


class Sender:
    """Runs the command on what the gradebook is made to hold."""

    def __init__(self, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        self.course, self._monkeypatch = course, monkeypatch

    def __call__(self, graded: tuple[GradebookSubmission, ...], *options: str) -> tuple[int, str]:
        self._monkeypatch.setattr(graded_work, "read_gradebook", lambda course, exercise, **_: graded)
        arguments = ["--course", str(self.course.root), "canvas", "01_small", "--to", "4711", *options]
        result = CliRunner().invoke(main, arguments)
        kept = [path.read_bytes() for path in self.course.root.glob("*.db")]
        assert TOKEN not in result.output
        assert TOKEN.encode() not in b"".join(kept)
        return result.exit_code, result.output


@pytest.fixture
def send(course: Course, monkeypatch: pytest.MonkeyPatch) -> Sender:
    (course.root / "students.csv").write_text(
        "id,name,canvas\nann,Ann Lee,101\nbob,Bob Bee,\n103,,\n", encoding="utf-8"
    )
    return Sender(course, monkeypatch)


def scored(student: str, score: float) -> GradebookSubmission:
    return submission(student, entry(student, "double", score, remark="Well done & clear."))


CLASS = (scored("ann", 1.25), scored("bob", 2.0), scored("103", 0.0))


def test_grades_and_comments_arrive_once_and_then_only_what_changed(canvas: StandIn, send: Sender) -> None:
    code, output = send(CLASS, "--dry-run")
    assert (code, canvas.grades) == (0, {})
    assert "2 grades would be sent to Canvas" in output

    code, output = send(CLASS)
    assert canvas.grades == {"101": {"posted_grade": "1.25"}, "103": {"posted_grade": "0"}}
    assert "01_small bob (Bob Bee): not sent: this student has no Canvas user id; write it into" in output
    assert "2 grades were sent to Canvas" in output

    canvas.grades.clear()
    send((scored("ann", 1.5), *CLASS[1:]))
    assert canvas.grades == {"101": {"posted_grade": "1.5"}}
    canvas.grades.clear()
    send((scored("ann", 1.5), *CLASS[1:]), "--comments")
    assert set(canvas.grades) == {"101", "103"}
    assert "Well done & clear." in canvas.grades["101"]["text_comment"]
    canvas.grades.clear()
    send((scored("ann", 1.5), *CLASS[1:]), "--comments")
    assert canvas.grades == {}
    send((scored("ann", 2.0), *CLASS[1:]), "--assignment", "55")
    assert canvas.grades == {"101": {"posted_grade": "2"}}


def test_a_submission_on_which_our_code_fails_gets_a_line_and_stops_no_other(
    canvas: StandIn, send: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = plugin._feedback_texts

    def broken(exercise: str, graded: GradebookSubmission) -> list[str]:
        if graded.student == "ann":
            raise ArithmeticError
        return texts(exercise, graded)

    monkeypatch.setattr(plugin, "_feedback_texts", broken)
    code, said = send((scored("ann", 2.0), scored("103", 1.0)))
    assert (code, canvas.grades) == (3, {"103": {"posted_grade": "1"}})
    assert said.count("01_small ann (Ann Lee): cannot be processed: ArithmeticError; ") == 1
    assert "1 grades were sent to Canvas" in said
    monkeypatch.setattr(plugin, "_feedback_texts", texts)
    assert send((scored("ann", 2.0), scored("103", 1.0)))[0] == 0
    assert canvas.grades["101"] == {"posted_grade": "2"}


def test_another_number_of_points_or_no_assignment_is_refused(canvas: StandIn, send: Sender) -> None:
    canvas.assignments = [{**SMALL, "points_possible": 100.0}]
    code, output = send(CLASS)
    assert (code, output) == (2, "01_small has 100 points in Canvas and 7 here; change them in Canvas\n")
    canvas.assignments = OTHERS
    code, output = send(CLASS)
    assert (code, "no assignment named 01_small" in output) == (2, True)
    assert canvas.grades == {}


def test_nobody_loses_points_for_being_late_twice(canvas: StandIn, send: Sender) -> None:
    late = submission("ann", entry("ann", "double", 2.0), penalty=0.5)
    canvas.deducts = True
    assert send(CLASS)[0] == 0  # nobody has lost any here
    code, output = send((late,))
    assert (code, "would lose points twice" in output) == (2, True)
    assert canvas.grades["101"] == {"posted_grade": "1.25"}
    for deducts, grade in ((False, "1.5"), (None, "1.5")):
        canvas.deducts = deducts
        assert send((late,))[0] == 0
        assert canvas.grades["101"] == {"posted_grade": grade}


@pytest.mark.parametrize(
    ("name", "value", "code", "message"),
    [
        ("CANVAS_API_TOKEN", "", 2, "CANVAS_API_TOKEN is not set"),
        ("CANVAS_API_URL", "http://canvas.uni.edu", 2, "such as https://canvas.uni.edu"),
        ("CANVAS_API_URL", "http://127.0.0.1:1", 3, ": ConnectionError"),
    ],
)
def test_nothing_is_sent_without_token_and_a_safe_address(
    canvas: StandIn,
    send: Sender,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    code: int,
    message: str,
) -> None:
    monkeypatch.setenv(name, value)
    exit_code, output = send(CLASS)
    assert (exit_code, message in output) == (code, True), output
    assert canvas.grades == {}


def test_a_server_that_echoes_the_token_gets_it_into_no_message(
    canvas: StandIn, send: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANVAS_API_TOKEN", "another-secret")
    exit_code, output = send(CLASS)
    assert exit_code == 3
    assert "another-secret" not in output
    assert "(token)" in output


@pytest.mark.parametrize(
    ("silent", "message"),
    [
        ("/courses/4711", ": Canvas did not answer in time; nothing was sent; check CANVAS_API_URL"),
        ("/update_grades", ": Canvas did not answer in time; the grades of 103, ann may have arrived"),
        ("/progress/9", ": Canvas did not answer in time; the grades of 103, ann may have arrived"),
    ],
)
def test_a_canvas_that_never_answers_ends_in_a_sentence_and_counts_as_not_sent(
    canvas: StandIn, send: Sender, monkeypatch: pytest.MonkeyPatch, silent: str, message: str
) -> None:
    monkeypatch.setattr(plugin, "SECONDS", (5.0, 0.2))
    canvas.silent = silent
    code, output = send(CLASS)
    assert (code, len(output.splitlines())) == (3, 1)
    assert output.startswith(f"http://127.0.0.1:{canvas.server_port}{message}")
    canvas.silent, canvas.grades = "", {}
    monkeypatch.setattr(plugin, "SECONDS", (5.0, 5.0))
    assert send(CLASS)[0] == 0
    assert set(canvas.grades) == {"101", "103"}


def test_grades_that_went_there_before_the_silence_are_not_sent_again(
    canvas: StandIn, send: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin, "AT_ONCE", 1)
    monkeypatch.setattr(plugin, "PATIENCE", -1.0)
    update, sent = plugin._update_grades, []

    def silent_at_last(target: object, data: Any) -> None:
        sent.append(list(data))
        if len(sent) == 2:
            update(target, data)  # which has no patience

    monkeypatch.setattr(plugin, "_update_grades", silent_at_last)
    code, output = send(CLASS)
    assert (code, "the grades of ann may have arrived" in output) == (3, True)
    assert send(CLASS)[0] == 0
    assert sent == [["103"], ["101"], ["101"]]


@pytest.mark.parametrize(
    ("end", "odd", "message"),
    [
        ("/assignments", ["text", 7], "http"),
        ("/assignments", [{"name": "01_small", "points_possible": [1]}], "http"),
        ("/courses/4711", None, "http"),
        ("/update_grades", [1], "103, ann may have arrived"),
        ("/update_grades", None, "103, ann may have arrived"),
        ("/progress/9", HOSTILE, "Canvas did not store the grades: gone\n"),
    ],
)
def test_an_answer_of_odd_form_is_a_clear_error_and_counts_as_not_sent(
    canvas: StandIn, send: Sender, end: str, odd: object, message: str
) -> None:
    canvas.assignments, canvas.odd = [SMALL], {end: odd}
    code, output = send(CLASS)
    assert (code, message in output) == (3, True), output
    assert "autograder failed" not in output
    assert bool(canvas.grades) is (end in ("/update_grades", "/progress/9"))
    assert not (send.course.root / "gradebook.db").exists()
