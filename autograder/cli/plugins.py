"""Finds the commands of plug-ins: the entry points of the group `autograder.commands`.

A plug-in is imported when one of its commands is used. `--help` only reads its source.
"""

import ast
from functools import cache, cached_property
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from autograder.errors import AutograderError
from autograder.report.text import one_line

OTHERS = "Plug-ins"  # the section of the help for commands that name none


class PluginError(AutograderError):
    """A plug-in's command cannot be loaded; the message says why and what to do."""


class PluginCommand(click.Command):
    """Stands for a plug-in's command until somebody uses it."""

    def __init__(self, entry: EntryPoint) -> None:
        super().__init__(entry.name)
        self._entry = entry

    @property
    def section(self) -> str:
        """The section of the help in which the command belongs: the constant SECTION of its module."""
        for node in self._source.body:
            match node:
                case ast.Assign(targets=[ast.Name("SECTION")], value=ast.Constant(str(section))):
                    return section
        return OTHERS

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the first sentence of the command's docstring, without importing the plug-in."""
        text = f"No help found: is {self._entry.module} installed?"
        for node in self._source.body:
            if isinstance(node, ast.FunctionDef) and node.name == self._entry.attr:
                text = ast.get_docstring(node) or text
        return click.Command(None, help=text).get_short_help_str(limit)

    @cached_property
    def _source(self) -> ast.Module:
        """The source of the plug-in's module; nothing where it cannot be read."""
        try:
            spec = find_spec(self._entry.module)  # which imports the packages that the module is in
            return ast.parse(Path((spec and spec.origin) or "").read_bytes())
        except Exception:  # of whatever the packages do when they are imported
            return ast.Module([], [])

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Import the command, which then reads its own arguments."""
        try:
            command = self._entry.load()
            if not isinstance(command, click.Command):
                raise TypeError("this is no click command")
        except Exception as error:
            problem = one_line(f"{type(error).__name__}: {error}", 300)
            raise PluginError(
                f'the plug-in for "{self.name}" cannot be loaded from {self._entry.value} ({problem}); '
                "install it again or remove it, as autograder/docs/plugins.md describes"
            ) from error
        return command.make_context(*arguments, **options)


@cache
def plugin_commands() -> dict[str, PluginCommand]:
    """Return the commands of all plug-ins that are installed here, by name."""
    return {entry.name: PluginCommand(entry) for entry in entry_points(group="autograder.commands")}
