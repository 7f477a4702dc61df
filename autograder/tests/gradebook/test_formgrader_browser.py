"""nbgrader's own formgrader in a real browser, as an assistant uses it while a class is graded anew."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from getpass import getuser
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from playwright.sync_api import BrowserContext, Page

from autograder.authoring.release import build_missing
from autograder.batch.grade import grade_submissions
from autograder.batch.pool import Done, Task
from autograder.collecting.attempts import Arrival, place
from autograder.course.course import Course, load_course
from autograder.gradebook.audit import audit_lines
from autograder.gradebook.pages import settle, write_feedback
from autograder.report.report import Verdict
from autograder.submission.submission import Submission
from autograder.tests.accessibility import violations
from autograder.tests.authoring.jupyter import answering, environment
from autograder.tests.batch.test_attempts import DUE, HOUR, ByTheirWord, written
from autograder.tests.browser import IN_BROWSER, Listener, opened, show, until
from autograder.tests.classroom import open_course, small
from autograder.tests.gradebook.rows import gradebook_entry

pytestmark = IN_BROWSER

ROOT = Path(__file__).parents[3]
STUDENTS = 'id,name\nada,"Lovelace, Ada"\nbob,Bob Builder\ncleo,"Queen, Cleo"\ndan,Dan Brown\n'
BANK = (
    "units: Say in which units.\n01_small: {why: {factor: You name the <factor>.}, no: {other: Not here.}}\n"
)
RUBRIC = "(One point for linear, one for the factor $k < 2$.)"
UNNEEDED = ("jupyterlab", "jupyterlab_jupytext", "jupyter_lsp", "notebook", "notebook_shim")
ROWS = (
    "[...document.querySelectorAll('#main-table tr')].map(row => row.innerText.trim().split(/\\s*\\t\\s*/))"
)
SAID = "[...document.querySelectorAll('.modal-title')].map(title => title.innerText)"
LOADED = "window.formgrader?.grades?.loaded && formgrader.comments.loaded && formgrader.loaded"
SHOWN = """(() => {
    const score = document.querySelector('#why'), comment = document.querySelector('#why-comment');
    return [score.value, comment.value, score.classList.contains('needs_manual_grade'),
        document.querySelector('#check-double').placeholder];
})()"""


@dataclass
class Desk:
    """What an assistant sits before: a course, and the formgrader in a browser."""

    course: Course
    browser: BrowserContext
    address: str

    def open(self, place: str) -> Page:
        """Open a page of the formgrader that shows a list."""
        page = show(self.browser, f"{self.address}formgrader/{place}", width=1300)
        until(page, "window.models && models.loaded")
        return page

    def rows(self, place: str) -> list[list[str]]:
        found: list[list[str]] = self.open(place).evaluate(ROWS)
        return found

    def statuses(self) -> dict[str, str]:
        """Return each student's status and score."""
        return {row[1]: " ".join(row[3:]) for row in self.rows("manage_submissions/01_small")}

    def submission(self, name: str) -> Page:
        """Open a student's submission, found by the name."""
        page = self.open("gradebook/01_small/01_small")
        address = page.evaluate(
            f"[...document.querySelectorAll('a')].find(a => /^{name}(, *)?$/.test(a.textContent)).href"
        )
        page = show(self.browser, address, width=1300)
        until(page, LOADED)
        return page

    def press(self, place: str, row: str, button: str) -> list[str]:
        """Press a button in the row with this text, and return the titles of what pops up."""
        page = self.open(place)
        find = f"[...document.querySelectorAll('#main-table tr')].find(r => r.innerText.includes('{row}'))"
        page.evaluate(f"{find}.querySelector('.{button} a').click()")
        said: list[str] = until(page, f"{SAID}.length ? {SAID} : false")
        return said


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, blank_gradebook: Path) -> Iterator[Desk]:
    """Grade a small class, start a server in the course's folder, and open a browser."""
    home = tmp_path_factory.mktemp("formgrader")
    course = open_course(home / "course")
    shutil.copy(blank_gradebook, course.root)
    (home / "exchange").mkdir(mode=0o777)
    (home / "exchange").chmod(0o777)
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write(f'c.Exchange.root = "{home / "exchange"}"\n')
    (course.root / "students.csv").write_text(STUDENTS, encoding="utf-8")
    (course.root / "comments.yaml").write_text(BANK, encoding="utf-8")
    source = small(course).source
    source.write_text(
        source.read_text().replace("out of the sum.\n# ###", f"out of the sum.\n#\n# {RUBRIC}\n# ###")
    )
    course = load_course(course.root)
    for student, share, secret in (("ada", 1.0, b""), ("bob", 0.4, b""), ("cleo", 0.8, b"a secret")):
        submission = Submission(course.root, student, "01_small")
        place(submission, written(course, share), Arrival(DUE), secret)
    grade(course)
    for student in ("dan", "zed"):  # zed stands in no list
        place(Submission(course.root, student, "01_small"), written(course, 1.0), Arrival(DUE + HOUR))
    build_missing(course, [small(course)])
    own = environment(home) | {"PYTHONPATH": str(ROOT)}
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen(command(course.root), cwd=course.root, env=own, stdout=log, stderr=log)
    try:
        address = answering(home / "runtime", server)
        with opened(home / "profile", Listener()) as browser:
            yield Desk(course, browser, address)
    finally:
        server.terminate()
        server.wait(timeout=30)


def command(root: Path) -> list[str]:
    """Return the command that starts a server with the formgrader alone."""
    return [
        *(sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root", "--ServerApp.port=0"),
        *("--IdentityProvider.token=", "--ServerApp.terminals_enabled=False"),
        f"--ServerApp.root_dir={root}",
        *(f"--ServerApp.jpserver_extensions={name}=False" for name in UNNEEDED),
    ]


def grade(course: Course, factor: float = 1.0) -> None:
    grade_submissions(course, [small(course)], executor=ByTheirWord(factor=factor), force=factor != 1.0)


def test_lists_have_names_statuses_and_scores(desk: Desk) -> None:
    assert [row[:2] for row in desk.rows("manage_submissions/01_small")] == [
        ["Brown, Dan", "dan"],
        ["Builder, Bob", "bob"],
        ["Lovelace, Ada", "ada"],
        ["Queen, Cleo", "cleo"],
        ["zed,", "zed"],
    ]
    assert desk.statuses() == {
        "ada": "needs manual grading 5 / 7",
        "bob": "needs manual grading 2 / 7",
        "cleo": "needs manual grading 4 / 7",
        "dan": "needs autograding",
        "zed": "needs autograding",
    }
    assert [row[0] for place in ("manage_assignments", "gradebook") for row in desk.rows(place)] == [
        "01_small",
        "01_small",
    ]


def test_what_an_assistant_gives_stands_while_tests_change(desk: Desk) -> None:
    page = desk.submission("Lovelace, Ada")
    offered = page.evaluate("[...document.querySelectorAll('[data-words]')].map(each => each.dataset.words)")
    assert offered == ["Say in which units.", "You name the <factor>."]
    assert page.evaluate(SHOWN) == ["", "", True, "2"]
    page.evaluate("window.saved = 0; $(document).on('finished_saving', () => { saved += 1; })")
    for field, text in (("#why", "1.5"), ("#why-comment", "Right. #factor")):
        page.evaluate(f"document.querySelector('{field}').focus()")
        page.keyboard.insert_text(text)
        page.evaluate("document.activeElement.blur()")
    until(page, "saved === 2")
    assert desk.statuses()["ada"] == "graded 6.5 / 7"
    bob = desk.submission("Builder, Bob")
    assert bob.evaluate(SHOWN) == ["", "", True, "0.8"]
    with small(desk.course).suite.open("a") as suite:
        suite.write("\n# mended\n")
    grade(desk.course, 0.5)
    page = desk.submission("Lovelace, Ada")
    assert page.evaluate(SHOWN) == ["1.5", "Right. #factor", False, "1"]
    assert desk.submission("Builder, Bob").evaluate(SHOWN) == ["", "", True, "0.4"]
    assert desk.statuses()["ada"] == "graded 4 / 7"
    assert gradebook_entry(desk.course, "ada", "why").remark == "Right. You name the <factor>."


def test_buttons_do_what_they_say_also_for_whoever_handed_in_elsewhere(desk: Desk) -> None:
    submissions = "manage_submissions/01_small"
    for button in ("generate-feedback", "release-feedback"):
        assert desk.press(submissions, "Ada", button) == ["Success"]
        assert desk.press("manage_assignments", "01_small", button) == ["Success"]
    released = desk.course.root.parent / "exchange" / desk.course.settings.course / "feedback"
    assert len(list(released.iterdir())) == 1


HOSTILE = '</script><script>window.ran = 1</script><img src="x" onerror="window.ran = 1">'
LINK = "[...document.querySelectorAll('a')].find(a => a.textContent.includes('window.ran')).href"


@pytest.fixture
def hostile_name(desk: Desk) -> Iterator[None]:
    """Let nbgrader's own database have a name that is a script, past the list that refuses it."""
    with Gradebook(f"sqlite:///{desk.course.root / 'gradebook.db'}") as gradebook:
        cleo = gradebook.find_student("cleo")
        before = cleo.last_name, cleo.first_name
        cleo.last_name, cleo.first_name = HOSTILE, "Cleo"
        gradebook.db.commit()
        yield
        cleo.last_name, cleo.first_name = before
        gradebook.db.commit()


@pytest.mark.usefixtures("hostile_name")
def test_a_name_runs_nothing_on_any_page(desk: Desk) -> None:
    pages = ("manage_students", "manage_submissions/01_small", "gradebook/01_small/01_small")
    address = desk.open(pages[-1]).evaluate(LINK)
    shown = [desk.open(place) for place in pages]
    submission = show(desk.browser, address, width=1300)
    until(submission, "window.formgrader?.grades?.loaded && formgrader.comments.loaded")
    for page in (*shown, submission):
        assert page.evaluate("[document.body.textContent.includes('window.ran'), window.ran ?? 0]") == [
            True,
            0,
        ]


SAME = "It is *linear*: $a_1 < b$. <img src=x onerror='window.ran = 1'><script>window.ran = 1</script>"
HINT = 'This question asks you to do without "mul". An instructor will look at it before it scores.'


class Holding(ByTheirWord):
    """Holds a question of gus for a person."""

    def map(self, tasks: Iterable[Task]) -> Iterator[Done]:
        for submission, notebook, graded in super().map(tasks):
            first, *others = graded.report.questions
            held = replace(first, verdict=Verdict.REVIEW, score=0.0, hint=HINT)
            report = replace(graded.report, questions=(held, *others), score=3.0)
            is_held = submission.student == "gus"
            yield submission, notebook, replace(graded, report=report) if is_held else graded


@pytest.fixture
def asked(desk: Desk) -> Desk:
    """Hand in three equal answers, one other and a question that is held, and grade them."""
    for student, why in (("eve", SAME), ("fay", SAME), ("gus", "Another."), ("hal", SAME)):
        place(Submission(desk.course.root, student, "01_small"), written(desk.course, 1.0, why), Arrival(DUE))
    grade_submissions(desk.course, [small(desk.course)], executor=Holding())
    return desk


@pytest.fixture
def marks(asked: Desk) -> Callable[[], list[str]]:
    """Return who saved what since now, as the audit has it once somebody grades."""
    start = datetime.now(UTC).isoformat()

    def read() -> list[str]:
        settle(asked.course, small(asked.course))
        lines = audit_lines(asked.course)
        now = datetime.now(UTC).isoformat()
        return [
            f"{line['student']} {line['why']}: {line['questions']['why'][1]} by {line['by']}"
            for line in lines
            if start < line["time"] < now and line["by"]
        ]

    return read


def save(page: Page, field: str, text: str) -> None:
    """Type a text, leave the field, and wait until it is saved."""
    page.evaluate("window.saved = 0; $(document).on('finished_saving', () => { saved += 1; })")
    page.evaluate(f"document.querySelector('{field}').focus()")
    page.keyboard.insert_text(text)
    page.evaluate("document.activeElement.blur()")
    until(page, "saved > 0")


@pytest.mark.parametrize("student", ["eve", "gus"])
def test_what_we_add_to_the_formgrader_is_accessible(student: str, asked: Desk) -> None:
    assert violations(asked.submission(student), ".asked, .tools") == []


def test_an_answer_is_graded_beside_what_belongs_to_it_and_for_all_who_wrote_it(
    asked: Desk, marks: Callable[[], list[str]]
) -> None:
    page = asked.submission("eve")
    texts = page.evaluate("['wording', 'model', 'alike'].map(c => document.querySelector('.' + c).innerText)")
    assert "doubled sums of the rows?" in texts[0]
    assert "Both are linear" in texts[1]
    assert "One point for linear, one for the factor" in texts[1]
    assert texts[2].startswith("3 students wrote this")
    formulas = page.evaluate("[...document.querySelectorAll('math')].map(m => m.textContent)")
    assert formulas == ["k<2", "a1<b", "k<2"]  # the last in the student's own copy of the rubric
    assert page.evaluate("window.ran ?? 0") == 0
    loaded = page.evaluate("performance.getEntriesByType('resource').map(each => each.name)")
    assert [name for name in loaded if not name.startswith(asked.address)] == []
    assert page.evaluate("[...document.querySelectorAll('details')].map(each => each.open)") == [False, False]

    until(page, "document.activeElement.id === 'why'")
    save(page, "#why", "1.5")
    page.evaluate("saved = 0; document.querySelector('[title=\"You name the <factor>.\"]').click()")
    assert page.evaluate("document.querySelector('#why-comment').value") == "You name the <factor>."
    until(page, "saved > 0")
    here = page.evaluate("submission_id")
    page.keyboard.press("Control+Period")
    until(page, f"{LOADED} && submission_id !== '{here}' && document.activeElement.id?.startsWith('why')")
    page.keyboard.press("Control+Comma")
    until(page, f"{LOADED} && submission_id === '{here}' && document.querySelector('#why').value === '1.5'")
    assert page.evaluate("document.querySelector('#why-comment').value") == "You name the <factor>."

    page.evaluate("document.querySelector('[data-alike]').click()")
    assert (
        until(page, "document.querySelector('output').innerText.match(/Saved 3.*/)?.[0]") == "Saved 3 of 3."
    )
    for student in ("eve", "fay", "hal"):
        entry = gradebook_entry(asked.course, student, "why")
        assert (entry.manual_score, entry.remark) == (1.5, "You name the <factor>.")
        assert not entry.needs_person
    me = getuser()
    assert marks() == [f"{student} by hand: 1.5 by {me}" for student in ("eve", "fay", "hal")]
    pages = list(write_feedback(asked.course, small(asked.course), ["eve"]))
    assert "Both are linear" not in "".join(Path(str(path)).read_text() for path in pages)


def test_a_question_that_is_held_comes_with_the_reason_and_its_lines(asked: Desk) -> None:
    page = asked.submission("gus")
    reason = page.evaluate("document.querySelector('.reason').innerText")
    assert 'do without "mul"' in reason
    assert re.search(r"cell 5, line 6\s+return torch.mul\(x, 2\)", reason)
    assert until(page, "document.activeElement.id") == "check-double"
    save(page, "#check-double", "2")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "check-double_extra_credit"
    page.evaluate("document.querySelector('#why').focus()")
    here = page.evaluate("submission_id")
    page.keyboard.press("Control+Enter")
    until(page, f"{LOADED} && submission_id !== '{here}' && document.querySelector('#why')?.value === ''")
    assert gradebook_entry(asked.course, "gus", "double").manual_score == 2.0
