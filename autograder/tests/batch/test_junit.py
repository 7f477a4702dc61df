"""JUnit XML: what build servers read, whatever a submission has put into its words."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from click.testing import CliRunner

from autograder.batch.run import to_junit
from autograder.cli import main
from autograder.course.course import Course
from autograder.report.report import QuestionReport, Report, Status, Verdict, written
from autograder.report.report import TestReport as Case

QUESTIONS = (
    QuestionReport("double", Verdict.PASSED, 2.0, 2.0, "", None, (Case("Holds.", Verdict.PASSED, 1.0, ""),)),
    QuestionReport(
        "row_sums", Verdict.FAILED, 1.0, 3.0, "Look at dim.", "row_sums__columns",
        (
            Case("Rows.", Verdict.PASSED, 1.0, ""),
            Case("Rows.", Verdict.FAILED, 1.0, "Look at dim."),
            Case("Fast.", Verdict.TIMED_OUT, 1.0, "It took longer than 5 s."),
            Case("By hand.", Verdict.REVIEW, 0.0, "A person will look."),
        ),
    ),
    QuestionReport(
        "third", Verdict.NOT_ATTEMPTED, 0.0, 1.0, "", None, (Case("Is.", Verdict.NOT_ATTEMPTED, 1.0, ""),)
    ),
    written("why", 2.0),
)  # fmt: skip
REPORT = Report("01_small", Status.GRADED, "", 3.0, 6.0, ("process", "seccomp"), QUESTIONS)
UNREADABLE = Report(
    "01_small", Status.UNREADABLE, "not JSON", 0.0, 2.0, (),
    (QuestionReport("double", Verdict.NOT_ATTEMPTED, 0.0, 2.0, "", None, ()),),
)  # fmt: skip
BROKEN = Report(
    "01_small", Status.GRADER_ERROR, "We failed.", None, 2.0, (),
    (QuestionReport("double", Verdict.GRADER_ERROR, None, 2.0, "We failed.", None, ()),),
)  # fmt: skip


def test_the_file_is_as_it_was(golden: Callable[[str, str], None]) -> None:
    runs = [("ada/01_small.ipynb", REPORT), ("kurt.ipynb", UNREADABLE), ("max.ipynb", BROKEN)]
    golden("exports/junit.xml", to_junit(runs))


def test_a_failure_is_the_submission_s_and_an_error_is_ours() -> None:
    root = Xml.fromstring(to_junit([("a", REPORT), ("b", UNREADABLE), ("c", BROKEN)]))
    counts = [[suite.get(key) for key in ("tests", "failures", "errors", "skipped")] for suite in root]
    assert counts == [["7", "3", "0", "2"], ["1", "1", "0", "0"], ["1", "0", "1", "0"]]
    assert [root.get(key) for key in ("tests", "failures", "errors")] == ["9", "4", "1"]


# By element: attributes that must be there, others that may, and what may stand inside, as junit-10.xsd of
# Jenkins's xunit plugin has it; times and what we never write are left out.
RULES: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors"}, {"skipped"}, {"properties", "testcase"}),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": ({"name"}, {"classname"}, {"skipped", "error", "failure"}),
    "skipped": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
    "failure": (set(), {"type", "message"}, set()),
}


def test_the_file_is_as_jenkins_wants_it() -> None:
    root = Xml.fromstring(to_junit([("a", REPORT), ("b", UNREADABLE), ("c", BROKEN)]))
    assert root.tag == "testsuites"
    for element in root.iter():
        needed, allowed, inside = RULES[element.tag]
        assert needed <= set(element.attrib) <= needed | allowed, element.tag
        assert {child.tag for child in element} <= inside, element.tag
        assert not (element.text or "").strip()


def test_no_two_tests_of_a_notebook_have_the_same_name() -> None:
    root = Xml.fromstring(to_junit([("a", REPORT)]))
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(names) == len(set(names))
    assert ("01_small.row_sums", "Rows. (2)") in names


@pytest.mark.parametrize(
    "text", ['<![CDATA["]]>&amp;</testsuites>', "\x00\x1b[31m\ud800\uffff\x0b", "a\r\n\tb"]
)
def test_words_of_strangers_stay_words(text: str) -> None:
    question = replace(QUESTIONS[1], tests=(Case(text, Verdict.FAILED, 1.0, text),))
    run = (text, replace(REPORT, message=text, questions=(question,)))
    root = Xml.fromstring(to_junit([run]).encode())
    assert [element.tag for element in root.iter()].count("testcase") == 1
    assert len(list(root)) == 1


def test_run_writes_it_beside_what_it_prints(course: Course, tmp_path: Path) -> None:
    notebook, target = tmp_path / "01_small.ipynb", tmp_path / "report.xml"
    notebook.write_text("no notebook", encoding="utf-8")
    words = ["--course", str(course.root), "run", "--json", "--junit", str(target), str(notebook)]
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, len(done.stdout.splitlines())) == (0, 1)
    suite = Xml.parse(target).getroot()[0]
    assert (suite.get("name"), suite.get("failures")) == (str(notebook), "2")


def test_a_file_that_cannot_be_written_is_wrong_use_before_anything_is_graded(course: Course) -> None:
    words = ["--course", str(course.root), "run", "--junit", "nowhere/report.xml", "01_small.ipynb"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert "nowhere/report.xml" in done.stderr
