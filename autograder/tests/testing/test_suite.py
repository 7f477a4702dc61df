"""Hidden suites are collected once, run many times on chosen inputs, and apart from the pytest around."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.source import SourceError
from autograder.report.report import Verdict
from autograder.testing.exchange import Local, Reply
from autograder.testing.inputs import DISCLOSED, SETS, Inputs, hidden_inputs, numbered_inputs
from autograder.testing.suite import Suite
from autograder.tests.classroom import copy_small_course, small
from autograder.worker.namespace import run_code
from autograder.worker.protocol import Header, Parts

HEAD = "from autograder.testing import question\n"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """Return a suite that no test changes."""
    return Suite(small(copy_small_course(tmp_path_factory.mktemp("suite") / "course")))


@pytest.fixture
def exercise(course: Course) -> Exercise:
    return course.exercises["01_small"]


@pytest.fixture
def rewrite(exercise: Exercise) -> Callable[[str], Path]:
    def write(code: str) -> Path:
        exercise.suite.write_text(HEAD + code, encoding="utf-8")
        return exercise.suite

    return write


def test_tests_have_questions_titles_and_weights(suite: Suite) -> None:
    tests = suite.tests
    assert tests[0].title == "Every element becomes twice as large."
    assert [(test.question, test.weight, test.basic) for test in tests[:2]] == [
        ("double", 1, True),
        ("double", 1, False),
    ]


def test_each_exercise_keeps_its_own_suite_though_all_have_one_name(
    exercise: Exercise, tmp_path: Path
) -> None:
    other = shutil.copytree(exercise.folder, tmp_path / "02_small")
    (other / "01_small.py").rename(other / "02_small.py")
    code = exercise.suite.read_text(encoding="utf-8")
    (other / "test_hidden.py").write_text(code.replace("Every element", "Each element"), encoding="utf-8")
    first, second = Suite(exercise), Suite(Exercise(other))
    assert [suite.tests[0].title.split()[0] for suite in (first, second)] == ["Every", "Each"]
    assert all(run.error is None for suite in (first, second) for run in suite.reference_runs)


class Asked:
    """A backend that counts what it is asked, and answers nothing."""

    count = 0

    def ask(self, header: Header, tensors: Parts, *_: object) -> Reply:
        self.count += 1
        return {"value": None}, []


def test_a_test_runs_only_when_its_run_is_taken(suite: Suite) -> None:
    backend = Asked()
    runs = suite.run(backend)
    assert backend.count == 0
    assert next(runs).test.number == 0
    assert backend.count == 1


def test_a_question_is_refused_by_what_its_earlier_runs_showed(suite: Suite) -> None:
    """Whoever takes the runs may change its mind between two of them: each test is asked about by itself."""
    backend, problems, questions = Asked(), dict[str, BaseException](), list[str]()

    def prior_error(question: str) -> BaseException | None:
        questions.append(question)
        return problems.get(question)

    seen = []
    for run in suite.run(backend, prior_error=prior_error):
        seen.append((run.test.question, type(run.error).__name__, len(run.exchanges)))
        if run.test.question == "double":
            problems["double"] = TimeoutError()
    assert seen == [
        ("double", "Unmet", 1),
        ("double", "TimeoutError", 0),
        ("double", "TimeoutError", 0),
        ("row_sums", "Unmet", 1),
        ("row_sums", "Unmet", 1),
    ]
    assert questions == [question for question, _, _ in seen]


def test_of_one_question_no_other_test_is_run_or_asked_about(suite: Suite) -> None:
    backend, questions = Asked(), list[str]()
    runs = suite.run(backend, chosen=suite.of("row_sums"), prior_error=questions.append)
    assert [run.test.question for run in runs] == questions == ["row_sums"] * 2


A, OF_DOUBLE = "def test_a(student):\n    '''A.'''", "@question('double')\n"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (A, 'test_a has no question; put @question("...") above it'),
        (f"@question('lost')\n{A}", 'tests "lost", which is not a question; use one of'),
        (
            f"{OF_DOUBLE}def test_a(student): ...",
            "has no docstring; write one, which students read as the title",
        ),
        (f"@question('double', weight=0)\n{A}", "weight 0; it must be above 0"),
        (
            f"@question('double', basic=True, weight=2)\n{A}",
            "has basic=True, but weight and needs_results are for other tests; delete them",
        ),
        (
            f"@question('double', basic=True, needs_results=True)\n{A}",
            "has basic=True, but weight and needs_results are for other tests; delete them",
        ),
        ("import nothing_like_this", "test_hidden.py:2: cannot be collected: ModuleNotFoundError: No module"),
        ("def broken()\n    pass", "test_hidden.py:2: expected ':'; correct the Python code"),
        (
            f"{OF_DOUBLE}{A.replace('student', 'studnet')}",
            'test_hidden.py:2: test_a takes "studnet", which is not a fixture; did you mean "student"?',
        ),
        (
            f"def test_a():\n    pass\n\n\n{OF_DOUBLE}{A}",
            "test_hidden.py:7: test_a replaces the test of the same name in line 2; rename",
        ),
        (
            "class TestA:\n    def test_a(self): ...\n    def test_a(self): ...",
            "test_hidden.py:4: test_a replaces the test of the same name in line 3",
        ),
    ],
)
def test_a_problem_in_a_suite_is_described_with_its_place(
    exercise: Exercise, rewrite: Callable[[str], Path], code: str, message: str
) -> None:
    path = rewrite(code)
    with pytest.raises(SourceError) as problem:
        Suite(exercise)
    assert message in str(problem.value)
    assert str(path) in str(problem.value)


def test_what_tests_and_solutions_print_reaches_neither_stdout_nor_stderr(
    exercise: Exercise, rewrite: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    source = exercise.source.read_text(encoding="utf-8")
    exercise.source.write_text(source.replace("import torch", "import torch\nprint(1)", 1), encoding="utf-8")
    test = (
        "@question('{}')\ndef test_{}(student):\n    '''A.'''\n    print(2, file=sys.stderr)\n    print(3)\n"
    )
    rewrite(f"import sys\nprint(4)\n{test.format('double', 'a')}{test.format('row_sums', 'b')}")
    assert [run.error for run in Suite(exercise).reference_runs] == [None, None]
    assert capsys.readouterr() == ("", "")


def test_a_question_without_a_test_and_a_missing_suite_are_described_too(
    exercise: Exercise, rewrite: Callable[[str], Path]
) -> None:
    rewrite("@question('double')\ndef test_a(student):\n    '''A.'''")
    with pytest.raises(SourceError, match=r'question "row_sums" has no hidden test; add one with'):
        Suite(exercise)
    exercise.suite.unlink()
    with pytest.raises(SourceError, match=r"test_hidden\.py: missing; write the hidden tests there"):
        Suite(exercise)


def test_suites_share_modules_beside_their_exercises_each_course_its_own(
    exercise: Exercise, rewrite: Callable[[str], Path]
) -> None:
    """A module that has changed is read again."""
    asked = "\n\n".join(
        f'@question(\'{name}\')\ndef test_{name}(student):\n    """It is one."""\n    assert right == 1'
        for name in ("double", "row_sums")
    )
    rewrite(f"from shared_for_a_test import right\n{asked}")
    path, before = exercise.folder.parent / "shared_for_a_test.py", list(sys.path)
    for number, kind in ((1, Verdict.PASSED), (20, Verdict.FAILED)):
        path.write_text(f"right = {number}", encoding="utf-8")
        assert {run.kind for run in Suite(exercise).reference_runs} == {kind}
    assert sys.path == before
    del sys.modules["shared_for_a_test"]


def test_a_suite_does_not_read_the_conftest_or_settings_around_it(
    exercise: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--nonsense")
    monkeypatch.setenv("PYTEST_PLUGINS", "nonsense")
    (exercise.folder / "conftest.py").write_text("raise RuntimeError", encoding="utf-8")
    (exercise.folder / "pytest.ini").write_text("[pytest]\naddopts = --nonsense", encoding="utf-8")
    assert len(Suite(exercise).tests) == 5


def test_each_set_of_inputs_draws_other_numbers_and_the_same_ones_again(suite: Suite) -> None:
    backend = Local(run_code(suite.exercise.reference))
    first, second = (numbered_inputs(b"secret", suite.exercise.name, number) for number in (1, 2))

    def drawn(inputs: Inputs) -> list[list[float]]:
        runs = suite.run(backend, inputs)
        return [t.flatten().tolist() for run in runs for e in run.exchanges for t in e.request[1]]

    assert drawn(first) == drawn(first)
    assert drawn(first) != drawn(second)
    assert drawn(DISCLOSED) not in (drawn(first), drawn(second))


DIGESTS = [f"{number:064x}" for number in range(40 * SETS)]


def test_the_same_file_meets_the_same_inputs_and_another_one_mostly_others() -> None:
    chosen = [hidden_inputs(b"secret", "01_small", digest) for digest in DIGESTS]
    assert chosen == [hidden_inputs(b"secret", "01_small", digest) for digest in DIGESTS]
    assert len(set(chosen)) == SETS


def test_there_are_no_sets_but_the_numbered_ones() -> None:
    every = {numbered_inputs(b"secret", "01_small", number) for number in range(SETS)}
    assert {hidden_inputs(b"secret", "01_small", digest) for digest in DIGESTS} == every


def test_another_secret_or_exercise_has_other_inputs() -> None:
    kinds = [(b"secret", "01_small"), (b"other", "01_small"), (b"secret", "02_small")]
    sets = [numbered_inputs(*kind, number) for kind in kinds for number in range(SETS)]
    assert len({inputs.seed(0) for inputs in sets}) == 3 * SETS


def test_each_test_draws_from_a_seed_of_its_own() -> None:
    assert len({DISCLOSED.seed(test) for test in range(100)}) == 100
