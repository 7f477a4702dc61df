"""Two graders grade the answers to one question at once, by keys alone, in a real browser."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from autograder.batch.grade import grade_submissions
from autograder.collecting.attempts import Arrival, place
from autograder.course.course import Course, load_course
from autograder.records.audit import audit_lines
from autograder.submission.submission import Submission
from autograder.tests.accessibility import violations
from autograder.tests.authoring.jupyter import answering, environment
from autograder.tests.batch.test_attempts import DUE, ByTheirWord, written
from autograder.tests.browser import IN_BROWSER, PATIENCE, Listener, opened, show, until
from autograder.tests.classroom import open_course, small
from autograder.tests.gradebook.rows import gradebook_entry
from autograder.tests.gradebook.test_formgrader_browser import LOADED, ROOT, command
from autograder.tests.gradebook.test_written_answers import BANK, RUBRIC, rewrite_rubric

pytestmark = IN_BROWSER

HOSTILE = "<script>window.ran = 1</script><img src=x alt=plot onerror='window.ran = 1'> $a_1 < b$"
STUDENTS = [f"s{number:02}" for number in range(32)]  # the last two write the same
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
SAVED = "unsaved === 0"
ALL_GRADED = f"{SAVED} && cards.every(card => !card.shown.waits || card.element.dataset.grader !== grader())"


def answer(number: int) -> str:
    """Return an answer that no other student has given, but for the last two."""
    if number >= 30:
        return f"The same. {HOSTILE}"
    return " ".join(WORDS[(number // 8**place) % 8] * 2 + f" {number}" for place in range(3))


def wait(page: Page, code: str) -> Any:
    """Wait until some JavaScript gives something true; the page's policy forbids what `until` does."""
    deadline = time.monotonic() + PATIENCE
    while not (value := page.evaluate(code)):
        assert time.monotonic() < deadline, f"never true: {code}"
        page.wait_for_timeout(20)
    return value


@dataclass
class Room:
    """A course, a browser, and the address of the server of each grader."""

    course: Course
    browser: BrowserContext
    servers: dict[str, str]

    def open(self, grader: str) -> Page:
        page = show(self.browser, f"{self.servers[grader]}formgrader/question/01_small/why", width=1300)
        wait(page, "document.activeElement.matches('.card')")
        return page


@contextmanager
def serving(course: Course, home: Path, grader: str) -> Iterator[str]:
    """Start a server for one grader, as JupyterHub does, and yield its address."""
    home.mkdir()
    own = environment(home) | {"PYTHONPATH": str(ROOT), "JUPYTERHUB_USER": grader}
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen(command(course.root), cwd=course.root, env=own, stdout=log, stderr=log)
    try:
        yield answering(home / "runtime", server)
    finally:
        server.terminate()
        server.wait(timeout=30)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory, blank_gradebook: Path) -> Iterator[Room]:
    home = tmp_path_factory.mktemp("question")
    course = open_course(home / "course")
    shutil.copy(blank_gradebook, course.root)
    rewrite_rubric(course, RUBRIC)
    (course.root / "comments.yaml").write_text(BANK, encoding="utf-8")
    with (course.root / "course.yaml").open("a") as settings:
        settings.write("graders: [tom, eve]\n")
    course = load_course(course.root)
    for number, student in enumerate(STUDENTS):
        place(
            Submission(course.root, student, "01_small"), written(course, 1.0, answer(number)), Arrival(DUE)
        )
    grade_submissions(course, [small(course)], executor=ByTheirWord())
    with ExitStack() as stack:
        servers = {name: stack.enter_context(serving(course, home / name, name)) for name in ("tom", "eve")}
        browser = stack.enter_context(opened(home / "profile", Listener()))
        yield Room(course, browser, servers)


def test_two_graders_share_thirty_answers_and_grade_them_by_keys(room: Room) -> None:
    pages = {grader: room.open(grader) for grader in room.servers}
    keys = {"tom": "1", "eve": "2"}
    counts = dict[str, int]()
    for grader, page in pages.items():
        page.keyboard.press("Shift+M")
        assert page.evaluate("current.element.dataset.grader") == grader
        counts[grader] = page.evaluate("cards.filter(card => !card.element.hidden).length")
    assert sorted(counts.values()) in ([15, 16], [15, 15], [16, 16])
    for number in range(max(counts.values())):
        for grader, page in pages.items():  # each save is on its way while the other grader presses a key
            if number < counts[grader]:
                page.keyboard.press(keys[grader])
                page.keyboard.press("Enter")
    for grader, page in pages.items():
        wait(page, ALL_GRADED)
        assert page.evaluate("document.getElementById('said').className") == ""
        assert page.evaluate("window.ran ?? 0") == 0, grader
    scores = {student: gradebook_entry(room.course, student, "why").manual_score for student in STUDENTS}
    assert scores == {s: (1.0, 0.5)[place % 2] for place, s in enumerate(STUDENTS[:30])} | {
        STUDENTS[30]: 1.0, STUDENTS[31]: 1.0,  # equal answers, which the grader of the first has graded
    }  # fmt: skip
    by = {line["student"]: line["by"] for line in audit_lines(room.course) if line["question"]}
    assert by == {s: ("tom", "eve")[place % 2] for place, s in enumerate(STUDENTS)} | {"s31": "tom"}


def test_keys_give_and_take_everything_and_nbgrader_s_page_shows_it(room: Room) -> None:
    page = room.open("tom")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("r")
    page.keyboard.press("f")
    page.keyboard.press("4")
    page.keyboard.press("c")
    page.keyboard.insert_text("Fine & <b>good</b>")
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    page.keyboard.insert_text("1.5")
    page.keyboard.press("Enter")
    page.keyboard.press("g")
    wait(page, f"{SAVED} && current.saved.flagged && current.saved.score === 1.5")
    entry = gradebook_entry(room.course, "s00", "why")
    lines = ["+1: that both are linear", "+0.5: the common factor", "+0.5: an example", "Say in which units."]
    assert entry.remark == "\n".join([*lines, "Fine & <b>good</b>"])
    assert entry.manual_score == 1.5
    page.keyboard.press("Shift+G")
    assert page.evaluate("cards.filter(card => !card.element.hidden).length") == 1
    stock = show(
        room.browser,
        f"{room.servers['eve']}formgrader/submissions/{page.evaluate('current.element.dataset.notebook')}",
    )
    until(stock, f"{LOADED} && document.querySelector('#why').value === '1.5'")
    assert until(stock, "document.querySelector('#why-comment').value") == entry.remark
    page.keyboard.press("r")
    wait(page, f"{SAVED} && current.saved.waits")
    assert gradebook_entry(room.course, "s00", "why").needs_person


def test_a_grader_who_comes_second_is_told_and_overwrites_nothing(room: Room) -> None:
    first, second = room.open("tom"), room.open("eve")
    notebook = first.evaluate("current.element.dataset.notebook")
    second.evaluate(f"select(cards.find(card => card.element.dataset.notebook === '{notebook}'))")
    first.keyboard.press("0")
    wait(first, f"{SAVED} && current.saved.score === 0")
    second.keyboard.press("f")
    assert "another grader has saved this answer" in wait(
        second, "document.querySelector('#said.problem')?.textContent"
    )
    assert second.evaluate("current.shown.score") == 0
    second.keyboard.press("f")
    wait(second, f"{SAVED} && current.saved.score === 2")
    wait(first, "current.shown.score === 2 && current.shown.by === 'eve'")  # without being loaded again


def test_the_page_can_be_used_without_seeing_it(room: Room) -> None:
    page = room.open("tom")
    assert page.evaluate("getComputedStyle(document.querySelector('.card .name')).display") == "none"
    page.keyboard.press("h")
    assert page.evaluate("getComputedStyle(document.querySelector('.card .name')).display") != "none"
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == []
    listed = show(room.browser, f"{room.servers['tom']}formgrader/questions")
    assert violations(listed) == []
    manual = show(room.browser, f"{room.servers['tom']}formgrader/gradebook")
    link = manual.evaluate(
        "[...document.querySelectorAll('a')].find(a => a.textContent === 'Written Questions').href"
    )
    assert link == listed.url


def test_a_stranger_s_page_cannot_save(room: Room) -> None:
    address = f"{room.servers['tom']}formgrader/api/question/01_small/why"
    page = show(room.browser, f"{room.servers['tom']}formgrader/questions")
    status = "fetch('{}', {{method: 'PUT', body: '{{}}'}}).then(reply => reply.status)"
    assert page.evaluate(status.format(address)) == 403
    policy = "fetch(location).then(reply => reply.headers.get('Content-Security-Policy'))"
    assert "script-src 'self';" in page.evaluate(policy)
