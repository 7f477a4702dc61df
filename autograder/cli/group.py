"""The `autograder` command: its subcommands, and what becomes of the errors that they raise.

Imports stand inside the subcommands, so that `--help` and wrong use need not wait for torch.
"""

import gc
import tempfile
import traceback
from pathlib import Path
from typing import Any

import click

from autograder.cli.author import build, new, release, verify
from autograder.cli.collect import collect
from autograder.cli.grade import grade, run
from autograder.cli.machine import demo, doctor
from autograder.cli.publish import dashboard, export, feedback, package
from autograder.errors import OUR_FAILURE, AutograderError


class Commands(click.Group):
    """Turns what a command raises into one line for people and an exit code for programs."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command.

        An error for people is shown as it is; the traceback of any other one is kept in a file. A reader
        such as `head` that has seen enough is no failure of ours: click ends the command without a word.
        """
        try:
            return super().invoke(context)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except AutograderError as error:
            click.echo(str(error), err=True)
            context.exit(error.exit_code)
        except Exception as error:
            click.echo(f"autograder failed; {_details(error)}", err=True)
            context.exit(OUR_FAILURE)


def _details(error: BaseException) -> str:
    """Keep a failure's traceback in a file and say where."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="autograder-", suffix=".log", delete=False, encoding="utf-8", errors="replace"
    ) as log:
        log.writelines(traceback.format_exception(error))
    return f"the details are in {log.name}"


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
    *(build, collect, dashboard, demo, doctor, export, feedback),
    *(grade, new, package, release, run, verify),
):
    main.add_command(command)
