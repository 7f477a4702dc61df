"""The figures as tables, and their place in the documentation."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from autograder.bench.figures import Figures
from autograder.bench.page import BEGIN, END, PAGE, to_markdown, write_table
from autograder.tests.classroom import CONFIG


def test_the_figures_are_shown_in_tables(figures: Figures, golden: Callable[[str, str], None]) -> None:
    golden("bench.md", to_markdown([figures]) + "\n")


def test_the_table_replaces_the_last_one_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Before\n\n{BEGIN}\nold\n{END}\n\n## After\n", encoding="utf-8")
    write_table(page, "| new |")
    write_table(page, "| newer |")
    assert page.read_text(encoding="utf-8") == f"# Before\n\n{BEGIN}\n| newer |\n{END}\n\n## After\n"


def test_the_documentation_has_a_place_for_the_table() -> None:
    text = (CONFIG.parent / PAGE).read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1


def test_without_two_sizes_nothing_is_said_of_further_submissions(figures: Figures) -> None:
    assert "each additional one takes 56 ms with 2 jobs" in to_markdown([figures])
    assert "additional" not in to_markdown([replace(figures, growth=figures.growth[:1])])
