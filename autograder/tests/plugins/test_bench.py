"""The bench: one made-up class for all graders, tests that judge alike, and what it writes."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.authoring.costs import Costs
from autograder.authoring.strength import Strength
from autograder.authoring.verify import Proof
from autograder.cli import main
from autograder.course.course import Course
from autograder.diagnosis.misconceptions import load_catalogue
from autograder.plugins import bench as plugin
from autograder.plugins.bench import bench, graders, page
from autograder.plugins.bench.graders import (
    Measurement,
)
from autograder.plugins.bench.page import DOCS, PAGES, comments_around, to_markdown, to_strength
from autograder.tests.classroom import CONFIG, real_course

REAL = real_course()
PAGE = f"{DOCS}/{PAGES['speed']}"
BEGIN, END = comments_around("speed")


def test_the_figures_are_shown_in_a_table(
    golden: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "machine", lambda: "2 cores of a fine processor")
    marks = {f"student-{number}": frozenset({"double"}) for number in range(200)}
    ours = [Measurement(f"this grader, {n} jobs", 20.0 / n, 900.0, marks, 4.0 / n) for n in (1, 2)]
    other = Measurement(
        "Otter 7.0.0", 10.0, 500.0, {"student-0": marks["student-0"], "student-1": frozenset()}
    )
    golden("bench.md", to_markdown("01_small", ("rlimits",), ours, [other]) + "\n")


@pytest.mark.parametrize("text", ["", "# A course", BEGIN, f"{END} {BEGIN}"])
def test_without_a_place_for_the_table_nothing_is_measured(course: Course, text: str) -> None:
    path = course.root / PAGE
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(bench, ["01_small"], obj=course.root)
    assert f"put {BEGIN} and {END} on lines of their own" in str(done.exception)
    assert path.read_text(encoding="utf-8") == text


def graded_here(command: list[str], folder: Path) -> tuple[float, float]:
    """Do what `python -m autograder` would, without the seconds that it takes to start."""
    assert command[1:3] == ["-m", "autograder"]
    done = CliRunner().invoke(main, ["--course", str(folder), *command[3:]])
    assert done.exit_code == 0, done.output
    return 2.0, 500.0


def test_a_tiny_bench_measures_this_grader_and_replaces_the_table(
    course: Course, released: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graders, "measure", graded_here)
    shutil.copytree(released, course.assignments / "01_small")
    shutil.copy(CONFIG, course.root)
    monkeypatch.setattr(plugin, "JOBS", (1,))
    path = course.root / PAGE
    path.parent.mkdir(parents=True)
    path.write_text(f"# Before\n\n{BEGIN}\nold\n{END}\n\n## After\n", encoding="utf-8")
    done = CliRunner().invoke(bench, ["01_small", "--alone", "--submissions", "2"], obj=course.root)
    assert done.exit_code == 0, done.output
    assert path.read_text(encoding="utf-8") == f"# Before\n\n{BEGIN}\n{done.output}{END}\n\n## After\n"
    assert "| this grader, 1 job, marks | " in done.output
    assert "This grader's sandbox: process, rlimits" in done.output
    assert list((course.build / "bench").iterdir()) == []


@pytest.mark.parametrize("table", PAGES)
def test_each_table_has_one_place_in_our_pages(table: str) -> None:
    text = page.page_of(REAL.root, table).read_text(encoding="utf-8")
    assert [text.count(comment) for comment in comments_around(table)] == [1, 1]


def test_the_strength_of_a_suite_is_a_row() -> None:
    proved = Proof("01_small", bits=9, strength=Strength(8, 7, 1), costs=Costs(20, 19))
    *_, whole, empty = to_strength([proved, Proof("02_empty")]).split("\n")
    assert whole == "| 01_small | 7 of 8 | 1 | 19 of 20 | 9 |"
    assert empty == "| 02_empty | 0 of 0 | 0 | 0 of 0 | 0 |"


def test_misconceptions_of_the_page_are_in_the_catalogue() -> None:
    text = (REAL.root / DOCS / "evidence.md").read_text(encoding="utf-8")
    section = text.partition("## Faults of attention models")[2].partition("\n## ")[0]
    rows = [line for line in section.split("\n") if line.startswith("| ")][2:]
    known = {one.name for one in load_catalogue(next(iter(REAL.exercises.values())).catalogue).misconceptions}
    assert set(re.findall(r"`(\w+)`", "\n".join(rows))) - known == set()
    taught = [row for row in rows if "not taught here" not in row]
    assert f"{len(taught)} of the {len(rows)} root causes" in section
