"""Commands of plug-ins are found by their entry points, and loaded when they are used."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from autograder.cli import main
from autograder.cli.group import PluginCommand, plugin_commands

GREET = '''
"""Not what the help shows."""
import click

@click.command()
@click.option("--loud", is_flag=True)
def greet(loud: bool) -> None:
    """Greet the class. Then stop."""
    click.echo("HELLO" if loud else "hello")
'''
HELP = """
import sys
from autograder.cli import main
main(["--help"], standalone_mode=False)
print([name for name in sys.modules if name.startswith(("autograder.plugins", "greeting", "torch"))])
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder of installed packages, in which one has the command `greet` and one `grade`."""
    about = tmp_path / "greeting-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[autograder.commands]\ngreet = greeting:greet\ngrade = greeting:greet\n"
    )
    (tmp_path / "greeting.py").write_text(GREET)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    plugin_commands.cache_clear()
    yield tmp_path
    plugin_commands.cache_clear()
    sys.modules.pop("greeting", None)


def call(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def test_a_command_that_somebody_adds_is_one_of_ours(folder: Path) -> None:
    assert call("greet", "--loud").output == "HELLO\n"
    assert "--loud" in call("greet", "--help").output
    assert call("greet", "--soft").exit_code == 2


def test_a_plugin_replaces_no_command_of_ours(folder: Path) -> None:
    assert "update the gradebook" in call("grade", "--help").output


def test_help_describes_plugins_and_imports_none(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, check=True)
    *listed, loaded = done.stdout.splitlines()
    assert [line.split(maxsplit=1) for line in listed if "greet" in line] == [["greet", "Greet the class."]]
    assert any(line.split()[:2] == ["github", "Write"] for line in listed)
    assert loaded == "[]"


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (None, "ModuleNotFoundError: No module named 'greeting'"),
        ("raise RuntimeError('one\\ntwo')", "RuntimeError: one two"),
        ("def broken(:", "SyntaxError: invalid syntax (greeting.py, line 1)"),
        ("", "AttributeError: module 'greeting' has no attribute 'greet'"),
        ("greet = 3", "TypeError: this is not a click command"),
    ],
    ids=["missing", "raises", "no Python", "without the command", "no command"],
)
def test_a_broken_plugin_is_one_sentence(folder: Path, source: str | None, problem: str) -> None:
    if source is None:
        (folder / "greeting.py").unlink()
    else:
        (folder / "greeting.py").write_text(source)
    listed, done = call("--help"), call("greet")
    assert listed.exit_code == 0
    assert "greet No help found: is greeting installed?" in " ".join(listed.output.split())
    assert done.exit_code == 3
    assert done.stderr == (
        f'the plug-in for "greet" cannot be loaded from greeting:greet ({problem}); install it again or '
        "remove it, as autograder/docs/plugins.md describes\n"
    )


@pytest.mark.parametrize("name", plugin_commands())
def test_the_help_shows_what_the_command_itself_says(name: str) -> None:
    """The source is read without an import, so this compares it with the command."""
    command = main.get_command(click.Context(main), name)
    assert isinstance(command, PluginCommand)
    with command.make_context(name, [], resilient_parsing=True) as context:
        assert command.get_short_help_str() == context.command.get_short_help_str()


def test_help_lists_commands_by_section_and_hides_none_but_build() -> None:
    lines = call("--help").output.partition("Term:")[2].splitlines()
    listed = {line.split()[0] for line in lines if line.startswith("  ")}
    assert listed == {*main.list_commands(click.Context(main))} - {"build"}
    assert len(main.commands) <= 18
    assert [line for line in lines if line.endswith(":")] == ["People:", "Authors:", "Machine:", "Plug-ins:"]
    assert not [line for line in lines if line.endswith("...")]
