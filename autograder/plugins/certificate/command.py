"""The commands `certificate` and `certify`: how a report came about, and whether it comes about again."""

import sys
from pathlib import Path
from typing import IO

import click

from autograder.cli import options

ANOTHER = 1  # the exit code where something is not as the certificate says


@click.command()
@click.argument("student")
@click.argument("exercise")
@options.course
def certificate(course: "options.Course", student: str, exercise: str) -> None:
    """Print by what a student's submission was graded, with digests, for `certify` to check.

    It holds nothing that is secret, and a seal that only the course's secret can make.
    """
    from autograder.plugins.certificate.certificate import certify_grade

    (chosen,) = course.chosen([exercise])
    click.echo(certify_grade(course, chosen, student).to_json(), nl=False)


@click.command()
@click.argument("file", type=click.File("r", encoding="utf-8"))
@click.option(
    "--notebook",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The notebook that was graded, if it is no longer the one in submitted/.",
)
@options.unsafe
@options.course
def certify(course: "options.Course", file: IO[str], notebook: Path | None, unsafe: bool) -> None:
    """Grade again what the certificate in FILE is about, and say what is not as it says.

    The exit code is 0 where the report has the very same bytes and nothing differs, and otherwise 1.
    """
    from autograder.plugins.certificate.certificate import check_certificate, read_certificate
    from autograder.report.text import terminal_line

    given = read_certificate(file.read())
    (chosen,) = course.chosen([given.exercise])
    different = list(check_certificate(course, chosen, given, notebook, unsafe=unsafe))
    for one in different:
        click.echo(terminal_line(f"differs: {one.part}: {one.words}"))
    same = all(one.part != "report" for one in different)
    told = "the report is the same, to the byte" if same else "the report is not the one that is certified"
    click.echo(terminal_line(f"{given.exercise} {given.student}: {told}"))
    sys.exit(ANOTHER if different else 0)
