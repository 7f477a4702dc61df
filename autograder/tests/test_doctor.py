"""The doctor sees what is missing, says what to do, and never faints."""

from contextlib import nullcontext
from pkgutil import resolve_name
from types import SimpleNamespace

import pytest

from autograder import doctor
from autograder.course.course import Course
from autograder.course.settings import Tier
from autograder.doctor import Check, examine
from autograder.sandbox.errors import ZygoteError
from autograder.tests.batch.test_odd_files import failing_on
from autograder.tests.classroom import answered, hand_in, small


@pytest.fixture
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare a test the seconds that a worker takes to start."""

    def refuse(*arguments: object, **settings: object) -> None:
        raise ZygoteError("no zygote today")

    monkeypatch.setattr(doctor, "Zygote", refuse)


def seen(course: Course) -> dict[str, Check]:
    return {check.name: check for check in examine(course.root)}


def test_a_healthy_machine_has_nothing_to_fix(course: Course) -> None:
    checks = seen(course)
    assert {"python", "torch", "nbgrader", "pytest", "worker", "walls", "kernel", "folders"} <= set(checks)
    assert checks["worker"] == Check("worker", True, "starts and answers")
    assert checks["course.yaml"] == Check("course.yaml", True, "1 exercises")
    assert checks["walls"].ok
    assert "rlimits" in checks["walls"].state


def test_a_package_of_the_course_that_is_missing_is_named_with_its_fix(course: Course) -> None:
    path = course.root / "course.yaml"
    packages = 'packages: [numpy, "pytest>=999", no-such-package]\n'
    path.write_text(packages + path.read_text(encoding="utf-8"), encoding="utf-8")
    checks = seen(course)
    assert checks["numpy"].ok
    assert "torch" not in checks
    assert checks["no-such-package"].state == "not installed"
    assert checks["no-such-package"].fix == 'python -m pip install "no-such-package"'
    assert (checks["pytest"].ok, checks["pytest"].fix) == (False, 'python -m pip install "pytest>=999"')
    assert "pytest>=999 is version" in checks["worker"].state


@pytest.mark.usefixtures("no_worker")
def test_notebooks_of_newer_pythons_are_counted_and_one_that_our_code_fails_on_stops_no_other(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "notebooks" not in seen(course)
    for number, version in enumerate(["3.99.1", "3.99.0rc1", "4.0", "3.9.1", ""]):
        made = answered(small(course))
        made["metadata"]["language_info"]["version"] = version
        hand_in(course, f"s{number}", made)
    check = seen(course)["notebooks"]
    assert check.ok
    effect = "if an answer fails because the grader's Python is older, an instructor grades it"
    assert check.state == f"2 with Python 3.99, 1 with Python 4.0; {effect}"
    reading = "autograder.submission.submission.read_notebook"
    monkeypatch.setattr(reading, failing_on(resolve_name(reading), "s2"))
    failed, counted = [check for check in examine(course.root) if check.name == "notebooks"]
    assert (failed.ok, counted.ok) == (False, True)
    assert failed.state.startswith("01_small s2: cannot be processed: ArithmeticError; ")
    assert counted.state == f"2 with Python 3.99; {effect}"


@pytest.mark.usefixtures("no_worker")
def test_whatever_goes_wrong_is_a_finding(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "KernelSpecManager", None)  # which nobody foresees
    course.exercises["01_small"].source.unlink()
    checks = seen(course)
    assert checks["course.yaml"].state == "missing source files: 01_small"
    assert checks["kernel"].state.startswith("TypeError")
    assert (checks["worker"].ok, checks["worker"].state) == (False, "no zygote today")
    assert checks["worker"].fix
    (course.root / "course.yaml").write_text("course: small\n", encoding="utf-8")
    check = seen(course)["course.yaml"]
    assert not check.ok
    assert "title: is missing" in check.state


@pytest.mark.parametrize(("stands", "ok"), [(Tier.FULL, True), (Tier.CONTAINER, True), (Tier.BARE, False)])
def test_walls_are_compared_with_what_the_course_demands(
    course: Course, monkeypatch: pytest.MonkeyPatch, stands: Tier, ok: bool
) -> None:
    worker = SimpleNamespace(ask=lambda *_: ({}, []), close=lambda: None)
    zygote = SimpleNamespace(tier=stands, walls=("rlimits",), fork=lambda _: worker)
    monkeypatch.setattr(doctor, "Zygote", lambda **_: nullcontext(zygote))
    path = course.root / "course.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("bare", "container"), encoding="utf-8")
    check = seen(course)["walls"]
    assert check.ok is ok
    assert check.state == f"{stands}: rlimits"
    assert ("demands `walls: container`" in check.fix) is not ok
