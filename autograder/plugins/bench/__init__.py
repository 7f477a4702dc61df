"""The command `bench`: compares grading with stock nbgrader and Otter.

- graders: this grader, stock nbgrader and Otter, and what each takes for one class on one machine.
- replay: our hidden tests as those two run them.
- page: the tables as people read them.
"""

import json
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
    type=click.Choice(("speed", "strength")),
    default="speed",
    show_default=True,
    help="What to measure: how fast all three are, or what our tests catch.",
)
@options.exercises
def bench(
    course: "options.Course",
    exercises: "list[options.Exercise]",
    submissions: int,
    alone: bool,
    table: str,
) -> None:
    """Compare with stock nbgrader and Otter.

    Writes a table to performance.md or evidence.md in autograder/docs. The first run installs Otter in
    build/bench/. Do not use the machine while speed is measured.
    """
    from autograder.authoring.together import prove_together
    from autograder.plugins.bench.page import page_of, to_strength, write_table

    page = page_of(course.root, table)
    if table == "strength":
        text = to_strength(prove_together(course, exercises, os.cpu_count() or 1))
    else:
        text = "\n\n".join(_speed(course, one, submissions, alone) for one in exercises)
    write_table(page, table, text)
    click.echo(text)


def _speed(course: "options.Course", exercise: "options.Exercise", submissions: int, alone: bool) -> str:
    """Return what the graders take for a class; stock nbgrader and Otter get its beginning."""
    from autograder.authoring.answers import released
    from autograder.plugins.bench import graders
    from autograder.plugins.bench.page import to_markdown
    from autograder.records.reports import read_report
    from autograder.submission.submission import Submission

    kept = course.build / "bench"
    kept.mkdir(parents=True, exist_ok=True)
    notebook, others = released(course.assignments, exercise), []
    with TemporaryDirectory(dir=kept) as folder:
        root = Path(folder)
        if not alone:
            programs, tests = graders.install_otter(course), root / "tests.json"
            tests.write_text(json.dumps(graders.recorded(exercise)), encoding="utf-8")
            stock, theirs = graders.stock(root / "stock", exercise, lambda q: graders.replaying(q, tests))
            otter = graders.otter(root / "otter", exercise, lambda q: graders.replaying(q, tests), programs)
            for rival, count in ((stock, 21), (otter, 9)):
                crowd = graders.class_answers(exercise, count)
                others.append(graders.grade(rival, theirs, exercise, crowd))
        # The first class fills the disk's cache, from which all graders gain alike.
        ours = []
        for number, (count, jobs) in enumerate([(2, 1), *((submissions, jobs) for jobs in JOBS)]):
            rival = graders.copy_ours(course, exercise, root / f"ours-{number}", jobs)
            crowd = graders.class_answers(exercise, count)
            ours.append(graders.grade(rival, notebook, exercise, crowd))
        first = Submission(rival.root, next(iter(crowd)), exercise.name)
        report = read_report(first)
    return to_markdown(exercise.name, report.sandbox if report else (), ours[1:], others)
