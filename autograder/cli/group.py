"""The `autograder` command: its subcommands, and how their errors become messages and exit codes.

Imports stand inside the subcommands, so that `--help` and wrong use need not wait for torch. The commands of
plug-ins are the entry points of the group `autograder.commands`. A plug-in is imported when one of its
commands is used; `--help` only reads its source.
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

_SECTIONS = {  # of the help, in the order in which a term needs them
    "Term": (release, collect, grade, feedback, export, dashboard),
    "People": (students, extend),
    "Authors": (init, new, verify, run, build),
    "Machine": (demo, doctor, backup, restore),
}


class PluginCommand(click.Command):
    """Stands for a plug-in's command until somebody uses it."""

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
        """Import the command, which then reads its own arguments."""
        try:
            command = self._entry.load()
            if not isinstance(command, click.Command):
                raise TypeError("this is no click command")
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
    """Turns what a command raises into one line for people and an exit code for programs."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands, those of plug-ins among them."""
        return sorted({*super().list_commands(context), *plugin_commands()})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command; one of ours stays ours, whatever a plug-in calls its own."""
        return super().get_command(context, name) or plugin_commands().get(name)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by section, those of plug-ins last."""
        width = max(len(name) for name in self.list_commands(context)) + 3
        added = [one for name, one in sorted(plugin_commands().items()) if name not in self.commands]
        for title, commands in {**_SECTIONS, "Plug-ins": added}.items():
            shown = [one for one in commands if not one.hidden]
            if rows := [(str(one.name), one.get_short_help_str(formatter.width)) for one in shown]:
                with formatter.section(title):
                    formatter.write_dl(rows, col_spacing=width - max(len(name) for name, _ in rows))

    def invoke(self, context: click.Context) -> Any:
        """Run the command; click quietly ends it for a reader, such as `head`, who has seen enough."""
        try:
            return super().invoke(context)
        except click.ClickException as error:
            vars(error)["message"] = terminal_lines(error.message)
            raise
        except (click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except AutograderError as error:
            click.echo(terminal_lines(str(error)), err=True)
            context.exit(error.exit_code)
        except Exception as error:
            from autograder.course.kept import unwritable

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


for command in (one for commands in _SECTIONS.values() for one in commands):
    main.add_command(command)
