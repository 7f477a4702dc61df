"""The bench: one class for all graders, the same tests for all, and a table of what came out."""

import doctest
import json
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner

from autograder.authoring.answers import released as read_release
from autograder.bench import benchmark, stages
from autograder.bench.__main__ import main
from autograder.bench.asserts import HELPERS, hidden_tests
from autograder.bench.benchmark import QUICK, Plan
from autograder.bench.crowd import answers, course_of, hand_in
from autograder.bench.desk import Desk
from autograder.bench.figures import Class, Figures, Other, of_sample
from autograder.bench.machine import Machine, this_machine
from autograder.bench.meter import BenchError, measure, resident
from autograder.bench.otter import ok_file
from autograder.bench.page import BEGIN, END, page, write
from autograder.bench.stages import ONCE, Stage, Stopwatch
from autograder.bench.stock import Sample, source
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.tests.classroom import CONFIG, small

REAL = load_course(CONFIG.parent)


@pytest.fixture
def furnished(course: Course, released: Path) -> Course:
    """Return a copy of the small course with its release and nbgrader's settings."""
    shutil.copytree(released, course.assignments / "01_small")
    shutil.copy(CONFIG, course.root)
    return course


@pytest.fixture(autouse=True)
def own_random_numbers() -> Iterator[None]:
    """Keep the seeds of the tests that are run here to themselves."""
    with torch.random.fork_rng(devices=[]):
        yield


def failing(exercise: Exercise, code: tuple[str, ...], tests: dict[str, list[str]]) -> set[str]:
    """Return the questions of which a test raises on the notebook `code`."""
    variables: dict[str, Any] = {"__name__": "__main__"}
    with warnings.catch_warnings(action="ignore"):
        for cell in (*code, HELPERS):
            exec(cell, variables)
        return {question for question in tests for test in tests[question] if raises(test, variables)}


def raises(test: str, variables: dict[str, Any]) -> bool:
    try:
        exec(test, dict(variables))
    except Exception:
        return True
    return False


@pytest.mark.parametrize("exercise", REAL.exercises.values(), ids=lambda exercise: exercise.name)
def test_others_tests_pass_the_reference_and_catch_mistakes_where_ours_do(exercise: Exercise) -> None:
    tests = hidden_tests(exercise)
    assert set(tests) == set(exercise.points)
    assert all(tests.values())
    assert failing(exercise, exercise.reference, tests) == set()
    forbidden = REAL.forbidden(exercise.name)  # a rule finds these, no test
    mistakes = {m.question: m for m in exercise.mistakes if "library" not in m.name or not forbidden}
    for question, mistake in mistakes.items():
        assert failing(exercise, exercise.variant(mistake.code), tests) == {question}, mistake.path


def test_otter_s_files_pass_right_answers_and_fail_wrong_ones(course: Course) -> None:
    exercise = small(course)
    tests = hidden_tests(exercise)
    spec: dict[str, Any] = {}
    exec(ok_file("double", 2, tests["double"]), spec)
    (suite,) = spec["test"]["suites"]
    assert len(suite["cases"]) == len(tests["double"])

    def failures(code: tuple[str, ...]) -> int:
        variables: dict[str, Any] = {}
        for cell in code:
            exec(cell, variables)
        runner = doctest.DocTestRunner(verbose=False)
        for case in suite["cases"]:
            runner.run(
                doctest.DocTestParser().get_doctest(case["code"], dict(variables), "double", None, None),
                out=lambda _: None,
            )
        return runner.failures

    assert failures(exercise.reference) == 0
    assert failures(exercise.variant("def double(x):\n    return x * x")) > 0


def test_stock_nbgrader_s_cells_hold_the_hidden_tests_and_no_picture_stays(course: Course) -> None:
    exercise = small(course)
    cells = source(exercise, hidden_tests(exercise))["cells"]
    checks = [c for c in cells if c["metadata"].get("nbgrader", {}).get("grade_id", "").startswith("check-")]
    assert len(checks) == 2
    assert all(cell["source"].count("### BEGIN HIDDEN TESTS") == 1 for cell in checks)
    assert "double(" in checks[0]["source"].partition("### BEGIN HIDDEN TESTS")[2]
    assert not any("plt.show" in "".join(cell["source"]) for cell in cells)


def test_every_submission_is_another_file_and_small_classes_begin_large_ones(furnished: Course) -> None:
    exercise = small(furnished)
    class_of_nine = dict(answers(exercise, 9, seed=1))
    assert list(dict(answers(exercise, 4, seed=1)).values()) == list(class_of_nine.values())[:4]
    assert dict(answers(exercise, 9, seed=2)) != class_of_nine
    made = course_of(furnished, exercise, furnished.root / "build" / "copy")
    hand_in(made.root, read_release(made.assignments, exercise), exercise, 9, seed=1)
    notebooks = list((made.root / "submitted").rglob("*.ipynb"))
    assert len({path.read_bytes() for path in notebooks}) == 9
    assert list(made.exercises) == ["01_small"]


def test_a_command_s_memory_includes_what_it_starts(tmp_path: Path) -> None:
    held = "import time; held = bytearray(200_000_000); time.sleep(1)"
    outer = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {held!r}], check=True); print('x')"
    )
    run = measure([sys.executable, "-c", outer], tmp_path)
    assert run.output == "x\n"
    assert run.seconds > 1
    assert 200 < run.peak_mb < 2000


def test_the_memory_of_strangers_does_not_count() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        alone = resident(child.pid)
    assert 0 < alone < resident(1)
    assert resident(child.pid) == 0


def test_a_command_that_fails_ends_the_bench_with_its_words(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"ended with code 4\nno such exercise$"):
        measure([sys.executable, "-c", "print('no such exercise'); exit(4)"], tmp_path)


class Kitchen:
    """Something to watch."""

    def bake(self) -> None:
        self.rest()
        time.sleep(0.02)

    def rest(self) -> None:
        time.sleep(0.03)

    def serve(self) -> Iterator[int]:
        time.sleep(0.02)
        yield 1
        time.sleep(0.02)


@pytest.mark.parametrize("whole", [False, True])
def test_time_goes_to_the_innermost_stage_unless_one_around_it_is_whole(
    monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    for name in ("bake", "rest", "serve"):
        monkeypatch.setattr(Kitchen, name, getattr(Kitchen, name))
    watch = Stopwatch()
    watch.watch(stages._Place(__name__, "Kitchen.bake", "baking", whole=whole))
    watch.watch(stages._Place(__name__, "Kitchen.rest", "resting"))
    watch.watch(stages._Place(__name__, "Kitchen.serve", "serving"))
    kitchen = Kitchen()
    kitchen.bake()
    for _ in kitchen.serve():
        time.sleep(0.05)
    watch.note()
    assert ("resting" in watch.seconds) is not whole
    assert watch.seconds["baking"] >= (0.05 if whole else 0.02)
    assert watch.seconds["serving"] >= 0.04
    assert watch.seconds[stages.REST] >= 0.05


def test_every_stage_is_a_function_of_the_engine() -> None:
    for place in stages._PLACES:
        owner: Any = sys.modules.get(place.module) or __import__(place.module, fromlist=["_"])
        for part in place.name.split("."):
            owner = getattr(owner, part)
        assert callable(owner)


def figures() -> Figures:
    machine = Machine("A fine processor", 2, 8, "Linux 6.1", "3.11.7", "2.13.0")
    ours = (Class(200, 1, 20.0, 900.0), Class(200, 2, 12.5, 1500.0, 4.0))
    growth = (Class(10, 2, 5.0, 1400.0), Class(1000, 2, 60.0, 1501.0))
    full = {"ada": frozenset({"double"}), "carl": frozenset[str]()}
    stock = of_sample(
        "stock nbgrader", Sample("0.9.6", 2.5, 20, 400.0, full, 3.0), {**full, "carl": full["ada"]}, 2
    )
    otter = Other("Otter", "7.0.0", 5.0, 9, 500.0, 4, 4)
    timed = (
        Stage("hidden tests", 20.0, 19.0),
        Stage(ONCE, 2000.0, 1900.0),
        Stage("process and walls", 25.0, 5.0),
    )
    desk = Desk(2.0, 2.2, 3.0)
    return Figures(
        "01_small", 5, "0.1.0", ("rlimits", "seccomp"), machine, ours, (stock, otter), growth, timed, desk
    )


def test_the_figures_are_told_in_tables(golden: Callable[[str, str], None]) -> None:
    golden("bench.md", page([figures()]) + "\n")


def test_the_figures_are_json_for_programs() -> None:
    told = json.loads(figures().to_json())
    assert told["ours"][1] == {"count": 200, "jobs": 2, "seconds": 12.5, "peak_mb": 1500.0, "again": 4.0}
    assert (told["others"][0]["agrees"], told["others"][0]["questions"]) == (3, 4)


def test_the_table_replaces_the_last_one_and_nothing_else(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"# Before\n\n{BEGIN}\nold\n{END}\n\n## After\n", encoding="utf-8")
    write(readme, "| new |")
    write(readme, "| newer |")
    assert readme.read_text(encoding="utf-8") == f"# Before\n\n{BEGIN}\n| newer |\n{END}\n\n## After\n"


@pytest.mark.parametrize("text", ["", "# A course", BEGIN, f"{END} {BEGIN}"])
def test_without_a_place_for_the_table_nothing_is_measured(course: Course, text: str) -> None:
    (course.root / "README.md").write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, ["--course", str(course.root), "bench", "01_small"])
    assert done.exit_code == 2
    assert f"put {BEGIN} and {END} on lines of their own" in done.stderr
    assert (course.root / "README.md").read_text(encoding="utf-8") == text


def test_the_project_s_readme_has_a_place_for_the_table() -> None:
    text = (REAL.root / "README.md").read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1


@pytest.mark.parametrize("sizes", ["", "10,", "0", "ten", "-1,5"])
def test_sizes_are_whole_numbers(course: Course, sizes: str) -> None:
    done = CliRunner().invoke(main, ["--course", str(course.root), "bench", "01_small", "--sizes", sizes])
    assert done.exit_code == 2
    assert "such as 10,100,1000" in done.stderr


def test_the_machine_is_described_without_its_name() -> None:
    machine = this_machine()
    assert machine.cores > 0
    assert machine.memory_gb > 0
    assert machine.processor
    assert machine.torch.count(".") == 2


def test_a_tiny_bench_measures_everything_of_ours(furnished: Course) -> None:
    told: list[str] = []
    plan = replace(QUICK, sizes=(), stock=0, otter=0)
    found = benchmark.bench(furnished, small(furnished), plan, told.append)
    (done,) = found.ours
    assert (done.count, done.jobs) == (2, 1)
    assert done.again is not None
    assert {"process", "rlimits"} <= set(found.walls)
    assert found.others == ()
    by_name = {stage.name: stage for stage in found.stages}
    assert set(by_name) >= {ONCE, stages.FORK, stages.CELLS, stages.TESTS, stages.BOOK}
    numbers = [done.seconds, done.again, done.peak_mb, *asdict(found.desk).values()]
    numbers += [number for stage in found.stages for number in (stage.milliseconds, stage.without_walls)]
    assert all(number > 0 for number in numbers), numbers
    assert "this grader, 2 submissions, 1 job" in told
    assert list((furnished.build / "bench").iterdir()) == []


def test_the_command_writes_figures_for_programs_and_tables_for_people(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = []

    def bench(course: Course, exercise: Exercise, plan: Plan, tell: Callable[[str], None]) -> Figures:
        plans.append(plan)
        return figures()

    monkeypatch.setattr(benchmark, "bench", bench)
    course.build.mkdir()
    readme = course.root / "README.md"
    readme.write_text(f"{BEGIN}\n{END}\n", encoding="utf-8")
    words = ["--course", str(course.root), "bench", "01_small"]
    done = CliRunner().invoke(main, [*words, "--sizes", "10,10000", "--submissions", "50", "--alone"])
    assert done.exit_code == 0, done.output
    assert plans == [Plan(submissions=50, sizes=(10, 10000), stock=0, otter=0)]
    assert json.loads((course.build / "bench.json").read_text(encoding="utf-8"))[0]["exercise"] == "01_small"
    assert readme.read_text(encoding="utf-8") == f"{BEGIN}\n{page([figures()])}\n{END}\n"
    assert CliRunner().invoke(main, [*words, "--quick"]).exit_code == 0
    assert plans[1] == QUICK
