"""The command `bench`: compares grading with stock nbgrader and Otter.

- graders: this grader, stock nbgrader and Otter on one class and machine.
- replay: our hidden tests as those two run them.
- measure: the class, and what a command takes.
- attacks: what the same attacks gain on each of the three.
- wild: strangers' definitions, fetched again and graded.
- page: the tables as people read them.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from autograder.cli import options

JOBS = (1, 2)


@click.command()
@click.option(
    "--submissions", type=click.IntRange(2), default=200, show_default=True, help="The class's size."
)
@click.option("--alone", is_flag=True, help="Leave out stock nbgrader and Otter.")
@click.option(
    "--table",
    type=click.Choice(("speed", "attacks", "strength")),
    default="speed",
    show_default=True,
    help="What to compare: how fast all three are, what attacks gain on them, or what our tests catch.",
)
@click.option("--wild", type=options.PATH, help="Instead, fetch the code of evidence.csv here and grade it.")
@click.option("--site", default="https://github.com", show_default=True, help="From where --wild fetches.")
@options.exercises
def bench(
    course: "options.Course",
    exercises: "list[options.Exercise]",
    submissions: int,
    alone: bool,
    table: str,
    wild: Path | None,
    site: str,
) -> None:
    """Compare with stock nbgrader and Otter.

    Writes a table to performance.md or evidence.md in autograder/docs. The first run installs Otter in
    build/bench/. Do not use the machine while speed is measured. The attacks bring an exercise of their own.
    """
    from autograder.authoring.verify import prove_together
    from autograder.plugins.bench.attacks import compare
    from autograder.plugins.bench.page import page_of, to_strength, write_table
    from autograder.plugins.bench.wild import repeat

    if wild is not None:
        options.print_lines(repeat(course, wild, site))
        return
    page = page_of(course.root, table)
    match table:
        case "attacks":
            text = compare(course, click.echo)
        case "strength":
            text = to_strength(prove_together(course, exercises, os.cpu_count() or 1))
        case _:
            text = "\n\n".join(_speed(course, one, submissions, alone) for one in exercises)
    write_table(page, table, text)
    click.echo(text)


def _speed(course: "options.Course", exercise: "options.Exercise", submissions: int, alone: bool) -> str:
    """Return what the graders take for a class."""
    from autograder.plugins.bench.graders import Bench
    from autograder.plugins.bench.measure import class_answers
    from autograder.plugins.bench.page import to_markdown

    kept = course.build / "bench"
    kept.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=kept) as folder:
        it, crowd = Bench(course, exercise, Path(folder)), class_answers(exercise, submissions)
        others = [] if alone else it.others()
        # This fills the disk's cache, from which all graders gain alike.
        it.ours(class_answers(exercise, 2), 1)
        return to_markdown(exercise.name, [it.ours(crowd, jobs) for jobs in JOBS], others)
