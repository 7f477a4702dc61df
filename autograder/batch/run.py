"""Grades notebooks without a gradebook, and writes their reports as JUnit XML for build servers.

The XML has a suite for each notebook and a case for each hidden test. It holds to the schema by which Jenkins
reads such files (jenkinsci/xunit-plugin, junit-10.xsd), in which the root counts no skipped tests.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.grading.graded import Graded
from autograder.grading.marking import MarkingProcess
from autograder.report.report import QuestionReport, Report, Status, TestReport, Verdict
from autograder.report.text import number, xml_text
from autograder.submission.notebook import Notebook, read_notebook
from autograder.submission.submission import exercise_by_cells, exercise_by_name

_KINDS = {
    Verdict.PASSED: "",
    Verdict.REVIEW: "skipped",
    Verdict.UNGRADED: "skipped",
    Verdict.GRADER_ERROR: "error",  # ours; all others are the submission's
}
_COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def run_notebooks(
    course: Course, paths: Sequence[str], exercise: str | None = None, *, unsafe: bool = False
) -> Iterator[tuple[str, Graded]]:
    """Grade each notebook as the named exercise, or as the one that its name, folder or cells show.

    Yields each path as it was given, with its result; a damaged notebook gets a report, too. Wrong use is an
    error before anything is graded.
    """
    named = course.chosen([exercise])[0] if exercise else None
    return _graded(course, [_recognised(course, path, named) for path in paths], unsafe)


def _recognised(course: Course, path: str, named: Exercise | None) -> tuple[str, Exercise, Notebook | None]:
    """Return a path and its exercise, with the notebook if it had to be read to recognise the exercise."""
    if known := named or exercise_by_name(course, Path(path)):
        return path, known, None
    notebook = read_notebook(Path(path))
    return path, exercise_by_cells(course, Path(path), notebook), notebook


def _graded(
    course: Course, tasks: Sequence[tuple[str, Exercise, Notebook | None]], unsafe: bool
) -> Iterator[tuple[str, Graded]]:
    with MarkingProcess(course, unsafe=unsafe) as grader:
        for path, exercise, notebook in tasks:
            yield path, grader.grade(exercise, notebook or read_notebook(Path(path)))


def to_junit(reports: Iterable[tuple[str, Report]]) -> str:
    """Return the XML on reports, each with the path of its notebook; without times, it is always the same."""
    root = Element("testsuites", name="autograder")
    for notebook, report in reports:
        _suite(root, notebook, report)
    _count(root)
    del root.attrib["skipped"]
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _suite(root: Element, notebook: str, report: Report) -> None:
    suite = SubElement(root, "testsuite", name=xml_text(notebook))
    properties = SubElement(suite, "properties")
    described = {
        "exercise": report.exercise,
        "status": report.status,
        "score": number(report.score),
        "max_score": number(report.max_score),
        "sandbox": " ".join(report.sandbox),
    }
    for name, value in described.items():
        SubElement(properties, "property", name=name, value=xml_text(value))
    seen: Counter[tuple[str, str]] = Counter()
    for question in report.questions:
        for test in _tests(question, report):
            seen[question.name, test.title] += 1
            _case(suite, f"{report.exercise}.{question.name}", test, seen[question.name, test.title])
    _count(suite)


def _tests(question: QuestionReport, report: Report) -> Iterator[TestReport]:
    """Yield the question's tests, or the question as a test if none was run."""
    yield from question.tests
    if not question.tests:
        unreadable = report.status is Status.UNREADABLE and question.verdict is Verdict.NOT_ATTEMPTED
        hint = f"The file could not be read: {report.message}" if unreadable else question.hint
        yield TestReport(question.name, question.verdict, 0.0, hint)


def _case(suite: Element, classname: str, test: TestReport, place: int) -> None:
    """Add a test; those that share a title are numbered, as readers take equal names for one test."""
    name = f"{test.title} ({place})" if place > 1 else test.title
    case = SubElement(suite, "testcase", classname=xml_text(classname), name=xml_text(name))
    if kind := _KINDS.get(test.verdict, "failure"):
        message = xml_text(test.hint or str(test.verdict))
        attributes = {"message": message} if kind == "skipped" else {"type": test.verdict, "message": message}
        SubElement(case, kind, attributes)


def _count(element: Element) -> None:
    cases = list(element.iter("testcase"))
    element.set("tests", str(len(cases)))
    for kind, name in _COUNTED.items():
        element.set(name, str(sum(case.find(kind) is not None for case in cases)))
