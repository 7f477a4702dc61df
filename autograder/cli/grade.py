"""The commands that grade: `run` for any notebooks, `grade` for submissions, `demo` for a made-up class."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING

import click

from autograder.cli import options
from autograder.errors import OUR_FAILURE, UsageError

if TYPE_CHECKING:
    from autograder.batch.pool import Executor

INTERRUPTED = 130  # the exit code of a program that was ended by Ctrl-C


@click.command()
@click.argument("notebooks", nargs=-1, required=True, metavar="NOTEBOOK...")
@click.option("--exercise", help="The exercise; default: recognised by the file's name, folder or cells.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON report per line.")
@options.unsafe
@options.course
def run(
    course: "options.Course", notebooks: tuple[str, ...], exercise: str | None, as_json: bool, unsafe: bool
) -> None:
    """Grade notebooks without a gradebook."""
    from autograder.batch.run import run_notebooks
    from autograder.cli.output import show_report
    from autograder.course.guard import skipping
    from autograder.grading.graded import describe_failure
    from autograder.report.report import Status, earned_halves

    failed = False
    with options.failures(course) as on_failure:
        for notebook, graded in run_notebooks(
            course, notebooks, exercise, unsafe=unsafe, on_failure=on_failure
        ):
            report = graded.report
            failed |= report.status is Status.GRADER_ERROR
            with skipping(course, report.exercise, notebook, on_failure):
                problem = describe_failure(course, notebook, graded)
                if as_json:
                    kinds = ("results", "everything else")
                    halves = {
                        question.name: dict(zip(kinds, earned_halves(question.tests), strict=True))
                        for question in report.questions
                    }
                    click.echo(report.to_json(notebook=notebook, halves=halves))
                else:
                    show_report(notebook, report)
                if problem:
                    options.print_lines([f"{notebook}: the grader failed: {problem}"], err=True)
    sys.exit(OUR_FAILURE if failed else 0)


@click.command()
@options.exercises
@click.option(
    "--student", "students", multiple=True, metavar="ID", help="Grade only this student; may be repeated."
)
@options.jobs(help="The number of processes; default: one for each core.")
@click.option("--force", is_flag=True, help="Grade even submissions that have not changed.")
@click.option("--dry-run", is_flag=True, help="Write nothing; say whose score would change, and why.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per submission.")
@click.option(
    "--verbose", is_flag=True, help="Print a line on each submission, even if it needs no attention."
)
@click.option("--marks-only", is_flag=True, help="Leave wrong answers unexplained until the next `grade`.")
@options.unsafe
def grade(
    course: "options.Course",
    exercises: "list[options.Exercise]",
    students: tuple[str, ...],
    force: bool,
    dry_run: bool,
    unsafe: bool,
    as_json: bool,
    verbose: bool = False,
    marks_only: bool = False,
    jobs: int | None = None,
    executor_of: "Callable[[options.Course], AbstractContextManager[Executor]] | None" = None,
) -> None:
    """Grade submissions and update the gradebook."""
    from autograder.authoring.release import build_missing
    from autograder.batch.explain import explain, unexplained_in
    from autograder.batch.grade import grade_submissions, is_work_certain, refuse_strangers, submissions_of
    from autograder.batch.pool import ProcessPool
    from autograder.cli.output import Progress, show_changes, show_summary
    from autograder.gradebook.book import copied_state
    from autograder.submission.students import student_names

    if students:
        refuse_strangers(course, students)
    by_exercise = {exercise: submissions_of(course, exercise, students) for exercise in exercises}
    submissions = [submission for some in by_exercise.values() for submission in some]
    names = student_names(course.root)
    with ExitStack() as stack:
        if executor_of is not None:  # a plug-in called this function, to grade on other machines
            executor = stack.enter_context(executor_of(course))
        else:
            jobs = jobs or min(os.cpu_count() or 1, max(len(submissions), 1))
            executor = pool = stack.enter_context(ProcessPool(course, jobs, unsafe=unsafe))
            if is_work_certain(submissions, force=force):
                pool.start()
        graded_course = stack.enter_context(copied_state(course)) if dry_run else course
        if not dry_run:
            build_missing(course, (exercise for exercise, some in by_exercise.items() if some))
        progress = Progress(len(submissions), names, as_json=as_json, verbose=verbose or None)
        stack.enter_context(progress)
        try:
            summary = grade_submissions(
                graded_course, exercises, students,
                executor=executor, force=force, unsafe=unsafe, notify=progress.show,
            )  # fmt: skip
            progress.stop()
            if not as_json:
                show_summary(summary)
                changes = [line for line in summary.lines if line.why] if dry_run else summary.changes
                show_changes(changes, names, dry_run=dry_run)
            options.print_lines((*doubts(course, exercises), *summary.stopped), err=True)
            if not (dry_run or marks_only):
                waiting = unexplained_in(course, exercises, summary)
                progress.explain(len(waiting))
                for submission, problem in explain(course, waiting, executor, unsafe=unsafe):
                    progress.show_explained(submission, problem)
        except KeyboardInterrupt:
            click.echo("stopped; finished grades are saved, and the same command grades the rest", err=True)
            sys.exit(INTERRUPTED)
    sys.exit(summary.exit_code)


def doubts(course: "options.Course", exercises: "Sequence[options.Exercise]") -> Iterator[str]:
    """Yield warnings: unknown students in extensions.csv, unknown exercises or questions in comments.yaml."""
    from autograder.gradebook.comments import CommentBank
    from autograder.gradebook.lateness import unknown_students
    from autograder.submission.students import listed_students

    if (students := listed_students(course.root)) is not None:
        yield from unknown_students(course, students, [exercise.name for exercise in exercises])
    try:
        yield from CommentBank(course.root).unknown_places(course.exercises)
    except UsageError as error:
        yield from str(error).splitlines()


@click.command()
@options.exercises
@click.option("--verbose", is_flag=True, help="Print a line on each submission.")
def demo(course: "options.Course", exercises: "list[options.Exercise]", verbose: bool) -> None:
    """Grade a made-up class, in build/demo/."""
    from autograder.cli.output import Progress, show_addresses, show_class
    from autograder.demo import grade_class, make_class

    demo_course, submissions = make_class(course, exercises)
    click.echo(f"Grading {submissions} submissions of a made-up class, with all kinds of mistakes.")
    with Progress(submissions, verbose=verbose) as progress:
        summary = grade_class(demo_course, notify=progress.show)
    show_class(demo_course, summary)
    show_addresses(demo_course)
    sys.exit(summary.exit_code)
