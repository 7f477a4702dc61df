"""The commands that grade: `run` for notebooks anywhere, `grade` for submitted ones and the gradebook."""

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from autograder.cli import options
from autograder.errors import OUR_FAILURE

if TYPE_CHECKING:
    from autograder.report.report import QuestionReport, Report

INTERRUPTED = 130  # the exit code of a program that Ctrl-C has ended


@click.command()
@click.argument("notebooks", nargs=-1, required=True, metavar="NOTEBOOK...")
@click.option("--exercise", help="Which exercise it is; without it, name, folder or cells tell.")
@click.option("--json", "as_json", is_flag=True, help="Print one report a line, for programs.")
@click.option(
    "--junit", type=click.File("w", "utf-8", lazy=False), help="Also write a file for build servers."
)
@options.unsafe
@click.pass_obj
def run(
    folder: Path | None,
    notebooks: tuple[str, ...],
    exercise: str | None,
    as_json: bool,
    junit: IO[str] | None,
    unsafe: bool,
) -> None:
    """Grade notebooks on the spot, without a gradebook."""
    from autograder.sandbox.launch import prelaunched

    with prelaunched():  # the worker's process imports torch while this one does
        from autograder.batch.junit import to_junit
        from autograder.batch.run import run_notebooks
        from autograder.grading.failures import describe_failure
        from autograder.report.report import Status
        from autograder.report.text import terminal_line

        course, reports = options.open_course(folder), []
        for notebook, graded in run_notebooks(course, notebooks, exercise, unsafe=unsafe):
            report = graded.report
            if as_json:
                click.echo(report.to_json(notebook=notebook))
            else:
                show_report(notebook, report)
            if problem := describe_failure(course, notebook, graded):
                click.echo(terminal_line(f"{notebook}: our failure: {problem}"), err=True)
            reports.append((notebook, report))
    if junit is not None:
        junit.write(to_junit(reports))
    sys.exit(OUR_FAILURE if any(report.status is Status.GRADER_ERROR for _, report in reports) else 0)


@click.command()
@options.exercises
@click.option(
    "--student", "students", multiple=True, metavar="ID", help="Only this student; may be repeated."
)
@options.jobs("Grade in so many processes; default: all cores.")
@click.option("--cluster", metavar="ADDRESS", help="Grade on the workers of a Dask scheduler instead.")
@click.option("--force", is_flag=True, help="Grade again what has not changed since.")
@click.option("--json", "as_json", is_flag=True, help="Print one submission a line, for programs.")
@options.unsafe
@click.pass_obj
def grade(
    folder: Path | None,
    exercises: tuple[str, ...],
    students: tuple[str, ...],
    jobs: int | None,
    cluster: str | None,
    force: bool,
    unsafe: bool,
    as_json: bool,
) -> None:
    """Grade what lies in submitted/ and keep it in the gradebook."""
    from autograder.batch.grade import grade_submissions, submissions_of
    from autograder.cli.progress import Progress, show_summary

    course = options.open_course(folder)
    chosen = course.chosen(exercises)
    total = sum(len(submissions_of(course, exercise, students)) for exercise in chosen)
    jobs = jobs or min(os.cpu_count() or 1, max(total, 1))
    with ExitStack() as stack:
        executor = None
        if cluster is not None:
            from autograder.batch.cluster import Cluster

            executor = stack.enter_context(Cluster(course, cluster, unsafe=unsafe))
        progress = stack.enter_context(Progress(total, as_json=as_json))
        try:
            summary = grade_submissions(
                course, chosen, students,
                jobs=jobs, force=force, unsafe=unsafe, executor=executor, notify=progress.notify,
            )  # fmt: skip
        except KeyboardInterrupt:
            click.echo("stopped; what is graded is kept, and the same command goes on from there", err=True)
            sys.exit(INTERRUPTED)
    if not as_json:
        show_summary(summary)
    sys.exit(summary.exit_code)


def show_report(notebook: str, report: "Report") -> None:
    """Print a report for a person: each question with its verdict, score and hint."""
    from autograder.cli.table import show
    from autograder.report.text import number

    rows = [
        [
            question.name,
            question.verdict,
            f"{number(question.score)} of {number(question.max_score)}",
            _hint(question),
        ]
        for question in report.questions
    ]
    score = f"{number(report.score)} of {number(report.max_score)} points"
    title = f"{notebook} ({report.exercise}): {report.status}, {score}"
    show(title, ("question", "verdict", "score", "hint"), rows, report.message)


def _hint(question: "QuestionReport") -> str:
    from autograder.report.report import Verdict

    return "graded by hand" if question.verdict is Verdict.UNGRADED else question.hint
