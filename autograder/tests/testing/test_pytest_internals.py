"""Hidden tests run as pytest itself runs them, so a private name of pytest that moves is noticed."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import autograder
from autograder.testing.pytest_internals import CollectedTests

ENGINE = Path(autograder.__file__).parent
SUITE = '''
"""A hidden suite with all that pytest offers its author."""

import pytest

EVENTS = []


def setup_module():
    EVENTS.append("module")


def setup_function():
    EVENTS.append("set up")


def teardown_function():
    EVENTS.append("torn down")


@pytest.fixture
def number(student):
    EVENTS.append("made")
    yield student + 1
    EVENTS.append("unmade")


@pytest.fixture(scope="module")
def shared():
    return []


@pytest.fixture
def broken():
    raise LookupError("a fixture")


@pytest.fixture
def breaks_late():
    yield
    raise OSError("a teardown")


def test_wrong(student):
    assert student == 7, "not seven"


@pytest.mark.parametrize("a", [1, 2])
@pytest.mark.parametrize("b", [1, 3], ids=["one", "three"])
def test_parameters(a, b):
    assert a <= b, f"{a} and {b}"


def test_fixture(number, reference):
    assert number == reference


def test_shared(shared):
    shared.append(1)
    raise ValueError(shared)


def test_broken(broken):
    raise AssertionError("not reached")


def test_breaks_late(breaks_late):
    pass


@pytest.mark.question("q", weight=2)
@pytest.mark.usefixtures("broken")
def test_marks():
    raise AssertionError("not reached")


def test_left_out():
    pytest.skip("today")


class TestOfAClass:
    def setup_method(self):
        self.ready = True

    def test_method(self):
        assert self.ready


class TestOfAnotherStudent:
    @pytest.fixture
    def student(self, student):
        return student + 10

    def test_made_of_ours(self, student):
        assert student == 1, student
'''


class Recorder:
    """Gives pytest the two objects, and keeps what each test raised."""

    def __init__(self) -> None:
        self.raised: dict[str, str] = {}

    @pytest.fixture
    def student(self) -> int:
        return 1

    @pytest.fixture
    def reference(self) -> int:
        return 2

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "question: as in hidden suites")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        self.raised.setdefault(item.name, "")
        if call.excinfo is not None:
            self.raised[item.name] = described(call.excinfo.value)
        return (yield)


def described(error: BaseException | None) -> str:
    return "" if error is None else f"{type(error).__name__}: {error}"


@pytest.fixture
def collect(tmp_path: Path) -> Callable[[str], CollectedTests]:
    def write(code: str) -> CollectedTests:
        path = tmp_path / "test_hidden.py"
        path.write_text(code, encoding="utf-8")
        return CollectedTests(path)

    return write


def by_pytest(path: Path) -> dict[str, str]:
    """Return what each test of a file raises when pytest runs it."""
    recorder = Recorder()
    words = ["-c", "/dev/null", f"--rootdir={path.parent}", "--noconftest", "--import-mode=importlib"]
    unused = ("terminal", "cacheprovider", "warnings", "capture", "logging")
    off = [word for name in unused for word in ("-p", f"no:{name}")]
    pytest.main([str(path), "--assert=plain", "--disable-plugin-autoload", *words, *off], [recorder])
    return recorder.raised


def test_a_suite_runs_with_the_same_results_as_pytest_gives(
    collect: Callable[[str], CollectedTests], tmp_path: Path
) -> None:
    tests = collect(SUITE)
    ours = {item.name: described(tests.run(item, 1, 2)) for item in tests.items}
    theirs = by_pytest(tmp_path / "test_hidden.py")
    assert len(ours) == 13
    assert ours == theirs


@pytest.mark.parametrize("code", ["async def test_a():\n    assert False", "def test_a():\n    return False"])
def test_a_test_that_returns_something_does_not_pass(
    collect: Callable[[str], CollectedTests], code: str
) -> None:
    tests = collect(code)
    assert tests.run(tests.items[0], 1, 2) is not None


def test_a_test_runs_again_with_new_objects_and_fixtures_made_afresh(
    collect: Callable[[str], CollectedTests],
) -> None:
    tests = collect(SUITE)
    named = {item.name: item for item in tests.items}
    fixture, shared = named["test_fixture"], named["test_shared"]
    for student in (1, 5, 1):
        assert (tests.run(fixture, student, student + 1)) is None
    assert isinstance(tests.run(fixture, 1, 3), AssertionError)
    assert described(tests.run(shared, 1, 2)) == described(tests.run(shared, 1, 2)) == "ValueError: [1]"


def test_what_is_set_up_is_torn_down_in_turn_before_the_run_ends(
    collect: Callable[[str], CollectedTests],
) -> None:
    tests = collect(SUITE)
    (item,) = (item for item in tests.items if item.name == "test_fixture")
    tests.run(item, 1, 2)
    assert item.obj.__globals__["EVENTS"] == ["module", "set up", "made", "unmade", "torn down"]


def test_whoever_interrupts_collecting_or_running_interrupts_us(
    collect: Callable[[str], CollectedTests],
) -> None:
    with pytest.raises(KeyboardInterrupt):
        collect("raise KeyboardInterrupt")
    tests = collect("def test_a(student):\n    raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        tests.run(tests.items[0], 1, 2)


def test_no_other_module_of_the_engine_uses_private_names_of_pytest() -> None:
    private = re.compile(r"\b_pytest\b|\._(setupstate|initrequest|fixtureinfo|do_configure)\b")
    users = {
        path.stem
        for path in ENGINE.rglob("*.py")
        if "tests" not in path.relative_to(ENGINE).parts and private.search(path.read_text(encoding="utf-8"))
    }
    assert users == {"pytest_internals"}


def test_pytests_version_is_bounded_in_pyproject() -> None:
    text = (ENGINE.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r'"pytest>=\d+\.\d+,<\d+"', text)
