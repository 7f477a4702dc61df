"""The dashboard: a page that holds everything, asks for nothing, and can be read without seeing its bars."""

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.course.course import Course
from autograder.publishing import dashboard, graded_work
from autograder.publishing.dashboard import write_dashboard
from autograder.publishing.graded_work import GradedWork
from autograder.submission.submission import Submission
from autograder.tests.classroom import answered, hand_in, small
from autograder.tests.publishing.pages import Page
from autograder.tests.publishing.works import SMALL_CLASS, work


@pytest.fixture
def shown(course: Course, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that puts works where grading leaves them and returns the dashboard's page."""

    def show(works: list[GradedWork], feedback: bool = True) -> str:
        for one in works:
            submission = Submission(course.root, one.student, one.exercise)
            if feedback:
                submission.feedback.parent.mkdir(parents=True, exist_ok=True)
                submission.feedback.touch()
        submissions = tuple(one.submission for one in works)
        reports = {one.student: one.report for one in works if one.report is not None}
        monkeypatch.setattr(graded_work, "read_gradebook", lambda course, exercise, **_: submissions)
        monkeypatch.setattr(graded_work, "recorded_reports", lambda store, exercise: reports)
        path = write_dashboard(course, course.chosen([]))
        assert path == course.build / "dashboard.html"
        return path.read_text(encoding="utf-8")

    return show


def test_the_page_is_as_it_was(shown: Callable[..., str], golden: Callable[[str, str], None]) -> None:
    golden("dashboard/dashboard.html", shown(SMALL_CLASS))


def test_how_much_hand_grading_is_left_and_who_did_how_much(
    shown: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dashboard, "read_graders", lambda *_: {("<b>tom", "01_small"): 3})
    first = SMALL_CLASS[0]
    entries = tuple(
        replace(entry, manual_score=1.0, needs_person=False) if entry.written else entry
        for entry in first.submission.entries
    )
    done = replace(first, submission=replace(first.submission, entries=entries))
    text = shown([done, *SMALL_CLASS[1:]])
    assert "7 answers wait for an instructor, 1 are graded." in text
    counts = '<td class="number">1</td><td class="number">6</td>'
    assert f'<code>why</code></th><td class="name">01_<wbr>small</td>{counts}' in text
    assert '&lt;b&gt;tom</th><td class="name">01_<wbr>small</td><td class="number">3</td>' in text


def test_notebooks_of_newer_pythons_are_counted(course: Course, shown: Callable[..., str]) -> None:
    assert "Newer versions of Python" not in shown(SMALL_CLASS)
    for student, version in {"ann": "3.99.1", "ben": "3.99.0", "cat": "3.2"}.items():
        made = answered(small(course))
        made["metadata"]["language_info"]["version"] = version
        hand_in(course, student, made)
    assert "with a newer version: 2 with Python 3.99. An answer that fails because" in shown(SMALL_CLASS)


def test_every_link_leads_to_a_page_from_where_the_dashboard_lies(
    course: Course, shown: Callable[..., str]
) -> None:
    of_a_plugin = [f"viva/01_small/{name}.html" for name in ("examiner", "for_students/a b")]
    for path in of_a_plugin:
        (course.build / path).parent.mkdir(parents=True, exist_ok=True)
        (course.build / path).touch()
    links = [link for link in Page(shown(SMALL_CLASS)).links if not link.startswith("#")]
    assert links
    assert all((course.build / unquote(link)).resolve().is_file() for link in links)
    assert any("/d.o%2Brothy%40home/" in link for link in links)
    assert [unquote(link) for link in links if link.startswith("viva/")] == of_a_plugin


def test_without_feedback_pages_there_are_ids_and_no_dead_links(shown: Callable[..., str]) -> None:
    page = Page(shown(SMALL_CLASS, feedback=False))
    assert page.links == ["#01_small"]
    assert "felix" in page.words


def test_before_anything_is_graded_the_page_says_so(shown: Callable[..., str]) -> None:
    assert "Nothing has been graded yet" in Page(shown([])).words


def test_a_large_group_is_named_in_full_where_it_is_opened(shown: Callable[..., str]) -> None:
    works = [work(f"s{n:02}", {"double": "double__squares", "row_sums": 3.0}) for n in range(30)]
    page = " ".join(Page(shown(works)).words.split())
    assert f"s00, s01, s02 all 30 students {', '.join(f's{n:02}' for n in range(30))}" in page


def test_the_command_says_what_it_wrote(course: Course) -> None:
    done = CliRunner().invoke(main, ["--course", str(course.root), "dashboard"])
    assert done.exit_code == 0
    assert "wrote build/dashboard.html" in done.stdout


def test_a_mistake_has_its_sentence_and_students_have_their_names(
    shown: Callable[..., str], course: Course
) -> None:
    (course.root / "students.csv").write_text(
        "id,name\ncarl,Carl Gauss\nfelix,Felix Klein\n", encoding="utf-8"
    )
    text = shown(SMALL_CLASS)
    assert (
        "Try your function on 3: twice three is not three times three. <small><code>double</code></small>"
        in text
    )
    assert "double__squares" not in text
    assert "row_sums__columns" not in text
    assert '">felix</a> Felix Klein</th>' in text
    assert "carl</a> Carl Gauss, " in text


def test_marks_without_explanations_are_not_the_absence_of_mistakes(shown: Callable[..., str]) -> None:
    wrong = work("ann", {"double": 0.0, "row_sums": 3.0})
    assert wrong.report is not None
    marked = replace(wrong, report=replace(wrong.report, explained=False))
    text = shown([marked, work("ben", {"double": 2.0, "row_sums": 3.0})])
    advice = "have no explanation yet. To add explanations, run <code>autograder grade</code>"
    assert f"The wrong answers of 1 submission {advice}" in text
    assert "Nobody made a mistake" not in text
    assert "The grader did not identify any mistakes." in shown(
        [work("ben", {"double": 2.0, "row_sums": 3.0})]
    )
