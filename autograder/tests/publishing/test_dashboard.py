"""The dashboard: what it counts, whom it names, and a page that holds everything and asks for nothing."""

import csv
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from autograder.cli.group import main
from autograder.course.course import Course
from autograder.publishing import graded_work as classwork
from autograder.publishing.dashboard import bins, write_dashboard
from autograder.publishing.graded_work import Work
from autograder.publishing.picture import columns, rows
from autograder.publishing.statistics import Look, QuestionNumbers, count
from autograder.report.gradebook_submission import GradebookEntry, GradebookSubmission
from autograder.report.report import QuestionReport, Report, Status, Verdict, total, written
from autograder.report.report import TestReport as Told
from autograder.report.safe_html import POLICY
from autograder.submission.submission import Submission

POINTS = {"double": 2.0, "row_sums": 3.0}
Answers = Mapping[str, float | Verdict | str]
RIGHT: Answers = {"double": 2.0, "row_sums": 3.0}


def question(name: str, answer: float | Verdict | str) -> QuestionReport:
    """Return a question by its score, by what went wrong, or by the mistake that was made."""
    points = POINTS[name]
    score = answer if isinstance(answer, float) else 0.0
    verdict = answer if isinstance(answer, Verdict) else Verdict.FAILED
    tests = (Told("It holds.", verdict, 1.0, ""),)
    if isinstance(answer, float) and answer == points:
        return QuestionReport(name, Verdict.PASSED, points, points, "", None, ())
    if verdict is Verdict.GRADER_ERROR:
        return QuestionReport(name, verdict, None, points, "", None, tests)
    mistake = answer if isinstance(answer, str) and not isinstance(answer, Verdict) else None
    return QuestionReport(name, verdict, score, points, "Look again.", mistake, tests)


def report(answers: Answers, exercise: str = "01_small") -> Report:
    questions = tuple(question(name, answer) for name, answer in answers.items())
    score, maximum = total(questions)
    status = Status.GRADED if score is not None else Status.GRADER_ERROR
    return Report(exercise, status, "", score, maximum, (), (*questions, written("why", 2.0)))


def handin(student: str, told: Report, person: bool = True) -> GradebookSubmission:
    """Return what the gradebook has of a report; `person` says whether someone still has to look."""
    waits = (Verdict.REVIEW, Verdict.GRADER_ERROR)
    entries = [
        GradebookEntry(
            student, q.name, q.verdict is Verdict.UNGRADED, q.score, None, None, q.max_score,
            person and (q.verdict in waits or told.status is Status.UNREADABLE), "", "",
        )
        for q in told.questions
    ]  # fmt: skip
    return GradebookSubmission(student, 0.0, 0.0, tuple(entries))


def work(student: str, answers: Answers, exercise: str = "01_small", **checks: bool) -> Work:
    told = report(answers, exercise)
    return Work(exercise, handin(student, told), told, checks)


def unreadable(student: str, message: str = "not JSON") -> Work:
    told = report(dict.fromkeys(POINTS, Verdict.NOT_ATTEMPTED))
    told = replace(told, status=Status.UNREADABLE, message=message)
    return Work("01_small", handin(student, told), told, {})


def of(works: list[Work], name: str) -> QuestionNumbers:
    return next(question for question in count(works).questions if question.name == name)


def test_each_question_has_its_mean_and_its_accidents() -> None:
    works = [
        work("a", RIGHT),
        work("b", {"double": 1.0, "row_sums": Verdict.TIMED_OUT}),
        work("c", {"double": Verdict.CRASHED, "row_sums": Verdict.CRASHED}),
        work("d", {"double": Verdict.NOT_ATTEMPTED, "row_sums": 3.0}),
        unreadable("e"),
    ]
    double, sums = of(works, "double"), of(works, "row_sums")
    assert (double.mean, double.full, len(double.scores)) == (0.75, 1, 4)
    assert (double.count(Verdict.CRASHED), double.count(Verdict.NOT_ATTEMPTED)) == (1, 1)
    assert (sums.mean, sums.count(Verdict.TIMED_OUT), sums.count(Verdict.CRASHED)) == (1.5, 1, 1)


def test_a_crash_counts_where_another_test_failed_too() -> None:
    mixed = question("double", Verdict.FAILED)
    mixed = replace(mixed, tests=(*mixed.tests, Told("It runs.", Verdict.CRASHED, 1.0, "")))
    one = work("a", RIGHT)
    assert one.report is not None
    told = replace(one.report, questions=(mixed, *one.report.questions[1:]))
    assert of([replace(one, report=told)], "double").count(Verdict.CRASHED) == 1


def test_a_question_discriminates_when_the_good_ones_get_it_right() -> None:
    good = [work(f"a{n}", RIGHT) for n in range(4)]
    weak = [work(f"b{n}", {"double": 0.0, "row_sums": 1.0}) for n in range(4)]
    assert of([*good, *weak], "double").discrimination == pytest.approx(1)
    strange = [work(f"c{n}", {"double": 0.0, "row_sums": 3.0}) for n in range(4)]
    opposite = [work(f"d{n}", {"double": 2.0, "row_sums": 0.0}) for n in range(4)]
    assert of([*strange, *opposite], "double").discrimination == pytest.approx(-1)
    # By hand: scores 2, 2, 0, 0, 2 against 3, 3, 0, 3, 0.
    mixed = [(2.0, 3.0), (2.0, 3.0), (0.0, 0.0), (0.0, 3.0), (2.0, 0.0)]
    works = [work(f"e{n}", {"double": d, "row_sums": r}) for n, (d, r) in enumerate(mixed)]
    assert of(works, "double").discrimination == pytest.approx(1 / 6)


def test_too_few_or_equal_answers_say_nothing_about_a_question() -> None:
    assert of([work(f"a{n}", RIGHT) for n in range(20)], "double").discrimination is None
    assert (
        of([work("a", RIGHT), work("b", {"double": 0.0, "row_sums": 0.0})], "double").discrimination is None
    )


def test_a_person_s_score_counts_before_ours() -> None:
    one = work("a", {"double": 0.0, "row_sums": 3.0})
    first, *rest = one.handin.entries
    by_hand = replace(one.handin, entries=(replace(first, manual_score=2.0), *rest))
    assert of([replace(one, handin=by_hand)], "double").mean == 2


def test_mistakes_are_ranked_by_how_many_made_them() -> None:
    works = [
        work("a", {"double": "double__squares", "row_sums": 3.0}),
        work("b", {"double": 2.0, "row_sums": "row_sums__columns"}),
        work("c", {"double": 2.0, "row_sums": "row_sums__columns"}),
    ]
    found = [(mistake.name, mistake.students) for mistake in count(works).mistakes]
    assert found == [("row_sums__columns", ("b", "c")), ("double__squares", ("a",))]


def test_those_who_need_a_look_are_named_the_gravest_first() -> None:
    works = [
        work("a", RIGHT),
        work("b", dict.fromkeys(POINTS, Verdict.NOT_ATTEMPTED)),
        work("c", {"double": Verdict.REVIEW, "row_sums": 3.0}),
        unreadable("d", "cut off"),
        work("e", {"double": Verdict.GRADER_ERROR, "row_sums": 3.0}),
        replace(work("f", RIGHT), report=None),
        work("a", {"double": 2.0, "row_sums": 0.5}, "02_next"),
        work("c", {"double": 2.0, "row_sums": 3.0}, "02_next"),
    ]
    assert count(works).looks == (
        Look("e", "01_small", "grader error in double"),
        Look("f", "01_small", "not graded yet"),
        Look("d", "01_small", "unreadable: cut off"),
        Look("c", "01_small", "review of double"),
        Look("b", "01_small", "nothing attempted"),
        Look("a", "02_next", "from 100% in 01_small to 50%"),
    )


def test_what_a_person_has_settled_needs_no_look() -> None:
    for settled in (work("a", {"double": Verdict.REVIEW, "row_sums": 3.0}), unreadable("b")):
        assert settled.report is not None
        done = replace(settled, handin=handin(settled.student, settled.report, person=False))
        assert count([done]).looks == ()


def test_a_small_drop_is_no_reason() -> None:
    works = [work("a", RIGHT), work("a", {"double": 2.0, "row_sums": 1.5}, "02_next")]
    assert count(works).looks == ()


def test_checks_and_hidden_tests_are_compared_both_ways() -> None:
    works = [
        work("a", RIGHT, double=True),
        work("b", {"double": 0.0, "row_sums": 3.0}, double=True, row_sums=False),
        work("c", {"double": Verdict.NOT_ATTEMPTED, "row_sums": Verdict.REVIEW}, double=False, row_sums=True),
        work("d", {"double": Verdict.CRASHED, "row_sums": 3.0}, double=False),
    ]
    double, sums = of(works, "double"), of(works, "row_sums")
    assert (double.only_check, double.only_tests, double.compared) == (("b",), (), 3)
    assert (sums.only_check, sums.only_tests, sums.compared) == ((), ("b",), 1)


def test_shares_are_sorted_into_tenths_with_full_marks_in_the_last() -> None:
    assert bins([0.0, 0.0999, 0.1, 0.3, 0.7 - 0.4, 0.95, 1.0, 1.2, -0.1]) == [3, 1, 0, 2, 0, 0, 0, 0, 0, 3]


def test_a_picture_is_the_same_each_time_and_tells_its_numbers() -> None:
    drawn = columns("scores", "Scores <of> all", ["0-9", "10-19"], [1, 0], "percent")
    assert drawn == columns("scores", "Scores <of> all", ["0-9", "10-19"], [1, 0], "percent")
    assert 'role="img" aria-label="Scores &lt;of&gt; all. 0-9: 1; 10-19: 0."' in drawn
    assert 'aria-label="Means. a: 25%; b: 100%."' in rows("means", "Means", ["a", "b"], [0.25, 1.0])


def test_no_two_pictures_share_an_id() -> None:
    both = columns("one", "t", ["a"], [1], "x") + columns("two", "t", ["a"], [1], "x")
    ids = re.findall(r'id="([^"]*)"', both)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:url\(|href=")#([^")]*)', both)) <= set(ids)


class Page(HTMLParser):
    """A page as a browser would read it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.loads: set[str] = set()
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            if tag == "a" and name == "href":
                self.links.append(value or "")
            elif name in ("src", "href", "xlink:href", "srcset", "data", "action"):
                self.loads.add(value or "")

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.fixture
def shown(course: Course, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that puts works where grading leaves them and returns the dashboard's page."""

    def show(works: list[Work], feedback: bool = True) -> str:
        for one in works:
            submission = Submission(course.root, one.student, one.exercise)
            submission.autograded.parent.mkdir(parents=True, exist_ok=True)
            submission.autograded.write_text(json.dumps(notebook(one)), encoding="utf-8")
            if feedback:
                submission.feedback.parent.mkdir(parents=True, exist_ok=True)
                submission.feedback.touch()
        handins = tuple(one.handin for one in works)
        monkeypatch.setattr(classwork, "read_gradebook", lambda course, exercise: handins)
        path, *_ = write_dashboard(course, course.chosen([]))
        assert path == course.build / "dashboard.html"
        return path.read_text(encoding="utf-8")

    return show


def notebook(one: Work) -> dict[str, Any]:
    """Return the autograded notebook of a work, as far as the dashboard reads it."""
    error = {"output_type": "error", "ename": "AssertionError", "evalue": "", "traceback": []}
    stream = {"output_type": "stream", "name": "stdout", "text": "this check passes"}
    cells = [
        {"metadata": {"nbgrader": {"grade_id": f"check-{name}"}}, "outputs": [stream if passed else error]}
        for name, passed in one.checks.items()
    ]
    told = {"autograder": {"report": one.report.as_dict()}} if one.report is not None else {}
    return {"cells": [{"metadata": {}}, *cells], "metadata": told}


SMALL_CLASS = [
    work("ada", RIGHT, double=True, row_sums=True),
    work("blaise", {"double": "double__squares", "row_sums": 3.0}, double=False, row_sums=True),
    work("carl", {"double": 2.0, "row_sums": "row_sums__columns"}, double=True, row_sums=True),
    work("d.o+rothy@home", {"double": 1.0, "row_sums": "row_sums__columns"}, double=True, row_sums=False),
    work("emmy", {"double": Verdict.CRASHED, "row_sums": Verdict.TIMED_OUT}),
    work("felix", {"double": Verdict.REVIEW, "row_sums": 3.0}, double=True, row_sums=False),
    work("grace", dict.fromkeys(POINTS, Verdict.NOT_ATTEMPTED)),
    unreadable("kurt", "<script>alert(1)</script>"),
]


def test_the_page_is_as_it_was(shown: Callable[..., str], golden: Callable[[str, str], None]) -> None:
    page = shown(SMALL_CLASS)
    # How matplotlib draws is its own affair; what a picture says is ours.
    drawn = re.compile(r'<svg role="img" (aria-label="[^"]*").*?</svg>', re.DOTALL)
    golden("dashboard/dashboard.html", drawn.sub(r"<svg \1></svg>", page))


def test_the_page_can_run_nothing_and_asks_for_nothing(shown: Callable[..., str]) -> None:
    text = shown(SMALL_CLASS)
    page = Page(text)
    assert not page.tags & {"script", "iframe", "object", "embed", "form", "img", "link", "base"}
    assert f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">' in unescape(text)
    assert all(place.startswith("#") for place in page.loads)
    assert "<script>alert(1)</script>" in page.words
    assert "@import" not in text
    assert "url(http" not in text


def test_every_link_leads_to_a_feedback_page_from_where_the_page_lies(
    course: Course, shown: Callable[..., str]
) -> None:
    links = [link for link in Page(shown(SMALL_CLASS)).links if not link.startswith("#")]
    assert links
    assert all((course.build / unquote(link)).resolve().is_file() for link in links)
    assert any("/d.o%2Brothy%40home/" in link for link in links)


def test_without_feedback_pages_there_are_ids_and_no_dead_links(shown: Callable[..., str]) -> None:
    page = Page(shown(SMALL_CLASS, feedback=False))
    assert page.links == ["#01_small"]
    assert "felix" in page.words


def test_before_anything_is_graded_the_page_says_so(shown: Callable[..., str]) -> None:
    assert "Nothing has been graded yet" in Page(shown([])).words


def test_a_graded_notebook_that_is_broken_is_not_graded_yet(
    course: Course, shown: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown(SMALL_CLASS)
    Submission(course.root, "ada", "01_small").autograded.write_text("{", encoding="utf-8")
    Submission(course.root, "blaise", "01_small").autograded.unlink()
    path, *_ = write_dashboard(course, course.chosen([]))
    assert path.read_text(encoding="utf-8").count("not graded yet") == 2


def test_a_class_of_five_hundred_fits_and_is_counted_in_full(
    course: Course, shown: Callable[..., str]
) -> None:
    kinds = [one for one in SMALL_CLASS if one.student != "d.o+rothy@home"]
    works = [replace_student(kinds[n % len(kinds)], f"s{n:03}") for n in range(500)]
    first = shown(works)
    assert first == shown(works)
    sheets = {path.stem: _read(path) for path in (course.build / "exports").glob("dashboard-*.csv")}
    assert {path: len(lines) for path, lines in sheets.items()} == {
        "dashboard-questions": 3, "dashboard-scores": 10, "dashboard-mistakes": 2, "dashboard-students": 213
    }  # fmt: skip
    scored = sum(one.report is not None and one.report.status is Status.GRADED for one in works)
    assert sum(int(row["submissions"]) for row in sheets["dashboard-scores"]) == scored
    assert [int(row["count"]) for row in sheets["dashboard-mistakes"]] == [72, 72]
    assert "<summary>72 students</summary>" in first


def replace_student(one: Work, student: str) -> Work:
    entries = tuple(replace(entry, student=student) for entry in one.handin.entries)
    return replace(one, handin=replace(one.handin, student=student, entries=entries))


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_command_says_what_it_wrote(course: Course) -> None:
    done = CliRunner().invoke(main, ["--course", str(course.root), "dashboard"])
    assert done.exit_code == 0
    assert "wrote build/dashboard.html" in done.stdout
    assert "wrote build/exports/dashboard-questions.csv" in done.stdout
