"""The command `bench`: compares this grader with stock nbgrader and Otter.

- graders: runs the three graders on one class, and measures the time and memory of each.
- replay: repeats the calls of our hidden tests in stock nbgrader and Otter.
- page: writes tables into the documentation.
"""

import json
import os
from functools import partial
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
    help="What to measure: the speed of the graders, or the strength of the hidden tests.",
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

    The command writes a table of the graders' speed to autograder/docs/performance.md. With
    `--table strength`, it counts the wrong answers that hidden tests reject, and writes the numbers to
    autograder/docs/evidence.md. The first run installs Otter in build/bench/. Do not use the machine for
    other work while speed is measured.
    """
    from autograder.authoring.together import prove_together
    from autograder.plugins.bench.page import page_of, to_strength, write_table

    page = page_of(course.root, table)
    if table == "strength":
        text = to_strength(prove_together(course, exercises, os.cpu_count() or 1))
    else:
        text = "\n\n".join(_speed(course, exercise, submissions, alone) for exercise in exercises)
    write_table(page, table, text)
    click.echo(text)


def _speed(course: "options.Course", exercise: "options.Exercise", submissions: int, alone: bool) -> str:
    """Measure the graders with one class and return a table.

    Stock nbgrader and Otter grade only a part of the class, because they are slow.
    """
    from autograder.authoring.answers import released
    from autograder.plugins.bench import graders
    from autograder.plugins.bench.page import to_markdown
    from autograder.records.reports import read_report
    from autograder.submission.submission import Submission

    bench_folder = course.build / "bench"
    bench_folder.mkdir(parents=True, exist_ok=True)
    notebook, other_results = released(course.assignments, exercise), []
    with TemporaryDirectory(dir=bench_folder) as folder:
        root = Path(folder)
        if not alone:
            programs, tests = graders.install_otter(course), root / "tests.json"
            tests.write_text(json.dumps(graders.record_tests(exercise)), encoding="utf-8")
            hidden = partial(graders.replay_lines, tests=tests)
            stock, stock_notebook = graders.prepare_stock(root / "stock", exercise, hidden)
            otter = graders.prepare_otter(root / "otter", exercise, hidden, programs)
            for grader, count in ((stock, 21), (otter, 9)):
                answers = graders.class_answers(exercise, count)
                other_results.append(graders.grade(grader, stock_notebook, exercise, answers))
        # The first run, with two students, does not count. After it, the grader's files are in memory.
        our_results = []
        for number, (count, jobs) in enumerate([(2, 1), *((submissions, jobs) for jobs in JOBS)]):
            grader = graders.copy_ours(course, exercise, root / f"ours-{number}", jobs)
            answers = graders.class_answers(exercise, count)
            our_results.append(graders.grade(grader, notebook, exercise, answers))
        first = Submission(grader.root, next(iter(answers)), exercise.name)
        report = read_report(first)
    return to_markdown(exercise.name, report.sandbox if report else (), our_results[1:], other_results)
