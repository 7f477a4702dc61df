"""The commands for whoever writes exercises: build, release, verify, new."""

import os
import sys
from pathlib import Path

import click

from autograder.cli import options
from autograder.errors import OUR_FAILURE


@click.command()
@options.exercises
@click.pass_obj
def build(folder: Path | None, exercises: tuple[str, ...]) -> None:
    """Turn the sources in solutions/ into nbgrader's source notebooks, in build/."""
    from autograder.authoring.build import build_sources

    course = options.open_course(folder)
    for path in build_sources(course, course.chosen(exercises)):
        click.echo(f"built {path.relative_to(course.root)}")


@click.command()
@options.exercises
@click.option("--check", is_flag=True, help="Only say whether assignments/ is what a release would write.")
@click.pass_obj
def release(folder: Path | None, exercises: tuple[str, ...], check: bool) -> None:
    """Write what students get, in assignments/."""
    from autograder.authoring.release import release_notebooks, stale

    course = options.open_course(folder)
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


@click.command()
@options.exercises
@options.jobs("Verify in so many processes; default: all cores.")
@click.pass_obj
def verify(folder: Path | None, exercises: tuple[str, ...], jobs: int | None) -> None:
    """Prove each exercise by its own answers: right ones score in full, wrong ones do not."""
    from autograder.authoring.verify import prove_together

    course = options.open_course(folder)
    failed = False
    for proof in prove_together(course, course.chosen(exercises), jobs or os.cpu_count() or 1):
        failed |= bool(proof.findings)
        counts = f"{proof.accepted} accepted, {proof.mistakes} mistakes, {proof.named} of them named"
        counts += f"; {proof.heldout}" if proof.heldout else ""
        click.echo(f"{proof.exercise}: {'not proved' if proof.findings else 'proved'} ({counts})")
        for finding in proof.findings:
            click.echo(f"  {finding}")
    sys.exit(OUR_FAILURE if failed else 0)


@click.command()
@click.argument("exercise")
@click.pass_obj
def new(folder: Path | None, exercise: str) -> None:
    """Start an exercise: a small one that runs, to be turned into yours."""
    from autograder.authoring.new import create, entry

    course = options.open_course(folder)
    for path in create(course, exercise):
        click.echo(f"wrote {path.relative_to(course.root)}")
    click.echo(f"Now add this line to the exercises in course.yaml:\n{entry(exercise)}")
    click.echo(f"Then prove it with: autograder verify {exercise}")
