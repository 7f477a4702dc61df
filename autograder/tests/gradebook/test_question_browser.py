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
LONG_QUESTION = "# Read this first. It is a long question.\n#\n" * 10
MANY_COMMENTS = BANK + "".join(f"c{number}: Comment number {number}.\n" for number in range(5))
SAVED = "unsaved === 0"
IN_SIGHT = """(element => {
    const box = element.getBoundingClientRect();
    const frame = element.closest('.reading, .giving').getBoundingClientRect();
    const isInFrame = box.top >= frame.top && box.bottom <= frame.bottom;
    return isInFrame && frame.top >= 0 && frame.bottom <= innerHeight;
})"""
KEYDOWN = (
    "current.element.dispatchEvent(new KeyboardEvent('keydown', {{bubbles: true, code: '{}', key: '{}'}}))"
)
PROBLEM = "document.querySelector('#said.problem')?.textContent"
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
    text = small(course).source.read_text(encoding="utf-8")
    small(course).source.write_text(text.replace("# Why is the sum", f"{LONG_QUESTION}# Why is the sum"))
    (course.root / "comments.yaml").write_text(MANY_COMMENTS, encoding="utf-8")
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
    number = second.evaluate("current.element.dataset.number")
    assert wait(second, PROBLEM) == (
        f"Answer {number} was not saved: another grader has changed the grade meanwhile; "
        "the page now shows the new grade."
    )
    assert second.evaluate("current.shown.score") == 0
    second.keyboard.press("f")
    wait(second, f"{SAVED} && current.saved.score === 2")
    wait(first, "current.shown.score === 2 && current.shown.by === 'eve'")  # without being loaded again


def test_a_comment_that_could_not_be_saved_stays_in_its_box(room: Room) -> None:
    first, second = room.open("tom"), room.open("eve")
    notebook = first.evaluate("current.element.dataset.notebook")
    second.evaluate(f"select(cards.find(card => card.element.dataset.notebook === '{notebook}'))")
    second.keyboard.press("c")
    second.keyboard.insert_text("A long comment")
    first.keyboard.press("1")
    wait(first, f"{SAVED} && current.saved.score === 1")
    second.keyboard.press("Escape")
    assert "Your comment is still in its box." in wait(second, PROBLEM)
    typed = second.evaluate("commentBox.value")
    assert typed.endswith("A long comment")
    second.keyboard.press("c")
    second.keyboard.press("Escape")
    wait(second, f"{SAVED} && current.saved.score === 1 && !document.querySelector('#said.problem')")
    assert second.evaluate("current.saved.comment") == typed


def test_the_model_answer_and_the_rubric_stay_in_sight(room: Room) -> None:
    page = room.open("tom")
    for _ in range(3):
        page.keyboard.press("j")
        for part in ("[data-item='3']", ".model"):
            assert page.evaluate(f'{IN_SIGHT}(document.querySelector("{part}"))'), part


def press_on(page: Page, place: int, *keys: str) -> None:
    """Press keys on the answer at this place of the page; after `s`, the next key is typed as a score."""
    page.evaluate(f"select(cards[{place}])")
    for before, key in zip(("", *keys), keys, strict=False):
        if before == "s":
            page.keyboard.press("Control+a")
            page.keyboard.press("Delete")
            page.keyboard.insert_text(key)
            page.keyboard.press("Enter")
        else:
            page.keyboard.press(key)
    wait(page, SAVED)


@pytest.mark.parametrize(
    ("keys", "score", "given"),
    [
        (["Shift+Digit1"], 0.5, {"1": 0.5}),
        (["Shift+Digit1", "1"], 1, {"1": 1}),
        (["Shift+Digit1", "Shift+Digit1"], None, {}),
        (["Shift+Digit4"], None, {}),  # a comment without points
        (["s", "1,5"], 1.5, {}),
        (["s", "1.5", "2"], 2, {"2": 1}),
        (["s", "1,5", "1", "1"], 1.5, {}),
        (["s", "1.5", "1", "s", ""], 1, {"1": 1}),
        (["s", "1,5,0"], None, {}),
        (["s", "3"], None, {}),
        (["0", "1", "1"], 0, {}),
        (["4", "f", "1"], 1, {"2": 1, "3": 1, "4": 1}),
    ],
)
def test_keys_give_a_score(room: Room, keys: list[str], score: float | None, given: dict[str, float]) -> None:
    page = room.open("tom")
    place = page.evaluate("cards.length") - 1
    press_on(page, place, "r", *keys)
    names = {"4": "units"}
    state = page.evaluate("current.saved")
    assert (state["score"], state["given"]) == (score, {names.get(n, n): share for n, share in given.items()})
    page.keyboard.press("r")
    wait(page, f"{SAVED} && current.saved.waits")


def test_a_digit_gives_the_item_on_every_keyboard_and_its_key_gives_half(room: Room) -> None:
    page = room.open("tom")
    page.evaluate("select(cards.at(-1))")
    for code, text, score in (("Digit2", "é", 0.25), ("Digit2", "2", 0.5), ("Numpad3", "3", 1.0)):
        page.evaluate(KEYDOWN.format(code, text))
        assert page.evaluate("current.shown.score") == score
    press_on(page, page.evaluate("cards.length") - 1, "r")


def test_undo_takes_back_what_this_page_saved_last(room: Room) -> None:
    page = room.open("tom")
    place = page.evaluate("cards.length") - 2
    press_on(page, place, "r", "Shift+Digit2", "s", "1,5", "c")
    page.keyboard.insert_text("Hm.")
    page.keyboard.press("Escape")
    wait(page, SAVED)
    student = "s29"
    for key, score, remark in (
        ("z", 1.5, "+0.25: the common factor"),
        ("Control+z", 0.25, "+0.25: the common factor"),
        ("z", None, ""),
    ):
        page.evaluate("select(cards[0])")
        page.keyboard.press(key)
        wait(page, f"{SAVED} && current === cards[{place}]")
        entry = gradebook_entry(room.course, student, "why")
        assert (entry.manual_score, entry.remark, entry.needs_person) == (score, remark, score is None)
    lines = [line for line in audit_lines(room.course) if line["student"] == student and line["by"] == "tom"]
    assert [line["questions"]["why"][1] for line in lines][-4:] == [0.25, 1.5, 0.25, None]


def test_undo_overwrites_no_other_grader(room: Room) -> None:
    first, second = room.open("tom"), room.open("eve")
    place = first.evaluate("cards.length") - 2
    press_on(first, place, "0")
    wait(second, f"cards[{place}].saved.score === 0")
    press_on(second, place, "f")
    wait(first, f"cards[{place}].saved.score === 2")
    first.keyboard.press("z")
    number = first.evaluate("current.element.dataset.number")
    message = f"Answer {number} was not taken back: another grader has changed the grade meanwhile."
    assert wait(first, PROBLEM) == message
    assert gradebook_entry(room.course, "s29", "why").manual_score == 2.0


def test_equal_answers_whose_grades_differ_meanwhile_are_not_graded_together(room: Room) -> None:
    together = room.open("tom")
    place = together.evaluate("cards.findIndex(card => Object.keys(card.members).length === 2)")
    press_on(together, place, "0")
    apart = show(room.browser, f"{room.servers['eve']}formgrader/question/01_small/why?apart=1", width=1300)
    wait(apart, "document.activeElement.matches('.card')")
    press_on(apart, apart.evaluate("cards.length") - 1, "f")
    wait(together, f"cards[{place}].isMixed")
    together.keyboard.press("1")
    assert "the grades of these equal answers now differ; load the page again" in wait(together, PROBLEM)
    scores = [gradebook_entry(room.course, student, "why").manual_score for student in STUDENTS[30:]]
    assert scores == [0.0, 2.0]
    press_on(apart, apart.evaluate("cards.length") - 1, "0")


def test_a_page_with_an_old_rubric_says_what_to_do(room: Room) -> None:
    page, text = room.open("tom"), small(room.course).source.read_text(encoding="utf-8")
    number = page.evaluate("current.element.dataset.number")
    try:
        rewrite_rubric(room.course, RUBRIC.replace("1 point;", "0.25 points;"))
        page.keyboard.press("1")
        message = f"Answer {number} was not saved: the rubric has changed; load the page again."
        assert wait(page, PROBLEM) == message
    finally:
        small(room.course).source.write_text(text, encoding="utf-8")


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
