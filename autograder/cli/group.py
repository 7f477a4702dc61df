"""The `autograder` command: each subcommand hands over to one module and says what came of it.

Imports stand inside the commands, so that `--help` and wrong use need not wait for torch.
"""

import gc
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from autograder.cli.collect import collect
from autograder.cli.publish import dashboard, export, feedback, package
from autograder.errors import OUR_FAILURE, AutograderError

if TYPE_CHECKING:
    from autograder.course.course import Course

INTERRUPTED = 130
_Command = TypeVar("_Command", bound=Callable[..., Any])


class Commands(click.Group):
    """Turns what a command raises into one line for people and an exit code for programs."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command; what people can mend is told in full, what is ours is kept in a file."""
        try:
            return super().invoke(context)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            _stop(context, error)


def _stop(context: click.Context, error: Exception) -> None:
    if isinstance(error, AutograderError):
        click.echo(str(error), err=True)
        context.exit(error.exit_code)
    click.echo(f"autograder failed; {_details(error)}", err=True)
    context.exit(OUR_FAILURE)


def _details(error: BaseException) -> str:
    """Keep a failure's traceback in a file and say where."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="autograder-", suffix=".log", delete=False, encoding="utf-8", errors="replace"
    ) as log:
        log.writelines(traceback.format_exception(error))
    return f"the details are in {log.name}"


def _exercises(command: _Command) -> _Command:
    return click.argument("exercises", nargs=-1, metavar="[EXERCISE]...")(command)


_unsafe = click.option("--unsafe", is_flag=True, help="Grade with fewer walls than course.yaml demands.")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--course",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="The course's folder; without it, the nearest one around you with a course.yaml.",
)
@click.version_option(package_name="attention-course-autograder")
@click.pass_context
def main(context: click.Context, folder: Path | None) -> None:
    """Build, release and grade a course of notebooks."""
    context.obj = folder
    gc.set_threshold(100_000)  # importing torch makes half a million objects, and all of them stay
    context.call_on_close(gc.freeze)  # at the end they need not be looked through once more


def _course(folder: Path | None) -> "Course":
    from autograder.course.course import find_course, load_course

    return load_course((folder or find_course(Path.cwd())).absolute())


for command in (collect, dashboard, export, feedback, package):
    main.add_command(command)


@main.command()
@_exercises
@click.pass_obj
def build(folder: Path | None, exercises: tuple[str, ...]) -> None:
    """Turn the sources in solutions/ into nbgrader's source notebooks, in build/."""
    from autograder.authoring.build import build_sources

    course = _course(folder)
    for path in build_sources(course, course.chosen(exercises)):
        click.echo(f"built {path.relative_to(course.root)}")


@main.command()
@_exercises
@click.option("--check", is_flag=True, help="Only say whether assignments/ is what a release would write.")
@click.pass_obj
def release(folder: Path | None, exercises: tuple[str, ...], check: bool) -> None:
    """Write what students get, in assignments/."""
    from autograder.authoring.release import release_notebooks, stale

    course = _course(folder)
    if not check:
        for path in release_notebooks(course, course.chosen(exercises)):
            click.echo(f"released {path.relative_to(course.root)}")
        return
    changed = stale(course, course.chosen(exercises))
    for name in changed:
        click.echo(
            f"{name}: not what a release would write; run `autograder release` and commit it", err=True
        )
    sys.exit(OUR_FAILURE if changed else 0)


@main.command()
@_exercises
@click.option("--jobs", type=click.IntRange(1, 256), help="Verify in so many processes; default: all cores.")
@click.pass_obj
def verify(folder: Path | None, exercises: tuple[str, ...], jobs: int | None) -> None:
    """Prove each exercise by its own answers: right ones score in full, wrong ones do not."""
    from autograder.authoring.verify import prove_together

    course = _course(folder)
    failed = False
    for proof in prove_together(course, course.chosen(exercises), jobs or os.cpu_count() or 1):
        failed |= bool(proof.findings)
        counts = f"{proof.accepted} accepted, {proof.mistakes} mistakes, {proof.named} of them named"
        counts += f"; {proof.heldout}" if proof.heldout else ""
        click.echo(f"{proof.exercise}: {'not proved' if proof.findings else 'proved'} ({counts})")
        for finding in proof.findings:
            click.echo(f"  {finding}")
    sys.exit(OUR_FAILURE if failed else 0)


@main.command()
@click.argument("notebooks", nargs=-1, required=True, metavar="NOTEBOOK...")
@click.option("--exercise", help="Which exercise it is; without it, name, folder or cells tell.")
@click.option("--json", "as_json", is_flag=True, help="Print one report a line, for programs.")
@click.option(
    "--junit", type=click.File("w", "utf-8", lazy=False), help="Also write a file for build servers."
)
@_unsafe
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

    with prelaunched():  # and then all that imports torch
        from autograder.batch.junit import to_junit
        from autograder.batch.run import run_notebooks
        from autograder.cli.shown import show_report
        from autograder.grading.failures import describe_failure
        from autograder.report.report import Status
        from autograder.report.text import terminal_line

        course, reports = _course(folder), []
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


@main.command()
@_exercises
@click.option(
    "--student", "students", multiple=True, metavar="ID", help="Only this student; may be repeated."
)
@click.option("--jobs", type=click.IntRange(1, 256), help="Grade in so many processes; default: all cores.")
@click.option("--cluster", metavar="ADDRESS", help="Grade on the workers of a Dask scheduler instead.")
@click.option("--force", is_flag=True, help="Grade again what has not changed since.")
@click.option("--json", "as_json", is_flag=True, help="Print one submission a line, for programs.")
@_unsafe
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

    course = _course(folder)
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


@main.command()
@click.argument("exercise")
@click.pass_obj
def new(folder: Path | None, exercise: str) -> None:
    """Start an exercise: a small one that runs, to be turned into yours."""
    from autograder.authoring.new import create, entry

    course = _course(folder)
    for path in create(course, exercise):
        click.echo(f"wrote {path.relative_to(course.root)}")
    click.echo(f"Now add this line to the exercises in course.yaml:\n{entry(exercise)}")
    click.echo(f"Then prove it with: autograder verify {exercise}")


@main.command()
@_exercises
@click.pass_obj
def demo(folder: Path | None, exercises: tuple[str, ...]) -> None:
    """Grade a made-up class in build/demo/, away from any real gradebook."""
    from autograder.cli.progress import Progress
    from autograder.cli.shown import places, show_class
    from autograder.demo import demonstrate, hand_ins

    course = _course(folder)
    chosen = course.chosen(exercises)
    with Progress(hand_ins(chosen)) as progress:
        made, summary = demonstrate(course, chosen, notify=progress.notify)
    show_class(made, summary)
    for line in places(made):
        click.echo(line)
    sys.exit(summary.exit_code)


@main.command()
@click.pass_obj
def doctor(folder: Path | None) -> None:
    """Look at this machine: versions, the worker and its walls, course.yaml, folders."""
    from autograder.course.course import find_course
    from autograder.doctor import examine

    healthy = True
    for check in examine((folder or find_course(Path.cwd())).absolute()):
        healthy &= check.ok
        state = click.style("ok    ", fg="green") if check.ok else click.style("not ok", fg="red")
        click.echo(f"{state}  {check.name}: {check.seen}")
        if check.fix:
            click.echo(f"        {check.fix}")
    sys.exit(0 if healthy else OUR_FAILURE)
