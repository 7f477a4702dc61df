"""The command `bench`: compares grading with stock nbgrader and Otter, on one class and machine.

- ours: the class, graded by this grader; what its students wait for, and what it computes itself.
- others: the same class, graded by stock nbgrader and by Otter.
- asserts: our hidden tests as instructors would write them for those graders.
- page: the figures as people read them.
"""

from typing import TYPE_CHECKING

import click

from autograder.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autograder.course.exercise import Exercise

SECTION = "Machine"


@click.command()
@click.option(
    "--submissions", type=click.IntRange(2), default=200, show_default=True, help="The class's size."
)
@click.option("--alone", is_flag=True, help="Leave out stock nbgrader and Otter.")
@options.exercises
def bench(course: "options.Course", exercises: "Sequence[Exercise]", submissions: int, alone: bool) -> None:
    """Compare speed and memory with stock nbgrader and Otter.

    Writes the figures to autograder/docs/performance.md. The first run installs Otter in build/bench/. Do not
    use the machine meanwhile: almost every number is a time.
    """
    from autograder.plugins.bench.others import prepare
    from autograder.plugins.bench.ours import Bench
    from autograder.plugins.bench.page import measure_exercise, require_place, to_markdown, write_table

    page, sections = require_place(course.root), []
    for exercise in exercises:
        with Bench.open(course, exercise) as it:
            sections.append(to_markdown(measure_exercise(it, submissions, {} if alone else prepare(it))))
    text = "\n\n".join(sections)
    write_table(page, text)
    click.echo(text)
