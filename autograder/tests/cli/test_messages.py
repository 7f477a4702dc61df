"""Every command and option that a message or a docstring names is there."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

import autograder
from autograder.cli import main

ENGINE = Path(autograder.__file__).parent
MODULES = [path for path in sorted(ENGINE.rglob("*.py")) if "tests" not in path.relative_to(ENGINE).parts]
COMMAND = re.compile(r"\bautograder ([a-z][a-z0-9-]*)([^`\n#;\"]*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
# Words after the engine's name in sentences about it.
NO_COMMANDS = {"failed", "itself", "is", "than", "converts", "says", "that", "or", "builtins"}
# Options of other programs, by the modules that speak of them.
OTHERS = {
    "course/kit/conftest.py": {"--hint"},
    "course/notebook.py": {"--hint"},
    "doctor.py": {"--sys-prefix"},
    "plugins/bench/wild.py": {"--depth", "--filter"},
    "plugins/cluster/executor.py": {"--nthreads"},
    "testing/pytest_internals.py": {"--rootdir"},
}


def texts(path: Path) -> Iterator[str]:
    """Yield the sentences of a module, docstrings among them; what an f-string fills in becomes `{}`.

    A string without a space is an argument of a program.
    """
    inside = set[ast.AST]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            inside.update(node.values)
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and " " in str(node.value) and node not in inside:
            yield str(node.value)


@cache
def options(name: str) -> frozenset[str] | None:
    """Return the options of a command, or None if there is no such command."""
    command = main.get_command(click.Context(main), name)
    if command is None:
        return None
    context = command.make_context(name, [], resilient_parsing=True)
    return frozenset(
        option
        for parameter in context.command.get_params(context)
        for option in (*parameter.opts, *parameter.secondary_opts)
    )


@cache
def all_options() -> frozenset[str]:
    context = click.Context(main)
    own = {
        option
        for parameter in main.get_params(context)
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    return frozenset(own).union(*(options(name) or () for name in main.list_commands(context)))


def unknown(text: str, others: set[str]) -> list[str]:
    """Return the commands and options in a text that the program does not have."""
    found = [word for word in OPTION.findall(text) if word not in all_options() | others]
    for name, rest in COMMAND.findall(text):
        known = frozenset() if name in NO_COMMANDS else options(name)
        if known is None:
            found.append(f"autograder {name}")
        elif known:
            found += [f"{name} {word}" for word in OPTION.findall(rest) if word not in known]
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ENGINE)))
def test_a_command_or_option_that_a_module_names_is_there(path: Path) -> None:
    others = OTHERS.get(str(path.relative_to(ENGINE)), set())
    assert [word for text in texts(path) for word in unknown(text, others)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("give it in a list with --students", ["--students"]),
        ("run `autograder gread`", ["autograder gread"]),
        ("run `autograder grade --times`", ["grade --times"]),
        ("run `autograder collect --times FILE`, or autograder grade --force", []),
        ("the autograder failed on this; --help says more", []),
    ],
)
def test_what_is_gone_is_noticed(text: str, found: list[str]) -> None:
    assert unknown(text, set()) == found
