"""The `autograder` command: its subcommands, and what becomes of the errors that they raise.

Imports stand inside the subcommands, so that `--help` and wrong use need not wait for torch.
"""

import gc
import os
import tempfile
import traceback
from pathlib import Path
from typing import Any

import click

from autograder.cli.author import build, doctor, new, release, verify
from autograder.cli.collect import collect
from autograder.cli.extend import extend
from autograder.cli.grade import demo, grade, run
from autograder.cli.publish import dashboard, export, feedback, package
from autograder.cli.students import students
from autograder.errors import OUR_FAILURE, AutograderError


class Commands(click.Group):
    """Turns what a command raises into one line for people and an exit code for programs."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command; click quietly ends it for a reader, such as `head`, who has seen enough."""
        try:
            return super().invoke(context)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except AutograderError as error:
            click.echo(str(error), err=True)
            context.exit(error.exit_code)
        except Exception as error:
            descriptor, path = tempfile.mkstemp(".log", "autograder-")
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as log:
                log.writelines(traceback.format_exception(error))
            click.echo(f"autograder failed; the details are in {path}", err=True)
            context.exit(OUR_FAILURE)


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


for command in (
    *(build, collect, dashboard, demo, doctor, export, extend, feedback),
    *(grade, new, package, release, run, students, verify),
):
    main.add_command(command)
