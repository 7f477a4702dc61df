"""The command that measures exercises and writes the figures down; it imports what it needs when it runs."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import click


def _sizes(context: click.Context, option: click.Parameter, text: str) -> tuple[int, ...]:  # noqa: ARG001
    with suppress(ValueError):
        if min(sizes := tuple(map(int, text.split(",")))) > 0:
            return sizes
    raise click.BadParameter("must be whole numbers above 0 with commas between them, such as 10,100,1000")


@click.command(context_settings={"show_default": True})
@click.argument("exercises", nargs=-1, required=True, metavar="EXERCISE...")
@click.option("--submissions", type=click.IntRange(1), default=200, help="The compared class.")
@click.option("--sizes", default="10,100,1000", callback=_sizes, help="Classes that show growth.")
@click.option("--alone", is_flag=True, help="Leave out stock nbgrader and Otter.")
@click.option("--quick", is_flag=True, help="Only see whether everything runs; the page stays as it is.")
@click.pass_obj
def bench(
    folder: Path | None,
    exercises: tuple[str, ...],
    submissions: int,
    sizes: tuple[int, ...],
    alone: bool,
    quick: bool,
) -> None:
    """Measure grading beside stock nbgrader and Otter, and write docs/performance.md.

    Otter installs itself in build/bench/ at the first run. Leave the machine alone meanwhile: almost every
    number is a time.
    """
    from autograder.bench.benchmark import QUICK, Plan, measure_exercise
    from autograder.bench.page import PAGE, require_place, to_markdown, write_table
    from autograder.course.course import find_course, load_course

    def notify(line: str) -> None:
        click.echo(line, err=True)

    course = load_course((folder or find_course(Path.cwd())).absolute())
    plan = QUICK if quick else Plan(submissions=submissions, sizes=sizes)
    if alone:
        plan = replace(plan, stock=0, otter=0)
    page = None if quick else require_place(course.root / PAGE)
    measured = [measure_exercise(course, exercise, plan, notify) for exercise in course.chosen(exercises)]
    kept = course.build / "bench.json"
    kept.write_text(f"[{', '.join(figures.to_json() for figures in measured)}]\n", encoding="utf-8")
    click.echo(to_markdown(measured))
    notify(f"wrote {kept.relative_to(course.root)}")
    if page:
        write_table(page, to_markdown(measured))
        notify(f"wrote {PAGE}")
