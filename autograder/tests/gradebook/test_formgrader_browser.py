"""nbgrader's own formgrader in a real browser, as an assistant uses it."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from playwright.sync_api import BrowserContext, Page

from autograder.batch.grade import grade_submissions
from autograder.collecting.attempts import Arrival, place
from autograder.course.course import Course, load_course
from autograder.gradebook.book import ExerciseGradebook
from autograder.gradebook.pages import write_feedback
from autograder.grading.graded import Graded
from autograder.records.database import gradebook_url
from autograder.report.report import TestReport, Verdict
from autograder.submission.submission import Submission
from autograder.tests.accessibility import violations
from autograder.tests.authoring.jupyter import answering, environment
from autograder.tests.batch.test_attempts import DUE, ByTheirWord, written
from autograder.tests.browser import IN_BROWSER, Listener, opened, show, until
from autograder.tests.classroom import ANSWER, open_course, small
from autograder.tests.gradebook.rows import full_marks, gradebook_entry, take_in
from autograder.tests.gradebook.stock import UNNEEDED

pytestmark = IN_BROWSER

ROOT = Path(__file__).parents[3]
BANK = (
    "units: Say in which units.\n01_small: {why: {factor: You name the <factor>.}, no: {other: Not here.}}\n"
)
RUBRIC = "(One point for linear, one for the factor $k < 2$.)"
LOADED = "window.formgrader?.grades?.loaded && formgrader.comments.loaded && formgrader.loaded"

SAME = "It is *linear*: $a_1 < b$. <img src=x onerror='window.ran = 1'><script>window.ran = 1</script>"


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

    def submission(self, name: str) -> Page:
        """Open a student's submission, found by the name."""
        page = self.open("gradebook/01_small/01_small")
        address = page.evaluate(
            f"[...document.querySelectorAll('a')].find(a => /^{name}(, *)?$/.test(a.textContent)).href"
        )
        page = show(self.browser, address, width=1300)
        until(page, LOADED)
        return page


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, blank_gradebook: Path) -> Iterator[Desk]:
    """Grade a small class, start a server in the course's folder, and open a browser."""
    home = tmp_path_factory.mktemp("formgrader")
    course = open_course(home / "course")
    shutil.copy(blank_gradebook, course.root)
    (course.root / "comments.yaml").write_text(BANK, encoding="utf-8")
    source = small(course).source
    source.write_text(
        source.read_text().replace("out of the sum.\n# ###", f"out of the sum.\n#\n# {RUBRIC}\n# ###")
    )
    course = load_course(course.root)
    hand_ins = {"cleo": ANSWER, "eve": SAME, "fay": SAME, "hal": SAME}
    for student, why in hand_ins.items():
        place(Submission(course.root, student, "01_small"), written(course, 1.0, why), Arrival(DUE))
    grade_submissions(course, [small(course)], executor=ByTheirWord())
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


HOSTILE = '</script><script>window.ran = 1</script><img src="x" onerror="window.ran = 1">'
LINK = "[...document.querySelectorAll('a')].find(a => a.textContent.includes('window.ran')).href"


def test_a_name_runs_nothing_on_any_page(desk: Desk) -> None:
    with Gradebook(gradebook_url(desk.course.root)) as gradebook:
        cleo = gradebook.find_student("cleo")
        cleo.last_name, cleo.first_name = HOSTILE, "Cleo"  # past the list that refuses it
        gradebook.db.commit()
    pages = ("manage_students", "manage_submissions/01_small", "gradebook/01_small/01_small")
    address = desk.open(pages[-1]).evaluate(LINK)
    shown = [desk.open(place) for place in pages]
    submission = show(desk.browser, address, width=1300)
    until(submission, LOADED)
    for page in (*shown, submission):
        assert "window.ran" in page.evaluate("document.body.textContent")
        assert page.evaluate("window.ran ?? 0") == 0


def test_the_first_page_does_not_warn_that_there_is_no_exchange(desk: Desk) -> None:
    page = desk.open("manage_assignments")
    assert "Manage Assignments" in page.evaluate("document.body.innerText")
    assert page.evaluate("document.querySelectorAll('.alert-warning').length") == 0


def save(page: Page, field: str, text: str) -> None:
    """Type a text, leave the field, and wait until it is saved."""
    page.evaluate("window.saved = 0; $(document).on('finished_saving', () => { saved += 1; })")
    page.evaluate(f"document.querySelector('{field}').focus()")
    page.keyboard.insert_text(text)
    page.evaluate("document.activeElement.blur()")
    until(page, "saved > 0")


def test_one_key_gives_a_held_answer_the_score_of_the_tests(desk: Desk) -> None:
    exercise = small(desk.course)
    submission = Submission(desk.course.root, "ida", "01_small")
    place(submission, written(desk.course, 1.0), Arrival(DUE))
    report = full_marks(exercise).report
    passed = TestReport("Sums of rows.", Verdict.PASSED, basic=True)
    held = replace(
        report.questions[1], verdict=Verdict.REVIEW, score=0.0, hint="Line 2 is odd.", tests=(passed,)
    )
    questions = (report.questions[0], held, *report.questions[2:])
    with ExerciseGradebook(desk.course, exercise) as book:
        take_in(book, submission, Graded(replace(report, questions=questions)))
    page = desk.submission("ida")
    until(page, "document.activeElement.id === 'check-row_sums'")
    assert page.evaluate("document.querySelector('.report summary').innerText").endswith(
        "score by tests: 3 of 3 points"
    )
    page.evaluate("window.saved = 0; $(document).on('finished_saving', () => { saved += 1; })")
    page.keyboard.press("t")
    until(page, "saved > 0")
    entry = gradebook_entry(desk.course, "ida", "row_sums")
    assert (entry.manual_score, entry.needs_person) == (3.0, False)
    assert violations(page, ".asked, .tools") == []


def test_an_answer_is_graded_beside_what_belongs_to_it_and_for_all_who_wrote_it(desk: Desk) -> None:
    page = desk.submission("eve")
    texts = page.evaluate("['wording', 'model', 'alike'].map(c => document.querySelector('.' + c).innerText)")
    assert "doubled sums of the rows?" in texts[0]
    assert "Both are linear" in texts[1]
    assert "One point for linear, one for the factor" in texts[1]
    assert texts[2].startswith("3 students wrote this")
    formulas = page.evaluate("[...document.querySelectorAll('math')].map(m => m.textContent)")
    assert formulas == ["k<2", "a1<b", "k<2"]  # the last in the student's own copy of the rubric
    assert page.evaluate("window.ran ?? 0") == 0
    loaded = page.evaluate("performance.getEntriesByType('resource').map(each => each.name)")
    assert [name for name in loaded if not name.startswith(desk.address)] == []
    assert page.evaluate("[...document.querySelectorAll('details')].map(each => each.open)") == [False, False]

    until(page, "document.activeElement.id === 'why'")
    save(page, "#why", "1.5")
    page.evaluate("saved = 0; document.querySelector('[title=\"You name the <factor>.\"]').click()")
    assert page.evaluate("document.querySelector('#why-comment').value") == "You name the <factor>."
    until(page, "saved > 0")
    here = page.evaluate("submission_id")
    with Gradebook(gradebook_url(desk.course.root)) as gradebook:
        last = max(one.id for one in gradebook.notebook_submissions("01_small", "01_small"))
    there, back = ("Comma", "Period") if here == last else ("Period", "Comma")
    page.keyboard.press(f"Control+{there}")
    until(page, f"{LOADED} && submission_id !== '{here}' && document.activeElement.id?.startsWith('why')")
    page.keyboard.press(f"Control+{back}")
    until(page, f"{LOADED} && submission_id === '{here}' && document.querySelector('#why').value === '1.5'")
    assert page.evaluate("document.querySelector('#why-comment').value") == "You name the <factor>."

    page.evaluate("document.querySelector('[data-alike]').click()")
    assert (
        until(page, "document.querySelector('output').innerText.match(/Saved 3.*/)?.[0]") == "Saved 3 of 3."
    )
    for student in ("eve", "fay", "hal"):
        entry = gradebook_entry(desk.course, student, "why")
        assert (entry.manual_score, entry.remark) == (1.5, "You name the <factor>.")
        assert not entry.needs_person
    assert violations(page, ".asked, .tools") == []
    pages = list(write_feedback(desk.course, small(desk.course), ["eve"]))
    assert "Both are linear" not in "".join(Path(str(path)).read_text() for path in pages)
