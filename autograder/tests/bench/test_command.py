"""The command that measures: its options, and what it writes."""

import json
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from autograder.bench import benchmark
from autograder.bench.__main__ import main
from autograder.bench.benchmark import QUICK, Plan
from autograder.bench.figures import Figures
from autograder.bench.page import BEGIN, END, PAGE, to_markdown
from autograder.course.course import Course
from autograder.course.exercise import Exercise


@pytest.mark.parametrize("text", ["", "# A course", BEGIN, f"{END} {BEGIN}"])
def test_without_a_place_for_the_table_nothing_is_measured(course: Course, text: str) -> None:
    page = course.root / PAGE
    page.parent.mkdir(parents=True)
    page.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, ["--course", str(course.root), "bench", "01_small"])
    assert done.exit_code == 2
    assert f"put {BEGIN} and {END} on lines of their own" in done.stderr
    assert page.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("sizes", ["", "10,", "0", "ten", "-1,5"])
def test_sizes_are_whole_numbers(course: Course, sizes: str) -> None:
    done = CliRunner().invoke(main, ["--course", str(course.root), "bench", "01_small", "--sizes", sizes])
    assert done.exit_code == 2
    assert "such as 10,100,1000" in done.stderr


def test_the_command_writes_figures_for_programs_and_tables_for_people(
    course: Course, figures: Figures, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = []

    def measure(course: Course, exercise: Exercise, plan: Plan, notify: Callable[[str], None]) -> Figures:
        plans.append(plan)
        return figures

    monkeypatch.setattr(benchmark, "measure_exercise", measure)
    course.build.mkdir()
    page = course.root / PAGE
    page.parent.mkdir(parents=True)
    page.write_text(f"{BEGIN}\n{END}\n", encoding="utf-8")
    words = ["--course", str(course.root), "bench", "01_small"]
    done = CliRunner().invoke(main, [*words, "--sizes", "10,10000", "--submissions", "50", "--alone"])
    assert done.exit_code == 0, done.output
    assert plans == [Plan(submissions=50, sizes=(10, 10000), stock=0, otter=0)]
    assert json.loads((course.build / "bench.json").read_text(encoding="utf-8"))[0]["exercise"] == "01_small"
    assert page.read_text(encoding="utf-8") == f"{BEGIN}\n{to_markdown([figures])}\n{END}\n"
    assert CliRunner().invoke(main, [*words, "--quick"]).exit_code == 0
    assert plans[1] == QUICK
