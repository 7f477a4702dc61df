"""Three notebooks as courses have them become proved exercises with at most five lines by hand."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.authoring.answers import right_answers, solved_cells, stubs
from autograder.authoring.verify import prove
from autograder.cli import main
from autograder.course.course import Course, load_course
from autograder.course.notebook import build_notebook
from autograder.course.source import Role
from autograder.grading.grader import Grader
from autograder.report.report import QuestionReport, Verdict
from autograder.sandbox.zygote import Zygote

NOTEBOOKS = Path(__file__).parent / "from_nbgrader"
BY_HAND = {  # by notebook and file, the lines that an author adds
    "trees": {
        "solutions/trees/accepted.py": [
            '# %% accepted="by_count"',
            '"""Subtracts the number of heights from that of all rows."""',
            'missing = len(trees) - trees["height"].count()',
        ],
        "course.yaml": ["mutants_fail: 0.9"],
    },
    "waves": {
        "solutions/waves/accepted.py": [
            '# %% accepted="by_linspace"',
            '"""Asks for a number of times, where the solution gives a step."""',
            "t = np.linspace(0, duration, int(rate * duration), endpoint=False)",
        ],
    },
    "words": {
        "solutions/words/accepted.py": [
            '# %% accepted="by_filter"',
            '"""Filters the words."""',
            "def important(text):",
            "    return list(filter(lambda word: word.lower() not in STOP, text.split()))",
        ],
        "course.yaml": ["mutants_fail: 0.8"],
    },
}
TITLES = "Name the tested property in each docstring, since students read it as the title of the test:"
VARIABLE = (
    "The question {} is now called {}, like its variable. To change this name, rename the variable in all "
    "files of the exercise."
)
TO_DO = {
    "trees": [
        VARIABLE.format("q1", "missing"),
        VARIABLE.format("q2", "measured"),
        "tallest_kind calls mean_height. If a wrong answer to mean_height should cost no points in "
        "tallest_kind, add `builds_on: {tallest_kind: [mean_height]}` to the exercise in course.yaml. Also "
        "write an answer in accepted.py in which tallest_kind calls mean_height.",
        f"{TITLES} test_q1_test, test_q2_test, test_q3_test_b, test_q4_test.",
    ],
    "waves": [
        "cell-plot-test: `assert ax.get_xlim()[0] < 1` is left out of its hidden test: hidden tests "
        "cannot use `ax.get_xlim`.",
        *(
            f"{later} calls wave. If a wrong answer to wave should cost no points in {later}, add "
            f"`builds_on: {{{later}: [wave]}}` to the exercise in course.yaml. Also write an answer in "
            f"accepted.py in which {later} calls wave."
            for later in ("rms", "ax")
        ),
        f"{TITLES} test_cell_times_test, test_cell_wave_test, test_cell_rms_test, test_cell_decibels_test, "
        "test_cell_plot_test.",
    ],
    "words": [
        VARIABLE.format("counting", "most_common"),
        "counting-test-2 had 0 points; its hidden test has a weight of 1 now.",
        "important-test: `assert important('the fox') == ['the']` is left out of its hidden test: it calls "
        "a function that reads the variable STOP, which a hidden test cannot set.",
        f"{TITLES} test_words_test, test_counting_test_1, test_counting_test_2, test_important_test, "
        "test_longest_test.",
    ],
}
Desk = Callable[[str], tuple[Course, Zygote]]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Return a function that gives the course made of a notebook, finished by hand, and its zygote."""
    with ExitStack() as zygotes:

        @cache
        def desk(name: str) -> tuple[Course, Zygote]:
            root = tmp_path_factory.mktemp(name) / "course"
            source = str(NOTEBOOKS / f"{name}.ipynb")
            done = CliRunner().invoke(main, ["init", str(root), "--from-nbgrader", source])
            assert (done.exit_code, done.stderr) == (0, "")
            for file, lines in BY_HAND[name].items():
                with (root / file).open("a", encoding="utf-8") as opened:
                    opened.write("\n".join([*lines, ""]))
            course = load_course(root)
            return course, zygotes.enter_context(Zygote(packages=course.settings.packages))

        yield desk


@pytest.mark.parametrize("name", BY_HAND)
def test_an_imported_notebook_is_proved_with_at_most_five_lines_by_hand(name: str, desk: Desk) -> None:
    assert sum(map(len, BY_HAND[name].values())) <= 5
    course, zygote = desk(name)
    (proof,) = prove(course, list(course.exercises.values()), zygote)
    assert (proof.findings, proof.accepted, proof.mistakes) == ((), 1, 1)


@pytest.mark.parametrize("name", TO_DO)
def test_the_list_says_all_that_was_lost_and_nothing_else(name: str, desk: Desk) -> None:
    (exercise,) = desk(name)[0].exercises.values()
    _, _, below = exercise.suite.read_text(encoding="utf-8").partition("To do:\n\n")
    listed = below.partition('\n"""')[0].split("\n")
    assert listed == [f"- {line}" for line in TO_DO[name]]


@pytest.mark.parametrize(
    ("name", "packages", "files", "points"),
    [
        (
            "trees",
            ["matplotlib", "numpy", "pandas"],
            {"data/trees.csv", "images/park.png"},
            {"missing": 1, "measured": 2, "mean_height": 3, "tallest_kind": 2},
        ),
        (
            "waves",
            ["matplotlib", "numpy"],
            {"images/wave.png"},
            {"t": 2, "wave": 3, "rms": 1, "decibels": 2, "ax": 4},
        ),
        ("words", [], set(), {"words": 2, "most_common": 1, "important": 2, "longest": 1}),
    ],
)
def test_files_packages_and_points_come_along(
    name: str, packages: list[str], files: set[str], points: dict[str, float], desk: Desk
) -> None:
    course, _ = desk(name)
    (exercise,) = course.exercises.values()
    assert [*course.settings.packages] == packages
    assert exercise.handout.keys() == files
    assert exercise.points == points


def test_code_that_an_instructor_grades_stays_code_that_runs(desk: Desk) -> None:
    (exercise,) = desk("trees")[0].exercises.values()
    (cell,) = [cell for cell in exercise.cells if cell.name == "q5"]
    assert (cell.role, cell.points, cell.is_code) == (Role.MANUAL, 2, True)
    (built,) = [c for c in build_notebook(exercise)["cells"] if c["id"] == "q5"]
    assert built["cell_type"] == "code"


def graded(desk: Desk, name: str, question: str, **answers: str) -> QuestionReport:
    """Return the report on a question of a notebook that is right but for these answers."""
    course, zygote = desk(name)
    (exercise,) = course.exercises.values()
    grader = Grader.of_course(course, exercise, zygote, b"secret")
    report = grader.grade_cells(solved_cells(exercise, right_answers(exercise) | answers)).report
    return next(one for one in report.questions if one.name == question)


@pytest.mark.parametrize(
    ("name", "question", "answer", "verdict", "hint"),
    [
        ("trees", "missing", None, Verdict.NOT_ATTEMPTED, 'Replace "raise NotImplementedError()"'),
        ("waves", "ax", None, Verdict.NOT_ATTEMPTED, 'Replace "raise NotImplementedError()"'),
        ("trees", "missing", "missing = None", Verdict.NOT_ATTEMPTED, "missing is not filled in yet."),
        ("words", "words", "words = ...", Verdict.NOT_ATTEMPTED, "words is not filled in yet."),
        ("trees", "measured", "# nothing", Verdict.NOT_ATTEMPTED, "This answer is empty."),
        ("trees", "measured", "measure = trees", Verdict.NOT_DEFINED, "does not define measured"),
        ("trees", "missing", "missing = 3", Verdict.FAILED, ""),
        (
            "trees",
            "missing",
            "missing = trees.shape",
            Verdict.FAILED,
            "The variable must be numpy.int64, but it is 2 values.",
        ),
        ("waves", "ax", "fig, ax = plt.subplots()\nax.plot(t, t)", Verdict.FAILED, ""),
        ("trees", "missing", "missing = 2", Verdict.PASSED, ""),
    ],
)
def test_a_question_that_asks_for_a_variable_is_graded(
    name: str, question: str, answer: str | None, verdict: Verdict, hint: str, desk: Desk
) -> None:
    (exercise,) = desk(name)[0].exercises.values()
    text = stubs(exercise)[question] if answer is None else answer
    report = graded(desk, name, question, **{question: text})
    assert (report.verdict, report.score) == (verdict, report.max_score * (verdict is Verdict.PASSED))
    assert hint in report.hint


def test_a_wrong_variable_costs_later_questions_nothing(desk: Desk) -> None:
    wrong = {"measured": "measured = trees.head(1)"}
    assert graded(desk, "trees", "measured", **wrong).score == 0
    assert graded(desk, "trees", "mean_height", **wrong).verdict is Verdict.PASSED


def test_a_check_says_that_a_variable_is_not_filled_in(desk: Desk) -> None:
    (exercise,) = desk("words")[0].exercises.values()
    (check,) = [cell.text for cell in exercise.cells if (cell.role, cell.name) == (Role.CHECK, "words")]
    said = dict[str, str]()
    for answer in ("", "words = None", "words = ..."):
        variables: dict[str, object] = {"__name__": "__main__"}
        exec(compile(exercise.given_checks, "given", "exec"), variables)
        exec(answer, variables)
        with pytest.raises(AssertionError) as caught:
            exec(compile(check, "check", "exec"), variables)
        said[answer] = str(caught.value)
    assert said == {
        "": "words: not filled in yet\n  There is no words: fill in the cell above, then run it.",
        "words = None": "words: not filled in yet\n  words is still None.",
        "words = ...": "words: not filled in yet\n  words is still Ellipsis.",
    }


def test_a_notebook_for_students_holds_no_hidden_test(desk: Desk) -> None:
    for name in BY_HAND:
        (exercise,) = desk(name)[0].exercises.values()
        released = json.dumps([cell.released() for cell in exercise.cells])
        assert "HIDDEN" not in released
        assert "### BEGIN SOLUTION" not in released
