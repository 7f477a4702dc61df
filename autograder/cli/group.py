"""The `autograder` command: lists its subcommands, and turns their errors into messages and exit codes.

The subcommands import modules inside their functions, so that `--help` and usage errors do not wait for
torch. The commands of plug-ins are the entry points of the group `autograder.commands`. A plug-in is imported
only when one of its commands is used: `autograder --help` just reads the plug-in's source.
"""

import ast
import os
import tempfile
import traceback
from contextlib import suppress
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any

import click

from autograder.cli.author import build, doctor, init, new, release, verify
from autograder.cli.grade import demo, grade, run
from autograder.cli.options import course_folder
from autograder.cli.term import backup, collect, dashboard, export, extend, feedback, restore, students
from autograder.errors import OUR_FAILURE, SOME_REFUSED, AutograderError
from autograder.report.text import one_line, terminal_lines

_SECTIONS = {  # the sections of `--help`, each with its commands
    "Term": (release, collect, grade, feedback, export, dashboard),
    "People": (students, extend),
    "Authors": (init, new, verify, run, build),
    "Machine": (demo, doctor, backup, restore),
}


class PluginCommand(click.Command):
    """A plug-in's command. The plug-in is imported only when somebody uses the command."""

    def __init__(self, entry: EntryPoint) -> None:
        super().__init__(entry.name)
        self._entry = entry

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the first sentence of the command's docstring, without importing the plug-in."""
        text = f"No help found: is {self._entry.module} installed?"
        top, *names = accumulate(self._entry.module.split("."), "{}.{}".format)
        with suppress(OSError, SyntaxError, ValueError):
            spec = find_spec(top)
            for name in names:
                spec = spec and PathFinder.find_spec(name, spec.submodule_search_locations)
            for node in ast.parse(Path((spec and spec.origin) or "").read_bytes()).body:
                if isinstance(node, ast.FunctionDef) and node.name == self._entry.attr:
                    text = ast.get_docstring(node) or text
        return click.Command(None, help=text).get_short_help_str(limit)

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Import the plug-in's command, and let this command parse the arguments."""
        try:
            command = self._entry.load()
            if not isinstance(command, click.Command):
                raise TypeError("this is not a click command")
        except Exception as error:
            problem = one_line(f"{type(error).__name__}: {error}", 300)
            raise AutograderError(
                f'the plug-in for "{self.name}" cannot be loaded from {self._entry.value} ({problem}); '
                "install it again or remove it, as autograder/docs/plugins.md describes"
            ) from error
        return command.make_context(*arguments, **options)


@cache
def plugin_commands() -> dict[str, PluginCommand]:
    """Return the commands of all plug-ins that are installed here, by name."""
    return {entry.name: PluginCommand(entry) for entry in entry_points(group="autograder.commands")}


class Commands(click.Group):
    """The built-in commands and the plug-ins' commands. Exceptions become short messages and exit codes."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands, with those of plug-ins."""
        return sorted({*super().list_commands(context), *plugin_commands()})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command of this name. A plug-in cannot replace a built-in command."""
        return super().get_command(context, name) or plugin_commands().get(name)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by section, with the plug-ins' commands in the last section."""
        width = max(len(name) for name in self.list_commands(context)) + 3
        added = [plugin_commands()[name] for name in sorted({*plugin_commands()} - {*self.commands})]
        for title, commands in {**_SECTIONS, "Plug-ins": added}.items():
            rows = [
                (str(command.name), command.get_short_help_str(formatter.width))
                for command in commands
                if not command.hidden
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows, col_spacing=width - max(len(name) for name, _ in rows))

    def invoke(self, context: click.Context) -> Any:
        """Run the command. For an error, print a short message and exit with the error's code."""
        try:
            return super().invoke(context)
        except click.ClickException as error:
            vars(error)["message"] = terminal_lines(error.message)
            raise
        except (click.exceptions.Exit, click.Abort, BrokenPipeError):  # click handles these itself
            raise
        except AutograderError as error:
            click.echo(terminal_lines(str(error)), err=True)
            context.exit(error.exit_code)
        except Exception as error:
            from autograder.course.guard import unwritable

            if problem := unwritable(error, course_folder(context.obj)):
                click.echo(terminal_lines(problem), err=True)
                context.exit(SOME_REFUSED)
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
    help="The course's folder; default: this folder or the nearest parent with a course.yaml.",
)
@click.version_option(package_name="attention-course-autograder")
@click.pass_context
def main(context: click.Context, folder: Path | None) -> None:
    """Build, release and grade a course of notebooks."""
    context.obj = folder


for section in _SECTIONS.values():
    for command in section:
        main.add_command(command)
