"""The command `bench`: compares grading with stock nbgrader and Otter, on one class and machine.

- graders: this grader, stock nbgrader and Otter on that class.
- replay: our hidden tests as those two run them.
- measure: the class, and what a command takes.
- page: the figures as people read them.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import click

from autograder.cli import options

SECTION = "Machine"
JOBS = (1, 2)


@click.command()
@click.option(
    "--submissions", type=click.IntRange(2), default=200, show_default=True, help="The class's size."
)
@click.option("--alone", is_flag=True, help="Leave out stock nbgrader and Otter.")
@options.exercises
def bench(
    course: "options.Course", exercises: "list[options.Exercise]", submissions: int, alone: bool
) -> None:
    """Compare speed and memory with stock nbgrader and Otter.

    Writes the figures to autograder/docs/performance.md. The first run installs Otter in build/bench/. Do not
    use the machine meanwhile: almost every number is a time.
    """
    from autograder.plugins.bench.graders import Bench
    from autograder.plugins.bench.measure import class_answers
    from autograder.plugins.bench.page import read_page, to_markdown, with_figures

    (page, text), figures = read_page(course.root), []
    kept = course.build / "bench"
    kept.mkdir(parents=True, exist_ok=True)
    for exercise in exercises:
        with TemporaryDirectory(dir=kept) as folder:
            it, crowd = Bench(course, exercise, Path(folder)), class_answers(exercise, submissions)
            others = [] if alone else it.others()
            # This fills the disk's cache, from which all graders gain alike.
            it.ours(class_answers(exercise, 2), 1)
            figures.append(to_markdown(exercise.name, [it.ours(crowd, jobs) for jobs in JOBS], others))
    page.write_text(with_figures(text, "\n\n".join(figures)), encoding="utf-8")
    click.echo("\n\n".join(figures))
