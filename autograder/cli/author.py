"""The commands of exercise authors: build, release, verify, init, new, doctor."""

import os
import shlex
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from autograder.cli import options
from autograder.errors import SOME_REFUSED, UsageError

from_nbgrader = click.option(
    "--from-nbgrader",
    "notebook",
    type=options.FILE,
    help="Make the exercise from this nbgrader source notebook, which contains solutions and tests.",
)


@click.command(hidden=True)
@options.exercises
def build(course: "options.Course", exercises: "list[options.Exercise]") -> None:
    """Write nbgrader's source notebooks to build/source/."""
    from autograder.authoring.release import build_sources

    options.print_written(course, build_sources(course, exercises), "built")


@click.command()
@options.exercises
@click.option("--check", is_flag=True, help="Write nothing; list the files that a release would change.")
@click.option(
    "--solutions", is_flag=True, help="Write solutions to build/solutions/, unless students can still submit."
)
@click.option("--early", is_flag=True, help="With --solutions: write them even if students can still submit.")
def release(
    course: "options.Course", exercises: "list[options.Exercise]", check: bool, solutions: bool, early: bool
) -> None:
    """Write the folders for students to assignments/."""
    from autograder.authoring.answers import write_solutions
    from autograder.authoring.release import answered_early, release_notebooks, stale

    if solutions + check > 1 or early > solutions:
        raise click.UsageError("--early needs --solutions, and --check cannot be used with --solutions")
    if solutions:
        paths, waiting = write_solutions(course, exercises, datetime.now(UTC), early=early)
        options.print_written(course, paths)
        if waiting:
            raise UsageError("\n".join(waiting))
    elif check:
        changed = stale(course, exercises)
        message = "is not up to date; run `autograder release` and commit the result"
        options.print_lines((f"{name}: {message}" for name in changed), err=True)
        sys.exit(SOME_REFUSED if changed else 0)
    else:
        from autograder.authoring.verify import unproved  # only here, because this import takes long

        options.print_written(course, release_notebooks(course, exercises), "released")
        early_answers = answered_early(course, exercises, datetime.now(UTC))
        warnings = [*early_answers, *unproved(course, exercises)]
        options.print_lines((f"warning: {warning}" for warning in warnings), err=True)


@click.command()
@options.exercises
@options.jobs(help="The number of processes; default: one for each core.")
@click.option(
    "--verbose",
    is_flag=True,
    help="Also show small changes to solutions that no test detects, and the feedback on each mistake.",
)
@click.option(
    "--thorough", is_flag=True, help="Run each answer on 16 sets of hidden inputs, and the solution on 320."
)
@click.option("--shares", is_flag=True, help="Show the shares of the points that wrong answers get.")
@click.option("--anew", is_flag=True, help="Also verify exercises that have not changed since the last time.")
def verify(
    course: "options.Course",
    exercises: "list[options.Exercise]",
    jobs: int | None,
    verbose: bool,
    thorough: bool,
    shares: bool,
    anew: bool,
) -> None:
    """Try the hidden tests on right and wrong answers.

    The author of an exercise writes these answers. A right answer must pass all tests. A known mistake must
    fail a test of its question, and pass all tests of the other questions.
    """
    from autograder.authoring.together import prove_together
    from autograder.authoring.verify import appearances, explanations, idle_rules
    from autograder.sandbox.zygote import Zygote

    proofs, processes, notify = [], jobs or os.cpu_count() or 1, partial(click.echo, err=True)
    for proof in prove_together(
        course, exercises, processes, anew=anew, thorough=thorough, whole=shares, notify=notify
    ):
        proofs.append(proof)
        counts = f"accepted answers: {proof.accepted}; known mistakes: {proof.mistakes}"
        measured = (proof.costs, proof.carried, proof.strength)
        counts += "".join(f"; {figure}" for figure in measured if figure and str(figure))
        leak = f"; one report can reveal to a student at most {proof.bits} bits about the hidden inputs"
        counts += leak if proof.bits else ""
        verified = "verified earlier, unchanged since" if proof.is_reused else "verified"
        click.echo(f"{proof.exercise}: {'not verified' if proof.findings else verified} ({counts})")
        for line in (*proof.findings, *(f"advice: {note}" for note in proof.notes)):
            click.echo(f"  {line}")
        for line in proof.costs.shares() if shares and proof.costs else ():
            click.echo(f"  {line}")
        for line in proof.strength.survivors if verbose and proof.strength else ():
            click.echo(f"  {line}")
        for name in proof.costs.harmless if verbose and proof.costs else ():
            click.echo(f"  A right answer, changed by the misconception {name}, still passes all tests.")
    if len(proofs) == len(course.exercises):
        for rule in idle_rules(course, proofs):
            click.echo(
                f"This rule in solutions/misconceptions changes no right answer; delete or correct it: {rule}"
            )
    if verbose:
        click.echo("\n".join(appearances(course, proofs)))
        with Zygote(packages=course.settings.packages) as zygote:
            for line in explanations(course, exercises, zygote):
                click.echo(line)
    sys.exit(SOME_REFUSED if any(proof.findings for proof in proofs) else 0)


@click.command()
@click.argument("folder", type=options.PATH)
@from_nbgrader
@click.option(
    "--with",
    "subject",
    type=click.Choice(["torch", "numpy", "pandas", "python"]),
    default="torch",
    show_default=True,
    help="The package that the exercise is about; `python` means no package.",
)
def init(folder: Path, notebook: Path | None, subject: str) -> None:
    """Start a course in an empty folder.

    The course has one exercise: a small working sample or, with --from-nbgrader, your own exercise.
    course.yaml lists the packages that this exercise needs.
    """
    from autograder.authoring.new import create_course

    for path in create_course(folder, notebook, subject):
        click.echo(f"wrote {path}")
    enter = "" if folder.resolve() == Path.cwd() else f"cd {shlex.quote(str(folder))} && "
    click.echo(f"Now verify the exercise: {enter}autograder verify")


@click.command()
@click.argument("exercise")
@from_nbgrader
@options.course
def new(course: "options.Course", exercise: str, notebook: Path | None) -> None:
    """Start an exercise in this course.

    The command writes a small working sample for you to change. With --from-nbgrader, it writes your own
    exercise.
    """
    from autograder.authoring.new import create, entry

    options.print_written(course, create(course, exercise, notebook))
    click.echo(f"Now add this line to the exercises in course.yaml:\n{entry(exercise)}")
    click.echo(f"Then verify the exercise: autograder verify {exercise}")


@click.command()
@click.pass_obj
def doctor(folder: Path | None) -> None:
    """Check this machine and course.yaml.

    The command checks versions, the sandbox, course.yaml and folders, and says how to fix each problem.
    """
    from autograder.doctor import examine

    healthy = True
    for check in examine(options.course_folder(folder)):
        healthy &= check.ok
        state = click.style("ok    ", fg="green") if check.ok else click.style("not ok", fg="red")
        click.echo(f"{state}  {check.name}: {check.state}")
        if check.fix:
            click.echo(f"        {check.fix}")
    sys.exit(0 if healthy else SOME_REFUSED)
